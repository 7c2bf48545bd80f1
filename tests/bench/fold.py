# SPDX-License-Identifier: GPL-2.0-or-later
"""What folding a cycle into the statistics costs, in ns a cycle.

Nothing is judged: the figure tells what the client does between its t3 and
the next expiry.
"""

import bench

CYCLES = 10**7


def main():
    def fold(width_us):
        return float(bench.run(bench.helper("fold"), CYCLES, width_us))

    plain, windows = bench.interleave(lambda: fold(0), lambda: fold(1000),
                                      rounds=5)
    bench.show("a fold without histograms", plain, "ns")
    bench.show("a fold with histograms", windows, "ns")
    bench.ratio("with histograms / without", windows, plain)


if __name__ == "__main__":
    main()
