# SPDX-License-Identifier: GPL-2.0-or-later
"""The cause of a long cycle: delays that are injected.

Whether an injected delay is what broke a cycle is decided by who injected it:
when it was, in ns of the trace's clock, and where the cycle's stamps are. A
busy host breaks cycles of its own; if it does so always, that is a fault.
"""

import os
import signal
import struct
import subprocess
import sys
import time

import pytest

import causes
import outside
import results

CPUS = sorted(os.sched_getaffinity(0))
TRIES = 25


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

    def check_mean(self, phase):
        """That of the phase in all cycles but this one."""
        thread = self.threads["0"]
        all_ns = thread["phases"][phase]["avg"] * 1000 * thread["cycles"]
        assert self.cause["mean_ns"] == pytest.approx(
            (all_ns - self.cause["ns"]) / (thread["cycles"] - 1), abs=1000)


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
        out, _ = outside.communicate(self.process, 20)
        return [tuple(map(int, one.split())) for one in out.splitlines()]


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
    broken.check_mean(phase)
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


def await_cycles(process):
    """However long it takes to start; another delay may have ended it."""
    outside.wait_for(lambda: process.process.poll() is not None or
                     outside.measuring(process.sides().values()))


@pytest.fixture
def beside(traced, tmp_path):
    """A cycle that a spinner made long: it, the spinner, what it had, and the
    phase."""
    def run(spin, *options, **more):
        for _ in range(TRIES):
            process = traced(*options, **more)
            await_cycles(process)
            spinner = Spinner(*spin)
            try:
                broken = Broken(process, tmp_path)
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
@pytest.mark.parametrize("at_us", [40000, 40300, 40700])
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
    found = beside((cpu_of("client"), 50, 30000, causes.DELAY_US, 200000, 0),
                   "-p", 3, "-a")
    assert_spinner(*found, ", which outranks it")


# Reads much from a device, above the client: a long system call.
READER = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
data = bytearray(int(sys.argv[3]) << 20)
with open(sys.argv[2], "rb", buffering=0) as file:
    print("ready", flush=True)
    while True:
        time.sleep(0.0983)
        file.readinto(data)
"""


@results.root
@pytest.mark.parametrize("device,megabytes,function", [
    ("/dev/urandom", 8, "get_random_bytes_user"),
    ("/dev/zero", 256, "read_zero")])
def test_stack(traced, tmp_path, device, megabytes, function):
    """What the culprit did: the functions of its system call."""
    for _ in range(TRIES):
        with subprocess.Popen(
                [sys.executable, "-c", READER, str(cpu_of("client")), device,
                 str(megabytes)], stdout=subprocess.PIPE, text=True) as reader:
            try:
                assert reader.stdout.readline() == "ready\n"
                broken = Broken(traced("-p", 60, "-a", "-b", "planned:5000",
                                       "--trace=stack"), tmp_path)
            finally:
                reader.kill()
        if not broken.is_whole():
            continue
        broken.check(broken.cause["phase"])
        if (broken.cause["who"] or "").endswith(f"-{reader.pid}") and \
                function in broken.cause.get("stack", ()):
            break
    else:
        unfit()
    told = " < ".join(broken.cause["stack"])
    assert f"-{reader.pid}, as an interrupt came: {told}\n" in broken.text
    assert "vfs_read" in told and "asm_" not in told
    assert f"=> {function}" in broken.trace


@results.root
def test_same_priority(beside):
    """Of FIFO tasks with one priority, the first keeps the CPU."""
    found = beside((cpu_of("client"), 60, 40000, causes.DELAY_US),
                   "-p", 60, "-a")
    assert_spinner(*found, ", at the same priority")


@results.root
def test_fair_share(traced, tmp_path):
    """Ordinary sides, nice ones, among ordinary busy loops, which are less nice
    than what else there is."""
    cpu = cpu_of("client")
    for _ in range(TRIES):
        spinners = [Spinner(cpu, 0, 0, 10**9) for _ in range(4)]
        names = {spinner.name for spinner in spinners}
        for spinner in spinners:
            os.setpriority(os.PRIO_PROCESS, spinner.pid, -5)
        try:
            broken = Broken(traced("-a", "-b", "receive:15000",
                                   preexec_fn=lambda: os.nice(15)), tmp_path)
        finally:
            had = [spinner.finish() for spinner in spinners]
        begin_ns, end_ns = broken.window("receive")
        shares = [causes.overlap(one, begin_ns, end_ns) for one in had]
        # Another may have had more than each of them, but not all others.
        if broken.is_whole() and (
                broken.cause["who"] in names or
                max(shares) > end_ns - begin_ns - sum(shares)):
            break
    else:
        unfit()
    broken.check("receive")
    assert ", by the fair share of both" in broken.cause["cause"]
    assert broken.cause["who"] in names


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
        if broken.is_whole() and causes.overlap(
                had, *broken.window(cause["phase"])) > 0.2 * cause["ns"]:
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
        await_cycles(process)
        pid = process.sides().get(role)
        if not pid:
            assert process.finish() == 2, process.err
            continue
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
    for _ in range(TRIES):
        broken = Broken(traced("-p", 60, "-a", f"-b{metric}:1",
                               "--warmup=50"), tmp_path)
        if broken.is_whole():
            break
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
        if broken.found["cycle"] == causes.CYCLE and \
                broken.is_whole():
            break
    else:
        unfit()
    assert broken.found["pair"] == 1
    broken.check("receive", state="peer runs")
