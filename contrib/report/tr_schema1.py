# SPDX-License-Identifier: GPL-2.0-or-later
"""Schema 1 of twowaytest --json: a member of thread is a metric of a pair."""

import tr_pairs
from tr_member import NULL, NUMBER, flat
from tr_model import InputError
from tr_thread import metric_of, read_thread, threads
from twtools.units import US


def read_step(member, unit):
    """Of each pair, by its number: metric -> Series, where it has cycles."""
    tables = {}
    for thread in threads(member):
        pair = thread.get("pair", int, default=0)
        metric = metric_of(thread)
        table = tables.setdefault(pair, {})
        if metric in table:
            thread.bad("metric", f"{metric} of pair {pair} is above already")
        table[metric] = read_thread(thread, metric, unit, US)
    return {pair: {key: one for key, one in table.items() if one.count}
            for pair, table in tables.items()}


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
    found |= sides(twoway)
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


def read(data, part, unit):
    twoway = data.inner("twoway")
    tables = read_step(data, unit)
    part.series = read_all(twoway, tables, unit) if len(tables) > 1 \
        else next(iter(tables.values()))
    if not part.series:
        why = twoway.get("error", str, NULL, default=None)
        raise InputError(data.path, "member thread",
                         f"no cycles: {why}" if why else "no cycles")
    if len(tables) > 1:
        part.pairs = read_pairs(data, twoway, tables)
    part.settings = settings_of(twoway)
    if part.settings.get("clocks") == "two":
        twoway.bad("settings.clocks", "two; results of two hosts are read "
                   "from schema 2 on: measure again")
    tr_pairs.add_steps(part, list(steps_of(twoway, unit)),
                       part.settings.get("ramp") == "pairs")
    part.count = twoway.get("cycles", int)
    # Of several pairs, all have the count of all together.
    most = max(part.series.values(), key=lambda series: series.count)
    if most.count > part.count:
        twoway.bad("cycles", f"{part.count}, but {most.metric} has "
                   f"{most.count} cycles in member thread")
    part.missed = twoway.get("missed", int, default=None)
