# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines of twowaytest: rows of statistics, each of a short time."""

import dataclasses
import io
import re

import numpy

from twoway.read import end, remarks
from twoway.read.input import open_input
from twoway.series.model import (METRICS, SPANS, InputError, Pair, Part,
                               Series)
from twoway.series.pairs import all_of
from twoway.series.stats import BLOCKS

HEAD = "step,seconds,unix_s,"
VALUES = ("count", "min_ns", "avg_ns", "max_ns", "p99_ns")
COUNTS = ("missed", "throttled", "lost")
NAME = re.compile(rf"(?:({'|'.join(COUNTS)})|"
                  rf"({'|'.join((*METRICS, *SPANS))})_({'|'.join(VALUES)}))"
                  r"(?:\.(0|[1-9]\d*))?")
NUMBER = re.compile(r"(?:-?\d+(?:\.\d+)?)?")
MARKED = re.compile(r"^# *(virtual|lab)\b", re.M)
LAST_S = 253402300799    # of the year 9999
LARGEST = 10**18
STRANGE = re.compile(r"[^-0-9.,\n]")


@dataclasses.dataclass
class Timeline:
    """Arrays of a value a row; NaN if there is none.

    Of several pairs, the largest; missed is the sum.
    """
    begins_s: numpy.ndarray         # steps follow each other
    ends_s: numpy.ndarray
    unix_s: numpy.ndarray           # at the ends
    missed: numpy.ndarray
    largest: dict                   # metric -> array, in ns
    p99: dict

    def grown(self, metric):
        """The rows with a maximum above all before; the first is none."""
        values = self.largest[metric]
        so_far = numpy.fmax.accumulate(values)
        return 1 + numpy.flatnonzero(so_far[1:] > so_far[:-1])


def find_bad(path, first, lines, width):
    """Raise for the first line that is no row."""
    for number, line in enumerate(lines, first):
        fields = line.split(",")
        if len(fields) != width:
            raise InputError(path, number, f"{len(fields)} fields; the line "
                             f"of names has {width}")
        for field in fields:
            if not NUMBER.fullmatch(field):
                raise InputError(path, number, f"'{field[:60]}': a number or "
                                 "nothing is expected")


def names_of(path, number, line):
    """The columns: (pair, name or (metric, value)) each."""
    found = []
    for name in line[len(HEAD):].split(","):
        match = NAME.fullmatch(name)
        if not match:
            raise InputError(path, number, f"'{name[:60]}': no column of a "
                             "timeline")
        found.append((int(match[4] or 0),
                      match[1] or (match[2], match[3])))
    metrics = {name[0] for _, name in found if isinstance(name, tuple)}
    whole = [*COUNTS, *((metric, value) for metric in metrics
                        for value in VALUES)]
    pairs = max(pair for pair, _ in found) + 1
    # The number is compared first: a large pair would make a huge list.
    if not metrics or pairs * len(whole) != len(found) or \
            sorted(map(str, found)) != sorted(
                str((pair, name)) for pair in range(pairs) for name in whole):
        raise InputError(path, number, "columns are missing or repeated")
    return found


def read_rows(path):
    """Names of the columns, rows, the line number of the first row, whether
    the text says that it is of a virtual machine, and the lines below."""
    with open_input(path, "r", encoding="ascii", errors="replace",
                    newline="\n") as file:
        text = file.read()
    if not text.endswith("\n"):
        raise InputError(path, text.count("\n") + 1, end.CUT)
    at = re.search(rf"^{HEAD}.*\n", text, re.M)
    first = text.count("\n", 0, at.end()) + 1
    names = names_of(path, first - 1, at[0].rstrip("\n"))
    width = len(names) + HEAD.count(",")
    body = text[at.end():]
    at_end = re.search("^#", body, re.M)
    below = body[at_end.start():].split("\n")[:-1] if at_end else []
    body = body[:at_end.start()] if at_end else body
    end.check(path, first + body.count("\n"), below)
    if not body:
        raise InputError(path, first - 1, "there is no row")
    filled = body.replace(",,", ",nan,").replace(",,", ",nan,") \
        .replace(",\n", ",nan\n")
    try:
        rows = None if STRANGE.search(body) else \
            numpy.loadtxt(io.StringIO(filled), delimiter=",", ndmin=2)
    except ValueError:
        rows = None
    if rows is None or rows.shape != (body.count("\n"), width):
        find_bad(path, first, body.split("\n")[:-1], width)
        raise InputError(path, None, "these are no rows of a timeline")
    refuse(path, first, (abs(rows) >= LARGEST).any(axis=1),
           f"numbers below {LARGEST:.0e} are expected")
    return names, rows, first, bool(MARKED.search(text[:at.end()])), below


def refuse(path, first, bad, why):
    """bad: of each row."""
    if bad.any():
        raise InputError(path, first + int(bad.argmax()), why)


def times_of(path, rows, first):
    """Begin and end of each row, steps one after the other."""
    steps, ends = rows[:, 0], rows[:, 1].copy()
    refuse(path, first, numpy.isnan(rows[:, :3]).any(axis=1),
           "step, seconds and unix_s are needed")
    refuse(path, first, (rows[:, 2] < 0) | (rows[:, 2] > LAST_S),
           "unix_s is no time of the years 1970 to 9999")
    new = numpy.append(True, steps[1:] != steps[:-1])
    back = numpy.append(False, (steps[1:] < steps[:-1]) |
                        (ends[1:] < ends[:-1]) & ~new[1:])
    refuse(path, first, back, "the time goes back")
    starts = numpy.flatnonzero(new)[1:]
    for start in starts:
        ends[start:] += ends[start - 1]
    return numpy.append(0, ends[:-1]), ends


def series_of(path, first, metric, column):
    """None if nothing is known of it. Its extremes are exact, the first time
    that they come."""
    count, low, average, high, p99 = (
        column[metric, value] for value in VALUES)
    refuse(path, first, (low > high) | (p99 > high) | (p99 < low) |
           (count < 0), f"{metric}: minimum, p99 and maximum, or the count, "
           "contradict each other")
    known = (count > 0) & ~numpy.isnan(average)
    if numpy.isnan(high).all() or not known.any():
        return None
    number = count[known].sum()
    blocks = numpy.unique(numpy.arange(BLOCKS) * len(high) // BLOCKS)
    return Series(metric, int(number), numpy.nanmin(low),
                  float((count[known] * average[known]).sum() / number),
                  numpy.nanmax(high),
                  maxima=numpy.fmax.reduceat(high, blocks))


def largest_of(columns, metric, value):
    """Of all pairs, in each row."""
    return numpy.fmax.reduce([column[metric, value] for column in columns])


def sum_of(columns, name):
    return numpy.nansum([column[name] for column in columns], axis=0)


def read(path, name):
    names, rows, first, virtual, below = read_rows(path)
    begins, ends = times_of(path, rows, first)
    pairs = max(pair for pair, _ in names) + 1
    columns = [{} for _ in range(pairs)]
    for (pair, what), values in zip(names, rows.T[HEAD.count(","):]):
        columns[pair][what] = values
    metrics = [metric for metric in METRICS if (metric, "count") in columns[0]]
    if not metrics:
        raise InputError(path, first - 1, "no column of a metric but of the "
                         "times of --stamps, which are not shown")
    tables = [{metric: found for metric in metrics
               if (found := series_of(path, first, metric, column))}
              for column in columns]
    counts = [[column[metric, "count"] for metric in metrics]
              for column in columns]
    part = Part(
        path, "timeline", name, series=all_of(tables),
        virtual=virtual, program="twowaytest",
        count=int(sum(numpy.nansum(count, axis=1).max()
                      for count in counts)),
        missed=int(sum_of(columns, "missed").sum()),
        throttled=int(sum_of(columns, "throttled").sum()),
        timeline=Timeline(
            begins, ends, rows[:, 2], sum_of(columns, "missed"),
            *({metric: largest_of(columns, metric, value)
               for metric in metrics if any(metric in table
                                            for table in tables)}
              for value in ("max_ns", "p99_ns"))))
    if not part.count:
        raise InputError(path, None, "no cycle was measured")
    if pairs > 1:
        part.pairs = [
            Pair(number, table, missed=int(numpy.nansum(column["missed"])))
            for number, (table, column) in enumerate(zip(tables, columns))]
    end.read(part, below, len(rows))
    part.lost_cycles = int(sum_of(columns, "lost").sum())
    part.remarks += remarks.counted(missed=part.missed,
                                    throttled=part.throttled,
                                    lost=part.lost_cycles)
    return [part]
