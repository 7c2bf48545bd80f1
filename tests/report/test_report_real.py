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
