# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs that somebody else keeps busy: a test ends all the same, and says why.

A spinner of the highest priority has one CPU for itself; main is on another.
"""

import contextlib
import os
import re
import signal
import subprocess
import time

import outside
import primitives
import pytest

SPIN_S = 120            # at the longest; the test ends it before
READY_S = 5             # what a child has to get ready


@pytest.fixture
def two_cpus():
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs: one is taken from the test")
    return cpus[0], cpus[-1]


@contextlib.contextmanager
def hog(spinner, cpu):
    micro = str(SPIN_S * 1000000)
    with subprocess.Popen([spinner, str(cpu), "99", "0", micro, micro, "1"],
                          text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            assert outside.wait_for(
                lambda: outside.cpu_ticks(process.pid) > 5)
            yield
        finally:
            process.kill()


@pytest.fixture
def hogged(spinner, two_cpus):
    """A CPU for main, and one that nobody else gets."""
    with hog(spinner, two_cpus[1]):
        yield two_cpus


# Who gets no CPU, and by which options.
STARVED = {
    "client": ("--client-affinity={1}",),
    "server": ("--server-affinity={1}",),
}


def launch(start, hogged, starved, *options):
    options += tuple(option.format(*hogged) for option in STARVED[starved])
    return start("-q", "-p", 50, f"--mainaffinity={hogged[0]}", "-D", 1,
                 *options)


def test_time_is_up(start, hogged):
    """All at the same time: each takes as long, and most of it waits."""
    begin = time.monotonic()
    runs = {starved: launch(start, hogged, starved) for starved in STARVED}
    for starved, run in runs.items():
        assert run.finish(timeout=READY_S + 10) == 1, starved
        assert time.monotonic() - begin >= READY_S
        assert run.gone()
        assert re.fullmatch(
            fr"WARN: the {starved} \(pid \d+\) was not ready within {READY_S} "
            "s: it gets no CPU time; look for a task of higher priority on its "
            "CPU\n(WARN: no cycle was measured\n)?", run.err)


def start_primitive(start, cpu):
    return start("-q", "-p", 50, f"-a{cpu}", "-l", 10, "--test=sync2.unnamed",
                 program=primitives.binary())


def test_primitive_time_is_up(start, hogged):
    run = start_primitive(start, hogged[1])
    assert run.finish(timeout=READY_S + 15) == 1
    assert run.gone()
    assert re.fullmatch(
        fr"WARN: the task \(pid \d+\) was not ready within {READY_S} s: it gets "
        "no CPU time; look for a task of higher priority on its CPU\n",
        run.err)


def test_primitive_starter(start, spinner, two_cpus):
    """What starts the tasks cannot end them either: main does."""
    with hog(spinner, two_cpus[1]):
        run = start_primitive(start, two_cpus[1])
        assert outside.wait_for(lambda: run.named("prim-starter"))
        os.kill(run.named("prim-starter")[0], signal.SIGSTOP)
    assert run.finish(timeout=READY_S + 20) == 1
    assert run.gone()
    assert re.fullmatch(
        r"WARN: sync2.unnamed.process.same: nothing has happened for \d+ s; its "
        r"tasks are killed\nWARN: .* was killed by signal 9 \(Killed\)\n",
        run.err)


@pytest.mark.parametrize("options", [
    ("-a", "{0}", "--wait=busy"),
    ("-a", "{0}", "-i", 0, "--sleep=0"),
    ("-a", "--wait=busy", "--mainaffinity={1}"),
])
def test_shared_with_a_side_that_never_sleeps(start, two_cpus, options):
    """Each is above the one that keeps its CPU busy before it goes there."""
    options = [str(option).format(*two_cpus) for option in options]
    run = start("-q", "-p", 98, *options, "-l", 200)
    status = run.finish()
    assert status == 0 or run.err
    assert run.gone()
