# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts, which are this one or two network namespaces."""

import os
import shlex
import subprocess
import sys

import pytest

import outside
import results
import schema
import twowaytest

QUICK = ("--default-system", "-q")
METRICS = [name for name in results.METRICS
           if name not in ("send", "receive")]
# A server's side that answers what it is told to.
FAKE = """
import socket, struct, sys
assert sys.stdin.readline().startswith('["--far=3"] ')
print("Welcome\\n{motd}")
listener = socket.create_server(("127.0.0.1", 0))
slept = 7
def say(*words):
    print("twowaytest 3", *words, flush=True)
say()
say("ready", listener.getsockname()[1], "0" * 32)
one = listener.accept()[0]
hello = one.recv(36)
assert hello == b"0" * 32 + bytes(4), hello
say("started", 0)
begin = 1 << 50
for number in range(1, 1000):
    data = one.recv(8)
    if not data:
        break
    assert struct.unpack("<Q", data) == (number,)
    one.send(struct.pack("<Qqq", number, begin, begin + slept))
sys.stdin.readline()
""" + (END := """
say("ended", 0, 0, 0, -1, 0)
say("moved")
say("result twoway {")
say("result }")
""")


def rsh(*words):
    """A command that starts the program as if it were elsewhere."""
    path = os.path.dirname(twowaytest.binary())
    return "--rsh=" + shlex.join(
        ["exec", "env", f"PATH={path}:{os.environ['PATH']}", *words])


def fake(directory, text):
    """The same with a program of Python in its place."""
    path = directory / "fake.py"
    path.write_text(text, encoding="ascii")
    return f"--rsh=exec {sys.executable} {path}"


def measuring(process, seconds=10):
    """Until the client measures."""
    assert outside.wait_for(lambda: outside.switches(process.sides().get(
        "client", 0)) > outside.STEADY_SWITCHES, seconds)


def far_side(pid):
    """The main process of the server's side, below @pid."""
    return next(child for child in outside.children(pid)
                if "--far" in outside.read(f"/proc/{child}/cmdline"))


class Net:
    """Two network namespaces, joined by a cable."""
    NEAR, FAR = "10.77.33.2", "10.77.33.1"

    def __init__(self):
        stem = f"twoway-{os.getpid()}"
        self.near, self.far = f"{stem}-near", f"{stem}-far"

    def ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            pytest.skip(f"no network namespaces: {done.stderr.strip()}")

    def open(self):
        for name in self.near, self.far:
            self.ip("netns", "add", name)
            self.ip("-n", name, "link", "set", "lo", "up")
        self.ip("-n", self.near, "link", "add", "cable", "type", "veth",
                "peer", "name", "cable", "netns", self.far)
        for name, address in (self.near, self.NEAR), (self.far, self.FAR):
            self.ip("-n", name, "address", "add", f"{address}/24", "dev",
                    "cable")
            self.ip("-n", name, "link", "set", "cable", "up")

    def close(self):
        for name in self.near, self.far:
            subprocess.run(["ip", "netns", "delete", name], check=False,
                           capture_output=True)


def inside(name):
    return "ip", "netns", "exec", name


def near(start, net, *options, **more):
    """A client on the near host."""
    words = [*inside(net.near), twowaytest.binary(), *options]
    return start(*words[1:], program=words[0], **more)


def identities(result, pairs=1):
    """network = response - sleep, from the dump to the results."""
    of = result.json()
    schema_of = results.SCHEMA
    schema.validator(schema_of).validate(of)
    for number in range(pairs):
        mine = [cycle for cycle in result.dump() if cycle.pair == number]
        thread = of["thread"][str(number)]
        assert len(mine) == thread["cycles"] > 0
        assert list(thread["phases"]) == METRICS
        values = {
            "sleep": [c.t2_ns - c.t1_ns for c in mine],
            "response": [c.t3_ns - c.t0_ns for c in mine],
            "network": [c.t3_ns - c.t0_ns - c.t2_ns + c.t1_ns for c in mine]}
        for name, ns in values.items():
            assert thread["phases"][name]["min"] == min(ns) // 1000
            assert thread["phases"][name]["max"] == max(ns) // 1000
    return of
