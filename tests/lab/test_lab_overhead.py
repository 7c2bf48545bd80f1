# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tool adds to a bare pair of loops, in instructions.

Tool and floor.c measure in turn in one boot, with the same settings:

- The period, 1013 us, does not divide the kernel's tick of 4 ms. One that did
  would meet the tick always in the same phase of a cycle, or never.
- Less than 1638 cycles: by then 64 KiB of replies have arrived, and TCP tells
  its new window. Whether the tick comes on top of that one is chance.
- The warm-up is longer than the default: in the first milliseconds the kernel
  frees what either program's start has left behind (RCU callbacks, in
  ksoftirqd), and the tool's start leaves more.
"""

import pytest


@pytest.mark.parametrize("pair", ["1", "2"])
def test_response(cloud, pair):
    """Average at most 1.01, maximum at most 1.05 of the floor's."""
    tool = cloud[0].metric(f"tool-{pair}", "response")
    last = cloud[0].text(f"floor-{pair}.txt").splitlines()[-1]
    average, maximum = map(float, last.split())
    print(f"average {tool['avg'] / average:.4f}, "
          f"maximum {tool['max'] / maximum:.4f} of the floor's")
    assert tool["avg"] <= 1.01 * average
    assert tool["max"] <= 1.05 * maximum
