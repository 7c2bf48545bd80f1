# SPDX-License-Identifier: GPL-2.0-or-later
"""A broken cycle, recorded here: the picture says what twowaytest says."""

import os
import re
import types

import outside
import pytest
import tracing

CYCLE, WARMUP, DELAY_US = 7, 2, 6000
# Beside other tests, other cycles may be long.
TRIES = 5
COARSE_NS = 1000        # the trace has whole us


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run whose server is late once, by its own doing: where its JSON and
    trace are, and what it printed."""
    if reason := outside.why_not():
        pytest.skip(reason)
    if not os.environ.get("TWOWAY_DELAY_SO"):
        pytest.skip("TWOWAY_DELAY_SO names no library that delays calls")
    directory = tmp_path_factory.mktemp("trace")
    with tracing.usable():
        for _ in range(TRIES):
            run = outside.Run(
                "-q", "-m", "-p", 60, "-a", "-i", 5000, "-l", 100,
                "--warmup", WARMUP, "-b", 3000, "--trace",
                f"--trace-file={directory / 't.txt'}",
                "--json", directory / "r.json", env={
                    "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
                    "TW_DELAY": "server:nanosleep:busy-after:"
                                f"{WARMUP + CYCLE}:{DELAY_US}"})
            try:
                status = run.finish()
            finally:
                run.end()
            assert status in (0, 2), run.err
            if "LD_PRELOAD" in run.err:
                pytest.skip("the program is static: nothing can be preloaded")
            if status == 2 and "state" in outside.load_json(
                    directory / "r.json")["twoway"]["breaks"][0]["cause"]:
                return types.SimpleNamespace(directory=directory,
                                             out=run.out)
    pytest.skip(f"none of {TRIES} runs has a broken cycle with an analysis")


@pytest.fixture
def picture(recorded):
    import tr_args
    import tr_read
    import tr_trace_cause
    names = [str(recorded.directory / name) for name in ("r.json", "t.txt")]
    runs, _ = tr_read.read_all(names, tr_args.parse(names))
    [found] = tr_trace_cause.pictures(runs)
    return found


def test_same_culprit(recorded, picture):
    """Who is marked is who "# Cause:" names, for the same time."""
    import tr_figures_trace
    [cause] = re.findall("^# Cause: (.*)$", recorded.out, re.MULTILINE)
    assert picture.broken.analysis.cause == cause
    assert picture.marks
    total_us = sum(span.ns for _, _, span in picture.marks) / 1000
    assert f" for {total_us:.1f} us" in cause
    [(who, ns), *_] = picture.broken.analysis.culprits
    assert who in tr_figures_trace.blamed(picture) or \
        picture.broken.analysis.role in tr_figures_trace.blamed(picture)
    if " while " in cause:
        assert f" while {who} ({ns / 1000:.1f} us)" in cause


def test_same_playback(picture):
    """At each moment of the phase that was looked into, the lane of the CPU
    shows whom the analysis saw there."""
    import tr_trace_cause
    analysis = picture.broken.analysis
    start_ns = picture.trace.stamps[
        tr_trace_cause.PHASES[analysis.phase][0]]
    checked = 0
    for span in analysis.spans:
        middle = start_ns + span.at_ns + span.ns / 2
        if span.cpu < 0 or span.ns < 2 * COARSE_NS:
            continue
        shown = [one for one in picture.play.cpus[span.cpu]
                 if one.begin_ns <= middle < one.end_ns]
        assert shown[-1].who == span.who, span
        assert (shown[-1].depth > 0) == (
            span.who.endswith("interrupt") or
            span.who.startswith(("interrupt ", "softirq "))), span
        checked += 1
    assert checked
    states = {"runs": "runs", "interrupted": "interrupted",
              "runnable": "runnable", "asleep": "waits",
              "timer late": "waits"}
    for span in analysis.spans:
        middle = start_ns + span.at_ns + span.ns / 2
        if span.state not in states or span.ns < 2 * COARSE_NS:
            continue
        [shown] = [one.state for one in picture.play.sides[analysis.side]
                   if one.begin_ns <= middle < one.end_ns]
        assert shown == states[span.state], span


def test_pids(recorded, picture):
    """Each side has its own lane and its own task."""
    assert set(picture.play.pids) == {"client", "server"}
    for role, pid in picture.play.pids.items():
        names = {one.who for slices in picture.play.cpus.values()
                 for one in slices if one.kind == "task" and one.pid == pid}
        assert f"twoway-{role}-{pid}" in names
    assert picture.play.pids[picture.broken.analysis.side] == \
        picture.broken.analysis.pid


def test_nothing_is_lost(recorded, picture):
    """Every line of the trace that another reader finds is an event."""
    text = (recorded.directory / "t.txt").read_text()
    found = tracing.events(text)
    assert [(one.time_ns, one.cpu, one.pid) for one in picture.trace.events] \
        == [(one.time_ns, one.cpu, one.pid) for one in found]
    kinds = {"sched_switch": "switch", "sched_waking": "waking"}
    for name, kind in kinds.items():
        assert [one.time_ns for one in found if one.name == name] == \
            [one.time_ns for one in picture.trace.events
             if one.kind == kind]
    assert dict(tracing.stamps(text)) == picture.trace.stamps
