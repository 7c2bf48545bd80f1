# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: tasks that take turns by their priorities; Rhealstone."""

import os
import re

import pytest

TRIALS = 20
WARMUP = 2
YIELDS = [f"yield.{tasks}x{kib}" for tasks in (2, 8, 16)
          for kib in (0, 16, 64)]
# How many switches a trial needs.
SWITCHES = {**{name: int(name[6:].split("x")[0]) for name in YIELDS},
            "preempt": 2, "shuffle": 4}
# Metrics that together are another.
SUMS = {"preempt": ("preempt", "resume", "post"),
        "shuffle": ("block", "grant", "shuffle")}
PARTS = {"switch": "yield.2x0.{}.same.switch",
         "preemption": "preempt.{}.same.preempt",
         "interrupt": "timer.1000.wakeup",
         "shuffle": "shuffle.{}.same.shuffle",
         "deadlock": "sync3.inherit.{}.same.handover",
         "message": "message.8.{}.same.out"}
HOLD_US = 300


def preloads(kind):
    """The environment in which calls of that kind go amiss."""
    return {"LD_PRELOAD": os.environ["TWOWAY_AMISS_SO"], "TW_AMISS": kind}


@pytest.mark.parametrize("name", SWITCHES)
def test_row(realtime, name):
    """As threads and processes, on one CPU, though two were asked for."""
    result = realtime(f"--test={name}", "-l", str(TRIALS),
                      "--tasks=thread,process", "--cpus=same,cross")
    assert result.returncode == 0, result.stderr
    assert set(result.tests) == {f"{name}.{tasks}.same"
                                 for tasks in ("thread", "process")}
    needed = (TRIALS + WARMUP) * SWITCHES[name]
    for test in result.tests.values():
        assert test["trials"] == TRIALS
        assert test["switches"]["needed"] == needed
        assert test["switches"]["had"] >= needed
        assert not any(verdict["failed"] for verdict in test["verdicts"])
        assert len({task["cpus"] for task in test["processes"]}) == 1
    assert not result.lines("# Not switched:")
    assert not result.lines("# Preempted:")


@pytest.mark.parametrize("name", SUMS)
def test_identity(realtime, name):
    result = realtime(f"--test={name}", "-l", str(TRIALS),
                      "--tasks=thread,process")
    first, second, both = SUMS[name]
    for full in result.tests:
        assert result.sum_ns(f"{full}.{first}") + \
            result.sum_ns(f"{full}.{second}") == \
            pytest.approx(result.sum_ns(f"{full}.{both}"), abs=2)
        assert result.columns[f"{full}.{first}"]["min"] > 0
        assert result.columns[f"{full}.{second}"]["min"] > 0


@pytest.mark.parametrize("name", YIELDS)
def test_touched(realtime, name):
    """The data are read after the switch, in each trial."""
    result = realtime(f"--test={name}", "-l", str(TRIALS))
    switch = result.columns[f"{name}.process.same.switch"]
    touched = result.columns[f"{name}.process.same.touched"]
    assert 0 < switch["min"] < touched["min"]
    assert switch["avg"] < touched["avg"]


def test_yields_without_a_peer(realtime):
    """The first task runs alone: no switch, and not each has yielded."""
    result = realtime("--test=yield.2x0", "-l", str(TRIALS),
                      env=preloads("yield"))
    assert result.returncode == 1
    switches = result.tests["yield.2x0.process.same"]["switches"]
    assert result.lines("# Not switched: yield.2x0.process.same:") == [
        f"{switches['had']} of {switches['needed']} switches happened"]
    assert f"in {TRIALS + WARMUP} laps" in result.stderr


def test_shuffle_without_turns(realtime):
    """The owner never lets the other run: it takes back what it gave."""
    result = realtime("--test=shuffle", "-l", str(TRIALS),
                      env=preloads("yield"))
    assert result.returncode == 1
    assert f"{TRIALS + WARMUP} times the semaphore was free" in result.stderr


@pytest.mark.parametrize("name, role, metrics", [
    ("preempt", "low", {"preempt", "post"}),
])
def test_late(realtime, name, role, metrics):
    """A post that is late by a known time: in the metrics that contain it."""
    late_us, trial = 200000, 7
    environment = {
        "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
        # The first post says that the task is ready.
        "TW_DELAY": f"{role}:sem_post:before:{WARMUP + trial}:{late_us}"}
    result = realtime(f"--test={name}", "-l", "12", "--worst",
                      env=environment)
    assert result.returncode == 0, result.stderr
    worst = result.json["primitives"]["worst"]
    for column, found in worst.items():
        metric = column.rsplit(".", 1)[1]
        if metric in metrics:
            assert found["values"][metric] >= 1000 * late_us
            assert found["trial"] == trial
        else:
            assert found["values"][metric] < 1000 * late_us


@pytest.mark.alone      # it takes a CPU for seconds
def test_end_within_a_trial(realtime):
    """However a trial is under way: all tasks end."""
    result = realtime(
        "--test=yield.8x0,preempt,shuffle,copy.4,pipe.64,unix.64", "-D", "1",
        "--tasks=thread")
    assert result.returncode == 0, result.stderr
    assert all(test["trials"] > TRIALS for test in result.tests.values())


def test_rhealstone(realtime):
    """Six by the sum of its parts, for threads and for processes."""
    result = realtime(
        "--test=yield.2x0,preempt,timer.1000,shuffle,sync3.inherit,message.8",
        "-l", str(TRIALS), "--tasks=thread,process", f"--hold={HOLD_US}")
    assert result.returncode == 0, result.stderr
    assert len(result.lines("# Rhealstone: ")) == 2
    derived = {figure["name"]: figure
               for figure in result.json["primitives"]["derived"]}
    for tasks in ("thread", "process"):
        parts = {name: result.columns[column.format(tasks)]["avg"]
                 for name, column in PARTS.items()}
        figure = derived[f"rhealstone.{tasks}"]
        assert figure["unit"] == "/s"
        assert figure["value"] == pytest.approx(6e6 / sum(parts.values()),
                                                rel=1e-3)
        for name, part_us in parts.items():
            told = re.search(rf"\b{name} ([\d.]+)", figure["formula"])
        assert float(told[1]) == pytest.approx(part_us * 1000, abs=0.1)


def test_no_rhealstone(realtime):
    result = realtime("--test=yield.2x0,preempt,shuffle", "-l",
                      str(TRIALS))
    assert result.returncode == 0, result.stderr
    assert not result.lines("# Rhealstone:")
    assert not result.json["primitives"]["derived"]
