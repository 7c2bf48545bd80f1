# SPDX-License-Identifier: GPL-2.0-or-later
"""Histogram text of cyclictest and twowaytest, TRLTP logs, tables."""

import csv
import re

from tr_input import open_input
from tr_model import METRICS, InputError, Part, Series, Step
from tr_stats import Distribution, combined
from twtools.units import NS, US, Unit

LARGEST = 10**14
TENS = Unit(10 * US.ns)        # bins of a log
ROW = re.compile(r"(\d{6,12})\s+(\d{6,15}(?:\s+\d{6,15})*)\s*")
LISTS = {"Min Latencies": "min", "Avg Latencies": "avg",
         "Max Latencies": "max", "Histogram Overflows": "over",
         "Total": "total", "Std Deviations": "std"}
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
        values = [kind(word) for word in words]
    except ValueError:
        values = [LARGEST]
    if not all(-LARGEST < value < LARGEST for value in values):
        raise InputError(path, number, f"'{' '.join(words)[:60]}': numbers "
                                       f"below {LARGEST:.0e} are expected")
    return values


class HistogramText:
    """The rows and lists of one histogram."""

    def __init__(self, path):
        self.path = path
        self.rows = []          # us, counts
        self.lists = {}
        self.metrics = None
        self.virtual = False
        seen = False
        for number, line in lines_of(path):
            self.virtual |= bool(MARK.match(line))
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
        elif key in LISTS:
            kind = float if key == "Std Deviations" else int
            self.lists[LISTS[key]] = numbers(self.path, number, rest.split(),
                                             kind)

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
        if self.metrics and (len(self.metrics) != count or
                             set(self.metrics) - set(METRICS)):
            raise InputError(self.path, None, "'# Metrics:' does not name "
                                              "the columns")
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
        if "std" in self.lists:
            result.std_ns = unit.read(self.lists["std"][column])
        elif dist and dist.complete:
            result.std_ns = dist.deviation()
            result.avg_ns, result.avg_unit = dist.mean(), NS
        return result


def read_histogram(path, name):
    text = HistogramText(path)
    count = text.columns()
    unit = text.unit(count)
    part = Part(str(path), "text", name, virtual=text.virtual)
    if text.metrics:
        part.program = "twowaytest"
        part.series = {metric: text.series(i, metric, unit)
                       for i, metric in enumerate(text.metrics)}
    else:
        part.program = "cyclictest"
        part.series["wakeup"] = combined([text.series(i, "wakeup", unit)
                                          for i in range(count)])
        if count > 1:
            part.remarks.append(f"{count} threads together")
    part.count = max(series.count for series in part.series.values())
    if not part.count:
        raise InputError(path, None, "no cycles")
    return [part]


LABELS = {label: metric for metric, (label, _) in METRICS.items()}
LOG_LABEL = re.compile(r"(.+) \(Micro Sec\)")
LOG_VALUES = ("Minimum", "Average", "Maximum", "Standard Deviation", "Count")


class Log:
    """A TRLTP log, taken line by line."""

    def __init__(self, path):
        self.path = path
        lines = lines_of(path)
        self.virtual = any(MARK.match(line) for _, line in lines)
        self.lines = [(number, line) for number, line in lines
                      if line and not line.startswith("#")]
        self.end = len(self.lines)

    def next(self):
        return self.lines[0] if self.lines else (None, "")

    def bad(self, why):
        number, line = self.next()
        raise InputError(self.path, number or "end",
                         f"{why} is expected, not '{line[:60]}'"
                         if number else f"cut off: {why} is expected")

    def value(self, key, kind):
        number, line = self.next()
        name, _, text = line.partition(",")
        if name != key:
            self.bad(f"'{key},VALUE'")
        del self.lines[0]
        return numbers(self.path, number, [text], kind)[0]

    def metric(self):
        match = LOG_LABEL.fullmatch(self.next()[1])
        if not match or match[1] not in LABELS:
            self.bad("the name of a metric")
        del self.lines[0]
        metric = LABELS[match[1]]
        low, avg, high, std = (US.read(self.value(key, float))
                               for key in LOG_VALUES[:4])
        count = self.value("Count", int)
        if self.next()[1] != "Lower Bound,Count":
            self.bad("'Lower Bound,Count'")
        first = self.lines.pop(0)[0]
        return Series(metric, count, low, avg, high, std,
                      dist=self.bins(first, count))

    def bins(self, first, count):
        bins, outside = [], {"below": 0, "above": 0}
        while re.match(r"(\d+|below|above),", self.next()[1]):
            number, line = self.lines.pop(0)
            bound, _, text = line.partition(",")
            value = numbers(self.path, number, [text])[0]
            if bound in outside:
                outside[bound] = value
            else:
                low = numbers(self.path, number, [bound])[0]
                bins.append((US.read(low), value))
        found = sum(value for _, value in bins) + sum(outside.values())
        if found != count:
            raise InputError(self.path, first, f"the bins below add up to "
                             f"{found}, 'Count' says {count}")
        if not bins:
            return None
        values, counts = zip(*sorted(bins))
        return Distribution(values, counts, TENS, **outside)


def read_log(path, name):
    log, steps = Log(path), []
    while log.lines:
        step = Step(log.value("Workers", int), {})
        while log.lines and not log.next()[1].startswith("Workers,"):
            series = log.metric()
            if series.count:
                step.series[series.metric] = series
        if not step.series:
            log.bad("the name of a metric")
        if any(step.workers == other.workers for other in steps):
            raise InputError(path, None, f"'Workers,{step.workers}' stands "
                                         "twice")
        steps.append(step)
    if not steps:
        raise InputError(path, None, "no steps")
    part = Part(str(path), "log", name, steps=steps, virtual=log.virtual,
                count=sum(max(s.count for s in step.series.values())
                          for step in steps))
    if len(steps) == 1:
        part.series, part.steps = steps[0].series, []
    else:
        part.remarks.append(f"{len(steps)} steps; the log has no results of "
                            f"all together, so those of the last stand "
                            f"there, {steps[-1].workers} workers")
        part.series = steps[-1].series
    return [part]


def table_rows(path):
    """(number, row as a dict) of a published table; its comment lines."""
    lines = lines_of(path)
    comments = [line for _, line in lines if line.startswith("#")]
    lines = [(n, line) for n, line in lines
             if line and not line.startswith("#")]
    header = next(csv.reader([lines[0][1]]))
    rows = []
    for number, line in lines[1:]:
        cells = next(csv.reader([line]))
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
        raise InputError(path, number, "min, avg and max cannot be")
    count = numbers(path, number, [row["cycles"]])[0] if "cycles" in row \
        else None
    if count is not None and count < 1:
        raise InputError(path, number, f"{count} cycles cannot be")
    plain = not any("." in row[key] for key in keys)
    return Series(metric, count, *map(US.read, values),
                  **dict.fromkeys(("unit", "avg_unit"), US if plain else NS))


def read_published(path, name):
    """One part a system and set-up, and a CPU where there are several."""
    header, rows, comments = table_rows(path)
    groups = [", ".join(f"{key} {row[key]}" for key in header
                        if key not in OWN) for _, row in rows]
    cpus = {}
    for (_, row), group in zip(rows, groups):
        cpus.setdefault(group, set()).add(row.get("cpu"))
    parts = {}
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
        if metric in part.series and "workers" not in row:
            raise InputError(path, number, f"{metric} of {name} stands twice")
        part.series[metric] = series
        part.count = part.count or series.count
    return list(parts.values())
