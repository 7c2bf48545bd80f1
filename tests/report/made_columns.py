# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of schema 2, and status lines: a column is a pair."""

import made

ALL = ("latency", *made.METRICS)


def stats(metric, found, period):
    return {"min": min(found) // 1000, "max": max(found) // 1000,
            "avg": float(made.mean(found)) / 1000,
            "stddev": made.deviation(found) / 1000, "cycles": len(found),
            "maxima": made.maxima(found)} | made.rms_member(
                found, metric, period)


def phases(found, periods):
    """found: metric -> values, of some pairs each."""
    return {metric: stats(metric, [value for one in found
                                   for value in one[metric]], periods[0])
            for metric in ALL}


def column(pair, metric, found, period, **members):
    one = made.json_thread(metric if metric in made.METRICS else "wakeup",
                           found[metric])
    return {key: one[key] for key in ("histogram", "overflows",
                                      "percentiles")} | \
        stats(metric, found[metric], period) | {
            "blocks": made.blocks(found[metric]),
            "phases": phases([found], [period]),
            "metric": metric, "pair": pair, "cpu": 4 + pair,
            "interval_us": period // 1000} | members


def process(cpu, priority):
    return {"pid": 4321 + cpu, "policy": "fifo", "priority": priority,
            "cpus": str(cpu), "page_faults": 0, "context_switches": 7}


def twoway(pairs, periods=(made.PERIOD,), names=("latency",), steps=(),
           **settings):
    """pairs: rows of each. steps: (workers, rows of each pair) each."""
    found = [made.values(rows, period)
             for rows, period in zip(pairs, periods)]
    threads = {str(i): column(pair, metric, found[pair], periods[pair])
               for i, (pair, metric) in enumerate(
                   (pair, metric) for pair in range(len(pairs))
                   for metric in names)}
    data = made.twoway(pairs[0])
    return data | {
        "num_threads": len(threads), "thread": threads, "twoway": {
            "schema": 3, "version": "0.10", "argv": ["twowaytest"],
            "settings": {"interval": periods[0] // 1000, "sleep": 100,
                         "size": 8, "loops": 0, "duration": 0,
                         "breaktrace": 0, "json": "x"} | settings,
            "load": [], "breaks": [], "interrupted": False,
            "system": data["twoway"]["system"],
            "pairs": [{"missed": pair, "client": process(4 + pair, 98),
                       "server": process(3, 97)}
                      for pair in range(len(pairs))],
            "steps": [{"units": workers, "rate": 1.5, "missed": 0,
                       "phases": phases([made.values(rows, period)
                                         for rows, period in
                                         zip(own, periods)], periods)}
                      for workers, own in steps]}}


def line(number, found, metric=None):
    one = stats(metric or "latency", found, made.PERIOD)
    return f"T:{number:2} (   77) P:98 I:1000 C:{one['cycles']:7} " \
        f"Min:{one['min']:7} Act:{found[-1] // 1000:5} " \
        f"Avg:{int(one['avg']):5} Max:{one['max']:8}" + (
            f" Std:{one['stddev']:8.1f} {metric}" if metric else "") + "\n"
