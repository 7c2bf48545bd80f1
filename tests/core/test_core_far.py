# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts, which are this one: --connect, --far."""

import contextlib
import os
import re
import signal
import subprocess
import time
import types

import pytest

import outside
import results
import schema
import sshd
import tracing
import twowaytest
from hosts import (END, FAKE, QUICK, fake, far_side, identities, inside,
                   measuring, near, rsh)


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
    assert "# One-way:" not in done.stdout
    assert "oneway" not in mine.keys() | theirs.keys()
    for name in "transport", "sleep", "size", "threads", "interval":
        assert mine["settings"][name] == theirs["settings"][name]
    for pair, far in zip(mine["pairs"], theirs["pairs"]):
        assert pair["server"] is far["client"] is None
        assert pair["client"]["pid"] != far["server"]["pid"]
        if transport == "udp":
            assert pair["datagrams"]["answered"] == 40


@pytest.mark.parametrize("host", ["127.0.0.1", "someone@127.0.0.1"])
def test_usual_shell(run, host):
    """ssh, as it is called; the other side is started by it."""
    ssh = run.directory / "ssh"
    ssh.write_text(f"#!/bin/sh\necho \"$@\" >args\nexec {outside.binary()} "
                   "--far\n", encoding="ascii")
    ssh.chmod(0o755)
    done = run(f"--connect={host}", "--rsh", *QUICK, "-l", 5, env={
        "PATH": f"{run.directory}:{os.environ['PATH']}"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.text("args") == f"{host} twowaytest --far\n"


@pytest.mark.parametrize("words, shown", [
    # This list is that of --trltp.
    ("--metrics=interval,send,sleep,receive,response,total",
     "interval network sleep response total"),
    ("--metrics=network,latency", "network latency")])
def test_metrics(run, words, shown):
    """Those that compare two clocks are left out."""
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 5, words)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^T: .* (\w+)$", done.stdout, re.M) == shown.split()


# With values that neither side has by itself.
ASKED = [
    "--default-system --clock=tai -t2 -i2000,2500 -d9 -N --sleep=50 "
    "--warmup=3 --size=40 --transport=udp --timeout=900000 --wait=select "
    "--dscp=10 --sock-priority=2 --busy-poll=5 --prefer-busy-poll=1 "
    "--stamps=rx",
    "--latency=5 -m -p80 --policy=rr --priospread -t2 -bwakeup:1000000 "
    "--trace --server-affinity=0",
    "--default-system -p80 -S",
    "--default-system --policy=deadline --runtime=200 -t2 -d0",
    "--default-system -i5000 -a --load=fft:2 --load=hackbench "
    "--load-side=server --load-policy=batch --load-affinity=0 "
    "--load-args=-g1",
    "--default-system -p9 -h9 -t2 --load=command:true --load-side=server "
    "--load-policy=fifo --load-priority=3",
]
OWN = {"affinity", "connect", "far", "histofall", "histogram", "json",
       "load-side", "loops", "quiet", "rsh", "smp"}


@results.root
@pytest.mark.parametrize("words", ASKED, ids=range(len(ASKED)))
def test_settings(run, words):
    """The server's side has those of the client, but for what is its own."""
    if "deadline" in words and subprocess.run(
            "chrt -d -T 900000 -D 1000000 -P 1000000 0 true", shell=True,
            check=False).returncode:
        pytest.skip("the kernel allows no deadline task, or chrt is missing")
    with tracing.usable() if "--trace" in words else contextlib.nullcontext():
        done = run("--connect=127.0.0.1", rsh(), "-q", "-l", 20,
                   "--json=json", *words.split())
    assert done.returncode == 0, done.stderr
    of = done.json()["twoway"]
    mine, theirs = of["settings"], of["peer"]["settings"]
    assert {name for name in mine if mine[name] != theirs[name]} <= OWN
    assert (theirs["affinity"], theirs["smp"]) == (
        "" if {"-a", "-S"} & set(words.split()) else None, False)


@pytest.mark.parametrize("fault, requests, replies", [
    ("client:send:drop:9:0", 1, 0), ("server:send:drop:9:0", 0, 1)])
def test_lost_on_the_way(run, shim, fault, requests, replies):
    """The other host says how many requests have come."""
    env = shim(fault, "client:recv:expire:9:30000")
    there = [f"{name}={value}" for name, value in env.items()]
    done = run("--connect=127.0.0.1", rsh(*there), *QUICK, "-l", 40,
               "--transport=udp", "--timeout=10000000", "--json=json",
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
    assert [step["units"] for step in steps] == [0, 1, 2]
    assert steps[0]["rate"] == 0
    there = done.json()["twoway"]["peer"]["load"]
    assert [load["units"] for load in there] == \
        ([2] if side == "server" else [])


def test_work_of_a_load_there(run):
    """Its host says how much it was, of each step and pair."""
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 40, "-i", 5000,
               "-t2", "--load=hackbench", "--steps=2", "--load-side=server",
               "--json=json")
    assert (done.returncode, done.stderr) == (0, "")
    json = schema.check(done.text("json"), results.SCHEMA)
    rates = [step["rate"] for step in json["twoway"]["steps"]]
    assert rates[0] == 0 and rates[1] > 0


def test_partial_line_of_a_load_there(run):
    """What it prints is no part of an answer."""
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 20,
               "--load=command:printf half >&2; sleep 9",
               "--load-side=server")
    assert (done.returncode, done.stderr) == (0, "127.0.0.1: half\n")


@pytest.mark.parametrize("side", ["client", "server"])
def test_load_of_one_side(start, side):
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "--load=fft:1",
                    f"--load-side={side}")
    measuring(process)
    assert len(process.named("twoway-load")) == 1
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


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
    (("--ramp=pairs", "--steps=2"), "--ramp=pairs: not allowed with"),
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
    (("--server=0.0.0.0",), "--server=0.0.0.0: allowed is a loopback"),
    (("--server=192.0.2.1:9",), "--server=192.0.2.1:9: allowed is a loop"),
    (("--server=x:9",), "--server=x:9: allowed is an address"),
    (("--server", "--allow=x"), "--allow=x: allowed are up to 32"),
    (("--server", "--allow=" + 32 * "::1," + "::1"), "allowed are up to 32"),
    *((("--server", f"--allow={net}"), f"FATAL: --allow={net}: allowed after "
       "/ is a number of bits: up to 32 of IPv4, up to 128 of IPv6, 96 to 128 "
       "of IPv4 that is written as IPv6\n")
      for net in (
          "1.2.3.4/33", "1.2.3.4/x", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/+8",
          "1.2.3.4/ 8", "1.2.3.4/8x", "1.2.3.4/8/8", "1.2.3.4/4294967304",
          "1.2.3.4/18446744073709551624", "1.2.3.4/1.0", "::1/129", "::1/-1",
          "::ffff:10.0.0.0/8", "::ffff:10.0.0.0/95", "::ffff:10.0.0.0/129",
          "127.0.0.1,::1/4294967304")),
])
def test_refused_here(run, args, named):
    done = run(*args)
    assert (done.returncode, named in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("what", ["exec sleep 100 #", "exec cat #",
                                  "trap '' TERM; sleep 4; :"])
def test_interrupted_while_it_waits(start, what):
    """There is a signal before there is an answer."""
    process = start("--connect=127.0.0.1", f"--rsh={what}", *QUICK)
    assert outside.wait_for(lambda: outside.children(process.pid), 10)
    time.sleep(0.2)
    process.signal(signal.SIGINT)
    assert outside.wait_for(lambda: process.process.poll() is not None, 3)
    assert process.finish(10) == 1
    assert process.err == "WARN: no cycle was measured\n"


# A command that says when it is asked to end; nothing keeps it from its CPU.
ASKED = """
import os, signal
if {may}:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
open("there", "w").close()
signal.sigwait([signal.SIGTERM])
open("asked", "w").close()
"""


def test_signals_of_a_command(run):
    """It has those of a shell, but for what is typed at the terminal."""
    run("--connect=127.0.0.1", "--rsh=grep Sig /proc/self/status > status #",
        *QUICK)
    ignored, blocked = outside.signals()
    assert outside.signals(run.directory / "status") == (
        ignored | 1 << signal.SIGINT - 1, blocked)


def test_command_is_asked_to_end(start):
    """Before it is killed."""
    process = start("--connect=127.0.0.1", fake(
        start.directory, ASKED.format(may=outside.may(90))), *QUICK)
    assert outside.wait_for((start.directory / "there").exists)
    process.signal(signal.SIGINT)
    assert process.finish(10) == 1
    assert (start.directory / "asked").exists()


def test_command_dies_with_main(start):
    """Whether it reads what main tells it or not."""
    process = start("--connect=127.0.0.1", "--rsh=exec sleep 900 #", *QUICK)
    assert outside.wait_for(lambda: process.named("sleep"))
    process.signal(signal.SIGKILL)
    assert process.process.wait(15) == -signal.SIGKILL
    assert process.gone(5), process.processes()
    process.finish()


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


def test_interrupted_without_an_answer(start):
    """Nobody waits for it, and nothing is said of it."""
    text = FAKE.replace(END, "import time\ntime.sleep(20)")
    process = start("--connect=127.0.0.1", fake(
        start.directory, text.replace("range(1, 1000)", "range(1, 10**6)")),
        *QUICK, "--sleep=0")
    measuring(process)
    begin = time.monotonic()
    process.signal(signal.SIGINT)
    assert process.finish(10) == 0
    assert time.monotonic() - begin < 5 and process.err == ""
    assert "# Server: 127.0.0.1 (127.0.0.1), without its results\n" in \
        process.out


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


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_far_server_is_killed(start, transport):
    """The far side says so, also where the client's socket does not."""
    process = start("--connect=127.0.0.1", rsh(), *QUICK,
                    f"--transport={transport}")
    measuring(process)
    pid, = outside.children(far_side(process.pid))
    os.kill(pid, signal.SIGKILL)
    assert process.finish(15) == 1
    assert f"127.0.0.1: WARN: the server (pid {pid})" in process.err
    assert process.gone()


def test_client_is_killed(start):
    process = start("--connect=127.0.0.1", rsh(), *QUICK)
    measuring(process)
    pid = far_side(process.pid)
    process.signal(signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(pid), 10)


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


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_namespaces(start, net, transport):
    process = near(start, net, f"--connect={net.FAR}",
                   rsh(*inside(net.far)), *QUICK, "-l", "50", "-t2",
                   f"--transport={transport}", "--json=json")
    assert process.finish(30) == 0, process.err
    assert f"# Server: {net.FAR} ({net.FAR})" in process.out


@pytest.mark.parametrize("address", ["10.77.33.9", "fd77::9"])
def test_second_address_of_a_host(start, net, address):
    """Replies come from where the requests go to."""
    for name, more in ((net.far, ("fd77::1/64", f"{address}/64" if ":" in
                                  address else f"{address}/24")),
                       (net.near, ("fd77::2/64",))):
        for one in more:
            net.ip("-n", name, "address", "add", one, "dev", "cable",
                   *(["nodad"] if ":" in one else []))
    process = near(start, net, f"--connect={address}",
                   rsh(*inside(net.far)), *QUICK, "-l", "20",
                   "--transport=udp", "--json=json")
    assert process.finish(30) == 0, process.err
    pair, = outside.load_json(start.directory / "json")["twoway"]["pairs"]
    assert pair["datagrams"]["answered"] == 20


@pytest.mark.parametrize("transport, listens", [("tcp", False), ("udp", True)])
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
    measuring(process, 20)
    net.ip("-n", net.far, "link", "set", "cable", "down")
    assert process.finish(15) == 1
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


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ssh(start, net, transport):
    """A real server of ssh on the far host."""
    path = os.path.dirname(twowaytest.binary())
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
