# SPDX-License-Identifier: GPL-2.0-or-later
"""The dump of several pairs: the cycles of all, in the order of time."""

import itertools

import numpy

from twoway.read.dump import Cycles, add_worst, check_formula
from twoway.series.model import METRICS, InputError, Pair
from twoway.series.pairs import add_steps, grows


def times_ns(cycles):
    """The t0 of each cycle of a pair."""
    return cycles.first_ns + numpy.cumsum(cycles.column["interval"],
                                          dtype=numpy.int64)


def steps_of(path, pairs):
    """Of each pair: the run's step that each of its own steps is.

    In a ramp of pairs, a pair begins in a later step. The first pair is in
    all, and begins a step before another pair ends it.
    """
    first = next(iter(pairs.values()))
    starts = times_ns(first)[first.starts]
    result = {}
    for number, cycles in pairs.items():
        ends = times_ns(cycles)[[part.stop - 1 for part in cycles.slices()]]
        steps = numpy.maximum(numpy.searchsorted(starts, ends, "right") - 1,
                              0)
        if (numpy.diff(steps) < 1).any():
            raise InputError(path, None, f"the steps of pair {number} do "
                             "not lie within those of the first pair")
        result[number] = [int(step) for step in steps]
    return result


class Together(Cycles):
    """The cycles of several pairs, by step and t0: consecutive in time."""

    def __init__(self, pairs, steps):
        """pairs: Cycles by number, whose columns go; steps: steps_of()."""
        found = list(pairs.values())
        super().__init__(found[0].two_clocks, found[0].stamped,
                         found[0].alone)
        lengths = [cycles.count for cycles in found]
        self.count = sum(lengths)
        step = numpy.concatenate([
            numpy.repeat(steps[number], [part.stop - part.start
                                         for part in cycles.slices()])
            for number, cycles in pairs.items()])
        t0 = numpy.concatenate([times_ns(cycles) for cycles in found])
        order = numpy.lexsort((t0, step))
        self.t0 = t0[order]
        self.starts = list(numpy.flatnonzero(
            numpy.diff(step[order], prepend=-1)))
        self.numbers = list(pairs)
        self.own = numpy.repeat(numpy.arange(len(found), dtype=numpy.int32),
                                lengths)[order]     # index of numbers
        for name in self.column:
            self.column[name] = numpy.concatenate(
                [cycles.column.pop(name) for cycles in found])[order]
        place = numpy.empty(self.count, numpy.int64)
        place[order] = numpy.arange(self.count)
        offsets = numpy.cumsum([0, *lengths[:-1]])
        self.breaks, self.cut = (
            numpy.sort(place[numpy.concatenate(
                [own + offset for own, offset in zip(of, offsets)])])
            for of in ([cycles.breaks for cycles in found],
                       [cycles.cut for cycles in found]))
        missed = numpy.concatenate(
            [cycles.missed + [[offset], [0]]
             for cycles, offset in zip(found, offsets)], axis=1)
        self.missed = numpy.stack([place[missed[0]], missed[1]])
        self.period = numpy.array([cycles.period_ns for cycles in found])
        self.period_ns = int(self.period.max())     # 0: a closed loop
        self.sleep_ns, self.trltp3 = found[0].sleep_ns, found[0].trltp3

    def periods_ns(self, part):
        return self.period[self.own[part]]

    def off_period(self, get, period_ns):
        # Of one with too few cycles, the period may be unknown.
        off = super().off_period(get, numpy.maximum(period_ns, 1))
        return numpy.where(period_ns > 0, off, 0)

    def target_ns(self, metric):
        if metric == "interval" and len(set(self.period)) > 1:
            return None
        return super().target_ns(metric)

    def series(self, part=None, wanted=tuple(METRICS)):
        table = super().series(part, wanted)
        if "interval" in table and self.target_ns("interval") is None:
            table["interval"].std_ns = None
        return table

    def since_ns(self, index):
        return int(self.t0[index] - self.t0[0])

    def times_s(self, cycles):
        return (self.t0[cycles] - self.t0[0]) / 1e9

    def pair_of(self, index):
        return self.numbers[self.own[index]]


def own_results(part, pairs, steps):
    """Of each pair; returns the same of each step, by pair."""
    of_step = [{} for _ in range(1 + max(itertools.chain(*steps.values())))]
    for number, cycles in pairs.items():
        part.pairs.append(Pair(
            number, cycles.series(), interval_us=cycles.period_ns // 1000,
            missed=int(cycles.missed[1].sum())))
        for step, where in zip(steps[number], cycles.slices()):
            of_step[step][number] = cycles.series(where)
    return of_step


def complete(part, periods_ns, sleep_ns, trltp3, workers, wanted):
    """As dump.complete(); periods_ns: of each pair, by its number."""
    pairs = {number: part.cycles[number] for number in sorted(part.cycles)}
    check_formula(part, pairs[min(pairs)], trltp3)
    for number, cycles in pairs.items():
        cycles.period_ns, cycles.sleep_ns = periods_ns[number], sleep_ns
        cycles.trltp3 = trltp3
    steps = steps_of(part.path, pairs)
    of_step = [] if wanted else own_results(part, pairs, steps)
    if wanted:
        part.pairs = [Pair(number) for number in pairs]
    part.cycles = Together(pairs, steps)
    if wanted:
        part.series = part.cycles.series(wanted=wanted)
        return
    part.series = part.cycles.series()
    missed = [part.cycles.missed_in(where)
              for where in part.cycles.slices()]
    numbers = list(map(len, of_step))
    add_steps(
        part, [(number, tables, {"missed": lost}) for number, tables, lost
               in zip(workers or range(len(of_step)), of_step, missed)],
        grows(numbers))
    add_worst(part)
