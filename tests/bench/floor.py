# SPDX-License-Identifier: GPL-2.0-or-later
"""Mean response of the tool against a bare pair of loops: 1.03 at most.

floor.c makes the same system calls and clock reads in the same order and
does nothing else; what the tool adds to them is its own cost. Only the tool
asks for shallow sleep; interleave() asks for both.
"""

import bench


def main():
    cpus = bench.need_realtime()

    def tool():
        result = bench.measure(*bench.realtime(cpus), "-x", "-l",
                               bench.CYCLES)
        return bench.mean_and_max(result, "response")

    tools, floors = bench.interleave(tool, lambda: bench.floor(cpus))
    ratio = bench.ratio_of_means("twowaytest", tools, "floor", floors)
    bench.finish(bench.judge("mean response to floor's:", ratio, most=1.03))


if __name__ == "__main__":
    main()
