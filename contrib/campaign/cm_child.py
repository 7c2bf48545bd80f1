# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that are run: none outlives the campaign, whatever ends it."""

import contextlib
import os
import signal
import subprocess
import time

import cm_watch
from twtools import child as death


def how(status, said=""):
    """How a program ended, and what it said."""
    if status >= 0:
        text = f"exit status {status}"
    else:
        text = f"killed by signal {-status} ({signal.strsignal(-status)})"
    return f"{text}: {said}" if said else f"{text}, without a message"


class Children:
    """Starts programs; ends all that still run when it is left."""

    def __init__(self):
        self.running = []
        self.cpus = os.sched_getaffinity(0)     # theirs, not ours

    def __enter__(self):
        # For wait().
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        self.watcher = cm_watch.Watcher()
        return self

    def __exit__(self, *_):
        self.end_all()
        self.watcher.close()

    def end_all(self):
        """The last one first: a load ends after what it was for."""
        for child in self.running[::-1]:
            self.end(child)

    def start(self, argv, **options):
        """In a session of its own: the terminal's Ctrl-C is for us.

        They all heed SIGTERM; killed, cyclictest would leave its shared
        memory.
        """
        prepare = death.dies_with_us(signal.SIGTERM, self.cpus)
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, death.ENDS)
        try:
            self.running.append(subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=lambda: (self.watcher.began(os.getpid()),
                                    prepare()), **options))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return self.running[-1]

    def output(self, argv, **options):
        """Runs it to its end: exit status, standard output and error."""
        child = self.start(argv, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True,
                           errors="backslashreplace", **options)
        out, err = child.communicate()
        self.forget(child)
        return child.returncode, out, err

    def forget(self, child):
        self.running.remove(child)
        self.watcher.ended(child.pid)

    def end(self, child):
        """Asks it to end, kills it if it does not; its exit status."""
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(signal.SIGINT)
        try:
            child.wait(cm_watch.STOP_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        self.forget(child)
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
