# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients and servers whose settings somebody changes while they run."""

import os
import re
import signal

import pytest

import ended as ends
import outside
import results
from hosts import QUICK, far_side, measuring, rsh

CPUS = sorted(os.sched_getaffinity(0))
several = pytest.mark.skipif(len(CPUS) < 2, reason="one CPU")


def told(process):
    """The lines that say so, and the JSON."""
    json = results.check(process.directory / "json")
    return re.findall("^# Changed while .*", process.out, re.M), json


def ended(start, process):
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    results.text(process.out)
    process.directory = start.directory
    return told(process)


def listed(cpus):
    """As the kernel writes them, of two neighbours."""
    return "-".join(map(str, cpus)) if len(cpus) == 1 or \
        cpus[1] == cpus[0] + 1 else ",".join(map(str, cpus))


@several
@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("options", ["", "-t2 -d0 --servers=one"])
def test_other_cpus(start, side, options):
    """Both are in the result; those of the others are what they were."""
    process = start("-q", "--json=json", *options.split(),
                    "--client-affinity", CPUS[0],
                    "--server-affinity", CPUS[0])
    pids = process.steady()
    os.sched_setaffinity(pids[side], CPUS[:2])
    lines, json = ended(start, process)
    assert lines == [
        f"# Changed while it ran: pair {{}}: {side}, policy other, priority 0, "
        f"CPUs {CPUS[0]} to policy other, priority 0, CPUs "
        f"{listed(CPUS[:2])}".format(number) for number in [next(
            i for i, pair in enumerate(json["twoway"]["pairs"])
            if pair[side]["pid"] == pids[side])]]
    for number, pair in enumerate(json["twoway"]["pairs"]):
        for role in "client", "server":
            of = pair[role]
            assert of["cpus"] == str(CPUS[0])
            assert of["changed"] == ({
                "policy": "other", "priority": 0,
                "cpus": listed(CPUS[:2])} if of["pid"] == pids[side] else None)
        client = pair["client"]["pid"] == pids[side]
        assert json["thread"][str(number)]["cpu"] == (
            -1 if client else CPUS[0])


def test_another_policy(start):
    process = start("-q", "--json=json")
    pids = process.steady()
    os.sched_setscheduler(pids["server"], os.SCHED_BATCH, os.sched_param(0))
    lines, json = ended(start, process)
    line, = lines
    assert re.fullmatch(
        "# Changed while it ran: pair 0: server, policy other, priority 0, "
        r"CPUs (\S+) to policy batch, priority 0, CPUs \1", line)
    pair, = json["twoway"]["pairs"]
    assert pair["server"]["changed"]["policy"] == "batch"
    assert pair["client"]["changed"] is None


@several
def test_on_the_other_host(start):
    """Of two servers there, one is moved, and one gets another policy: all that
    tells how the run ended has a line for each."""
    process = start("--connect=127.0.0.1", rsh(), *QUICK, "-t3", "--json=json",
                    "--dump=dump", "--timeline=timeline", "--histfile=h",
                    "-h", 50, "--server-affinity", CPUS[0])
    measuring(process)
    servers = sorted(outside.children(far_side(process.pid)))
    assert len(servers) == 3
    os.sched_setaffinity(servers[0], CPUS[:2])
    policy, priority = ("fifo", 3) if outside.may(3) else ("batch", 0)
    os.sched_setscheduler(servers[2], getattr(
        os, f"SCHED_{policy.upper()}"), os.sched_param(priority))
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    json = outside.load_json(start.directory / "json")
    lines = re.findall("^# Changed while .*", process.out, re.M)
    begun = f"policy other, priority 0, CPUs {CPUS[0]}"
    moved = {servers[0]: f"policy other, priority 0, CPUs {listed(CPUS[:2])}",
             servers[2]: f"policy {policy}, priority {priority}, CPUs {CPUS[0]}"}
    pids = [pair["server"]["pid"] for pair in json["twoway"]["peer"]["pairs"]]
    assert sorted(pids) == servers
    assert lines == [
        f"# Changed while it ran: pair {number}: server on 127.0.0.1, {begun} "
        f"to {moved[pid]}" for number, pid in enumerate(pids) if pid in moved]
    for name in "dump", "timeline":
        told_there = ends.told((start.directory / name).read_text("ascii"))
        assert [line for line in told_there if "Changed" in line] == lines
    text = (start.directory / "h").read_text("ascii")
    assert re.findall("^# Changed while .*", text, re.M) == lines


def test_nobody_on_the_other_host(run):
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 20, "-t2",
               "--json=json")
    assert done.returncode == 0, done.stderr
    assert "Changed while" not in done.stdout
    for pair in done.json()["twoway"]["peer"]["pairs"]:
        assert pair["server"]["changed"] is None


@several
def test_only_in_an_earlier_step(start):
    """Of the first step of a ramp: each step has processes of its own."""
    process = start("-q", "--json=json", "-l", 300, "--load=fft", "--steps=2",
                    "--client-affinity", CPUS[0])
    pids = process.steady()
    os.sched_setaffinity(pids["client"], CPUS[:2])
    assert process.finish() == 0, process.err
    process.directory = start.directory
    lines, json = told(process)
    assert len(lines) == 1 and f"CPUs {listed(CPUS[:2])}" in lines[0]
    client = json["twoway"]["pairs"][0]["client"]
    assert client["pid"] != pids["client"]
    assert client["changed"]["cpus"] == listed(CPUS[:2])


@several
def test_a_side_that_is_killed(start):
    """The kernel knows them until it is reaped."""
    process = start("-q", "--json=json", "--server-affinity", CPUS[0])
    pids = process.steady()
    os.sched_setaffinity(pids["server"], CPUS[:2])
    os.kill(pids["server"], signal.SIGKILL)
    assert process.finish() == 1
    process.directory = start.directory
    lines, json = told(process)
    assert len(lines) == 1
    assert json["twoway"]["pairs"][0]["server"]["changed"]["cpus"] == \
        listed(CPUS[:2])


def test_nothing(run):
    done = run("-q", "-l", 20, "-t2", "-d0", "-a", "--json=json")
    assert "Changed while" not in done.stdout
    for pair in results.loaded(done)["twoway"]["pairs"]:
        assert pair["client"]["changed"] is pair["server"]["changed"] is None


@several
def test_a_cpuset_that_shrinks(start, cpuset):
    """It moves all that is in it."""
    process = start("-q", "--json=json", preexec_fn=lambda: (
        cpuset / "tasks").write_text(str(os.getpid()), encoding="ascii"))
    process.steady()
    (cpuset / "cpuset.cpus").write_text(str(CPUS[1]), encoding="ascii")
    lines, json = ended(start, process)
    assert len(lines) == 2
    assert {line[-len(f" CPUs {CPUS[1]}"):] for line in lines} == {
        f" CPUs {CPUS[1]}"}
    assert json["thread"]["0"]["cpu"] == -1
