# SPDX-License-Identifier: GPL-2.0-or-later
"""How a primitivetest ends that is interrupted, or whose processes are killed."""

import errno
import os
import pathlib
import random
import re
import signal
import subprocess
import time

import pytest

import ended
import outside
import primitives
import schema

CPU = str(max(os.sched_getaffinity(0)))
TESTS = ["sync2.unnamed", "sync2.sysv", "sync2.eventfd", "sync2.cond",
         "timer.1000", "message.8", "stream.8", "signal.handler"]


def sysv_sets():
    """Sets of SysV semaphores of this user."""
    rows = pathlib.Path("/proc/sysvipc/sem").read_text("ascii").splitlines()
    return {row.split()[1] for row in rows[1:]
            if int(row.split()[4]) == os.geteuid()}


def queues(directory):
    """POSIX message queues; without root, they cannot be seen."""
    script = 'mount -t mqueue none "$0" && ls "$0"'
    return set() if os.geteuid() else set(subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, directory], check=True,
        capture_output=True, text=True).stdout.split())


@pytest.fixture
def begin(start, tmp_path):
    """A run of a test in its trials, and its processes by name."""
    def begin_here(test, *options):
        process = start("-q", f"--test={test}", "-D", "600", "--json=json",
                        *options, program=primitives.binary())

        def measuring():
            own = [pid for name, pid in tasks(process).items()
                   if name.startswith("prim-") and name != "prim-starter"]
            return own and all(outside.switches(pid) > 100 for pid in own)

        assert outside.wait_for(measuring)
        return process

    begin_here.directory = tmp_path
    return begin_here


def tasks(process):
    """Its processes by name; guardians keep the name of the starter."""
    found = {}
    for pid in process.processes():
        name = outside.read(f"/proc/{pid}/comm")
        if name:
            found.setdefault(name.strip(), pid)
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_interrupted(begin, number):
    """What was measured is printed, with exit status 0."""
    process = begin("sync2.futex")
    process.signal(number)
    assert process.finish() == 0, process.err
    assert "\nsync2.futex.process.same " in process.out
    assert "# Ended by a signal: this is what was measured until then" in \
        process.out.splitlines()
    json = outside.load_json(begin.directory / "json")
    assert json["primitives"]["interrupted"]
    assert json["thread"]["0"]["cycles"] > 0


@pytest.mark.parametrize("late_s", [0, 0.002, 0.005, 0.01, 0.02, 0.05])
def test_interrupted_as_a_test_begins(start, tmp_path, late_s):
    """Nothing that was not measured is wrong, or missing in the JSON."""
    process = start("-q", "--test=copy", "--warmup=0", "-D", "5",
                    "--json=json", program=primitives.binary())
    assert outside.wait_for(lambda: "prim-starter" in tasks(process))
    time.sleep(late_s)
    process.signal(signal.SIGINT)
    status = process.finish()
    assert "differ" not in process.err
    assert status == ("nothing was measured" in process.err), process.err
    if not status:
        schema.check((tmp_path / "json").read_text("utf-8"), schema.PRIMITIVES)


FILES = ("--dump=dump", "-h", "50", "--histfile=h")


def told(directory):
    """What the dump and the histogram tell of the end: the same."""
    found = ended.told((directory / "dump").read_text(encoding="ascii"))
    *_, last = (directory / "h").read_text(encoding="ascii").split("\n\n")
    assert last.splitlines() == found
    return found


@pytest.mark.parametrize("ends", ["signal", "killed", "changed", "break",
                                  "limit"])
def test_files_tell_how_it_ended(begin, ends):
    """As the text does."""
    process = begin("sync2.futex", "-l", "1000000", *FILES, *{
        "break": ["-b", "1000000"],
        "limit": ["--limit=sync2.futex.roundtrip:0"]}.get(ends, []))
    if ends == "killed":
        os.kill(tasks(process)["prim-answers"], signal.SIGKILL)
    elif ends == "changed":
        os.sched_setscheduler(tasks(process)["prim-asks"], os.SCHED_BATCH,
                              os.sched_param(0))
    elif ends == "break":
        os.kill(tasks(process)["prim-answers"], signal.SIGSTOP)
        assert outside.wait_for(lambda: outside.status(
            tasks(process)["prim-answers"], "State")[:1] == "T")
        time.sleep(1.5)
        os.kill(tasks(process)["prim-answers"], signal.SIGCONT)
    if ends in ("signal", "changed", "limit"):
        process.signal(signal.SIGINT)
    process.finish()
    # On a busy machine, others may have run between the tasks.
    found = [text for text in told(begin.directory)
             if not text.startswith("# Preempted: ")]
    begins = {"signal": ["Ended by"], "killed": ["Failed: "],
              "changed": ["Changed while", "Ended by"], "break": ["Break: "],
              "limit": ["Limit sync2.futex.roundtrip:0: exceeded",
                        "Ended by"]}[ends]
    assert len(found) == len(begins), found
    for text, begin_of in zip(found, begins):
        assert text.startswith(f"# {begin_of}")
        assert text in process.out.splitlines()


def test_changed_from_outside(begin):
    """A task that somebody gave other settings is told."""
    process = begin("sync2.futex", "-a", CPU)
    os.sched_setscheduler(tasks(process)["prim-asks"], os.SCHED_BATCH,
                          os.sched_param(0))
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    assert re.findall("# Changed while.*", process.out) == [
        "# Changed while it ran: sync2.futex.process.same: task prim-asks, "
        f"policy other, priority 0, CPUs {CPU} to policy batch, priority 0, "
        f"CPUs {CPU}"]
    test, = outside.load_json(begin.directory / "json")["primitives"]["tests"]
    assert [task["changed"] for task in test["processes"]
            if task["changed"]] == [
        {"policy": "batch", "priority": 0, "cpus": CPU}]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("victim", ["primitivetest", "prim-starter", "task"])
def test_killed(begin, test, victim):
    """Whoever is killed: nothing of the run is left, and main says it."""
    before = sysv_sets()
    process = begin(test)
    found = tasks(process)
    if victim == "task":
        pid = random.choice([pid for name, pid in found.items()
                             if name.startswith("prim-") and
                             name != "prim-starter"])
    else:
        pid = found[victim]
    os.kill(pid, signal.SIGKILL)
    status = process.finish()
    assert process.gone(timeout=3)
    if victim != "primitivetest":
        assert status == 1
        assert "was killed by signal 9" in process.err
    assert outside.wait_for(lambda: sysv_sets() <= before)


def test_thread_that_cannot_be_started(primitive):
    """The one is named, and those that were started before it end, too."""
    result = primitive("--test=copy.8", "-l", "5", env={
        "LD_PRELOAD": os.environ["TWOWAY_AMISS_SO"], "TW_AMISS": "thread"})
    assert result.returncode == 1
    assert "copy.8.thread.same: task prim-copies cannot be started: " \
        f"{os.strerror(errno.EAGAIN)}; see \"ulimit -u\"\n" in result.stderr


@pytest.mark.parametrize("options, ms", [
    ((), 10000), (("-p", "3", "-i", "2000"), 1000),
    (("-p", "3", "-i", "110000"), 1100)])
def test_hangs(begin, options, ms):
    """A task that is stopped is an error after this time, not a hang."""
    if options and not outside.may(4):
        pytest.skip("no right to real-time priorities")
    process = begin("sync2.futex", *options)
    os.kill(tasks(process)["prim-answers"], signal.SIGSTOP)
    assert process.finish() == 1
    assert f"took longer than {ms} ms" in process.err
    assert not re.search("# (Changed|Not switched)", process.out)
    assert process.gone()


@pytest.mark.parametrize("options", [(), ("-D", "1")])
def test_held_before_its_first_expiry(start, options):
    """And so before the end of the warm-up, with which -D begins: likewise."""
    if not outside.may(4):
        pytest.skip("no right to real-time priorities")
    process = start(
        "-q", "--test=sync2.futex", "-p", "3", "-i", "2000", *options,
        program=primitives.binary(), env={
            "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
            "TW_DELAY": "asks:clock_nanosleep:before:0:60000000"})
    assert process.finish(20) == 1
    assert "trial 1, those of the warm-up included, took longer than 1000 " \
        "ms" in process.err
    assert process.gone()


@pytest.mark.parametrize("test", ["sync2.sysv", "sync2.unnamed", "sync2.cond",
                                  "message.8", "signal.sigwaitinfo"])
def test_stopped_for_a_moment(begin, test):
    """A task that waits when it is stopped waits on when it continues."""
    process = begin(test, "-i", "2000")
    answers = tasks(process)["prim-answers"]
    os.kill(answers, signal.SIGSTOP)
    time.sleep(0.05)
    os.kill(answers, signal.SIGCONT)
    before = outside.switches(answers)
    assert outside.wait_for(
        lambda: not outside.read(f"/proc/{answers}/status") or
        outside.switches(answers) > before + 100)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


@pytest.mark.skipif(not outside.may(52),
                    reason="no right to real-time priorities")
@pytest.mark.alone      # it takes a CPU for two seconds
@pytest.mark.parametrize("how", ["deadline", "interrupt", "kill", "task"])
def test_starved(start, tmp_path, how):
    """On one CPU with real-time tasks that never sleep, main is made an
    ordinary task: it gets no time beside them, and yet all ends."""
    process = start("-q", "-p", "50", "-a", CPU, "--test=sync2.unnamed",
                    "-D", "2" if how == "deadline" else "600",
                    program=primitives.binary(),
                    preexec_fn=lambda: os.sched_setaffinity(0, {int(CPU)}))
    assert outside.wait_for(lambda: process.named("prim-asks")), process.err
    if how == "interrupt":
        process.signal(signal.SIGINT)
    elif how == "kill":
        os.kill(process.pid, signal.SIGKILL)
    elif how == "task":
        os.kill(process.named("prim-answers")[0], signal.SIGKILL)
    else:
        os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
    process.finish(20)
    assert process.gone(timeout=3)


def test_status_that_is_asked_for_often(start):
    """Signals are no time in which nothing happens: no trial is ended."""
    process = start("-q", "--test=timer", "--period=500000", "-D", "600",
                    program=primitives.binary())
    task = outside.wait_for(lambda: process.named("prim-high"))
    assert outside.wait_for(lambda: outside.switches(task[0]) > 6)
    for _ in range(200):
        process.signal(signal.SIGUSR1)
        time.sleep(0.01)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    assert "nothing has happened" not in process.err
    assert "\ntimer.500000 " in process.out


def test_a_signal_for_what_is_not_here(start):
    """SIGUSR2 does nothing to any process."""
    process = start("-q", "--test=timer.1000", "-D", "600",
                    program=primitives.binary())
    task = outside.wait_for(lambda: process.named("prim-high"))
    before = outside.switches(task[0])
    for pid in process.processes():
        os.kill(pid, signal.SIGUSR2)
    assert outside.wait_for(lambda: outside.switches(task[0]) > before + 99)
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and not process.err
    assert process.out.count("\ntimer.1000 ") == 1


def test_guard_is_killed(begin):
    """Nothing is left of its SysV semaphores, whoever is killed after it."""
    before = sysv_sets()
    process = begin("sync2.sysv")
    os.kill(tasks(process)["twoway-guard"], signal.SIGKILL)
    os.kill(process.pid, signal.SIGKILL)
    process.finish()
    assert process.gone(timeout=3)
    assert outside.wait_for(lambda: sysv_sets() <= before)


def test_every_process_is_killed(begin, tmp_path):
    """In turn, at any moment: no task, queue or semaphore is left."""
    before = sysv_sets()
    others = queues(tmp_path)
    for number in range(20):
        process = begin(TESTS[number % len(TESTS)])
        victim = random.choice(process.processes())
        os.kill(victim, signal.SIGKILL)
        process.finish()
        assert process.gone(timeout=3)
    assert outside.wait_for(lambda: sysv_sets() <= before)
    assert outside.wait_for(lambda: queues(tmp_path) <= others)
    assert not [name for name in os.listdir("/dev/shm")
                if "primitivetest" in name]


def test_who_was_killed(begin):
    """The one that somebody killed, not the others that are ended then."""
    process = begin("sync2.futex")
    os.kill(tasks(process)["prim-answers"], signal.SIGKILL)
    assert process.finish() == 1
    assert "the prim-answers (pid " in process.err
