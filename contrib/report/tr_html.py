# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as a page."""

import html

import twtools.page
from tr_style import COLOURS, themed
from twtools import tables

READ = ("Where values differ much, scales are logarithmic, and so are the "
        "bins of histograms. The curve of the share of longer cycles crosses "
        "the line of a percentile at its value, and ends at the maximum. A "
        "run has the same colour in all figures.")
# Where a table stands in the page: those that warn come first.
FIRST = ("gate", "differences", "notes")
LAST = ("worst", "sources")


def sections(found):
    """Before the figures, behind them."""
    order = [[t for t in found if t.key in FIRST],
             [t for t in found if t.key not in FIRST + LAST],
             [t for t in found if t.key in LAST]]
    lines = [[tables.html(table, f"{table.key}-{i}{j}")
              for j, table in enumerate(part)] for i, part in
             enumerate(order)]
    return lines[0], lines[1] + lines[2]


def figure(key, caption, svg):
    return [f'<figure id="{key}">', themed(svg, caption),
            f"<figcaption>{html.escape(caption)}</figcaption>", "</figure>"]


def page(title, found, drawings, virtual):
    """drawings: (key, caption, SVG with stand-in colours)."""
    before, behind = sections(found)
    body = []
    if virtual:
        body.append('<p class="warn">Virtual: these are not the times of a '
                    f"machine: {html.escape(', '.join(virtual))}.</p>")
    body += before
    if drawings:
        body += ["<h2>Figures</h2>", f'<p class="note">{READ}</p>',
                 '<div class="figures">']
        for drawing in drawings:
            body += figure(*drawing)
        body.append("</div>")
    return twtools.page.page(title, body + behind, COLOURS)
