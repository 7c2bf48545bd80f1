# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a candidate worse than a baseline? Bootstrap confidence intervals.

Cycles that follow each other are alike, so whole blocks of them are drawn,
not single ones; and each step of a ramp has a load of its own, so each draw
takes as many from each step: what steps differ by is no uncertainty. Each
block is a histogram over bounds that lie where the percentiles are; a draw is
then a weighted sum of histograms. Where there is no dump, single values are
drawn from the histogram: too narrow an interval, which is said.
"""

import dataclasses
import math
import statistics

import numpy

from tr_model import BEYOND, InputError
from tr_stats import Distribution, rank_of, wider
from tr_tables import us
from twtools.tables import Table

BLOCKS = 100            # in all steps together
FEWEST = 20             # of them, even if cycles are alike for long
SMALLEST = 20           # cycles in one
UNEVEN = 0.01           # of a step's share in all cycles: worth a remark
LONGER = 5              # a block must be than what is alike
LOOKED_AT = 1 << 17     # cycles, for that
BOUNDS = 800            # a percentile
BATCH = 500             # draws at a time


@dataclasses.dataclass
class Verdict:
    """On one figure of one metric."""
    metric: str
    percent: float | None       # None: the average
    baseline_ns: float
    candidate_ns: float
    low_ns: float               # of the difference, two-sided
    high_ns: float
    allowed_ns: float
    short: bool                 # measured too short for its intervals

    @property
    def worse(self):
        return self.low_ns > self.allowed_ns

    @property
    def figure(self):
        return "average" if self.percent is None else f"p{self.percent:g}"


def bounds_of(dist, percents):
    """Values at some ranks: close to each other where percentiles lie."""
    count = dist.count
    ranks = [numpy.array([1, count])]
    for percent in percents:
        share = percent / 100
        half = 20 * math.sqrt(count * share * (1 - share)) + BOUNDS
        rank = rank_of(count, percent)
        ranks.append(numpy.linspace(rank - half, rank + half, BOUNDS))
    ranks = numpy.clip(numpy.concatenate(ranks).astype(int), 1, count)
    index = numpy.searchsorted(dist.cumulated, ranks)
    return numpy.unique(dist.values[numpy.clip(index, 0,
                                               len(dist.values) - 1)])


def alike_for(values):
    """Over how many cycles they resemble each other: 1 if not at all.

    The integrated autocorrelation time, summed up as far as the sum itself
    says (Sokal's window). Outliers would hide it, so they are clipped.
    """
    values = values[:LOOKED_AT].astype(float)
    low, high = numpy.quantile(values, (0.01, 0.99))
    values = numpy.clip(values, low, high)
    values -= values.mean()
    size = 1 << (2 * len(values) - 1).bit_length()
    power = numpy.abs(numpy.fft.rfft(values, size)) ** 2
    correlation = numpy.fft.irfft(power, size)[:len(values)]
    if correlation[0] <= 0:
        return 1.0
    times = 2 * numpy.cumsum(correlation / correlation[0]) - 1
    window = numpy.flatnonzero(numpy.arange(len(times)) >= 5 * times)
    return max(1.0, float(times[window[0] if len(window) else -1]))


class Sample:
    """One side of a comparison, ready to be drawn from."""

    def __init__(self, run, metric, percents):
        self.percents = percents
        self.short = False      # for how long cycles are alike
        self.by_block = run.cycles is not None
        if self.by_block:
            self.set_blocks(run, metric)
        else:
            self.set_histogram(run, metric)

    def set_blocks(self, run, metric):
        steps = [values for part in run.cycles.slices()
                 if len(values := run.cycles.values(metric, part))]
        values = numpy.concatenate(steps)
        if len(values) < FEWEST * SMALLEST:
            raise InputError(run.name, metric, f"{len(values)} cycles are "
                             f"too few to compare; {FEWEST * SMALLEST} are "
                             "needed")
        self.dist = Distribution.of(values)
        self.bounds = bounds_of(self.dist, self.percents)
        del values
        self.blocks = [self.blocks_of(step, len(steps)) for step in steps]
        self.table = numpy.empty((sum(self.blocks), len(self.bounds)))
        self.sums = numpy.empty(len(self.table))
        blocks = (block for step, count in zip(steps, self.blocks)
                  for block in numpy.array_split(step, count))
        for i, block in enumerate(blocks):
            self.table[i] = numpy.bincount(
                numpy.searchsorted(self.bounds, block),
                minlength=len(self.bounds))
            self.sums[i] = block.sum(dtype=numpy.int64)

    def blocks_of(self, values, steps):
        """How many blocks one of so many steps is cut into.

        Each step takes one block's freedom away, so all have that one, and
        share the others.
        """
        fewest = 1 + math.ceil((FEWEST - 1) / steps)
        blocks = min(max(BLOCKS // steps, fewest), len(values) // SMALLEST,
                     int(len(values) / (LONGER * alike_for(values))))
        self.short |= blocks < fewest
        return min(max(blocks, fewest), len(values))

    def set_histogram(self, run, metric):
        dist = run.series[metric].dist if metric in run.series else None
        if dist is None or not dist.complete:
            raise InputError(run.name, metric, (
                "its histogram lacks values (they overflowed)" if dist else
                "neither a dump nor a histogram") + ": give its --dump, or "
                "measure with a -h above its maximum")
        self.dist, self.bounds = dist, dist.values
        if dist.count < FEWEST * SMALLEST:
            raise InputError(run.name, metric, f"{dist.count} cycles are "
                             f"too few to compare; {FEWEST * SMALLEST} are "
                             "needed")

    def at(self, tables, sums):
        """Averages and percentiles of drawn tables: a column a figure."""
        counts = tables.sum(axis=1)
        columns = [sums / counts]
        cumulated = numpy.cumsum(tables, axis=1)
        for percent in self.percents:
            ranks = numpy.ceil(counts * percent / 100 * (1 - 1e-15))
            index = (cumulated < ranks[:, None]).sum(axis=1)
            columns.append(self.bounds[numpy.clip(
                index, 0, len(self.bounds) - 1)])
        return numpy.stack(columns, axis=1)

    def weights(self, random, count):
        """How often each block is drawn: a row a draw.

        One less than a step has, weighed accordingly: then the draws vary as
        the step's sum itself does, however few its blocks.
        """
        return numpy.hstack([
            random.multinomial(blocks - 1, [1 / blocks] * blocks, count)
            * (blocks / (blocks - 1)) if blocks > 1 else
            numpy.ones((count, 1)) for blocks in self.blocks])

    def draw(self, random, count):
        if self.by_block:
            weights = self.weights(random, count)
            return self.at(weights @ self.table, weights @ self.sums)
        tables = random.multinomial(self.dist.count,
                                    self.dist.counts / self.dist.count, count)
        return self.at(tables, tables @ self.bounds.astype(float))

    def wider(self, alpha):
        """What blocks, being few, widen an interval by."""
        if not self.by_block:
            return 1.0
        freedom = max(len(self.table) - len(self.blocks), 1)
        return wider(statistics.NormalDist().inv_cdf(1 - alpha), 1 + freedom)

    def measured(self):
        return [self.dist.mean()] + [
            self.dist.at_rank(rank_of(self.dist.count, p))
            for p in self.percents]


def uneven(runs):
    """A remark if the runs are not made up of the same steps, or None."""
    if not all(run.cycles for run in runs):
        return None
    lengths = [[part.stop - part.start for part in run.cycles.slices()]
               for run in runs]
    counts = [len(steps) for steps in lengths]
    if counts[0] != counts[1]:
        return (f"the runs have {counts[0]} and {counts[1]} steps: figures "
                "of all together differ for that alone")
    shares = [numpy.array(steps) / sum(steps) for steps in lengths]
    off = numpy.abs(shares[1] - shares[0]) * counts[0]
    if off.max() <= UNEVEN:
        return None
    step = int(off.argmax())
    return (f"step {step + 1} has {100 * shares[0][step]:.2f} and "
            f"{100 * shares[1][step]:.2f} % of the cycles: figures of all "
            "steps together differ for that alone")


def supported(runs, metric, percents):
    """Those that both sides have enough cycles for."""
    counts = [len(run.cycles.values(metric)) if run.cycles else
              run.series[metric].count or 0
              for run in runs if metric in run.series]
    return [p for p in percents if counts and
            min(counts) >= rank_of(min(counts), p) + BEYOND]


def compare(baseline, candidate, metric, options, alpha):
    """Verdicts on one metric; alpha: risk of a false alarm a figure."""
    random = numpy.random.default_rng(options.seed)
    percents = supported((baseline, candidate), metric, options.percentiles)
    sides = [Sample(run, metric, percents) for run in (baseline, candidate)]
    draws = max(options.resamples, math.ceil(10 / alpha))
    differences = []
    for start in range(0, draws, BATCH):
        count = min(BATCH, draws - start)
        before, after = (side.draw(random, count) for side in sides)
        differences.append(after - before)
    low, high = numpy.quantile(numpy.concatenate(differences),
                               (alpha, 1 - alpha), axis=0)
    before, after = (side.measured() for side in sides)
    middle = numpy.subtract(after, before)
    wider = max(side.wider(alpha) for side in sides)
    low, high = (middle + (end - middle) * wider for end in (low, high))
    return [Verdict(metric, percent, *values,
                    max(values[0], 0) * options.tolerance / 100,
                    any(side.short for side in sides))
            for percent, *values in zip([None, *percents], before, after,
                                        low, high)]


def gate(runs, options):
    """Verdicts on all metrics, and what to know of them."""
    baseline, candidate = runs
    for metric in options.metrics:
        for run in runs:
            if metric not in run.series:
                raise InputError(run.name, metric, "not measured")
    figures = sum(1 + len(supported(runs, metric, options.percentiles))
                  for metric in options.metrics)
    alpha = (1 - options.confidence / 100) / figures
    verdicts = [verdict for metric in options.metrics
                for verdict in compare(baseline, candidate, metric, options,
                                       alpha)]
    notes = [f"{run.title}: no dump, so cycles are taken as independent of "
             "each other; the interval is narrower than the truth"
             for run in runs if run.cycles is None]
    notes += [f"{run.name}: {run.virtual_remark}"
              for run in runs if run.virtual]
    if any(verdict.short for verdict in verdicts):
        notes.append("cycles are alike over so long a time that intervals "
                     "are narrower than the truth: measure longer")
    if remark := uneven(runs):
        notes.append(remark)
    wanted = len(options.metrics) * (1 + len(options.percentiles))
    if figures < wanted:
        notes.append(f"{wanted - figures} percentiles are not compared: "
                     f"fewer than {BEYOND} cycles lie beyond them")
    return verdicts, notes


def table_of(runs, verdicts, notes, options):
    baseline, candidate = runs
    rows = [[v.metric, v.figure, us(v.baseline_ns, 3), us(v.candidate_ns, 3),
             f"{(v.candidate_ns - v.baseline_ns) / 1000:+.3f}",
             f"{v.low_ns / 1000:+.3f} .. {v.high_ns / 1000:+.3f}",
             "WORSE" if v.worse else "not worse"] for v in verdicts]
    note = (f"In us. Worse: at {options.confidence:g} % confidence, for all "
            f"figures together, higher by more than {options.tolerance:g} %. "
            "The interval is that of the difference. " +
            "".join(f"{text}. " for text in notes))
    return Table(f"Is {candidate.title} worse than {baseline.title}?",
                 ["metric", "figure", "baseline", "candidate", "difference",
                  "interval", "verdict"], rows, note.strip(),
                 figures=2, key="gate")
