# SPDX-License-Identifier: GPL-2.0-or-later
"""What folding in the client costs the measured response.

The bare loops of floor.c with and without a fold after t3. Nothing is
judged: the ratio tells whether the client may fold, or main should.
"""

import bench


def main():
    cpus = bench.need_realtime()
    folds, bare = bench.interleave(lambda: bench.floor(cpus, "-f"),
                                   lambda: bench.floor(cpus))
    bench.ratio_of_means("folding", folds, "not folding", bare)


if __name__ == "__main__":
    main()
