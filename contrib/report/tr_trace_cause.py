# SPDX-License-Identifier: GPL-2.0-or-later
"""The broken cycle: what its JSON says of it, and the trace of it.

Who is to blame is what twowaytest has found: it is read, not found again.
"""

import dataclasses
import typing

import tr_trace_play
from tr_member import NULL
from tr_model import ALL_PHASES, InputError
from twtools.units import NS, US, Unit

# A phase: the stamps at its begin and end.
PHASES = {"wakeup": ("planned", "t0"), "send": ("t0", "t1"),
          "sleep": ("t1", "t2"), "receive": ("t2", "t3"),
          "network": ("t0", "t3"), "response": ("t0", "t3")}
# What delays nobody: a sleep that was asked for, and the other host.
NO_DELAY = ("asleep", "awaits the other")
ALONE = ("blocked", "peer blocked", "unknown")  # no doing of who had the CPU


@dataclasses.dataclass
class Span:
    """A piece of the phase that was looked into."""
    at_ns: int              # after the phase's begin
    ns: int
    state: str
    cpu: int                # -1: unknown
    who: str                # had that CPU
    pid: int


@dataclasses.dataclass
class Analysis:
    phase: str
    side: str               # client or server: who waited
    pid: int
    cause: str              # the sentence
    spans: list             # of Span, in order of time
    sums: list              # of Span, the longest first
    host: str | None = None
    judged: str | None = None       # schema 2: the state to blame
    who: str | None = None          # is to blame
    stack: list | None = None       # its functions in the kernel, inner first
    stack_at: str | None = None     # interrupt, switch

    @property
    def state(self):
        """What the sentence is about: most of the time, delays only."""
        if self.judged:
            return self.judged
        times = {}
        for one in self.sums:
            if one.state not in NO_DELAY:
                times[one.state] = times.get(one.state, 0) + one.ns
        found = max(times, key=times.get, default=None)
        # The sentence has the last word.
        return found if found and \
            f" for {times[found] / 1000:.1f} us" in self.cause else None

    @property
    def culprits(self):
        """(who, ns) of those who ran in that state, the longest first."""
        return [(one.who, one.ns) for one in self.sums
                if one.state == self.state]

    @property
    def stack_text(self):
        """A sentence; "" without --trace=stack."""
        if self.stack is None:
            return ""
        when = "left the CPU" if self.stack_at == "switch" else \
            "was interrupted"
        return f"{self.who} {when} in " + (
            " < ".join(self.stack) or "user mode") + "."

    @property
    def marked(self):
        """The spans that are to blame."""
        return [one for one in self.spans if one.state == self.state]

    @property
    def role(self):
        """Whose lane shows it, if no CPU's does; else None."""
        if self.state not in ALONE:
            return None
        other = "client" if self.side == "server" else "server"
        return other if self.state.startswith("peer") else self.side


@dataclasses.dataclass
class Kind:
    """With --breaks: the long cycles of a cause."""
    phase: str
    cause: str | None       # None: without a trace
    count: int
    longest_ns: int
    first_s: float          # after the start of the run
    last_s: float


@dataclasses.dataclass
class Broken:
    """What the JSON says of the cycle that -b ended the run at; with --breaks,
    of the longest one."""
    metric: str
    limit_ns: int
    value_ns: int
    cycle: int
    phases: dict            # of ALL_PHASES -> ns
    analysis: Analysis | None = None
    far: Analysis | None = None     # that of the server's host
    unit: Unit = NS         # of the phases
    pids: dict = dataclasses.field(default_factory=dict)    # role -> pid
    kinds: list = dataclasses.field(default_factory=list)   # of Kind


@dataclasses.dataclass
class Picture:
    """A trace with what is known of its cycle."""
    name: str               # of the run
    trace: typing.Any       # tr_trace_text.Trace
    broken: Broken | None
    play: typing.Any        # tr_trace_play.Playback

    @property
    def phases(self):
        """(phase, begin, end) on the trace's clock, in order of time."""
        stamps = self.trace.stamps
        # With two hosts it is a phase; with --reflect, there is none of both.
        whole = "response" if self.broken and \
            self.broken.phases.keys() <= {"wakeup"} else "network"
        names = ("wakeup", whole) if "t1" not in stamps else \
            ("wakeup", "send", "sleep", "receive")
        return [(name, stamps[begin], stamps[end]) for name in names
                for begin, end in [PHASES[name]]
                if begin in stamps and end in stamps]

    @property
    def begin_ns(self):
        return min(self.trace.stamps.values())

    @property
    def end_ns(self):
        return self.trace.stamps["t3"]

    @property
    def marks(self):
        """(begin, end, Span) on the trace's clock: who is to blame."""
        analysis = self.broken.analysis if self.broken else None
        if not analysis:
            return []
        start_ns = self.trace.stamps.get(PHASES[analysis.phase][0])
        if start_ns is None:
            return []
        # Of others, the trace has no lane.
        return [(start_ns + one.at_ns, start_ns + one.at_ns + one.ns, one)
                for one in analysis.marked
                if (analysis.role in self.play.sides if analysis.role
                    else one.cpu in self.play.cpus)]


def read_spans(member, key):
    return [Span(one.get("at_ns", int), one.get("ns", int),
                 one.get("state", str), one.get("cpu", int),
                 one.get("who", str), one.get("pid", int, default=-1))
            for one in member.items(key)]


def read_analysis(member):
    if not member.value or "lacks" in member.value:
        return None
    phase = member.get("phase", str)
    if phase not in PHASES:
        member.bad("phase", f"'{phase}' is none of " + ", ".join(PHASES))
    side = member.get("side", str)
    if side not in tr_trace_play.ROLES:
        member.bad("side", f"'{side}' is none of "
                           + ", ".join(tr_trace_play.ROLES))
    return Analysis(
        phase, side, member.get("pid", int), member.get("cause", str),
        read_spans(member, "timeline"),
        read_spans(member, "contributors"),
        member.get("host", str, default=None),
        member.get("state", str, default=None),
        member.get("who", str, NULL, default=None),
        member.get("stack", list, default=None),
        member.get("stack_at", str, default=None))


def read_kinds(twoway, unit):
    return [Kind(one.get("phase", str), one.get("cause", str, NULL),
                 one.get("count", int), one.ns("longest", unit),
                 one.get("first_s", float, int), one.get("last_s", float, int))
            for one in twoway.items("causes")]


def pids_of(twoway, member):
    """Of the pair, if the JSON has its processes."""
    for pair, of in enumerate(twoway.items("pairs")):
        if pair == member.value.get("pair") and "client" in of.value:
            return {role: of.inner(role).get("pid", int)
                    for role in tr_trace_play.ROLES if of.value.get(role)}
    return {}


def read(twoway, part, unit):
    """Sets part.broken, if -b has ended the run."""
    member = next(twoway.items("breaks"), twoway.inner("break"))
    if not {"cycle", "metric"} <= member.value.keys():
        return
    metric = member.get("metric", str)
    part.broken = Broken(
        metric, member.get("limit_ns", int, default=US.read(
            part.settings.get("breaktrace", 0))),
        member.ns("value" if "value_ns" in member.value else metric, unit),
        member.get("cycle", int),
        {phase: value for phase in ALL_PHASES
         if (value := member.ns(phase, unit, None)) is not None},
        read_analysis(member.inner(
            "cause" if "cause" in member.value else "analysis")),
        next((read_analysis(far.inner("cause"))
              for far in twoway.inner("peer").items("breaks")), None),
        unit, pids_of(twoway, member), read_kinds(twoway, unit))
    part.remarks += [
        f"cause of the broken cycle{where}: {one.cause}"
        for one, where in ((part.broken.analysis, ""),
                           (part.broken.far, " on the server's host")) if one]


def fits(trace, broken):
    """Whether it is the trace of this very cycle: as exact as is known."""
    if trace.cycle != broken.cycle:
        return False
    return all(0 <= trace.stamps[end] - trace.stamps[begin] -
               broken.phases[phase] < broken.unit.ns
               for phase, (begin, end) in PHASES.items()
               if phase in broken.phases and phase != "network"
               and begin in trace.stamps and end in trace.stamps)


def check(parts):
    """Of one name: raise if a trace is not that of the broken cycle."""
    for part in parts:
        if part.kind != "trace":
            continue
        for other in parts:
            if other.kind == "json" and not (
                    other.broken and fits(part.trace, other.broken)):
                raise InputError(
                    part.path, None, f"the trace of cycle "
                    f"{part.trace.cycle}, which is not the one that -b ended "
                    f"{other.path} at; name them apart: NAME=FILE")


def adopt(parts, named):
    """A trace goes to the run whose cycle it is, unless it has a name.

    named: whether each part was named on the command line.
    """
    for part, own in zip(parts, named):
        if part.kind != "trace" or own:
            continue
        found = [other for other in parts if other.kind == "json" and
                 other.broken and fits(part.trace, other.broken)]
        if len({other.name for other in found}) == 1:
            part.name = found[0].name


def split(runs):
    """Those with results, and those that are a trace alone."""
    alone = [run for run in runs
             if all(part.kind == "trace" for part in run.parts)]
    return [run for run in runs if run not in alone], alone


def picture(run):
    """None: without a trace."""
    if not run.trace:
        return None
    analysis = run.broken.analysis if run.broken else None
    known = {**run.broken.pids, analysis.side: analysis.pid} \
        if analysis else {}
    return Picture(run.title, run.trace, run.broken,
                   tr_trace_play.play(run.trace, known))


def pictures(runs):
    return list(filter(None, map(picture, runs)))
