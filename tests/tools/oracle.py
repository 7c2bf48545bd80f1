# SPDX-License-Identifier: GPL-2.0-or-later
"""The results once more, computed from the cycles by other means.

Integers and fractions throughout: what is computed here is exact.
"""

import fractions
import math
import typing

METRICS = ("interval", "send", "sleep", "receive", "response", "total",
           "wakeup", "planned", "network")
NEED_TIMER = ("wakeup", "planned")
DEFAULT_METRICS = METRICS[:-2]
LABELS = {
    "interval": "POSIX Timer Interval Time",
    "send": "Send Time",
    "sleep": "nanosleep Time",
    "receive": "Receive Time",
    "response": "Response Time",
    "total": "Total Jitter",
    "wakeup": "Wakeup Time",
    "planned": "Planned Response Time",
    "network": "Network Time",
}
BEYOND = 10     # samples that a percentile must leave above it


class Setup(typing.NamedTuple):
    """What the values depend on, beside the cycles."""
    interval_us: int = 1000
    sleep_us: int = 100
    total: str = "documented"

    def options(self):
        return ("-i", self.interval_us, f"--sleep={self.sleep_us}",
                f"--total={self.total}")

    def metrics(self, names=METRICS):
        """Those of @names that there are: a closed loop lacks some."""
        return [name for name in names
                if self.interval_us or name not in NEED_TIMER]


def intervals(cycles, first_ns):
    """t0 to t0; what precedes the first cycle is not in a dump."""
    starts = [cycle.t0_ns for cycle in cycles]
    return [first_ns] + [b - a for a, b in zip(starts, starts[1:])]


def total(cycle, interval_ns, setup):
    slept = cycle.t2_ns - cycle.t1_ns
    value = (cycle.t3_ns - cycle.t0_ns) - slept
    value += abs(slept - setup.sleep_us * 1000)
    if not setup.interval_us:
        return value
    if setup.total == "documented":
        return value + abs(interval_ns - setup.interval_us * 1000)
    # The code's own: ends at t1, and 1000000 / us is Hz, taken for us.
    rate_hz = 1000000000 * 1000 // (setup.interval_us * 1000)
    to_t1 = interval_ns + cycle.t1_ns - cycle.t0_ns
    return value + abs(to_t1 - rate_hz)


def series(cycles, first_interval_ns, setup):
    """All values of each metric, in ns."""
    steps = intervals(cycles, first_interval_ns)
    return {
        "interval": steps,
        "send": [c.t1_ns - c.t0_ns for c in cycles],
        "sleep": [c.t2_ns - c.t1_ns for c in cycles],
        "receive": [c.t3_ns - c.t2_ns for c in cycles],
        "response": [c.t3_ns - c.t0_ns for c in cycles],
        "total": [total(c, i, setup) for c, i in zip(cycles, steps)],
        "wakeup": [c.t0_ns - c.planned_ns for c in cycles],
        "planned": [c.t3_ns - c.planned_ns for c in cycles],
        "network": [c.t3_ns - c.t0_ns - (c.t2_ns - c.t1_ns) for c in cycles],
    }


def target(metric, setup):
    """What its deviation is about, in ns; None: the mean."""
    if metric == "interval" and setup.interval_us:
        return setup.interval_us * 1000
    return setup.sleep_us * 1000 if metric == "sleep" else None


def mean(values):
    return fractions.Fraction(sum(values), len(values))


def deviation(values, about=None):
    """Standard deviation with n - 1; about the mean if not told else."""
    if len(values) < 2:
        return 0.0
    about = mean(values) if about is None else about
    squares = sum((fractions.Fraction(value) - about) ** 2
                  for value in values)
    return math.sqrt(squares / (len(values) - 1))


def percentile(values, percent):
    """The value at the rank; None if fewer than BEYOND lie behind it."""
    exact = len(values) * fractions.Fraction(str(percent)) / 100
    rank = max(1, math.ceil(exact))
    if len(values) - rank < BEYOND:
        return None
    return sorted(values)[rank - 1]


def window_base(metric, width_us, setup):
    """The first row of a metric's histogram, in us."""
    if metric == "interval":
        return max(0, setup.interval_us - width_us // 2)
    if metric in ("sleep", "response", "planned"):
        return setup.sleep_us
    return 0


def histogram(values, base_us, width_us):
    """Counts by us, and the numbers of the cycles outside."""
    rows, outside = {}, []
    for cycle, value in enumerate(values):
        row = value // 1000
        if base_us <= row < base_us + width_us:
            rows[row] = rows.get(row, 0) + 1
        else:
            outside.append(cycle)
    return rows, outside
