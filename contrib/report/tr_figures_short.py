# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure that a report begins with: average, percentile, maximum."""

import textwrap

from matplotlib.ticker import FuncFormatter

import tr_compare
import tr_verdict
from tr_style import plain, short
from tr_tables_text import of

NAME_LETTERS = 22


def panels_of(group):
    """(name, value of each run in us, half of its interval)."""
    none = [0] * len(group.runs)
    yield "average", [value / 1000 for value in group.averages], [
        tr_compare.half_ns(side, 0.01) / 1000 if side else 0
        for side in group.sides]
    if group.percent:
        yield f"p{group.percent:g}", [
            value / 1000 for value in group.percentiles], none
    yield "maximum, one cycle", [
        run.series[group.metric].max_ns / 1000 for run in group.runs], none


def draw_panel(look, ax, runs, values, halves):
    """A bar a run, from 0, with its value."""
    ends = [value + half for value, half in zip(values, halves)]
    for row, (run, value, end) in enumerate(zip(runs, values, ends)):
        ax.barh(row, value, 0.55, color=look.fill(run.index))
        ax.annotate(f"{value:.1f}", (end, row), va="center", fontsize=9,
                    color=look.colour["ink"], xytext=(4, 0),
                    textcoords="offset points")
    if any(halves):
        ax.errorbar(values, range(len(values)), xerr=halves, fmt="none",
                    ecolor=look.colour["ink"], elinewidth=1, capsize=2)
    ax.set_xlim(0, 1.22 * max(ends) or 1)
    ax.set_ylim(len(runs) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(FuncFormatter(plain))
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)


def in_short(runs, metrics):
    """None if there is no verdict."""
    group = tr_verdict.group_of(runs, metrics)
    if not group:
        return None
    found = list(panels_of(group))
    names = [textwrap.fill(short(run.title), NAME_LETTERS)
             for run in group.runs]
    letters = max(len(line) for name in names for line in name.split("\n"))
    row_in = 0.32 if any("\n" in name for name in names) else 0.24

    def draw(look):
        figure, axes = look.figure(
            f"Average, maximum: {group.metric}{of(runs)}", [],
            0.14 + row_in * len(names), len(found),
            left_in=0.2 + 0.073 * letters, titled=True, gap_in=0.55)
        for ax, (name, values, halves) in zip(axes, found):
            draw_panel(look, ax, group.runs, values, halves)
            look.title(ax, name)
            ax.set_yticks(range(len(names)), names)
        look.x_label(figure, "us")
        return figure

    return ("short", "The figures of the verdict: the average with its 99 % "
            "interval, a percentile, the longest cycle. Each panel begins "
            "at 0 and has a scale of its own.", draw)


def figures_of(runs, metrics):
    """As tr_figures.figures_of()."""
    found = in_short([run for run in runs if run.series], metrics)
    return [found] if found else []
