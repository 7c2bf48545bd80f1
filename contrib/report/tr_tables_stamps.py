# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of one-way times and of the kernel's timestamps."""

from tr_model import STAMPED
from tr_stamps import KINDS, SIDES
from tr_tables_text import count_text, of
from twtools.tables import Table
from twtools.units import us

DIGITS = 3              # most of these times are short


def oneway(runs):
    """What is known of the clocks: a row a run."""
    rows = []
    for run in runs:
        one = run.oneway
        if one:
            rows.append([
                run.title, one.mode or "?", us(one.uncertainty_ns, DIGITS),
                us(one.offset_ns, DIGITS),
                "-" if one.ppm is None else f"{one.ppm:+.3f}",
                *(count_text(one.counts.get(key)) for key in (
                    "cycles", "without", "windows", "empty", "broken")),
                us(one.longest_ns), one.verdict or "-",
                one.void or "-"])
    if rows:
        yield Table(f"One-way times{of(runs)}",
                    ["system", "mode", "uncertainty", "offset", "ppm",
                     "cycles", "without", "windows", "empty", "broken",
                     "longest window", "sync limit", "void"], rows,
                    "Times in us. uncertainty: send and receive are wrong by "
                    "no more, both by the same time in opposite directions. "
                    "offset: the server's clock less the client's, the "
                    "middle of the last window of 64 cycles. ppm: how much "
                    "faster the server's clock is. cycles, without: that "
                    "have such times, and that have none. empty: windows in "
                    "which a clock was stepped. broken: how often cycles "
                    "contradicted the estimate. sync: the clocks were shown "
                    "to be within the uncertainty. bound: the offset is an "
                    "estimate, and so are send and receive: they are not "
                    "ranked, and the gate refuses them.",
                    figures=2, key="oneway")


def times(runs):
    """A row a time."""
    rows = []
    for run in runs:
        named = dict(run.stamps.rows)
        named |= {f"exchange {key} stamps": row
                  for key, row in run.stamps.exchange.items()}
        rows += [[run.title, name, str(row.count), us(row.min_ns, DIGITS),
                  us(row.avg_ns, DIGITS), us(row.max_ns, DIGITS)]
                 for name, row in named.items()]
    if rows:
        yield Table(f"Kernel timestamps{of(runs)}",
                    ["system", "time", "cycles", "min", "avg", "max"], rows,
                    "In us, of the cycles that have all stamps. app_out: "
                    "from the program to the packet scheduler. stack_out: "
                    "to the driver. wake_in: from the driver to the "
                    "program. client_stack + wire + server_stack = network "
                    "in each cycle: the client's host, all between the two "
                    "drivers, the server's host, both ways together. "
                    "client_work: what the stamps cost the client after the "
                    "reply, of all cycles. exchange: a message there and "
                    "one back in one process, before the measurement.",
                    figures=2, key="stamps")


def counts(runs):
    """What is missing, of all pairs, and of each if there are several."""
    rows = []
    for run in runs:
        found = [(run.title, run.stamps)]
        found += [(f"{run.title}, pair {i}", pair)
                  for i, pair in enumerate(run.stamps.pairs)]
        for title, one in found:
            parts, _ = one.split
            rows.append([
                title, run.stamps.mode, str(one.cycles), str(one.left_out),
                str(one.unfinished), *(str(one.missing[kind])
                                       for kind in KINDS),
                *(us(parts.get(name), DIGITS) for name in STAMPED),
                " + ".join(str(run.stamps.calls[side]) for side in SIDES)])
    if rows:
        yield Table(f"Kernel timestamps that are missing{of(runs)}",
                    ["system", "stamps", "cycles", "left out", "unfinished",
                     *KINDS, *STAMPED, "calls more"], rows,
                    "cycles have all stamps, those left out lack one, and "
                    "the server's stamps of those unfinished never came: "
                    "the last cycle of each step. Then the missing stamps "
                    "by kind, the averages in us, and the system calls that "
                    "stamps add to a cycle of client and server.",
                    figures=2, key="stamps-missing")


def all_tables(runs):
    """Of runs that share a set-up."""
    yield from oneway(runs)
    stamped = [run for run in runs if run.stamps]
    yield from times(stamped)
    yield from counts(stamped)
