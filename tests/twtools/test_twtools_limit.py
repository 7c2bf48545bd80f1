# SPDX-License-Identifier: GPL-2.0-or-later
"""How long the tests wait for something, on a machine that is busy."""

import os
import subprocess
import types

import pytest

import outside


@pytest.mark.parametrize("tasks, stolen, lasts_s", [
    (1, 0, 5), (4, 0, 20), (1000, 0, 50), (1, 0.5, 10), (2, 0.5, 20)])
def test_limit(monkeypatch, tasks, stolen, lasts_s):
    """@tasks want each CPU, of which a hypervisor takes a part."""
    now_s = [100.0]

    def sleep(seconds):
        now_s[0] += seconds

    monkeypatch.setattr(outside, "time", types.SimpleNamespace(
        monotonic=lambda: now_s[0], thread_time=lambda: 0, sleep=sleep))
    monkeypatch.setattr(outside, "runnable", lambda: tasks * os.cpu_count())
    monkeypatch.setattr(outside, "stolen_s", lambda: stolen * now_s[0])
    assert outside.wait_for(lambda: False, 5) is None
    assert now_s[0] - 100 == pytest.approx(lasts_s, abs=0.1)
    assert outside.wait_for(lambda: "here", 5) == "here"


@pytest.mark.parametrize("text, tasks", [
    ("0.5 0.2 0.1 7/300 999\n", 7), ("0 0 0 0/9 1\n", 1), ("", 1)])
def test_runnable(monkeypatch, text, tasks):
    """Who asks is one of them, also where a container says otherwise."""
    assert outside.runnable() >= 1
    monkeypatch.setattr(outside, "read", lambda path: text)
    assert outside.runnable() == tasks


def test_communicate():
    """All of its output, whenever that came; or its end is not waited for."""
    with subprocess.Popen(["sh", "-c", "echo a; sleep 0.3; echo b"], text=True,
                          stdout=subprocess.PIPE) as process:
        assert outside.communicate(process, 20) == ("a\nb\n", None)
    with subprocess.Popen(["sleep", "1000"]) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            outside.communicate(process, 0.1)
        process.kill()
