# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that ends what we have started, once we have ended.

The death signal is not enough: a program with file capabilities, which may
use real-time priorities without root, loses it when it is executed.
"""

import contextlib
import os
import select
import signal
import time

from twtools.child import ENDS

STOP_S = 10             # until a program that is asked to end is killed


class Watcher:
    """Knows our children by a pipe, whose end tells that we have ended."""

    def __init__(self):
        reader, self.pipe = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.close(self.pipe)
                alone()
                end(told(reader))
            finally:
                os._exit(0)
        os.close(reader)

    def began(self, pid):
        """For the child to call, before its program is executed."""
        os.write(self.pipe, f"{pid}\n".encode())

    def ended(self, pid):
        os.write(self.pipe, f"-{pid}\n".encode())

    def close(self):
        os.close(self.pipe)
        os.waitpid(self.pid, 0)


def alone():
    """Out of the terminal's reach, and in nobody's way who reads a pipe."""
    os.setsid()
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)


def told(reader):
    """Those that had not ended when the pipe did."""
    running = set()
    with open(reader, encoding="ascii") as lines:
        for pid in map(int, lines):
            if pid > 0:
                running.add(pid)
            else:
                running.discard(-pid)
    return running


def end(pids):
    """Asks them to end, kills them and theirs if they do not."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + STOP_S
    for pid in pids:
        # Readable once it has ended, whoever waits for it.
        with contextlib.suppress(OSError):
            select.select([os.pidfd_open(pid)], [], [],
                          max(0, until - time.monotonic()))
    for pid in pids:
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
