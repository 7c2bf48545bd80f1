# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a cycle that broke: its longest phase, and all causes."""

from twtools.tables import Table
from twtools.units import us


def phase_of(run, analysis):
    """Whose time it was; "yes" marks what the cause is about."""
    spans, left_ns = analysis.shown()
    rows = [[one.who, us(one.at_ns), us(one.ns),
             str(one.cpu) if one.cpu >= 0 else "?", one.state,
             "yes" if one.state == analysis.state else ""] for one in spans]
    if left_ns:
        rows.append(["in shorter pieces", "-", us(left_ns), "-", "-", ""])
    where = f" on host {analysis.host}" if analysis.host else ""
    return Table(
        f"{run.title}: {analysis.phase} of the cycle that broke{where}",
        ["who had the CPU", "at us", "for us", "CPU", f"the {analysis.side}",
         "cause"], rows, "From the begin of the phase on; the state is that "
        "of who waited, and yes is what the cause is about.", figures=6,
        key="broken")


def kinds_of(run):
    """The table of causes, of --breaks."""
    kinds = run.broken.kinds
    return Table(
        f"{run.title}: causes of the cycles above the limit",
        ["phase", "cause", "cycles", "longest us", "first s", "last s"],
        [[one.phase, one.cause or "-", str(one.count), us(one.longest_ns),
          f"{one.first_s:.1f}", f"{one.last_s:.1f}"] for one in kinds],
        f"{run.broken.metric} above {us(run.broken.limit_ns)} us, in "
        f"{sum(one.count for one in kinds)} cycles; seconds from the start "
        "of the run.", figures=4, key="causes")


def all_tables(runs):
    for run in runs:
        if run.broken and run.broken.kinds:
            yield kinds_of(run)
        for analysis in run.broken.analyses if run.broken else ():
            yield phase_of(run, analysis)
