# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/runbook.md and contrib/reflect.md, as far as a test can judge them:
commands and tables.

Commands are the lines of the fenced blocks that are marked sh. To be run
here, they are changed by these rules, and by no other:

- A duration is 1000 cycles, which a busy machine gives too, if later; of what
  counts none, 1 s. A ramp has 2 steps of 1 s.
- A percentile of a limit is p90, which so short a run supports.
- The CPUs are named that this machine has. The other host is this one.
"""

import os
import pathlib
import re
import typing

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = SOURCE / "contrib" / "runbook.md"
REFLECT = SOURCE / "contrib" / "reflect.md"

CPUS = re.compile(r"server=\d+ client=\d+ others=\S+")
HOSTS = "far=127.0.0.1 near=127.0.0.1"
FAR = re.compile(r"far=\S+ near=\S+")
SHORTER = (
    (re.compile(r"(twowaytest|cyclictest)\b(?!.* --steps)(.*) -D \w+"),
     r"\1\2 -l 1000"),
    (re.compile(r" -D \w+"), " -D 1"),
    (re.compile(r" --duration=\w+"), " --duration=1"),
    (re.compile(r" --steps=\d+"), " --steps=2"),
    (re.compile(r"(primitivetest -q.*)"), r"\1 -l 200"),
    (re.compile(r"(--limit=(?:\w+:)?)p[\d.]+"), r"\1p90"),
)
# Behind a command: "# status 0, or 2: why".
STATUS = re.compile(r"\s+# status ([\d, or]+):.*")


class Command(typing.NamedTuple):
    """A line of a block."""
    line: int
    text: str
    statuses: set


def commands(path=PAGE):
    found, inside = [], False
    for line, text in enumerate(path.read_text().splitlines(), 1):
        if text.startswith("```"):
            inside = text == "```sh"
        elif inside and text:
            status = STATUS.search(text)
            found.append(Command(
                line, STATUS.sub("", text),
                set(map(int, re.findall(r"\d", status[1]))) if status
                else {0}))
    return found


def table(heading):
    """The rows, each a list of cells, below the row that begins so."""
    lines = PAGE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines)
                 if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def cpus():
    """The line that names them, for this machine."""
    usable = sorted(os.sched_getaffinity(0))
    return (f"server={usable[-2:][0]} client={usable[-1]} "
            f"others={usable[0]}")


def here(text):
    """The command as it is run in a test."""
    for pattern, shorter in SHORTER:
        text = pattern.sub(shorter, text)
    return FAR.sub(HOSTS, CPUS.sub(cpus(), text))
