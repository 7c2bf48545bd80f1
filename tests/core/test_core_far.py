# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts, which are this one: --connect, --far."""

import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import types

import pytest

import outside
import results
import schema
import sshd
import tracing
import twoway
import units
from hosts import QUICK, far_side, fake, inside, measuring, near, rsh

METRICS = [name for name in results.METRICS
           if name not in ("send", "receive")]


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


@pytest.mark.parametrize("pairs", [1, 3])
@pytest.mark.parametrize("transport", ["tcp", "udp"])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_measures(run, transport, pairs, host):
    done = run(f"--connect={host}", rsh(), *QUICK, "-l", 40, f"-t{pairs}",
               f"--transport={transport}", "--sleep=50", "--size=20",
               "--timeout=5000000" if transport == "udp" else "-M",
               "--json=json", "--dump=dump")
    assert (done.returncode, done.stderr) == (0, "")
    of = identities(done, pairs)
    assert f"\n# Server: {host} (" in done.stdout
    assert "# network " in done.stdout and "# send " not in done.stdout
    mine, theirs = of["twoway"], of["twoway"]["peer"]
    for name in "transport", "sleep", "size", "threads", "interval":
        assert mine["settings"][name] == theirs["settings"][name]
    for pair, far in zip(mine["pairs"], theirs["pairs"]):
        assert pair["server"] is far["client"] is None
        assert pair["client"]["pid"] != far["server"]["pid"]
        if transport == "udp":
            assert pair["datagrams"]["answered"] == 40


@pytest.mark.parametrize("fault, requests, replies", [
    ("client:send:drop:9:0", 1, 0), ("server:send:drop:9:0", 0, 1)])
def test_lost_on_the_way(run, shim, fault, requests, replies):
    """The other host says how many requests have come."""
    env = shim(fault)
    there = [f"{name}={value}" for name, value in env.items()]
    done = run("--connect=127.0.0.1", rsh(*there), *QUICK, "-l", 40,
               "--transport=udp", "--timeout=700000", "--json=json",
               "--load=fft", "--steps=2", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    of = schema.check(done.text("json"), results.SCHEMA)["twoway"]
    datagrams = of["pairs"][0]["datagrams"]
    assert (datagrams["sent"], datagrams["lost"]) == (80, 2)
    assert (datagrams["lost_request"], datagrams["lost_reply"]) == (
        2 * requests, 2 * replies)
    assert f"; requests {2 * requests}, replies {2 * replies}\n" in \
        done.stdout


@pytest.mark.parametrize("side", ["client", "server"])
def test_ramp(run, side):
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 20, "-i", 5000,
               "--load=fft", "--steps=3", f"--load-side={side}",
               "--json=json")
    assert (done.returncode, done.stderr) == (0, "")
    steps = done.json()["twoway"]["steps"]
    assert [step["workers"] for step in steps] == [0, 1, 2]
    assert steps[0]["rate"] == 0
    there = done.json()["twoway"]["peer"]["load"]
    assert [load["workers"] for load in there] == \
        ([2] if side == "server" else [])


def test_steps_of_a_load_here(run):
    """More than one step, and no load there."""
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 5,
               "--transport=udp", "--load=fft", "--steps=4")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("# Step ") == 4


@pytest.mark.parametrize("args, named", [
    (("--metrics=send",), "--metrics=send: compares the clocks"),
    (("--limit=receive:5",), "--limit=receive:5: compares the clocks"),
    (("-b", "send:5"), "--breaktrace=send: compares the clocks"),
    (("--spike=receive:5",), "--spike=receive: compares the clocks"),
    (("--total=trltp3",), "--total=trltp3: compares the clocks"),
    (("--trltp-log=x",), "--trltp-log=x: not allowed with --connect"),
    (("--transport=unix",), "--transport=unix: allowed with --connect is"),
    (("--servers=one",), "--servers=one: not allowed with --connect"),
    (("--load-side=server",), "--load-side=server: allowed only with --load"),
    (("--connect=a:b",), "--connect=a:b: allowed is"),
    (("--connect=",), "--connect=: allowed is"),
    (("--connect=-oX",), "--connect=-oX: allowed is"),
    (("--connect=a;b",), "--connect=a;b: allowed is"),
    (("--connect=x:70000",), "--connect=x:70000: allowed is"),
    (("--connect=a:1",), "--connect=a:1: allowed with --rsh is"),
    (("--server-affinity=9999",), "127.0.0.1: FATAL: --server-affinity=9999"),
])
def test_refused(run, args, named):
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 5, *args)
    assert done.returncode == 1
    assert named in done.stderr


@pytest.mark.parametrize("args, named", [
    (("--rsh",), "--rsh: allowed only with --connect"),
    (("--load-side=client",), "--load-side: allowed only with --connect"),
    (("--allow=::1",), "--allow=::1: allowed only with --server"),
    (("--server=0.0.0.0",), "--server=0.0.0.0: allowed is a loopback"),
    (("--server=192.0.2.1",), "--server=192.0.2.1: allowed is a loopback"),
    (("--server=x",), "--server=x: allowed is an address"),
    (("--server", "--allow=x"), "--allow=x: allowed are up to 32"),
    (("--server", "--allow=1.2.3.4/33"), "allowed after / is a number"),
    (("--server", "--allow=1.2.3.4/x"), "allowed after / is a number"),
])
def test_refused_here(run, args, named):
    done = run(*args)
    assert (done.returncode, named in done.stderr) == (1, True), done.stderr


def far(run, text, **options):
    """What it answers to this input."""
    path = run.directory / "input"
    path.write_text(text, encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        done = run("--far", stdin=file, **options)
    assert not done.stderr
    return done.returncode, [schema.parse(line)
                             for line in done.stdout.splitlines()]


@pytest.mark.parametrize("text, named", [
    ("", "the input ended before a request came"),
    ('["--far=2", 1]', "the input ended before a request came"),
    ("x\n", "no request of twowaytest"),
    ("[]\n", "no request of twowaytest"),
    ('["--far=2"\n', "no number of steps"),
    ('["--far=2"] x\n', "no number of steps"),
    ('["--far=2", 1\n', "has no end"),
    ('["--far=2", 1] x\n', "has no end"),
    ('["--far=2", 1, "--size=8"\n', "has no end"),
    ('{"a": 1}\n', "no request of twowaytest"),
    ('["--far=3", 1]\n', "version 3 of the protocol, this program version 2"),
    ('["--far=2"]\n', "no number of steps"),
    ('["--far=2", 0]\n', "no number of steps"),
    ('["--far=2", 99999]\n', "no number of steps"),
    ('["--far=2", 1, 5]\n', "is no string"),
    ('["--far=2", 1, "--size=8\n', "is no string"),
    ('["--far=2", 1, "--size=\\n8"]\n', "is no string"),
    ('["--far=2", 1, "-q"]\n', "-q: nobody may ask for this"),
    ('["--far=2", 1, "--json=/tmp/x"]\n', "--json: nobody may ask"),
    ('["--far=2", 1, "--dump=x"]\n', "--dump: nobody may ask"),
    ('["--far=2", 1, "--server"]\n', "--server: nobody may ask"),
    ('["--far=2", 1, "--rsh=x"]\n', "--rsh: nobody may ask"),
    ('["--far=2", 1, "--on-break=x"]\n', "nobody may ask"),
    ('["--far=2", 1, "--siz=8"]\n', "--siz: nobody may ask"),
    ('["--far=2", 1, "--size"]\n', "--size: allowed is a value"),
    ('["--far=2", 1, "--mlockall=1"]\n', "--mlockall: allowed is no value"),
    ('["--far=2", 1, "--size=7"]\n', "--size=7: allowed is a whole number"),
    ('["--far=2", 1, "--size=1e3"]\n', "--size=1e3: allowed is"),
    ('["--far=2", 1, "\\u001b[31m"]\n', "nobody may ask"),
    ('["--far=2", 1, "--size=' + "8" * 5000 + '"]\n', "longer than 4096"),
    ('["' + "x" * 70000 + '"]\n', "the request is longer than 65536 bytes"),
    ('["--far=2", 1, ' + "[" * 20 + "]" * 20 + "]\n", "is no string"),
], ids=range(32))
def test_requests(run, text, named):
    code, answers = far(run, text)
    assert code == 1
    assert len(answers) == 1 and answers[0]["twowaytest"] == 2
    assert named in answers[0]["messages"]


def test_client_that_leaves(run):
    """Before it is connected, and without asking for a step at all."""
    code, answers = far(run, '["--far=2", 1, "--size=8"]\n')
    assert (code, answers) == (0, [])
    code, answers = far(run, '["--far=2", 1, "--size=8"]\n{"step": 0}\n')
    assert code == 1
    assert 0 < answers[0]["ready"] < 65536
    assert "client's side has ended" in answers[1]["messages"]


FAKE = """
import json, socket, struct, sys
request = json.loads(sys.stdin.readline())
print("Welcome\\n{motd}")
listener = socket.create_server(("127.0.0.1", 0))
def say(**members):
    print(json.dumps({"twowaytest": VERSION, **members}), flush=True)
sys.stdin.readline()
say(ready=listener.getsockname()[1], cookie="0" * 32, order="big")
one = listener.accept()[0]
hello = one.recv(36)
assert hello == b"0" * 32 + bytes(4), hello
say(started=0)
begin = 1 << 50
for number in range(1, 1000):
    data = one.recv(8)
    if not data:
        break
    assert struct.unpack(">Q", data) == (number,)
    one.send(struct.pack(">Qqq", number, begin, begin + SLEPT))
sys.stdin.read()
say(ended=0, rates=[])
say(twoway=TWOWAY)
"""


def faked(run, version="2", slept="7000", twoway_="{}", **_):
    text = FAKE.replace("VERSION", version).replace("SLEPT", slept)
    return run("--connect=127.0.0.1",
               fake(run.directory, text.replace("TWOWAY", twoway_)), *QUICK,
               "-l", 20, "--sleep=0", "--dump=dump", "--json=json")


OVER_UDP = """stream = listener.accept()[0]
assert stream.recv(36) == b"0" * 32 + bytes(4)
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("127.0.0.1", 0))
stream.send(struct.pack(">H", one.getsockname()[1]))
knock, client = one.recvfrom(99)
assert knock == b"0" * 32
one.connect(client)
one.send(knock)
"""


@pytest.mark.parametrize("requests, lost", [(-5, 0), (0, 1), (20, 0),
                                            (10 ** 18, 0)])
def test_counts_that_cannot_be(run, requests, lost):
    """Whatever a server says, no more requests are lost than cycles."""
    begin = FAKE.index("one = listener")
    text = FAKE[:begin] + OVER_UDP + FAKE[FAKE.index("say(started"):]
    text = text.replace("VERSION", "2").replace("TWOWAY", "{}").replace(
        "range(1, 1000)", "range(1, 21)").replace("SLEPT", "7").replace(
        "rates=[]", f"rates=[], requests=[{requests}]")
    done = run("--connect=127.0.0.1", fake(run.directory, text.replace(
        "    one.send", "    if number != 9: one.send")), *QUICK, "-l", 20,
        "--warmup=0", "--sleep=0", "--transport=udp", "--json=json")
    assert (done.returncode, done.stderr) == (0, "")
    datagrams = done.json()["twoway"]["pairs"][0]["datagrams"]
    assert (datagrams["lost"], datagrams["lost_request"],
            datagrams["lost_reply"]) == (1, lost, 1 - lost)


def test_other_byte_order(run):
    """And what the login prints, and a clock of which nothing is known."""
    done = faked(run)
    assert (done.returncode, done.stderr) == (0, "")
    assert {c.t2_ns - c.t1_ns for c in done.dump()} == {7000}
    assert {c.t1_ns for c in done.dump()} == {1 << 50}
    assert done.json()["twoway"]["peer"] == {}


@pytest.mark.parametrize("slept", ["-1", "10 ** 12", "-begin - 1",
                                   "2 ** 62"])
def test_times_that_cannot_be(run, slept):
    done = faked(run, slept=slept)
    assert done.returncode == 1
    assert "the client" in done.stderr and "Protocol error" in done.stderr


@pytest.mark.parametrize("results_", [
    '{"a": 1e5}', "[" * 40 + "]" * 40, '{"a" 1}', "tru", '"\\x"', "01", "1.",
    "[1,]", ""])
def test_results_that_are_no_json(run, results_):
    """They do not get into ours."""
    text = FAKE.replace("VERSION", "2").replace("SLEPT", "7").replace(
        "say(twoway=TWOWAY)",
        f"""print('{{"twowaytest": 2, "twoway": ' + {results_!r} + '}}')""")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 20, "--sleep=0", "--json=json")
    assert done.returncode == 1
    assert "is wrong (twoway)" in done.stderr
    assert done.json()["twoway"]["peer"] is None


def test_other_version(run):
    done = faked(run, version="3")
    assert done.returncode == 1
    assert "does not speak version 2" in done.stderr


COOKIE = '"cookie": "' + "0" * 32 + '", "order": "big"}'


@pytest.mark.parametrize("line, named", [
    ('{"twowaytest": 2, ', "ended with status 3"),
    ('{"twowaytest": 2, "ready": [5]}', "(ready)"),
    ('{"twowaytest": 2, "ready": 0, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2, "ready": 70000, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2, "ready": 1}', "(ready)"),
    ('{"twowaytest": 2, "ready": 1, ' + COOKIE.replace("0" * 32, "0" * 31),
     "(ready)"),
    ('{"twowaytest": 2, "ready": 1, ' + COOKIE.replace("0" * 32, "0" * 33),
     "(ready)"),
    ('{"twowaytest": 2, "ready": 1e9, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2, "messages": "a\\u001b[31mb\\u000ac"}',
     "127.0.0.1: a?[31mb\n127.0.0.1: c\n"),
    ('{"twowaytest": 2, "messages": "a', "ended with status 3"),
    ("x" * (1 << 20), "longer than 1048576"),
    ("", "ended with status 3"),
], ids=range(12))
def test_lying_peers(run, line, named):
    text = f"import sys\nprint({line!r})\nsys.stdout.flush()\nsys.exit(3)\n"
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK)
    assert done.returncode == 1
    assert named in done.stderr
    assert "\033" not in done.stderr


def test_command_that_is_missing(run):
    done = run("--connect=127.0.0.1", "--rsh=/nonexistent/ssh", *QUICK)
    assert done.returncode == 1
    assert "a command was not found" in done.stderr


@pytest.mark.parametrize("what", ["exec sleep 100 #", "exec cat #",
                                  "trap '' TERM; sleep 4; :"])
def test_interrupted_while_it_waits(start, what):
    """There is a signal before there is an answer."""
    process = start("--connect=127.0.0.1", f"--rsh={what}", *QUICK)
    assert outside.wait_for(lambda: outside.children(process.pid), 10)
    time.sleep(0.2)
    begin = time.monotonic()
    process.signal(signal.SIGINT)
    assert process.process.wait(10) == 1
    assert time.monotonic() - begin < 3
    process.finish(10)
    assert process.err == "WARN: no cycle was measured\n"


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_interrupted(start, transport):
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "--json=json",
                    f"--transport={transport}")
    measuring(process)
    process.signal(signal.SIGINT)
    process.finish(10)
    assert process.process.returncode == 0
    assert process.gone()
    assert outside.load_json(start.directory / "json")["twoway"]["interrupted"]


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_far_side_is_killed(start, transport):
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "--json=json",
                    f"--transport={transport}")
    measuring(process)
    os.kill(far_side(process.pid), signal.SIGKILL)
    process.finish(15)
    assert process.process.returncode == 1
    assert "--connect=127.0.0.1" in process.err or "exec env" in process.err
    assert outside.load_json(start.directory / "json")["thread"]["0"]["cycles"]
    assert process.gone()


def test_client_is_killed(start):
    process = start("--connect=127.0.0.1", rsh(), *QUICK)
    measuring(process)
    pid = far_side(process.pid)
    process.signal(signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(pid), 10)


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


@results.root
def test_server_is_not_root(run, start, server):
    where = server("-p", 60)
    process = start(where, *QUICK, "-p", 61)
    measuring(process)
    pids = outside.children(server.run.pid)
    assert pids
    for pid in [server.run.pid, *pids]:
        assert set(outside.status(pid, "Uid").split()) == \
            {str(outside.NOBODY)}
    process.signal(signal.SIGINT)
    process.finish(10)


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


def test_strangers(run, server):
    """Who sends something else, nothing, or little, keeps nobody waiting."""
    where = server()
    strangers = []
    for number in range(200):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.setblocking(False)
        one.send(os.urandom((0, 3, 100)[number % 3]) or b"[")
        strangers.append(one)
    done = run(where, *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")
    for one in strangers:
        one.close()


def test_forbidden(run, server):
    where = server("--allow=192.0.2.0/24,2001:db8::1")
    done = run(where, *QUICK, "-l", 5)
    assert done.returncode == 1
    with socket.create_connection(("127.0.0.1", server.port)) as one:
        one.settimeout(10)
        assert one.recv(1) == b""


@pytest.mark.parametrize("allow", ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0",
                                   "192.0.2.1,127.0.0.0/31"])
def test_allowed(run, server, allow):
    done = run(server(f"--allow={allow}"), *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")


def test_pending_stranger_at_the_port(run):
    """Somebody else is first at the measuring port, and says nothing."""
    process = subprocess.Popen(
        [twoway.binary(), "--far"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    process.stdin.write('["--far=2", 1, "--default-system"]\n{"step": 0}\n')
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    port = ready["ready"]
    others = [socket.create_connection(("127.0.0.1", port))
              for _ in range(100)]
    others[-1].send(b"0" * 32 + struct.pack(">I", 0))
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.send(ready["cookie"].encode() + struct.pack(">I", 0))
        assert json.loads(process.stdout.readline())["started"] == 0
        order = "<" if ready["order"] == "little" else ">"
        one.send(struct.pack(f"{order}Q", 1))
        seq, begin, end = struct.unpack(f"{order}Qqq", one.recv(24))
        assert seq == 1 and 0 < begin < end
    process.stdin.close()
    answers = [json.loads(line) for line in process.stdout]
    assert process.wait() == 0
    assert answers[0]["ended"] == 0 and "twoway" in answers[1]
    for other in others:
        other.close()


FAULTS = {
    "server:nanosleep:busy-after:60:20000": ("server", "sleep"),
    "server:poll:busy-after:60:20000": ("server", "network"),
    "server:send:busy-before:60:20000": ("server", "network"),
    "client:recv:busy-after:60:20000": ("client", "network"),
}


@results.root
@pytest.mark.parametrize("fault", FAULTS)
def test_cause(run, shim, fault):
    """An injected delay has its host and its phase, in text and JSON."""
    there, phase = FAULTS[fault]
    env = shim(fault)
    words = [f"{name}={value}" for name, value in env.items()]
    with tracing.usable():
        done = run("--connect=127.0.0.1",
                   rsh(*words) if there == "server" else rsh(), *QUICK, "-m",
                   "-p", 80, "-D", 20, "-b", 19000, "--trace",
                   "--trace-file=trace", "--json=json",
                   env={} if there == "server" else env)
    assert done.returncode == 2, done.stderr
    of = done.json()
    schema.validator(results.SCHEMA).validate(of)
    host = os.uname().nodename
    first = next(line for line in done.stdout.splitlines()
                 if line.startswith("# Cause: "))
    assert first.startswith(f"# Cause: {there} host {host}: {phase} +"), first
    peer = of["twoway"]["peer"]["breaks"][0]
    mine = of["twoway"]["breaks"][0]
    assert peer["cycle"] == mine["cycle"]
    cause = (peer if there == "server" else mine)["cause"]
    assert cause["phase"] == phase and cause["ns"] > 19000000


@results.root
def test_no_phase_there(run):
    """The server takes no part in the client's wake-up, and says so."""
    with tracing.usable():
        done = run("--connect=127.0.0.1", rsh(), *QUICK, "-b", "wakeup:1",
                   "--trace", "--json=json")
    assert (done.returncode, done.stderr) == (2, "")
    assert re.search("^# Cause: client host .*: wakeup ", done.stdout, re.M)
    assert re.search("^# Cause: server host .*: unknown, as its value is no "
                     "time that a task of this host took$", done.stdout, re.M)
    assert done.json()["twoway"]["peer"]["breaks"][0]["cause"] is None


@results.root
def test_far_server_is_stopped(start):
    """The request does not wake it: its host is to blame nevertheless."""
    with tracing.usable():
        process = start("--connect=127.0.0.1", rsh(), *QUICK, "-b", 300000,
                        "--trace", "--json=json")
        measuring(process)
        there, = process.named("twoway-server")
        os.kill(there, signal.SIGSTOP)
        time.sleep(1)
        os.kill(there, signal.SIGCONT)
        assert process.finish(60) == 2, process.err
    causes = re.findall("^# Cause: .*", process.out, re.M)
    assert causes[0].startswith("# Cause: server host "), causes
    cause = outside.load_json(start.directory / "json")[
        "twoway"]["peer"]["breaks"][0]["cause"]
    assert cause["ns"] > 600 * 10 ** 6


@results.root
@pytest.mark.parametrize("way", [
    ("--connect=127.0.0.1", rsh()), ("--connect=127.0.0.1",
                                     "--reflect=icmp")])
def test_all_cpus_are_traced(start, way):
    """What comes from another host may wake a task from any of them."""
    cpu = min(os.sched_getaffinity(0))
    with tracing.usable() as tracefs:
        process = start(*way, *QUICK, "-b", 10**6, "--trace",
                        f"--client-affinity={cpu}", *(
                            [f"--server-affinity={cpu}"]
                            if "--reflect=icmp" not in way else []))
        measuring(process)
        pids = [process.pid]
        if "--reflect=icmp" not in way:
            pids.append(far_side(process.pid))
        for pid in pids:
            one, = pathlib.Path(tracefs, "instances").glob(
                f"twowaytest-{pid}-*")
            mask = (one / "tracing_cpumask").read_text("ascii")
            assert int(mask.replace(",", ""), 16) & \
                (1 << os.cpu_count()) - 1 == (1 << os.cpu_count()) - 1
        process.signal(signal.SIGINT)
        process.finish(20)


@pytest.mark.parametrize("option", ["--load=command:id", "--wait=busy"])
def test_login_only(run, server, option):
    """Over the network, nobody runs a command or keeps a CPU."""
    where = server()
    done = run(where, *QUICK, "-l", 5, option,
               *(["--load-side=server"] if "load" in option else []))
    assert done.returncode == 1
    assert f"{option.split(':')[0]}: nobody may ask for this without a login" \
        in done.stderr


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_namespaces(start, net, transport):
    process = near(start, net, f"--connect={net.FAR}",
                   rsh(*inside(net.far)), *QUICK, "-l", "50", "-t2",
                   f"--transport={transport}", "--json=json")
    assert process.finish(30) == 0, process.err
    assert f"# Server: {net.FAR} ({net.FAR})" in process.out


@pytest.mark.parametrize("transport", ["tcp", "udp"])
@pytest.mark.parametrize("listens", [False, True])
def test_link_down(start, net, transport, listens):
    """It is named in time, and what was measured is kept."""
    port = 20110
    if listens:
        server = near(start, types.SimpleNamespace(near=net.far),
                      f"--server={net.FAR}:{port}", f"--allow={net.NEAR}",
                      "--default-system")
        assert "Listening" in server.process.stdout.readline()
    way = [f"--connect={net.FAR}"] + \
        ([] if listens else [rsh(*inside(net.far))])
    process = near(start, net, *way, *QUICK, f"--transport={transport}",
                   "--json=json")
    assert outside.wait_for(lambda: process.named("twoway-client"), 20)
    time.sleep(0.5)
    net.ip("-n", net.far, "link", "set", "cable", "down")
    begin = time.monotonic()
    assert process.finish(30) == 1
    assert time.monotonic() - begin < 15
    assert outside.load_json(start.directory / "json")["thread"]["0"]["cycles"]
    assert "stopped: " in process.err or f"--connect={net.FAR}" in process.err


def test_silence_over_udp(start):
    """A host that is gone without a word."""
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "--transport=udp",
                    "--json=json")
    measuring(process)
    pid, = [child for child in outside.children(far_side(process.pid))]
    os.kill(far_side(process.pid), signal.SIGSTOP)
    os.kill(pid, signal.SIGSTOP)
    assert process.finish(30) == 1
    assert "no reply has come for 9 s" in process.err


ONEWAY = ("--oneway=sync", "--clock=realtime")


def test_oneway(run, amiss):
    """Both sides have one clock here, so every window proves it."""
    env = {**amiss, "TW_AMISS": "sync"}
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 200, *ONEWAY,
               "--limit=send:1000000", "--json=json", "--dump=dump", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    of = done.json()
    schema.validator(results.SCHEMA).validate(of)
    cycles = done.dump()
    sends = [c.t1_ns - c.t0_ns for c in cycles]
    receives = [c.t3_ns - c.t2_ns for c in cycles]
    assert of["thread"]["0"]["phases"]["send"]["min"] == min(sends) // 1000
    assert of["thread"]["0"]["phases"]["receive"]["max"] == \
        max(receives) // 1000
    bounds = [max(min(of[first:first + 64]) for of in (sends, receives))
              for first in (0, 64, 128)]
    assert of["twoway"]["oneway"] == {
        "cycles": 192, "proven": 192, "uncertainty_ns": max(bounds)}
    assert "# One-way: 192 of 192 cycles are proven, within +-" in done.stdout
    assert "# send " in done.stdout and "# network " not in done.stdout


@pytest.mark.parametrize("ahead_ns", [-10 ** 9, 10 ** 9, 10 ** 17])
def test_oneway_is_disproven(run, amiss, ahead_ns):
    """A clock that is said to be synchronised, and is not."""
    text = FAKE.replace("VERSION", "2").replace("TWOWAY", "{}").replace(
        "begin, begin + SLEPT", "begin, begin").replace(
        "    one.send", "    import time\n    begin = time.time_ns() + "
        f"{ahead_ns}\n    one.send")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 128, "--sleep=0", *ONEWAY, "--limit=send:1000000",
               env={**amiss, "TW_AMISS": "sync"})
    assert (done.returncode, done.stderr) == (2, "")
    assert "# One-way: 0 of 128 cycles are proven" in done.stdout
    assert "# Limit send:1000000: undecided" in done.stdout


@pytest.mark.parametrize("here", [True, False])
def test_oneway_refused(run, amiss, here):
    """Either kernel may say that its clock is not synchronised."""
    words = [f"LD_PRELOAD={amiss['LD_PRELOAD']}",
             f"TW_AMISS={'sync' if here else 'unsync'}"]
    done = run("--connect=127.0.0.1", rsh(*words), *QUICK, "-l", 5, *ONEWAY,
               env={**amiss, "TW_AMISS": "unsync" if here else "sync"})
    assert done.returncode == 1
    assert ("" if here else "127.0.0.1: ") + "FATAL: --oneway=sync: the " \
        "kernel says that its clock is not synchronised" in done.stderr


@pytest.mark.parametrize("args, named", [
    (("--oneway=sync", "-c", "1"), "--oneway=sync: allowed only with --conn"),
    (("--oneway=sync", "--connect=x"), "allowed only with --clock=realtime"),
    (("--oneway=bound",), "--oneway=bound: allowed is off, sync"),
])
def test_oneway_options(run, args, named):
    done = run(*args)
    assert (done.returncode, named in done.stderr) == (1, True), done.stderr


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
    assert settings["IPAddressDeny"] == "any"
    socket_unit = units.settings("twowaytest.socket")
    assert socket_unit["Accept"] == "yes"
    assert socket_unit["ListenStream"] == "127.0.0.1:20110"


def test_socket_unit(run):
    """Started by systemd's own program as the units have it started."""
    units.require("systemd-socket-activate")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    with subprocess.Popen(
            ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", "--inetd",
             "-a", twoway.binary(), "--far"], text=True,
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


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ssh(start, net, transport):
    """A real server of ssh on the far host."""
    path = os.path.dirname(twoway.binary())
    with sshd.serving(net.FAR, inside(net.far)) as login:
        process = near(start, net, f"--connect=root@{net.FAR}",
                       f"--rsh={login} env PATH={path}:$PATH", *QUICK,
                       "-l", "50", f"--transport={transport}", "--json=json")
        assert process.finish(60) == 0, process.err
        peer = outside.load_json(start.directory / "json")["twoway"]["peer"]
        assert peer["settings"]["transport"] == transport
        process = near(start, net, f"--connect={net.FAR}",
                       f"--rsh={login} env PATH=/nonexistent", *QUICK)
        assert process.finish(60) == 1
        assert "a command was not found" in process.err
