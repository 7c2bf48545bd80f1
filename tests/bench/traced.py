# SPDX-License-Identifier: GPL-2.0-or-later
"""What --trace costs the measured response: stated, not judged.

Both runs are armed; one traces the usual events in an instance of its own.
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
                                   "-b", NEVER_US, *options, *files)
        return bench.mean_and_max(result, "response")

    traced, plain = bench.interleave(lambda: tool("--trace"), tool)
    bench.ratio_of_means("traced", traced, "not traced", plain)


if __name__ == "__main__":
    main()
