# SPDX-License-Identifier: GPL-2.0-or-later
"""From the start of the program to its first measured cycle: 0.3 s at most.

With several pairs, 4 ms more for each, until all have had theirs.
"""

import csv
import os
import time

import bench

SECONDS = 0.3
SECONDS_A_PAIR = 0.004
PAIRS = (8, 64)


def first_cycle(*options):
    """Returns the seconds until t0 of the last pair's first cycle."""
    with bench.scratch() as folder:
        path = os.path.join(folder, "cycles")
        begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        bench.run(bench.TOOL, "-q", "-l", 10, "-c", "monotonic",
                  f"--dump={path}", *options)
        with open(path, encoding="utf-8") as file:
            first_ns = [int(row["t0_ns"]) for row in csv.DictReader(file)
                        if row["cycle"] == "0"]
    return (max(first_ns) - begin_ns) / 1e9


def first_cycles(pairs):
    """The same, with so many pairs, which two CPUs have the time for."""
    return first_cycle("-t", pairs, "-d", 0, "-i", 20000, "--warmup=0")


def main():
    cpus = bench.need_realtime()
    plain, realtime = bench.interleave(
        first_cycle, lambda: first_cycle(*bench.realtime(cpus)), rounds=9)
    plain_s = bench.show("start to first cycle", plain, "s")
    realtime_s = bench.show("start to first cycle, real time", realtime, "s")
    verdicts = [bench.judge("start to first cycle:", plain_s, most=SECONDS),
                bench.judge("start to first cycle, real time:", realtime_s,
                            most=SECONDS)]
    for pairs in PAIRS:
        runs, = bench.interleave(lambda: first_cycles(pairs), rounds=9)
        name = f"start to first cycle, {pairs} pairs"
        verdicts.append(bench.judge(
            f"{name}:", bench.show(name, runs, "s"),
            most=SECONDS + SECONDS_A_PAIR * pairs))
    bench.finish(*verdicts)


if __name__ == "__main__":
    main()
