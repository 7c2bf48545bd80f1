# SPDX-License-Identifier: GPL-2.0-or-later
"""What --trace costs the measured response: stated, not judged.

Both runs are armed; one traces the usual events in an instance of its own.
Tracing adds to every cycle, what disturbs a busy machine to some: the lower
quartile shows the one and hides the other. The lab counts instructions.
"""

import os

import bench

NEVER_US = 10**9
TRACEFS = "/sys/kernel/tracing"


def main():
    cpus = bench.need_realtime()
    if not os.path.isdir(f"{TRACEFS}/instances"):
        bench.skip("tracefs is not mounted; as root: mount -t tracefs nodev "
                   f"{TRACEFS}")

    def tool(*options):
        with bench.scratch() as folder:
            files = [f"--trace-file={folder}/trace"] if options else []
            result = bench.measure(*bench.realtime(cpus), "-l", bench.CYCLES,
                                   "--percentiles=25", "-b", NEVER_US,
                                   *options, *files)
        return bench.metric(result, "response")["percentiles"]["25"]

    traced, plain = bench.interleave(lambda: tool("--trace"), tool)
    bench.show("traced, lower quartile", traced, "ns")
    bench.show("not traced, lower quartile", plain, "ns")
    bench.ratio("traced / not traced", traced, plain)


if __name__ == "__main__":
    main()
