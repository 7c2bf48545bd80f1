# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces of broken cycles for Perfetto: Chrome's JSON trace event format.

A run has two processes there: its CPUs, and its client and server. The cycles
of several runs begin at the same time.
"""

import json

from tr_model import InputError
from tr_trace_play import ROLES
from twtools.units import us

RUNNING = 2             # processes a run
# Threads of the second process, in this order.
THREADS = ("phases", "cause", *ROLES)


def time_us(ns):
    return round(ns / 1000, 3)


class Export:
    """The events of a picture; shift_ns: what is added to its times."""

    def __init__(self, picture, number, shift_ns):
        self.picture, self.shift_ns = picture, shift_ns
        self.cpus, self.own = (1 + RUNNING * number + i for i in (0, 1))
        self.events = []

    def name(self, kind, pid, tid, name, order):
        self.events += [
            {"ph": "M", "name": f"{kind}_name", "pid": pid, "tid": tid,
             "args": {"name": name}},
            {"ph": "M", "name": f"{kind}_sort_index", "pid": pid, "tid": tid,
             "args": {"sort_index": order}}]

    def piece(self, pid, tid, name, what, begin_ns, end_ns, args):
        self.events.append({
            "ph": "X", "name": name, "cat": what, "pid": pid, "tid": tid,
            "ts": time_us(begin_ns + self.shift_ns),
            "dur": time_us(end_ns - begin_ns), "args": args})

    def moment(self, tid, name, at_ns, scope):
        self.events.append({
            "ph": "i", "name": name, "cat": "moment", "s": scope,
            "pid": self.own, "tid": tid, "ts": time_us(at_ns + self.shift_ns)})

    def add_cpus(self):
        play = self.picture.play
        self.name("process", self.cpus, 0, f"CPUs: {self.picture.name}",
                  self.cpus)
        for cpu, slices in play.cpus.items():
            self.name("thread", self.cpus, cpu, f"CPU {cpu}", cpu)
            for one in slices:
                if one.kind == "task" and not one.pid:
                    continue
                args = {"pid": one.pid}
                if one.prio >= 0:
                    args["prio"] = one.prio
                self.piece(self.cpus, cpu, one.who, one.kind, one.begin_ns,
                           one.end_ns, args)

    def add_sides(self):
        play = self.picture.play
        for role, states in play.sides.items():
            for one in states:
                self.piece(self.own, THREADS.index(role), one.state, "state",
                           one.begin_ns, one.end_ns, {"cpu": one.cpu})
        for at_ns, role in play.wakeups:
            self.moment(THREADS.index(role), "woken", at_ns, "t")

    def add_cycle(self):
        picture = self.picture
        self.name("process", self.own, 0, f"cycle {picture.trace.cycle}: "
                  f"{picture.name}", self.own)
        for tid, name in enumerate(THREADS):
            pid = picture.play.pids.get(name)
            self.name("thread", self.own, tid,
                      f"{name} {pid}" if pid else name, tid)
        for name, begin_ns, end_ns in picture.phases:
            self.piece(self.own, THREADS.index("phases"), name, "phase",
                       begin_ns, end_ns, {})
        for name, at_ns in picture.trace.stamps.items():
            self.moment(THREADS.index("phases"), name, at_ns, "g")
        for begin_ns, end_ns, span in picture.marks:
            self.piece(self.own, THREADS.index("cause"), span.who, "cause",
                       begin_ns, end_ns, {
                           "cause": picture.broken.analysis.cause,
                           "cpu": span.cpu, "state": span.state})


def export(pictures):
    """The file's text."""
    if not pictures:
        raise InputError("--perfetto", None, "there is no trace to write; "
                         "give the file that --trace-file of twowaytest "
                         "wrote, too")
    lead_ns = max(one.begin_ns - one.play.begin_ns for one in pictures)
    events, runs = [], {}
    for number, picture in enumerate(pictures):
        one = Export(picture, number, lead_ns - picture.begin_ns)
        one.add_cpus()
        one.add_cycle()
        one.add_sides()
        events += one.events
        runs[picture.name] = {
            "begin of the cycle on the trace's clock, us":
                us(picture.begin_ns, 3),
            "cause": picture.broken.analysis.cause
            if picture.broken and picture.broken.analysis else None}
    return json.dumps({"displayTimeUnit": "ns", "otherData": runs,
                       "traceEvents": events}, indent=None,
                      separators=(",", ":")) + "\n"
