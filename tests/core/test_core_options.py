# SPDX-License-Identifier: GPL-2.0-or-later
"""Options: each is refused what it must not have, and does what it says."""

import functools
import os
import re
import subprocess
import time

import pytest

import outside
import results
import twowaytest

CPUS = sorted(os.sched_getaffinity(0))
CPU0 = str(CPUS[0])
KIB = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1024
NO_CPU = 8192   # a kernel has fewer
OPTION = re.compile(r"  (?:-(?P<letter>\w), |    )--(?P<name>[\w-]+)"
                    r"(?P<optional>\[)?(?:=(?P<value>(?:[^\s\]]|\](?!\s|$))+)"
                    r"\]?)?(?: .*)?")
# A number's spellings that are none, whatever its range.
NO_NUMBER = ("", " ", "x", "1x", "0x10", "1.5", "1e3", "--5", "9" * 30,
             "1 000", "\u0663", "-0x1", "5,", "+5", "\t5", "5 ", "- 5", "-")
# By what --help calls the value; "{number}" stands for those above.
BAD = {
    "US": ("{number}",), "N": ("{number}",), "BYTES": ("{number}",),
    "PRIO": ("{number}",),
    "US[,US...": ("x", "", ",", "1000,x", "1000,,2000", "1000,-1",
                   "1000000001", "1000 2000", ",".join(["1000"] * 257)),
    "TIME": ("x", "", "-1", "1.5", "5x", "5mm", "m", " 5", "5 s", "+5", "0x9",
             "5w", "5ms", "3153600001", "52560001M", "876001h", "36501D",
             "9223372036854775808", "9" * 30, "9" * 30 + "d"),
    "NAME": ("bogus", "", "2", "fifo,rr", "nanosleep ", "timerfd ",
             "seqpacket"),
    "LIST": ("bogus", "", ",", "send,bogus", "send,send", "send,,sleep",
             "all,send", "ALL", "0", "100", "-1", "1e1", "50,50", "50,",
             "0x1", "99.99999999", ",".join(map(str, range(1, 34)))),
    "DEVICE": ("", "no-device", "lo0/", "x" * 99),
    "STRING": (),               # each is allowed
    "KIND[:ARG": ("bogus", "", ":1", "fft:", "fft:0", "fft:1025", "fft:x",
                  "fft:1:1", "hackbench:0", "none:1", "FFT",
                  "command", "command:"),
    "CPUSET": ("x", "", "-1", f"{NO_CPU}", f"0-{NO_CPU}", "1-0", "0-", "0,x",
               "99999", "4294967296", "!all", "0x"),
    "[METRIC:]US": ("{number}", "bogus:5", ":5", "send:", "send:x", "send:0",
                    "5:send"),
    "LIMIT": ("", "x", "-1", "bogus:5", "send:", ":5", "5:", "5:5", "p:5",
              "p99", "px:5", "p0:5", "p100:5", "p-1:5", "p99:", "avg", "avg:",
              "avg:p99:5", "missed", "missed:", "missed:1.5", "missed:-1",
              "missed:avg:5", "5x", "1.2.3", "1e3", "1000000001", "nan",
              "rate:1/h", "rate:5", "rate:1:5", "rate:0/h:5", "rate:1/h:0",
              "rate:1/s:5", "rate:1/h:5x", "rate:./h:5", "rate:-1/h:5",
              "rate:1e9/h:5", "rate:1/h:avg:5", "rate:1/hour:5",
              "inf", "latency@0:5", "5@0", "LATENCY:5", "send:send:5"),
    "FILE[:SECONDS": ("-x", "f:0", "f:86401", "f:99999999999999999999"),
    "EVENTS": ("", "!irq", "irq;sched"),
    "FILE": ("", "-x", "/nonexistent/file", "/", "."),
    "HOST[:PORT": ("", ":", "-x", "a b", "a;b", "$(x)", "a:", "a:0", ":7",
                   "a:65536", "a:x", "127.0.0.1:", "127.0.0.1:65536", "[]",
                   "[::1", "[::1]x", "[::1]9", "[::1]:x", "user@host"),
    "ADDR[:PORT]": ("", "x", "localhost", "1.2.3", "127.0.0.1:0",
                   "127.0.0.1:65536", "192.0.2.1", "::", "0.0.0.0"),
    "COMMAND": (),
}
# The least and the most that a number may be.
RANGES = {
    "aligned": (0, 10**6), "breaktrace": (1, 10**9), "breaks": (1, 10**9),
    "busy-poll": (0, 10**6), "distance": (0, 10**6), "dscp": (0, 63),
    "histofall": (1, 10**6), "histogram": (1, 10**6),
    "latency": (0, 2 * 10**9), "load-priority": (1, 97), "loops": (0, 10**12),
    "orb": (1, 255), "prefer-busy-poll": (1, 65535), "priority": (2, 99),
    "rt-runtime": (-1, 10**6), "runtime": (2, 10**9),
    "server-priority": (2, 99), "size": (8, 65536), "sleep": (0, 10**7),
    "sock-priority": (0, 2**31 - 1), "spike": (1, 10**9),
    "spike-nodes": (1, 10**7), "steps": (1, 1025), "threads": (1, 256),
    "timeout": (1, 10**7), "warmup": (0, 10**6),
}
NOT_STDOUT = ("dump", "histfile", "trltp-log")     # "-" would be a file


@functools.cache
def options():
    """What --help says: {name: match}."""
    done = subprocess.run([twowaytest.binary(), "--help"], text=True,
                          check=True, capture_output=True)
    rows = [OPTION.fullmatch(line) for line in done.stdout.splitlines()
            if line.startswith(("  -", "      --"))]
    assert all(rows) and len(rows) > 38 and not done.stderr
    return {row["name"]: row for row in rows}


def words(name, value):
    """Each way to write it."""
    letter, optional = options()[name]["letter"], options()[name]["optional"]
    yield [f"--{name}={value}"]
    if letter and value:
        yield [f"-{letter}{value}"]
    if letter and not optional and not value.startswith("-"):
        yield [f"-{letter}", value]
    if optional and value and not value.startswith("-"):
        yield [f"--{name}", value]


def refusal(*args, **more):
    """The message that a command line is refused with, within a second: one
    line, nothing started."""
    begin = time.monotonic()
    done = subprocess.run([twowaytest.binary(), *map(str, args)], text=True,
                          capture_output=True, timeout=20, check=False,
                          stdin=subprocess.DEVNULL, errors="replace", **more)
    assert time.monotonic() - begin < 1 + outside.stolen_s() or \
        os.getloadavg()[0] > 4
    assert done.returncode == 1, (args, done.stdout, done.stderr)
    assert not re.search("T:|Step|Not real-time", done.stdout)
    lines = done.stderr.splitlines()
    assert len(lines) == 1, (args, done.stderr)
    return lines[0]


def ranges(name):
    """The allowed numbers, from the message that refuses another."""
    found = re.search(r"allowed is a whole number from (-?\d+) to (\d+)$",
                      refusal(f"--{name}=x"))
    assert found, name
    return int(found[1]), int(found[2])


@pytest.mark.parametrize("name", sorted(
    name for name, row in options().items() if row["value"]))
def test_bad_values(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)     # what is taken may make a file
    bad = []
    for value in BAD[options()[name]["value"]]:
        if value != "{number}":
            bad.append(value)
            continue
        least, most = ranges(name)
        assert (least, most) == RANGES[name]
        bad += [*NO_NUMBER, str(least - 1), str(most + 1), f"-{most}"]
        # The others are taken: a word behind it is what is refused.
        for good in least, most, least + 1, f" {most}":
            assert refusal(f"--{name}={good}", "--", "stray").startswith(
                "FATAL: unexpected argument stray"), good
    if name in NOT_STDOUT:
        bad.append("-")
    for number, value in enumerate(dict.fromkeys(bad)):
        # Two of them in each spelling.
        for form in list(words(name, value))[:None if number < 2 else 1]:
            # Another program has --connect alone.
            extra = {"histfile": ("-h", "9"),
                     "connect": ("--reflect=udp",)}.get(name, ())
            message = refusal(*extra, *form, "-l", "1", "-q")
            # Of a list, the part that is bad; a file by its own name.
            part = message.partition("=")[2].partition(": ")[0]
            assert message.startswith(f"FATAL: --{name}=") and \
                part in value and re.search("allowed|twice|see --", message) \
                or options()[name]["value"] == "FILE" and \
                f"{value}: cannot be written: " in message, (form, message)


def test_version(run):
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"twowaytest V \d+\.\d\d\n", done.stdout)


FLAG = sorted(name for name, row in options().items()
              if not row["value"] and name not in ("help", "version"))


@pytest.mark.parametrize("args,named", [
    *((("--" + name + "=1",), name) for name in FLAG),
    (("--bogus",), "--bogus"), (("-Z",), "Z"), (("word",), "word"),
    (("-q", "word"), "word"), (("-a", CPU0, "7"), "7"),
    (("",), ""), (("--", "-q"), "-q"), (("-i",), "i"), (("--json",), "json"),
    (("--json", "-q"), "-q"), (("-qZ",), "Z"), (("-h", "-q"), "-q"),
    # Ambiguous: the candidates are named.
    (("--hist=5",), "histofall"), (("--p=5",), "priority"),
])
def test_strange_words(args, named):
    """getopt's own message, then where to look."""
    done = subprocess.run([twowaytest.binary(), *args], text=True,
                          capture_output=True, timeout=20, check=False)
    assert done.returncode == 1 and not done.stdout
    assert named in done.stderr and len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize("args", [
    ["--\x1b[31m"], ["-\x1b"], ["-q\x1b"], ["\x1b[31m\ny"], ["--json=/\x9b/\x1b"],
    ["--interval=\x1b"], ["--load=\x1b]0;x\x07"], ["--policy=\x7f\r"], ["-i"],
    ["--q\x1b"], ["-a0", "\n"], ["--connect=a\x1b"], ["--limit=\x1b:5"],
    ["--trace-file=\x1b", "-b5"], ["-t", "2", "-\x1b"], ["--affinity=\x1b"]])
def test_nothing_that_a_terminal_obeys(args):
    """Words are shown, in the lines that such a message has."""
    done = subprocess.run([twowaytest.binary(), "-q", "-l1", *args], text=True,
                          capture_output=True, timeout=20, check=False)
    assert done.returncode == 1 and "T:" not in done.stdout
    lines = done.stderr.split("\n")
    assert lines.pop() == "" and 1 <= len(lines) <= 2
    assert all(line.isprintable() for line in lines), lines
    assert "?" in done.stderr or args == ["-i"]
    # Whatever name the program was called by.
    odd = subprocess.run(["a\x1b", *args], executable=twowaytest.binary(),
                         text=True, capture_output=True, check=False)
    assert odd.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize("args,named", [
    ("--priospread -t 3 -p 5", "at most 2 pairs"),
    ("--priospread -t 50 -p 99", "at most 49 pairs"),
    ("--steps=2", "--steps=2"), ("--steps=2 --load=fft", "--steps=2"),
    ("--steps=2 --load=fft --load=none -l 5", "--steps=2"),
    ("--policy=other -p 5", "--priority=5"),
    ("-p 5 --policy=other", "--priority=5"),
    ("-p 5 --policy=batch", "--priority=5"), ("-i 100", "--interval=100"),
    ("-i 50", "--sleep=100; for this interval, give --sleep=10"),
    ("-i 1", "give --sleep=0"), ("--sleep=1000", "give --sleep=200"),
    ("-t 3 -i 900,0", "--interval"), ("-t 2 -i 1000000000", "pair 1"),
    ("-i 0 -b wakeup:5", "--breaktrace=wakeup"),
    ("-i 0 -b planned:5", "--breaktrace=planned"),
    ("-i 0 --limit=wakeup:5", "--limit=wakeup:5: needs a timer"),
    ("-i 0 --spike=planned:5", "--spike=planned: needs a timer"),
    ("--timeline=x:0.5", "--timeline=x:0.5: allowed are 1 to 86400 whole"),
    ("--timeline=x:0", "--timeline=x:0: allowed are 1 to 86400 whole"),
    ("--timeline=x:0m", "--timeline=x:0m: allowed are 1 to 86400 whole"),
    ("--timeline=x:25h", "--timeline=x:25h: allowed are 1 to 86400 whole"),
    ("-i 5000000", "--duration=1: allowed is at least the period of pair 0, "
     "5000000 us"),
    ("-t2 -i 900000 -d 100001", "--duration=1: allowed is at least the period "
     "of pair 1, 1000001 us"),
    ("--spike=5 --spike-nodes=10000000 -t256",
     f"allowed is half of this system's {KIB} KiB in all"),
    ("-i 0 --metrics=send,wakeup", "--metrics=wakeup"),
    ("-p 2 --load=fft --load-policy=rr", "allowed is 3 or more"),
    ("-p 6 -t3 --priospread --load=fft --load-policy=fifo",
     "allowed is 7 or more"),
    ("-h 1000000 -t 256 --metrics=all", "memory"),
    ("--transport=udp --size=65508", "from 8 to 65507"),
    ("--transport=udp --timeout=100", "--timeout=100: allowed is more than"),
    ("--policy=deadline -p 9", "--priority=9: allowed only with --policy="),
    ("--policy=deadline -i 0", "--policy=deadline: not allowed with --inter"),
    ("--policy=deadline -a", "--policy=deadline: not allowed with CPUs for"),
    ("--policy=deadline -S", "--policy=deadline: not allowed with CPUs for"),
    ("--policy=deadline --client-affinity=all", "not allowed with CPUs"),
    ("--policy=deadline --server-affinity=all", "not allowed with CPUs"),
    ("--policy=deadline -t2 -i 900,400 -d0 --runtime=401",
     "--runtime=401: allowed is at most the period, 400 us"),
    ("--load=fft --load-policy=deadline", "--load-policy=deadline: allowed"),
])
def test_contradictions(tmp_path, args, named):
    limit = () if "--steps=2" in args else ("-D", "1")
    assert named in refusal(*args.split(), *limit, "-q", cwd=tmp_path)
    assert not os.listdir(tmp_path)


INET = "--transport=tcp or udp"
SMP = "--threads or --affinity, which it sets itself"
CONNECT = "--connect=127.0.0.1"


@pytest.mark.parametrize("args,option,needed", [
    ("--histfile=f", "--histfile=f", "-h or -H"),
    *((f"{args} {option}", option, INET) for args, option in (
        ("--transport=unix", "--dscp=0"), ("--transport=vsock", "--dscp=46"),
        ("--transport=vsock", "--busy-poll=9"),
        ("--transport=unix", "--sock-priority=9"),
        ("--transport=unix", "--prefer-busy-poll=8"))),
    *((f"--transport={other} --stamps={mode}", f"--stamps={mode}",
       f"{INET}, or with --reflect")
      for other, mode in (("unix", "rx"), ("vsock", "all"))),
    ("--timeout=5", "--timeout=5", "--transport=udp or --reflect"),
    ("--tracemark -h 5", "--tracemark", "--breaktrace"),
    ("--breaks=3", "--breaks=3", "--breaktrace"),
    ("--on-break=true", "--on-break=true", "--breaktrace"),
    ("--trace", "--trace", "--breaktrace"),
    ("--trace=irq", "--trace", "--breaktrace"),
    ("--trace-file=x -b9", "--trace-file=x", "--trace"),
    ("--priospread --policy=rr", "--priospread", "--priority"),
    ("--runtime=9 -p5", "--runtime=9", "--policy=deadline"),
    ("--peer=same", "--peer=same", "--smp"),
    ("--order=priority", "--order=priority", "--servers=one"),
    ("--server-priority=9 --servers=each", "--server-priority=9",
     "--servers=one"),
    ("--allow=::1", "--allow=::1", "--server"),
    ("--reflect=udp", "--reflect=udp", "--connect"),
    ("--rsh", "--rsh", "--connect"), ("--rsh=x", "--rsh", "--connect"),
    ("--load-side=client", "--load-side=client", "--connect"),
])
def test_what_an_option_needs(tmp_path, args, option, needed):
    assert refusal(*args.split(), "-D1", cwd=tmp_path) == \
        f"FATAL: {option}: allowed only with {needed}"


@pytest.mark.parametrize("args,option,other", [
    ("-S -a", "--smp", SMP), ("-S -t", "--smp", SMP), ("-t2 -S", "--smp", SMP),
    (f"-S -a {CPU0}", "--smp", SMP),
    ("--trltp -S", "--smp", "--trltp, which sets --affinity"),
    ("--latency=0 --default-system", "--latency=0", "--default-system"),
    ("-t2 --servers=one --stamps=rx", "--stamps=rx", "--servers=one"),
    ("--servers=one --wait=read", "--wait=read",
     "--servers=one, where --order says how the server waits"),
    ("--server --connect=::1", "--connect=::1", "--server"),
    *((f"{CONNECT} --transport={name}", CONNECT,
       "--transport=unix or vsock; allowed is tcp or udp")
      for name in ("unix", "vsock")),
    (f"{CONNECT} --servers=one", "--servers=one", "--connect"),
    (f"{CONNECT} -S --peer=next", "--peer=next",
     "--connect; use --server-affinity"),
    (f"{CONNECT} --total=trltp3", "--total=trltp3",
     "--connect: it needs the times of one clock"),
    (f"{CONNECT} --trltp-log=x", "--trltp-log=x", "--connect: it has send "
     "and receive, whose times are of one clock"),
    (f"{CONNECT} --reflect=udp --rsh", "--rsh", "--reflect"),
    (f"{CONNECT} --reflect=udp --load-side=client", "--load-side=client",
     "--reflect"),
])
def test_what_an_option_excludes(tmp_path, args, option, other):
    assert refusal(*args.split(), "-D1", cwd=tmp_path) == \
        f"FATAL: {option}: not allowed with {other}"


@pytest.mark.parametrize("args", [
    "--stamps=off --transport=unix", "--wait=poll --servers=one",
    "--servers=each --connect=127.0.0.1", "--dscp=0 --transport=udp",
    "--total=documented --connect=127.0.0.1", "--timeout=5000 --transport=udp",
    "--histfile=f -H 5", "--histfile=f -h 5"])
def test_what_is_allowed(tmp_path, args):
    """A word that is the default; each of what is named."""
    assert refusal("--ramp=pairs", "-l5", *args.split(), cwd=tmp_path) == \
        "FATAL: --ramp=pairs: allowed only with --steps from 2 to 256"


CPU, LAST, ALL, N = str(CPUS[-1]), CPUS[-1:], list(CPUS), len(CPUS)
LIST = outside.cpu_list(CPUS)
USABLE = sorted(outside.usable_cpus())
UNTIMED = [m for m in results.METRICS if m not in results.TIMED]


def facts(json):
    """The settings, and what came of them."""
    threads, pairs = [*json["thread"].values()], json["twoway"]["pairs"]
    sides = [pair[side] for pair in pairs for side in outside.SIDES]
    return {
        **json["twoway"]["settings"], "columns": json["num_threads"],
        "periods": [t["interval_us"] for t in threads],
        "cpu": [t["cpu"] for t in threads],
        "cpus": [side["cpus"] for side in sides],
        "main": json["twoway"]["main"]["cpus"],
        "policies": [side["policy"] for side in sides],
        "levels": [side["priority"] for side in sides],
        "metrics": [(t["pair"], t["metric"]) for t in threads],
        "phases": [[*t["phases"]] for t in threads],
        "cycles": threads[0]["cycles"], "in ns": threads[0]["min"] > 999,
        # What the last cycle missed may lie beyond it.
        "a second": threads[0]["cycles"] <= 2002 and
        threads[0]["cycles"] + pairs[0]["missed"] >= 500,
    }


# given, the fact, its value
GOOD = [
    ("-i 700", "periods", [700]), ("-t3 -d 50", "periods", [500, 550, 600]),
    ("-i 400,500 -t4", "periods", [400, 500, 500, 500]),
    ("-t2", "periods", [500, 1000]), ("-t2 -h 50", "periods", [500, 500]),
    ("-t2 -H 50 -d9", "periods", [500, 509]), ("-t 2", "columns", 2),
    ("--threads 2", "threads", 2), ("-t", "columns", N),
    ("-t -q", "threads", N),
    ("-S", "cpu", ALL), ("-S", "cpus", [str(cpu) for cpu in CPUS for _ in "sc"]),
    (f"-a {CPU}", "cpus", [CPU] * 2), (f"-a{CPU}", "cpu", LAST),
    (f"--affinity {CPU} -t 2", "cpus", [CPU] * 4),
    ("-a all", "cpus", [str(USABLE[0]), str(USABLE[1 % len(USABLE)])]),
    ("-a -q", "cpu", [CPUS[min(3, N - 1)]]), ("", "cpus", [LIST] * 2),
    ("", "cpu", [-1] if N > 1 else ALL),
    (f"--client-affinity={CPU}", "cpus", [LIST, CPU]),
    (f"-a {CPU} --server-affinity=all", "cpus",
     [outside.cpu_list(USABLE), CPU]),
    (f"--mainaffinity={CPU}", "main", CPU), ("", "main", LIST),
    (f"-a {CPU}", "affinity", CPU), ("", "affinity", None),
    ("-c tai", "clock", "tai"), ("--clock=boottime", "clock", "boottime"),
    ("--timer=timerfd", "timer", "timerfd"), ("", "transport", "tcp"),
    ("-x --timer=timerfd -i 0", "timer", "none"),
    ("--wait=select", "wait", "select"), ("--wait=epoll", "wait", "epoll"),
    ("--wait=busy", "wait", "busy"), ("", "timeout", -1),
    ("--transport=udp", "transport", "udp"),
    ("--transport=unix", "transport", "unix"),
    ("--transport=udp", "timeout", 100000),
    ("--transport=udp --sleep=70000 -i 71000", "timeout", 140000),
    ("--transport=udp --timeout=90001", "timeout", 90001),
    ("", "dscp", 0), ("--dscp=46", "dscp", 46), ("", "busy-poll", 0),
    ("--dscp=46 --transport=udp", "dscp", 46),
    ("--dscp=46", "sock-priority", 4), ("", "sock-priority", 0),
    ("--sock-priority=3 --dscp=46", "sock-priority", 3),
    ("--sock-priority=0 --dscp=46", "sock-priority", 0),
    ("", "prefer-busy-poll", -1), ("", "runtime", 0),
    ("--prefer-busy-poll=8", "prefer-busy-poll", 8),
    ("--busy-poll=50", "busy-poll", 50), ("--transport=unix", "dscp", -1),
    ("-c 1", "clock", "realtime"), ("-c realtime", "clock", "realtime"),
    ("--clock=0", "clock", "monotonic"), ("", "clock", "monotonic"),
    ("-x", "timer", "posix"), ("--timer=posix", "timer", "posix"),
    ("-x --timer=nanosleep", "timer", "nanosleep"),
    ("-n", "timer", "nanosleep"), ("-x -i 0", "timer", "none"),
    ("", "timer", "nanosleep"), ("", "policy", "other"), ("", "ramp", "load"),
    ("", "servers", "each"), ("", "total", "documented"), ("", "oneway", "off"),
    ("", "spike-nodes", 1024),
    ("--wait=read", "wait", "read"), ("--wait=poll", "wait", "poll"),
    ("", "stamps", "off"), ("--stamps=all", "stamps", "all"),
    ("", "wait", "poll"), ("--size=9", "size", 9), ("", "size", 8),
    ("--transport=udp --size=65507", "size", 65507),
    ("--size=65536", "cycles", 20), ("--sleep=5", "sleep", 5),
    ("", "sleep", 100), ("--warmup=7", "warmup", 7), ("", "warmup", 2),
    ("--warmup=7", "cycles", 20), ("-m", "mlockall", True),
    ("", "mlockall", False), ("-l 33", "loops", 33), ("-l 33", "cycles", 33),
    ("-l 0 -D 1", "a second", True), ("-D 1d", "duration", 86400),
    ("-D 36500d", "duration", 3153600000), ("-D 3m", "duration", 180),
    ("-D 2h", "duration", 7200), ("-D 4s", "duration", 4),
    ("-D 604800", "duration", 604800), ("-D 1H", "duration", 3600),
    ("-D 2D", "duration", 172800), ("-D 090M", "duration", 5400),
    ("-D 3153600000S", "duration", 3153600000),
    ("--latency=77", "latency", 77), ("", "latency", 0),
    ("--default-system", "latency", -1), ("-A", "aligned", 0),
    ("-A 7", "aligned", 7), ("", "aligned", -1), ("-N", "nsecs", True),
    ("-N", "in ns", True), ("-p 50", "policies", ["fifo"] * 2),
    ("-p 50", "levels", [49, 50]), ("-p7", "priority", 7),
    ("-p 50 --policy=rr", "levels", [49, 50]),
    ("-p 50 --policy=rr", "policies", ["rr"] * 2),
    ("--policy=rr -p 50", "policy", "rr"), ("--policy=fifo", "levels", [1, 2]),
    ("--policy=batch", "policies", ["batch"] * 2),
    ("--policy=idle", "policies", ["idle"] * 2),
    ("-t2 -p5 --priospread", "levels", [4, 5, 2, 3]),
    ("-t2 -p5", "levels", [4, 5, 4, 5]), ("-t2 -d50", "distance", 50),
    ("--metrics=sleep,send -t2", "metrics",
     [(0, "sleep"), (0, "send"), (1, "sleep"), (1, "send")]),
    ("--metrics=all", "metrics", [(0, m) for m in results.METRICS]),
    ("-i 0 --metrics=all", "metrics", [(0, m) for m in UNTIMED]),
    ("-i 0 -t2", "phases", [UNTIMED] * 2), ("-H 1000", "histofall", 1000),
    ("--load=fft --load-policy=other", "load-policy", "other"),
    ("--load=fft --load-policy=idle", "load-policy", "idle"),
    ("--load=fft --load-policy=normal", "load-policy", "other"),
    ("--policy=normal", "policy", "other"),
    ("-h 60", "histogram", 60), ("-b 9000000", "breaktrace", 9000000),
    ("-blatency:9000000", "breaktrace", 9000000), ("", "breaktrace", 0),
    ("-bsend:9000000", "breaktrace", "send:9000000"),
    ("--spike=9000000", "spike", 9000000), ("", "spike", 0),
    ("--spike=send:9000000", "spike", "send:9000000"),
    ("-i 400 -i 500,600,500", "interval", [500, 600, 500]),
    ("-i 400,500 -i 600", "interval", 600), ("-i 0", "interval", 0),
    ("-h 60", "histofall", 0), ("-H 60", "histogram", 0),
    ("-h 60 -H 70", "histogram", 60), ("-h 60 -H 70", "histofall", 70),
    ("-u", "unbuffered", True),
]


@results.root
@pytest.mark.parametrize("given,name,value", GOOD)
def test_good_values(run, given, name, value):
    done = run("-q", "-l", 20, "-i", 500, "--json=json", *given.split())
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    json = results.loaded(done)
    found = facts(json)
    assert found[name] == value
    assert json["twoway"]["argv"] == done.argv
    realtime = found["policies"][0] in ("fifo", "rr")
    assert realtime == (results.NOT_REALTIME not in done.stdout)
    assert (f"# /dev/cpu_dma_latency set to {found['latency']}us\n" in
            done.stdout) == (found["latency"] >= 0)
