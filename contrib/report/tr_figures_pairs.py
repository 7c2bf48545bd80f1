# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of several pairs: side by side, and of a ramp of pairs."""

import math

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from tr_figures import SKEWED
from tr_model import METRICS
from tr_style import MARKERS, OVERLAID, log_axis
from tr_tables_text import of

IN_A_ROW = 32           # pairs whose labels stay legible side by side
UPRIGHT = 8             # more: the labels are turned
ROWS = 32               # of a figure: four systems of 256 pairs
HIGH = 99.9             # the percentile that is shown
# Of a pair, as values_of(): marker, size.
MARKS = (("_", 7), ("D", 3.2), ("o", 3.6), ("_", 7))
# Of the legend: what it is, marker, size.
KEY = (("min to max", "|", 10), (f"p{HIGH:g}", "D", 3.2),
       ("average", "o", 3.6))


def rows_of(runs, metric):
    """(run, its pairs that share a row): rows of like length."""
    for run in runs:
        pairs = [pair for pair in run.pairs if metric in pair.series]
        count = math.ceil(len(pairs) / IN_A_ROW)
        length = math.ceil(len(pairs) / max(count, 1))
        for start in range(0, len(pairs), max(length, 1)):
            yield run, pairs[start:start + length]


def values_of(series):
    """Maximum, p99.9, average, minimum in us; NaN: unknown."""
    values = (series.max_ns, series.percentile(HIGH), series.avg_ns,
              series.min_ns)
    return [math.nan if value is None else value / 1000 for value in values]


def label_of(pair, turned):
    if pair.cpu is None:
        return str(pair.number)
    return f"{pair.number}: CPU {pair.cpu}" if turned else \
        f"{pair.number}\nCPU {pair.cpu}"


def draw_pairs(look, ax, run, pairs, metric, turned):
    values = [values_of(pair.series[metric]) for pair in pairs]
    colour = look.fill(run.index)
    for place, (high, *_, low) in enumerate(values):
        ax.plot([place, place], [low, high], color=colour, linewidth=1.2)
    for (marker, size), column in zip(MARKS, zip(*values)):
        ax.plot(range(len(pairs)), column, linestyle="", marker=marker,
                markersize=size, color=colour, **hollow(look, marker))
    ax.set_xticks(range(len(pairs)),
                  [label_of(pair, turned) for pair in pairs],
                  rotation=90 if turned else 0,
                  fontsize=7 if turned else 8)
    ax.tick_params(axis="x", length=0)
    ax.grid(False, axis="x")
    ax.set_ylabel("us")


def hollow(look, marker):
    """The percentile's marker is empty, the average's full."""
    return {"markerfacecolor": look.colour["paper"]} if marker == "D" else {}


def side_by_side(runs, metric):
    """None if no run has several pairs with this metric."""
    rows = list(rows_of(runs, metric))
    left, rows = len(rows) - ROWS, rows[:ROWS]
    if not rows:
        return None
    most = max(len(pairs) for _, pairs in rows)
    turned = most > UPRIGHT

    def draw(look):
        names = [name for name, *_ in KEY]
        figure, axes = look.figure(
            f"{METRICS[metric][0]} of each pair{of(runs)}", names, 1.15,
            len(rows), gap_in=1.0 if turned else 0.66, titled=True,
            bottom_in=0.92 if turned else 0.58, sharey=True)
        values = [value for _, pairs in rows for pair in pairs
                  for value in values_of(pair.series[metric])
                  if not math.isnan(value)]
        for ax, (run, pairs) in zip(axes, rows):
            draw_pairs(look, ax, run, pairs, metric, turned)
            # As many places in each row: a pair is as wide in all.
            ax.set_xlim(-0.6, most - 0.4)
            look.title(ax, run.title)
        low = max(min(values), 0.1)
        if max(values) > SKEWED * low:
            log_axis(axes[0].yaxis, low, max(values), narrow=True)
            axes[0].set_ylim(low / 1.4, max(values) * 1.4)
        look.x_label(figure, "pair, and CPU of its client"
                     if any(pair.cpu is not None for _, pairs in rows
                            for pair in pairs) else "pair")
        look.legend(figure, [Line2D(
            [], [], linestyle="", marker=marker, markersize=size,
            color=look.colour["ink"], **hollow(look, marker))
            for _, marker, size in KEY], names)
        return figure

    caption = f"{METRICS[metric][0]} of each pair of client and server, " \
        f"side by side: minimum, average, p{HIGH:g} (where at least 10 " \
        "cycles lie beyond it), maximum. All rows have the same scale."
    if left > 0:
        caption += f" {left} more rows are not shown."
    return f"pairs-{metric}", caption, draw


def points_of(run, member):
    """Numbers of others, and the first pair's response in us."""
    return zip(*((step.others, getattr(step.first["response"], member) / 1000)
                 for step in run.ramp if "response" in step.first))


def draw_ramp(look, ax, part):
    """Returns handles, and what was drawn."""
    handles, seen = [], []
    for i, run in part:
        style = look.run(i) | {"marker": MARKERS[i % len(MARKERS)],
                               "markersize": 4}
        others, values = points_of(run, "avg_ns")
        handles += ax.plot(others, values, linewidth=1.8, **style)
        others, highest = points_of(run, "max_ns")
        ax.plot(others, highest, linewidth=0.9,
                markerfacecolor=look.colour["paper"], **style)
        seen += [*values, *highest]
    return handles, seen


def ramp(runs):
    """None without a ramp of pairs."""
    found = [(run.index, run) for run in runs
             if any("response" in step.first for step in run.ramp)]
    if not found:
        return None

    def draw(look):
        figure, panels = look.panels(
            f"Response of pair 0 beside other clients{of(runs)}: average "
            "(full markers), maximum (empty)", found,
            2.3 if len(found) <= OVERLAID else 1.5)
        seen = []
        for ax, part in panels:
            handles, values = draw_ramp(look, ax, part)
            seen += values
            look.legend(figure, handles, [run.title for _, run in part], ax)
            ax.set_ylabel("us")
            ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        for ax, _ in panels:
            if max(seen) > SKEWED * max(min(seen), 0.1):
                log_axis(ax.yaxis, max(min(seen), 0.1), max(seen))
            else:
                ax.set_ylim(bottom=0)
        look.x_label(figure, "other clients")
        return figure

    return ("ramp-pairs", "Response of pair 0, which has the highest "
            "priority if priorities are spread, against the number of other "
            "clients: the average (thick line, full markers) and the maximum "
            "(thin line, empty markers).", draw)


def figures_of(runs, metrics):
    """As tr_figures.figures_of()."""
    found = [ramp(runs)] + [side_by_side(runs, metric) for metric in metrics]
    yield from filter(None, found)
