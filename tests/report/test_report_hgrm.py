# SPDX-License-Identifier: GPL-2.0-or-later
"""--hgrm: what HdrHistogram's plotters read, against the counts."""

import math
import re

import made
import made_primitives
import pytest

ROWS = made.cycles(4000, 3)
LINE = re.compile(r" *(\d+\.\d{3}) ([01]\.\d{12}) +(\d+)(?: +(\d+\.\d\d))?")
FOOT = re.compile(r"""#\[Mean    = +(\d+\.\d{3}), StdDeviation   = +(\d+\.\d{3})\]
#\[Max     = +(\d+\.\d{3}), Total count    = +(\d+)\]
#\[Buckets = +(\d+), SubBuckets     = +(\d+)\]
""")


def parsed(path):
    """Lines as numbers, and those of the foot."""
    head, empty, *lines = path.read_text(encoding="ascii").splitlines()
    assert head.split() == ["Value", "Percentile", "TotalCount",
                            "1/(1-Percentile)"] and empty == ""
    rows = [LINE.fullmatch(line).groups() for line in lines[:-3]]
    return [tuple(float(one) if one else math.inf for one in row)
            for row in rows], \
        [float(one) for one in
         FOOT.fullmatch("\n".join([*lines[-3:], ""])).groups()]


def check(rows, foot, values, width_ns=1):
    """values: in ns, of which the file has the bins of a width."""
    bins = sorted(value // width_ns * width_ns for value in values)
    count = len(values)
    assert rows[0][1] == 0 and rows[-1][1:] == (1, count, math.inf)
    assert rows[-1][0] == pytest.approx(max(values) / 1000, abs=1)
    for value, share, below, times in rows[:-1]:
        rank = max(1, math.ceil(share * count - 1e-9))
        assert value * 1000 == pytest.approx(bins[rank - 1])
        assert below == sum(one <= value * 1000 for one in bins) >= rank
        assert times == pytest.approx(1 / (1 - share), abs=0.006)
    for one, other in zip(rows, rows[1:]):
        assert one[0] <= other[0] and one[1] < other[1]
    # Five lines from one half of what is left to the next.
    for half in (0.5, 0.75, 0.875):
        assert sum(half - (1 - half) <= share < half
                   for _, share, *_ in rows) == 5
    assert foot[3] == count
    assert foot[0] == pytest.approx(float(made.mean(values)) / 1000, abs=1)
    assert foot[1] == pytest.approx(made.deviation(values) / 1000, abs=1)


def test_of_a_dump(report):
    """To the ns; the metrics are those of --metrics."""
    made.write(report.directory, "a.csv", made.dump(ROWS))
    report("--hgrm=d", "-m", "send,response", "a.csv")
    values = made.values(ROWS)
    assert {path.name for path in (report.directory / "d").iterdir()} == {
        "a-send.hgrm", "a-response.hgrm"}
    for metric in ("send", "response"):
        check(*parsed(report.directory / f"d/a-{metric}.hgrm"),
              values[metric])


def test_of_histograms(report):
    """Of bins, their lower bounds; of each run what a verdict is about."""
    found = made.values(ROWS)["wakeup"]
    made.write(report.directory, "c.txt", made.text(found))
    made.write(report.directory, "c.json", made.cyclictest(found))
    report("-H", "d", "a b/../c=c.txt", "a b-..-c=c.json")
    assert {path.name for path in (report.directory / "d").iterdir()} == {
        "a-b-..-c-wakeup.hgrm", "a-b-..-c-wakeup-2.hgrm"}
    for path in (report.directory / "d").iterdir():
        check(*parsed(path), [value // 1000 * 1000 for value in found], 1000)


def test_outside_of_the_bins(report):
    """Ranks beyond a histogram have no value; the maximum is known."""
    data = made.twoway(ROWS)
    found = made.values(ROWS)["send"]
    limit = sorted(found)[3000] // 1000
    data["thread"]["1"] = made.json_thread("send", found, limit)
    made.write(report.directory, "a.json", data)
    report("-H", "d", "-m", "send", "a.json")
    rows, foot = parsed(report.directory / "d/a-send.hgrm")
    assert rows[-2][2] == sum(value // 1000 < limit for value in found)
    assert rows[-1][2] == foot[3] == len(found)
    assert rows[-1][0] == max(found) // 1000


def test_without_a_distribution(refused):
    made.write(refused.directory, "p.csv", made.PUBLISHED)
    assert "--hgrm: no run tells how often each value of send came" in \
        refused("-H", "d", "-m", "send", "p.csv")
    assert "no run tells how often each value of latency came" in \
        refused("-H", "d", "p.csv")
    made.write(refused.directory, "x.json", made_primitives.primitives())
    assert "--hgrm: these are results of primitivetest only" in \
        refused("-H", "d", "x.json")
