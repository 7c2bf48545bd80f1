# SPDX-License-Identifier: GPL-2.0-or-later
"""campaign.json of contrib/campaign: it names the results of a matrix of
measurements, which lie beside it, and tells what else used the system."""

import dataclasses
import itertools
import os
import pathlib
import re

from twoway.read.member import NULL, NUMBER, flat
from twoway.series.model import InputError

FORMAT = 1
FIGURES = ("start", "work_per_second", "steal_percent", "others_percent",
           "load_average", "thermal_events", "hottest_celsius", "exit_status")
# Different in every session, and nobody's change.
CHANCE = {"tracer", "cpu_dma_latency_us", "timer_slack_ns"}


@dataclasses.dataclass
class Campaign:
    path: str
    records: dict = dataclasses.field(default_factory=dict)  # title -> FIGURES
    lacking: dict = dataclasses.field(default_factory=dict)  # title -> why
    changes: list = dataclasses.field(default_factory=list)
    set_up: list = dataclasses.field(default_factory=list)


def is_one(data):
    return {"plan", "sessions", "measurements"} <= data.value.keys()


def matrix(plan):
    """(placement, load, tool) each, in the order in which they were
    measured."""
    lists = [plan.get(key, list) for key in ("placements", "loads", "tools")]
    for key, words in zip(("placements", "loads", "tools"), lists):
        if not all(isinstance(word, str) and re.fullmatch("[a-z]+", word)
                   for word in words):
            plan.bad(key, "a list of words is expected")
    return itertools.product(*lists)


def text_of(value):
    return str(value) if value not in (None, "") else "none"


def changes(data):
    """What --check found changed: what, before and after, when."""
    first = {}
    boots = set()
    for number, session in enumerate(data.items("sessions"), 1):
        boots.add(session.get("boot_id", str))
        for key, when in (("environment", "start"), ("environment_end", "end")):
            if key not in session.value:
                continue
            moment = f"{when} of session {number}"
            for what, is_now in flat(session.inner(key)).items():
                was, since = first.setdefault(what, (is_now, moment))
                if was != is_now and what not in CHANCE:
                    yield f"{what}: {text_of(was)} ({since}), " \
                        f"{text_of(is_now)} ({moment})"
    if len(boots) > 1:
        yield f"the system was booted again: {len(boots)} boots"


def set_up(data):
    plan = data.inner("plan")
    for of, member in (("system", data.inner("system")), ("plan", plan),
                       ("CPU", plan.inner("cpus"))):
        for key, value in member.value.items():
            if isinstance(value, list):
                value = ",".join(map(str, value))
            if not isinstance(value, dict):
                yield [of, key, text_of(value)]


def read(data, name, read_file):
    """The parts of all measurements; read_file(path, name) reads one."""
    if data.get("format", int) != FORMAT:
        data.bad("format", f"{data.value['format']}; {FORMAT} is expected")
    directory = pathlib.Path(data.path).parent
    found, parts = Campaign(data.path), []
    found.changes += changes(data)
    found.set_up += set_up(data)
    sessions = list(data.items("sessions"))
    environments = [one.inner("environment") for one in sessions]
    findings = [(one.get("name", str), one.get("read", str))
                for one in environments[0].items("findings")] \
        if environments else []
    prefix = "" if name == pathlib.Path(data.path).stem else f"{name} "
    for placement, load, tool in matrix(data.inner("plan")):
        key = f"{placement}-{load}-{tool}"
        title = f"{placement} {load} {tool}"
        record = data.inner("measurements").inner(key)
        state = record.get("state", str, default="waiting")
        found.records[title] = {"is": state} | {
            key: record.get(key, str, *NUMBER, NULL, default=None)
            for key in FIGURES}
        if state != "finished":
            found.lacking[title] = record.get("message", str, default=state)
            continue
        for part in read_file(os.fspath(directory / f"{key}.json"),
                              f"{prefix}{placement} {tool}"):
            part.group, part.colour_name = f"load {load}", part.name
            part.campaign = found
            part.virtual |= any(one.get("virtual", bool, NULL, default=None)
                                is True for one in environments)
            part.findings = part.findings or findings
            parts.append(part)
    if not parts:
        raise InputError(data.path, None, "no measurement is finished")
    return parts
