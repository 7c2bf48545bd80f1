# SPDX-License-Identifier: GPL-2.0-or-later
"""From the start of the program to its first measured cycle: 0.3 s at most."""

import csv
import os
import time

import bench


def first_cycle(*options):
    """Returns the seconds until t0 of the first cycle."""
    with bench.scratch() as folder:
        path = os.path.join(folder, "cycles")
        begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        bench.run(bench.TOOL, "-q", "-l", 10, "-c", "monotonic",
                  f"--dump={path}", *options)
        with open(path, encoding="utf-8") as file:
            row = next(csv.DictReader(file))
    return (int(row["t0_ns"]) - begin_ns) / 1e9


def main():
    cpus = bench.need_realtime()
    plain, realtime = bench.interleave(
        first_cycle, lambda: first_cycle(*bench.realtime(cpus)), rounds=9)
    plain_s = bench.show("start to first cycle", plain, "s")
    realtime_s = bench.show("start to first cycle, real time", realtime, "s")
    bench.finish(bench.judge("start to first cycle:", plain_s, most=0.3),
                 bench.judge("start to first cycle, real time:", realtime_s,
                             most=0.3))


if __name__ == "__main__":
    main()
