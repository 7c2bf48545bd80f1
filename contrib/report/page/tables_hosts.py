# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of client and server on two hosts."""

from report.judge.told import of
from report.page import tables_stamps
from twoway.read.hosts import CLIENT, SERVER
from twoway.read.parts import BARS, NETWORK, stacked
from twoway.series.model import STAMPED, TWO_CLOCKS_PHASES
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
                    "CPUs, policy, priority, page faults, context switches "
                    "and CPU time: of the process, as each host read them "
                    "back; of several pairs, each. ? means unknown.",
                    figures=2 + len(runs), key="hosts-settings")


def cells(parts):
    """Of a bar, whole first; network as a whole, then what it is made of."""
    if not parts:
        return ["-"] * (2 + len(TWO_CLOCKS_PHASES) + len(STAMPED))
    divided = set(STAMPED) <= set(parts)
    known = parts | {"network": sum(parts.get(phase, 0)
                                    for phase in NETWORK)}
    return [us(sum(parts.values())),
            *(us(known.get(phase)) for phase in TWO_CLOCKS_PHASES),
            *(us(parts.get(phase)) for phase in STAMPED),
            us(parts["network"]) if divided else "-"]


def parts(runs):
    """What the figure shows."""
    runs = stacked(runs)
    bars = [(run, name, bar_of(run)) for run in runs
            for name, bar_of in BARS.items()]
    # Without kernel timestamps, network is not divided.
    divided = any(set(STAMPED) <= set(bar.parts or ()) for *_, bar in bars)
    rows = [[run.title, f"{name} ({bar.note})" if bar.note else name,
             *cells(bar.parts)] for run, name, bar in bars]
    columns = ["system", "of", "whole", *TWO_CLOCKS_PHASES]
    if divided:
        columns += [*STAMPED, "not divided"]
    if rows:
        yield Table(f"Client, network and server{of(runs)}", columns,
                    [row[:len(columns)] for row in rows],
                    "In us, from the planned expiry, or the reply before if "
                    "that came later, to the reply. wakeup: "
                    "on the client's host. network: all between the hosts, "
                    "both ways. sleep: on the server's host. whole: the sum "
                    "of the parts." + (
                        " network is the sum of client_stack, wire, "
                        "server_stack and what is not divided, of cycles "
                        "that lack a kernel timestamp." if divided else ""),
                    figures=2, key="hosts-parts")


def all_tables(runs):
    """Of runs that share a set-up."""
    yield from settings(runs)
    yield from parts(runs)
    yield from tables_stamps.all_tables(runs)
