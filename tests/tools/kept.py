# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles that are kept whole, and limits: parsers of what is printed, and
what must stand in the JSON, computed from the dump."""

import datetime
import re
import typing

import oracle

PHASES = ("interval", "wakeup", "send", "sleep", "receive", "response",
          "total")
# The phases that a metric is made of; any other is its own.
PARTS = {
    "response": ("send", "sleep", "receive"),
    "planned": ("wakeup", "send", "sleep", "receive"),
    "total": ("send", "sleep", "receive", "interval"),
    "network": ("send", "receive"),
}
# With -N, the first interval of so many cycles can be told from their mean.
MOST_CYCLES = 90

KEPT = re.compile(
    r"(?:step (?P<step>\d+), )?cycle (?P<cycle>\d+), "
    r"(?P<since>-?\d+\.\d{6}) s after start, "
    r"(?P<time>\d\d:\d\d:\d\d\.\d{6}): (?P<phases>.*?)"
    r"(?:; excess: (?P<excess>.*))?; CPU client (?P<client>-?\d+), "
    r"server (?P<server>-?\d+); missed (?P<missed>\d+)"
    r"(?P<throttled>, throttled)?")
WORST = re.compile(r"# Worst ([a-z]+): (-?\d+) \(mean (-?\d+)\): (.*)")
BREAK = re.compile(r"# Break: ([a-z]+) (-?\d+) > (\d+): (.*)")
# What cyclictest prints of a spike, and what follows it here.
SPIKE = re.compile(r"(T:([ \d]\d) Spike:([ \d-]{7,}\d): TS: ([ \d]{11,}\d))"
                   r" C: ([ \d]{6,}\d)(?: step (\d+))?((?: [a-z]+ -?\d+)+)"
                   r"( throttled)?")
LIMIT = re.compile(r"# Limit (\S+): (met|exceeded|undecided): (.*)")
LIMIT_VALUE = re.compile(r"(-?\d+\.\d{3}) us"
                         r"(?: in (?:step (\d+), )?cycle (\d+))?")
LIMIT_SO_FAR = "the run was ended before it was complete; so far "
LIMIT_LACKS = re.compile(r"(\d+) cycles, needed are (\d+)")


def now():
    """To be compared with the time of day of a kept cycle."""
    return datetime.datetime.now(datetime.timezone.utc)


class Kept(typing.NamedTuple):
    """A cycle as a line tells it."""
    step: int | None    # from 1
    cycle: int
    since: str
    time: str
    values: dict        # phase -> value
    means: dict
    excess: dict        # phase -> per cent
    cpus: tuple         # client's, server's
    missed: int
    throttled: bool


def parse_kept(text):
    match = KEPT.fullmatch(text)
    assert match, f"no cycle: {text!r}"
    values, means, excess = {}, {}, {}
    for word in match["phases"].split(", "):
        name, value, mean = re.fullmatch(r"([a-z]+) (-?\d+) \((-?\d+|-)\)",
                                         word).groups()
        values[name] = int(value)
        means[name] = None if mean == "-" else int(mean)
    for word in match["excess"].split(", ") if match["excess"] else ():
        name, share = re.fullmatch(r"([a-z]+) (-?\d+) %", word).groups()
        excess[name] = int(share)
    return Kept(match["step"] and int(match["step"]), int(match["cycle"]),
                match["since"], match["time"], values, means, excess,
                (int(match["client"]), int(match["server"])),
                int(match["missed"]), bool(match["throttled"]))


def parse_worst(lines):
    """{metric: (value, mean, Kept)}, in the order of the lines."""
    found = {}
    for line in lines:
        match = WORST.fullmatch(line)
        if match:
            assert match[1] not in found, line
            found[match[1]] = (int(match[2]), int(match[3]),
                               parse_kept(match[4]))
    return found


class Spike(typing.NamedTuple):
    column: int
    value: int
    t0_us: int
    cycle: int
    step: int | None    # from 1
    values: dict
    throttled: bool


def parse_spikes(lines):
    """The spikes, and how many were seen."""
    found, seen = [], []
    for line in lines:
        match = SPIKE.fullmatch(line)
        if match:
            assert match[1] == "T:%2d Spike:%8d: TS: %12d" % tuple(
                map(int, match.group(2, 3, 4))), line
            assert f" C: {int(match[5]):7}" in line
            words = match[7].split()
            found.append(Spike(*map(int, match.group(2, 3, 4, 5)),
                               match[6] and int(match[6]),
                               dict(zip(words[::2], map(int, words[1::2]))),
                               bool(match[8])))
        else:
            assert not line.startswith("T:") or " Spike:" not in line, line
        match = re.fullmatch(r"spikes = (\d+)", line)
        if match:
            seen.append(int(match[1]))
    assert len(seen) <= 1
    return found, seen[0] if seen else None


class Limit(typing.NamedTuple):
    """A verdict, and of what follows here what its line has."""
    text: str
    verdict: str
    value: str | None = None
    step: int | None = None     # from 1
    cycle: int | None = None
    cycles: int | None = None
    needed: int | None = None


def parse_limits(lines):
    found = []
    for line in lines:
        if not line.startswith("# Limit "):
            continue
        match = LIMIT.fullmatch(line)
        assert match, f"no verdict: {line!r}"
        text, verdict, rest = match.groups()
        if verdict == "undecided" and not rest.startswith(LIMIT_SO_FAR):
            lacks = LIMIT_LACKS.fullmatch(rest)
            found.append(Limit(text, verdict, cycles=int(lacks[1]),
                               needed=int(lacks[2])))
            continue
        rest = rest.removeprefix(LIMIT_SO_FAR)
        value = LIMIT_VALUE.fullmatch(rest)
        if text.startswith(("missed:", "throttled:", "lost:")):
            assert re.fullmatch(r"\d+", rest), line
            found.append(Limit(text, verdict, rest))
        else:
            assert value, line
            found.append(Limit(text, verdict, value[1],
                               value[2] and int(value[2]),
                               value[3] and int(value[3])))
    return found


class Step(typing.NamedTuple):
    """The cycles of a step, and all values of each metric."""
    cycles: list
    values: dict


def steps_of(json, cycles, setup):
    """The steps of a run with -N, MOST_CYCLES each at most: exact."""
    starts = [n for n, cycle in enumerate(cycles) if cycle.cycle == 0]
    found = []
    for begin, end, part in zip(starts, starts[1:] + [len(cycles)],
                                json["twoway"]["steps"]):
        inside = cycles[begin:end]
        thread = thread_of(part, "interval")
        assert json["resolution_in_ns"] == 1
        assert len(inside) == thread["cycles"] <= MOST_CYCLES
        # No dump has what came before it; the mean tells it.
        first = round(thread["avg"] * len(inside) -
                      sum(oracle.intervals(inside, 0)))
        found.append(Step(inside, oracle.series(inside, first, setup)))
    assert sum(len(step.cycles) for step in found) == len(cycles)
    return found


def thread_of(json, metric):
    """The results of a metric, of all or of one step."""
    return next(thread for thread in json["thread"].values()
                if thread["metric"] == metric)


def check_member(report, steps, setup):
    """A kept cycle in the JSON is what the dump has of it."""
    step = steps[report["step"]]
    number = report["cycle"]
    cycle = step.cycles[number]
    assert cycle.cycle == number
    assert report["since_start_ns"] == \
        cycle.t0_ns - steps[0].cycles[0].t0_ns
    assert report["missed"] == cycle.missed
    assert report["throttled"] in (False, True)
    assert min(report["client_cpu"], report["server_cpu"]) >= 0
    wanted = {f"{phase}_ns": step.values[phase][number]
              for phase in setup.metrics(PHASES)}
    assert {name: report[name] for name in wanted} == wanted
    assert ("wakeup_ns" in report) == ("wakeup_ns" in wanted)
    return cycle


def check_times(reports, steps, before, after):
    """The time of day goes with the clock, and lies within the run."""
    ahead, seen = [], []
    for report in reports:
        at = datetime.datetime.strptime(report["time"],
                                        "%Y-%m-%dT%H:%M:%S.%f%z")
        assert before <= at <= after
        t0_ns = steps[report["step"]].cycles[report["cycle"]].t0_ns
        ahead.append(round(at.timestamp() * 1000000) - t0_ns // 1000)
        seen.append(t0_ns)
    # Each is rounded down. Some clocks are not corrected as that of the day
    # is, to which the kernel adds 500 ppm at the most.
    drift = (max(seen) - min(seen)) // 2000000
    assert max(ahead) - min(ahead) <= 3 + drift


def unit(ns, nsecs):
    return ns if nsecs else ns // 1000


def check_text(kept, report, setup, nsecs, ramp):
    """A line tells what the JSON has of the cycle."""
    assert kept.step == (report["step"] + 1 if ramp else None)
    assert kept.cycle == report["cycle"]
    assert kept.since == f"{report['since_start_ns'] / 1e9:.6f}"
    assert kept.time in report["time"]
    assert kept.cpus == (report["client_cpu"], report["server_cpu"])
    assert kept.missed == report["missed"]
    assert kept.throttled == report["throttled"]
    assert kept.values == {
        phase: unit(report[f"{phase}_ns"], nsecs)
        for phase in setup.metrics(PHASES)}
    assert list(kept.values) == list(kept.means) == setup.metrics(PHASES)


def check_parts(parts, metric, step_values, number, setup, mean_ns):
    """They are its phases, add up to it, and to its mean and its excess."""
    assert [part["phase"] for part in parts] == list(
        PARTS.get(metric, (metric,)))
    value = step_values[metric][number]
    assert sum(part["ns"] for part in parts) == value
    # Each mean is rounded to 0.1 ns, and the JSON's to 0.01 or 10.
    assert abs(sum(part["mean_ns"] for part in parts) - mean_ns) <= 0.3
    excess = value - mean_ns
    if excess <= 0:
        assert all(part["share"] == 0 for part in parts)
    else:
        assert abs(sum(part["share"] for part in parts) - 1) <= 0.0003
    for part in parts:
        wanted = step_values[part["phase"]][number]
        if metric == "total" and part["phase"] == "sleep":
            wanted = abs(wanted - setup.sleep_us * 1000)
        if metric == "total" and part["phase"] == "interval":
            # With trltp3 it is what the others leave.
            wanted = value - sum(p["ns"] for p in parts[:3])
            if setup.total == "documented" and setup.interval_us:
                assert wanted == abs(step_values["interval"][number] -
                                     setup.interval_us * 1000)
        assert part["ns"] == wanted
        if excess > 0:
            share = (part["ns"] - part["mean_ns"]) / excess
            assert abs(part["share"] - share) <= 0.0001 + 0.2 / excess
