# SPDX-License-Identifier: GPL-2.0-or-later
"""A line a measurement: rewritten on a terminal, plain elsewhere."""

import sys
import time

import cm_plan
from twtools.words import time_text


class Progress:
    def __init__(self, todo, total, options):
        self.todo, self.total = list(todo), total
        self.each_s = cm_plan.seconds_each(options)
        self.options = options
        self.terminal = sys.stdout.isatty()
        self.head = ""

    def begin(self, one):
        self.todo.remove(one)
        self.started = time.monotonic()
        number = self.total - len(self.todo)
        width = len(str(self.total))
        self.head = f"[{number:{width + 1}}/{self.total}] {one.title}"
        self.one = one
        self.show("" if self.terminal else "\n")

    def show(self, end=""):
        gone = time.monotonic() - self.started
        left = max(0, self.each_s + self.one.extra_s - gone) + \
            cm_plan.seconds_left(self.options, self.todo, self.each_s)
        start = "\r\033[K" if self.terminal else ""
        print(f"{start}{self.head}  {time_text(self.each_s)}  "
              f"{time_text(left)} left", end=end, flush=True)

    def tick(self):
        """Seconds until it wants to be called again."""
        if not self.terminal:
            return 3600
        self.show()
        return 1

    def end(self, said=""):
        """What has become of the measurement, if that is to be told."""
        if self.terminal:
            print(flush=True)
        if said:
            print(f"  {said}", flush=True)
