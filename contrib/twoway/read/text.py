# SPDX-License-Identifier: GPL-2.0-or-later
"""What cyclictest prints: a histogram, or else a status line of each thread."""

import re

from twoway.read import remarks
from twoway.read.input import open_input
from twoway.series.model import InputError, Part, Series
from twoway.series.pairs import together
from twoway.series.stats import Distribution, combined
from twtools.units import NS, US

LARGEST = 10**14
ROW = re.compile(r"(\d{6,12})\s+(\d{6,15}(?:\s+\d{6,15})*)\s*", re.ASCII)
LINE = re.compile(r"T: ?(\d+) \( *\d+\) P: ?\d+ I:\d+ C: *(\d+) Min: *(-?\d+) "
                  r"Act:( *-?\d+) Avg: *(-?\d+) Max: *(-?\d+)$", re.ASCII)
# Of twowaytest and primitivetest alone.
OWN = re.compile(r"# Metrics:|# +min +avg +max +std$|T:.* Std:|"
                 r"# How long each of these took")
WIDE = 8                # digits of Act if it is in ns
DIGITS = re.compile(r" *[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)? *")
LISTS = {"Min Latencies": "min", "Avg Latencies": "avg",
         "Max Latencies": "max", "Histogram Overflows": "over",
         "Total": "total"}
MARK = re.compile(r"# *(virtual|lab)\b")


def lines_of(path):
    """(number, line) of a text; what is cut off within a line is refused."""
    with open_input(path, "r", encoding="utf-8", errors="surrogateescape",
                    newline="\n") as file:
        text = file.read()
    lines = text.split("\n")
    if lines[-1]:
        raise InputError(path, len(lines), "the file is cut off: no line end")
    return list(enumerate(lines[:-1], 1))


def numbers(path, number, words, kind=int):
    try:
        values = [kind(word) if DIGITS.fullmatch(word) else LARGEST
                  for word in words]
    except ValueError:
        values = [LARGEST]
    if not all(-LARGEST < value < LARGEST for value in values):
        raise InputError(path, number, f"'{' '.join(words)[:60]}': numbers "
                                       f"below {LARGEST:.0e} are expected")
    return values


class HistogramText:
    """The rows and lists of one histogram."""

    def __init__(self, path, lines):
        self.path = path
        self.rows = []          # us, counts
        self.lists = {}
        seen = False
        for number, line in lines:
            seen |= line == "# Histogram"
            if seen and line:
                self.take(number, line)
        self.end = number

    def take(self, number, line):
        if match := ROW.fullmatch(line):
            us = int(match[1])
            if self.rows and us <= self.rows[-1][0]:
                raise InputError(self.path, number,
                                 f"row {us} after row {self.rows[-1][0]}")
            counts = [int(word) for word in match[2].split()]
            if self.rows and len(counts) != len(self.rows[0][1]):
                raise InputError(self.path, number, "the number of columns "
                                                    "changes here")
            self.rows.append((us, counts))
        elif not line.startswith("#"):
            raise InputError(self.path, number,
                             f"'{line[:60]}' is no row of a histogram")
        key, _, rest = line.lstrip("# ").partition(":")
        if key in LISTS:
            self.lists[LISTS[key]] = numbers(self.path, number, rest.split())

    def columns(self):
        """How many, checked: without its end a histogram is cut off."""
        for key in ("min", "avg", "max", "over"):
            if key not in self.lists:
                name = next(k for k, v in LISTS.items() if v == key)
                raise InputError(self.path, self.end, f"the histogram is cut "
                                 f"off: there is no '# {name}:'")
        count = len(self.lists["min"])
        if self.rows and len(self.rows[0][1]) not in (count, count + 1):
            raise InputError(self.path, None, f"rows have "
                             f"{len(self.rows[0][1])} columns, '# Min "
                             f"Latencies:' {count}")
        for key, values in self.lists.items():
            if len(values) < count:
                raise InputError(self.path, None,
                                 f"'{key}' has fewer than {count} columns")
        return count

    def series(self, column):
        used = [(US.read(us), counts[column]) for us, counts in self.rows
                if counts[column]]
        over = self.lists["over"][column]
        inside = sum(count for _, count in used)
        if "total" in self.lists and self.lists["total"][column] != inside:
            raise InputError(self.path, None, f"column {column}: the rows "
                             f"add up to {inside}, '# Total:' says "
                             f"{self.lists['total'][column]}")
        low, avg, high = (US.read(self.lists[key][column])
                          for key in ("min", "avg", "max"))
        if used and not (low <= used[0][0] and used[-1][0] <= high and (
                over or used[0][0] <= avg <= used[-1][0])):
            raise InputError(self.path, None, "the rows do not lie between "
                             "'# Min Latencies:' and '# Max Latencies:'")
        dist = Distribution(*zip(*used), US, above=over) if used else None
        found = Series("wakeup", inside + over, low, avg, high, dist=dist,
                       unit=US, avg_unit=US)
        if dist and dist.complete:
            found.std_ns = dist.deviation()
            found.avg_ns, found.avg_unit = dist.mean(), NS
        return found


def histogram(path, lines):
    """A Series of each thread."""
    text = HistogramText(path, lines)
    return [text.series(column) for column in range(text.columns())]


def status(path, lines):
    """The last line of each thread, as a display repeats it."""
    threads, unit = {}, NS
    for number, line in lines:
        if match := LINE.match(line):
            thread, count, low, act, avg, high = match.groups()
            unit = US if len(act) < WIDE else unit
            thread, *values = numbers(path, number,
                                      [thread, count, low, avg, high])
            threads[thread] = values
    return [Series("wakeup", count, *map(unit.read, values), unit=unit,
                   avg_unit=unit) for count, *values in threads.values()]


def read(path, name):
    lines = lines_of(path)
    for number, line in lines:
        if OWN.match(line):
            raise InputError(
                path, number, "a text of twowaytest or primitivetest, which "
                "is not read: measure with --json=FILE and give that file")
    rows = any(line == "# Histogram" for _, line in lines)
    series = (histogram if rows else status)(path, lines)
    part = Part(str(path), "text", name, program="cyclictest",
                virtual=any(MARK.match(line) for _, line in lines))
    part.count = sum(one.count for one in series)
    if not part.count:
        raise InputError(path, None, "no cycles")
    part.series["wakeup"] = (combined if rows else together)(series)
    if rows:
        part.remarks.append("the text of cyclictest does not tell its unit: "
                            "us is assumed; with -N it is ns, so use its "
                            "JSON")
        if len(series) > 1:
            part.remarks.append(f"{len(series)} threads together")
    remarks.read_end([line for _, line in lines], part)
    return [part]
