# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option of primitivetest: as options.py has those of twowaytest."""

from options import (ALL_CPUS, BAD_SETS, BY_NAME, CENTURY_S, CPUS, POLICIES,
                     TAKES_ALL, Good, Option, choice, file, flag, number, setting)

LOOPS = 5
# What a good value is tried with; later options override earlier ones.
BASE = ("--default-system", "-q", "--test=sync1.mutex", "-l", LOOPS,
        "--json=json")
# Two tasks; and they end at once, whatever the duration: no two switches
# take less than 1 us.
TWO = ("--test=sync2.futex",)
BROKEN = (*TWO, "-l0", "-b1")


def first(**members):
    """What the JSON says of the first row."""
    return {f"tests.0.{name}": value for name, value in members.items()}


def own_number(name, low, high, values, test):
    """It stands in the place of a test's kinds, which are named so."""
    return number(name, low, high, tuple(
        Good(value, extra=(f"--test={test}", "-l2")) for value in values))


def bits(name, values):
    """A list of one or both."""
    one, other = values
    return Option(name, "", "required", tuple(
        Good(value, extra=TWO, may_lack="cross" in value)
        for value in (one, other, f"{one},{other}", f"{other} {one}")),
        ("x", one.upper(), one[:-1], f"{one}x", f"{one};x", "7", "-1", "all"),
        f"allowed is one of {one}, {other}")


# The same as twowaytest's: options of the parts that both programs have.
SHARED = tuple(BY_NAME[name] for name in (
    "check", "clock", "default-system", "help", "histfile", "histofall",
    "histogram", "json", "nsecs", "percentiles", "quiet", "refresh_on_max",
    "unbuffered", "verbose", "version", "worst"))

OPTIONS = tuple(sorted((
    *SHARED,
    Option("affinity", "a", "optional", (
        Good(None, {"tests.0.processes.0.cpus": str(CPUS[-1])}),
        Good(str(CPUS[0]), {"tests.0.processes.0.cpus": str(CPUS[0])}),
        Good(ALL_CPUS, {"tests.0.processes.0.cpus": str(CPUS[0])}),
    ), BAD_SETS, f"allowed is a set of CPUs out of {ALL_CPUS}"),
    number("bin", 1, 10 ** 9, (
        Good("1", setting(bin_ns=1)),
        Good("1000000000", setting(bin_ns=10 ** 9)))),
    number("breaktrace", 1, 10 ** 6, (
        Good("1", extra=TWO), Good("1000000")), "b"),
    own_number("copies", 1, 16, ("1", "16"), "copy"),
    bits("cpus", ("same", "cross")),
    file("dump"),
    Option("duration", "D", "required", (
        Good("0", setting(duration_s=0)),
        *(Good(value, setting(duration_s=seconds), BROKEN)
          for value, seconds in (
              ("7", 7), ("8s", 8), ("2m", 120), ("3h", 10800), ("4d", 345600),
              (f"{CENTURY_S}", CENTURY_S))),
    ), BY_NAME["duration"].bad, BY_NAME["duration"].allowed),
    number("hog", 1, 10 ** 5, (
        Good("1", setting(hog_us=1)),
        Good("100000", setting(hog_us=10 ** 5)))),
    number("hold", 1, 10 ** 5, (
        Good("1", setting(hold_us=1)),
        Good("100000", setting(hold_us=10 ** 5)))),
    number("interval", 0, 10 ** 6, (
        Good("0", setting(interval_us=0)),
        Good("700", setting(interval_us=700), TWO)), "i"),
    number("latency", 0, 2 ** 31 - 1, (Good("7", extra=("--latency=9",)),)),
    Option("limit", "", "required", tuple(
        Good(value) for value in (
            "sync1.pair:0", "sync1.pair:1000000", "sync1.mutex.pair:1000000",
            "sync1.pair:0.001", "sync1.pair:avg:1000000",
            "sync1.mutex.pair:p50:1000000", "sync1.pair:p10.25:1000000")
    ), ("", " ", ":", "x", "5", "pair:5", "sync1.pair", "sync1.pair:",
        ":5", "sync1.pair:x", "sync1.pair:-1", "sync1.pair:+1",
        "sync1.pair: 1", "sync1.pair:1 ", "sync1.pair:5x", "sync1.pair:0x1",
        "sync1.pair:1e3", "sync1.pair:nan", "sync1.pair:1.2.3",
        "sync1.pair:1000001", "sync1.pair:avg", "sync1.pair:avg:",
        "sync1.pair:avg:x", "sync1.pair:p50", "sync1.pair:p50:",
        "sync1.pair:p50:x", "sync1.pair:p:5", "sync1.pair:p0:5",
        "sync1.pair:p100:5", "sync1.pair:p-1:5", "sync1.pair:p1e1:5",
        "sync1.pair:P50:5", "sync1.pair:p50:5:5", "-1", "x" * 200 + ":5"),
        " allowed"),
    flag("list"),
    Option("load", "", "required", (
        Good("none", {"load.kind": "none"}),
        Good("fft", {"load.kind": "fft", "load.workers": 1}),
        Good("fft:2", {"load.kind": "fft", "load.workers": 2}),
        Good("command:sleep 9", {"load.kind": "command",
                                 "load.command": "sleep 9"}),
        Good("hackbench:3", {"load.kind": "hackbench", "load.workers": 3},
             may_lack=True),
    ), BY_NAME["load"].bad, BY_NAME["load"].allowed),
    # Where the load runs is not in the JSON.
    Option("load-affinity", "", "required", tuple(
        Good(value, extra=("--load=fft",))
        for value in (str(CPUS[-1]), ALL_CPUS)),
        BAD_SETS, f"allowed is a set of CPUs out of {ALL_CPUS}"),
    Option("load-args", "", "required", (Good("-l 7  -s 100"), Good("")),
           TAKES_ALL),
    number("loops", 0, 10 ** 9, (
        Good("1", {**setting(loops=1), **first(trials=1)}),
        Good("33", {**setting(loops=33), **first(trials=33)}),
        Good("0", {**setting(loops=0), **first(trials=10000)})), "l"),
    flag("mlockall", "m", {**setting(mlockall=True),
                           "tests.0.processes.0.locked": True},
         may_lack=True),
    choice("order", ("higher", "lower", "equal"), "settings.order"),
    own_number("period", 100, 500000, ("100", "2000"), "timer"),
    choice("policy", ("other", "batch", "idle"), "settings.policy",
           allowed=POLICIES,
           good=(Good("normal", setting(policy="other")),
                 *(Good(name, setting(policy=name), ("-p", "9"),
                        may_lack=True) for name in ("fifo", "rr")))),
    number("priority", 4, 98, tuple(
        Good(str(priority), {
            **setting(priority=priority, policy="fifo"),
            "tests.0.processes.0.priority": priority}, may_lack=True)
        for priority in (4, 98)), "p"),
    number("rt-runtime", 0, 10 ** 6, (
        Good("900000", {"throttling.rt_runtime_us": 900000}, may_lack=True),
        Good("-1", {"throttling.rt_runtime_us": -1}, may_lack=True)),
        also="-1"),
    own_number("size", 1, 65536, ("1", "1024"), "message"),
    bits("tasks", ("thread", "process")),
    Option("test", "", "required", tuple(map(Good, (
        "sync1", "sync2.futex", "sync2.cond sync1.mutex",
        "sync1.mutex,sync1,sync1.mutex", "pcserver", "notes,sync1",
        "rhealstone"))),
        ("", ",", "x", "Sync1", "sync", "sync12", "sync1.", "sync1.x",
         ".mutex", "sync1.mutex.pair", "sync1;sync2", "sync1,x", "AEGIS",
         "aegis.mutex", "-1"), ""),
    BY_NAME["trace"],
    file("trace-file", privileged=True),
    flag("us"),
    number("warmup", 0, 10 ** 6, tuple(
        Good(str(count), {**setting(warmup=count),
                          **first(warmup=count, trials=LOOPS)})
        for count in (0, 1, 12))),
    number("work", 0, 10 ** 12, (
        Good("0", setting(work=0)), Good("77", setting(work=77)))),
), key=lambda option: option.name))
