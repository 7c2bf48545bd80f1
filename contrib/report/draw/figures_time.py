# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of longest cycles in time, of phases, and of load."""

import textwrap

import numpy
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from report.judge.told import marked
from twoway.read import parts
from twoway.read.dump import OF_REPLY
from twoway.series.model import METRICS, PHASES, STAMPED
from twtools.plots import MARKERS, OVERLAID, log_axis, plain

SPANS = 400             # of a time line
PANELS = 16
SKEWED = 8
# Longer than this in s: the unit of the axis, and its length.
UNITS = ((2 * 86400, "days", 86400), (7200, "hours", 3600),
         (300, "minutes", 60), (0, "s", 1))
THIN = 0.01             # of the longest bar: an outline would hide the part
SEEN = 0.0005           # of a bar: a part that is drawn
HATCH = ("", "////", "", "\\\\\\\\", "xxxx", "----", "....", "++++")
STYLE = (*PHASES, "network", *STAMPED)      # index of colour and hatch
ORDER = ("wakeup", "send", *STAMPED, "network", "sleep", "receive")
KEPT = ("latency", "response", "planned", "total")   # cycle of the largest


def of_dump(cycles, metric):
    """The largest of each of SPANS spans, at its time in s."""
    values = cycles.values(metric, followed=False)
    if metric in ("interval", "total"):
        values[cycles.breaks] = 0       # not known
    if metric in OF_REPLY:
        values[cycles.cut] = 0
    size = max(1, len(values) // SPANS)
    # No span reaches over the pause between two steps, and no line does.
    starts = numpy.union1d(numpy.arange(0, len(values), size), cycles.starts)
    largest = numpy.maximum.reduceat(values, starts) / 1000
    largest[largest == 0] = numpy.nan
    pauses = numpy.searchsorted(starts, cycles.starts[1:])
    return numpy.insert(cycles.times_s(starts), pauses, numpy.nan), \
        numpy.insert(largest, pauses, numpy.nan)


def of_timeline(timeline, metric):
    """The same of the rows of --timeline."""
    rows = len(timeline.ends_s)
    starts = numpy.arange(0, rows, max(1, -(-rows // SPANS)))
    largest = numpy.fmax.reduceat(timeline.largest[metric], starts) / 1000
    return numpy.append(timeline.begins_s[starts], timeline.ends_s[-1]), \
        numpy.append(largest, largest[-1])


def of_kept(run, metric):
    """Of a run with neither: the cycles that were kept."""
    kept = sorted((w.since_start_ns / 1e9, w.value_ns / 1000)
                  for w in run.every("spikes") + run.every("worst")
                  if w.metric == metric)
    return numpy.array(kept).reshape(-1, 2).T


def points_of(run, metric):
    """Times in s, values in us, and whether they are of the whole run."""
    if run.cycles and metric in run.cycles.metrics():
        return *of_dump(run.cycles, metric), True
    if run.timeline and metric in run.timeline.largest:
        return *of_timeline(run.timeline, metric), True
    return *of_kept(run, metric), False


def time_line(runs, metric):
    """None if no run has anything to show."""
    found = [(run, *points_of(run, metric)) for run in runs]
    # A dot alone shows nothing.
    found = [row for row in found if numpy.isfinite(row[2]).sum() > 1]
    left = len(found) - PANELS
    found = found[:PANELS]
    if not found:
        return None
    length = max(numpy.nanmax(times) for _, times, *_ in found)
    _, unit, scale = next(row for row in UNITS if length >= row[0])

    def draw(look):
        figure, axes = look.figure(
            f"{METRICS[metric][0]}: the longest in time{marked(runs)}", [],
            0.95 if len(found) <= OVERLAID else 0.55, len(found),
            left_in=0.76, gap_in=0.36, titled=True, sharex=True, sharey=True)
        low = max(0.1, min(numpy.nanmin(values) for _, _, values, _ in found))
        high = max(numpy.nanmax(values) for _, _, values, _ in found)
        for ax, (run, times, values, whole) in zip(axes, found):
            how = {"drawstyle": "steps-post", "linewidth": 0.8} if whole else \
                {"linestyle": "", "markersize": 4,
                 "marker": MARKERS[run.index % len(MARKERS)]}
            ax.plot(times / scale, values, color=look.fill(run.index), **how)
            look.title(ax, run.title)
            if high > SKEWED * low:
                log_axis(ax.yaxis, low, high, narrow=True)
            ax.set_ylim(low / 1.3, high * 1.4)
        axes[-1].set_xlim(left=0)
        look.x_label(figure, f"{unit} since the first cycle")
        look.y_label(figure, f"{metric}, us")
        return figure

    caption = f"The largest {metric} of each of up to {SPANS} spans of time" \
        "; without a dump or a timeline, the cycles that were kept. All " \
        "panels have the same axes."
    if left > 0:
        caption += f" {left} more runs are not shown."
    return "time-line", caption, draw


def bars_of(run):
    """Name of a bar: its parts in ns, which add up; None: not known."""
    if parts.between(run):
        if not parts.stacked([run]):
            return {}
        return {name: bar_of(run).parts
                for name, bar_of in parts.BARS.items()}
    if not set(PHASES[1:]) <= set(run.series):
        return {}
    worst = next((item for metric in KEPT for item in run.every("worst")
                  if item.metric == metric), None)
    return {"average": {phase: run.series[phase].avg_ns for phase in PHASES
                        if phase in run.series},
            "longest cycle": worst and {
                phase: worst.phases[phase] for phase in PHASES
                if phase in worst.phases}}


def drawn_parts(bar):
    """Without what network has left beside its parts, if it is nothing."""
    whole = sum(bar.values())
    return {phase: bar[phase] for phase in ORDER if phase in bar and (
        phase != "network" or bar[phase] > SEEN * whole)}


def draw_bars(look, ax, runs, bars, shares):
    """shares: in % of each bar, as one may be much longer than all others."""
    longest = max(sum(bar.values()) for bar in bars if bar)
    for row, (run, bar) in enumerate(zip(runs, bars)):
        whole = sum((bar or {}).values())
        start, scale = 0, 100 / (whole or 1) if shares else 1 / 1000
        for phase, value in drawn_parts(bar or {}).items():
            k, length = STYLE.index(phase), value * scale
            ax.barh(row, length, 0.5, start, color=look.colour[f"phase{k}"],
                    hatch=HATCH[k], edgecolor=look.colour["paper"],
                    linewidth=0.8 * (
                        value > THIN * (whole if shares else longest)))
            start += length
        ax.annotate(textwrap.shorten(run.title, 48) +
                    ("" if bar else ": not known"), (0, row - 0.31),
                    color=look.colour["ink"], fontsize=9, xytext=(2, 0),
                    textcoords="offset points")
    ax.set_ylim(len(runs) - 0.55, -0.85)
    ax.set_yticks([])
    ax.xaxis.set_major_formatter(FuncFormatter(plain))
    ax.grid(False, axis="y")


def patch(look, phase):
    """Of the legend."""
    k = STYLE.index(phase)
    return Patch(facecolor=look.colour[f"phase{k}"], hatch=HATCH[k],
                 edgecolor=look.colour["paper"])


def phases(runs):
    """None if no run tells all but the wake-up."""
    runs = [run for run in runs if bars_of(run)]
    found = [bars_of(run) for run in runs]
    panels = [(name, [bars.get(name) for bars in found])
              for name in dict.fromkeys(name for bars in found
                                        for name in bars)]
    panels = [(name, bars) for name, bars in panels if any(bars)]
    if not panels:
        return None
    known = {phase for _, bars in panels for bar in bars if bar
             for phase in drawn_parts(bar)}
    names = [phase for phase in ORDER if phase in known]

    def draw(look):
        figure, axes = look.figure(
            f"Where the time goes{marked(runs)}", names, 0.46 * len(runs),
            len(panels), left_in=0.2, gap_in=0.62)
        for ax, (name, bars) in zip(axes, panels):
            shares = name == "longest cycle"
            draw_bars(look, ax, runs, bars, shares)
            ax.set_xlabel(f"{'%' if shares else 'us'}, {name}")
        look.legend(figure, [patch(look, name) for name in names], names)
        return figure

    return ("phases", "From the planned expiry, or the reply before if that "
            "came later, to the reply: wakeup of the client, the request's "
            "way, the server's sleep with the time that was asked for, the "
            "reply's way. Between two hosts, network is both ways; kernel "
            "timestamps divide it. The parts of a bar are of the same "
            "cycles, so they add up.", draw)


def steps_of(run):
    """Other clients or workers, and the Series of each step.

    Of a ramp of pairs, the response of the first pair; else total.
    """
    if run.ramp:
        steps = [(step.others, step.first.get("response"))
                 for step in run.ramp]
    else:
        steps = [(step.workers, step.series.get("total"))
                 for step in run.steps]
    return [step for step in steps if step[1]]


def draw_load(look, ax, part):
    """Averages with full markers, maxima with empty ones."""
    handles, seen = [], []
    for i, run in part:
        at, series = zip(*steps_of(run))
        style = look.run(i) | {"marker": MARKERS[i % len(MARKERS)],
                               "markersize": 4}
        average = [one.avg_ns / 1000 for one in series]
        highest = [one.max_ns / 1000 for one in series]
        handles += ax.plot(at, average, linewidth=1.8, **style)
        ax.plot(at, highest, linewidth=0.9,
                markerfacecolor=look.colour["paper"], **style)
        seen += average + highest
    ax.set_ylabel("us")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    return handles, seen


def load(runs, ramp):
    """None without such steps; ramp: of pairs."""
    found = [(run.index, run) for run in runs
             if bool(run.ramp) == ramp and len(steps_of(run)) > 1]
    if not found:
        return None
    title, label = ("Response of pair 0 beside other clients",
                    "other clients") if ramp else \
        ("Total against the load", "workers")

    def draw(look):
        figure, panels = look.panels(
            f"{title}{marked(runs)}: average (full markers), maximum (empty)",
            found, 2.3 if len(found) <= OVERLAID else 1.5)
        seen = []
        for ax, part in panels:
            handles, values = draw_load(look, ax, part)
            seen += values
            look.legend(figure, handles, [run.title for _, run in part], ax)
        for ax, _ in panels:
            if max(seen) > SKEWED * max(min(seen), 0.1):
                log_axis(ax.yaxis, max(min(seen), 0.1), max(seen))
            else:
                ax.set_ylim(bottom=0)
        look.x_label(figure, label)
        return figure

    return ("ramp-pairs" if ramp else "load", f"{title}: the average (thick "
            "line, full markers) and the maximum (thin line, empty "
            "markers).", draw)
