# SPDX-License-Identifier: GPL-2.0-or-later
"""Between two hosts: the parts of a cycle, from planned expiry to reply.

wakeup + network + sleep are the whole cycle, which begins at the planned
expiry, or at the reply before if that came later. That holds for one cycle and for
averages over the same cycles. It does not hold for percentiles and maxima,
which several parts do not reach in the same cycle: there, whole cycles are
chosen, and their own parts are shown.

With the kernel's timestamps, network is client_stack + wire + server_stack.
Cycles that lack a stamp stay network, so that the sum holds.
"""

import dataclasses
import math

import numpy

from twoway.series.model import BEYOND, STAMPED, TWO_CLOCKS_PHASES

PERCENT = 99
NEAR = 1000             # 1 / NEAR of all cycles, on either side of a rank
NETWORK = (*STAMPED, "network")     # of a bar: what makes up network


@dataclasses.dataclass
class Bar:
    """Parts that add up; None: of which nothing is known."""
    parts: dict | None              # of wakeup, NETWORK and sleep -> ns
    note: str = ""                  # how sure this is


def between(run):
    """Whether client and server had clocks of their own."""
    return run.settings.get("clocks") == "two"


def shown(run):
    """Parts that are known; a closed loop has no planned expiry."""
    return [phase for phase in TWO_CLOCKS_PHASES if phase in run.series]


def stacked(runs):
    """Those with such parts."""
    return [run for run in runs if between(run) and
            {"network", "sleep"} <= set(run.series)]


def divided(parts, of_network):
    """Parts with network as what it is made of, and the rest of it."""
    if not any(of_network.values()):
        return parts
    rest = parts["network"] - sum(of_network.values())
    # Averages are rounded to 10 ns.
    return parts | of_network | {"network": max(rest, 0)}


def average(run):
    """With the split of the dump, or of the JSON."""
    parts = {phase: run.series[phase].avg_ns for phase in shown(run)}
    count = run.series["network"].count
    cycles = run.cycles
    if cycles and cycles.stamped and cycles.count == count:
        return Bar(divided(parts, means(cycles, STAMPED)))
    if not run.stamps:
        return Bar(parts)
    found, known = run.stamps.split
    if known == count:      # all of it
        parts["network"] = sum(found.values())
    return Bar(divided(parts, {name: value * known / count
                               for name, value in found.items()}))


def means(cycles, names, which=slice(None)):
    """Of columns, over some cycles."""
    return {name: float(cycles.column[name][which].mean()) for name in names}


def of_cycles(run, which):
    """The parts of some cycles of a dump."""
    return divided(means(run.cycles, shown(run), which),
                   means(run.cycles, STAMPED, which)
                   if run.cycles.stamped else {})


def whole(run):
    """Of each cycle of a dump, the sum of the parts; 0: a part is unknown."""
    found = sum(run.cycles.values(phase, followed=False).astype(numpy.int64)
                for phase in shown(run))
    found[run.cycles.breaks] = 0
    found[run.cycles.cut] = 0
    return found


def near_percentile(run):
    """Averages over the cycles that are as long as p99.

    A single cycle's parts would be chance: of all, 0.1 % on either side of
    the rank are taken.
    """
    if not run.cycles or not run.cycles.two_clocks:
        return Bar(None, "no dump")
    values = whole(run)
    rank = math.ceil(PERCENT * len(values) / 100) - 1
    if rank + 1 + BEYOND > len(values):
        return Bar(None, "too few cycles")
    reach = len(values) // NEAR
    low, high = rank - reach, rank + reach
    return Bar(of_cycles(run, numpy.argpartition(
        values, sorted({low, high}))[low:high + 1]))


def longest(run):
    """The parts of the longest cycle; without dump, of those kept whole."""
    if run.cycles and run.cycles.two_clocks:
        return Bar(of_cycles(run, [whole(run).argmax()]))
    names = shown(run)
    kept = [item for item in run.every("worst") + run.every("spikes")
            if set(names) <= set(item.phases)]
    if not kept:
        return Bar(None, "no cycle was kept whole")
    found = max(kept, key=lambda item: sum(item.phases[name]
                                           for name in names))
    return Bar({name: found.phases[name] for name in names},
               "of the cycles kept")


# Name of a bar: what it is of.
BARS = {"average": average, f"cycles at p{PERCENT}": near_percentile,
        "longest cycle": longest}
