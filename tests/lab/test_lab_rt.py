# SPDX-License-Identifier: GPL-2.0-or-later
"""PREEMPT_RT and tracefs, in guests: found, used, given back."""

import re

import pytest


@pytest.fixture(params=["preempt_rt",
                        pytest.param("smp", marks=pytest.mark.long)])
def traced(request):
    return request.getfixturevalue(request.param)


def finding(boot, name):
    return next(line for line in boot.text("check.txt").splitlines()
                if line.split()[1:2] == [name])


def test_detected(preempt_rt):
    environment = preempt_rt.environment("idle")
    assert environment["preemption"] == "PREEMPT_RT"
    assert environment["realtime"] is True
    assert finding(preempt_rt, "preemption").split()[0] == "ok"
    assert finding(preempt_rt, "virtual").split()[0] == "FINDING"


def test_standard_is_not(cloud):
    environment = cloud[0].environment("idle")
    assert environment["preemption"] != "PREEMPT_RT"
    assert environment["realtime"] is False


def statuses(boot):
    return {one["name"]: one["status"]
            for one in boot.json("lab")["measurements"]}


def test_statuses(preempt_rt):
    found = statuses(preempt_rt)
    assert {name for name, status in found.items() if status} == {
        "check", "break", "traced", "marked", "unlimited"}
    assert set(found.values()) == {0, 2}
    assert {"idle", "trace", "tracing", "unlimited-primitive",
            "runtime"} <= set(found)


def test_break(preempt_rt):
    text = preempt_rt.text("break.txt")
    for start in ("# Break thread: ", "# Break value: ",
                  "# Break: pair 0, cycle 0: latency "):
        assert len(re.findall(f"^{start}", text, re.MULTILINE)) == 1
    assert preempt_rt.metric("break", "total")["cycles"] == 1


def test_cause(traced):
    """A sentence, a time line that adds up, and the trace. In the first cycle, no
    usual length is known, above which the delay is (with a "+")."""
    text = traced.text("traced.txt")
    assert re.search(r"^# Cause: \w+ \+?\d+ us: .+", text, re.MULTILINE)
    length = float(re.search(r"^# Time line of \w+: ([\d.]+) us", text,
                             re.MULTILINE)[1])
    rows = [(float(at), float(long)) for at, long in re.findall(
        r"^#\s+([\d.]+)\s+([\d.]+)\s+\d+\s+\w", text, re.MULTILINE)]
    assert rows
    for (at, long), (following, _) in zip(rows, rows[1:] + [(length, 0)]):
        assert at + long == pytest.approx(following, abs=0.11)
    assert "# Trace: kernel.txt\n" in text
    trace = traced.text("kernel.txt")
    assert "sched_switch" in trace and "twoway-client" in trace


def test_tracemark(preempt_rt):
    """The mark is in the kernel's trace, which has been stopped."""
    assert re.search(r"tracing_mark_write: twowaytest: latency of \d+ us "
                     "exceeds 1 us", preempt_rt.text("trace.txt"))
    assert preempt_rt.text("tracing.txt").splitlines()[1:] == ["0"]


def test_runtime_is_given_back(preempt_rt):
    assert preempt_rt.metric("unlimited", "response")["cycles"] == 100
    assert preempt_rt.text("runtime.txt").splitlines()[1:] == ["950000"]


@pytest.mark.long
def test_smp(smp):
    """Four CPUs, marked as what they are."""
    mark = smp.json("lab")["lab"]
    assert mark["mode"] == "smp" and mark["cpus"] == 4
    assert smp.json("idle")["lab"] == mark
    for name in ("idle.txt", "traced.txt", "kernel.txt"):
        assert smp.text(name).startswith("# virtual: smp, ")
    assert smp.environment("idle")["realtime"] is True
    assert statuses(smp) == {"idle": 0, "traced": 2}
    assert smp.metric("idle", "response")["cycles"] == 100
