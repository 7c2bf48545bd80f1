# SPDX-License-Identifier: GPL-2.0-or-later
"""What results of twowaytest say that a reader of their figures must know."""

import re

from twoway.read import limit
from twoway.read.member import NUMBER
from twoway.series.model import TWO_CLOCKS
from twtools.words import harmless


OTHERS = 1              # percent of a CPU, from which on they are told
# What a dump and a timeline say that they lack.
LACKING = "cycles not dumped: ", "cycles not in the timeline: "
# Remarks that end in a count, by what is counted.
COUNTED = {
    "missed": "missed expiries: ",
    "throttled": "throttled cycles: ",
    "unproved": "late cycles, perhaps throttled: ",
    "lost": "cycles lost on their way: ",
    "not_dumped": LACKING[0],
    "left_out": "left out, as the clock was set: ",
}
# Lines, and what they tell is amiss of the run.
FAR = "Server: its "
AMISS = (
    (r"(?:Unanswered|Not woken): ([ -:<-~]+);", "{}"),
    ("Failed: ", "failed"),
    ("Ended by a signal: ", "ended by a signal"),
    ("Break value: ", "ended by -b"),
    (r"Breaks: ([1-9]\d{0,14})$", "{} cycles above the limit of -b"),
    (r"Not dumped: (\d{1,15}) cycles$", LACKING[0] + "{}"),
    (r"Not in the timeline: (\d{1,15}) cycles$", LACKING[1] + "{}"),
    (r"Clock \w+ was set ", "the clock was set"),
    (rf"{FAR}clock \w+ was set ", "the clock was set on the server's host"),
    ("Suspended: ", "the system was suspended"),
    (f"{FAR}host was suspended ", "the system was suspended on the server's "
     "host"),
    (r"Changed while it ran: pair (\d{1,9}): (client|server)(?: on "
     r"[^ ,]{1,255})?,",
     "the {1} of pair {0} changed policy, priority or CPUs while it ran"))


def counted(**counts):
    """The remarks on what there is any of."""
    return [f"{COUNTED[key]}{count}" for key, count in counts.items() if count]


def read_end(lines, part):
    """What is amiss of a run, and its limits, by lines of its text."""
    found = [text.format(*match.groups()) for line in lines
             for pattern, text in AMISS
             if (match := re.match(f"# {pattern}", line, re.ASCII))]
    if any(text.endswith("above the limit of -b") for text in found):
        # It may have gone on: --breaks.
        found = [text for text in found if text != "ended by -b"]
    part.limits = [one for line in lines if (one := limit.read_line(line))]
    part.remarks += limits(part) + found
    part.troubles += found


def limits(part):
    """A remark on each that was not met."""
    return [f"limit {one.limit} {one.verdict}" + (
        f" by pair {one.pair}" if one.pair is not None and
        one.verdict == limit.EXCEEDED else "")
        for one in part.limits if one.verdict != limit.MET]


def others(twoway):
    """Who else used the run's CPUs, a text for each of these."""
    for cpu in twoway.inner("others").items("cpus"):
        percent = cpu.get("percent", *NUMBER)
        if percent < OTHERS:
            continue
        used = [(task.get("name", str), task.get("percent", *NUMBER))
                for task in cpu.items("tasks")]
        used.append(("tasks that cannot be named",
                     cpu.get("unnamed_percent", *NUMBER)))
        name, most = max(used, key=lambda one: one[1])
        yield f"others used {percent:.1f} % of CPU {cpu.get('cpu', int)}, " \
            f"{name} {most:.1f} %"


def quota(twoway):
    """Whether a cgroup's quota of CPU time has stopped ordinary tasks."""
    of = twoway.inner("quota")
    stops = of.get("stops", int, default=0)
    if stops and not twoway.inner("settings").get("priority", int, default=0):
        yield f"the CPU quota of {harmless(of.get('cgroup', str))} stopped " \
            f"it {stops} times"


def jumps(twoway, part):
    """A clock that was set, or a suspend: what is left may be too good."""
    for where, of in (("", twoway), (" on the server's host",
                                     twoway.inner("peer"))):
        slept_us = of.get("suspended_us", int, default=0)
        times = of.inner("clock_set").get("times", int, default=0)
        found = [f"the system was suspended{where}"] * bool(slept_us) + [
            f"the clock was set{where}"] * bool(times)
        part.remarks += found
        part.troubles += found
    part.remarks += counted(
        left_out=twoway.inner("clock_set").get("left_out", int, default=0))


def moved(twoway, part):
    """Clients and servers that somebody gave other CPUs, or another policy."""
    found = [f"the {side} of pair {number} changed policy, priority or CPUs "
             "while it ran" for of in (twoway, twoway.inner("peer"))
             for number, pair in enumerate(of.items("pairs"))
             for side in ("server", "client")
             if pair.inner(side).inner("changed").value]
    part.remarks += found
    part.troubles += found


def read_status(data, part):
    """Status 2 is a verdict, which has its own remark."""
    if data.get("return_code", int, default=0) not in (0, 2):
        part.remarks.append("failed")
        part.troubles.append("failed")


def unanswered(twoway):
    """What the end of the run has cut short, a text each."""
    for one in twoway.items("unanswered"):
        awaited = one.get("awaited", str)
        what = "a reply" if awaited == "reply" else "its timer"
        yield f"pair {one.get('pair', int)} had waited " \
            f"{one.get('age_us', int)} us for {what} when the run ended"


def read(data, twoway, part):
    """data: the whole file, of which twoway is a member."""
    part.throttled = twoway.get("throttled", int, default=None)
    for key in ("missed", "throttled"):
        number = getattr(part, key)
        if number is not None and number < 0:
            twoway.bad(key, f"{number} is no count")
    part.remarks += counted(
        missed=part.missed, throttled=part.throttled,
        unproved=twoway.inner("throttling").get("unknown", int, default=0))
    if part.settings.get("clocks") == "two" and not part.oneway:
        part.remarks.append(TWO_CLOCKS)
    part.lost_cycles = sum(one.inner("datagrams").get("lost", int, default=0)
                           for one in twoway.items("pairs"))
    part.remarks += counted(lost=part.lost_cycles)
    part.unanswered = list(unanswered(twoway))
    part.remarks += part.unanswered
    part.troubles += part.unanswered
    read_status(data, part)
    part.others = [*others(twoway), *quota(twoway)]
    part.remarks += part.others
    part.remarks += counted(not_dumped=part.lost)
    jumps(twoway, part)
    moved(twoway, part)
    wanted = [f"-{letter} {number}" for letter, key in
              (("l", "loops"), ("D", "duration_s"))
              if (number := part.settings.get(key))]
    if twoway.get("interrupted", bool, default=False):
        part.remarks.append("ended by a signal")
        part.troubles += [f"ended by a signal before its {one}"
                          for one in wanted]
    part.limits = list(limit.read(twoway, bool(part.pairs),
                                  part.program == "primitivetest"))
    part.remarks += limits(part)
    if twoway.value.get("breaks"):
        long = sum(one.get("count", int) for one in twoway.items("causes"))
        text = f"{long} cycles above the limit of -b" if long else \
            "ended by -b"
        part.remarks.append(text)
        part.troubles.append(text)
    part.findings = [(one.get("name", str), one.get("read", str))
                     for one in twoway.inner("system").items("findings")]
