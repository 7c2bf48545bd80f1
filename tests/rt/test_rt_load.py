# SPDX-License-Identifier: GPL-2.0-or-later
"""The load beside the sides: what it is, where it runs, that it works."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import outside
import pytest

FFT = "twoway-fft"
CPUS = sorted(os.sched_getaffinity(0))
FIRST, LAST = CPUS[0], CPUS[-1]

# The load's place in the plan: from this CPU on.
PLAN = CPUS[{1: 0, 2: 1, 3: 2}.get(len(CPUS), 3):]

# A group: 20 processes send, 20 receive.
GROUP = 40

TICKS = os.sysconf("SC_CLK_TCK")

hackbench = pytest.mark.skipif(
    not shutil.which("hackbench"),
    reason="hackbench is not in PATH; it is part of rt-tests")


def busy_for(pids, seconds):
    """Waits until these processes have together used so much CPU time."""
    return outside.wait_for(
        lambda: sum(map(outside.cpu_ticks, pids)) > seconds * TICKS,
        timeout=30)


def asleep(pid):
    return outside.status(pid, "State").startswith("S")


def stopped(run, path):
    """Ends a run; what it tells of it."""
    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    assert run.gone()
    return outside.load_json(path)["twoway"]


@pytest.fixture
def json(tmp_path):
    return tmp_path / "json"


def in_turn(cpus, count):
    """Worker k has the k-th CPU, counted round them."""
    return [str(cpus[k % len(cpus)]) for k in range(count)]


def column(pids, key):
    return [outside.settings(pid)[key] for pid in pids]


def test_fft_workers(start, json):
    run = start("-q", "-p", 60, "-m", "-a", "-D", 600, "--load=fft:3",
                "--json", json)
    run.steady()
    workers = run.named(FFT)
    assert column(workers, "policy") == ["rr"] * 3
    assert column(workers, "priority") == [1] * 3
    assert column(workers, "locked") == [True] * 3
    assert sorted(column(workers, "cpus")) == sorted(in_turn(PLAN, 3))
    for worker in workers:
        assert outside.unlocked(worker) == []
        assert outside.kernel_policy(worker) in (None, os.SCHED_RR)
    # Long enough for every one of them to have transformed.
    for worker in workers:
        assert busy_for([worker], 0.7)
    load = stopped(run, json)["load"]
    assert load["kind"] == "fft"
    assert load["workers"] == 3
    assert load["policy"] == "rr"
    assert load["priority"] == 1
    assert load["cpus"] == outside.cpu_list(PLAN)
    assert load["work"] >= 3
    assert load["work_errors"] == 0
    assert load["restarts"] == 0


@pytest.mark.parametrize("options, policy, priority", [
    ((), "other", 0),
    (("-p", 60), "rr", 1),
    (("-p", 60, "--policy=rr"), "rr", 1),
    (("--policy=idle",), "other", 0),
    (("-p", 60, "--load-policy=fifo"), "fifo", 1),
    (("-p", 60, "--load-priority=7"), "rr", 7),
    (("-p", 60, "--load-policy=fifo", "--load-priority=57"), "fifo", 57),
    (("-p", 60, "--load-policy=other"), "other", 0),
    (("-p", 60, "--load-policy=batch"), "batch", 0),
    (("-p", 60, "--load-policy=idle"), "idle", 0),
])
def test_policy(start, json, options, policy, priority):
    # Never on main's CPU: a real-time load would take that from others.
    run = start("-q", *options, f"--load-affinity={LAST}", "-D", 600,
                "--load=fft:2", "--json", json)
    run.steady()
    workers = run.named(FFT)
    assert column(workers, "policy") == [policy] * 2
    assert column(workers, "priority") == [priority] * 2
    assert column(workers, "locked") == [False] * 2
    load = stopped(run, json)["load"]
    assert (load["policy"], load["priority"]) == (policy, priority)


@pytest.mark.parametrize("options, cpus", [
    ((), None),
    (("-a",), PLAN),
    (("-a", f"--load-affinity={FIRST}"), [FIRST]),
    ((f"--load-affinity={LAST}",), [LAST]),
    ((f"--load-affinity={FIRST},{LAST}",), sorted({FIRST, LAST})),
    (("--load-affinity=all",), CPUS),
])
def test_affinity(start, json, options, cpus):
    run = start("-q", *options, "-D", 600, "--load=fft:3", "--json", json)
    run.steady()
    seen = column(run.named(FFT), "cpus")
    load = stopped(run, json)["load"]
    if cpus:
        assert sorted(seen) == sorted(in_turn(cpus, 3))
        assert load["cpus"] == outside.cpu_list(cpus)
    else:
        assert seen == [outside.cpu_list(CPUS)] * 3
        assert load["cpus"] is None


def test_fft_woken_step_by_step(start, json):
    """A worker whose step has not come sleeps, all its settings made."""
    run = start("-q", "-p", 60, "-m", "-a", "-D", 2, "--load=fft",
                "--steps=3", "--json", json)
    run.steady()
    named = run.named(FFT)
    first, second = (pid for pid in run.children() if pid in named)
    for worker in (first, second):
        assert outside.settings(worker)["priority"] == 1
        assert outside.settings(worker)["locked"]
    before = [outside.cpu_ticks(worker) for worker in (first, second)]
    for _ in range(50):
        assert asleep(first) and asleep(second)
        time.sleep(0.01)
    assert [outside.cpu_ticks(pid) for pid in (first, second)] == before

    assert outside.wait_for(
        lambda: outside.cpu_ticks(first) > before[0] + TICKS / 2)
    assert asleep(second)
    assert outside.cpu_ticks(second) == before[1]
    assert outside.wait_for(
        lambda: outside.cpu_ticks(second) > before[1] + TICKS / 5)
    assert run.named(FFT) == named

    assert run.finish() == 0, run.err
    steps = outside.load_json(json)["twoway"]["steps"]
    assert [step["workers"] for step in steps] == [0, 1, 2]
    assert steps[0]["work"] == 0
    assert steps[1]["work"] > 0
    assert [step["work_errors"] for step in steps] == [0, 0, 0]
    assert run.gone()


def test_no_page_faults(start, json):
    """With locked memory the loops do not fault, whatever runs beside."""
    run = start("-q", "-p", 98, "-m", "-a", "-l", 2000, "--load=fft:2",
                "--json", json)
    assert run.finish() == 0, run.err
    twoway = outside.load_json(json)["twoway"]
    assert twoway["cycles"] == 2000
    assert twoway["load"]["work"] > 0
    for role in outside.SIDES:
        assert twoway["processes"][role]["minor_faults"] == 0, role
        assert twoway["processes"][role]["major_faults"] == 0, role


@hackbench
@pytest.mark.parametrize("groups, options, tasks", [
    (1, (), 1 + GROUP),
    (2, ("--load-args=-l 100000",), 1 + 2 * GROUP),
    (3, ("--load-args=-l 100000 -f 2 -p",), 1 + 3 * 4),
])
def test_hackbench(start, json, groups, options, tasks):
    """Ordinary processes, where the load's place is: not main's."""
    run = start("-q", "-p", 60, "-m", "-a", "-D", 600,
                f"--load=hackbench:{groups}", *options, "--json", json)
    run.steady()
    # Those of an earlier run may still be on their way out.
    assert outside.wait_for(lambda: len(run.named("hackbench")) == tasks)
    found = [outside.settings(pid) for pid in run.named("hackbench")]
    assert {each["policy"] for each in found} == {"other"}
    assert {each["cpus"] for each in found} == {outside.cpu_list(PLAN)}
    load = stopped(run, json)["load"]
    assert load["kind"] == "hackbench"
    assert load["workers"] == groups
    assert load["arguments"] == (options[0].partition("=")[2] if options
                                 else None)


@hackbench
def test_hackbench_everywhere(start, json):
    """Without -a it may use all CPUs, also if main was confined to one."""
    run = start("-q", "-p", 60, f"--mainaffinity={FIRST}", "-D", 600,
                "--load=hackbench:1", "--json", json)
    run.steady()
    found = [outside.settings(pid) for pid in run.named("hackbench")]
    assert {each["cpus"] for each in found} == {outside.cpu_list(CPUS)}
    stopped(run, json)


@hackbench
def test_hackbench_restarts(start, json):
    """It ends all the time; the load goes on, under other pids."""
    run = start("-q", "-p", 60, "-m", "-a", "-D", 600, "--load=hackbench:1",
                "--load-args=-l 5", "--json", json)
    run.steady()
    seen = set()

    def restarted():
        seen.update(run.named("hackbench"))
        return len(seen) > 3 * (1 + GROUP)

    assert outside.wait_for(restarted)
    load = stopped(run, json)["load"]
    assert load["restarts"] >= 2
    # Counted in messages, of which each run has 2000.
    if os.path.exists("/proc/self/io"):
        assert load["work"] >= 2000 * (load["restarts"] - 2)
    assert load["work_errors"] == 0


@hackbench
def test_hackbench_ramp(start, json):
    """A new one a step, of as many groups."""
    # Long enough for all of them to be seen at once on a busy machine.
    run = start("-q", "-p", 60, "-m", "-a", "-l", 1500, "--load=hackbench",
                "--load-args=-l 100000", "--steps=3", "--json", json)
    most = 0
    while run.process.poll() is None:
        most = max(most, len(run.named("hackbench")))
    assert run.finish() == 0, run.err
    assert most == 1 + 2 * GROUP
    steps = outside.load_json(json)["twoway"]["steps"]
    assert [step["workers"] for step in steps] == [0, 1, 2]
    assert run.gone()


REFERENCE = {
    "interval_us": 1000, "sleep_us": 100, "timer": "posix",
    "policy": "fifo", "priority": 98, "affinity": "plan", "mlockall": True,
}


@pytest.mark.parametrize("options, changed, steps, priorities", [
    ((), {}, 4, [99, 97, 98]),
    (("-p", 60, "-i", 500, "--sleep=0", "--steps=2"),
     {"priority": 60, "interval_us": 500, "sleep_us": 0}, 2, [99, 59, 60]),
    (("--timer=timerfd", "-a", LAST), {"timer": "timerfd", "affinity": "set"},
     4, [99, 97, 98]),
])
def test_reference(start, json, options, changed, steps, priorities):
    """--trltp, and what later options change of it."""
    run = start("-q", "--trltp", "-l", 300, "--steps=4", *options,
                "--json", json)
    run.steady()
    workers = run.named(FFT)
    assert column(workers, "policy") == ["rr"] * (steps - 1)
    assert column(workers, "priority") == [1] * (steps - 1)
    assert column(workers, "locked") == [True] * (steps - 1)
    assert outside.settings(run.pid)["priority"] == 99
    assert run.finish() == 0, run.err
    twoway = outside.load_json(json)["twoway"]
    expected = {**REFERENCE, **changed}
    assert {key: twoway["settings"][key] for key in expected} == expected
    assert twoway["settings"]["loops"] == 300
    assert [twoway["processes"][role]["priority"]
            for role in ("main", *outside.SIDES)] == priorities
    assert all(process["locked"]
               for process in twoway["processes"].values())
    assert [step["workers"] for step in twoway["steps"]] == list(range(steps))
    assert [step["cycles"] for step in twoway["steps"]] == [300] * steps
    # One a step is run before the measured ones.
    assert twoway["warmup"]["cycles"] == steps
    assert twoway["cycles"] == 300 * steps
    assert run.gone()


def test_reference_leaves_others_alive(start, json):
    """All 16 steps; meanwhile an ordinary process still gets on."""
    with subprocess.Popen(
            [sys.executable, "-uc", "import time\nwhile True:\n"
             "    print('.', end='')\n    time.sleep(0.05)"],
            stdout=subprocess.PIPE) as other:
        try:
            os.set_blocking(other.stdout.fileno(), False)
            run = start("--trltp", "-q", "-l", 200, "--json", json)
            shells = 0
            while run.process.poll() is None:
                subprocess.run(["sh", "-c", ":"], check=True, timeout=10)
                shells += 1
                time.sleep(0.1)
            assert run.finish() == 0, run.err
            dots = len(other.stdout.read() or b"")
        finally:
            other.kill()
    # Some seconds have passed: were it starved, it would be none or one.
    assert shells > 10
    assert dots > 10
    rows = run.out[run.out.index("# Total against load fft"):].splitlines()
    workers = [line.split()[1] for line in rows[2:18]]
    assert workers == [str(k) for k in range(16)]
    assert len(outside.load_json(json)["twoway"]["steps"]) == 16


def test_reference_draws_nothing_while_it_measures(start):
    """Status lines at the end of each step, without a display's head."""
    run = start("--trltp", "-l", 200, "--steps=2")
    assert run.finish() == 0, run.err
    assert "\npolicy: " not in "\n" + run.out
    steps = re.split("^# Step .*\n", run.out, flags=re.MULTILINE)
    assert [step.count("T: 0 (") for step in steps] == [0, 1, 1]
