# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as a page."""

import dataclasses
import html

import twtools.page
from tr_style import COLOURS, themed
from twtools import tables

READ = ("Where values differ much, scales are logarithmic, and so are the "
        "bins of histograms. The curve of the share of longer cycles crosses "
        "the line of a percentile at its value, and ends at the maximum. A "
        "run has the same colour in all figures.")
# Where a table stands in the page: the verdict, then what warns.
TOP = ("gate", "short")
FIRST = ("differences", "notes", "prim-troubles")
LAST = ("worst", "sources")
SHORT = "short"         # the figure of the verdict, if there is one set-up
BROKEN = "broken-cycle"     # the wide figures: one a trace


@dataclasses.dataclass
class Section:
    """A table with its id."""
    name: str
    title: str
    html: str


def sections(found):
    """The verdict's, before the figures, behind them."""
    order = [[t for t in found if t.key in TOP],
             [t for t in found if t.key in FIRST],
             [t for t in found if t.key not in TOP + FIRST + LAST],
             [t for t in found if t.key in LAST]]
    parts = [[Section(name := f"{table.key}-{i}{j}", table.title,
                      tables.html(table, name))
              for j, table in enumerate(part)]
             for i, part in enumerate(order)]
    return parts[0], parts[1], parts[2] + parts[3]


def broken(caption):
    """What the figure of a cycle that broke is called: the caption's begin."""
    begin, broke, _ = caption.partition(" that broke")
    return f"Figure: {begin}{broke}"


def figure(key, caption, svg):
    drawing, kind = [themed(svg, caption)], ""
    if key.startswith(BROKEN):      # text in lanes needs its width
        kind = ' class="wide"'
        drawing = ['<div class="scroll" tabindex="0" role="region" '
                   f'aria-label="{html.escape(broken(caption))}">', *drawing,
                   "</div>"]
    return [f'<figure id="{key}"{kind}>', *drawing,
            f"<figcaption>{html.escape(caption)}</figcaption>", "</figure>"]


def figures(drawings, heading, note=""):
    if not drawings:
        return []
    return [*heading, *([f'<p class="note">{note}</p>'] if note else []),
            '<div class="figures">',
            *(line for drawing in drawings for line in figure(*drawing)),
            "</div>"]


def contents(drawings, parts):
    """Links to all that is not at the top."""
    return ["<nav>", *twtools.page.links(
        [(f"#{section.name}", section.title) for section in parts[0]]
        + [("#figures", "Figures")] * bool(drawings)
        + [(f"#{key}", broken(caption))
           for key, caption, _ in drawings if key.startswith(BROKEN)]
        + [(f"#{section.name}", section.title) for section in parts[1]]),
        "</nav>"]


def page(title, found, drawings, virtual, lines=()):
    """drawings: (key, caption, SVG with stand-in colours); lines: verdict."""
    top, before, behind = sections(found)
    first = [drawing for drawing in drawings if drawing[0] == SHORT]
    rest = [drawing for drawing in drawings if drawing[0] != SHORT]
    body = []
    if virtual:
        body.append('<p class="warn">Virtual: these are not the times of a '
                    f"machine: {html.escape(', '.join(virtual))}.</p>")
    body += twtools.page.verdict(lines)
    body += figures(first, [])
    body += [section.html for section in top]
    body += contents(rest, (before, behind))
    body += [section.html for section in before]
    body += figures(rest, ['<h2 id="figures">Figures</h2>'], READ)
    body += [section.html for section in behind]
    return twtools.page.page(title, body, COLOURS)
