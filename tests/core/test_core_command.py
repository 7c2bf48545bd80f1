# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads by any command; arguments, policy and priority of loads."""

import contextlib
import os
import shutil
import signal
import subprocess

import pytest

import outside
import results
import twowaytest
from test_core_load import LINE

SLEEP = "setsid sleep 99 & sleep 99 & wait"


def load_of(done):
    """The load of a run that was all right: its line, in the JSON, too."""
    assert done.returncode == 0, done.stderr
    one = results.loaded(done)["twoway"]["load"][0]
    match, = filter(None, map(LINE.fullmatch, done.stdout.splitlines()))
    assert match[1] == one["kind"] and match[5] == one["work"]
    assert abs(float(match[4]) - one["rate"]) < 0.051
    return one


def sleeping(process):
    return [pid for pid in process.processes() if outside.read(
        f"/proc/{pid}/cmdline") == "sleep\00099\0"]


def test_a_command_is_started_again(run):
    """Its work is the runs that it has completed in a second."""
    done = run("-q", "-D", 2, "--json=json", "--load=command:"
               "echo out; echo x >>file; sleep 0.1")
    one = load_of(done)
    assert (one["units"], one["unit"], one["work"], one["priority"]) == (
        1, "copies", "runs", 0)
    runs = done.text("file").count("x")
    # Not those before the first cycle and the last, which did not end.
    assert 0 < one["rate"] * 2 <= runs and one["rate"] * 2.3 + 5 >= runs
    assert "out" not in done.stdout and not done.stderr


def test_copies_of_a_ramp(run):
    """Step k has k; each knows how many they are."""
    done = run("-q", "-l", 900, "--steps=4", "--json=json", "--load=command:"
               "echo $TWOWAYTEST_WORKERS $$ >>file; sleep 9")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.text("file").splitlines()]
    assert sorted(line[0] for line in lines) == list("122333")
    assert len({line[1] for line in lines}) == 6
    steps = results.loaded(done)["twoway"]["steps"]
    assert [step["units"] for step in steps] == [0, 1, 2, 3]


@pytest.mark.parametrize("command,says", [
    ("exit 3", "exit 3: ended with exit status 3"),
    ("echo tired >&2; exit 1", "tired\n"), ("no-such-program", "status 127"),
    ("kill -TERM $$", "killed by signal 15"), ("(", "exit status 2"),
    ("exit 3;" + "x" * 99, f"exit 3;{'x' * 53}...: ended with"),
    ("exit 4\necho", "exit 4...: ended with"),
])
def test_a_command_that_fails_at_once(run, command, says):
    done = run("-q", "-l", 9, f"--load=command:{command}")
    assert done.returncode == 1 and "T:" not in done.stdout
    assert says in done.stderr


def test_most_loads(run):
    loads = [f"--load=command:echo {n} >{n}; sleep 9" for n in range(9)]
    done = run("-q", "-l", 9, *loads[:8])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.files == set("01234567")
    done = run("-q", "-l", 9, *loads)
    assert done.returncode == 1 and "allowed are up to 8 of" in done.stderr


@pytest.mark.parametrize("name", ["x", "x\\n", ") (", "(", ") S 1"])
def test_a_process_of_any_name_is_ended(start, name):
    """Which it may have given itself."""
    process = start("-q", "--load=command:exec setsid sh -c \"printf '"
                    f"{name}' >/proc/\\$\\$/comm; : >named; while :; do "
                    "sleep 9; done\" 2>&1", stdout=subprocess.DEVNULL)
    process.steady()
    assert outside.wait_for(lambda: (start.directory / "named").exists())
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and process.gone(), process.err


@results.root
def test_no_shell(run):
    """What is amiss is told, too, not its consequence alone."""
    done = run("-m", "sh", "-c", "mount --bind /dev/null /bin/sh; \"$@\"", "sh",
               outside.binary(), "-q", "--load=command:true",
               program="unshare")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "WARN: cannot run /bin/sh: Permission denied\nWARN: --load=command:")


@pytest.mark.parametrize("steps", [1, 3])
def test_a_command_that_fails_later(run, steps):
    """What was measured until then is kept, the steps before, too."""
    done = run("-q", "-l", 2000 if steps > 1 else 0, "--json=json",
               *[f"--steps={steps}"] * (steps > 1),
               f"--load=command:sleep {0.4 if steps > 1 else 2}; exit 5")
    assert done.returncode == 1 and "ended with exit status 5" in done.stderr
    assert "stopped: what it started has failed\n" in done.stderr
    json = results.loaded(done)
    assert json["thread"]["0"]["cycles"] > 0
    if steps > 1:
        assert json["twoway"]["steps"][0]["phases"]["send"]["cycles"] == 2000


@pytest.mark.parametrize("options,says", [
    ("--load=command", "--load=command: allowed is command:SHELL-COMMAND"),
    ("--load=command:", "--load=command: allowed is command:SHELL-COMMAND"),
    ("--load-args=-p --load=fft", "--load-args=-p: allowed only with --load="),
    ("--load-policy=rr -p 9", "--load-policy=rr: allowed only with --load"),
    ("--load=fft --load-policy=rr", "without --priority"),
    ("--load=fft --load-policy=best", "--load-policy=best: allowed is other"),
    ("--load=fft --load-priority=0 -p 9", "from 1 to 97"),
    ("--load=fft --load-priority=9", "allowed only with --priority"),
    ("--load=hackbench --load-priority=9 -p 20", "--load-priority=9: allowed"),
    ("--load=fft --load-priority=9 --load-policy=rr -p 10",
     "--priority=10: allowed is 11 or"),
    ("--load=fft --load-priority=9 -p 20", "allowed only with --priority, and "
     "--load-policy=fifo or rr"),
    ("--load=fft --load-args=", "--load-args=: allowed only"),
])
def test_refused(run, options, says):
    done = run("-q", "-l", 9, *options.split())
    assert done.returncode == 1 and says in done.stderr
    assert "T:" not in done.stdout and done.stderr.count("\n") == 1


@results.root
@pytest.mark.parametrize("options,policy,priority", [
    ("", "other", 0), ("--load-policy=batch", "batch", 0),
    ("--load-policy=idle", "idle", 0), ("-p 60", "other", 0),
    ("-p 60 --load-policy=normal", "other", 0),
    ("-p 60 --load-policy=fifo", "fifo", 1),
    ("-p 60 --load-policy=rr --load-priority=57", "rr", 57)])
@pytest.mark.parametrize("kind,name", [
    ("fft:2", "twoway-load"), ("command:exec sleep 99", "sleep"),
    ("hackbench:1", "hackbench")])
def test_policy(start, options, policy, priority, kind, name):
    """Of what loads; main is above it, and below the server."""
    process = start("-q", "--json=json", f"--load={kind}", *options.split())
    process.steady()

    def settings():
        """A shell becomes the command when it gets CPU time, and hackbench
        ends and begins again."""
        with contextlib.suppress(IndexError, ProcessLookupError):
            return outside.settings(process.named(name)[0])
        return None

    found = outside.wait_for(settings)
    assert (found["policy"], found["priority"]) == (policy, priority)
    main = outside.settings(process.pid)
    assert main["priority"] == (priority + 1 if priority else 0)
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and process.gone()
    json = results.check(start.directory / "json")
    assert json["twoway"]["load"][0]["priority"] == priority


@results.root
def test_priority_of_several(start):
    """All have it, main the next."""
    process = start("-q", "-p", 50, "--load=command:exec sleep 99",
                    "--load=fft", "--load-policy=rr", "--load-priority=7")
    process.steady()
    # A shell becomes the command when it gets CPU time.
    sleep, = outside.wait_for(lambda: process.named("sleep"))
    found = [outside.settings(pid)["priority"]
             for pid in (sleep, *process.named("twoway-load"))]
    assert found[0] == 7 and set(found) == {7, 8}   # 8: who ends the command
    assert outside.settings(process.pid)["priority"] == 8


@pytest.mark.parametrize("options,arguments", [
    (("--load=hackbench:2", "--load-args= -l  50 "), "-g 2 -l 50"),
    (("--load=hackbench",), "-g 10 -l 5000")])
def test_arguments_of_hackbench(run, start, options, arguments):
    path = run.directory / "hackbench"
    path.write_text("#!/bin/sh\necho $* >args; exec sleep 99\n")
    path.chmod(0o755)
    process = start("-q", "--load=command:exec sleep 99", *options, env={
        "PATH": f"{run.directory}:{os.environ['PATH']}"})
    assert outside.wait_for(
        lambda: outside.read(run.directory / "args") == f"{arguments}\n")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


@pytest.mark.skipif(not shutil.which("hackbench"), reason="no hackbench")
def test_bad_arguments_of_hackbench(run):
    done = run("-q", "-l", 9, "--load=hackbench", "--load-args=--bogus")
    assert done.returncode == 1 and "T:" not in done.stdout


@pytest.mark.parametrize("victim", [None, "main", "group", "load", "keeper",
                                    "shell"])
def test_nothing_of_a_command_is_left(start, victim):
    """Not who left its session either, whoever is killed."""
    process = start("-q", "--json=json", f"--load=command:{SLEEP}",
                    preexec_fn=os.setpgrp, stdout=subprocess.DEVNULL)
    process.steady()
    assert outside.wait_for(lambda: len(sleeping(process)) == 2)
    load, keeper = process.named("twoway-load")
    shell, = [pid for pid in outside.children(keeper)
              if outside.status(pid, "Name") == "sh"]
    everyone = process.processes()
    if victim == "group":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        os.kill({"load": load, "keeper": keeper, "shell": shell}.get(
            victim, process.pid), signal.SIGKILL if victim else signal.SIGINT)
    status = process.finish()
    assert process.gone(3), process.processes()
    assert outside.wait_for(lambda: not results.alive(everyone), 3)
    assert status == {None: 0, "main": -9, "group": -9}.get(victim, 1)
    if victim not in ("main", "group"):
        json = results.check(start.directory / "json")
        assert json["thread"]["0"]["cycles"] > 0
    if victim in ("load", "shell"):
        assert "killed by signal 9" in process.err


def test_what_a_run_leaves_is_killed(start):
    """One that does not stay in the foreground has no company of its own."""
    process = start("-q", "--load=command:setsid sleep 99 & sleep 0.1")
    process.steady()
    begun = outside.wait_for(lambda: sleeping(process))
    assert outside.wait_for(lambda: sleeping(process) not in ([], begun), 5)
    assert len(sleeping(process)) <= 1
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and process.gone()


def test_signals_to_the_group_of_a_command(start):
    """A script's "kill 0" is meant for itself; it gets what it expects."""
    process = start("-q", "--load=command:trap '' TERM; "
                    "kill -s TERM 0; echo $$ >>pid; sleep 0.05")
    assert outside.wait_for(
        lambda: outside.read(start.directory / "pid").count("\n") > 3)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


def test_children_that_are_not_ours(start):
    """Left to main by exec or orphaned meanwhile: they are spared."""
    script = "sleep 600 & (sleep 0.5; sleep 600 & ) & exec \"$@\""
    process = start("-c", script, "sh", outside.binary(), "-q", "-D", 2,
                    f"--load=command:{SLEEP}", program="/bin/sh",
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert outside.wait_for(lambda: len(sleeping(process)) == 2)
    assert outside.wait_for(lambda: process.process.poll() is not None, 20)
    assert process.process.returncode == 0 and not sleeping(process)
    assert len(process.named("sleep")) == 2


def test_signals_of_the_processes_of_a_command(run):
    """They are as usual."""
    run("-q", "-D", 1, "--load=command:grep Sig /proc/self/status >new; "
        "mv new status; sleep 9")
    assert outside.signals(run.directory / "status") == outside.signals()


@results.root
def test_a_process_that_may_not_be_ended(public, aloof):
    """It is named, nobody waits for it, and the results are there."""
    process = twowaytest.start(
        "-q", "-D", 1, "--json=json", f"--load=command:{aloof}",
        directory=public, program=public / "twowaytest",
        preexec_fn=outside.nobody())
    assert outside.wait_for(lambda: process.process.poll() is not None or
                            process.named("aloof"))
    left, = process.named("aloof")
    assert process.process.wait(15) == 1
    os.kill(left, signal.SIGKILL)
    process.finish()
    assert f"its process {left} cannot be ended" in process.err
    assert results.check(public / "json")["thread"]["0"]["cycles"] > 0


@results.root
def test_real_time_command_that_fills_its_cpu(start):
    """Main is killed: who ends the load is above it."""
    cpu = sorted(os.sched_getaffinity(0))[-1]
    process = start("-q", "-p", 50, "--load-policy=fifo", "-D", 20,
                    f"--load-affinity={cpu}", "--load=fft:2",
                    *["--load=command:while :; do :; done"] * 2,
                    stdout=subprocess.DEVNULL)
    process.steady()
    process.signal(signal.SIGKILL)
    process.finish()
    assert process.gone(3), process.processes()
