# SPDX-License-Identifier: GPL-2.0-or-later
"""Published tables: CSV with the columns system,min,avg,max, and others."""

import csv

from twoway.read.text import MARK, lines_of, numbers
from twoway.series.model import METRICS, InputError, Part, Series, Step
from twtools.units import NS, US
from twtools.words import harmless


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
    if metric == "sleep":   # from what was asked for, as in TRLTP
        series.rms_ns, series.std_ns = series.std_ns, None
    return series


def read(path, name):
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
            colour_name="" if "workers" in row else row["system"]))
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
