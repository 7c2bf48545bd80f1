# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel's function_graph tracer wrote: calls, own times, phases.

Of one CPU, so that the order of the lines is that of time.
"""

import collections
import dataclasses
import re
import statistics

from vl_common import LabError

# With the options funcgraph-proc, -abstime and -tail, without -cpu.
LINE = re.compile(r"\s*(?P<s>[0-9]+)\.(?P<us>[0-9]{6}) \|\s*"
                  r"(?P<comm>.*?)-(?P<pid>[0-9]+)\s+\|\s*"
                  r"(?:(?P<length>[0-9.]+) us)?\s*\|  "
                  r"(?P<indent> *)(?P<what>\S.*)")
BEGIN = re.compile(r"(\S+)(?: \[\w+\])?\(.*\) \{")
LEAF = re.compile(r"(\S+)(?: \[\w+\])?\(.*\);")
END = re.compile(r"\} /\* (\S+)")
# A system call as each architecture names its function.
SYSTEM_CALL = re.compile(r"__(?:x64|arm64|riscv)_sys_(\w+)")
WAITS = {"clock_nanosleep", "rt_sigtimedwait", "nanosleep"}
RECEIVES = {"recvfrom", "recvmsg", "read"}
# Of their functions, what set_ftrace_filter takes.
MARKS = [f"*_sys_{name}" for name in sorted(WAITS | RECEIVES)]
IDLE = 0
WAIT = 20               # times as long as the shortest function
# Interrupts, on the three architectures. In another task than idle they are
# a phase of their own: a traced cycle takes longer, so more ticks fall into it.
INTERRUPTS = re.compile(r"irq_(enter|exit)(_rcu)?|__sysvec_\w+|gic_handle_irq"
                        r"|(raw_)?irqentry_exit\w*|__hrtimer_rearm_deferred"
                        r"|do_interrupt_handler|handle_riscv_irq|riscv_intc_irq"
                        r"|generic_handle_(domain|arch)_irq")
INTERRUPT = "interrupt"


@dataclasses.dataclass
class Event:
    """The beginning or the end of a call; a leaf is both."""
    time: int               # in ns, as exact as us
    comm: str               # its first letters
    pid: int
    name: str
    begins: bool
    depth: int              # of the call
    length: int = None      # in ns; None: it does not end here


@dataclasses.dataclass
class Count:
    """Of a function: calls, its own time in ns, the calls that it made."""
    calls: float = 0
    own: float = 0
    inner: float = 0


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a call began."""
    phase: str
    task: str
    function: str


@dataclasses.dataclass
class Mark:
    """What ends a phase: a task returns from one of these system calls."""
    phase: str
    pid: int
    calls: set


@dataclasses.dataclass
class Cycle:
    places: dict = dataclasses.field(
        default_factory=lambda: collections.defaultdict(Count))
    # Without interrupts, of which these are the outermost calls.
    lengths: dict = dataclasses.field(default_factory=collections.Counter)
    outermost: dict = dataclasses.field(default_factory=collections.Counter)


def events(text):
    """Of each line that tells of a call."""
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        if not found:
            continue
        for form, begins in ((LEAF, True), (BEGIN, True), (END, False)):
            named = form.match(found["what"])
            if named:
                time = int(found["s"] + found["us"]) * 1000
                length = found["length"]
                if length is not None:
                    length = round(float(length) * 1000)
                depth = len(found["indent"]) // 2
                yield Event(time, found["comm"], int(found["pid"]), named[1],
                            begins, depth, length)
                break


def system_call(event):
    """Which one returns here, None: none does."""
    found = SYSTEM_CALL.fullmatch(event.name)
    return found[1] if found and event.length is not None else None


def names_of(text, found):
    """{pid: what the task is called}; client and server without prefix.

    text: lines of pid and comm; a trace has only a comm's first letters.
    """
    names = {event.pid: event.comm for event in found}
    for pid, comm in re.findall(r"^([0-9]+) (.*)$", text, re.MULTILINE):
        names[int(pid)] = comm.removeprefix("twoway-")
    names[IDLE] = "idle"
    return names


def marks_of(names, returns):
    """The marks of a cycle, the last of which is where it ends.

    returns: {(pid, system call): how often}.
    """
    roles = {}
    for role in ("client", "server"):
        pids = [pid for pid, name in names.items() if name == role]
        if len(pids) > 1:
            raise LabError("several pairs of client and server were "
                           "measured; the phases can be told of one only")
        roles[role] = pids[0] if pids else None
    client, server = roles.values()
    if client and server:
        marks = [Mark("wakeup", client, WAITS | {"read"}),
                 Mark("send", server, RECEIVES),
                 Mark("sleep", server, WAITS),
                 Mark("receive", client, RECEIVES)]
        # With --interval=0 and --sleep=0 nobody waits for a time.
        return [mark for mark in marks if not mark.calls & WAITS or any(
            returns[mark.pid, name] for name in WAITS)]
    waits = {pid: sum(returns[pid, name] for name in WAITS)
             for pid, _ in returns}
    if not any(waits.values()):
        raise LabError("no task waited for a time during the trace; cycles "
                       f"end with {', '.join(sorted(WAITS))}")
    return [Mark("cycle", max(waits, key=waits.get), WAITS)]


@dataclasses.dataclass
class Call:
    """That has not ended yet."""
    name: str
    depth: int
    phase: str
    cycle: int
    length: int = 0
    inner: int = 0          # ns in the calls that it made
    calls: int = 0          # their number
    late: int = 0           # ns of interrupts that may come after its end
    late_calls: int = 0

    def add(self, call):
        self.inner += call.length
        self.calls += 1
        if call.phase == INTERRUPT != self.phase:
            self.late += call.length
            self.late_calls += 1

    def give(self, parent):
        """To the caller: interrupts in the tracer, after this call ended."""
        self.inner -= self.late
        self.calls -= self.late_calls
        if parent:
            parent.inner += self.late
            parent.calls += self.late_calls
            if self.phase == parent.phase:
                parent.late += self.late
                parent.late_calls += self.late_calls


class Reader:
    """Goes through the events; cycles are what it found."""

    def __init__(self, names, marks):
        self.names, self.marks = names, marks
        self.at = None              # of marks, which one is awaited
        self.since = 0
        self.cycles = []
        self.stacks = collections.defaultdict(list)
        self.lost = collections.defaultdict(list)

    def read(self, found):
        for event in found:
            if event.begins:
                self.begin(event)
            if event.length is not None:
                self.end(event)
                self.mark(event)

    def begin(self, event):
        stack = self.stacks[event.pid]
        phase = self.marks[self.at].phase if self.cycles else None
        if stack and stack[-1].phase == INTERRUPT or \
                event.pid != IDLE and INTERRUPTS.fullmatch(event.name):
            phase = INTERRUPT
        call = Call(event.name, event.depth, phase, len(self.cycles) - 1)
        # An interrupt in the tracer may come before the call it belongs to.
        self.claim(call, event.pid)
        stack.append(call)

    def claim(self, call, pid):
        lost = self.lost[pid]
        while lost and lost[-1].depth > call.depth:
            call.add(lost.pop())

    def end(self, event):
        stack = self.stacks[event.pid]
        if event.name not in [call.name for call in stack]:
            return                  # it began before the trace did
        while stack[-1].name != event.name:
            stack.pop()
        call = stack.pop()
        call.length = event.length
        # Or after it: then it belongs to the caller.
        self.claim(call, event.pid)
        if call.length < call.inner:
            call.give(stack[-1] if stack else None)
        if stack and stack[-1].depth == call.depth - 1:
            stack[-1].add(call)
        elif call.depth:
            self.lost[event.pid].append(call)
        if call.phase == INTERRUPT and self.cycles and \
                (not stack or stack[-1].phase != INTERRUPT):
            phase = self.marks[self.at].phase
            self.cycles[-1].lengths[phase] -= call.length
            self.cycles[-1].outermost[phase] += 1
        if call.cycle >= 0:
            count = self.cycles[call.cycle].places[
                Place(call.phase, self.names[event.pid], call.name)]
            count.calls += 1
            count.own += call.length - call.inner
            count.inner += call.calls

    def mark(self, event):
        """A phase may end here, and with the last one a cycle."""
        mark = self.marks[-1 if self.at is None else self.at]
        if event.pid != mark.pid or system_call(event) not in mark.calls:
            return
        time = event.time + (event.length if event.begins else 0)
        if self.at is not None:
            self.cycles[-1].lengths[mark.phase] += time - self.since
        self.since = time
        if self.at is None or mark is self.marks[-1]:
            self.at = 0
            self.cycles.append(Cycle())
        else:
            self.at += 1


@dataclasses.dataclass
class Profile:
    """The averages of some cycles; times in ns."""
    cycles: int
    places: dict            # {Place: Count}
    lengths: dict           # {phase: its length}
    outermost: dict         # {phase: its outermost calls of interrupts}
    leaf: int               # what the shortest function usually takes
    halts: str              # idle's function that halts the CPU, or None


def average(cycles):
    places = collections.defaultdict(Count)
    lengths, outermost = collections.Counter(), collections.Counter()
    for cycle in cycles:
        lengths.update(cycle.lengths)
        outermost.update(cycle.outermost)
        for place, count in cycle.places.items():
            sums = places[place]
            sums.calls += count.calls / len(cycles)
            sums.own += count.own / len(cycles)
            sums.inner += count.inner / len(cycles)
    return (dict(places), *({phase: value / len(cycles)
                             for phase, value in sums.items()}
                            for sums in (lengths, outermost)))


def shortest(found, often):
    """Of the functions that call none, what the shortest usually takes."""
    lengths = collections.defaultdict(list)
    for event in found:
        if event.begins and event.length is not None:
            lengths[event.name].append(event.length)
    return min((statistics.median_low(one) for one in lengths.values()
                if len(one) >= often), default=0)


def halting(places, leaf):
    """What the idle task spent most time in: there it waited."""
    found = collections.defaultdict(Count)
    for place, count in places.items():
        if place.task == "idle":
            found[place.function].calls += count.calls
            found[place.function].own += count.own
    # As long as no function's own work takes.
    long = {name: count.own for name, count in found.items()
            if count.own > WAIT * leaf * count.calls}
    return max(long, key=long.get, default=None)


def profile(text, tasks, wanted):
    """Of a trace, and of the names of its tasks."""
    found = list(events(text))
    names = names_of(tasks, found)
    returns = collections.Counter(
        (event.pid, name) for event in found
        for name in [system_call(event)] if name)
    reader = Reader(names, marks_of(names, returns))
    reader.read(found)
    # The last is not complete, and the one before has calls without an end.
    cycles = reader.cycles[:-2][:wanted]
    if not cycles:
        raise LabError("the trace has no whole cycle: trace more (--cycles)")
    places, lengths, outermost = average(cycles)
    leaf = shortest(found, len(cycles))
    return Profile(len(cycles), places, lengths, outermost, leaf,
                   halting(places, leaf))
