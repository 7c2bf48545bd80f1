# SPDX-License-Identifier: GPL-2.0-or-later
"""What --bound prints: how far a run tells of the time after it."""

import itertools
import time

from twoway.compare import bound
from twoway.series.model import METRICS
from twtools.words import several

SAMPLES = 5         # so many runs are taken as samples of a longer time
NAMED = 4
ALIKE = 1.5         # times as long
HOUR, DAY = 3600, 86400
UNITS = {"min": (60, "a minute"), "h": (HOUR, "an hour"), "d": (DAY, "a day")}
NO_MORE = "no more is known of the time after it"
ONE_PART = 0.01     # probability of random times in one part of the hours


def span(seconds):
    """"90 s", "60 min" or "72 h"."""
    size, unit = (HOUR, "h") if seconds >= 2 * HOUR else \
        (60, "min") if seconds >= 120 else (1, "s")
    number = seconds / size
    return f"{number:.0f} {unit}" if number >= 9.95 else f"{number:.2g} {unit}"


def us_text(ns):
    return f"{ns / 1000:.12g} us"


def unit_of(seconds):
    """What a rate is told in; a day only of a run of a day."""
    return "d" if seconds >= DAY else "h" if seconds >= 600 else "min"


def extent(promise, share=1):
    """How long the run was, or a share of it."""
    return span(promise.seconds / share) if promise.trials is None else \
        f"{promise.trials // share} trials"


def rate(number, unit):
    return f"{number:.{'1f' if number >= 1 else '2g'}} {UNITS[unit][1]}"


def plan(per_second, words):
    """How long, without any, with one and two."""
    times = [span(bound.most(count) / per_second) for count in range(3)]
    return f"{words} takes {times[0]} without any, {times[1]} with one, " \
        f"{times[2]} with two"


def seen(promise, ns):
    """"3 episodes (41 cycles) in 60 min"."""
    long = promise.long(ns)
    count, cycles = promise.count(ns), promise.cycles(ns)
    of = f"in {int(long.sum())} of {len(long)} parts" if cycles is None else \
        f"{cycles} cycle{'s' * (cycles != 1)}" + \
        ", and missed expiries" * bool(promise.missed.any())
    what = f"{count} episode{'s' * (count != 1)} ({of})" if count else "none"
    return f"{what} in {extent(promise)}"


def about_rate(promise, asked):
    """Of one US."""
    begin = f"above {us_text(asked.ns)}: {seen(promise, asked.ns)}"
    why = promise.refusal(asked.ns)
    if why:
        return f"{begin}; {NO_MORE}: {why}"
    count = promise.count(asked.ns)
    if promise.trials is not None:
        return f"{begin}. While it stays as in this run: at most " \
            f"{promise.most(asked.ns):.1f} in as many (95 %)"
    unit = unit_of(promise.seconds)
    told = "at most " + rate(
        promise.most(asked.ns) * UNITS[unit][0] / promise.seconds, unit)
    if count:
        return f"{begin}. While it stays as in this run: {told} (95 %)"
    return f"{begin}: {told}" + (
        ". " + plan(1 / DAY, '"Less than one a day"')
        if promise.seconds < DAY * bound.most(0) else "")


def about_goal(promise, asked):
    """Of a rate that is asked for."""
    seconds, size = promise.seconds, UNITS[asked.unit][0]
    begin, end = f"{asked.text}: ", f": {seen(promise, asked.ns)}"
    why = promise.refusal(asked.ns)
    if why:
        return f"{begin}undecided{end}; {why}"
    most, least = promise.most(asked.ns), bound.least(promise.count(asked.ns))
    verdict = "met" if most <= asked.per_second * seconds else "exceeded" \
        if least > asked.per_second * seconds else "undecided"
    told = f"{begin}{verdict}{end}, at " + (
        f"least {rate(least * size / seconds, asked.unit)}"
        if verdict == "exceeded" else
        f"most {rate(most * size / seconds, asked.unit)} while it stays as in "
        "this run") + f", which is told by less than {UNITS[asked.unit][1]}" * (
            seconds < size)
    return told if verdict != "undecided" else \
        f"{told}; without another, {span(most / asked.per_second - seconds)} " \
        "more are needed"


def goal(asked):
    """Of a rate, before any run."""
    _, words = UNITS[asked.unit]
    return plan(asked.per_second, f"{asked.text}: at most {asked.number:g} "
                f"{words} above {us_text(asked.ns)}")


def day(second, after=None):
    """After another time, only what differs."""
    now = time.gmtime(second)
    same = after is not None and now[:3] == time.gmtime(after)[:3]
    return time.strftime("%H:%M" if same else "%a %H:%M", now)


def measured(when, seconds, others):
    return (f"Measured {day(when[0])} to {day(when[1], when[0])} UTC: n"
            if when else "N") + "othing is known of other " + others + "."


def lines_of_one(promise, asked):
    if promise.maxima is None:
        return [f"No bound: {promise.broken}."]
    longest = promise.unit.text(promise.longest_ns)
    begin = f"longest {'at least ' * promise.open}{longest} us"
    why = "the last request had no reply" if promise.open else \
        promise.unsteady
    if why:
        lines = [f"{begin}; {NO_MORE}: {why}."]
    else:
        lines = [f"{begin}. Nothing longer is to be expected in the next "
                 f"{extent(promise, bound.NEXT)} (1/{bound.NEXT} of "
                 "this run, 95 %); in a further run as long, a longer one is "
                 "as likely as not."]
    if promise.seconds or promise.trials:
        lines += [f"{(about_goal if one.unit else about_rate)(promise, one)}."
                  for one in asked if promise.seconds or not one.unit]
    if promise.seconds:
        lines.append(measured(promise.when, promise.seconds, "days"
                              if promise.seconds >= DAY else "hours"))
    return lines


def refused_samples(found):
    """Why these runs are no samples of a longer time; None: they may be."""
    times = sorted((one.seconds or 0, one.title) for one in found)
    if times[-1][0] > ALIKE * times[0][0]:
        return f"{times[0][1]} has {span(times[0][0])}, {times[-1][1]} " \
            f"{span(times[-1][0])}: runs that are as long as each other are " \
            "needed"
    known = sorted((one.when, one.title) for one in found if one.when)
    for (when, name), (later, other) in itertools.pairwise(known):
        if later[0] < when[1]:
            return f"{name} and {other} were measured at the same time"
    starts = sorted(when[0] % HOUR for when, _ in known)
    if len(starts) < len(found):
        return None
    gaps = [b - a for a, b in itertools.pairwise(
        [*starts, starts[0] + HOUR])]
    part = (HOUR - max(gaps) + 1) / HOUR
    if len(starts) * part ** (len(starts) - 1) < ONE_PART:
        return f"all began within {span(part * HOUR)} of an hour, so that " \
            "nothing is known of the rest of it: the timer is to take a random " \
            "minute each time"
    return None


def lines_of_samples(found, asked):
    """Of many runs, each at a random time."""
    titles = [one.title for one in found if one.maxima is None]
    if titles:
        return [f"No bound: {several(titles, NAMED)}: "
                f"{next(one.broken for one in found if one.maxima is None)}."]
    why = refused_samples(found)
    if why:
        return [f"No bound: {why}."]
    count = len(found)
    one = span(sum(one.seconds for one in found) / count)
    starts = [one.when for one in found if one.when]
    spoilt = [one.title for one in found if one.broken or one.open]
    begin = f"{count} runs of {one}, each at a random time"
    if starts:
        first, last = min(starts), max(starts)
        begin += f", {day(first[0])} to {day(last[1], first[0])} UTC" \
            if last[1] - first[0] < 7 * DAY else \
            f", {(last[1] - first[0]) / DAY:.0f} days"
    lines = [f"{begin}." + (
        f" Not whole, so taken for longer: {several(spoilt, NAMED)}."
        if spoilt else "")]
    longest = max(one.longest_ns for one in found)
    told = f"longest {us_text(longest)}"
    lines.append(f"{told}: at most {100 * bound.share(len(spoilt), count):.1f}"
                 f" % of all times of {one} have a longer one (95 %).")
    for wanted in asked:
        long = sum(bool(one.title in spoilt or one.long(wanted.ns).any())
                   for one in found)
        lines.append(
            f"above {us_text(wanted.ns)}: {long} of {count}: at most "
            f"{100 * bound.share(long, count):.1f} % of all times of {one} "
            "have a longer one (95 %).")
    return [*lines, "Nothing is known of times after the last run."]


def text_of(runs, parts, options):
    """All that --bound prints."""
    lines = [f"{goal(one)}." for one in options.bound if one.unit] \
        if not runs + parts else []
    metrics = options.chosen or [None]
    for metric in metrics:
        found = [bound.promise_of(run, metric) for run in runs]
        names = {one.metric for one in found}
        if len(found) >= SAMPLES and len(names) == 1:
            name = names.pop()
            lines += [f"{name} ({METRICS[name][1]})",
                      *lines_of_samples(found, options.bound)]
            continue
        for one in found:
            lines += [f"{one.title}: {one.metric} ({METRICS[one.metric][1]})",
                      *lines_of_one(one, options.bound)]
    for part in parts:
        found = list(bound.promises_of(part))
        lines += [] if found else [
            f"{part.title}: No bound: give a JSON of this version of "
            "primitivetest, of 64 trials or more."]
        for one in found:
            lines += [f"{one.title}: {one.metric}",
                      *lines_of_one(one, options.bound)]
    return "\n".join([*lines, ""])
