# SPDX-License-Identifier: GPL-2.0-or-later
"""Real-time throttling, provoked by a load that leaves its CPU no rest."""

import os

import outside
import pytest

LAST = sorted(os.sched_getaffinity(0))[-1]
HOG = ("-q", "-m", "-p", 98, "-a", "-D", 4, "--load-policy=rr",
       f"--load-affinity={LAST}", "--load=command:while :; do :; done")


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
