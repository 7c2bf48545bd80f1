# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's trace of a broken cycle, as --trace-file writes it.

Its lines are read by the rules of the program's own analysis, so that both
see the same tasks and interrupts on a CPU.
"""

import dataclasses
import re

from tr_input import open_input
from tr_model import InputError

# "  NAME-PID   [001] d..2.  12.345678: event: arguments"; what looks like a
# CPU may be in the task's name.
EVENT = re.compile(r" *(?P<comm>.*?)-(?P<pid>\d+) +(?:\( *[-\d]+\) +)?"
                   r"\[(?P<cpu>\d+)\] +(?P<flags>\S+) +"
                   r"(?P<s>\d+)\.(?P<us>\d{6}): (?P<name>[^:]+):? ?"
                   r"(?P<args>.*)")
STAMP = re.compile(r"# (\d+)\.(\d{9}): twowaytest: cycle (\d+): (\w+): .+")
MARK = re.compile(r"twowaytest: cycle (\d+): (\w+) (\d+) us > (\d+) us:")
SWITCH = re.compile(r"prev_comm=(.*?) prev_pid=\d+ prev_prio=(-?\d+) "
                    r"prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) "
                    r"next_prio=(-?\d+)")
TASK = re.compile(r"comm=(.*) pid=(\d+) prio=(-?\d+)(?: .*)?_cpu=(\d+)")
STAMPS = ("planned", "t0", "t1", "t2", "t3")
NAMELESS = "<...>"      # the kernel had forgotten the task's name
COMM = 15               # letters of a task's name
BEGIN = "# tracer: "
STACK = ": <stack trace>"


@dataclasses.dataclass(slots=True)
class Event:
    """A line: who had the CPU, and what happened there."""
    time_ns: int
    cpu: int
    pid: int
    comm: str
    kind: str               # switch, waking, migrate, enter, leave, mark, ""
    name: str = ""          # of an interrupt or softirq
    softirq: bool = False
    prio: int = -1          # of who leaves at a switch
    runnable: bool = False  # it could go on
    other_pid: int = -1     # who comes, who is woken, who is moved
    other_comm: str = ""
    other_prio: int = -1
    other_cpu: int = -1


@dataclasses.dataclass
class Trace:
    """All that the file says."""
    path: str
    events: list
    stamps: dict            # of STAMPS -> ns on the trace's clock
    cycle: int
    metric: str | None = None       # what was above its limit, in us
    value_us: int | None = None
    limit_us: int | None = None
    client_pid: int | None = None


def read_switch(event, args):
    found = SWITCH.match(args)
    if not found:
        return
    event.kind = "switch"
    event.prio, event.runnable = int(found[2]), found[3][0] == "R"
    event.other_comm, event.other_pid = found[4], int(found[5])
    event.other_prio = int(found[6])
    if event.comm == NAMELESS:
        event.comm = found[1][:COMM]


def read_task(kind):
    def read(event, args):
        if found := TASK.search(args):
            event.kind, event.other_comm = kind, found[1]
            event.other_pid, event.other_prio, event.other_cpu = map(
                int, found.groups()[1:])
    return read


def read_irq(event, args):
    found = re.search(r"=(\d+)(?:.*?name=(.*))?", args)
    if found:
        event.name = f"interrupt {found[1]}" + (
            f" ({found[2]})" if found[2] else "")
        event.kind = "enter"


def read_softirq(event, args):
    if found := re.search(r"action=([^]]*)", args):
        event.kind, event.name = "enter", f"softirq {found[1]}"
        event.softirq = True


def read_vector(event, args):
    """Of the interrupt controller: the event's own name is its name."""
    if "vector=" in args or event.name.startswith("ipi "):
        event.kind = "enter"


def read_mark(event, args):
    event.kind, event.name = "mark", args


# How the event's name begins and ends; the first that fits.
FORMS = (("sched_switch", "", read_switch),
         ("sched_waking", "", read_task("waking")),
         ("sched_migrate_task", "", read_task("migrate")),
         ("tracing_mark_write", "", read_mark),
         ("irq_handler", "_entry", read_irq),
         ("irq_handler", "_exit", read_irq),
         ("softirq", "_entry", read_softirq),
         ("softirq", "_exit", read_softirq),
         ("net_dev", "", None), ("netif_", "", None),
         ("", "_entry", read_vector), ("", "_exit", read_vector))


def read_event(line):
    """None if it is none."""
    found = EVENT.match(line)
    if not found:
        return None
    event = Event(int(found["s"]) * 10**9 + int(found["us"]) * 1000,
                  int(found["cpu"]), int(found["pid"]),
                  found["comm"][:COMM], "")
    name = found["name"]
    for begin, end, read in FORMS:
        if name.startswith(begin) and name.endswith(end):
            if read:
                event.name = name.removesuffix(end) + " interrupt"
                read(event, found["args"])
            if event.kind == "enter" and end == "_exit":
                event.kind = "leave"
            break
    return event


def take_stamp(trace, number, match):
    if match[4] not in STAMPS:
        return
    if trace.cycle not in (None, int(match[3])):
        raise InputError(trace.path, number, f"cycle {match[3]} after cycle "
                         f"{trace.cycle}; a trace of one cycle is expected")
    trace.cycle = int(match[3])
    trace.stamps[match[4]] = int(match[1]) * 10**9 + int(match[2])


def take_mark(trace, event):
    """Who wrote it is the client."""
    if found := MARK.match(event.name):
        trace.metric = found[2]
        trace.value_us, trace.limit_us = int(found[3]), int(found[4])
        trace.client_pid = event.pid


def check(trace):
    times = [trace.stamps[name] for name in STAMPS if name in trace.stamps]
    if "t0" not in trace.stamps or "t3" not in trace.stamps:
        raise InputError(trace.path, None, "no cycle of twowaytest is marked "
                         "in this trace; what --trace-file of twowaytest "
                         "wrote is expected")
    if times != sorted(times) or times[0] == times[-1]:
        raise InputError(trace.path, None, f"the stamps of cycle "
                         f"{trace.cycle} are not in order of time")
    if not any(event.kind == "switch" for event in trace.events):
        raise InputError(trace.path, None, "no sched_switch, so nobody can "
                         "tell who had a CPU; leave out --trace=EVENTS, or "
                         "add sched to it")


def read_trace(path):
    trace = Trace(str(path), [], {}, None)
    with open_input(path, "r", encoding="utf-8", errors="replace",
                    newline="\n") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if match := STAMP.fullmatch(line):
                take_stamp(trace, number, match)
            # A stack at a switch has the task that left as the current one.
            elif not line.startswith("#") and STACK not in line and (
                    event := read_event(line)):
                trace.events.append(event)
                if event.kind == "mark":
                    take_mark(trace, event)
    check(trace)
    return trace
