# SPDX-License-Identifier: GPL-2.0-or-later
"""What a campaign prints while it measures: how long it still takes."""

import argparse
import types

import pytest


@pytest.mark.parametrize("seconds, text", [
    (-3, "0 s"), (0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"),
    (242, "4 min 02 s"), (3660, "1 h 01 min"), (90000, "1 d 01 h")])
def test_time_that_is_left(seconds, text):
    import cm_progress
    assert cm_progress.time_text(seconds) == text


@pytest.mark.parametrize("no_report, pages_s", [(True, 0), (False, 20)])
def test_line_of_a_measurement(capsys, monkeypatch, no_report, pages_s):
    """What is left of it, and of those that follow: start and end take 1 s,
    a load 2 s until it is there, a page for each load 10 s."""
    import cm_plan
    import cm_progress
    clock = [100, 100, 104.4, 200]
    monkeypatch.setattr(cm_progress, "time", types.SimpleNamespace(
        monotonic=lambda: clock.pop(0)))
    todo = [cm_plan.Measurement("one", load, "twowaytest")
            for load in ("none", "fft")]
    progress = cm_progress.Progress(todo, 9, argparse.Namespace(
        duration=6, no_report=no_report, loads=["none", "fft"]))
    progress.begin(todo[0])
    assert progress.tick() > 60     # nothing is printed again
    progress.terminal = True
    assert [progress.tick(), progress.tick()] == [1, 1]
    progress.end("failed")
    line = "[ 8/9] one none twowaytest  6 s  {} s left"
    assert capsys.readouterr().out == "".join([
        line.format(16 + pages_s), "\n",
        *("\r\x1b[K" + line.format(left + pages_s) for left in (12, 9)),
        "\n  failed\n"])
