# SPDX-License-Identifier: GPL-2.0-or-later
"""How exact an average or a percentile of a run is known.

Cycles that follow each other are alike, so the means of whole blocks tell, not
single cycles; and each step of a ramp is compared with itself only. For how
long cycles are alike is unknown: blocks of several lengths are tried, and the
length that makes the widest interval counts.

A percentile's interval has all values that it may have been: those which a
share of the cycles exceeds that differs from the percentile's own by no more
than that share's uncertainty, by the blocks as above.

None of it holds for a level that wanders through the run as a whole. Then the
interval is widened by twice of what blocks differ by.
"""

import dataclasses
import math

import numpy

from tr_stats import Distribution, rank_of, student

BLOCKS = 64             # a step
LENGTHS = (64, 32, 16)  # of blocks: as many to a step
SHORTEST = 2 * BLOCKS   # cycles of a step
FINE = 1.15             # from one bound to the next, in ranks off a percentile
# Mean square of the sums of deviations so far: 1/6 is usual, more than this
# comes by chance with one of 400 figures.
WANDERS = 1.0


@dataclasses.dataclass
class Estimate:
    """A figure, and its confidence interval; infinite if that is open."""
    value_ns: float
    low_ns: float
    high_ns: float


@dataclasses.dataclass
class Run:
    """What a run tells of one metric. Columns: the average, each bound."""
    dist: Distribution
    average_ns: float
    bounds: numpy.ndarray       # values, in ns
    share: numpy.ndarray        # of cycles up to each
    variances: dict             # blocks -> columns, and degrees of freedom
    wander: numpy.ndarray
    reach: numpy.ndarray        # of means of the longest blocks


def bounds_of(dist, percents):
    """Values at some ranks: closer to each other where percentiles lie."""
    count = dist.count
    steps = math.ceil(math.log(count) / math.log(FINE)) + 1
    off = numpy.unique(numpy.round(FINE ** numpy.arange(steps)))
    off = numpy.concatenate([-off, [0], off])
    ranks = numpy.concatenate([[1, count]] + [
        rank_of(count, percent) + off for percent in percents])
    index = numpy.searchsorted(dist.cumulated,
                               numpy.clip(ranks, 1, count).astype(int))
    return numpy.unique(dist.values[numpy.clip(index, 0,
                                               len(dist.values) - 1)])


def table_of(values, bounds):
    """A row a block: cycles, sum of values, cycles up to each bound."""
    rows = numpy.empty((BLOCKS, 2 + len(bounds)))
    for row, block in zip(rows, numpy.array_split(values, BLOCKS)):
        row[0] = len(block)
        row[1] = block.sum(dtype=numpy.int64)
        row[2:] = numpy.bincount(numpy.searchsorted(bounds, block),
                                 minlength=len(bounds)).cumsum()
    return rows


def means(table, count):
    """Of each column, with so many blocks: a row a block."""
    sums = table.reshape(count, BLOCKS // count, -1).sum(axis=1)
    return sums[:, 1:] / sums[:, :1]


def of_steps(steps, dist, percents):
    """Of a dump; steps: the values of each."""
    bounds = bounds_of(dist, percents)
    total, width = sum(map(len, steps)), 1 + len(bounds)
    variance = {count: numpy.zeros(width) for count in LENGTHS}
    wander, cycles = numpy.zeros(width), numpy.zeros(width + 1)
    low, high = numpy.zeros(width), numpy.zeros(width)
    for values in steps:
        table = table_of(values, bounds.astype(values.dtype))
        cycles += table.sum(axis=0)
        for count in LENGTHS:
            found = means(table, count)
            variance[count] += found.var(axis=0, ddof=1) / count * \
                (len(values) / total) ** 2
        off = found - found.mean(axis=0)        # of the longest blocks
        low, high = numpy.minimum(low, off.min(0)), \
            numpy.maximum(high, off.max(0))
        wander += wandering(means(table, BLOCKS)) / len(steps)
    return Run(dist, cycles[1] / total, bounds, cycles[2:] / total,
               {count: (variance[count], len(steps) * (count - 1))
                for count in LENGTHS}, wander, high - low)


def wandering(found):
    """The statistic of Kwiatkowski, Phillips, Schmidt and Shin."""
    off = found - found.mean(axis=0)
    sums = (off.cumsum(axis=0) ** 2).sum(axis=0)
    spread = found.var(axis=0, ddof=1)
    return numpy.divide(sums, len(found) ** 2 * spread, where=spread > 0,
                        out=numpy.zeros_like(sums))


def of_histogram(dist, average_ns, percents):
    """Of cycles that are taken as independent of each other."""
    bounds = bounds_of(dist, percents)
    share = dist.cumulated[numpy.searchsorted(dist.values, bounds)] / \
        dist.count
    variance = numpy.concatenate([[dist.deviation() ** 2],
                                  share * (1 - share)]) / dist.count
    nothing = numpy.zeros(len(variance))
    return Run(dist, average_ns, bounds, share, {1: (variance, math.inf)},
               nothing, nothing)


def column(run, percent):
    """Of a percentile's value in the tables."""
    value = run.dist.at_rank(rank_of(run.dist.count, percent))
    return 1 + int(numpy.searchsorted(run.bounds, value))


def steady(run, percents):
    """Whether neither average nor percentiles wander through the run."""
    return all(run.wander[i] <= WANDERS
               for i in [0, *(column(run, percent) for percent in percents)])


def estimates(run, percents, alpha):
    """Of the average and each percentile; alpha: the risk at each end."""
    # The variance that independent cycles have is the least of a share.
    least = numpy.concatenate([[0], run.share * (1 - run.share)]) / \
        run.dist.count
    squares = numpy.max([student(alpha, freedom) ** 2 *
                         numpy.maximum(variance, least)
                         for variance, freedom in run.variances.values()],
                        axis=0)
    more = run.reach * (0 if steady(run, percents) else 2)
    half = math.sqrt(squares[0]) + more[0]
    return [Estimate(run.average_ns, run.average_ns - half,
                     run.average_ns + half)] + [
        percentile(run, percent, alpha, squares[1:], least[1:], more[1:])
        for percent in percents]


def percentile(run, percent, alpha, squares, least, more):
    """squares: of a share's uncertainty; least: if cycles were independent;
    more: what is added to it.
    """
    at, wanted = column(run, percent) - 1, percent / 100
    # Few cycles may lie beyond a bound by chance alike: what is known of how
    # alike they are at the percentile holds there, too.
    factor = numpy.divide(squares, least, where=least > 0,
                          out=numpy.zeros_like(squares))
    factor[at:] = numpy.maximum.accumulate(factor[at:])
    factor[at::-1] = numpy.maximum.accumulate(factor[at::-1])
    doubt = numpy.sqrt(factor * least) + more
    below = numpy.flatnonzero(run.share + doubt < wanted)
    above = numpy.flatnonzero((run.share - doubt >= wanted) & (run.share < 1))
    # Of groups of alike cycles, perhaps none came beyond the ends by chance.
    groups = run.dist.count / max(
        factor[at] / student(alpha, math.inf) ** 2, 1)
    surely = math.inf if more.any() else -math.log(alpha)
    low = float(run.dist.values[0]) if groups * wanted >= surely \
        else -math.inf
    high = float(run.dist.values[-1]) if groups * (1 - wanted) >= surely \
        else math.inf
    if len(below):      # it is larger, so at least the next that came
        low = float(run.dist.values[1 + numpy.searchsorted(
            run.dist.values, run.bounds[below[-1]])])
    if len(above):
        high = float(run.bounds[above[0]])
    return Estimate(run.dist.at_rank(rank_of(run.dist.count, percent)), low,
                    high)
