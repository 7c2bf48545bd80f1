# SPDX-License-Identifier: GPL-2.0-or-later
"""Sentences that the tools write."""


def several(texts, most):
    """The first of them, and how many more there are."""
    left = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {left} more" if left > 0 else "")
