# SPDX-License-Identifier: GPL-2.0-or-later
"""TRLTP logs; of several pairs, each has a log of its own in one file."""

import re

from report.read import pairs
from report.read.model import METRICS, InputError, Part, Series
from report.read.stats import Distribution
from report.read.text import MARK, lines_of, numbers
from twtools.units import US, Unit

TENS = Unit(10 * US.ns)        # bins
LABELS = {label: metric for metric, (label, _) in METRICS.items()} | {
    "Timer Interval Time": "interval"}  # of another timer
SLEEP = re.compile(r"nanosleep\(\d+ Micro Sec\)")  # TRLTP itself has 100
LOG_LABEL = re.compile(r"(.+) \(Micro Sec\)")
LOG_VALUES = ("Minimum", "Average", "Maximum", "Standard Deviation", "Count")


class Log:
    """A TRLTP log, taken line by line."""

    def __init__(self, path):
        self.path = path
        lines = lines_of(path)
        self.virtual = any(MARK.match(line) for _, line in lines)
        self.lines = [(number, line) for number, line in lines
                      if line and not line.startswith("#")]
        self.end = len(self.lines)

    def next(self):
        return self.lines[0] if self.lines else (None, "")

    def bad(self, why):
        number, line = self.next()
        raise InputError(self.path, number or "end",
                         f"{why} is expected, not '{line[:60]}'"
                         if number else f"cut off: {why} is expected")

    def follows(self, key):
        return self.next()[1].startswith(f"{key},")

    def value(self, key, kind):
        number, line = self.next()
        name, _, text = line.partition(",")
        if name != key:
            self.bad(f"'{key},VALUE'")
        del self.lines[0]
        return numbers(self.path, number, [text], kind)[0]

    def metric(self):
        match = LOG_LABEL.fullmatch(self.next()[1])
        metric = match and ("sleep" if SLEEP.fullmatch(match[1]) else
                            LABELS.get(match[1]))
        if not metric:
            self.bad("the name of a metric")
        del self.lines[0]
        low, avg, high, std = (US.read(self.value(key, float))
                               for key in LOG_VALUES[:4])
        count = self.value("Count", int)
        if self.next()[1] != "Lower Bound,Count":
            self.bad("'Lower Bound,Count'")
        first = self.lines.pop(0)[0]
        of_sleep = metric == "sleep"    # it is from what was asked for
        return Series(metric, count, low, avg, high,
                      None if of_sleep else std,
                      rms_ns=std if of_sleep else None,
                      dist=self.bins(first, count))

    def bins(self, first, count):
        bins, outside = [], {"below": 0, "above": 0}
        while re.match(r"(\d+|below|above),", self.next()[1]):
            number, line = self.lines.pop(0)
            bound, _, text = line.partition(",")
            value = numbers(self.path, number, [text])[0]
            if bound in outside:
                outside[bound] = value
            else:
                low = numbers(self.path, number, [bound])[0]
                bins.append((US.read(low), value))
        found = sum(value for _, value in bins) + sum(outside.values())
        if found != count:
            raise InputError(self.path, first, f"the bins below add up to "
                             f"{found}, 'Count' says {count}")
        if not bins:
            return None
        values, counts = zip(*sorted(bins))
        return Distribution(values, counts, TENS, **outside)


def read_steps(log):
    """(line, workers, tables by pair) each.

    A pair that the step has already begins another step.
    """
    steps = []
    while log.lines:
        number = log.next()[0]
        workers = log.value("Workers", int)
        pair = log.value("Pair", int) if log.follows("Pair") else 0
        if not steps or workers != steps[-1][1] or pair in steps[-1][2]:
            steps.append((number, workers, {}))
        table = {}
        while log.lines and not log.follows("Workers"):
            series = log.metric()
            if series.count:
                table[series.metric] = series
        if not table:
            log.bad("the name of a metric")
        steps[-1][2][pair] = table
    if not steps:
        raise InputError(log.path, None, "no steps")
    return steps


def read_log(path, name):
    log = Log(path)
    lines, workers, tables = zip(*read_steps(log))
    ramp = pairs.grows(list(map(len, tables)))
    for i, number in enumerate(workers):
        if number in workers[:i] and not ramp:
            raise InputError(path, lines[i], f"a step with {number} workers "
                             "is above already")
    part = Part(str(path), "log", name, virtual=log.virtual,
                series=pairs.all_of(tables[-1].values()))
    pairs.add_steps(part, [(*step, {}) for step in zip(workers, tables)],
                    ramp)
    if len(tables[-1]) > 1:
        part.pairs = pairs.numbered(path, tables[-1])
    part.count = sum(max(series.count for series in table.values())
                     for found in tables for table in found.values())
    if len(tables) > 1:
        part.remarks.append(
            f"{len(tables)} steps; the log has no results of all together, "
            "so those of the last stand there, " + (
                f"{len(tables[-1])} pairs" if ramp else
                f"{workers[-1]} workers"))
    return [part]
