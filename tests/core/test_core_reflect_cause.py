# SPDX-License-Identifier: GPL-2.0-or-later
"""--reflect and --trace: whether the device is late, or this computer."""

import os

import pytest

import results
from device import Device
from test_core_cause import TRIES, Spinner
from test_core_reflect import ABSENT


BREAK = ("-q", "-m", "-p", 60, "--warmup=0", "-l", 900, "-i", 4000,
         "--trace", "--trace-file=trace", "--json=json")


def cause(done):
    found, = results.loaded(done)["twoway"]["breaks"]
    assert not set(found) & set(ABSENT)
    assert "lacks" not in found["cause"], done.stdout
    assert "t1:" not in done.text("trace")
    assert f"# Cause: {found['cause']['cause']}\n" in done.stdout
    return found["cause"]


@results.root
def test_device_is_late(run, tracefs):
    for _ in range(TRIES):
        with Device(faults={99: "slow"}) as device:
            done = run(*BREAK, "-b", 40000, *device.options())
        assert done.returncode == 2, done.stderr
        found = cause(done)
        # On a busy machine another delay may be first.
        if found["state"] == "awaits the other":
            break
    assert (found["phase"], found["side"], found["state"], found["who"]) == (
        "response", "client", "awaits the other", None)
    assert found["state_ns"] > 40 * 10**6
    assert "client waiting for the network and the device for" in \
        found["cause"]


@results.root
@pytest.mark.parametrize("metric", ["wakeup", "planned"])
def test_computer_is_late(run, tracefs, metric):
    """A task of higher priority takes the client's CPU."""
    cpu = max(os.sched_getaffinity(0))
    for _ in range(TRIES):
        spinner = Spinner(cpu, 90, 0, 60000, 400000, 0)
        try:
            done = run(*BREAK, "-b", f"{metric}:30000", "--connect=127.0.0.1",
                       "--reflect=icmp", f"--client-affinity={cpu}")
        finally:
            spinner.finish()
        assert done.returncode == 2, done.stderr
        found = cause(done)
        assert found["state"] != "awaits the other" and found["who"]
        # On a busy machine others, or its host, may take the CPU as well.
        if found["who"] == spinner.name or "fair server" in found["cause"]:
            return
    pytest.fail(str(found))


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
            spinner.finish()
        found = cause(done)
        assert found["phase"] == "response"
        # A busy machine may make the device later than the client.
        if found["state"] == "runnable":
            break
    assert found["ns"] > 2 * found["state_ns"]
    assert found["who"] == spinner.name, found["cause"]
