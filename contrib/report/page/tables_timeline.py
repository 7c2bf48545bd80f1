# SPDX-License-Identifier: GPL-2.0-or-later
"""When the maxima of a timeline grew."""

import datetime

from report.judge.told import of
from twtools.tables import Table
from twtools.units import us

SHOWN = 10              # of a run: the last, as the first come with the start
ORDER = ("latency", "response", "planned", "network")   # the first of these


def metric_of(timeline, metrics):
    """The one that is shown; None: none of those that are wanted."""
    found = [metric for metric in (*ORDER, *metrics)
             if metric in metrics and metric in timeline.largest]
    return found[0] if found else None


def utc(unix_s):
    return datetime.datetime.fromtimestamp(
        unix_s, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def rows_of(run, metric):
    timeline = run.timeline
    for row in timeline.grown(metric)[-SHOWN:]:
        p99 = timeline.p99[metric][row]
        yield [run.title, metric, utc(timeline.unix_s[row]),
               f"{timeline.ends_s[row]:.0f}",
               us(timeline.largest[metric][row]),
               us(None if p99 != p99 else p99), str(int(
                   timeline.missed[row]))]


def all_tables(runs, metrics):
    found = [(run, metric_of(run.timeline, metrics)) for run in runs
             if run.timeline]
    rows = [row for run, metric in found if metric
            for row in rows_of(run, metric)]
    if rows:
        yield Table(f"When the maximum grew{of(runs)}",
                    ["system", "metric", "UTC", "at s", "max", "p99",
                     "missed"], rows,
                    "In us. Of each run, the last rows of the timeline with "
                    "a maximum above all before, with the p99 and the missed "
                    f"expiries of that row; up to {SHOWN}.",
                    figures=3, key="growth")
