# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of client and server on two hosts: where the time goes."""

import tr_parts
from tr_figures_time import draw_bars, patch
from tr_model import TWO_CLOCKS_PHASES
from tr_tables_text import of

NAMES = {"wakeup": "client's host (wakeup)", "network": "network",
         "sleep": "server's host (sleep)"}


def in_us(bar):
    return bar.parts and {phase: value / 1000
                          for phase, value in bar.parts.items()}


def hosts(runs):
    """None if no run is between two hosts."""
    runs = tr_parts.stacked(runs)
    panels = [(name, [in_us(bar_of(run)) for run in runs])
              for name, bar_of in tr_parts.BARS.items()]
    panels = [(name, bars) for name, bars in panels if any(bars)]
    if not panels:
        return None
    known = [phase for phase in TWO_CLOCKS_PHASES
             if any(phase in (bar or {}) for _, bars in panels
                    for bar in bars)]

    def draw(look):
        names = [NAMES[phase] for phase in known]
        figure, axes = look.figure(
            f"Client, network and server{of(runs)}", names,
            0.46 * len(runs), len(panels), left_in=0.2, gap_in=0.62)
        for ax, (name, bars) in zip(axes, panels):
            draw_bars(look, ax, runs, bars)
            ax.set_xlabel(f"us, {name}")
        look.legend(figure, [patch(look, phase) for phase in known], names)
        return figure

    return ("hosts", "Client and server on two hosts, from the planned "
            "expiry to the reply: the wake-up of the client's timer "
            "(without a timer: from the request), all between the two "
            "hosts, and the server's sleep with the time that was asked "
            "for. network has both ways, and on each host the path of a "
            "message through the kernel and the wake-up by it. Each bar's "
            "parts add up: averages of all cycles; averages of the cycles "
            f"as long as p{tr_parts.PERCENT} (from a dump, 0.1 % of the "
            "cycles on either side of this rank); the longest cycle "
            "(without a dump, of those that were kept whole).", draw)


def figures_of(runs):
    """As tr_figures.figures_of()."""
    yield from filter(None, [hosts(runs)])
