# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of others, and sentences that the tools write."""


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
