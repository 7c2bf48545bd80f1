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
        broken = run.broken
        if broken and broken.kinds:
            yield kinds_of(run)
        for analysis in (broken.analysis, broken.far) if broken else ():
            if analysis:
                yield table_of(run, analysis)


def table_of(run, analysis):
    where = f" on host {analysis.host}" if analysis.host else ""
    return Table(
        f"{run.title}: {analysis.phase} of the cycle that broke{where}",
        ["at us", "for us", "CPU", f"the {analysis.side}",
         "who had the CPU", "cause"], rows_of(analysis),
        f"Cause: {analysis.cause}. {analysis.stack_text} ".rstrip() +
        " From the begin of the phase on; the state is that of who waited, "
        "and yes is the state that most of the delay passed in.", figures=6,
        key="broken")
