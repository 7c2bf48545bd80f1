# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of timelines: maxima, p99 and missed expiries in time."""

import numpy
from matplotlib.ticker import FuncFormatter, MaxNLocator

from tr_figures_time import PANELS, SKEWED
from tr_model import METRICS
from tr_style import log_axis, plain
from tr_tables_timeline import metric_of

SPANS = 600             # a figure is no wider
# Longer than this in s: the unit of the axis, and its length.
UNITS = ((2 * 86400, "days", 86400), (7200, "hours", 3600),
         (300, "minutes", 60), (0, "s", 1))
NAMES = ("largest", "p99", "above all before")


def spans_of(rows):
    """The first row of each span."""
    return numpy.arange(0, rows, max(1, -(-rows // SPANS)))


def largest(values, starts):
    """NaN if a span has none."""
    return numpy.fmax.reduceat(values, starts)


def drawn(ax, at, values, **options):
    """Steps from each begin to the end of the last."""
    return ax.plot(at, numpy.append(values, values[-1]),
                   drawstyle="steps-post", **options)


def draw_values(look, ax, run, metric, scale, starts, at):
    timeline = run.timeline
    high, p99 = (largest(values[metric], starts) / 1000
                 for values in (timeline.largest, timeline.p99))
    grown = timeline.grown(metric)
    handles = [
        *drawn(ax, at, high, color=look.fill(run.index), linewidth=0.8),
        *drawn(ax, at, p99, color=look.colour["ink"], linewidth=0.8,
               linestyle=(0, (3, 1))),
        *ax.plot(timeline.ends_s[grown] / scale,
                 timeline.largest[metric][grown] / 1000, linestyle="",
                 marker="v", markersize=5, color=look.colour["ink"])]
    seen = numpy.concatenate([high, p99])
    seen = seen[seen > 0]
    if len(seen) and seen.max() > SKEWED * seen.min():
        log_axis(ax.yaxis, seen.min(), seen.max(), narrow=True)
        ax.set_ylim(seen.min() / 1.3, seen.max() * 1.4)
    else:
        ax.set_ylim(bottom=0)
    ax.set_ylabel(f"{metric}, us")
    return handles


def draw_missed(look, ax, timeline, starts, at):
    missed = numpy.add.reduceat(timeline.missed, starts)
    ax.fill_between(at, numpy.append(missed, missed[-1]), step="post",
                    color=look.colour["phase7"], linewidth=0)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("missed")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
    ax.yaxis.set_major_formatter(FuncFormatter(plain))


def figure_of(run, metric):
    timeline = run.timeline
    length = timeline.ends_s[-1]
    _, unit, scale = next(row for row in UNITS if length >= row[0])
    starts = spans_of(len(timeline.ends_s))
    at = numpy.append(timeline.begins_s[starts], length) / scale
    some = timeline.missed.any()

    def draw(look):
        figure, axes = look.figure(
            f"{METRICS[metric][0]} over time: {run.title}", NAMES, 1.5,
            1 + some, left_in=0.76, gap_in=0.25, sharex=True)
        handles = draw_values(look, axes[0], run, metric, scale, starts, at)
        if some:
            draw_missed(look, axes[1], timeline, starts, at)
        axes[-1].set_xlim(0, length / scale or 1)
        look.x_label(figure, f"{unit} since the first cycle")
        look.legend(figure, handles, NAMES)
        return figure

    rows = -(-len(timeline.ends_s) // len(starts))
    caption = "The largest maximum and the largest p99 " + (
        f"of each {rows} rows of the timeline" if rows > 1
        else "of each row of the timeline") + \
        "; a mark where the maximum was above all before. " + (
            "Below: missed expiries." if some else "No expiry was missed.")
    return "timeline", caption, draw


def figures_of(runs, metrics):
    """As tr_figures.figures_of(); one of each run."""
    found = [(run, metric_of(run.timeline, metrics)) for run in runs
             if run.timeline]
    for run, metric in [pair for pair in found if pair[1]][:PANELS]:
        yield figure_of(run, metric)
