# SPDX-License-Identifier: GPL-2.0-or-later
"""However virtlab ends, it leaves no QEMU, no directory, no half result."""

import os
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


@pytest.mark.parametrize("number", STOPS)
def test_what_was_measured_stays(lab, number):
    lab.program("hangs", "#!/bin/sh\necho $$ >>$LAB_PIDS\nexec sleep 60\n")
    process = lab.start("run", "-k", "a=vmlinuz", "-b", lab.tool, "-a",
                        "bin/hangs", "--", "one=true", "--", "hangs")
    made.wait_for(lambda: len(lab.pids()) == 2)
    _, pid = lab.pids()
    lab.pids_file.write_text(str(lab.pids()[0]))
    lab.stopped(process, number, "virtlab: a: kept in virtlab/a-unfinished: "
                "one\n")
    os.kill(pid, signal.SIGKILL)
    assert [path.name for path in (lab.directory / "virtlab").iterdir()] == [
        "a-unfinished"]


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


def test_after_kill(lab):
    """What is left then, the next run removes; and that alone."""
    lab.stopped(started(lab, LAB_GUEST=SLEEPS), signal.SIGKILL)
    lab.pids_file.unlink()
    foreign = lab.directory / "tmp/virtlab-results"
    foreign.mkdir()
    lab.stopped(started(lab, LAB_GUEST=SLEEPS), signal.SIGKILL)
    assert len(list((lab.directory / "tmp").iterdir())) > 1
    foreign.rmdir()
    lab.measure("-k", "b=vmlinuz", "--", "-q")          # tmp is empty then
    assert {path.name for path in (lab.directory / "virtlab").iterdir()} == {
        made.RELEASE, "b"}


def test_two_at_once(lab):
    """In one directory: the second is refused, the first is not disturbed."""
    go_on = lab.directory / "go"
    first = started(lab, LAB_GUEST=f"until [ -e {go_on} ]; do sleep 0.1; "
                    "done; boot")
    made.wait_for(lambda: len(lab.pids()) == 2)
    second = started(lab)
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (1, "")
    assert f"{made.RELEASE}: another virtlab is at work" in err
    go_on.touch()
    out, err = lab.ended(first, 60)
    assert first.returncode == 0, err
    assert {path.name for path in (lab.directory / "virtlab").iterdir()} == {
        made.RELEASE, "b"}


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
