# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors, other programs, and where the lab keeps what it makes."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from twoway import results
from twtools import child

STATS = ("min", "avg", "max", "stddev")

ways_to_stop = [child.stop]


def heed_signals():
    child.listen(lambda number: ways_to_stop[-1](number))


@contextlib.contextmanager
def stopped_by(way):
    """What a signal does meanwhile, instead of raising Stopped."""
    ways_to_stop.append(way)
    try:
        yield
    finally:
        ways_to_stop.pop()


class LabError(Exception):
    """What cannot be done, and why: a message for the user."""


class CallError(LabError):
    """A program that failed, and all that it printed, errors first."""

    def __init__(self, command, status, output):
        lines = output.strip().splitlines()[-5:]
        super().__init__(f"{' '.join(map(str, command))}: exit status "
                         f"{status}: " + "\n  ".join(lines))
        self.output = output


def tell(text):
    """What goes on, or what is to be known of it."""
    print(f"virtlab: {text}", file=sys.stderr, flush=True)


def cache():
    """Kernels and builds: $XDG_CACHE_HOME/twowaytest-virtlab."""
    base = os.environ.get("XDG_CACHE_HOME") or \
        pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "twowaytest-virtlab"


def dies_with_us():
    """For preexec_fn: no death of ours leaves a program behind."""
    return child.dies_with_us(signal.SIGKILL)


def need(program, package):
    """The program's path."""
    # Debian keeps some of them out of an ordinary user's way.
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    if not path:
        raise LabError(f"{program} is missing: package {package}")
    return path


def call(command, input="", **options):
    """Runs a program to its end; returns what it printed."""
    try:
        done = subprocess.run(
            command, input=input, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="backslashreplace",
            preexec_fn=dies_with_us(), **options)
    except OSError as err:
        raise LabError(f"{command[0]}: {err.strerror}") from None
    if done.returncode:
        raise CallError(command, done.returncode, done.stderr + done.stdout)
    return done.stdout


def figures(result):
    """{metric: {name: ns}} of a result's only pair; cyclictest's is wakeup.

    The result is an object or its file.
    """
    if not isinstance(result, dict):
        result = json.loads(result.read_text())
    columns = [thread.get("metric") for thread in result["thread"].values()]
    if len(set(columns)) < len(columns):
        raise LabError("several pairs were measured; measure one")
    # What is measured without -N has us.
    unit = 1 if result.get("resolution_in_ns") else 1000
    return {metric or "wakeup": {name: one[name] * unit for name in STATS
                                 if one.get(name) is not None}
            for metric, one in results.metrics(result).items()}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
