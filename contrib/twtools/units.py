# SPDX-License-Identifier: GPL-2.0-or-later
"""What a number in a file stands for: so many ns, and no finer.

One type says how a value is read, how exact it is known, how wide a bin is,
and how many digits are printed.
"""

import dataclasses


@dataclasses.dataclass(frozen=True, order=True)
class Unit:
    """A number was rounded down to a multiple of this."""
    ns: int

    def read(self, value):
        """A number of a file in ns."""
        return value * self.ns

    @property
    def decimals(self):
        """Of a value in us: as many as are known, at most three."""
        return sum(self.ns < least for least in (1000, 100, 10))

    def text(self, value_ns, at_most=1):
        """A value in us, as exact as it is known."""
        return us(value_ns, min(self.decimals, at_most))

    def __str__(self):
        return f"{self.ns / 1000:g} us" if self.ns >= 1000 else \
            f"{self.ns} ns"


NS, US = Unit(1), Unit(1000)


def of_json(resolution_in_ns):
    """The unit of results: member resolution_in_ns is 1 with -N."""
    return NS if resolution_in_ns else US


def us(value_ns, decimals=1):
    """A value in us; "-" if it is unknown."""
    return "-" if value_ns is None else f"{value_ns / 1000:.{decimals}f}"
