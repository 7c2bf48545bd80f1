# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of client and server on two hosts."""

import tr_parts
from tr_hosts import CLIENT, SERVER
from tr_model import TWO_CLOCKS_PHASES
from tr_tables_text import of
from twtools.tables import Table
from twtools.units import us


def settings(runs):
    """Both hosts of each run, side by side."""
    runs = [run for run in runs if run.hosts]
    rows = [[fact, side, *(run.hosts[side].get(fact, "?") for run in runs)]
            for fact in dict.fromkeys(
                fact for run in runs for side in (CLIENT, SERVER)
                for fact in run.hosts[side])
            for side in (CLIENT, SERVER)]
    if rows:
        yield Table(f"Hosts of client and server{of(runs)}",
                    ["what", "of", *(run.title for run in runs)], rows,
                    "CPUs, policy, priority, locked memory, faults and "
                    "switches: of the process, as each host read them "
                    "back; of several pairs, each. ? means unknown.",
                    figures=2 + len(runs), key="hosts-settings")


def separate(run, value_of):
    """Parts that do not add up: each has its own cycle."""
    return {phase: value_of(run.series[phase])
            for phase in tr_parts.shown(run)}


def parts(runs):
    """What the figure shows, and each part for itself."""
    rows = []
    for run in tr_parts.stacked(runs):
        for name, bar_of in tr_parts.BARS.items():
            bar = bar_of(run)
            rows.append([run.title, f"{name} ({bar.note})" if bar.note
                         else name, us(sum(bar.parts.values()))
                         if bar.parts else "-"]
                        + [us((bar.parts or {}).get(phase))
                           for phase in TWO_CLOCKS_PHASES])
        for name, value_of in (
                (f"p{tr_parts.PERCENT} of each",
                 lambda series: series.percentile(tr_parts.PERCENT)),
                ("maximum of each", lambda series: series.max_ns)):
            found = separate(run, value_of)
            rows.append([run.title, name, "-", *(
                us(found.get(phase)) for phase in TWO_CLOCKS_PHASES)])
    if rows:
        yield Table(f"Client, network and server{of(runs)}",
                    ["system", "of", "whole", *TWO_CLOCKS_PHASES], rows,
                    "In us, from the planned expiry to the reply. wakeup: "
                    "on the client's host. network: all between the hosts, "
                    "both ways. sleep: on the server's host. whole: the sum "
                    "of the parts. Percentiles and maxima of each part come "
                    "from different cycles, so they have no sum.",
                    figures=2, key="hosts-parts")


def all_tables(runs):
    """Of runs that share a set-up."""
    yield from settings(runs)
    yield from parts(runs)
