# SPDX-License-Identifier: GPL-2.0-or-later
"""Injected causes of a long cycle: --trace names each of them rightly."""

import os
import re
import struct
import subprocess

import outside
import pytest
import tracing

WARMUP = 2
CYCLE = 7           # the one that a shim makes late
PERIOD_US = 10000
DELAY_US = 6000
BREAK_US = 2000     # above what is usual, far below what is injected
# By number of the call: the first expiry only begins the first interval.
MESSAGE = WARMUP + CYCLE
EXPIRY = MESSAGE + 1

# A busy host breaks cycles of its own: then the run is repeated.
TRIES = 8
FOREVER_US = 10**9
BEFORE_NS = 5 * 10**6
SHARE = 0.05        # of the excess, that the analysis may be wrong by

CPUS = sorted(os.sched_getaffinity(0))

PHASES = {
    "wakeup": ("planned", "t0", "client"),
    "send": ("t0", "t1", "server"),
    "sleep": ("t1", "t2", "server"),
    "receive": ("t2", "t3", "client"),
}

# The states of who waits in a phase, by who it is that causes it.
RUNS = {"side": {"runs", "interrupted"},
        "peer": {"peer runs", "peer interrupted"}}
BLOCKED = {"side": {"blocked"}, "peer": {"peer blocked"}}
PEERS = {"client": "server", "server": "client"}

# Fault, the phase that it makes long, and whose doing that is.
FAULTS = [
    ("client:clock_nanosleep:after", "wakeup", "client"),
    ("client:send:before", "send", "client"),
    ("server:poll:after", "send", "server"),
    ("server:recv:after", "send", "server"),
    ("server:nanosleep:before", "sleep", "server"),
    ("server:nanosleep:after", "sleep", "server"),
    ("server:send:before", "receive", "server"),
    ("client:send:after", "receive", "client"),
    ("client:recv:before", "receive", "client"),
    ("client:recv:after", "receive", "client"),
]


class Broken:
    """What a run that -b has ended says of its last cycle."""

    def __init__(self, run, pids, directory):
        self.pids = pids
        self.out = run.out
        self.json = outside.load_json(directory / "json")
        assert self.json["return_code"] == 2
        self.cycle = self.json["twoway"]["break"]
        self.trace = outside.read(directory / "trace")
        self.analysis = self.cycle["analysis"]
        # The host made the first cycle long, before it was traced.
        self.early = self.cycle["cycle"] == 0 and \
            "the trace begins after the phase does" in run.out
        assert self.analysis or self.early, run.out
        # On the trace's clock, whichever measures.
        self.stamps = dict(tracing.stamps(self.trace))

    def window(self, phase):
        """When that phase began and ended."""
        begin, end, _ = PHASES[phase]
        return self.stamps[begin], self.stamps[end]

    def unseen_ns(self):
        """The time, of the phase and just before, that the trace lacks a
        switch for: no analysis can tell who had the CPU."""
        begin_ns, end_ns = self.window(self.analysis["phase"])
        return overlap(tracing.unseen(self.trace), begin_ns - BEFORE_NS,
                       end_ns)

    def stopped_ns(self, had, task):
        """The time, of the phase, in which neither the task nor whom it was
        switched for had the CPU: the host did."""
        begin_ns, end_ns = self.window(self.analysis["phase"])
        # The trace has whole us.
        switched = [seen.time_ns for seen in tracing.events(self.trace)
                    if seen.name == "sched_switch" and seen.pid == task.pid]
        holes = [(before[1], after[0]) for before, after in zip(had, had[1:])]
        return overlap([(begin, end) for begin, end in holes
                        if not any(begin - 1000 <= time_ns <= end
                                   for time_ns in switched)],
                       begin_ns, end_ns)

    def waited_ns(self, cpu):
        """The time, of the phase, that a side had to wait for another CPU:
        for others than the task on @cpu."""
        begin_ns, end_ns = self.window(self.analysis["phase"])
        since, waits = {}, []
        for seen in tracing.events(self.trace):
            args = dict(re.findall(r"(\w+)=(\S+)", seen.args))
            if seen.name == "sched_waking" and int(args["target_cpu"]) != cpu:
                since.setdefault(int(args["pid"]), seen.time_ns)
            elif seen.name == "sched_switch":
                if args["prev_state"].startswith("R") and seen.cpu != cpu:
                    since.setdefault(int(args["prev_pid"]), seen.time_ns)
                next_pid = int(args["next_pid"])
                begun_ns = since.pop(next_pid, None)
                if begun_ns and next_pid in self.pids.values():
                    waits.append((begun_ns, seen.time_ns))
        return overlap(waits, begin_ns, end_ns)

    def excess_ns(self):
        return self.analysis["ns"] - self.analysis["mean_ns"]

    def tolerance_ns(self):
        """What the analysis may be wrong by."""
        return SHARE * self.excess_ns() + self.unseen_ns()

    def time_of(self, wanted):
        return sum(span["ns"] for span in self.analysis["contributors"]
                   if wanted(span))


def overlap(intervals, begin_ns, end_ns):
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
               for begin, end in intervals)


def check_consistent(broken):
    """What holds of every analysis, whatever the cause."""
    print(broken.out)
    analysis = broken.analysis
    phase = analysis["phase"]
    assert analysis["side"] == PHASES[phase][2]
    assert analysis["ns"] == broken.cycle[f"{phase}_ns"]
    begin_ns, end_ns = broken.window(phase)
    assert end_ns - begin_ns == analysis["ns"]

    at_ns = 0
    sums = {}
    for span in analysis["timeline"]:
        assert span["at_ns"] == at_ns
        assert span["ns"] > 0
        at_ns += span["ns"]
        key = (span["state"], span["cpu"], span["who"])
        sums[key] = sums.get(key, 0) + span["ns"]
    assert at_ns == analysis["ns"]
    contributors = {(span["state"], span["cpu"], span["who"]): span["ns"]
                    for span in analysis["contributors"]}
    assert len(contributors) == len(analysis["contributors"])
    # A time line that is too long has its end in one span.
    if len(analysis["timeline"]) < 256:
        assert contributors == sums
    assert sum(contributors.values()) == analysis["ns"]
    lengths = [span["ns"] for span in analysis["contributors"]]
    assert lengths == sorted(lengths, reverse=True)
    assert analysis["wakeup_ns"] is None or \
        0 <= analysis["wakeup_ns"] <= analysis["ns"]
    assert f"# Cause: {analysis['cause']}\n" in broken.out
    assert analysis["cause"].startswith(f"{phase} +")


class Spinner:
    """A task that takes a CPU; see tools/spinner.c."""

    def __init__(self, program, cpu, priority, start_us, spin_us, period_us,
                 count):
        self.process = subprocess.Popen(
            list(map(str, [program, cpu, priority, start_us, spin_us,
                           period_us, count])),
            stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.name = f"{os.path.basename(program)}-{self.pid}"
        assert self.process.stdout.readline() == "ready\n"

    def finish(self):
        """When it had the CPU."""
        self.process.terminate()
        out, _ = self.process.communicate(timeout=20)
        assert self.process.returncode == 0
        return [tuple(map(int, line.split())) for line in out.splitlines()]


@pytest.fixture
def no_idle(spinner):
    """CPUs that idle wake up late: a cause that nobody has injected."""
    fillers = []
    try:
        for cpu in CPUS[:8]:
            fillers.append(Spinner(spinner, cpu, 0, 0, FOREVER_US, FOREVER_US,
                                   1))
            os.sched_setscheduler(fillers[-1].pid, os.SCHED_IDLE,
                                  os.sched_param(0))
        yield
    finally:
        for filler in fillers:
            filler.finish()


def seen(run):
    """The pids of the sides; those that are gone already are missing."""
    pids = {}
    while len(pids) < len(outside.SIDES) and run.process.poll() is None:
        pids = run.sides()
    return pids


@pytest.fixture
def measure(start, tracefs, memory, no_idle):
    """Runs it until it breaks; None if it never does."""
    def run(*options, env=None, period_us=PERIOD_US, break_us=BREAK_US,
            place=("-a",), cycles=400, **popen):
        done = start("-q", "-m", *place, "-l", cycles, "-i", period_us,
                     "--warmup", WARMUP, "-b", break_us,
                     "--break-on=total", "--trace",
                     "--trace-file", memory / "trace",
                     "--json", memory / "json", *options, env=env, **popen)
        pids = seen(done)
        status = done.finish()
        assert status in (0, 2), done.err
        assert done.pid not in tracing.instances(tracefs)
        return Broken(done, pids, memory) if status else None
    return run


@pytest.fixture
def delayed(measure, shim, memory):
    """A cycle that the shim delays: what is said of it, and when it was."""
    def run(fault, phase, *options):
        stamps = memory / "stamps"
        for _ in range(TRIES):
            stamps.write_bytes(b"")
            broken = measure("-p", 98, *options, env={
                "LD_PRELOAD": shim, "TW_DELAY": fault,
                "TW_DELAY_STAMPS": str(stamps)})
            assert broken, "nothing was delayed"
            if broken.early:
                continue
            injected = struct.unpack_from("=2q", stamps.read_bytes())
            # What lies in other phases was eaten up by another delay; what
            # took longer than it was meant to has two causes; and one that is
            # no shorter may be in another phase.
            others = max(broken.cycle[f"{name}_ns"] for name in PHASES
                         if name != phase)
            if broken.cycle["cycle"] == CYCLE and \
                    others < 500 * DELAY_US and overlap(
                    [injected], *broken.window(phase)) > 500 * DELAY_US \
                    and injected[1] - injected[0] - 1000 * DELAY_US < \
                    SHARE * broken.excess_ns() / 2 \
                    and broken.unseen_ns() < 1000 * DELAY_US * SHARE:
                return broken, injected
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    return run


@pytest.mark.parametrize("how", ["running", "asleep"])
@pytest.mark.parametrize("fault, phase, culprit", FAULTS)
def test_delayed_call(delayed, how, fault, phase, culprit):
    """One call of one side takes longer: by that side's own doing."""
    role, call, when = fault.split(":")
    number = EXPIRY if call == "clock_nanosleep" else MESSAGE
    when = f"busy-{when}" if how == "running" else when
    broken, injected = delayed(f"{role}:{call}:{when}:{number}:{DELAY_US}",
                               phase)
    check_consistent(broken)
    analysis = broken.analysis
    assert analysis["phase"] == phase
    side = PHASES[phase][2]
    assert analysis["pid"] == broken.pids[side]

    who = "side" if culprit == side else "peer"
    states = (RUNS if how == "running" else BLOCKED)[who]
    if fault == "server:nanosleep:before" and how == "asleep":
        # Whose timer it is that does not expire, the trace does not tell.
        states = {"timer late"}
    longest = analysis["contributors"][0]
    assert longest["state"] in states
    if how == "running":
        assert longest["pid"] == broken.pids[culprit]
        assert longest["who"] == f"twoway-{culprit}-{broken.pids[culprit]}"
    measured_ns = overlap([injected], *broken.window(phase))
    found_ns = broken.time_of(lambda span: span["state"] in states)
    assert abs(found_ns - measured_ns) <= broken.tolerance_ns()
    verb = "running" if how == "running" else \
        "not woken by its timer" if states == {"timer late"} else "blocked"
    assert re.search(rf": {culprit} {verb}\b", analysis["cause"])


@pytest.fixture
def beside(measure, spinner):
    """What is said of a cycle that a spinner made long."""
    def run(*options, spin, break_us, **popen):
        for _ in range(TRIES):
            task = Spinner(spinner, *spin)
            try:
                broken = measure(*options, break_us=break_us, period_us=1000,
                                 cycles=3000, **popen)
            finally:
                had = task.finish()
            if not broken or broken.early:
                continue
            begin_ns, end_ns = broken.window(broken.analysis["phase"])
            measured_ns = overlap(had, begin_ns, end_ns)
            print(f"the spinner had {measured_ns} ns of the phase")
            # Else it was no doing of the spinner's.
            # What it did while a side had to wait elsewhere, either; and who
            # outranks whom is told only where each switch is.
            if measured_ns > 0.8 * broken.excess_ns() and \
                    not broken.unseen_ns() and \
                    broken.waited_ns(spin[0]) < SHARE * measured_ns / 2 and \
                    broken.stopped_ns(had, task) < SHARE * measured_ns:
                return broken, task, measured_ns
        pytest.skip(f"the spinner was the cause of no broken cycle, in "
                    f"{TRIES} runs")
    return run


def check_spinner(broken, task, measured_ns):
    """It is named as the one who had the CPU, for as long as it says."""
    check_consistent(broken)
    longest = broken.analysis["contributors"][0]
    assert (longest["pid"], longest["who"]) == (task.pid, task.name)
    assert longest["state"] in ("runnable", "peer runnable")
    found_ns = broken.time_of(lambda span: span["who"] == task.name)
    assert abs(found_ns - measured_ns) <= broken.tolerance_ns()
    side = broken.analysis["side"]
    if longest["state"] == "peer runnable":
        side = PEERS[side]
    assert re.search(rf": {side} runnable on CPU {longest['cpu']} for "
                     rf"[\d.]+ us while {task.name} ", broken.analysis["cause"])
    return longest, side


def roles_cpu(role):
    """By the plan of -a; with one CPU all share it."""
    return CPUS[-1] if role == "client" or len(CPUS) == 1 else \
        CPUS[{2: 0, 3: 1}.get(len(CPUS), 2)]


@pytest.mark.parametrize("role", outside.SIDES)
@pytest.mark.parametrize("start_us", [400000, 400300, 400700])
def test_outranked(beside, role, start_us):
    """A task above all priorities, at some moment within a cycle."""
    cpu = roles_cpu(role)
    broken, task, measured_ns = beside(
        "-p", 60, f"--{role}-affinity={cpu}", break_us=1500,
        spin=(cpu, 99, start_us, 3000, 10**6, 1))
    longest, side = check_spinner(broken, task, measured_ns)
    assert longest["cpu"] == cpu
    assert longest["prio"] == 0
    assert side == role or len(CPUS) == 1
    assert "which outranks it" in broken.analysis["cause"]


def test_outranked_again_and_again(beside):
    """Sides of low priority beside a task that has more, now and then."""
    cpu = roles_cpu("client")
    broken, task, measured_ns = beside("-p", 3, break_us=1200,
                                       spin=(cpu, 50, 300000, 2500, 20000, 0))
    longest, side = check_spinner(broken, task, measured_ns)
    assert longest["prio"] == 99 - 50
    assert side == "client" or len(CPUS) == 1
    assert "which outranks it" in broken.analysis["cause"]


def test_fair_share(beside):
    """Ordinary sides, nice ones at that, beside an ordinary busy loop."""
    cpu = roles_cpu("client")
    # Receiving, the client waits for nothing but the reply and the CPU.
    broken, task, measured_ns = beside(
        "--break-on=receive", break_us=1200,
        spin=(cpu, 0, 300000, FOREVER_US, FOREVER_US, 1),
        preexec_fn=lambda: os.nice(10))
    longest, _ = check_spinner(broken, task, measured_ns)
    assert longest["prio"] == 120
    assert "by the fair share of both" in broken.analysis["cause"]


@pytest.mark.parametrize("metric, phases", [
    ("wakeup", {"wakeup"}), ("send", {"send"}), ("sleep", {"sleep"}),
    ("receive", {"receive"}), ("response", {"send", "sleep", "receive"}),
    ("planned", set(PHASES)), ("total", set(PHASES)),
])
def test_break_on(measure, metric, phases):
    """What is looked into is part of what was above the limit."""
    for _ in range(TRIES):
        broken = measure("-p", 98, f"--break-on={metric}", break_us=1)
        if not broken.early:
            break
    check_consistent(broken)
    assert broken.cycle["metric"] == metric
    assert broken.analysis["phase"] in phases


@pytest.mark.parametrize("fault, phase", [
    ("client:clock_nanosleep:after", "wakeup"),
    ("server:nanosleep:after", "sleep"),
    ("server:send:before", "receive"),
])
@pytest.mark.parametrize("clock", ["monotonic", "realtime", "monotonic_raw",
                                   "tai", "boottime", "tsc"])
def test_clocks(delayed, clock, fault, phase):
    """Whichever clock measures, the trace's is another or the same."""
    number = EXPIRY if phase == "wakeup" else MESSAGE
    broken, injected = delayed(f"{fault}:{number}:{DELAY_US}", phase,
                               f"--clock={clock}")
    check_consistent(broken)
    assert broken.analysis["phase"] == phase
    names = [name for name, _ in tracing.stamps(broken.trace)]
    assert names == ["planned", "t0", "t1", "t2", "t3"]
    times_ns = [time_ns for _, time_ns in tracing.stamps(broken.trace)]
    assert times_ns == sorted(times_ns)
    # The shim's stamps are the trace's clock's: that was converted rightly.
    begin_ns, end_ns = broken.window(phase)
    assert begin_ns < injected[0] < injected[1] < end_ns
    # The wake-up that ended the wait, or the injected one within it; its end
    # is a switch that the kernel may not tell of.
    assert broken.analysis["wakeup_ns"] is not None or broken.unseen_ns() > 0
