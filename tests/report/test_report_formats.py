# SPDX-License-Identifier: GPL-2.0-or-later
"""Every format: what is good is read right."""

import copy
import re

import made
import pytest

ROWS = made.cycles(500)
FORMATS = made.every_format(ROWS)
NAMES = sorted(FORMATS)


def result(report, path, metric):
    label = made.LABELS[made.METRICS.index(metric)]
    return made.tables(report("-t", "-", path).stdout)[label][0]


def check(row, found, about=None, whole=False, std=True):
    """A row of results against the values; about: what was asked for."""
    decimals = 0 if whole else 1
    low, high = ([v // 1000 * 1000 for v in (min(found), max(found))]
                 if whole else (min(found), max(found)))
    assert row["cycles"] == str(len(found))
    assert row["min"] == made.us(low, decimals)
    assert row["max"] == made.us(high, decimals)
    assert row["avg"] == made.us(made.mean(found))
    assert row["std"] == (made.us(made.deviation(found)) if std else "-")
    assert row.get("rms", "-") == made.us(made.rms(found, about))


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


@pytest.mark.parametrize("threads", (1, 2))
def test_threads_in_text_count_together(report, threads):
    """-h: a column each."""
    found = made.values(ROWS)["wakeup"]
    lines = made.text(found).splitlines()
    (report.directory / "two.txt").write_text("\n".join(
        " ".join([line, *[line.split()[-1]] * (threads - 1)])
        if re.search(r"\d$", line) else line for line in lines) + "\n")
    found = [v // 1000 * 1000 for v in found] * threads
    check(result(report, "two.txt", "wakeup"), found, whole=True)
    assert ("2 threads together" in report("-t", "-", "two.txt").stdout) == (
        threads == 2)


@pytest.mark.parametrize("metric", ["interval", "sleep", "send"])
def test_older_json(report, metric):
    """Its deviation of what a timer ends was that from what was asked for, which
    is not compared with one from the mean."""
    found = made.values(ROWS)[metric]
    old = copy.deepcopy(FORMATS["twoway.json"])
    for thread in old["thread"].values():
        for one in thread, *thread["phases"].values():
            one["stddev"] = one.pop("rms") or one["stddev"]
    made.write(report.directory, "old.json", old)
    made.write(report.directory, "new.json", FORMATS["twoway.json"])
    text = report("-t", "-", "old.json", "new.json").stdout
    rows = made.tables(text)[made.LABELS[made.METRICS.index(metric)]]
    assert [row["std"] for row in rows] == [
        "-" if metric != "send" else made.us(made.deviation(found)),
        made.us(made.deviation(found))]
    assert [row.get("rms", "-") for row in rows] == 2 * [
        made.us(made.rms(found, made.target(metric)))]
    assert ("std is from the mean, rms from what was asked for." in text)
    assert f"| {metric} | deviation |" not in text or metric == "send"


def test_published_sleep(report):
    """As that of a log; who has the mean is not ranked beside it."""
    made.write(report.directory, "p.csv", "metric,system,min,avg,max,stddev\n"
               "sleep,one,101.0,102.0,103.0,2.1\n"
               "interval,one,900.0,1000.0,1100.0,0.6\n")
    found = made.tables(report("-t", "-", "p.csv").stdout)
    assert [(row["std"], row["rms"]) for row in found["nanosleep Time"]] == [
        ("-", "2.1")]
    assert [(row["std"], row["rms"]) for row in found[
        "POSIX Timer Interval Time"]] == [("0.6", "-")]


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


def test_step_without_a_cycle(report):
    """The last of a ramp, that was ended in its warm-up, is left out."""
    data = made.twoway(ROWS, [(0, ROWS[:250]), (1, ROWS[250:])])
    path = made.write(report.directory, "t.json", data)
    whole = report("-t", "-", path).stdout
    data["twoway"]["steps"].append(data["twoway"]["steps"][-1] | {
        "phases": {metric: {"cycles": 0} for metric in made.METRICS}})
    path = made.write(report.directory, "t.json", data)
    assert report("-t", "-", path).stdout == whole


def test_histogram_that_overflowed(report):
    """Nothing is made up of what the histogram does not tell."""
    found = made.values(ROWS)["total"]
    thread = made.json_thread("total", found, width=60)
    assert thread["overflows"] > 20
    data = {**FORMATS["twoway.json"], "thread": {"0": thread}}
    path = made.write(report.directory, "t.json", data)
    row = result(report, path, "total")
    assert row["p50"] == made.us(made.percentile(found, "50"))
    assert row.get("p90", "-") == "-"


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
