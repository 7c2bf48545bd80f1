# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of several pairs of client and server."""

from report.judge.told import count_text, extent, of, results
from twtools.tables import Table


def pairs(runs):
    """What is known of each pair, whatever the metric."""
    rows = [[run.title, *map(count_text, (
        pair.number, pair.cpu, pair.interval_us, pair.missed,
        pair.inversions))] for run in runs for pair in run.pairs]
    if rows:
        yield Table(f"Pairs of client and server{of(runs)}",
                    ["system", "pair", "CPU", "interval", "missed",
                     "inversions"], rows, "CPU: that of the client. "
                    "interval: the period in us; 0: closed loop. "
                    "inversions: requests of clients with a higher number "
                    "that one server for all answered first.", key="pairs")


def side_by_side(runs, metrics, percents):
    """A row a metric and pair."""
    found = [([metric, run.title, str(pair.number)], pair.series[metric])
             for metric in metrics for run in runs for pair in run.pairs
             if metric in pair.series]
    yield from results(f"Results of each pair{of(runs)}",
                       ["metric", "system", "pair"], found, percents,
                       ("", ""), "pairs-results")


def ramp(runs):
    """The first pair against the number of other clients."""
    rows = []
    for others in sorted({step.others for run in runs for step in run.ramp}):
        for run in runs:
            for step in run.ramp:
                if step.others == others and "response" in step.first:
                    rows.append(
                        [str(others), run.title,
                         count_text(step.first["response"].count)]
                        + [cell for series in (
                            step.first["response"], step.first.get("total"),
                            step.response) for cell in (
                                extent(series) if series else ["-"] * 3)]
                        + [count_text(step.inversions),
                           count_text(step.missed)])
    if rows:
        yield Table(
            f"Pair 0 against the number of other clients{of(runs)}",
            ["others", "system", "cycles"]
            + [f"{name} {key}" for name in ("response", "total", "others'")
               for key in ("min", "avg", "max")] + ["inversions", "missed"],
            rows, "In us. response and total: of pair 0. others': the "
            "response of that other pair whose response took longest. "
            "inversions: requests of clients with a higher number that were "
            "answered between t0 and t1 of pair 0. missed: expiries, of all "
            "pairs.", figures=2, key="ramp")


def all_tables(runs, metrics, percents):
    """Of runs that share a set-up."""
    yield from ramp(runs)
    yield from pairs(runs)
    yield from side_by_side(runs, metrics, percents)
