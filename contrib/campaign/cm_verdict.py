# SPDX-License-Identifier: GPL-2.0-or-later
"""What the first page begins with: a few sentences, the tables have all."""

import dataclasses

import cm_changes
import cm_plan
from twtools.results import metrics, missed
from twtools.words import several

# Tool, metric in its results, what it is called.
KINDS = (("cyclictest", None, "cyclictest"),
         ("twowaytest", "wakeup", "wakeup"),
         ("twowaytest", "response", "response"))
# What a sentence is about: the first that was measured.
NAMES = {"response": "Response", "wakeup": "twowaytest's wakeup",
         "cyclictest": "cyclictest's latency"}
MOST = 3                # of a kind in a sentence
# Of a record or of twowaytest's results: the least that is told, how.
DISTURBANCES = (
    ("steal_percent", 0.1, "a hypervisor took up to {} % of the CPU time"),
    ("others_percent", 5, "other programs used up to {} % of the CPU time"),
    ("suspended_us", 1, "the system was suspended for up to {} us"),
    ("peer_suspended_us", 1,
     "the server's host was suspended for up to {} us"),
    ("set", 1, "the clock was set up to {} times"),
    ("peer_set", 1, "the clock of the server's host was set up to {} times"),
    ("moved", 1, "up to {} sides changed policy, priority or CPUs while they "
     "ran"),
    ("thermal_events", 1, "heat slowed a CPU up to {} times"),
    ("missed", 1, "up to {} missed expiries"),
    ("throttled", 1, "up to {} throttled cycles"))


@dataclasses.dataclass
class Figure:
    """What was measured of a kind in a placement, under a load, in us."""
    placement: str
    load: str
    kind: str               # as KINDS calls it
    average: float
    maximum: float

    @property
    def where(self):
        return f"placement {self.placement}, load {self.load}"


def figures(options, state):
    """In the order of placements and loads."""
    found = []
    for placement in options.placements:
        for load in options.loads:
            for tool, metric, kind in KINDS:
                thread = metrics(state.result(cm_plan.Measurement(
                    placement, load, tool))).get(metric, {})
                values = thread.get("avg"), thread.get("max")
                if tool in options.tools and None not in values:
                    found.append(Figure(placement, load, kind, *values))
    return found


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def of(found, kind):
    return [one for one in found if one.kind == kind]


def range_text(values):
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def headline(found):
    """The averages of each placement, over its loads, and the longest."""
    kind = next((kind for kind in NAMES if of(found, kind)), None)
    if not kind:
        return
    mine = of(found, kind)
    averages = {}
    for one in mine:
        averages.setdefault(one.placement, []).append(one.average)
    longest = max(mine, key=lambda one: one.maximum)
    yield f"{NAMES[kind]}: " + ", ".join(
        f"{range_text(values)} us on average in placement {placement}"
        for placement, values in averages.items()) + \
        f"; the longest took {number(longest.maximum)} us " \
        f"({longest.where})."


def beside(found):
    """What the others tell of where the longest response was."""
    longest = max(of(found, "response"), key=lambda one: one.maximum,
                  default=None)
    parts = [f"{NAMES[one.kind]} was {number(one.maximum)} us at most"
             for one in found if longest and one.where == longest.where
             and one.kind != longest.kind]
    if parts:
        yield f"There, {' and '.join(parts)}. A maximum is a single cycle, " \
            "which may be chance."


def twice(options, found):
    """cyclictest measures the same thing in both placements."""
    mine = {(one.placement, one.load): one.average
            for one in of(found, "cyclictest")}
    pairs = [(*sorted((mine["one", load], mine["plan", load])), load)
             for load in options.loads
             if {("one", load), ("plan", load)} <= mine.keys()]
    pairs = [pair for pair in pairs if pair[0] > 0]
    # With --cpu, it is on another CPU there.
    if not pairs or options.cpu is not None:
        return
    low, high, load = max(pairs, key=lambda pair: pair[1] / pair[0])
    yield "cyclictest measured the same thing in both placements; its " \
        f"averages differ by up to {100 * (high / low - 1):.0f} % " \
        f"({number(low)} and {number(high)} us, load {load}): smaller " \
        "differences mean nothing here."


def unmet(options, state):
    """(measurement, text) of each limit that was not kept."""
    for one in cm_plan.matrix(options):
        twoway = (state.result(one) or {}).get("twoway", {})
        for limit in twoway.get("limits") or []:
            if limit.get("verdict") != "met":
                yield one, f"{limit.get('limit')} {limit.get('verdict')}"


def failed(options, state):
    """What is not there, or did not keep a limit."""
    matrix = cm_plan.matrix(options)
    lost = [one.title for one in matrix if not state.finished(one)]
    if lost:
        yield f"{len(lost)} of {len(matrix)} measurements failed or are " \
            f"missing: {several(lost, MOST)}."
    limits = [f"{text} ({one.title})" for one, text in unmet(options, state)]
    if limits:
        yield f"Limits: {several(limits, MOST)}."


def told(result):
    """What is of DISTURBANCES in results."""
    twoway = result.get("twoway", {})
    peer = twoway.get("peer") or {}
    sides = [pair.get(side) or {} for pair in
             twoway.get("pairs", []) + peer.get("pairs", [])
             for side in ("client", "server")]
    return twoway | {
        "missed": missed(result), "peer_suspended_us": peer.get("suspended_us"),
        "set": twoway.get("clock_set", {}).get("times"),
        "peer_set": peer.get("clock_set", {}).get("times"),
        "moved": sum(bool(side.get("changed")) for side in sides)}


def disturbed(options, state, virtual):
    """What may have, with the largest figure of each."""
    texts = ["these are times of a virtual machine"] * virtual
    for key, least, text in DISTURBANCES:
        values = []
        for one in cm_plan.matrix(options):
            value = state.record(one).get(
                key, told(state.result(one) or {}).get(key))
            if isinstance(value, (int, float)) and value >= least:
                values.append((value, one.title))
        if values:
            value, title = max(values)
            # Counts may be large; percents need no more than three digits.
            shown = f"{value:.0f}" if value >= 1000 else f"{value:.3g}"
            texts.append(f"{text.format(shown)} ({title})")
    changed = len(list(cm_changes.changes(options, state)))
    if changed:
        texts.append(f"{changed} things of the system changed meanwhile")
    sessions = state.data["sessions"]
    findings = list(cm_changes.findings(sessions[0])) if sessions else []
    if findings:
        texts.append("--check found " + several(
            [text.partition(":")[0] for text in findings], MOST))
    if texts:
        yield f"Disturbed: {'; '.join(texts)}."


def lines_of(options, state, virtual):
    found = figures(options, state)
    return [*headline(found), *beside(found), *twice(options, found),
            *failed(options, state), *disturbed(options, state, virtual)]
