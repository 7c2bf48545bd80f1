# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured: where, when, how long and how, a line a system."""

import datetime
import re

from twoway.series.model import lasted_s, systems_of
from twtools.tables import Table
from twtools.words import several, time_text

FOLDERS = re.compile("^[^ ]*/")    # of the program


def utc(unix_s, form="%Y-%m-%d %H:%M:%S"):
    return datetime.datetime.fromtimestamp(
        unix_s, datetime.timezone.utc).strftime(form)


def facts_of(run):
    """What is known, in this order."""
    system, known = run.system, run.settings
    lasted = known.get("duration_s") or lasted_s(run)
    yield system.get("nodename") and f"host {system['nodename']}"
    yield system.get("kernel release") and " ".join(filter(None, [
        "Linux", system["kernel release"], system.get("preemption"),
        system.get("machine")]))
    yield system.get("online_cpus") and f"CPUs {system['online_cpus']}"
    yield " ".join(filter(None, map(system.get, (
        "machine_vendor", "machine_product", "machine_model"))))
    yield run.when and utc(run.when[0], "%Y-%m-%d %H:%M UTC")
    yield lasted and time_text(lasted)
    yield known.get("interval_us") and f"every {known['interval_us']} us"
    policy = known.get("client policy") or known.get("policy")
    yield policy and f"policy {policy} " + str(
        known.get("client priority") or known.get("priority") or "")
    yield known.get("client cpus") and f"on CPU {known['client cpus']}"


def table(runs):
    """A row a system; several runs of it share it."""
    rows = []
    for name, some in systems_of(runs).items():
        facts = dict.fromkeys(
            fact.strip() for run in some for fact in facts_of(run) if fact)
        texts = [f"{len(some)} runs"] * bool(some[1:]) + list(facts)
        commands = [FOLDERS.sub("", run.command) for run in some if run.command]
        if facts or commands:
            rows.append([name, "; ".join(filter(None, [
                ", ".join(texts), several(commands, 1)]))])
    if rows:
        yield Table("What was measured", ["system", "what"], rows, figures=2,
                    key="measured")
