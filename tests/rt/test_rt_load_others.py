# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of a load and programs that are not: each ends as it should."""

import os
import shutil
import signal
import subprocess

import outside
import pytest
from conftest import compiled

LOAD = "--load=command:exec sleep 99"
# What stays is ended by the fixture.
FOREVER = 600


def sleeping(run, seconds):
    """Those of its processes that sleep for so long."""
    return [pid for pid in run.processes() if outside.read(
        f"/proc/{pid}/cmdline") == f"sleep\0{seconds}\0"]


# A logger, say, which the script that runs the test has left to it by exec,
# and one that is orphaned while the test runs.
WRAPPER = f"""
sleep {FOREVER} &
(sleep 0.5; sleep {FOREVER} & ) &
exec "$@"
"""


def wrapped(*options):
    return ("-c", WRAPPER, "sh", outside.binary(), "-q", "-i", 1000,
            *options)


def test_exec_spares_the_script_s_children(start):
    run = start(*wrapped("-D", 2, LOAD), program="/bin/sh",
                stdout=subprocess.DEVNULL)
    assert outside.wait_for(lambda: sleeping(run, 99))
    assert outside.wait_for(lambda: len(sleeping(run, FOREVER)) == 2)
    assert run.process.wait(timeout=20) == 0
    assert not sleeping(run, 99)
    assert len(sleeping(run, FOREVER)) == 2


def test_first_process_of_a_container(start):
    """To which everybody's orphans come, while steps begin and end."""
    unshare = shutil.which("unshare")
    options = ("-p", "-f", "--mount-proc")
    if not unshare or subprocess.run([unshare, *options, "true"],
                                     capture_output=True,
                                     check=False).returncode:
        pytest.skip("unshare cannot make a PID namespace here")
    run = start(*options, "/bin/sh", *wrapped(
        "-D", 2, "--load=command:exec sleep 99", "--steps=4"),
        program=unshare, stdout=subprocess.DEVNULL)
    assert outside.wait_for(lambda: len(sleeping(run, FOREVER)) == 2)
    # The second and the third step, whose loads were ended.
    for copies in (1, 2, 3):
        assert outside.wait_for(
            lambda n=copies: len(sleeping(run, 99)) == n)
        assert len(sleeping(run, FOREVER)) == 2
    assert run.process.wait(timeout=20) == 0


@pytest.mark.parametrize("load", [
    "command:sleep 99 & setsid sleep 99 & wait", "hackbench:1", "fft:2"])
def test_killed_group(start, load):
    """As by timeout -s KILL, or a shell's job: main and all its group."""
    if load.startswith("hackbench") and not shutil.which("hackbench"):
        pytest.skip("hackbench is not in PATH; it is part of rt-tests")
    run = start("-q", f"--load={load}", preexec_fn=os.setpgrp,
                stdout=subprocess.DEVNULL)
    run.steady()
    os.killpg(run.pid, signal.SIGKILL)
    assert run.gone(timeout=2), run.processes()


def test_complaints_take_no_memory(start):
    """What a load writes to its standard error lies in pipes only."""
    run = start("-q", "--load=command:while :; do echo complaint >&2; done",
                stdout=subprocess.DEVNULL)
    run.steady()
    supervisor, = run.named("twoway-load")
    copies = outside.children(supervisor)
    for pid in [supervisor, *copies]:
        files = outside.open_files(pid)
        assert files and not any("memfd" in name for name in files)
    assert any("pipe:" in name for name in outside.open_files(supervisor))
    run.signal(signal.SIGINT)
    assert run.finish() == 0
    assert run.gone()


@pytest.fixture
def aloof(public):
    """A program that nobody but root may end; none if it cannot be had."""
    name = compiled(public, "aloof", "aloof.c")
    os.chmod(name, 0o4755)
    with subprocess.Popen([name, "20"],
                          preexec_fn=outside.nobody()) as process:
        outside.wait_for(lambda: outside.status(process.pid, "Name") ==
                         "aloof")
        rights = outside.wait_for(
            lambda: outside.status(process.pid, "Uid").split() == ["0"] * 4,
            timeout=1)
        process.kill()
    if not rights:
        pytest.skip(f"no set-user-ID program works in {public}")
    return name


@pytest.mark.parametrize("steps", [1, 3])
def test_one_that_may_not_be_ended(start, public, aloof, steps):
    """It is named, and nobody waits for its end; the results are there."""
    json = public / f"json{steps}"
    run = start("-q", "-D", 1, "--default-system",
                f"--load=command:exec {aloof} 20",
                f"--steps={steps}", "--json", json, cwd=public,
                program=public / "twowaytest", preexec_fn=outside.nobody())
    assert outside.wait_for(lambda: run.named("aloof"))
    left = run.named("aloof")
    assert run.process.wait(timeout=15) == 1
    assert left == run.named("aloof")
    os.kill(left[0], signal.SIGKILL)
    run.finish()
    command = f"exec {aloof} 20"
    shown = command if len(command) <= 60 else command[:60] + "..."
    error = f"--load=command:{shown}: its process {left[0]} (aloof) cannot be " \
        "ended: Operation not permitted"
    assert run.err == f"twowaytest: {error}\n"
    twoway = outside.load_json(json)["twoway"]
    assert twoway["error"] == error
    assert twoway["cycles"] > 0
    assert len(twoway["steps"]) == (1 if steps == 1 else 2)
