# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of --stamps and --oneway between two hosts: plain arithmetic."""

import random

import made
import made_hosts

KINDS = ("client_sched", "client_snd", "server_rx", "server_sched",
         "server_snd", "client_rx")
STAMPED = ("client_stack", "wire", "server_stack")
COLUMNS = "".join(f",{kind}_ns" for kind in KINDS)
SIDES = {"client": ("t0", "t3"), "server": ("t2", "t1")}


def stamps(rows, missing=None, seed=5):
    """Of each row its stamps; missing: of a row, by its index, the kind."""
    source = random.Random(seed)
    found = []
    for i, (_, _, _, t0, t1, t2, t3, _) in enumerate(rows):
        shares = sorted(source.randrange(1, made_hosts.parts(rows[i])[1] // 4)
                        for _ in range(2))
        one = {"client_sched": t0 + shares[0], "client_snd": t0 + shares[1],
               "server_rx": t1 - shares[0], "server_sched": t2 + 7,
               "server_snd": t2 + 9 + shares[1], "client_rx": t3 - shares[1]}
        if kind := (missing or {}).get(i):
            one[kind] = None
        found.append(one)
    return found


def dump(rows, found):
    """Rows with their stamps."""
    lines = [made.HEADER + COLUMNS]
    for row, one in zip(rows, found):
        cells = [*row, *("" if one[kind] is None else one[kind]
                         for kind in KINDS)]
        lines.append(",".join(map(str, cells)))
    return made.table(lines)


def split(row, one):
    """What network is made of; None if a stamp is missing."""
    if None in one.values():
        return None
    t0, t1, t2, t3 = row[3:7]
    return (one["client_snd"] - t0 + t3 - one["client_rx"],
            one["client_rx"] - one["client_snd"]
            - (one["server_snd"] - one["server_rx"]),
            t1 - one["server_rx"] + one["server_snd"] - t2)


def of_side(row, one, side):
    """app_out, stack_out, wake_in."""
    times = dict(zip(("t0", "t1", "t2", "t3"), row[3:7]))
    out, back = (times[name] for name in SIDES[side])
    return (one[f"{side}_sched"] - out,
            one[f"{side}_snd"] - one[f"{side}_sched"],
            back - one[f"{side}_rx"])


def series(rows, found, pair=0):
    """Those of a pair, as the JSON has them."""
    return [{"pair": pair, "span": name.replace(" ", "_"), "stamped": True,
             "cycles": len(values), "min": min(values), "max": max(values),
             "avg": round(float(made.mean(values)), 1)}
            for name, values in rows_of(rows, found).items() if values]


def rows_of(rows, found):
    """Name -> values, of the cycles that have all stamps."""
    whole = [(row, one) for row, one in zip(rows, found) if split(row, one)]
    table = {}
    for side in SIDES:
        for i, name in enumerate(("app_out", "stack_out", "wake_in")):
            table[f"{side} {name}"] = [of_side(row, one, side)[i]
                                 for row, one in whole]
    for i, name in enumerate(STAMPED):
        table[name] = [split(row, one)[i] for row, one in whole]
    table["network"] = [made_hosts.parts(row)[1] for row, _ in whole]
    return table


def member(rows, found):
    """stamps of twoway.pairs."""
    table = rows_of(rows, found)
    lacking = [one for one in found if None in one.values()]
    return {"cycles": len(table["network"]), "left_out": len(lacking),
            "unfinished": 0, "missing": {
                kind: sum(one[kind] is None for one in lacking)
                for kind in KINDS}}


def twoway(rows, found, **settings):
    data = made_hosts.twoway(rows, stamps="all", **settings)
    data["twoway"]["pairs"][0]["stamps"] = member(rows, found)
    data["twoway"]["series"] = series(rows, found)
    return data


def with_oneway(rows, **changes):
    """Results with send and receive; the clocks in rows show one time."""
    data = made_hosts.twoway(
        rows, ("response", "send", "receive", "network"), one_way=True,
        oneway="sync")
    data["twoway"]["oneway"] = {"cycles": 1984, "proven": 1920,
                                "uncertainty_ns": 2401} | changes
    return data
