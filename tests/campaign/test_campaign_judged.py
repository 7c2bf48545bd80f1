# SPDX-License-Identifier: GPL-2.0-or-later
"""What of a measurement counts: how long it took, and what its log says."""

import types

import pytest

import cm_measure
from cm_state import Failure


def result(cycles, missed=0, **more):
    return {"thread": {"0": {"cycles": cycles}}, "twoway": {
        "missed": missed, "load": [{"rate": 2.5}], **more}}


def options(seconds):
    return types.SimpleNamespace(duration=seconds, interval=1000)


@pytest.mark.parametrize("seconds, cycles, missed, enough", (
    (3, 1999, 0, False), (3, 2000, 0, True), (3, 1000, 1000, True),
    (100, 94_999, 0, False), (100, 95_000, 0, True)))
def test_time(seconds, cycles, missed, enough):
    """A second may lack, or a twentieth; missed expiries took time."""
    found = result(cycles, missed)
    if enough:
        cm_measure.check_time(found, options(seconds))
        return
    with pytest.raises(Failure) as error:
        cm_measure.check_time(found, options(seconds))
    assert str(error.value) == \
        f"only {cycles / 1000:.1f} of {seconds} s were measured"


def test_time_of_a_load():
    """Of which each cycle is a second."""
    for cycles, missed in ((7, 0), (3, 4), (8, 0)):
        assert cm_measure.work(result(cycles, missed), options(7)) == 2.5
    with pytest.raises(Failure, match="at work for 6 of 7 s only"):
        cm_measure.work(result(6), options(7))


@pytest.mark.parametrize("found, said", (
    ({}, "f.json: no results of a measurement"),
    (result(0), "f.json: not one cycle was measured"),
    (result(5, interrupted=True), "ended by a signal"),
    (result(5, 4000, unanswered=[
        {"pair": 1, "age_us": 3800123, "awaited": "reply"}]),
     "no whole cycle at the end: pair 1 had waited 3800123 us for its "
     "reply")))
def test_no_cycles(found, said):
    with pytest.raises(Failure) as error:
        cm_measure.cycles(found, "f.json")
    assert str(error.value) == said
    assert cm_measure.cycles(result(5), "f.json") == 5
    assert cm_measure.cycles(result(5, unanswered=[]), "f.json") == 5


KILLED = "WARN: the client (pid 10922) was killed by signal 9 (Killed)\n"
RESULTS = """\
T: 0 (10922) P:98 I:1000 C:   1457 Min:     55 Act:   95 Avg:   92 Max:     740
#                min      avg      max      std
# wakeup           7       14     1595     45.3
# Missed: 1
# Failed: standard error says why: this is what was measured until then
"""
COMMAND = "# 2026-11-29 00:42:41Z: twowaytest -q\n"


@pytest.mark.parametrize("text, said", (
    ("1\n2\n3\n4\n", "2\n3\n4"), ("# 1\n2\n", "2"), ("1\n# 2\n", "1"),
    ("# 1\n", ""), ("", ""), (RESULTS, ""),
    ("policy: fifo: loadavg: 0.1 0.2 0.3\n" + RESULTS, ""),
    (KILLED + RESULTS, KILLED[:-1]),
    ("other\n" + KILLED + "more\n", KILLED[:-1]),
    ("WARN: 1\nWARN: 2\nFATAL: 3\nWARN: 4\n", "WARN: 2\nFATAL: 3\nWARN: 4"),
    (COMMAND + KILLED + COMMAND + "it fails\n", "it fails"),
    (COMMAND + KILLED + COMMAND + RESULTS, "")))
def test_what_a_program_has_said(tmp_path, text, said):
    """Its warnings or its last lines, below its results; not what it has said
    when it was run before."""
    log = tmp_path / "log"
    log.write_text(text)
    assert cm_measure.said(log) == said
