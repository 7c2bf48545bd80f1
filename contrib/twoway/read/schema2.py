# SPDX-License-Identifier: GPL-2.0-or-later
"""Schema 2 of --json, of twowaytest and primitivetest, made that of now.

What is not as it was written is left as it is: the reader refuses it.
"""

from twoway.series.model import METRICS, SPANS
from twtools.units import of_json

SCHEMA = 2
UNITS = ("workers", "groups", "copies")     # of a load
NS = "_ns"


def objects(value, key=None):
    """Those in a member that is an array or an object of some."""
    value = value if key is None else value.get(key)
    found = value.values() if isinstance(value, dict) else \
        value if isinstance(value, list) else ()
    return [one for one in found if isinstance(one, dict)]


def of(value, key):
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def name_units(entry):
    """A load, or a step of a ramp."""
    for unit in UNITS:
        if unit in entry:
            entry["units"], entry["unit"] = entry.pop(unit), unit


def move_values(cycle, unit):
    """Of a cycle: NAME_ns, or NAME of a metric in the file's unit."""
    names = [key for key in cycle
             if key.endswith(NS) and key != "since_start_ns"]
    cycle["values"] = {key.removesuffix(NS): cycle.pop(key) for key in names}
    for metric in cycle.keys() & {*METRICS, *SPANS}:
        value = cycle.pop(metric)
        cycle["values"][metric] = unit.read(value) \
            if type(value) is int else value


def taken(member, key):
    """Out of a member: the entries of an object; what is none is one."""
    found = member.pop(key, {})
    return found.items() if isinstance(found, dict) else [(key, found)]


def stamped(own):
    """What stamps divide network into: series of each pair."""
    for number, pair in enumerate(objects(own, "pairs")):
        stamps = of(pair, "stamps")
        for span, times in taken(stamps, "parts"):
            yield {"pair": number, "span": span, "stamped": True,
                   "cycles": stamps.get("cycles")} | {
                key.removesuffix(NS): value for key, value in times.items()} \
                if isinstance(times, dict) else times


def of_tests(own):
    """The columns of a test of primitivetest are series."""
    for test in objects(own, "tests"):
        for _, metric in taken(test, "metrics"):
            yield {"test": test.get("name"), "span": metric.get("column")} \
                if isinstance(metric, dict) else metric


def upgrade(own, unit):
    """The member of a program; and that of the server's host in it."""
    if own.get("schema") != SCHEMA:
        return
    own["system"] = own.pop("environment", None)
    for entry in objects(own, "load") + objects(own, "steps"):
        name_units(entry)
    for cycle in objects(own, "worst") + objects(of(own, "spikes"), "kept") + \
            objects(own, "breaks"):
        move_values(cycle, unit)
    own["series"] = [*stamped(own), *of_tests(own)]
    upgrade(of(own, "peer"), unit)


def read(data):
    """data: the whole file, a Member."""
    unit = of_json(data.value.get("resolution_in_ns"))
    for program in "twoway", "primitives":
        upgrade(of(data.value, program), unit)
