# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a report."""

from report.judge import unlike
from report.judge.told import count_text, extent, of, results
from report.page import (tables_break, tables_hosts, tables_pairs,
                         tables_timeline)
from twoway.compare import sure
from twoway.read import oneway
from twoway.series.model import (ALL_PHASES, KINDS, METRICS, PHASES,
                                 groups_of, systems_of)
from twtools.tables import Table
from twtools.units import us
from twtools.words import several

MUCH = 2        # times as large: << in a ranking
SHOWN = 4       # runs that share a target
RANKS = 12      # rows


def targets(found):
    """What was asked for; found: (run, series) each."""
    runs = {}
    for run, s in found:
        if s.target_ns is not None:
            runs.setdefault(f"{s.target_ns / 1000:.0f}", []).append(run.title)
    if not runs:
        return ""
    text = next(iter(runs)) if len(runs) == 1 else "; ".join(
        f"{target} in {several(names, SHOWN)}"
        for target, names in runs.items())
    return f" The target is {text}."


def of_runs(runs, metrics, percents):
    """A row a metric and run."""
    found = [(metric, run, run.series[metric]) for metric in metrics
             for run in runs if metric in run.series]
    notes = [f" {metric}: {METRICS[metric][1]}." + targets(
        [(run, s) for one, run, s in found if one == metric])
        for metric in dict.fromkeys(metric for metric, *_ in found)]
    yield from results(
        f"Results{of(runs)}", ["metric", "system"],
        [([metric, run.title], s) for metric, run, s in found], percents,
        ("".join(notes), "".join(dict.fromkeys(
            oneway.note(run, metric) for metric, run, _ in found))),
        "results")


# Figure of a ranking: its percentile.
FIGURES = {"average": None, "99 %": 99, "99.9 %": 99.9}


def ranking_text(sides):
    """As "A < B <= C": the best first; sides: Figures by system."""
    values = {name: sure.mean(side) for name, side in sides.items()}
    first, *rest = sorted(sides, key=values.get)
    text, before = first, first
    for name in rest:
        sign = "<=" if us(values[before]) != us(values[name]) else "="
        if sign == "<=" and sure.apart(sides[before], sides[name],
                                       sure.pairs(len(sides))):
            sign = "<<" if values[name] >= MUCH * values[before] else "<"
        text, before = f"{text} {sign} {name}", name
    return text


def ranking(runs, metrics):
    rows = []
    for metric in metrics:
        if metric in ("interval", "sleep"):     # less is not better
            continue
        known = systems_of([run for run in runs if metric in run.series])
        for figure, percent in FIGURES.items() if len(known) > 1 else ():
            sides = {name: found for name, some in known.items() if None not in
                     (found := [sure.of_run(run, metric, percent)
                                for run in some])}
            if len(sides) > 1:
                rows.append([metric, figure, ranking_text(sides)])
    left = len(rows) - RANKS
    if rows:
        yield Table(f"Ranking{of(runs)}",
                    ["metric", "figure", "best first"], rows[:RANKS],
                    "<: less, and by more than the runs vary; <<: also at "
                    f"least {MUCH} times as much. <=: less, but "
                    "that may be chance, or nothing tells." + (
                        f" {left} more: name metrics by --metrics."
                        if left > 0 else ""),
                    figures=3, key="ranking")


def short(value):
    """At least four digits of a rate; a count is whole."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def load(runs):
    """total against the number of workers."""
    found = [run for run in runs if len(run.steps) > 1]
    optional = [(name, member) for name, member in (
        ("missed", "missed"), ("work/s", "work_per_second"))
        if any(getattr(step, member) is not None
               for run in found for step in run.steps)]
    rows = []
    for workers in sorted({step.workers for run in found
                           for step in run.steps}):
        for run in found:
            for step in run.steps:
                if step.workers == workers and "total" in step.series:
                    s = step.series["total"]
                    rows.append(
                        [str(workers), run.title, *extent(s), us(s.std_ns)] +
                        [short(getattr(step, member))
                         for _, member in optional])
    if rows:
        yield Table(f"Total Jitter against the load{of(runs)}",
                    ["workers", "system", "min", "avg", "max", "std"]
                    + [name for name, _ in optional], rows, "In us.",
                    figures=2, key="load")


def worst(runs, metrics):
    rows = []
    pairs = any(run.pairs for run in runs)
    known = {phase for run in runs for item in run.every("worst")
             for phase in item.phases}.union(PHASES)
    phases = [phase for phase in ALL_PHASES if phase in known]
    for run in runs:
        best, cycles = {}, {}
        for item in run.every("worst"):
            if item.metric in metrics:
                best.setdefault(item.metric, item)
        for metric, item in best.items():
            cycles.setdefault(item.since_start_ns, []).append((metric, item))
        for found in cycles.values():
            _, item = found[0]
            rows.append([run.place, ", ".join(metric for metric, _ in found),
                         f"{item.since_start_ns / 1e9:.3f}", str(item.step)]
                        + [count_text(item.pair)] * pairs
                        + [us(item.phases.get(p)) for p in phases])
    if rows:
        yield Table("Worst cycles",
                    ["system", "metric", "at s", "step",
                     *["pair"] * pairs, *phases],
                    rows, "The cycle of each maximum, with all its phases "
                    "in us. Steps count from 0.", figures=2, key="worst")


def sources(runs, left_out):
    rows = [[run.title, part.path, KINDS[part.kind], count_text(part.count),
             count_text(part.missed)] for run in runs for part in run.parts]
    rows += [["left out", text, "-", "-", "-"] for text in left_out]
    seen = list(dict.fromkeys(map(tuple, rows)))
    return Table("Files", ["system", "file", "is", "cycles", "missed"],
                 [list(row) for row in seen], "missed: expiries without a "
                 "cycle.", figures=3, key="sources")


def all_tables(runs, metrics, percents):
    """From whole to part."""
    tables = [*tables_break.all_tables(runs),
              *unlike.all_tables(runs)]
    for group in groups_of(runs):
        tables += tables_hosts.all_tables(group)
        tables += ranking(group, metrics)
        tables += of_runs(group, metrics, percents)
        tables += load(group)
        tables += tables_pairs.all_tables(group, metrics, percents)
        tables += tables_timeline.all_tables(group, metrics)
    return [*tables, *worst(runs, metrics)]
