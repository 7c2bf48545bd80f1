# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts that are network namespaces of this one."""

import itertools
import os
import shlex
import shutil
import signal
import subprocess

import pytest

import hosts
import outside
import sshd
import twoway

FAR, NEAR = "10.77.31.1", "10.77.31.2"
NUMBERS = itertools.count()
QUICK = ("--default-system", "-q", "-i", 1000, "--json=json", "--dump=dump")

# Until a host that is gone is named: TW_ALIVE_S, what the kernel takes to
# find out, and the end of a client that waits for a reply.
GONE_S = 40


def command(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=20,
                          check=False)
    if done.returncode:
        raise OSError(f"{shlex.join(words)}: {done.stderr.strip()}")


class Net:
    """Two namespaces, joined by a cable."""

    def __init__(self):
        stem = f"twoway-{os.getpid()}-{next(NUMBERS)}"
        self.near, self.far = f"{stem}-near", f"{stem}-far"
        self.made = []

    def open(self):
        for name in self.near, self.far:
            command("ip", "netns", "add", name)
            self.made.append(name)
            command("ip", "-n", name, "link", "set", "lo", "up")
        command("ip", "-n", self.near, "link", "add", "cable", "type",
                "veth", "peer", "name", "cable", "netns", self.far)
        for name, address in ((self.near, NEAR), (self.far, FAR)):
            command("ip", "-n", name, "address", "add", f"{address}/24",
                    "dev", "cable")
            self.cable("up", name)

    def cable(self, state, name=None):
        command("ip", "-n", name or self.far, "link", "set", "cable", state)

    def mend(self):
        """As before it was pulled: nobody remembers that it was."""
        self.cable("up")
        for name in self.near, self.far:
            assert outside.wait_for(lambda: "LOWER_UP" in subprocess.run(
                ["ip", "-n", name, "link", "show", "cable"], check=True,
                capture_output=True, text=True).stdout, 10)
            command("ip", "-n", name, "neighbour", "flush", "dev", "cable")

    def inside(self, name):
        """Words before a command."""
        return "ip", "netns", "exec", name

    def close(self):
        for name in self.made:
            command("ip", "netns", "delete", name)


@pytest.fixture
def net():
    if not shutil.which("ip"):
        pytest.skip("needs ip, of iproute2")
    result = Net()
    try:
        try:
            result.open()
        except OSError as error:
            pytest.skip(f"no network namespaces here: {error}")
        yield result
    finally:
        result.close()


@pytest.fixture
def far(net):
    """Starts the server on the far host; it ends with the test."""
    running = []

    def serve(*options, before=()):
        server = hosts.Server(
            f"--allow={NEAR}", *options, address=FAR, port=20110,
            before=(*net.inside(net.far), *before))
        running.append(server)
        server.listens()
        return server

    yield serve
    for server in running:
        server.end()


@pytest.fixture
def near(net, start, tmp_path):
    """Starts a client on the near host."""
    def client(*words, **options):
        ip, *inside = net.inside(net.near)
        return start(*inside, twoway.binary(), *QUICK, *words, program=ip,
                     cwd=tmp_path, **options)

    client.directory = tmp_path
    return client


def results(client):
    return hosts.results((client.directory / "json").read_text())


def over(transport):
    return (f"--transport={transport}",
            *(["--timeout=10000000"] if transport == "udp" else ()))


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_measures(far, near, transport):
    server = far("--priority=40")
    client = near(f"--connect={FAR}", "-t2", "-p", 41, "-m", "-l", 50,
                  *over(transport))
    assert client.finish(hosts.PATIENCE_S) == 0, client.err
    assert not client.err
    json = results(near)
    peer = json["twoway"]["peer"]
    assert peer["servers"]["priority"] == [40, 40]
    assert peer["servers"]["locked"] == [True, True]
    assert json["twoway"]["settings"]["address"] == FAR
    cycles = twoway.read_dump(near.directory / "dump", hosts.DUMP_HEADER)
    assert [cycle.pair for cycle in cycles].count(1) == \
        json["twoway"]["pairs"][1]["cycles"] > 0
    server.idle()
    line, = server.lines()
    assert line.startswith(f"{NEAR}:")


def test_strangers_of_the_network(net, far, near):
    """Who is not allowed, and a server that nobody is allowed to ask."""
    server = far()
    for verb, address in (("delete", NEAR), ("add", "10.77.31.9")):
        command("ip", "-n", net.near, "address", verb, f"{address}/24",
                "dev", "cable")
    client = near(f"--connect={FAR}", "-l", 5)
    assert client.finish(hosts.PATIENCE_S) == 1
    assert "it closed the connection; has it --allow for this host?" in \
        client.err
    assert server.stop() == 0
    assert "# Connections closed, not allowed: 1" in server.lines()


def test_all_may_connect_is_refused(net, start):
    ip, *inside = net.inside(net.far)
    server = start(*inside, twoway.binary(), f"--server={FAR}", program=ip)
    assert server.finish(hosts.PATIENCE_S) == 1
    assert server.err.startswith(f"twowaytest: --server={FAR}: ")
    assert "--allow=192.0.2.0/24" in server.err


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_cable_is_pulled(net, far, near, transport):
    """Both hosts notice, name it, and keep what they have."""
    server = far()
    client = near(f"--connect={FAR}", f"--transport={transport}", "-t2")
    hosts.steady(client, server, pairs=2)
    net.cable("down")
    assert client.finish(GONE_S) == 1
    assert client.gone(hosts.PATIENCE_S)
    assert client.err.count("\n") == 1
    assert client.err.startswith(f"twowaytest: the server on {FAR} ")
    assert "is the host or the link down?" in client.err
    json = results(near)
    assert json["twoway"]["cycles"] > 0
    assert json["twoway"]["peer"]["host"] is None
    assert outside.wait_for(lambda: server.lines(), GONE_S)
    server.idle()
    net.mend()
    client = near(f"--connect={FAR}", "-l", 5)
    assert client.finish(hosts.PATIENCE_S) == 0, client.err
    assert server.stop() == 0


def test_pause_of_the_cable(net, far, near):
    """A second without is no end of a run by TCP."""
    server = far()
    client = near(f"--connect={FAR}")
    hosts.steady(client, server)
    net.cable("down")
    assert not outside.wait_for(
        lambda: client.process.poll() is not None, 1)
    net.cable("up")
    before = outside.switches(server.sides()[0])
    assert outside.wait_for(lambda: server.sides() and outside.switches(
        server.sides()[0]) > before + 30, GONE_S)
    client.signal(signal.SIGINT)
    assert client.finish(hosts.PATIENCE_S) == 0, client.err
    json = results(near)
    assert json["twoway"]["missed"] > 500


def test_another_time(far, near):
    """Clocks 1,000 s apart: each metric is of one of them."""
    before = ("unshare", "-T", "--monotonic", "1000", "--boottime", "1000")
    if subprocess.run([*before, "true"], check=False,
                      capture_output=True).returncode:
        pytest.skip("no time namespaces here")
    far(before=before)
    client = near(f"--connect={FAR}", "-l", 100)
    assert client.finish(hosts.PATIENCE_S) == 0, client.err
    json = results(near)
    cycles = twoway.read_dump(near.directory / "dump", hosts.DUMP_HEADER)
    assert len(cycles) == 100
    for cycle in cycles:
        assert 999e9 < cycle.t1_ns - cycle.t0_ns < 1010e9
    for thread in json["thread"].values():
        assert 0 <= thread["min"] <= thread["max"] < 10 ** 7


@pytest.fixture
def ssh(net):
    """The command that logs in on the far host."""
    with sshd.serving(FAR, net.inside(net.far)) as login:
        yield login


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ssh(near, ssh, tmp_path, transport):
    """A login starts the server, with the rights of that user."""
    path = hosts.local_program(tmp_path)
    client = near(f"--connect={FAR}", f"--rsh={ssh} env PATH={path}",
                  "-p", 50, "-t2", "-l", 50, *over(transport))
    assert client.finish(hosts.PATIENCE_S) == 0, client.err
    json = results(near)
    peer = json["twoway"]["peer"]
    assert peer["started_by"] == "rsh"
    assert peer["servers"]["priority"] == [49, 49]
    assert client.gone(hosts.PATIENCE_S)


def test_ssh_client_is_killed(net, near, ssh, tmp_path):
    """The connection ends, and with it the far side."""
    path = hosts.local_program(tmp_path)
    client = near(f"--connect={FAR}", f"--rsh={ssh} env PATH={path}")
    far_side = outside.wait_for(
        lambda: [pid for pid in map(int, subprocess.run(
            ["ip", "netns", "pids", net.far], text=True, check=True,
            capture_output=True).stdout.split())
            if outside.read(f"/proc/{pid}/comm").strip() ==
            "twoway-server"], hosts.PATIENCE_S)
    assert far_side, client.err
    os.kill(client.pid, signal.SIGKILL)
    assert outside.wait_for(
        lambda: not any(map(outside.alive, far_side)), hosts.PATIENCE_S)
    assert client.gone(hosts.PATIENCE_S)


def test_ssh_refuses(near, ssh, tmp_path):
    """What ssh says reaches the user."""
    client = near(f"--connect={FAR}",
                  f"--rsh={ssh.replace('ssh -F', 'ssh -l nobody -F')}")
    assert client.finish(hosts.PATIENCE_S) == 1
    assert "Permission denied" in client.err
    assert "the command that starts the server ended with status 255 " \
        "before the server answered" in client.err
    assert not (tmp_path / "json").exists()
