# SPDX-License-Identifier: GPL-2.0-or-later
"""--reflect and --trace: whether the device is late, or this computer."""

import os

import pytest

import causes
import results
import tracing
from device import Device
from test_core_cause import TRIES, Spinner
from test_core_reflect import ABSENT


BREAK = ("-q", "-m", "-p", 60, "--warmup=0", "-l", 900, "-i", 4000,
         "--trace", "--trace-file=trace", "--json=json")


def broken(done):
    """The long cycle, and its window: between two of its stamps, in ns of the
    trace's clock."""
    assert done.returncode == 2, done.stderr
    found, = results.loaded(done)["twoway"]["breaks"]
    assert not set(found["values"]) & set(ABSENT)
    assert "t1:" not in done.text("trace")
    assert f"# Cause: {found['cause']['cause']}\n" in done.stdout
    at = dict(tracing.stamps(done.text("trace")))
    return found, lambda begin, end: (at[begin], at[end])


def is_all_of(had, window, done):
    """Whether the test's own delays fill the window: else others on a busy
    machine, or its host, did, or what went on was too much for a buffer of
    the trace."""
    return causes.overlap(had, *window) > 0.9 * (window[1] - window[0]) and \
        tracing.whole_ns(done.text("trace")) <= window[0]


@results.root
def test_device_is_late(run, tracefs):
    for _ in range(TRIES):
        with Device(faults={99: "slow"}) as device:
            done = run(*BREAK, "-b", 40000, *device.options())
        if done.returncode == 0:    # the answer came when it counts as lost
            assert "# Lost: 0 of" not in done.stdout, done.stdout
            continue
        found, between = broken(done)
        if is_all_of(device.slept, between("t0", "t3"), done):
            break
    else:
        pytest.fail(f"{TRIES} other delays: {done.stdout}")
    found = found["cause"]
    assert (found["phase"], found["side"], found["state"], found["who"]) == (
        "response", "client", "awaits the other", None)
    assert found["state_ns"] > 40 * 10**6
    assert "client waiting for the network and the device for" in \
        found["cause"]


@results.root
@pytest.mark.parametrize("metric,end", [("wakeup", "t0"), ("planned", "t3")])
def test_computer_is_late(run, tracefs, metric, end):
    """A task of higher priority takes the client's CPU."""
    cpu = max(os.sched_getaffinity(0))
    for _ in range(TRIES):
        spinner = Spinner(cpu, 90, 0, 60000, 400000, 0)
        try:
            done = run(*BREAK, "-b", f"{metric}:30000", "--connect=127.0.0.1",
                       "--reflect=icmp", f"--client-affinity={cpu}")
        finally:
            had = spinner.finish()
        found, between = broken(done)
        if is_all_of(had, between("planned", end), done):
            break
    else:
        pytest.fail(f"{TRIES} other delays: {found}")
    assert found["cause"]["who"] == spinner.name, found
    assert found["cause"]["state"] != "awaits the other"


@results.root
def test_computer_is_late_beside_a_slow_device(run, tracefs):
    """The device takes longer than the delay, but it always does."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs")
    for _ in range(TRIES):
        spinner = Spinner(cpus[-1], 90, 0, 40000, 310000, 0)
        try:
            with Device(faults={None: "slow"}, cpu=cpus[0]) as device:
                done = run(*BREAK, "-b", "response:72000", *device.options(),
                           "-i", 100000, f"--client-affinity={cpus[-1]}")
        finally:
            had = spinner.finish()
        found, between = broken(done)
        t0_ns, t3_ns = between("t0", "t3")
        slept = [one for one in device.slept if t0_ns < one[1] < t3_ns]
        # The device must have been as usual, and there must be a usual.
        if found["cycle"] and slept and is_all_of(
                slept, (t0_ns, slept[-1][1]), done) and \
                is_all_of(had, (slept[-1][1], t3_ns), done):
            break
    else:
        pytest.fail(f"{TRIES} other delays: {found}")
    found = found["cause"]
    assert (found["phase"], found["state"]) == ("response", "runnable")
    assert found["ns"] > 2 * found["state_ns"]
    assert found["who"] == spinner.name, found["cause"]
