# SPDX-License-Identifier: GPL-2.0-or-later
"""bisect: between which packaged kernels a metric crossed a limit."""

import dataclasses
import json
import re

import vl_releases
import vl_run
from twtools.options import bad
from vl_common import STATS, LabError, figures
from vl_directory import scratch

LIMIT = re.compile(rf"([a-z]+):({'|'.join(STATS)}):([0-9]+(?:\.[0-9]+)?)")


@dataclasses.dataclass(frozen=True)
class Limit:
    """A figure of a metric, and the value in us that it is compared with."""
    metric: str
    stat: str
    us: float

    def value(self, result):
        """The figure in a result of twowaytest, in us."""
        known = figures(result)
        if self.metric not in known:
            raise LabError(f"--limit: '{self.metric}' is not measured; "
                           f"measured are {', '.join(known)}")
        if self.stat not in known[self.metric]:
            raise LabError(f"--limit: no cycle was measured, so {self} is "
                           "not known")
        return known[self.metric][self.stat] / 1000

    def __str__(self):
        return f"{self.metric} {self.stat}"


def limit(text):
    """A type: METRIC:STAT:US."""
    found = LIMIT.fullmatch(text)
    if not found:
        raise bad(text, "METRIC:STAT:US, with STAT one of "
                  f"{', '.join(STATS)}, such as send:avg:200,")
    return Limit(found[1], found[2], float(found[3]))


def named(name, releases):
    """The release of a package among those that are known."""
    for one in releases:
        if one.package == name:
            return one
    raise LabError(f"{name}: no suite of {', '.join(vl_releases.SUITES)} has "
                   "this package; names are like "
                   f"{releases[-1].package}" if releases else
                   f"{name}: there are no kernels of this kind")


def between(first, last, arch):
    """The packaged kernels of one kind from one to the other, oldest first.

    Of a version that several suites have, one is enough: the one that was
    named, else the first suite's.
    """
    kinds = {"-rt-" in name for name in (first, last)}
    if len(kinds) > 1:
        raise LabError(f"{first}, {last}: one is PREEMPT_RT, the other is "
                       "not; give two of the same kind")
    kind = vl_releases.KINDS[kinds.pop()]
    known = [one for one in vl_releases.every(arch, [])
             if one.kind == kind]
    ends = [named(name, known) for name in (first, last)]
    low, high = sorted(one.numbers for one in ends)
    if low == high:
        raise LabError(f"{first}, {last}: both are Linux {ends[0].version}; "
                       "give kernels of two versions")
    return [one for one in vl_releases.once([*ends, *known])
            if low <= one.numbers <= high]


def measure(one, item, setup, binary, added):
    """The result of one kernel."""
    kernel = one.kernel()
    with scratch() as output:
        statuses = vl_run.run([kernel], [item], setup, output, added, binary,
                              keep=False)
        path = output / kernel.name / f"{item.name}.json"
        if set(statuses[kernel.name].values()) - {0, 2} or not path.exists():
            raise LabError(f"{one.package}: the measurement failed: " + (
                output / kernel.name / f"{item.name}.txt").read_text())
        return json.loads(path.read_text())


def bisect(releases, limit_, measured):
    """The two neighbours that the limit is between, and their figures.

    measured(release) is its figure; a line is printed for each.
    """
    figures = {}

    def above(i):
        one = releases[i]
        figures[i] = measured(one)
        over = figures[i] > limit_.us
        print(f"{one.package} ({one.suite}): {limit_} {figures[i]:.1f} us: "
              f"{'above' if over else 'not above'} {limit_.us:g} us",
              flush=True)
        return over

    low, high = 0, len(releases) - 1
    start = above(low)
    if above(high) == start:
        raise LabError(f"both are {'' if start else 'not '}above the limit of "
                       f"{limit_.us:g} us: give a limit between "
                       f"{figures[low]:.1f} and {figures[high]:.1f} us, or "
                       "other kernels")
    while high - low > 1:
        middle = (low + high) // 2
        if above(middle) == start:
            low = middle
        else:
            high = middle
    return [(releases[i], figures[i]) for i in (low, high)]
