# SPDX-License-Identifier: GPL-2.0-or-later
"""Sentences that the tools write."""


def several(texts, most, between=", ", last=" "):
    """The first of them, and how many more there are; last: before these."""
    left = len(texts) - most
    return between.join(texts[:most]) + (
        f"{last}and {left} more" if left > 0 else "")
