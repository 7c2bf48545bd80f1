# SPDX-License-Identifier: GPL-2.0-or-later
"""A broken cycle: its trace, as --trace-file writes it, and its JSON.

In us: the timer is to expire at 1000, the client is awake at 1010 and sends,
the server has read at 1030; its timer should wake it at 1130, but a task with
preemption off has the CPU until 1400, so that it has slept at 1402; the client
has read at 1420. Client on CPU 3, server on CPU 2.
"""

import made

BASE_S = 100
CLIENT, SERVER, HOG, IDLE = 100, 200, 300, 0
COMMS = {CLIENT: "twoway-client", SERVER: "twoway-server",
         HOG: "a [002] hog-1", IDLE: "<idle>"}
PRIOS = {CLIENT: 9, SERVER: 10, HOG: 120, IDLE: 120}
STAMPS_NS = {"planned": 1_000_000, "t0": 1_010_200, "t1": 1_030_300,
             "t2": 1_402_400, "t3": 1_420_500}
WHAT = {"planned": "the timer is to expire",
        "t0": "the client is awake, about to send",
        "t1": "the server has read the request",
        "t2": "the server has slept, about to reply",
        "t3": "the client has read the reply"}
PHASES = {"wakeup": ("planned", "t0"), "send": ("t0", "t1"),
          "sleep": ("t1", "t2"), "receive": ("t2", "t3")}
CYCLE = 7
CAUSE = "sleep +270 us: server not woken by its timer on CPU 2 for " \
    "268.7 us while a [002] hog-1-300 (260.7 us), interrupt 36 (eth0) " \
    "(4.0 us), softirq NET_RX (2.0 us) and 1 more ran"
HEAD = "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP\n"


def line(at_us, cpu, pid, event, comm=None, flags="d..2."):
    return f"{comm or COMMS[pid]:>16}-{pid:<7} [{cpu:03}] {flags} " \
        f"{BASE_S}.{at_us:06}: {event}\n"


def switch(at_us, cpu, gone, state, comes, **how):
    def comm(pid):
        return COMMS[pid] if pid else f"swapper/{cpu}"

    return line(at_us, cpu, gone, f"sched_switch: prev_comm={comm(gone)} "
                f"prev_pid={gone} prev_prio={PRIOS[gone]} "
                f"prev_state={state} ==> next_comm={comm(comes)} "
                f"next_pid={comes} next_prio={PRIOS[comes]}", **how)


def waking(at_us, cpu, pid, woken, target):
    return line(at_us, cpu, pid, f"sched_waking: comm={COMMS[woken]} "
                f"pid={woken} prio={PRIOS[woken]} target_cpu={target:03}")


def timer(begin_us, end_us, cpu, pid, *inside):
    return [line(begin_us, cpu, pid, "local_timer_entry: vector=236"),
            *inside,
            line(end_us, cpu, pid, "local_timer_exit: vector=236")]


def softirq(begin_us, end_us, cpu, pid, *inside):
    return [line(begin_us, cpu, pid, "softirq_entry: vec=3 [action=NET_RX]"),
            *inside,
            line(end_us, cpu, pid, "softirq_exit: vec=3 [action=NET_RX]")]


def events():
    return [
        switch(100, 2, SERVER, "S", HOG),
        switch(110, 3, CLIENT, "S", IDLE),
        *timer(1001, 1004, 3, IDLE, waking(1003, 3, IDLE, CLIENT, 3)),
        switch(1006, 3, IDLE, "R", CLIENT),
        *softirq(1014, 1018, 3, CLIENT,
                 waking(1016, 3, CLIENT, SERVER, 2)),
        switch(1020, 2, HOG, "R", SERVER, comm="<...>"),
        switch(1022, 3, CLIENT, "S", IDLE),
        switch(1036, 2, SERVER, "S", HOG),
        line(1200, 2, HOG, "irq_handler_entry: irq=36 name=eth0"),
        *softirq(1202, 1204, 2, HOG),
        line(1206, 2, HOG, "irq_handler_exit: irq=36 ret=handled"),
        *timer(1397, 1400, 2, HOG, waking(1399, 2, HOG, SERVER, 2)),
        switch(1401, 2, HOG, "R+", SERVER),
        *softirq(1405, 1411, 2, SERVER,
                 waking(1408, 2, SERVER, CLIENT, 3)),
        switch(1412, 3, IDLE, "R", CLIENT),
        switch(1415, 2, SERVER, "S", HOG),
        line(1424, 3, CLIENT, "tracing_mark_write: " + mark()),
    ]


def duration(phase):
    begin, end = PHASES[phase]
    return STAMPS_NS[end] - STAMPS_NS[begin]


def mark():
    stamps = " ".join(f"{name} {BASE_S * 10**9 + STAMPS_NS[name]}"
                      for name in WHAT if name != "planned")
    response = STAMPS_NS["t3"] - STAMPS_NS["t0"]
    return f"twowaytest: cycle {CYCLE}: response {response // 1000} us > " \
        f"200 us: interval 1000 response {response // 1000} missed 0, " \
        f"{stamps} ns"


def stamp(name):
    return f"# {BASE_S}.{STAMPS_NS[name]:09}: twowaytest: cycle {CYCLE}: " \
        f"{name}: {WHAT[name]}\n"


def trace(stamps=tuple(WHAT), lines=None):
    """The file's text, its stamps among the lines as they come."""
    found = [(int(one.split(f" {BASE_S}.")[1][:6]) * 1000, one)
             for one in lines or events()]
    found += [(STAMPS_NS[name], stamp(name)) for name in stamps]
    return HEAD + "".join(text for _, text in sorted(
        found, key=lambda pair: pair[0]))


def span(at_ns, ns, state, who, pid, interrupt=False):
    return {"at_ns": at_ns, "ns": ns, "state": state, "cpu": 2, "who": who,
            "pid": pid, "prio": PRIOS.get(pid, -1), "interrupt": interrupt}


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
        "cause": CAUSE,
        "contributors": [span(*one) for one in sorted(
            sums.values(), key=lambda one: -one[1])],
        "timeline": [span(*one) for one in sleeps]}


def broken(**more):
    response = STAMPS_NS["t3"] - STAMPS_NS["t0"]
    return {"metric": "response", "limit_ns": 200_000, "value_ns": response,
            "pair": 0, "cycle": CYCLE, "step": 0, "client_cpu": 3,
            "server_cpu": 2, "response_ns": response,
            **{f"{phase}_ns": duration(phase) for phase in PHASES},
            "marked": True, "trace_file": "twowaytest-trace.txt",
            "analysis": analysis(), **more}


def twoway(**more):
    """The JSON of the run; more: of its break."""
    data = made.twoway(made.cycles(40))
    data["twoway"]["break"] = broken(**more)
    return data
