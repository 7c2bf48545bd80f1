# SPDX-License-Identifier: GPL-2.0-or-later
"""Injected delays, and what --trace has to say of them.

Whether an injected delay is what broke a cycle is decided by who injected it:
when it was, in ns of the trace's clock, and where the cycle's stamps are.
"""

import re

import tracing

WARMUP = 2
CYCLE = 5
MESSAGE = WARMUP + CYCLE        # the number of the call
EXPIRY = MESSAGE + 1            # the first one only begins the interval
DELAY_US = 20000
BREAK_US = 10000                # far above what is usual
PERIOD_US = 2 * DELAY_US
PHASES = {"wakeup": ("planned", "t0"), "send": ("t0", "t1"),
          "sleep": ("t1", "t2"), "receive": ("t2", "t3")}
WAITS = {"wakeup": "client", "send": "server", "sleep": "server",
         "receive": "client"}
PEERS = {"client": "server", "server": "client"}
FAULTS = [      # the call, and the phase that it makes long
    ("client:clock_nanosleep:after", "wakeup"),
    ("client:send:before", "send"), ("server:poll:after", "send"),
    ("server:recv:after", "send"), ("server:nanosleep:before", "sleep"),
    ("server:nanosleep:after", "sleep"), ("server:send:before", "receive"),
    ("client:send:after", "receive"), ("client:recv:before", "receive"),
    ("client:recv:after", "receive"),
]


def fault(name, how):
    """As TW_DELAY has it; @how: running or asleep."""
    role, call, when = name.split(":")
    number = EXPIRY if call == "clock_nanosleep" else MESSAGE
    when = f"busy-{when}" if how == "running" else when
    return f"{role}:{call}:{when}:{number}:{DELAY_US}"


def overlap(intervals, begin_ns, end_ns):
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
               for begin, end in intervals)


def assert_whole(cause):
    """What holds of every cause."""
    at_ns, sums = 0, {}
    for piece in cause["timeline"]:
        assert piece["at_ns"] == at_ns and piece["ns"] > 0
        at_ns += piece["ns"]
        key = (piece["state"], piece["cpu"], piece["who"])
        sums[key] = sums.get(key, 0) + piece["ns"]
    assert at_ns == max(cause["ns"], 0)
    found = {(piece["state"], piece["cpu"], piece["who"]): piece["ns"]
             for piece in cause["contributors"]}
    assert len(found) == len(cause["contributors"])
    if len(cause["timeline"]) < 256:
        assert found == sums
    lengths = [piece["ns"] for piece in cause["contributors"]]
    assert lengths == sorted(lengths, reverse=True)
    assert cause["state_ns"] == sum(
        ns for (state, *_), ns in found.items() if state == cause["state"])
    assert f"{cause['state_ns'] / 1000:.1f} us" in cause["cause"]
    assert cause["who"] is None or cause["who"] in {
        piece["who"] for piece in cause["contributors"]
        if piece["state"] == cause["state"]}
    assert 0 <= cause.get("wakeup_ns", 0) <= max(cause["ns"], 0)


class Broken:
    """A run that -b has ended: its cycle, its trace, and what it says."""

    def __init__(self, json, text, trace):
        self.found, = json["twoway"]["breaks"]
        self.threads = json["thread"]
        self.cause = self.found["cause"]
        self.text = text
        self.trace = trace
        self.stamps = dict(tracing.stamps(trace))
        pair = json["twoway"]["pairs"][self.found["pair"]]
        self.pids = {role: pair[role]["pid"] for role in PEERS}

    def window(self, phase):
        begin, end = PHASES[phase]
        return self.stamps[begin], self.stamps[end]

    def phase_of(self, injected):
        """The one in which most of it was, and that part of it."""
        phase = max(PHASES, key=lambda name: overlap(
            injected, *self.window(name)))
        begin_ns, end_ns = self.window(phase)
        return phase, [(max(begin, begin_ns), min(end, end_ns))
                       for begin, end in injected
                       if begin < end_ns and end > begin_ns]

    def is_whole(self):
        """Whether a buffer of the trace was large enough for what else went
        on."""
        return tracing.whole_ns(self.trace) <= self.stamps["planned"]

    def fits(self, injected, phase):
        """Whether the injected delay is all that broke the cycle."""
        if not self.is_whole():
            return False
        begin_ns, end_ns = self.window(phase)
        inside = overlap(injected, begin_ns, end_ns)
        # Nor may another have added much to it.
        return inside > 0.9 * sum(end - begin for begin, end in injected) \
            and end_ns - begin_ns - inside < 0.1 * inside and all(
                end - begin < inside / 2 for name in PHASES if name != phase
                for begin, end in [self.window(name)])

    def assert_consistent(self, phase):
        cause = self.cause
        assert_whole(cause)
        begin_ns, end_ns = self.window(phase)
        assert (cause["phase"], cause["side"], cause["pid"], cause["ns"]) == (
            phase, WAITS[phase], self.pids[WAITS[phase]], end_ns - begin_ns)
        assert f"# Cause: {cause['cause']}\n" in self.text

    def assert_delay(self, phase, injected, states):
        """As long as it was; see fits()."""
        measured = overlap(injected, *self.window(phase))
        assert self.cause["state"] in states
        assert abs(self.cause["state_ns"] - measured) < 0.12 * measured

    def assert_fault(self, name, how, phase, injected):
        """Of FAULTS."""
        role = name.split(":")[0]
        own = role == WAITS[phase]
        if how == "running":
            states = {"runs"} if own else {"peer runs"}
        elif name == "server:nanosleep:before":
            # Whose timer it is that does not expire, the trace does not tell.
            states = {"timer late"}
        else:
            states = {"blocked"} if own else {"peer blocked"}
        self.assert_delay(phase, injected, states)
        if how == "running":
            assert self.cause["who"] == f"twoway-{role}-{self.pids[role]}"
        elif states != {"timer late"}:
            assert self.cause["who"] is None
        assert f": {role} " in self.cause["cause"]

    def assert_spinner(self, pid, took, phase, why):
        """Who waited for it."""
        name = f"spinner-{pid}"
        if "from sched_waking to its first event" in self.text:
            why = ""        # a switch that the kernel did not trace
        assert self.cause["who"] == name
        self.assert_delay(phase, took, {"runnable", "peer runnable"})
        who = WAITS[phase] if self.cause["state"] == "runnable" else \
            PEERS[WAITS[phase]]
        assert re.search(rf": {who} runnable on CPU \d+ for [\d.]+ us while "
                         rf"{name} .* ran{why}", self.cause["cause"])
        return who
