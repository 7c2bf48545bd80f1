# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: --load, and what it tells of real-time throttling."""

import os

import pytest

import primitives

TEST = ("--test=sync1.mutex", "-l", "50")


def test_load(primitive):
    result = primitive(*TEST, "--load=fft:2")
    assert result.returncode == 0, result.stderr
    load = result.json["primitives"]["load"]
    assert [(one["kind"], one["units"]) for one in load] == [("fft", 2)]
    assert result.lines("# Load: fft, 2 workers")


def test_wrong_transforms(primitive):
    """A load that fails, fails the run."""
    primitives.need_preload()
    result = primitive("--test=timer.1000", "-D2", "--load=fft", env={
        "LD_PRELOAD": os.environ["TWOWAY_AMISS_SO"], "TW_AMISS": "copy"})
    assert result.returncode == result.json["return_code"] == 1
    assert result.json["primitives"]["load"][0]["errors"] > 0
    assert "--load=fft: " in result.stderr and "results were wrong" in \
        result.stderr


@pytest.mark.parametrize("options, priority", [
    ("", 0), ("--load-policy=rr", 1),
    ("--load-policy=fifo --load-priority=7 -p9", 7)])
def test_priority(realtime, options, priority):
    """Of the load."""
    result = realtime(*TEST, "--load=fft", *options.split())
    assert result.returncode == 0, result.stderr
    assert result.json["primitives"]["load"][0]["priority"] == priority


def test_tasks_are_above_the_load(realtime):
    result = realtime(*TEST, "--load=fft", "-p8", "--load-policy=fifo",
                      "--load-priority=7", json=False)
    assert result.returncode == 1 and "T:" not in result.stdout
    assert "--priority=8: allowed is 9 or more here: " in result.stderr


def test_no_load(primitive):
    result = primitive(*TEST)
    assert result.json["primitives"]["load"] == []
    assert not result.lines("# Load")


def test_load_that_ends(primitive):
    """Results are kept; the exit status says that the load was not there."""
    result = primitive("--test=timer.1000", "-D", "20",
                       "--load=command:sleep 0.6; exit 3")
    assert result.returncode == 1
    assert "exit status 3" in result.stderr
    assert result.columns["timer.1000.wakeup"]["cycles"] > 0


@pytest.mark.parametrize("options, why", [
    (["--load=fft:0"], "1 to 1024"),
    (["--load=nothing"], "--help names"),
    (["--load=fft", "--load-args=-l 10"], "only with --load=hackbench"),
    (["--load-policy=idle"], "only with --load"),
    (["--rt-runtime=1000001"], "-1 to 1000000"),
])
def test_refused(primitive, options, why):
    result = primitive(*TEST, *options, json=False)
    assert result.returncode == 1
    assert why in result.stderr


def test_throttling(primitive):
    throttling = primitive(*TEST).json["primitives"]["throttling"]
    assert throttling["stall_us"] >= 0
