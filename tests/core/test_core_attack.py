# SPDX-License-Identifier: GPL-2.0-or-later
"""Strangers, silent hosts and signals: nobody waits long for them."""

import os
import signal
import socket
import subprocess
import time

import pytest

import outside
import twowaytest
from hosts import QUICK, fake, inside, measuring, rsh

TRIES = 10
# Each stage of the other side, behind which it is silent.
STAGES = """
import pathlib, socket, struct, sys, time
def reached(number):
    if number == STAGE:
        pathlib.Path("stage").touch()
        time.sleep(100)
sys.stdin.readline()
reached("asked")
full = socket.socket()
full.bind(("127.0.0.1", 0))
full.listen(0)
others = []
for _ in range(3):
    others.append(socket.socket())
    others[-1].setblocking(False)
    others[-1].connect_ex(full.getsockname())
listener = socket.create_server(("127.0.0.1", 0))
at = full if STAGE == "silent port" else listener
def say(*words):
    print("twowaytest 3", *words, flush=True)
say()
say("ready", at.getsockname()[1], "0" * 32)
reached("silent port")
one = listener.accept()[0]
one.recv(36)
reached("not started")
say("started", 0)
reached("no reply")
for number in range(1, 1000):
    data = one.recv(8)
    if not data:
        break
    one.send(struct.pack("<Qqq", number, 1 << 50, 1 << 50))
sys.stdin.readline()
reached("not ended")
"""


def took(process, number=signal.SIGINT):
    """How long it runs on after a signal, in s."""
    begin = time.monotonic()
    process.signal(number)
    process.process.wait(30)
    process.finish(10)
    return time.monotonic() - begin


@pytest.mark.parametrize("stage", [
    "asked", "silent port", "not started", "no reply", "not ended"])
def test_interrupted_in_each_state(start, stage):
    """Within 0.3 s, unless the machine is late in each of some tries."""
    times = []
    for _ in range(TRIES):
        path = start.directory / "stage"
        path.unlink(missing_ok=True)
        process = start(
            "--connect=127.0.0.1",
            fake(start.directory, STAGES.replace("STAGE", repr(stage))),
            *QUICK, "-l", 9, "--sleep=0", "-i", 500)
        assert outside.wait_for(path.exists, 20), process.err
        time.sleep(0.05)
        times.append(took(process))
        if times[-1] < 0.3:
            return
    assert not times


def test_interrupted_at_a_silent_address(start):
    """Its queue is full: nothing comes back from it."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        others = [socket.socket() for _ in range(3)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(full.getsockname())
        times = []
        for _ in range(TRIES):
            process = start("--connect=127.0.0.1:%d" % full.getsockname()[1],
                            *QUICK)
            assert outside.wait_for(lambda pid=process.pid: "poll" in
                                    outside.read(f"/proc/{pid}/wchan"), 10)
            times.append(took(process))
            if times[-1] < 0.3:
                break
        for other in others:
            other.close()
    assert min(times) < 0.3


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_interrupted_while_it_measures(start, transport):
    times = []
    for _ in range(TRIES):
        process = start("--connect=127.0.0.1", rsh(), *QUICK,
                        f"--transport={transport}")
        measuring(process)
        times.append(took(process))
        if times[-1] < 0.3:
            return
    assert not times


@pytest.mark.parametrize("stage", ["asked", "no reply"])
def test_interrupted_in_a_flood(start, stage):
    """It says much, and nothing of it is an answer."""
    text = STAGES.replace("STAGE", repr(stage)).replace(
        "time.sleep(100)", "\n        while True: print('y' * 99)")
    path = start.directory / "stage"
    times = []
    for _ in range(TRIES):
        path.unlink(missing_ok=True)
        process = start("--connect=127.0.0.1", fake(start.directory, text),
                        *QUICK, "--sleep=0")
        assert outside.wait_for(path.exists, 20), process.err
        time.sleep(0.2)
        times.append(took(process))
        if times[-1] < 0.3:
            return
    assert not times


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT,
                                    signal.SIGHUP])
def test_far_side_without_a_request(number):
    """A signal ends it, and it says nothing but who it is."""
    with subprocess.Popen([twowaytest.binary(), "--far"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        said = process.stdout.readline() + process.stdout.readline()
        process.send_signal(number)
        assert process.wait(60) == 0
        assert said + process.stdout.read() == b'\ntwowaytest 3\n'


@pytest.mark.parametrize("answers", [1, 5])
def test_server_that_falls_silent(start, answers):
    """In the warm-up, too, -D ends the run."""
    text = STAGES.replace("STAGE", repr("no reply")).replace(
        'reached("no reply")\n', "").replace(
        "    one.send", f"    if number > {answers}:\n"
        '        reached("no reply")\n    one.send').replace(
        "sleep(100)", "sleep(10000)")
    process = start("--connect=127.0.0.1", fake(start.directory, text), *QUICK,
                    "-D", 1, "--sleep=0", "--warmup=2")
    # The other side sleeps for longer.
    assert process.finish(60) == 1
    said = "WARN: --connect=127.0.0.1: the server's side did not answer in " \
        "time (ended)\n"
    assert process.err == said + (
        "" if answers > 2 else "WARN: no cycle was measured\n")
    assert ("T: 0" in process.out) == (answers > 2)


def random_bytes(port):
    strangers = []
    for number in range(200):
        strangers.append(socket.create_connection(("127.0.0.1", port)))
        strangers[-1].setblocking(False)
        strangers[-1].send(os.urandom((1, 3, 100, 4000)[number % 4]))
    return strangers


def forbidden(port):
    return [socket.create_connection(
        ("127.0.0.1", port), source_address=("127.0.0.2", 0))
        for _ in range(130)]


@pytest.mark.parametrize("attack", [random_bytes, forbidden])
def test_attacks(run, server, attack):
    """The next honest client starts within 1 s, compared with a quiet server,
    unless the machine is late in each of some tries."""
    def measure():
        begin = time.monotonic()
        done = run(where, *QUICK, "-l", 1, "--warmup=0")
        assert (done.returncode, done.stderr) == (0, "")
        return time.monotonic() - begin

    where = server("--allow=127.0.0.1")
    longer = []
    for _ in range(TRIES):
        quiet = measure()
        strangers = attack(server.port)
        longer.append(measure() - quiet)
        for one in strangers:
            one.close()
        if longer[-1] < 1:
            return
    assert not longer


@pytest.mark.parametrize("transport", ["tcp", "udp"])
@pytest.mark.parametrize("listens", [False, True])
def test_first_address_is_silent(start, net, tmp_path, transport, listens):
    """A name with two addresses. The nearer one comes first, and there is a
    cable to it, but nobody at its end."""
    silent = "10.77.33.3"
    net.ip("-n", net.near, "neighbour", "add", silent, "lladdr",
           "02:00:00:00:00:03", "dev", "cable", "nud", "permanent")
    names = tmp_path / "hosts"
    names.write_text(f"{silent} twofold\n{net.FAR} twofold\n")
    way = ["--connect=twofold", rsh(*inside(net.far))]
    if listens:
        other = start(*inside(net.far)[1:], twowaytest.binary(),
                      f"--server={net.FAR}:20111", f"--allow={net.NEAR}",
                      "--default-system", program="ip")
        assert "Listening" in other.process.stdout.readline()
        way = ["--connect=twofold:20111"]
    def measure(*address):
        begin = time.monotonic()
        process = start(
            *inside(net.near)[1:], "unshare", "--mount", "sh", "-c",
            f'mount --bind {names} /etc/hosts && exec "$@"', "sh",
            twowaytest.binary(), *address, *way[1:], *QUICK, "-l", 20,
            f"--transport={transport}", program="ip")
        assert process.finish(60) == 0, process.err
        assert f" ({net.FAR})" in process.out
        return time.monotonic() - begin

    # Its share of 5 s; it must not take them all.
    longer = []
    for _ in range(TRIES):
        longer.append(measure(way[0]) - measure(way[0].replace(
            "twofold", net.FAR)))
        if longer[-1] < 4.5:
            return
    assert not longer
