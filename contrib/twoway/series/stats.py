# SPDX-License-Identifier: GPL-2.0-or-later
"""Distributions, and what follows from them."""

import math

import numpy

from twoway.series.model import BEYOND, Series
from twtools.units import NS

BLOCKS = 64             # of a run, see compare.sure
PIECE = 1 << 18         # values handled at a time
DENSE = 1 << 24         # ns of range, at most, that are counted, not sorted
SPARSE = 8              # ns of range a value: more are sorted, in less time


def small(values):
    """The same numbers in as few bytes as they need, of 4 and 8."""
    if values.size and (values.min() < -2**31 or values.max() >= 2**31):
        return values.astype(numpy.int64, copy=False)
    return values.astype(numpy.int32)


class Distribution:
    """How often each value came: exact, or by bins of a unit.

    A bin goes by its lower bound, as tools print it. below and above count
    what a histogram did not hold.
    """

    def __init__(self, values, counts, unit=NS, below=0, above=0):
        self.values = numpy.asarray(values, numpy.int64)
        self.counts = numpy.asarray(counts, numpy.int64)
        self.unit = unit
        self.below = below
        self.above = above
        self.cumulated = below + numpy.cumsum(self.counts)
        self.count = int(self.counts.sum()) + below + above

    @classmethod
    def of(cls, values):
        """Of single values, at least one."""
        low, high = int(values.min()), int(values.max())
        if high - low < min(DENSE, SPARSE * len(values)):
            counts = numpy.zeros(high - low + 1, numpy.int64)
            for start in range(0, len(values), PIECE * 16):
                piece = values[start:start + PIECE * 16] - low
                found = numpy.bincount(piece)
                counts[:len(found)] += found
            used = numpy.flatnonzero(counts)
            return cls(used + low, counts[used])
        return cls(*numpy.unique(values, return_counts=True))

    @property
    def complete(self):
        return not self.below and not self.above

    def within(self, low_ns, high_ns):
        """Whether all values may lie between a minimum and a maximum."""
        return low_ns < self.values[0] + self.unit.ns and \
            self.values[-1] <= high_ns

    def at_rank(self, rank):
        """The rank-th smallest value, from 1; None outside of the bins."""
        index = int(numpy.searchsorted(self.cumulated, rank))
        if rank <= self.below or index >= len(self.values):
            return None
        return float(self.values[index])

    def percentile(self, percent):
        """Nearest rank; None with fewer than BEYOND values beyond it."""
        rank = rank_of(self.count, percent)
        return self.at_rank(rank) if self.count >= rank + BEYOND else None

    def mean(self):
        return float(numpy.dot(self.values, self.counts)) / \
            int(self.counts.sum())

    def squares(self, about):
        """The sum of those of all distances from it."""
        off = self.values - float(about)
        return float(numpy.dot(off * off, self.counts))

    def deviation(self):
        """From the mean, with n - 1."""
        count = int(self.counts.sum())
        return math.sqrt(self.squares(self.mean()) / (count - 1)) \
            if count > 1 else 0.0

    def rebinned(self, edges):
        """Counts between the edges; values outside go to the last ones."""
        index = numpy.searchsorted(edges, self.values, side="right") - 1
        index = numpy.clip(index, 0, len(edges) - 2)
        return numpy.bincount(index, self.counts, len(edges) - 1)

    def exceeding(self):
        """Points (value, share of cycles above it), thinned for drawing."""
        beyond = self.count - self.cumulated
        keep = beyond > 0
        values, beyond = self.values[keep], beyond[keep]
        if len(values) > 600:
            marks = numpy.geomspace(beyond[0], beyond[-1], 600)
            index = numpy.searchsorted(-beyond, -marks)
            index = numpy.unique(numpy.clip(index, 0, len(values) - 1))
            values, beyond = values[index], beyond[index]
        return values, beyond / self.count


def rank_of(count, percent):
    """ceil(count * percent / 100), at least 1, spared of rounding."""
    exact = count * percent / 100
    return max(1, math.ceil(exact - exact * 1e-15))


def series_of(metric, values, target_ns=None):
    """The results of single values, at least one."""
    dist = Distribution.of(values)
    return Series(metric, dist.count, float(dist.values[0]), dist.mean(),
                  float(dist.values[-1]), dist.deviation(), target_ns,
                  math.sqrt(dist.squares(target_ns) / dist.count)
                  if target_ns else None, dist=dist)


def combined(series):
    """The results of several threads as one; what they do not share drops."""
    if len(series) == 1:
        return series[0]
    count = sum(one.count for one in series)
    dists = [one.dist for one in series]
    dist = None
    if None not in dists:
        values, index = numpy.unique(
            numpy.concatenate([d.values for d in dists]),
            return_inverse=True)
        counts = numpy.bincount(
            index, numpy.concatenate([d.counts for d in dists]))
        dist = Distribution(values, counts.astype(numpy.int64),
                            dists[0].unit,
                            sum(d.below for d in dists),
                            sum(d.above for d in dists))
    used = [one for one in series if one.count]
    # They ran at the same time, and so did their blocks.
    blocks = None if any(one.blocks is None for one in used) else \
        numpy.average([one.blocks for one in used], axis=0,
                      weights=[one.count for one in used])
    maxima = None if any(one.maxima is None for one in used) or not used \
        else numpy.fmax.reduce([one.maxima for one in used])
    return Series(
        series[0].metric, count,
        min((one.min_ns for one in used), default=0),
        sum(one.avg_ns * one.count for one in series) / max(count, 1),
        max((one.max_ns for one in used), default=0),
        dist.deviation() if dist and dist.complete and count else None,
        dist=dist, unit=series[0].unit, blocks=blocks,
        maxima=maxima)
