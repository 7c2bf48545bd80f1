# SPDX-License-Identifier: GPL-2.0-or-later
"""The cause of a long cycle: made traces, and delays that are injected.

Whether an injected delay is what broke a cycle is decided by who injected it:
when it was, in ns of the trace's clock, and where the cycle's stamps are.
"""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import pytest

import causes
import outside
import results
import tracing

HERE = pathlib.Path(__file__).parent
BASE_NS = 100 * 10**9
TASKS = {       # name in traces.txt: of a line, of the task, PID, priority
    "idle": ("<idle>", "swapper/2", 0, 120),
    "client": ("twoway-client", "twoway-client", 100, 9),
    "server": ("twoway-server", "twoway-server", 200, 10),
    "hog": ("hog", "hog", 300, 120), "worker":
    ("kworker/2:1", "kworker/2:1", 301, 120),
    "spinner": ("spinner", "spinner", 400, 0),
    "equal": ("equal", "equal", 500, 10), "top": ("top", "top", 302, 5),
    "top5": ("top", "top", 301, 5), "nicest": ("nicest", "nicest", 303, 100),
    "lowest": ("lowest", "lowest", 304, 99),
    "highest": ("highest", "highest", 302, 100),
    "other": ("other", "other", 301, 120), "x": ("x", "x", 7, 120),
    **{f"server{prio}": ("twoway-server", "twoway-server", 200, prio)
       for prio in (99, 100, 120)},
    **{name: (name, name, pid, 120) for pid, name in enumerate("abcd", 11)},
    **{f"{name}120": (name, name, pid, 120)
       for pid, name in enumerate("abc", 301)},
}
BLOCKS = {
    "wait": "100 2 server S> idle; 110 3 client S> idle",
    "wakes": "1001 3 idle +tick; 1003 3 idle wakes client 3; "
             "1004 3 idle -tick; 1006 3 idle R> client",
    "sends": "1013 3 client sends; 1014 3 client +rx; "
             "1016 3 client wakes server 2; 1017 3 client -rx; "
             "1019 3 client S> idle",
}
SHORT = {
    "+eth0": "irq_handler_entry: irq=36 name=eth0",
    "-eth0": "irq_handler_exit: irq=36 ret=handled",
    "+rx": "softirq_entry: vec=3 [action=NET_RX]",
    "-rx": "softirq_exit: vec=3 [action=NET_RX]",
    "+tick": "local_timer_entry: vector=236",
    "-tick": "local_timer_exit: vector=236",
    "+ipi": "reschedule_entry: vector=253",
    "-ipi": "reschedule_exit: vector=253",
    "sends": "net_dev_queue: dev=lo skbaddr=00000000d4f5f3a5 len=130",
}
SIDES = {"send": ("server", "client"), "receive": ("client", "server"),
         "wakeup": ("client", None), "sleep": ("server", None),
         "time": ("server", None)}
BYPASSES = ["none", "limit", "fair"]
BLOCKED = 3     # enum tw_state


def task(name, before=""):
    _, comm, pid, prio = TASKS[name]
    return f"{before}comm={comm} {before}pid={pid} {before}prio={prio}"


def event(words):
    """What follows the time: in full, of what traces.txt has."""
    name, *rest = words.split(" ", 1)
    rest = rest[0].split() if rest else []
    if name[-1] == ">":
        return f" prev_state={name[:-1]} ==> " + task(rest[0], "next_")
    if name == "wakes":
        return f"sched_waking: {task(rest[0])} target_cpu={int(rest[1]):03}"
    if name == "moves":
        return f"sched_migrate_task: {task(rest[0])} orig_cpu={rest[1]} " \
            f"dest_cpu={rest[2]}"
    return SHORT.get(words, words)


def line(text):
    """An event as the kernel prints it; a line with \" stands for itself."""
    if text[0] == '"':
        return text[1:] + "\n"
    at_us, cpu, name, words = text.split(" ", 3)
    name, _, flags = name.partition("/")
    comm, _, pid, _ = TASKS[name]
    words = event(words)
    if words[0] == " ":
        words = "sched_switch: " + task(name, "prev_") + words
    return f"   {comm}-{pid}   [{int(cpu):03}] {flags or 'd..2.'}   " \
        f"100.{int(at_us):06}: {words}\n"


def trace(lines):
    """Whole lines with \" apart, the events are separated by semicolons."""
    found, events = [], []
    for one in [*lines, '"']:
        if one[0] != '"':
            events.append(one)
            continue
        text = " ".join(events)
        for name, block in BLOCKS.items():
            text = re.sub(rf"(^|; ){name}(?=;|$)", rf"\g<1>{block}", text)
        found += filter(None, map(str.strip, text.split("; ")))
        found.append(one)
        events = []
    return "# tracer: nop\n" + "".join(map(line, found[:-1]))


def cases():
    for text in (HERE / "traces.txt").read_text(encoding="ascii").split(
            "\n== ")[1:]:
        name, span, *lines = text.splitlines()
        at = next(i for i, one in enumerate(lines) if one.startswith("-> "))
        yield pytest.param(span.split(), lines[:at],
                           " ".join(map(str.strip, lines[at:]))[3:], id=name)


def program(*args, text, **options):
    done = subprocess.run([os.environ["TWOWAY_CAUSE"], *map(str, args)],
                          input=text, capture_output=True, check=True,
                          encoding="utf-8", errors="surrogateescape",
                          **options)
    assert not done.stderr
    return done.stdout


def analysed(span, text):
    """Of PHASE BEGIN END USUALLY BYPASS ...: (JSON, text)."""
    phase, begin, end, usually, bypass, *more = span
    begin, end = (BASE_NS + round(float(us) * 1000) for us in (begin, end))
    more = dict(zip(more, [*more[1:], ""]))
    side, peer = SIDES[phase]
    names = {"server": "server", "client": "client"}
    if phase == "time":
        names = {"server": "prim-a", "client": "prim-b"}
        peer = "client" if "peer" in more else None
    due = BASE_NS + round(float(more["due"]) * 1000) if "due" in more else \
        begin + 100000 * (phase == "sleep")
    out = program(
        phase, names[side], TASKS[side][2], names.get(peer, ""),
        TASKS[peer][2] if peer else 0, begin, end, due,
        float(usually) * 1000, BLOCKED * ("waits" in more),
        more.get("own", "prim-" if phase == "time" and "rests" not in more
                 else ""),
        BYPASSES.index(bypass), text=text)
    cause, end = json.JSONDecoder().raw_decode(out)
    return cause, out[end:].strip()


@pytest.mark.parametrize("span,lines,verdict", cases())
def test_made(span, lines, verdict):
    cause, text = analysed(span, trace(lines))
    assert text.splitlines()[0] == f"# Cause: {verdict}"
    if "lacks" in cause:
        assert f"unknown, as {cause['lacks']}" == verdict
        return
    assert cause["cause"] == verdict
    assert (cause["state"] == "unknown") == (": undecided, as " in verdict)
    causes.assert_whole(cause)
    assert len(text.splitlines()) <= 45


def test_lines():
    """As kernels print events, each with how it is read below it."""
    at = None
    for one in (HERE / "events.txt").read_text(encoding="ascii").splitlines():
        if one.startswith(" = "):
            assert program(text=at + "\n") == one[3:] + "\n"
        elif at and not one.startswith(" = "):
            pass
        at = one
    text = (HERE / "events.txt").read_text(encoding="ascii")
    wanted = re.findall(r"(?m)^ = (.*)$", text)
    assert program(text=text).splitlines() == wanted


NAMES = ["a", "a b", "a-b", "-", "a-1", "-1", "a [1]", "[1]", "a [001]",
         "a [1] b-2", "a pid=5", "x prev_pid=1", "x next_pid=1", "comm=",
         "x prio=3", "_cpu=9", "a: b", "1.000000: x", "(x)", "(-------)",
         "fifteen letters", "%s%n", "\x1b[2J"]


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    """A task may call itself what it likes; nothing of it gets to a terminal
    that could do harm there."""
    shown = name.replace("\x1b", "?")
    head = f"{name:>16}-42      [007] d..2.     1.000002: "
    assert program(text=head + f"sched_switch: prev_comm={name} prev_pid=42 "
                   f"prev_prio=98 prev_state=D ==> next_comm={name} "
                   "next_pid=43 next_prio=97\n") == \
        f"switch 1000002000 [7] {shown}-42 {shown}-43 98 97 held 0 -\n"
    assert program(text=head + f"sched_waking: comm={name} pid=43 prio=97 "
                   "target_cpu=005\n") == \
        f"waking 1000002000 [7] {shown}-42 {shown}-43 0 97 5 -\n"


def buffer_starts(at):
    """Another CPU's buffer began to be kept there."""
    return [f"{at - 1} 1 hog S> idle", '"##### CPU 2 buffer started ####',
            f"{at} 2 idle +tick; {at + 1} 2 idle -tick"]


@pytest.mark.parametrize("at,verdict", [
    (300, "server not woken by its timer on CPU 2"),
    (1500, "server not woken by its timer on CPU 2"),
    (3500, "undecided, as the trace does not show what the server did for "
           "2500.0 us"),
    (4500, "the kernel's buffer was too small and lost events of the phase")])
def test_lost(at, verdict):
    """Where events were lost, nothing is known."""
    events = sorted(["100 2 server S> idle", "3990 2 idle wakes server 2",
                     "3995 2 idle R> server", "4600 1 idle R> hog"],
                    key=lambda one: int(one.split()[0]))
    lines = [one + ";" for one in events if int(one.split()[0]) < at - 1] + \
        [f"{at - 1} 1 hog S> idle"] + buffer_starts(at)[1:]
    lines[-1] += "; " + "; ".join(
        one for one in events if int(one.split()[0]) > at)
    cause, text = analysed(["sleep", "1000", "4000", "100", "none"],
                           trace(lines))
    assert verdict in text.splitlines()[0], text
    if "lacks" not in cause:
        causes.assert_whole(cause)


def test_signal_ends_reading():
    """SIGINT is not left waiting while a long trace is read."""
    def interrupted():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    text = trace(["100 2 hog S> worker"]) * 10000
    assert program(text=text).count("\n") == 10000
    with pytest.raises(subprocess.CalledProcessError):
        program(text=text, preexec_fn=interrupted)
    assert program(text=text[:1000], preexec_fn=interrupted)


# Injected delays. A busy host breaks cycles of its own; if it does so always,
# that is a fault.

CPUS = sorted(os.sched_getaffinity(0))
TRIES = 8


class Broken(causes.Broken):
    """A run that -b has ended."""

    def __init__(self, process, directory):
        assert process.finish() == 2, process.err
        results.text(process.out)
        super().__init__(results.check(directory / "json"), process.out,
                         outside.read(directory / "trace"))

    def check(self, phase, **wanted):
        """Whatever the cause: @wanted are members of it."""
        print(self.text)
        self.assert_consistent(phase)
        assert self.cause["host"] == os.uname().nodename
        assert {name: self.cause[name] for name in wanted} == wanted


class Spinner:
    """A task that takes a CPU; see tools/spinner.c. @at_us: from now."""

    def __init__(self, cpu, priority, at_us, spin_us, period_us=10**9,
                 count=1):
        self.process = subprocess.Popen(
            list(map(str, [os.environ["TWOWAY_SPINNER"], cpu, priority, at_us,
                           spin_us, period_us, count])),
            stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.name = f"spinner-{self.pid}"
        assert self.process.stdout.readline() == "ready\n"

    def finish(self):
        """When it had the CPU."""
        self.process.terminate()
        out, _ = self.process.communicate(timeout=20)
        return [tuple(map(int, one.split())) for one in out.splitlines()]


@pytest.fixture
def tracefs():
    with tracing.usable() as directory:
        yield directory


@pytest.fixture
def no_idle():
    """Some kernels do not trace every switch from idle."""
    fillers = [Spinner(cpu, 0, 0, 10**9) for cpu in CPUS[:8]]
    for filler in fillers:
        os.sched_setscheduler(filler.pid, os.SCHED_IDLE, os.sched_param(0))
    yield
    for filler in fillers:
        filler.finish()


@pytest.fixture
def traced(start, tracefs, no_idle):
    def run(*options, break_us=causes.BREAK_US, **more):
        return start("-q", "-m", f"--warmup={causes.WARMUP}", "-b",
                     f"total:{break_us}", "--trace", "--trace-file=trace",
                     "--json=json", "-D", 20, *options, **more)
    return run


def unfit():
    pytest.fail(f"another delay than the injected one broke {TRIES} runs")


@pytest.fixture
def delayed(traced, shim, tmp_path):
    """A cycle that the shim delays in @phase."""
    def run(fault, phase, *options):
        for _ in range(TRIES):
            (tmp_path / "stamps").write_bytes(b"")
            process = traced("-p", 98, "-a", "-i", causes.PERIOD_US, *options,
                             env={**shim(fault), "TW_DELAY_STAMPS":
                                  str(tmp_path / "stamps")})
            broken = Broken(process, tmp_path)
            data = (tmp_path / "stamps").read_bytes()
            injected = [struct.unpack_from("=2q", data)] if data else []
            if broken.found["cycle"] == causes.CYCLE and \
                    broken.fits(injected, phase):
                return broken, injected
        return unfit()
    return run


pytestmark = pytest.mark.alone


@results.root
@pytest.mark.parametrize("how", ["running", "asleep"])
@pytest.mark.parametrize("fault,phase", causes.FAULTS)
def test_delayed_call(delayed, how, fault, phase):
    """One call takes longer: by the doing of the side that makes it."""
    broken, injected = delayed(causes.fault(fault, how), phase)
    broken.check(phase)
    broken.assert_fault(fault, how, phase, injected)


@results.root
@pytest.mark.parametrize("clock", ["realtime", "monotonic_raw", "tai",
                                   "boottime", "tsc"])
@pytest.mark.parametrize("fault,phase", [causes.FAULTS[0], causes.FAULTS[6]])
def test_clocks(delayed, clock, fault, phase):
    """Whichever measures, the stamps are put onto the trace's clock."""
    broken, injected = delayed(causes.fault(fault, "asleep"), phase,
                               f"--clock={clock}")
    broken.check(phase)
    begin_ns, end_ns = broken.window(phase)
    assert begin_ns < injected[0][0] < injected[0][1] < end_ns


@pytest.fixture
def beside(traced, tmp_path):
    """A cycle that a spinner made long: it, the spinner, what it had, and the
    phase."""
    def run(spin, *options, **more):
        for _ in range(TRIES):
            spinner = Spinner(*spin)
            try:
                broken = Broken(traced(*options, **more), tmp_path)
            finally:
                had = spinner.finish()
            phase, took = broken.phase_of(had)
            if took and broken.fits(took, phase):
                return broken, spinner, took, phase
        return unfit()
    return run


def assert_spinner(broken, spinner, took, phase, why):
    broken.check(phase, who=spinner.name)
    return broken.assert_spinner(spinner.pid, took, phase, why)


def cpu_of(role):
    """By the plan of -a."""
    return CPUS[-1] if role == "client" or len(CPUS) == 1 else \
        CPUS[{2: 0, 3: 1}.get(len(CPUS), 2)]


@results.root
@pytest.mark.parametrize("role", ["client", "server"])
@pytest.mark.parametrize("at_us", [400000, 400300, 400700])
def test_outranked(beside, role, at_us):
    """A task above all priorities, at some moment within a cycle."""
    broken, spinner, took, phase = beside(
        (cpu_of(role), 99, at_us, causes.DELAY_US), "-p", 60, "-a")
    who = assert_spinner(broken, spinner, took, phase, ", which outranks it")
    assert who == role or len(CPUS) == 1
    assert broken.cause["contributors"][0]["prio"] == 0


@results.root
def test_outranked_again(beside):
    """Sides of low priority beside a task that has more, now and then."""
    found = beside((cpu_of("client"), 50, 300000, causes.DELAY_US, 200000, 0),
                   "-p", 3, "-a")
    assert_spinner(*found, ", which outranks it")


@results.root
def test_same_priority(beside):
    """Of FIFO tasks with one priority, the first keeps the CPU."""
    found = beside((cpu_of("client"), 60, 400000, causes.DELAY_US),
                   "-p", 60, "-a")
    assert_spinner(*found, ", at the same priority")


@results.root
def test_fair_share(traced, tmp_path):
    """Ordinary sides, nice ones, among ordinary busy loops."""
    for _ in range(TRIES):
        spinners = [Spinner(cpu_of("client"), 0, 0, 10**9) for _ in range(4)]
        try:
            broken = Broken(traced("-a", "-b", "receive:15000",
                                   preexec_fn=lambda: os.nice(15)), tmp_path)
        finally:
            had = [one for spinner in spinners for one in spinner.finish()]
        begin_ns, end_ns = broken.window("receive")
        if causes.overlap(had, begin_ns, end_ns) > 0.8 * (end_ns - begin_ns):
            break
    else:
        unfit()
    broken.check("receive")
    assert broken.cause["who"] in {spinner.name for spinner in spinners}
    assert ", by the fair share of both" in broken.cause["cause"]


def has_fair_server():
    major, minor = map(int, os.uname().release.split(".")[:2])
    return (major, minor) >= (6, 12)


@results.root
def test_bypass(traced, tmp_path):
    """A real-time task that never ends, and an ordinary one: the scheduler
    lets that run although the client is ready."""
    cpu = cpu_of("client")
    if len(CPUS) == 1 or outside.rt_runtime() == -1:
        pytest.skip("no other CPU, or no limit of real-time tasks")
    for _ in range(TRIES):
        ordinary = Spinner(cpu, 0, 0, 10**9)
        hog = Spinner(cpu, 50, 200000, 6 * 10**6)
        try:
            broken = Broken(traced("-p", 98, "-a", break_us=20000), tmp_path)
        finally:
            hog.finish()
            had = ordinary.finish()
        # Other ordinary tasks may have shared that time with it.
        cause = broken.cause
        if causes.overlap(had, *broken.window(cause["phase"])) > \
                0.2 * cause["ns"]:
            break
    else:
        unfit()
    broken.check(cause["phase"])
    assert ordinary.name in {one["who"] for one in cause["contributors"]}
    assert ("let run by the fair server" if has_fair_server() else
            "stopped by real-time throttling") in cause["cause"]


@results.root
@pytest.mark.parametrize("role", ["client", "server"])
def test_stopped(traced, tmp_path, role):
    """Stopped by a signal: it is blocked, whoever else runs."""
    for _ in range(TRIES):
        process = traced("-p", 60, "-a", "-i", 1000)
        pid = process.steady()[role]
        begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.1)
        os.kill(pid, signal.SIGCONT)
        took = [(begin_ns, time.clock_gettime_ns(time.CLOCK_MONOTONIC))]
        broken = Broken(process, tmp_path)
        phase, took = broken.phase_of(took)
        if broken.fits(took, phase):
            break
    else:
        unfit()
    broken.check(phase, who=None)
    broken.assert_delay(phase, took, {"blocked", "peer blocked"})
    assert f": {role} blocked" in broken.cause["cause"]


@results.root
@pytest.mark.parametrize("metric,phases", [
    ("wakeup", {"wakeup"}), ("send", {"send"}), ("sleep", {"sleep"}),
    ("receive", {"receive"}), ("network", {"send", "receive"}),
    ("latency", {"send", "sleep", "receive"}),
    ("response", {"send", "sleep", "receive"}),
    ("planned", set(causes.PHASES)), ("interval", {"wakeup"}),
    ("total", set(causes.PHASES))])
def test_metrics(traced, tmp_path, metric, phases):
    """Only what is a part of the metric is looked into."""
    broken = Broken(traced("-p", 60, "-a", f"-b{metric}:1", "--warmup=50"),
                    tmp_path)
    assert broken.found["metric"] == metric
    broken.check(broken.cause["phase"])
    assert broken.cause["phase"] in phases


@results.root
def test_one_of_pairs(traced, shim, tmp_path):
    """The cycle is that of the pair that was delayed."""
    for _ in range(TRIES):
        broken = Broken(traced(
            "-t2", "-d0", "-p", 60, "-i", causes.PERIOD_US, env=shim(
                f"server1:send:busy-before:{causes.MESSAGE}:"
                f"{causes.DELAY_US}")), tmp_path)
        if broken.found["cycle"] == causes.CYCLE:
            break
    else:
        unfit()
    assert broken.found["pair"] == 1
    broken.check("receive", state="peer runs")
