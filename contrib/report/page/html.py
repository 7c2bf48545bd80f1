# SPDX-License-Identifier: GPL-2.0-or-later
"""The report as a page: what broke, the verdict, figures, tables."""

import html

import twtools.page
from twtools import tables
from twtools.plots import COLOURS, themed

READ = ("Where values differ much, scales are logarithmic, and so are the "
        "bins of histograms. The curve of the share of longer cycles crosses "
        "the line of a percentile at its value, and ends at the maximum. A "
        "run has the same colour in all figures.")
# Where a table stands in the page; the others are in between.
TOP = ("causes", "broken", "gate", "systems", "measured")
FIRST = ("campaign", "differences", "notes", "prim-troubles")
LAST = ("worst", "sources")
BROKEN = "broken-cycle"


def figures(drawings):
    """drawings: (key, caption, SVG)."""
    return ['<div class="figures">', *(
        f'<figure id="{key}">\n{themed(svg, caption)}\n'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        for key, caption, svg in drawings), "</div>"] if drawings else []


def page(title, found, drawings, virtual, lines, broke=()):
    """drawings: (key, caption, SVG with stand-in colours).

    lines: the verdict; broke: what broke the runs.
    """
    named = [(f"{table.key}-{i}", table) for i, table in enumerate(found)]

    def part(test):
        return [pair for pair in named if test(pair[1].key)]

    top, before, last = (part(keys.__contains__)
                         for keys in (TOP, FIRST, LAST))
    behind = part(lambda key: key not in TOP + FIRST + LAST) + last
    causes = [one for one in drawings if one[0].startswith(BROKEN)]
    others = [one for one in drawings if one not in causes]
    sections = {name: tables.html(table, name) for name, table in named}
    body = [f'<p class="warn">{html.escape(virtual)}</p>'] * bool(virtual)
    body += twtools.page.verdict(broke, "cause") + figures(causes)

    def add(*keys):
        return [sections[name] for name, table in top if table.key in keys]
    body += add("causes", "broken")
    body += twtools.page.verdict(lines[:1]) + add("systems", "measured")
    body += figures(others[:1])
    body += twtools.page.verdict(lines[1:], "more") + add("gate")
    body += ["<nav>", *twtools.page.links(
        [("#figures", "Figures")] * bool(others[1:]) +
        [(f"#{name}", table.title) for name, table in before + behind]),
        "</nav>"]
    if others[1:]:
        body += ['<h2 id="figures">Figures</h2>',
                 f'<p class="note">{READ}</p>', *figures(others[1:])]
    body += [sections[name] for name, _ in before + behind]
    return twtools.page.page(title, body, COLOURS)
