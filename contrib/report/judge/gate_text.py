# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gate says beside its verdicts: the table, and few lines below it."""

import numpy

from twoway.read import oneway
from twoway.series.model import METRICS
from twtools import tables
from twtools.words import harmless, several

UNEVEN = 0.01           # of a step's share in all cycles: worth a remark
LINES = 10              # below the table, with the verdicts
NAMED = 4               # runs that have a remark in common


def lengths(run):
    return [part.stop - part.start for part in run.cycles.slices()]


def uneven(runs):
    """A remark if runs are not made up of the same steps, or None."""
    found = [lengths(run) for run in runs if run.cycles]
    counts = sorted({len(steps) for steps in found})
    if len(counts) > 1:
        return (f"the runs have {counts[0]} to {counts[-1]} steps: figures "
                "of all together differ for that alone")
    shares = numpy.array([numpy.array(one) / sum(one) for one in found])
    if len(found) < 2 or (numpy.ptp(shares, axis=0) <= UNEVEN
                          / counts[0]).all():
        return None
    step = int(numpy.ptp(shares, axis=0).argmax())
    low, high = (100 * end for end in (shares[:, step].min(),
                                       shares[:, step].max()))
    return (f"step {step + 1} has {low:.2f} to {high:.2f} % of the cycles: "
            "figures of all steps together differ for that alone")


def common(runs, texts_of):
    """Remarks on runs, each once, with the names of all that it is about."""
    names = {}
    for run in runs:
        for text in texts_of(run):
            names.setdefault(text, []).append(run.title)
    return [("all runs" if len(found) == len(runs) > 1 else
             several(found, NAMED)) + f": {text}"
            for text, found in names.items()]


def notes_on(runs, options):
    notes = common(runs, lambda run: [run.virtual_remark] if run.virtual
                   else [])
    notes += common(runs, lambda run: [
        f"{run.pairs_remark}; a single pair may be worse off without these "
        "being worse"] if run.pairs else [])
    for member, what in (("missed", "Missed expiries"),
                         ("throttled", "Throttled cycles")):
        counts = [getattr(run, member) for run in runs]
        if any(counts) or None in counts and set(counts) != {None}:
            notes.append(f"{what}: " + ", ".join(
                f"{run.title} " + ("unknown" if count is None else f"{count}")
                + (f" beside {run.count} cycles" if count and run.count
                   else "") for run, count in zip(runs, counts)))
    notes += oneway.notes_on(runs, options.metrics)
    # These have notes of their own.
    notes += common(runs, lambda run: [
        text for text in run.every("remarks") if not text.startswith(
            ("missed", "throttled", "send and receive"))])
    if remark := uneven(runs):
        notes.append(remark)
    return notes


def table_of(runs, verdicts, notes, options):
    baseline, candidate = ([run.title for run in some] for some in (
        runs[:-options.candidate], runs[-options.candidate:]))
    judged_of = ", ".join(f"{metric} ({METRICS[metric][1]})"
                          for metric in options.metrics)
    lines = [f"Judged: {judged_of}. Averages are without the longest cycles, "
             "1 in 1,000, where there are blocks; missed is of all expiries.",
             f"interval: of the difference, {options.confidence:g} % sure for "
             "all figures together" + (
                 f", by the spread of {len(runs)} runs" if runs[2:] else
                 "; a single run of the baseline does not tell how much two "
                 "boots differ, so nothing is WORSE: give several") +
             ". Means of runs are shown. ?: not known.",
             "WORSE: the interval lies above "
             f"{options.tolerance:g} % of the baseline, or of missed above 0. "
             "not worse: none of it lies above detect, in %.",
             "longer episodes: blocks (1/64 of the run) with a longer cycle "
             "than all of the baseline, neighbours as one; from detect on, "
             "WORSE.",
             *(f"{text}." for text in notes)]
    return tables.Table(
        f"Is {several(candidate, NAMED)} worse than "
        f"{several(baseline, NAMED)}?",
        ["metric", "figure", "baseline", "candidate", "difference",
         "interval", "detect", "verdict"],
        [row for one in verdicts for row in one.rows],
        "\n".join(lines), figures=2, key="gate")


def terminal(table, last):
    """The table, then its note and the last lines, few in all."""
    *rows, _ = tables.terminal(table).split("\n")
    notes = table.note.split("\n")
    left = LINES - len(last)
    if len(notes) > left:
        more = len(notes) - left + 1
        notes[left - 1:] = [f"{more} more remarks: --tables=- prints them."]
    return "\n".join([*rows, *map(harmless, notes), *last])


def not_worse(verdicts, text):
    """By how much, which is not the same for all figures."""
    names = {}
    for one in verdicts:
        for *_, detect, verdict in one.rows:
            if verdict == text and not one.name.endswith(" tail"):
                names.setdefault(f"{detect} %", []).append(one.name)
    return f"{text} by more than " + ", ".join(
        detect + (f" ({', '.join(found)})" if len(names) > 1 else "")
        for detect, found in names.items())
