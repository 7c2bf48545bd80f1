# SPDX-License-Identifier: GPL-2.0-or-later
"""Several pairs of client and server: what they are together, and beside."""

import math

from twoway.series.model import METRICS, Beside, InputError, Pair, Step
from twoway.series.stats import combined

TARGETED = ("interval", "sleep")    # of what a timer ends


def deviation(series, average_ns):
    """Of all together, from that of each, with n - 1; None: unknown."""
    if any(one.std_ns is None and one.count > 1 for one in series):
        return None
    squares = sum((one.count - 1) * (one.std_ns or 0) ** 2 +
                  one.count * (one.avg_ns - average_ns) ** 2
                  for one in series)
    return math.sqrt(squares / (sum(one.count for one in series) - 1))


def rms(series):
    """Of all together, each from its target."""
    if any(one.rms_ns is None for one in series):
        return None
    return math.sqrt(sum(one.count * one.rms_ns ** 2 for one in series) /
                     sum(one.count for one in series))


def together(series):
    """The results of several pairs as one; None without cycles."""
    used = [one for one in series if one.count]
    if len(used) < 2:
        return used[0] if used else None
    found = combined(used)
    found.avg_unit = max(one.avg_unit for one in used)
    targets = {one.target_ns for one in used}
    found.std_ns = found.rms_ns = None
    if len(targets) == 1:   # else they are of several periods
        found.target_ns = targets.pop()
        found.std_ns = deviation(used, found.avg_ns)
        found.rms_ns = rms(used)
    return found


def all_of(tables):
    """Metric -> Series of all together; tables: of each pair."""
    result = {}
    for metric in METRICS:
        found = together([table[metric] for table in tables
                          if metric in table])
        if found:
            result[metric] = found
    return result


def beside(tables, missed=None, inversions=None):
    """A step of a ramp of pairs; tables: of each pair in it, by number."""
    numbers = sorted(tables)
    others = [tables[number]["response"] for number in numbers[1:]
              if "response" in tables[number]]
    return Beside(len(numbers) - 1, tables[numbers[0]],
                  max(others, key=lambda series: series.max_ns,
                      default=None), missed, inversions)


def grows(numbers):
    """Whether steps of so many pairs each are a ramp of pairs."""
    return len(numbers) > 1 and numbers[-1] > numbers[0]


def add_steps(part, steps, ramp):
    """To a part: of a ramp of pairs, or of load.

    steps: (workers, tables by pair, a Step's other members) each.
    """
    for workers, tables, known in steps:
        if ramp:
            part.ramp.append(beside(tables, known.get("missed"),
                                    known.get("inversions")))
        else:
            part.steps.append(Step(workers, all_of(tables.values()), **{
                key: value for key, value in known.items()
                if key != "inversions"}))
    if len(steps) < 2:
        part.ramp, part.steps = [], []


def numbered(path, tables, where=None):
    """A Pair each; the numbers are those from 0."""
    if sorted(tables) != list(range(len(tables))):
        raise InputError(path, where, "there are results of pair "
                         f"{max(tables)}, but of {len(tables)} in all")
    return [Pair(number, tables[number]) for number in sorted(tables)]
