# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal for a program, and what would be seen on it."""

import fcntl
import os
import pty
import re
import select
import struct
import termios

TOKEN = re.compile(r"\x1b\[(?P<count>\d*)(?P<code>[A-Za-z])|(?P<char>[^\x1b])",
                   re.DOTALL)


class Screen:
    """What a terminal makes of the bytes that it gets, no more than is used:
    anything else fails."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [""]       # those that were scrolled away, too
        self.row = self.column = 0
        self.pictures = []      # the lines, each time the cursor goes up
        self.rest = ""

    def top(self):
        """The first line that the cursor can go back to."""
        return max(0, len(self.lines) - self.rows)

    def feed(self, data):
        text = self.rest + data.decode("ascii")
        done = 0
        while match := TOKEN.match(text, done):
            done = match.end()
            if match["char"]:
                self.put(match["char"])
            else:
                self.control(match["code"], int(match["count"] or 1))
        self.rest = text[done:]
        assert len(self.rest) < 8, f"unknown: {self.rest!r}"

    def next_row(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.next_row()
        else:
            assert char.isprintable(), repr(char)
            if self.column == self.columns:
                self.next_row()
                self.column = 0
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = \
                line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def control(self, code, count):
        if code == "A":
            self.pictures.append(self.lines[self.top():])
            self.row = max(self.row - count, self.top())
        elif code == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif code == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]
        else:
            raise AssertionError(f"unknown: ESC [ {count} {code}")


class Terminal:
    """A pseudoterminal; @slave is for the program, which may be @told
    another size: 0 for an unknown one."""

    def __init__(self, columns, rows, told=None):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(columns, rows)
        self.tell(*(told or (columns, rows)))

    def tell(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def has_more(self):
        """Whether something has come that was not read."""
        return bool(select.select([self.master], [], [], 0)[0])

    def watch(self):
        """Until the program has let go of it; the screen then."""
        os.close(self.slave)
        while True:
            try:
                data = os.read(self.master, 4096)
            except OSError:     # so Linux tells the end
                break
            if not data:
                break
            self.screen.feed(data)
        os.close(self.master)
        return self.screen
