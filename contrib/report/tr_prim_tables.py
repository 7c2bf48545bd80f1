# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of the parts: systems side by side."""

import dataclasses
import re

import tr_prim
import tr_tables_unlike
from twtools.tables import Table

# Title of a table: the tests in it.
GROUPS = {
    "timers and sleeps": ("timer", "alarm", "sleep"),
    "clocks": ("clock", "bintime", "delay"),
    "work and memory": ("work", "copy", "alloc"),
    "semaphores and locks": ("sync1", "sync2", "sync3", "order"),
    "messages, signals, pipes, sockets": ("message", "stream", "signal",
                                          "pipe", "unix"),
    "switches and tasks": ("yield", "preempt", "shuffle", "switch",
                           "monopoly", "thread"),
    "system calls and traps": ("syscall", "trap"),
}
OTHERS = "other tests"
RHEALSTONE = "rhealstone."
PART = re.compile(r"([a-z]+) (-?\d+(?:\.\d+)?)(?= |\)|$)")
VALUES = (("minimum", lambda s: s.min_ns), ("p99", lambda s: s.percentile(99)),
          ("maximum", lambda s: s.max_ns))


def ns(value, decimals=0):
    return "-" if value is None else f"{value:.{decimals}f}"


def ratio_text(value):
    return "-" if value is None else f"{value:.2f}" if value < 100 else \
        f"{value:.0f}"


def sure_text(level):
    return "-" if level is None else f"{level} %" if level else "no"


def names_of(parts):
    return [run.name for run in parts]


def marked(title, parts):
    """A title that says which systems are virtual."""
    virtual = [run.name for run in parts if run.virtual]
    return f"Parts: {title}" + (
        f" (virtual: {', '.join(virtual)})" if virtual else "")


def group_of(test):
    return next((title for title, tests in GROUPS.items() if test in tests),
                OTHERS)


def against_first(parts):
    """The headings of ratios."""
    first, *rest = names_of(parts)
    return [f"{name} / {first}" for name in rest]


def metrics_row(column, parts, values, known):
    """known: of each but the first, column -> (ratio, how sure)."""
    series = [run.primitives.series.get(column) for run in parts]
    row = [column, *(ns(one and one.avg_ns, 1) for one in series)]
    for found in known:
        share, level = found.get(column, (None, None))
        row += [ratio_text(share), sure_text(level)]
    for _, value in values:
        row += [ns(one and value(one)) for one in series]
    return row + [str(one.count) if one else "-" for one in series]


def metrics_table(title, columns, parts, known):
    values = [(name, value) for name, value in VALUES
              if any(value(one) is not None for run in parts
                     for column in columns
                     if (one := run.primitives.series.get(column)))]
    names = names_of(parts)
    heads = ["metric", *(f"average {name}" for name in names)]
    for text in against_first(parts):
        heads += [text, "sure"]
    heads += [f"{what} {name}" for what, _ in values for name in names]
    heads += [f"trials {name}" for name in names]
    note = "In ns."
    if known:
        note += " The ratio is that of the averages; - where there is none: " \
            "not measured by both, a target instead of a result, zero, or " \
            "work of another size on each system (--work fixes it). sure: " \
            "whether the averages differ, all comparisons together; no: " \
            "it may be chance; -: fewer than " \
            f"{tr_prim.FEWEST} trials, or no deviation. Trials are taken " \
            "as independent, which promises too much."
    return Table(marked(title, parts), heads,
                 [metrics_row(column, parts, values, known)
                  for column in columns], note, key="prim-metrics")


def metrics(parts):
    """A table a group of tests."""
    known = [{column: found for column, *found in tr_prim.ratios(
        parts[0], run)} for run in parts[1:]]
    groups = {title: [] for title in (*GROUPS, OTHERS)}
    for column in tr_prim.columns_of(parts):
        test = parts[0].primitives.test_of(column)
        groups[group_of(test)].append(column)
    for title, columns in groups.items():
        if columns:
            yield metrics_table(title, columns, parts, known)


def shared(parts, texts_of):
    """Rows of test, text, systems: what several have in common once."""
    found = {}
    for run in parts:
        for test in run.primitives.tests.values():
            for text in texts_of(test):
                found.setdefault((test.name, text), []).append(run.name)
    return [[*key, "all" if len(names) == len(parts) > 1 else
             ", ".join(names)] for key, names in found.items()]


def troubles(parts):
    rows = shared(parts, lambda test: test.troubles())
    if rows:
        yield Table(marked("what is missing or disturbed", parts),
                    ["test", "what", "system"], rows,
                    "Skipped: not measured, with the reason. Not switched: "
                    "the tasks did not switch as often as the trials need, "
                    "so the figures of the test are not what its name says. "
                    "Throttled: trials as long as real-time throttling "
                    "stops tasks.", figures=3, key="prim-troubles")


def verdicts(parts):
    rows = shared(parts, lambda test: [
        one.text for one in test.verdicts if not one.failed])
    if rows:
        yield Table(marked("verdicts", parts), ["test", "verdict", "system"],
                    rows, "What the tests say of themselves; those that "
                    "failed are above.", figures=3, key="prim-verdicts")


def derived_value(found):
    return "-" if found is None else f"{found.value:.1f}" \
        if abs(found.value) < 1e5 else f"{found.value:.0f}"


def value_ratio(first, other):
    if None in (first, other) or first.value <= 0 or other.value <= 0:
        return "-"
    return ratio_text(other.value / first.value)


def derived(parts):
    """Figures that were computed, with their formula."""
    tables = [{one.name: one for one in run.primitives.derived}
              for run in parts]
    rows = []
    for name in dict.fromkeys(name for table in tables for name in table):
        if name.startswith(RHEALSTONE):
            continue
        found = [table.get(name) for table in tables]
        known = [one for one in found if one]
        rows.append([name, " or ".join(dict.fromkeys(
            one.formula for one in known)), known[0].unit,
            *map(derived_value, found),
            *(value_ratio(found[0], one) for one in found[1:])])
    if rows:
        yield Table(marked("derived figures", parts),
                    ["figure", "formula", "unit", *names_of(parts),
                     *against_first(parts)], rows,
                    "Computed of averages; those whose names end in .min, "
                    "of minima.", figures=3, key="prim-derived")


def rhealstone_parts(found):
    """Name -> ns, as the formula has them."""
    return {name: float(value) for name, value in PART.findall(
        found.formula)} if found else {}


def rhealstone(parts):
    """The figure, then what it is made of; a table for each kind of task."""
    names = dict.fromkeys(one.name for run in parts
                          for one in run.primitives.derived
                          if one.name.startswith(RHEALSTONE))
    for name in names:
        found = [next((one for one in run.primitives.derived
                       if one.name == name), None) for run in parts]
        rows = [["Rhealstone, a second", *map(derived_value, found),
                 *(value_ratio(found[0], one) for one in found[1:])]]
        known = [rhealstone_parts(one) for one in found]
        for part in dict.fromkeys(part for one in known for part in one):
            values = [one.get(part) for one in known]
            rows.append([f"{part}, ns", *(ns(one, 1) for one in values), *(
                "-" if None in (values[0], one) or min(values[0], one) <= 0
                else ratio_text(one / values[0]) for one in values[1:])])
        tasks = name.removeprefix(RHEALSTONE)
        yield Table(marked(f"Rhealstone, tasks: {tasks}", parts),
                    ["part", *names_of(parts), *against_first(parts)], rows,
                    "How often a second a system does, on average, what the "
                    "six parts measure: 6 / their sum. A higher figure and "
                    "shorter parts are better.", key="prim-rhealstone")


def differences(parts):
    for table in tr_tables_unlike.all_tables(parts):
        yield dataclasses.replace(
            table, title=f"{table.title} ({tr_prim.PROGRAM})")


def all_tables(parts):
    """From what disturbs a comparison to the single figures."""
    if not parts:
        return
    for of in (differences, troubles, rhealstone, metrics, derived,
               verdicts):
        yield from of(parts)
