# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON of a run that ended at a broken cycle.

In us: the timer is to expire at 1000, the client is awake at 1010 and sends,
the server has read at 1030; its timer should wake it at 1130, but a task with
preemption off has the CPU until 1400, so that it has slept at 1402; the client
has read at 1420.
"""

import made

SERVER, HOG = 200, 300
STAMPS_NS = {"planned": 1_000_000, "t0": 1_010_200, "t1": 1_030_300,
             "t2": 1_402_400, "t3": 1_420_500}
PHASES = {"wakeup": ("planned", "t0"), "send": ("t0", "t1"),
          "sleep": ("t1", "t2"), "receive": ("t2", "t3")}
CYCLE = 7
CAUSE = "sleep +270 us: server not woken by its timer on CPU 2 for " \
    "268.7 us while a [002] hog-1-300 (260.7 us), interrupt 36 (eth0) " \
    "(4.0 us), softirq NET_RX (2.0 us) and 1 more ran"


def duration(phase):
    begin, end = PHASES[phase]
    return STAMPS_NS[end] - STAMPS_NS[begin]


def span(at_ns, ns, state, who, pid, interrupt=False):
    return {"at_ns": at_ns, "ns": ns, "state": state, "cpu": 2, "who": who,
            "pid": pid, "prio": -1, "interrupt": interrupt}


def analysis():
    hog = "a [002] hog-1-300"
    server = "twoway-server-200"
    sleeps = [
        (0, 5_700, "runs", server, SERVER), (5_700, 94_300, "asleep", hog,
                                             HOG),
        (100_000, 69_700, "timer late", hog, HOG),
        (169_700, 2_000, "timer late", "interrupt 36 (eth0)", HOG),
        (171_700, 2_000, "timer late", "softirq NET_RX", HOG),
        (173_700, 2_000, "timer late", "interrupt 36 (eth0)", HOG),
        (175_700, 191_000, "timer late", hog, HOG),
        (366_700, 2_000, "timer late", "local_timer interrupt", HOG),
        (368_700, 1_000, "runnable", "local_timer interrupt", HOG),
        (369_700, 1_000, "runnable", hog, HOG),
        (370_700, 1_400, "runs", server, SERVER)]
    sums = {}
    for at_ns, ns, state, who, pid in sleeps:
        sums.setdefault((state, who), [at_ns, 0, state, who, pid])[1] += ns
    return {
        "phase": "sleep", "side": "server", "pid": SERVER,
        "ns": duration("sleep"), "mean_ns": 102_100.0, "wakeup_ns": None,
        "cause": CAUSE, "state": "timer late",
        "contributors": [span(*one) for one in sorted(
            sums.values(), key=lambda one: -one[1])],
        "timeline": [span(*one) for one in sleeps]}


def broken(**more):
    """A member of breaks."""
    return {"metric": "response", "pair": 0, "cycle": CYCLE,
            "values": {"response": STAMPS_NS["t3"] - STAMPS_NS["t0"]} | {
                phase: duration(phase) for phase in PHASES},
            "trace_file": "twowaytest-trace.txt", "cause": analysis(), **more}


def twoway(**more):
    """The JSON of the run; more: of its break."""
    data = made.twoway(made.cycles(40), breaktrace=200)
    data["twoway"]["breaks"] = [broken(**more)]
    return data
