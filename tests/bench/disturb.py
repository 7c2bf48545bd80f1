# SPDX-License-Identifier: GPL-2.0-or-later
"""The FFT workers must disturb: more than a busy loop does.

A neighbour on another CPU, which shares the last-level cache with the load,
follows pointers; beside a worker it must be slower than beside a loop that
touches no memory.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import time

import bench

MILLISECONDS = 500
SETTLE_S = 0.4


@contextlib.contextmanager
def load(kind, cpu):
    """The tool with that load on that CPU, and hardly a measurement."""
    process = subprocess.Popen(
        [bench.TOOL, "-q", "-i", "100000", f"--load={kind}",
         f"--load-affinity={cpu}", "--default-system"],
        stdout=subprocess.DEVNULL)
    time.sleep(SETTLE_S)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def main():
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        bench.skip("a CPU each is needed for the load and its neighbour")

    def beside(kind):
        with load(kind, cpus[1]):
            return float(bench.run(bench.helper("disturb"), cpus[0],
                                   MILLISECONDS))

    rounds = [(beside("fft"), beside("command:while :; do :; done"))
              for _ in range(11)]
    worker, loop = (statistics.median(side) for side in zip(*rounds))
    print(f"beside an FFT worker: {worker:.2f} ns an access, median of 11")
    print(f"beside a busy loop: {loop:.2f} ns an access, median of 11")
    print(f"FFT worker / busy loop: {worker / loop:.3f}")
    sys.exit(worker <= loop)


if __name__ == "__main__":
    main()
