# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of the parts: systems side by side."""

import dataclasses

from report.judge import unlike
from report.judge.told import ratio_text
from twoway.compare import parts as compare
from twoway.read import primitives
from twtools.tables import Table

NOTE = "In ns, but for figures with a unit of their own."
RATIOS = " The ratio is that of the averages; - where there is none: not " \
    "measured by both, a target instead of a result, zero, or work of " \
    "another size on each system (--work fixes it). sure: whether the " \
    "averages of the runs differ, all comparisons together; no: it may be " \
    "chance; -: one run of a system does not tell."
VALUES = (("minimum", lambda s: s.min_ns), ("p99", lambda s: s.percentile(99)),
          ("maximum", lambda s: s.max_ns))


def ns(value, decimals=0):
    return "-" if value is None else f"{value:.{decimals}f}"


def sure_text(level):
    return "-" if level is None else f"{level} %" if level else "no"


def measured_row(column, parts, values, known):
    """known: of each but the first, column -> (ratio, how sure)."""
    series = [run.primitives.series.get(column) for run in parts]
    row = [column, *(ns(one and one.avg_ns, 1) for one in series)]
    for found in known:
        share, level = found.get(column, (None, None))
        row += [ratio_text(share), sure_text(level)]
    for _, value in values:
        row += [ns(one and value(one)) for one in series]
    return row + [str(one.count) if one else "-" for one in series]


def derived_ratio(first, other):
    if None in (first, other) or min(first.value, other.value) <= 0:
        return "-"
    return ratio_text(other.value / first.value)


def derived_rows(parts, width):
    """Figures that were computed of others, with their unit."""
    tables = [{one.name: one for one in run.primitives.derived}
              for run in parts]
    for name in dict.fromkeys(name for table in tables for name in table):
        found = [table.get(name) for table in tables]
        unit = next(one.unit for one in found if one)
        row = [name if unit == "ns" else f"{name}, {unit}",
               *(ns(one and one.value, 1) for one in found)]
        for one in found[1:]:
            row += [derived_ratio(found[0], one), "-"]
        yield row + ["-"] * (width - len(row))


def side_by_side(parts):
    """A row a metric, in the order in which they were measured."""
    names = [run.name for run in parts]
    columns = primitives.columns_of(parts)
    known = [{column: found for column, *found in compare.ratios(
        parts[0], run, len(parts))} for run in parts[1:]]
    # Nobody has p99 unless --percentiles was given.
    values = [(what, value) for what, value in VALUES if any(
        value(one) is not None for run in parts
        for one in run.primitives.series.values())]
    heads = ["metric", *(f"average {name}" for name in names)]
    for name in names[1:]:
        heads += [f"{name} / {names[0]}", f"sure {name}" if names[2:] else
                  "sure"]
    heads += [f"{what} {name}" for what, _ in values for name in names]
    heads += [f"trials {name}" for name in names]
    rows = [measured_row(column, parts, values, known) for column in columns]
    return Table("Parts", heads,
                 rows + list(derived_rows(parts, len(heads))),
                 NOTE + RATIOS * bool(known), key="prim-parts")


def troubles(parts):
    """What several systems have in common stands once."""
    found = {}
    for run in parts:
        for test in run.primitives.tests.values():
            for text in test.troubles():
                found.setdefault((test.name, text), []).append(run.name)
    rows = [[*key, "all" if len(names) == len(parts) > 1 else
             ", ".join(names)] for key, names in found.items()]
    if rows:
        yield Table("Parts: what is missing or disturbed",
                    ["test", "what", "system"], rows,
                    "Not switched: the tasks did not switch as often as the "
                    "trials need, so the figures of the test are not what "
                    "its name says.", figures=3, key="prim-troubles")


def all_tables(parts):
    """What disturbs a comparison, then the comparison."""
    if not parts:
        return
    for table in unlike.all_tables(parts):
        yield dataclasses.replace(
            table, title=f"{table.title} ({primitives.PROGRAM})")
    yield from troubles(parts)
    yield side_by_side(parts)
