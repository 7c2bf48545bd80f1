# SPDX-License-Identifier: GPL-2.0-or-later
"""Text without histogram: status lines, and below them the phases.

A status line of cyclictest is a thread; one of twowaytest is the latency of a
pair, or with --metrics what it is named after.
"""

import re

from report.read import pairs, remarks
from report.read.model import METRICS, InputError, Part, Series
from report.read.text import MARK, lines_of, numbers
from twtools.units import NS, US

LINE = re.compile(r"T: ?(\d+) \( *\d+\) P: ?\d+ I:\d+ C: *(\d+) Min: *(-?\d+) "
                  r"Act:( *-?\d+) Avg: *(-?\d+) Max: *(-?\d+)"
                  r"(?: Std: *([\d.]+) (\w+))?$", re.ASCII)
PHASE = re.compile(rf"# ({'|'.join(METRICS)}) +(-?\d+) +(-?\d+) +(-?\d+) +"
                   r"([\d.]+)$", re.ASCII)
STEP = re.compile(r"# Step \d+/\d+: .*?(\d+) (\w+)(?: clients?)?$", re.ASCII)
MISSED = re.compile(r"# Missed: (\d+)$", re.ASCII)
WIDE = 8                # digits of Act if it is in ns


class Block:
    """A step, or the whole run."""

    def __init__(self, workers=None):
        self.workers = workers
        self.columns = {}       # number -> (metric or None, count, values)
        self.phases = {}        # metric -> values
        self.unit = NS

    def take(self, path, number, line):
        if match := LINE.match(line):
            column, count, low, act, avg, high, std, metric = match.groups()
            if len(act) < WIDE:
                self.unit = US
            values = numbers(path, number, [low, avg, high, std or "0"], float)
            column, count = numbers(path, number, [column, count])
            self.columns[column] = metric, count, values
        elif match := PHASE.match(line):
            low, avg, high, std = numbers(path, number, match.groups()[1:],
                                          float)
            self.phases[match[1]] = low, avg, high, std

    def series(self, metric, count, values, has_std):
        """Nothing tells whether that of these is from the mean."""
        has_std = has_std and metric not in pairs.TARGETED
        low, avg, high, std = map(self.unit.read, values)
        return Series(metric, count, low, avg, high, std if has_std else None,
                      unit=self.unit, avg_unit=self.unit)

    def tables(self, ours):
        """Of each pair: metric -> Series."""
        tables = [{}]
        for _, (metric, count, values) in sorted(self.columns.items()):
            name = metric or ("latency" if ours else "wakeup")
            if name in tables[-1]:
                tables.append({})
            tables[-1][name] = self.series(name, count, values, metric)
        return tables

    def all(self, ours):
        """Of all pairs together, with what is printed of these only."""
        tables = self.tables(ours)
        found = pairs.all_of(tables)
        count = max((one.count for one in found.values()), default=0)
        return found | {
            metric: self.series(metric, count, values, True)
            for metric, values in self.phases.items() if count}


def read(path, name):
    part = Part(str(path), "text", name)
    blocks, missed, ramp = [Block()], 0, False
    lines = lines_of(path)
    for number, line in lines:
        part.virtual |= bool(MARK.match(line))
        if match := STEP.match(line):
            blocks.append(Block(*numbers(path, number, [match[1]])))
            ramp = match[2] == "other"
        elif match := MISSED.match(line):
            missed, = numbers(path, number, [match[1]])
        blocks[-1].take(path, number, line)
    blocks = [block for block in blocks if block.columns]
    ours = any(block.phases or any(metric for metric, *_ in
                                   block.columns.values())
               for block in blocks)
    part.program = "twowaytest" if ours else "cyclictest"
    remarks.read_text(lines, part)
    part.series = pairs.all_of([block.all(ours) for block in blocks])
    if not part.series:
        raise InputError(path, None, "no cycles")
    if ours:
        part.missed = missed
    steps = [block.tables(ours) for block in blocks]
    most = max(map(len, steps))
    if ours and most > 1:
        part.pairs = pairs.numbered(path, {
            i: pairs.all_of([tables[i] for tables in steps
                             if i < len(tables)]) for i in range(most)})
    pairs.add_steps(part, [
        (block.workers, dict(enumerate(tables)) if ramp else
         {0: block.all(ours)}, {})
        for block, tables in zip(blocks, steps)], ramp)
    part.count = max(one.count for one in part.series.values())
    return [part]
