# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a candidate take longer than all of its baseline, and again and again?

The longest values of the blocks of a run tell it. An episode is a block that is
longer than everything in the other runs; neighbours are one, as a burst lies in
both. Of equal runs, each of the r longest episodes of all is the candidate's
with a probability of its share of the cycles, so r of them with the rth power
of that, at most. Once they come in each 16th of a run, the 16ths are counted,
since neighbours would make one episode of them all.
"""

import dataclasses
import math

import numpy

from twoway.compare import sure
from twoway.series.stats import BLOCKS

PARTS = 16
NEEDED = "the --dump, the --timeline, or a JSON of this version of twowaytest"


@dataclasses.dataclass
class Side:
    """The tail of one run."""
    title: str
    cycles: int
    maxima: numpy.ndarray       # of blocks, in order; NaN: unknown
    step_ns: float              # they are whole numbers of it, rounded down

    @property
    def longest(self):
        return float(numpy.nanmax(self.maxima))


@dataclasses.dataclass
class Tail:
    """Of a metric: how many episodes there are, and how many make it worse."""
    metric: str
    baseline: float             # the longest of all
    candidate: float
    episodes: int
    needed: int
    odd: str                    # runs of the baseline that do so to the others
    wanders: bool               # the candidate: its episodes may be one


def maxima(run, metric, steps, start):
    """How many cycles, those of the blocks after the first ones, their step;
    None: nothing tells them."""
    known = getattr(run.series.get(metric), "maxima", None)
    if steps and (known is None or
                  run.cycles.count >= run.series[metric].count):
        values = numpy.concatenate([sure.after(one, start)
                                    for one in steps])
        known = numpy.maximum.reduceat(
            values, numpy.arange(BLOCKS) * len(values) // BLOCKS)
        return len(values), known.astype(float), 1
    if known is None or len(known) < PARTS:
        return None
    known = sure.after(known, start)
    return run.count * (BLOCKS - start) // BLOCKS, known, run.series[metric].unit.ns


def sides_of(runs, metric, starts, left_out):
    """A Side each; None: nothing tells it."""
    found = [maxima(run, metric, sure.steps_of(run, metric, left_out),
                    start) for run, start in zip(runs, starts)]
    return [one and Side(run.title, *one) for run, one in zip(runs, found)]


def groups(long):
    """How many, of neighbours."""
    return int(long[0]) + int((long[1:] & ~long[:-1]).sum())


def episodes(side, others):
    bound = max(one.longest + one.step_ns - 1 for one in others)
    long = side.maxima > bound
    parts = numpy.logical_or.reduceat(
        long, numpy.arange(PARTS) * len(long) // PARTS)
    if parts.all():
        return len(parts)
    return groups(long)


def wanders(values):
    """By their ranks: few of them are so long that they hide all others."""
    order = numpy.sort(values)
    ranks = sum(numpy.searchsorted(order, values, side)
                for side in ("left", "right"))
    return sure.effective(ranks) < PARTS


def needed(sides, others, risk):
    """So many are less likely than the risk, if the runs are equal."""
    own, rest = (sum(one.cycles for one in found) for found in (sides, others))
    share = own / (own + rest)
    return math.floor(math.log(risk) / math.log(share)) + 1


def tail_of(metric, baseline, candidate, risk, changes):
    """Lists of a Side a run; changes: the level of a candidate does so."""
    odd = []
    for one in baseline[:len(baseline) * (len(baseline) > 1)]:
        others = [other for other in baseline if other is not one]
        if episodes(one, others) >= needed(
                [one], others, sure.each(risk, len(baseline))):
            odd.append(one.title)
    return Tail(metric, *(max(one.longest for one in side)
                          for side in (baseline, candidate)),
                sum(episodes(one, baseline) for one in candidate),
                needed(candidate, baseline, risk), ", ".join(odd),
                changes or any(wanders(one.maxima) for one in candidate))
