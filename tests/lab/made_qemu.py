# SPDX-License-Identifier: GPL-2.0-or-later
"""A made QEMU that logs instructions; its arguments are QEMU's.

$LAB_LOG has: cycles to log (default: 300), the name of the command that makes
each instruction a line of its own (singlestep), the guest's exit status (0).
"""

import io
import json
import os
import select
import sys
import tarfile

import made_log

ARGUMENTS = sys.argv[1:]
CYCLES, STEPS, STATUS = json.loads(os.environ.get("LAB_LOG", "null")) or (
    300, "singlestep", 0)
# The cycle in which it does as it is told.
LATE = int(os.environ.get("LAB_LATE", "160"))
RESULT = {"resolution_in_ns": 1, "thread": {
    "0": {"metric": "latency", "avg": 1, "phases": {
        "send": {"avg": made_log.length(240)},
        "receive": {"avg": made_log.length(340)}}}}}


def option(name):
    return [value for one, value in zip(ARGUMENTS, ARGUMENTS[1:])
            if one == name]


def finish(files):
    with tarfile.open(option("-serial")[1].removeprefix("file:"),
                      "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))


class Monitor:
    """What it was told; answers at once."""

    def __init__(self):
        self.said = []
        print('{"QMP": {}}', flush=True)

    def look(self, seconds=0.0):
        while select.select([0], [], [], seconds)[0]:
            line = os.read(0, 1 << 16).decode()
            for message in line.splitlines():
                self.answer(json.loads(message))
            seconds = 0

    def answer(self, message):
        text = message.get("arguments", {}).get("command-line", "")
        self.said.append(text)
        known = text.split(" ")[0] in ("", "log", STEPS)
        print(json.dumps({"event": "NOISE"}))
        print(json.dumps({"return": "" if known else
                          f"unknown command: '{text}'\r\n"}), flush=True)

    def wait(self, text):
        for _ in range(3000):
            if text in self.said:
                return
            self.look(0.01)
        sys.exit(f"nobody said '{text}': {self.said}")


def main():
    if not option("-D"):
        finish({"symbols.txt": made_log.KALLSYMS, "symbols.status": "0",
                "lab.quiet": ""})
        return
    monitor = Monitor()
    with open(option("-serial")[0].removeprefix("file:"), "w",
              encoding="ascii") as console:
        console.write("boot\nvirtlab: log\n")
    monitor.wait("log exec,nochain")
    with open(option("-D")[0], "w", encoding="ascii") as log:
        log.write(made_log.begin().text())
        for i in range(CYCLES):
            if i >= LATE:
                monitor.look()
            if "log none" in monitor.said:
                break
            # The third of seven takes longer.
            log.write(made_log.Made().cycle(
                sent=140 if i % 7 == 3 else 100).text())
            log.flush()
            if i == LATE and STEPS != "other":
                monitor.wait(f"{STEPS} on")
        else:
            if CYCLES == 300:
                sys.exit("nobody said 'log none'")
    finish({"twowaytest.json": json.dumps(RESULT), "lab.quiet": "",
            "twowaytest.txt": "what it said",
            "twowaytest.status": str(STATUS)})


main()
