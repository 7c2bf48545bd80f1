# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report begins with: what takes longest, who is faster, how sure."""

import dataclasses

from report.judge import disturbed
from report.judge.told import of
from twoway.compare import sure
from twoway.series.model import systems_of
from twtools.tables import Table
from twtools.units import us
from twtools.words import several

# What a verdict is about: the first that most runs have.
TASKS = ("latency", "response", "total", "wakeup", "network", "planned")
PERCENTS = {99.9: "1 in 1,000", 99: "1 in 100", 90: "1 in 10"}
NAMED = 3               # systems in a sentence; the table has all
SET_UPS = 4             # each has a sentence, if there are several
SURE = {None: "", False: ", which may be chance",
        True: ", more than these runs vary"}


@dataclasses.dataclass
class Group:
    """Runs that share a set-up, as far as they have the metric."""
    metric: str
    systems: dict                   # title: runs
    percent: float | None           # the highest that all know

    @property
    def runs(self):
        return [run for runs in self.systems.values() for run in runs]

    def figures(self, percent=None):
        """Those that are compared, by system."""
        return {name: [sure.of_run(run, self.metric, percent) for run in runs]
                for name, runs in self.systems.items()}

    def sure(self, best, other, percent=None):
        """How sure another system has more than the best."""
        found = self.figures(percent)
        less = sure.apart(found[best], found[other],
                          sure.pairs(len(self.systems)))
        return SURE[less and sure.mean(found[best]) < sure.mean(found[other])]

    @property
    def maxima(self):
        return {name: max(run.series[self.metric].max_ns for run in runs)
                for name, runs in self.systems.items()}


def task_of(runs, metrics=TASKS):
    """The first that most runs have; None: none has any."""
    counts = {metric: sum(metric in run.series for run in runs)
              for metric in TASKS if metric in metrics}
    return max(counts, key=counts.get) if any(counts.values()) else None


def group_of(runs, metrics):
    """None if there is nothing that a verdict can be about."""
    metric = task_of(runs, metrics)
    if not metric:
        return None
    runs = [run for run in runs if metric in run.series]
    return Group(metric, systems_of(runs), next((p for p in PERCENTS if all(
        sure.of_run(run, metric, p) for run in runs)), None))


def more_text(value, least):
    """How much longer."""
    if us(value) == us(least):
        return "as long as"
    if least <= 0:
        return f"{us(value - least)} us longer than"
    if value >= 2 * least:
        return f"{value / least:.1f} times as long as"
    percent = 100 * (value / least - 1)
    return f"{percent:.{0 if percent >= 10 else 1}f} % longer than"


def beside(group, percent=None):
    """The shortest, and each other with how sure it is longer."""
    values = {name: sure.mean(side)
              for name, side in group.figures(percent).items()}
    best, *rest = sorted(values, key=values.get)
    return best, {name: (values[name], group.sure(best, name, percent))
                  for name in rest}, values[best]


def longest(group):
    """The maxima, then the averages as they are compared."""
    maxima = group.maxima
    order = sorted(maxima, key=maxima.get, reverse=True)
    text = f"The longest {group.metric} is " + several(
        [f"{us(maxima[name])} us with {name}" for name in order], NAMED)
    best, rest, least = beside(group)
    trimmed = ", without the longest, 1 in 1,000," if all(
        one.blocks is not None for side in group.figures().values()
        for one in side) else ""
    if not rest:
        runs = group.systems[best]
        [half] = [sure.half(side.blocks, sure.RISK / 2) if
                  side.blocks is not None and not runs[1:] else None
                  for side in group.figures()[best][:1]]
        return f"{text}; on average{trimmed} it is {us(least)} us" + (
            "." if half is None else f" (+-{us(half)} us in this run).")
    text += ", each a single cycle; on average" + trimmed
    if not list(rest)[1:]:
        [(name, (value, surely))] = rest.items()
        return f"{text} {name} takes {more_text(value, least)} {best}" \
            f"{surely}: {us(value)} us instead of {us(least)} us."
    return f"{text} {best} takes {us(least)} us, " + several(
        [f"{name} {more_text(value, least)} that ({us(value)} us{surely})"
         for name, (value, surely) in rest.items()], NAMED) + "."


def steadiness(group):
    """The percentile; None: not all know it."""
    if not group.percent:
        return None
    best, rest, least = beside(group, group.percent)
    return f"{PERCENTS[group.percent]} takes longer than " + several(
        [f"{us(least)} us with {best}", *(
            f"{us(value)} us with {name}{surely}"
            for name, (value, surely) in rest.items())],
        NAMED + 1, "; ", "; ") + "."


def lines_of(groups, metrics):
    """At most five sentences; groups: runs that share a set-up each."""
    found = [(runs, group) for runs in groups
             if (group := group_of(runs, metrics))]
    if not found:
        return []
    if len(found) > 1:
        lines = [f"{runs[0].group}: {longest(group)}"
                 for runs, group in found[:SET_UPS]]
        left = len(found) - SET_UPS
        lines += [f"{left} more set-ups are below."] * (left > 0)
        every = [run for runs, _ in found for run in runs if run.campaign]
        return lines + [line for line in [disturbed.disturbed(every)] if line]
    runs, group = found[0]
    return list(filter(None, [
        longest(group), steadiness(group),
        disturbed.unfair(runs, group.metric), disturbed.disturbed(runs),
        disturbed.method(group)]))


def percentile_text(runs, metric, percent):
    """The mean of the runs; "-" if one does not know it."""
    found = [sure.of_run(run, metric, percent) for run in runs]
    return us(None if None in found else sure.mean(found))


def summary(groups, metrics):
    """A row a system: the maximum first."""
    rows = []
    for runs in groups:
        group = group_of(runs, metrics)
        for name, some in group.systems.items() if group else ():
            sides = group.figures()[name]
            halves = [sure.half(one.blocks, sure.RISK / 2) for one in sides
                      if one.blocks is not None]
            rows.append([
                f"{name}{of(some)}", us(group.maxima[name]),
                percentile_text(some, group.metric, 99.9),
                us(sure.mean(sides)),
                us(halves[0]) if halves and not some[1:] else "-",
                f"{len(some)}",
                f"{sum(run.series[group.metric].count or 0 for run in some)}",
                group.metric])
    if rows:
        yield Table("The systems", [
            "system", "max", "p99.9", "avg", "avg +-", "runs", "cycles",
            "metric"], rows,
            "In us. max: of all runs; p99.9 and avg: the mean of the runs, "
            "without a warm-up, and avg without the longest cycles, 1 in 1,000, "
            "where blocks are known; avg +-: its 99 % interval in a single run.",
            key="systems")
