# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the core's tests."""

import functools
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

import pytest

import hosts
import outside
import twowaytest
from device import GROUPS, SILENT, enter, wire, within


def library(name):
    """A library to preload, from tests/tools."""
    if "INTERP" not in subprocess.run(
            ["readelf", "-lW", outside.binary()], text=True, check=False,
            capture_output=True).stdout:
        pytest.skip("the program is static or emulated: nothing can be "
                    "preloaded")
    return os.environ[f"TWOWAY_{name.upper()}_SO"]


@pytest.fixture(scope="session")
def shim():
    """The environment that makes calls late, see tools/delay.c."""
    path = library("delay")
    return lambda *faults: {"LD_PRELOAD": path, "TW_DELAY": ",".join(faults)} \
        if faults else {}


@pytest.fixture(scope="session")
def amiss():
    """The environment that makes memcpy() miss a byte."""
    return {"LD_PRELOAD": library("amiss"), "TW_AMISS": "copy"}


@pytest.fixture
def public():
    """A directory with the program that anybody may run and write to."""
    with tempfile.TemporaryDirectory(prefix="core-tests-") as name:
        directory = pathlib.Path(name)
        shutil.copy(outside.binary(), directory / "twowaytest")
        os.chmod(directory, 0o1777)
        os.chmod(directory / "twowaytest", 0o755)
        yield directory


@pytest.fixture
def aloof(public):
    """A command in public; its process is root's, so others cannot end it."""
    if not shutil.which("setpriv"):
        pytest.skip("no setpriv")
    if os.statvfs(public).f_flag & os.ST_NOSUID or \
            outside.status("self", "NoNewPrivs") != "0":
        pytest.skip("no set-user-ID program works here")
    shutil.copy(shutil.which("sleep"), public / "aloof")
    shutil.copy(shutil.which("setpriv"), public / "setpriv")
    os.chmod(public / "setpriv", 0o4755)
    return "exec ./setpriv --reuid=0 ./aloof 20"


@pytest.fixture
def server(start):
    """Starts a server, by the program with its options that @words are; the
    words of a client."""
    def begin(*options, address="127.0.0.1", system=("--default-system",),
              words=(), env=None):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        words = [*words, twowaytest.binary(), f"--server={address}:{port}",
                 *options, *system]
        begin.run = start(*words[1:], program=words[0],
                          env=env or {})
        lines = iter(begin.run.process.stdout.readline, "")
        begin.line = next(line for line in lines if "Listening" in line)
        begin.port = port
        return f"--connect=127.0.0.1:{port}"
    return begin


@pytest.fixture
def net():
    if os.geteuid():
        pytest.skip("needs root")
    result = hosts.Net()
    try:
        result.open()
        yield result
    finally:
        result.close()


@pytest.fixture(scope="module")
def ends():
    """The namespaces of a wire: where the client is, where the device."""
    if outside.why_not():
        pytest.skip(outside.why_not())
    with wire() as names:
        yield names


@pytest.fixture(params=["datagram", "raw"])
def sockets(request, ends):
    """Which kind of ICMP socket there may be."""
    within(ends[0], "sysctl", "-w", f"{GROUPS}=" + (
        "0 0" if request.param == "datagram" else "1 0"))
    return request.param


@pytest.fixture
def silent(ends):
    """The far kernel does not answer, so that a device of ours can."""
    for name in SILENT:
        within(ends[1], "sysctl", "-w", f"{name}=1")
    yield ends[1]
    for name in SILENT:
        within(ends[1], "sysctl", "-w", f"{name}=0")


@pytest.fixture
def near(run, ends):
    """Runs it at the near end of the wire."""
    return functools.partial(run, preexec_fn=lambda: enter(ends[0]))


@pytest.fixture
def before():
    """sched_rt_runtime_us as it is, which a failed test does not leave changed."""
    with outside.Turn():
        value_us = outside.rt_runtime()
        yield value_us
        outside.set_rt_runtime(value_us)


@pytest.fixture
def cpuset():
    """A group of the test's own, with all CPUs."""
    top = pathlib.Path("/sys/fs/cgroup/cpuset")     # version 1
    if not (top / "cpuset.cpus").exists() or os.geteuid():
        pytest.skip("no cpuset of version 1, or not root")
    path = top / f"twoway-{os.getpid()}"
    path.mkdir()
    for name in "mems", "cpus":
        (path / f"cpuset.{name}").write_text(
            (top / f"cpuset.{name}").read_text(encoding="ascii"),
            encoding="ascii")
    yield path
    for pid in (path / "tasks").read_text(encoding="ascii").split():
        (top / "tasks").write_text(pid, encoding="ascii")
    path.rmdir()
