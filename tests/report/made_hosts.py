# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of client and server on two hosts: plain arithmetic."""

import fractions

import made
import made_columns

TABLE = "Client, network and server"
PARTS = ("wakeup", "network", "sleep")
ONE_WAY = ("send", "receive")
ADDRESS = "10.0.0.2"


def cycles(count, seed=1, ahead=10**15, **how):
    """As made.cycles(); the server's clock is so much ahead."""
    return [(*row[:4], row[4] + ahead, row[5] + ahead, *row[6:])
            for row in made.cycles(count, seed, **how)]


def parts(row):
    """wakeup, network, sleep."""
    planned, t0, t1, t2, t3 = row[2:7]
    return t0 - planned, t3 - t0 - (t2 - t1), t2 - t1


def mean(rows):
    """Of each part."""
    return [fractions.Fraction(sum(column), len(rows))
            for column in zip(*map(parts, rows))]


def kept(row, start):
    """A cycle of member worst."""
    wakeup, network, sleep = parts(row)
    return {"pair": 0, "cycle": row[1], "step": 0, "missed": 0,
            "since_start_ns": row[3] - start, "values": {
                "wakeup": wakeup, "network": network, "sleep": sleep,
                "interval": 0, "response": network + sleep, "total": 0}}


def worst(rows):
    """Of each metric the cycle."""
    of = {"network": lambda row: parts(row)[1],
          "sleep": lambda row: parts(row)[2],
          "response": lambda row: sum(parts(row)[1:]),
          "wakeup": lambda row: parts(row)[0]}
    return {metric: kept(max(rows, key=key), rows[0][3])
            for metric, key in of.items()}


def process(**changes):
    return made_columns.process(3, 40) | {"policy": "rr", "page_faults": 5,
                                          "cpu_us": 600} | changes


def others(cpu, percent):
    return {"cpus": [{"cpu": cpu, "percent": percent, "unnamed_percent": 0.5,
                      "tasks": [{"name": "hog", "percent": percent - 0.5}]}]}


def peer(*servers, **changes):
    """What the server's host tells; servers: what differs of each."""
    return {"schema": 3, "version": "0.11", "throttled": 0, "breaks": [],
            "system": {
                "release": "6.12-rt", "preemption": "PREEMPT_RT",
                "online_cpus": "0-3", "governor": None, "findings": [
                    {"name": "idle", "read": "x"},
                    {"name": "governor", "read": "y"}]},
            "pairs": [{"missed": 0, "server": process(**one), "client": None}
                      for one in servers or ({},)]} | changes


def twoway(rows, names=("latency",), far=..., one_way=False, **settings):
    """Results of --json with --connect; one_way: with --oneway, too."""
    data = made_columns.twoway([rows], names=names, **{
        "connect": ADDRESS, "total": "documented"} | settings)
    twoway = data["twoway"]
    for thread in data["thread"].values():
        for metric in ONE_WAY if not one_way else ():
            del thread["phases"][metric]
    twoway["peer"] = peer() if far is ... else far
    twoway["worst"] = worst(rows)
    twoway["system"] |= {
        "release": "6.1", "findings": [{"name": "smt", "read": "on"}]}
    twoway["pairs"][0]["server"] = None
    return data


ROWS = cycles(2000)


def write(report, name, content):
    return made.write(report.directory, name, content)


def results(report, *args):
    return made.tables(report("-t", "-", *args).stdout)


def remarks(found):
    return [row["remark"] for row in found["Remarks"]]


def bar_of(found, name, system="x"):
    """Whole and parts of a bar, as the table has them."""
    [row] = [row for row in found[TABLE]
             if row["system"] == system and row["of"] == name]
    return [row[key] for key in ("whole", *PARTS)]


def shifted(row, wakeup, network, sleep):
    """A cycle whose parts are longer."""
    pair, i, planned, t0, t1, t2, t3, missed = row
    return (pair, i, planned, t0 + wakeup, t1 + wakeup,
            t2 + wakeup + sleep, t3 + wakeup + network + sleep, missed)
