# SPDX-License-Identifier: GPL-2.0-or-later
"""--stamps: what the kernel's timestamps split the network's time into."""

import dataclasses

from twoway.read.member import NUMBER
from twoway.series.model import STAMPED

SIDES = ("client", "server")
OF_SIDE = ("app_out", "stack_out", "wake_in")
KINDS = ("client_sched", "client_snd", "server_rx", "server_sched",
         "server_snd", "client_rx")
# Of a device without server: the first two are the third.
ALONE = ("client_stack", "wire_and_device", "response")
ONLY_ALONE = {*ALONE[1:], "response_to_rx"}
# What the report calls them: name of a span.
ROWS = {f"{side} {name}": f"{side}_{name}" for side in SIDES
        for name in OF_SIDE} | {name: name for name in (
            *STAMPED, "network", *ALONE[1:], "response_to_rx")}
ROUNDED_NS = 0.5        # of a sum of averages, each to 0.1 ns


@dataclasses.dataclass
class Row:
    """The times of some cycles, in ns."""
    count: int
    min_ns: int
    avg_ns: float
    max_ns: int


@dataclasses.dataclass
class Stamps:
    """Of all cycles of a run, or of one of its pairs."""
    cycles: int                     # that have all stamps
    left_out: int                   # that lack one
    unfinished: int
    missing: dict                   # stamp -> count
    rows: dict                      # name -> Row, those that are known
    mode: str = ""
    pairs: list = dataclasses.field(default_factory=list)   # if several

    @property
    def split(self):
        """Average of each part of the network, and of how many cycles."""
        if not set(STAMPED) <= set(self.rows):
            return {}, 0
        return ({name: self.rows[name].avg_ns for name in STAMPED},
                self.rows[STAMPED[0]].count)


def read_row(member):
    """A series of a pair, of the cycles that have all stamps."""
    name = member.get("span", str)
    found = Row(member.count("cycles"), member.get("min", int),
                member.get("avg", *NUMBER), member.get("max", int))
    if found.count < 1 or not found.min_ns <= \
            found.avg_ns + ROUNDED_NS <= found.max_ns + 2 * ROUNDED_NS:
        member.bad("avg", f"min {found.min_ns}, avg {found.avg_ns}, max "
                   f"{found.max_ns} of {found.count} cycles of {name}; "
                   "min <= avg <= max is expected")
    return name, found


def check_sum(member, rows):
    """In each cycle the parts are the whole, so in the mean, too."""
    for *names, whole in (*STAMPED, "network"), ALONE:
        if not {*names, whole} <= set(rows):
            continue
        parts = sum(rows[name].avg_ns for name in names)
        if abs(parts - rows[whole].avg_ns) > ROUNDED_NS:
            member.bad(whole, f"{rows[whole].avg_ns} ns on average, but "
                       f"{' + '.join(names)} is {parts:.1f}; they are the "
                       "same time of the same cycles")


def read_pair(member, series):
    """series: those of the pair; all are of the same cycles."""
    found = dict(map(read_row, series))
    rows = {name: found[span] for name, span in ROWS.items() if span in found}
    if "server_stack" in rows:
        rows = {name: row for name, row in rows.items()
                if name not in ONLY_ALONE}
    check_sum(member, rows)
    missing = member.inner("missing")
    return Stamps(member.count("cycles"), member.count("left_out"),
                  member.count("unfinished"),
                  {kind: missing.count(kind) for kind in KINDS}, rows)


def together(rows):
    count = sum(row.count for row in rows)
    return Row(count, min(row.min_ns for row in rows),
               sum(row.avg_ns * row.count for row in rows) / count,
               max(row.max_ns for row in rows))


def read(twoway, part):
    """Give a part what its JSON says."""
    series = [one for one in twoway.items("series")
              if one.value.get("stamped")]
    pairs = [read_pair(member, [one for one in series
                                if one.value.get("pair") == number])
             for number, pair in enumerate(twoway.items("pairs"))
             if (member := pair.inner("stamps")).value]
    if not pairs:
        return
    names = dict.fromkeys(name for pair in pairs for name in pair.rows)
    part.stamps = stamps = Stamps(
        *(sum(getattr(pair, key) for pair in pairs) for key in (
            "cycles", "left_out", "unfinished")),
        {kind: sum(pair.missing[kind] for pair in pairs) for kind in KINDS},
        {name: together([pair.rows[name] for pair in pairs
                         if name in pair.rows]) for name in names},
        twoway.inner("settings").get("stamps", str),
        pairs if len(pairs) > 1 else [])
    if stamps.left_out:
        lacking = ", ".join(f"{kind} {count}" for kind, count
                            in stamps.missing.items() if count)
        part.remarks.append(f"kernel timestamps: {stamps.left_out} cycles "
                            f"lack one, and are left out of them: {lacking}")
