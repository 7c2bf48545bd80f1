# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option: values that are taken and what they do, and that are not.

The tests of cli and rt draw on this table; one of them compares it with
--help, so that no option goes without a test.
"""

import dataclasses
import os

import outside


def reachable():
    """The CPUs that an affinity may be set to: those of taskset are no limit,
    those of a cpuset are."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, range(1024))
        return sorted(os.sched_getaffinity(0))
    except OSError:
        return sorted(before)
    finally:
        os.sched_setaffinity(0, before)


CPUS = reachable()
NO_CPU = max(CPUS) + 1
ALL_CPUS = outside.cpu_list(CPUS)
LOOPS = 20
INTERVAL = 500
# What a good value is tried with; later options override earlier ones.
BASE = ("--default-system", "-q", "-l", LOOPS, "-i", INTERVAL, "--json=json")


@dataclasses.dataclass(frozen=True)
class Good:
    """A value, None if the option stands alone, and what it results in.

    @expect: members of the JSON's "twoway", by their path. None: the value
    shows elsewhere, and the tests have a function for it.
    """
    value: str | None = None
    expect: dict | None = None
    extra: tuple = ()           # options that it wants before it
    privileged: bool = False    # tested in tests/rt
    may_lack: bool = False      # this machine may not have it
    two_hosts: bool = False     # tested where client and server have clocks


@dataclasses.dataclass(frozen=True)
class Option:
    """@allowed: what the refusal of each bad value must say."""
    name: str
    short: str = ""
    argument: str = "none"      # or "required", "optional"
    good: tuple = ()
    bad: tuple = ()
    allowed: str = ""

    @property
    def long(self):
        return f"--{self.name}"

    def spellings(self, value):
        """All ways to write it, each a tuple of words."""
        if value is None:
            yield (self.long,)
            if self.short:
                yield (f"-{self.short}",)
            return
        yield (f"{self.long}={value}",)
        if self.short and value:
            yield (f"-{self.short}{value}",)
        if self.argument == "required":
            yield (self.long, value)
            if self.short:
                yield (f"-{self.short}", value)


def setting(**members):
    return {f"settings.{name}": value for name, value in members.items()}


def flag(name, short="", expect=None, **more):
    return Option(name, short, good=(Good(expect=expect, **more),))


NO_NUMBERS = ("", "x", " ", "-1", "-0", "+1", "5x", "5 ", "5 6", "0x10", "1e3",
              "5.0", "1,000", "nan", "\u0663", "99999999999999999999",
              "-99999999999999999999")


def number(name, low, high, good, short="", also=None):
    """@also: another word that is taken."""
    bad = (*NO_NUMBERS, str(high + 1), *((str(low - 1),) if low else ()))
    return Option(name, short, "required", tuple(good),
                  tuple(word for word in bad if word != also),
                  f"allowed is a whole number from {low} to {high}" +
                  (f", or {also}" if also else ""))


def maybe_number(name, low, high, good, short="", **more):
    """Its number may be left out."""
    required = number(name, low, high, good, short)
    return dataclasses.replace(required, argument="optional", **more)


def choice(name, names, member, short="", allowed=None, extra=(), **more):
    """One of @names; more good values in @more. @member: None if a test has
    a function for it."""
    good = tuple(Good(one, {member: one} if member else None, extra)
                 for one in names)
    bad = ("", " ", names[0].upper(), names[0] + "x", names[0][:-1],
           names[0] + " ", "7", "-1", ",".join(names[:2]))
    return Option(name, short, "required", good + more.get("good", ()), bad,
                  "allowed is one of " + ", ".join(allowed or names))


def file(name, **more):
    return Option(name, "", "required", (Good("file", **more),), ("",),
                  "a file name is needed")


BAD_SETS = ("", "x", "-1", "1-", f"{NO_CPU}", f"0-{NO_CPU}", "3-1",
            "1e0", "0 1", "99999", "!" + ALL_CPUS)


def cpu_set(name, member, **more):
    return Option(name, "", "required", (
        Good(str(CPUS[-1]), {member: str(CPUS[-1])}, **more),
        Good(ALL_CPUS, {member: ALL_CPUS}, **more),
        Good("all", {member: ALL_CPUS}, **more)
    ), BAD_SETS, f"allowed is a set of CPUs out of {ALL_CPUS}")


def can_limit_latency():
    try:
        os.close(os.open(outside.CPU_DMA_LATENCY, os.O_WRONLY))
    except OSError:
        return False
    return True


TAKES_ALL = None        # instead of bad values: there are none
METRICS = ("interval", "send", "sleep", "receive", "response", "total",
           "wakeup", "planned", "network")
POLICIES = ("other", "normal", "batch", "idle", "fifo", "rr")
CENTURY_S = 100 * 365 * 86400

# A kernel may be without its vsock loopback, a machine without IPv6.
TRANSPORTS = ("tcp", "udp", "unix", "seqpacket", "vsock")

# A port that nobody has; the tests put it there.
ANY = "127.0.0.1:any"
NO_PORTS = (":0", ":65536", ":x", ":", ":-1", ":5x", ":99999999999999999999")


def of_server(name, low, high, good):
    """A number that is the limit of a server for other hosts."""
    return number(name, low, high, tuple(
        Good(value, extra=(f"--server={ANY}",)) for value in good))


OPTIONS = (
    flag("accept", extra=(f"--connect={ANY}",)),
    maybe_number("aligned", 0, 1000000, (
        Good(None, setting(aligned_us=0)), Good("0", setting(aligned_us=0)),
        Good("70", setting(aligned_us=70))), "A"),
    Option("address", "", "required", (
        Good("127.0.0.1", setting(address="127.0.0.1", transport="tcp")),
        Good("127.200.0.9", setting(address="127.200.0.9")),
        Good("::1", setting(address="::1"), may_lack=True),
        Good("[::1]", setting(address="::1"), may_lack=True),
        Good("[::1]", setting(address="::1", transport="udp"),
             ("--transport=udp",), may_lack=True),
    ), ("", "x", "localhost", "127.1", "127.0.0.256", "0.0.0.0", "::",
        "128.0.0.1", "126.255.255.255", "10.0.0.1", "::2", "::1%lo", "[::1",
        "::1]", "[]", "[127.0.0.1]", "127.0.0.1:80", "[::1]:80",
        "::ffff:127.0.0.1", "-1", "7" * 99, "[" + ":" * 99 + "]"),
        "allowed is a numeric address of the loopback"),
    Option("affinity", "a", "optional", (
        Good(None, setting(affinity="plan")),
        Good(str(CPUS[0]), {"settings.affinity": "set",
                            "processes.server.cpus": str(CPUS[0]),
                            "processes.client.cpus": str(CPUS[0])}),
        Good(ALL_CPUS, {"settings.affinity": "set",
                        "processes.server.cpus": str(CPUS[0]),
                        "processes.client.cpus": str(CPUS[1 % len(CPUS)])}),
    ), BAD_SETS, f"allowed is a set of CPUs out of {ALL_CPUS}"),
    Option("allow", "", "required", tuple(
        Good(value, extra=(f"--server={ANY}",)) for value in (
            "127.0.0.1", "127.0.0.0/8,::1", "192.0.2.0/24,2001:db8::/32")),
        ("", ",", "x", "localhost", "127.0.0.1/33", "127.0.0.1/", "1.2.3",
         "::1/129", "127.0.0.1/8", "127.0.0.1,,::1", "127.0.0.1 ::1"),
        "allowed is"),
    number("breaktrace", 1, 10 ** 9, (Good("1"), Good("1000000000")),
           "b"),
    number("busy-poll", 0, 1000000, (
        Good("0", setting(busy_poll_us=0)),
        Good("50", setting(busy_poll_us=50), privileged=True),
        Good("1000000", setting(busy_poll_us=1000000), ("--transport=udp",),
             privileged=True))),
    choice("break-on", METRICS, None, extra=("-b", "1")),
    flag("check"),
    choice("clock", ("monotonic", "realtime", "monotonic_raw", "tai",
                     "boottime"), "settings.clock", "c",
           ("monotonic", "realtime", "monotonic_raw", "tai", "boottime",
            "tsc"),
           good=(Good("0", setting(clock="monotonic")),
                 Good("1", setting(clock="realtime")),
                 Good("tsc", setting(clock="tsc"), may_lack=True))),
    cpu_set("client-affinity", "processes.client.cpus"),
    Option("connect", "", "required", (
        Good(ANY), Good("localhost:any"), Good("[127.0.0.1]:any"),
    ), ("", *NO_PORTS, *(f"host{port}" for port in NO_PORTS), "[]", "[::1]x",
        *(f"[::1]{port}" for port in NO_PORTS), "h" * 256),
        "allowed is a host, or HOST:PORT with a port from 1 to 65535"),
    flag("default-system", expect=setting(latency_us=None)),
    Option("duration", "D", "required", tuple(
        Good(value, setting(duration_s=seconds)) for value, seconds in (
            ("0", 0), ("7", 7), ("8s", 8), ("2m", 120), ("3h", 10800),
            ("4d", 345600), (f"{CENTURY_S}", CENTURY_S))
    ), (*NO_NUMBERS, "m", "1w", "1M", "1mm", "1.5h", "-1m", "1 m", "1m ",
        f"{CENTURY_S + 1}", "36501d", "9223372036854775807d"),
        "allowed is a whole number of seconds, or with m, h or d"),
    number("distance", 0, 1000000, (
        Good("0", setting(intervals_us=[INTERVAL] * 2), extra=("-t2",)),
        Good("7", setting(intervals_us=[INTERVAL, INTERVAL + 7]),
             extra=("-t2",))), "d"),
    number("dscp", 0, 63, (
        Good("0", setting(dscp=0, sock_priority=0)),
        Good("46", setting(dscp=46)),
        Good("63", setting(dscp=63), ("--transport=udp",)),
        Good("10", setting(dscp=10), ("--address=::1",), may_lack=True))),
    file("dump"),
    flag("force", privileged=True),
    flag("help"),
    number("histogram", 1, 1000000, (
        Good("200", setting(histogram_us=200)),
        Good("1", setting(histogram_us=1))), "h"),
    number("histofall", 1, 1000000, (
        Good("300", setting(histogram_us=300)),), "H"),
    file("histfile", extra=("-h", "100")),
    Option("interface", "", "required", (
        Good("lo", setting(interface="lo")),
        Good("lo", setting(interface="lo"), ("--transport=udp",)),
    ), ("", "x", "lo ", "Lo", "lo0", "lo:1", "no-such-interface", "l" * 99),
        "there is no such interface here; allowed is lo"),
    # "1,000" is a list, but too long for one pair.
    Option("interval", "i", "required", (
        Good("700", setting(interval_us=700)),
        Good("101", setting(interval_us=101)),
        Good("700,900", setting(intervals_us=[700, 900]), extra=("-t2",)),
        Good("0", {"settings.interval_us": 0, "settings.timer": "none"})
    ), (*(word for word in NO_NUMBERS if word != "1,000"), "1000000001",
        "700,", ",700", "700,x", "700,-1", "7 00,700"),
        "allowed is a whole number from 0 to 1000000000"),
    Option("json", "", "required", (Good("file"), Good("-")), ("",),
           "a file name is needed"),
    number("latency", 0, 2 ** 31 - 1, (
        Good("7", privileged=True),
        Good(f"{2 ** 31 - 1}", privileged=True))),
    Option("limit", "", "required", (
        *(Good(f"{metric}:1000000000") for metric in METRICS),
        Good("missed:1000000000"), Good("missed:0"), Good("send:0"),
        Good("send@0:5"), Good("missed@1:0", extra=("-t2",)),
        Good("total@0-1,1:p10:7", extra=("-t2", "-d0")),
        Good("throttled:1000000000"), Good("throttled:0"),
        Good("lost:1000000000"), Good("lost:0"),
        Good("total:7"), Good("total:avg:7"), Good("total:p50:1000000000"),
        Good("sleep:p0.1:0"),
        Good("planned:p10.25:70"),
    ), ("", " ", ":", "x", "5", "send", "send:", ":5", "send:x", "send:-1",
        "send:+1", "send: 1", "send:1 ", " send:1", "send :1", "send:1.5",
        "send:1us", "send:0x1", "send:1e3", "send:1000000001",
        "send:99999999999999999999", "bogus:5", "Send:5", "sen:5", "sends:5",
        "send:p:5", "send:p0:5", "send:p0.0:5", "send:p100:5", "send:p101:5",
        "send:p-1:5", "send:p+1:5", "send:p50", "send:p50:", "send:p50:x",
        "send:p5.5.5:5", "send:p.:5", "send:p1e1:5", "send:pnan:5",
        "send:p50%:5", "send:p 50:5", "send:P50:5", "send:50:5",
        "send:5:", "send:avg", "send:avg:", "send:avg:x", "send:p50:5:5",
        "send:5,total:5", "all:5", "missed", "send@:5", "send@x:5",
        "send@0-:5", "send@-1:5", "send@1-0:5", "send@0,:5", "send@0 1:5",
        "send@256:5", "@0:5", "send@0@1:5",
        "missed:", "missed:x", "missed:-1", "missed:1.5", "missed:p50:5",
        "missed:1000000001", "throttled", "throttled:avg:5",
        "throttled:p50:5", "throttle:5", "lost:avg:5", "lost", "-1",
        "x" * 200 + ":5"),
        "allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N, "
        "throttled:N or lost:N"),
    Option("load", "", "required", (
        Good("none", {"load.kind": "none", "load.workers": 0}),
        Good("fft", {"load.kind": "fft", "load.workers": 1}),
        Good("fft:2", {"load.kind": "fft", "load.workers": 2}),
        Good("command:sleep 9", {"load.kind": "command", "load.workers": 1,
                                 "load.command": "sleep 9"}),
        Good("command:sleep 9 # a:b, 'c'",
             {"load.command": "sleep 9 # a:b, 'c'"}),
        Good("hackbench"), Good("hackbench:3"),
    ), ("", " ", "FFT", "fft ", "fft3", "fft:", "fft:0", "fft:1025", "fft:x",
        "fft:-1", "fft:+1", "fft: 1", "fft:1 ", "fft:1x", "fft:0x1", "fft:1:1",
        "fft:1.5", "fft:99999999999999999999", "hackbench:", "hackbench:0",
        "hackbench:1025", "fft,hackbench", "7", "-1", "commands"),
        "allowed is "),
    cpu_set("load-affinity", "load.cpus", extra=("--load=fft",)),
    # Any text is taken: what hackbench makes of it is its own affair.
    Option("load-args", "", "required", (
        Good("-l 7  -s 100"), Good("")), TAKES_ALL),
    choice("load-policy", ("other", "batch", "idle"), "load.policy",
           allowed=POLICIES, extra=("--load=fft",),
           good=(Good("normal", {"load.policy": "other"},
                      extra=("--load=fft",)),
                 Good("fifo", privileged=True),
                 Good("rr", privileged=True))),
    number("load-priority", 1, 99, (Good("7", privileged=True),)),
    number("loops", 0, 10 ** 12, (
        Good("1", {"settings.loops": 1, "cycles": 1}),
        Good("33", {"settings.loops": 33, "cycles": 33})), "l"),
    cpu_set("mainaffinity", "processes.main.cpus"),
    of_server("max-pairs", 1, 32, ("1", "32")),
    of_server("max-rate", 1, 10 ** 7, ("1", "10000000")),
    of_server("max-size", 8, 65536, ("8", "65536")),
    Option("max-time", "", "required", tuple(
        Good(value, extra=(f"--server={ANY}",)) for value in (
            "1", "8s", "2m", "3h", "4d", f"{CENTURY_S}")
    ), (*NO_NUMBERS, "0", "m", "1w", "1.5h", "1 m", f"{CENTURY_S + 1}",
        "36501d"), "allowed is a whole number of seconds, or with m, h or d"),
    Option("metrics", "", "required", (
        Good("planned", setting(metrics=["planned"])),
        Good("total,send", setting(metrics=["total", "send"])),
        Good("wakeup sleep", setting(metrics=["wakeup", "sleep"])),
        Good(",".join(METRICS), setting(metrics=list(METRICS)))
    ), ("", ",", "x", "Send", "send;total", "sen",
        "send,send", "all", "-1"), ""),
    flag("mlockall", "m", setting(mlockall=True), privileged=True),
    flag("nsecs", "N"),
    # Other values need two hosts.
    Option("oneway", "", "required", (
        Good("off", setting(oneway="off", sync_limit_us=None)),
        Good("bound", setting(oneway="bound"), two_hosts=True),
        Good("sync", setting(oneway="sync"), ("-c1",), two_hosts=True),
    ), ("", " ", "OFF", "offx", "of", "off ", "7", "-1", "sync,bound",
        "Sync", "bounds"), "allowed is one of off, sync, bound"),
    maybe_number("orb", 1, 95, (
        Good(None, privileged=True), Good("2", privileged=True))),
    choice("order", ("priority", "arrival", "fixed"), "settings.order",
           extra=("--servers=one",)),
    choice("peer", ("same", "next"), None, extra=("-S",)),
    Option("percentiles", "", "optional", (
        Good(None), Good("50"), Good("10,99.5 25"), Good("0.001,99.999"),
        Good(",".join(map(str, range(1, 33))))
    ), ("", ",", "x", "0", "100", "-5", "+5", "101", "1e1", "0x10", "nan",
        "inf", ".", "50%", "5.5.5", "50;60", ",".join(["50"] * 33)), ""),
    choice("policy", ("other", "batch", "idle"), "settings.policy",
           allowed=POLICIES,
           good=(Good("normal", setting(policy="other")),
                 Good("fifo", setting(policy="fifo"), privileged=True),
                 Good("rr", setting(policy="rr"), privileged=True))),
    number("port", 0, 65535, (Good("0"), Good("any"))),
    number("priority", 3, 99, (Good("50", privileged=True),), "p"),
    flag("priospread", expect=setting(priorities="spread")),
    flag("quickack", "", setting(quickack=True)),
    flag("quiet", "q"),
    choice("ramp", ("load", "pairs"), None, extra=("--steps=2", "--load=fft")),
    flag("refresh_on_max", "M"),
    Option("rsh", "", "optional", (
        Good(None, extra=("--connect=127.0.0.1",)),
        Good("env", extra=("--connect=127.0.0.1",)),
    ), ("",), "a command is needed"),
    number("rt-runtime", 0, 1000000, (Good("900000", privileged=True),
                                      Good("-1", privileged=True)),
           also="-1"),
    of_server("runs", 1, 10 ** 9, ("1", "1000000000")),
    Option("server", "", "optional", (
        Good(None), Good(ANY), Good(":any"), Good("[::1]:any", may_lack=True),
        Good("stdio"),
    ), ("", *NO_PORTS, *(f"127.0.0.1{port}" for port in NO_PORTS),
        "localhost", "host:5", "127.1", "[]", "[::1]x", "[127.0.0.1",
        "stdio ", "STDIO", "1.2.3.4.5"),
        "allowed is a numeric address of this host, ADDR:PORT, [ADDR]:PORT "
        "of IPv6, :PORT, or stdio"),
    cpu_set("server-affinity", "processes.server.cpus"),
    number("server-priority", 2, 99, (Good("50", privileged=True),)),
    choice("servers", ("each", "one"), "settings.servers"),
    of_server("sessions", 1, 8, ("1", "8")),
    number("size", 8, 65536, tuple(
        Good(str(size), setting(size=size)) for size in (
            8, 9, 4096, 65536))),
    flag("smi", privileged=True),
    flag("smp", "S", setting(affinity="smp")),
    number("sleep", 0, 10000000, (
        Good("0", setting(sleep_us=0)),
        Good("50", setting(sleep_us=50)),
        Good("1500", setting(sleep_us=1500), extra=("-i", "2000")))),
    number("sock-priority", 0, 2 ** 31 - 1, (
        Good("0", setting(sock_priority=0)),
        Good("6", setting(sock_priority=6)),
        Good("3", setting(sock_priority=3), ("--transport=udp",)),
        # The class of the code point would set another priority.
        Good("1", setting(dscp=46, sock_priority=1), ("--dscp=46",)),
        Good("7", setting(sock_priority=7), privileged=True))),
    number("spike", 1, 10 ** 9, (
        Good("7", {"spikes.limit_us": 7, "spikes.metric": "response"}),
        *(Good(f"{metric}:7", {"spikes.limit_us": 7,
                               "spikes.metric": metric})
          for metric in METRICS),
        Good("1000000000", {"spikes.limit_us": 10 ** 9, "spikes.seen": 0,
                            "spikes.kept": []}))),
    number("spike-nodes", 1, 10 ** 7, (
        Good("1", extra=("--spike=1",)), Good("7", extra=("--spike=1",)),
        Good("1000", extra=("--spike=1",)))),
    choice("stamps", ("off", "rx", "all"), "settings.stamps"),
    number("steps", 1, 1024, (
        Good("1", extra=("--load=fft",)),
        Good("3", extra=("--load=fft",)))),
    number("sync-limit", 1, 10 ** 9, (
        Good("25", setting(sync_limit_us=25), ("--oneway=sync", "-c1"),
             two_hosts=True),)),
    maybe_number("threads", 1, 256, (
        Good(None, setting(pairs=len(os.sched_getaffinity(0)))),
        Good("1", setting(pairs=1)), Good("3", setting(pairs=3))), "t"),
    file("timeline"),
    Option("timeline-every", "", "required", tuple(
        Good(value, extra=("--timeline=file",)) for value in (
            "1", "7s", "2m", "1d")
    ), (*NO_NUMBERS, "0", "m", "1w", "1.5h", "2d", "86401"),
        "allowed is a whole number of seconds, or with m, h or d"),
    number("timeout", 1, 10000000, (
        Good("400000", setting(timeout_us=400000), ("--transport=udp",)),
        Good("2000000", setting(timeout_us=2000000),
             ("--transport=udp",)))),
    choice("timer", ("nanosleep", "posix", "timerfd"), "settings.timer"),
    choice("total", ("documented", "trltp3"), "settings.total"),
    Option("trace", "", "optional", (
        Good(None, privileged=True), Good("sched", privileged=True)
    ), ("", "a/b", "../x", "a;b", "a|b", "$(x)", "a=b", "a'", "a.b", "\u00e9",
        "!sched", "x" * 1001), "allowed is a list of systems (irq), events "
        "(sched_switch) or system:event, separated by commas"),
    file("trace-file", privileged=True),
    flag("tracemark", privileged=True),
    Option("transport", "", "required", (
        *(Good(kind, setting(transport=kind)) for kind in TRANSPORTS[:-1]),
        Good("vsock", setting(transport="vsock"), may_lack=True),
    ), ("", " ", "TCP", "tcpx", "tc", "tcp ", "7", "-1", "tcp,udp", "sctp"),
        "allowed is one of tcp, udp, unix, seqpacket, vsock"),
    flag("trltp", privileged=True),
    file("trltp-log"),
    flag("unbuffered", "u"),
    flag("verbose", "v"),
    flag("version"),
    choice("wait", ("poll", "select", "epoll", "read", "busy"),
           "settings.wait"),
    number("warmup", 0, 1000000, tuple(
        Good(str(count), {"warmup.cycles": count, "cycles": LOOPS})
        for count in (0, 1, 5))),
    flag("worst"),
    flag("posix_timers", "x", setting(timer="posix")),
)

BY_NAME = {option.name: option for option in OPTIONS}
