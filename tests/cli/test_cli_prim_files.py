# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest's result files are plain files, as twowaytest's."""

import os
import stat

import pytest

import outside
import plain
import primitives

FILES = [("--json=",), ("-h", "50", "--histfile="), ("--dump=",)]
BASE = ("--default-system", "-q", "--test=sync1.mutex", "-l", "5")
root = pytest.mark.skipif(outside.why_not() is not None,
                          reason=outside.why_not() or "")


def named(option, path):
    return [*option[:-1], f"{option[-1]}{path}"]


@root
@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("case", plain.CASES)
def test_as_cat_does(case, option):
    plain.check(case, lambda path: [primitives.binary(), *BASE,
                                    *named(option, path)])


@pytest.mark.parametrize("option", FILES)
def test_written_in_place(bare, option):
    file = bare.directory / "f"
    file.write_bytes(plain.OLD)
    before = file.stat()
    done = bare(*BASE, *named(option, "f"))
    assert (done.returncode, done.files) == (0, set())
    assert file.stat().st_ino == before.st_ino
    assert b"what was" not in file.read_bytes()


@pytest.mark.parametrize("option", FILES)
def test_file_that_takes_nothing(bare, option):
    """It is told, and the results are printed."""
    done = bare(*BASE, *named(option, "/dev/full"))
    assert (done.returncode, done.stderr) == (
        1, "WARN: /dev/full: cannot be written: No space left on device\n")
    assert "\nsync1.mutex   " in done.stdout or "# Histogram" in done.stdout
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("option", FILES)
def test_pipe_without_a_reader(bare, option):
    os.mkfifo(bare.directory / "fifo")
    done = bare(*BASE, *named(option, "fifo"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "FATAL: fifo: cannot be written: No such device " \
        "or address\n"


@root
def test_trace_of_another_user(bare, tracefs):
    """It is written in place, and stays his."""
    file = plain.make(bare.directory / "f", plain.OTHER, 0o6777)
    before = file.stat()
    done = bare("-q", "--test=timer.1000", "-l", 100, "-b", 1, "--trace",
                "--trace-file=f")
    assert done.returncode == 2, done.stderr
    found = file.stat()
    assert (found.st_ino, found.st_uid, found.st_mode) == (
        before.st_ino, plain.OTHER, before.st_mode)
    text = file.read_text("ascii")
    assert "primitivetest: timer.1000, trial " in text
    assert "what was" not in text


@root
@pytest.mark.parametrize("events, timers, wakeups", [
    ("+timer", True, True), ("timer,sched_switch", True, False)])
def test_events_of_a_trace(bare, tracefs, events, timers, wakeups):
    """Those that were asked for, or beside the usual ones."""
    done = bare("-q", "--test=timer.1000", "-l", 100, "-b", 1,
                f"--trace={events}", "--trace-file=f")
    assert done.returncode == 2, done.stderr
    text = done.text("f")
    assert " sched_switch: " in text
    assert (" hrtimer_start: " in text) == timers
    assert (" sched_waking: " in text) == wakeups


def test_descriptors_of_the_tasks(bare):
    """A task's starter has no result file open, and gives its number to what
    the task needs."""
    done = bare("--default-system", "-q", "-l", 5, "--json=json", "--dump=dump",
                "--test=sync1.eventfd,pipe,syscall.read")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\npipe.1.process.same           5 " in done.stdout
