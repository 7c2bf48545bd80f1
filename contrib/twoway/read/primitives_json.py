# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of primitivetest."""

from twoway.read import remarks, columns
from twoway.read.member import NULL, NUMBER, flat
from twoway.read.primitives import GROUP, PROGRAM, Derived, Primitives, Test
from twoway.read.result import read_system
from twoway.read.thread import read_maxima, read_statistics, threads
from twoway.series.model import InputError, Part
from twtools.units import US, of_json


def read_series(thread, column, unit):
    """A member of thread, whose figures are rounded to 1 ns each."""
    series = read_statistics(thread, column, unit, 1, "trials")
    if series.count:
        series.maxima = read_maxima(thread, series, unit)
    target = thread.get("target", *NUMBER, NULL, default=None)
    if target is not None:
        series.target_ns = unit.read(target)
    return series


def read_test(member, columns):
    """columns: of each test by its name."""
    switches = member.inner("switches")
    return Test(
        member.get("name", str), member.get("test", str),
        member.get("trials", int, default=None),
        member.get("skipped", str, NULL, default=None),
        switches.count("needed", 0), switches.count("had", 0),
        member.count("throttled", 0), member.count("missed", 0),
        [task.get("name", str) for task in member.items("processes")
         if task.get("changed", dict, NULL, default=None)],
        [one.get("text", str) for one in member.items("verdicts")
         if one.get("failed", bool)],
        columns.get(member.get("name", str), []))


def read_derived(member):
    unit = member.get("unit", str)
    value = member.get("value", *NUMBER)
    return Derived(member.get("name", str),
                   US.read(value) if unit == "us" else value,
                   "ns" if unit == "us" else unit)


def read_all(data, member):
    result = Primitives()
    unit = of_json(data.get("resolution_in_ns", int))
    for thread in threads(data):
        column = thread.get("metric", str)
        if column in result.series:
            thread.bad("metric", f"{column} is above already")
        result.series[column] = read_series(thread, column, unit)
    columns = {}
    for one in member.items("series"):
        columns.setdefault(one.get("test", str), []).append(
            one.get("span", str))
    for one in member.items("tests"):
        test = read_test(one, columns)
        if test.name in result.tests:
            one.bad("name", f"{test.name} is above already")
        for column in test.columns:
            if column not in result.series:
                one.bad("name", f"{column} is not in member thread")
        result.tests[test.name] = test
    result.series = {key: one for key, one in result.series.items()
                     if one.count}
    result.derived = [read_derived(one) for one in member.items("derived")]
    return result


def settings_of(member):
    found = {key: value for key, value in flat(member.inner(
        "settings")).items() if key not in columns.OUTPUT | {"test"}}
    found["load"] = " ".join(one.get("kind", str)
                             for one in member.items("load")) or "none"
    found["version"] = member.get("version", str, default=None)
    return found


def read(data, name):
    member = data.inner("primitives")
    if "tests" not in member.value:
        raise InputError(data.path, "member primitives.tests", "missing: no "
                         "measurement; this may be the result of --check")
    part = Part(data.path, "primitives", name, group=GROUP, program=PROGRAM)
    part.primitives = read_all(data, member)
    if not part.primitives.tests:
        raise InputError(data.path, "member primitives.tests", "no test")
    part.settings = settings_of(member)
    read_system(data, member, part)
    remarks.read(data, member, part)
    return part
