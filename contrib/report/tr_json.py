# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of twowaytest and of cyclictest."""

import json
import os

import tr_cyclictest
from tr_input import open_input
from tr_model import METRICS, PHASES, InputError, Part, Series, Step, Worst
from tr_stats import Distribution, combined
from twtools.units import US, of_json

# Of these each run has its own; they make no set-ups unlike.
CHANCE = {"port", "irq_names", "irqs", "steal_ppm", "clocksources",
          "trace_events", "findings"}
# Of the virtual lab: these set it up, all else is what was measured in it.
LAB_SETTINGS = ("mode", "qemu", "qemu_arguments", "cpus", "memory_mib")
DIGITS = 12             # of a hash
NUMBER = (int, float)
NULL = type(None)
LARGEST = 1e18
NAMES = {dict: "object", list: "array", str: "string", bool: "boolean",
         int: "number", float: "number", NULL: "null"}


class Member:
    """A member of the file, which knows where it stands in it."""

    def __init__(self, path, value, where=""):
        self.path, self.value, self.where = path, value, where

    def bad(self, key, why):
        where = f"{self.where}.{key}" if self.where else key
        raise InputError(self.path, f"member {where}", why)

    def get(self, key, *types, default=...):
        """The value of a key, of one of the types (bool is no number)."""
        if key not in self.value:
            if default is ...:
                self.bad(key, "missing")
            return default
        value = self.value[key]
        if not isinstance(value, types) or \
                isinstance(value, bool) and bool not in types:
            names = " or ".join(dict.fromkeys(NAMES[t] for t in types))
            self.bad(key, f"{json.dumps(value)[:40]} is no {names}")
        if isinstance(value, NUMBER) and not abs(value) < LARGEST:
            self.bad(key, f"{value} is too large")
        return value

    def inner(self, key):
        """A member that is an object; an empty one if it is not there."""
        value = self.get(key, dict, NULL, default=None)
        where = f"{self.where}.{key}" if self.where else key
        return Member(self.path, value or {}, where)

    def items(self, key):
        """Members that are objects in an array; none if it is not there."""
        for i, value in enumerate(self.get(key, list, NULL, default=None)
                                  or []):
            if not isinstance(value, dict):
                self.bad(f"{key}[{i}]", "no object")
            yield Member(self.path, value, f"{self.where}.{key}[{i}]")


def no_number(name):
    raise ArithmeticError(f"{name} is no number")


def load(path):
    """The whole file as a Member."""
    with open_input(path) as file:
        text = file.read()
    try:
        value = json.loads(text, parse_constant=no_number)
    except UnicodeDecodeError as err:
        raise InputError(path, text[:err.start].count(b"\n") + 1,
                         "not UTF-8") from None
    except json.JSONDecodeError as err:
        raise InputError(path, err.lineno,
                         f"no JSON: {err.msg}, column {err.colno}") from None
    except (ArithmeticError, ValueError) as err:    # of 5000 digits, too
        raise InputError(path, None, f"no JSON: {err}") from None
    except RecursionError:
        raise InputError(path, None, "no JSON: nested too deep") from None
    if not isinstance(value, dict):
        raise InputError(path, 1, "no object of results")
    return Member(os.fspath(path), value)


def read_histogram(thread, series, unit):
    """unit: of its bins."""
    rows = thread.inner("histogram")
    if not rows.value:
        return None
    pairs = []
    for key in rows.value:
        if not (key.isascii() and key.isdigit() and len(key) < 16):
            rows.bad(key, f"no whole number of {unit}")
        count = rows.get(key, int)
        if not 0 <= count < 2**53:
            rows.bad(key, f"{count} is no count")
        pairs.append((unit.read(int(key)), count))
    pairs.sort()
    outside = thread.get("overflows", int, default=0)
    missing = thread.get("cycles", int) - sum(pair[1] for pair in pairs)
    if missing < 0 or "overflows" in thread.value and missing != outside:
        thread.bad("histogram", f"its rows and overflows do not add up to "
                                f"{thread.get('cycles', int)} cycles")
    pairs = [pair for pair in pairs if pair[1]]
    if not pairs:
        return None
    values, counts = zip(*pairs)
    # Which side they lie on is not told; below the window there is nothing
    # if the smallest value has a row.
    inside = series.min_ns >= values[0]
    dist = Distribution(values, counts, unit,
                        0 if inside else missing, missing if inside else 0)
    if not dist.within(series.min_ns, series.max_ns):
        thread.bad("histogram", f"rows from {pairs[0][0] / 1000:g} to "
                   f"{pairs[-1][0] / 1000:g} us; minimum and maximum are "
                   f"{series.min_ns / 1000:g} and {series.max_ns / 1000:g}")
    return dist


def read_thread(thread, metric, unit, bins):
    """A member of thread; bins: the unit of its histogram."""
    count = thread.get("cycles", int)
    if not count:       # and so there are no figures
        return Series(metric, 0, None, None, None)
    series = Series(
        metric, count, *(unit.read(thread.get(key, *NUMBER))
                         for key in ("min", "avg", "max")), unit=unit)
    if count < 0 or not series.min_ns <= \
            series.avg_ns + unit.ns <= series.max_ns + 2 * unit.ns:
        thread.bad("avg", "min, avg and max of these cycles cannot be")
    series.dist = read_histogram(thread, series, bins)
    std = thread.get("stddev", *NUMBER, NULL, default=None)
    if std is not None:
        series.std_ns = unit.read(std)
    elif series.dist and series.dist.complete:
        series.std_ns = series.dist.deviation()
    target = thread.get("target", *NUMBER, NULL, default=None)
    if target is not None:
        series.target_ns = unit.read(target)
    percentiles = thread.inner("percentiles")
    for key in percentiles.value:
        value = percentiles.get(key, *NUMBER, NULL)
        try:
            percent = float(key)
        except ValueError:
            percentiles.bad(key, "no percentage")
        series.percentiles[percent] = None if value is None \
            else unit.read(value)
    return series


def threads(member):
    """Members of thread: Member by number; all are there."""
    rows = member.inner("thread")
    for i in range(len(rows.value)):
        if str(i) not in rows.value:
            rows.bad(str(i), "missing")
        yield rows.inner(str(i))


def flat(member, prefix=""):
    """Simple values by name: what can be compared."""
    result = {}
    for key, value in member.value.items():
        if key in CHANCE:
            continue
        if isinstance(value, dict):
            result.update(flat(member.inner(key), f"{prefix}{key} "))
        elif isinstance(value, list):
            if all(isinstance(item, (str, int, float)) for item in value):
                result[prefix + key] = " ".join(map(str, value))
        else:
            result[prefix + key] = value
    return result


def systems(data):
    info = data.inner("sysinfo")
    return {f"kernel {key}" if key in ("release", "version") else key:
            info.get(key, str, int, default=None)
            for key in ("nodename", "machine", "release", "version")}


def read_lab(data, part):
    """What the virtual lab adds to the results of either program."""
    lab = data.inner("lab")
    if not lab.value:
        return
    part.virtual = True
    part.lab_mode = lab.get("mode", str, default=None)
    for key, value in flat(lab).items():
        if key.endswith("sha256"):
            value = str(value)[:DIGITS]
        to = part.settings if key in LAB_SETTINGS else part.system
        to[f"lab {key}"] = value


def read_cyclictest(data, name):
    unit = of_json(data.get("resolution_in_ns", int, default=0))
    series = [one for thread in threads(data)
              if (one := read_thread(thread, "wakeup", unit, unit)).count]
    if not series:
        raise InputError(data.path, "member thread", "no cycles")
    part = Part(data.path, "cyclictest", name, program="cyclictest",
                series={"wakeup": combined(series)}, system=systems(data))
    part.count = part.series["wakeup"].count
    text = data.get("cmdline:", str, default=None)
    part.settings = {"command line": text} | tr_cyclictest.settings(text)
    read_lab(data, part)
    if len(series) > 1:
        part.remarks.append(f"{len(series)} threads together")
    return part


def read_step(member, unit, pair):
    series = {}
    for thread in threads(member):
        if thread.get("pair", int, default=0) == pair:
            metric = thread.get("metric", str)
            if metric not in METRICS:
                thread.bad("metric", f"'{metric}' is none of "
                                     + ", ".join(METRICS))
            series[metric] = read_thread(thread, metric, unit, US)
    return {key: one for key, one in series.items() if one.count}


def read_worst(twoway, part):
    worst = twoway.inner("worst")
    found = [(worst.inner(metric), metric, part.worst)
             for metric in worst.value]
    spikes = twoway.inner("spikes")
    of = spikes.get("metric", str, default="total")
    found += [(spike, of, part.spikes) for spike in spikes.items("kept")]
    for cycle, metric, to in found:
        phases = {phase: cycle.get(f"{phase}_ns", int, default=None)
                  for phase in PHASES}
        value = cycle.get("wakeup_ns" if metric == "planned"
                          else f"{metric}_ns", int)
        if metric == "planned":
            value += cycle.get("response_ns", int)
        to.append(Worst(metric, value, cycle.get("since_start_ns", int),
                        {key: one for key, one in phases.items()
                         if one is not None},
                        cycle.get("step", int, default=0)))


def remarks(data, twoway, part):
    counts = {"missed": "missed expiries", "throttled": "throttled cycles"}
    for key, text in counts.items():
        if number := twoway.get(key, int, default=0):
            part.remarks.append(f"{text}: {number}")
    if part.lost:
        part.remarks.append(f"cycles not dumped: {part.lost}")
    if twoway.get("interrupted", bool, default=False):
        part.remarks.append("ended by a signal")
    if error := twoway.get("error", str, NULL, default=None):
        part.remarks.append(f"error: {error}")
    for limit in twoway.items("limits"):
        verdict = limit.get("verdict", str)
        if verdict != "met":
            part.remarks.append(f"limit {limit.get('limit', str)} {verdict}")
    if twoway.get("break", dict, NULL, default=None):
        part.remarks.append("ended by -b")
    part.findings = [(one.get("name", str), one.get("read", str))
                     for one in twoway.inner("environment").items("findings")]


def read_twoway(data, name):
    """One part a pair."""
    unit = of_json(data.get("resolution_in_ns", int))
    twoway = data.inner("twoway")
    if not data.get("thread", dict):
        raise InputError(data.path, "member thread",
                         "no measurement; this is the result of --check")
    pairs = {thread.get("pair", int, default=0)
             for thread in threads(data)}
    return [read_pair(data, twoway, unit, pair,
                      f"{name} pair {pair}" if len(pairs) > 1 else name)
            for pair in sorted(pairs)]


def read_pair(data, twoway, unit, pair, name):
    part = Part(data.path, "json", name, program="twowaytest")
    part.series = read_step(data, unit, pair)
    if not part.series:
        why = twoway.get("error", str, NULL, default=None)
        raise InputError(data.path, "member thread",
                         f"no cycles: {why}" if why else "no cycles")
    environment = twoway.inner("environment")
    settings = twoway.inner("settings")
    for key in ("interval_us", "sleep_us"):     # a dump is read by them
        settings.get(key, int, default=0)
    part.settings = flat(settings)
    load = {f"load {key}": value for key, value
            in flat(twoway.inner("load")).items()
            if key in ("kind", "command", "arguments", "policy", "priority",
                       "cpus", "workers")}
    part.settings |= load
    for side, one in twoway.inner("processes").value.items():
        for key in ("cpus", "policy", "priority"):
            if isinstance(one, dict) and key in one:
                part.settings[f"{side} {key}"] = one[key]
    part.settings["version"] = twoway.get("version", str, default=None)
    part.system = systems(data) | {
        key: value for key, value in flat(environment).items()
        if key != "release"}
    for step in twoway.items("steps"):
        series = read_step(step, unit, pair)
        if series:
            part.steps.append(Step(
                step.get("workers", int), series,
                step.get("missed", int, default=None),
                step.get("throttled", int, default=None),
                step.get("work_per_second", *NUMBER, default=None)))
    if len(part.steps) < 2:
        part.steps = []
    part.count = twoway.get("cycles", int)
    part.lost = twoway.get("not_dumped", int, default=0)
    part.virtual = environment.get("virtual", bool, NULL, default=None) is \
        True
    read_lab(data, part)
    read_worst(twoway, part)
    remarks(data, twoway, part)
    return part


def read(path, name):
    data = load(path)
    if "twoway" in data.value:
        return read_twoway(data, name)
    if "thread" in data.value:
        return [read_cyclictest(data, name)]
    raise InputError(path, "member thread", "missing; results of twowaytest "
                                            "or cyclictest are expected")
