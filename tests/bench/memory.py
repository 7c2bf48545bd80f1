# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory of a whole run: 12 MiB at most, after 10^6 cycles as after 10^4.

Of several pairs, 2.5 MiB at most for each, main included.

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
PAIRS = (8, 64)
PAIRS_POINT = 100
LIMIT_A_PAIR_MIB = 2.5
SECONDS = 600


class Run:
    """Measures until stopped; its status tells the cycles so far."""

    def __init__(self, *options, pairs=1):
        self.processes = 1 + 2 * pairs
        argv = [bench.TOOL, "-q", *options]
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
            if len(self.pids()) == self.processes:
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


def sample(*options, points=POINTS, pairs=1):
    """Returns the memory at each point."""
    found = []
    run = Run(*options, pairs=pairs)
    try:
        for cycles in points:
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
        first, last = sample("-i", "0", "--sleep=0", *options)
        name = options[-1]
        verdicts += [
            bench.judge(f"Pss in MiB, {name}:", last["Pss"] / 1024,
                        most=LIMIT_MIB),
            bench.judge(f"growth of Rss in KiB, {name}:",
                        last["Rss"] - first["Rss"], least=0, most=0)]
    for pairs in PAIRS:
        for options in ([], ["-m"]):
            last, = sample("-t", str(pairs), "-d", "0", "-i", "20000",
                           *options, points=[PAIRS_POINT], pairs=pairs)
            name = " ".join([f"{pairs} pairs", *options])
            verdicts.append(bench.judge(
                f"Pss a pair in MiB, {name}:", last["Pss"] / 1024 / pairs,
                most=LIMIT_A_PAIR_MIB))
    bench.finish(*verdicts)


if __name__ == "__main__":
    main()
