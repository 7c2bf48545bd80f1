# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON of primitivetest: small, of averages that a test chooses."""

import made

PLACE = "process.same"
TRIP = f"pipe.64.{PLACE}.roundtrip"
# What a two-way cycle's parts are, in ns.
PARTS = {TRIP: 5000, "sleep.nanosleep.100.excess": 18000,
         "sleep.absolute.1000.excess": 20000, "timer.1000.wakeup": 30000,
         f"yield.2x0.{PLACE}.switch": 1400, "clock.monotonic.cost": 24,
         "syscall.getppid.call": 170, "timer.1000.interval": 1000000,
         "sync1.futex.pair": 700}


def thread(column, avg_ns, ns=False, **more):
    """An entry of thread; values in us with three decimals, or in ns."""
    size = 1 if ns else 1000
    values = {"min": avg_ns - 4, "max": avg_ns + 96, "avg": avg_ns,
              "stddev": 10, "target": None} | {
                  key: value for key, value in more.items()
                  if key not in ("cycles", "p99")}
    return {"metric": column, "label": "A label", "pair": 0,
            "percentiles": {"50": None, "99": more["p99"] / size
                            if more.get("p99") else None},
            "cycles": more.get("cycles", 1000), "cpu": 1, "node": 0} | {
                key: value if value is None else value / size
                for key, value in values.items()}


def tests_of(columns):
    """The tests that these columns are of."""
    found = {}
    for column in columns:
        name = column.rpartition(".")[0]
        found.setdefault(name, {
            "name": name, "test": name.partition(".")[0], "skipped": None,
            "trials": 1000, "missed": 0, "throttled": 0,
            "switches": {"needed": 0, "had": 0}, "processes": [],
            "verdicts": []})
    return found


def primitives(averages=None, how=None, tests=(), derived=(), ns=False,
               **settings):
    """Results of --json. how: column -> as thread(); tests: changes to
    them, by name."""
    averages = dict(PARTS if averages is None else averages)
    known = tests_of(averages)
    for name, change in dict(tests).items():
        known[name] = known.get(name, {
            "name": name, "test": name.partition(".")[0]}) | change
    return {
        "file_version": 1, "cmdline:": "primitivetest", "return_code": 0,
        "sysinfo": {"nodename": "host", "release": "6.1", "version": "#1",
                    "machine": "x86_64", "realtime": 0},
        "num_threads": len(averages), "resolution_in_ns": int(ns),
        "primitives": {
            "schema": 3, "version": "0.10", "clock_cost": 0.024,
            "settings": {"loops": 1000, "work": 0} | settings,
            "limits": [], "load": [],
            "tests": list(known.values()), "series": [
                {"test": column.rpartition(".")[0], "span": column}
                for column in averages], "derived": list(derived),
            "system": {"virtual": False, "findings": []},
            "interrupted": False, "error": None},
        "thread": {str(i): thread(column, value, ns,
                                  **(how or {}).get(column, {}))
                   for i, (column, value) in enumerate(averages.items())}}


def more(factor=1, **changed):
    """PARTS, so many times as long, but for some."""
    return {key: factor * value for key, value in PARTS.items()} | changed


def twoway(shift=0, count=500, **settings):
    """Results of twowaytest whose replies take so many ns longer."""
    return made.twoway(made.cycles(count, shift=shift), **settings)


def write(directory, **files):
    """NAME=content, or a list; returns the arguments name=path, p_name as name."""
    return [f"{key.removeprefix('p_')}=" + ",".join(
        str(made.write(directory, f"{key}{i or ''}.json", one))
        for i, one in enumerate(content if isinstance(content, list)
                                else [content]))
        for key, content in files.items()]
