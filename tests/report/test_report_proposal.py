# SPDX-License-Identifier: GPL-2.0-or-later
"""A baseline of several runs: what they can tell apart, and the gate."""

import math
import random
import statistics

import made
import pytest

from test_report_gate import COUNT, rounded, verdicts, write


def boots(report, count, factor=1.0, seed=10, name="x"):
    """Runs of one system, each with a level of its own."""
    source = random.Random(seed)
    names = []
    for i in range(count):
        shift = 3000 + int(source.gauss(0, 1500)) + int(
            (factor - 1) * 40_000)
        write(report, f"{name}{i}.csv", seed + i, shift=shift)
        names.append(f"{name}{i}.csv")
    return names


def test_several_runs_of_a_baseline(report):
    """What differs from run to run is not called worse, but what is more."""
    names = boots(report, 6)
    # Alone, one of them is worse than another.
    statuses = set()
    for one in names[1:]:
        try:
            report("-g", "-p", "50", names[0], one)
        except AssertionError:
            statuses.add(one)
    assert statuses
    table = report("-r", "-p", "50", *names[:5]).stdout.splitlines()
    assert table[0] == "What 5 runs can tell apart"
    found, = [line for line in table if line.startswith("--percentiles=50 ")]
    args = found.split()
    out = report("-g", *args, *names).stdout
    assert out.splitlines()[-1].startswith("not worse by more than ")
    assert "by the spread of 6 runs. Means of runs are shown. ?" in out
    [worse] = boots(report, 1, 3.0, name="y")
    out = report("-g", *args, *names[:5], worse, status=2).stdout
    assert out.splitlines()[-1] == "worse: latency average, latency p50, latency tail"
    assert "Is y0 worse than x0, x1, x2, x3, x4?" in out or \
        "Is y0 worse than x0" in out


def test_proposal(report):
    """Its arithmetic: of three averages, at 99 % for two figures, and 1 % that is
    allowed; what boots change, no longer run tells."""
    for name, value in (("a", 100_000), ("b", 101_000), ("c", 103_000)):
        rounded(report, f"{name}.json", value)
    text = report("-r", "a.json", "b.json", "c.json", "-p", "50").stdout
    row = verdicts(text)["response", "average"]
    t = 9.9248 + 4.3027         # of 0.5 and 2.5 %, two degrees of freedom
    mean = 101_000 + 1000 / 3
    expected = 1 + 100 * t * statistics.stdev([100, 101, 103]) * \
        math.sqrt(4 / 3) * 1000 / mean
    assert row[:3] == ["101.333", "100.000", "103.000"]
    assert float(row[3]) == pytest.approx(expected, abs=0.1)
    assert row[4] == "-"
    assert text.splitlines()[-1].startswith("--percentiles=50 --detect=ave")


def test_proposal_names_the_time(report):
    """16 times as long, if equal runs differ by four times what is wanted, and by
    no more than their blocks."""
    source = random.Random(1)
    for i in range(2):
        data = made.twoway(made.cycles(1000))
        data["thread"] = {"0": made.json_thread("response", [
            50_000 + source.randrange(4000) for _ in range(1000)])}
        data |= {"start_time": "Sun, 22 Nov 2026 20:31:59 +0000",
                 "end_time": "Sun, 22 Nov 2026 20:41:59 +0000"}
        made.write(report.directory, f"{i}.json", data)
    row = verdicts(report("-r", "-p", "50", "0.json", "1.json").stdout)[
        "response", "average"]
    least, minutes = map(float, row[3:])
    assert minutes == pytest.approx(10 * (least / 3) ** 2, abs=0.5)


def test_proposal_of_nothing(report):
    """Of a mean of 0 there are no percent, so nothing is proposed."""
    rows = [(0, i, *[1_000_000 * i] * 3, *[1_000_000 * i + 100_000] * 2, 0)
            for i in range(1, COUNT)]
    for name in "ab":
        made.write(report.directory, f"{name}.csv", made.dump(rows))
    text = report("-r", "a.csv", "b.csv").stdout
    assert set(verdicts(text)["latency", "average"][-2:]) == {"?"}
    assert "--detect=" not in text


def test_a_shorter_candidate(report):
    """The spread of long runs says nothing of it: its own blocks do."""
    for seed in range(5):
        write(report, f"{seed}.csv", seed, 20000)
    base = [f"{seed}.csv" for seed in range(5)]
    write(report, "long.csv", 8, 20000)
    write(report, "short.csv", 10, 400)
    args = "-g", "-p", "50", "-d", "3", *base
    report(*args, "long.csv")
    report(*args, "short.csv", status=3)
