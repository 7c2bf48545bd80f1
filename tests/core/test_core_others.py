# SPDX-License-Identifier: GPL-2.0-or-later
"""Who else used the CPUs: a task, tasks that end, our own, nobody."""

import os
import re
import subprocess
import time

import pytest

import outside
import results
import test_core_check as system

fake = system.fake
CPU = max(os.sched_getaffinity(0))
RUN = ("--default-system", "-q", f"-a{CPU}")
SPIN = "while :; do :; done"
SHORT = "while :; do /bin/true; done"
LINE = re.compile(r"# Others used ([\d.]+) % of CPU (\d+)(?:: (.*))?")
UNNAMED = re.compile(r"tasks that cannot be named ([\d.]+) % \(they ended, "
                     r"changed the CPU, or run in another container\)")
TASK = re.compile(r"(.+)-(\d+)(?: \(([a-z]+) (\d+)\))? ([\d.]+) %")


@pytest.fixture
def beside():
    """Runs a shell's words on the CPU, at a real-time priority or not."""
    running = []

    def start(words, priority=0):
        def place():
            os.sched_setaffinity(0, {CPU})
            if priority:
                os.sched_setscheduler(0, os.SCHED_FIFO,
                                      os.sched_param(priority))
        running.append(subprocess.Popen(["sh", "-c", words], preexec_fn=place))
        return running[-1].pid
    yield start
    for process in running:
        process.kill()
        process.wait()


def others(run, *args):
    """What the JSON says of each CPU; the text says the same. A busy system may
    leave main no time to read all tasks."""
    busy = []
    for _ in range(10):
        busy.append(outside.runnable() > 4 * os.cpu_count())
        done = run(*args, "--json=json")
        assert done.returncode == 0, done.stderr
        if results.loaded(done)["twoway"]["others"]["complete"]:
            return compared(done)
    if all(busy):
        pytest.skip("too many tasks want the CPUs to read all of them")
    pytest.fail("in none of 10 runs, all tasks were read")


def compared(done):
    json = results.loaded(done)["twoway"]
    if "steps" not in json:
        results.text(done.stdout)
    found = json["others"]
    given = json["settings"]
    assert found["seconds"] > max(given["duration"] * given["steps"], 0)
    lines = {int(match[2]): (float(match[1]), match[3] or "")
             for match in map(LINE.fullmatch, done.stdout.splitlines())
             if match}
    for of in found["cpus"]:
        sizes = [task["percent"] for task in of["tasks"]]
        assert sizes == sorted(sizes, reverse=True)
        assert sum(sizes) + of["unnamed_percent"] <= of["percent"] + 0.01
        line = lines.pop(of["cpu"], None)
        if abs(of["percent"] - 1) > 0.01 and len(found["cpus"]) <= 4:
            assert (line is not None) == (of["percent"] > 1)
        if not line:
            continue
        assert abs(line[0] - of["percent"]) < 0.051
        parts = re.split(", (?!changed|or run)", line[1]) if line[1] else []
        unnamed = [UNNAMED.fullmatch(part) for part in parts]
        if abs(of["unnamed_percent"] - 0.1) > 0.001:
            assert any(unnamed) == (of["unnamed_percent"] > 0.1)
        tasks = [TASK.fullmatch(part) for part, is_unnamed in
                 zip(parts, unnamed) if not is_unnamed]
        for match, task in zip(tasks, of["tasks"]):
            assert match.groups()[:2] == (task["name"], str(task["id"]))
            assert (match[3], match[4]) == (
                (task["policy"], str(task["priority"]))
                if task["priority"] else (None, None))
            assert abs(float(match[5]) - task["percent"]) < 0.051
    assert not lines
    return {of["cpu"]: of for of in found["cpus"]}


REMARKS = ("# Missed: ", "# Others ", "# The host ", "# The kernel ",
           "# The CPU quota ",
           "# client, server ", "# (", "# sh (")


@results.root
@pytest.mark.parametrize("options", [
    ("--percentiles", "--worst", "--limit=missed:0"), ("-h", "90"),
    ("-b", "1"), ("--load=hackbench:1", "-t2"),
    ("--load=fft", "--steps=2")])
def test_results_come_first(run, beside, options):
    """What may have disturbed them comes below all of them; a histogram is
    what begins, as in cyclictest."""
    beside(SPIN)
    for _ in range(6):
        done = run("-q", f"-a{CPU}", "-l", 500, "-p", 50, *options)
        # A step of a ramp has its own count of throttled cycles.
        begin, *lines = [line for line in done.stdout.splitlines()
                         if not line.startswith("# Throttled: ")]
        if "\n# Others " in done.stdout:
            break
    kinds = [line.startswith(REMARKS) for line in lines]
    assert any(kinds) and kinds == sorted(kinds), done.stdout
    assert begin == "# /dev/cpu_dma_latency set to 0us"
    assert lines[0].startswith(
        "# Histogram" if "-h" in options else
        "# Step 1/2" if "--steps=2" in options else "T: 0")


def tried(measure, good, times=6):
    """Others of this system may be greater for a while."""
    for _ in range(times):
        found = measure()
        if good(found):
            return found
    raise AssertionError(found)


def test_task(run, beside):
    pid = beside(f"echo 'a) (b' >/proc/$$/comm; {SPIN}")
    of = tried(lambda: others(run, *RUN, "-l", 500)[CPU], lambda of: any(
        task["id"] == pid for task in of["tasks"]))
    task, = [task for task in of["tasks"] if task["id"] == pid]
    assert (task["name"], task["kernel"], task["policy"],
            task["priority"]) == ("a) (b?", False, "other", 0)
    assert task["percent"] > 1


@results.root
def test_real_time_task(run, beside):
    """It, too, is an ordinary other; below the client, it is not in its way."""
    pid = beside(SPIN, 10)
    of = tried(lambda: others(run, *RUN, "-l", 500, "-p", 50)[CPU],
               lambda of: of["tasks"] and of["tasks"][0]["id"] == pid)
    assert (of["tasks"][0]["policy"], of["tasks"][0]["priority"]) == (
        "fifo", 10)
    assert of["percent"] > 30


def test_threads(run, beside):
    """Of a process whose first thread sleeps elsewhere."""
    pid = beside("exec /usr/bin/python3 -c 'import threading, time\n"
                 "def spin():\n while True: pass\n"
                 "threading.Thread(target=spin).start()\ntime.sleep(99)'")
    assert outside.wait_for(lambda: len(os.listdir(f"/proc/{pid}/task")) == 2)
    thread = max(map(int, os.listdir(f"/proc/{pid}/task")))
    tried(lambda: others(run, *RUN, "-l", 500)[CPU], lambda of: any(
        task["id"] == thread for task in of["tasks"]))


def test_tasks_that_end(run, beside):
    """Nobody can name them, but they were there."""
    beside(SHORT)
    tried(lambda: others(run, *RUN, "-l", 500)[CPU],
          lambda of: of["unnamed_percent"] > 1)


@pytest.mark.parametrize("load", [
    (), ("--load=fft:1", f"--load-affinity={CPU}"),
    ("--load=hackbench:1",)])
def test_own_tasks_are_no_others(start, load):
    process = start(*RUN, "-i", 200, "--sleep=20", "-l", 2000, "--json=json",
                    *load)
    own = {process.pid}
    while process.process.poll() is None:
        own.update(process.processes())
        time.sleep(0.01)
    assert process.finish() == 0 and len(own) > 2
    found = results.check(start.directory / "json")["twoway"]["others"]
    assert not [task for cpu in found["cpus"] for task in cpu["tasks"]
                if task["id"] in own]


@results.root
def test_earlier_steps_are_our_own(run):
    """Of a ramp whose load leaves others nearly nothing of the CPU."""
    tried(lambda: others(run, *RUN, "-p", 50, "-D", 1, "--load=fft",
                         "--load-policy=rr", f"--load-affinity={CPU}",
                         "--steps=4")[CPU],
          lambda of: of["percent"] < 45, 3)


@results.root
@pytest.mark.parametrize("ticks", [0, 40])
def test_time_of_the_host(fake, ticks):
    """As the kernel tells it, from 1 % on."""
    def stat(more):
        return "".join(f"cpu{cpu} 1 2 3 4 5 6 7 {900 + more * (cpu == CPU)} "
                       "0 0\\n" for cpu in sorted(os.sched_getaffinity(0)))

    done = fake({**system.GOOD, "proc/stat": stat(0).replace("\\n", "\n")},
                "-q", "-D", 1, "-b1", "--breaks=100000", "--json=json",
                f"--on-break=printf '{stat(ticks)}' >/proc/stat")
    assert (done.returncode, done.stderr) == (2, "")
    of = results.loaded(done)["twoway"]["others"]
    share = 100 * ticks / os.sysconf("SC_CLK_TCK") / of["seconds"]
    assert {one["cpu"]: one["host_percent"] for one in of["cpus"]} == {
        cpu: pytest.approx(share * (cpu == CPU), abs=0.01)
        for cpu in os.sched_getaffinity(0)}
    assert [line for line in done.stdout.splitlines() if "The host" in line] \
        == [f"# The host took {share:.1f} % of CPU {CPU}"] * bool(ticks)


def test_all_cpus_of_the_run(run):
    assert set(others(run, "-q", "-l", 50)) == \
        os.sched_getaffinity(0)
    assert set(others(run, "-q", "-l", 50, f"-a{CPU}")) == \
        {CPU}
