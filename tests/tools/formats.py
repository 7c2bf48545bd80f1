# SPDX-License-Identifier: GPL-2.0-or-later
"""Parsers of the text output, strict: what is read is what was meant."""

import re
import typing

STATUS = re.compile(
    r"T:(?P<column>[ \d]+) \((?P<pid>[ \d]+)\) P:(?P<priority>[ \d]+) "
    r"I:(?P<interval>\d+) C:(?P<cycles>[ \d]+) Min:(?P<min>[ \d-]+) "
    r"Act:(?P<act>[ \d-]+) Avg:(?P<avg>[ \d-]+) Max:(?P<max>[ \d-]+) "
    r"Std:(?P<std>[ \d.]+) (?P<metric>[a-z]+)")
RULE = "#---------------------------"
POLICY = re.compile(r"policy: [a-z]+: "
                    r"loadavg: (\d+\.\d\d ){3}\d+/\d+ \d+ {10}")
OVERFLOWS_SHOWN = 100


class Status(typing.NamedTuple):
    """A status line."""
    column: int
    pid: int
    priority: int
    interval: int
    cycles: int
    min: int
    act: int
    avg: int
    max: int
    std: float
    metric: str


def format_status(status, nsecs):
    """The line as the contract has it, to the last space."""
    width = 8 if nsecs else 5
    line = ("T:%2d (%5d) P:%2d I:%d C:%7d Min:%7d Act:%*d Avg:%*d "
            "Max:%8d Std:%8.1f %s")
    return line % (*status[:6], width, status.act, width, status.avg,
                   *status[8:])


def parse_status(line, nsecs=False):
    match = STATUS.fullmatch(line)
    assert match, f"no status line: {line!r}"
    fields = match.groupdict()
    status = Status(**{
        name: fields[name] if name == "metric" else
        float(fields[name]) if name == "std" else int(fields[name])
        for name in Status._fields})
    assert line == format_status(status, nsecs)
    return status


def parse_statuses(lines, nsecs=False):
    """Consecutive status lines, their columns counted from 0."""
    statuses = [parse_status(line, nsecs) for line in lines]
    assert [s.column for s in statuses] == list(range(len(statuses)))
    assert len({(s.pid, s.priority, s.interval) for s in statuses}) <= 1
    return statuses


# Of a task or several: who, and how much; the first says that it used that.
PART = r"(?:[^,]+-\d+|tasks that ended, moved or are hidden|further tasks)"
OTHERS = (rf"Others: {PART} used [\d.]+ %(?:, {PART} [\d.]+ %)* of CPU \d+|"
          r"Others: on \d+ more CPUs, see --json|"
          r"Interrupts: threads such as \S+ used [\d.]+ % of CPU \d+, "
          r"partly for this run itself")
REMARK = re.compile(rf"# (?:{OTHERS}|"
                    r"/dev/cpu_dma_latency set to \d+us|Missed: \d+|"
                    r"Not dumped: \d+ cycles, as the parent process could not keep up|"
                    r"Stopped by a signal, and continued: client \d+, "
                    r"server \d+ times; that time is in the results|"
                    r"Throttling may have stopped real-time tasks .*|"
                    r"\((?:sched_rt_runtime_us|the fair server).*|"
                    r"Unexpected connections refused: \d+|"
                    r"Lost: \d+ of \d+ cycles: \d+ requests, \d+ replies|"
                    r"Datagrams: late \d+, duplicate \d+, reordered \d+, "
                    r"from strangers \d+|"
                    r"Load: [a-z]+, \d+ [a-z]+, [\d.]+ [a-z ]+ a second, "
                    r"[\d.]+ a [a-z]+|"
                    r"Clock [a-z_]+: [+-][\d.]+ ppm against the kernel's, "
                    r"[+-][\d.]+ us in [\d.]+ s|"
                    r"(?:Clock [a-z_]+, read|Shortest sleep|"
                    r"Cycle without its system calls): "
                    r"min \d+ avg \d+ max \d+ ns(?:, resolution \d+ ns)?|"
                    r"Spikes: cycles whose [a-z]+ exceeds \d+|"
                    r"Percentiles [a-z]+:( [\d.]+:(-|-?\d+(\.\d)?))+)")


def body(text):
    """The lines of @text that are no remarks; of those, each is known.

    A noisy machine may add one to any output.
    """
    lines = text.splitlines()
    for line in lines:
        assert not line.startswith("#") or REMARK.fullmatch(line), line
    return [line for line in lines if not line.startswith("#")]


def parse_picture(text, nsecs=False):
    """What the live display comes to where there is no terminal."""
    assert "\x1b" not in text
    policy, empty, *lines = body(text)
    assert POLICY.fullmatch(policy), f"no policy line: {policy!r}"
    assert not empty
    return parse_statuses(lines, nsecs)


class Histogram(typing.NamedTuple):
    """All that -h and -H print."""
    rows: dict              # us -> counts, one a column
    sums: dict              # us -> the last column of -H; empty with -h
    values: dict            # "Min Latencies" and so on -> list of str
    overflow_cycles: list   # a column: cycle numbers, how many others
    remarks: list           # lines behind those


ROW = re.compile(r"(\d{6,}) (\d{6,}(?:\t\d{6,})*)")
VALUE = re.compile(r"-?\d{5,}|-\d{4}")
LISTS = ("Total", "Min Latencies", "Avg Latencies", "Max Latencies",
         "Histogram Overflows")
OWN = ("Std Deviations", "Metrics", "Missed", "Throttled")


def take(lines, name):
    """The words of the line "# NAME: WORD ...", which must come next."""
    line = lines.pop(0)
    prefix = f"# {name}:"
    assert line.startswith(prefix), f"{name} expected: {line!r}"
    words = line[len(prefix):].split(" ")
    assert words.pop(0) == ""
    return words


def take_rows(lines, with_sum):
    rows, sums = {}, {}
    while not lines[0].startswith("#"):
        match = ROW.fullmatch(lines.pop(0))
        assert match, "no row of a histogram"
        counts = list(map(int, match[2].split("\t")))
        index = int(match[1])
        assert not rows or index > max(rows), "rows out of order"
        if with_sum:
            sums[index] = counts.pop()
        rows[index] = counts
    return rows, sums


def take_overflow_cycles(lines):
    columns = []
    assert lines.pop(0) == "# Histogram Overflow at cycle number:"
    while lines[0].startswith("# Thread "):
        line = lines.pop(0)
        match = re.fullmatch(r"# Thread (\d+): ((?:\d{5,} )*)"
                             r"(?:# (\d{5,}) others)?", line)
        assert match and int(match[1]) == len(columns), line
        columns.append((list(map(int, match[2].split())),
                        int(match[3] or 0)))
    return columns


def parse_histogram(text, with_sum=False):
    lines = text.split("\n")
    assert lines[-2:] == ["", ""], "no empty line at the end"
    del lines[-2:]
    assert lines.pop(0) == "# Histogram"
    rows, sums = take_rows(lines, with_sum)
    values = {name: take(lines, name) for name in LISTS}
    for words in values.values():
        assert all(VALUE.fullmatch(word) for word in words), words
    overflow_cycles = take_overflow_cycles(lines)
    values.update({name: take(lines, name) for name in OWN})
    assert all(line.startswith("# ") for line in lines)
    # A noisy machine may add one.
    remarks = [line for line in lines if not re.fullmatch(f"# {OTHERS}", line)]
    return Histogram(rows, sums, values, overflow_cycles, remarks)


def parse_percentiles(lines):
    """{metric: {percent: text}} of the lines "# Percentiles METRIC: ..."."""
    found = {}
    for line in lines:
        match = re.fullmatch(r"# Percentiles ([a-z]+):((?: [\d.]+:\S+)+)",
                             line)
        if match:
            found[match[1]] = dict(word.split(":")
                                   for word in match[2].split())
    return found


def parse_verbose(lines):
    """(column, cycle, value) of each line of -v."""
    found = []
    for line in lines:
        values = tuple(map(int, line.split(":")))
        assert line == "%8d:%8d:%8d" % values, f"no value: {line!r}"
        found.append(values)
    return found
