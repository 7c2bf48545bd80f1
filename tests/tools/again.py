#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Try the test cases again that have failed, one after the other.

usage: again.py FILE

Some tests need their share of the CPUs, and cannot know whether they had it.
So a test that failed once has failed only if it also fails when nothing else
runs; else it is reported as UNSTEADY, with its reason. FILE has the rows that
count.py wrote there. If they are many, something is broken: none is tried.
Prints on stdout how many have passed now, on stderr which.
"""

import collections
import os
import pathlib
import subprocess
import sys

import count

MOST = 12               # that are tried
PATIENCE = 6            # times of the usual time limit: it may be an emulator


def run(label, program, names):
    """{name: verdict} of the program's cases, if only these are run."""
    directory, suite = label.split()
    log = pathlib.Path(directory, "meson-logs", "again.json")
    log.unlink(missing_ok=True)
    subprocess.run(
        ["meson", "test", "-C", directory, "--suite", suite, "--logbase",
         "again", "--num-processes", "1", "-t", str(PATIENCE), program],
        env={**os.environ, "TWOWAY_ONLY": "\n".join(names)}, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return {name: verdict for test in count.read(log)
            for name, verdict, _ in count.cases(test)}


def main():
    rows = [row.split("\t") for row in
            pathlib.Path(sys.argv[1]).read_text().splitlines()]
    programs = collections.defaultdict(dict)
    for label, program, name, reason in rows:
        programs[label, program][name] = reason
    passed = 0
    if len(rows) > MOST:
        print(f"more than {MOST} tests failed: none is tried again",
              file=sys.stderr)
        programs.clear()
    for (label, program), names in programs.items():
        found = run(label, program, names)
        if any(verdict == "failed" and name not in names
               for name, verdict in found.items()):
            continue
        for name, reason in names.items():
            # Without a name: the program, which was ended by its time limit.
            if found.get(name) == "passed" or (
                    not name and "failed" not in found.values()
                    and "passed" in found.values()):
                passed += 1
                where = " ".join(filter(None, (label, program, name)))
                print(f"UNSTEADY {where}: passed when tried again, had "
                      f"failed: {reason}", file=sys.stderr)
    print(passed)


if __name__ == "__main__":
    main()
