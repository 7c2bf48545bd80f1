# SPDX-License-Identifier: GPL-2.0-or-later
"""Columns of twowaytest --json: a member of thread is of a pair.

It has the latency, or what --metrics named, and all metrics as its phases.
"""

import re

from twoway.read import hosts
from twoway.read.hosts import SIDES, alike
from twoway.read.member import NULL, NUMBER, flat
from twoway.read.thread import metric_of, read_thread, threads
from twoway.series.model import METRICS, InputError, Pair
from twoway.series.pairs import add_steps, all_of, numbered
from twoway.series.stats import Distribution
from twtools.units import US

# Settings that have their unit in the name elsewhere.
NAMED = {"interval": "interval_us", "sleep": "sleep_us",
         "duration": "duration_s"}
# These change what is written, and where, but nothing that is measured; in both
# programs. --trace is none of them, as the kernel records meanwhile.
OUTPUT = {"bin", "breaks", "check", "dump", "histfile",
          "histofall", "histogram", "json", "list", "nsecs", "on-break",
          "quiet", "refresh_on_max", "rsh", "spike", "spike-nodes", "timeline",
          "trace-file", "trltp-log", "unbuffered", "us", "verbose", "worst"}
OF_PAIRS = {"distance", "priospread"}   # of one pair, they change nothing


def settings(twoway):
    given = twoway.inner("settings")
    given.get("sleep", int, default=0)
    breaks = given.get("breaktrace", int, str, default=0)
    if not re.fullmatch(r"(\w+:)?-?[0-9]{1,18}", str(breaks)):
        given.bad("breaktrace", "no METRIC:US")
    interval = given.get("interval", int, list, default=0)
    if interval == [] or isinstance(interval, list) and not all(
            type(us) is int for us in interval):
        given.bad("interval", "no list of numbers")
    found = {NAMED.get(key, key): "none" if value is None else value
             for key, value in flat(given).items()
             if key not in OUTPUT and (
                 key not in OF_PAIRS or len([*twoway.items("pairs")]) > 1)}
    if isinstance(interval, list):      # a pair has one
        found["intervals_us"] = found["interval_us"]
        found["interval_us"] = interval[0]
    if twoway.value.get("load") == []:
        found["load kind"] = "none"
    loads = list(twoway.items("load"))
    for key in ("kind", "priority"):
        if loads:
            found[f"load {key}"] = alike([one.value.get(key) for one in loads])
    for unit in {load.value.get("unit"): None for load in loads}:
        found[f"load {unit}"] = alike([
            one.value.get("units") for one in loads
            if one.value.get("unit") == unit])
    for side in SIDES:
        for key in ("cpus", "policy", "priority"):
            known = hosts.column(twoway, side, key)
            found[f"{side} {key}"] = None if known == "?" else known
    found["clocks"] = "two" if hosts.two(twoway) else "one"
    found["version"] = twoway.get("version", str, default=None)
    return found


def phases(member, unit, targets):
    """Metric -> Series."""
    found = member.inner("phases")
    for metric in found.value.keys() - METRICS.keys():
        found.bad(metric, "no metric; there are " + ", ".join(METRICS))
    table = {metric: read_thread(found.inner(metric), metric, unit, US)
             for metric in found.value}
    return aimed({metric: one for metric, one in table.items() if one.count},
                 targets)


def aimed(table, targets):
    """Without rms, the deviation is from the target, as in older files."""
    for metric in table.keys() & targets:
        series = table[metric]
        series.target_ns = targets[metric] or None
        if series.target_ns and series.rms_ns is None:
            series.rms_ns, series.std_ns = series.std_ns, None
    return table


def add_response(table, sleep_ns):
    """The latency has the sleep that was asked for left out of it."""
    latency, response = table.get("latency"), table.get("response")
    if not latency or not response or response.dist:
        return
    if latency.dist:
        one = latency.dist
        response.dist = Distribution(one.values + sleep_ns, one.counts,
                                     one.unit, one.below, one.above)
    response.percentiles = {
        percent: None if value is None else value + sleep_ns
        for percent, value in latency.percentiles.items()}


def tables_of(data, unit, sleep_ns):
    """Of each pair, by its number: metric -> Series; and its Pair."""
    tables, pairs = {}, {}
    for thread in threads(data):
        number, metric = thread.get("pair", int), metric_of(thread)
        interval_us = thread.get("interval_us", int)
        targets = {"sleep": sleep_ns, "interval": interval_us * 1000}
        table = tables.setdefault(number, phases(thread, unit, targets))
        one = read_thread(thread, metric, unit, US)
        if one.count and metric in METRICS:
            table |= aimed({metric: one}, targets)
        cpu = thread.get("cpu", int, NULL, default=None)
        pairs[number] = Pair(
            number, table, interval_us=interval_us,
            cpu=None if cpu is None or cpu < 0 else cpu)    # several
    for table in tables.values():
        add_response(table, sleep_ns)
    return tables, pairs


def steps_of(twoway, unit, targets):
    """As add_steps() takes them."""
    for i, step in enumerate(twoway.items("steps")):
        pairs = list(step.items("pairs"))   # of a ramp of pairs
        tables = {k: phases(one, unit, targets)
                  for k, one in enumerate(pairs or [step])}
        if not any(tables.values()):
            continue
        known = {"missed": step.get("missed", int, default=None)}
        if pairs:
            known["missed"] = sum(one.get("missed", int) for one in pairs)
            known["inversions"] = pairs[0].get("inversions", int)
        yield step.get("units", int, default=i), tables, known | {
            "work_per_second": step.get("rate", *NUMBER, default=None)}


def read(data, part, unit):
    twoway = data.inner("twoway")
    part.settings = settings(twoway)
    hosts.read(data, part)
    sleep_ns = part.settings.get("sleep_us", 100) * 1000
    tables, pairs = tables_of(data, unit, sleep_ns)
    part.series = all_of(tables.values())
    if not part.series:
        raise InputError(data.path, "member thread", "no cycles")
    missed = [pair.get("missed", int) for pair in twoway.items("pairs")]
    if len(tables) > 1:
        numbered(data.path, tables, "member thread")
        part.pairs = [pairs[number] for number in sorted(pairs)]
        inversions = dict(enumerate(twoway.get("inversions", list,
                                               default=[])))
        for pair in part.pairs:
            pair.missed = dict(enumerate(missed)).get(pair.number)
            pair.inversions = inversions.get(pair.number)
    targets = {"sleep": sleep_ns} | (
        {} if part.pairs else
        {"interval": next(iter(pairs.values())).interval_us * 1000})
    add_steps(part, list(steps_of(twoway, unit, targets)),
              part.settings.get("ramp") == "pairs")
    part.count = max(one.count for one in part.series.values())
    # A cycle that the run's end has cut short may have but some metrics.
    if twoway.value.get("unanswered") and "response" in part.series:
        part.count = part.series["response"].count
    part.missed = sum(missed)
