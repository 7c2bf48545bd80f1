# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that may live a moment longer than main: they keep nothing that
ends with main, and do their work whatever happens to them."""

import os
import signal
import time

import pytest

import outside
import primitives
import results
import tracing

LIFT = "--rt-runtime=-1"
TRACE = ("-b", 10**6, "--trace", "--trace-file=trace")
OF_RUNTIME = {"/proc/sys/kernel/sched_rt_runtime_us",
              "/proc/sys/kernel/cad_pid"}
pytestmark = [results.root, pytest.mark.usefixtures("tracefs", "before")]


@pytest.fixture
def begin(start):
    """A run in its trials, or of twowaytest in its cycles."""
    def run(program, *options, test="sync2.futex"):
        if program == "twowaytest":
            process = start("-q", "-D", 600, *options)
            process.steady()
            return process
        process = start("-q", f"--test={test}", "-D", 600, *options,
                        program=primitives.binary())
        assert outside.wait_for(lambda: [
            pid for pid in process.named("prim-asks")
            if outside.switches(pid) > 60]), process.err
        return process
    return run


PROGRAMS = pytest.mark.parametrize("program", ["twowaytest", "primitivetest"])
OPTIONS = pytest.mark.parametrize("options", [
    (LIFT,), TRACE, (*TRACE, LIFT)], ids=["runtime", "trace", "both"])


@PROGRAMS
@OPTIONS
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left(begin, tracefs, before, program, options, number):
    process = begin(program, *options)
    assert bool(tracing.instance(tracefs, process.pid)) == ("-b" in options)
    process.signal(number)
    assert process.finish() == (0 if number == signal.SIGINT else -9)
    assert process.gone(3) and not process.err, process.err
    assert not tracing.instance(tracefs, process.pid)
    assert outside.rt_runtime() == before


@PROGRAMS
def test_files_of_a_guard(begin, program):
    """Who reads our output sees its end with main's, and no other guard's
    work is kept from being done."""
    process = begin(program, *TRACE, LIFT)
    guards = process.named("twoway-guard")
    files = [set(outside.open_files(pid)) - {"/dev/null"} for pid in guards]
    assert sorted(files, key=len) == [set(), OF_RUNTIME]
    process.signal(signal.SIGINT)
    assert process.finish() == 0


def test_files_of_the_guard_of_a_command(begin):
    """It is the last that is started, when all the others are open."""
    process = begin("twowaytest", *TRACE, "--on-break=true", "--breaks=2")
    assert [outside.open_files(pid) for pid in process.named("twoway-guard")
            ] == [["/dev/null"] * 3] * 2
    process.signal(signal.SIGINT)
    assert process.finish() == 0


def test_files_of_the_guard_of_semaphores(begin):
    process = begin("primitivetest", test="sync2.sysv")
    guard, = process.named("twoway-guard")
    assert outside.open_files(guard) == ["/dev/null"] * 3
    process.signal(signal.SIGINT)
    assert process.finish() == 0


def test_a_guard_that_can_be_heard(begin, start):
    """Where standard error is nobody's pipe, it has that."""
    with open(start.directory / "errors", "w", encoding="ascii") as file:
        process = start("-q", "-D", 600, LIFT, stderr=file)
    process.steady()
    guard, = process.named("twoway-guard")
    assert set(outside.open_files(guard)) - OF_RUNTIME - {"/dev/null"} == {
        str(start.directory / "errors")}
    process.signal(signal.SIGINT)
    assert process.finish() == 0


@pytest.mark.parametrize("load", ["fft", "hackbench:1", "command:sleep 99"])
def test_files_of_a_load(begin, load):
    """All processes above what is loaded."""
    process = begin("twowaytest", *TRACE, f"--load={load}")
    loads = outside.wait_for(lambda: len(
        found := process.named("twoway-load")) > ("fft" not in load) and found)
    files = [one for pid in loads for one in outside.open_files(pid)
             if not one.startswith("pipe:") and one != "/dev/null"]
    pipes = {one for pid in loads for one in outside.open_files(pid)
             if one.startswith("pipe:")}
    assert [one for one in files if "(deleted)" not in one] == []
    assert pipes == {os.readlink(f"/proc/{loads[0]}/fd/2")}
    process.signal(signal.SIGINT)
    assert process.finish() == 0


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGKILL])
def test_a_guard_that_is_stopped(begin, before, ended):
    """It does its work nevertheless, and lets another run begin."""
    process = begin("twowaytest", LIFT)
    guard, = process.named("twoway-guard")
    os.kill(guard, signal.SIGSTOP)
    assert outside.wait_for(
        lambda: outside.status(guard, "State")[:1] == "T")
    process.signal(ended)
    began = time.monotonic()
    process.finish()
    assert outside.wait_for(lambda: outside.rt_runtime() == before, 2)
    assert process.gone(2) and time.monotonic() - began < 4
    assert not process.err
