# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdicts on --limit, which the JSON of either program has."""

import dataclasses
import re

from twoway.read.member import NULL, NUMBER
from twoway.series.model import METRICS
from twtools.units import US

MET, EXCEEDED, UNDECIDED = "met", "exceeded", "undecided"
# Of a text; the metric is the latency if none is named.
LINE = re.compile(
    r"# Limit ((?:([a-z]+):(?<!avg:))?[a-z0-9.:]*?([0-9.]{1,16})): "
    r"(met|exceeded|undecided): (?:.*\bpair (\d{1,9}): )?"
    r"(?:at least )?([\d.]{1,20})?.*", re.ASCII)


@dataclasses.dataclass
class Limit:
    """most and value are times in ns, or counts."""
    limit: str                  # as it was given
    verdict: str
    metric: str | None          # None: it was not measured
    most: float
    value: float | None         # None: undecided
    is_time: bool
    pair: int | None = None     # if there are several

    @property
    def said(self):
        """What was measured, and what is allowed."""
        what = f"{self.metric or 'what it is for'} ({self.limit})" + \
            (f" of pair {self.pair}" if self.pair is not None else "")
        value = f"was {self.text(self.value)}" if self.value is not None \
            else "has too few values, or some are not known, or the run " \
            "ended early"
        return f"{what} {value}; at most {self.text(self.most)} is allowed"

    def text(self, number):
        return f"{number / 1000:.12g} us" if self.is_time else f"{number:g}"


RATE = re.compile(
    r"# Limit (rate:([0-9.]{1,16})/(?:min|h|d):[0-9.]{1,16}): "
    r"(met|exceeded|undecided): (?:.*\bpair (\d{1,9}): )?"
    r"(?:.*, at (?:most|least) ([\d.]{1,20}) )?.*", re.ASCII)


def read(member, several_pairs=False, in_us=False):
    """in_us: as primitivetest has times; twowaytest's have names in _ns."""
    for one in member.items("limits"):
        verdict = one.get("verdict", str)
        if verdict not in (MET, EXCEEDED, UNDECIDED):
            one.bad("verdict", f"'{verdict[:40]}' is none of {MET}, "
                    f"{EXCEEDED}, {UNDECIDED}")
        suffix = "_ns" if "most_ns" in one.value else ""
        scale = US.ns if in_us and not suffix else 1
        value = one.get(f"value{suffix}", *NUMBER, NULL)
        if (value is None) != (verdict == UNDECIDED):
            one.bad(f"value{suffix}", "null is expected if, and only if, "
                    f"the verdict is {UNDECIDED}")
        pair = one.get("pair", int, NULL, default=None)
        yield Limit(one.get("limit", str), verdict,
                    one.get("metric", str, NULL),
                    one.get(f"most{suffix}", *NUMBER) * scale,
                    None if value is None else value * scale,
                    in_us or bool(suffix), pair if several_pairs else None)


def read_line(line):
    """Of a line of twowaytest's text, or None."""
    match = LINE.fullmatch(line) or RATE.fullmatch(line)
    if not match:
        return None
    text, metric, most, verdict, pair, value = match.groups() \
        if match.re == LINE else (match[1], "rate", *match.groups()[1:])
    metric = metric or "latency"
    scale = 1000 if metric in METRICS else 1
    return Limit(text, verdict, metric, float(most) * scale,
                 None if verdict == UNDECIDED or not value
                 else float(value) * scale, metric in METRICS,
                 None if pair is None else int(pair))
