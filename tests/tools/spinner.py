# SPDX-License-Identifier: GPL-2.0-or-later
"""A task that takes a CPU, see spinner.c."""

import contextlib
import os
import subprocess


@contextlib.contextmanager
def spinner(cpu, priority, *times):
    """It ends with the block. Yields its process, whose list @had then has the
    (begin, end) of the times in which it ran, in ns."""
    with subprocess.Popen(
            [os.environ["TWOWAY_SPINNER"], *map(str, (cpu, priority, *times))],
            text=True, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.had = []
            yield process
            process.terminate()
            process.had += [
                tuple(map(int, line.split())) for line in
                process.communicate(timeout=20)[0].splitlines()]
        finally:
            process.kill()


def used_within(had, begin_ns, end_ns):
    """How much of this time it ran, in s."""
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
               for begin, end in had) / 1e9
