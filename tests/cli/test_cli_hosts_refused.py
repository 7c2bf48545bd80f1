# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server as on two hosts: what either refuses, and strangers."""

import contextlib
import os
import signal
import socket
import threading

import pytest

import hosts
import outside

RUN = ("--default-system", "-q", "-i", 1000, "-l", 20, "--json=json")


def refused(result, *says):
    """One line, and no file."""
    assert result.returncode == 1
    assert not result.stdout and not result.files
    assert result.stderr.startswith("twowaytest: ")
    assert result.stderr.count("\n") == 1, result.stderr
    for words in says:
        assert words in result.stderr


CEILINGS = (
    (("-t3",), "--threads=3 is more than it allows: up to 2 (--max-pairs "),
    (("--size=101",),
     "--size=101 is more than it allows: up to 100 (--max-size there)"),
    (("-i", 999, "-t2", "--distance=0"),
     "2004 requests a second are more than it allows: up to 2000 "
     "(--max-rate there)"),
    (("--wait=busy",), "--wait=busy takes a whole CPU there"),
)


def test_ceilings(run, serve):
    server = serve("--max-pairs=2", "--max-rate=2000", "--max-size=100")
    for words, says in CEILINGS:
        refused(run(*RUN, f"--connect={server.where}", *words),
                f"twowaytest: the server on {server.where}: ", says)
        server.idle()
    assert not server.lines()
    # All at once, as much as is allowed.
    result = run(*RUN, f"--connect={server.where}", "-t2", "--size=100",
                 "--distance=0")
    assert (result.returncode, result.stderr) == (0, "")


def test_priority(run, serve):
    """Less is taken if that was accepted, and the results say so."""
    why = outside.why_not()
    if why:
        pytest.skip(why)
    server = serve()
    connect = f"--connect={server.where}"
    refused(run(*RUN, connect, "-p", 50), "it gives no real-time priorities; "
            "give --accept to measure without, or start the server there "
            "with --priority=49")
    server.idle()
    result = run(*RUN, connect, "-p", 50, "--accept")
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    assert (peer["asked"]["policy"], peer["asked"]["priority"]) == \
        ("fifo", 50)
    assert (peer["granted"]["policy"], peer["granted"]["priority"]) == \
        ("other", 0)
    assert peer["servers"]["policy"] == ["other"]
    assert "\n# Granted less: policy other, priority 0 of the first server, " \
        "where fifo, 49 was asked for\n" in result.stdout


def test_priority_up_to_the_ceiling(run, serve):
    why = outside.why_not()
    if why:
        pytest.skip(why)
    server = serve("--priority=30")
    connect = f"--connect={server.where}"
    assert "; real-time priorities up to 30; " in server.out()
    result = run(*RUN, connect, "-p", 31)
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    assert peer["servers"]["priority"] == [30]
    assert peer["servers"]["policy"] == ["fifo"]
    server.idle()
    refused(run(*RUN, connect, "-p", 32), "with --priority=32 its server "
            "would have 31, more than it allows: up to 30 (--priority "
            "there); give --priority=31, or --accept")
    server.idle()
    result = run(*RUN, connect, "-p", 60, "--accept", "-t2", "--priospread")
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    assert peer["granted"]["priority"] == 31
    assert peer["servers"]["priority"] == [30, 28]


def test_busy_wait_in_real_time(run, serve):
    """The operator allows it: no limit of the kernel's ends it."""
    why = outside.why_not()
    if why:
        pytest.skip(why)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("a busy server needs a CPU of its own")
    cpu = max(os.sched_getaffinity(0))
    server = serve("--priority=5", "--wait=busy", f"--server-affinity={cpu}")
    result = run("--default-system", "-q", "-p", 6, "--wait=busy", "-D", 1,
                 "--sleep=0",
                 f"--connect={server.where}", "--json=json",
                 f"--client-affinity={min(os.sched_getaffinity(0))}",
                 f"--mainaffinity={min(os.sched_getaffinity(0))}")
    assert (result.returncode, result.stderr) == (0, "")
    peer = hosts.results(result.text("json"))["twoway"]["peer"]
    assert peer["servers"]["priority"] == [5]


def test_not_allowed(run, serve):
    server = serve("--allow=192.0.2.0/24,2001:db8::/32")
    refused(run(*RUN, f"--connect={server.where}"),
            f"the server on {server.where} cannot be used: it closed the "
            "connection; has it --allow for this host?")
    assert server.stop() == 0
    assert "# Connections closed, not allowed: 1" in server.lines()


def test_allowed(run, serve):
    server = serve("--allow=192.0.2.1,127.0.0.0/8")
    assert " for 192.0.2.1,127.0.0.0/8; " in server.out()
    assert run(*RUN, f"--connect={server.where}").returncode == 0


def test_cannot_listen(run):
    hosts.skip_if_emulated()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused(run(f"--server=127.0.0.1:{port}", "--default-system"),
                f"--server=127.0.0.1:{port}: cannot listen: Address already ")
    refused(run("--server=192.0.2.1", "--allow=192.0.2.2",
                "--default-system"),
            "--server=192.0.2.1: cannot listen: Cannot assign requested ")


def test_nobody_listens(run):
    port = hosts.free_port()
    refused(run(*RUN, f"--connect=127.0.0.1:{port}"),
            f"--connect=127.0.0.1:{port}: cannot connect to port {port}: "
            "Connection refused; is twowaytest --server running there")


@pytest.mark.parametrize("port", [20110, 22])
def test_port_of_rsh(run, port):
    """Nothing listens there, not even at the port by default."""
    refused(run(*RUN, f"--connect=127.0.0.1:{port}", "--rsh=false"),
            f"--connect=127.0.0.1:{port}: with --rsh, nothing listens on a "
            "port, and HOST alone is allowed; give a port of ssh by "
            "--rsh='ssh -p PORT HOST'")


# What a stranger sends, and how its connection ends: nothing, or a frame.
STRANGERS = {
    "nothing": (b"", None),
    "random": (bytes(range(7, 256)) * 9, None),
    "HTTP": (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", None),
    "a long frame": (b"TW\1\0\0\1\0\0", None),
    "RUN first": (hosts.frame(hosts.RUN, hosts.keys(**hosts.ASKED)), None),
    "HELLO without keys": (hosts.frame(hosts.HELLO), hosts.REFUSE),
    "another version": (hosts.hello(2, 9), hosts.REFUSE),
    "START first": (hosts.frame(hosts.START, b"why=\n"), None),
}


def test_strangers(run, serve):
    """Whatever they send, the next client is served."""
    server = serve()
    for name, (data, answer) in STRANGERS.items():
        with hosts.call(server.port) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError, EOFError):
                kind, _ = hosts.next_frame(connection)
                assert kind == answer, name
    result = run(*RUN, f"--connect={server.where}")
    assert (result.returncode, result.stderr) == (0, "")
    assert server.stop() == 0
    closed = [line for line in server.lines() if line.startswith("# ")]
    assert all(line.startswith("# Connections closed, ") for line in closed)
    assert sum(int(line.rpartition(": ")[2]) for line in closed) == \
        len(STRANGERS)


def refusal(server, body):
    """What a RUN with this body is answered."""
    with hosts.call(server.port) as connection:
        connection.sendall(hosts.hello())
        assert hosts.next_frame(connection)[0] == hosts.HELLO
        connection.sendall(hosts.frame(hosts.RUN, body))
        kind, text = hosts.next_frame(connection)
    server.idle()
    assert kind == hosts.REFUSE, (kind, text)
    return text


WRONG_RUNS = (
    ({"speed": 9}, "it does not understand what was asked for: ", "speed"),
    ({"pairs": 33}, "it does not understand what was asked for: ", "pairs"),
    ({"size": 7}, "it does not understand what was asked for: ", "size"),
    ({"policy": "deadline"}, "deadline"),
    ({"policy": "fifo"}, "it gives no real-time priorities"),
    ({"priority": 50}, "it gives no real-time priorities"),
    ({"clock": "sundial"}, "--clock=sundial"),
    ({"wait": "poll\u00a0--priority=99"}, "--wait=poll"),
    ({"wait": "busy"}, "--wait=busy"),
    ({"transport": "unix"}, "--transport=unix"),
    ({"transport": "seqpacket"}, "--transport=seqpacket"),
    ({"transport": "vsock"}, "--transport=vsock"),
    ({"transport": "udp", "size": 65536}, "--size=65536"),
    ({"sleep_us": 1000}, "--sleep=1000"),
    ({"dscp": 64}, "dscp"),
)


def test_wrong_runs(run, serve):
    """What no client of ours would ask for."""
    server = serve()
    for change, *says in WRONG_RUNS:
        text = refusal(server, hosts.keys(**{**hosts.ASKED, **change}))
        for words in says:
            assert words in text, (change, text)
    missing = dict(hosts.ASKED)
    del missing["wait"]
    assert "wait" in refusal(server, hosts.keys(**missing))
    assert refusal(server, b"no lines of keys")
    assert not server.lines()
    assert run(*RUN, f"--connect={server.where}").returncode == 0


@pytest.mark.parametrize("words, says", [
    (("--server=:20990", "--port=20990"), "the server listens there"),
    (("--server", "--port=65530"), "allowed is up to 65528"),
    (("--server", "--port=65530", "--max-pairs=7"), "up to 65529"),
])
def test_ports_that_cannot_be(run, words, says):
    result = run(*words)
    assert result.returncode == 1
    assert result.stderr.startswith(f"twowaytest: {words[1]}: ")
    assert says in result.stderr


def granted(connection, **change):
    """A run of a client that we are; what it was granted."""
    connection.sendall(hosts.hello())
    assert hosts.next_frame(connection)[0] == hosts.HELLO
    connection.sendall(hosts.frame(hosts.RUN, hosts.keys(
        **{**hosts.ASKED, **change})))
    kind, text = hosts.next_frame(connection)
    assert kind == hosts.GRANT, text
    return dict(line.split("=") for line in text.splitlines())


def measure(grant, cookie=None):
    """The connection of pair 0."""
    connection = hosts.call(int(grant["port.0"]))
    connection.sendall(bytes.fromhex(cookie or grant["cookie"]) + bytes(8))
    return connection


def test_wrong_cookie(serve):
    """Who does not know it is turned away, and counted."""
    server = serve()
    with hosts.call(server.port) as control:
        grant = granted(control)
        with measure(grant, cookie="00" * 16) as stranger:
            with contextlib.suppress(ConnectionError):
                assert stranger.recv(1) == b""
        with measure(grant):
            assert hosts.next_frame(control)[0] == hosts.START
            control.sendall(hosts.frame(hosts.STOP, b"why=\n"))
            kind, text = hosts.next_frame(control)
            assert kind == hosts.RESULT
            assert "\nunexpected=1\n" in text
            assert hosts.next_frame(control)[0] == hosts.RESULT
    server.idle()


def test_client_lies(run, serve):
    """Requests with wrong numbers, of wrong sizes: the run ends by name."""
    server = serve()
    for data in (b"\xff" * 8, b"\0" * 8):
        with hosts.call(server.port) as control:
            grant = granted(control)
            with measure(grant) as connection:
                assert hosts.next_frame(control)[0] == hosts.START
                connection.sendall(data)
                kind, text = hosts.next_frame(control)
                assert kind == hosts.STOP and len(text) > len("why=\n")
        server.idle()
    assert run(*RUN, f"--connect={server.where}").returncode == 0


def test_client_vanishes_before_it_measures(run, serve):
    server = serve()
    with hosts.call(server.port) as control:
        granted(control)
    server.line("the client has gone")
    server.idle()
    assert run(*RUN, f"--connect={server.where}").returncode == 0


@contextlib.contextmanager
def stranger(*answers, then=None):
    """A server that is none of ours: sends these, one for each frame."""
    def live():
        with contextlib.suppress(OSError, EOFError):
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(hosts.PATIENCE_S)
                for answer in answers:
                    hosts.next_frame(connection)
                    connection.sendall(answer)
                if then:
                    then.wait(hosts.PATIENCE_S)

    hosts.skip_if_emulated()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(hosts.PATIENCE_S)
        thread = threading.Thread(target=live)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            if then:
                then.set()
            thread.join()


GRANT = hosts.keys(cookie="00" * 16, ports=1, **{"port.0": 9}, priority=0,
                   lock_memory=0, policy="other", unsynchronised=0, traces=0,
                   no_trace="")
ANSWERS = {
    "random": ((b"\x80random bytes\0\xff" * 9,),
               "what came in place of its HELLO is not of this protocol; it "
               "may be another program"),
    "HTTP": ((b"HTTP/1.1 400 Bad Request\r\n\r\n",),
             "what came in place of its HELLO is not of this protocol"),
    "closed": ((b"",), "it closed the connection; has it --allow for"),
    "newer": ((hosts.hello(2, 3),), "speaks versions 2 to 3 of the protocol, "
              "and this program 1 to 1; install the same release on both "),
    "newer HELLO": ((hosts.frame(hosts.HELLO, hosts.keys(
        version_min=2, version_max=2, colour="red")),),
        "speaks versions 2 to 2 of the protocol"),
    "refused": ((hosts.hello(), hosts.frame(hosts.REFUSE, b"text=no\n")),
                ": no\n"),
    "busy": ((hosts.hello(), hosts.frame(hosts.BUSY, b"text=later\n")),
             ": later\n"),
    "unknown key": ((hosts.hello(), hosts.frame(
        hosts.GRANT, GRANT + b"gift=1\n")), "its GRANT is not understood: ",
        "gift"),
    "more ports than pairs": ((hosts.hello(), hosts.frame(
        hosts.GRANT, GRANT.replace(b"ports=1", b"ports=2") + b"port.1=9\n")),
        "another number of ports than there are pairs"),
    "out of turn": ((hosts.hello(), hosts.frame(hosts.START, b"why=\n")),
                    "it sent START where GRANT was to come"),
    "escapes": ((hosts.hello(), hosts.frame(
        hosts.REFUSE, b"text=\x1b[2Jno\n")), "twowaytest: "),
    "a port where nobody is": ((hosts.hello(), hosts.frame(
        hosts.GRANT, GRANT)), "cannot be reached by tcp on port 9: "
        "Connection refused; is that port filtered?"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_strange_server(run, name):
    answers, *says = ANSWERS[name]
    with stranger(*answers) as where:
        result = run(*RUN, f"--connect={where}")
    refused(result, where.partition(":")[0], *says)
    assert result.stderr[:-1].isprintable()


def test_silent_server(start):
    """Whoever waits for it can end that."""
    with stranger(then=threading.Event()) as where:
        client = start(*RUN, f"--connect={where}")
        assert outside.wait_for(
            lambda: outside.read(f"/proc/{client.pid}/wchan").startswith(
                ("poll", "do_poll", "do_sys_poll")) or
            outside.switches(client.pid) > 3, hosts.PATIENCE_S)
        client.signal(signal.SIGTERM)
        assert client.finish(hosts.PATIENCE_S) in (1, -signal.SIGTERM)


def test_slow_server(run):
    """A step that takes too long is named."""
    with stranger(hosts.hello(), then=threading.Event()) as where:
        refused(run(*RUN, f"--connect={where}"),
                "it sent no GRANT within 5 s")
