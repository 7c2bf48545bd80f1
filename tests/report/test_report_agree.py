# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of one name: of one run, or refused, whatever their formats."""

import made
import pytest

ROWS = made.cycles(400)


def of_format(kind, rows):
    """Name, content, and the metrics that are in it."""
    found = made.values(rows)
    return {
        "json": ("x.json", made.twoway(rows)),
        "dump": ("x.csv", made.dump(rows)),
        "text": ("x.txt", made.text(found["total"], own=True)),
        "log": ("x.log", made.log([(0, rows)])),
    }[kind]


PAIRS = [("json", "dump"), ("json", "text"), ("json", "log"),
         ("dump", "log"), ("log", "text")]


def slower(rows):
    """As many cycles, of which one is longer, in send and response."""
    change = [list(row) for row in rows]
    change[200][4:7] = [time + 400_000 for time in change[200][4:7]]
    return change


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("kinds", PAIRS)
def test_one_run_is_accepted(report, kinds, order):
    names = [made.write(report.directory, *of_format(kind, ROWS))
             for kind in kinds]
    report("-t", "-", *names[::order])


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("kinds", PAIRS)
def test_stale_file_with_as_many_cycles(refused, kinds, order):
    """A dump of yesterday beside the JSON of today, and all the like."""
    names = [str(made.write(refused.directory, *of_format(kind, rows)))
             for kind, rows in zip(kinds, (ROWS, slower(ROWS)))]
    message = refused("-t", "-", *names[::order])
    assert all(name in message for name in names)
    assert "max" in message and " us" in message and "NAME=FILE" in message


@pytest.mark.parametrize("kinds", PAIRS)
def test_other_number_of_cycles(refused, kinds):
    names = [made.write(refused.directory, *of_format(kind, rows))
             for kind, rows in zip(kinds, (ROWS, ROWS[:300]))]
    message = refused("-t", "-", *names)
    assert "cycles" in message and "NAME=FILE" in message


def test_average_alone_differs(refused):
    """Of some cycles in the middle: minimum and maximum are the same."""
    rows = [list(row) for row in ROWS]
    typical = sorted(made.values(ROWS)["send"])[200]
    for row in rows[100:200]:
        if row[4] - row[3] == min(made.values(ROWS)["send"]) or \
                row[4] - row[3] == max(made.values(ROWS)["send"]):
            continue
        row[4] = row[3] + typical + 2000
    made.write(refused.directory, "x.json", made.twoway(ROWS))
    made.write(refused.directory, "x.csv", made.dump(rows))
    assert "send: avg" in refused("-t", "-", "x.csv", "x.json")


def test_gate_compares_them_too(refused):
    for name, rows in (("a", ROWS), ("b", slower(ROWS))):
        made.write(refused.directory, f"{name}.json", made.twoway(ROWS))
        made.write(refused.directory, f"{name}.csv", made.dump(rows))
    assert "b.csv: response: max" in refused(
        "-g", "a.json", "a.csv", "b.json", "b.csv")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", ["x.json", "x.csv", "x.log", "x.txt"])
def test_two_programs_are_two_runs(refused, name, order):
    own = dict(of_format(kind, ROWS)
               for kind in ("json", "dump", "text", "log"))
    made.write(refused.directory, name, own[name])
    made.write(refused.directory, "c.json",
               made.cyclictest(made.values(ROWS)["wakeup"]))
    message = refused("-t", "-", *[f"rt={name}", "rt=c.json"][::order])
    assert "cyclictest" in message and "twowaytest" in message
    assert "NAME=FILE" in message


def test_text_of_cyclictest_in_ns(refused, report):
    """Beside its JSON the unit is seen; alone it is assumed, and told."""
    found = [value // 1000 * 1000 for value in made.values(ROWS)["wakeup"]]
    text = made.text([value * 1000 for value in found])
    made.write(report.directory, "c.json", made.cyclictest(found))
    made.write(report.directory, "c.txt", text)
    assert "cyclictest -N is in ns" in refused("-t", "-", "c.json", "c.txt")
    remark = "does not tell its unit: us is assumed"
    assert remark in report("-t", "-", "c.txt").stdout
    assert remark not in report("-t", "-", "c.json").stdout


def test_unknown_settings_of_a_dump_are_no_contradiction(report):
    """Without JSON, total is computed with an assumed sleep."""
    rows = made.cycles(400, sleep=50_000)
    made.write(report.directory, "x.csv", made.dump(rows))
    made.write(report.directory, "x.txt", made.text(
        made.values(rows, sleep=50_000)["total"], own=True))
    report("-t", "-", "x.csv", "x.txt")
