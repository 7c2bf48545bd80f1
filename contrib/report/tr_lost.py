# SPDX-License-Identifier: GPL-2.0-or-later
"""What response cannot show a gate: cycles never made, runs that broke.

An expiry that the client missed has no cycle. The more of them, the fewer long
cycles are measured, so figures of cycles may even become better.
"""

import dataclasses
import math
import statistics

import numpy

from tr_interval import BLOCKS, SHORTEST, wandering
from tr_stats import student

# Stalls come in groups more than long cycles do: longer blocks, too, and what
# comes by chance with one of 20 runs is taken for a level that changes.
LENGTHS = (64, 32, 16, 8)
WANDERS = 0.463
WORSE, UNDECIDED, NOT_WORSE = "WORSE", "undecided", "not worse"


@dataclasses.dataclass
class Lost:
    """Of one run: expiries, how many were missed, how exact that is known."""
    missed: int
    expiries: int
    doubt: float | None         # of the share, by blocks; None: no dump

    @property
    def share(self):
        return self.missed / self.expiries

    def __str__(self):
        return f"{self.missed} of {self.expiries} " \
            f"({100 * self.share:.3g} %)"


@dataclasses.dataclass
class Verdict:
    """On the expiries that both runs missed, or on a broken run."""
    name: str
    text: str
    cells: list | None = None   # of the gate's table

    @property
    def said(self):
        """What was compared; a broken run's name says what broke it."""
        if not self.cells:
            return f"{self.name}: measure it again."
        _, what, before, after, more, *_ = self.cells
        return f"{self.name}: {what} {after}; the baseline has {before}, " \
            f"the difference is {more}."


def block_doubt(cycles, share, alpha):
    """Of a share, as of tr_interval: missed expiries come in groups."""
    variance, steps, total = dict.fromkeys(LENGTHS, 0.0), 0, 0
    wander, reach = 0.0, 0.0
    for part in cycles.slices():
        index, missed = cycles.missed
        inside = (index >= part.start) & (index < part.stop)
        length = part.stop - part.start
        total += length + int(missed[inside].sum())
        if length < SHORTEST:
            continue
        steps += 1
        edges = numpy.linspace(part.start, part.stop, BLOCKS + 1).astype(int)
        found = numpy.bincount(
            numpy.searchsorted(edges, index[inside], "right") - 1,
            missed[inside], BLOCKS)
        off = found - share * (numpy.diff(edges) + found)
        for count in LENGTHS:
            sums = off.reshape(count, -1).sum(axis=1)
            variance[count] += count * sums.var(ddof=1)
        wander += float(wandering(off[:, None])[0])
        # Of the longest blocks, as shares of their cycles.
        reach = max(reach, float(numpy.ptp(sums)) * LENGTHS[-1] / length)
    if not steps:
        return None
    return max(student(alpha, steps * (count - 1)) * math.sqrt(one)
               for count, one in variance.items()) / total + \
        (2 * reach if wander / steps > WANDERS else 0)


def lost_of(run, alpha):
    """None if it is not known."""
    if run.missed is None or not run.count:
        return None
    expiries = run.count + run.missed
    share = run.missed / expiries
    doubt = block_doubt(run.cycles, share, alpha) if run.cycles else None
    if not run.missed:
        doubt = 0.0
    return Lost(run.missed, expiries, doubt)


def more(before, after, alpha):
    """Whether the second share is higher, for expiries that are independent.

    The test of two proportions, given how many both runs missed together.
    """
    both = before.missed + after.missed
    share = after.expiries / (before.expiries + after.expiries)
    if not both:
        return False
    z = (after.missed - 0.5 - both * share) / \
        math.sqrt(both * share * (1 - share))
    return z > statistics.NormalDist().inv_cdf(1 - alpha)


def judged(before, after, alpha):
    """Groups of missed expiries are one event: only blocks tell of these."""
    if not more(before, after, alpha):
        return NOT_WORSE
    if None in (before.doubt, after.doubt):
        return UNDECIDED
    surely = after.share - before.share > math.hypot(before.doubt,
                                                     after.doubt)
    return WORSE if surely else UNDECIDED


def any_missed(runs):
    """Whether there is anything to judge: a figure more that may err."""
    return all(run.missed is not None for run in runs) and \
        any(run.missed for run in runs)


def verdicts_of(runs, alpha):
    found = [Verdict(f"{run.title} ({trouble})", UNDECIDED)
             for run in runs for trouble in run.troubles]
    if any_missed(runs):
        before, after = (lost_of(run, alpha) for run in runs)
        if before and after:
            text = judged(before, after, alpha)
            found.insert(0, Verdict("missed expiries", text, [
                "missed", "share in %", f"{100 * before.share:.3f}",
                f"{100 * after.share:.3f}",
                f"{100 * (after.share - before.share):+.3f}", "-", text]))
    return found


def notes_of(runs, verdicts):
    """Counts of both runs, and why the verdict is what it is."""
    notes = []
    for member, what in (("missed", "Missed expiries"),
                         ("throttled", "Throttled cycles")):
        counts = [getattr(run, member) for run in runs]
        if any(count is not None for count in counts):
            notes.append(f"{what}: " + ", ".join(
                f"{run.title} " + ("unknown" if count is None else f"{count}")
                + (f" beside {run.count} cycles" if count and run.count
                   else "") for run, count in zip(runs, counts)))
    for verdict in verdicts:
        if verdict.cells and verdict.text == UNDECIDED:
            notes.append(
                "Missed expiries are more than by chance if each is an event "
                "of its own, but a few long stalls may be chance: " +
                ("repeat the runs, or measure longer"
                 if all(run.cycles for run in runs) else
                 "give the --dump of both runs, which tells"))
    return notes
