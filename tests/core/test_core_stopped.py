# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles in which the kernel stopped real-time tasks, which a task for itself
provokes; and those that are as late for another reason."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import time

import pytest

import ended
import outside
import primitives
import results
import twowaytest
from hosts import rsh
from spinner import spinner, used_within

SEED = int(os.environ.get("TWOWAY_SEED", time.time_ns() % 1000000))
LAST = max(os.sched_getaffinity(0))
PERIOD_NS = 10 ** 9
FILES = ("--json=json", "--dump=dump")
HERE = ("-q", "-m", "-p98", "-a", LAST)
pytestmark = [results.root, pytest.mark.alone]


@pytest.fixture(autouse=True)
def nobody_changes_the_limit():
    with outside.Turn():
        yield


def delays(cycles, sleep_ns=100000):
    """(begin, end) of the longest delay of each cycle but the first."""
    for before, cycle in zip(cycles, cycles[1:]):
        if cycle.cycle == before.cycle + 1:
            yield max((
                (max(cycle.planned_ns, before.t3_ns), cycle.t0_ns),
                (cycle.t0_ns, cycle.t1_ns),
                (cycle.t1_ns + sleep_ns, cycle.t2_ns),
                (cycle.t2_ns, cycle.t3_ns)),
                key=lambda span: span[1] - span[0])


class Stops:
    """The delays that are about as long as a stop."""

    def __init__(self, directory, ordinary=(), realtime=(), sleep_ns=100000):
        of = results.check(directory / "json")["twoway"]
        self.of, self.rules = of, of["throttling"]
        stop_ns = self.rules["stall_us"] * 1000
        self.late = [
            (begin, end) for begin, end in delays(
                sorted(twowaytest.read_dump(directory / "dump"),
                       key=lambda cycle: cycle.pair), sleep_ns)
            if stop_ns <= 4 * (end - begin) <= 6 * stop_ns]
        # An ordinary task ran meanwhile, and had hardly run before.
        self.sure = [
            (begin, end) for begin, end in self.late
            if used_within(ordinary, begin, end) > 0.5e-9 * (end - begin) and
            (not realtime or used_within(realtime, end - PERIOD_NS, end) >
             0.9 * (1 - stop_ns / PERIOD_NS))]
        self.told = of["throttled"]


def await_state(pid, states):
    assert outside.wait_for(
        lambda: outside.status(pid, "State")[:1] in states)


def stop(pids, seconds):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    for pid in pids:
        await_state(pid, "T")
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("percent,options", [
    (0, ("-i", 200)), (0, ("-t2", "-d0")), (60, ("-i", 0, "--sleep=1000")),
    (80, ())])
def test_stopped_by_a_signal(start, percent, options):
    """It does not wait for a CPU, whatever else real-time tasks do."""
    chance = random.Random(SEED)
    load = spinner(LAST, 10, 0, percent * 10000, 1000000, 0) if percent else \
        contextlib.nullcontext()
    with load:
        process = start(*HERE, *options, "--limit=throttled:0", *FILES)
        sides = list(process.steady().values())[1:]
        for number in range(6):
            stop(chance.sample(sides, 1 + number % 2),
                 chance.choice((0.05, chance.uniform(0.012, 0.08))))
            time.sleep(chance.uniform(0.2, 0.4))
        stop(sides, 1)
        time.sleep(0.2)
        process.signal(signal.SIGINT)
        assert process.finish() == 0, process.err
    found = Stops(start.directory, sleep_ns=1000000 if "-i" in options and
                  options[1] == 0 else 100000)
    assert len(found.late) >= 3
    assert found.told == found.rules["unknown"] == 0
    assert "Throttled" not in process.out


def line_of(of, count):
    """What the text says of the longest."""
    one, rules = of["throttling"], []
    if "rt_runtime_us" in one["by"]:
        rules.append("sched_rt_runtime_us allows 950000 us "
                     "(--rt-runtime=-1 lifts that)")
    if "fair_server" in one["by"]:
        rules.append(
            "the fair server gives 50000 us to others (0 in /sys/kernel/debug/"
            f"sched/fair_server/cpu{one['cpu']}/runtime ends that)")
    return "; ".join([
        f"# Throttled: {count}, late by up to {one['late_us']} us: of the "
        f"1000000 us before, real-time tasks had used {one['used_us']} us of "
        f"CPU {one['cpu']}, {one['task']}-{one['pid']} most", *rules])


def test_a_foreign_task(start):
    """Each stop is told, and each that is told was one: as both tasks have
    seen it. What the timeline has of them, and a limit."""
    with spinner(LAST, 0, 0, 10 ** 9, 10 ** 9, 1) as ordinary, \
            spinner(LAST, 50, 0, 10 ** 9, 10 ** 9, 1) as foreign:
        process = start(*HERE, "-D", 6, "--timeline=line",
                        "--limit=throttled:0", "--limit=throttled:99", *FILES)
        status = process.finish()
    found = Stops(start.directory, ordinary.had, foreign.had)
    if not found.sure:
        pytest.skip("this kernel gives ordinary tasks no time")
    of, one = found.of, found.rules
    assert len(found.sure) <= found.told <= len(found.late)
    assert status == 2 and [limit["verdict"] for limit in of["limits"]] == [
        "exceeded", "met"]
    assert one["by"] and (one["task"], one["pid"], one["cpu"]) == (
        "spinner", foreign.pid, LAST)
    assert one["late_us"] in {(end - begin) // 1000
                              for begin, end in found.late}
    assert 0.8e6 < one["task_us"] <= one["used_us"] <= 1.01e6
    assert line_of(of, found.told) in results.text(process.out).lines
    head, *rows = ended.table((start.directory / "line").read_text())
    at = head.split(",").index("throttled")
    assert sum(int(row.split(",")[at]) for row in rows) == found.told


@pytest.fixture
def halved():
    """What our cgroup may use, which may not be more than what all may."""
    of_group = pathlib.Path("/sys/fs/cgroup/cpu/cpu.rt_runtime_us")
    before = outside.read(of_group)
    if before:
        of_group.write_text("500000")
    yield
    if before:
        of_group.write_text(before)


def test_a_shorter_limit(start, halved):
    """Half of each second; the fair server has no reason then."""
    limit_us = outside.rt_runtime()
    if not outside.takes_rt_runtime(500000):
        pytest.skip("sched_rt_runtime_us cannot be halved here")
    with spinner(LAST, 50, 0, 10 ** 9, 10 ** 9, 1) as foreign:
        process = start(*HERE, "-D", 5, "--rt-runtime=500000", *FILES)
        assert process.finish() == 0, process.err
    assert outside.rt_runtime() == limit_us
    found = Stops(start.directory)
    if "rt_runtime_us" not in found.rules["by"]:
        pytest.skip("this kernel stops no real-time tasks")
    assert found.rules["stall_us"] == 500000
    assert 3 <= found.told <= len(found.late)
    assert found.rules["pid"] == foreign.pid
    assert 0.4e6 < found.rules["used_us"] < 0.6e6


def test_steps(start):
    """Only the step with a load that fills the CPU has some."""
    process = start(*HERE, "--steps=2", "--load=fft", "--load-policy=rr", "-l",
                    2500, f"--load-affinity={LAST}", *FILES)
    assert process.finish() == 0, process.err
    of = results.check(start.directory / "json")["twoway"]
    first, second = of["throttling"]["steps"]
    lines = [line for line in process.out.splitlines()
             if line.startswith(("# Step", "# Throttled"))]
    if not second:
        pytest.skip("this kernel gives others no time, or nobody wants it")
    assert first == 0 and second == of["throttled"] <= 4
    assert of["throttling"]["task"] == "twoway-load"
    assert [line.partition(", ")[0] for line in lines] == [
        "# Step 1/2: load fft", "# Step 2/2: load fft",
        f"# Throttled: {second}", f"# Throttled: {second}"]
    assert lines[-1] == line_of(of, second)


@pytest.mark.parametrize("options,names", [
    (("-i", 0, "--sleep=0"), ("twoway-client", "twoway-server")),
    (("--load=fft:2", "--load-policy=rr", f"--load-affinity={LAST}"),
     ("twoway-load",)),
    (("--load=command:while :; do :; done", "--load-policy=fifo",
      f"--load-affinity={LAST}"), ("sh",))])
def test_by_the_test_itself(start, options, names):
    """It fills the CPU, and an ordinary task that gets some nevertheless shows
    that the kernel stops real-time tasks."""
    with spinner(LAST, 0, 0, 10 ** 9, 10 ** 9, 1) as ordinary:
        process = start("-q", "-p", 50, "-a", LAST, "-D", 6, *FILES, *options)
        assert process.finish() == 0, process.err
    found = Stops(start.directory, ordinary.had,
                  sleep_ns=100000 * ("-i" not in options))
    if not found.sure:
        pytest.skip("this kernel gives others no time")
    assert 1 <= found.told <= len(found.late)
    assert found.rules["task"] in names
    assert line_of(found.of, found.told) in process.out.splitlines()


def test_of_primitivetest(run):
    """As both other tasks have seen it; they are in the results."""
    with spinner(LAST, 0, 0, 10 ** 9, 10 ** 9, 1) as ordinary, \
            spinner(LAST, 50, 0, 10 ** 9, 10 ** 9, 1):
        done = primitives.run("-p98", "-a", LAST, "--test=timer.1000", "-l",
                              4000, "--dump=dump", directory=run.directory)
    test, stop_ns = done.tests["timer.1000"], 1000 * done.json["primitives"][
        "throttling"]["stall_us"]
    waits = [list(map(int, line.split(",")[2:4])) for line in
             ended.rows((run.directory / "dump").read_text())]
    late = [(begin, end) for begin, end in waits
            if stop_ns <= 4 * (end - begin) <= 6 * stop_ns]
    sure = [(begin, end) for begin, end in late if used_within(
        ordinary.had, begin, end) > 0.5e-9 * (end - begin)]
    if not sure:
        pytest.skip("this kernel gives ordinary tasks no time")
    assert len(sure) <= test["throttled"] <= len(late)
    assert done.lines("# Throttled: timer.1000: ") == [str(test["throttled"])]
    column = done.columns["timer.1000.wakeup"]
    assert (column["cycles"], round(1000 * column["max"])) == (
        4000, max(end - begin for begin, end in waits))


def test_an_ordinary_load(run):
    """However much it runs; without -p, it is not looked."""
    for options in ("-p", 50, "--load=command:while :; do :; done"), ():
        done = run("-q", "-a", LAST, "-l", 1200, "--json=json", *options)
        of = results.loaded(done)["twoway"]
        assert of["throttled"] == of["throttling"]["unknown"] == 0
        assert "Throttled" not in done.stdout


UNSEEN = "it was not seen what real-time tasks used then"
SHORT = "while :; do dd if=/dev/zero of=/dev/null bs=1M count=200; done"


def is_undecided(start, process, why):
    """Of what was late it is not known, so that no limit is met."""
    process.finish()
    of = outside.load_json(start.directory / "json")["twoway"]
    count = of["throttling"]["unknown"]
    if not count + of["throttled"]:
        pytest.skip("this kernel gives others no time")
    assert count and "met" not in [one["verdict"] for one in of["limits"]]
    assert f"# Throttled: unknown of {count} that were late: {why}" in \
        process.out.splitlines()


def test_tasks_that_end_soon(start):
    """Each is new, so that nobody knows what they used."""
    words = ["chrt", "-f", "3", "taskset", "-c", str(LAST), "sh", "-c", SHORT]
    with subprocess.Popen(words, start_new_session=True,
                          stderr=subprocess.DEVNULL) as load:
        try:
            process = start("-q", "-p", 50, "-a", LAST, "-D", 4,
                            "--limit=throttled:0", *FILES)
            is_undecided(start, process, UNSEEN)
        finally:
            os.killpg(load.pid, signal.SIGKILL)


def test_proc_of_another_namespace(start):
    """Its numbers are those of other tasks."""
    with spinner(LAST, 3, 0, 10 ** 9, 10 ** 9, 1):
        process = start(
            "--pid", "--fork", outside.binary(), "-q", "-p", 50, "-a", LAST,
            "-D", 3, "--limit=throttled:0", *FILES, program="unshare")
        is_undecided(start, process, "this kernel has no /proc/PID/schedstat "
                     "(CONFIG_SCHED_INFO), or /proc is of another PID "
                     "namespace")


def test_a_server_on_another_host(start):
    """Of its CPU, nobody here knows."""
    with spinner(LAST, 3, 0, 10 ** 9, 10 ** 9, 1):
        process = start(
            "-q", "-p", 50, "--connect=127.0.0.1", rsh(), "-D", 4,
            "--client-affinity=0", f"--server-affinity={LAST}",
            "--limit=throttled:0", "--json=json")
        is_undecided(start, process, "the server is on another host")


def test_a_kernel_that_does_not_tell(run, shim, amiss):
    """How long a task waited: then it is not known, nor is a limit met."""
    delay = shim("client:send:before:50:50000")
    both = {**delay, **amiss, "TW_AMISS": "untold", "LD_PRELOAD": ":".join(
        (delay["LD_PRELOAD"], amiss["LD_PRELOAD"]))}
    done = run("-q", "-p", 50, "-a", LAST, "-l", 200, "--json=json",
               "--limit=throttled:0", "--limit=throttled:1", env=both)
    of = results.loaded(done)["twoway"]
    count = of["throttling"]["unknown"]
    if not of["throttling"]["stall_us"]:
        pytest.skip("this kernel stops no real-time tasks")
    assert (of["throttled"], count) == (0, 1) and done.returncode == 2
    assert "# Throttled: unknown of 1 that were late: this kernel has no " \
        "/proc/PID/schedstat (CONFIG_SCHED_INFO), or /proc is of another PID " \
        "namespace" in done.stdout.splitlines()
    assert [limit["verdict"] for limit in of["limits"]] == ["undecided", "met"]
    assert "# Limit throttled:0: undecided: 0 to 1" in done.stdout.splitlines()
