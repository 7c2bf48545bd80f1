# SPDX-License-Identifier: GPL-2.0-or-later
"""functions: in which functions of the kernel a cycle spent its time.

By QEMU's log of the guest's instructions, which costs the guest nothing.
"""

import dataclasses
import json
import pathlib
import textwrap

import vl_cycles
import vl_run
import vl_steps
from twtools import tables
from vl_common import LabError, figures
from vl_cycles import NS
from vl_directory import scratch

GUEST = pathlib.Path(__file__).with_name("functions")
LINES = 40              # of a table of functions
# A cycle has up to so many calls that wait; some more cycles are not whole.
CALLS = 4
MORE = 4
NOTE = """\
{what}: calls, and own instructions, which do not contain the functions called,
as time: {ns} ns each. Phases end where the task returns to user space, as
twowaytest's do some 100 instructions later."""


@dataclasses.dataclass
class Found:
    """Of a kernel."""
    average: vl_cycles.Profile
    worst: vl_cycles.Profile    # the longest cycle, or None
    measured: dict              # {metric: average in ns}, of the whole run

    def shown(self):
        return self.worst or self.average


def measured(path):
    """{metric: average in ns} of a result; nothing if there is none."""
    if not path.exists():
        return {}
    return {metric: one["avg"] for metric, one in figures(path).items()}


def symbols_of(kernels, setup, binary):
    """{kernel's name: its symbols}, by a boot that does nothing else."""
    item = vl_run.Measurement("symbols", ["cat", "/proc/kallsyms"])
    with scratch() as output:
        vl_run.run(kernels, [item], dataclasses.replace(setup, settle=0),
                   output, (), binary)
        return {kernel.name: vl_steps.Symbols(
                    (output / kernel.name / "symbols.txt").read_text())
                for kernel in kernels}


def found_in(reader, lengths, cycles, worst):
    """What one kernel's log says of the cycles."""
    steady = reader.calls if reader.steady is None else reader.steady
    if reader.stepping and steady > vl_steps.SKIPPED:
        raise LabError("QEMU obeyed too late, as this computer is busy: try "
                       "again")
    names, known = vl_cycles.cycles_of(reader.segments, lengths)
    known = [cycle for cycle in known
             if cycle[0].calls > vl_steps.SKIPPED][:cycles]
    if len(known) < cycles:
        raise LabError(f"the log has {len(known)} cycles, not {cycles}: they "
                       "are looked at from 1.5 s on; give -D or -l so that "
                       "the measurement lasts longer")
    return Found(vl_cycles.profile(names, known),
                 vl_cycles.profile(names, [vl_cycles.longest(known)])
                 if worst else None, lengths)


def measure(kernels, item, setup, cycles, worst, added, binary):
    """{kernel's name: Found}."""
    symbols = symbols_of(kernels, setup, binary)
    readers = {name: vl_steps.Reader(one, setup.machine.call,
                                     CALLS * (cycles + MORE))
               for name, one in symbols.items()}
    logged = vl_run.Measurement(item.name, [GUEST.name, *item.command])
    with scratch() as output:
        # The program's own name tells what the image needs.
        statuses = vl_run.run(kernels, [logged], setup, output,
                              [*added, GUEST], binary, item.command[:1],
                              readers)
        for kernel, ended in statuses.items():
            if ended[item.name] not in (0, 2):
                said = (output / kernel / f"{item.name}.txt").read_text()
                raise LabError(f"{kernel}: exit status {ended[item.name]}: "
                               f"{said}".rstrip(": \n"))
        found = {}
        for name, reader in readers.items():
            try:
                found[name] = found_in(
                    reader, measured(output / name / f"{item.name}.json"),
                    cycles, worst)
            except LabError as err:
                raise LabError(f"{name}: {err}") from None
        return found


def us(instructions):
    return f"{instructions * NS / 1000:.3f}"


def row_of(*texts, count):
    return [*texts, f"{count.calls:.2f}", us(count.instructions)]


def phases_of(found):
    """Table: how long each phase is."""
    shown = found.shown()
    return tables.Table(
        "phases", ["phase", "us", "measured"],
        [[phase, us(shown.instructions(phase)),
          f"{found.measured[phase] / 1000:.3f}"
          if phase in vl_cycles.MEASURED & found.measured.keys() else "-"]
         for phase in shown.phases], figures=1)


def functions_of(profile):
    """Table: the functions with the most instructions."""
    places = [(phase, function, count)
              for phase, counts in profile.phases.items()
              for function, count in counts.items()]
    places.sort(key=lambda place: -place[2].instructions)
    return tables.Table(
        "functions", ["phase", "function", "calls", "us"],
        [row_of(phase, function, count=count)
         for phase, function, count in places[:LINES]], figures=2)


def differences(one, other, names):
    """Table: the functions whose instructions differ most."""
    changes = []
    for phase in {**one.phases, **other.phases}:
        for function in {**one.phases.get(phase, {}),
                         **other.phases.get(phase, {})}:
            counts = [profile.count(phase, function)
                      for profile in (one, other)]
            changes.append((counts[1].instructions - counts[0].instructions,
                            phase, function, counts))
    changes.sort(key=lambda item: (-abs(item[0]), item[1:3]))
    return tables.Table(
        f"differences, {names[0]} to {names[1]}",
        ["phase", "function", "calls A", "us A", "calls B", "us B",
         "difference"],
        [[*row_of(phase, function, count=counts[0]),
          *row_of(count=counts[1]), f"{change * NS / 1000:+.3f}"]
         for change, phase, function, counts in changes[:LINES]], figures=2)


def note(found):
    what = f"The longest of {found.average.cycles} cycles" if found.worst \
        else f"Averages of {found.average.cycles} cycles"
    return textwrap.fill(NOTE.format(what=what, ns=NS), 79)


def text(found):
    """All tables, for a terminal."""
    parts, names = [], list(found)
    for name, one in found.items():
        parts += [f"# {name}", tables.terminal(phases_of(one)), "",
                  tables.terminal(functions_of(one.shown())), "", note(one),
                  ""]
        if one.worst:
            parts += [tables.terminal(differences(
                one.average, one.worst, ["average", "longest"])), ""]
    for name in names[1:]:
        parts += [tables.terminal(differences(
            found[names[0]].shown(), found[name].shown(),
            [names[0], name])), ""]
    return "\n".join(parts)


def profile_json(profile):
    return {phase: {"instructions": round(profile.instructions(phase), 3),
                    "functions": {
                        function: {"calls": round(count.calls, 3),
                                   "instructions": round(count.instructions,
                                                         3)}
                        for function, count in counts.items()}}
            for phase, counts in profile.phases.items()}


def to_json(found, command):
    """All functions, of all kernels."""
    return json.dumps({
        "command": command, "instruction_ns": NS,
        "kernels": {name: {
            "cycles": one.average.cycles, "measured_ns": one.measured,
            "average": profile_json(one.average),
            "longest": profile_json(one.worst) if one.worst else None}
            for name, one in found.items()}}, indent=1) + "\n"
