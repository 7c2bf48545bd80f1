# SPDX-License-Identifier: GPL-2.0-or-later
"""The figure of client and server on two hosts: where the time goes."""

import tr_parts
from tr_figures_time import draw_bars, patch
from tr_tables_text import of

NAMES = {"wakeup": "client's host (wakeup)",
         "client_stack": "client's kernel (client_stack)",
         "wire": "wire", "server_stack": "server's kernel (server_stack)",
         "network": "network", "sleep": "server's host (sleep)"}
SEEN = 0.0005           # of a bar: a part that is drawn


def in_us(bar):
    """Without what network has left beside its parts, if it is nothing."""
    least = SEEN * sum((bar.parts or {}).values())
    return bar.parts and {phase: value / 1000
                          for phase, value in bar.parts.items()
                          if phase != "network" or value > least}


def hosts(runs):
    """None if no run is between two hosts."""
    runs = tr_parts.stacked(runs)
    panels = [(name, [in_us(bar_of(run)) for run in runs])
              for name, bar_of in tr_parts.BARS.items()]
    panels = [(name, bars) for name, bars in panels if any(bars)]
    if not panels:
        return None
    known = [phase for phase in tr_parts.STACKED
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
            "expiry, or the reply before if that came later, to the reply: "
            "the wake-up of the client's timer "
            "(without a timer: from the request), all between the two "
            "hosts, and the server's sleep with the time that was asked "
            "for. network has both ways, and on each host the path of a "
            "message through the kernel and the wake-up by it. With all "
            "kernel timestamps it is divided into client_stack, from the "
            "client's program to its driver and back, server_stack, the "
            "same of the server, and wire, all between the two drivers; "
            "cycles that lack a timestamp stay network. Each bar's "
            "parts add up: averages of all cycles; averages of the cycles "
            f"as long as p{tr_parts.PERCENT} (from a dump, 0.1 % of the "
            "cycles on either side of this rank); the longest cycle "
            "(without a dump, of those that were kept whole).", draw)


def figures_of(runs):
    """As tr_figures.figures_of()."""
    yield from filter(None, [hosts(runs)])
