# SPDX-License-Identifier: GPL-2.0-or-later
"""Signals that end a program, and the programs that end with it."""

import ctypes
import os
import signal

ENDS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


class Stopped(SystemExit):
    """A signal that ends the program; its status is the shell's, 128 + N."""

    def __init__(self, number):
        super().__init__(128 + number)
        self.number = number

    def __str__(self):
        return signal.Signals(self.number).name


def stop(number):
    raise Stopped(number)


def listen(action=stop):
    """From here on a signal calls the action: once, so that it can end.

    SIGCHLD is not ignored, even if the caller ignores it: else nobody would
    know the status of a child, which Python's subprocess then takes for 0.
    """
    def handler(number, _frame):
        for one in ENDS:
            signal.signal(one, signal.SIG_IGN)
        action(number)

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
            signal.signal(number, handler)


def dies_with_us(number=signal.SIGTERM, cpus=None):
    """For subprocess's preexec_fn: whatever ends us ends the child, too.

    What is ours alone is undone: signals, and the CPUs, if they are given.
    A program with file capabilities, or set-user-ID, loses the death signal
    when it is executed.
    """
    pid = os.getpid()

    def prepare():
        for one in ENDS:
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if cpus is not None:
            os.sched_setaffinity(0, cpus)
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        # We may have ended before that.
        if os.getppid() != pid:
            os._exit(1)
    return prepare
