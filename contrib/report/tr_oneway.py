# SPDX-License-Identifier: GPL-2.0-or-later
"""--oneway: send and receive between two hosts, and how sure they are.

sync: the clocks were shown to differ by no more than the uncertainty. bound:
their offset is an estimate, so nothing is to be judged by these times.
"""

import dataclasses
import math
import re

from tr_member import NULL, NUMBER
from tr_model import ONE_WAY

MODES = SYNC, BOUND = "sync", "bound"
OPTION = {mode: f"--oneway={mode}" for mode in MODES}
ADVICE = "judge network, which needs no common time, by --metrics=network"
COUNTS = ("windows", "empty", "broken", "cycles", "without")
LINE = re.compile(r"# One-way: (?:void:? (?P<void>.+)|unknown "
                  r"|\+-(?P<us>\d{1,12}\.\d) us(?P<more>,)?)")


@dataclasses.dataclass
class OneWay:
    """What is known of the clocks of both hosts."""
    mode: str | None                # None: a text does not tell
    void: str | None = None         # why there are no values
    uncertainty_ns: float | None = None
    offset_ns: float | None = None  # the server's clock less the client's
    ppm: float | None = None
    longest_ns: float | None = None     # a window took
    counts: dict = dataclasses.field(default_factory=dict)
    verdict: str | None = None      # on --sync-limit

    @property
    def known(self):
        """The uncertainty, rounded up: less is not proven."""
        if self.uncertainty_ns is None:
            return "of unknown uncertainty"
        tenths = math.ceil(round(self.uncertainty_ns) / 100)
        return f"known to +-{tenths / 10:.1f} us"

    @property
    def refusal(self):
        """Why nothing may be compared with these times, or None."""
        if self.void:
            return f"one-way times are void: {self.void}"
        if self.mode == BOUND:
            return f"with {OPTION[BOUND]}, the offset of the clocks is an " \
                f"estimate, so send and receive are not to be judged"
        if self.mode is None:
            return "the text does not prove that the clocks show one time, " \
                "so send and receive are not to be judged; give the JSON"
        if self.uncertainty_ns is None:
            return "how far the clocks are apart is not known, as no window " \
                "of cycles was complete"
        return None


def comparable(run, metric):
    """Whether a metric of a run may be compared with that of another."""
    return metric not in ONE_WAY or not run.oneway or \
        not run.oneway.refusal


def in_ns(member, key):
    value = member.get(key, *NUMBER, NULL, default=None)
    return None if value is None else value * 1000


def why_void(member):
    """Why there are no values; None if there are."""
    if member.get("valid", bool):
        return None
    at = member.inner("void_at")
    if at.value:
        return f"from cycle {at.get('cycle', int)} of pair " \
            f"{at.get('pair', int)} on, {at.get('seconds', *NUMBER):.3f} s " \
            "after the first, the clocks did not show one time"
    return member.get("distrust", str, NULL, default=None) or \
        "too few cycles came to learn about the clocks"


def read(twoway, part):
    """Give a part what its JSON says; before its remarks are read."""
    member = twoway.inner("oneway")
    if not member.value:
        return
    mode = member.get("mode", str)
    if mode not in MODES:
        member.bad("mode", f"'{mode}' is none of {', '.join(MODES)}")
    uncertainty_ns = in_ns(member, "uncertainty_us")
    if uncertainty_ns is not None and uncertainty_ns < 0:
        member.bad("uncertainty_us", f"{uncertainty_ns / 1000:g} is less "
                                     "than 0")
    part.oneway = OneWay(
        mode, why_void(member), uncertainty_ns, in_ns(member, "offset_us"),
        member.get("ppm", *NUMBER, NULL, default=None),
        in_ns(member, "longest_us"),
        {key: member.get(key, int) for key in COUNTS},
        member.get("verdict", str, NULL, default=None))
    part.remarks += remarks(part.oneway, part.settings.get("sync_limit_us"))


def read_line(line):
    """What a line of the text says; None: nothing of all values."""
    match = LINE.match(line)
    if not match:
        return None
    if match["us"] is None:
        return OneWay(None, match["void"])
    # With bound, what was estimated follows.
    return OneWay(None if match["more"] else SYNC, None,
                  float(match["us"]) * 1000)


def remarks(oneway, limit_us):
    if oneway.void:
        yield f"one-way times are void: {oneway.void}"
    elif oneway.mode == SYNC:
        yield f"send and receive are {oneway.known} ({OPTION[SYNC]})"
    else:
        yield f"send and receive are estimates ({OPTION[BOUND]}), " \
            f"{oneway.known}: compare nothing with them"
    if oneway.verdict not in (None, "met"):
        yield f"sync limit {limit_us} us {oneway.verdict}"


def note(run, metric):
    """What to know of a metric of one run where its figures stand."""
    if metric not in ONE_WAY or not run.oneway:
        return ""
    return f" {run.title}: {run.oneway.known}" + (
        "." if run.oneway.mode == SYNC else
        ", an estimate that nothing is to be compared with.")


def notes_on(runs, metrics):
    """What a verdict on these metrics took into account."""
    return [f"{run.title}: send and receive are {run.oneway.known}; the "
            "interval contains that" for run in runs
            if run.oneway and set(metrics) & set(ONE_WAY)]
