# SPDX-License-Identifier: GPL-2.0-or-later
"""What a campaign tells besides its results."""

from twoway.read.campaign import FIGURES
from twoway.read.limit import MET
from twtools.tables import Table
from twtools.units import us
from twtools.words import several

MOST = 3                # of a kind in a sentence
COLUMNS = ("start", "work/s", "steal %", "others %", "load average", "heat",
           "Celsius", "exit status")
KINDS = ("response", "latency", "wakeup")   # what a sentence is about
# Of a record: the least that is told, and how.
DISTURBANCES = (
    ("steal_percent", 0.1, "a hypervisor took up to {} % of the CPU time"),
    ("others_percent", 5, "other programs used up to {} % of the CPU time"),
    ("thermal_events", 1, "heat slowed a CPU up to {} times"))


def of(runs):
    """The campaigns that the runs are of, each once."""
    return list({id(run.campaign): run.campaign for run in runs
                 if run.campaign}.values())


def used(records):
    """What else used the system, the largest of each kind."""
    for key, least, text in DISTURBANCES:
        value, title = max(((record[key] or 0, title) for title, record in
                            records.items()))
        if value >= least:
            yield f"{text.format(f'{value:.3g}')} ({title})"


def lines_of(runs):
    """What all loads have in common."""
    campaigns = of(runs)
    if not campaigns:
        return
    runs = [run for run in runs if run.campaign]
    for metric in KINDS:
        found = [run for run in runs if metric in run.series]
        if found:
            longest = max(found, key=lambda run: run.series[metric].max_ns)
            yield f"The longest {metric} took " \
                f"{us(longest.series[metric].max_ns)} us " \
                f"in {longest.place}; a maximum is a single cycle."
            break
    for one in campaigns:
        if one.lacking:
            yield f"{len(one.lacking)} of {len(one.records)} measurements " \
                f"failed or are missing: {several(list(one.lacking), MOST)}."
        if texts := list(used(one.records)):
            yield f"Meanwhile, {', '.join(texts)}."
    unmet = [f"{limit.limit} {limit.verdict} in {run.place}" for run in runs
             for limit in run.limits if limit.verdict != MET]
    if unmet:
        yield f"Limits: {several(unmet, MOST)}."
    changed = sum(len(one.changes) for one in campaigns)
    if changed:
        yield f"{changed} things of the system changed meanwhile."


def number_text(value):
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def tables(runs):
    for one in of(runs):
        rows = [["failed", f"{title}: {why}"]
                for title, why in one.lacking.items()]
        rows += [["changed", text] for text in one.changes]
        if rows:
            yield Table("The campaign", ["of", "remark"], rows, figures=2,
                        key="campaign")
        yield Table(
            "What may have disturbed the measurements",
            ["measurement", "is", *COLUMNS],
            [[title, record["is"], *(number_text(record[key])
                                     for key in FIGURES)]
             for title, record in one.records.items()],
            "steal: CPU time that a hypervisor took. others: about what other "
            "programs used, of all CPUs' time. load average: of the minute "
            "before, which has the loads of earlier measurements. heat: how "
            "often it slowed a CPU. - is unknown, or does not apply.",
            figures=2, key="disturbances")
        yield Table("Set-up", ["of", "what", "is"], one.set_up,
                    f"Every command line is in {one.path}.", figures=3,
                    key="set-up")
