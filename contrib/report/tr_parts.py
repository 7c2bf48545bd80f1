# SPDX-License-Identifier: GPL-2.0-or-later
"""Between two hosts: the parts of a cycle, from planned expiry to reply.

wakeup + network + sleep are the whole cycle. That holds for one cycle and for
averages over the same cycles. It does not hold for percentiles and maxima,
which several parts do not reach in the same cycle: there, whole cycles are
chosen, and their own parts are shown.
"""

import dataclasses
import math

import numpy

from tr_model import BEYOND, TWO_CLOCKS_PHASES

PERCENT = 99
NEAR = 1000             # 1 / NEAR of all cycles, on either side of a rank


@dataclasses.dataclass
class Bar:
    """Parts that add up; None: of which nothing is known."""
    parts: dict | None              # TWO_CLOCKS_PHASES -> ns
    note: str = ""                  # how sure this is


def between(run):
    """Whether client and server had clocks of their own."""
    return bool(run.hosts) or run.settings.get("clocks") == "two" or \
        bool(run.cycles and run.cycles.two_clocks)


def shown(run):
    """Parts that are known; a closed loop has no planned expiry."""
    return [phase for phase in TWO_CLOCKS_PHASES if phase in run.series]


def stacked(runs):
    """Those with such parts."""
    return [run for run in runs if between(run) and
            {"network", "sleep"} <= set(run.series)]


def average(run):
    return Bar({phase: run.series[phase].avg_ns for phase in shown(run)})


def whole(run):
    """The metric that is the sum of the parts."""
    return "planned" if "wakeup" in shown(run) else "response"


def near_percentile(run):
    """Averages over the cycles that are as long as p99.

    A single cycle's parts would be chance: of all, 0.1 % on either side of
    the rank are taken.
    """
    if not run.cycles or not run.cycles.two_clocks:
        return Bar(None, "no dump")
    values = run.cycles.values(whole(run))
    rank = math.ceil(PERCENT * len(values) / 100) - 1
    if rank + 1 + BEYOND > len(values):
        return Bar(None, "too few cycles")
    reach = len(values) // NEAR
    low, high = rank - reach, rank + reach
    found = numpy.argpartition(values, sorted({low, high}))[low:high + 1]
    return Bar({phase: float(run.cycles.column[phase][found].mean())
                for phase in shown(run)})


def longest(run):
    """The parts of the longest cycle; without dump, of those kept whole."""
    if run.cycles and run.cycles.two_clocks:
        return Bar(run.cycles.worst(whole(run)).phases)
    names = shown(run)
    kept = [item for item in run.every("worst") + run.every("spikes")
            if set(names) <= set(item.phases)]
    if not kept:
        return Bar(None, "no cycle was kept whole")
    found = max(kept, key=lambda item: sum(item.phases[name]
                                           for name in names))
    sure = any(item.metric == whole(run) for item in kept)
    return Bar({name: found.phases[name] for name in names},
               "" if sure else "of the cycles kept")


# Name of a bar: what it is of.
BARS = {"average": average, f"cycles at p{PERCENT}": near_percentile,
        "longest cycle": longest}
