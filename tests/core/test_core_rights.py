# SPDX-License-Identifier: GPL-2.0-or-later
"""--server: what it keeps of its rights, and what it lets a client have."""

import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

import outside
import results
import units
from hosts import QUICK, measuring
from test_core_options import options

USER = 65533            # of a server that root has started
OTHER = 12345           # an ordinary user
NAMES = {14: "ipc_lock", 23: "sys_nice"}
# A container's root may not raise limits.
CONTAINER = ("setpriv", "--bounding-set=-sys_resource")
LOW = ("--rtprio=0:0", "--memlock=65536:65536")


def asked(port, *words):
    """What the server's side says to a request until it is ready or ends."""
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.settimeout(60)
        one.send(" ".join(['["--far=3"]', "1", "--default-system",
                           *words]).encode() + b"\n")
        with one.makefile(encoding="ascii") as file:
            said = []
            for line in file:
                said.append(line)
                if "ready" in line:
                    break
    return "".join(said)


def refused(port, *words):
    """Of a request that is refused, what the server's side says."""
    hello, said = asked(port, *words).split("\n", 2)[1:]
    assert hello == "twowaytest 3"
    return said


def capabilities(pid):
    """Those of each of its sets, by their names."""
    found = {}
    for name in "CapInh", "CapPrm", "CapEff", "CapAmb":
        mask = int(outside.status(pid, name), 16)
        found[name] = {NAMES.get(bit, bit) for bit in range(64)
                       if mask >> bit & 1}
    return found


def as_user(*more):
    return ("setpriv", f"--reuid={OTHER}", f"--regid={OTHER}",
            "--clear-groups", *more)


@results.root
@pytest.mark.parametrize("refused_, kept", [
    ("unlimited", set()), ("rtprio", {"sys_nice"}), ("memlock", {"ipc_lock"}),
    ("limited", {"sys_nice", "ipc_lock"})])
def test_capabilities(server, amiss, refused_, kept):
    """That alone remains whose limit could not be set."""
    server("-p", 50, env={**amiss, "TW_AMISS": refused_})
    assert capabilities(server.run.pid) == {
        "CapInh": set(), "CapPrm": kept, "CapEff": kept, "CapAmb": set()}


@results.root
@pytest.mark.parametrize("words, kept", [
    ((), {"ipc_lock"}), (("-p", 50), {"ipc_lock", "sys_nice"})])
def test_capabilities_in_a_container(server, words, kept):
    """A limit may be lowered: without -p, no priority can be had."""
    units.require("setpriv", "prlimit")
    server(*words, words=("prlimit", *LOW, *CONTAINER))
    assert capabilities(server.run.pid)["CapEff"] == kept
    assert outside.status(server.run.pid, "NoNewPrivs") == "1"


@results.root
def test_capabilities_of_a_user(server):
    """The same if the program has some by itself."""
    units.require("setpriv", "prlimit")
    both = "=+sys_nice,+ipc_lock"
    server(words=("prlimit", *LOW, *as_user("--inh-caps" + both,
                                            "--ambient-caps" + both)))
    assert outside.status(server.run.pid, "Uid").split() == 4 * [str(OTHER)]
    assert server.line.endswith(f", as the user {OTHER}\n")
    assert capabilities(server.run.pid) == {
        "CapInh": set(), "CapPrm": {"ipc_lock"}, "CapEff": {"ipc_lock"},
        "CapAmb": set()}


@results.root
def test_container_without_any_right(run, server):
    """It serves what needs none; what needs one is refused there."""
    units.require("setpriv", "prlimit")
    words = ("prlimit", LOW[1], "setpriv",
             "--bounding-set=-sys_resource,-sys_nice,-ipc_lock")
    where = server(words=words)
    assert not capabilities(server.run.pid)["CapPrm"]
    done = run(where, *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(where, *QUICK, "-l", 5, "-m")
    assert done.returncode == 1
    assert "127.0.0.1: FATAL: the server cannot get its locked memory: " in \
        done.stderr
    done = run(*words[1:], "prlimit", LOW[0], results.outside.binary(),
               "--server=127.0.0.1:20119", "-p", 50, program=words[0])
    assert done.returncode == 1
    assert done.stderr == "FATAL: --priority=50: cannot be allowed to " \
        "servers; needed is root, CAP_SYS_NICE or a " \
        "higher \"ulimit -r\"\n"


ANY = "FATAL: --policy=deadline: a --server allows nobody this; use --rsh\n"


def more(priority, most):
    return f"FATAL: --priority={priority}: this server allows its servers " \
        f"{most} at most\n"


# What is refused is what would be set, not what the request names.
@pytest.mark.parametrize("most, words, said", [
    (0, ["--policy=fifo"], more(2, 0)),
    (0, ["--policy=rr"], more(2, 0)),
    (0, ["--priority=2"], more(2, 0)),
    (0, ["--policy=deadline"], ANY),
    (0, ["--policy=deadline", "--runtime=200"], ANY),
    (50, ["--policy=deadline"], ANY),
    (50, ["--priority=52"], more(52, 50)),
    (50, ["--priority=99", "--policy=rr"], more(99, 50)),
    (99, ["--policy=deadline"], ANY),
], ids=range(9))
@results.root
@pytest.mark.parametrize("limits", [(), LOW], ids=["limits", "capabilities"])
def test_what_is_not_allowed(server, limits, most, words, said):
    units.require("setpriv", "prlimit")
    server(*["-p", most] * bool(most),
           words=("prlimit", *limits, *CONTAINER) if limits else ())
    assert refused(server.port, *words) == said


@results.root
@pytest.mark.parametrize("limits", [(), LOW], ids=["limits", "capabilities"])
def test_the_most_that_is_allowed(start, server, limits):
    units.require("setpriv", "prlimit")
    where = server("-p", 50, words=("prlimit", *limits, *CONTAINER)
                   if limits else ())
    process = start(where, *QUICK, "-p", 51, "-m", "--load=fft",
                    "--load-policy=rr", "--load-priority=49",
                    "--load-side=server")
    measuring(process)
    found = {outside.read(f"/proc/{pid}/comm").strip(): os.sched_getparam(
        pid).sched_priority for pid in server.run.processes()}
    assert found["twoway-server"] == found["twowaytest"] == 50
    assert found["twoway-load"] == 49
    process.signal(signal.SIGINT)
    assert process.finish(10) == 0, process.err


@results.root
def test_nobody_cannot_stop_it(start, server):
    """A server that root has started has a user that no other program has."""
    units.require("setpriv")
    process = start(server("-p", 60, words=("setpriv", "--groups=4,5")),
                    *QUICK, "-p", 61)
    measuring(process)
    assert server.line == f"# Listening at 127.0.0.1:{server.port}, " \
        f"priorities up to 60, as the user {USER}\n"
    pids = server.run.processes()
    assert len(pids) == 3
    for pid in pids:
        assert set(outside.status(pid, "Uid").split()) == {str(USER)}
        assert set(outside.status(pid, "Gid").split()) == {str(USER)}
        assert outside.status(pid, "Groups").split() == []
        assert outside.status(pid, "NoNewPrivs") == "1"
        assert subprocess.run(["kill", "-STOP", str(pid)], check=False,
                              capture_output=True,
                              preexec_fn=outside.nobody()).returncode
    process.signal(signal.SIGINT)
    process.finish(10)


@results.root
def test_user_that_is_not_here(run):
    """In a container that has but one user."""
    done = run("--user", "--map-root-user", results.outside.binary(),
               "--server", program="unshare")
    if "unshare" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 1
    assert done.stderr == f"FATAL: --server: cannot become the user {USER}: " \
        "Operation not permitted; start it as an ordinary user\n"


# What may be asked for over the network: of options, all that --help has.
MAY = {
    "affinity", "breaktrace", "busy-poll", "clock", "default-system",
    "distance", "dscp", "interval", "latency", "load", "load-affinity",
    "load-policy", "load-priority", "loops", "mlockall", "nsecs", "oneway",
    "policy", "prefer-busy-poll", "priority", "priospread", "runtime",
    "server-affinity", "size", "sleep", "sock-priority", "stamps", "steps",
    "threads", "timeout", "trace", "transport", "wait", "warmup"}
LOGIN = {"--load=command:id", "--load-args=-g1", "--wait=busy"}


def test_what_may_be_asked_for(server):
    """No option that names a file, a command or another host."""
    server()
    for name in options().keys() - MAY - {"load-args"}:
        assert refused(server.port, f"--{name}=x") == \
            f"FATAL: --{name}: nobody may ask for this from another host\n"
    for word in LOGIN:
        assert refused(server.port, word) == \
            f"FATAL: {re.split('[:]|=-', word)[0]}: nobody may ask for this " \
            "without a login; use --rsh\n"


@results.root
def test_trace_is_roots(run, server, tracefs):
    done = run(server(), *QUICK, "-l", 5, "-b", 10**9, "--trace")
    assert done.returncode == 1
    assert re.match(r"127\.0\.0\.1: FATAL: --trace: "
                    "/sys/kernel/[a-z/]*: Permission denied; needed is root",
                    done.stderr)


@pytest.mark.parametrize("load", ["fft:2", "hackbench:1"])
def test_nothing_is_left(start, server, load):
    """Of a client that is killed, whatever it had started there."""
    if load[0] == "h" and not shutil.which("hackbench"):
        pytest.skip("no hackbench")
    process = start(server(), *QUICK, "-t2", f"--load={load}",
                    "--load-side=server")
    measuring(process)
    assert len(server.run.processes()) > 3
    process.signal(signal.SIGKILL)
    assert outside.wait_for(
        lambda: server.run.processes() == [server.run.pid])
