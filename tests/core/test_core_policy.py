# SPDX-License-Identifier: GPL-2.0-or-later
"""--policy=deadline and the auxiliary clocks."""

import os
import pathlib
import platform
import re
import subprocess
import time

import pytest

import outside
import primitives
import results
import twowaytest

AUX = 16    # CLOCK_AUX
ALL = os.cpu_count() == len(os.sched_getaffinity(0))


def deadline(run, *options):
    """A run of 100 cycles; skips where the kernel has no such tasks."""
    if subprocess.run(["chrt", "-d", "-T", "100000", "-P", "1000000", "0",
                       "true"], check=False, capture_output=True).returncode:
        pytest.skip("chrt cannot start a task of SCHED_DEADLINE here")
    return run("-q", "-l", 100, "--json=json", "--policy=deadline", *options)


@results.root
@pytest.mark.skipif(not ALL, reason="only some of the CPUs are allowed")
@pytest.mark.parametrize("options,runtime_us", [
    ((), 250), (("--runtime=333",), 333), (("-i", "2000"), 500),
    (("--transport=udp", "--runtime=90"), 90),
])
def test_deadline(run, options, runtime_us):
    done = deadline(run, *options)
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    pair = json["twoway"]["pairs"][0]
    for role in ("client", "server"):
        assert (pair[role]["policy"], pair[role]["priority"]) == \
            ("deadline", 0)
    assert json["twoway"]["main"]["policy"] == "other"
    line = re.search(r"^# Deadline: (\d+) us of CPU time in a period; on "
                     r"average the server used (\S+) us, the client (\S+) us$",
                     done.stdout, re.M)
    assert int(line[1]) == runtime_us
    for role, used in (("server", line[2]), ("client", line[3])):
        assert float(used) == pytest.approx(pair[role]["cpu_us"] / 102,
                                            abs=0.06)
    assert "# Not real-time" not in done.stdout


@results.root
@pytest.mark.skipif(not ALL, reason="only some of the CPUs are allowed")
def test_device_without_a_server(run):
    done = deadline(run, "--connect=127.0.0.1", "--reflect=icmp")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^# Deadline: 250 us of CPU time in a period; on "
                     r"average the client used [\d.]+ us$", done.stdout, re.M)


@results.root
@pytest.mark.skipif(not ALL, reason="only some of the CPUs are allowed")
def test_pairs_have_the_runtime_of_their_period(run, start):
    """chrt(1) says what the kernel has for each task."""
    deadline(run)
    process = start("-q", "--policy=deadline", "-t2", "-i", "4000,9000", "-d0")
    found = []
    for _ in range(300):
        time.sleep(0.1)
        found = sorted(filter(None, map(reservation, children(process.pid))))
        if len(found) == 4:
            break
    assert found == 2 * [(10**6, 4 * 10**6, 4 * 10**6)] + \
        2 * [(2250000, 9 * 10**6, 9 * 10**6)]


def children(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return tasks.read_text(encoding="ascii").split()


def reservation(pid):
    """(runtime, deadline, period) in ns; None: it is not such a task yet."""
    done = subprocess.run(["chrt", "-p", pid], text=True, check=False,
                          capture_output=True)
    found = re.search(r"(\d+)/(\d+)/(\d+)$", done.stdout, re.M)
    return found and tuple(map(int, found.groups()))


@results.root
@pytest.mark.parametrize("words,named", [
    (("-t", str(4 * os.cpu_count()), "-d0"), "95 % of the CPUs"),
    (("--runtime=2", "-i", "1000"), "Invalid argument|# Deadline: 2 us"),
])
def test_refused_by_the_kernel(run, words, named):
    done = deadline(run, *words)
    if done.returncode:
        assert "--policy=deadline: refused by the kernel for " in done.stderr
    assert re.search(named, done.stderr + done.stdout)


def test_without_rights(public):
    done = subprocess.run(
        [public / "twowaytest", "-q", "-l", "5", "--policy=deadline",
         "--default-system"], cwd=public, text=True, check=False,
        user=outside.NOBODY, capture_output=True)
    assert done.returncode == 1
    assert ("refused by the kernel for 250 us in 1000 us: Operation not "
            "permitted; needed is CAP_SYS_NICE") in done.stderr


@pytest.mark.parametrize("number", range(8))
def test_aux(run, number):
    """The kernel itself says whether it has the clock."""
    done = run("-q", "-l", 50, "--json=json", f"--clock=aux{number}")
    try:
        time.clock_gettime(AUX + number)
    except OSError:
        assert done.returncode == 1
        assert re.search(rf"FATAL: --clock=aux{number}: .*; needed is a "
                         "kernel with CONFIG_POSIX_AUX_CLOCKS, and 1 in .*"
                         rf"/{number}/aux_clock_enable\n", done.stderr)
        return
    json = results.loaded(done)
    assert json["twoway"]["settings"]["clock"] == f"aux{number}"
    assert json["thread"]["0"]["cycles"] == 50


def test_aux_of_primitivetest():
    """It asks the kernel as well, before it measures anything."""
    done = subprocess.run([primitives.binary(), "--clock=aux7", "--help"],
                          text=True, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run([primitives.binary(), "--clock=aux7", "-l", "1"],
                          text=True, check=False, capture_output=True)
    try:
        time.clock_gettime(AUX + 7)
    except OSError:
        assert done.returncode == 1
        assert done.stderr.startswith("FATAL: --clock=aux7: ")


@pytest.mark.skipif(platform.machine() not in outside.SCHEDULING,
                    reason="no filter for this machine's system calls")
@pytest.mark.skipif("TWOWAY_EMULATOR" in filter(os.environ.get, os.environ),
                    reason="an emulator makes other system calls")
@pytest.mark.parametrize("options", [
    (), ("--load=fft",), ("--load=hackbench:1",), ("--load=command:sleep 9",),
    ("-t2", "--servers=one"), ("-b", "1", "--on-break=true")])
def test_sandbox(run, options):
    """What a process has already need not be set, nor be permitted."""
    done = run("-q", "-l", 30, "--json=json", *options,
               preexec_fn=outside.sandbox)
    assert done.returncode == (2 if "-b" in options else 0), done.stderr
    assert not done.stderr
    json = results.loaded(done)["twoway"]
    assert {pair[role]["policy"] for pair in json["pairs"]
            for role in outside.SIDES} == {"other"}


@results.root
@pytest.mark.skipif(platform.machine() not in outside.SCHEDULING,
                    reason="no filter for this machine's system calls")
@pytest.mark.parametrize("options,lacks", [
    (("-p", 5), "scheduling policy and priority"),
    (("--policy=batch",), "scheduling policy and priority"),
    (("-a", min(os.sched_getaffinity(0))),
     f"CPUs, {min(os.sched_getaffinity(0))}")])
def test_what_a_sandbox_refuses(run, options, lacks):
    done = run("-q", "-l", 30, *options, preexec_fn=outside.sandbox)
    assert (done.returncode, "T:" in done.stdout) == (1, False)
    assert done.stderr.startswith(f"FATAL: the server cannot get its {lacks}: "
                                  "Operation not permitted")


def flagged(policy, priority, flag=os.SCHED_RESET_ON_FORK, then=None):
    """A preexec_fn: children get another policy, if it is of real time."""
    def become():
        os.sched_setscheduler(0, policy | flag, os.sched_param(priority))
        if then:
            then()
    return become


@results.root
def test_policy_that_children_do_not_get(public):
    """Who has no right to end that need not; who has, does."""
    for options, begin, policy in (
            ((), flagged(os.SCHED_OTHER, 0, then=outside.nobody()), "other"),
            (("-p", 5), flagged(os.SCHED_FIFO, 5), "fifo"),
            (("-p", 5), flagged(os.SCHED_FIFO, 4), "fifo"),
            (("-p", 5), flagged(os.SCHED_FIFO, 4, 0), "fifo"),
            (("-p", 5), flagged(os.SCHED_FIFO, 5, 0), "fifo")):
        done = twowaytest.run("-q", "-l", 30, "--json=json", *options,
                              directory=public, program=public / "twowaytest",
                              preexec_fn=begin)
        assert done.returncode == 0, done.stderr
        pair, = results.loaded(done)["twoway"]["pairs"]
        assert {pair[role]["policy"] for role in outside.SIDES} == {policy}
        assert [pair[role]["priority"] for role in outside.SIDES] == \
            ([4, 5] if options else [0, 0])
        (public / "json").unlink()
