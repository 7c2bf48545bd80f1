# SPDX-License-Identifier: GPL-2.0-or-later
"""How sure a figure of a run is, and a difference: for verdict, ranking, gate.

Cycles that follow each other are alike, so many of them may tell little. A run
is therefore cut into 64 blocks of equal length, from a dump or as the JSON has
them; how much the means of the blocks differ tells how sure the mean of all is
(batch means; Law, Simulation Modeling and Analysis). Blocks may be alike, too.
Then they count as fewer, as many as Zwiers and von Storch give (Journal of
Climate 8, 1995), by a correlation without its bias (Marriott and Pope,
Biometrika 41, 1954).

An average is without the longest cycles, one in 1000, as few of them would
decide it: the dump's is computed as twowaytest computes its blocks. Percentiles
are compared by the share of the cycles above one common value, that of all runs
together (Woodruff, Journal of the American Statistical Association 47, 1952):
its blocks are at least as alike as those of the average, as few cycles hide it.
The interval of a difference comes from those of both sides (Zou and Donner,
Statistics in Medicine 27, 2008).

Several runs of one system differ by more than their blocks tell. If so, their
spread counts: it tells where a further run is to be expected (Student), or how
far the means of two systems are apart (Welch).
"""

import dataclasses
import functools
import math
import statistics

import numpy

from twoway.series.stats import BLOCKS, Distribution, rank_of

LONGER = 16             # blocks of a share: in short ones, chance hides much
LEFT_OUT = 1000         # one cycle in so many, at most one of a sum:
SUMS = 2048             # of cycles that follow each other, as in tw_blocks.c
SHORTEST = 2 * BLOCKS   # cycles of a step
FEWEST = 3.0            # blocks, however alike they are
AGAIN = 0.05            # that an equal run is not seen to be one
RISK = 0.01             # that chance is taken for a difference
RUNS = 3                # on both sides, whose spreads may be unlike
PERCENTS = 99.9, 99, 90  # that a report compares
EXACT = 4096            # parts of its value that a percentile is told by
WANDERS = 1 / 4         # blocks that count as fewer than this share of them


ANGLES = numpy.linspace(math.pi / 2, 0, 8193)   # t = sqrt(freedom) tan
LOGARITHMS = numpy.log(numpy.cos(ANGLES))       # a power would take longer


@functools.lru_cache(maxsize=4096)
def student(alpha, freedom):
    """What Student's t exceeds with this probability, by integration."""
    density = numpy.exp((freedom - 1) * LOGARITHMS)
    beyond = numpy.append(0, numpy.cumsum(density[1:] + density[:-1]))
    at = numpy.interp(2 * alpha * beyond[-1], beyond, ANGLES)
    return math.sqrt(freedom) * math.tan(at)


def effective(blocks):
    """As how many independent ones they count, or somewhat fewer.

    How alike neighbours are is known to 1 / sqrt(count) only: half of it is added.
    """
    count, off = len(blocks), blocks - blocks.mean()
    squares = off @ off
    if not squares:
        return count
    alike = (count * (off[1:] @ off[:-1]) / squares + 1) / (count - 4)
    alike = min(max(alike + 0.5 * count ** -0.5, 0), 1)
    return max(count * (1 - alike) / (1 + alike), FEWEST)


def half(blocks, alpha, most=BLOCKS):
    """Half of the interval of their mean; alpha: the risk at each end.

    most: independent ones that they can be.
    """
    freedom = min(effective(blocks), most) - 1
    return student(alpha, freedom) * math.sqrt(blocks.var() / freedom)


def each(risk, comparisons):
    """The risk of each of them, so that it is that of all together."""
    return risk / max(1, comparisons)


def pairs(systems):
    """Comparisons of which the best and the other are one: data chose them."""
    return systems * (systems - 1) // 2


@dataclasses.dataclass
class Figure:
    """An average, a share, or a percentile of a run."""
    value: float                # in ns, or in percent
    blocks: numpy.ndarray | None = None     # None: nothing tells how sure
    doubt: float = 0            # it may be off by this besides
    percent: float | None = None
    cycles: "Cycles | None" = None          # what a percentile is of
    most: float = BLOCKS        # as many blocks as the average's count as

    def ends(self, alpha):
        """Of its interval."""
        if self.blocks is None:
            return -math.inf, math.inf
        width = half(self.blocks, alpha, self.most)
        return self.value - width, self.value + width


def steps_of(run, metric, left_out=()):
    """The values of each step of a dump; None: there is none."""
    if not run.cycles or metric not in run.cycles.metrics():
        return None
    return [run.cycles.values(metric, part)
            for i, part in enumerate(run.cycles.slices())
            if i not in left_out and part.stop - part.start >= SHORTEST] \
        or None


def sums(steps, of):
    """Of the blocks: the Kth has the Kth part of each step."""
    return sum(numpy.add.reduceat(
        of(values), numpy.arange(BLOCKS) * len(values) // BLOCKS,
        dtype=numpy.int64) for values in steps)


def shares(steps, of):
    """Of the cycles of each longer block."""
    count = sums(steps, of).reshape(LONGER, -1).sum(axis=1)
    return count / sums(steps, numpy.ones_like).reshape(LONGER, -1).sum(axis=1)


def after(found, start):
    """Blocks, or values of a step, without the first blocks."""
    return found[len(found) * start // BLOCKS:]


def means(steps):
    """Of the blocks, without the longest cycles: as tw_blocks.c has them."""
    total = left = 0
    for values in steps:
        size = 1 << max(0, math.ceil(len(values) / SUMS) - 1).bit_length()
        starts = numpy.arange(0, len(values), size)
        longest = numpy.maximum.reduceat(values, starts)
        out = len(values) // LEFT_OUT
        cut = longest > (numpy.partition(longest, -1 - out)[-1 - out]
                         if out < len(starts) else -math.inf)
        at = numpy.arange(BLOCKS) * len(starts) // BLOCKS
        total += numpy.add.reduceat(numpy.add.reduceat(
            values, starts, dtype=numpy.int64) - cut * longest, at)
        left += numpy.add.reduceat(
            numpy.diff(starts, append=len(values)) - cut, at)
    return total / left


def average(series, steps, start=0):
    """steps: steps_of(), or None; start: how many blocks are left out."""
    blocks, doubt = series.blocks, series.doubt_ns
    if steps:
        blocks = means(steps)
    else:
        doubt += series.avg_unit.ns / 2
    if blocks is None:
        return Figure(series.avg_ns, doubt=doubt)
    blocks = after(blocks, start)
    return Figure(float(blocks.mean()), blocks, doubt)


class Cycles:
    """The values of a run, of which shares are asked."""

    def __init__(self, load, start, dist=None):
        """load: returns steps_of(); dist: of all that is judged, if known."""
        self.load, self.start = load, start
        self.dist = dist or Distribution.of(numpy.concatenate(self.steps()))

    def steps(self):
        return [after(values, self.start) for values in self.load()]

    @functools.cached_property
    def most(self):
        return effective(means(self.steps()))

    @functools.cached_property
    def parts(self):
        """Each longer block, sorted."""
        steps, ends = self.steps(), numpy.arange(LONGER + 1)
        return [numpy.sort(numpy.concatenate([
            values[slice(*(len(values) * ends[k:k + 2] // LONGER))]
            for values in steps])) for k in range(LONGER)]

    def below(self, value):
        """How many do not exceed it."""
        at = self.dist.values.searchsorted(value, "right")
        return self.dist.cumulated[at - 1] if at else 0

    def above(self, value):
        """The share, as a Figure; of what is equal, half."""
        found = numpy.array([
            1 - sum(part.searchsorted(value, side) for side in (
                "left", "right")) / 2 / len(part) for part in self.parts])
        return Figure(found.mean(), found, most=self.most)


def percentile(series, cycles, percent):
    """cycles: Cycles, or None. None if too few of them lie beyond it."""
    if cycles:
        value, doubt = cycles.dist.percentile(percent), 0
    else:
        value = series.percentile(percent)
        doubt = series.unit_of(percent).ns / 2
    return None if value is None else Figure(
        value, doubt=series.doubt_ns + doubt, percent=percent, cycles=cycles)


def of_run(run, metric, percent=None):
    """The average or a percentile of a whole run, without its warm-up."""
    key = metric, percent
    if key not in run.sides:
        series, steps = run.series[metric], steps_of(run, metric)
        whole = average(series, steps)
        start = warm_up(whole.blocks)[0]
        # A step that is too short is in the distribution, but hardly counts.
        cycles = steps and Cycles(lambda: steps_of(run, metric), start,
                                  None if start else series.dist)
        run.sides |= {(metric, one): percentile(series, cycles, one)
                      for one in PERCENTS} | {
            (metric, None): average(series, steps, start) if start else whole}
    return run.sides[key]


def missed(run):
    """How many percent of the expiries; None: it is not known."""
    if run.missed is None or not run.count:
        return None
    whole = 100 * run.missed / (run.missed + run.count)
    if not run.cycles:
        return Figure(whole)
    lost = numpy.zeros(run.cycles.count, numpy.int64)
    numpy.add.at(lost, *run.cycles.missed)
    steps = [lost[part] for part in run.cycles.slices()
             if part.stop - part.start >= SHORTEST]
    if not steps:
        return Figure(whole)
    each = shares(steps, lambda values: values)     # beside a cycle
    # A block has as many cycles as others, and so more or fewer expiries.
    every = 1 + each
    share = each.sum() / every.sum()
    return Figure(whole, whole + 100 * (each - share * every) / every.mean())


def spread(one, other, alpha):
    """By how much the means of two lists of runs may differ by chance."""
    counts = [len(one), len(other)]
    parts = [statistics.variance(values) / len(values)
             if values[1:] else 0.0 for values in (one, other)]
    if min(counts) >= RUNS:
        freedom = sum(parts) ** 2 / sum(
            part ** 2 / (count - 1) for part, count in zip(parts, counts)) \
            if any(parts) else sum(counts) - 2
        return student(alpha, freedom) * math.sqrt(sum(parts))
    freedom = sum(counts) - 2
    squares = sum(part * count * (count - 1)
                  for part, count in zip(parts, counts))
    return student(alpha, freedom) * math.sqrt(
        squares / freedom * sum(1 / count for count in counts))


def mean(side):
    return statistics.fmean(one.value for one in side)


def beyond(side, alpha, end):
    """From the mean of runs to an end, 0 or 1, of its interval by blocks."""
    return math.hypot(*((one.ends(alpha)[end] - one.value) / len(side)
                        for one in side))


def by_spread(baseline, candidate, alpha):
    """As difference(), by how much the runs of a system differ."""
    middle = mean(candidate) - mean(baseline)
    off = spread(*([one.value for one in side]
                   for side in (baseline, candidate)), alpha) \
        if len(baseline) + len(candidate) > 2 else 0
    return middle - off, middle + off


def by_blocks(baseline, candidate, alpha):
    """As difference(). Beside several runs, the upper end is about the candidate
    alone, at AGAIN; an end that their spread has to tell is no limit."""
    runs = len(baseline) + len(candidate)
    if any(one.blocks is None for one in (*baseline, *candidate)):
        both = min(len(baseline), len(candidate)) > 1
        return math.inf if both else -math.inf, \
            -math.inf if runs > 2 else math.inf
    middle = mean(candidate) - mean(baseline)
    below = math.hypot(beyond(candidate, alpha, 0), beyond(baseline, alpha, 1))
    above = beyond(candidate, max(alpha, AGAIN), 1) if runs > 2 else \
        math.hypot(beyond(candidate, alpha, 1), beyond(baseline, alpha, 0))
    return middle - below, middle + above


def common(sides, shift, percent):
    """The percentile of all cycles, those of the last side less a shift."""
    found = [(one.cycles, off) for side, off in zip(sides, (0, shift))
             for one in side]
    rank = rank_of(sum(one.dist.count for one, _ in found), percent)
    low, high = (edge(one.dist.values[i] - off for one, off in found)
                 for edge, i in ((min, 0), (max, -1)))
    while low < high:
        at = (low + high) // 2
        if sum(one.below(at + off) for one, off in found) >= rank:
            high = at
        else:
            low = at + 1
    return int(low)


def of_shares(sides, alpha, shift=0):
    """by_blocks() of the shares above a common value, if each cycle of the last
    side were shorter by a shift, in ns."""
    value = common(sides, shift, sides[0][0].percent)
    return by_blocks(*([one.cycles.above(value + off) for one in side]
                       for side, off in zip(sides, (0, shift))), alpha)


def last(holds, low, high, step):
    """Of whole numbers, up to which it holds; as exact as the step."""
    if not holds(low):
        return -math.inf
    if holds(high):
        return math.inf
    while high - low > step:
        at = (low + high) // 2
        low, high = (at, high) if holds(at) else (low, at)
    return low


def difference(baseline, candidate, alpha):
    """The interval of candidate - baseline; a list of Figures each.

    Of several runs, it is their spread. But that says nothing of a candidate
    that was disturbed or short, so both ends have what the blocks tell, too: of a
    percentile, each shift for which shares above the common value may be equal.
    Without blocks, the lower one is not known, unless both have several runs.
    """
    sides = baseline, candidate
    doubt = sum(max(one.doubt for one in side) for side in sides)
    ends = by_spread(*sides, alpha)
    if any(one.cycles is None for side in sides for one in side):
        own = by_blocks(*sides, alpha)
    else:
        most = max(int(abs(one.cycles.dist.values[i])) for side in sides
                   for one in side for i in (0, -1)) * 2 + 2
        step = max(1, int(mean(baseline)) // EXACT)
        own = [last(holds, -most, most, step) for holds in (
            lambda shift: of_shares(sides, alpha, shift)[0] > 0,
            lambda shift: of_shares(sides, alpha, shift)[1] >= 0)]
    return min(ends[0], own[0]) - doubt, max(ends[1], own[1]) + doubt


def apart(a, b, tries=1):
    """Whether two lists of runs differ by more than chance, 99 % sure.

    None: nothing tells. tries: how many such questions are asked. Of single runs
    it is sure of these, not of their systems: they may differ less than two boots
    do.
    """
    if None in (*a, *b):
        return None
    low, high = difference(a, b, each(RISK / 2, tries))
    return None if low == -math.inf else low > 0 or high < 0


def change(blocks):
    """Before which block the level changes most, and if the run wanders.

    By the largest sum of deviations so far (Page, Biometrika 42, 1955).
    """
    at = int(numpy.abs((blocks - blocks.mean()).cumsum()[:-1]).argmax()) + 1
    return at, effective(blocks) < WANDERS * len(blocks)


def warm_up(blocks):
    """How many are one, where the level changes, and whether it wanders.

    Only a run that is steady afterwards has one, of at most a quarter.
    """
    if blocks is None:
        return 0, 0, False
    at, wanders = change(blocks)
    steady = wanders and 4 * at <= BLOCKS and not change(blocks[at:])[1]
    return at * steady, at, wanders
