# SPDX-License-Identifier: GPL-2.0-or-later
"""Real-time throttling, provoked by a load that leaves its CPU no rest."""

import os

import outside
import pytest
import twoway

LAST = sorted(os.sched_getaffinity(0))[-1]
HOG = ("-q", "-m", "-p", 98, "-a", "-D", 4, "--load-policy=rr",
       f"--load-affinity={LAST}", "--load=command:while :; do :; done")


def stalls(cycles, sleep_ns):
    """Of each cycle but the first, the longest that a side was kept back."""
    for before, cycle in zip(cycles, cycles[1:]):
        # Late as the cycle before was: that one's stall.
        due_ns = max(cycle.planned_ns, before.t3_ns)
        yield max(cycle.t0_ns - due_ns, cycle.t1_ns - cycle.t0_ns,
                  cycle.t2_ns - cycle.t1_ns - sleep_ns,
                  cycle.t3_ns - cycle.t2_ns)


@pytest.fixture(scope="module")
def hogged(tmp_path_factory):
    """A run that the kernel has throttled: its text, its JSON, and how many
    of its cycles the kernel has kept back for as long as it is set to."""
    directory = tmp_path_factory.mktemp("throttle")
    # Where no other task waits for the CPU, newer kernels stop nothing.
    other = outside.Run("-c", "while :; do :; done", program="/bin/sh",
                        preexec_fn=lambda: os.sched_setaffinity(0, {LAST}))
    run = outside.Run(*HOG, f"--client-affinity={LAST}", "-h", 400,
                      "--json", directory / "json",
                      "--dump", directory / "dump")
    try:
        assert run.finish() == 0, run.err
    finally:
        run.end()
        other.end()
    result = outside.load_json(directory / "json")["twoway"]
    stall_ns = result["throttling"]["stall_us"] * 1000
    if not stall_ns:
        pytest.skip("this kernel does not throttle real-time tasks")
    count = sum(0.75 * stall_ns <= stall <= 1.5 * stall_ns for stall in
                stalls(twoway.read_dump(directory / "dump"), 100 * 1000))
    if not count:
        pytest.skip("this kernel gave the load all of the CPU")
    return run.out, result, count


def test_counted(hogged):
    out, result, count = hogged
    assert result["throttling"]["possible"]
    assert result["not_dumped"] == 0
    assert result["throttled"] == count
    assert f"# Throttled: {count:05} " in out
    assert "# Throttling stopped real-time tasks for " in out


def test_stall_is_the_worst_cycle(hogged):
    """What was counted is as long as the kernel's setting says."""
    _, result, _ = hogged
    stall = result["throttling"]["stall_us"] * 1000
    cycle = max(result["worst"].values(), key=lambda worst: max(
        worst["response_ns"], worst["wakeup_ns"]))
    assert max(cycle["response_ns"], cycle["wakeup_ns"]) > 0.7 * stall


def test_lifted(start, tmp_path, hogged):
    """The setting is the cause: without it there is nothing to count."""
    before = outside.rt_runtime()
    run = start(*HOG, f"--client-affinity={LAST}", "--rt-runtime=-1",
                "--json", tmp_path / "json")
    if run.finish() and "--rt-runtime" in run.err:
        pytest.skip(run.err.strip())
    result = outside.load_json(tmp_path / "json")["twoway"]
    assert result["throttling"]["rt_runtime_us"] == -1
    assert outside.rt_runtime() == before
    if result["throttling"]["fair_server"] and result["throttled"]:
        pytest.skip("the fair server stalls this kernel's tasks all the same")
    assert result["throttled"] == 0
    assert "# Throttled:" not in run.out


def test_ordinary_load_cannot(start, tmp_path):
    run = start("-q", "-m", "-p", 98, "-a", "-l", 300,
                "--load=command:while :; do :; done",
                "--json", tmp_path / "json")
    assert run.finish() == 0, run.err
    result = outside.load_json(tmp_path / "json")["twoway"]
    assert not result["throttling"]["possible"]
    assert result["throttled"] == 0
