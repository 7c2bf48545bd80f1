# SPDX-License-Identifier: GPL-2.0-or-later
"""What primitivetest measured, of several systems side by side."""

import random
import re
import xml.etree.ElementTree as tree

import made
import made_primitives as prim
import pytest

import primitives

PARTS = "Parts"
MISSING = "Parts: what is missing or disturbed"


@pytest.fixture
def tables(report):
    """The tables of a report on such files."""
    def of(*args, **files):
        given = prim.write(report.directory, **files)
        return made.tables(report("-t", "-", *given, *args).stdout)
    return of


@pytest.fixture
def lines(report):
    """The sentences that a report begins with."""
    def of(**files):
        given = prim.write(report.directory, **files)
        text = report("-t", "-", *given).stdout
        return [line[2:] for line in text.splitlines()
                if line.startswith("- ")]
    return of


def row_of(found, metric):
    [row] = [row for row in found[PARTS] if row["metric"] == metric]
    return row


def test_side_by_side(tables):
    """A row a metric, and what each system has of it."""
    column = "sync1.futex.pair"
    found = tables(
        a=prim.primitives(how={column: {"p99": 740}}),
        b=prim.primitives(prim.more(2), {column: {"cycles": 2000}}))
    assert row_of(found, column) == {
        "metric": column, "average a": "700.0", "average b": "1400.0",
        "b / a": "2.00", "sure": "-", "minimum a": "696",
        "minimum b": "1396", "p99 a": "740", "p99 b": "-",
        "maximum a": "796", "maximum b": "1496", "trials a": "1000",
        "trials b": "2000"}
    assert [row["metric"] for row in found[PARTS]] == list(prim.PARTS)
    assert "p99 a" not in tables(a=prim.primitives())[PARTS][0]


def test_ns_and_us_are_the_same(tables):
    found = tables(a=prim.primitives(), b=prim.primitives(ns=True))
    for row in found[PARTS]:
        for key in ("average", "minimum", "maximum", "trials"):
            assert row[f"{key} a"] == row[f"{key} b"]


def test_each_beside_the_first(tables):
    found = tables(a=prim.primitives(), b=prim.primitives(prim.more(2)),
                   c=prim.primitives(prim.more(.5)))
    assert row_of(found, "syscall.getppid.call")["sure b"] == "-"
    row = row_of(found, "syscall.getppid.call")
    assert (row["b / a"], row["c / a"]) == ("2.00", "0.50")
    assert [row[f"average {name}"] for name in "abc"] == \
        ["170.0", "340.0", "85.0"]


@pytest.mark.parametrize("column, low, high, settings, ratio", [
    ("syscall.getppid.call", 100, 150, {}, "1.50"),
    ("timer.1000.wakeup", 0, 150, {}, "-"),         # nothing to divide by
    ("delay.error", 10, -5, {}, "-"),
    ("work.fft.time", 100, 150, {}, "-"),           # work of another size
    ("work.fft.time", 100, 150, {"work": 7}, "1.50"),
    ("copy.1.thread.same.time", 100, 150, {}, "1.50"),
])
def test_what_has_a_ratio(tables, column, low, high, settings, ratio):
    found = tables(a=prim.primitives({column: low}, **settings),
                   b=prim.primitives({column: high}, **settings))
    row = row_of(found, column)
    assert row["b / a"] == ratio


@pytest.mark.parametrize("works, ratio", [
    ((7, 7), "1.00"), ((7, 0), "-"), ((0, 7), "-"), ((7, 9), "-")])
def test_work_of_another_size_has_no_ratio(tables, works, ratio):
    a, b = (prim.primitives({"work.fft.time": 100}, work=work)
            for work in works)
    assert row_of(tables(a=a, b=b), "work.fft.time")["b / a"] == ratio


def test_a_target_has_no_ratio(tables):
    how = {"timer.1000.interval": {"target": 1000000}}
    found = tables(a=prim.primitives(how=how), b=prim.primitives())
    assert row_of(found, "timer.1000.interval")["b / a"] == "-"
    assert row_of(found, "timer.1000.wakeup")["b / a"] == "1.00"


def test_what_one_lacks(tables, lines):
    files = {"a": prim.primitives(),
             "b": prim.primitives({"trap.fault.enter": 900})}
    found = tables(**files)
    row = row_of(found, "trap.fault.enter")
    assert (row["average a"], row["b / a"], row["trials a"]) == ("-",) * 3
    assert row["average b"] == "900.0"
    assert lines(**files)[0] == "b has no parts in common with a that " \
        "could be compared."


def runs_of(averages, column="syscall.getppid.call"):
    return [prim.primitives({column: one, f"{column}2": 170})
            for one in averages]


@pytest.mark.parametrize("one, other, sure", [
    ([170, 171, 172], [171.5, 170, 173], "no"),
    ([170, 171, 172], [190, 191, 192], "99 %"),
    # Of 4 degrees of freedom and two questions: 5.598, and 3.495 for 95 %.
    ([169, 170, 171], [173.8, 174.8, 175.8], "99 %"),
    ([169, 170, 171], [173.4, 174.4, 175.4], "95 %"),
    ([169, 170, 171], [171.6, 172.6, 173.6], "no"),
    ([170], [190, 190, 190], "-"), ([170, 170], [190], "-")])
def test_how_sure(tables, one, other, sure):
    """By the averages of several runs of each; all comparisons share the risk."""
    found = tables(a=runs_of(one), b=runs_of(other))
    row = row_of(found, "syscall.getppid.call")
    assert row["sure"] == sure
    assert float(row["average a"]) == pytest.approx(sum(one) / len(one), 0.01)
    assert row["trials b"] == str(1000 * len(other))


def test_equal_runs():
    """Seldom is a part of 35 called longer, whatever runs have in common."""
    from twoway.compare import parts
    source = random.Random(1)
    wrong = 0
    for _ in range(20):
        level = {f"clock.k{i}.cost": 1000 * source.lognormvariate(0, 1)
                 for i in range(35)}
        first, other = ([{key: value * source.lognormvariate(0, .1)
                          for key, value in level.items()} for _ in range(3)]
                        for _ in range(2))
        wrong += sum(bool(parts.level(*([run[key] for run in side] for side in
                                        (first, other)), 35)) for key in level)
    assert wrong <= 20


TROUBLES = [
    ({"skipped": "no rights"}, "skipped: no rights"),
    ({"switches": {"needed": 1000, "had": 989}},
     "not switched: 989 of 1000 switches happened"),
    ({"switches": {"needed": 1000, "had": 990}}, None),
    ({"missed": 3}, "missed expiries: 3"),
    ({"throttled": 2}, "throttled: 2 of 1000 trials"),
    ({"verdicts": [{"failed": True, "text": "1 of 9 lost"}]},
     "failed: 1 of 9 lost"),
    ({"verdicts": [{"failed": False, "text": "0 of 9 lost"}]}, None),
    ({"processes": [{"name": "prim-low", "changed": None},
                    {"name": "prim-high", "changed": {"cpus": "0-1"}}]},
     "task prim-high changed policy, priority or CPUs while it ran"),
]


@pytest.mark.parametrize("change, text", TROUBLES)
def test_what_is_missing_or_disturbed(tables, lines, change, text):
    files = {"a": prim.primitives(), "b": prim.primitives(
        tests={"timer.1000": change})}
    found = tables(**files)
    assert found.get(MISSING) == (text and [
        {"test": "timer.1000", "what": text, "system": "b"}])
    said = "Skipped, failed or disturbed were 1 of 8 tests of b " \
        "(timer.1000)."
    assert (said in lines(**files)) == bool(text)


def test_all_that_disturbed_a_test_is_told(tables):
    found = tables(a=prim.primitives(tests={
        "timer.1000": {"missed": 3, "throttled": 2}}))
    assert [row["what"] for row in found[MISSING]] == [
        "missed expiries: 3", "throttled: 2 of 1000 trials"]


def test_what_all_have_stands_once(tables):
    one = prim.primitives(tests={
        "trap": {"skipped": "why"}})
    found = tables(a=one, b=one)
    assert [row["system"] for row in found[MISSING]] == ["all"]


def derived(name, value, unit="us", formula="max - avg"):
    return {"name": name, "value": value, "unit": unit, "formula": formula}


def test_derived_figures(tables):
    """In the same table: their value, the ratio, and nothing else."""
    found = tables(
        a=prim.primitives(derived=[derived("x.switch", 1.5),
                                   derived("x.rate", 7.25, "MB/s")]),
        b=prim.primitives(derived=[derived("x.switch", 3)]))
    for name, a, b, ratio in (("x.switch", "1500.0", "3000.0", "2.00"),
                              ("x.rate, MB/s", "7.2", "-", "-")):
        row = dict(row_of(found, name))
        assert [row.pop(key) for key in ("metric", "average a", "average b",
                                         "b / a")] == [name, a, b, ratio]
        assert set(row.values()) == {"-"}


def test_sentences(lines):
    """Of one run of each, nothing is sure."""
    other = prim.more(2, **{"syscall.getppid.call": 85,
                            "sync1.futex.pair": 700})
    [text] = lines(a=prim.primitives(), b=prim.primitives(other))
    end = "the median is 2.00 times as long, the extremes are 0.50 " \
        f"(syscall.getppid.call) and 2.00 ({prim.TRIP})."
    assert text == (
        "Of 9 parts that b and a have in common, each was measured once: "
        "nothing tells whether they differ by more than equal runs do (give "
        f"several, as NAME=FILE,FILE); {end}")
    [text] = lines(a=[prim.primitives()] * 2, b=[prim.primitives(other)] * 2)
    assert text == (
        "Of 9 parts that b and a have in common, 7 take surely longer on b "
        f"and 1 surely shorter, on average; {end}")


def test_settings_and_systems_that_differ(tables):
    other = prim.primitives(order="lower")
    other["primitives"]["system"]["governor"] = "powersave"
    found = tables(a=prim.primitives(order="higher"), b=other)
    rows = found["What differs between the runs (primitivetest)"]
    assert {"what": "order", "of": "settings", "a": "higher",
            "b": "lower"} in rows
    assert "What differs between the runs" not in found


def test_settings_that_differ_are_said(lines):
    one = prim.primitives(order="higher", test="aegis")
    other = prim.primitives(order="lower", loops=7, test="sync1")
    assert lines(a=one, b=other)[1:] == \
        ["Parts were measured with settings that differ: order."]
    assert len(lines(a=one, b=one)) == 1


def test_virtual_systems_are_marked(tables, report):
    one = prim.primitives()
    one["primitives"]["system"]["virtual"] = True
    prim.write(report.directory, b=one)
    report("-o", "r.html", "b.json")
    assert "Virtual: these are not the times of a machine." in \
        (report.directory / "r.html").read_text()


def test_the_gate_needs_the_whole(report, refused):
    files = prim.write(report.directory, a=prim.primitives(),
                       b=prim.primitives())
    assert "--gate: these are results of primitivetest only" in \
        refused("--gate", *files)
    same = prim.write(report.directory, p_a=prim.twoway(count=5000),
                      p_b=prim.twoway(count=5000))
    done = report("--gate", *same, *files)
    assert done.stdout.endswith("not worse by more than 3 %\n")
    assert done.stderr == "".join(
        f"twowayreport: left out of the gate: {name}: results of "
        "primitivetest\n" for name in "ab")


def test_two_files_of_one_system_are_refused(report, refused):
    prim.write(report.directory, x=prim.primitives(), y=prim.primitives())
    assert "a has a" in refused("a=x.json", "a=y.json")


def spoilt(change):
    data = prim.primitives()
    change(data, data["primitives"], data["thread"]["0"])
    return data


BAD = {
    "tests: missing": lambda d, p, t: p.pop("tests"),
    "tests: no test": lambda d, p, t: p.update(tests=[]),
    "thread.0.cycles: -1": lambda d, p, t: t.update(cycles=-1),
    "thread.0.avg: min": lambda d, p, t: t.update(avg=t["max"] + 1),
    "thread.0.stddev: -1; 0 or": lambda d, p, t: t.update(stddev=-1),
    "thread.0.percentiles.99": lambda d, p, t:
        t["percentiles"].update({"99": 900}),
    "thread.0.metric": lambda d, p, t: t.update(metric=3),
    "is above already": lambda d, p, t: p["tests"].append(p["tests"][0]),
    "is not in member thread": lambda d, p, t: d["thread"].pop(
        str(len(d["thread"]) - 1)),
    "switches.had": lambda d, p, t: p["tests"][0].update(
        switches={"needed": 1, "had": -1}),
    "derived[0].value": lambda d, p, t: p.update(derived=[
        derived("x", "y")]),
    "1 is above already": lambda d, p, t: d["thread"]["1"].update(
        metric=t["metric"] + "1") or t.update(metric=t["metric"] + "1"),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_files_are_refused(refused, text):
    made.write(refused.directory, "x.json", spoilt(BAD[text]))
    assert text in refused("x.json")


def test_a_column_without_values(tables):
    data = prim.primitives()
    data["thread"]["0"] |= {"cycles": 0, "min": None, "max": None,
                            "avg": None, "stddev": None}
    found = tables(a=data, b=prim.primitives())
    row = row_of(found, prim.TRIP)
    assert (row["average a"], row["average b"]) == ("-", "5000.0")


def test_figure(report):
    """Bars are sorted; what differs least is left out of many."""
    names = [f"clock.k{i}.cost" for i in range(60)]
    low = dict.fromkeys(names, 1000)
    high = {name: 1000 + 10 * i for i, name in enumerate(names)} | {
        names[0]: 100}
    files = prim.write(report.directory, a=prim.primitives(low),
                       b=prim.primitives(high))
    report("-o", "r.html", *files)
    page = (report.directory / "r.html").read_text()
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>").strip())
    [figure] = [one for one in root.iter() if one.get("id") == "primitives"]
    text = "".join(figure.itertext())
    assert re.findall(r"clock\.k(\d+)\.cost", text) == \
        [str(i) for i in (*range(59, 16, -1), 0)]
    assert "The 16 that differ least are not shown." in text


def test_all_systems_are_in_one_figure(report):
    files = prim.write(report.directory, a=prim.primitives(),
                       b=prim.primitives(prim.more(2)),
                       c=prim.primitives(prim.more(.5)))
    report("-f", "figs", *files)
    text = "".join(tree.parse(report.directory / "figs/primitives.svg")
                   .getroot().itertext())
    assert "Parts: average on each system / on a" in text
    assert text.count("2.00") == text.count("0.50") == len(prim.PARTS)


def test_formats(report):
    files = prim.write(report.directory, a=prim.primitives(),
                       b=prim.primitives(prim.more(2)))
    report("-t", "r.csv", "-f", "figs", *files)
    assert "syscall.getppid.call,170.0,340.0,2.00,-," in \
        (report.directory / "r.csv").read_text()
    assert {path.name for path in (report.directory / "figs").iterdir()} == \
        {"primitives.svg", "primitives.png"}


def test_a_real_run(report):
    """What it writes is read, and its text has the same averages."""
    done = primitives.run(
        "--test=sync1,sync2.unnamed,pipe,syscall", "-l", "50",
        directory=report.directory)
    assert done.returncode in (0, 1), done.stderr
    text = report("-t", "-", f"a={done.path('json')}").stdout
    rows = {row["metric"]: row for found in made.tables(text).values()
            for row in found if "metric" in row}
    assert set(rows) == set(done.columns) | {
        one["name"] for one in done.json["primitives"]["derived"]}
    for name, column in done.columns.items():
        assert float(rows[name]["average a"]) == \
            pytest.approx(1000 * column["avg"], abs=.06)
        assert rows[name]["trials a"] == str(column["cycles"])
