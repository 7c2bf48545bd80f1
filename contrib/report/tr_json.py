# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of twowaytest and of cyclictest."""

import tr_cyclictest
import tr_hosts
import tr_oneway
import tr_pairs
import tr_remarks
import tr_stamps
import tr_trace_cause
import tr_when
from tr_member import NULL, NUMBER
from tr_model import (
    ALL_PHASES, METRICS, ONE_WAY, InputError, Part, Series, Worst)
from tr_stats import Distribution, combined
from twtools.units import US, of_json

# Of these each run has its own; they make no set-ups unlike.
CHANCE = {"port", "irq_names", "irqs", "steal_ppm", "clocksources",
          "trace_events", "findings"}
# Of the virtual lab: these set it up, all else is what was measured in it.
LAB_SETTINGS = ("mode", "qemu", "qemu_arguments", "cpus", "memory_mib")
DIGITS = 12             # of a hash
COARSE = 1 / 64         # of a value: widest bins that percentiles come from


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
    # A one-way time that became void keeps its count, but no figures.
    if not count or metric in ONE_WAY and thread.get(
            "min", *NUMBER, NULL) is None:
        return Series(metric, 0, None, None, None)
    series = Series(
        metric, count, *(unit.read(thread.get(key, *NUMBER))
                         for key in ("min", "avg", "max")), unit=unit)
    if count < 0 or not series.min_ns <= \
            series.avg_ns + unit.ns <= series.max_ns + 2 * unit.ns:
        thread.bad("avg", f"min {thread.value['min']}, avg "
                   f"{thread.value['avg']}, max {thread.value['max']} of "
                   f"{count} cycles; min <= avg <= max is expected")
    series.dist = read_histogram(thread, series, bins)
    std = thread.get("stddev", *NUMBER, NULL, default=None)
    if std is not None and std < 0:
        thread.bad("stddev", f"{std}; 0 or more is expected")
    if std is not None:
        series.std_ns = unit.read(std)
    elif series.dist and series.dist.complete:
        series.std_ns = series.dist.deviation()
    target = thread.get("target", *NUMBER, NULL, default=None)
    if target is not None:
        series.target_ns = unit.read(target)
    read_percentiles(thread.inner("percentiles"), series, unit)
    return series


def read_percentiles(member, series, unit):
    """They are bounds of bins, so they may lie a little out of the range."""
    low = series.min_ns - series.min_ns * COARSE - unit.ns
    high = (series.max_ns + unit.ns) * (1 + COARSE) + unit.ns
    before = None
    for key in sorted(member.value, key=lambda key: percent_of(member, key)):
        value = member.get(key, *NUMBER, NULL)
        found = None if value is None else unit.read(value)
        series.percentiles[percent_of(member, key)] = found
        if found is None:
            continue
        if not low <= found <= high:
            member.bad(key, f"{value}; a value from min "
                       f"{series.min_ns / unit.ns:g} to max "
                       f"{series.max_ns / unit.ns:g} is expected")
        if before is not None and found < before[1]:
            member.bad(key, f"{value} is less than the percentile "
                       f"{before[0]} is: {before[1] / unit.ns:g}")
        before = key, found


def percent_of(member, key):
    try:
        return float(key)
    except ValueError:
        member.bad(key, "no percentage")


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


def of_wakeup(thread):
    """Whether it has what cyclictest measures: twowaytest names it."""
    return thread.get("metric", str, default="wakeup") == "wakeup"


def read_cyclictest(data, name):
    unit = of_json(data.get("resolution_in_ns", int, default=0))
    found = [thread for thread in threads(data) if of_wakeup(thread)]
    series = [one for thread in found
              if (one := read_thread(thread, "wakeup", unit, unit)).count]
    if not series:
        raise InputError(data.path, "member thread",
                         "no cycles" if found else "no wakeup, which is "
                         "what cyclictest measures")
    part = Part(data.path, "cyclictest", name, program="cyclictest",
                series={"wakeup": combined(series)}, system=systems(data))
    part.count = part.series["wakeup"].count
    part.when = tr_when.read(data)
    text = data.get("cmdline:", str, default=None)
    part.settings = {"command line": text} | tr_cyclictest.settings(text)
    read_lab(data, part)
    if len(series) > 1:
        part.remarks.append(f"{len(series)} threads together")
    return part


def read_step(member, unit):
    """Of each pair, by its number: metric -> Series, where it has cycles."""
    tables = {}
    for thread in threads(member):
        pair = thread.get("pair", int, default=0)
        metric = thread.get("metric", str)
        if metric not in METRICS:
            thread.bad("metric", f"'{metric}' is none of "
                                 + ", ".join(METRICS))
        table = tables.setdefault(pair, {})
        if metric in table:
            thread.bad("metric", f"{metric} of pair {pair} is above already")
        table[metric] = read_thread(thread, metric, unit, US)
    return {pair: {key: one for key, one in table.items() if one.count}
            for pair, table in tables.items()}


def value_of(cycle, metric):
    """Of a cycle that was kept whole."""
    if metric == "planned":
        return cycle.get("wakeup_ns", int) + cycle.get("response_ns", int)
    if metric == "network":
        return cycle.get("response_ns", int) - cycle.get("sleep_ns", int)
    return cycle.get(f"{metric}_ns", int)


def read_worst(twoway, part):
    worst = twoway.inner("worst")
    found = [(worst.inner(metric), metric, part.worst)
             for metric in worst.value]
    spikes = twoway.inner("spikes")
    of = spikes.get("metric", str, default="total")
    found += [(spike, of, part.spikes) for spike in spikes.items("kept")]
    for cycle, metric, to in found:
        phases = {phase: cycle.get(f"{phase}_ns", int, default=None)
                  for phase in ALL_PHASES}
        to.append(Worst(metric, value_of(cycle, metric),
                        cycle.get("since_start_ns", int),
                        {key: one for key, one in phases.items()
                         if one is not None},
                        cycle.get("step", int, default=0),
                        cycle.get("pair", int, default=None)
                        if part.pairs else None))


def read_all(twoway, tables, unit):
    """Of all pairs together: what member all says, as the pairs have it."""
    known = tr_pairs.all_of(tables.values())
    every = twoway.inner("all")
    for metric, one in known.items():
        if metric not in every.value:
            continue
        found = read_thread(every.inner(metric), metric, unit, US)
        for key in ("count", "min_ns", "max_ns"):
            if getattr(found, key) != getattr(one, key):
                every.bad(metric, f"{key.removesuffix('_ns')} is "
                          f"{getattr(found, key)}, but that of the pairs in "
                          f"member thread is {getattr(one, key)}")
        found.dist = one.dist
        known[metric] = found
    return known


def read_pairs(data, twoway, tables):
    """What is known of each, beside its results."""
    pairs = tr_pairs.numbered(data.path, tables, "member thread")
    for thread in threads(data):
        pair = pairs[thread.get("pair", int, default=0)]
        cpu = thread.get("cpu", int, NULL, default=None)
        if cpu is not None and cpu >= 0:    # else it was on several
            pair.cpu = cpu
    for member in twoway.items("pairs"):
        number = member.get("pair", int)
        if not 0 <= number < len(pairs):
            member.bad("pair", f"{number}, of which member thread has "
                               "nothing")
        for key in ("interval_us", "missed", "inversions"):
            setattr(pairs[number], key, member.get(key, int, default=None))
    return pairs


def sides(twoway):
    """Settings of the processes; of all pairs, where these are unlike."""
    found = {}
    for member in [twoway, *twoway.items("pairs")]:
        for side, one in member.inner("processes").value.items():
            for key in ("cpus", "policy", "priority"):
                if isinstance(one, dict) and key in one:
                    found.setdefault(f"{side} {key}", []).append(one[key])
    return {key: values[0] if values.count(values[0]) == len(values)
            else " ".join(map(str, values[1:]))
            for key, values in found.items()}


def settings_of(twoway):
    settings = twoway.inner("settings")
    for key in ("interval_us", "sleep_us"):     # a dump is read by them
        settings.get(key, int, default=0)
    found = flat(settings)
    if len(settings.get("intervals_us", list, NULL, default=None)
           or []) == 1:
        found.pop("intervals_us", None)     # it is interval_us
    found |= {f"load {key}": value for key, value
              in flat(twoway.inner("load")).items()
              if key in ("kind", "command", "arguments", "policy",
                         "priority", "cpus", "workers")}
    found |= sides(twoway) | tr_hosts.settings(twoway)
    found["version"] = twoway.get("version", str, default=None)
    return found


def steps_of(twoway, unit):
    """As tr_pairs.add_steps() takes them."""
    for step in twoway.items("steps"):
        tables = read_step(step, unit)
        if any(tables.values()):
            yield step.get("workers", int), tables, {
                key: step.get(key, *types, default=None) for key, types in (
                    ("missed", (int,)), ("throttled", (int,)),
                    ("inversions", (int,)), ("work_per_second", NUMBER))}


def read_twoway(data, name):
    unit = of_json(data.get("resolution_in_ns", int))
    twoway = data.inner("twoway")
    if not data.get("thread", dict):
        raise InputError(data.path, "member thread",
                         "no measurement; this is the result of --check")
    part = Part(data.path, "json", name, program="twowaytest")
    part.when = tr_when.read(data)
    tables = read_step(data, unit)
    part.series = read_all(twoway, tables, unit) if len(tables) > 1 \
        else next(iter(tables.values()))
    if not part.series:
        why = twoway.get("error", str, NULL, default=None)
        raise InputError(data.path, "member thread",
                         f"no cycles: {why}" if why else "no cycles")
    if len(tables) > 1:
        part.pairs = read_pairs(data, twoway, tables)
    environment = twoway.inner("environment")
    part.settings = settings_of(twoway)
    part.system = systems(data) | {
        key: value for key, value in flat(environment).items()
        if key != "release"}
    tr_hosts.read(data, part)
    tr_pairs.add_steps(part, list(steps_of(twoway, unit)),
                       part.settings.get("ramp") == "pairs")
    part.count = twoway.get("cycles", int)
    # Of several pairs, all have the count of all together.
    most = max(part.series.values(), key=lambda series: series.count)
    if most.count > part.count:
        twoway.bad("cycles", f"{part.count}, but {most.metric} has "
                   f"{most.count} cycles in member thread")
    part.lost = twoway.get("not_dumped", int, default=0)
    part.virtual = environment.get("virtual", bool, NULL, default=None) is \
        True
    read_lab(data, part)
    read_worst(twoway, part)
    tr_oneway.read(twoway, part)
    tr_stamps.read(twoway, part)
    tr_remarks.read(twoway, part)
    tr_trace_cause.read(twoway, part)
    tr_hosts.remarks(twoway, part)
    return part


def read(data, name):
    if "twoway" in data.value:
        return [read_twoway(data, name)]
    if "thread" in data.value:
        return [read_cyclictest(data, name)]
    raise InputError(data.path, "member thread", "missing; results of "
                     "twowaytest, primitivetest or cyclictest are expected")
