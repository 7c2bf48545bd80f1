# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report begins with: who is faster, who steadier, and how sure."""

import dataclasses
import math

from report.judge import disturbed
from twoway.compare import sure
from twtools.units import us
from twtools.words import several

# What takes so long.
TASKS = {"latency": "to answer without the server's sleep",
         "response": "to answer", "total": "in total jitter",
         "wakeup": "to wake up", "network": "on the network",
         "planned": "from the planned expiry to the answer"}
PERCENTS = {99.9: "1 in 1,000", 99: "1 in 100", 90: "1 in 10"}
NAMED = 3               # systems in a sentence; the table has all
SET_UPS = 4             # each has a sentence, if there are several
SURE = {None: "", False: ", which may be chance",
        True: ", more than these runs vary"}
ALIKE = 1.05            # so many times as long is no longer


@dataclasses.dataclass
class Group:
    """Runs that share a set-up, as far as they have the metric."""
    metric: str
    runs: list
    percent: float | None           # the highest that all know
    sides: list                     # the average of each, by sure

    def sure(self, best, other, percent=None):
        """(text, whether it is): how sure other has more than best."""
        found = sure.surely_less(self.runs[best], self.runs[other],
                                 self.metric, percent, len(self.runs) - 1)
        return SURE[found], found

    @property
    def halves(self):
        """Of the interval of each average, 99 %; None: not known."""
        found = [math.inf if side.blocks is None else
                 sure.half(side.blocks, sure.RISK / 2) for side in self.sides]
        return [half if half < math.inf else None for half in found]

    @property
    def names(self):
        return [run.title for run in self.runs]

    @property
    def averages(self):
        return [run.series[self.metric].avg_ns for run in self.runs]

    @property
    def percentiles(self):
        return [run.series[self.metric].percentile(self.percent)
                for run in self.runs]


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
    percent = next((p for p in PERCENTS if all(
        run.series[metric].percentile(p) is not None for run in runs)), None)
    return Group(metric, runs, percent,
                 [sure.of_run(run, metric) for run in runs])


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


def ranked(values):
    """The index of the least, then the others."""
    return sorted(range(len(values)), key=values.__getitem__)


def speed(group):
    """The averages: each system beside the fastest."""
    names, values = group.names, group.averages
    best, *rest = ranked(values)
    task = TASKS[group.metric]
    if not rest:
        half = group.halves[best]
        about = f" (+-{us(half)} us in this run)" \
            if half is not None else ""
        return f"{names[best]} takes {us(values[best])} us {task} on " \
            f"average{about}."
    surely = {i: group.sure(best, i)[0] for i in rest}
    if len(rest) == 1:
        [other] = rest
        return f"{names[other]} takes " \
            f"{more_text(values[other], values[best])} {names[best]} " \
            f"{task} on average: {us(values[other])} us instead of " \
            f"{us(values[best])} us{surely[other]}."
    return f"{names[best]} takes the shortest time {task}: " \
        f"{us(values[best])} us on average. " + several([
            f"{names[i]} takes {more_text(values[i], values[best])} that "
            f"({us(values[i])} us{surely[i]})"
            for i in rest], NAMED, last=", ") + "."


def steadiness(group):
    """The percentile, and the worst cycle, which may be chance."""
    if not group.percent:
        return worst(group)
    names, values = group.names, group.percentiles
    best, *rest = ranked(values)
    share = PERCENTS[group.percent]
    if not rest:
        return f"{share} takes longer than {us(values[best])} us. " + \
            worst(group)
    surely = {i: group.sure(best, i, group.percent) for i in rest}
    first = rest[0]
    begin = f"{names[best]} is the steadier one" if len(rest) == 1 else \
        f"{names[best]} is the steadiest"
    if not surely[first][1]:
        begin = "None is steadier by more than they vary" if rest[1:] else \
            "Neither is steadier by more than they vary"
    return f"{begin}: {share} takes longer than {us(values[best])} us with " \
        f"{names[best]}, " + several([
            f"{us(values[i])} us with {names[i]}{surely[i][0]}"
            for i in rest], NAMED, "; ", "; ") + ". " + worst(group)


def worst(group):
    """Each is one cycle of so many."""
    series = [run.series[group.metric] for run in group.runs]
    names, values = group.names, [one.max_ns for one in series]
    order = ranked(values)[::-1]
    high, least = order[0], order[-1]
    count = series[high].count
    text = "The worst" + (f" of {count:,}" if count else "")
    if len(order) == 1:
        times = values[high] / group.averages[high] \
            if group.averages[high] > 0 else 0
        return f"{text} took {us(values[high])} us" + (
            f", {times:.1f} times the average." if times else ".")
    return f"{text} of {names[high]} took {us(values[high])} us, " \
        f"{times_text(values[high], values[least])} that of " \
        f"{names[least]} ({us(values[least])} us): single cycles, which " \
        "may be chance."


def times_text(value, least):
    if least <= 0:
        return "longer than"
    return f"{value / least:.1f} times" if value >= ALIKE * least else \
        "about as long as"


def lines_of(groups, metrics):
    """At most five sentences; groups: runs that share a set-up each."""
    found = [(runs, group) for runs in groups
             if (group := group_of(runs, metrics))]
    if not found:
        return []
    if len(found) > 1:
        lines = [f"{runs[0].group}: {speed(group)}"
                 for runs, group in found[:SET_UPS]]
        left = len(found) - SET_UPS
        lines += [f"{left} more set-ups are below."] * (left > 0)
        every = [run for runs, _ in found for run in runs if run.campaign]
        return lines + [line for line in [disturbed.disturbed(every)] if line]
    runs, group = found[0]
    return list(filter(None, [
        speed(group), steadiness(group),
        disturbed.unfair(runs, group.metric), disturbed.disturbed(runs),
        disturbed.method(group)]))
