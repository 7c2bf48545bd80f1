# SPDX-License-Identifier: GPL-2.0-or-later
"""What twowaytest and cyclictest really write is read, and agrees."""

import shutil
import subprocess

import made
import pytest

import outside
import twoway

TRIES = 5


def results(report, *args):
    """Names without the mark that this machine may deserve."""
    text = report("-t", "-", *args).stdout
    return made.tables(text.replace(" (virtual)", ""))


def run(report, *options):
    """Results in every format; of all metrics, as the dump has them."""
    done = subprocess.run(
        [twoway.binary(), "-q", "-h", "10000", "--metrics=all",
         "--json=r.json", "--dump=r.csv", "--trltp-log=r.log",
         "--histfile=h.txt", *options],
        cwd=report.directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (report.directory / "r.txt").write_text(done.stdout)
    return results(report, "json=r.json", "dump=r.csv", "log=r.log",
                   "text=r.txt", "all=r.json", "all=r.csv", "all=r.log",
                   "all=r.txt")


def same(row, one, off=0.11):
    """Of JSON and another format; logs are rounded to a tenth. Averages of the
    text are whole us, those of several pairs computed of such: @off."""
    for key in {"min", "max"} & one.keys():
        assert float(one[key]) - 0.06 <= float(row[key]) <= \
            float(one[key]) + 1.06
    assert float(row["avg"]) == pytest.approx(float(one["avg"]), abs=off)


def test_twowaytest(report):
    """JSON, dump, log and text of one run tell the same."""
    found = run(report, "-l", "600")
    for label in (*made.LABELS, "Latency"):
        rows = {row["system"]: row for row in found[label]}
        assert {"json", "dump", "text", "all"} <= set(rows)
        assert ("log" in rows) == (label in made.LABELS[:6])
        # The dump does not know what was before its first cycle.
        gone = label in (made.LABELS[0], *made.LABELS[5:7])
        for name, row in rows.items():
            count = 599 if gone and name in ("dump", "all") else 600
            assert row["cycles"] == str(count)
        if gone:
            continue
        for name, row in rows.items():
            same(row, rows["json"], 1.01 if row is rows["text"] else 0.11)
            # In a log, that of sleep is from what was asked for.
            key = "rms" if name == "log" and label == made.LABELS[2] else "std"
            if name != "text" or label != made.LABELS[2]:
                assert float(row[key]) == pytest.approx(
                    float(rows["json"][key]), abs=0.11)
        assert rows["text"]["max"] == rows["json"]["max"]


def test_histogram(report):
    """Its columns are told apart: of each pair, and by their metrics."""
    run(report, "-l", "100", "-t", "2", "--metrics=send,receive")
    found = results(report, "json=r.json", "text=h.txt")
    for label in (made.LABELS[1], made.LABELS[3]):
        one, other = (
            [row for row in found[f"{label} of each pair"]
             if row["system"].startswith(name)] for name in ("json", "text"))
        assert len(one) == len(other) == 2
        for row, same_pair in zip(other, one):
            assert row["pair"] == same_pair["pair"]
            same(row, same_pair, 1.01)
    assert not [row for row in found["Latency"]
                if row["system"].startswith("text")]


def test_ramp(report):
    found = run(report, "-l", "100", "--steps=2", "--load=fft")
    load = found["Total Jitter against the load"]
    assert [(row["workers"], row["system"]) for row in load] == \
        [(workers, name) for workers in "01"
         for name in ("json", "dump", "log", "text", "all")]


def test_pairs(report):
    """Each pair is the same in all formats, and so are all together."""
    found = run(report, "-l", "100", "-t", "3")
    for label in (made.LABELS[1], f"{made.LABELS[1]} of each pair"):
        rows = {}
        for row in found[label]:
            name = row.pop("system").split(" ")[0]
            rows.setdefault(name, []).append(row)
        assert set(rows) == {"json", "dump", "log", "text", "all"}
        for name in ("dump", "log", "text", "all"):
            assert len(rows[name]) == (3 if "pair" in label else 1)
            for row, one in zip(rows[name], rows["json"]):
                assert row.get("pair") == one.get("pair")
                assert row["cycles"] == one["cycles"]
                same(row, one, 2.01 if name == "text" else 0.11)


def test_ramp_of_pairs(report):
    found = run(report, "-l", "100", "--ramp=pairs", "--steps=3", "-i",
                "1000,1500", "--servers=one")
    rows = found["Pair 0 against the number of other clients"]
    assert [(row["others"], row["system"].split(" ")[0]) for row in rows] == \
        [(others, name) for others in "012"
         for name in ("json", "dump", "log", "text", "all")]
    assert "Total Jitter against the load" not in found
    for json, *others, _ in zip(*[iter(rows)] * 5):
        for row in others:
            same({key: row[f"response {key}"] for key in ("avg", "max")},
                 {key: json[f"response {key}"] for key in ("avg", "max")}, 1.01)


@pytest.mark.skipif(not shutil.which("cyclictest"),
                    reason="cyclictest is not installed")
def test_cyclictest(report):
    """Of one thread: while it prints, a second one would still count."""
    for _ in range(TRIES):
        with open(report.directory / "c.txt", "w", encoding="ascii") as out:
            subprocess.run(["cyclictest", "-q", "-l", "300", "-h", "100000",
                            "--json=c.json"], cwd=report.directory,
                           stdout=out, check=True, timeout=60)
        # The text of a run that had an overflow lacks it.
        if outside.load_json(
                report.directory / "c.json")["thread"]["0"]["max"] < 100000:
            break
    json, text = results(report, "j=c.json", "t=c.txt")["Wakeup Time"]
    assert json["cycles"] == "300" and json | {"system": "t"} == text
