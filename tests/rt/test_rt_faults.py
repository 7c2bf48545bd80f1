# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that are killed or stopped: nothing of a run stays behind."""

import ctypes
import os
import random
import signal
import socket
import time

import outside
import pytest

ROUNDS = 7
PERIOD_US = 1000
PTRACE_SEIZE = 0x4206
RING_CYCLES = 8192      # what main has not yet fetched

FILES = ("json", "histfile", "dump")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def left_in(directory):
    return sorted(os.listdir(directory))


@pytest.fixture
def ports():
    """A port for each run, told free again afterwards."""
    port = free_port()
    yield port
    # What is left of a connection may linger; nobody may listen or talk.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        probe.listen()


@pytest.fixture
def measuring(start, memory, ports):
    """Starts a run that writes every kind of file."""
    def run(*options):
        files = [f"--{name}={memory / name}" for name in FILES]
        return start("-p", 60, "-m", "-D", 200, "-i", PERIOD_US,
                     "-h", 500, f"--port={ports}", *files, *options)
    return run


def pause(seed, longest):
    """A moment that is another one in each round, and can be had again."""
    seconds = random.Random(seed).uniform(0, longest)
    time.sleep(seconds)


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("role", outside.SIDES)
def test_side_killed(measuring, memory, role, seed):
    run = measuring("-q")
    pids = run.steady()
    pause(seed, 0.1)
    os.kill(pids[role], signal.SIGKILL)
    assert run.gone()
    assert run.finish() == 1

    died = f"the {role} (pid {pids[role]}) was killed by signal 9 (Killed)"
    assert run.err == f"twowaytest: {died}\n"
    # The results so far are there: whole files, and they agree.
    assert left_in(memory) == sorted(FILES)
    result = outside.load_json(memory / "json")
    assert result["return_code"] == 1
    assert result["twoway"]["error"] == died
    cycles = result["twoway"]["cycles"]
    assert cycles > 0
    # It may have died while it counted its last cycle.
    for thread in result["thread"].values():
        assert thread["cycles"] in (cycles, cycles - 1)
    assert "# Histogram" in outside.read(memory / "histfile")
    rows = outside.read(memory / "dump").splitlines()[1:]
    assert len(rows) + result["twoway"]["not_dumped"] in (cycles, cycles - 1)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
@pytest.mark.parametrize("role", outside.SIDES)
def test_side_crashes(measuring, role, number):
    run = measuring("-q")
    pids = run.steady()
    os.kill(pids[role], number)
    assert run.gone()
    assert run.finish() == 1
    assert f"the {role} (pid {pids[role]}) was killed by signal " \
        f"{int(number)} (" in run.err


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_main_killed(measuring, memory, seed):
    run = measuring(*(["-q"] if seed % 2 else []))
    pids = run.steady()
    for pid in pids.values():
        assert all("(deleted)" in name for name in outside.shared(pid))
    pause(seed, 0.1)
    run.signal(signal.SIGKILL)
    assert run.gone()
    assert run.finish() == -signal.SIGKILL
    assert not any(map(outside.alive, pids.values()))
    assert left_in(memory) == ["dump.partial"]
    text = (memory / "dump.partial").read_text()
    assert not text or text.endswith("\n")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_main_killed_at_start(measuring, memory, seed):
    """Sides may just be being born."""
    run = measuring("-q")
    pause(seed, 0.03)
    run.signal(signal.SIGKILL)
    assert run.gone()
    # Between two names it may be known by the number that it had first.
    assert all(name == "dump.partial" or name.startswith(".twowaytest.")
               for name in left_in(memory))


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("index, role", enumerate(outside.SIDES))
def test_side_killed_at_start(measuring, memory, index, role, seed):
    """As soon as it is there, or a little later."""
    run = measuring("-q")
    children = outside.wait_for(
        lambda: len(run.children()) > index and run.children())
    assert children
    pause(seed, 0.003)
    os.kill(children[index], signal.SIGKILL)
    assert run.gone()
    assert run.finish() == 1
    assert f"the {role} (pid {children[index]}) was killed by signal 9" \
        in run.err
    # Without the first cycle there may be no results; but never half of them.
    assert left_in(memory) in ([], sorted(FILES))
    if left_in(memory):
        assert outside.load_json(memory / "json")["return_code"] == 1


@pytest.mark.parametrize("roles", [("server",), ("client",), outside.SIDES])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_side(measuring, memory, roles, number):
    """A side that cannot end by itself is killed, and named."""
    run = measuring("-q")
    pids = run.steady()
    for role in roles:
        os.kill(pids[role], signal.SIGSTOP)
    time.sleep(0.05)
    run.signal(number)
    # Each is given 1 s.
    assert run.gone(timeout=1 + 1.5 * len(roles))
    assert run.finish() == 1
    assert any(f"the {role} (pid {pids[role]}) did not end within 1 s and "
               "was killed" in run.err for role in roles)
    result = outside.load_json(memory / "json")
    assert result["return_code"] == 1
    assert "did not end" in result["twoway"]["error"]
    assert result["twoway"]["interrupted"]
    assert left_in(memory) == sorted(FILES)


@pytest.mark.parametrize("role", outside.SIDES)
def test_side_that_does_not_die(measuring, memory, role):
    """Traced, it is there for main even when it was killed."""
    run = measuring("-q")
    pids = run.steady()
    nothing = ctypes.c_void_p(0)
    if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, pids[role], nothing, nothing):
        pytest.skip("no process may be traced here")
    try:
        run.signal(signal.SIGTERM)
        assert run.process.wait(timeout=20) == 1
    finally:
        os.kill(pids[role], signal.SIGKILL)
        os.waitpid(pids[role], 0)
    assert run.gone()
    run.finish()
    error = outside.load_json(memory / "json")["twoway"]["error"]
    assert run.err == f"twowaytest: {error}\n"
    assert f"the {role} (pid {pids[role]}) did not end: on CPU " in error
    assert "it cannot even be killed there" in error
    assert left_in(memory) == sorted(FILES)


@pytest.mark.parametrize("role", outside.SIDES)
def test_main_killed_with_stopped_side(measuring, memory, role):
    run = measuring("-q")
    os.kill(run.steady()[role], signal.SIGSTOP)
    run.signal(signal.SIGKILL)
    assert run.gone()
    assert left_in(memory) == ["dump.partial"]


@pytest.mark.parametrize("timer", ["posix", "nanosleep", "timerfd"])
@pytest.mark.parametrize("wait", ["poll", "select", "epoll", "read"])
def test_side_stopped_and_continued(measuring, memory, timer, wait):
    """As under a debugger: late, but nothing breaks or goes uncounted."""
    run = measuring("-q", f"--timer={timer}", f"--wait={wait}")
    pids = run.steady()
    expected = 0
    for role in outside.SIDES:
        os.kill(pids[role], signal.SIGSTOP)
        assert outside.wait_for(lambda pid=pids[role]: outside.status(
            pid, "State").startswith("T"))
        begin = time.monotonic()
        time.sleep(0.05)
        stopped_s = time.monotonic() - begin
        os.kill(pids[role], signal.SIGCONT)
        # It goes on for some cycles, so that what was missed is counted.
        enough = outside.switches(pids["client"]) + 10
        assert outside.wait_for(lambda least=enough: outside.switches(
            pids["client"]) > least)
        # Up to a period passes before a stopped side is missed at all.
        expected += int(stopped_s * 1e6) // PERIOD_US - 2
    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    twoway = outside.load_json(memory / "json")["twoway"]
    assert twoway["missed"] >= expected
    for role in outside.SIDES:
        assert twoway["processes"][role]["stopped"] == 1
    assert "# Stopped by a signal, and continued: client 1, server 1 times" \
        in outside.read(memory / "histfile")


@pytest.mark.parametrize("options", [
    ("-D", 200, "--load=fft:2"),
    ("-D", 3, "--load=fft", "--steps=2"),
])
def test_terminal_stop(start, memory, options):
    """Ctrl-Z stops the whole of main's group; a ramp tells of all steps."""
    run = start("-q", "-p", 60, *options, "--json", memory / "json",
                preexec_fn=os.setpgrp)
    client = run.steady()["client"]
    everyone = run.children() + [run.pid]

    os.killpg(run.pid, signal.SIGTSTP)
    assert outside.wait_for(lambda: all(
        outside.status(pid, "State").startswith("T") for pid in everyone))
    os.killpg(run.pid, signal.SIGCONT)
    enough = outside.switches(client) + 10
    assert outside.wait_for(lambda: outside.switches(client) > enough)
    if "--steps=2" not in options:
        run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    twoway = outside.load_json(memory / "json")["twoway"]
    for role in outside.SIDES:
        assert twoway["processes"][role]["stopped"] == 1
    assert "continued: client 1, server 1 times" in run.out


def test_main_stopped_and_continued(start, memory):
    """The ring overflows meanwhile: what was lost of the dump is counted."""
    run = start("-q", "-D", 200, "-i", 0, "--sleep=0",
                "--json", memory / "json", "--dump", memory / "dump")
    client = run.steady()["client"]

    run.signal(signal.SIGSTOP)
    # A cycle blocks at most once.
    enough = outside.switches(client) + 2 * RING_CYCLES
    assert outside.wait_for(lambda: outside.switches(client) > enough,
                            timeout=10)
    run.signal(signal.SIGCONT)
    time.sleep(0.1)
    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    twoway = outside.load_json(memory / "json")["twoway"]
    rows = outside.read(memory / "dump").splitlines()[1:]
    assert twoway["not_dumped"] > 0
    assert f"# Not dumped: {twoway['not_dumped']} cycles" in run.out
    assert len(rows) + twoway["not_dumped"] == twoway["cycles"]
    numbers = [int(row.split(",")[1]) for row in rows]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] < twoway["cycles"]


def test_signal_to_all(measuring, memory):
    """A terminal's ^C goes to the whole group: main alone acts on it."""
    run = measuring("-q")
    pids = run.steady()
    # Main last, or the sides might be gone already.
    for pid in reversed(pids.values()):
        os.kill(pid, signal.SIGINT)
    assert run.gone(timeout=2)
    assert run.finish() == 0, run.err
    assert outside.load_json(memory / "json")["return_code"] == 0
    assert left_in(memory) == sorted(FILES)
