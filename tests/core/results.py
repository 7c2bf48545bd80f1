# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what the core prints, strictly, and computes all of it once more from
the values of single cycles (-v)."""

import math
import pathlib
import re
import statistics
import types

import pytest

import outside
import schema

root = pytest.mark.skipif(outside.why_not() is not None,
                          reason=outside.why_not() or "")
SCHEMA = schema.TWOWAY
METRICS = ("latency", "wakeup", "send", "sleep", "receive", "response",
           "interval", "total", "planned", "network")
PHASES = METRICS[1:8]
TIMED = ("wakeup", "planned")       # need a timer
CONVERTED = ("raw", "tai", "boottime", "tsc", "-c 1")  # not the timer's clock
NOT_REALTIME = ("# Not real-time: no -p; these are times of an ordinary "
                "process (as a rule: -m -p 98 -a)")
STATUS = re.compile(
    r"T:(?P<column> *\d+) \((?P<pid> *\d+)\) P:(?P<priority> *\d+) "
    r"I:(?P<interval>\d+) C:(?P<cycles> *\d+) Min:(?P<min> *-?\d+) "
    r"Act:(?P<act> *-?\d+) Avg:(?P<avg> *-?\d+) Max:(?P<max> *-?\d+)"
    r"(?: Std:(?P<std> *[\d.]+) (?P<metric>[a-z_]+))?")
HEAD = "# %-9s %8s %8s %8s %8s" % ("", "min", "avg", "max", "std")
PHASE = re.compile(r"# (\w+) +(-?\d+) +(-?\d+) +(-?\d+) +([\d.]+)")
REMARK = re.compile(
    r"# (?:/dev/cpu_dma_latency set to \d+us|Missed: \d+|"
    r"Cause: .+|Stack of .+, as (?:an interrupt came|it left the CPU): .+|"
    r"Wake-up of the (?:client|server): .+|Time line of .+|"
    r" +at us +for us  CPU  .*|(?: +-?[\d.]+){2} .+| +[\d.]+ +in shorter .+|"
    r"Trace: .+|Break (?:thread|value): \d+|"
    r"Break: (?:step \d+, )?pair \d+, cycle \d+:( \w+ -?\d+)+|Breaks: \d+|"
    r" +breaks +longest +first s +last s  cause|"
    r" +\d+ +\d+ +\d+\.\d{3} +\d+\.\d{3}  \w+(?:: .+)?|"
    r"On break: run \d+, failed \d+, left out \d+|"
    r"Load: [a-z]+, \d+ [a-z]+, [\d.]+ [a-z]+ a second|"
    r"The warm-up takes [\d.]+ s: \d+ periods of \d+ us|"
    r"Step \d+/\d+: (?:load [a-z]+, \d+ [a-z]+|\d+ other clients?)|"
    r"The CPU quota of \S+ \(\d+ us in \d+ us\) stopped its tasks \d+ times, "
    r"for \d+ us in all|Inversions:(?: \d+)+|Not printed: \d+ cycles|"
    r"(?:Unanswered|Not woken): (?:step \d+, )?pair \d+, cycle \d+: when the "
    r"run ended, the client had waited \d+ us for (?:the reply|its timer); it "
    r"counts with(?: [a-z]+ \d+)+|"
    r"Others used [\d.]+ % of CPU \d+(: .+)?|Others used \d+ more CPUs, .*|"
    r"The host took [\d.]+ % of CPU \d+(?:, [\d.]+ % of CPU \d+){0,3}"
    r"(?:, and of \d+ more CPUs)?|"
    r"Clock tsc: [+-][\d.]+ ppm against the kernel's, [+-][\d.]+ us in "
    r"[\d.]+ s|"
    r"Clock [a-z0-9_]+ (?:was set [1-9]\d* times?, by up to [\d.]+ us|"
    r"has jumped, but nobody has set it here); \d+ cycles? (?:is|are) left "
    r"out|Suspended: the system slept for [\d.]+ s of this run; what was late "
    r"then, was late because of it|"
    r"Named, but left out, as offline or not in the cpuset: CPU [\d,-]+|"
    r"Isolated, but not used: CPU [\d,-]+; to measure there(?:: (?:-a|taskset -c"
    r") [\d,-]+|, start this program in the cpuset that has it)|"
    r"Changed while it ran: pair \d+: (?:client|server), policy \w+, priority "
    r"\d+, CPUs [\d,-]+ to policy \w+, priority \d+, CPUs [\d,-]+|"
    r"Reflected by [\w.:%]+(?: port \d+: udp|: icmp)|"
    r"Lost: \d+ of \d+ cycles; late \d+, duplicate \d+, reordered \d+"
    r"(; requests \d+, replies \d+)?|"
    r"Stamps: \d+ of \d+ cycles, \d+ left out, \d+ unfinished|"
    r"Stamps missing: \w+ \d+|in ns +min +avg +max|\w+(?: +-?\d+){3}|"
    r"Not (?:dumped|in the timeline): \d+ cycles|Percentiles T:\d+ .*|"
    r"Worst [a-z, ]+:| +(?:pair \d+, )?(?:step \d+, )?cycle \d+, [\d.]+ s "
    r"after start, [\d:.]+, missed \d+| +(?:[a-z]+ -?\d+ \((?:mean )?-?\d+\)"
    r"(?:, ?|$))+| +excess of [a-z]+: .*|Limit [a-z0-9:._/]+: (?:met|undecided|exceeded): .*|"
    r"(?:Failed: standard error says why|Ended by a signal): this is what was "
    r"measured until then|"
    r"Throttled: [1-9]\d*(?:, late by up to \d+ us: of the \d+ us before, "
    r"real-time tasks had used \d+ us of CPU \d+, .+-\d+ most"
    r"(?:; sched_rt_runtime_us allows \d+ us "
    r"\(--rt-runtime=-1 lifts that\))?"
    r"(?:; the fair server gives \d+ us to others \(0 in /sys/kernel/debug/"
    r"sched/fair_server/cpu\d+/runtime ends that\))?)?|"
    r"Throttled: unknown of [1-9]\d* that were late: .+)")
LOGGED = {
    "interval": "POSIX Timer Interval Time", "send": "Send Time",
    "sleep": "nanosleep(100 Micro Sec)", "receive": "Receive Time",
    "response": "Response Time", "total": "Total Jitter",
}


def status(line, nsecs=False):
    """A T: line, right to the last byte."""
    match = STATUS.fullmatch(line)
    assert match, f"no status line: {line!r}"
    of = types.SimpleNamespace(**{
        name: value if name == "metric" or value is None else
        float(value) if name == "std" else int(value)
        for name, value in match.groupdict().items()})
    width = 8 if nsecs else 5
    again = "T:%2d (%5d) P:%2d I:%d C:%7d Min:%7d Act:%*d Avg:%*d Max:%8d" % (
        of.column, of.pid, of.priority, of.interval, of.cycles, of.min, width,
        of.act, width, of.avg, of.max)
    if of.metric:
        again += " Std:%8.1f %s" % (of.std, of.metric)
    assert line == again
    assert of.min <= of.avg <= of.max and of.min <= of.act <= of.max, line
    return of


def statuses(lines, nsecs=False):
    found = [status(line, nsecs) for line in lines if line[:1] == "T"]
    assert [of.column for of in found] == list(range(len(found)))
    return found


def phases(lines):
    """The table: {name: (min, avg, max, std)}."""
    lines = lines[lines.index(HEAD) + 1:]
    found = {}
    for match in map(PHASE.fullmatch, lines):
        if not match or match[1] not in PHASES:
            break
        line = "# %-9s %8d %8d %8d %8.1f" % (
            match[1], *map(int, match.groups()[1:4]), float(match[5]))
        assert line == match[0]
        found[match[1]] = (int(match[2]), int(match[3]), int(match[4]),
                           float(match[5]))
    return found


def maxima(lines):
    """The table of several pairs: {name: maximum} for each."""
    begin = [line[:11] for line in lines].index("# Max of   ")
    names = lines[begin][11:].split()
    assert names == [name for name in phases(lines)
                     if name not in ("interval", "total")]
    assert lines[begin] == "# Max of   " + "".join(" %8s" % name
                                                   for name in names)
    found = []
    for line in lines[begin + 1:]:
        if not line.startswith("# T:"):
            break
        values = list(map(int, line[11:].split()))
        assert line == ("# T:%2d" % len(found)).ljust(11) + "".join(
            " %8d" % value for value in values)
        found.append(dict(zip(names, values, strict=True)))
    return found


def text(out, nsecs=False):
    """All that a run without -h prints: nothing in it is unknown."""
    lines = out.splitlines()
    rest = [line for line in lines if not line.startswith(("T:", "# T:"))
            and line not in (HEAD, NOT_REALTIME) and not PHASE.fullmatch(line)
            and not line.startswith("# Max of ") and not REMARK.fullmatch(line)]
    assert not rest, rest
    table = [line for line in lines if line.startswith("# T:")]
    assert bool(table) == any(line.startswith("# Max of") for line in lines)
    return types.SimpleNamespace(
        threads=statuses(lines, nsecs), maxima=maxima(lines) if table else [],
        phases=phases(lines) if HEAD in lines else None, lines=lines,
        missed=sum(int(line.split()[-1]) for line in lines
                   if line.startswith("# Missed: ")))


def measured(thread):
    """Its metric, and how many cycles have that; a cycle may lack stamps."""
    metric = thread["metric"] if thread["metric"] in METRICS else "response"
    return metric, thread["phases"][metric]["cycles"]


def check(path_or_text):
    """The JSON, as the schema has it, and consistent in itself."""
    if isinstance(path_or_text, pathlib.Path):
        path_or_text = path_or_text.read_text(encoding="utf-8")
    json = schema.check(path_or_text, SCHEMA)
    for thread in json["thread"].values():
        assert thread["missed"] == \
            json["twoway"]["pairs"][thread["pair"]]["missed"]
        assert (thread["cpu"] < 0) <= (thread["node"] < 0)
        of = thread["phases"].get(thread["metric"], {})
        assert {key: thread[key] for key in of} == of
        assert of or json["twoway"]["settings"]["stamps"] != "off"
        for one in thread["phases"].values():
            assert one["min"] <= one["avg"] <= one["max"]
            found = [value for value in one["maxima"] if value is not None]
            assert bool(found) == bool(thread["blocks"])
            assert not found or one["min"] <= min(found)
            assert max(found, default=one["max"]) == one["max"]
        if "histogram" in thread:
            assert sum(thread["histogram"].values()) + thread["overflows"] \
                == thread["cycles"]
        if thread["blocks"]:
            assert len(thread["blocks"]) == 64
            assert thread["min"] <= min(thread["blocks"])
            assert max(thread["blocks"]) < thread["max"] + 1
    of, given = json["twoway"], json["twoway"]["settings"]
    assert " ".join(of["argv"]) == json["cmdline:"]
    assert (given["nsecs"], given["threads"]) == (
        json["resolution_in_ns"], given["steps"] if given["ramp"] == "pairs"
        else len(of["pairs"]))
    periods = given["interval"]
    periods = periods if isinstance(periods, list) else [periods]
    for thread in json["thread"].values():
        us = periods[min(thread["pair"], len(periods) - 1)]
        assert thread["interval_us"] == (
            us and us + thread["pair"] * given["distance"])
    assert {side["policy"] for pair in of["pairs"] for side in (
        pair["server"], pair["client"]) if side} == {given["policy"]}
    for thread in json["thread"].values():
        assert ("send" in thread["phases"]) != bool(given["reflect"])
    for pair in of["pairs"]:
        assert (pair["server"] is None) == bool(given["reflect"])
    for one in of["unanswered"]:
        assert_longest(json, one)
    assert ("steps" in of) == (given["steps"] > 1)
    for step in of.get("steps", []):
        for pair in step.get("pairs", [step]):
            for one in pair["phases"].values():
                assert {one[key] is None for key in (
                    "min", "max", "avg", "stddev")} == {not one["cycles"]}
    assert_all_rms(json, given)
    stops = of["throttling"]
    assert sum(stops["steps"]) == of["throttled"]
    assert len(stops["steps"]) == given["steps"]
    assert {bool(of["throttled"])} == {
        bool(stops["task"]), stops["pid"] > 0, stops["cpu"] >= 0,
        stops["late_us"] > 0, 0 < stops["task_us"] <= stops["used_us"]}
    status = json["return_code"]
    assert status == 1 or (status == 2) == bool(of["breaks"] or [
        one for one in of["limits"] if one["verdict"] != "met"])
    if given["loops"] and not (status or of["interrupted"] or
                               given["duration"]):
        for thread in json["thread"].values():
            # In a ramp of pairs, each begins one step later.
            late = thread["pair"] if given["ramp"] == "pairs" else 0
            assert measured(thread)[1] + lost(json, thread["pair"]) == \
                given["loops"] * (given["steps"] - late) or \
                of["clock_set"]["left_out"]
    for thread in json["thread"].values():
        found = of["pairs"][thread["pair"]]["datagrams"]
        metric, cycles = measured(thread)
        assert (found is None) == (given["transport"] not in ("udp", "icmp"))
        if found and status != 1:
            assert found["sent"] == found["answered"] + found["lost"] or \
                of["clock_set"]["left_out"]
            assert found["answered"] == cycles - sum(
                metric in one["counts"] for one in of["unanswered"]
                if one["pair"] == thread["pair"])
            assert found["late"] <= found["lost"] + \
                of["clock_set"]["left_out"]
    return json


def assert_longest(json, one):
    """A cycle that the end of the run has cut short, if it counts."""
    of = json["twoway"]
    phases = next(thread for thread in json["thread"].values()
                  if thread["pair"] == one["pair"])["phases"]
    metric = {"reply": "response", "timer": "wakeup"}[one["awaited"]]
    assert set(one["counts"]) <= {"latency", "wakeup", "response", "interval",
                                  "planned"}
    assert ("latency" in one["counts"]) == ("response" in one["counts"])
    if one["awaited"] == "timer":
        assert set(one["counts"]) <= {"wakeup", "interval", "planned"}
    if metric in one["counts"] and not of["settings"]["steps"] > 1:
        unit = 1000 if json["resolution_in_ns"] else 1
        assert one["age_us"] == phases[metric]["max"] // unit


def lost(json, pair):
    """How many cycles of a pair were lost."""
    return (json["twoway"]["pairs"][pair]["datagrams"] or {"lost": 0})["lost"]


def cycles(out, columns):
    """Of -v: a list of {metric: value} for each pair."""
    pairs = {}
    for line in out.splitlines():
        if line[:1] == "#" or not line.strip():
            continue
        column, cycle, value = map(int, line.split(":"))
        assert line == "%8d:%8d:%8d" % (column, cycle, value)
        pair, metric = column // len(columns), columns[column % len(columns)]
        found = pairs.setdefault(pair, [])
        if metric == columns[0]:
            assert cycle == len(found)
            found.append({})
        assert cycle == len(found) - 1
        found[-1][metric] = value
    return [pairs[pair] for pair in range(len(pairs))]


def assert_identities(values, period, sleep, slack=0):
    """Of each cycle, to the ns; @period 0: a closed loop. The missed expiries
    that lie before another cycle. @slack: of planned times, if they are
    converted to the clock."""
    missed = 0
    for now, before in zip(values, [None, *values]):
        assert now["response"] == now["send"] + now["sleep"] + now["receive"]
        assert now["latency"] == now["response"] - sleep
        assert now["network"] == now["response"] - now["sleep"]
        assert now["total"] == now["network"] + abs(now["sleep"] - sleep) + \
            (abs(now["interval"] - period) if period else 0)
        assert min(now["send"], now["receive"]) > 0 and now["sleep"] >= sleep
        if not before:
            continue
        waited = now["interval"] - before["response"]
        assert waited > 0
        if period:
            late = now["planned"] - now["response"]
            assert now["wakeup"] == min(late, waited)
            assert late >= -slack
            # The grid: planned times differ by whole periods, ever.
            step = now["interval"] - late + before["planned"] - \
                before["response"]
            steps = round(step / period)
            assert steps > 0 and abs(step - steps * period) <= slack
            missed += steps - 1
    return missed


def deviation(values, about=None):
    """From the mean, or from a time that was asked for."""
    about = about or sum(values) / len(values)
    return math.sqrt(sum((value - about) ** 2 for value in values) /
                     (len(values) - 1)) if len(values) > 1 else 0


def pooled(parts):
    """(min, max, avg, stddev) of all together, from those of each."""
    n = sum(one["cycles"] for one in parts)
    mean = sum(one["avg"] * one["cycles"] for one in parts) / n
    squares = sum(one["stddev"] ** 2 * (one["cycles"] - 1) +
                  one["cycles"] * (one["avg"] - mean) ** 2 for one in parts)
    return (min(one["min"] for one in parts), max(one["max"] for one in parts),
            mean, math.sqrt(squares / (n - 1)))


def blocks(values):
    """Their means, without the longest cycles, at most one of a sum."""
    sums = sums_of(values)
    longest = sorted(map(max, sums), reverse=True)
    left_out = len(values) // 1000
    if left_out < len(sums):
        sums = [sorted(one)[:-1] if max(one) > longest[left_out] else one
                for one in sums]
    else:
        sums = [sorted(one)[:-1] for one in sums]
    return [statistics.fmean(sum(part, [])) for part in parts(sums)]


def parts(found):
    """64 of them, each 64th of all; none of fewer."""
    edges = [i * len(found) // 64 for i in range(65)]
    return [found[a:b] for a, b in zip(edges, edges[1:])] \
        if len(found) >= 64 else []


def sums_of(values):
    """What the blocks are made of: a power of two of cycles each."""
    each = 1
    while len(values) > 2048 * each:
        each *= 2
    return [values[i:i + each] for i in range(0, len(values), each)]


def longest_of_blocks(values):
    """The longest of each."""
    return [max(map(max, part)) for part in parts(sums_of(values))]


def first_row(metric, width, period_us, sleep_us):
    return max(period_us - width // 2, 0) if metric == "interval" else \
        sleep_us if metric in ("sleep", "response", "planned") else 0


def histogram(values, base, width):
    rows = {}
    for value in values:
        if base <= value // 1000 < base + width:
            rows[value // 1000] = rows.get(value // 1000, 0) + 1
    return rows


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-7, abs_tol=0.0011)


def assert_rms(one, target):
    """Of what a timer ends: of scatter and mean error together."""
    assert (one["rms"] is not None) == bool(target)
    if not target or not one["cycles"]:
        return
    scatter = one["stddev"] * math.sqrt(1 - 1 / one["cycles"])
    # An average may have been cut to the largest value.
    off = 1 if one["avg"] == one["max"] else 0.002
    assert math.isclose(one["rms"], math.hypot(scatter, one["avg"] - target),
                        rel_tol=1e-6, abs_tol=off)


def assert_all_rms(json, given):
    unit = 1 + 999 * json["resolution_in_ns"]
    sleep = given["sleep"] * unit
    for thread in json["thread"].values():
        targets = {"sleep": sleep, "interval": thread["interval_us"] * unit}
        assert_rms(thread, targets.get(thread["metric"]))
        for metric, one in thread["phases"].items():
            assert_rms(one, targets.get(metric))
    targets = {"sleep": sleep} | (
        {} if len(json["twoway"]["pairs"]) > 1 else
        {"interval": json["thread"]["0"]["interval_us"] * unit}
        if json["thread"] else {})
    for step in json["twoway"].get("steps", []):
        for pair in step.get("pairs", [step]):
            for metric, one in pair["phases"].items():
                assert_rms(one, one["cycles"] and targets.get(metric))


def assert_statistics(thread, values, target):
    of = [one[thread["metric"]] for one in values]
    assert (thread["cycles"], thread["min"], thread["max"]) == \
        (len(of), min(of), max(of))
    assert close(thread["avg"], sum(of) / len(of))
    assert close(thread["stddev"], deviation(of)), thread["metric"]
    if target:
        assert close(thread["rms"], math.sqrt(statistics.fmean(
            (value - target) ** 2 for value in of))), thread["metric"]
    expected = blocks(of)
    assert len(expected) == len(thread["blocks"])
    assert all(map(close, expected, thread["blocks"]))
    for metric, phase in thread["phases"].items():
        assert metric not in values[0] or phase["maxima"] == \
            longest_of_blocks([one[metric] for one in values])


def log_section(lines, label):
    """Of --trltp-log: ({"Minimum": ...}, {bin: count})."""
    names = [line.removeprefix("POSIX ") for line in lines]
    at = names.index(f"{label} (Micro Sec)".removeprefix("POSIX "))
    assert not lines[at - 1]
    figures = dict(line.split(",") for line in lines[at + 1:at + 6])
    assert lines[at + 6] == "Lower Bound,Count"
    bins = {}
    for line in lines[at + 7:]:
        if not line:
            break
        bound, count = line.split(",")
        bins[bound] = int(count)
    return figures, bins


def assert_log(lines, values):
    """A step of a pair in --trltp-log, from its cycles."""
    for metric, label in LOGGED.items():
        of = [one[metric] for one in values]
        figures, bins = log_section(lines, label)
        expected = {}
        for value in of:
            bound = min(value // 10000, 20000) * 10
            name = "above" if bound == 200000 else str(bound)
            expected[name] = expected.get(name, 0) + 1
        assert bins == expected
        assert int(figures["Count"]) == len(of) == sum(bins.values())
        target = 100000 if metric == "sleep" else None
        for name, value in (("Minimum", min(of)), ("Maximum", max(of)),
                            ("Average", sum(of) / len(of)),
                            ("Standard Deviation", deviation(of, target))):
            assert abs(float(figures[name]) - value / 1000) <= 0.051, name


def histogram_text(lines, names, with_sum=False):
    """Of -h and -H, of columns of these names: (rows {us: counts}, {name: words}, overflow cycles)."""
    lines, columns = list(lines), len(names)
    assert lines.pop(0) == "# Histogram" and lines.pop() == ""
    rows = {}
    while not lines[0].startswith("#"):
        match = re.fullmatch(r"(\d{6,}) (\d{6,}(?:\t\d{6,})*)", lines.pop(0))
        counts = list(map(int, match[2].split("\t")))
        assert len(counts) == columns + with_sum and any(counts)
        assert not rows or int(match[1]) > max(rows)
        assert not with_sum or counts.pop() == sum(counts)
        rows[int(match[1])] = counts
    assert lines.pop(0) == f"# Metrics: {' '.join(names)}"
    found = {}
    for name in ("Min Latencies", "Avg Latencies", "Max Latencies",
                 "Histogram Overflows"):
        line = lines.pop(0)
        assert re.fullmatch(rf"# {name}:( \d{{5,}})+", line), line
        found[name] = list(map(int, line.split(":")[1].split()))
    assert lines.pop(0) == "# Histogram Overflow at cycle number:"
    for number in range(columns):
        match = re.fullmatch(
            rf"# Thread {number}: ([\d ]*\d)?(?: # (\d+) others)?",
            lines.pop(0))
        kept = list(map(int, (match[1] or "").split()))
        assert len(kept) + int(match[2] or 0) == \
            found["Histogram Overflows"][number]
        found.setdefault("at", []).append(kept)
    assert not lines
    return rows, found


def loaded(result, name="json"):
    return check(result.path(name))


def alive(pids):
    return [pid for pid in pids if outside.alive(pid)]


def all_lost(done):
    """How many cycles, of a run that got no reply and says nothing else."""
    message = re.fullmatch(
        r"WARN: pair 0: all (\d+) cycles were lost, and no reply came late: "
        r"the other side is not there, does not answer, or something drops "
        r"the datagrams\n"
        r"WARN: pair 0: no cycle was measured\n", done.stderr)
    assert message, done.stderr
    return int(message[1])
