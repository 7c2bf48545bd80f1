# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that are run: none outlives the campaign, whatever ends it."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
STOP_S = 10             # until a program that is asked to end is killed


class Stopped(BaseException):
    """A signal that ends the campaign."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


def stop(number, _frame):
    for one in ENDING:          # what follows is to run to its end
        signal.signal(one, signal.SIG_IGN)
    raise Stopped(number)


def listen():
    """From here on these signals raise Stopped, and wait() can wait."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:      # as with nohup
            signal.signal(number, stop)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})


class Children:
    """Starts programs; ends all that still run when it is left."""

    def __init__(self):
        self.running = []
        self.libc = ctypes.CDLL(None)
        self.cpus = os.sched_getaffinity(0)     # theirs, not ours
        self.pid = os.getpid()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_all()

    def end_all(self):
        """The last one first: a load ends after what it was for."""
        for child in self.running[::-1]:
            self.end(child)

    def prepare(self):
        """In the child: die with the campaign; undo what is ours alone."""
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.sched_setaffinity(0, self.cpus)
        # They all heed it; killed, cyclictest would leave its shared memory.
        self.libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != self.pid:
            os._exit(1)

    def start(self, argv, **options):
        """In a session of its own: the terminal's Ctrl-C is for us."""
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=self.prepare, **options)
        self.running.append(child)
        return child

    def output(self, argv, **options):
        """Runs it to its end: exit status, standard output and error."""
        child = self.start(argv, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True,
                           errors="backslashreplace", **options)
        out, err = child.communicate()
        self.running.remove(child)
        return child.returncode, out, err

    def end(self, child):
        """Asks it to end, kills it if it does not; its exit status."""
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGINT)
        try:
            child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        if child in self.running:
            self.running.remove(child)
        return child.returncode

    def wait(self, children, until, tick):
        """Sleeps until one of them ends; that one, or None at `until`.

        tick() is called in between, and says after how many seconds again.
        SIGCHLD wakes us: asking often would disturb what is measured.
        """
        while True:
            for child in children:
                if child.poll() is not None:
                    return child
            now = time.monotonic()
            if now >= until:
                return None
            signal.sigtimedwait({signal.SIGCHLD}, min(tick(), until - now))
