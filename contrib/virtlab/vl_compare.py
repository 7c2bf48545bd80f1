# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between two results, to the last digit."""

import decimal
import json
import math
import os
import pathlib
import stat

from vl_common import LabError

# What each run has of its own.
OWN = {"start_time", "end_time"}
# Characters: of a name, of a value.
NAME, VALUE = 60, 40


def load(path):
    """An object of results, and its leaves by their paths."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise LabError(f"{path}: is a device; name a file")
        value = json.loads(pathlib.Path(path).read_text(),
                           parse_float=exact_float)
        leaves = dict(flat(value))
    except OSError as err:
        raise LabError(f"{path}: {err.strerror}") from None
    except ValueError as err:
        raise LabError(f"{path}: no JSON: {err}") from None
    except RecursionError:
        raise LabError(f"{path}: no result: nested too deeply") from None
    if not isinstance(value, dict):
        raise LabError(f"{path}: is JSON, but no result: only objects of "
                       "results can be compared")
    return value, leaves


def exact_float(text):
    """A float; what is beyond its range keeps its digits."""
    value = float(text)
    return value if math.isfinite(value) else decimal.Decimal(text)


def flat(value, path=()):
    """Each leaf: its path, its value."""
    if isinstance(value, dict) and value:
        pairs = value.items()
    elif isinstance(value, list) and value:
        pairs = enumerate(value)
    else:
        yield path, value
        return
    for key, inner in pairs:
        if path or key not in OWN:
            yield from flat(inner, (*path, str(key)))


def member(value, name):
    """An object in an object; other programs' JSON may have none."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def labels(*values):
    """A thread's number means nothing to a reader: its metric does.

    Of several pairs, also the pair.
    """
    for value in values:
        threads = [(key, thread)
                   for key, thread in member(value, "thread").items()
                   if isinstance(thread, dict) and "metric" in thread]
        several = len({str(thread.get("pair")) for _, thread in threads}) > 1
        for key, thread in threads:
            pair = ("pair", str(thread.get("pair"))) if several else ()
            yield ("thread", key), (*pair, str(thread["metric"]))
            yield ("thread", key, "phases"), pair


def named(path, names):
    for length in (3, 2):
        if path[:length] in names:
            return " ".join((*names[path[:length]], *path[length:]))
    return " ".join(path)


def difference(a, b):
    if any(isinstance(v, bool) or not isinstance(v, (int, float))
           for v in (a, b)):
        return ""
    try:
        share = f"{(b - a) / abs(a):+.2%}" if a else ""
        step = float(b - a)
    except OverflowError:
        return ""
    return f"{round(step, 6):+g}  {share}" if math.isfinite(step) else ""


def shown(value):
    """On one line, whatever is in it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1]
                   for c in str(value))


def cut(texts):
    """Two values, no wider than VALUE, from a little before they differ."""
    same = len(os.path.commonprefix(texts))
    start = max(0, same - 8) if max(map(len, texts)) > VALUE else 0
    return [("..." if start else "") + text[start:start + VALUE]
            + ("..." if text[start + VALUE:] else "") for text in texts]


def rows_of(one, other):
    """Of what differs: what it is, in one, in the other, difference."""
    (a, left), (b, right) = one, other
    names = dict(labels(a, b))
    for path in dict.fromkeys([*left, *right]):
        # As texts: in Python, 1 is True.
        if repr(left.get(path, path)) != repr(right.get(path, path)):
            values = [left.get(path, "-"), right.get(path, "-")]
            name = shown(named(path, names))
            if len(name) > NAME:
                name = f"...{name[-NAME:]}"
            yield (name, *cut([shown(value) for value in values]),
                   difference(*values))


def pairs(a, b):
    """Files of one name in two directories, or the two files themselves."""
    if not a.is_dir() and not b.is_dir():
        return [(a, b)]
    found = [{str(file.relative_to(base)): file
              for file in base.rglob("*.json") if file.name != "lab.json"}
             for base in (a, b)]
    if not all(found):
        raise LabError(f"{a if not found[0] else b}: no JSON file there")
    lone = sorted(set(found[0]) ^ set(found[1]))
    if lone:
        raise LabError(f"{', '.join(lone)}: in one of {a}, {b} only")
    return [(found[0][name], found[1][name]) for name in sorted(found[0])]


def compare(a, b):
    """Lines that tell all that differs; none if nothing does."""
    lines = []
    for paths in pairs(a, b):
        results = [load(path) for path in paths]
        rows = list(rows_of(*results))
        if not rows:
            continue
        modes = {str(member(value, "lab").get("mode"))
                 for value, _ in results}
        lines.append(" ".join(map(str, paths)) + (
            "" if modes == {"exact"} else
            ": not both are of mode exact: differences may be chance"))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines += [f"  {what:{widths[0]}}  {x:>{widths[1]}}  "
                  f"{y:>{widths[2]}}  {change}".rstrip()
                  for what, x, y, change in rows]
    return lines
