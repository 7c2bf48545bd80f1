# SPDX-License-Identifier: GPL-2.0-or-later
"""How far the guests are, how much is left, and whether each gets on."""

import pathlib
import time

from twtools.words import time_text
from vl_common import LabError, tell

AGAIN_S = 60            # what takes longer is told again
MARK = b"lab: "         # the guest's, and the measurement that begins


class Progress:
    """Of all boots of a run."""

    def __init__(self, kernels, items):
        self.names = [item.name for item in items]
        self.ended = {kernel.name: 0 for kernel in kernels}
        self.total = len(kernels) * len(items)
        self.begun_s = time.monotonic()

    def tell(self, kernel, what):
        ended = sum(self.ended.values())
        took_s = time.monotonic() - self.begun_s
        left = self.total - ended
        if ended:
            what += f"; {ended} of {self.total} measured in " \
                f"{time_text(took_s)}"
        if ended and left:
            what += f", about {time_text(took_s / ended * left)} left"
        tell(f"{kernel}: {what}")

    def begins(self, kernel, name):
        """A measurement, and the wait before it."""
        self.ended[kernel] = at = self.names.index(name)
        self.tell(kernel, f"{name}, {at + 1} of {len(self.names)}")

    def ends(self, kernel):
        self.ended[kernel] = len(self.names)
        self.tell(kernel, "measured")

    def fails(self, kernel):
        """Nothing more of it is to be waited for."""
        self.total -= len(self.names) - self.ended[kernel]


class Waits:
    """For how long the threads of a process wait for a CPU."""

    def __init__(self, pid):
        self.tasks = pathlib.Path(f"/proc/{pid}/task")
        self.known = {}

    def since(self):
        """Of the thread that has waited longest since the last call, in s."""
        before, self.known = self.known, {}
        for path in self.tasks.glob("*/schedstat"):
            try:
                self.known[path] = int(path.read_text().split()[1]) / 1e9
            except (OSError, ValueError, IndexError):
                continue            # it has ended, or the kernel has none
        return max((waited - before.get(path, 0)
                    for path, waited in self.known.items()), default=0)


class Guest:
    """A boot, whose QEMU has this pid."""

    def __init__(self, kernel, pid, console, limit_s, progress):
        self.kernel, self.console, self.limit_s = kernel, console, limit_s
        self.progress = progress
        self.waits = Waits(pid)
        self.what = "the boot"
        self.rest = b""
        self.used_s = 0             # for this
        self.at_s = self.told_s = time.monotonic()
        progress.tell(kernel, "boots")

    def look(self):
        """LabError: the guest does not get on.

        The time in which QEMU waits for a CPU does not count: this machine may
        have much else to do.
        """
        now_s = time.monotonic()
        self.used_s += max(0, now_s - self.at_s - self.waits.since())
        self.at_s = now_s
        *lines, self.rest = (self.rest + self.console.read()).split(b"\n")
        for line in lines:
            name = line.removeprefix(MARK).strip().decode(errors="replace")
            if line.startswith(MARK) and name in self.progress.names:
                self.what, self.used_s, self.told_s = f"'{name}'", 0, now_s
                self.progress.begins(self.kernel, name)
        if self.used_s > self.limit_s:
            raise LabError(f"{self.what} has not ended after {self.limit_s} "
                           "s, without those in which QEMU waited for a CPU; "
                           "--timeout allows more")
        if now_s - self.told_s > AGAIN_S:
            self.told_s = now_s
            self.progress.tell(self.kernel, f"still {self.what}")
