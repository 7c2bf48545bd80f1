# SPDX-License-Identifier: GPL-2.0-or-later
"""What primitivetest measured: the parts, one by one. All times are in ns."""

import dataclasses
import math
import statistics

from twoway.read import remarks

GROUP = "primitives"    # of these parts: they are no run of twowaytest
PROGRAM = "primitivetest"
FEWEST = 400            # trials; below, how sure something is is not known
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

    def test_of(self, column):
        """The token of the test that a column is of."""
        return column.partition(".")[0]


def split(runs):
    """Those of twowaytest and others, and those of primitivetest."""
    parts = [run for run in runs if run.primitives]
    for run in parts:       # the group has kept them apart while they were read
        run.group = ""
    return [run for run in runs if not run.primitives], parts


def columns_of(parts):
    """Of all systems, in the order in which they were measured."""
    return list(dict.fromkeys(
        column for run in parts for column in run.primitives.series))


def compared(first, other, column):
    """The two series whose averages have a ratio, or None.

    An average that the test was told to have says nothing, nor does that of
    work of another size.
    """
    found = [run.primitives.series.get(column) for run in (first, other)]
    if None in found or min(one.avg_ns for one in found) <= 0 or \
            any(one.target_ns is not None for one in found):
        return None
    work = first.settings.get("work")
    if first.primitives.test_of(column) == CALIBRATED and (
            not work or other.settings.get("work") != work):
        return None
    return found


def sure(found, tries=1):
    """99 or 95, of what compared() has returned, if trials are independent.

    0: the difference may be chance; None: it cannot be told.
    """
    if any(one.std_ns is None or one.count < FEWEST for one in found):
        return None
    off = abs(found[1].avg_ns - found[0].avg_ns) / (math.sqrt(
        sum(one.std_ns ** 2 / one.count for one in found)) or 1e-9)
    return next((level for level in (99, 95) if off > statistics.NormalDist()
                 .inv_cdf(1 - (1 - level / 100) / 2 / tries)), 0)


def ratios(first, other):
    """(column, ratio, how sure) of all that can be compared."""
    columns = [(column, found) for column in columns_of([first, other])
               if (found := compared(first, other, column))]
    return [(column, found[1].avg_ns / found[0].avg_ns,
             sure(found, len(columns))) for column, found in columns]
