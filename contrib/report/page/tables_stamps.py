# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of one-way times and of the kernel's timestamps."""

from report.judge.told import count_text, of
from twoway.read.stamps import KINDS
from twoway.series.model import STAMPED
from twtools.tables import Table
from twtools.units import us

DIGITS = 3              # most of these times are short


def oneway(runs):
    """What is known of the clocks: a row a run."""
    rows = [[run.title, us(run.oneway.uncertainty_ns, DIGITS),
             count_text(run.oneway.cycles), count_text(run.oneway.proven),
             run.oneway.refusal or "-"] for run in runs if run.oneway]
    if rows:
        yield Table(f"One-way times{of(runs)}",
                    ["system", "uncertainty", "cycles", "proven", "void"],
                    rows,
                    "uncertainty: in us; send and receive are wrong by no "
                    "more, both by the same time in opposite directions. "
                    "cycles: of whole windows. proven: of windows that "
                    "prove the clocks to show one time within this "
                    "uncertainty.", figures=3, key="oneway")


def times(runs):
    """A row a time."""
    rows = []
    for run in runs:
        rows += [[run.title, name, str(row.count), us(row.min_ns, DIGITS),
                  us(row.avg_ns, DIGITS), us(row.max_ns, DIGITS)]
                 for name, row in run.stamps.rows.items()]
    if rows:
        yield Table(f"Kernel timestamps{of(runs)}",
                    ["system", "time", "cycles", "min", "avg", "max"], rows,
                    "In us, of the cycles that have all stamps. app_out: "
                    "from the program to the packet scheduler. stack_out: "
                    "to the driver. wake_in: from the driver to the "
                    "program. client_stack + wire + server_stack = network "
                    "in each cycle: the client's host, all between the two "
                    "drivers, the server's host, both ways together. With "
                    "a device instead of a server, client_stack + "
                    "wire_and_device = response, and response_to_rx ends "
                    "before wake_in.",
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
                *(us(parts.get(name), DIGITS) for name in STAMPED)])
    if rows:
        yield Table(f"Kernel timestamps that are missing{of(runs)}",
                    ["system", "stamps", "cycles", "left out", "unfinished",
                     *KINDS, *STAMPED], rows,
                    "cycles have all stamps, those left out lack one, and "
                    "the server's stamps of those unfinished never came: "
                    "the last cycle of each step. Then the missing stamps "
                    "by kind, and the averages in us.",
                    figures=2, key="stamps-missing")


def all_tables(runs):
    """Of runs that share a set-up."""
    yield from oneway(runs)
    stamped = [run for run in runs if run.stamps]
    yield from times(stamped)
    yield from counts(stamped)
