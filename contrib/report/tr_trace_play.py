# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace played back: who had each CPU, and what client and server did."""

import dataclasses

from tr_trace_text import NAMELESS

NESTED = 8              # interrupts in interrupts
COARSE_NS = 1000        # the trace has whole us
ROLES = {"client": "twoway-client", "server": "twoway-server"}
RUNS, INTERRUPTED, RUNNABLE, WAITS, UNKNOWN = (
    "runs", "interrupted", "runnable", "waits", "unknown")


@dataclasses.dataclass(slots=True)
class Slice:
    """Somebody had a CPU for a while."""
    begin_ns: int
    end_ns: int
    cpu: int
    who: str
    pid: int
    prio: int               # the kernel's; -1: unknown
    kind: str = "task"      # task, interrupt, softirq
    depth: int = 0          # 0: a task; 1: an interrupt of it; ...


@dataclasses.dataclass(slots=True)
class State:
    """What client or server did for a while."""
    begin_ns: int
    end_ns: int
    state: str
    cpu: int                # -1: unknown


def task_name(comm, pid):
    return f"{comm}-{pid}" if pid else "the idle task"


class Cpu:
    """Who has it, and the interrupts that are under way."""

    def __init__(self, number, event, begin_ns):
        self.number = number
        self.slices, self.open = [], []
        self.set_task(begin_ns, event.pid, event.comm,
                      event.prio if event.kind == "switch" else -1)

    def set_task(self, now_ns, pid, comm, prio):
        while self.open:
            self.close(now_ns)
        self.open = [Slice(now_ns, now_ns, self.number, task_name(comm, pid),
                           pid, prio)]

    def close(self, now_ns):
        one = self.open.pop()
        one.end_ns = now_ns
        self.slices.append(one)

    def follow(self, event):
        now_ns, task = event.time_ns, self.open[0]
        if event.kind == "switch":
            if task.pid == event.pid and task.prio < 0:
                task.prio = event.prio
            self.set_task(now_ns, event.other_pid, event.other_comm,
                          event.other_prio)
            return
        if task.pid != event.pid:
            self.set_task(now_ns, event.pid, event.comm, -1)
        depth = len(self.open)
        if event.kind == "enter" and depth <= NESTED:
            self.open.append(Slice(
                now_ns, now_ns, self.number, event.name, event.pid, -1,
                "softirq" if event.softirq else "interrupt", depth))
        elif event.kind == "leave" and depth > 1:
            self.close(now_ns)


class Side:
    """The client or the server."""

    def __init__(self, pid, events, begin_ns):
        self.pid, self.states = pid, []
        self.state, self.cpu, self.since_ns = UNKNOWN, -1, begin_ns
        for event in events:
            if self.foresee(event):
                break

    def foresee(self, event):
        """Where it was before the first event that names it."""
        if event.pid == self.pid:
            self.state, self.cpu = RUNS, event.cpu
        elif event.other_pid == self.pid and event.kind == "waking":
            self.state, self.cpu = WAITS, event.other_cpu
        elif event.other_pid == self.pid and event.kind == "switch":
            self.state, self.cpu = RUNNABLE, event.cpu
        return self.state != UNKNOWN

    def set(self, now_ns, state, cpu):
        if (state, cpu) == (self.state, self.cpu):
            return
        if now_ns > self.since_ns:
            self.states.append(State(self.since_ns, now_ns, self.state,
                                     self.cpu))
        self.state, self.cpu, self.since_ns = state, cpu, now_ns

    def follow(self, event, cpu):
        """cpu: the event's, which has followed it already."""
        now_ns, mine = event.time_ns, event.other_pid == self.pid
        if event.kind == "switch" and mine:
            self.set(now_ns, RUNS, event.cpu)
        elif event.kind == "switch" and event.pid == self.pid:
            self.set(now_ns, RUNNABLE if event.runnable else WAITS,
                     event.cpu)
        elif event.kind == "waking" and mine:
            # About to block, it may be woken before it has.
            if self.state not in (RUNS, INTERRUPTED):
                self.set(now_ns, RUNNABLE, event.other_cpu)
        elif event.kind == "migrate" and mine:
            self.set(now_ns, self.state, event.other_cpu)
        elif event.pid == self.pid:
            self.set(now_ns, INTERRUPTED if len(cpu.open) > 1 else RUNS,
                     event.cpu)


@dataclasses.dataclass
class Playback:
    """Slices of each CPU, states of each side; all in order of time."""
    begin_ns: int
    end_ns: int
    cpus: dict              # number -> list of Slice
    sides: dict             # role -> list of State
    pids: dict              # role -> pid
    wakeups: list           # (time, role)


def server_of(trace):
    """Whom the client woke, else who ran last before t2; None: not here.

    Other pairs of client and server may run at the same time.
    """
    name, stamps, found = ROLES["server"], trace.stamps, None
    if "t2" not in stamps:
        return None
    for event in trace.events:
        if event.time_ns > stamps["t2"]:
            break
        if event.kind == "waking" and event.pid == trace.client_pid and \
                event.time_ns >= stamps["t0"] - COARSE_NS and \
                event.other_comm == name:
            return event.other_pid
        if event.comm == name:
            found = event.pid
        elif event.kind == "switch" and event.other_comm == name:
            found = event.other_pid
    return found


def pids_of(trace, known):
    """known: role -> pid, from the results."""
    found = {"client": trace.client_pid, "server": server_of(trace)} | known
    return {role: pid for role, pid in found.items() if pid}


def names_of(events):
    """pid -> name, for lines that lack it."""
    names = {}
    for event in events:
        if event.comm != NAMELESS:
            names[event.pid] = event.comm
        if event.kind == "switch" and event.other_comm != NAMELESS:
            names[event.other_pid] = event.other_comm
    return names


def settle(events, pid):
    """Who was woken on its way to sleep is runnable: no wake-up follows."""
    left, woken = None, False
    for event in events:
        if event.kind == "switch" and event.pid == pid:
            left = event if woken and not event.runnable else None
            woken = False
        elif event.kind == "switch" and event.other_pid == pid:
            if left:
                left.runnable = True
            left, woken = None, False
        elif event.kind == "waking" and event.other_pid == pid:
            left, woken = None, True


def play(trace, known):
    """known: as pids_of() takes it."""
    events = trace.events
    begin_ns = min(events[0].time_ns, *trace.stamps.values())
    end_ns = max(events[-1].time_ns, *trace.stamps.values())
    pids = pids_of(trace, known)
    for pid in pids.values():
        settle(events, pid)
    sides = {role: Side(pid, events, begin_ns) for role, pid in pids.items()}
    cpus = {}
    for event in events:
        if event.cpu not in cpus:
            cpus[event.cpu] = Cpu(event.cpu, event, begin_ns)
        cpus[event.cpu].follow(event)
        for side in sides.values():
            side.follow(event, cpus[event.cpu])
    for cpu in cpus.values():
        while cpu.open:
            cpu.close(end_ns)
    for side in sides.values():
        side.set(end_ns, None, -1)
    names = names_of(events)
    for cpu in cpus.values():
        for one in cpu.slices:
            if one.kind == "task" and one.who.startswith(NAMELESS):
                one.who = task_name(names.get(one.pid, NAMELESS), one.pid)
    return Playback(begin_ns, end_ns, {
        number: sorted((one for one in cpus[number].slices
                        if one.end_ns > one.begin_ns),
                       key=lambda one: (one.begin_ns, one.depth))
        for number in sorted(cpus)},
        {role: side.states for role, side in sides.items()}, pids,
        [(event.time_ns, role) for event in events if event.kind == "waking"
         for role, pid in pids.items() if event.other_pid == pid])
