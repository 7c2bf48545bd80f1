# SPDX-License-Identifier: GPL-2.0-or-later
"""whylate: who delayed a program, in a trace that was saved, or as it runs."""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import pytest

import outside
import results
import schema
import tracing

SAVED = pathlib.Path(__file__).parent / "whylate"
PROGRAM = os.path.abspath(os.environ["WHYLATE"])
CPU = max(os.sched_getaffinity(0))
REFUSED = [
    ("-b 9", "needed is one of: -p PID, -- PROGRAM, --read=FILE --task=NAME"),
    ("-b 9 -p 1 -- true", "needed is one of: -p PID, -- PROGRAM, --read=FILE "
     "--task=NAME"),
    ("-p 1", "needed is -b US: from when on it is late"),
    ("-p 0", "--pid=0: allowed is a whole number from 1 to 4194304"),
    ("-p 4194303 -b 9", "--pid=4194303: there is no such thread"),
    ("-b 9 --read=none", "--read=none: allowed only with --task"),
    ("-b 9 --read=none --task=a", "--read=none: No such file or directory"),
    ("-b 9 --read=/dev/null --task=a", "--read=/dev/null: it has no event of a "
     "trace in the text that ftrace and trace-cmd report print"),
    ("-b 9 -p 1 --task=a", "--task=a: allowed only with --read"),
    ("-b 9 -p 1 --from=a:b", "--from=a:b: allowed only with --to"),
    ("-p 1 -b 9 --from=/bin/sh --to=/bin/sh:1", "--from=/bin/sh: allowed is "
     "PROGRAM:FUNCTION or PROGRAM:OFFSET, as of a file and a function in it"),
    ("-p 1 -b 9 --from=/none:a --to=/none:a", "--from=/none:a: cannot open "
     "/none: No such file or directory"),
    ("-p 1 -b 9 --from=/bin/sh:a --to=/bin/sh:a", "--from=/bin/sh:a: this file "
     "has no such function; nm lists those that it has"),
    ("--read=/dev/null --task=9 --from=2 --to=1", "--to=1: allowed is a time "
     "after --from=2"),
    ("--read=/dev/null --task=9 --from=2 --to=x", "--to=x: allowed with --read "
     "is a time of the trace in seconds"),
    ("--read=/dev/null --task=a --from=1 --to=2", "--task=a: without -b, "
     "allowed is a PID"),
    ("--read=/dev/null --task=9", "needed is -b US: from when on it is late"),
    ("--read=/dev/null --task=9 -b 9 --trace", "--trace: not allowed with "
     "--read"),
    ("-p 1 --breaks=2", "--breaks=2: allowed only with --breaktrace"),
    ("-p 1 -b 9 --on-break=", "--on-break=: allowed is a command of the shell"),
]

pytestmark = pytest.mark.skipif(
    bool(os.environ["TWOWAY_EMULATOR"]), reason="a program of another machine")

# Real-time, of COUNT cycles: sched_yield() to getppid(), with a sleep between.
WATCHED = """
import os, sys, threading, time
from ctypes import CDLL
libc = CDLL(None)
def cycles():
    os.sched_setaffinity(0, {int(sys.argv[1])})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    print("watched", threading.get_native_id(), flush=True)
    for _ in range(int(sys.argv[2])):
        libc.sched_yield()
        time.sleep(0.001)
        libc.getppid()
        time.sleep(0.001)
thread = threading.Thread(target=cycles)
thread.start()
thread.join()
print("done", flush=True)
"""
FOREVER = 10**9


def watched(count):
    return [sys.executable, "-c", WATCHED, str(CPU), str(count)]


@pytest.fixture
def look(run):
    def look_here(*args, **options):
        return run(*args, program=PROGRAM, **options)
    return look_here


@pytest.fixture
def task():
    """(PID of the process, of its real-time thread)."""
    with subprocess.Popen(watched(FOREVER), stdout=subprocess.PIPE,
                          text=True) as process:
        yield process.pid, int(process.stdout.readline().split()[1])
        assert process.poll() is None       # it was only watched
        process.kill()


@pytest.fixture
def spinner():
    """Above it: 5 ms each 0.1 s."""
    with subprocess.Popen(
            [os.environ["TWOWAY_SPINNER"], str(CPU), "60", "0", "5000",
             "100000", "0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process.pid
        process.kill()


@pytest.fixture
def live(start, tracefs):
    """One that runs, with what it prints in a file; nothing is left of it."""
    def begin(*args, **options):
        with open(start.directory / "out", "w", encoding="utf-8") as out:
            process = start(*args, program=PROGRAM, stdout=out, **options)
        process.text = lambda: outside.read(start.directory / "out")
        return process
    yield begin
    assert "whylate" not in outside.read(tracefs / "uprobe_events")


def until(process, text):
    assert outside.wait_for(lambda: text in process.text()), process.text()


def checked(path):
    """The JSON: allowed, and the same counts everywhere."""
    result = outside.load_json(path)
    assert schema.errors(result, "WHYLATE") == []
    own = result["whylate"]
    above = sum(one["above"] for one in result["thread"].values())
    assert above == sum(one["count"] for one in own["causes"]) or \
        not own["settings"]["breaktrace"]
    assert result["return_code"] == (2 if above else 0)
    if own["break"]:
        assert own["break"]["us"] == max(
            one["longest"] for one in own["causes"]
            if "too soon" not in one["cause"])
    return result


def begin_of(cause):
    """Without figures: state, and who had the CPU most of the time."""
    return re.search("task .+? for | while [^(]+", re.sub(
        r"[-+.\d]+", "", cause))[0]


def causes(path):
    return {one["cause"] for one in checked(path)["whylate"]["causes"]}


@pytest.mark.parametrize("name,options", [
    ("ftrace", "--task=python3 -b 1000"), ("trace-cmd", "--task=9763 -b 500"),
    ("rtla", "--task=timerlat/0 -b 30"), ("made", "--task=t -b 20"),
    ("lock", "--task=155 --from=16.12044 --to=16.120524"),
    ("ipi", "--task=19294 --from=65816.75665 --to=65816.756652"),
    ("trace-cmd", "--task=none -b 500"),
    ("trace-cmd", "--task=python3 -b 500 --from=61110.6594 --to=61110.66335"),
    ("trace-cmd", "--task=python3 -b 500 --from=61110.6595 --to=61110.66335"),
    ("trace-cmd", "--task=9763 --from=61110.657 --to=61110.6633"),
    ("trace-cmd", "--task=9763 -b 5 --breaks=1 -q")])
def test_read(look, name, options):
    """A trace of each kind, with all that is printed."""
    done = look(f"--read={SAVED / name}.txt", "--json=json", *options.split())
    told = (SAVED / "told.txt").read_text(encoding="utf-8")
    wanted = told.split(f"== {name} {options}\n")[1].split("== ")[0]
    assert f"{done.returncode}\n{done.stderr}{done.stdout}" == wanted
    if done.stdout:
        checked(done.path("json"))


@pytest.mark.parametrize("options,says", REFUSED)
def test_refused(look, options, says):
    done = look(*options.split())
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", f"FATAL: {says}\n")


@results.root
def test_without_rights(tmp_path):
    """What is missing is said."""
    if not pathlib.Path("/proc/self/ns/mnt").exists():
        pytest.skip("no mount namespaces")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /sys/kernel && "
         f"exec {PROGRAM} -p $$ -b 9"], cwd=tmp_path, check=False,
        capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        1, "FATAL: --trace: /sys/kernel/tracing: No such file or directory; "
        "tracefs is not mounted, or this kernel cannot trace; as root: mount "
        "-t tracefs nodev /sys/kernel/tracing\n")


@results.root
@pytest.mark.alone
def test_attach(live, look, task, spinner, tmp_path):
    """A thread that a task of higher priority delays; until SIGINT."""
    before = outside.settings(task[1])
    process = live("-p", task[1], "-b", 2000, "--json=json", "--trace-file=tr",
                   "--on-break=cat >>heard; echo $TWOWAYTEST_BREAK_PID >pid")
    until(process, f"while spinner-{spinner} (")
    until(process, ", which outranks it")
    assert not outside.may(1) or outside.wait_for(lambda: outside.settings(
        process.pid)["priority"] == 1)
    process.signal(signal.SIGINT)
    assert process.finish() == 2, process.err
    result = checked(tmp_path / "json")
    assert result["whylate"]["interrupted"] and \
        result["whylate"]["lost"] == 0
    assert [one["pid"] for one in result["thread"].values()] == [task[1]]
    assert "task runnable while spinner ran, which outranks it" in \
        causes(tmp_path / "json")
    assert outside.settings(task[1]) == before
    assert outside.read(tmp_path / "pid") == f"{task[1]}\n"
    assert outside.read(tmp_path / "heard").startswith("# Late: python3-")
    # What was saved tells the same once more.
    cause = result["whylate"]["break"]["cause"]["cause"]
    assert cause in process.text()
    again = look("--read=tr", f"--task={task[1]}", "-b", 1900, "-q")
    assert begin_of(cause) in begin_of(again.stdout)


@results.root
@pytest.mark.alone
def test_stack(live, task, spinner, tmp_path):
    """What the culprit did, too; where the trace is saved by itself."""
    process = live("-p", task[1], "-b", 2000, "--trace=stack")
    until(process, f"# Stack of spinner-{spinner}, as ")
    process.signal(signal.SIGINT)
    assert process.finish() == 2, process.err
    assert "# Trace: whylate-trace.txt\n" in process.text()
    assert "<stack trace>" in outside.read(tmp_path / "whylate-trace.txt")


@results.root
@pytest.mark.alone
def test_ring(live, task, tmp_path):
    """Too small for what it takes: it says so, and how large another is."""
    with subprocess.Popen([os.environ["TWOWAY_SPINNER"], str(CPU), "60", "0",
                           "600000", "900000", "0"]) as hog:
        process = live("-p", task[1], "-b", 100000, "--ring=8",
                       "--json=json")
        until(process, "# Cause: unknown, as it is not in the trace, which "
              "has only the last ")
        process.signal(signal.SIGINT)
        assert process.finish() == 2, process.err
        hog.kill()
    assert re.search(r" ms; --ring=\d+ may hold it\n", process.text())
    assert "unknown, as it is not in the trace" in causes(tmp_path / "json")


@results.root
@pytest.mark.alone
def test_too_soon(live, task, tmp_path):
    """While one is looked into, the others are counted."""
    process = live("-p", task[1], "-b", 1, "--breaks=100", "--json=json")
    assert process.finish() == 2, process.err
    assert "not looked into, as it came too soon after another" in causes(
        tmp_path / "json")


def test_version(look):
    assert re.fullmatch(r"whylate V \d+\.\d\d\n", look("--version").stdout)


@results.root
def test_goes_on(live):
    """A started program, whatever ends whylate."""
    process = live("-b", 10**9, "-D", 1, "--", *watched(FOREVER))
    process.process.wait(30)
    left, = process.processes()
    assert outside.read(f"/proc/{left}/comm") == "python3\n"
    os.kill(left, signal.SIGKILL)
    assert process.finish() == 0


@results.root
def test_until_a_time(live, task, tmp_path):
    """-D; nothing is late."""
    process = live("-p", task[1], "-b", 10**9, "-D", 1, "--json=json")
    assert process.finish() == 0, process.err
    result = checked(tmp_path / "json")
    assert result["thread"]["0"]["cycles"] > 1
    assert (result["whylate"]["break"], result["whylate"]["causes"]) == (
        None, [])
    assert not result["whylate"]["interrupted"]
    assert re.fullmatch(
        r" *\S+s +p50 +p99 +p99\.9 +longest +late +task\n"
        rf" *\d+( +[\d.]+| +-){{4}} +0  python3-{task[1]}\n"
        r"(# Not seen: .*\n)?# Breaks: 0\n",
        process.text().removeprefix("#"))


@results.root
@pytest.mark.alone
def test_started(live, tmp_path):
    """All real-time threads of the program, till its end; not its others."""
    process = live("-b", 10**9, "--json=json", "--", *watched(300))
    assert process.finish() == 0, process.err
    assert "done\n" in process.text()
    result = checked(tmp_path / "json")
    of, = result["thread"].values()
    assert of["pid"] == int(re.search(r"^watched (\d+)", process.text(),
                                      re.M)[1])
    # It sleeps twice a cycle, and may wait for its interpreter's lock, too;
    # it does not sleep if that is over before it could.
    assert of["cycles"] + of["unseen"] >= 590
    assert bool(of["unseen"]) == ("# Not seen: " in process.text())
    assert process.gone()


@results.root
def test_cannot_start(live):
    process = live("-b", 9, "--", "./none")
    assert process.finish() == 1
    assert process.err == ("WARN: cannot run ./none: No such file or directory"
                           "\nWARN: no wake-up of the task was seen\n")


@results.root
@pytest.mark.alone
@pytest.mark.parametrize("how", ["start", "attach"])
def test_cycles(live, task, tmp_path, how):
    """From one function to another: each is counted once."""
    libc = os.path.realpath(next(
        line.split()[-1] for line in
        outside.read("/proc/self/maps").splitlines() if "libc.so" in line))
    process = live("-b", 900, "--json=json", f"--from={libc}:sched_yield",
                   f"--to={libc}:getppid", *(
                       ["-p", task[0], "--breaks=7"] if how == "attach" else
                       ["--", *watched(200)]))
    assert process.finish() == 2, process.err
    result = checked(tmp_path / "json")
    column = result["thread"]["0"]
    count = 7 if how == "attach" else 200
    assert column["what"] == "cycle" and len(result["thread"]) == 1
    assert (column["cycles"], column["above"]) == (count, count)
    assert result["whylate"]["break"]["cause"]["phase"] == "cycle"
    assert "task blocked on something else" in {
        one.split(",")[0] for one in causes(tmp_path / "json")}


@results.root
@pytest.mark.alone
@pytest.mark.parametrize("cycles", [False, True])
def test_killed(live, task, tracefs, cycles):
    """At any moment: the program goes on, and nothing else is left."""
    for _ in range(4):
        process = live("-p", task[0 if cycles else 1], "-b", 1, *(
            ["--from=/proc/self/exe:0x40", "--to=/proc/self/exe:0x40"]
            if cycles else []))
        if outside.wait_for(lambda: process.pid in tracing.instances(tracefs)):
            time.sleep(random.random() / 4)
        process.signal(signal.SIGKILL)
        assert process.gone()
        assert process.pid not in tracing.instances(tracefs)
        assert f"whylate_{process.pid}" not in outside.read(
            tracefs / "uprobe_events")


@results.root
def test_task_ends(live, tracefs):
    """It has nothing more to wait for."""
    with subprocess.Popen(["sleep", "100"]) as one:
        process = live("-p", one.pid, "-b", 10**9)
        outside.wait_for(lambda: len(tracing.instance(tracefs, process.pid))
                         == 2)
        one.kill()
    process.finish()
    assert process.gone()
