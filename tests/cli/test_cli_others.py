# SPDX-License-Identifier: GPL-2.0-or-later
"""Who else used the CPUs: a task beside the run, its own tasks, and nobody."""

import os
import subprocess
import time

import pytest

import schema

CPU = max(os.sched_getaffinity(0))
RUN = ("--default-system", "-q", "-a", CPU, "-i", 1000, "-l", 300,
       "--json=json")
FOREVER_US = 10**9
# Short tasks one after the other; the shell has little to do itself.
SHORT = "while :; do /bin/true; done"


@pytest.fixture
def spinner():
    """The name of a task that spins on the CPU, as it is told."""
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator's tasks have other names")
    with subprocess.Popen(
            [os.environ["TWOWAY_SPINNER"], *map(str, (
                CPU, 0, 0, FOREVER_US, FOREVER_US, 1))],
            stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield f"spinner-{process.pid}"
        process.kill()


@pytest.fixture
def short():
    """Tasks that have ended when the run has."""
    with subprocess.Popen(["sh", "-c", SHORT], preexec_fn=lambda:
                          os.sched_setaffinity(0, {CPU})) as process:
        yield process
        process.kill()


def measure(run, *args):
    """A run in which main had the time to read of all tasks."""
    for _ in range(10):
        result = run(*RUN, *args)
        if schema.check(result.text("json"))["twoway"]["others"]["complete"]:
            return result
    pytest.skip("in none of 10 runs, all tasks were read")


def others(result):
    """What is told of the CPU; the remark says what the JSON has."""
    told = schema.check(result.text("json"))["twoway"]["others"]
    assert told["seconds"] > 0
    cpu, = told["cpus"]
    assert cpu["cpu"] == CPU
    tasks = [f"{task['name']}-{task['id']}" for task in cpu["tasks"]]
    sizes = [task["percent"] for task in cpu["tasks"]]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) + cpu["unnamed_percent"] <= cpu["percent"] + 0.01
    remark = [line for line in result.stdout.splitlines()
              if line.startswith("# Others: ")]
    # Nearer to it, digits that are cut may decide.
    if abs(cpu["percent"] - 1) > 0.01:
        assert len(remark) == (cpu["percent"] > 1)
    for line in remark:
        assert line.endswith(f" of CPU {CPU}")
        if sizes and sizes[0] > 0.11:
            assert line.startswith(f"# Others: {tasks[0]} used ")
        if abs(cpu["unnamed_percent"] - 0.1) > 0.001:
            assert ("tasks that ended" in line) == \
                (cpu["unnamed_percent"] > 0.1)
    return cpu, tasks, remark


def test_spinner(run, spinner):
    # Three are named: the others on this system may be greater for a while.
    for _ in range(5):
        cpu, tasks, remark = others(measure(run, "-l", 1000))
        if spinner in tasks:
            break
    assert spinner in tasks and len(remark) == 1
    task = cpu["tasks"][tasks.index(spinner)]
    assert not task["kernel"] and task["percent"] > 1


def test_spinner_beside_primitives(primitive, spinner):
    result = primitive("--test=timer.1000", "-l", 300, f"--affinity={CPU}")
    told = result.json["primitives"]["others"]
    assert spinner in [f"{task['name']}-{task['id']}"
                       for cpu in told["cpus"] for task in cpu["tasks"]]
    assert result.lines("# Others: ")


def test_tasks_that_ended(run, short):
    cpu, _, remark = others(measure(run, "-l", 1000))
    assert cpu["unnamed_percent"] > 1
    assert "tasks that ended, moved or are hidden" in remark[0]


@pytest.mark.parametrize("load", [
    (), ("--load=fft:1", f"--load-affinity={CPU}"),
    ("--load=command:while :; do /bin/true; done",)])
def test_own_tasks_are_no_others(start, tmp_path, load):
    """Client, server, main and loads, with what these start."""
    process = start(*RUN, *load)
    own = {process.pid}
    while process.process.poll() is None:
        own.update(process.processes())
        time.sleep(0.01)
    assert process.finish() == 0 and len(own) > 2
    told = schema.check((tmp_path / "json").read_text())["twoway"]["others"]
    assert not [task for cpu in told["cpus"] for task in cpu["tasks"]
                if task["id"] in own]


def test_quiet(run):
    """No remark below 1 %."""
    for _ in range(5):
        cpu, _, remark = others(measure(run))
        if cpu["percent"] < 0.99:
            assert not remark
            return
    pytest.skip(f"in none of 5 runs, CPU {CPU} was quiet: others used "
                f"{cpu['percent']} %")


def test_unpinned(run):
    """All CPUs that client and server may run on."""
    result = run("-q", "-l", 100, "--json=json")
    told = schema.check(result.text("json"))["twoway"]["others"]
    assert {cpu["cpu"] for cpu in told["cpus"]} <= os.sched_getaffinity(0)
    assert told["cpus"]
