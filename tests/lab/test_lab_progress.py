# SPDX-License-Identifier: GPL-2.0-or-later
"""What is told of boots, how long each may take on a machine that is busy; and
what each command passes on to its guests."""

import os
import signal
import subprocess
import types

import pytest

import lab as made
import test_lab_releases
import vl_common
import vl_progress

ONE, TWO = (types.SimpleNamespace(name=name) for name in ("one", "two"))


@pytest.fixture
def clock(monkeypatch):
    """The time is set by hand."""
    now = types.SimpleNamespace(s=1000)
    monkeypatch.setattr(vl_progress.time, "monotonic", lambda: now.s)
    return now


def test_left(clock, capsys):
    """As long as those that have ended took, whatever runs at a time."""
    progress = vl_progress.Progress([ONE, TWO], [ONE, TWO])
    for seconds, told in ((0, lambda: progress.tell("one", "boots")),
                          (3, lambda: progress.begins("one", "one")),
                          (30, lambda: progress.begins("one", "two")),
                          (0, lambda: progress.begins("two", "two")),
                          (3600, lambda: progress.ends("one")),
                          (0, lambda: progress.fails("two")),
                          (0, lambda: progress.tell("two", "is over"))):
        clock.s += seconds
        told()
    assert capsys.readouterr().err == """\
virtlab: one: boots
virtlab: one: one, 1 of 2
virtlab: one: two, 2 of 2; 1 of 4 measured in 33 s, about 1 min 39 s left
virtlab: two: two, 2 of 2; 2 of 4 measured in 33 s, about 33 s left
virtlab: one: measured; 3 of 4 measured in 1 h 00 min, about 20 min 11 s left
virtlab: two: is over; 3 of 3 measured in 1 h 00 min
"""


@pytest.fixture
def guest(clock, tmp_path, monkeypatch, capsys):
    """Whose QEMU waits for a CPU for as long as is said; it may take 9 s."""
    waits = []
    monkeypatch.setattr(vl_progress.Waits, "since", lambda _: waits.pop(0))
    console = tmp_path / "console"
    console.touch()
    with open(console, "rb") as file:
        guest = vl_progress.Guest("k", os.getpid(), file, 9,
                                  vl_progress.Progress([ONE], [ONE, TWO]))

        def look(seconds, waited, words=""):
            with open(console, "a", encoding="ascii") as writer:
                writer.write(words)
            clock.s += seconds
            waits.append(waited)
            guest.look()
        yield look


def test_busy_machine(guest):
    """The time for which QEMU waits is not the guest's."""
    for _ in range(9):
        guest(1000, 999)
    with pytest.raises(vl_common.LabError, match="^the boot has not ended "
                       "after 9 s, without those in which QEMU waited for"):
        guest(1, 0)


def test_every_measurement_has_its_time(guest, capsys):
    """Its line may come in parts, between others; no other line counts."""
    guest(9, 0, "[ 1.0] lab: one\r\nlab: three\nlab: on")
    guest(0, 0, "e\r\nother\n")
    guest(9, 0, "lab: two\n")
    guest(9, 5)                     # a thread that has ended waited, too
    guest(5, 9)
    with pytest.raises(vl_common.LabError, match="^'two' has not ended"):
        guest(6, 0)
    assert [line.split(": ")[2].split(";")[0] for line in
            capsys.readouterr().err.splitlines()] == [
        "boots", "one, 1 of 2", "two, 2 of 2"]


def test_what_lasts_is_told_again(guest, capsys):
    """Once a minute."""
    for _ in range(13):
        guest(20, 20)
    assert capsys.readouterr().err == "virtlab: k: boots\n" + \
        3 * "virtlab: k: still the boot\n"


def test_waits(tmp_path):
    """As the kernel tells: two that never sleep share a CPU."""
    path = f"/proc/{os.getpid()}/schedstat"
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}")
    cpu = min(os.sched_getaffinity(0))
    both = [subprocess.Popen(
        ["sh", "-c", "while :; do :; done"],
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu})) for _ in "ab"]
    try:
        waits = vl_progress.Waits(both[0].pid)
        made.wait_for(lambda: waits.since() > 0.01)
        os.kill(both[0].pid, signal.SIGSTOP)
        made.wait_for(lambda: waits.since() == 0)
    finally:
        for one in both:
            one.kill()
            one.wait()
    assert waits.since() == 0           # of nobody


# What a guest is given: QEMU's arguments, then all that init runs and has.
SEEN = ('echo "$@" >>{0}; cpio -it --quiet <"$initrd" >>{0}; cpio -i --quiet '
        '--to-stdout measure bin/twowaytest <"$initrd" >>{0}; exec sleep 60')


@pytest.mark.parametrize("command", [
    ("run", "-k", "vmlinuz", "--mode=smp"),
    ("bisect-step", "-k", "vmlinuz", "-msmp"),
    ("bisect", test_lab_releases.RT.format("6.1.7"),
     test_lab_releases.RT.format("7.3.4"), *test_lab_releases.LIMIT),
    ("study", "-k", "vmlinuz"), ("history", "--arch=amd64", "-S7.3")],
    ids=lambda words: words[0])
def test_options_reach_the_guest(debian, command):
    """Of each command that boots; and after its time, it is ended."""
    name = command[0]
    for program in ("cyclictest", "hackbench"):
        debian.program(program, "#!/bin/sh\n")
    seen = debian.directory / "seen"
    more = () if name == "history" else (
        "--append=quirk=1 x", "--add=bin/tool")
    measured = ("--", "-q", "--limit=response:9") if name in (
        "run", "bisect-step", "bisect") else ()
    _, err = debian(*command, *more, "--memory=256", "--settle=700",
                    "--timeout=1", f"--binary={debian.tool}", *measured,
                    status=125 if name == "bisect-step" else 1,
                    LAB_GUEST=SEEN.format(seen))
    assert "has not ended after 1 s, without" in err
    text = seen.read_text()
    assert " -m 256 " in text
    assert (" -smp 4 " if "smp" in command[-1] else " -smp 1 ") in text
    assert f"quiet {'nanosleep' if name == 'history' else 'idle-posix'}" \
        " 700 |" in text or "quiet twowaytest 700 |" in text
    assert made.TOOL in text            # the twowaytest of the guest
    if more:
        assert " quirk=1 x\n" in text and "\nbin/tool\n" in text
