# SPDX-License-Identifier: GPL-2.0-or-later
"""The cycle that -b ended a run at: what the run's JSON says of it.

Who is to blame is what twowaytest has found: it is read, not found again.
"""

import dataclasses

from twoway.read.member import NULL
from twoway.series.model import ALL_PHASES
from twtools.units import US, us

SIDES = ("client", "server")
LINES = 40              # shown of a phase; the shortest beyond are added up


@dataclasses.dataclass
class Span:
    """A piece of the phase that was looked into."""
    at_ns: int              # after the phase's begin
    ns: int
    state: str
    cpu: int                # -1: unknown
    who: str                # had that CPU


@dataclasses.dataclass
class Analysis:
    phase: str
    side: str               # client or server: who waited
    cause: str              # the sentence
    state: str | None       # what the sentence is about
    spans: list             # of Span, in order of time
    who: str | None = None          # is to blame
    stack: list | None = None       # its functions in the kernel, inner first
    stack_at: str | None = None     # interrupt, switch
    host: str | None = None

    def shown(self):
        """The spans that are not too short, and the time of the others."""
        lengths = sorted((one.ns for one in self.spans), reverse=True)
        least_ns = lengths[LINES] + 1 if len(lengths) > LINES else 0
        spans = [one for one in self.spans if one.ns >= least_ns]
        return spans, sum(lengths) - sum(one.ns for one in spans)

    @property
    def stack_text(self):
        """A sentence; "" without --trace=stack."""
        if self.stack is None:
            return ""
        when = "left the CPU" if self.stack_at == "switch" else \
            "was interrupted"
        return f"{self.who} {when} in " + (
            " < ".join(self.stack) or "user mode") + "."


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
    """The cycle; with --breaks, the longest one."""
    metric: str
    limit_ns: int
    value_ns: int
    cycle: str              # and its pair, if there are several
    phases: dict            # of ALL_PHASES -> ns
    analyses: list          # of Analysis: the client's host, the server's
    kinds: list             # of Kind

    @property
    def lines(self):
        """What broke, and why, as sentences."""
        yield f"cycle {self.cycle} had a {self.metric} of " \
            f"{us(self.value_ns)} us, above the limit of " \
            f"{us(self.limit_ns)} us. " + ("" if self.analyses else
                                           "No trace tells the cause: "
                                           "measure with --trace.")
        for one in self.analyses:
            where = f" on host {one.host}" if one.host else ""
            yield f"Cause{where}: {one.cause}. {one.stack_text}"


def read_analysis(member):
    """None: there was no trace, or it was of no use."""
    if not member.value or "lacks" in member.value:
        return None
    side = member.get("side", str)
    if side not in SIDES:
        member.bad("side", f"'{side}' is none of {', '.join(SIDES)}")
    return Analysis(
        member.get("phase", str), side, member.get("cause", str),
        member.get("state", str, default=None),
        [Span(one.get("at_ns", int), one.get("ns", int),
              one.get("state", str), one.get("cpu", int),
              one.get("who", str)) for one in member.items("timeline")],
        member.get("who", str, NULL, default=None),
        member.get("stack", list, default=None),
        member.get("stack_at", str, default=None),
        member.get("host", str, default=None))


def read_kinds(twoway, unit):
    return [Kind(one.get("phase", str), one.get("cause", str, NULL),
                 one.get("count", int), unit.read(one.get("longest", int)),
                 one.get("first_s", float, int), one.get("last_s", float, int))
            for one in twoway.items("causes")]


def limit_ns(settings):
    """Its metric may stand before it."""
    return US.read(int(str(settings.get("breaktrace", 0)).split(":")[-1]))


def read(twoway, part, unit):
    """Sets part.broken, if -b has ended the run."""
    member = next(twoway.items("breaks"), None)
    if not member:
        return
    metric = member.get("metric", str)
    values = member.inner("values")
    own = member.inner("cause")
    far = [one.inner("cause") for one in twoway.inner("peer").items("breaks")]
    part.broken = Broken(
        metric, limit_ns(part.settings),
        values.get(metric, int), str(member.get("cycle", int)) + (
            f" of pair {member.get('pair', int)}" if part.pairs else ""),
        {phase: values.get(phase, int) for phase in ALL_PHASES
         if phase in values.value},
        list(filter(None, map(read_analysis, [own, *far[:1]]))),
        read_kinds(twoway, unit))


def lines_of(runs):
    """What a report of runs that -b ended begins with."""
    return [f"{run.title}: {' '.join(line.rstrip() for line in lines)}"
            for run in runs if run.broken and
            (lines := list(run.broken.lines))]
