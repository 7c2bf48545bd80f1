# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of the parts: which take longer on the other system."""

import collections
import re

from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

import tr_prim
from tr_style import short

SHOWN = 44              # bars; the tables have all
ROW_IN = 0.165
LETTER_IN = 0.07
PLACE = re.compile(r"\.(process|thread)\.(same|cross)\.")
PALE = 0.4              # what may be chance


def extremes(rows):
    """Sorted; of many, those that differ most."""
    rows = sorted(rows, key=lambda row: max(row[1], 1 / row[1]))[-SHOWN:]
    return sorted(rows, key=lambda row: row[1], reverse=True)


def labels_of(columns):
    """Without tasks and CPUs as most tests have them, and what these are."""
    places = collections.Counter(match[0] for column in columns
                                 if (match := PLACE.search(column)))
    if not places:
        return columns, ""
    place = places.most_common(1)[0][0]
    return [column.replace(place, ".") for column in columns], \
        f" Several tasks: {place.strip('.').replace('.', ', ')}, where " \
        "nothing else is said."


def ticks(low, high):
    """Multiples of powers of ten that a scale has room for."""
    return (1,) if high / low > 60 else (1, 2, 5) if high / low > 4 else \
        (1, 1.5, 2, 3, 5, 7)


def draw_bars(look, ax, first, other, rows):
    low = min(0.9, *(row[1] for row in rows))
    high = max(1.1, *(row[1] for row in rows))
    for i, (_, share, level) in enumerate(rows):
        ax.barh(i, share - 1, 0.7, left=1, alpha=1 if level else PALE,
                color=look.fill((other if share > 1 else first).index))
        ax.annotate(f"{share:.2f}", (share, i), va="center", fontsize=7.5,
                    ha="left" if share >= 1 else "right",
                    color=look.colour["ink"],
                    xytext=(2 if share >= 1 else -2, 0),
                    textcoords="offset points")
    ax.set_xscale("log")
    room = (high / low) ** 0.25
    ax.set_xlim(low / room, high * room)
    ax.xaxis.set_major_locator(LogLocator(subs=ticks(low, high),
                                          numticks=20))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.axvline(1, color=look.colour["muted"], linewidth=0.8)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=7.5)


def ratios(first, other):
    """None if there is nothing to compare."""
    found = tr_prim.ratios(first, other)
    if not found:
        return None
    rows = extremes(found)
    labels, common = labels_of([row[0] for row in rows])
    title = f"Parts: average on {short(other.title)} / on " \
        f"{short(first.title)}"
    names = [f"longer on {run.title}" for run in (other, first)]

    def draw(look):
        figure, [ax] = look.figure(
            title, names, 0.2 + ROW_IN * len(rows),
            left_in=0.2 + LETTER_IN * max(map(len, labels)))
        draw_bars(look, ax, first, other, rows)
        look.legend(figure, [Patch(color=look.fill(run.index))
                             for run in (other, first)], names)
        ax.set_yticks(range(len(labels)), labels)
        look.x_label(figure, "times as long")
        return figure

    left = len(found) - len(rows)
    more = f" The {left} that differ least are not shown." if left else ""
    return ("primitives", f"How many times as long each part takes on "
            f"average. Pale: may be chance, or not known.{common}{more}",
            draw)


def figures_of(parts):
    """Each system beside the first."""
    for other in parts[1:]:
        if found := ratios(parts[0], other):
            yield found
