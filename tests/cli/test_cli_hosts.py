# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server as two programs, as on two hosts: what is measured."""

import os
import signal
import socket

import pytest

import formats
import hosts
import outside

QUICK = ("--default-system", "-q", "-i", 1000, "--json=json", "--dump=dump")


def over(transport):
    """By this one; a busy host must not lose a cycle."""
    return (f"--transport={transport}",
            *(["--timeout=10000000"] if transport == "udp" else ()))


def connect(server):
    return f"--connect={server.where}"


def check_identities(result, pairs=1):
    """network = response - sleep, from the dump to the statistics."""
    json = hosts.results(result.text("json"))
    cycles = result.dump(header=hosts.DUMP_HEADER)
    metrics = json["twoway"]["settings"]["metrics"]
    for number in range(pairs):
        mine = [c for c in cycles if c.pair == number]
        assert len(mine) == json["twoway"]["pairs"][number]["cycles"] > 0
        values = {
            "network": [c.t3_ns - c.t0_ns - (c.t2_ns - c.t1_ns)
                        for c in mine],
            "sleep": [c.t2_ns - c.t1_ns for c in mine],
            "response": [c.t3_ns - c.t0_ns for c in mine]}
        for name, of_cycles in values.items():
            column = number * len(metrics) + metrics.index(name)
            thread = json["thread"][str(column)]
            assert thread["max"] == max(of_cycles) // 1000
            assert thread["min"] == min(of_cycles) // 1000
    return json


@pytest.mark.parametrize("pairs", [1, 3])
@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_measures(run, serve, transport, pairs):
    server = serve()
    result = run(*QUICK, connect(server), "-l", 60, *over(transport),
                 f"-t{pairs}", "--distance=0")
    assert (result.returncode, result.stderr) == (0, "")
    json = check_identities(result, pairs)
    peer = json["twoway"]["peer"]
    assert peer["address"] == server.where
    assert peer["started_by"] is None
    # Warm-up, and what begins the first interval.
    assert all(62 <= count <= 63 for count in peer["servers"]["requests"])
    assert len(peer["servers"]["requests"]) == pairs
    assert peer["host"]["host"] == os.uname().nodename
    assert peer["host"]["kernel"] == os.uname().release
    assert peer["servers"]["policy"] == ["other"] * pairs
    if transport == "udp":
        assert json["twoway"]["datagrams"]["sent"] == 60 * pairs
        assert json["twoway"]["datagrams"]["lost"] == 0
        assert peer["servers"]["retransmitted"] == [-1] * pairs
        # The counts begin after the warm-up.
        assert peer["servers"]["taken"] == [60] * pairs
    assert f"\n# Server: {server.where}, host {os.uname().nodename}, " \
        in result.stdout
    server.idle()
    line, = server.lines()
    assert f": {pairs} pair{'s' * (pairs > 1)}, {transport}, priority 0, " \
        in line
    assert server.stop() == 0
    assert not server.run.err


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ipv6(run, serve, transport):
    try:
        hosts.free_port("::1")
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    server = serve(address="::1")
    result = run(*QUICK, connect(server), "-l", 20, *over(transport))
    assert (result.returncode, result.stderr) == (0, "")
    json = check_identities(result)
    assert json["twoway"]["settings"]["address"] == "::1"


def test_steps(run, serve):
    """Each step is a run of its own there, in one session."""
    server = serve("--runs=2")
    result = run(*QUICK, connect(server), "-l", 30, "--load=fft", "--steps=2",
                 "-t2")
    assert (result.returncode, result.stderr) == (0, "")
    json = hosts.results(result.text("json"))
    assert len(json["twoway"]["steps"]) == 2
    assert json["twoway"]["pairs"][0]["cycles"] == 60
    assert server.run.finish(hosts.PATIENCE_S) == 0
    assert len(server.lines()) == 2


def test_ramp_of_pairs(run, serve):
    server = serve()
    result = run(*QUICK, connect(server), "-l", 20, "--ramp=pairs",
                 "--steps=3")
    assert (result.returncode, result.stderr) == (0, "")
    json = hosts.results(result.text("json"))
    assert [step["pairs"] for step in json["twoway"]["steps"]] == [1, 2, 3]
    server.idle()
    assert [line.split(": ")[1].split(",")[0] for line in server.lines()] \
        == ["1 pair", "2 pairs", "3 pairs"]


def test_histogram(run, serve):
    server = serve()
    result = run(*QUICK, connect(server), "-l", 50, "-h", 400)
    assert (result.returncode, result.stderr) == (0, "")
    histogram = formats.parse_histogram(result.stdout)
    json = hosts.results(result.text("json"))
    assert histogram.values["Metrics"] == \
        json["twoway"]["settings"]["metrics"]


def test_limit(run, serve):
    server = serve()
    for most, status in ((10 ** 9, 0), (0, 2)):
        result = run(*QUICK, connect(server), "-l", 20,
                     f"--limit=network:{most}")
        server.idle()
        limit, = hosts.results(result.text("json"))["twoway"]["limits"]
        assert (result.returncode, limit["metric"]) == (status, "network")
        assert limit["verdict"] == ("exceeded" if status else "met")


def test_metrics_of_one_clock(run, serve):
    """What needs one time scale is refused, before anybody is asked."""
    for words in (("--metrics=send",), ("--limit=receive:9",),
                  ("-b", 9, "--break-on=send"), ("--total=trltp3",)):
        result = run(*QUICK, "--connect=127.0.0.1:1", "-l", 20, *words)
        assert result.returncode == 1 and not result.files
        assert words[-1].partition(":")[0] in result.stderr


def test_settings_of_the_client(run, serve):
    """As the server's host has understood them."""
    server = serve("--max-rate=100000", "--wait=busy")
    result = run(*QUICK, connect(server), "-l", 20, "--size=777",
                 "--sleep=50", "--warmup=7", "--wait=busy",
                 "--clock=boottime", "--policy=batch", "--dscp=34",
                 "--quickack")
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    asked = peer["asked"]
    assert {name: asked[name] for name in (
        "size", "sleep_us", "warmup", "wait", "clock", "policy", "dscp",
        "quickack", "transport")} == {
        "size": 777, "sleep_us": 50, "warmup": 7, "wait": "busy",
        "clock": "boottime", "policy": "batch", "dscp": 34, "quickack": True,
        "transport": "tcp"}
    assert peer["granted"]["policy"] == "batch"
    assert peer["servers"]["policy"] == ["batch"]
    assert 27 <= peer["servers"]["requests"][0] <= 28


def test_affinity_of_the_server(run, serve):
    cpu = max(os.sched_getaffinity(0))
    server = serve(f"--server-affinity={cpu}")
    result = run(*QUICK, connect(server), "-l", 20)
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    assert peer["servers"]["cpus"] == [str(cpu)]


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_port(run, serve, transport):
    """Where the operator wants to be measured."""
    port = hosts.free_port()
    server = serve(f"--port={port}")
    result = run(*QUICK, connect(server), "-l", 20, *over(transport))
    assert (result.returncode, result.stderr) == (0, "")
    json = hosts.results(result.text("json"))
    assert json["twoway"]["settings"]["port"] == port


def test_as_fast_as_allowed(run, serve):
    """What was granted is not ended as too fast."""
    server = serve("--max-rate=2500")
    result = run("--default-system", "-q", connect(server), "-l", 1500,
                 "-t2", "-i", "500,2000", "--json=json")
    assert (result.returncode, result.stderr) == (0, "")
    assert hosts.results(result.text("json"))["twoway"]["cycles"] > 1500


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_client_is_interrupted(start, serve, tmp_path, number):
    server = serve()
    client = start(*QUICK, connect(server))
    hosts.steady(client, server)
    client.signal(number)
    assert client.finish() == 0
    assert not client.err
    json = hosts.results((tmp_path / "json").read_text())
    assert json["twoway"]["interrupted"]
    assert json["twoway"]["peer"]["host"] is not None
    server.idle()
    assert "; " not in server.lines()[0]


def test_two_sessions(start, serve, tmp_path):
    server = serve("--sessions=2")
    clients = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        clients.append(start("--default-system", "-q", connect(server),
                             f"--json={name}/json"))
    assert outside.wait_for(lambda: len(server.sessions()) == 2 and
                            len(server.sides()) == 2, hosts.PATIENCE_S)
    third = start("--default-system", "-q", connect(server), "-l", 5)
    assert third.finish() == 1
    assert third.err == f"twowaytest: the server on {server.where}: " \
        "another test is under way; try again later\n"
    for client in clients:
        assert outside.wait_for(lambda: any(
            outside.switches(pid) > outside.STEADY_SWITCHES
            for pid in client.named("twoway-client")), hosts.PATIENCE_S)
        client.signal(signal.SIGINT)
        assert client.finish() == 0
    for name in ("one", "two"):
        hosts.results((tmp_path / name / "json").read_text())


def test_busy(start, run, serve):
    server = serve()
    client = start("--default-system", "-q", connect(server))
    hosts.steady(client, server)
    result = run(*QUICK, connect(server), "-l", 5)
    assert result.returncode == 1 and not result.stdout
    assert result.stderr == f"twowaytest: the server on {server.where}: " \
        "another test is under way; try again later\n"
    client.signal(signal.SIGINT)
    assert client.finish() == 0
    server.idle()
    assert run(*QUICK, connect(server), "-l", 5).returncode == 0


def test_runs(run, serve):
    """Those that were refused are none."""
    server = serve("--runs=2", "--max-pairs=1")
    assert run(*QUICK, connect(server), "-l", 5).returncode == 0
    server.idle()
    assert run(*QUICK, connect(server), "-l", 5, "-t2").returncode == 1
    server.idle()
    assert server.run.process.poll() is None
    assert run(*QUICK, connect(server), "-l", 5).returncode == 0
    assert server.run.finish(hosts.PATIENCE_S) == 0
    assert len(server.lines()) == 2
    with pytest.raises(OSError):
        hosts.call(server.port)


def test_runs_of_one_client(run, serve):
    """Each step is a run: no more than were allowed."""
    server = serve("--runs=2")
    result = run(*QUICK, connect(server), "-l", 5, "--ramp=pairs",
                 "--steps=3")
    assert result.returncode == 1
    assert server.run.finish(hosts.PATIENCE_S) == 0
    assert len(server.lines()) == 2


def test_privileges(run, serve):
    """A server that root has started is root no more."""
    if os.geteuid():
        pytest.skip("needs root")
    server = serve()
    assert outside.status(server.run.pid, "Uid").split() == ["65534"] * 4
    assert outside.status(server.run.pid, "Gid").split() == ["65534"] * 4
    assert outside.status(server.run.pid, "Groups") == ""
    assert outside.status(server.run.pid, "NoNewPrivs") == "1"
    # At the most CAP_IPC_LOCK: it gives no real-time priorities.
    kept = int(outside.status(server.run.pid, "CapPrm"), 16)
    assert kept in (0, 1 << 14)
    with pytest.raises(OSError):
        with socket.create_server(("127.0.0.1", server.port)):
            pass


RSH = ("--default-system", "-q", "-i", 1000, "--json=json", "--dump=dump",
       "--connect=127.0.0.1")


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_rsh(run, tmp_path, transport):
    hosts.skip_if_emulated()
    env = {"PATH": hosts.local_program(tmp_path)}
    result = run(*RSH, "--rsh=env LC_ALL=C", "-l", 30, *over(transport),
                 "-t2", env=env)
    assert (result.returncode, hosts.complaints(result.stderr)) == (0, "")
    json = check_identities(result, 2)
    assert json["twoway"]["peer"]["started_by"] == "rsh"


def test_rsh_is_ssh(run, tmp_path):
    """By default ssh HOST, of which a stand-in tells its words."""
    hosts.skip_if_emulated()
    env = {"PATH": hosts.local_program(tmp_path)}
    ssh = tmp_path / "bin" / "ssh"
    ssh.write_text("#!/bin/sh\necho \"$@\" >ssh-words\nshift\nexec \"$@\"\n")
    ssh.chmod(0o755)
    result = run(*RSH[:-1], "--connect=somebody@127.0.0.1", "--rsh", "-l", 20,
                 env=env)
    assert (result.returncode, hosts.complaints(result.stderr)) == (0, "")
    assert result.text("ssh-words") == \
        "somebody@127.0.0.1 twowaytest --server=stdio\n"
    hosts.results(result.text("json"))


@pytest.mark.parametrize("command, says", [
    ("exit 3;", "the command that starts the server ended with status 3 "
     "before the server answered; is twowaytest in the PATH of 127.0.0.1?"),
    ("no-such-command 2>/dev/null", "ended with status 127 "),
    ("echo Welcome; cat >/dev/null #", "what came in place of its HELLO is "
     "not of this protocol; it may be another program")])
def test_rsh_fails(run, command, says):
    hosts.skip_if_emulated()
    result = run(*RSH, f"--rsh={command}", "-l", 20)
    assert result.returncode == 1 and not result.files
    assert says in result.stderr
    assert hosts.complaints(result.stderr).count("\n") == 1


def test_rsh_hangs(start, tmp_path):
    """Whoever waits for a password can be interrupted; nothing is left."""
    hosts.skip_if_emulated()
    client = start(*RSH, "--rsh=touch begun; exec sleep 1000 #")
    assert outside.wait_for((tmp_path / "begun").exists, hosts.PATIENCE_S)
    client.signal(signal.SIGINT)
    assert client.finish() == 1
    assert "a signal came before its HELLO" in client.err
    assert client.gone(hosts.PATIENCE_S)


def test_rsh_client_is_killed(start, tmp_path):
    """The far program ends as its input does."""
    hosts.skip_if_emulated()
    env = {"PATH": hosts.local_program(tmp_path)}
    client = start(*RSH, "--rsh=env", env=env)
    assert outside.wait_for(
        lambda: client.named("twoway-server") and
        outside.switches(client.named("twoway-server")[0]) >
        outside.STEADY_SWITCHES, hosts.PATIENCE_S)
    os.kill(client.pid, signal.SIGKILL)
    assert client.gone(hosts.PATIENCE_S)


def test_stdio_by_hand(start):
    """What it writes is the protocol; it ends as its input does."""
    hosts.skip_if_emulated()
    ours, its = socket.socketpair()
    with ours, its:
        process = start("--server=stdio", stdin=its, stdout=its)
        its.close()
        ours.settimeout(hosts.PATIENCE_S)
        ours.sendall(hosts.hello())
        assert hosts.next_frame(ours) == (
            hosts.HELLO, "version_min=1\nversion_max=1\n")
        ours.shutdown(socket.SHUT_WR)
        assert process.process.wait(hosts.PATIENCE_S) is not None
    assert process.gone(hosts.PATIENCE_S)


