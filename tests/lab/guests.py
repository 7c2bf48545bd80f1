# SPDX-License-Identifier: GPL-2.0-or-later
"""The boots that the tests look at: few, each with many measurements."""

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

import lab as made
import outside
import vl_kernel
import vl_machine
from twoway import results

FLOOR = "bench_floor"
PRIM_FLOOR = "bench_prim_floor"
KERNELS = {"standard": vl_kernel.CLOUD, "preempt_rt": vl_kernel.PREEMPT_RT}
REALTIME = ["-q", "-m", "-p", "98", "-a", "-N"]


@dataclasses.dataclass
class Boot:
    """A kernel's results."""
    path: pathlib.Path

    def json(self, name):
        return json.loads(self.text(name + ".json"))

    def text(self, name):
        return (self.path / name).read_text()

    def environment(self, name):
        return self.json(name)["twoway"]["system"]

    def files(self):
        return {path.name: path.read_bytes() for path in self.path.iterdir()}

    def metric(self, name, metric):
        """Of the first pair."""
        return results.metrics(self.json(name))[metric]

    def pairs(self, name, metric):
        """Of each pair."""
        return [thread["phases"][metric]
                for thread in self.json(name)["thread"].values()]


def virtlab(*args, status=0):
    """Runs virtlab; what it printed, or why it did not."""
    done = subprocess.run(
        [sys.executable, made.PROGRAM, *map(str, args)], timeout=500,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout or done.stderr


def contents(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def digest(words):
    """Of the words, and of all that virtlab builds and boots for them."""
    found = []
    for word in map(str, words):
        option, _, last = word.rpartition("=")
        path = last if os.path.isfile(last) else shutil.which(last)
        # Where a file lies does not matter.
        found.append(f"{option}={os.path.basename(path)} {contents(path)}"
                     if path else word)
    tools = ["cc", "busybox", *(machine.qemu[0] for machine in
                                vl_machine.MACHINES.values())]
    paths = [*filter(None, map(shutil.which, tools)), *(
        path for folder in ("src", "contrib/virtlab", "tests/cross")
        for path in sorted((made.TOP / folder).rglob("*"))
        if path.suffix in ("", ".build", ".c", ".h", ".ini", ".py")
        and path.is_file())]
    found += map(contents, paths)
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]


def run(name, *words, status=0):
    """Runs virtlab, or finds what it has measured for @name with the same
    programs, kernels and QEMU: the results' directory, in the build."""
    kept = pathlib.Path(outside.binary()).resolve().parent / "lab"
    kept.mkdir(exist_ok=True)
    path = kept / f"{name}-{digest(words)}"
    if not path.is_dir():
        with tempfile.TemporaryDirectory(dir=kept) as new:
            virtlab("run", f"--output={new}/out", *words, status=status)
            for old in kept.glob(f"{name}-*"):
                shutil.rmtree(old)
            os.rename(f"{new}/out", path)
    return path


def fetch(package, *options, arch="amd64"):
    """A kernel image of Debian's, or a skip."""
    qemu = vl_machine.MACHINES[arch].qemu[0]
    if not shutil.which(qemu):
        pytest.skip(f"{qemu} is not installed")
    done = subprocess.run(
        [sys.executable, made.PROGRAM, "fetch", f"--arch={arch}", *options,
         package], timeout=500, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False)
    if done.returncode:
        pytest.skip(f"no kernel: {done.stderr.strip()}")
    return done.stdout.strip()


def kernels():
    """Both, as virtlab's options."""
    return [f"--kernel={name}={fetch(package)}"
            for name, package in KERNELS.items()]


def words(measurements):
    """As after virtlab's --, from {name: words}."""
    found = []
    for name, (program, *options) in measurements.items():
        found += ["--", f"{name}={program}", *options]
    return found[1:]


def floor_program(name=FLOOR):
    """floor.c or prim_floor.c, built."""
    path = pathlib.Path(os.environ.get("TWOWAYTEST_BENCH", ""), name)
    if not path.is_file():
        pytest.skip(f"TWOWAYTEST_BENCH does not name the directory of {name}")
    return path


def installed(peers):
    """Measurements beside a program, where that is installed here."""
    return {name: command for program, measured in peers.items()
            if shutil.which(program) for name, command in measured.items()}


def added(peers):
    """As virtlab's options: a program may be started by a shell."""
    return [f"--add={shutil.which(program)}" for program in peers
            if shutil.which(program)]
