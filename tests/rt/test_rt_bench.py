# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmarks compare under equal settings, and end with what they have."""

import os
import pathlib
import sys

import pytest

import outside

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench"))
import bench  # noqa: E402


def held():
    """Whether this process asks for shallow sleep, and what is granted."""
    links = {os.readlink(entry.path) for entry in os.scandir("/proc/self/fd")
             if os.path.islink(entry.path)}
    with open(outside.CPU_DMA_LATENCY, "rb") as file:
        return outside.CPU_DMA_LATENCY in links, \
            int.from_bytes(file.read(4), sys.byteorder)


def test_both_sides_sleep_alike():
    if not os.access(outside.CPU_DMA_LATENCY, os.R_OK | os.W_OK):
        pytest.skip(f"no {outside.CPU_DMA_LATENCY} here")
    assert bench.interleave(held, held, rounds=2) == [((True, 0),) * 2] * 2
    assert not held()[0]


def test_where_nothing_can_be_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(bench, "CPU_DMA_LATENCY", "/nonexistent")
    assert bench.interleave(lambda: 1, lambda: 2, rounds=1) == [(1,), (2,)]
    assert "/nonexistent: No such file" in capsys.readouterr().out


@pytest.mark.parametrize("good, bad, counted", [
    (31, 0, None), (31, 1, "1 of 32"), (31, 30, "30 of 61"),
    (30, 31, "31 of 61"), (5, 31, "31 of 36")])
def test_rounds_that_cannot_be_compared(capsys, good, bad, counted):
    """Are run again; what could be compared is, and the lab is named."""
    answers = iter([1] * (good - 1) + [None] * bad + [1])
    if good < 31:
        answers = iter([1] * good + [None] * bad)
    one, other = bench.interleave(lambda: next(answers), lambda: 2, rounds=31)
    assert one == (1,) * good and other == (2,) * good
    out = capsys.readouterr().out
    assert ("--suite lab" in out) == bool(counted)
    if counted:
        assert f"{counted} rounds could not be compared" in out


def test_too_few_to_compare(capsys):
    answers = iter([1] * 4 + [None] * 99)
    with pytest.raises(SystemExit) as end:
        bench.interleave(lambda: next(answers), rounds=31)
    assert end.value.code == 77
    assert "skipped: 4 rounds are no comparison" in capsys.readouterr().out


@pytest.mark.parametrize("ours, limits, verdict, status", [
    ([2.0] * 9, {"most": 1}, "FAILS", 1),
    ([2.0] * 9, {"least": 1}, "holds", 0),
    ([0.5] * 9, {"least": 1}, "FAILS", 1),
    ([0.9, 1.1] * 9 + [0.9], {"least": 1}, "undecided", 77),
    ([0.9, 1.1] * 9 + [1.1], {"most": 1}, "undecided", 77),
    ([0.9, 1.1] * 9 + [1.1], {"least": 1}, "holds", 0)])
def test_verdict_on_a_ratio(capsys, ours, limits, verdict, status):
    """It is left open where the next rounds may give another."""
    ratio = bench.ratio("ours / theirs", ours, [1.0] * len(ours))
    assert bench.judge("ratio:", ratio, **limits) == verdict
    assert f"\n{verdict}: ratio: " in capsys.readouterr().out
    with pytest.raises(SystemExit) as end:
        bench.finish(bench.judge("figure:", 0, most=0),
                     bench.judge("ratio:", ratio, **limits))
    assert end.value.code == status
