# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of twowaytest and of cyclictest."""

from twoway.read import (broke, columns, cyclictest, hosts, oneway, remarks,
                         schema2, stamps, when)
from twoway.read.member import NULL, flat
from twoway.read.thread import read_thread, threads
from twoway.series.model import ALL_PHASES, InputError, Part, Worst
from twoway.series.stats import combined
from twtools.units import of_json

SCHEMA = 3
# Of the virtual lab: these set it up, all else is what was measured in it.
LAB_SETTINGS = ("mode", "qemu", "qemu_arguments", "cpus", "memory_mib")
DIGITS = 12             # of a hash


def read_lab(data, part):
    """What the virtual lab adds to the results of either program."""
    lab = data.inner("lab")
    if not lab.value:
        return
    part.virtual = True
    part.lab_mode = lab.get("mode", str, default=None)
    for key, value in flat(lab).items():
        if key.endswith("sha256"):
            value = str(value)[:DIGITS]
        to = part.settings if key in LAB_SETTINGS else part.system
        to[f"lab {key}"] = value


def read_system(data, member, part):
    """Where and when it was measured; member: has the environment, if any."""
    info, system = data.inner("sysinfo"), member.inner("system")
    part.when = when.read(data)
    part.command = data.get("cmdline:", str, default=None)
    part.system |= {
        f"kernel {key}" if key in ("release", "version") else key:
        info.get(key, str, int, default=None)
        for key in ("nodename", "machine", "release", "version")} | {
        key: value for key, value in flat(system).items()
        if key != "release"}
    part.virtual = system.get("virtual", bool, NULL, default=None) is True
    read_lab(data, part)


def read_cyclictest(data, name):
    unit = of_json(data.get("resolution_in_ns", int, default=0))
    series = [one for thread in threads(data)
              if (one := read_thread(thread, "wakeup", unit, unit)).count]
    if not series:
        raise InputError(data.path, "member thread", "no cycles")
    part = Part(data.path, "cyclictest", name, program="cyclictest",
                series={"wakeup": combined(series)})
    part.count = part.series["wakeup"].count
    text = data.get("cmdline:", str, default=None)
    part.settings = {"command line": text} | cyclictest.settings(text)
    read_system(data, data.inner("twoway"), part)
    remarks.read_status(data, part)
    if len(series) > 1:
        part.remarks.append(f"{len(series)} threads together")
    return part


def read_worst(twoway, part):
    worst = twoway.inner("worst")
    found = [(worst.inner(metric), metric, part.worst)
             for metric in worst.value]
    spikes = twoway.inner("spikes")
    of = spikes.get("metric", str, default="total")
    found += [(spike, of, part.spikes) for spike in spikes.items("kept")]
    for cycle, metric, to in found:
        values = cycle.inner("values")
        to.append(Worst(metric, values.get(metric, int),
                        cycle.get("since_start_ns", int),
                        {phase: values.get(phase, int) for phase in ALL_PHASES
                         if phase in values.value},
                        cycle.get("step", int, default=0),
                        cycle.get("pair", int, default=None)
                        if part.pairs else None))


def read_twoway(data, name):
    unit = of_json(data.get("resolution_in_ns", int))
    twoway = data.inner("twoway")
    if not data.get("thread", dict):
        raise InputError(data.path, "member thread",
                         "no measurement; this is the result of --check")
    part = Part(data.path, "json", name, program="twowaytest")
    schema = twoway.get("schema", int, default=1)
    if schema not in (schema2.SCHEMA, SCHEMA):
        twoway.bad("schema", f"{schema}; {SCHEMA} is expected, which "
                   "twowaytest writes now: measure again")
    columns.read(data, part, unit)
    read_system(data, twoway, part)
    part.lost = twoway.get("not_dumped", int, default=0)
    read_worst(twoway, part)
    oneway.read(twoway, part)
    stamps.read(twoway, part)
    remarks.read(data, twoway, part)
    broke.read(twoway, part, unit)
    hosts.remarks(twoway, part)
    return part


def read(data, name):
    if "twoway" in data.value:
        return [read_twoway(data, name)]
    if "thread" in data.value:
        return [read_cyclictest(data, name)]
    raise InputError(data.path, "member thread", "missing; results of "
                     "twowaytest, primitivetest or cyclictest are expected")
