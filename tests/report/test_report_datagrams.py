# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles that were lost over UDP: no values, but rows of a dump."""

import made
import made_columns
import pytest

ROWS = made.cycles(4000)
EMPTY = ("", "", "")


def lose(rows, which):
    """A dump of @rows in which some have no reply."""
    return made.dump([(*row[:4], *EMPTY, row[7]) if i in which else row
                      for i, row in enumerate(rows)])


def response(report, *args):
    tables = made.tables(report("-t", "-", *args).stdout)
    return tables["Response Time"][0]


@pytest.mark.parametrize("which", [
    {0}, {3999}, {5, 6, 7}, set(range(0, 4000, 3)), set(range(100, 3900))])
def test_left_out(report, which):
    made.write(report.directory, "d.csv", lose(ROWS, which))
    left = [row[6] - row[3] for i, row in enumerate(ROWS) if i not in which]
    row = response(report, "d.csv")
    assert row["cycles"] == str(len(left))
    assert row["max"] == made.us(max(left))
    assert row["avg"] == made.us(made.mean(left))


@pytest.mark.parametrize("step_ns", [-10 ** 8, 5 * 10 ** 6, 10 ** 13])
def test_the_clock_was_set(report, step_ns):
    """Cycles without any time; those after them are of the clock as it is."""
    rows = [row if i < 200 else
            (*row[:2], *(time + step_ns for time in row[2:7]), row[7])
            for i, row in enumerate(ROWS)]
    made.write(report.directory, "d.csv", made.dump([
        (*row[:2], *("",) * 5, row[7]) if i in (200, 201) else row
        for i, row in enumerate(rows)]))
    left = [row[6] - row[3] for i, row in enumerate(ROWS)
            if i not in (200, 201)]
    tables = made.tables(report("-t", "-", "d.csv").stdout)
    row = tables["Response Time"][0]
    assert (row["cycles"], row["max"]) == (str(len(left)), made.us(max(left)))
    row = tables[made.LABELS[0]][0]
    assert row["cycles"] == str(len(left) - 2)
    assert float(row["max"]) < 10 ** 5


def test_all_lost(refused):
    made.write(refused.directory, "d.csv", lose(ROWS, set(range(4000))))
    assert "d.csv: no cycles" in refused("d.csv")


@pytest.mark.parametrize("line", [
    "0,7,1,2,3,,,0", "0,7,1,2,,4,5,0", "0,7,1,,,,,0", "0,7,,2,,,,0",
    "0,,,,,,,0", "0,7,,,,,,",
    "0,7,1,2,,,,", ",7,1,2,,,,0", "0,7,1,2,,,,x", "0,7,1,2,-1,-1,-1,0"])
def test_other_gaps_are_no_cycles(refused, line):
    *lines, end = lose(ROWS[:20], {3, 4}).splitlines(keepends=True)
    made.write(refused.directory, "d.csv", "".join([*lines, line, "\n", end]))
    assert f"d.csv: line 22: '{line}' is no cycle" in refused("d.csv")


def test_line_behind_lost_cycles(refused):
    rows = list(ROWS[:20])
    rows[15] = (*rows[15][:3], 5, *rows[15][4:])
    made.write(refused.directory, "d.csv", lose(rows, {3, 4}))
    assert "d.csv: line 17: time runs backwards here" in refused("d.csv")


def test_json_of_pairs_tells(report):
    """In schema 2, each has its own."""
    data = made_columns.twoway([ROWS, ROWS], [made.PERIOD] * 2)
    for pair, lost in zip(data["twoway"]["pairs"], (3, 4)):
        pair["datagrams"] = {"lost": lost}
    made.write(report.directory, "x.json", data)
    assert "cycles lost on their way: 7" in report("-t", "-", "x.json").stdout


def test_json_tells(report):
    data = made.twoway(ROWS)
    data["twoway"]["pairs"][0]["datagrams"] = {"lost": 7}
    made.write(report.directory, "x.json", data)
    assert "cycles lost on their way: 7" in report("-t", "-", "x.json").stdout
    data["twoway"]["pairs"][0]["datagrams"] = None
    made.write(report.directory, "x.json", data)
    assert "lost on their way" not in report("-t", "-", "x.json").stdout
