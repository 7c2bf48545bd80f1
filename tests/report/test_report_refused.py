# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are malformed or cut off: refused, with their line or member."""

import copy
import json
import re

import made
import pytest

from test_report_formats import FORMATS, NAMES, ROWS


def test_what_stands_twice_in_a_table(refused):
    path = made.write(refused.directory, "p.csv", "\n".join([
        "load,workers,system,min,avg,max", "x,1,A,1,2,3", "y,1,A,1,2,3",
        "x,2,A,1,2,3", "# remark", "x,1,A,1,2,4", ""]))
    assert "p.csv: line 6: total of system 'A' is in line 2 already" in \
        refused(path)


@pytest.mark.parametrize("name", NAMES)
def test_cut_off(refused, name):
    """Wherever a file ends too early, it is named, and no half report made.

    Where a text ends with a line, it may be whole: a shorter dump is one.
    """
    whole = FORMATS[name]
    if not isinstance(whole, str):
        whole = json.dumps(whole, indent=1)
    for part in range(1, 6):
        end = len(whole) * part // 6
        if whole[end - 1] == "\n":
            end -= 1
        path = made.write(refused.directory, name, whole[:end])
        message = refused("-t", "out.md", "-o", "out.html", path)
        assert str(path) in message
        assert "line " in message


def test_cut_off_after_a_line(refused):
    lines = FORMATS["hist.txt"].rstrip("\n").split("\n")
    last = next(i for i, line in enumerate(lines)
                if line.startswith("# Max"))
    path = made.write(refused.directory, "hist.txt",
                      "\n".join(lines[:last]) + "\n")
    assert "cut off" in refused("-t", "-", path)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\0" * 100,
                                     b"\xff\xfe{}", b"hello\n", b"[]",
                                     b"{}", b"[1]", b"{\"thread\": {}}",
                                     b"7", b"nonsense,csv\n1,2\n"])
def test_no_results_at_all(refused, content):
    path = made.write(refused.directory, "bad", content)
    assert str(path) in refused("-t", "-", path)


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_file_of_a_run_that_did_not_end(refused, content):
    path = made.write(refused.directory, "x.json", content)
    assert refused("-t", "-", path) == \
        f"twowayreport: {path}: empty: the run did not end\n"


LONG = "9" * 5000       # Python refuses to read it as a number
STATUS = "T: 0 ( 123) P: 0 I:1000 C:{count} Min: 1 Act: 1 Avg: 1 Max: 1"


@pytest.mark.parametrize("line", [
    STATUS.format(count=LONG),
    STATUS.format(count=9).replace("T: 0", f"T:{LONG}")], ids=range(2))
def test_numbers_that_are_too_long(refused, line):
    path = made.write(refused.directory, "t.txt", "\n".join(
        [line, STATUS.format(count=9), ""]))
    assert re.search(r"t\.txt: line 1: '(0 )?9{58,60}': numbers below "
                     r"1e\+14 are expected$", refused("-t", "-", path), re.M)


def test_missing_file(refused):
    assert "none.json: No such file" in refused("-t", "-", "none.json")
    (refused.directory / "folder").mkdir()
    assert "folder: Is a directory" in refused("-t", "-", "folder")


DUMP_LINE = made.dump(ROWS).split("\n")[50]


@pytest.mark.parametrize("line", [
    "", "1,2,3", DUMP_LINE + ",0", DUMP_LINE.rpartition(",")[0],
    DUMP_LINE.replace(",", ";"), DUMP_LINE.replace("1", "x"),
    DUMP_LINE.replace(",0", ",0.5"), DUMP_LINE.replace(",0", ", 0"),
    DUMP_LINE.replace(",0", ",-1"), "-" + DUMP_LINE, DUMP_LINE + "\r",
    DUMP_LINE.replace(",1000", ",9999991000"), made.HEADER,
    DUMP_LINE.replace(",", ",,", 1), "\0"])
def test_malformed_dump(refused, line):
    lines = made.dump(ROWS).split("\n")
    lines[50] = line
    path = made.write(refused.directory, "d.csv", "\n".join(lines))
    assert f"{path}: line 51: " in refused("-t", "-", path)


def test_misplaced_line_ends_in_a_dump(refused):
    """A field too many in one line, one too few in the next."""
    lines = made.dump(ROWS).split("\n")
    head, _, tail = lines[51].partition(",")
    lines[50:52] = [lines[50] + "," + head, tail]
    path = made.write(refused.directory, "d.csv", "\n".join(lines))
    assert f"{path}: line 51: " in refused("-t", "-", path)


@pytest.mark.parametrize("number, value", [(3, 1), (6, 5)])
def test_time_that_runs_backwards(refused, number, value):
    rows = [list(row) for row in ROWS]
    rows[70][number] = value
    path = made.write(refused.directory, "d.csv", made.dump(rows))
    assert f"{path}: line 72: time runs backwards" in \
        refused("-t", "-", path)


def test_wrong_header_of_a_dump(refused):
    text = made.dump(ROWS).replace("planned_ns", "planned")
    path = made.write(refused.directory, "d.csv", text)
    assert f"{path}: line 1: " in refused("-t", "-", path)
    path = made.write(refused.directory, "d.csv", made.HEADER + "\n")
    assert "no cycles" in refused("-t", "-", path)


def change(data, path, value):
    data = copy.deepcopy(data)
    *outer, last = path
    inner = data
    for key in outer:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return data


TWOWAY = FORMATS["twoway.json"]
JSON_FAULTS = [
    (("thread", "0", "min"), "low", "thread.0.min"),
    (("thread", "0", "min"), ..., "thread.0.min"),
    (("thread", "0", "min"), True, "thread.0.min"),
    (("thread", "0", "min"), 10**30, "thread.0.min"),
    (("thread", "0", "min"), None, "thread.0.min: null is no number"),
    (("thread", "0", "max"), None, "thread.0.max: null is no number"),
    (("thread", "0", "min"), 10**6, "thread.0.avg"),
    (("thread", "0", "avg"), float("nan"), "NaN"),
    (("thread", "0", "max"), float("inf"), "Infinity"),
    (("thread", "0", "cycles"), -1, "thread.0"),
    (("thread", "0", "cycles"), 7, "thread.0.histogram"),
    (("thread", "0", "histogram"), {"x": 1}, "thread.0.histogram.x"),
    *((("thread", "0", "histogram"), {key: 1}, "no whole number")
      for key in ("\u00b2", "\u0663", "-1", "1.5", "", "9" * 16)),
    (("thread", "0", "histogram"), {"1": -4}, "thread.0.histogram.1"),
    (("thread", "0", "histogram"), {"1": 2**53}, "thread.0.histogram.1"),
    (("thread", "0", "histogram"), [], "thread.0.histogram"),
    (("thread", "0", "stddev"), [], "thread.0.stddev"),
    (("thread", "0", "percentiles"), {"x": 1}, "thread.0.percentiles.x"),
    (("thread", "0", "metric"), "nothing", "thread.0.metric"),
    (("thread", "0"), 5, "thread.0"),
    (("thread", "1"), ..., "thread.1"),
    (("thread",), {}, "--check"),
    (("thread",), [], "thread"),
    (("twoway",), 5, "twoway"),
    (("twoway", "settings"), 5, "twoway.settings"),
    (("twoway", "steps"), [5], "twoway.steps[0]"),
    (("twoway", "steps"), [{"units": 1, "phases": {"new": {}}}],
     "twoway.steps[0].phases.new: no metric; there are "),
    (("twoway", "worst"), {"total": {}}, "twoway.worst.total"),
    (("twoway", "system", "virtual"), "so", "system.virtual"),
    (("lab",), "exact", "lab"),
    (("lab",), {"mode": 1}, "lab.mode"),
    (("sysinfo",), 5, "sysinfo"),
    (("resolution_in_ns",), "1", "resolution_in_ns"),
]


@pytest.mark.parametrize("path, value, named", JSON_FAULTS)
def test_malformed_json(refused, path, value, named):
    file = made.write(refused.directory, "t.json",
                      change(TWOWAY, path, value))
    message = refused("-t", "-", file)
    assert str(file) in message and named in message


def without_cycles(data):
    """As a run is that did not measure one: its figures are null."""
    data = copy.deepcopy(data)
    for thread in data["thread"].values():
        thread |= dict.fromkeys(("min", "avg", "max", "stddev"), None)
        thread["cycles"] = 0
        thread.pop("histogram", None)
        thread.pop("overflows", None)
    return data


def test_run_without_a_cycle(refused):
    path = made.write(refused.directory, "t.json", without_cycles(TWOWAY))
    assert f"{path}: member thread: no cycles" in \
        refused("-t", "-", path)


def test_syntax_of_json(refused):
    text = json.dumps(TWOWAY, indent=1).replace('"cycles":', '"cycles"', 1)
    path = made.write(refused.directory, "t.json", text)
    line = text[:text.index('"cycles" ')].count("\n") + 1
    assert f"{path}: line {line}: not JSON" in refused("-t", "-", path)
    path = made.write(refused.directory, "t.json", "[" * 100000)
    assert "not JSON" in refused("-t", "-", path)


@pytest.mark.parametrize("name, old, new, line", [
    ("hist.txt", "# Total: 000000499", "# Total: 000000498", None),
    ("hist.txt", "# Min Latencies: 0", "# Min Latencies: x", ...),
    ("hist.txt", " 000001\n", " 000001\t000002\n", ...),
    ("hist.txt", " 000001\n", " 1\n", ...),
    ("hist.txt", "# Histogram Overflows: 00000\n", "", ...),
    ("published.csv", "send,one", "sent,one", 3),
    ("published.csv", "1.5,2.5", "1.5", 3),
    ("published.csv", "1.5,2.5", "1.5,x", 3),
    ("published.csv", "1.5,2.5", "1.5,1e300", 3),
    ("published.csv", "1.5,2.5", "2.5,1.5", 3),
    ("published.csv", "two,1,2,9,0.25", "one,1,2,9,0.25", 4),
])
def test_malformed_text(refused, name, old, new, line):
    whole = FORMATS[name]
    assert old in whole
    path = made.write(refused.directory, name, whole.replace(old, new, 1))
    message = refused("-t", "-", path)
    assert str(path) in message
    if line is not None:
        assert f"{path}: line {'' if line is ... else line}" in message


def test_skipping_bad_files(report):
    made.write(report.directory, "good.csv", FORMATS["dump.csv"])
    made.write(report.directory, "bad.csv", "nonsense\n")
    done = report("-k", "-t", "-", "good.csv", "bad.csv")
    assert "left out: bad.csv: line 1: " in done.stderr
    files = made.tables(done.stdout)["Files"]
    assert [row["system"] for row in files] == ["good", "left out"]
    assert "bad.csv: line 1: " in files[1]["file"]
    assert "no file can be used" in \
        report("-k", "-t", "-", "bad.csv", status=1).stderr


def test_rows_beyond_the_maximum(refused):
    text = made.text(made.values(made.cycles(600))["wakeup"])
    path = made.write(refused.directory, "t.txt", re.sub(
        "# Max Latencies: .*", "# Max Latencies: 00001", text))
    assert "the rows do not lie between" in refused(path)


OWN = "is not read: measure with --json=FILE and give that file"


@pytest.mark.parametrize("lines, number, said", [
    ([STATUS.format(count=9), "#                min      avg      max      "
      "std"], 2, f"a text of twowaytest or primitivetest, which {OWN}"),
    ([STATUS.format(count=9) + " Std:     1.9 send"], 1,
     f"a text of twowaytest or primitivetest, which {OWN}"),
    (["# Histogram", "000005 000001", "# Metrics: latency"], 3,
     f"a text of twowaytest or primitivetest, which {OWN}"),
    (["# virtual", "Workers,0", ""], 2, "a TRLTP log, which is not read: give "
     "the file of --json of the same run; figures of another program can be a "
     "table with the columns system,min,avg,max")],
    ids=["phases", "metric", "histogram", "log"])
def test_what_is_for_people(refused, lines, number, said):
    made.write(refused.directory, "x.txt", "\n".join([*lines, ""]))
    assert refused("x.txt") == f"twowayreport: x.txt: line {number}: {said}\n"
