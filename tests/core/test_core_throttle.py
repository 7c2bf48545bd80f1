# SPDX-License-Identifier: GPL-2.0-or-later
"""--rt-runtime: in force for the run, and as before after any end. Cycles in
which the kernel stopped real-time tasks, which a task for itself provokes."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time

import pytest

import outside
import results
import twoway

CPUS = os.sched_getaffinity(0)
FIRST, LAST = min(CPUS), max(CPUS)
pytestmark = results.root


@pytest.fixture
def before():
    """The setting as it is, which a failed test does not leave changed."""
    with outside.Turn():
        value_us = outside.rt_runtime()
        yield value_us
        outside.set_rt_runtime(value_us)


@pytest.fixture
def value_us(before):
    """Another that this kernel takes; a cgroup's share may forbid some."""
    for value in (980000, 900000, -1):
        if value != before and outside.takes_rt_runtime(value):
            return value
    return pytest.skip("sched_rt_runtime_us cannot be changed here")


@pytest.mark.parametrize("victim,number,status", [
    (None, None, 0), ("main", signal.SIGINT, 0), ("main", signal.SIGTERM, 0),
    ("main", signal.SIGKILL, -9), ("guard", signal.SIGKILL, 0),
    ("guard", signal.SIGTERM, 0), ("guard", signal.SIGRTMIN, 0),
    ("group", signal.SIGKILL, -9),
    ("client", signal.SIGKILL, 1)])
def test_in_force_while_it_runs(start, before, value_us, victim, number,
                                status):
    """Whoever dies; main does it itself if the guard has been killed."""
    process = start("-q", "-p", 60, f"--rt-runtime={value_us}", "--json=json",
                    "-D", 60 if victim else 1, preexec_fn=os.setpgrp)
    pids = process.steady()
    pids["guard"], = process.named("twoway-guard")
    assert outside.rt_runtime() == value_us
    if victim == "group":
        os.killpg(process.pid, number)
    elif victim:
        os.kill(pids[victim], number)
    if victim == "guard":
        assert outside.wait_for(lambda: number != signal.SIGKILL or
                                not outside.alive(pids["guard"]))
        time.sleep(0.05)
        assert outside.alive(pids["guard"]) == (number != signal.SIGKILL)
        assert outside.rt_runtime() == value_us
        process.signal(signal.SIGINT)
    process.finish()
    assert process.process.returncode == status, process.err
    assert outside.wait_for(lambda: outside.rt_runtime() == before, 2)
    assert process.gone(2), process.processes()
    if status >= 0:
        of = results.check(start.directory / "json")["twoway"]
        assert of["throttling"]["rt_runtime_us"] == value_us
        assert of["settings"]["rt-runtime"] == value_us


def test_guard_waits_for_main_alone(start, before, value_us):
    """It gets CPU time whatever runs, and a client that gets none to die does
    not keep it waiting."""
    process = start("-q", "-p", 60, f"--rt-runtime={value_us}",
                    f"--mainaffinity={FIRST}", f"--client-affinity={LAST}")
    pids = process.steady()
    guard, = process.named("twoway-guard")
    settings = outside.settings(guard)
    assert (settings["policy"], settings["priority"]) == ("fifo", 99)
    with spinner(99, 0, 60000000, 60000000, 1):
        process.signal(signal.SIGKILL)
        assert outside.wait_for(lambda: outside.rt_runtime() == before, 2)
        assert not outside.alive(guard)
        assert FIRST == LAST or outside.alive(pids["client"])
    assert process.gone(5)


def test_one_at_a_time(start, before, value_us):
    """A second would find, and set back, what the first has set."""
    first = start("-q", "-p", 60, f"--rt-runtime={value_us}")
    first.steady()
    second = start("-q", "-l", 50, f"--rt-runtime={before}")
    assert second.finish() == 1 and "T:" not in second.out
    assert f"--rt-runtime={before}: another run has set" in second.err
    assert outside.rt_runtime() == value_us
    first.signal(signal.SIGKILL)
    third = start("-q", "-l", 50, f"--rt-runtime={value_us}")
    assert third.finish() == 0, third.err
    assert first.gone() and outside.rt_runtime() == before


@pytest.mark.parametrize("options", [
    ("--load=command:false",), ("-l", 0, "--load=command:sleep 0.3; exit 3"),
    ("--json=/dev/full",), ("--steps=2", "--load=fft"), ()])
def test_restored_to_what_it_was(start, before, options):
    """Which need not be the kernel's default."""
    outside.set_rt_runtime(-1)
    process = start("-q", "-l", 50, *options, f"--rt-runtime={before}")
    assert process.finish() == (len(options) in (1, 3)), process.err
    assert outside.rt_runtime() == -1 and process.gone()


def test_busy_for_a_moment(start, before, value_us, amiss):
    """As just after a deadline task: the setting is tried again, and so is
    what the guard restores."""
    process = start("-q", "-l", 50, f"--rt-runtime={value_us}", "--json=json",
                    env={**amiss, "TW_AMISS": "busy"})
    assert (process.finish(), process.err) == (0, "")
    assert results.check(start.directory / "json")["twoway"]["throttling"][
        "rt_runtime_us"] == value_us
    assert outside.rt_runtime() == before


def test_started_as_deadline_task(start, before, value_us):
    """Which may not fork, and needs a guard."""
    words = ("--deadline", "--sched-runtime", 10**7, "--sched-deadline",
             2 * 10**7, "--sched-period", 2 * 10**7, 0)
    if not shutil.which("chrt") or start(*words, "true",
                                         program="chrt").finish():
        pytest.skip("no SCHED_DEADLINE here")
    process = start(*words, outside.binary(), "-q", "-p", 60, "-l", 50,
                    f"--rt-runtime={value_us}", program="chrt")
    assert process.finish() == 0, process.err
    assert outside.rt_runtime() == before


@pytest.mark.parametrize("value,says", [
    ("x", "allowed is a whole number from -1 to 1000000"),
    ("-2", "from -1 to"), ("1000001", "from -1 to"), ("", "from -1 to"),
    ("500", "cannot write /proc/sys/kernel/sched_rt_runtime_us: ")])
def test_refused(start, before, value, says):
    """Also by the kernel: the causes are those that there can be."""
    if value == "500" and outside.takes_rt_runtime(500):
        pytest.skip("this kernel takes 500 us")
    process = start("-q", "-l", 50, f"--rt-runtime={value}")
    assert process.finish() == 1 and "T:" not in process.out
    assert f"--rt-runtime={value}: " in process.err and says in process.err
    assert "load" not in process.err
    assert value != "500" or "DEADLINE" in process.err or \
        "cgroup" in process.err
    assert outside.rt_runtime() == before and process.gone()


def test_without_rights(public, before):
    done = twoway.run("-q", "-l", 50, "--rt-runtime=-1", directory=public,
                      program=str(public / "twowaytest"),
                      preexec_fn=outside.nobody())
    assert done.returncode == 1 and "T:" not in done.stdout
    assert "sched_rt_runtime_us" in done.stderr and "root" in done.stderr
    assert outside.rt_runtime() == before


@pytest.mark.parametrize("files", range(4, 18, 2))
def test_few_descriptors(start, before, value_us, files):
    """A guard that lacks one does not stay for ever."""
    process = start("-q", "-l", 10, f"--rt-runtime={value_us}", preexec_fn=(
        lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))))
    assert process.finish() in (0, 1) and process.gone(2)
    assert outside.rt_runtime() == before
    assert bool(process.err) == bool(process.process.returncode)


@contextlib.contextmanager
def spinner(priority, *times):
    """See tools/spinner.c; it ends with the block. Yields a list that then
    has the (begin, end) of the times in which it ran, in ns."""
    had = []
    with subprocess.Popen(
            [os.environ["TWOWAY_SPINNER"], str(LAST), str(priority),
             *map(str, times)], text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.had = had
            yield process
            process.terminate()
            had += [tuple(map(int, line.split()))
                    for line in process.communicate(timeout=20)[0].splitlines()]
        finally:
            process.kill()


def realtime_ticks():
    """{pid: CPU time} of the real-time tasks that are there now."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(ProcessLookupError):
            policy = os.sched_getscheduler(int(pid))
            if policy & ~os.SCHED_RESET_ON_FORK in (os.SCHED_FIFO,
                                                    os.SCHED_RR):
                found[int(pid)] = outside.cpu_ticks(int(pid))
    return found


def used_s(had):
    return sum(end - begin for begin, end in had) / 1e9


@pytest.mark.alone
def test_throttled_beside_a_foreign_task(run):
    """One of lower priority that fills the CPU, and is named. The stops are
    seen by that task itself."""
    stopped = False
    for _ in range(10):
        with spinner(0, 0, 6000000, 6000000, 1), \
                spinner(50, 300000, 3300000, 9000000, 1) as task:
            done = run("-qm", "-p98", "-a", LAST, "-D4", "--json=json")
        stops = [(begin - end) / 1e6
                 for (_, end), (begin, _) in zip(task.had, task.had[1:])]
        sure = sum(40 < stop < 70 for stop in stops)
        maybe = sum(30 < stop < 90 for stop in stops)
        if sure and used_s(task.had) >= 2.8:
            break
        stopped |= sure > 0
    else:
        (pytest.fail if stopped else pytest.skip)(
            "this kernel stopped no real-time task, or others took the CPU")
    of = results.loaded(done)["twoway"]
    assert min(sure, 3) <= of["throttled"] <= maybe
    assert of["throttling"]["task"] == "spinner"
    assert of["throttling"]["pid"] == task.pid
    assert abs(of["throttling"]["task_us"] / 1e6 - used_s(task.had)) < 0.3
    text = results.text(done.stdout).lines
    assert f"# Throttled: {of['throttled']}" in text
    at, = (number for number, line in enumerate(text)
           if line.startswith(f"# spinner (pid {task.pid}) used "))
    rules = of["throttling"]
    assert text[at + 1].startswith(
        "# (fair server, " if rules["fair_server"] else
        "# (sched_rt_runtime_us {rt_runtime_us} of {rt_period_us}): ".format(
            **rules))


STEPS = ("--steps=2", "--load=command:exec sleep 99", "-l", 550)
SLEEPS = ("--sleep=45000", "-i", 100000, "-l", 55)


def late_ns(cycle, free_ns, sleep_ns):
    """How long, at most, one of both was kept back."""
    return max(cycle.t0_ns - max(cycle.planned_ns, free_ns),
               cycle.t1_ns - cycle.t0_ns, cycle.t3_ns - cycle.t2_ns,
               cycle.t2_ns - cycle.t1_ns - sleep_ns)


def stops(steps, stall_ns, sleep_ns):
    """Of each step: cycles that are as late as if they had been stopped."""
    return [sum(3 * stall_ns <= 4 * late_ns(cycle, before.t3_ns, sleep_ns)
                <= 6 * stall_ns for before, cycle in zip(step, step[1:]))
            for step in steps]


def used_within(had, begin_ns, end_ns):
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
               for begin, end in had) / 1e9


@pytest.mark.alone
@pytest.mark.parametrize("duty_us,late_us,options", [
    (0, 50000, ()), (120000, 50000, ()), (420000, 40000, ()),
    (420000, 50000, SLEEPS), (420000, 68000, STEPS)])
def test_stops_that_the_time_used_allows(run, shim, duty_us, late_us, options):
    """Four cycles of each step's client are late, as after a stop of 50 ms or
    a half more: as many count as real-time tasks have used the time for,
    950 ms each, in that step."""
    faults = [f"client{step}:send:before:{number}:{late_us}"
              for step in (0, 1) for number in (100, 200, 300, 400)]
    busy = spinner(10, 600000, duty_us, 1000000, 5) if duty_us else \
        contextlib.nullcontext()
    with busy as task:
        ticks = realtime_ticks()
        done = run("-q", "-p", 50, "-a", LAST, "-i", 5000, "-l", 1150,
                   *options, "--limit=throttled:1", "--json=json",
                   "--dump=dump", env=shim(*faults))
        others = sum(used - ticks.get(pid, 0)
                     for pid, used in realtime_ticks().items()
                     if not task or pid != task.pid) / 100
    had = task.had if task else []
    json = results.loaded(done)
    of = json["twoway"]
    found, stall_us = of["throttling"]["steps"], of["throttling"]["stall_us"]
    assert options == SLEEPS or \
        json["thread"]["0"]["phases"]["send"]["max"] >= late_us
    # A step begins where the numbers do, and with the step before ends what
    # it may count.
    cycles = done.dump()
    begins = [i for i, cycle in enumerate(cycles) if cycle.cycle == 0]
    steps = [cycles[i:j] for i, j in zip(begins, [*begins[1:], None])]
    late = stops(steps, stall_us * 1000, 45 * 10 ** 6 if options == SLEEPS
                 else 10 ** 5) if stall_us else [0] * len(steps)
    ends = [step[0].t0_ns for step in steps[1:]] + [2 ** 63]
    assert len(found) == len(steps)
    for step, count, most, begin, end in zip(steps, found, late, [0, *ends],
                                             ends):
        least = used_within(had, step[0].t0_ns, step[-1].t3_ns)
        allowed = used_within(had, begin, end) + others
        assert min(most, least // 0.95) <= count <= \
            min(most, (allowed + 0.1) // 0.95)
    assert done.returncode == (2 if sum(found) > 1 else 0)
    lines = [line for line in done.stdout.splitlines()
             if line.startswith(("# Step", "# Throttled"))]
    told = [f"# Throttled: {count}" for count in [*found, sum(found)]]
    if options == STEPS:
        heads = [f"# Step {step}/2: load command" for step in (1, 2)]
        assert [line.partition(", ")[0] for line in lines] == [
            line for line in (heads[0], told[0], heads[1], *told[1:])
            if not line.endswith(" 0")]
    else:
        assert lines == told[1:] * bool(sum(found))
    # One that is late by less may be a stop, too, if the CPU was filled.
    if sum(found) or not (task or others):
        assert ("real-time tasks" in done.stdout) == bool(sum(found))


@pytest.mark.alone
@pytest.mark.parametrize("options,names", [
    (("-i", 0, "--sleep=0"), ("client, server",)),
    (("--load=fft:2", f"--load-affinity={LAST}"), ("twoway-load",)),
    (("--load=command:while :; do :; done", "--load-policy=fifo",
      f"--load-affinity={LAST}"), ("sh",))])
def test_throttled_by_the_test_itself(start, options, names):
    """It fills the CPU. That others get some time nevertheless shows that the
    kernel stops real-time tasks."""
    with spinner(0, 0, 10**9, 10**9, 1) as task:
        process = start("-q", "-p", 50, "-a", LAST, "-D", 6, "--json=json",
                        *options)
        assert outside.wait_for(lambda: sum(map(
            outside.switches, process.sides().values())) > 300)
        begin_ns = time.monotonic_ns()
        assert process.finish() == 0, process.err
    of = results.check(start.directory / "json")["twoway"]
    if used_within(task.had, begin_ns, begin_ns + 3 * 10**9) < 0.06:
        pytest.skip("this kernel gives others no time")
    assert of["throttling"]["task"] in names
    assert of["throttled"] > 0 and "# Throttled: " in process.out


@pytest.mark.alone
def test_not_throttled(run):
    """By an ordinary load, however much it runs; without -p, not judged."""
    for options in ("-p", 50, "--load=command:while :; do :; done"), ():
        done = run("-q", "-a", LAST, "-l", 1200, "--json=json", *options)
        of = results.loaded(done)["twoway"]
        assert of["throttled"] == 0 and "stopped" not in done.stdout


@pytest.mark.alone
@pytest.mark.skipif(LAST == FIRST, reason="needs two CPUs")
def test_a_cpu_that_is_taken(start):
    """Who gets no time is named after 5 s; all three at the same time."""
    starved = {"client": (f"--client-affinity={LAST}",),
               "server": (f"--server-affinity={LAST}",),
               "load": ("--load=fft:2", f"--load-affinity={LAST}")}
    with spinner(99, 0, 60000000, 60000000, 1):
        runs = {who: start("-q", "-p", 50, f"--mainaffinity={FIRST}", "-D", 1,
                           *options) for who, options in starved.items()}
        for who, process in runs.items():
            assert process.finish(20) == 1 and process.gone(5)
            assert f"the {who} (pid " in process.err
            assert ") was not ready within 5 s: " in process.err


@pytest.mark.alone
@pytest.mark.skipif(LAST == FIRST, reason="needs two CPUs")
@pytest.mark.parametrize("number", [0, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("steps", [1, 2])
def test_a_start_without_a_cpu(start, steps, number):
    """What earlier steps have measured is kept; a signal ends it at once."""
    interrupted = number > 0
    with spinner(99, 0, 60000000, 60000000, 1):
        process = start("-q", "-p", 50, "-a", FIRST, f"--steps={steps}", "-l",
                        50, "--load=fft", f"--load-affinity={LAST}",
                        "--json=json")
        if interrupted:
            assert outside.wait_for(lambda: process.named("twoway-load"))
            time.sleep(0.2)
            process.signal(number)
        status = process.finish(20)
        assert process.gone(2)
    # It is told after 5 s.
    assert ("the load (pid " in process.err) != interrupted
    assert status == (not interrupted or steps == 1)
    assert bool((start.directory / "json").stat().st_size) == (steps == 2)
    if steps == 2:
        of = results.check(start.directory / "json")["twoway"]
        assert len(of["steps"]) == 1 and of["interrupted"] == interrupted
        assert "T:" in process.out
    else:
        assert ("no cycle was measured" in process.err) == interrupted
