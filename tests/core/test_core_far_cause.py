# SPDX-License-Identifier: GPL-2.0-or-later
"""--trace on two hosts: which of them caused a long cycle."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

import outside
import results
import schema
import tracing
from test_core_serve import Far
from hosts import END, FAKE, QUICK, fake, far_side, measuring, rsh

TRIES = 10
FAULTS = {
    "server:nanosleep:busy-after:60:20000": ("server", "sleep"),
    "server:poll:busy-after:60:20000": ("server", "network"),
    "server:send:busy-before:60:20000": ("server", "network"),
    "client:recv:busy-after:60:20000": ("client", "network"),
}


@results.root
@pytest.mark.parametrize("fault,stamps,metric", [
    *((fault, "off", "latency") for fault in FAULTS),
    ("server:poll:busy-after:60:20000", "rx", "server_wake_in")])
def test_cause(run, shim, fault, stamps, metric):
    """An injected delay has its host and its phase, in text and JSON."""
    there, phase = FAULTS[fault]
    env = shim(fault)
    words = [f"{name}={value}" for name, value in env.items()]
    host = os.uname().nodename
    # What each host has of the network usually is not known.
    sign = "" if phase == "network" else "+"
    for _ in range(TRIES):
        with tracing.usable():
            done = run("--connect=127.0.0.1",
                       rsh(*words) if there == "server" else rsh(), *QUICK,
                       "-m", "-p", 80, "-D", 20, "-b", f"{metric}:19000",
                       f"--stamps={stamps}", "--trace",
                       "--trace-file=trace", "--json=json",
                       env={} if there == "server" else env)
        assert done.returncode == 2, done.stderr
        of = done.json()
        schema.validator(results.SCHEMA).validate(of)
        first = next(line for line in done.stdout.splitlines()
                     if line.startswith("# Cause: "))
        if re.match(rf"# Cause: {there} host {host}: {phase} "
                    rf"{re.escape(sign)}\d+ us: ", first):
            break
    else:
        pytest.fail(f"another delay broke {TRIES} runs: {first}")
    assert re.search(r"^# Time line of (\w+): [\d.]+ us(.*)", done.stdout,
                     re.M)[2].startswith(", on average ") == bool(sign)
    peer = of["twoway"]["peer"]["breaks"][0]
    mine = of["twoway"]["breaks"][0]
    assert peer["cycle"] == mine["cycle"]
    cause = (peer if there == "server" else mine)["cause"]
    assert cause["phase"] == phase and cause["ns"] > 19000000


THEIRS = "# Cause: server host there: made up"
UNKNOWN = "# Cause: server host: unknown, as it has not answered"
BETWEEN = "# Cause: between the hosts: each has less than half of the delay"
OURS = "# Cause: client host "


@results.root
def test_excess_is_told():
    """By how much a phase was longer there than it is usually."""
    with tracing.usable():
        far = Far("--breaktrace=100", "--trace")
        with far.greet() as one:
            begin = far.measure(one)
            far.tell("break", 0, 0, 1, begin, begin + 10**9, *10 * [7])
        lines = far.process.communicate()[0].splitlines()
    assert any(line.startswith("# Cause: server host ") for line in lines)
    assert f"twowaytest 3 ended 0 0 0 {10**9 - 100000} 0" in lines


@results.root
@pytest.mark.parametrize("late, excess, more, lines", [
    ("there", 0, (), [BETWEEN, OURS, THEIRS]),
    ("there", 29 * 10**7, (), [THEIRS, OURS]),
    ("there", None, (), [THEIRS, OURS]),
    ("here", 0, (), [OURS, THEIRS]), ("here", None, (), [OURS, UNKNOWN]),
    ("here", 10**9, (), [THEIRS, OURS]),
    # The client's side does not know what it did, or did nothing.
    ("there", 0, ("--trace=sched_switch",), [OURS, THEIRS]),
    ("there", None, ("--trace=sched_switch",), [THEIRS, OURS]),
    ("asleep", 0, ("-b", "sleep:250000"), [BETWEEN, THEIRS]),
    ("asleep", None, ("-b", "sleep:250000"), [THEIRS])])
def test_who_is_named_first(run, shim, late, excess, more, lines):
    """Who has most of the delay; what a host does not know of itself, it may
    have. The wire has what neither has."""
    tell = "" if UNKNOWN in lines else f"print({THEIRS!r})\n"
    text = FAKE.replace(END, tell + "sys.stdin.readline()\n" + END.replace(
        "-1", str(-1 if excess is None else excess)))
    if late == "asleep":
        text = text.replace("begin + slept", "begin + 7 + 3 * 10**8 * "
                            "(number == 60)")
    if late != "here":
        text = text.replace(
            "    one.send", "    import time\n    if number == 60: "
            "time.sleep(.3)\n    one.send")
    for _ in range(TRIES):
        with tracing.usable():
            done = run("--connect=127.0.0.1", fake(run.directory, text),
                       *QUICK, "-m", "-p", 80, "--sleep=0", "-b", 250000,
                       "--trace", "--trace-file=trace", "--json=json", *more,
                       env=shim(*["client:recv:busy-after:60:300000"] *
                                (late == "here")))
        assert done.returncode == 2
        found, = done.json()["twoway"]["breaks"]
        # Else something else was first, or lasted as well.
        if found["cycle"] in (57, 58) and found["values"]["response"] < 360 * 10**6:
            break
    else:
        pytest.fail(f"another delay broke {TRIES} runs: {found}")
    causes = re.findall("^# Cause: .*", done.stdout, re.M)
    assert [one.startswith(line) for one, line in zip(causes, lines)] == \
        [True] * len(lines) == [True] * len(causes), causes


def stopped(start, full):
    """A run whose server was stopped for 0.4 s, and its long cycle."""
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "-m", "-p", 80,
                    "-b", 100000, "--trace=+syscalls" if full else "--trace",
                    "--json=json",
                    # Both main processes read a long trace in time.
                    preexec_fn=lambda: os.nice(-20))
    measuring(process)
    there, = process.named("twoway-server") or [0]
    with contextlib.ExitStack() as stack:
        if there:
            os.kill(there, signal.SIGSTOP)
            stack.callback(os.kill, there, signal.SIGCONT)
        for cpu in sorted(os.sched_getaffinity(0)) * full:
            busy = stack.enter_context(subprocess.Popen(
                ["taskset", "-c", str(cpu), "dd", "if=/dev/zero", "bs=1",
                 "of=/dev/null"], stderr=subprocess.DEVNULL))
            stack.callback(busy.kill)
        time.sleep(.4)
    assert process.finish(60) == 2, process.err
    of, = outside.load_json(start.directory / "json")["twoway"]["breaks"]
    return process, of["values"]["latency"] // 1000


@results.root
@pytest.mark.parametrize("full", [False, True])
def test_far_server_is_stopped(start, full):
    """The request does not wake it: its host is to blame nevertheless, or
    the trace was too full to show it."""
    with tracing.usable():
        for _ in range(TRIES):
            process, latency_us = stopped(start, full)
            if latency_us > 300000:     # else something else was first
                break
        else:
            pytest.fail(f"another delay broke {TRIES} runs")
    causes = re.findall("^# Cause: .*", process.out, re.M)
    assert causes[0].startswith("# Cause: server host "), causes
    cause = outside.load_json(start.directory / "json")[
        "twoway"]["peer"]["breaks"][0]["cause"]
    assert cause["ns"] > 250 * 10 ** 6 or "lacks" in cause, causes


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
