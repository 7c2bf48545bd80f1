# SPDX-License-Identifier: GPL-2.0-or-later
"""How sure a figure of a run is, and a difference: for verdict, ranking, gate.

Cycles that follow each other are alike, so many of them may tell little. A run
is therefore cut into 64 blocks of equal length, from a dump or as the JSON has
them; how much the means of the blocks differ tells how sure the mean of all is
(batch means; Law, Simulation Modeling and Analysis). Blocks may be alike, too.
Then they count as fewer, as many as Zwiers and von Storch give (Journal of
Climate 8, 1995), by a correlation without its bias (Marriott and Pope,
Biometrika 41, 1954).

An average is that of all cycles but the longest, one in 1000, since few of them
would decide it. A percentile is as sure as the share of the cycles above it
(Woodruff, Journal of the American Statistical Association 47, 1952), whose
blocks are at least as alike as those of the average: few cycles hide it. The
interval of a difference comes from those of both sides (Zou and Donner,
Statistics in Medicine 27, 2008).

Several runs of one system differ by more than their blocks tell. If so, their
spread counts: it tells where a further run is to be expected (Student).
"""

import dataclasses
import functools
import math
import statistics

import numpy

from twoway.series.stats import BLOCKS, Distribution, rank_of

LONGER = 16             # blocks of a share: in short ones, chance hides much
LEFT_OUT = 1000         # one cycle in so many
SHORTEST = 2 * BLOCKS   # cycles of a step
FEWEST = 3.0            # blocks, however alike they are
AGAIN = 0.05            # that an equal run is not seen to be one
RISK = 0.01             # that chance is taken for a difference
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


@dataclasses.dataclass
class Figure:
    """An average, a share, or a percentile of a run."""
    value: float                # in ns, or in percent
    blocks: numpy.ndarray | None = None     # None: nothing tells how sure
    doubt: float = 0            # it may be off by this besides
    percent: float | None = None
    dist: Distribution | None = None    # of a percentile: blocks are shares
    most: float = BLOCKS        # as many blocks as the average's count as

    def ends(self, alpha):
        """Of its interval."""
        if self.blocks is None:
            return -math.inf, math.inf
        width = half(self.blocks, alpha, self.most)
        if not self.dist:
            return self.value - width, self.value + width
        share = self.percent / 100
        return tuple(
            -math.inf if at <= 0 else math.inf if at >= 1 else
            self.dist.at_rank(rank_of(self.dist.count, 100 * at))
            for at in (share - width, share + width))


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


def average(series, steps, start=0):
    """steps: steps_of(), or None; start: how many blocks are left out."""
    blocks, doubt = series.blocks, series.doubt_ns
    if steps:
        steps = [after(values, start) for values in steps]
        dist = Distribution.of(numpy.concatenate(steps))
        most = dist.at_rank(dist.count - dist.count // LEFT_OUT)
        blocks = sums(steps, lambda values: numpy.where(
            values <= most, values, 0)) / sums(
                steps, lambda values: values <= most)
    elif blocks is None:
        return Figure(series.avg_ns,
                      doubt=doubt + series.avg_unit.ns / 2)
    else:
        blocks, doubt = after(blocks, start), doubt + series.avg_unit.ns / 2
    return Figure(float(blocks.mean()), blocks, doubt)


def percentile(series, steps, percent, start=0):
    """None if too few cycles lie beyond it."""
    if not steps:
        value, unit = series.percentile(percent), series.unit_of(percent)
        return None if value is None else Figure(
            value, doubt=series.doubt_ns + unit.ns / 2)
    steps = [after(values, start) for values in steps]
    dist = Distribution.of(numpy.concatenate(steps))
    value = dist.percentile(percent)
    if value is None:
        return None
    return Figure(value, shares(steps, lambda values: values > value),
                  series.doubt_ns, percent, dist,
                  effective(average(series, steps).blocks))


def of_run(run, metric, percent=None):
    """The average or a percentile of a whole run."""
    key = metric, percent
    if key not in run.sides:
        series, steps = run.series[metric], steps_of(run, metric)
        run.sides[key] = average(series, steps) if percent is None \
            else percentile(series, steps, percent)
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


def spread(values, alpha):
    """By how much a further run may differ from the mean of runs."""
    count = len(values)
    return student(alpha, count - 1) * statistics.stdev(values) * \
        math.sqrt(1 + 1 / count)


def difference(baseline, candidate, alpha):
    """The interval of candidate - baseline; baseline: a Figure a run.

    Of several runs, it is their spread. But that says nothing of a candidate
    that was disturbed or short, so both ends have what the blocks tell, too: the
    upper one at AGAIN, as it is about one run. Without blocks, the lower one is
    not known.
    """
    values = [one.value for one in baseline]
    middle = candidate.value - statistics.fmean(values)
    ends = [one.ends(alpha) for one in baseline]
    low, high = candidate.ends(alpha)
    below = math.hypot(candidate.value - low, *(
        (end[1] - one.value) / len(values)
        for one, end in zip(baseline, ends)))
    above = math.hypot(high - candidate.value, *(
        (one.value - end[0]) / len(values)
        for one, end in zip(baseline, ends)))
    if len(values) > 1:
        apart = spread(values, alpha)
        own = -math.inf if candidate.blocks is None else \
            candidate.ends(max(alpha, AGAIN))[1] - candidate.value
        below, above = max(below, apart), max(own, apart)
    doubt = candidate.doubt + max(one.doubt for one in baseline)
    return middle - below - doubt, middle + above + doubt


def apart(a, b, tries=1):
    """Whether two runs differ by more than chance, 99 % sure.

    None: nothing tells. tries: how many such questions are asked. It is sure of
    these runs, not of their systems: those may differ less than two boots do.
    """
    if None in (a, b) or a.blocks is None or b.blocks is None:
        return None
    low, high = difference([a], b, RISK / 2 / tries)
    return low > 0 or high < 0


def surely_less(one, other, metric, percent=None, tries=1):
    """Whether one run surely has less than another; None: nothing tells."""
    less, more = (of_run(run, metric, percent) for run in (one, other))
    return apart(less, more, tries) and less.value < more.value


def change(blocks):
    """Before which block the level changes most, and if the run wanders.

    By the largest sum of deviations so far (Page, Biometrika 42, 1955).
    """
    at = int(numpy.abs((blocks - blocks.mean()).cumsum()[:-1]).argmax()) + 1
    return at, effective(blocks) < WANDERS * len(blocks)
