# SPDX-License-Identifier: GPL-2.0-or-later
"""What is read from files, whatever their format. All times are in ns."""

import dataclasses
import typing

from twtools.units import NS, Unit

# Token: label, what it is. The order is that of tables and figures.
METRICS = {
    "latency": ("Latency", "response without the sleep that was asked for"),
    "interval": ("POSIX Timer Interval Time",
                 "time between two requests, t0 to t0"),
    "send": ("Send Time", "request sent to server awake: t1 - t0"),
    "sleep": ("nanosleep Time", "the server's sleep: t2 - t1"),
    "receive": ("Receive Time", "reply sent to client awake: t3 - t2"),
    "response": ("Response Time", "request to reply: t3 - t0"),
    "total": ("Total Jitter", "send + receive + deviations of sleep and "
                              "interval; lower is better"),
    "wakeup": ("Wakeup Time", "planned expiry to t0; the latency of "
                              "cyclictest"),
    "planned": ("Planned Response Time", "planned expiry to reply: "
                "response from the scheduled time"),
    "network": ("Network Time", "both ways together, each difference on one "
                "clock: response - (t2 - t1)"),
}
SIX = list(METRICS)[1:7]
PHASES = ("wakeup", "send", "sleep", "receive")
# Of client and server with a clock each, in order of time; and of all runs.
TWO_CLOCKS_PHASES = ("wakeup", "network", "sleep")
ALONE_PHASES = ("wakeup", "response")   # of a client without a server
ALL_PHASES = ("wakeup", "send", "network", "sleep", "receive")
ONE_WAY = ("send", "receive")   # with two clocks, these compare them
# What network is made of, if all of the kernel's timestamps were taken.
STAMPED = ("client_stack", "wire", "server_stack")
TWO_CLOCKS = "client and server have clocks of their own: network stands " \
    "for send and receive"
# Columns of these are not shown, as the table of stamps has them.
SPANS = ("client_app_out", "client_stack_out", "client_wake_in",
         "server_app_out", "server_stack_out", "server_wake_in",
         "client_stack", "wire", "server_stack", "wire_and_device",
         "response_to_rx")
BEYOND = 10     # a percentile needs as many values beyond it


class InputError(Exception):
    """A file that cannot be used: which, where in it, and why."""

    def __init__(self, path, where, why):
        place = f"{path}: line {where}" if isinstance(where, int) else \
            f"{path}: {where}" if where else str(path)
        super().__init__(f"{place}: {why}")


@dataclasses.dataclass
class Series:
    """The results of one metric; None is unknown."""
    metric: str
    count: int | None
    min_ns: float
    avg_ns: float
    max_ns: float
    std_ns: float | None = None     # deviation from the mean
    target_ns: float | None = None
    rms_ns: float | None = None     # from the target
    percentiles: dict = dataclasses.field(default_factory=dict)
    dist: typing.Any = None         # stats.Distribution
    blocks: typing.Any = None       # of a JSON: means, for compare.sure
    maxima: typing.Any = None       # of blocks in time, for compare.tail
    unit: Unit = NS                 # of min and max
    avg_unit: Unit = NS
    doubt_ns: float = 0             # all values may be off by this together

    def percentile(self, percent):
        """The value, or None if unknown or not enough lie beyond."""
        if percent in self.percentiles:
            return self.percentiles[percent]
        return self.dist.percentile(percent) if self.dist else None

    def unit_of(self, percent):
        """What the value of a percentile is known by."""
        return NS if percent in self.percentiles or not self.dist \
            else self.dist.unit


@dataclasses.dataclass
class Step:
    """A step of a ramp."""
    workers: int
    series: dict                    # metric -> Series
    missed: int | None = None
    work_per_second: float | None = None


@dataclasses.dataclass
class Pair:
    """One of several pairs of client and server, in all steps."""
    number: int
    series: dict = dataclasses.field(default_factory=dict)
    cpu: int | None = None          # of its client
    interval_us: int | None = None
    missed: int | None = None
    inversions: int | None = None


@dataclasses.dataclass
class Beside:
    """A step of a ramp of pairs: the first pair beside others."""
    others: int                     # how many
    first: dict                     # metric -> Series of the first pair
    response: Series | None = None  # of the other that took longest
    missed: int | None = None       # of all pairs
    inversions: int | None = None   # of the first pair


@dataclasses.dataclass
class Worst:
    """A cycle that was kept whole."""
    metric: str
    value_ns: float
    since_start_ns: float
    phases: dict                    # of ALL_PHASES -> ns
    step: int = 0
    pair: int | None = None         # if there are several


@dataclasses.dataclass
class Part:
    """What one file says about one run."""
    path: str
    kind: str                       # one of KINDS
    name: str                       # of the run
    steps: list = dataclasses.field(default_factory=list)
    series: dict = dataclasses.field(default_factory=dict)
    pairs: list = dataclasses.field(default_factory=list)   # if several
    ramp: list = dataclasses.field(default_factory=list)    # of Beside
    group: str = ""                 # set-up that the file names, if any
    of_system: str = ""             # that it is a run of, if not the name
    colour_name: str = ""           # what its colour goes by, if not the name
    program: str | None = None
    command: str | None = None
    settings: dict = dataclasses.field(default_factory=dict)
    system: dict = dataclasses.field(default_factory=dict)
    hosts: dict = dataclasses.field(default_factory=dict)   # hosts.read()
    oneway: typing.Any = None       # oneway.OneWay
    stamps: typing.Any = None       # stamps.Stamps
    primitives: typing.Any = None   # primitives.Primitives
    campaign: typing.Any = None     # campaign.Campaign
    broken: typing.Any = None       # broke.Broken
    worst: list = dataclasses.field(default_factory=list)
    spikes: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)
    limits: list = dataclasses.field(default_factory=list)  # limit.Limit
    when: tuple | None = None       # start and end, when.read()
    others: list = dataclasses.field(default_factory=list)  # remarks
    findings: list = dataclasses.field(default_factory=list)
    virtual: bool = False
    lab_mode: str | None = None     # of the virtual lab: exact, smp
    cycles: typing.Any = None       # dump.Cycles
    timeline: typing.Any = None     # timeline.Timeline
    count: int | None = None        # measured cycles
    lost: int = 0                   # of these, not in a dump
    lost_cycles: int | None = None  # without a reply in time
    unanswered: list = dataclasses.field(default_factory=list)  # remarks
    missed: int | None = None       # expiries of the timer
    throttled: int | None = None
    troubles: list = dataclasses.field(default_factory=list)  # what broke it

    def what(self):
        return f"{self.path} ({KINDS[self.kind]})"


# What to know of a virtual run, by the lab's mode.
VIRTUAL = {
    None: "virtual: these are not the times of a machine",
    "exact": "virtual, exact: counted instructions, repeatable to the last "
             "digit",
    "smp": "virtual, noisy",
}

# The more exact first.
KINDS = {
    "dump": "twowaytest dump",
    "json": "twowaytest JSON",
    "timeline": "twowaytest timeline",
    "text": "histogram text",
    "cyclictest": "cyclictest JSON",
    "published": "published table",
    "primitives": "primitivetest JSON",
}


@dataclasses.dataclass
class Run:
    """All that is known of one measurement: its parts put together."""
    name: str
    group: str
    parts: list
    index: int = 0                  # what its colour goes by
    sides: dict = dataclasses.field(default_factory=dict)   # compare.sure's

    def __post_init__(self):
        order = list(KINDS)
        self.parts.sort(key=lambda part: order.index(part.kind))
        if self.parts[0].lost:      # all cycles come before all digits
            self.parts.sort(key=lambda part: part.kind == "dump")
        self.virtual = any(part.virtual for part in self.parts)
        mode = first(part.lab_mode for part in self.parts)
        self.virtual_remark = VIRTUAL.get(mode, VIRTUAL[None])
        self.series = merge([part.series for part in self.parts])
        self.steps = merge_steps([part.steps for part in self.parts])
        self.pairs = merge_pairs([part.pairs for part in self.parts])
        self.ramp = merge_ramp([part.ramp for part in self.parts])
        self.cycles = first(part.cycles for part in self.parts)
        self.timeline = first(part.timeline for part in self.parts)
        self.program = first(part.program for part in self.parts)
        self.settings = union(part.settings for part in self.parts)
        self.system = union(part.system for part in self.parts)
        self.count = first(part.count for part in self.parts)
        # A dump may lack cycles: who counted them comes first.
        counted = sorted(self.parts, key=lambda part: part.kind != "json")
        self.missed = first(part.missed for part in counted)
        self.hosts = first(part.hosts or None for part in self.parts) or {}
        self.oneway = first(part.oneway for part in counted)
        self.stamps = first(part.stamps for part in self.parts)
        self.primitives = first(part.primitives for part in self.parts)
        self.broken = first(part.broken for part in self.parts)
        self.campaign = first(part.campaign for part in self.parts)
        if self.oneway:
            self.apply_oneway()
        self.throttled = first(part.throttled for part in counted)
        self.lost_cycles = first(part.lost_cycles for part in counted)
        self.troubles = self.every("troubles")
        self.limits = first(part.limits or None for part in counted) or []
        self.when = first(part.when for part in self.parts)
        self.of_system = first(part.of_system or None
                               for part in self.parts) or self.name
        self.command = first(part.command for part in self.parts)

    def apply_oneway(self):
        """Times that prove nothing are not shown."""
        tables = [self.series, *(step.series for step in self.steps),
                  *(pair.series for pair in self.pairs)]
        for table in tables:
            for metric in table.keys() & ONE_WAY:
                if self.oneway.refusal:
                    del table[metric]
                else:
                    table[metric].doubt_ns = self.oneway.uncertainty_ns

    @property
    def title(self):
        """The name, which in a sentence is told from a metric's."""
        return f"'{self.name}'" if self.name in METRICS else self.name

    @property
    def place(self):
        """The title among those of all set-ups."""
        return f"{self.title} ({self.group})" if self.group else self.title

    @property
    def pairs_remark(self):
        """What figures are of, if there are several pairs."""
        if self.ramp:
            return f"a ramp from 1 to {len(self.pairs)} pairs of client " \
                "and server: figures are those of all steps and pairs " \
                "together, where nothing else is said"
        return f"{len(self.pairs)} pairs of client and server: figures " \
            "are those of all pairs together, where nothing else is said" \
            if self.pairs else None

    def every(self, member):
        """A list's items of all parts, each once."""
        items = []
        for part in self.parts:
            items += [item for item in getattr(part, member)
                      if item not in items]
        return items


def lasted_s(run):
    """How long, by a clock, about; None: nothing tells."""
    if run.cycles:
        return float(run.cycles.times_s(-1))
    return run.when[1] - run.when[0] if run.when else None


def first(items):
    return next((item for item in items if item is not None), None)


def union(dicts):
    result = {}
    for one in dicts:
        for key, value in one.items():
            if result.get(key) is None:
                result[key] = value
    return result


def merge(tables):
    """Series by metric: the first table's, what they lack from the next."""
    result = {}
    for metric in METRICS:
        found = [table[metric] for table in tables if metric in table]
        if not found:
            continue
        base = dataclasses.replace(found[0])
        for other in found[1:]:
            for member in ("count", "std_ns", "target_ns", "rms_ns", "dist",
                           "blocks", "maxima"):
                if getattr(base, member) is None:
                    setattr(base, member, getattr(other, member))
            if not (found[0].dist and found[0].dist.unit == NS):
                base.percentiles = {**other.percentiles, **base.percentiles}
        result[metric] = base
    return result


def groups_of(runs):
    """Those that share a set-up, a list each."""
    groups = {}
    for run in runs:
        groups.setdefault(run.group, []).append(run)
    return list(groups.values())


def systems_of(runs):
    """Title: the runs of each system."""
    found = {}
    for run in runs:
        found.setdefault(run.of_system, []).append(run)
    return {name if some[1:] else some[0].title: some
            for name, some in found.items()}


def filled(found, kind, **known):
    """One of what several parts say: each member from the first to know."""
    members = [field.name for field in dataclasses.fields(kind)
               if field.name not in known]
    return kind(**known, **{
        member: first(getattr(one, member) for one in found)
        for member in members})


def alike(lists, member):
    """(value, what has it) for each value of this member, in order."""
    every = [one for ones in lists for one in ones]
    for value in sorted({getattr(one, member) for one in every}):
        yield value, [one for one in every if getattr(one, member) == value]


def merge_steps(lists):
    """Steps by number of workers."""
    return [filled(found, Step, workers=workers, series=merge(
        [step.series for step in found]))
        for workers, found in alike(lists, "workers")]


def merge_pairs(lists):
    """Pairs by number."""
    return [filled(found, Pair, number=number, series=merge(
        [pair.series for pair in found]))
        for number, found in alike(lists, "number")]


def merge_ramp(lists):
    """Steps of a ramp of pairs by the number of others."""
    return [filled(found, Beside, others=others, first=merge(
        [step.first for step in found]))
        for others, found in alike(lists, "others")]
