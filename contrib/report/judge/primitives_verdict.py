# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report says of the parts first."""

import statistics

from report.judge import unlike
from report.judge.told import ratio_text
from twoway.compare import parts
from twtools.words import several

NAMED = 3               # systems, and tests, in a sentence


def beside(first, other, systems):
    """A sentence about two systems."""
    found = parts.ratios(first, other, systems)
    if not found:
        return f"{other.title} has no parts in common with {first.title} " \
            "that could be compared."
    longer = sum(share > 1 and bool(level) for _, share, level in found)
    shorter = sum(share < 1 and bool(level) for _, share, level in found)
    told = f", {longer} take surely longer on {other.title} and {shorter} " \
        "surely shorter, on average;" if found[0][2] is not None else \
        ", each was measured once: nothing tells whether they differ by more " \
        "than equal runs do (give several, as NAME=FILE,FILE);"
    low = min(found, key=lambda row: row[1])
    high = max(found, key=lambda row: row[1])
    middle = statistics.median(share for _, share, _ in found)
    return f"Of {len(found)} parts that {other.title} and {first.title} " \
        f"have in common{told} the median is " \
        f"{ratio_text(middle)} times as long, the extremes are " \
        f"{ratio_text(low[1])} ({low[0]}) and {ratio_text(high[1])} " \
        f"({high[0]})."


def unfair(runs):
    """A sentence about settings that differ; None: none does."""
    differ = [what for what, of, *_ in unlike.differences(runs)
              if of == "settings" and what not in unlike.HARMLESS]
    return "Parts were measured with settings that differ: " \
        f"{several(differ, NAMED)}." if differ else None


def trouble(runs):
    """A sentence about what was skipped or disturbed; None: nothing."""
    texts = []
    for run in runs:
        names = [test.name for test in run.primitives.tests.values()
                 if any(test.troubles())]
        if names:
            texts.append(f"{len(names)} of {len(run.primitives.tests)} tests "
                         f"of {run.title} ({several(names, NAMED)})")
    return f"Skipped, failed or disturbed were {'; '.join(texts[:NAMED])}." \
        if texts else None


def lines_of(runs):
    """Sentences."""
    if not runs:
        return []
    first, *rest = runs
    lines = [beside(first, other, len(runs)) for other in rest[:NAMED]]
    return lines + list(filter(None, [unfair(runs), trouble(runs)]))
