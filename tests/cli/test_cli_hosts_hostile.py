# SPDX-License-Identifier: GPL-2.0-or-later
"""What contrib/security.md says of hostile clients and of names of hosts."""

import os
import socket
import struct
import subprocess
import time

import pytest

import hosts
import twoway

PATIENCE_S = 20
HELLO, RUN, GRANT, REFUSE, _, START, STOP, RESULT = range(1, 9)
ASKED = {**hosts.ASKED, "transport": "udp"}


@pytest.fixture(name="serve")
def fixture_serve():
    """Starts servers; returns their ports."""
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator lacks what servers for other hosts need")
    started = []

    def serve(*options, before=()):
        with socket.socket() as test:
            test.bind(("127.0.0.1", 0))
            port = test.getsockname()[1]
        words = [*before, twoway.binary(), f"--server=:{port}", *options]
        server = subprocess.Popen(words, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        started.append(server)
        assert server.stdout.readline().startswith("# Listening on ")
        return port

    yield serve
    for server in started:
        server.terminate()
        try:
            server.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()
            raise


class Client:
    """A client that says what it wants."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port),
                                               PATIENCE_S)
        self.send(HELLO, version_min=1, version_max=1)
        assert self.receive()[0] == HELLO

    def send(self, kind, **values):
        body = "".join(f"{key}={value}\n" for key, value in values.items())
        self.socket.sendall(struct.pack(">2sBxI", b"TW", kind, len(body)) +
                            body.encode())

    def take(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            assert piece, "closed"
            data += piece
        return data

    def receive(self):
        _, kind, length = struct.unpack(">2sBxI", self.take(8))
        lines = self.take(length).decode().splitlines()
        return kind, dict(line.split("=", 1) for line in lines)

    def ask(self, **changes):
        self.send(RUN, **{**ASKED, **changes})
        return self.receive()

    def greet(self, granted, greeting=None, source="127.0.0.1"):
        """A socket of UDP that has the cookie."""
        measuring = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        measuring.bind((source, 0))
        measuring.connect(("127.0.0.1", int(granted["port.0"])))
        measuring.send(greeting or
                       bytes.fromhex(granted["cookie"]) + bytes(8))
        return measuring


def test_replies_go_to_the_client_only(serve):
    """Who is allowed cannot have them sent to somebody else."""
    client = Client(serve())
    kind, granted = client.ask()
    assert kind == GRANT
    with client.greet(granted, source="127.0.0.2"):
        kind, why = client.receive()
    assert kind == STOP and "connections of its 1 pairs" in why["why"]


@pytest.mark.parametrize("size", [8, 23, 24, 25, 1000])
def test_greeting_that_comes_again(serve, size):
    """A slow server gets it more than once: it is no stranger's."""
    client = Client(serve())
    kind, granted = client.ask(size=size)
    assert kind == GRANT
    greeting = bytes.fromhex(granted["cookie"]) + bytes(8)
    greeting += bytes(1) if size == len(greeting) else b""
    with client.greet(granted, greeting) as measuring:
        measuring.settimeout(PATIENCE_S)
        assert client.receive()[0] == START
        for junk in (greeting, greeting, bytes(size + 1),
                     b"\xff" + greeting[1:], greeting):
            assert len(junk) != size
            measuring.send(junk)
        # The answer to this one tells that all before have been read.
        measuring.send(struct.pack(">Q", 1) + bytes(size - 8))
        assert len(measuring.recv(100)) == 40
        client.send(STOP, why="")
        assert client.receive()[0] == RESULT
        kind, result = client.receive()
    assert (kind, result["strangers.0"]) == (RESULT, "2")


@pytest.mark.parametrize("junk", [b"123456789", bytes(8)],
                         ids=["of another size", "of an old number"])
def test_junk_counts(serve, junk):
    """--max-rate also ends a client whose datagrams are no requests."""
    client = Client(serve("--max-rate=2000"))
    kind, granted = client.ask()
    assert kind == GRANT
    with client.greet(granted) as measuring:
        assert client.receive()[0] == START
        client.socket.settimeout(0)
        end = time.monotonic() + PATIENCE_S
        while True:
            assert time.monotonic() < end, "nobody stops it"
            try:
                measuring.send(junk)
            except ConnectionRefusedError:
                break  # the server has gone
            try:
                client.socket.recv(1, socket.MSG_PEEK)
                break
            except BlockingIOError:
                pass
        client.socket.settimeout(PATIENCE_S)
        kind, why = client.receive()
    assert kind == STOP and "more than it had asked for" in why["why"]


@pytest.mark.parametrize("options, kind", [((), REFUSE),
                                           (("--wait=busy",), GRANT)])
def test_busy_poll_is_the_operators(serve, options, kind):
    client = Client(serve(*options))
    got, text = client.ask(busy_poll_us=10)
    assert got == kind
    if kind == REFUSE:
        assert text["text"].startswith("--busy-poll ")


@pytest.mark.parametrize("name", [
    "-oProxyCommand=touch pwned@127.0.0.1", "-F@127.0.0.1",
    "a'; touch pwned; '@127.0.0.1", "$(touch pwned)@127.0.0.1",
    "a b@127.0.0.1"])
def test_name_that_ssh_or_the_shell_would_take(run, name):
    result = run(f"--connect={name}", "--rsh", "-l", 1)
    assert result.returncode == 1 and result.files == set()
    assert result.stderr.startswith(f"twowaytest: --connect={name}: with "
                                    "--rsh, allowed are ")


def test_port_with_rsh(run):
    result = run("--connect=127.0.0.1:22", "--rsh", "-l", 1)
    assert result.returncode == 1
    assert "--rsh='ssh -p PORT HOST'" in result.stderr


def test_a_run_has_to_end(run):
    """0 would be no limit."""
    result = run("--server", "--max-time=0")
    assert result.returncode == 1
    assert result.stderr.startswith("twowaytest: --max-time=0: allowed is ")


def test_operators_options_hold_for_each_run(run, serve):
    """All runs of a session, not only the first."""
    cpu = min(os.sched_getaffinity(0))
    port = serve(f"--server-affinity={cpu}")
    result = run(f"--connect=127.0.0.1:{port}", "-q", "-l", 50, "--steps=3",
                 "--ramp=pairs", "--json=json", timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.json()["twoway"]["peer"]["servers"]["cpus"] == [str(cpu)] * 3


@pytest.mark.parametrize("drop", [False, True])
def test_power_management_of_the_server(run, serve, drop):
    """Its latency, or null if the server may not hold it."""
    if drop:
        if os.geteuid():
            pytest.skip("needs root, to give it up")
        port = serve(before=("setpriv", "--reuid=65534", "--clear-groups"))
    else:
        port = serve()
    result = run(f"--connect=127.0.0.1:{port}", "-q", "-l", 50, "--json=json",
                 timeout=60)
    assert result.returncode == 0, result.stderr
    host = result.json()["twoway"]["peer"]["host"]
    held = not drop and os.access("/dev/cpu_dma_latency", os.W_OK)
    assert host["latency_us"] == (0 if held else None)
    assert not (held and "idle" in host["finding"])
