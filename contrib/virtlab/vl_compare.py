# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between two results, to the last digit."""

import json
import pathlib

from vl_common import LabError

# What each run has of its own.
OWN = {"start_time", "end_time"}


def load(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except OSError as err:
        raise LabError(f"{path}: {err.strerror}") from None
    except ValueError as err:
        raise LabError(f"{path}: no JSON: {err}") from None


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
    """A thread's number means nothing to a reader: its metric does."""
    for value in values:
        for key, thread in member(value, "thread").items():
            if isinstance(thread, dict) and "metric" in thread:
                yield ("thread", key), (str(thread["metric"]),)


def named(path, names):
    return " ".join((*names.get(path[:2], path[:2]), *path[2:]))


def difference(a, b):
    if any(isinstance(v, bool) or not isinstance(v, (int, float))
           for v in (a, b)):
        return ""
    share = f"{(b - a) / abs(a):+.2%}" if a else ""
    return f"{round(b - a, 6):+g}  {share}"


def of_files(a, b):
    """Rows of what differs: what it is, in a, in b, difference."""
    one, other = load(a), load(b)
    if not all(isinstance(value, dict) for value in (one, other)):
        raise LabError(f"{a}, {b}: objects of results are expected")
    names = dict(labels(one, other))
    left, right = dict(flat(one)), dict(flat(other))
    for path in dict.fromkeys([*left, *right]):
        # As texts: in Python, 1 is True.
        if repr(left.get(path, path)) != repr(right.get(path, path)):
            values = [left.get(path, "-"), right.get(path, "-")]
            yield named(path, names), *values, difference(*values)


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
    for one, other in pairs(a, b):
        rows = [tuple(map(str, row)) for row in of_files(one, other)]
        if not rows:
            continue
        modes = {str(member(load(path), "lab").get("mode"))
                 for path in (one, other)}
        lines.append(f"{one} {other}" + (
            "" if modes == {"exact"} else
            ": not both of mode exact, so chance is in what differs"))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines += [f"  {what:{widths[0]}}  {x:>{widths[1]}}  "
                  f"{y:>{widths[2]}}  {change}".rstrip()
                  for what, x, y, change in rows]
    return lines
