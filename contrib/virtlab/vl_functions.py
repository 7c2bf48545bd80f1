# SPDX-License-Identifier: GPL-2.0-or-later
"""functions: in which functions of the kernel a cycle spent its time.

Each kernel is booted once, apart from exact measurements: first the command
runs untraced, then with the function_graph tracer, whose cost is taken from
the difference between the two.
"""

import collections
import dataclasses
import json
import pathlib
import re
import textwrap

import vl_graph
import vl_run
from twtools import tables
from vl_common import LabError
from vl_directory import scratch

GUEST = pathlib.Path(__file__).with_name("functions")
# Of the trace, for a cycle; a call takes about 80 bytes.
CYCLE_KIB = 192
# A traced cycle takes up to 20 times as long: it has to fit, else the guest
# does nothing else.
PERIOD_US = 10000
PERIODIC = {"twowaytest", "cyclictest"}
PERIOD = re.compile(r"(?:-\w*i|--int\w*)[= ]?([0-9]+)")
LINES = 40              # of a table of functions
ENDS = {3: "this kernel has no function_graph tracer "
           "(CONFIG_FUNCTION_GRAPH_TRACER)",
        5: "it has none of the functions of --only",
        4: "what was measured ended within 2 s, before it was traced to the "
           "end: leave out -l and -D, virtlab ends it"}
NOTE = """\
Averages of {cycles} cycles: calls, and own times in us, which do not contain
the functions called. A traced call takes {cost}; {done}. So a cycle takes
longer than usual, and more of the kernel's ticks fall into it: interrupts of
other tasks than idle are a phase of their own. Time outside traced functions
(user space, the entry into the kernel) belongs to none, or to the function
interrupted. {halts}"""


@dataclasses.dataclass
class Traced:
    """A kernel's profile, without the tracer's cost where that is known."""
    profile: vl_graph.Profile
    untraced: dict          # {phase: ns}
    cost: float = None      # of a traced call, in ns

    def own(self, place):
        """In ns; None: idle waited there, too."""
        count = self.profile.places.get(place, vl_graph.Count())
        if place.task == "idle" and place.function == self.profile.halts:
            return None
        if self.cost is None:
            return count.own
        inside = self.profile.leaf
        return max(0, count.own - inside * count.calls
                   - (self.cost - inside) * count.inner)

    def calls(self, place):
        return self.profile.places.get(place, vl_graph.Count()).calls


def check(command):
    """LabError if a traced cycle would not fit into the period."""
    found = PERIOD.findall(" ".join(command[1:]))
    period = int(found[-1]) if found else 1000
    if command[0] in PERIODIC and 0 < period < PERIOD_US:
        raise LabError(f"period of {period} us: a traced cycle takes up to "
                       "20 times as long as others; give -i with "
                       f"{PERIOD_US} us or more, such as -i 20260, or 0")


def items_of(item, cycles, only):
    """The measurements in the guest: untraced and traced."""
    plain = [word for word in item.command if not word.startswith("--json")]
    names = " ".join([*only, *vl_graph.MARKS] if only else [])
    return [vl_run.Measurement(
                item.name, [GUEST.name, "0", "", *item.command]),
            vl_run.Measurement("functions", [
                GUEST.name, str(cycles * CYCLE_KIB), names, *plain])]


def untraced(path):
    """{phase: average in ns} of a result of twowaytest's; else nothing."""
    if not path.exists():
        return {}
    result = json.loads(path.read_text())
    unit = 1 if result.get("resolution_in_ns") else 1000
    return {thread["metric"]: thread["avg"] * unit
            for thread in result["thread"].values() if "metric" in thread}


def cost_of(profile, lengths):
    """Of a traced call in ns, from phases in which nobody waits."""
    phases = [phase for phase in ("send", "receive")
              if phase in profile.lengths]
    whole = len(phases) == len(profile.lengths)
    known = [lengths.get(phase) for phase in
             (["interval"] if whole else phases)]
    calls = sum(count.calls for place, count in profile.places.items()
                if place.phase in phases)
    if not calls or None in known:
        return None
    # Of an interrupt, only what its trace costs the interrupted one is left.
    outermost = sum(profile.outermost.get(phase, 0) for phase in phases)
    longer = sum(profile.lengths[phase] for phase in phases) - sum(known)
    return (longer + outermost * profile.leaf) / (calls + outermost)


def read(directory, name, cycles):
    """What the guest of one kernel wrote."""
    profile = vl_graph.profile(
        (directory / "functions.trace").read_text(errors="replace"),
        (directory / "functions.tasks").read_text(errors="replace"), cycles)
    lengths = untraced(directory / f"{name}.json")
    return Traced(profile, lengths, cost_of(profile, lengths))


def measure(kernels, item, setup, cycles, only, added, binary):
    """{kernel's name: Traced}."""
    if not only:
        check(item.command)
    with scratch() as output:
        # The program's own name tells what the image needs.
        statuses = vl_run.run(kernels, items_of(item, cycles, only), setup, output,
                              [*added, GUEST], binary, item.command[:1])
        for kernel, ended in statuses.items():
            for name, status in ended.items():
                if status:
                    said = (output / kernel / f"{name}.txt").read_text()
                    why = ENDS.get(status, f"exit status {status}")
                    raise LabError(f"{kernel}: {why}: {said}".rstrip(": \n"))
        return {kernel.name: read(output / kernel.name, item.name, cycles)
                for kernel in kernels}


def us(value):
    return "-" if value is None else f"{value / 1000:.2f}"


def row_of(place, *figures):
    return [place.phase, place.task, place.function, *figures]


def note(traced):
    cost, done = "an unknown time", "the times contain it"
    if traced.cost is not None:
        cost, done = f"{traced.cost:.0f} ns", "the times do not contain it"
    halts = f"In {traced.profile.halts}, idle waited, too." \
        if traced.profile.halts else ""
    return textwrap.fill(NOTE.format(cycles=traced.profile.cycles, cost=cost,
                                     done=done, halts=halts), 79)


def phases_of(traced):
    """Table: each task in each phase."""
    sums = collections.defaultdict(lambda: [0, 0])
    for place, count in traced.profile.places.items():
        both = sums[place.phase, place.task]
        both[0] += count.calls
        both[1] += traced.own(place) or 0
    return tables.Table(
        "phases", ["phase", "task", "calls", "own", "phase untraced"],
        [[phase, task, f"{calls:.1f}", us(own),
          us(traced.untraced.get(phase))]
         for (phase, task), (calls, own) in sums.items()], figures=2)


def functions_of(traced):
    """Table: the functions with the longest own times."""
    places = sorted(traced.profile.places,
                    key=lambda place: -(traced.own(place) or 0))
    return tables.Table(
        "functions", ["phase", "task", "function", "calls", "own"],
        [row_of(place, f"{traced.calls(place):.2f}", us(traced.own(place)))
         for place in places[:LINES]], figures=3)


def differences(one, other, names):
    """Table: the functions whose own times differ most."""
    found = []
    for place in {**one.profile.places, **other.profile.places}:
        own = [traced.own(place) for traced in (one, other)]
        # Where one kernel's idle task waits, times say nothing.
        if None not in own:
            found.append((own[1] - own[0], place, own))
    found.sort(key=lambda item: (-abs(item[0]), item[1].function))
    return tables.Table(
        f"differences, {names[0]} to {names[1]}",
        ["phase", "task", "function", *(f"{what} {side}" for side in "AB"
                                        for what in ("calls", "own")),
         "difference"],
        [row_of(place, f"{one.calls(place):.2f}", us(own[0]),
                f"{other.calls(place):.2f}", us(own[1]),
                f"{change / 1000:+.2f}")
         for change, place, own in found[:LINES]], figures=3)


def text(found):
    """All tables, for a terminal."""
    parts = []
    for name, traced in found.items():
        parts += [f"# {name}", tables.terminal(phases_of(traced)), "",
                  tables.terminal(functions_of(traced)), "", note(traced),
                  ""]
    names = list(found)
    for name in names[1:]:
        parts += [tables.terminal(differences(
            found[names[0]], found[name], [names[0], name])), ""]
    return "\n".join(parts)


def to_json(found, command):
    """All functions, of all kernels."""
    return json.dumps({"command": command, "kernels": {
        name: {"cycles": traced.profile.cycles,
               "traced_call_ns": traced.cost,
               "idle_waits_in": traced.profile.halts,
               "untraced_ns": traced.untraced,
               "functions": [
                   {**dataclasses.asdict(place),
                    "calls": round(count.calls, 3),
                    "own_ns": traced.own(place),
                    "traced_own_ns": count.own}
                   for place, count in traced.profile.places.items()]}
        for name, traced in found.items()}}, indent=1) + "\n"
