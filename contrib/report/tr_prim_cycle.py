# SPDX-License-Identifier: GPL-2.0-or-later
"""Which parts explain why a two-way cycle takes longer on a system.

An estimate: a part that was measured alone stands for what the cycle does, so
often as the cycle does it. Nothing here is a proof.
"""

import dataclasses
import math
import statistics
import typing

import tr_prim
from tr_prim_tables import ns
from twtools.tables import Table

METRICS = ("response", "planned")
Z = statistics.NormalDist().inv_cdf(0.995)
TASKS = ("process", "thread")           # a cycle has processes
TIMERS_US = (1000, 10000, 100000)
SLEEPS_US = (1, 100, 1000, 10000, 100000)
SIZES = (1, 64, 1024, 8192)
SHORT_NS = 100
UNIX = ("unix", "seqpacket")
CPUS = {True: ("same", "cross"), False: ("cross", "same")}


@dataclasses.dataclass
class Part:
    """What a cycle contains, how often, and what stands for it."""
    name: str
    times: tuple                # in each of METRICS
    columns: typing.Callable    # of a run of twowaytest: the best first
    tests: str                  # that measure it
    why: str                    # so often, and what stands for it
    added: bool = True          # False: the others contain it
    setting: str = ""           # 0: a cycle does not contain it


def number(run, key, default):
    value = run.settings.get(key)
    return value if isinstance(value, (int, float)) else default


def above(value, kinds):
    """The least of the kinds that is not below, or the largest."""
    return next((kind for kind in kinds if kind >= value), kinds[-1])


def near(value, kinds):
    """The kind that is nearest by its ratio."""
    return min(kinds, key=lambda kind: abs(math.log(kind / max(value, 1))))


def on_one_cpu(run):
    """Whether client and server shared a CPU, as far as is known."""
    client, server = (str(run.settings.get(f"{side} cpus") or "")
                      for side in ("client", "server"))
    return not (client.isdigit() and server.isdigit()) or client == server


def placed(run, *names):
    """Columns of two tasks: where client and server ran comes first."""
    return [name.format(f"{tasks}.{cpus}") for cpus in CPUS[on_one_cpu(run)]
            for name in names for tasks in TASKS]


def round_trips(run):
    """A reader of Unix streams also wakes when the other has read."""
    size = above(number(run, "size", 8), SIZES)
    message = above(size, SIZES[1:]) if size > 1 else 8
    kinds = [f"unix.{size}", f"pipe.{size}"]
    if run.settings.get("transport") not in UNIX:
        kinds.reverse()
    return placed(run, *(f"{kind}.{{}}.roundtrip" for kind in (
        *kinds, f"message.{message}", "sync2.unnamed")))


def sleeps(run):
    us = near(number(run, "sleep_us", 100), SLEEPS_US)
    return [f"sleep.nanosleep.{us}.excess", f"sleep.absolute.{us}.excess",
            "timer.1000.wakeup"]


def timers(run):
    us = near(number(run, "interval_us", 1000), TIMERS_US)
    return [f"sleep.absolute.{us}.excess", f"timer.{us}.wakeup"] \
        if run.settings.get("timer") != "posix" else \
        [f"timer.{us}.wakeup", f"sleep.absolute.{us}.excess"]


def switches(run):
    return placed(run, "yield.2x0.{}.switch", "preempt.{}.preempt")


def clocks(run):
    return [f"clock.{run.settings.get('clock') or 'monotonic'}.cost",
            "bintime.vdso.delta"]


def calls(_run):
    return ["syscall.getppid.call"]


# The times that a cycle contains each: the only place that says so.
PARTS = (
    Part("send and receive", (1, 1), round_trips, "unix or pipe",
         "The request and its reply: each way, one task sends and the other "
         "wakes and receives. A round trip stands for it, the first of "
         "these that was measured: through a pipe, which switches as often "
         "as TCP does (for Unix transports a Unix socket, which switches "
         "more often), the other of the two, a queue, two semaphores. None "
         "has a network stack."),
    Part("the server's sleep", (1, 1), sleeps, "sleep",
         "Between request and reply the server sleeps once: how much longer "
         "than asked. The measured sleep that is nearest to it stands for "
         "it.", setting="sleep_us"),
    Part("the client's timer", (0, 1), timers, "sleep or timer",
         "It wakes the client once a cycle. response begins after that, at "
         "t0; planned begins at the planned expiry and contains it."),
    Part("switches", (3, 4), switches, "yield", "To the server with the "
         "request, to the server after its sleep, to the client with the "
         "reply; planned: also to the client at its timer. The parts above "
         "contain them: not added.", added=False),
    Part("clock readings", (3, 3.5), clocks, "clock",
         "t1, t2, and a half each of t0 and t3; planned: all of t0. The parts "
         "above contain them, as they were measured by such readings: not "
         "added.",
         added=False),
    Part("system calls", (6, 7), calls, "syscall", "At most: send and "
         "receive of the client; wait, receive, sleep and send of the "
         "server; planned: also the client's wait for its timer. Only the "
         "way into the kernel and back. Not added, as above.", added=False),
)


@dataclasses.dataclass
class Found:
    """A part with its figures on both systems; None: not measured."""
    part: Part
    times: int
    column: str | None
    values: tuple               # ns

    @property
    def share_ns(self):
        return None if not self.column else \
            self.times * (self.values[1] - self.values[0])


@dataclasses.dataclass
class Explained:
    """Two systems, and why a metric of theirs differs."""
    metric: str
    names: tuple
    values: tuple               # averages in ns
    half_ns: float | None       # of the difference, 99 %; None: unknown
    sleeps: tuple               # ns: as they were set
    found: list                 # of Found
    remarks: list

    @property
    def difference_ns(self):
        return self.values[1] - self.values[0]

    @property
    def sums(self):
        """Of the parts that are added, with the sleep as it was set."""
        return [self.sleeps[i] + sum(
            one.times * one.values[i] for one in self.found
            if one.part.added and one.column) for i in (0, 1)]

    @property
    def explained_ns(self):
        return self.sums[1] - self.sums[0]

    @property
    def left_ns(self):
        """What each system has beyond the parts."""
        return [value - known for value, known in zip(self.values, self.sums)]


def find(part, times, pairs):
    """By the best column that both systems have."""
    for column in part.columns(pairs[0][0]):
        series = [own.primitives.series.get(column) for _, own in pairs]
        if None not in series:
            return Found(part, times, column, tuple(s.avg_ns for s in series))
    return Found(part, times, None, (None, None))


def is_absent(one, runs):
    """Whether a setting of both systems says that there is no such part."""
    return one.part.setting and not any(
        number(run, one.part.setting, 1) for run in runs)


def half_of(found):
    """Half of the interval of a difference of averages."""
    if any(s.std_ns is None or not s.count for s in found):
        return None
    return Z * math.sqrt(sum(s.std_ns ** 2 / s.count for s in found))


def unlike(pairs, found):
    """What makes the estimate weaker than it is anyway."""
    (one, _), (two, _) = pairs
    if any(run.pairs for run in (one, two)):
        yield "Several pairs of client and server wait for each other, " \
            "which no part shows."
    if any(one.settings.get(key) != two.settings.get(key)
           for key in ("transport", "size", "timer")):
        yield "Transport, size or timer differ between the systems."
    wanted = CPUS[on_one_cpu(one)][0]
    other = [f.part.name for f in found if f.column and
             f".{CPUS[wanted == 'same'][1]}." in f.column]
    if other:
        yield f"Not measured with {wanted} CPUs, as the cycle ran, but " \
            f"otherwise: {', '.join(other)}."
    if on_one_cpu(one) != on_one_cpu(two):
        yield "Client and server share a CPU on one of the systems only."


def explain(metric, pairs):
    """None if one of the systems lacks the metric, or has two hosts."""
    runs = [run for run, _ in pairs]
    if any(metric not in run.series or run.settings.get("clocks") == "two"
           for run in runs):
        return None
    i = METRICS.index(metric)
    found = [find(part, part.times[i], pairs) for part in PARTS]
    series = [run.series[metric] for run in runs]
    return Explained(
        metric, tuple(run.name for run in runs),
        tuple(s.avg_ns for s in series), half_of(series),
        tuple(1000 * number(run, "sleep_us", 100) for run in runs),
        [one for one in found if one.times and not is_absent(one, runs)],
        list(unlike(pairs, found)))


def all_explained(pairs):
    """Each system with both programs beside the first of these."""
    for other in pairs[1:]:
        yield from filter(None, (
            explain(metric, (pairs[0], other)) for metric in METRICS))


def fine(value):
    """A time, with a decimal if it is a short one."""
    return ns(value, int(value is not None and abs(value) < SHORT_NS))


def share_text(value, whole):
    return f"{100 * value / whole:.0f}%" if whole else "-"


def part_row(one, whole):
    text = one.column or f"not measured by both: --test={one.part.tests}"
    if not one.column:
        return [one.part.name, text, "no", str(one.times), *["-"] * 5]
    low, high = one.values
    return [one.part.name, text, "yes" if one.part.added else "no",
            str(one.times), fine(low), fine(high), fine(high - low),
            fine(one.share_ns),
            share_text(one.share_ns, whole) if one.part.added else "-"]


def sum_row(name, text, values, whole, added="-"):
    low, high = values
    return [name, text, added, "1", fine(low), fine(high), fine(high - low),
            fine(high - low), share_text(high - low, whole)]


def note_of(why):
    a, b = why.names
    text = f"In ns, averages. {b} - {a}: the difference of one; times it: " \
        f"what it contributes to the difference in {why.metric}; of it: the " \
        "share of that difference. Unexplained: what is left, such as the " \
        "network stack, colder caches, and whatever happens only when the " \
        "parts come together; its first two figures are what each system " \
        "has beyond its parts. "
    if why.half_ns is None:
        text += "How sure the difference is, is not known. "
    else:
        text += f"The difference is {ns(why.difference_ns)} +-" \
            f"{ns(why.half_ns)} ns, 99 % sure if cycles are independent. "
        if abs(why.difference_ns) <= why.half_ns:
            text += "It may be chance, so there is nothing to explain. "
    return text + " ".join([*why.remarks, "This is an estimate, not a "
                            "proof: the parts were measured one by one, "
                            "with warm caches, at another time."])


def table(why):
    whole = why.difference_ns
    a, b = why.names
    rows = [sum_row(why.metric, "measured", why.values, whole)]
    rows.append(sum_row("sleep as set", "setting", why.sleeps, whole, "yes"))
    rows += [part_row(one, whole) for one in why.found if one.part.added]
    rows.append(sum_row("sum of what is added", "-", why.sums, whole))
    rows.append(sum_row("unexplained", "-", why.left_ns, whole))
    rows += [part_row(one, whole) for one in why.found if not one.part.added]
    return Table(
        f"Which parts explain {why.metric}: {b} beside {a}",
        ["part", "stands for it", "added", "times", a, b, f"{b} - {a}",
         "times it", "of it"], rows, note_of(why), figures=3,
        key="prim-cycle")


def counts():
    """The table above, for readers."""
    return Table("How often a cycle contains a part",
                 ["part", "why", *METRICS],
                 [[part.name, part.why, *map(str, part.times)]
                  for part in PARTS], "", figures=2, key="prim-counts")


def no_pair(runs, parts):
    """Why there is no such table, where one might be expected."""
    if runs and parts:
        yield Table("Which parts explain the difference: nothing to compare",
                    [], [], "Two systems are needed with results of both "
                    "programs, whose files have one name each: "
                    "A=twowaytest.json A=primitivetest.json. Client and "
                    "server on two hosts are not compared.",
                    key="prim-cycle")


def all_tables(runs, parts):
    found = [table(why) for why in all_explained(
        tr_prim.pairs_of(runs, parts))]
    yield from found + [counts()] if found else no_pair(runs, parts)


def line(why):
    """A sentence of the verdict; None: there is nothing to explain."""
    a, b = why.names
    whole, known = why.difference_ns, why.explained_ns
    if why.half_ns is not None and abs(whole) <= why.half_ns:
        return None
    text = f"The {why.metric} of {b} is {abs(whole):.0f} ns " \
        f"{'longer' if whole > 0 else 'shorter'} than that of {a}. "
    added = [one for one in why.found if one.part.added and one.column]
    if not added:
        return text + "Parts that might explain this were not measured."
    if known * whole <= 0:
        return text + "Its parts do not explain this: together they differ " \
            f"by {known:+.0f} ns, by estimate."
    sign = math.copysign(1, whole)
    most = max(added, key=lambda one: sign * one.share_ns)
    largest = f", {most.share_ns:+.0f} of it {most.part.name}" \
        if sign * most.share_ns > 0 else ""
    return text + f"Its parts explain {known:+.0f} ns of {whole:+.0f}" \
        f"{largest}; {whole - known:+.0f} ns remain unexplained. This is " \
        "an estimate, not a proof."


def lines_of(runs, parts):
    return list(filter(None, (
        line(why) for why in all_explained(tr_prim.pairs_of(runs, parts))
        if why.metric == METRICS[0])))
