# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles and phases of what vl_steps found, and their averages."""

import collections
import dataclasses
import itertools

from vl_common import LabError
from vl_qemu import SHIFT
from vl_steps import WAITS, Count, Segment

ORDERLY = 0.8           # of the returns: in the order of a cycle
NS = 1 << SHIFT         # of guest time, an instruction
UNTIL = ", until idle"
# The phases of a cycle, as far as somebody waits for a time in them.
CYCLES = (("wakeup", "send", "sleep", "receive"),
          ("wakeup", "send", "receive"), ("send", "sleep", "receive"),
          ("send", "receive"))
# Of them, what begins and ends as what twowaytest measures by that name.
MEASURED = {"send", "receive"}
# Of what they take in sum: how much what is counted may differ.
UNLIKE = 0.1


def added(*counts):
    """The sum of dictionaries {function: Count}."""
    found = collections.defaultdict(Count)
    for one in counts:
        for function, count in one.items():
            found[function].calls += count.calls
            found[function].instructions += count.instructions
    return dict(found)


def joined(one, other):
    """A segment that ended for another task belongs to the one behind it."""
    if other.before is None:
        return Segment(other.task, added(one.awake, other.awake), one.before,
                       other.calls)
    return Segment(other.task, other.awake,
                   added(one.before or {}, one.awake, other.before),
                   other.calls)


def often(segments):
    """The tasks that return in each cycle."""
    counts = collections.Counter(one.task for one in segments)
    return [task for task, count in counts.items()
            if count > max(counts.values()) / 2]


def only(segments, tasks):
    """The segments of these tasks; what others do is part of them."""
    found, rest = [], None
    for one in segments:
        one = joined(rest, one) if rest else one
        rest = None if one.task in tasks else one
        if not rest:
            found.append(one)
    return found


def order_of(found, tasks):
    """The tasks in the order in which they return."""
    follows = collections.Counter((a.task, b.task)
                                  for a, b in zip(found, found[1:]))
    order = tasks[:1]
    while len(order) < len(tasks):
        order.append(max((task for task in tasks if task not in order),
                         key=lambda task: follows[order[-1], task]))
    return order


def length(means, before, last):
    """Of a phase that ends with a segment, behind that of another one."""
    instructions, i = 0, before
    while i != last:
        i = (i + 1) % len(means)
        instructions += means[i]
    return instructions


def ways(size):
    """Each way to choose the ends of phases, in any order of a cycle."""
    for names in CYCLES:
        for chosen in itertools.combinations(range(size), len(names)):
            for by in range(len(names)):
                yield names, chosen[by:] + chosen[:by]


def named(found, order, lengths):
    """The names of the phases, and the tasks that they end with.

    By what the program itself measured, {phase: average in ns}: of all ways,
    the one that agrees best, or one phase if none does. (All calls of the
    kernel may return to the same place, as riscv64's do; then others than
    those that wait are seen, too.)
    """
    means = [average([one.instructions for one in found if one.task == task])
             for task in order]

    def unlike(way):
        names, ends = way
        return sum(abs(length(means, ends[i - 1], ends[i]) * NS
                       - lengths[name])
                   for i, name in enumerate(names) if name in MEASURED)

    if MEASURED <= lengths.keys() and len(order) >= len(MEASURED):
        best = min(ways(len(order)), key=unlike)
        if unlike(best) <= UNLIKE * sum(lengths[name] for name in MEASURED):
            return best[0], [order[i] for i in best[1]]
    idle = [one.task for one in found if one.before is not None]
    return ("cycle",), [(idle or order)[0]]


def cut(found, order):
    """Whole cycles: lists of segments in this order; others are left out."""
    at, cycles = 0, []
    while at + len(order) <= len(found):
        part = found[at:at + len(order)]
        if [one.task for one in part] == order:
            cycles.append(part)
            at += len(order)
        else:
            at += 1
    return cycles


def cycles_of(segments, lengths):
    """The names of the phases, and the cycles: a segment for each phase."""
    tasks = often(segments)
    if not tasks:
        raise LabError("the log has no cycle: no task returned from "
                       + ", ".join(sorted(WAITS)))
    found = only(segments, tasks)
    order = order_of(found, tasks)
    if len(cut(found, order)) * len(order) < len(found) * ORDERLY:
        raise LabError("client and server do not take turns in the log: it "
                       "tells phases of one pair only")
    names, order = named(found, order, lengths)
    return names, cut(only(found, order), order)


def average(values):
    return sum(values) / len(values)


@dataclasses.dataclass
class Profile:
    """Of some cycles, on average."""
    cycles: int
    phases: dict            # {phase: {function: Count}}

    def instructions(self, phase):
        return sum(one.instructions for one in self.phases[phase].values())

    def count(self, phase, function):
        return self.phases.get(phase, {}).get(function, Count())


def profile(names, cycles):
    """The averages of cycles; a phase's part until the CPU was idle apart."""
    phases = {}
    for i, name in enumerate(names):
        parts = {name + UNTIL: [cycle[i].before for cycle in cycles
                                if cycle[i].before],
                 name: [cycle[i].awake for cycle in cycles]}
        for phase, counts in parts.items():
            if counts:
                phases[phase] = {
                    function: Count(count.calls / len(cycles),
                                    count.instructions / len(cycles))
                    for function, count in added(*counts).items()}
    return Profile(len(cycles), phases)


def longest(cycles):
    """The cycle with the most instructions in its phases."""
    return max(cycles, key=lambda cycle: sum(one.instructions
                                             for one in cycle))
