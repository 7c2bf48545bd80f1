# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that --timeline writes: rows of statistics."""

import csv
import dataclasses
import re

import ended

FIRST = ["step", "seconds", "unix_s"]
COUNTS = ["missed", "throttled", "lost"]
VALUES = ["count", "min_ns", "avg_ns", "max_ns", "p99_ns"]
LEAST = 100     # values that a p99 needs


@dataclasses.dataclass
class Timeline:
    """@rows: {name: number}, None where a field is empty."""
    every_s: int
    names: list
    rows: list


def number(text):
    if not text:
        return None
    return float(text) if "." in text else int(text)


def names(metrics, pairs):
    """What the line of names has."""
    found = list(FIRST)
    for pair in range(pairs):
        of = f".{pair}" if pairs > 1 else ""
        found += [name + of for name in COUNTS]
        found += [f"{metric}_{value}{of}"
                  for metric in metrics for value in VALUES]
    return found


def read(path):
    """Each row checked to be whole."""
    text = path.read_text(encoding="ascii")
    lines = text.splitlines()
    table = ended.table(text)
    head = re.fullmatch("# twowaytest --timeline: a row every (\\d+) s, .*",
                        lines[0])
    assert all(line.startswith("# ") for line in lines[:3])
    assert "1/1024" in lines[1] and f"fewer than {LEAST}" in lines[2]
    first, *rows = csv.reader(table)
    assert all(len(row) == len(first) for row in rows)
    return Timeline(int(head[1]), first,
                    [dict(zip(first, map(number, row))) for row in rows])
