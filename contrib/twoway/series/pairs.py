# SPDX-License-Identifier: GPL-2.0-or-later
"""Several pairs of client and server: what they are together, and beside."""

import math

from twoway.series.model import METRICS, Beside, InputError, Pair, Step
from twoway.series.stats import combined

TARGETED = ("interval", "sleep")    # their deviation is that from a target


def deviation(metric, series, average_ns, targets):
    """Of all together, from that of each; None: unknown, or of no meaning.

    Each deviation has n - 1, about the average, or about the target.
    """
    if metric == "interval" and (len(targets) > 1 or None in targets):
        return None
    squares = 0.0
    for one in series:
        if one.std_ns is None and one.count > 1:
            return None
        squares += (one.count - 1) * (one.std_ns or 0) ** 2
        if metric not in TARGETED:
            squares += one.count * (one.avg_ns - average_ns) ** 2
    return math.sqrt(squares / (sum(one.count for one in series) - 1))


def together(series):
    """The results of several pairs as one; None without cycles."""
    used = [one for one in series if one.count]
    if len(used) < 2:
        return used[0] if used else None
    found = combined(used)
    found.avg_unit = max(one.avg_unit for one in used)
    targets = {one.target_ns for one in used}
    found.std_ns = deviation(found.metric, used, found.avg_ns, targets)
    found.target_ns = targets.pop() if len(targets) == 1 else None
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
