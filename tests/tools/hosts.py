# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers for clients on other hosts, here on the loopback; their frames."""

import os
import pathlib
import re
import signal
import socket
import struct
import tempfile

import pytest

import outside
import schema
import twoway

# For the end of anything that ends by itself, on a slow and busy machine.
PATIENCE_S = 20

# The numbers of the types of frames.
HELLO, RUN, GRANT, REFUSE, BUSY, START, STOP, RESULT = range(1, 9)

# What the server has stamped is by another clock.
DUMP_HEADER = [f"server_{name}" if name in ("t1_ns", "t2_ns") else name
               for name in twoway.DUMP_HEADER]

ASKED = {
    "pairs": 1, "interval_us.0": 1000, "size": 8, "sleep_us": 0, "warmup": 2,
    "priority": 0, "priospread": 0, "lock_memory": 0, "accept": 0,
    "policy": "other", "wait": "poll", "clock": "monotonic",
    "transport": "tcp", "stamps": "off", "dscp": -1, "sock_priority": -1,
    "busy_poll_us": -1, "quickack": 0, "trace": 0}


def skip_if_emulated():
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator lacks what servers for other hosts need")


def free_port(address="127.0.0.1"):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as test:
        test.bind((address, 0))
        return test.getsockname()[1]


def frame(kind, body=b""):
    return struct.pack(">2sBxI", b"TW", kind, len(body)) + body


def keys(**values):
    return "".join(f"{key}={value}\n"
                   for key, value in values.items()).encode()


def hello(low=1, high=1):
    return frame(HELLO, keys(version_min=low, version_max=high))


def receive_all(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def next_frame(connection):
    """The type and the text of the next one."""
    magic, kind, length = struct.unpack(">2sBxI", receive_all(connection, 8))
    assert magic == b"TW"
    return kind, receive_all(connection, length).decode()


def call(port):
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
    connection.settimeout(PATIENCE_S)
    return connection


class Server:
    """A twowaytest --server; what it prints is in a file meanwhile."""

    def __init__(self, *options, address="127.0.0.1", before=(), port=None,
                 program=None, **popen):
        skip_if_emulated()
        self.port = port or free_port(address)
        shown = f"[{address}]" if ":" in address else address
        self.where = f"{shown}:{self.port}"
        self.directory = tempfile.TemporaryDirectory(prefix="twoway-host-")
        self.path = pathlib.Path(self.directory.name) / "out"
        words = [*before, program or twoway.binary(), f"--server={self.where}",
                 "--default-system", *options]
        with open(self.path, "w", encoding="utf-8") as file:
            self.run = outside.Run(*words[1:], program=words[0], stdout=file,
                                   **popen)

    def out(self):
        return self.path.read_text(encoding="utf-8")

    def listens(self):
        """Waits until it does; what it says of that."""
        assert outside.wait_for(
            lambda: "\n" in self.out() or
            self.run.process.poll() is not None, PATIENCE_S)
        line = self.out().partition("\n")[0]
        if not line.startswith(f"# Listening on {self.where} for "):
            self.run.finish(PATIENCE_S)
            raise AssertionError(f"does not listen: {self.run.err}")
        return line

    def sessions(self):
        return self.run.named("twoway-session")

    def sides(self):
        """The servers' processes."""
        return self.run.named("twoway-server")

    def idle(self):
        """Waits until no client is served."""
        assert outside.wait_for(
            lambda: self.run.processes() == [self.run.pid], PATIENCE_S), \
            f"still there: {self.run.processes()}"

    def lines(self):
        """What it has said of runs, without its first line."""
        return self.out().splitlines()[1:]

    def line(self, pattern):
        """Waits for a line that has this."""
        found = outside.wait_for(
            lambda: [line for line in self.lines()
                     if re.search(pattern, line)], PATIENCE_S)
        assert found, self.out()
        return found[0]

    def stop(self, number=signal.SIGTERM):
        """Its end, of which nothing is left; its exit status."""
        if self.run.process.poll() is None:
            self.run.signal(number)
        status = self.run.finish(PATIENCE_S)
        assert self.run.gone(PATIENCE_S), "processes are left"
        return status

    def end(self):
        self.run.end()
        self.directory.cleanup()


def steady(client, server, pairs=1):
    """Waits until cycles are measured; the pids of both hosts' sides."""
    def pids():
        found = client.named("twoway-client"), server.sides()
        return found if all(
            len(some) == pairs and
            min(map(outside.switches, some)) > outside.STEADY_SWITCHES
            for some in found) else None

    found = outside.wait_for(pids, PATIENCE_S)
    assert found, f"not measuring: {client.err}"
    return found


def check_peer(json):
    """What is true of the results of each run between two hosts."""
    twoway_ = json["twoway"]
    peer = twoway_["peer"]
    pairs = twoway_["settings"]["pairs"]
    assert peer["asked"]["pairs"] == pairs
    assert peer["asked"]["interval_us"] == \
        twoway_["settings"]["intervals_us"]
    assert twoway_["processes"]["server"] is None
    assert all(pair["processes"]["server"] is None
               for pair in twoway_["pairs"])
    metrics = twoway_["settings"]["metrics"]
    assert "send" not in metrics and "receive" not in metrics
    udp = twoway_["settings"]["transport"] == "udp"
    assert peer["granted"]["ports"] == (pairs if udp else 1)
    assert peer["granted"]["port"][0] == twoway_["settings"]["port"]
    return peer


def results(text):
    """Those in a JSON text, between two hosts."""
    json = schema.check(text)
    check_peer(json)
    return json


def complaints(stderr):
    """All but the warning of who may not hold power management."""
    return "".join(line for line in stderr.splitlines(keepends=True)
                   if not line.startswith(
                       "WARN: --server: /dev/cpu_dma_latency "))


def local_program(directory):
    """PATH with a directory first, where twowaytest is the one tested."""
    place = pathlib.Path(directory) / "bin"
    place.mkdir()
    (place / "twowaytest").symlink_to(twoway.binary())
    return f"{place}:{os.environ['PATH']}"
