# SPDX-License-Identifier: GPL-2.0-or-later
"""What went on beside a measurement, from made-up readings."""

import os
import signal
import subprocess
import sys
import types

import cm_child
import cm_system
import outside

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


def test_chance_is_no_change():
    assert cm_system.facts({"governor": "a", "steal_ppm": 5}) == {
        "governor": "a"}


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
