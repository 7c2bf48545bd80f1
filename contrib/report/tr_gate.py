# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a candidate worse than a baseline?

Each figure of both runs has a confidence interval, and so has the difference.
It is worse if that interval lies above what is allowed, not worse if it lies
below a change that is to be found, and undecided else.
"""

import dataclasses
import math

import numpy

import tr_interval
import tr_lost
import tr_oneway
from tr_lost import NOT_WORSE, UNDECIDED, WORSE
from tr_model import METRICS, ONE_WAY, InputError
from tr_stats import Distribution, rank_of
from twtools.tables import Table
from twtools.units import NS, us

FEWEST = 400            # cycles of a run
BEYOND = 100            # of them, a percentile that is judged
UNEVEN = 0.01           # of a step's share in all cycles: worth a remark
STATUS = {WORSE: 2, UNDECIDED: 3, NOT_WORSE: 0}     # the first that occurs


@dataclasses.dataclass
class Verdict:
    """On one figure of one metric."""
    metric: str
    percent: float | None       # None: the average
    baseline_ns: float
    candidate_ns: float
    low_ns: float               # of the difference
    high_ns: float
    allowed_ns: float
    found_ns: float             # a change that would be found

    @property
    def text(self):
        if self.low_ns > self.allowed_ns:
            return WORSE
        return NOT_WORSE if self.high_ns <= self.found_ns else UNDECIDED

    @property
    def name(self):
        return f"{self.metric} " + (
            "average" if self.percent is None else f"p{self.percent:.12g}")

    @property
    def said(self):
        """What was compared, and what is allowed."""
        return (f"{self.name} is {us(self.candidate_ns, 3)} us; the baseline "
                f"has {us(self.baseline_ns, 3)} us. The difference lies "
                f"between {signed(self.low_ns)} and {signed(self.high_ns)} "
                f"us; {signed(self.allowed_ns)} us are allowed, and more "
                f"than {signed(self.found_ns)} us must not be missed.")

    @property
    def cells(self):
        return [*self.name.split(" "), us(self.baseline_ns, 3),
                us(self.candidate_ns, 3),
                signed(self.candidate_ns - self.baseline_ns),
                f"{signed(self.low_ns)} .. {signed(self.high_ns)}", self.text]


def lengths(run):
    return [part.stop - part.start for part in run.cycles.slices()]


def short_steps(runs):
    """Numbers of steps that are too short in one of the runs."""
    return {i for run in runs if run.cycles
            for i, length in enumerate(lengths(run))
            if length < tr_interval.SHORTEST}


def cycles_of(run, metric):
    """Those of a dump, if they have the metric; else None."""
    return run.cycles if run.cycles and metric in run.cycles.metrics() \
        else None


def values_of(run, metric, unit, left_out):
    """Of each step of a dump, rounded down as a histogram's are."""
    for i, part in enumerate(run.cycles.slices()):
        if i not in left_out:
            values = run.cycles.values(metric, part)
            yield values if unit == NS else values // unit.ns * unit.ns


def histogram_of(run, metric):
    dist = run.series[metric].dist
    if dist is None or not dist.complete:
        # A dump of two clocks has no one-way times.
        dump = "" if run.oneway and metric in ONE_WAY else \
            "give its --dump, or "
        raise InputError(run.name, metric, (
            "its histogram lacks values (they overflowed)" if dist else
            "neither a dump nor a histogram") + f": {dump}measure with a -h "
            "above its maximum")
    return dist


def unit_of(runs, metric):
    """Of the values that are compared: the widest bins of both."""
    units = {run.name: NS if cycles_of(run, metric)
             else histogram_of(run, metric).unit for run in runs}
    if len(set(units.values()) - {NS}) > 1:
        raise InputError("--gate", metric, "bins of unlike width cannot be "
                         "compared: " + ", ".join(
                             f"{unit} in {name}"
                             for name, unit in units.items()))
    return max(units.values())


def side_of(run, metric, unit, percents, left_out):
    """A run as tr_interval knows it."""
    if not cycles_of(run, metric):
        return tr_interval.of_histogram(histogram_of(run, metric),
                                        run.series[metric].avg_ns, percents)
    steps = list(values_of(run, metric, unit, left_out))
    dist = run.series[metric].dist
    if not dist or dist.unit != unit or dist.count != sum(map(len, steps)):
        dist = Distribution.of(numpy.concatenate(steps))
    side = tr_interval.of_steps(steps, dist, percents)
    if unit != NS:      # the average is known better
        side.average_ns = run.cycles.average(metric, left_out)
    return side


def count_of(run, metric, left_out):
    if not cycles_of(run, metric):
        return histogram_of(run, metric).count
    return sum(length for i, length in enumerate(lengths(run))
               if i not in left_out)


def supported(runs, metric, percents, left_out):
    """Those that both sides have enough cycles for."""
    counts = [count_of(run, metric, left_out) for run in runs]
    for run, count in zip(runs, counts):
        if count < FEWEST:
            raise InputError(run.name, metric, f"{count} cycles are too few "
                             f"to compare; {FEWEST} are needed")
    return [p for p in percents
            if min(counts) >= rank_of(min(counts), p) + BEYOND]


def compare(runs, metric, percents, options, alpha, left_out=()):
    """Verdicts on one metric, and the runs that wander.

    alpha: the risk of a false alarm a figure.
    """
    unit = unit_of(runs, metric)
    sides = [side_of(run, metric, unit, percents, left_out) for run in runs]
    found = [tr_interval.estimates(side, percents, alpha) for side in sides]
    doubt_ns = sum(run.series[metric].doubt_ns for run in runs)
    verdicts = []
    for percent, before, after in zip([None, *percents], *found):
        # Both are rounded: an average by its own unit, the rest by bins.
        width = max(run.series[metric].avg_unit for run in runs) \
            if percent is None else unit
        share = max(before.value_ns, 0) / 100
        verdicts.append(Verdict(
            metric, percent, before.value_ns, after.value_ns,
            *difference(before, after, doubt_ns), *(
                share * part + (width.ns if width != NS else 0)
                for part in (options.tolerance,
                             max(options.tolerance, options.detect)))))
    return verdicts, [run.title for run, side in zip(runs, sides)
                      if not tr_interval.steady(side, percents)]


def difference(before, after, doubt_ns=0):
    """The interval of it, by those of both (method of Zou and Donner).

    doubt_ns: by how much it may be wrong besides, in all cycles alike.
    """
    middle = after.value_ns - before.value_ns
    return (middle - doubt_ns - math.hypot(after.value_ns - after.low_ns,
                                           before.high_ns - before.value_ns),
            middle + doubt_ns + math.hypot(after.high_ns - after.value_ns,
                                           before.value_ns - before.low_ns))


def uneven(runs):
    """A remark if the runs are not made up of the same steps, or None."""
    if not all(run.cycles for run in runs):
        return None
    found = [lengths(run) for run in runs]
    counts = [len(steps) for steps in found]
    if counts[0] != counts[1]:
        return (f"the runs have {counts[0]} and {counts[1]} steps: figures "
                "of all together differ for that alone")
    shares = [numpy.array(steps) / sum(steps) for steps in found]
    off = numpy.abs(shares[1] - shares[0]) * counts[0]
    if off.max() <= UNEVEN:
        return None
    step = int(off.argmax())
    return (f"step {step + 1} has {100 * shares[0][step]:.2f} and "
            f"{100 * shares[1][step]:.2f} % of the cycles: figures of all "
            "steps together differ for that alone")


def gate(runs, options):
    """Verdicts on all metrics, and what to know of them."""
    for metric in options.metrics:
        for run in runs:
            if metric in ONE_WAY and run.oneway and run.oneway.refusal:
                raise InputError(run.name, metric, f"{run.oneway.refusal}; "
                                 + tr_oneway.ADVICE)
            if metric not in run.series:
                raise InputError(run.name, metric, "not measured; choose of "
                                 f"{', '.join(run.series)} by --metrics")
    left_out = short_steps(runs)
    percents = {metric: supported(runs, metric, options.percentiles, left_out)
                for metric in options.metrics}
    figures = sum(1 + len(found) for found in percents.values()) + \
        tr_lost.any_missed(runs)
    alpha = (1 - options.confidence / 100) / figures
    verdicts, wandering = [], {}
    for metric in options.metrics:
        found, names = compare(runs, metric, percents[metric], options, alpha,
                               left_out)
        verdicts += found
        for name in names:
            wandering.setdefault(name, []).append(metric)
    notes = [f"{name}: the level of {', '.join(metrics)} changes so slowly "
             "that the run is too short for it: its intervals are widened; "
             "measure longer, or find what changes"
             for name, metrics in wandering.items()]
    lost = tr_lost.verdicts_of(runs, alpha)
    return verdicts + lost, tr_lost.notes_of(runs, lost) + notes + notes_on(
        runs, options, percents, left_out)


def notes_on(runs, options, percents, left_out):
    notes = [f"{run.title}: no dump, so cycles are taken as independent of "
             "each other; the interval is narrower than the truth"
             for run in runs
             if not all(cycles_of(run, metric)
                        for metric in options.metrics)]
    notes += tr_oneway.notes_on(runs, options.metrics)
    notes += [f"{run.name}: {run.virtual_remark}"
              for run in runs if run.virtual]
    notes += [f"{run.title}: {run.pairs_remark}; a single pair may be worse "
              "off without these being worse" for run in runs if run.pairs]
    # These have notes of their own.
    notes += [f"{run.title}: {text}" for run in runs
              for text in run.every("remarks")
              if not text.startswith(("missed", "throttled",
                                      "send and receive"))]
    if left_out:
        notes.append("too short to be judged, so left out: step " +
                     ", ".join(str(i + 1) for i in sorted(left_out)))
    if remark := uneven(runs):
        notes.append(remark)
    gone = [f"{metric} p{percent:.12g}" for metric in options.metrics
            for percent in options.percentiles
            if percent not in percents[metric]]
    if gone:
        notes.append(f"Not judged, as fewer than {BEYOND} cycles lie beyond: "
                     + ", ".join(gone))
    return notes


def signed(value_ns):
    return f"{value_ns / 1000:+.3f}" if math.isfinite(value_ns) else "?"


def table_of(runs, verdicts, notes, options):
    baseline, candidate = runs
    rows = [verdict.cells for verdict in verdicts if verdict.cells]
    judged = ", ".join(f"{metric} ({METRICS[metric][1]})"
                       for metric in options.metrics)
    lines = [f"In us. Judged: {judged}.",
             f"The interval is that of the difference, at "
             f"{options.confidence:g} % confidence for all figures together.",
             f"Worse: the whole interval lies above "
             f"{options.tolerance:g} % of the baseline, the tolerance.",
             f"Not worse: no part of the interval lies above "
             f"{max(options.tolerance, options.detect):g} % of the baseline."]
    lines += [f"{text}." for text in notes]
    return Table(f"Is {candidate.title} worse than {baseline.title}?",
                 ["metric", "figure", "baseline", "candidate", "difference",
                  "interval", "verdict"], rows, "\n".join(lines),
                 figures=2, key="gate")
