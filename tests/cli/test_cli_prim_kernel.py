# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: trap and syscall; and what enters the kernel."""

import os
import re
import shutil
import subprocess

import pytest

import primitives

CALLS = 100
KINDS = {
    "getppid": {"getppid"}, "read": {"read"}, "write": {"write"},
    "fstat": {"fstat", "fstat64", "newfstatat", "statx"},
    "open": {"open", "openat"},
}


@pytest.fixture
def strace(tmp_path):
    """Runs a program under strace: how often each call was made."""
    def strace_it(*args):
        if os.environ.get("TWOWAY_EMULATOR"):
            pytest.skip("strace would show the emulator's system calls")
        if not shutil.which("strace"):
            pytest.skip("strace is not installed")
        log = tmp_path / "calls"
        probe = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"],
                               capture_output=True, text=True, check=False)
        if probe.returncode:
            pytest.skip(f"strace cannot trace: {probe.stderr.strip()}")
        # A search for leaks, which has its own tracer, fails under strace.
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        subprocess.run(["strace", "-f", "-y", "-qq", "-o", log,
                        primitives.binary(), "-q", *args], check=True,
                       cwd=tmp_path, stdout=subprocess.DEVNULL, timeout=60,
                       env={**os.environ, "ASAN_OPTIONS": options})
        # Main reads the files of all tasks, however many there are.
        calls = re.findall(r"^\d+ +(\w+)\((?!.*/proc\b)", log.read_text(),
                           re.MULTILINE)
        return {name: calls.count(name) for name in calls}
    return strace_it


@pytest.mark.parametrize("kind", ["fault", "signal"])
def test_trap(primitive, kind):
    """To the handler and back is the round trip, to the ns."""
    name = f"trap.{kind}"
    result = primitive(f"--test={name}", "-N", "-l", "200")
    assert result.returncode == 0, result.stderr
    assert result.tests[name]["trials"] == 200
    enter, leave, trip = (
        round(result.columns[f"{name}.{metric}"]["avg"] * 200)
        for metric in ("enter", "leave", "roundtrip"))
    assert enter + leave == trip
    assert min(result.columns[f"{name}.{metric}"]["min"]
               for metric in ("enter", "leave")) >= 0


def test_faults_are_signals(strace):
    """A trial each, and the two of the warm-up."""
    calls = strace("--test=trap.signal", "-l", "20")
    assert calls["kill"] == calls["rt_sigreturn"] == 22


@pytest.mark.parametrize("kind", KINDS)
def test_syscall(primitive, kind):
    name = f"syscall.{kind}"
    result = primitive(f"--test={name}", "-l", "20")
    assert result.returncode == 0, result.stderr
    assert result.tests[name]["trials"] == 20
    rate = result.series[f"{name}.call"]["rate"]
    column = result.columns[f"{name}.call"]
    assert rate == pytest.approx(1e6 / column["avg"], rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_are_made(strace, kind):
    """None is answered by the C library, and none is made in vain."""
    calls = {}
    for loops in (10, 20):
        calls[loops] = strace(f"--test=syscall.{kind}", "-l", str(loops))
    more = {name: calls[20].get(name, 0) - calls[10].get(name, 0)
            for name in calls[20]}
    # A process that waits long looks for its parent now and then.
    assert abs(sum(more.get(name, 0) for name in KINDS[kind]) -
               10 * CALLS) < 10


@pytest.mark.parametrize("kind, each", [
    ("unnamed", 0), ("named", 0), ("mutex", 0), ("futex", 2 * CALLS)])
def test_pairs_without_the_kernel(strace, kind, each):
    """Nobody waits: of sync1, only what is a system call itself is one."""
    calls = [strace(f"--test=sync1.{kind}", "-l", str(loops)).get("futex", 0)
             for loops in (10, 20)]
    # Some are waits of the processes for each other, four in a second.
    assert abs(calls[1] - calls[0] - 10 * each) < CALLS


def test_vdso_does_not_enter_the_kernel(strace):
    names = ("clock_gettime", "clock_gettime64")
    calls = strace("--test=bintime.vdso", "-l", "500")
    of_vdso = sum(calls.get(name, 0) for name in names)
    calls = strace("--test=bintime.syscall", "-l", "500")
    of_kernel = sum(calls.get(name, 0) for name in names)
    if of_vdso > 500:
        pytest.skip("the vDSO of this system reads no clock")
    assert of_kernel - of_vdso >= 500
