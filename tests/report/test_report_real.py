# SPDX-License-Identifier: GPL-2.0-or-later
"""What twowaytest and cyclictest really write is read, and agrees."""

import shutil
import subprocess

import made
import pytest

import twoway


def results(report, *args):
    """Names without the mark that this machine may deserve."""
    text = report("-t", "-", *args).stdout
    return made.tables(text.replace(" (virtual)", ""))


def test_twowaytest(report):
    """JSON, dump, log and histogram of one run tell the same."""
    done = subprocess.run(
        [twoway.binary(), "-q", "-l", "600", "-h", "10000", "--json=r.json",
         "--dump=r.csv", "--trltp-log=r.log", "--histfile=r.txt"],
        cwd=report.directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = results(report, "json=r.json", "dump=r.csv", "log=r.log",
                    "text=r.txt", "all=r.json", "all=r.csv", "all=r.log",
                    "all=r.txt")
    for metric, label in zip(made.METRICS[:7], made.LABELS):
        rows = {row["system"]: row for row in found[label]}
        assert set(rows) == {"json", "dump", "text", "all"} | (
            {"log"} if metric != "wakeup" else set())
        gone = metric in ("interval", "total")
        for name, row in rows.items():
            count = 599 if gone and name in ("dump", "all") else 600
            assert row["cycles"] == str(count)
        if gone:        # the dump's first cycle is not known
            continue
        for key in ("min", "max"):
            low = int(rows["json"][key])
            assert low - 0.05 <= float(rows["dump"][key]) < low + 1.05
            assert rows["json"][key] == rows["text"][key]
        for key in ("avg", "std"):
            assert float(rows["dump"][key]) == \
                pytest.approx(float(rows["json"][key]), abs=0.11)


def test_ramp(report):
    done = subprocess.run(
        [twoway.binary(), "-q", "-l", "100", "--steps=2", "--load=fft",
         "--json=r.json", "--dump=r.csv", "--trltp-log=r.log"],
        cwd=report.directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = results(report, "r.json", "r.csv", "l=r.log")
    load = found["Total Jitter against the load"]
    assert [(row["workers"], row["system"]) for row in load] == \
        [("0", "r"), ("0", "l"), ("1", "r"), ("1", "l")]


def run_pairs(report, *options):
    done = subprocess.run(
        [twoway.binary(), "-q", "-l", "100", "-h", "10000", "--json=r.json",
         "--dump=r.csv", "--trltp-log=r.log", "--histfile=r.txt", *options],
        cwd=report.directory, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return results(report, "json=r.json", "dump=r.csv", "log=r.log",
                   "text=r.txt", "all=r.json", "all=r.csv", "all=r.log",
                   "all=r.txt")


def test_pairs(report):
    """Each pair is the same in all formats, and so are all together."""
    found = run_pairs(report, "-t", "3")
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
                # Cut off there, and rounded to a tenth here.
                assert int(one["max"]) - 0.06 <= float(row["max"]) <= \
                    int(one["max"]) + 1.06
                assert float(row["avg"]) == pytest.approx(float(one["avg"]),
                                                          abs=1.01)


def test_ramp_of_pairs(report):
    found = run_pairs(report, "--ramp=pairs", "--steps=3", "-i", "1000,1500",
                      "--servers=one")
    rows = found["Pair 0 against the number of other clients"]
    assert [(row["others"], row["system"].split(" ")[0]) for row in rows] == \
        [(str(others), name) for others in range(3)
         for name in ("json", "dump", "log", "all")]
    assert "Total Jitter against the load" not in found
    for json, dump, log, _ in zip(*[iter(rows)] * 4):
        for key in json:
            if key.endswith("max") and json[key] != "-" and \
                    not key.startswith("total"):
                # Cut off there, and rounded to a tenth here.
                assert int(json[key]) - 0.06 <= float(dump[key]) <= \
                    int(json[key]) + 1.06
                assert float(log[key]) == pytest.approx(float(dump[key]),
                                                        abs=0.11)


@pytest.mark.skipif(not shutil.which("cyclictest"),
                    reason="cyclictest is not installed")
def test_cyclictest(report):
    with open(report.directory / "c.txt", "w", encoding="ascii") as out:
        subprocess.run(["cyclictest", "-q", "-l", "300", "-t", "2", "-h",
                        "100000", "--json=c.json"], cwd=report.directory,
                       stdout=out, check=True, timeout=60)
    found = results(report, "j=c.json", "t=c.txt")
    json, text = found["Wakeup Time"]
    # Both threads are stopped when one of them is done.
    assert int(json["cycles"]) > 300
    for key in json:
        if key != "system":
            assert json[key] == text[key]
