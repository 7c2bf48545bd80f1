# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that end by telling how many rows they have: CSV."""

import re


def split(text):
    """The line of names and the rows; the lines that tell how the run ended."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line[0] != "#")
    table = [line for line in lines[first:] if line[0] != "#"]
    told = lines[first + len(table):]
    assert text.endswith("\n") and all(line[:2] == "# " for line in told)
    count, plural = re.fullmatch(r"# End: (\d+) row(s?)", told.pop()).groups()
    assert (int(count), plural) == (len(table) - 1, "s" * (len(table) != 2))
    return table, told


def table(text):
    return split(text)[0]


def rows(text):
    """Without the names."""
    return split(text)[0][1:]


def told(text):
    return split(text)[1]
