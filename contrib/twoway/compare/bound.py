# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run promises of the time after it, by the longest values of its blocks.

The next 40th of the time stays below the longest value. And episodes, which are
long blocks, of which neighbours are one, come at most as often as Garwood's
bound says (Biometrika 28, 1936) of the time that is left. Both hold while all
stays as in the run. That is not so, or not known, if the longest values wander,
as their ranks or Kendall's tau tell, or if long blocks come together: by how
many groups they are (Stevens, Annals of Eugenics 9, 1939), or as all are in one
part of the run. The maximum of a run is not exceeded by one as long only every
second time.

Of runs at random times, the share of times with a longer one has an exact bound
(Clopper and Pearson, Biometrika 26, 1934), whatever it is that makes them long.
"""

import dataclasses
import math
import typing

import numpy

from twoway.compare import sure, tail
from twoway.series.model import lasted_s
from twtools.units import NS, Unit

RISK = 0.05             # that a bound does not hold
NEXT = 40               # such a part of the run is told beforehand
UP = 2.326              # standard deviations: 1 %
FREQUENT = 4            # more than one block in so many
FEWEST = 16             # blocks, when long ones are looked for together
WANDERS = "the longest cycles of its parts change in the course of the run"
RISES = "the longest cycles of its parts become longer in the course of the run"
TOGETHER = "long cycles come together in parts of the run"
OFTEN = "more than a quarter of the run's parts has one: see p99.9"


def falls_to(level, of, low, high):
    """Where a function that falls has a value."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle) > level else (low, middle)
    return high


def poisson(count, mean):
    """The probability of at most so many."""
    term = total = math.exp(-mean)
    for i in range(1, count + 1):
        term *= mean / i
        total += term
    return total


def most(episodes, risk=RISK):
    """How many are to be expected in as long a time, at most."""
    return falls_to(risk, lambda mean: poisson(episodes, mean),
                    0, 2 * episodes + 20)


def least(episodes):
    """And at least."""
    return most(episodes - 1, 1 - RISK) if episodes else 0.0


def share(count, of):
    """Of all times, at most; count: of so many at random had one."""
    def at_most(p):
        return sum(math.comb(of, i) * p ** i * (1 - p) ** (of - i)
                   for i in range(count + 1))
    return falls_to(RISK, at_most, 0, 1)


def rises(maxima):
    """Kendall's tau, whose variance is less if values are equal."""
    count = len(maxima)
    before, after = maxima[:, None], maxima[None, :]
    score = numpy.triu(1 * (after > before) - (after < before)).sum()
    equal = numpy.unique(maxima, return_counts=True)[1]
    squares = sum(n * (n - 1) * (2 * n + 5) * sign for n, sign in (
        (count, 1), *((n, -1) for n in equal.tolist()))) / 18
    return score > UP * math.sqrt(squares)


def unsteady(maxima):
    """Why the longest values tell nothing of the next ones; None: they do."""
    return WANDERS if tail.wanders(maxima) else \
        RISES if rises(maxima) else None


def come_together(long):
    """By chance, long blocks are in fewer groups, or their groups in so short a
    part, with a probability below the risk."""
    while len(long) >= FEWEST:
        count, of, found = len(long), int(long.sum()), tail.groups(long)
        if of == 0:
            return False
        fewer = sum(math.comb(of - 1, k - 1) * math.comb(count - of + 1, k)
                    for k in range(1, found + 1)) / math.comb(count, of)
        width = numpy.ptp(numpy.flatnonzero(long)) + 1
        if fewer < RISK or found * (width / count) ** (found - 1) < RISK:
            return True
        long = long[0::2] | long[1::2]
    return False


def at_most(long):
    """How many episodes are to be expected in as long a time, at most. Only in what
    long blocks leave of it can another one begin."""
    return most(tail.groups(long)) * len(long) / (len(long) - long.sum())


def refusal(long):
    """Why episodes have no bound; None: they have."""
    return OFTEN if FREQUENT * long.sum() > len(long) else \
        TOGETHER if come_together(long) else None


@dataclasses.dataclass
class Promise:
    """What the longest values of a run's blocks are, and what spoils them."""
    title: str
    metric: str
    when: tuple | None
    seconds: float | None = None    # how long it was measured
    trials: int | None = None       # or of primitivetest: how many there were
    maxima: typing.Any = None       # of blocks, in order; -inf: none is known
    unit: Unit = NS                 # they are whole numbers of it, rounded down
    values: typing.Any = None       # of all cycles, of a dump
    missed: typing.Any = None       # of blocks: expiries were missed
    open: bool = False              # the last request had no reply: its age counts
    broken: str | None = None       # why nothing follows from it

    @property
    def longest_ns(self):
        return float(self.maxima.max())

    def long(self, ns):
        """Which blocks have a longer cycle, or may have one."""
        found = (self.maxima + self.unit.ns - 1 > ns) | self.missed
        found[-1] |= self.open
        return found

    def count(self, ns):
        """Of episodes."""
        return tail.groups(self.long(ns))

    def most(self, ns):
        return at_most(self.long(ns))

    def cycles(self, ns):
        """How many are longer; None: not known."""
        return None if self.values is None else int((self.values > ns).sum())

    @property
    def unsteady(self):
        return self.broken or unsteady(self.maxima)

    def refusal(self, ns):
        return self.unsteady or refusal(self.long(ns))


def seconds_of(run):
    """How long its cycles were measured; None: nothing tells."""
    pairs = run.pairs or [run]
    periods = [getattr(one, "interval_us", None) or
               run.settings.get("interval_us") for one in pairs]
    counts = [max((series.count or 0 for series in one.series.values()),
                  default=0) for one in pairs]
    if all(periods) and all(counts):
        return max(period * (count + (one.missed or 0)) for period, count, one
                   in zip(periods, counts, pairs)) / 1e6
    if run.timeline is not None:
        return float(run.timeline.ends_s[-1])
    return lasted_s(run)


def missed_of(run, maxima, unit, exact):
    """Blocks in which an expiry was missed, or may have been: then the value is
    longer than the period."""
    count = len(maxima)
    if not run.missed:
        return numpy.zeros(count, bool)
    if exact:
        return numpy.bincount(run.cycles.missed[0] * count //
                              run.cycles.count, minlength=count) > 0
    periods = [one.interval_us for one in run.pairs] or [
        run.settings.get("interval_us")]
    if not all(periods):
        rows = run.timeline.missed
        return numpy.add.reduceat(
            rows, numpy.arange(count) * len(rows) // count) > 0
    return maxima + unit.ns - 1 > 1000 * min(periods)


def metric_of(run):
    """From the expiry on, or of a closed loop, from the request on."""
    return next((one for one in ("planned", "response") if one in run.series),
                "planned")


def promise_of(run, metric=None):
    """Of a run of twowaytest."""
    metric = metric or metric_of(run)
    found = Promise(run.title, metric, run.when)
    steps = sure.steps_of(run, metric)
    known = tail.maxima(run, metric, steps, 0) if metric in run.series else \
        None
    found.seconds = seconds_of(run)
    ends = [text for text in run.troubles if text not in
            run.every("unanswered")]
    if known is None or len(known[1]) < sure.BLOCKS:
        found.broken = f"nothing tells when the longest cycles of {metric} " \
            "came: give the --dump, a JSON of this version of twowaytest, or " \
            f"a --timeline of --metrics={metric} and {sure.BLOCKS} rows or more"
        return found
    _, longest, step_ns = known
    found.maxima = numpy.nan_to_num(longest, nan=-math.inf)
    exact = step_ns == 1 and steps is not None
    found.unit = Unit(int(step_ns))
    found.values = numpy.concatenate(steps) if exact else None
    found.missed = missed_of(run, found.maxima, found.unit, exact) \
        if metric == "planned" else numpy.zeros(len(found.maxima), bool)
    found.open = bool(run.every("unanswered"))
    if ends:
        found.broken = f"the run was cut short: {', '.join(ends)}"
    elif run.lost_cycles:
        found.broken = f"{run.lost_cycles} cycles were lost"
    elif run.steps or run.ramp or \
            run.cycles and len(run.cycles.slices()) > 1:
        found.broken = "it has steps, which are not alike"
    elif not found.seconds:
        found.broken = "nothing tells how long it was"
    return found


def promises_of(part):
    """Of each column of a run of primitivetest that has blocks."""
    for test in part.primitives.tests.values():
        for column in test.columns:
            series = part.primitives.series.get(column)
            if series is None or series.maxima is None:
                continue
            why = f"the run was cut short: {', '.join(part.troubles)}" \
                if part.troubles else \
                f"{test.missed} expiries were missed" if test.missed else None
            yield Promise(part.title, column, None, trials=series.count,
                          maxima=numpy.nan_to_num(series.maxima, nan=-math.inf),
                          unit=series.unit, broken=why,
                          missed=numpy.zeros(len(series.maxima), bool))
