# SPDX-License-Identifier: GPL-2.0-or-later
"""Every format: what is good is read right, what is bad is refused."""

import copy
import json
import re

import made
import pytest

ROWS = made.cycles(500)
FORMATS = made.every_format(ROWS)
NAMES = sorted(FORMATS)


def result(report, path, metric):
    label = made.LABELS[made.METRICS.index(metric)]
    return made.tables(report("-t", "-", path).stdout)[label][0]


def check(row, found, about=None, whole=False, cut=False):
    """A row of results against the values; cut: average in whole us."""
    decimals = 0 if whole else 1
    low, high = ([v // 1000 * 1000 for v in (min(found), max(found))]
                 if whole else (min(found), max(found)))
    assert row["cycles"] == str(len(found))
    assert row["min"] == made.us(low, decimals)
    assert row["max"] == made.us(high, decimals)
    assert row["avg"] == (str(int(made.mean(found)) // 1000) if cut else
                          made.us(made.mean(found)))
    assert row["std"] == made.us(made.deviation(found, about))


@pytest.mark.parametrize("metric", made.METRICS)
@pytest.mark.parametrize("name", ["dump.csv", "twoway.json"])
def test_own_results(report, name, metric):
    path = made.write(report.directory, name, FORMATS[name])
    found = made.values(ROWS)[metric]
    row = result(report, path, metric)
    check(row, found, made.target(metric), whole=name == "twoway.json")
    if name == "dump.csv":
        for percent in ("50", "90"):
            assert row[f"p{percent}"] == \
                made.us(made.percentile(found, percent))
        assert "p99" not in row     # only 5 of 500 lie beyond


@pytest.mark.parametrize("name", ["cyclictest.json", "hist.txt"])
def test_cyclictest(report, name):
    path = made.write(report.directory, name, FORMATS[name])
    found = [v // 1000 * 1000 for v in made.values(ROWS)["wakeup"]]
    row = result(report, path, "wakeup")
    check(row, found, whole=True)
    assert row["p90"] == made.us(made.percentile(found, "90"), 0)


def test_threads_of_cyclictest_count_together(report):
    found = made.values(ROWS)["wakeup"]
    path = made.write(report.directory, "two.json",
                      made.cyclictest(found, 2))
    found = [v // 1000 * 1000 for v in found] * 2
    check(result(report, path, "wakeup"), found, whole=True)
    assert "2 threads together" in report("-t", "-", path).stdout


def test_own_histogram_text(report):
    path = made.write(report.directory, "own.txt", FORMATS["own.txt"])
    check(result(report, path, "total"), made.values(ROWS)["total"],
          whole=True, cut=True)


@pytest.mark.parametrize("metric", made.METRICS[:6])
def test_log(report, metric):
    path = made.write(report.directory, "log.log", FORMATS["log.log"])
    check(result(report, path, metric), made.values(ROWS)[metric],
          made.target(metric))


def test_published(report):
    path = made.write(report.directory, "p.csv", made.PUBLISHED)
    rows = made.tables(report("-t", "-", path).stdout)["Send Time"]
    assert rows == [
        {"system": "one", "cycles": "-", "min": "1.5", "avg": "2.5",
         "max": "3.5", "std": "0.5"},
        {"system": "two", "cycles": "-", "min": "1.0", "avg": "2.0",
         "max": "9.0", "std": "0.2"}]


CPUS = """\
load,cpu,system,cycles,min,avg,max
none,0,one,70,1,2,3
none,1,one,80,4,5,6
none,1,two,90,2,3,4
more,1,one,60,1,2,9
"""


def test_published_of_each_cpu(report, refused):
    """Named where a set-up has several; cycles are no set-up."""
    path = made.write(report.directory, "p.csv", CPUS)
    found = made.tables(report("-t", "-", path).stdout)
    assert [(row["system"], row["cycles"], row["max"])
            for row in found["Wakeup Time (load none)"]] == [
                ("one CPU 0", "70", "3"), ("one CPU 1", "80", "6"),
                ("two CPU 1", "90", "4")]
    assert [(row["system"], row["cycles"], row["max"])
            for row in found["Wakeup Time (load more)"]] == [
                ("one", "60", "9")]
    for old, new, said in (
            (",80,", ",0,", "line 3: 0 cycles cannot be"),
            (",80,", ",x,", "line 3: 'x': numbers"),
            ("none,1,one", "none,0,one", "line 3: wakeup of system 'one CPU 0' "
             "is in line 2 already")):
        made.write(report.directory, "p.csv", CPUS.replace(old, new))
        assert f"p.csv: {said}" in refused("-t", "-", path)


def test_what_stands_twice_in_a_table_or_log(refused):
    path = made.write(refused.directory, "p.csv", "\n".join([
        "load,workers,system,min,avg,max", "x,1,A,1,2,3", "y,1,A,1,2,3",
        "x,2,A,1,2,3", "# remark", "x,1,A,1,2,4", ""]))
    assert "p.csv: line 6: total of system 'A' is in line 2 already" in \
        refused(path)
    log = made.log([(0, ROWS), (1, ROWS), (1, ROWS)])
    line = log.split("\n").index("Workers,1", log.split("\n").index(
        "Workers,1") + 1) + 1
    path = made.write(refused.directory, "l.log", log)
    assert f"l.log: line {line}: a step with 1 workers is above already" in \
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


@pytest.mark.parametrize("name", ["log.log", "hist.txt", "own.txt"])
def test_cut_off_after_a_line(refused, name):
    lines = FORMATS[name].rstrip("\n").split("\n")
    last = next(i for i, line in enumerate(lines)
                if line.startswith(("# Max", "Maximum")))
    path = made.write(refused.directory, name,
                      "\n".join(lines[:last]) + "\n")
    assert "cut off" in refused("-t", "-", path)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\0" * 100,
                                     b"\xff\xfe{}", b"hello\n", b"[]",
                                     b"{}", b"[1]", b"{\"thread\": {}}",
                                     b"7", b"nonsense,csv\n1,2\n"])
def test_no_results_at_all(refused, content):
    path = made.write(refused.directory, "bad", content)
    assert str(path) in refused("-t", "-", path)


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
    DUMP_LINE.replace(",1000", ",9999991000"), "# comment", made.HEADER,
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
    (("thread", "0", "histogram"), {"1": -4}, "thread.0.histogram.1"),
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
    (("twoway", "worst"), {"total": {}}, "twoway.worst.total"),
    (("twoway", "environment", "virtual"), "so", "environment.virtual"),
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


def test_step_without_a_cycle(report):
    """The last of a ramp, that was ended in its warm-up, is left out."""
    data = made.twoway(ROWS, [(0, ROWS[:250]), (1, ROWS[250:])])
    path = made.write(report.directory, "t.json", data)
    whole = report("-t", "-", path).stdout
    data["twoway"]["steps"].append(data["twoway"]["steps"][-1] | {
        "phases": {metric: {"cycles": 0} for metric in made.METRICS}})
    path = made.write(report.directory, "t.json", data)
    assert report("-t", "-", path).stdout == whole


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
    ("own.txt", "# Metrics: total", "# Metrics: totals", None),
    ("own.txt", "# Metrics: total", "# Metrics: total send", None),
    ("log.log", "Minimum,", "Least,", 4),
    ("log.log", "Count,500", "Count,501", ...),
    ("log.log", "Send Time (Micro Sec)", "Some Time (Micro Sec)", ...),
    ("log.log", "Workers,0", "Workers,zero", ...),
    ("log.log", "Minimum,", "Minimum,nan", 4),
    ("log.log", "Minimum,", "Minimum,1e300", 4),
    ("log.log", "Lower Bound,Count\n", "Lower Bound,Count\n" + "9" * 30
     + ",0\n", 10),
    ("log.log", "Lower Bound,Count", "Bound,Count", 9),
    ("published.csv", "send,one", "sent,one", 3),
    ("published.csv", "1.5,2.5", "1.5", 3),
    ("published.csv", "1.5,2.5", "1.5,x", 3),
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


def test_histogram_that_overflowed(report):
    """Nothing is made up of what the histogram does not tell."""
    found = made.values(ROWS)["total"]
    thread = made.json_thread("total", found, width=60)
    assert thread["overflows"] > 20
    data = change(TWOWAY, ("thread",), {"0": thread})
    path = made.write(report.directory, "t.json", data)
    row = result(report, path, "total")
    assert row["p50"] == made.us(made.percentile(found, "50"))
    assert row.get("p90", "-") == "-"


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


def test_cyclictest_counts_in_ns(report, refused):
    """With -N its histogram is in ns, too; percentiles lie in the range."""
    found = made.values(made.cycles(600))["wakeup"]
    data = made.cyclictest(found)
    one = {"histogram": {str(v): found.count(v) for v in sorted(set(found))},
           "cycles": len(found), "min": min(found), "max": max(found),
           "avg": float(made.mean(found)), "cpu": 0, "node": 0}
    data |= {"resolution_in_ns": 1, "thread": {"0": one}}
    path = made.write(report.directory, "n.json", data)
    text = report("-t", "-", path).stdout
    row = made.tables(text)["Wakeup Time"][0]
    for key, value in (("min", min(found)), ("max", max(found)),
                       ("p50", made.percentile(found, "50")),
                       ("p90", made.percentile(found, "90"))):
        assert row[key] == made.us(value)
    assert "bins" not in text
    data["resolution_in_ns"] = 0        # what it does not say of itself
    one["min"], one["max"] = min(found) // 1000, max(found) // 1000
    one["avg"] /= 1000
    made.write(report.directory, "n.json", data)
    assert "member thread.0.histogram: rows from" in refused(path)


def in_ns(text, found):
    """As -N prints it: rows stay in us, all below them is in ns."""
    lists = {"Min": min(found), "Avg": int(made.mean(found)),
             "Max": max(found)}
    lines = [next((f"# {key} Latencies: {value}" for key, value in
                   lists.items() if line.startswith(f"# {key} Lat")), line)
             for line in text.splitlines()]
    return "\n".join(f"# Std Deviations: {made.deviation(found):.1f}"
                     if line.startswith("# Std") else line
                     for line in lines) + "\n"


def test_text_of_ns(report):
    """twowaytest -N: lists in ns beside rows in us are told by these."""
    found = made.values(made.cycles(600))["total"]
    plain = made.text(found, own=True)
    rows = []
    for content in (plain, in_ns(plain, found)):
        path = made.write(report.directory, "t.txt", content)
        rows.append(made.tables(report("-t", "-", path).stdout)[
            "Total Jitter"][0])
    us, ns = rows
    assert us["p50"] == ns["p50"] and us["p90"] == ns["p90"]
    for key, value in (("min", min(found)), ("max", max(found)),
                       ("avg", int(made.mean(found)))):
        assert us[key] == str(value // 1000) and ns[key] == made.us(value)
    assert us["std"] == ns["std"] == made.us(made.deviation(found))


@pytest.mark.parametrize("line", ["# Missed: 1", "# Worst latency: 3: cycle 0",
                                  "# Others used 7.0 % of CPU 0: sh-9 7.0 %"])
def test_text_of_ns_without_metrics(report, line):
    """A column is then a pair's latency; such a line tells it is ours."""
    found = made.values(made.cycles(600))["total"]
    text = in_ns(made.text(found), found) + line + "\n"
    path = made.write(report.directory, "t.txt", text)
    row, = made.tables(report("-t", "-", path).stdout)["Latency"]
    assert row["max"] == made.us(max(found))


@pytest.mark.parametrize("own", [True, False])
def test_rows_beyond_the_maximum(refused, own):
    text = made.text(made.values(made.cycles(600))["total"], own=own)
    path = made.write(refused.directory, "t.txt", re.sub(
        "# Max Latencies: .*", "# Max Latencies: 00001", text))
    assert "the rows do not lie between" in refused(path)
