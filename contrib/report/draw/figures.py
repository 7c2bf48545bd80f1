# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures that need only statistics and distributions.

A drawing is a function of a Look that returns a matplotlib figure; a row of
figures_of() is (key, caption, drawing).
"""

import math
import textwrap

import numpy
from matplotlib.ticker import FuncFormatter

from report.judge.told import marked
from twoway.read.parts import between
from twoway.series.model import METRICS, SIX
from twtools.plots import MARKERS, OVERLAID, log_axis, plain, short

BINS = 80
SKEWED = 8              # largest by smallest: logarithmic beyond
UNLIKE = 1.5            # counts that differ more are scaled
MARKS = (90, 99, 99.9, 99.99, 99.999)
NAMED = 8               # pairs in a legend


def with_dist(runs, metric):
    """(index, run, distribution) of those that have one."""
    return [(run.index, run, run.series[metric].dist) for run in runs
            if metric in run.series and run.series[metric].dist
            and len(run.series[metric].dist.values)]


def edges_of(dists):
    """Shared bins in ns, and whether they grow with the value."""
    low = min(int(d.values[0]) for d in dists)
    high = max(int(d.values[-1]) + d.unit.ns for d in dists)
    width = max(d.unit.ns for d in dists)
    grow = high > SKEWED * max(low, width)
    if grow:
        edges = numpy.geomspace(max(low, width), high, BINS)
        if low < width:
            edges = numpy.concatenate([[0], edges])
        edges = numpy.unique(numpy.floor(edges / width) * width)
        edges = numpy.append(edges[edges < high], high)
    else:
        step = max(1, math.ceil((high - low) / BINS / width)) * width
        edges = numpy.arange(low // width * width, high + step, step)
    return edges, grow


def bins_of(found, key="index"):
    """Shared edges, whether they grow, what counts are multiplied by."""
    counts = [dist.count for _, _, dist in found]
    scaled = max(counts) > UNLIKE * min(counts)
    return *edges_of([dist for _, _, dist in found]), \
        {getattr(one, key): 1e6 / dist.count if scaled else 1
         for _, one, dist in found}


def shown_edges(ax, edges, grow):
    """In us; the axis is theirs."""
    shown = edges / 1000
    if grow:
        shown = numpy.maximum(shown, shown[1] / 2)
        log_axis(ax.xaxis, shown[0], shown[-1])
    ax.set_xlim(shown[0], shown[-1])
    return shown


def draw_histogram(look, ax, found, bins):
    """Overlaid; returns handles."""
    edges, grow, scale = bins
    shown = shown_edges(ax, edges, grow)
    handles, top = [], ax.get_ylim()[1] / 2 if ax.get_yscale() == "log" else 1
    for i, _, dist in found:
        values = dist.rebinned(edges) * scale[i]
        top = max(top, values.max())
        ax.stairs(values, shown, fill=True, color=look.fill(i), alpha=0.13)
        handles.append(ax.stairs(values, shown, linewidth=1.3,
                                 **look.run(i)))
    floor = 0.7 * min(scale.values())
    log_axis(ax.yaxis, floor, top, narrow=True)
    ax.set_ylim(floor, top * 2)
    ax.set_ylabel("cycles" if 1 in scale.values() else "cycles a million")
    return handles


def outside_text(found):
    lost = sum(dist.below + dist.above for _, _, dist in found)
    return f" {lost} cycles lie outside of the histograms that were read." \
        if lost else ""


def histogram(runs, metric):
    """None if no run tells its distribution."""
    found = with_dist(runs, metric)
    if not found:
        return None

    def draw(look):
        figure, panels = look.panels(f"{METRICS[metric][0]}{marked(runs)}",
                                     found, tall(found))
        bins = bins_of(found)
        for ax, part in panels:
            handles = draw_histogram(look, ax, part, bins)
            look.legend(figure, handles, [run.title for _, run, _ in part],
                        ax)
        look.x_label(figure, "us")
        return figure

    return (f"histogram-{metric}", f"{METRICS[metric][0]}: how often each "
            "value came." + outside_text(found), draw)


def line_of(look, order):
    """Of a pair: those that took longest can be told apart."""
    return look.run(order) if order < NAMED else {
        "color": look.colour["muted"], "linestyle": "-", "alpha": 0.5}


def draw_pairs(look, ax, pairs, metric, bins):
    """Overlaid shares, the longest first; returns handles and names."""
    edges, grow, _ = bins
    shown = shown_edges(ax, edges, grow)
    handles, names = [], []
    for order, pair in enumerate(pairs):
        series = pair.series[metric]
        handles.append(ax.stairs(
            series.dist.rebinned(edges) / series.dist.count, shown,
            linewidth=1.1 if order < NAMED else 0.7, **line_of(look, order)))
        names.append(f"CPU {'?' if pair.cpu is None else pair.cpu}, pair "
                     f"{pair.number}: max {series.max_ns / 1000:.0f} us")
    least = min(1 / pair.series[metric].dist.count for pair in pairs)
    log_axis(ax.yaxis, 0.7 * least, 1, narrow=True)
    ax.set_ylim(0.7 * least, 1.5)
    ax.set_ylabel("share of cycles")
    return handles[:NAMED], names[:NAMED]


def by_cpu(run, metric):
    """The histograms of a run's pairs, overlaid; None: it has none."""
    pairs = sorted((pair for pair in run.pairs if metric in pair.series and
                    pair.series[metric].dist),
                   key=lambda pair: -pair.series[metric].max_ns)
    if not pairs:
        return None

    def draw(look):
        names = ["CPU 999, pair 999: max 99999 us"] * min(len(pairs), NAMED)
        figure, [ax] = look.figure(
            f"{METRICS[metric][0]} by CPU: {run.title}{marked([run])}", names,
            2.3, left_in=0.76)
        look.legend(figure, *draw_pairs(look, ax, pairs, metric, bins_of(
            [(pair.number, pair, pair.series[metric].dist)
             for pair in pairs], "number")))
        look.x_label(figure, "us")
        return figure

    left = len(pairs) - NAMED
    return (f"by-cpu-{metric}", f"{METRICS[metric][0]} of each pair, by the "
            "CPU of its client: what share of its cycles is in each bin." + (
                f" The {NAMED} that took longest are named; the other {left} "
                "are grey." if left > 0 else ""), draw)


def tall(found):
    """Height of a panel in inches: less if there are several."""
    return 2.1 if len(found) <= OVERLAID else 1.4


def draw_exceeding(look, figure, ax, found, metric, least):
    """least: the smallest share that is drawn."""
    handles = []
    for i, run, dist in found:
        values, share = dist.exceeding()
        if len(values):
            values = numpy.append(values, run.series[metric].max_ns)
            share = numpy.append(share, share[-1])
        handles += ax.step(values / 1000, share, where="post",
                           linewidth=1.5, **look.run(i))
    ax.set_yscale("log")
    ax.set_ylim(least / 1.6, 1.2)
    marks = [p for p in MARKS if 1 - p / 100 > least / 1.6]
    ax.set_yticks([1, *(1 - p / 100 for p in marks)],
                  ["all", *(f"{100 - p:.3g} %" for p in marks)])
    ax.tick_params(which="minor", left=False)
    right = ax.secondary_yaxis("right", facecolor="none")
    right.set_yticks([1 - p / 100 for p in marks],
                     [f"p{p:g}" for p in marks])
    right.tick_params(which="both", length=0, colors=look.colour["muted"])
    right.minorticks_off()
    right.spines["right"].set_visible(False)
    ax.set_ylabel("cycles that take longer" if len(figure.axes) == 1
                  else "longer")
    look.legend(figure, handles, [run.title for _, run, _ in found], ax)


def exceeding(runs, metric):
    """As histogram()."""
    found = with_dist(runs, metric)
    if not found:
        return None

    def draw(look):
        figure, panels = look.panels(
            f"{METRICS[metric][0]}: share of longer cycles{marked(runs)}", found,
            tall(found), left_in=0.84, right_in=0.68)
        low = min(d.values[0] for *_, d in found) / 1000
        high = max(max(run.series[metric].max_ns, d.values[-1])
                   for _, run, d in found) / 1000
        least = min(0.1, *(1 / d.count for *_, d in found))
        for ax, part in panels:
            draw_exceeding(look, figure, ax, part, metric, least)
            if high > SKEWED * max(low, 1):
                log_axis(ax.xaxis, max(low, 1), high)
        look.x_label(figure, "us")
        return figure

    return (f"exceeding-{metric}", f"{METRICS[metric][0]}: what share of "
            "cycles takes longer." + outside_text(found), draw)


def draw_range(look, ax, runs, metric):
    """A row a run: min to max, the average, a deviation to both sides."""
    found = [run.series[metric] for run in runs if metric in run.series]
    low = min(s.min_ns for s in found) / 1000
    high = max(s.max_ns for s in found) / 1000
    for row, run in enumerate(runs):
        if metric not in run.series:
            continue
        s, colour = run.series[metric], look.fill(run.index)
        ax.plot([s.min_ns / 1000, s.max_ns / 1000], [row, row],
                color=colour, linewidth=1.4, marker="|", markersize=7)
        if s.std_ns:
            ax.plot([max(s.avg_ns - s.std_ns, s.min_ns) / 1000,
                     min(s.avg_ns + s.std_ns, s.max_ns) / 1000],
                    [row, row], color=colour, linewidth=5, alpha=0.45,
                    solid_capstyle="butt")
        ax.plot(s.avg_ns / 1000, row,
                marker=MARKERS[run.index % len(MARKERS)], color=colour,
                markersize=5)
    if high > SKEWED * max(low, 0.1):
        log_axis(ax.xaxis, max(low, 0.1), high, narrow=True)
    else:
        ax.xaxis.set_major_formatter(FuncFormatter(plain))
        ax.locator_params(axis="x", nbins=4)
    ax.margins(x=0.08)


def ranges(runs, metrics):
    """None if there is nothing to show."""
    shown = [m for m in shown_in_ranges(runs, metrics) if any(m in run.series for run in runs)]
    runs = [run for run in runs if any(m in run.series for m in shown)]
    if not shown:
        return None
    columns = min(2, len(shown))
    names = [textwrap.fill(short(run.title), 20 if columns > 1 else 44)
             for run in runs]
    letters = max(len(line) for name in names for line in name.split("\n"))
    row_in = 0.19 if not any("\n" in name for name in names) else 0.29

    def draw(look):
        figure, axes = look.figure(
            f"Minimum, average, maximum{marked(runs)}", [],
            0.16 + row_in * len(runs), math.ceil(len(shown) / columns),
            columns, left_in=0.2 + 0.073 * letters, titled=True,
            between_in=0.25, sharey=True)
        for metric, ax in zip(shown, axes):
            draw_range(look, ax, runs, metric)
            look.title(ax, metric)
            ax.grid(False, axis="y")
        axes[0].set_yticks(range(len(runs)), names)
        axes[0].set_ylim(len(runs) - 0.4, -0.6)
        for ax in axes:
            ax.tick_params(axis="y", length=0)
        for ax in axes[len(shown):]:
            ax.set_axis_off()
        look.x_label(figure, "us")
        return figure

    return ("ranges", "From minimum to maximum; the marker is the average, the "
            "band one standard deviation to both sides.", draw)


def few(runs):
    """Metrics that are shown side by side."""
    instead = any("network" in run.series and (
        between(run) or "send" not in run.series) for run in runs)
    return [*SIX, "network"] if instead else SIX


def shown_in_ranges(runs, metrics):
    """Of cyclictest there is nothing but wakeup."""
    found = [m for m in metrics if m in few(runs)]
    return found if all(set(found) & set(run.series) for run in runs) or \
        "wakeup" not in metrics else [*found, "wakeup"]
