# SPDX-License-Identifier: GPL-2.0-or-later
"""Real-time throttling, provoked by a load that leaves its CPU no rest."""

import os
import re
import subprocess
import sys

import outside
import pytest

LAST = sorted(os.sched_getaffinity(0))[-1]
HOG = ("-q", "-m", "-p", 98, "-a", "-D", 4, "--load-policy=rr",
       f"--load-affinity={LAST}", "--load=command:while :; do :; done")
ROW = re.compile(r"#\s+(\d+)(\s+-?\d+){3}\s+[\d.]+\s+\d+\s+\d+\s+[\d.]+")


@pytest.fixture(scope="module")
def hogged(tmp_path_factory):
    """A run that the kernel has throttled: its text and its JSON."""
    path = tmp_path_factory.mktemp("throttle") / "json"
    run = outside.Run(*HOG, f"--client-affinity={LAST}", "-h", 400,
                      "--json", path)
    assert run.finish() == 0, run.err
    twoway = outside.load_json(path)["twoway"]
    if not twoway["throttling"]["stall_us"]:
        pytest.skip("this kernel does not throttle real-time tasks")
    if not twoway["missed"]:
        pytest.skip("this kernel gave the load all of the CPU")
    return run.out, twoway


def test_counted(hogged):
    out, twoway = hogged
    assert twoway["throttling"]["possible"]
    assert twoway["throttled"] >= 1
    assert twoway["throttled"] <= twoway["cycles"]
    assert f"# Throttled: {twoway['throttled']:05} " in out
    assert "# Throttling stopped real-time tasks for " in out


def test_stall_is_the_worst_cycle(hogged):
    """What was counted is as long as the kernel's setting says."""
    _, twoway = hogged
    stall = twoway["throttling"]["stall_us"] * 1000
    cycle = max(twoway["worst"].values(), key=lambda worst: max(
        worst["response_ns"], worst["wakeup_ns"]))
    assert max(cycle["response_ns"], cycle["wakeup_ns"]) > 0.7 * stall


def test_lifted(start, tmp_path, hogged):
    """The setting is the cause: without it there is nothing to count."""
    before = outside.rt_runtime()
    run = start(*HOG, f"--client-affinity={LAST}", "--rt-runtime=-1",
                "--json", tmp_path / "json")
    if run.finish() and "--rt-runtime" in run.err:
        pytest.skip(run.err.strip())
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    assert twoway["throttling"]["rt_runtime_us"] == -1
    assert outside.rt_runtime() == before
    if twoway["throttling"]["fair_server"] and twoway["throttled"]:
        pytest.skip("the fair server stalls this kernel's tasks all the same")
    assert twoway["throttled"] == 0
    assert "# Throttled:" not in run.out


def test_ordinary_load_cannot(start, tmp_path):
    run = start("-q", "-m", "-p", 98, "-a", "-l", 300,
                "--load=command:while :; do :; done",
                "--json", tmp_path / "json")
    assert run.finish() == 0, run.err
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    assert not twoway["throttling"]["possible"]
    assert twoway["throttled"] == 0


def test_reference(start, tmp_path):
    """--trltp is what it says; later options override."""
    run = start("--trltp", "-q", "-l", 200, "--steps=3",
                "--json", tmp_path / "json")
    assert run.finish() == 0, run.err
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    settings = twoway["settings"]
    assert settings["interval_us"] == 1000 and settings["sleep_us"] == 100
    assert settings["timer"] == "posix" and settings["mlockall"]
    assert settings["affinity"] == "plan" and settings["loops"] == 200
    assert [twoway["processes"][role]["priority"]
            for role in ("main", "client", "server")] == [99, 98, 97]
    assert twoway["load"]["kind"] == "fft"
    assert twoway["load"]["policy"] == "rr"
    assert [step["workers"] for step in twoway["steps"]] == [0, 1, 2]
    assert twoway["warmup"]["cycles"] == 3
    assert len(ROW.findall(run.out)) == 3


def test_sixteen_steps_leave_the_shell_alive(start):
    """Something quite ordinary still gets on meanwhile."""
    run = start("--trltp", "-q", "-l", 200)
    shell = subprocess.Popen(
        [sys.executable, "-c", "import time\n"
         "while True:\n print(flush=True)\n time.sleep(0.05)"],
        stdout=subprocess.PIPE)
    try:
        assert run.finish(timeout=120) == 0, run.err
    finally:
        shell.kill()
    lines = shell.stdout.read().count(b"\n")
    shell.wait()
    assert len(ROW.findall(run.out)) == 16
    # Three seconds of measuring at the least: a sign of life in each.
    assert lines > 3
