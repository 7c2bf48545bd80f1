# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of client and server on two hosts: plain arithmetic."""

import fractions

import made

HEADER = "pair,cycle,planned_ns,t0_ns,server_t1_ns,server_t2_ns,t3_ns,missed"
TABLE = "Client, network and server"
PARTS = ("wakeup", "network", "sleep")
METRICS = ("interval", "network", "sleep", "response", "total", "wakeup")
SERVERS = {"pairs": 1, "cpus": ["3"], "policy": ["rr"], "priority": [40],
           "locked": [True], "changed": [False], "requests": [9],
           "minor_faults": [5], "major_faults": [6],
           "voluntary_switches": [7], "involuntary_switches": [8],
           "retransmitted": [0]}


def cycles(count, seed=1, ahead=10**15, **how):
    """As made.cycles(); the server's clock is so much ahead."""
    return [(pair, i, planned, t0, t1 + ahead, t2 + ahead, t3, missed)
            for pair, i, planned, t0, t1, t2, t3, missed
            in made.cycles(count, seed, **how)]


def dump(rows):
    return made.dump(rows).replace(made.HEADER, HEADER)


def parts(row):
    """wakeup, network, sleep."""
    planned, t0, t1, t2, t3 = row[2:7]
    return t0 - planned, t3 - t0 - (t2 - t1), t2 - t1


def values(rows, sleep=made.SLEEP, period=made.PERIOD):
    found = made.values(rows)
    found["network"] = [parts(row)[1] for row in rows]
    found["total"] = [
        network + abs(slept - sleep) + abs(interval - period)
        for network, slept, interval in zip(
            found["network"][1:], found["sleep"][1:], found["interval"])]
    return found


def mean(rows):
    """Of each part."""
    return [fractions.Fraction(sum(column), len(rows))
            for column in zip(*map(parts, rows))]


def thread(metric, found):
    """As made.json_thread()."""
    if metric != "network":
        return made.json_thread(metric, found)
    return made.json_thread("response", found) | {
        "metric": "network", "label": "Network Time"}


def kept(row, start):
    """A cycle of member worst."""
    wakeup, network, sleep = parts(row)
    return {"pair": 0, "cycle": row[1], "step": 0,
            "since_start_ns": row[3] - start, "wakeup_ns": wakeup,
            "network_ns": network, "sleep_ns": sleep, "interval_ns": 0,
            "response_ns": network + sleep, "total_ns": 0}


def worst(rows, metrics):
    """Of each metric the cycle."""
    of = {"network": lambda row: parts(row)[1],
          "sleep": lambda row: parts(row)[2],
          "response": lambda row: sum(parts(row)[1:]),
          "wakeup": lambda row: parts(row)[0],
          "planned": lambda row: sum(parts(row))}
    return {metric: kept(max(rows, key=of[metric]), rows[0][3])
            for metric in metrics if metric in of}


def peer(**servers):
    return {
        "address": "10.0.0.2", "started_by": None,
        "asked": {"policy": "fifo", "priority": 98, "lock_memory": False},
        "granted": {"policy": "fifo", "priority": 98, "lock_memory": False,
                    "port": [1234]},
        "host": {"host": "far", "kernel": "6.12-rt", "version": "#7",
                 "machine": "aarch64", "program": "0.11", "cpus": 4,
                 "checks": 2, "finding": ["idle", "governor"]},
        "servers": SERVERS | servers}


def twoway(rows, metrics=METRICS, far=None, **settings):
    """Results of --json with --connect."""
    data = made.twoway(rows, clocks="two", address="10.0.0.2", **settings)
    found = values(rows)
    data["thread"] = {str(i): thread(metric, found[metric])
                      for i, metric in enumerate(metrics)}
    data["num_threads"] = len(metrics)
    twoway = data["twoway"]
    twoway["peer"] = peer() if far is None else far
    twoway["worst"] = worst(rows, metrics)
    twoway["processes"]["client"] |= {
        "locked": False, "minor_faults": 1, "major_faults": 2,
        "involuntary_switches": 3, "retransmitted": 4}
    # This process is on the other host; here there is nothing of it.
    twoway["processes"]["server"] = {"cpus": "", "policy": "other",
                                     "priority": 0, "locked": False}
    twoway["environment"]["findings"] = [{"name": "smt", "read": "on"}]
    return data


ROWS = cycles(2000)


def write(report, name, content):
    return made.write(report.directory, name, content)


def results(report, *args):
    return made.tables(report("-t", "-", *args).stdout)


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
