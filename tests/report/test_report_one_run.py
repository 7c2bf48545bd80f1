# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of one name: of one run, or refused."""

import made
import pytest
from test_report_tail import timeline

ROWS = made.cycles(400)
WAKEUPS = [value // 1000 * 1000 for value in made.values(ROWS)["wakeup"]]
FILES = {"dump": ("x.csv", made.dump), "timeline": ("x.line", timeline)}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("kind", FILES)
def test_other_number_of_cycles(report, refused, kind, order):
    """A file of another run beside the JSON."""
    name, make = FILES[kind]
    names = ["x.json", name][::order]
    made.write(report.directory, "x.json", made.twoway(ROWS))
    made.write(report.directory, name, make(ROWS))
    report("-t", "-", *names)
    made.write(report.directory, name, make(ROWS[:300]))
    for args in (["-t", "-", *names], ["-g", "a=x.json", *names]):
        assert refused(*args).endswith(
            "300 cycles, but 400 in x.json: these are not one run; name them "
            "apart: NAME=FILE\n" if kind == "timeline" else
            "x.csv: 300 cycles, but x.json has 400: these are not one run; "
            "name them apart: NAME=FILE\n")


def test_timeline_that_lacks_cycles(report):
    """And says so: the JSON has them."""
    *lines, end = timeline(ROWS[:300]).splitlines(keepends=True)
    made.write(report.directory, "x.line", "".join(
        [*lines, "# Not in the timeline: 100 cycles\n", end]))
    made.write(report.directory, "x.json", made.twoway(ROWS))
    found = made.tables(report("-t", "-", "x.json", "x.line").stdout)
    assert found["Response Time"][0]["cycles"] == "400"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("content", [made.twoway(ROWS), made.dump(ROWS)],
                         ids=["json", "dump"])
def test_two_programs_are_two_runs(refused, content, order):
    made.write(refused.directory, "x", content)
    made.write(refused.directory, "c", made.cyclictest(WAKEUPS))
    said = {"x": "twowaytest", "c": "cyclictest"}
    first, second = ["x", "c"][::order]
    assert refused("-t", "-", f"rt={first}", f"rt={second}") == \
        f"twowayreport: {second}: rt has results of {said[second]} here, " \
        f"and of {said[first]} in {first}: these are not one run; name them " \
        "apart: NAME=FILE\n"


def test_text_of_cyclictest_beside_its_json(refused, report):
    """Of -N it is in ns: the JSON shows that; alone, us is assumed, and told."""
    made.write(report.directory, "c.json", made.cyclictest(WAKEUPS))
    made.write(report.directory, "c.txt", made.text(WAKEUPS))
    both = made.tables(report("-t", "-", "c.json", "c.txt").stdout)
    alone = made.tables(report("-t", "-", "c.json").stdout)
    assert both["Wakeup Time"] == alone["Wakeup Time"]
    for found, said in (
            (WAKEUPS[:-1], "c.txt: wakeup: 398 cycles, but 399 in c.json"),
            ([value * 1000 for value in WAKEUPS], "c.txt: wakeup: its maximum "
             "is not that in c.json; the text of cyclictest -N is in ns")):
        made.write(report.directory, "c.txt", made.text(found))
        assert said in refused("-t", "-", "c.json", "c.txt")
    remark = "does not tell its unit: us is assumed"
    assert remark in report("-t", "-", "c.txt").stdout
    assert remark not in report("-t", "-", "c.json").stdout
