# SPDX-License-Identifier: GPL-2.0-or-later
"""What primitivetest measured: the parts, one by one. All times are in ns."""

import dataclasses
import statistics

from twoway.read import remarks
from twoway.series.model import systems_of
from twoway.series.stats import combined

GROUP = "primitives"    # of these parts: they are no run of twowaytest
PROGRAM = "primitivetest"
ENOUGH = 0.99           # of the switches that the trials need
CALIBRATED = "work"     # of its own size on each system, unless it is fixed


@dataclasses.dataclass
class Test:
    """A test that was run or skipped."""
    name: str
    test: str                       # without kind, tasks and CPUs
    trials: int | None = None
    skipped: str | None = None
    needed: int = 0                 # switches, and how many there were
    had: int = 0
    throttled: int = 0
    missed: int = 0
    changed: list = dataclasses.field(default_factory=list)     # tasks
    failed: list = dataclasses.field(default_factory=list)      # texts
    columns: list = dataclasses.field(default_factory=list)

    def troubles(self):
        """Why its figures are missing, or not what they should be."""
        if self.skipped:
            yield f"skipped: {self.skipped}"
        if self.had < ENOUGH * self.needed:
            yield f"not switched: {self.had} of {self.needed} switches " \
                "happened"
        yield from remarks.counted(missed=self.missed)
        if self.throttled:
            yield f"throttled: {self.throttled} of {self.trials} trials"
        for task in self.changed:
            yield f"task {task} changed policy, priority or CPUs while it ran"
        yield from (f"failed: {text}" for text in self.failed)


@dataclasses.dataclass
class Derived:
    name: str
    value: float
    unit: str


@dataclasses.dataclass
class Primitives:
    """What one file has."""
    tests: dict = dataclasses.field(default_factory=dict)
    series: dict = dataclasses.field(default_factory=dict)  # by column
    derived: list = dataclasses.field(default_factory=list)
    averages: dict = dataclasses.field(default_factory=dict)    # of each run

    def test_of(self, column):
        """The token of the test that a column is of."""
        return column.partition(".")[0]


def split(runs):
    """Those of twowaytest and others, and those of primitivetest."""
    parts = [run for run in runs if run.primitives]
    for run in parts:       # the group has kept them apart while they were read
        run.group = ""
    return [run for run in runs if not run.primitives], [
        some[0] if not some[1:] else together(name, some)
        for name, some in systems_of(parts).items()]


def together(name, runs):
    """The runs of a system as one: its first, with the results of all."""
    run, found = runs[0], [run.primitives for run in runs]
    values = {}
    for one in found:
        for column, series in one.series.items():
            values.setdefault(column, []).append(series)
    derived = {}
    for one in (one for own in found for one in own.derived):
        derived.setdefault((one.name, one.unit), []).append(one.value)
    run.name = name
    run.troubles = [text for one in runs for text in one.troubles]
    run.primitives = Primitives(
        {(i, key): test for i, one in enumerate(found)
         for key, test in one.tests.items()},
        {column: joined(some) for column, some in values.items()},
        [Derived(key, statistics.fmean(some), unit)
         for (key, unit), some in derived.items()],
        {column: [one.avg_ns for one in some]
         for column, some in values.items()})
    return run


def joined(series):
    """Of all trials, but the mean of the runs' percentiles."""
    found = combined(series)
    found.target_ns = series[0].target_ns
    found.percentiles = {
        percent: statistics.fmean(known) for percent in series[0].percentiles
        if None not in (known := [one.percentile(percent) for one in series])}
    return found


def columns_of(parts):
    """Of all systems, in the order in which they were measured."""
    return list(dict.fromkeys(
        column for run in parts for column in run.primitives.series))
