# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of primitivetest."""

from report.read import remarks, schema2, when
from report.read.member import NULL, NUMBER, flat
from report.read.model import InputError, Part, Series
from report.read.primitives import GROUP, PROGRAM, Derived, Primitives, Test
from report.read.result import read_lab, systems
from report.read.thread import read_percentiles, threads
from twtools.units import US, of_json


def read_series(thread, column, unit):
    """A member of thread; None: it has no values."""
    count = thread.get("cycles", int)
    if count < 0:
        thread.bad("cycles", f"{count} is no count")
    if not count:
        return None
    series = Series(column, count, *(
        unit.read(thread.get(key, *NUMBER)) for key in ("min", "avg", "max")))
    # Each is rounded for itself.
    if not series.min_ns <= series.avg_ns + 1 <= series.max_ns + 2:
        thread.bad("avg", f"min {thread.value['min']}, avg "
                   f"{thread.value['avg']}, max {thread.value['max']} of "
                   f"{count} trials; min <= avg <= max is expected")
    for key in ("stddev", "target"):
        value = thread.get(key, *NUMBER, NULL, default=None)
        if value is not None:
            setattr(series, f"{key[:3] if key == 'stddev' else key}_ns",
                    unit.read(value))
    if series.std_ns is not None and series.std_ns < 0:
        thread.bad("stddev", "0 or more is expected")
    read_percentiles(thread.inner("percentiles"), series, unit)
    return series


def count_of(member, key):
    value = member.get(key, int, default=0)
    if value < 0:
        member.bad(key, f"{value} is no count")
    return value


def read_test(member):
    switches = member.inner("switches")
    metrics = member.inner("metrics")
    return Test(
        member.get("name", str), member.get("test", str),
        member.get("trials", int, default=None),
        member.get("skipped", str, NULL, default=None),
        count_of(switches, "needed"), count_of(switches, "had"),
        count_of(member, "throttled"), count_of(member, "missed"),
        [task.get("name", str) for task in member.items("processes")
         if task.get("changed", dict, NULL, default=None)],
        [one.get("text", str) for one in member.items("verdicts")
         if one.get("failed", bool)],
        [metrics.inner(key).get("column", str) for key in metrics.value])


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
    for one in member.items("tests"):
        test = read_test(one)
        if test.name in result.tests:
            one.bad("name", f"{test.name} is above already")
        for column in test.columns:
            if column not in result.series:
                one.bad("metrics", f"{column} is not in member thread")
        result.tests[test.name] = test
    result.series = {key: one for key, one in result.series.items() if one}
    result.derived = [read_derived(one) for one in member.items("derived")]
    return result


def settings_of(member):
    found = {key: value for key, value in flat(member.inner(
        "settings")).items() if key not in schema2.OUTPUT | {"test"}}
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
    part.when = when.read(data)
    part.primitives = read_all(data, member)
    if not part.primitives.tests:
        raise InputError(data.path, "member primitives.tests", "no test")
    environment = member.inner("environment")
    part.settings = settings_of(member)
    part.system = systems(data) | {
        key: value for key, value in flat(environment).items()
        if key != "release"}
    part.virtual = environment.get("virtual", bool, NULL, default=None) is \
        True
    read_lab(data, part)
    remarks.read(data, member, part)
    return part
