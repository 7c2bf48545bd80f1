# SPDX-License-Identifier: GPL-2.0-or-later
"""From the command line's options to all that is written."""

import errno
import os
import pathlib
import sys

from report.args import FORMATS
from report.judge import (campaign, gate, gate_text, measured,
                          primitives_verdict, told, unlike, verdict)
from report.judge.told import unused
from report.page import (hgrm, junit, openmetrics, output, promise, tables,
                         tables_primitives)
from twoway.read import broke, primitives
from twoway.read.runs import read_all
from twoway.series.model import InputError, groups_of, systems_of
from twtools import whole, words
from twtools.tables import csv_text, markdown, md_text

NAMED = 4       # more runs make no title


def judge(runs, options, primitives_only):
    """The table of --gate with its verdicts, or of --propose and None."""
    name = "--gate" if options.gate else "--propose"
    if primitives_only:
        raise InputError(name, None, "these are results of primitivetest "
                         "only; the gate judges those of twowaytest: give a "
                         "baseline and a candidate of it, or set limits with "
                         "primitivetest --limit")
    if campaign.of(runs):
        raise InputError(name, None, "a campaign is no run: give the results "
                         "of its measurements, such as one-none-twowaytest"
                         ".json")
    least = 1 + (options.candidate if options.gate else 1)
    if len(runs) < least:
        raise InputError(name, None, f"{len(runs)} runs; a baseline and a "
                         "candidate are expected, or two of a baseline: "
                         + ", ".join(run.title for run in runs))
    differ = unlike.unlike(runs)
    if differ and not options.unlike:
        raise InputError(name, None, "the settings differ, which "
                         "--unlike allows: " + "; ".join(differ))
    if options.propose:
        return *gate.proposal(runs, options), None
    verdicts, notes = gate.gate(runs, options)
    if differ:
        notes.append("the settings differ: " + "; ".join(differ))
    return gate_text.table_of(runs, verdicts, notes, options), None, verdicts


def tell_others(outputs, options):
    """Figures of an earlier report would be taken for those of this one."""
    folder = pathlib.Path(options.figures or os.devnull)
    ours = {pathlib.Path(path) for path, _ in outputs.files}
    left = sorted(path.name for kind in FORMATS
                  for path in folder.glob(f"*.{kind}") if path not in ours)
    if left:
        print(f"twowayreport: {words.harmless(str(folder))}: figures that are "
              f"not of this report are left there: "
              f"{words.harmless(', '.join(left))}",
              file=sys.stderr)


def say(text):
    """Print at once; False if who reads standard output has closed it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def print_gate(table, verdicts):
    """The worst last, as that is the verdict; returns the exit status."""
    lines = []
    found = {text: [v.name for v in verdicts if v.text == text]
             for text in gate.STATUS}
    worst = next(text for text, names in found.items() if names)
    if worst == gate.NOT_WORSE:
        lines.append(gate_text.not_worse(verdicts, worst) + "".join(
            f", but the {v.name} is not judged: {v.said}" for v in verdicts
            if v.text == gate.NOT_JUDGED))
    for text in (gate.UNDECIDED, gate.WORSE):
        if found[text]:
            lines.append(f"{text.lower()}: {', '.join(found[text])}")
    say(f"{gate_text.terminal(table, lines)}\n")  # whoever reads it
    return gate.STATUS[worst]


def add_verdicts(outputs, runs, parts, verdicts, options):
    """What other programs read: --openmetrics and --junit."""
    if options.openmetrics:
        outputs.add(options.openmetrics, openmetrics.text(runs, parts, options))
    if options.junit:
        outputs.add(options.junit, junit.text(
            runs, parts, verdicts, options.candidate))


def report(options):
    """Returns the exit status."""
    targets = output.Targets(options)
    if not options.files:
        return say(promise.text_of([], [], options)) and 0
    known, left_out = read_all(options.files, options)
    runs, parts = primitives.split(known)
    options.metrics = options.metrics or [verdict.task_of(runs) or "latency"]
    for text in left_out:
        print(f"twowayreport: left out: {words.harmless(text)}",
              file=sys.stderr)
    gates, status, verdicts = [], 0, None
    if options.gate or options.propose:
        table, proposed, verdicts = judge(runs, options, parts and not runs)
        for part in parts:
            print(f"twowayreport: left out of the gate: {part.title}: "
                  "results of primitivetest", file=sys.stderr)
        gates.append(table)
    if options.html or options.tables:
        broken, groups = broke.lines_of(runs), groups_of(runs)
        lines = [*verdict.lines_of(groups, options.metrics),
                 *campaign.lines_of(runs), *primitives_verdict.lines_of(parts)]
        found = [*gates, *verdict.summary(groups, options.metrics),
                 *measured.table(known), *tables.all_tables(
                     runs, options.metrics, options.percentiles),
                 *tables_primitives.all_tables(parts), *campaign.tables(runs),
                 tables.sources(known, left_out)]
    names = list(systems_of(known))
    title = options.title or "Latency: " + (
        ", ".join(names) if len(names) <= NAMED else f"{len(names)} systems")
    outputs = whole.Files()
    if options.html or options.figures:
        from report.draw import drawings    # it needs matplotlib
        svgs = drawings.add_to(outputs, runs, parts, options)
    if options.html:
        from report.page import html
        outputs.add(options.html, html.page(
            title, found, svgs, told.virtual(known), lines, broken))
    if options.hgrm:
        taken = set()
        if not runs:
            raise InputError("--hgrm", None, "these are results of "
                             "primitivetest only, which have no distribution")
        for name, text in hgrm.files(runs, options.chosen or
                                     [verdict.task_of(runs) or "latency"]):
            outputs.add(f"{options.hgrm}/{unused(name, taken)}.hgrm", text)
    if options.tables:
        text = csv_text(title, found) \
            if options.tables.endswith(".csv") else \
            markdown(title, found, [
                f"- {md_text(line)}" for line in filter(None, [
                    *broken, *lines, told.virtual(known)])] + [""])
        if options.tables == "-":
            if not say(text) and not options.gate:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        else:
            outputs.add(options.tables, text)
    add_verdicts(outputs, runs, parts, verdicts, options)
    if options.bound:
        say(promise.text_of(runs, parts, options))
    targets.check_all(path for path, _ in outputs.files)
    try:
        outputs.commit()
        tell_others(outputs, options)
    finally:            # also if a file cannot be written
        if options.gate:
            status = print_gate(table, verdicts)
        elif options.propose:
            say(f"{gate_text.terminal(table, [proposed])}\n")
    return status
