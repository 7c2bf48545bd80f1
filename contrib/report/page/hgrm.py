# SPDX-License-Identifier: GPL-2.0-or-later
"""Distributions in the text form of HdrHistogram, for its plotters.

A line is a value in us, the share of values that do not exceed it, their
number, and 1 / (1 - share). Shares grow as HdrHistogram's do: by a fifth of
half of what is left.
"""

import math
import re

from twoway.series.model import InputError
from twoway.series.stats import rank_of

TICKS = 5               # lines from one half of what is left to the next
HEAD = f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} " \
    f"{'1/(1-Percentile)':>14}\n\n"
UNSAFE = re.compile(r"[^\w.+-]+", re.ASCII)


def shares(count):
    """In percent, until less than one value is left beyond."""
    percent = 0.0
    while (100 - percent) * count >= 100:
        yield percent
        halvings = math.floor(math.log2(100 / (100 - percent)))
        percent += 100 / (TICKS * 2 ** (halvings + 1))


def text(series):
    """Of a Series with a distribution."""
    dist, lines = series.dist, [HEAD]
    for percent in shares(dist.count):
        value_ns = dist.at_rank(rank_of(dist.count, percent))
        if value_ns is not None:        # else it is outside of the bins
            below = dist.cumulated[dist.values.searchsorted(value_ns)]
            lines.append(f"{value_ns / 1000:12.3f} {percent / 100:14.12f} "
                         f"{below:10d} {100 / (100 - percent):14.2f}\n")
    lines += [
        f"{series.max_ns / 1000:12.3f} {1:14.12f} {dist.count:10d}\n",
        f"#[Mean    = {series.avg_ns / 1000:12.3f}, StdDeviation   = "
        f"{(series.std_ns or 0) / 1000:12.3f}]\n",
        f"#[Max     = {series.max_ns / 1000:12.3f}, Total count    = "
        f"{dist.count:12d}]\n",
        f"#[Buckets = {len(dist.values):12d}, SubBuckets     = {1:12d}]\n"]
    return "".join(lines)


def files(runs, metrics):
    """(name, text) of each run and metric that has a distribution."""
    found = [(f"{UNSAFE.sub('-', run.name)}-{metric}",
              text(run.series[metric])) for run in runs for metric in metrics
             if metric in run.series and run.series[metric].dist]
    if not found:
        raise InputError("--hgrm", None, "no run tells how often each value "
                         f"of {', '.join(metrics)} came; give a --dump, or "
                         "measure with -h")
    return found
