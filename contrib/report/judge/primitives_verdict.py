# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report says of the parts first."""

import statistics

from report.judge import unlike
from report.judge.told import ratio_text
from twoway.read import primitives
from twtools.words import several

NAMED = 3               # systems, and tests, in a sentence


def beside(first, other):
    """A sentence about two systems."""
    found = primitives.ratios(first, other)
    if not found:
        return f"{other.title} has no parts in common with {first.title} " \
            "that could be compared."
    longer = sum(share > 1 and bool(level) for _, share, level in found)
    shorter = sum(share < 1 and bool(level) for _, share, level in found)
    unknown = sum(level is None for *_, level in found)
    few = f" ({unknown} have too few trials to tell)" if unknown else ""
    low = min(found, key=lambda row: row[1])
    high = max(found, key=lambda row: row[1])
    middle = statistics.median(share for _, share, _ in found)
    return f"Of {len(found)} parts that {other.title} and {first.title} " \
        f"have in common, {longer} take surely longer on {other.title} and " \
        f"{shorter} surely shorter, on average{few}; the median is " \
        f"{ratio_text(middle)} times as long, the extremes are " \
        f"{ratio_text(low[1])} ({low[0]}) and {ratio_text(high[1])} " \
        f"({high[0]})."


def unfair(parts):
    """A sentence about settings that differ; None: none does."""
    differ = [what for what, of, *_ in unlike.differences(parts)
              if of == "settings" and what not in unlike.HARMLESS]
    return "Parts were measured with settings that differ: " \
        f"{several(differ, NAMED)}." if differ else None


def trouble(parts):
    """A sentence about what was skipped or disturbed; None: nothing."""
    texts = []
    for run in parts:
        names = [test.name for test in run.primitives.tests.values()
                 if any(test.troubles())]
        if names:
            texts.append(f"{len(names)} of {len(run.primitives.tests)} tests "
                         f"of {run.title} ({several(names, NAMED)})")
    return f"Skipped, failed or disturbed were {'; '.join(texts[:NAMED])}." \
        if texts else None


def lines_of(parts):
    """Sentences."""
    if not parts:
        return []
    first, *rest = parts
    lines = [beside(first, other) for other in rest[:NAMED]]
    return lines + list(filter(None, [unfair(parts), trouble(parts)]))
