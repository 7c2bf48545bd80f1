# SPDX-License-Identifier: GPL-2.0-or-later
"""The end of a dump and of a timeline: without it, or with less than what it
tells, a run does not pass as a good one. Limits."""

import xml.etree.ElementTree as xml

import made
import pytest
from test_report_cut import (AMISS, COMPLETE, GATE, GOOD, ROWS, cut, json_of,
                             unanswered)
from test_report_tail import timeline

CHUNK = 1 << 20     # bytes that are read of a dump at once
MADE = {"dump": made.dump, "timeline": timeline}
NONE = "the {} has no line '# End:': the run was cut off, or a twowaytest " \
    "before 0.10 has written it"
SIGNAL = "# Ended by a signal: this is what was measured until then\n"


def lines_of(kind, rows=ROWS):
    return MADE[kind](rows).splitlines(keepends=True)


def judged(report, *names):
    """The last line of the gate, and what others read of the last file."""
    gate = report(*GATE[:1], "-m", "response", "-d", "100", *names, status=3)
    report("--openmetrics", "metrics", "-j", "junit", names[-1])
    suite, = xml.parse(report.directory / "junit").getroot()
    return gate.stdout.splitlines()[-1], [
        case.find("error").get("message") for case in suite.iter("testcase")]


def assert_bad(report, kind, content, *texts):
    """Each of these is said wherever it must be; a baseline has it, too."""
    for name in "abc":
        made.write(report.directory, f"{name}.csv", MADE[kind](ROWS))
    made.write(report.directory, "x.csv", content)
    said = ", ".join(f"x ({text})" for text in texts)
    gate, errors = judged(report, "a.csv", "b.csv", "c.csv", "x.csv")
    assert gate == f"undecided: {said}"
    # Each has the same name.
    assert errors == list(texts)
    assert COMPLETE % ("x", 0) in (report.directory / "metrics").read_text()
    page = report("-t", "-", "x.csv").stdout
    assert f"Disturbed: {', '.join(texts)}" in page
    found = [row["remark"] for row in made.tables(page)["Remarks"]]
    assert all(found.count(text) == 1 for text in texts)
    out = report(*GATE[:1], "-m", "response", "-d", "100", "a.csv", "x.csv",
                 "b.csv", "c.csv", status=3).stdout.splitlines()[-1]
    assert out == f"undecided: {said}"


@pytest.mark.parametrize("kind", MADE)
def test_good(report, kind):
    made.write(report.directory, "a.csv", MADE[kind](ROWS))
    out = report(*GATE[:1], "-m", "response", "-d", "100", *(
        f"{name}=a.csv" for name in "wxyz")).stdout
    assert out.splitlines()[-1].startswith(GOOD)
    report("--openmetrics", "metrics", "a.csv")
    assert COMPLETE % ("a", 1) in (report.directory / "metrics").read_text()
    assert "End" not in report("-t", "-", "a.csv").stdout


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("more", ["", "# End: 6000\n", "# end: 9 rows\n",
                                  "# End: 1 rows\n# more\n"])
def test_without_an_end(report, kind, more):
    """Killed, by chance at the end of a line; or of an older version."""
    assert_bad(report, kind, "".join(lines_of(kind)[:-1]) + more,
               NONE.format(kind))


@pytest.mark.parametrize("kind", MADE)
def test_signal_and_no_end(report, kind):
    assert_bad(report, kind, "".join(lines_of(kind)[:-1]) + SIGNAL,
               "ended by a signal", NONE.format(kind))


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("gone", [slice(-2, -1), slice(90, 93)])
def test_rows_that_are_gone(report, kind, gone):
    lines = lines_of(kind)
    count = len(lines) - 2
    del lines[gone]
    assert_bad(report, kind, "".join(lines), f"the {kind} has "
               f"{len(lines) - 2} rows, but had {count} at the end of the run")


# All at once, but one that says more than another does.
TOGETHER = [[line for line in AMISS if "Breaks" not in line],
            [line for line in AMISS if "Breaks" in line]]


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("amiss", TOGETHER, ids=["all", "breaks"])
def test_what_is_amiss(report, kind, amiss):
    *lines, end = lines_of(kind)
    assert_bad(report, kind, "".join(
        [*lines, *(f"# {line}\n" for line in amiss), end]),
        *(AMISS[line] for line in amiss))


@pytest.mark.parametrize("kind,line,text", [
    ("dump", "Not dumped: 7 cycles", "cycles not dumped: 7"),
    ("timeline", "Not in the timeline: 7 cycles",
     "cycles not in the timeline: 7")])
def test_cycles_that_it_lacks(report, kind, line, text):
    *lines, end = lines_of(kind)
    assert_bad(report, kind, "".join([*lines, f"# {line}\n", end]), text)


def test_unanswered(report):
    """The row and the line of such a cycle are said once."""
    line = next(line for line in AMISS if line.startswith("Unanswered"))
    *lines, end = made.dump([*ROWS, cut(ROWS, 10 ** 6)]).splitlines(True)
    assert_bad(report, "dump", "".join([*lines, f"# {line}\n", end]),
               AMISS[line])


def long_dump(ends):
    """The rows end so many bytes from where a piece of the file does."""
    rows = made.cycles(14000)
    lines = made.dump(rows).splitlines(keepends=True)
    size, count = 0, 0
    while size < CHUNK + ends:
        size += len(lines[1 + count])
        count += 1
    *lines, end = lines_of("dump", rows[:count])
    return "".join([*lines, SIGNAL, end]), count


ENDS = [-100, -60, -30, 0, 1, 30]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("more", ["9\n", "#"])
def test_line_below_a_long_dump(refused, ends, more):
    text, count = long_dump(ends)
    made.write(refused.directory, "x.csv", text + more)
    assert f"x.csv: line {count + 4}: " + (
        "'9' is no comment" if more == "9\n" else "the file is cut off") in \
        refused("x.csv")


@pytest.mark.parametrize("ends", ENDS)
def test_end_of_a_long_dump(report, ends):
    text, count = long_dump(ends)
    made.write(report.directory, "x.csv", text)
    found = made.tables(report("-t", "-", "x.csv").stdout)
    assert [row["remark"] for row in found["Remarks"] if "assumed" not in
            row["remark"] and "missed" not in row["remark"]] == [
        "ended by a signal"]
    assert found[made.LABEL["response"]][0]["cycles"] == f"{count}"


@pytest.mark.parametrize("kind,number", [("dump", 52), ("timeline", 52)])
@pytest.mark.parametrize("line", ["# comment\n", "# End: 49 rows\n"])
def test_row_below_the_end(refused, kind, number, line):
    lines = lines_of(kind)
    lines.insert(50, line)
    made.write(refused.directory, "x.csv", "".join(lines))
    assert refused("x.csv") == f"twowayreport: x.csv: line {number}: " \
        f"'{lines[51][:60].rstrip()}' is no comment; nothing else is " \
        "expected below the rows\n"


@pytest.mark.parametrize("kind", MADE)
def test_end_that_is_cut_off(refused, kind):
    made.write(refused.directory, "x.csv", MADE[kind](ROWS)[:-1])
    count = len(lines_of(kind))
    assert refused("x.csv") == f"twowayreport: x.csv: line {count}: the file " \
        "is cut off: no line end\n"


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("interrupted", [False, True])
def test_beside_the_json(report, kind, interrupted):
    """It has counted the cycles, so an old file is known to be whole; what the
    JSON tells of the end is said once."""
    found = json_of(ROWS, interrupted=interrupted)
    found["twoway"]["settings"]["duration"] = 6
    made.write(report.directory, "x.json", found)
    for more in [], [SIGNAL] * interrupted:
        made.write(report.directory, "x.csv", "".join(
            lines_of(kind)[:-1] + more))
        page = report("-t", "-", "x.json", "x.csv").stdout
        remarks = [row["remark"] for row in made.tables(page).get(
            "Remarks", []) if "by a signal" in row["remark"] or
            "End" in row["remark"]]
        assert remarks == ["ended by a signal"] * interrupted
        assert ("Disturbed: ended by a signal before its -D 6" in page) == \
            interrupted


def beside(report, kind, line, **members):
    """The last line of the gate on a run whose file has these at its end,
    and what is said of the run."""
    *lines, end = lines_of(kind)
    made.write(report.directory, "x.csv", "".join([*lines, line, end]))
    made.write(report.directory, "x.json", json_of(ROWS, **members))
    made.write(report.directory, "a.json", json_of(ROWS))
    page = made.tables(report("-t", "-", "x.json", "x.csv").stdout)
    report("-j", "junit", "--openmetrics", "metrics", *GATE[:1], "-m",
           "response", "-d", "100", *(f"{name}=a.json" for name in "abc"),
           "x.json", "x.csv", status=0 if members else 3)
    suite, = xml.parse(report.directory / "junit").getroot()
    return ([case.get("name") for case in suite.iter("testcase")
             if len(case)],
            [row["remark"] for row in page.get("Remarks", [])],
            COMPLETE % ("x", 1) in (report.directory / "metrics").read_text())


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("amiss", TOGETHER, ids=["all", "breaks"])
def test_no_json_overrules_a_line(report, kind, amiss):
    """What a file says of its run holds, although the JSON says nothing."""
    undecided, remarks, complete = beside(report, kind, "".join(
        f"# {line}\n" for line in amiss))
    assert undecided == [f"x ({AMISS[line]})" for line in amiss]
    assert all(remarks.count(AMISS[line]) == 1 for line in amiss)
    assert not complete


@pytest.mark.parametrize("kind", MADE)
def test_a_signal_that_the_json_tells(report, kind):
    """A run without -l and -D ends so, and is a good one."""
    assert beside(report, kind, SIGNAL, interrupted=True) == (
        [], ["ended by a signal"], True)


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("line", list(AMISS)[:2])
def test_unanswered_is_said_as_by_the_json(report, kind, line):
    *lines, end = lines_of(kind)
    made.write(report.directory, "x.csv", "".join([*lines, f"# {line}\n", end]))
    made.write(report.directory, "x.json", json_of(ROWS, unanswered=[
        unanswered()]))
    page = made.tables(report("-t", "-", "x.json", "x.csv").stdout)
    assert [row["remark"] for row in page["Remarks"]] == [
        "pair 0 had waited 3800123 us for a reply when the run ended"]


@pytest.mark.parametrize("kind,line", [
    ("dump", "Not dumped: 7 cycles"),
    ("timeline", "Not in the timeline: 7 cycles")])
def test_cycles_that_the_json_has(report, kind, line):
    """What the file lacks is no fault of the run."""
    assert beside(report, kind, f"# {line}\n", not_dumped=0) == (
        [], [], True)


# What such a line says of a limit, and what the JSON of the same run has.
LIMITS = [
    ("100: met: 90.000 us in cycle 7", ("100", "latency", 90_000)),
    ("100: exceeded: 187.530 us in cycle 2", ("100", "latency", 187_530)),
    ("avg:100: exceeded: 187.530 us", ("avg:100", "latency", 187_530)),
    ("p99.9:100: exceeded: at least 187.530 us (no reply in 1 cycle)",
     ("p99.9:100", "latency", 187_530)),
    ("send:p50:100: met: 3.000 us", ("send:p50:100", "send", 3000)),
    ("send:100.5: exceeded: pair 2: 187.530 us in step 2, cycle 7",
     ("send:100.5", "send", 187_530)),
    ("missed:1: exceeded: 12", ("missed:1", "missed", 12)),
    ("lost:1: met: pair 0: 0", ("lost:1", "lost", 0)),
    ("lost:1: undecided: 0 to 2", ("lost:1", "lost", None)),
    ("rate:5/h:300: met: pair 2: 0 episodes in 60 min, at most 3.0 an hour "
     "while it stays as in this run", ("rate:5/h:300", "rate", 3.0)),
    ("rate:.5/h:300: exceeded: 3 episodes in 60 min, at least 0.82 an hour",
     ("rate:.5/h:300", "rate", 0.82)),
    ("rate:5/h:300: undecided: 3 episodes in 60 min; long cycles come together",
     ("rate:5/h:300", "rate", None)),
    ("p99:100: undecided: 20 cycles, needed are 1000",
     ("p99:100", "latency", None)),
    ("total:100: undecided: the run was cut short; so far pair 1: 5.000 us",
     ("total:100", "total", None))]


def limit_of(text, metric, value, line):
    """A member of the JSON."""
    most = float(text.split(":")[1][:-2] if metric == "rate" else
                 text.rpartition(":")[2])
    unit = "" if metric in ("missed", "lost", "rate") else "_ns"
    return {"limit": text, "metric": metric, "percentile": None,
            f"most{unit}": most * (1000 if unit else 1),
            f"value{unit}": value, "pair": 0,
            "verdict": line.split(": ")[1]}


@pytest.mark.parametrize("line,member", LIMITS)
@pytest.mark.parametrize("form", MADE)
def test_limits(report, form, line, member):
    """They are judged as the JSON."""
    rows = ROWS[:300]
    *lines, end = lines_of(form, rows)
    made.write(report.directory, "x.txt", "".join(
        [*lines, f"# Limit {line}\n", end]))
    made.write(report.directory, "x.json", json_of(
        rows, return_code=2, limits=[limit_of(*member, line)]))
    found = []
    for name in "x.json", "x.txt":
        report("--openmetrics", "metrics", "-j", "junit", name)
        suite, = xml.parse(report.directory / "junit").getroot()
        case, = suite.iter("testcase")
        found.append((
            [text for text in (report.directory / "metrics").read_text()
             .splitlines() if text.startswith("twowaytest_limit_met")],
            suite.get("failures"), suite.get("errors"), case.get("name"),
            [one.get("message").replace(" of pair 2", "").replace(
                " of pair 1", "") for one in case if one.get("message")]))
    assert found[0] == found[1]
    assert found[0][1:3] == {"met": ("0", "0"), "exceeded": ("1", "0"),
                             "undecided": ("0", "1")}[line.split(": ")[1]]
