# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes runs unlike, and what may have disturbed them."""

import re

from twoway.read import remarks
from twoway.read.hosts import word
from twtools.tables import Table

# A figure with its unit, in which findings of two runs may differ.
FIGURE = re.compile(r"\d+(?:[.]\d+)?(?= (?:%|ns|us|ms|s|MHz)(?:\W|$))")
# Remarks that end in a count may differ in it, too.
COUNTED = tuple(remarks.COUNTED.values())
COUNT = re.compile(r"\d+$")
# What cannot but differ where another thing does.
IMPLIED = {"lab kernel_sha256": "lab release",
           "lab initramfs_sha256": "lab release", "pairs": "threads"}
WITH_PAIRS = {"dump", "json"}   # what tells how many there are


def settings(run):
    """With what the results show of them."""
    found = {"program": run.program, **run.settings}
    if run.program == "twowaytest" and WITH_PAIRS & {
            part.kind for part in run.parts}:
        found["pairs"] = len(run.pairs) or 1
    return found


def differences(runs):
    """What is known to differ between the runs; "?" is unknown."""
    rows = []
    for member in ("settings", "system"):
        tables = [settings(run) if member == "settings" else run.system
                  for run in runs]
        for key in dict.fromkeys(key for t in tables for key in t):
            values = [word(table.get(key)) for table in tables]
            if len(set(values) - {"?"}) > 1:
                rows.append([key, member] + values)
    told = {key for key, *_ in rows}
    return [row for row in rows if IMPLIED.get(row[0]) not in told]


# What may differ between runs that are to be compared.
HARMLESS = {"loops", "duration", "duration_s", "breaktrace", "histogram_us",
            "version", "command line"}


def unlike(runs):
    """Settings of two runs that make a comparison meaningless."""
    return [f"{what} {' / '.join(values)}"
            for what, member, *values in differences(runs)
            if member == "settings" and what not in HARMLESS
            and "?" not in values]


def differences_table(runs):
    if len(runs) < 2:
        return
    rows = differences(runs)
    silent = dict.fromkeys(run.title for run in runs
                           if not (run.settings or run.system))
    note = "Compare only runs with the same settings. ? means unknown."
    if silent:
        note += " Nothing is known of: " + ", ".join(silent) + "."
    elif not rows:
        note += " No known setting differs."
    yield Table("What differs between the runs",
                ["what", "of"] + [run.place if run.settings else run.title
                                  for run in runs], rows, note,
                figures=2 + len(runs), key="differences")


def merged(texts):
    """Texts that differ in figures only, as one: "2.39 to 2.40 %"."""
    known = COUNT if texts[0].startswith(COUNTED) else FIGURE
    columns = zip(*(known.findall(text) for text in texts))
    ranges = []
    for column in columns:
        low, high = min(column, key=float), max(column, key=float)
        ranges.append(low if low == high else f"{low} to {high}")
    found = iter(ranges)
    return known.sub(lambda _: next(found), texts[0])


def notes(runs):
    """What may have disturbed a run, or what it was."""
    names = {}
    for run in runs:
        texts = [run.virtual_remark] if run.virtual else []
        texts += [run.pairs_remark] if run.pairs else []
        texts += run.every("remarks")
        for text in dict.fromkeys(texts):
            key = COUNT.sub("#", text) if text.startswith(COUNTED) else text
            names.setdefault(key, []).append((run.place, text))
        for key, text in run.every("findings"):
            text = f"{key}: {text}"
            names.setdefault(FIGURE.sub("#", text), []).append(
                (run.place, text))
    # What several have in common stands once.
    rows = [[merged([text for _, text in found]),
             "all" if len(dict(found)) == len(runs) > 1 else
             ", ".join(dict.fromkeys(name for name, _ in found))]
            for found in names.values()]
    if rows:
        yield Table("Remarks", ["remark", "system"], rows,
                    figures=2, key="notes")


def all_tables(runs):
    """Unlike set-ups first: they are the commonest mistake."""
    yield from differences_table(runs)
    yield from notes(runs)
