# SPDX-License-Identifier: GPL-2.0-or-later
"""What is measured, for how long, and by which command lines."""

import dataclasses
import os
import shlex

PLACEMENTS = ("one", "plan")
LOADS = ("none", "fft", "hackbench", "command")
TOOLS = ("cyclictest", "twowaytest")

SHORT_S = 5 * 60
LONG_S = 24 * 3600
# What the whole takes besides measuring, on a slow machine.
START_S = 3
PAGE_S = 10             # a page of figures
SETTLE_S = 2            # a load's age when the first cycle is measured
OVERHEAD_S = 1          # start and end of a measurement
HISTOGRAM_US = 100000


@dataclasses.dataclass(frozen=True)
class Measurement:
    placement: str
    load: str
    tool: str

    @property
    def name(self):
        return f"{self.placement}-{self.load}-{self.tool}"

    @property
    def title(self):
        return f"{self.placement} {self.load} {self.tool}"

    @property
    def extra_s(self):
        """What it takes longer than its duration."""
        return OVERHEAD_S + (0 if self.load == "none" else SETTLE_S)


@dataclasses.dataclass(frozen=True)
class Cpus:
    """Where things run: twowaytest's plan, and the one CPU."""
    main: int
    client: int
    one: int
    load: str               # as a list


def matrix(options):
    """Tools vary first: what is compared is measured in a row."""
    return [Measurement(placement, load, tool)
            for placement in options.placements
            for load in options.loads for tool in options.tools]


def seconds_each(options):
    if options.duration:
        return options.duration
    todo = matrix(options)
    left = (LONG_S if options.long else SHORT_S) - START_S
    return (left - seconds_left(options, todo, 0)) // len(todo)


def seconds_left(options, todo, each_s):
    """How long these measurements and the report take."""
    pages = 0 if options.no_report else len(options.loads)
    return sum(each_s + one.extra_s for one in todo) + pages * PAGE_S


def cpu_list(cpus):
    return ",".join(map(str, sorted(cpus)))


def scheduling(options):
    return ["-m", "-p", str(options.priority)] if options.priority else []


def connection(options):
    return [f"--connect={options.connect}"] if options.connect else []


def load_arguments(options, load, cpus):
    if load == "command":
        # --load-affinity would keep its only copy on one CPU.
        inner = shlex.quote(options.command)
        return [f"--load=command:exec taskset -c {cpus.load} sh -c {inner}",
                "--load-policy=other"]
    return [f"--load={load}:{options.workers}",
            f"--load-affinity={cpus.load}", "--load-policy=other"]


def twowaytest(options, one, cpus, json):
    place = ["-a"] if one.placement == "plan" else \
        [f"--affinity={cpus.one}", f"--mainaffinity={cpus.one}"]
    return [options.twowaytest, "-q", *scheduling(options), *place,
            *connection(options), "-i", str(options.interval), "--timer=nanosleep",
            "-h", str(HISTOGRAM_US), "-D", str(seconds_each(options)),
            *(f"--limit={limit}" for limit in options.limit),
            f"--json={json}"]


def cyclictest(options, one, cpus, json):
    cpu, main = (cpus.client, cpus.main) if one.placement == "plan" else \
        (cpus.one, cpus.one)
    return [options.cyclictest, "-q", *scheduling(options), "-t", "1",
            "-a", str(cpu), f"--mainaffinity={main}",
            "-i", str(options.interval), "-h", str(HISTOGRAM_US),
            f"--histfile={os.devnull}", "-D", str(seconds_each(options)),
            f"--json={json}"]


def command(options, one, cpus, json):
    return {"twowaytest": twowaytest, "cyclictest": cyclictest}[one.tool](
        options, one, cpus, json)


def carrier(options, one, cpus, json):
    """The twowaytest that brings the load; None: none is needed.

    It wakes once a second, at low priority, on main's CPU. Also where a
    twowaytest is measured, which could bring its own: then the load's age
    at the first cycle would be a number of cycles, not a time, and these
    take ever longer without priority.
    """
    if one.load == "none":
        return None
    return [options.twowaytest, "-q",
            *(["-p", "3"] if options.priority else []),
            f"--affinity={cpus.main}", f"--mainaffinity={cpus.main}",
            "-i", "1000000", "--sleep=0", "--warmup=0", "--default-system",
            *load_arguments(options, one.load, cpus), f"--json={json}"]
