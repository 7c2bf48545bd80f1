# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server as on two hosts, and one of their processes ends amid a
run: the other host names it, keeps what it has, and leaves nothing."""

import contextlib
import os
import re
import select
import signal
import socket

import pytest

import hosts
import outside

RUN = ("--default-system", "-q", "-i", 1000, "--json=json")

# With datagrams, a reply that does not come ends no wait of the client.
OVER = {"tcp": ("--transport=tcp",),
        "udp": ("--transport=udp", "--timeout=100000")}


@pytest.fixture(params=["tcp", "udp"])
def both(request, start, serve, tmp_path):
    """A server, its client amid a run of two pairs, and their sides."""
    server = serve()
    client = start(*RUN, *OVER[request.param], "-t2",
                   f"--connect={server.where}")
    clients, servers = hosts.steady(client, server, pairs=2)
    return server, client, clients, servers, tmp_path / "json"


def check_kept(client, path, *says, peer=True):
    """The client has failed, told why in one line, and kept its results."""
    assert client.finish(hosts.PATIENCE_S) == 1
    assert client.gone(hosts.PATIENCE_S)
    assert client.err.startswith("twowaytest: "), client.err
    assert client.err.count("\n") == 1, client.err
    for words in says:
        assert words in client.err
    json = hosts.results(path.read_text())
    assert json["return_code"] == 1
    assert json["twoway"]["cycles"] > 0
    assert json["twoway"]["error"] == \
        client.err.removeprefix("twowaytest: ").strip()
    assert (json["twoway"]["peer"]["host"] is not None) == peer
    return json


def serves_on(run, server):
    """The next client is served as if nothing had been."""
    server.idle()
    result = run(*RUN, f"--connect={server.where}", "-l", 10)
    assert (result.returncode, result.stderr) == (0, "")
    assert server.stop() == 0
    assert not server.run.err


def test_client_is_killed(both, run):
    """Main, and with it all of the client's processes."""
    server, client, _, _, _ = both
    os.kill(client.pid, signal.SIGKILL)
    assert client.gone(hosts.PATIENCE_S)
    assert "the client: it closed the connection" in server.line("; ")
    serves_on(run, server)


def test_side_of_the_client_is_killed(both, run):
    server, client, clients, _, path = both
    os.kill(clients[1], signal.SIGKILL)
    check_kept(client, path, "client", "signal 9 (Killed)")
    serves_on(run, server)


@pytest.mark.parametrize("number", [0, 1])
def test_server_process_is_killed(both, run, number):
    """The client hears from the other host what befell it."""
    server, client, _, servers, path = both
    os.kill(servers[number], signal.SIGKILL)
    check_kept(client, path, f"the server on {server.where}: ",
               "server", "signal 9 (Killed)")
    assert "signal 9 (Killed)" in server.line("; ")
    serves_on(run, server)


def test_session_is_killed(both, run):
    """Its servers go with it."""
    server, client, _, servers, path = both
    session, = server.sessions()
    os.kill(session, signal.SIGKILL)
    check_kept(client, path, f"the server on {server.where} ", peer=False)
    assert outside.wait_for(
        lambda: not any(map(outside.alive, servers)), hosts.PATIENCE_S)
    serves_on(run, server)


def test_listening_process_is_killed(both):
    """Nothing of the server is left."""
    server, client, _, _, path = both
    server.run.signal(signal.SIGKILL)
    assert server.run.gone(hosts.PATIENCE_S), server.run.processes()
    check_kept(client, path, f"the server on {server.where} ", peer=False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT,
                                    signal.SIGHUP])
def test_server_is_ended(both, number):
    server, client, _, _, path = both
    assert server.stop(number) == 0
    assert not server.run.err
    check_kept(client, path, f"the server on {server.where}: it was stopped "
               "there by signal 15 (Terminated)")


def test_session_is_stopped_and_continues(both, run):
    """A pause is no end."""
    server, client, _, _, _ = both
    session, = server.sessions()
    os.kill(session, signal.SIGSTOP)
    os.kill(session, signal.SIGCONT)
    client.signal(signal.SIGINT)
    assert client.finish(hosts.PATIENCE_S) == 0
    serves_on(run, server)


def one_run(control):
    """A whole run of a client that we are, of no requests; what is left is to
    ask for the next one."""
    control.sendall(hosts.hello())
    assert hosts.next_frame(control)[0] == hosts.HELLO
    control.sendall(hosts.frame(hosts.RUN, hosts.keys(**hosts.ASKED)))
    kind, text = hosts.next_frame(control)
    assert kind == hosts.GRANT, text
    grant = dict(line.split("=") for line in text.splitlines())
    with hosts.call(int(grant["port.0"])) as measuring:
        measuring.sendall(bytes.fromhex(grant["cookie"]) + bytes(8))
        assert hosts.next_frame(control)[0] == hosts.START
        control.sendall(hosts.frame(hosts.STOP, b"why=\n"))
        for _ in range(2):
            assert hosts.next_frame(control)[0] == hosts.RESULT


def check_stopped(control, number):
    """It says why it ends, and does."""
    assert hosts.next_frame(control) == (
        hosts.STOP, f"why=it was stopped there by signal {number} "
        f"({signal.strsignal(number)})\n")
    with contextlib.suppress(ConnectionError):
        assert control.recv(1) == b""


def test_server_ends_between_two_runs(serve):
    """The session heeds the signal: nobody has to kill it."""
    server = serve()
    with hosts.call(server.port) as control:
        one_run(control)
        server.run.signal(signal.SIGINT)
        check_stopped(control, signal.SIGTERM)
        assert server.stop() == 0
    assert not server.run.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stdio_ends_between_two_runs(start, number):
    hosts.skip_if_emulated()
    ours, its = socket.socketpair()
    with ours, its:
        process = start("--server=stdio", stdin=its, stdout=its)
        its.close()
        ours.settimeout(hosts.PATIENCE_S)
        one_run(ours)
        process.signal(number)
        check_stopped(ours, number)
        assert process.process.wait(hosts.PATIENCE_S) == 0
    assert process.gone(hosts.PATIENCE_S)


def test_stdio_ends_before_its_client_speaks(start):
    hosts.skip_if_emulated()
    ours, its = socket.socketpair()
    with ours, its:
        process = start("--server=stdio", "--default-system", stdin=its,
                        stdout=its)
        its.close()
        ours.settimeout(hosts.PATIENCE_S)
        ours.sendall(hosts.hello())
        assert hosts.next_frame(ours)[0] == hosts.HELLO
        process.signal(signal.SIGTERM)
        assert process.finish(hosts.PATIENCE_S) == 0
    assert not process.err
    assert process.gone(hosts.PATIENCE_S)


def test_server_has_ended_before_the_next_run(run):
    """What it said is read, though it can be asked no more."""
    hosts.skip_if_emulated()
    said = hosts.hello() + hosts.frame(
        hosts.STOP, b"why=it was stopped there by signal 15 (Terminated)\n")
    octal = "".join(f"\\{byte:03o}" for byte in said)
    result = run(*RUN, "--connect=127.0.0.1",
                 f"--rsh=head -c {len(hosts.hello())} >/dev/null; exec <&-; "
                 f"printf '{octal}' #")
    assert result.returncode == 1 and not result.files
    assert result.stderr == "twowaytest: the server on 127.0.0.1: it was " \
        "stopped there by signal 15 (Terminated)\n"


def test_clients_one_after_another(run, serve):
    """None has to wait for the server itself, and none is told of others."""
    server = serve()
    for _ in range(12):
        result = run(*RUN, f"--connect={server.where}", "-l", 3)
        assert (result.returncode, result.stderr) == (0, "")


def ask(server):
    """A client that has asked for a run."""
    control = hosts.call(server.port)
    control.sendall(hosts.hello() + hosts.frame(
        hosts.RUN, hosts.keys(**hosts.ASKED)))
    assert hosts.next_frame(control)[0] == hosts.HELLO
    return control


def test_clients_that_are_there_ask_in_turn(serve):
    """Each gets an answer of its own."""
    server = serve("--sessions=2")
    with hosts.call(server.port) as one, hosts.call(server.port) as other:
        for control in (one, other):
            control.sendall(hosts.hello())
            assert hosts.next_frame(control)[0] == hosts.HELLO
        for control in (one, other):
            control.sendall(hosts.frame(hosts.RUN, hosts.keys(**hosts.ASKED)))
            assert hosts.next_frame(control)[0] == hosts.GRANT


def answer_while_one_ends(server):
    """What a client is answered whose forerunner has gone, but whose session
    still is to end."""
    with hosts.call(server.port) as control:
        one_run(control)
        session, = server.sessions()
        os.kill(session, signal.SIGSTOP)
    try:
        with ask(server) as control:
            early = select.select([control], [], [], 0.1)[0]
            os.kill(session, signal.SIGCONT)
            kind, _ = hosts.next_frame(control)
            assert not early or kind != hosts.GRANT
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(session, signal.SIGCONT)
    server.idle()
    return kind


def test_client_comes_while_a_session_ends(serve):
    """It waits a little: less than a slow machine may need, so several try."""
    server = serve()
    answers = []
    while len(answers) < 20 and hosts.GRANT not in answers:
        answers.append(answer_while_one_ends(server))
    assert answers[-1] == hosts.GRANT, answers
    assert set(answers[:-1]) <= {hosts.BUSY}


def test_no_more_runs_for_those_who_wait(serve):
    server = serve("--runs=1")
    with hosts.call(server.port) as first:
        first.sendall(hosts.hello() + hosts.frame(
            hosts.RUN, hosts.keys(**hosts.ASKED)))
        assert hosts.next_frame(first)[0] == hosts.HELLO
        assert hosts.next_frame(first)[0] == hosts.GRANT
        with ask(server) as second:
            first.close()
            kind, text = hosts.next_frame(second)
    # On a slow machine, it has waited for long enough before.
    assert (kind, text) in (
        (hosts.REFUSE, "text=it was stopped, or has done all its runs\n"),
        (hosts.BUSY, "text=another test is under way; try again later\n"))
    assert server.run.finish(hosts.PATIENCE_S) == 0


def test_server_ends_while_somebody_waits(start, serve):
    server = serve()
    client = start(*RUN, f"--connect={server.where}")
    hosts.steady(client, server)
    with ask(server) as control:
        assert server.stop() == 0
        assert hosts.next_frame(control)[0] in (hosts.REFUSE, hosts.BUSY)


def test_server_ends_while_nobody_is_there(serve):
    server = serve()
    assert server.stop() == 0
    assert (server.lines(), server.run.err) == ([], "")


def test_run_takes_too_long(run, serve):
    server = serve("--max-time=1")
    result = run(*RUN, f"--connect={server.where}")
    assert result.returncode == 1
    assert result.stderr == f"twowaytest: the server on {server.where}: " \
        "the run took longer than it allows: up to 1 s (--max-time there)\n"
    json = hosts.results(result.text("json"))
    assert json["twoway"]["cycles"] > 0
    assert json["twoway"]["peer"]["servers"]["requests"][0] > 0
    assert server.line("; ").endswith("up to 1 s (--max-time there)")
    serves_on(run, server)


def test_warmup_is_a_part_of_the_time(run, serve):
    """The client says how long that is: the operator's limit holds."""
    server = serve("--max-time=1")
    result = run("--default-system", "-q", f"--connect={server.where}",
                 "-i", 1000, "--warmup=20000", "-l", 5)
    assert result.returncode == 1
    told = server.line("; ")
    assert told.endswith("up to 1 s (--max-time there)")
    assert int(re.search(r"(\d+) requests", told)[1]) < 10000


def test_client_sends_too_fast(run, serve):
    """A closed loop is what timers cannot tell before."""
    server = serve("--max-rate=1000")
    result = run("--default-system", "-q", "--json=json", "-i", 0,
                 "--sleep=0", f"--connect={server.where}", "-D", 20)
    assert result.returncode == 1
    assert result.stderr == f"twowaytest: the server on {server.where}: " \
        "the client sent more than 1000 requests a second (--max-rate " \
        "there)\n"
    json = hosts.results(result.text("json"))
    assert 200 < json["twoway"]["cycles"] < 2000
    assert server.line("; ")
    serves_on(run, server)


def test_next_step_is_refused(run, serve):
    """What was measured before stays."""
    server = serve("--max-pairs=2")
    result = run(*RUN, f"--connect={server.where}", "-l", 20, "--ramp=pairs",
                 "--steps=3")
    assert result.returncode == 1
    assert "--threads=3 is more than it allows: up to 2 (--max-pairs there)" \
        in result.stderr
    json = hosts.results(result.text("json"))
    assert [step["pairs"] for step in json["twoway"]["steps"]] == [1, 2]
    serves_on(run, server)
