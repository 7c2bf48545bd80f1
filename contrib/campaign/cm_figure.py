# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of a campaign: average and maximum of each, side by side."""

import html

from cm_verdict import KINDS
from twtools import plots

ROW_IN = 0.17
MOST = 64               # rows that are drawn


def caption_of(found, options):
    caption = "Of each placement and load: the average (marker) and the " \
        "maximum (end of the line) of cyclictest's latency, of twowaytest's " \
        "wakeup, which is the same, and of its response. The scale is " \
        "logarithmic."
    if options.connect:
        caption += f" The server is on {options.connect}."
    if len(found) > MOST:
        caption += f" {len(found) - MOST} more rows are in the summary."
    return caption


def draw(look, found):
    """A row each; found: as cm_verdict.figures()."""
    kinds = [kind for *_, kind in KINDS]
    where = [one.where.replace("placement ", "").replace("load ", "")
             for one in found]
    figure, [ax] = look.figure(
        "Average to maximum", kinds, ROW_IN * len(found) + 0.2, left_in=1.5)
    for row, one in enumerate(found):
        k = kinds.index(one.kind)
        ends = [max(value, 0.1) for value in (one.average, one.maximum)]
        ax.plot(ends, [row, row], color=look.fill(k), linewidth=1.5,
                marker=plots.MARKERS[k], markersize=4.5, markevery=[0])
    values = [value for line in ax.lines for value in line.get_xdata()]
    plots.log_axis(ax.xaxis, min(values), max(values), narrow=True)
    first = [i for i, text in enumerate(where) if text not in where[:i]]
    ax.set_yticks(first, [where[i] for i in first])
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    look.legend(figure, [ax.plot([], [], color=look.fill(k),
                                 marker=plots.MARKERS[k])[0]
                         for k in range(len(kinds))], kinds)
    look.x_label(figure, "us")
    return figure


def figure(found, options):
    """Lines of HTML."""
    if not found:
        return []
    caption = caption_of(found, options)
    svg = plots.to_svg(draw(plots.Look(False), found[:MOST]), "figure")
    return ['<figure id="figure">', plots.themed(svg, caption),
            f"<figcaption>{html.escape(caption)}</figcaption>", "</figure>"]
