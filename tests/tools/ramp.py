# SPDX-License-Identifier: GPL-2.0-or-later
"""Parsers of what a ramp prints and of --trltp-log, as strict as formats."""

import re
import typing

import formats

HEADER = re.compile(r"# Step (\d+)/(\d+): load (\w+), (\d+) (\w+)")
KINDS = {
    "fft": ("worker", "workers", "transforms"),
    "hackbench": ("group", "groups", "messages"),
    "command": ("copy", "copies", "completed runs"),
}
COLUMNS = ("min", "avg", "max", "std", "missed", "throttled", "work")
# Without a single cycle there are no figures.
ROW = re.compile(r"# +\d+(?:(?: +-?\d+){3} +\d+\.\d|(?: +-){4})"
                 r" +\d+ +\d+ +\d+\.\d")
LABELS = ("POSIX Timer Interval Time", "Send Time", "nanosleep Time",
          "Receive Time", "Response Time", "Total Jitter")
LOGGED = ("interval", "send", "sleep", "receive", "response", "total")


class Ramp(typing.NamedTuple):
    """What is printed of a ramp."""
    before: list    # lines that come before the first step
    steps: list     # of each step, the lines below its "# Step" line
    rows: list      # of the table, each a dict; "workers" and COLUMNS
    after: list     # remarks and results beside the table


def parse_step_line(line, kind, number, steps):
    """The line that step @number, from 1, begins with."""
    match = HEADER.fullmatch(line)
    assert match, f"no step line: {line!r}"
    one, many, _ = KINDS[kind]
    workers = number - 1
    assert match.groups() == (str(number), str(steps), kind, str(workers),
                              one if workers == 1 else many), line


def parse_table(lines, kind, unit):
    """Takes the table off the beginning of @lines."""
    _, many, work = KINDS[kind]
    assert lines.pop(0) == \
        f"# Total against load {kind}, in {unit}; work: {work} a second"
    assert lines.pop(0) == ("# %9s %8s %8s %8s %8s %8s %9s %8s" %
                            (many, *COLUMNS))
    rows = []
    while lines and ROW.fullmatch(lines[0]):
        line = lines.pop(0)
        words = [None if word == "-" else float(word) if "." in word
                 else int(word) for word in line[1:].split()]
        form = "%8d %8d %8d %8.1f"
        if words[1] is None:
            form = "       -        -        -        -"
        there = [word for word in words if word is not None]
        assert line == f"# %9d {form} %8d %9d %8.1f" % tuple(there)
        rows.append(dict(zip(("workers", *COLUMNS), words)))
    return rows


def parse(text, kind, steps, unit="us"):
    """All that a ramp of @steps prints; it may have been ended before."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if HEADER.match(line))
    before, lines = lines[:first], lines[first:]
    found = []
    while not lines[0].startswith("# Total against load"):
        if HEADER.match(lines[0]):
            found.append([])
            parse_step_line(lines.pop(0), kind, len(found), steps)
        else:
            found[-1].append(lines.pop(0))
    # Remarks come before the table, other results behind it.
    remarks = []
    while found[-1] and formats.REMARK.fullmatch(found[-1][-1]):
        remarks.insert(0, found[-1].pop())
    rows = parse_table(lines, kind, unit)
    assert [row["workers"] for row in rows] == list(range(len(found)))
    for line in lines:
        assert formats.REMARK.fullmatch(line), line
    return Ramp(before, found, rows, remarks + lines)


class Logged(typing.NamedTuple):
    """A metric in --trltp-log."""
    minimum: str
    average: str
    maximum: str
    deviation: str
    count: int
    bins: dict      # lower bound -> count; also "below" and "above"


def take(lines, name):
    """What stands behind the comma of the next line."""
    found, value = lines.pop(0).split(",")
    assert found == name, f"{name} expected: {found!r}"
    return value


def take_bins(lines):
    bins = {}
    while lines and lines[0]:
        bound, count = lines.pop(0).split(",")
        assert bound not in bins and int(count) > 0, bound
        bins[bound] = int(count)
    return bins


def take_metric(lines, label):
    assert lines.pop(0) == ""
    assert lines.pop(0) == f"{label} (Micro Sec)"
    values = [take(lines, name) for name in (
        "Minimum", "Average", "Maximum", "Standard Deviation")]
    for value in values:
        assert re.fullmatch(r"-?\d+\.\d", value), value
    count = int(take(lines, "Count"))
    assert lines.pop(0) == "Lower Bound,Count"
    return Logged(*values, count, take_bins(lines))


def parse_log(text):
    """Of each step, {metric: Logged}; their workers count from 0."""
    assert text.endswith("\n")
    lines = text.splitlines()
    steps = []
    while lines:
        if steps:
            assert lines.pop(0) == ""
        assert take(lines, "Workers") == str(len(steps))
        steps.append({metric: take_metric(lines, label)
                      for metric, label in zip(LOGGED, LABELS)})
    return steps
