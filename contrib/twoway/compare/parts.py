# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the parts that primitivetest measured take longer on another system?

Trials follow each other and are no more independent than cycles, so how much
they differ tells nothing of a further run: only several runs of each system do.
"""

import statistics

from twoway.compare import sure
from twoway.read.primitives import CALIBRATED, columns_of


def compared(first, other, column):
    """The averages of the runs of both, which have a ratio, or None.

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
    return [run.primitives.averages.get(column) or [one.avg_ns]
            for run, one in zip((first, other), found)]


def level(one, other, tries):
    """99 or 95: how sure a difference is; 0: it may be chance; None: there is
    but one run of a system."""
    if min(len(one), len(other)) < 2:
        return None
    off = abs(statistics.fmean(other) - statistics.fmean(one))
    return next((found for found in (99, 95) if off > sure.spread(
        one, other, sure.each((1 - found / 100) / 2, tries))), 0)


def ratios(first, other, systems=2):
    """(column, ratio, how sure) of all that can be compared."""
    found = {column: sides for column in columns_of([first, other])
             if (sides := compared(first, other, column))}
    return [(column, statistics.fmean(sides[1]) / statistics.fmean(sides[0]),
             level(*sides, len(found) * (systems - 1)))
            for column, sides in found.items()]
