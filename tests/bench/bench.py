# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benchmarks share: running, interleaving, judging.

A benchmark exits 0 if its criterion holds, 1 if not, and 77 if something
that it needs is missing, or if the machine is too busy to tell.
Figures come from a machine that may be busy, so what is compared is run in
turn, A B A B, and compared by medians.

How deep an idle CPU sleeps decides by a multiple how fast it wakes, and of
the programs compared some ask the kernel for shallow sleep and some do not.
So the benchmark itself asks, for as long as it compares: see awake().
"""

import contextlib
import dataclasses
import json
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

TOOL = os.environ.get("TWOWAYTEST", "build/twowaytest")
HELPERS = os.environ.get("TWOWAYTEST_BENCH", "build/tests/bench")
PRIORITY = 98
# Many short runs: what disturbs a machine comes and goes by the second.
CYCLES = int(os.environ.get("CYCLES", "500"))
ROUNDS = int(os.environ.get("ROUNDS", "31"))
RESAMPLES = 2000
FEWEST = 5      # rounds that still are a comparison
HOLDS, UNDECIDED, FAILS = "holds", "undecided", "FAILS"     # verdicts
CPU_DMA_LATENCY = "/dev/cpu_dma_latency"
THE_LAB = ("Where a machine's noise hides the difference, the lab shows it "
           "exactly:\nmeson test -C build --suite lab")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_programs(*names):
    for name in names:
        if not shutil.which(name):
            skip(f"{name} is not installed")


def installed(*names):
    """Those of them that are there."""
    found = [name for name in names if shutil.which(name)]
    for name in set(names) - set(found):
        print(f"{name} is not installed: not compared")
    return found


def need_realtime():
    """Returns the CPUs of the server and of the client."""
    need_programs("chrt")
    if subprocess.run(["chrt", "-f", str(PRIORITY), "true"],
                      stderr=subprocess.DEVNULL, check=False).returncode:
        skip(f"no right to real-time priority {PRIORITY}: run as root")
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        skip("a CPU each is needed for the client and the server")
    return cpus[0], cpus[1]


def helper(name):
    return os.path.join(HELPERS, "bench_" + name)


def run(*argv):
    """Returns standard output; anything but exit status 0 is an error."""
    argv = [str(arg) for arg in argv]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=False,
                          encoding="utf-8")
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: exit status {done.returncode}")
    return done.stdout


def find(pattern, text):
    """Returns the match of what a program is known to print."""
    found = re.search(pattern, text)
    if not found:
        sys.exit(f"no {pattern} in:\n{text}")
    return found


def measure(*options):
    """Runs the tool; returns its JSON, in nanoseconds."""
    with scratch() as folder:
        path = os.path.join(folder, "results")
        run(TOOL, "-q", "-N", f"--json={path}", *options)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def metric(result, token):
    """Of the first pair."""
    return result["thread"]["0"]["phases"][token]


def mean_and_max(result, token):
    column = metric(result, token)
    return column["avg"], column["max"]


def floor(cpus, *options):
    """Runs floor.c; returns the mean and the maximum of its response."""
    server, client = cpus
    out = run(helper("floor"), "-c", client, "-s", server, "-p", PRIORITY,
              "-l", CYCLES, *options)
    mean, maximum = out.splitlines()[-1].split()   # after remarks
    return float(mean), float(maximum)


def realtime(cpus):
    """The tool's options for a real-time run on the CPUs of both sides."""
    server, client = cpus
    return ["-m", "-p", PRIORITY, f"--server-affinity={server}",
            f"--client-affinity={client}", f"--mainaffinity={server}"]


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="twowaytest-") as folder:
        yield folder


@contextlib.contextmanager
def awake():
    """Keeps the CPUs from deep sleep, as the tool does, whoever runs.

    Where we may not ask for it, neither may a program that we run.
    """
    with contextlib.ExitStack() as stack:
        try:
            fd = os.open(CPU_DMA_LATENCY, os.O_WRONLY | os.O_CLOEXEC)
            stack.callback(os.close, fd)
            os.write(fd, struct.pack("=i", 0))
        except OSError as err:
            print(f"{CPU_DMA_LATENCY}: {err.strerror}: CPUs sleep as deep as "
                  "the system lets them, whoever runs")
        yield


def in_order(variants, source):
    """Runs each; results in the order of variants."""
    order = list(range(len(variants)))
    if source:
        source.shuffle(order)
    results = {i: variants[i]() for i in order}
    return [results[i] for i in range(len(variants))]


def interleave(*variants, rounds=ROUNDS, source=None):
    """Runs all functions in turn; returns a list of results for each.

    source: of random numbers, for another order in each round; None: always
    that of the arguments.

    A run that cannot be compared returns None: its round is run again, until
    as many rounds more have been run as were wanted.
    """
    done, again = [], 0
    with awake():
        while len(done) < rounds and again < rounds:
            results = in_order(variants, source)
            if None in results:
                again += 1
            else:
                done.append(results)
    if again:
        print(f"{again} of {again + len(done)} rounds could not be compared.\n"
              + THE_LAB)
    if len(done) < min(FEWEST, rounds):
        skip(f"{len(done)} rounds are no comparison: this machine is too "
             "busy")
    return list(zip(*done))


def figure(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def show(name, values, unit):
    """Prints what the runs gave; returns the median."""
    low, median, high = statistics.quantiles(values, method="inclusive")
    print(f"{name}: {figure(median)} {unit}, median of {len(values)}; "
          f"quartiles {figure(low)} {figure(high)}, "
          f"range {figure(min(values))} {figure(max(values))}", flush=True)
    return median


@dataclasses.dataclass
class Ratio:
    """Of medians; the interval holds nine of ten as they may come next."""
    value: float
    low: float
    high: float


def ratio(name, ours, theirs):
    """Prints and returns the ratio of the medians.

    The interval is of as many rounds drawn anew from these rounds.
    """
    def of(rounds):
        mine, other = zip(*rounds)
        return statistics.median(mine) / statistics.median(other)

    rounds = list(zip(ours, theirs))
    source = random.Random(1)
    ratios = sorted(of(source.choices(rounds, k=len(rounds)))
                    for _ in range(RESAMPLES))
    found = Ratio(of(rounds), ratios[RESAMPLES // 20],
                  ratios[-RESAMPLES // 20])
    print(f"{name}: {found.value:.4f}, interval {found.low:.4f} to "
          f"{found.high:.4f}", flush=True)
    return found


def ratio_of_means(name, runs, other_name, other_runs):
    """Shows runs that gave (mean, maximum) in ns; the ratio of the means."""
    means, maxima = zip(*runs)
    other_means, other_maxima = zip(*other_runs)
    show(f"{name}, mean", means, "ns")
    show(f"{other_name}, mean", other_means, "ns")
    show(f"{name}, maximum", maxima, "ns")
    show(f"{other_name}, maximum", other_maxima, "ns")
    return ratio(f"{name} / {other_name}", means, other_means)


def judge(name, value, *, least=None, most=None):
    """Prints and returns the verdict: whether the criterion holds.

    A ratio that misses it, but whose interval does not, decides nothing.
    """
    low = high = value
    if isinstance(value, Ratio):
        value, low, high = value.value, value.low, value.high
    verdict = HOLDS
    if least is not None and value < least:
        verdict = UNDECIDED if high >= least else FAILS
    if most is not None and value > most:
        verdict = UNDECIDED if low <= most else FAILS
    limits = [f"at least {figure(least)}"] if least is not None else []
    limits += [f"at most {figure(most)}"] if most is not None else []
    print(f"{verdict}: {name} {figure(value)}, wanted {' and '.join(limits)}",
          flush=True)
    return verdict


def finish(*verdicts):
    if FAILS in verdicts:
        sys.exit(1)
    if UNDECIDED in verdicts:
        skip("the interval reaches the limit.\n" + THE_LAB)
    sys.exit(0)
