# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a broken cycle: the time line of its longest excess."""

from twtools.tables import Table
from twtools.units import us

LINES = 40              # the shortest beyond are added up


def rows_of(analysis):
    """Whose time it was; "yes" marks what the cause is about."""
    lengths = sorted((one.ns for one in analysis.spans), reverse=True)
    least_ns = lengths[LINES] + 1 if len(lengths) > LINES else 0
    marked = set(map(id, analysis.marked))
    rows, left_ns = [], 0
    for one in analysis.spans:
        if one.ns < least_ns:
            left_ns += one.ns
            continue
        rows.append([us(one.at_ns), us(one.ns),
                     str(one.cpu) if one.cpu >= 0 else "?", one.state,
                     one.who, "yes" if id(one) in marked else ""])
    if left_ns:
        rows.append(["-", us(left_ns), "-", "-", "in shorter pieces", ""])
    return rows


def all_tables(runs):
    for run in runs:
        broken = run.broken
        for analysis in (broken.analysis, broken.far) if broken else ():
            if analysis:
                yield table_of(run, analysis)


def table_of(run, analysis):
    where = f" on host {analysis.host}" if analysis.host else ""
    return Table(
        f"{run.title}: {analysis.phase} of the cycle that broke{where}",
        ["at us", "for us", "CPU", f"the {analysis.side}",
         "who had the CPU", "cause"], rows_of(analysis),
        f"Cause: {analysis.cause}. From the begin of the phase on; the "
        "state is that of who waited, and yes is the state that most of "
        "the delay passed in.", figures=6, key="broken")
