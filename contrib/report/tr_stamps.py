# SPDX-License-Identifier: GPL-2.0-or-later
"""--stamps: what the kernel's timestamps split the network's time into."""

import dataclasses

from tr_member import NUMBER
from tr_model import STAMPED

SIDES = ("client", "server")
OF_SIDE = ("app_out", "stack_out", "wake_in")
KINDS = ("client_sched", "client_snd", "server_rx", "server_sched",
         "server_snd", "client_rx")
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
    calls: dict = dataclasses.field(default_factory=dict)   # more, by side
    exchange: dict = dataclasses.field(default_factory=dict)
    pairs: list = dataclasses.field(default_factory=list)   # if several

    @property
    def split(self):
        """Average of each part of the network, and of how many cycles."""
        if not set(STAMPED) <= set(self.rows):
            return {}, 0
        return ({name: self.rows[name].avg_ns for name in STAMPED},
                self.rows[STAMPED[0]].count)


def read_row(member, key, cycles=...):
    """None if no cycle had it. cycles: of all rows, if it does not tell."""
    row = member.inner(key)
    if not row.value:
        return None
    found = Row(row.get("count", int, default=cycles), row.get("min_ns", int),
                row.get("avg_ns", *NUMBER), row.get("max_ns", int))
    if found.count < 1 or not found.min_ns <= \
            found.avg_ns + ROUNDED_NS <= found.max_ns + 2 * ROUNDED_NS:
        member.bad(key, f"min {found.min_ns}, avg {found.avg_ns}, max "
                   f"{found.max_ns} of {found.count} cycles; min <= avg <= "
                   "max is expected")
    return found


def count_of(member, key):
    count = member.get(key, int)
    if count < 0:
        member.bad(key, f"{count} is no count")
    return count


def rows_of(member):
    """By name, in the order of the table."""
    found = {f"{side} {name}": read_row(member.inner(side), name)
             for side in SIDES for name in OF_SIDE}
    found |= {name: read_row(member, name)
              for name in (*STAMPED, "network", "client_work")}
    return {name: row for name, row in found.items() if row}


def check_sum(member, rows):
    """In each cycle the parts are the network, so in the mean, too."""
    if not {*STAMPED, "network"} <= set(rows):
        return
    parts = sum(rows[name].avg_ns for name in STAMPED)
    if abs(parts - rows["network"].avg_ns) > ROUNDED_NS or \
            len({rows[name].count for name in (*STAMPED, "network")}) > 1:
        member.bad("network", f"{rows['network'].avg_ns} ns on average, but "
                   f"{' + '.join(STAMPED)} is {parts:.1f}; they are the "
                   "same time of the same cycles")


def read_cycles(member):
    rows = rows_of(member)
    check_sum(member, rows)
    missing = member.inner("missing")
    return Stamps(*(count_of(member, key) for key in (
        "cycles", "left_out", "unfinished")),
        {kind: count_of(missing, kind) for kind in KINDS}, rows)


def read_schema1(member):
    stamps = read_cycles(member)
    stamps.mode = member.get("mode", str)
    calls, exchange = member.inner("calls_more"), member.inner("exchange")
    stamps.calls = {side: count_of(calls, side) for side in SIDES}
    stamps.exchange = {key: row for key in ("without", "with")
                       if (row := read_row(exchange, key))}
    stamps.pairs = [read_cycles(pair) for pair in member.items("pairs")]
    return stamps


def read_pair(member):
    """Of schema 2: all parts are of the same cycles."""
    cycles, parts = count_of(member, "cycles"), member.inner("parts")
    names = [f"{side} {name}" for side in SIDES for name in OF_SIDE]
    rows = {name: read_row(parts, name.replace(" ", "_"), cycles)
            for name in (*names, *STAMPED, "network")}
    rows = {name: row for name, row in rows.items() if row}
    check_sum(parts, rows)
    missing = member.inner("missing")
    return Stamps(cycles, *(count_of(member, key) for key in (
        "left_out", "unfinished")),
        {kind: count_of(missing, kind) for kind in KINDS}, rows)


def together(rows):
    count = sum(row.count for row in rows)
    return Row(count, min(row.min_ns for row in rows),
               sum(row.avg_ns * row.count for row in rows) / count,
               max(row.max_ns for row in rows))


def read_schema2(twoway, members):
    pairs = [read_pair(member) for member in members]
    names = dict.fromkeys(name for pair in pairs for name in pair.rows)
    mode = twoway.inner("settings").get("stamps", str)
    return Stamps(*(sum(getattr(pair, key) for pair in pairs) for key in (
        "cycles", "left_out", "unfinished")),
        {kind: sum(pair.missing[kind] for pair in pairs) for kind in KINDS},
        {name: together([pair.rows[name] for pair in pairs
                         if name in pair.rows]) for name in names},
        mode, dict.fromkeys(SIDES, int(mode == "all")), pairs=pairs)


def read(twoway, part):
    """Give a part what its JSON says."""
    member = twoway.inner("stamps")
    members = [member for pair in twoway.items("pairs")
               if (member := pair.inner("stamps")).value]
    if not member.value and not members:
        return
    part.stamps = stamps = read_schema2(twoway, members) if members else \
        read_schema1(member)
    if len(stamps.pairs) == 1:
        stamps.pairs = []
    if stamps.left_out:
        lacking = ", ".join(f"{kind} {count}" for kind, count
                            in stamps.missing.items() if count)
        part.remarks.append(f"kernel timestamps: {stamps.left_out} cycles "
                            f"lack one, and are left out of them: {lacking}")
