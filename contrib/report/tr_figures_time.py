# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of single cycles, of phases, and of load."""

import textwrap

import numpy
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tr_model import ALL_PHASES, PHASES, STAMPED, TWO_CLOCKS_PHASES
from tr_parts import between
from tr_style import MARKERS, OVERLAID, log_axis, plain
from tr_tables_text import of

POINTS = 400            # of a time line
PANELS = 16
SKEWED = 8
THIN = 0.01             # of the longest bar: an outline would hide the part
HATCH = ("", "////", "", "\\\\\\\\", "xxxx", "----", "....", "++++")
STYLE = (*PHASES, "network", *STAMPED)      # index of colour and hatch
ORDER = ("wakeup", "send", *STAMPED, "network", "sleep", "receive")

# The phases in a caption.
SAID = {"wakeup": "the client's wake-up (where it was measured)",
        "send": "send", "network": "network (send and receive together)",
        "sleep": "the server's sleep", "receive": "receive"}


def worst_of(cycles):
    """The largest total in each of POINTS spans, at its time in s."""
    values = cycles.values("total", followed=False)
    values[cycles.breaks] = 0       # not known
    size = max(1, len(values) // POINTS)
    # No span reaches over the pause between two steps, and no line does.
    starts = numpy.union1d(numpy.arange(0, len(values), size), cycles.starts)
    worst = numpy.maximum.reduceat(values, starts) / 1000
    worst[worst == 0] = numpy.nan
    pauses = numpy.searchsorted(starts, cycles.starts[1:])
    return numpy.insert(cycles.times_s(starts), pauses, numpy.nan), \
        numpy.insert(worst, pauses, numpy.nan)


def points_of(run):
    """Of a run without a dump: the cycles that were kept."""
    kept = run.every("spikes") or [w for w in run.every("worst")
                                   if w.metric == "total"]
    kept = sorted(kept, key=lambda worst: worst.since_start_ns)
    return (numpy.array([w.since_start_ns / 1e9 for w in kept]),
            numpy.array([w.value_ns / 1000 for w in kept]))


def time_line(runs):
    """None if no run has anything to show."""
    found = []
    for run in runs:
        times, worst = worst_of(run.cycles) if run.cycles \
            else points_of(run)
        if numpy.isfinite(worst).any():
            found.append((run.index, run, times, worst))
    left = len(found) - PANELS
    found = found[:PANELS]
    if not found:
        return None

    def draw(look):
        figure, axes = look.figure(
            f"Worst cycles in time{of(runs)}", [],
            0.95 if len(found) <= OVERLAID else 0.55, len(found),
            left_in=0.76, gap_in=0.36, titled=True, sharex=True, sharey=True)
        low = max(0.1, min(numpy.nanmin(worst) for *_, worst in found))
        high = max(numpy.nanmax(worst) for *_, worst in found)
        for ax, (i, run, times, worst) in zip(axes, found):
            if run.cycles:
                ax.plot(times, worst, linewidth=0.8, color=look.fill(i),
                        drawstyle="steps-post")
            else:
                ax.plot(times, worst, linestyle="", color=look.fill(i),
                        marker=MARKERS[i % len(MARKERS)], markersize=4)
            look.title(ax, run.title)
            if high > SKEWED * low:
                log_axis(ax.yaxis, low, high, narrow=True)
            ax.set_ylim(low / 1.3, high * 1.4)
        axes[-1].set_xlim(left=0)
        look.x_label(figure, "s since the first cycle")
        look.y_label(figure, "largest total, us")
        return figure

    caption = f"The largest total of each of {POINTS} spans of time; " \
        "without a dump, the cycles that were kept. All panels have the " \
        "same axes."
    if left > 0:
        caption += f" {left} more runs are not shown."
    return "time-line", caption, draw


def phases_in(run):
    """Those that make up its cycles; None: it does not tell them all.

    Between two hosts, not all cycles may have send and receive.
    """
    for phases in (PHASES, TWO_CLOCKS_PHASES)[between(run):]:
        if set(phases[1:]) <= set(run.series):
            return phases
    return None


def phases_of(run):
    """Averages of the phases; of the cycle of largest total, too."""
    average = {p: run.series[p].avg_ns / 1000 for p in phases_in(run)
               if p in run.series}
    worst = next((w for w in run.every("worst") if w.metric == "total"),
                 None)
    return average, {p: worst.phases[p] / 1000 for p in phases_in(run)
                     if p in worst.phases} if worst else None


def draw_bars(look, ax, runs, bars, shares=False):
    """shares: in % of each bar, as one may be much longer than all others."""
    longest = 100 if shares else max(sum((bar or {}).values())
                                     for bar in bars)
    for row, (run, bar) in enumerate(zip(runs, bars)):
        start, whole = 0, sum((bar or {}).values())
        for phase in ORDER:
            k = STYLE.index(phase)
            if phase in (bar or {}):
                length = bar[phase]
                if shares:
                    length *= 100 / whole if whole else 0
                ax.barh(row, length, 0.5, start,
                        color=look.colour[f"phase{k}"], hatch=HATCH[k],
                        edgecolor=look.colour["paper"],
                        linewidth=0.8 * (length > THIN * longest))
                start += length
        ax.annotate(textwrap.shorten(run.title, 48) +
                    (f": {whole:.0f} us" if bar else ": not known"),
                    (0, row - 0.31), color=look.colour["ink"], fontsize=9,
                    xytext=(2, 0), textcoords="offset points")
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
    runs = [run for run in runs if phases_in(run)]
    if not runs:
        return None
    average, worst = zip(*map(phases_of, runs))
    panels = [("us, the average cycle", average)]
    if any(worst):
        panels.append(("% of the cycle of the largest total", worst))

    known = [STYLE.index(phase) for phase in ALL_PHASES
             if any(phase in bar for bar in average)]

    def draw(look):
        names = [STYLE[k] for k in known]
        figure, axes = look.figure(
            f"Where the time goes{of(runs)}", names, 0.46 * len(runs),
            len(panels), left_in=0.2, gap_in=0.62)
        for ax, (title, bars) in zip(axes, panels):
            draw_bars(look, ax, runs, bars, title.startswith("%"))
            ax.set_xlabel(title)
        look.legend(figure, [patch(look, name) for name in names], names)
        return figure

    return ("phases", "From the planned expiry to the reply: " + ", ".join(
        SAID[STYLE[k]] for k in known) + ".", draw)


def load_panels(look, runs, title):
    figure, panels = look.panels(f"{title}{of(runs)}",
                                 [(run.index, run) for run in runs],
                                 2.1 if len(runs) <= OVERLAID else 1.4)
    look.x_label(figure, "workers")
    for ax, _ in panels:
        ax.set_ylabel("us")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    return figure, panels


def steps_of(run, member):
    """Workers and total's values in us, where known."""
    pairs = [(step.workers, getattr(step.series["total"], member))
             for step in run.steps if "total" in step.series]
    pairs = [(w, value / 1000) for w, value in pairs if value is not None]
    return numpy.array(pairs).reshape(-1, 2).T


def load_bars(runs, member, title):
    def draw(look):
        figure, panels = load_panels(look, runs, title)
        for ax, part in panels:
            width = 0.82 / len(part)
            handles = []
            for k, (i, run) in enumerate(part):
                workers, values = steps_of(run, member)
                place = workers + (k - (len(part) - 1) / 2) * width
                handles.append(ax.bar(place, values, width * 0.94,
                                      color=look.fill(i)))
            ax.grid(False, axis="x")
            look.legend(figure, handles, [run.title for _, run in part], ax)
        return figure
    return draw


def load_lines(runs, member, title):
    def draw(look):
        figure, panels = load_panels(look, runs, title)
        seen = []
        for ax, part in panels:
            handles = []
            for i, run in part:
                workers, values = steps_of(run, member)
                seen.extend(values[values > 0])
                handles += ax.plot(workers, values, linewidth=1.5,
                                   markersize=4,
                                   marker=MARKERS[i % len(MARKERS)],
                                   **look.run(i))
            look.legend(figure, handles, [run.title for _, run in part], ax)
        for ax, _ in panels:
            if seen and max(seen) > SKEWED * min(seen):
                log_axis(ax.yaxis, min(seen), max(seen))
            else:
                ax.set_ylim(bottom=0)
        return figure
    return draw


def loads(runs):
    runs = [run for run in runs if len(run.steps) > 1 and
            all("total" in step.series for step in run.steps)]
    if not runs:
        return
    yield ("load-average", "Average of total against the number of workers.",
           load_bars(runs, "avg_ns", "Total Jitter: average"))
    yield ("load-deviation", "Standard deviation of total against the number "
           "of workers.",
           load_lines(runs, "std_ns", "Total Jitter: deviation"))
    yield ("load-maximum", "Largest total against the number of workers.",
           load_lines(runs, "max_ns", "Total Jitter: maximum"))


def figures_of(runs):
    """As tr_figures.figures_of()."""
    yield from loads(runs)
    yield from filter(None, (phases(runs), time_line(runs)))
