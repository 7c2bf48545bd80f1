# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of the parts: which take longer on the other systems."""

import collections
import re

from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from twoway.compare import parts
from twtools.plots import short

SHOWN = 44              # parts; the table has all
ROW_IN = 0.165
BAR_IN = 0.08           # the least, if several systems share a row
LETTER_IN = 0.07
PLACE = re.compile(r"\.(process|thread)\.(same|cross)\.")
PALE = 0.4              # what may be chance


def widest(shares):
    return max(max(share, 1 / share) for share, _ in shares.values())


def rows_of(first, others):
    """(column, {index of a system: (ratio, how sure)}); sorted; of many,
    those that differ most."""
    found = {}
    for run in others:
        for column, *shares in parts.ratios(first, run, 1 + len(others)):
            found.setdefault(column, {})[run.index] = shares
    rows = sorted(found.items(), key=lambda row: widest(row[1]))[-SHOWN:]
    rows.sort(key=lambda row: max(share for share, _ in row[1].values()),
              reverse=True)
    return rows, len(found) - len(rows)


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


def draw_bars(look, ax, rows, indexes):
    height = 0.8 / len(indexes)
    every = [share for _, shares in rows for share, _ in shares.values()]
    low, high = min(0.9, *every), max(1.1, *every)
    for i, (_, shares) in enumerate(rows):
        for index, (share, level) in shares.items():
            at = i - 0.4 + (indexes.index(index) + 0.5) * height
            ax.barh(at, share - 1, height, left=1, color=look.fill(index),
                    alpha=1 if level else PALE)
            ax.annotate(f"{share:.2f}", (share, at), va="center",
                        ha="left" if share >= 1 else "right",
                        fontsize=7.5 if len(indexes) == 1 else 5,
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


def figures_of(parts):
    """All systems beside the first; none if there is nothing to compare."""
    first, *others = parts or [None]
    rows, left = rows_of(first, others)
    if not rows:
        return
    labels, common = labels_of([column for column, _ in rows])
    title = "Parts: average on " + (
        short(others[0].title) if len(others) == 1 else "each system") + \
        f" / on {short(first.title)}"
    names = [run.title for run in others]

    def draw(look):
        figure, [ax] = look.figure(
            title, names,
            0.2 + max(ROW_IN, BAR_IN * len(others)) * len(rows),
            left_in=0.2 + LETTER_IN * max(map(len, labels)))
        draw_bars(look, ax, rows, [run.index for run in others])
        look.legend(figure, [Patch(color=look.fill(run.index))
                             for run in others], names)
        ax.set_yticks(range(len(labels)), labels)
        look.x_label(figure, "times as long")
        return figure

    more = f" The {left} that differ least are not shown." if left else ""
    yield "primitives", "How many times as long each part takes on average " \
        f"as on {first.title}. Pale: may be chance, or not known." \
        f"{common}{more}", draw
