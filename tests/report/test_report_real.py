# SPDX-License-Identifier: GPL-2.0-or-later
"""What twowaytest and cyclictest really write is read, and agrees."""

import shutil
import subprocess

import made
import pytest

import outside
import primitives
import twowaytest

TRIES = 5


def results(report, *args):
    """Names without the mark that this machine may deserve."""
    text = report("-t", "-", *args).stdout
    return made.tables(text.replace(" (virtual)", ""))


def run(report, *options):
    """Results in every format; of all metrics, as the dump has them."""
    done = subprocess.run(
        [twowaytest.binary(), "-q", "-h", "10000", "--metrics=all",
         "--json=r.json", "--dump=r.csv", *options],
        cwd=report.directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return results(report, "json=r.json", "dump=r.csv", "all=r.json",
                   "all=r.csv")


def same(row, one):
    """Of a dump, and of JSON, whose extremes are whole us."""
    for key in {"min", "max"} & one.keys():
        assert float(one[key]) - 0.06 <= float(row[key]) <= \
            float(one[key]) + 1.06
    assert float(row["avg"]) == pytest.approx(float(one["avg"]), abs=0.11)


def test_twowaytest(report):
    """JSON and dump of one run tell the same."""
    found = run(report, "-l", "600")
    for label in (*made.LABELS, "Latency"):
        rows = {row["system"]: row for row in found[label]}
        assert set(rows) == {"json", "dump", "all"}
        # The dump does not know what was before its first cycle.
        gone = label in (made.LABELS[0], *made.LABELS[5:7])
        for name, row in rows.items():
            count = 599 if gone and name in ("dump", "all") else 600
            assert row["cycles"] == str(count)
        if gone:
            continue
        for row in rows.values():
            same(row, rows["json"])
            assert float(row["std"]) == pytest.approx(
                float(rows["json"]["std"]), abs=0.11)


@pytest.mark.parametrize("program, options", [
    (twowaytest.binary, ["-q", "-l", "9"]),
    (twowaytest.binary, ["-l", "9", "--metrics=send", "-t", "2"]),
    (twowaytest.binary, ["-q", "-l", "9", "-h", "9"]),
    (primitives.binary, ["-q", "-l", "9", "--test=sync1.futex"]),
    (primitives.binary, ["-q", "-l", "9", "--test=sync1.futex", "-h", "9"])],
    ids=["plain", "metrics", "histogram", "primitivetest", "its histogram"])
def test_text(report, refused, program, options):
    """What the programs print is no input, and is known for what it is."""
    done = subprocess.run([program(), *options], capture_output=True,
                          text=True, timeout=60, check=True)
    (report.directory / "r.txt").write_text(done.stdout)
    assert "a text of twowaytest or primitivetest, which is not read: " \
        "measure with --json=FILE and give that file" in refused("r.txt")


def test_log(report, refused):
    run(report, "-l", "9", "--trltp-log=r.log")
    assert "r.log: line 1: a TRLTP log, which is not read" in refused("r.log")


def test_ramp(report):
    found = run(report, "-l", "100", "--steps=2", "--load=fft")
    load = found["Total Jitter against the load"]
    assert [(row["workers"], row["system"]) for row in load] == \
        [(workers, name) for workers in "01"
         for name in ("json", "dump", "all")]


def test_pairs(report):
    """Each pair is the same in all formats, and so are all together."""
    found = run(report, "-l", "100", "-t", "3")
    for label in (made.LABELS[1], f"{made.LABELS[1]} of each pair"):
        rows = {}
        for row in found[label]:
            name = row.pop("system").split(" ")[0]
            rows.setdefault(name, []).append(row)
        assert set(rows) == {"json", "dump", "all"}
        for name in ("dump", "all"):
            assert len(rows[name]) == (3 if "pair" in label else 1)
            for row, one in zip(rows[name], rows["json"]):
                assert row.get("pair") == one.get("pair")
                assert row["cycles"] == one["cycles"]
                same(row, one)


def test_ramp_of_pairs(report):
    found = run(report, "-l", "100", "--ramp=pairs", "--steps=3", "-i",
                "1000,1500", "--servers=one")
    rows = found["Pair 0 against the number of other clients"]
    assert [(row["others"], row["system"].split(" ")[0]) for row in rows] == \
        [(others, name) for others in "012"
         for name in ("json", "dump", "all")]
    assert "Total Jitter against the load" not in found
    for json, dump, _ in zip(*[iter(rows)] * 3):
        same(*({key: row[f"response {key}"] for key in ("avg", "max")}
               for row in (dump, json)))


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
