# SPDX-License-Identifier: GPL-2.0-or-later
"""Is a candidate worse than a baseline of one or more runs?

Each figure has the interval of its difference (sure). It is worse if that
lies above what is allowed, not worse if it lies below a change that is to be
found, and undecided else.
"""

import dataclasses
import itertools
import math
import statistics

from report.judge import gate_text
from twoway.compare import sure, tail
from twoway.compare.sure import Figure, difference
from twoway.read import oneway
from twoway.series.model import ONE_WAY, InputError, lasted_s
from twoway.series.stats import rank_of
from twtools.tables import Table
from twtools.words import several

FEWEST = 400            # cycles of a run
BEYOND = 100            # of them, a percentile that is judged
LOST_SURELY = 1         # percent more of the cycles: no chance
GOAL = 3                # percent that a proposal is to reach
HOPELESS = 1000         # percent; a figure that cannot be told is left out
MISSED = "missed expiries"
LOST = "lost cycles"
WORSE, UNDECIDED, NOT_WORSE = "WORSE", "undecided", "not worse"
NOT_JUDGED = "not judged"
OF_THESE = " That holds of these two runs, but two boots of one system may " \
    "differ as much: give several runs of the baseline."
NOT_KNOWN = f"fewer than {BEYOND} cycles lie beyond, or as that needs the " \
    "--dump of each run"
STATUS = {WORSE: 2, UNDECIDED: 3, NOT_WORSE: 0}     # the first that occurs


@dataclasses.dataclass
class Compared:
    """A figure of the baseline's runs and of the candidate."""
    metric: str
    figure: str                 # as --detect names it
    baseline: list              # a sure.Figure a run
    candidate: list
    starts: list | None = None  # blocks of each run that are its warm-up

    @property
    def name(self):
        return MISSED if self.metric == "missed" else \
            f"{self.metric} {self.figure}"

    @property
    def is_new(self):
        """No run of the baseline had any: that is no chance of the spread."""
        return self.metric == "missed" and self.after > 0 and \
            not any(one.value for one in self.baseline)

    @property
    def mean(self):
        return sure.mean(self.baseline)

    @property
    def after(self):
        return sure.mean(self.candidate)

    def percent(self, value):
        """As a share of the baseline's, but that of expiries is one."""
        if self.metric == "missed":
            return value
        return 100 * value / self.mean if self.mean > 0 else math.nan

    def shown(self, value, sign=""):
        scale = 1 if self.metric == "missed" else 1000      # %, us
        return f"{value / scale:{sign}.3f}" if math.isfinite(value) else "?"


@dataclasses.dataclass
class Verdict:
    """On a figure, or on a broken run."""
    name: str
    text: str
    said: str
    rows: list = dataclasses.field(default_factory=list)    # of the table


def judged(one, options, alpha):
    """One Compared."""
    low, high = difference(one.baseline, one.candidate, alpha)
    allowed = 0 if one.metric == "missed" else options.tolerance
    found = max(allowed, options.detect.get(one.figure, options.detect[""]))
    text, more = UNDECIDED, ""
    if one.percent(low) > allowed:
        # Two boots of one system may differ as much.
        alone = len(one.baseline) + len(one.candidate) == 2
        text, more = (UNDECIDED, OF_THESE) if alone else (WORSE, "")
    elif one.percent(high) <= found and not one.is_new:
        text = NOT_WORSE
    unit = "%" if one.metric == "missed" else "us"
    before, after = one.shown(one.mean), one.shown(one.after)
    ends = [one.shown(end, "+") for end in (low, high)]
    return Verdict(one.name, text, (
        f"{one.name} is {after} {unit}; the baseline has {before} {unit}. The "
        f"difference lies between {' and '.join(ends)} {unit}; {allowed:g} % "
        f"are allowed, and more than {found:g} % must not be overlooked."
        + more), [[
            one.metric, f"{one.figure} in {unit}", before, after,
            one.shown(one.after - one.mean, "+"), " .. ".join(ends),
            f"{found:g}", text]])


def judged_tail(one, alone):
    """A tail.Tail; alone: of two runs."""
    text = NOT_WORSE if one.episodes < one.needed else \
        UNDECIDED if one.wanders or alone else WORSE
    text = UNDECIDED if one.odd else text
    longest = [f"{ns / 1000:.3f}" for ns in (one.baseline, one.candidate)]
    return Verdict(f"{one.metric} tail", text, (
        f"{one.metric} is longer than all of the baseline's {longest[0]} us in "
        f"{several_of(one.episodes)}, up to {longest[1]} us; from "
        f"{one.needed} on, equal runs are hardly so." + (
            " But they may be one, as what the longest cycles take changes in "
            "the course of the run." if one.wanders else "") + (
            f" But so is {one.odd} beside the others of the baseline: find "
            "what disturbed it, or leave it out." if one.odd else "") + (
            OF_THESE if alone and text == UNDECIDED else "")), [
        [one.metric, "maximum in us", *longest,
         f"{(one.candidate - one.baseline) / 1000:+.3f}", "-", "-",
         NOT_JUDGED],
        [one.metric, "longer episodes", "0", f"{one.episodes}",
         f"+{one.episodes}", "-", f"{one.needed}", text]])


def several_of(episodes):
    return f"{episodes} episode" + "s" * (episodes != 1)


def short_steps(runs):
    """Numbers of steps that are too short in one of the runs."""
    return {i for run in runs if run.cycles
            for i, length in enumerate(gate_text.lengths(run))
            if length < sure.SHORTEST}


def settled(run, metric, left_out, notes):
    """How many blocks of a run are its warm-up; what its level does is said."""
    blocks = sure.average(run.series[metric],
                          sure.steps_of(run, metric, left_out)).blocks
    start, at, wanders = sure.warm_up(blocks)
    if wanders:
        whole = lasted_s(run)
        when = f"second {whole * at / sure.BLOCKS:.0f} on" if whole else \
            f"{100 * at / sure.BLOCKS:.0f} % of the run on"
        low, high = (f"{part.mean() / 1000:.1f}"
                     for part in (blocks[:at], blocks[at:]))
        notes.append(
            f"{run.title}: the level of {metric} changes: {low} us on "
            f"average, from {when} {high} us; " + (
                "what was before that is not judged, as the run is steady "
                "afterwards" if start else
                "this makes its interval wide: find what changes"))
    return start


def parted(found, candidates):
    """The baseline's, and those of the candidate's runs, which are the last."""
    return found[:-candidates], found[-candidates:]


def of_metric(runs, candidates, metric, percents, left_out, notes, gone):
    """A Compared of each figure; gone gets names of those that cannot be
    judged, and their percentiles."""
    for run in runs:
        if metric in ONE_WAY and run.oneway and run.oneway.refusal:
            raise InputError(run.name, metric, f"{run.oneway.refusal}; "
                             + oneway.ADVICE)
        if metric not in run.series:
            raise InputError(run.name, metric, "not measured; choose of "
                             f"{', '.join(run.series)} by --metrics")
        count = run.series[metric].count or 0
        if count < FEWEST:
            raise InputError(run.name, metric, f"{count} cycles are too few "
                             f"to compare; {FEWEST} are needed")
    sides = [(run.series[metric], sure.steps_of(run, metric, left_out),
              settled(run, metric, left_out, notes)) for run in runs]
    averages = [sure.average(*side) for side in sides]
    if any(one.blocks is None for one in averages):     # all, or the longest
        averages = [Figure(series.avg_ns, None, series.avg_unit.ns / 2)
                    for series, *_ in sides]
    yield Compared(metric, "average", *parted(averages, candidates),
                   [start for *_, start in sides])
    cycles = [steps and sure.Cycles(lambda steps=steps: steps, start)
              for _, steps, start in sides] if percents else ()
    for percent in percents:
        found = [sure.percentile(series, one, percent)
                 if series.count - rank_of(series.count, percent) >= BEYOND
                 else None for (series, *_), one in zip(sides, cycles)]
        # Of single runs, only blocks tell how exact they are.
        if None in found or not found[2:] and not all(cycles):
            gone[f"{metric} p{percent:.12g}"] = percent
        else:
            yield Compared(metric, f"p{percent:.12g}",
                           *parted(found, candidates))


def figures_of(runs, options, notes, gone):
    """Of all metrics; the last runs are the candidate's. gone: as of_metric()."""
    left_out = short_steps(runs)
    if left_out:
        notes.append("too short to be judged, so left out: step " +
                     ", ".join(str(i + 1) for i in sorted(left_out)))
    found = [one for metric in options.metrics for one in of_metric(
        runs, options.candidate, metric, options.percentiles, left_out, notes,
        gone)]
    if gone:
        notes.append(f"Not judged, as {NOT_KNOWN}: {', '.join(gone)}")
    lost = [sure.missed(run) for run in runs]
    if None not in lost and any(one.value for one in lost):
        found.append(Compared("missed", "missed",
                              *parted(lost, options.candidate)))
    return found


def tails_of(runs, found, options):
    """Verdicts on what takes longest. A missed expiry is in planned, of the
    cycle after it."""
    averages = {one.metric: one for one in found if one.starts}
    first, left_out = averages[options.metrics[0]], short_steps(runs)
    if any(run.missed for run in runs[-options.candidate:]) and None not in tail.sides_of(
            runs, "planned", first.starts, left_out):
        averages.setdefault("planned", first)
    risk = sure.each(1 - options.confidence / 100, len(averages))
    for metric, one in averages.items():
        sides = tail.sides_of(runs, metric, one.starts, left_out)
        changes = any(side.blocks is not None and sure.change(side.blocks)[1]
                      for side in one.candidate)
        yield judged_tail(tail.tail_of(
            metric, *parted(sides, options.candidate), risk, changes), len(runs) == 2) if None not in sides else Verdict(
                f"{metric} tail", NOT_JUDGED,
                "nothing tells when the longest cycles came in " + several([
                    run.title for run, side in zip(runs, sides)
                    if side is None], 4) + f": give {tail.NEEDED}")


def lost_more(runs, candidates):
    """A verdict, if a run has lost cycles, which are in no other figure."""
    shares = [100 * run.lost_cycles / (run.lost_cycles + run.count)
              for run in runs if run.lost_cycles is not None and run.count]
    if not any(shares):
        return []
    if len(shares) < len(runs):
        return [Verdict(LOST, UNDECIDED, f"{LOST}: not all files tell them.")]
    baseline, candidate = map(max, parted(shares, candidates))
    more = candidate - baseline
    return [Verdict(
        LOST, NOT_WORSE if more <= 0 else WORSE if more > LOST_SURELY else
        UNDECIDED, f"{LOST} are {candidate:.3f} %; the baseline has at most "
        f"{baseline:.3f} %. More than that is undecided, and by more "
        f"than {LOST_SURELY} % worse.")]


def gate(runs, options):
    """Verdicts on all figures, and what to know of them."""
    notes, gone = [], {}
    found = figures_of(runs, options, notes, gone)
    alpha = sure.each(1 - options.confidence / 100, len(found))
    verdicts = [judged(one, options, alpha) for one in found]
    verdicts += tails_of(runs, found, options)
    verdicts += [Verdict(
        f"{name} ({NOT_JUDGED})", UNDECIDED, f"{name} was asked for and is "
        f"not judged, as {NOT_KNOWN}. Measure longer, give the dumps, or "
        "leave it out.") for name, percent in gone.items()
        if percent in options.asked]
    if any(side.blocks is side.cycles for one in found
           for side in one.candidate):
        notes.append("What has no blocks is never worse, and undecided beside "
                     "a single run: give the --dump of each run, or for the "
                     "average the JSON of twowaytest")
    return verdicts + lost_more(runs, options.candidate) + [
        Verdict(name, UNDECIDED, f"{name}: measure it again.") for name in (
            f"{run.title} ({trouble})" for run in runs
            for trouble in run.troubles)], notes + gate_text.notes_on(runs, options)


def reach(one, alpha, again, tolerance):
    """By how many percent a further run has to be higher, so that it is worse;
    again: the risk that an equal one is not "not worse" at it."""
    values = [side.value for side in one.baseline]
    return tolerance + one.percent(sum(
        sure.spread(values, [one.mean], risk) for risk in (alpha, again)))


def boots_differ(sides):
    """Whether runs differ by more than their blocks tell: longer ones would
    differ, too."""
    couples = list(itertools.combinations(sides, 2))
    return any(sure.apart([a], [b], len(couples)) for a, b in couples)


def proposal(runs, options):
    """The table of --propose, and the options that it proposes."""
    notes, rows, detect, percents = [], [], {}, set()
    found = figures_of([*runs, runs[-1]], options, notes, {})
    alpha, again = (sure.each(risk, len(found)) for risk in (
        1 - options.confidence / 100, sure.AGAIN))
    long_s = statistics.fmean(lasted_s(run) or 0 for run in runs)
    for one in found:
        # NaN: of a mean of 0
        least = reach(one, alpha, again, options.tolerance)
        least = math.ceil(10 * least) / 10 if least < HOPELESS else HOPELESS
        values = [side.value for side in one.baseline]
        known = 0 < least < HOPELESS
        minutes = "-" if boots_differ(one.baseline) else \
            f"{long_s / 60 * (least / GOAL) ** 2:.0f}" if known and long_s \
            else "?"
        rows.append([one.metric, one.figure,
                     *map(one.shown, (one.mean, min(values), max(values))),
                     f"{least:g}" if known else "?", minutes])
        if known:
            detect[one.figure] = max(least, detect.get(one.figure, 0))
            percents |= {one.figure[1:]} if one.figure[0] == "p" else set()
    notes = dict.fromkeys(f"{text}." for text in notes)
    table = Table(
        f"What {len(runs)} runs can tell apart",
        ["metric", "figure", "mean", "least", "most", "detect",
         f"minutes for {GOAL} %"], rows, "\n".join([
             "In us; missed in % of the expiries, so 100 tells nothing. "
             f"detect: by how many percent (?: {HOPELESS} or more: the gate "
             "takes its default) a further run has to be higher, so that "
             "these runs tell that it is, by more than the tolerance; an equal "
             f"run is not worse at it, with {100 * (1 - sure.AGAIN):g} % "
             "for all figures together. minutes: how long each run must be, so "
             f"that it is {GOAL} %; -: the runs differ by more than their "
             "blocks, so longer ones differ as well: several boots tell more.",
             *notes]), figures=2, key="proposal")
    words = {"percentiles": ",".join(sorted(percents, key=float)),
             "detect": ",".join(f"{k}:{v:g}" for k, v in detect.items())}
    text = " ".join(f"--{key}={word}" for key, word in words.items() if word)
    return table, text
