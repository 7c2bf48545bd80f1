# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls a cycle: client at most 3, server 4, main 0.05.

Two runs of different length are counted, and their difference divided by
the cycles that one had more: what start and end cost cancels out.

Main makes no call at all between the first cycle and the last, however many
pairs there are: it is then in one call for at least as long.
"""

import glob
import os
import re

import bench

SHORT, LONG = 500, 2500
CALL = re.compile(r"\w+\(")
TOOK = re.compile(r"<(\d+\.\d+)>$", re.MULTILINE)
PAIRS = (1, 8, 64)
NAME = re.compile(r'prctl\(PR_SET_NAME, "twoway-(\w+)"')


def calls(path):
    """Returns the process's name, None if it has no own, and its calls."""
    name, count = None, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            count += bool(CALL.match(line))
            named = NAME.match(line)
            name = named[1] if named else name
    return name, count


def trace(cycles, strace_options, tool_options):
    """Returns the number of system calls by process."""
    with bench.scratch() as folder:
        bench.run("strace", *strace_options, "-o",
                  os.path.join(folder, "trace"), bench.TOOL, "-l",
                  cycles, *tool_options)
        return dict(calls(path) for path in glob.glob(f"{folder}/trace*"))


def a_cycle(process, *options):
    """Calls a cycle of a process; strace -f slows all, so main goes alone."""
    strace_options = ["-ff"] if process else []
    few = trace(SHORT, strace_options, options)[process]
    many = trace(LONG, strace_options, options)[process]
    return (many - few) / (LONG - SHORT)


def longest_call(pairs):
    """Of main, by the time from the first cycle to the last."""
    cycles, period_us = 100, 20000
    with bench.scratch() as folder:
        path = os.path.join(folder, "trace")
        bench.run("strace", "-T", "-o", path, bench.TOOL, "-q", "-l", cycles,
                  "-t", pairs, "-d", 0, "-i", period_us, "--warmup=10")
        with open(path, encoding="utf-8", errors="replace") as file:
            took = map(float, TOOK.findall(file.read()))
    return max(took) / ((cycles - 1) * period_us / 1e6)


def main():
    bench.need_programs("strace")
    verdicts = []
    # -q only keeps main out of the way: the sides are the same with it.
    for process, options, most in [
            ("client", ["-q"], 3),
            ("server", ["-q"], 4),
            ("client", ["-q", "--transport=udp"], 3),
            ("server", ["-q", "--transport=udp"], 4),
            ("client", ["-q", "-i", "0", "--sleep=0"], 3),
            ("server", ["-q", "-i", "0", "--sleep=0"], 4),
            (None, ["-q"], 0.05),
            (None, [], 0.05)]:
        name = " ".join([process or "main", *options])
        verdicts.append(bench.judge(f"system calls a cycle, {name}:",
                                    a_cycle(process, *options), most=most))
    for pairs in PAIRS:
        verdicts.append(bench.judge(
            f"main's longest call by the time of all cycles, -t {pairs}:",
            longest_call(pairs), least=1))
    print("For comparison, main that writes every cycle:")
    for option in (["-q", "--dump=/dev/null"], ["-v"]):
        print(f"main {' '.join(option)}: {a_cycle(None, *option):.4g}")
    bench.finish(*verdicts)


if __name__ == "__main__":
    main()
