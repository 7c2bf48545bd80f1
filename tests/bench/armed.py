# SPDX-License-Identifier: GPL-2.0-or-later
"""-b costs the measured response at most 2 %, as long as nothing breaks."""

import bench

NEVER_US = 10**9


def main():
    cpus = bench.need_realtime()

    def tool(*options):
        result = bench.measure(*bench.realtime(cpus), "-l", bench.CYCLES,
                               *options)
        return bench.mean_and_max(result, "response")

    armed, plain = bench.interleave(lambda: tool("-b", NEVER_US), tool)
    ratio = bench.ratio_of_means("armed", armed, "not armed", plain)
    bench.finish(bench.judge("mean response, armed to not armed:", ratio,
                             most=1.02))


if __name__ == "__main__":
    main()
