# SPDX-License-Identifier: GPL-2.0-or-later
"""--oneway: send and receive between two hosts, and how sure they are.

Windows of cycles prove that the clocks differ by no more than the uncertainty.
"""

import dataclasses
import math

from twoway.series.model import ONE_WAY

ADVICE = "judge network, which needs no common time, by --metrics=network"


@dataclasses.dataclass
class OneWay:
    """What is known of the clocks of both hosts."""
    cycles: int             # of whole windows
    proven: int             # of them
    uncertainty_ns: float

    @property
    def known(self):
        """The uncertainty, rounded up: less is not proven."""
        tenths = math.ceil(self.uncertainty_ns / 100)
        return f"known to +-{tenths / 10:.1f} us"

    @property
    def refusal(self):
        """Why there are no such times, or None; as twowaytest judges."""
        if self.proven and self.proven >= self.cycles // 2:
            return None
        return f"one-way times are void: {self.proven} of {self.cycles} " \
            "cycles prove that the clocks show one time"


def read(twoway, part):
    """Give a part what its JSON says; before its remarks are read."""
    member = twoway.inner("oneway")
    if not member.value:
        return
    counts = {key: member.get(key, int)
              for key in ("cycles", "proven", "uncertainty_ns")}
    for key, count in counts.items():
        if count < 0:
            member.bad(key, f"{count} is less than 0")
    part.oneway = one = OneWay(**counts)
    part.remarks.append(one.refusal or (
        f"send and receive are {one.known}, by {one.proven} of {one.cycles} "
        "cycles"))
    if one.refusal:
        part.worst = [worst for worst in part.worst
                      if worst.metric not in ONE_WAY]


def note(run, metric):
    """What to know of a metric of one run where its figures stand."""
    return f" {run.title}: {run.oneway.known}." \
        if metric in ONE_WAY and run.oneway else ""


def notes_on(runs, metrics):
    """What a verdict on these metrics took into account."""
    return [f"{run.title}: send and receive are {run.oneway.known}; the "
            "interval contains that" for run in runs
            if run.oneway and set(metrics) & set(ONE_WAY)]
