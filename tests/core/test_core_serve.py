# SPDX-License-Identifier: GPL-2.0-or-later
"""--server, and the units of systemd: who gets in, and what they may."""

import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile

import pytest

import outside
import results
import twowaytest
import units
from hosts import QUICK, identities, measuring


def test_server(run, server):
    """One client after the other, of whom one is refused."""
    where = server()
    for _ in range(2):
        done = run(where, *QUICK, "-l", 20, "--json=json", "--dump=dump")
        assert (done.returncode, done.stderr) == (0, "")
        identities(done)
    # The client's power management is its own.
    done = run(where, "-q", "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(where, *QUICK, "-l", 5, "-p", 50)
    assert done.returncode == 1
    assert "127.0.0.1: FATAL: --priority=50: this server allows its " \
        "servers 0 at most" in done.stderr
    server.run.signal(signal.SIGINT)
    server.run.finish(10)
    assert server.run.process.returncode == 0 and server.run.gone()
    assert not server.run.err


@results.root
@pytest.mark.skipif(not os.path.exists(outside.CPU_DMA_LATENCY),
                    reason="no " + outside.CPU_DMA_LATENCY)
@pytest.mark.parametrize("awake", [True, False])
def test_server_keeps_its_cpus_awake(run, server, awake):
    """It does so itself, as it is root only until it serves."""
    done = run(server(system=() if awake else ("--default-system",)), "-q",
               "-l", 5, "--json=json", *["--latency=9"] * awake)
    assert (done.returncode, done.stderr) == (0, "")
    assert (outside.CPU_DMA_LATENCY in outside.open_files(
        server.run.pid)) == awake
    theirs = done.json()["twoway"]["peer"]["settings"]
    assert theirs["latency"] == -1
    assert theirs["default-system"] or not awake


def test_busy(run, start, server):
    where = server()
    process = start(where, *QUICK)
    measuring(process)
    done = run(where, *QUICK, "-l", 5)
    assert done.returncode == 1
    assert "127.0.0.1: FATAL: BUSY: the server is measuring" in done.stderr
    process.signal(signal.SIGINT)
    process.finish(10)
    assert process.process.returncode == 0


def test_its_processes_end_with_it(start, server):
    """Also with one that is killed; the client is told."""
    process = start(server(), *QUICK)
    measuring(process)
    server.run.signal(signal.SIGKILL)
    assert server.run.process.wait(15) == -signal.SIGKILL
    assert server.run.gone(5), server.run.processes()
    assert process.finish(10) == 1 and "by a signal there\n" in process.err


class Far:
    """A server's side that has been asked, and is ready."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [twowaytest.binary(), "--far"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.tell('["--far=3"]', 1, "--default-system", "--warmup=0", *words)
        assert self.answer() == []
        ready, port, cookie = self.answer()
        assert ready == "ready"
        self.port, self.cookie = int(port), cookie.encode()

    def tell(self, *words):
        print(*words, file=self.process.stdin, flush=True)

    def answer(self):
        """The words of the next one."""
        line = next(line for line in self.process.stdout if line != "\n")
        name, version, *words = line.split()
        assert (name, version) == ("twowaytest", "3")
        return words

    def greet(self, pair=0):
        one = socket.create_connection(("127.0.0.1", self.port))
        one.settimeout(60)
        one.send(self.cookie + struct.pack(">I", pair))
        return one

    def measure(self, one):
        """A cycle."""
        assert self.answer() == ["started", "0"]
        one.send(struct.pack("<Q", 1))
        seq, begin, end = struct.unpack("<Qqq", one.recv(24))
        assert seq == 1 and 0 < begin < end
        return begin

    def end(self):
        """The last answer: the numbers of requests, and the results."""
        self.process.stdin.close()
        ended = [int(word) for word in self.answer()[1:]]
        assert ended[:4] == [0, 0, 0, -1]
        assert self.process.wait() == 0
        rest = self.process.stdout.read().split("\n")
        return ended[4:], [line[len("twowaytest 3 result "):] for line in rest
                           if line.startswith("twowaytest 3 result ")]


def test_pending_stranger_at_the_port():
    """Somebody else is first at the measuring port, and says nothing."""
    far = Far()
    others = [socket.create_connection(("127.0.0.1", far.port))
              for _ in range(100)]
    others[-1].send(b"0" * 32 + struct.pack(">I", 0))
    with far.greet() as one:
        far.measure(one)
    requests, lines = far.end()
    assert (requests, lines[0], lines[-1]) == ([0], "twoway {", "}")
    for other in others:
        other.close()


def test_pairs_that_are_not_expected():
    """Who knows the cookie, but not which pairs there are, is closed."""
    far = Far("--threads=2")
    with far.greet(0) as one:
        for pair in 0, 2, 7, 1 << 31:
            with far.greet(pair) as other:
                assert other.recv(1) == b""
        with far.greet(1):
            far.measure(one)
    assert far.end()[0] == [0, 0]


def test_stranger_at_the_port_of_udp():
    """Only the port that the client has named is heard, from the first
    datagram on."""
    far = Far("--transport=udp")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        one.settimeout(60)
        with far.greet() as stream:
            port, = struct.unpack(">H", stream.recv(2))
            for number in range(1, 9):
                stranger.sendto(struct.pack("<Q", number),
                                ("127.0.0.1", port))
            one.connect(("127.0.0.1", port))
            stream.send(struct.pack(">H", one.getsockname()[1]))
            far.measure(one)
            stranger.sendto(bytes(8), ("127.0.0.1", port))
    assert far.end()[0] == [1]


RIGHT = [0, 0, 1, 5, 6]         # pair, metric, cycle, t1, t2
WRONG = [(0, 1), (0, -1), (1, 10), (1, -1), (2, 0), (3, -1), (4, 4)]


@pytest.mark.parametrize("at, value", [*WRONG, (5, None), (0, 0)])
def test_breaks_that_cannot_be(at, value):
    """What the client says of a long cycle is looked at before it is used."""
    far = Far("--breaktrace=100")
    with far.greet() as one:
        far.measure(one)
        numbers = [*RIGHT, *10 * [7]]
        numbers[at:at + 1] = [] if value is None else [value]
        far.tell("break", *numbers)
    lines = far.end()[1]
    breaks = lines[lines.index("breaks [") + 1:]
    assert [line for line in breaks[:breaks.index("]")] if "cycle" in line] \
        == (["cycle 0"] if (at, value) == (0, 0) else [])


@pytest.mark.parametrize("option", ["--load=command:id", "--wait=busy"])
def test_login_only(run, server, option):
    """Over the network, nobody runs a command or keeps a CPU."""
    where = server()
    done = run(where, *QUICK, "-l", 5, option,
               *(["--load-side=server"] if "load" in option else []))
    assert done.returncode == 1
    assert f"{option.split(':')[0]}: nobody may ask for this without a login" \
        in done.stderr


def test_units():
    """systemd understands them, and what is left open has a reason."""
    units.require("systemd-analyze")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        service = (units.SYSTEMD / "twowaytest@.service.in").read_text()
        service = re.sub("(?m)^Documentation=.*", "", service).replace(
            "@bindir@/twowaytest", "/bin/true")
        (directory / "twowaytest@.service").write_text(service)
        (directory / "twowaytest@x.service").write_text(service)
        text = (units.SYSTEMD / "twowaytest.socket").read_text()
        (directory / "twowaytest.socket").write_text(
            re.sub("(?m)^Documentation=.*", "", text))
        done = subprocess.run(
            ["systemd-analyze", "verify", directory / "twowaytest.socket",
             directory / "twowaytest@x.service"], capture_output=True,
            text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes",
             "--threshold=20", directory / "twowaytest@x.service"],
            capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    settings = units.settings("twowaytest@.service.in")
    assert "RestrictRealtime" not in settings
    assert {name: settings[name] for name in (
        "IPAddressDeny", "CapabilityBoundingSet", "DynamicUser", "LimitRTPRIO",
        "NoNewPrivileges", "PrivateDevices", "RuntimeMaxSec")} == {
            "IPAddressDeny": "any", "CapabilityBoundingSet": "",
            "DynamicUser": "yes", "LimitRTPRIO": "97",
            "NoNewPrivileges": "yes", "PrivateDevices": "yes",
            "RuntimeMaxSec": "1h"}
    socket_unit = units.settings("twowaytest.socket")
    assert socket_unit["Accept"] == "yes"
    assert socket_unit["MaxConnections"] == "1"
    assert socket_unit["ListenStream"] == "127.0.0.1:20110"


def test_socket_unit(run):
    """Started by systemd's own program as the units have it started."""
    units.require("systemd-socket-activate")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    with subprocess.Popen(
            ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", "--inetd",
             "-a", twowaytest.binary(), "--far"], text=True,
            stderr=subprocess.PIPE) as manager:
        assert "Listening" in manager.stderr.readline()
        where = f"--connect=127.0.0.1:{port}"
        for transport in "tcp", "udp":
            done = run(where, *QUICK, "-l", 30, f"--transport={transport}")
            assert (done.returncode, done.stderr) == (0, "")
        done = run(where, *QUICK, "-l", 5, "--load=command:id",
                   "--load-side=server")
        assert done.returncode == 1
        assert "nobody may ask for this without a login" in done.stderr
        manager.kill()
        manager.stderr.read()
