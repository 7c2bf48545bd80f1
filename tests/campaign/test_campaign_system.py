# SPDX-License-Identifier: GPL-2.0-or-later
"""What went on beside a measurement, from made-up readings."""

import os
import signal
import subprocess
import sys
import types

import cm_args
import cm_child
import cm_plan
import cm_probe
import cm_system
import outside
import pytest

SECOND = os.sysconf("SC_CLK_TCK")


def between(ticks, own_s=0.0, thermal=(None, None)):
    """Of ticks user, nice, system, idle, iowait, irq, softirq, steal."""
    before = cm_system.Snapshot([7] * 10, 1.0, thermal[0])
    after = cm_system.Snapshot([7 + n * SECOND for n in ticks] + [7, 7],
                               1.0 + own_s, thermal[1])
    return cm_system.between(before, after)


def test_shares():
    found = between([2, 1, 1, 10, 2, 1, 1, 2], own_s=1.0)
    assert found["steal_percent"] == 10.0
    assert found["others_percent"] == 15.0
    assert found["thermal_events"] is None


def test_never_negative():
    """Our own time is exact, the rest is counted in ticks."""
    found = between([1, 0, 0, 19, 0, 0, 0, 0], own_s=2.0, thermal=(3, 5))
    assert found["others_percent"] == 0.0
    assert found["thermal_events"] == 2


def test_unknown():
    nothing = cm_system.Snapshot([], 0.0, None)
    found = cm_system.between(nothing, nothing)
    assert found["steal_percent"] is None
    assert found["others_percent"] is None


def test_readings(tmp_path, monkeypatch):
    """From the kernel's files; CPU time is our own and of who has ended."""
    monkeypatch.setattr(cm_system, "pathlib", types.SimpleNamespace(
        Path=lambda path: tmp_path / str(path).removeprefix("/")
        if str(path) in ("/sys", "/proc/stat") else path))
    nothing = cm_system.Snapshot.take()
    assert (nothing.ticks, nothing.thermal) == ([], None)
    assert cm_system.between(nothing, nothing)["hottest_celsius"] is None
    for path, text in (
            ("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 1\n"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/"
             "core_throttle_count", "2\n"),
            ("sys/devices/system/cpu/cpu11/thermal_throttle/"
             "package_throttle_count", "3\n"),
            ("sys/class/thermal/thermal_zone0/temp", "-5000\n"),
            ("sys/class/thermal/thermal_zone1/temp", "42500\n"),
            ("sys/class/thermal/thermal_zone2/temp", "\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    subprocess.run(["sh", "-c", "i=0; while [ $i -lt 200000 ]; do "
                                "i=$((i + 1)); done"], check=True)
    ticks = 4 / SECOND      # of which os.times() counts whole ones
    before = sum(os.times()[:4])
    found = cm_system.Snapshot.take()
    assert before - ticks <= found.own_s <= sum(os.times()[:4]) + ticks
    assert (found.ticks, found.thermal) == (list(range(1, 11)), 5)
    assert cm_system.between(found, found)["hottest_celsius"] == 42.5


def test_who_has_ended_is_left_alone(monkeypatch):
    """Whoever watches for our end is told: its number may be another's."""
    told = []
    monkeypatch.setattr(cm_child.cm_watch, "Watcher", lambda:
                        types.SimpleNamespace(began=lambda pid: None,
                                              ended=told.append,
                                              close=lambda: None))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        with cm_child.Children() as children:
            assert children.output(["true"]) == (0, "", "")
            pids = [*told, children.start(["sleep", "9"]).pid]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert told == pids and len(told) == 2


def test_a_signal_while_one_starts():
    """It is ended, too: else it would write its results after our end."""
    program = """
import os, signal, subprocess, cm_child
from twtools import child
start = subprocess.Popen
def signalled(*args, **options):
    found = start(*args, **options)
    os.kill(os.getpid(), signal.SIGINT)
    print(found.pid, flush=True)
    return found
child.listen()
with cm_child.Children() as children:
    subprocess.Popen = signalled
    children.start(["sleep", "99"])
    print("not ended")
"""
    done = subprocess.run([sys.executable, "-c", program], text=True,
                          capture_output=True, check=False, timeout=60,
                          env=os.environ | {"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 130, done.stderr
    assert not outside.alive(int(done.stdout))


@pytest.mark.parametrize("allowed, own, expected", (
    ({0, 1, 2}, None, (0, 2, 2, "0,1,2")),
    ({0, 1, 2, 3}, None, (1, 2, 2, "0,1,2,3")),
    ({2, 4, 5, 7}, 7, (4, 2, 7, "2,4,5,7"))))
def test_cpus(allowed, own, expected):
    """The first of four or more is the system's."""
    told = '{\n"twoway": {"pairs": [{"client": {"cpus": "2"}}]}}'
    made = types.SimpleNamespace(cpus=allowed,
                                 output=lambda argv: (0, told, ""))
    options = types.SimpleNamespace(cpu=own, dry_run=True, twowaytest="t")
    assert cm_probe.cpus(made, options) == cm_plan.Cpus(*expected)


@pytest.mark.parametrize("uid, advice", ((0, ""), (
    1, "\nwithout privilege: --priority=0 --tools=twowaytest, or run this with "
    "sudo")))
@pytest.mark.parametrize("out, err, said", (
    ("", "", ", without a message"), (" a\n", "", ": \na"),
    ("a", "b\n", ": \nb")))
def test_a_trial_that_fails(monkeypatch, uid, advice, out, err, said):
    """What it said, and what who is not root can do."""
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    made = types.SimpleNamespace(output=lambda argv: (4, out, err))
    with pytest.raises(cm_probe.Failure) as failure:
        cm_probe.trial(made, ["x", "-y"], (0, 2))
    assert str(failure.value) == f"x -y: exit status 4{said}{advice}"


@pytest.mark.parametrize("place, cyclictest, twowaytest", (
    ("plan", "-a 2 --mainaffinity=1", "-a"),
    ("one", "-a 3 --mainaffinity=3", "--affinity=3 --mainaffinity=3")))
def test_places(place, cyclictest, twowaytest):
    options = cm_args.parse(["-D", "1", "-T", "t", "-C", "c"])
    for tool, where in (("cyclictest", cyclictest), ("twowaytest", twowaytest)):
        one = cm_plan.Measurement(place, "none", tool)
        argv = cm_plan.command(options, one, cm_plan.Cpus(1, 2, 3, "0-3"), "j")
        assert f" {where} -" in " ".join(argv)
