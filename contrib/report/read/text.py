# SPDX-License-Identifier: GPL-2.0-or-later
"""Histogram text of cyclictest and twowaytest, and published tables."""

import csv
import re

from report.read import pairs, remarks
from report.read.input import open_input
from report.read.model import METRICS, InputError, Part, Series, Step
from report.read.stats import Distribution, combined
from twtools.units import NS, US
from twtools.words import harmless

LARGEST = 10**14
ROW = re.compile(r"(\d{6,12})\s+(\d{6,15}(?:\s+\d{6,15})*)\s*", re.ASCII)
DIGITS = re.compile(r" *[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)? *")
LISTS = {"Min Latencies": "min", "Avg Latencies": "avg",
         "Max Latencies": "max", "Histogram Overflows": "over",
         "Total": "total"}
MARK = re.compile(r"# *(virtual|lab)\b")
RAMP = re.compile(r"# Step \d+/\d+: \d+ other clients?$")


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
        self.metrics = None     # of each column; None: cyclictest's
        self.own = 0            # how many each pair has
        self.virtual = False
        self.counts = {"Missed": [], "Inversions": []}
        self.ramp = False       # of pairs
        seen = False
        for number, line in lines:
            self.virtual |= bool(MARK.match(line))
            self.ramp |= bool(RAMP.match(line))
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
        if key == "Metrics":
            self.metrics = rest.split()
        elif key in self.counts:
            self.counts[key] = numbers(self.path, number, rest.split())
        elif key in LISTS:
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
        own = list(dict.fromkeys(self.metrics or ()))
        self.own = len(own)
        if self.metrics is not None and (
                not own or set(own) - set(METRICS) or
                self.metrics != (own * count)[:count] or count % len(own)):
            raise InputError(self.path, None, "'# Metrics:' does not name the "
                             "same columns of twowaytest for each pair; of "
                             "primitivetest, give what --json wrote")
        return count

    def unit(self, count):
        """Of the lists; rows are in us, as long as these fit them."""
        found = [unit for unit in (US, NS) if all(
            self.fits(column, unit) for column in range(count))]
        # cyclictest has one unit for both, whichever that is.
        if not found or not self.metrics and found[0] != US:
            raise InputError(self.path, None, "the rows do not lie between "
                             "'# Min Latencies:' and '# Max Latencies:'")
        return found[0]

    def fits(self, column, unit):
        used = [us for us, counts in self.rows if counts[column]]
        low, avg, high = (unit.read(self.lists[key][column])
                          for key in ("min", "avg", "max"))
        return not used or \
            low < US.read(used[0] + 1) and US.read(used[-1]) <= high and (
                self.lists["over"][column] > 0 or
                US.read(used[0]) <= avg < US.read(used[-1] + 1))

    def series(self, column, metric, unit):
        used = [(US.read(us), counts[column]) for us, counts in self.rows
                if counts[column]]
        over = self.lists["over"][column]
        inside = sum(count for _, count in used)
        if "total" in self.lists and self.lists["total"][column] != inside:
            raise InputError(self.path, None, f"column {column}: the rows "
                             f"add up to {inside}, '# Total:' says "
                             f"{self.lists['total'][column]}")
        low, avg, high = (unit.read(self.lists[key][column])
                          for key in ("min", "avg", "max"))
        below = bool(used) and low < used[0][0]
        dist = Distribution(*zip(*used), US, over if below else 0,
                            0 if below else over) if used else None
        result = Series(metric, inside + over, low, avg, high, dist=dist,
                        unit=unit, avg_unit=unit)
        if dist and dist.complete:
            result.std_ns = dist.deviation()
            # cyclictest's values are whole us, where ours lie within rows.
            if not self.metrics:
                result.avg_ns, result.avg_unit = dist.mean(), NS
        return result


def add_metrics(part, text, unit):
    """To a part: what twowaytest measured, of each pair and together."""
    tables = {}
    for i, metric in enumerate(text.metrics):
        tables.setdefault(i // text.own, {})[metric] = \
            text.series(i, metric, unit)
    part.missed = next(iter(text.counts["Missed"]), None)
    if len(tables) == 1:
        part.series = tables.popitem()[1]
        return
    part.series = pairs.all_of(tables.values())
    part.pairs = pairs.numbered(part.path, {
        pair: {key: one for key, one in table.items() if one.count}
        for pair, table in tables.items()})
    if text.ramp:
        part.remarks.append(f"a ramp of pairs: {part.path} has the results "
                            "of all steps together only")
    for pair, count in zip(part.pairs, text.counts["Inversions"]):
        pair.inversions = count


def read_histogram(path, name):
    lines = lines_of(path)
    text = HistogramText(path, lines)
    count = text.columns()
    unit = text.unit(count)
    part = Part(str(path), "text", name, virtual=text.virtual)
    if text.metrics:
        part.program = "twowaytest"
        add_metrics(part, text, unit)
    else:
        part.program = "cyclictest"
        part.series["wakeup"] = combined([text.series(i, "wakeup", unit)
                                          for i in range(count)])
        part.remarks.append("the text of cyclictest does not tell its unit: "
                            "us is assumed; with -N it is ns, so use its "
                            "JSON")
        if count > 1:
            part.remarks.append(f"{count} threads together")
    remarks.read_text(lines, part)
    part.count = max((series.count for series in part.series.values()),
                     default=0)
    if not part.count:
        raise InputError(path, None, "no cycles")
    return [part]


def cells_of(path, number, line):
    """Of a line of CSV."""
    try:
        return list(map(harmless, next(csv.reader([line]))))
    except csv.Error as err:
        raise InputError(path, number, f"no line of a table: {err}") \
            from None


def table_rows(path):
    """(number, row as a dict) of a published table; its comment lines."""
    lines = lines_of(path)
    comments = [line for _, line in lines if line.startswith("#")]
    lines = [(n, line) for n, line in lines
             if line and not line.startswith("#")]
    header, rows = cells_of(path, *lines[0]), []
    for number, line in lines[1:]:
        cells = cells_of(path, number, line)
        if len(cells) != len(header):
            raise InputError(path, number, f"{len(cells)} columns; "
                             f"{len(header)} are expected: "
                             + ",".join(header))
        rows.append((number, dict(zip(header, cells))))
    if not rows:
        raise InputError(path, lines[0][0], "no results below the header")
    return header, rows, comments


STATISTICS = ("min", "avg", "max", "stddev")
# Columns that name no set-up.
OWN = {"metric", "workers", "cpu", "system", "cycles", "finding", *STATISTICS}


def published_series(path, number, row, metric):
    keys = [key for key in STATISTICS if key in row]
    values = numbers(path, number, [row[key] for key in keys], float)
    if not values[0] <= values[1] <= values[2]:
        raise InputError(path, number, ", ".join(
            f"{key} {row[key]}" for key in STATISTICS[:3])
            + "; min <= avg <= max is expected")
    count = numbers(path, number, [row["cycles"]])[0] if "cycles" in row \
        else None
    if count is not None and count < 1:
        raise InputError(path, number, f"{count} cycles cannot be")
    plain = not any("." in row[key] for key in keys)
    series = Series(metric, count, *map(US.read, values),
                    **dict.fromkeys(("unit", "avg_unit"), US if plain else NS))
    if metric == "sleep":   # as in a log
        series.rms_ns, series.std_ns = series.std_ns, None
    return series


def read_published(path, name):
    """One part a system and set-up, and a CPU where there are several."""
    header, rows, comments = table_rows(path)
    groups = [", ".join(f"{key} {row[key]}" for key in header
                        if key not in OWN) for _, row in rows]
    cpus = {}
    for (_, row), group in zip(rows, groups):
        cpus.setdefault(group, set()).add(row.get("cpu"))
    parts, lines = {}, {}
    for (number, row), group in zip(rows, groups):
        name = row["system"]
        if len(cpus[group]) > 1:
            name += f" CPU {row['cpu']}"
        part = parts.setdefault((name, group), Part(
            str(path), "published", name, group=group,
            # Lines against the load need a colour each.
            kin="" if "workers" in row else row["system"]))
        part.virtual = any(MARK.match(line) for line in comments)
        if "finding" in row:
            part.remarks.append(row["finding"])
            continue
        metric = row.get("metric") or ("total" if "workers" in row
                                       else "wakeup")
        if metric not in METRICS:
            raise InputError(path, number, f"metric '{metric}' is none of "
                                           + ", ".join(METRICS))
        series = published_series(path, number, row, metric)
        if "workers" in row:
            workers = numbers(path, number, [row["workers"]])[0]
            part.steps.append(Step(workers, {metric: series}))
        key = name, group, metric, row.get("workers")
        before = lines.setdefault(key, number)
        if before != number:
            raise InputError(path, number, f"{metric} of system '{name}' is "
                             f"in line {before} already")
        part.series[metric] = series
        part.count = part.count or series.count
    return list(parts.values())
