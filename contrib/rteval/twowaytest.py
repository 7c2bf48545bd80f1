# SPDX-License-Identifier: GPL-2.0-or-later
"""A measurement module of rteval that runs twowaytest.

It goes into rteval/modules/measurement/, and into rteval.conf:

    [measurement]
    twowaytest: module

in place of cyclictest: of two latency tests each would measure the other. The
results are in summary.xml, and whole, as twowaytest.json, beside it.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile

import libxml2
from rteval.Log import Log
from rteval.modules import rtevalModulePrototype, rtevalRuntimeError

END_S = 10      # after SIGINT it writes its results, and ends
STATISTICS = {"samples": "cycles", "minimum": "min", "maximum": "max",
              "mean": "avg", "standard_deviation": "stddev"}


def thread_pids(pid):
    """Of a process and of its children, which do the measuring."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children",
                  encoding="ascii") as file:
            return [pid, *map(int, file.read().split())]
    except OSError:
        return [pid]


def read_metrics(path):
    """The metrics of a result file; ValueError if it is not a whole one.

    Each is its name, its statistics and its histogram, which only the latency
    has.
    """
    try:
        with open(path, encoding="utf-8") as file:
            thread = json.load(file)["thread"]["0"]
        found = thread["phases"] | {thread["metric"]: thread}
        return [(metric, {name: float(one[key])
                          for name, key in STATISTICS.items()},
                 {int(index): int(count)
                  for index, count in one.get("histogram", {}).items()})
                for metric, one in found.items()]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def moved(pairs):
    """Clients and servers that somebody gave other CPUs or another policy."""
    for number, pair in enumerate(pairs):
        for side in "server", "client":
            now = (pair.get(side) or {}).get("changed")
            if now:
                yield f"pair {number}: the {side} has policy " \
                    f"{now['policy']}, priority {now['priority']}, CPUs " \
                    f"{now['cpus']} since somebody changed it while it ran"


def read_troubles(path):
    """Why a run is no good one, a text each."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file).get("twoway", {})
    jumps, slept_us = found.get("clock_set", {}), found.get("suspended_us")
    if jumps.get("times"):
        yield f"the clock was set {jumps['times']} times while twowaytest " \
            f"ran; {jumps['left_out']} cycles have no values"
    if slept_us:
        yield f"the system was suspended for {slept_us} us while twowaytest " \
            "ran"
    yield from moved(found.get("pairs", []))
    for one in found.get("unanswered", []):
        yield f"pair {one['pair']}, cycle {one['cycle']}: the client had " \
            f"waited {one['age_us']} us for its {one['awaited']} when the " \
            "run ended"


def add_value(parent, name, value):
    return parent.newTextChild(None, name, f"{value:.15g}")


class Twowaytest(rtevalModulePrototype):
    """One run of twowaytest, from _WorkloadTask to _WorkloadCleanup."""

    def __init__(self, config, logger=None):
        rtevalModulePrototype.__init__(self, "measurement", "twowaytest",
                                       logger)
        self.__config = config
        self.__command = []
        self.__process = None
        self.__directory = None     # None: rteval keeps the results
        self.__results = None
        self.__errors = None
        self.__metrics = []
        self.__failures = []
        self.set_latency_test()

    def __setting(self, name):
        """As configured; else the default."""
        return self.__config.setdefault(name,
                                        ModuleParameters()[name]["default"])

    def _WorkloadSetup(self):
        pass

    def _WorkloadBuild(self):
        if not shutil.which("twowaytest"):
            raise rtevalRuntimeError(
                self, "twowaytest: not found in PATH; install it, or leave "
                "it out of [measurement] in rteval.conf")
        self._setReady()

    def _WorkloadPrepare(self):
        directory = self.__config.setdefault("reportdir", "")
        if not directory:
            self.__directory = tempfile.TemporaryDirectory()
            directory = self.__directory.name
        self.__results = os.path.join(directory, "twowaytest.json")
        self.__errors = tempfile.TemporaryFile("w+", errors="replace")
        self.__command = [
            "twowaytest", "-q", "-m",
            f"-p{self.__setting('priority')}",
            f"-i{self.__setting('interval')}",
            f"--sleep={self.__setting('sleep')}",
            f"-h{self.__setting('buckets')}",
            f"-a{self.__config.setdefault('cpulist', '') or ''}",
            f"--json={self.__results}",
        ]
        if self.__config.setdefault("usingCpupower", None):
            self.__command.append("--default-system")

    def _WorkloadTask(self):
        # rteval calls every 2 s.
        if self.__process:
            return
        if os.path.exists(self.__results):
            os.unlink(self.__results)
        self.__process = subprocess.Popen(
            self.__command, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.__errors)
        self._log(Log.DEBUG, f"started {shlex.join(self.__command)}")

    def WorkloadAlive(self):
        return bool(self.__process) and self.__process.poll() is None

    def get_subprocess_pids(self):
        return thread_pids(self.__process.pid) if self.WorkloadAlive() else []

    def __fail(self, reason):
        self.__failures.append(reason)
        self._log(Log.ERR, reason)

    def __stop(self):
        if self.WorkloadAlive():
            self.__process.send_signal(signal.SIGINT)
        elif not self.__process.returncode:
            self.__fail("twowaytest ended before rteval stopped it")
        try:
            self.__process.wait(END_S)
        except subprocess.TimeoutExpired:
            # Its processes do not outlive it.
            self.__process.kill()
            self.__process.wait()
            self.__fail(f"twowaytest did not end within {END_S} s of SIGINT")

    def __evaluate(self):
        if self.__process.returncode:
            self.__errors.seek(0)
            lines = self.__errors.read().strip().splitlines()
            self.__fail(lines[-1] if lines else "twowaytest ended with "
                        f"status {self.__process.returncode}")
        try:
            self.__metrics = read_metrics(self.__results)
            for reason in read_troubles(self.__results):
                self.__fail(reason)
        except (OSError, ValueError) as error:
            self.__fail(f"no results: {error}")

    def _WorkloadCleanup(self):
        # Whatever happens: rteval waits for _setFinished() without end.
        try:
            if self.__process:
                self.__stop()
                self.__evaluate()
        finally:
            if self.__errors:
                self.__errors.close()
            if self.__directory:
                self.__directory.cleanup()
            self._setFinished()

    def MakeReport(self):
        report = libxml2.newNode("twowaytest")
        report.newProp("command_line", shlex.join(self.__command))
        for reason in self.__failures:
            report.newChild(None, "abort_report", None).newProp("reason",
                                                                reason)
        for name, statistics, histogram in self.__metrics:
            metric = report.newChild(None, "metric", None)
            metric.newProp("id", name)
            node = metric.newChild(None, "statistics", None)
            for key, value in statistics.items():
                value_node = add_value(node, key, value)
                if key != "samples":
                    value_node.newProp("unit", "us")
            if not histogram:
                continue
            node = metric.newChild(None, "histogram", None)
            node.newProp("nbuckets", str(len(histogram)))
            for index, count in sorted(histogram.items()):
                bucket = node.newChild(None, "bucket", None)
                bucket.newProp("index", str(index))
                bucket.newProp("value", str(count))
        return report


def ModuleParameters():
    """What the module can be told; rteval makes options of it."""
    return {
        "interval": {"descr": "Period of the requests in microseconds",
                     "default": 1000, "metavar": "US"},
        "sleep": {"descr": "Sleep of the server in each cycle in "
                           "microseconds, shorter than the interval",
                  "default": 100, "metavar": "US"},
        "buckets": {"descr": "Histogram width in microseconds",
                    "default": 3500, "metavar": "US"},
        "priority": {"descr": "Real-time priority of the client; the "
                              "server's is one less",
                     "default": 95, "metavar": "PRIO"},
    }


def create(params, logger):
    """The module, as rteval asks for it."""
    return Twowaytest(params, logger)
