# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of others, and sentences that the tools write."""

UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def harmless(text):
    """One line of what can be seen: nothing that a terminal obeys."""
    return "".join(c if c.isprintable() else
                   " " if c.isspace() else "\N{REPLACEMENT CHARACTER}"
                   for c in text)


def harmless_lines(text):
    """The same of each line."""
    return "\n".join(map(harmless, str(text).split("\n")))


def several(texts, most, between=", ", last=" "):
    """The first of them, and how many more there are; last: before these."""
    left = len(texts) - most
    return between.join(texts[:most]) + (
        f"{last}and {left} more" if left > 0 else "")


def time_text(seconds):
    """The two largest units: "4 min 02 s"."""
    left = max(0, round(seconds))
    for i, (size, unit) in enumerate(UNITS[:-1]):
        if left >= size:
            small, name = UNITS[i + 1]
            return f"{left // size} {unit} {left % size // small:02} {name}"
    return f"{left} s"
