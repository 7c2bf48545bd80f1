# SPDX-License-Identifier: GPL-2.0-or-later
"""--rt-runtime: in force for the run, and as before after any end. CPUs that a
task of higher priority has."""

import os
import resource
import shutil
import signal
import time

import pytest

import outside
import results
import twowaytest
from spinner import spinner

CPUS = os.sched_getaffinity(0)
FIRST, LAST = min(CPUS), max(CPUS)
pytestmark = results.root


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
    with spinner(LAST, 99, 0, 60000000, 60000000, 1):
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
    done = twowaytest.run("-q", "-l", 50, "--rt-runtime=-1", directory=public,
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


@pytest.mark.alone
@pytest.mark.skipif(LAST == FIRST, reason="needs two CPUs")
def test_a_cpu_that_is_taken(start):
    """Who gets no time is named after 5 s; all three at the same time."""
    starved = {"client": (f"--client-affinity={LAST}",),
               "server": (f"--server-affinity={LAST}",),
               "load": ("--load=fft:2", "--load-policy=rr",
                        f"--load-affinity={LAST}")}
    with spinner(LAST, 99, 0, 60000000, 60000000, 1):
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
    with spinner(LAST, 99, 0, 60000000, 60000000, 1):
        process = start("-q", "-p", 50, "-a", FIRST, "-l", 50, "--load=fft",
                        "--load-policy=rr", f"--load-affinity={LAST}",
                        "--json=json",
                        *["--steps=2"] * (steps > 1))
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
