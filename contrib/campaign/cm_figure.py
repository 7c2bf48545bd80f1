# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of a campaign: average and maximum of each, side by side.

Drawn without matplotlib, as a campaign needs nothing but Python.
"""

import html
import itertools
import math

from cm_verdict import number
from twtools import page

# With those of the kinds.
COLOURS = page.COLOURS | {"cyclictest": page.GREY, "wakeup": page.BLUE,
                          "response": page.ORANGE}
WIDTH, LEFT, RIGHT = 400, 78, 288
HEAD, ROW, GAP = 17, 15, 7
TOP, FOOT = 20, 34
MOST = 64               # rows that are drawn
BOLD = ' font-weight="600"'
# Above the lines of the grid.
OVER = f'{BOLD} paint-order="stroke" stroke="var(--paper)" stroke-width="4"'


def text(x, y, content, more="", role="ink"):
    return f'<text x="{x:g}" y="{y:g}" fill="var(--{role})"{more}>' \
        f"{html.escape(content)}</text>"


class Scale:
    """Logarithmic, in us, from a decade to a decade."""

    def __init__(self, found):
        values = [max(value, 0.1) for one in found
                  for value in (one.average, one.maximum)]
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)

    def x(self, value):
        share = (math.log10(max(value, 0.1)) - self.low) / \
            (self.high - self.low)
        return LEFT + share * (RIGHT - LEFT)

    def ticks(self):
        return [10.0 ** i for i in range(self.low, self.high + 1)]


def row(one, y, scale):
    """From the average, a dot, to the maximum, a bar across."""
    begin, end = scale.x(one.average), scale.x(one.maximum)
    colour = f"var(--{one.kind})"
    return [
        text(8, y + 4, one.kind, role="muted"),
        f'<path d="M{begin:.1f} {y}H{end:.1f}M{end:.1f} {y - 5}v10" '
        f'stroke="{colour}" stroke-width="2" fill="none"/>',
        f'<circle cx="{begin:.1f}" cy="{y}" r="4" fill="{colour}"/>',
        text(WIDTH - 4, y + 4,
             f"{number(one.average)} to {number(one.maximum)}",
             ' text-anchor="end"')]


def axis(scale, bottom):
    lines = []
    for value in scale.ticks():
        x = scale.x(value)
        lines += [f'<path d="M{x:.1f} {TOP}V{bottom}" '
                  'stroke="var(--grid)"/>',
                  text(x, bottom + 14, f"{value:g}",
                       ' text-anchor="middle"', "muted")]
    return [*lines, text((LEFT + RIGHT) / 2, bottom + 28, "us",
                         ' text-anchor="middle"', "muted")]


def caption_of(found, options):
    caption = "Of each placement and load: the average (dot) and the " \
        "maximum (bar) of cyclictest's latency, of twowaytest's wakeup, " \
        "which is the same, and of its response. The scale is logarithmic."
    if options.connect:
        caption += f" The server is on {options.connect}."
    if len(found) > MOST:
        caption += f" {len(found) - MOST} more rows are in the summary."
    return caption


def figure(found, options):
    """Lines of HTML; found: as cm_verdict.figures()."""
    if not found:
        return []
    shown = found[:MOST]
    scale, lines, y = Scale(shown), [], TOP
    for (placement, load), group in itertools.groupby(
            shown, key=lambda one: (one.placement, one.load)):
        y += HEAD
        head = f"placement {placement}, load {load}"
        lines.append(text(4, y - 3, head, OVER))
        for one in group:
            lines += row(one, y + ROW // 2, scale)
            y += ROW
        y += GAP
    label = html.escape(caption_of(found, options) + " " + "; ".join(
        f"{one.where}, {one.kind}: {number(one.average)} to "
        f"{number(one.maximum)} us" for one in shown) + ".")
    heading = text(4, 12, "average to maximum, us", BOLD)
    return [
        '<figure id="figure">',
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{label}" viewBox="0 0 {WIDTH} {y + FOOT}" '
        'font-size="11.5">', heading, *axis(scale, y), *lines, "</svg>",
        f"<figcaption>{html.escape(caption_of(found, options))}"
        "</figcaption>", "</figure>"]
