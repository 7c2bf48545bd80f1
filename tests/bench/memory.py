# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory of a whole run: 12 MiB at most, after 10^6 cycles as after 10^4.

Rss counts a shared page in each process that has it, Pss in equal parts.
Pss is what the run takes; as it moves with every other process that comes
and goes and has the C library in common with us, growth is judged by Rss.
"""

import re
import signal
import subprocess
import threading
import time

import bench

POINTS = (10**4, 10**6)
LIMIT_MIB = 12
SECONDS = 600


class Run:
    """A closed loop until stopped; its status tells the cycles so far."""

    def __init__(self, *options):
        argv = [bench.TOOL, "-q", "-i", "0", "--sleep=0", *options]
        self.process = subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8")
        self.cycles = 0
        self.said = ""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            count = re.search(r" C: *(\d+)", line)
            if count:
                self.cycles = int(count[1])
            else:
                self.said = line.strip()

    def pids(self):
        pid = self.process.pid
        path = f"/proc/{pid}/task/{pid}/children"
        with open(path, encoding="utf-8") as file:
            return [pid, *map(int, file.read().split())]

    def reach(self, cycles):
        # Before its sides are there, the signal would end it.
        end = time.monotonic() + SECONDS
        while self.cycles < cycles:
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"no {cycles} cycles came: {self.said}")
            if len(self.pids()) == 3:
                self.process.send_signal(signal.SIGUSR1)
            time.sleep(0.1)

    def memory(self):
        """Returns the sum over all processes of Rss and Pss, in KiB."""
        total = {"Rss": 0, "Pss": 0}
        for pid in self.pids():
            path = f"/proc/{pid}/smaps_rollup"
            with open(path, encoding="utf-8") as file:
                for name, kib in re.findall(r"^(\w+): +(\d+) kB",
                                            file.read(), re.MULTILINE):
                    if name in total:
                        total[name] += int(kib)
        return total

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.reader.join()


def sample(*options):
    """Returns the memory at each point."""
    found = []
    run = Run(*options)
    try:
        for cycles in POINTS:
            run.reach(cycles)
            found.append(run.memory())
            print(f"{' '.join(options)} {run.cycles} cycles: "
                  f"Rss {found[-1]['Rss']} KiB, "
                  f"Pss {found[-1]['Pss']} KiB", flush=True)
    finally:
        run.stop()
    return found


def main():
    bench.need_realtime()  # for -m
    verdicts = []
    for options in (["--wait=read"], ["--wait=read", "-m"]):
        first, last = sample(*options)
        name = options[-1]
        verdicts += [
            bench.judge(f"Pss in MiB, {name}:", last["Pss"] / 1024,
                        most=LIMIT_MIB),
            bench.judge(f"growth of Rss in KiB, {name}:",
                        last["Rss"] - first["Rss"], least=0, most=0)]
    bench.finish(*verdicts)


if __name__ == "__main__":
    main()
