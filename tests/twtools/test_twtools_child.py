# SPDX-License-Identifier: GPL-2.0-or-later
"""No child outlives the program, and a signal ends it once."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import CONTRIB

PARENT = f"""
import os, signal, subprocess, sys, time
sys.path.insert(0, {str(CONTRIB)!r})
from twtools import child
child.listen()
ready = child.dies_with_us({{number}})
def prepare():
    {{before}}
    ready()
one = subprocess.Popen(["sleep", "60"], preexec_fn=prepare)
print(one.pid, flush=True)
time.sleep(60)
"""


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def start(number=15, before="pass"):
    return subprocess.Popen(
        [sys.executable, "-B", "-c",
         PARENT.format(number=number, before=before)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("end", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("number", [9, 15])
def test_child_ends_with_its_parent(end, number):
    parent = start(number)
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.send_signal(getattr(signal, end))
    out, err = parent.communicate(timeout=60)
    code = getattr(signal, end)
    assert parent.returncode == (-code if end == "SIGKILL" else 128 + code)
    assert (out, err) == ("", "")
    for _ in range(600):
        if not alive(pid):
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the child lives on")


def test_parent_that_ends_before_the_child_can_ask():
    """Then the signal never comes: the child sees another parent."""
    read, write = os.pipe()
    program = PARENT.format(
        number=15, before="os.kill(os.getppid(), 9); time.sleep(0.5)")
    parent = subprocess.Popen(
        [sys.executable, "-B", "-c", program.replace(
            '["sleep", "60"]',
            f'["sh", "-c", "echo ran >&{write}"], pass_fds=({write},)')],
        pass_fds=(write,))
    os.close(write)
    parent.wait(60)
    with os.fdopen(read, "rb") as pipe:     # ends when the child has ended
        assert pipe.read() == b""
    assert parent.returncode == -signal.SIGKILL


def printed(lines):
    """By a program of these lines, which ends well."""
    script = (f"import sys; sys.path.insert(0, {str(CONTRIB)!r})\n"
              "import os, signal, subprocess\n"
              "from twtools import child\n" + lines)
    done = subprocess.run([sys.executable, "-B", "-c", script], text=True,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    return done.stdout


def test_ignored_signals_stay_ignored():
    """As with nohup."""
    assert printed("signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
                   "child.listen()\n"
                   "os.kill(os.getpid(), signal.SIGHUP)\n"
                   "print('goes on')\n") == "goes on\n"


def test_actions_of_ones_own():
    assert printed("child.listen(print)\n"
                   "for _ in range(3):\n"
                   "    os.kill(os.getpid(), signal.SIGTERM)\n") == "15\n"


def test_failures_of_children_are_seen():
    """Also if the caller ignores SIGCHLD."""
    assert printed(
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "child.listen()\n"
        "print(subprocess.run(['false'], check=False).returncode)\n") == "1\n"
