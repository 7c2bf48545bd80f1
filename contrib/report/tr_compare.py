# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether two systems differ by more than chance: for the report's verdict.

The averages are compared by Welch's test. Cycles that follow each other are
alike, so it takes the means of blocks of a dump, as tr_interval has them; of
the numbers of blocks that are tried, the one that is least sure counts.
Percentiles are compared by the intervals of tr_interval. Without a dump,
cycles are taken as independent of each other.
"""

import dataclasses
import itertools
import math

import numpy

import tr_interval
from tr_stats import Distribution, student

LEVELS = (99, 95)       # percent; less is chance
FEWEST = 400            # cycles that tell anything


@dataclasses.dataclass
class Side:
    """What is known of one metric of a run."""
    value_ns: float                 # the average
    variances: dict                 # of it: as tr_interval.Run has them
    more_ns: float = 0              # as the level changes slowly
    run: tr_interval.Run | None = None      # None: no percentiles
    blocks: bool = False            # whether cycles may be alike


def long_steps(run, metric):
    """Values of each step of a dump that has enough cycles."""
    return [run.cycles.values(metric, part) for part in run.cycles.slices()
            if part.stop - part.start >= tr_interval.SHORTEST]


def side_of(run, metric, percents):
    """None if the run has too few cycles, or does not tell."""
    key = metric, *percents
    if key not in run.sides:
        run.sides[key] = new_side(run, metric, percents)
    return run.sides[key]


def new_side(run, metric, percents):
    series = run.series[metric]
    if not series.count or series.count < FEWEST:
        return None
    if run.cycles and metric in run.cycles.metrics() and \
            (steps := long_steps(run, metric)):
        found = tr_interval.of_steps(
            steps, Distribution.of(numpy.concatenate(steps)), percents)
        steady = tr_interval.steady(found, percents)
        return Side(series.avg_ns, means_only(found),
                    0 if steady else 2 * float(found.reach[0]), found, True)
    if series.dist and series.dist.complete:
        found = tr_interval.of_histogram(series.dist, series.avg_ns,
                                         percents)
        return Side(series.avg_ns, means_only(found), run=found)
    if series.std_ns is None:
        return None
    return Side(series.avg_ns, {1: (series.std_ns ** 2 / series.count,
                                    math.inf)})


def means_only(found):
    return {count: (float(variance[0]), freedom)
            for count, (variance, freedom) in found.variances.items()}


def welch_half_ns(a, b, alpha):
    """Half of the difference's interval; alpha: the risk at both ends."""
    widest = 0.0
    for (one, own), (two, other) in itertools.product(
            a.variances.values(), b.variances.values()):
        if one + two:
            weight = one ** 2 / own + two ** 2 / other
            freedom = (one + two) ** 2 / weight if weight else math.inf
            widest = max(widest, student(alpha / 2, freedom) *
                         math.sqrt(one + two))
    return widest + a.more_ns + b.more_ns


def half_ns(side, alpha):
    """Of the average's own interval."""
    return side.more_ns + max(
        student(alpha / 2, freedom) * math.sqrt(variance)
        for variance, freedom in side.variances.values())


def sure_of_average(a, b, tries=1):
    """The highest of LEVELS that a difference reaches; 0: it may be chance.

    None if a side does not tell. tries: how many such questions are asked.
    """
    if None in (a, b):
        return None
    return next((level for level in LEVELS
                 if abs(a.value_ns - b.value_ns) > welch_half_ns(
                     a, b, (1 - level / 100) / tries)), 0)


def sure_of_percentile(a, b, percent, tries=1):
    """As sure_of_average()."""
    if None in (a, b) or None in (a.run, b.run):
        return None
    for level in LEVELS:
        alpha = (1 - level / 100) / tries / 2
        one, two = (tr_interval.estimates(side.run, [percent], alpha)[1]
                    for side in (a, b))
        middle = two.value_ns - one.value_ns
        off = math.hypot(two.value_ns - two.low_ns,
                         one.high_ns - one.value_ns) if middle > 0 else \
            math.hypot(two.high_ns - two.value_ns,
                       one.value_ns - one.low_ns)
        if abs(middle) > off:
            return level
    return 0
