# SPDX-License-Identifier: GPL-2.0-or-later
"""However virtlab ends, it leaves no QEMU, no directory, no half result."""

import signal

import pytest

import lab as made

SLEEPS = "exec sleep 60"
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
ALL = STOPS + [signal.SIGKILL]


def started(lab, *args, **environment):
    return lab.start("run", "-k", lab.kernel, "-k", "b=vmlinuz", "-j", 2,
                     "-b", lab.tool, *args, "--", "-q", **environment)


@pytest.mark.parametrize("number", ALL)
def test_while_guests_run(lab, number):
    process = started(lab, LAB_GUEST=SLEEPS)
    made.wait_for(lambda: len(lab.pids()) == 2)
    assert lab.stopped(process, number) == ""
    left = [path.name for path in (lab.directory / "virtlab").glob("[!.]*")]
    assert not left
    if number in STOPS:
        assert not (lab.directory / "virtlab").exists()


@pytest.mark.parametrize("number", ALL)
def test_old_results_stay(lab, number):
    lab.measure("--", "-q")
    base = lab.directory / "virtlab" / made.RELEASE
    before = {path.name: path.read_bytes() for path in base.iterdir()}
    lab.pids_file.unlink()
    lab.stopped(started(lab, LAB_GUEST=SLEEPS), number)
    assert {path.name: path.read_bytes() for path in base.iterdir()} == before
    if number in STOPS:
        assert [path.name for path in base.parent.iterdir()] == [base.name]


@pytest.mark.parametrize("number", STOPS)
def test_while_the_initramfs_is_made(lab, number):
    lab.program("cpio", f"#!/bin/sh\necho $$ >>$LAB_PIDS\n{SLEEPS}\n")
    assert lab.stopped(started(lab), number) == ""
    assert not (lab.directory / "virtlab").exists()


@pytest.mark.parametrize("number", STOPS)
def test_bisect_step(lab, number):
    """130 ends a bisection."""
    process = lab.start("bisect-step", "-k", lab.kernel, "-b", lab.tool, "--",
                        "-q", "--limit=total:1", LAB_GUEST=SLEEPS)
    lab.stopped(process, number)


def test_twice(lab):
    """A second Ctrl-C does not keep it from ending what it started."""
    process = started(lab, LAB_GUEST=SLEEPS)
    made.wait_for(lambda: len(lab.pids()) == 2)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
    lab.stopped(process, signal.SIGINT)
