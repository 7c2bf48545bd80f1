# SPDX-License-Identifier: GPL-2.0-or-later
"""functions: what a function_graph trace says, and the command around it."""

import json
import re

import pytest

import guests
import lab as made
import vl_kernel

IDLE, SERVER, CLIENT = 0, 7, 8
TASKS = "0 swapper\n7 twoway-server\n8 twoway-client\n9 ktimers/0\n"
COST = 1000             # of a made traced call, in ns: half of it inside


class Trace:
    """Lines as function_graph writes them."""

    def __init__(self):
        self.lines = ["# tracer: function_graph", "#"]
        self.now = 5_000_000_000

    def line(self, pid, text, depth, length=None):
        time = f"{self.now // 10**9:5}.{self.now // 1000 % 10**6:06}"
        comm = "<idle>" if pid == IDLE else "twoway-"
        shown = "" if length is None else f"{length / 1000:.3f} us"
        self.lines.append(f"{time} | {f'{comm}-{pid}':^14} | {shown:<10} |  "
                          + "  " * depth + text)

    def call(self, pid, name, own, *inner, depth=0, after=()):
        """A call; inner: (name, own, ...) of what it calls.

        after: interrupts in the tracer, after the call itself has ended.
        """
        start = self.now
        if not inner and not after:
            length = own + COST // 2
            self.line(pid, f"{name}();", depth, length)
            self.now += own + COST
            return length
        self.line(pid, f"{name}() {{", depth)
        for one in inner:
            self.call(pid, *one, depth=depth + 1)
        self.now += own + COST // 2
        length = self.now - start
        for one in after:
            self.call(pid, *one, depth=depth + 1)
        self.line(pid, f"}} /* {name} */", depth, length)
        self.now += COST // 2
        return length

    def cycle(self, extra=()):
        self.call(CLIENT, "__x64_sys_clock_nanosleep", 2000)
        self.call(CLIENT, "__x64_sys_sendto", 4000, ("tcp_send", 3000),
                  ("tcp_send", 1000), *extra)
        self.call(SERVER, "__x64_sys_recvfrom", 2000)
        self.lines.append(" 0)  twoway--7   =>   <idle>-0 ")
        self.call(IDLE, "do_idle", 90000, ("irq_exit_rcu", 100))
        self.call(SERVER, "__x64_sys_clock_nanosleep", 1000)
        self.call(SERVER, "__x64_sys_sendto", 5000)
        self.call(CLIENT, "__x64_sys_recvfrom", 2000)

    def text(self):
        return "\n".join(self.lines) + "\n"


def trace(cycles=6, **more):
    made_trace = Trace()
    for _ in range(cycles):
        made_trace.cycle(**more)
    return made_trace.text()


@pytest.fixture
def graph():
    import vl_graph
    return vl_graph


def place(graph, *words):
    return graph.Place(*words)


def test_calls_and_own_times(graph):
    found = graph.profile(trace(), TASKS, 20)
    assert found.cycles == 4            # neither the first nor the last
    sent = found.places[place(graph, "send", "client", "tcp_send")]
    assert (sent.calls, sent.own) == (2, 4000 + COST)
    outer = found.places[place(graph, "send", "client", "__x64_sys_sendto")]
    # Half of its own cost, half of each inner call's.
    assert (outer.calls, outer.inner) == (1, 2)
    assert outer.own == 4000 + COST // 2 + 2 * COST // 2
    assert found.halts == "do_idle" and found.leaf == 600


def test_phases(graph):
    """Each ends where its system call returns."""
    found = graph.profile(trace(), TASKS, 20)
    where = {(one.phase, one.task, one.function) for one in found.places}
    assert ("wakeup", "client", "__x64_sys_clock_nanosleep") in where
    assert ("send", "server", "__x64_sys_recvfrom") in where
    assert ("sleep", "idle", "do_idle") in where
    assert ("receive", "server", "__x64_sys_sendto") in where
    assert ("receive", "client", "__x64_sys_recvfrom") in where
    assert not any(one.task == "client" for one in found.places
                   if one.phase == "sleep")
    assert sum(found.lengths.values()) == pytest.approx(
        4000 + 4000 + 2000 + 90100 + 1000 + 5000 + 2000 + 2000 + 10 * COST,
        abs=2 * COST)


def test_wanted_cycles(graph):
    assert graph.profile(trace(), TASKS, 3).cycles == 3
    with pytest.raises(graph.LabError, match="no whole cycle"):
        graph.profile(trace(2), TASKS, 3)


def test_interrupts_are_apart(graph):
    """Of another task than idle; idle's are what ends its wait."""
    tick = ("__sysvec_apic_timer_interrupt", 5000, ("tick_handler", 900))
    found = graph.profile(trace(extra=[tick]), TASKS, 20)
    ticks = found.places[place(graph, "interrupt", "client", "tick_handler")]
    assert ticks.calls == 1 and ticks.own == 900 + COST // 2
    assert place(graph, "sleep", "idle", "irq_exit_rcu") in found.places
    without = graph.profile(trace(), TASKS, 20)
    # What it costs the interrupted call is left.
    assert found.lengths["send"] == pytest.approx(
        without.lengths["send"] + COST // 2, abs=COST)


def test_interrupt_in_the_tracer(graph):
    """It is written before the call that it came in, or after its end."""
    one = Trace()
    for _ in range(6):
        one.cycle()
        # Deeper than a call of outer, which follows.
        start = one.now
        one.line(CLIENT, "outer() {", 0)
        one.call(CLIENT, "__sysvec_apic_timer_interrupt", 70000, depth=2)
        one.line(CLIENT, "leaf();", 1, 70000 + COST + 800)
        one.now += 800 + COST
        one.line(CLIENT, "} /* outer */", 0, one.now - start)
        one.line(CLIENT, "caller() {", 0)
        begun = one.now
        one.call(CLIENT, "late", 300, depth=1, after=[
            ("__sysvec_apic_timer_interrupt", 70000)])
        one.line(CLIENT, "} /* caller */", 0, one.now - begun)
    places = graph.profile(one.text(), TASKS, 20).places
    for name in ("outer", "leaf", "late", "caller"):
        own = places[place(graph, "wakeup", "client", name)].own
        assert 0 <= own < 3 * COST, name


def test_closed_loop(graph):
    """Nobody waits for a time: two phases."""
    text = "\n".join(line for line in trace().splitlines()
                     if "clock_nanosleep" not in line)
    found = graph.profile(text, TASKS, 20)
    assert set(found.lengths) == {"send", "receive"}


def test_another_program(graph):
    """A cycle ends where the task that waits most returns."""
    one = Trace()
    for _ in range(6):
        one.call(CLIENT, "__arm64_sys_clock_nanosleep", 2000)
        one.call(IDLE, "do_idle", 400)
    found = graph.profile(one.text(), "8 cyclictest\n", 20)
    assert set(found.lengths) == {"cycle"}
    assert place(graph, "cycle", "cyclictest",
                 "__arm64_sys_clock_nanosleep") in found.places


@pytest.mark.parametrize("text, tasks, said", [
    ("", TASKS, "no task waited"),
    (trace(), TASKS + "10 twoway-client\n", "several pairs"),
])
def test_no_cycles(graph, text, tasks, said):
    with pytest.raises(graph.LabError, match=said):
        graph.profile(text, tasks if text else "", 20)


def guest(lab, status=0, **more):
    """The made guest sends a made trace; see lab.QEMU."""
    sent = lab.directory / "sent"
    sent.mkdir(exist_ok=True)
    untraced = {"resolution_in_ns": 1, "thread": {
        "0": {"metric": "send", "avg": 10000.0},
        "1": {"metric": "receive", "avg": 7000.0}}}
    for name, value in {
            "functions.trace": trace(**more), "functions.tasks": TASKS,
            "twowaytest.json": untraced, "twowaytest.txt": "untraced",
            "functions.txt": "traced", "twowaytest.status": "0",
            "functions.status": str(status)}.items():
        made.write(sent / name, value)
    return {"LAB_GUEST": f'tar -C {sent} -czf "$data" .'}


SLOW = ("--", "-q", "-i", "20260")


def test_two_kernels(lab):
    """Text and JSON; the cost of the trace is known and subtracted."""
    out, _ = lab("functions", "-k", f"a={lab.kernel}", "-k",
                 f"b={lab.kernel}", "-b", lab.tool, "--cycles=3",
                 "--json=found.json", *SLOW, **guest(lab))
    assert "# a\nphases\n" in out and "# b\nphases\n" in out
    assert "differences, a to b\n" in out
    assert re.search("A traced call takes (9..|10..) ns; the times do not "
                     "contain it", " ".join(out.split()))
    assert "Averages of 3 cycles" in out
    found = json.loads((lab.directory / "found.json").read_text())
    assert found["command"][:2] == ["twowaytest", "-q"]
    assert found["kernels"]["a"] == found["kernels"]["b"]
    kernel = found["kernels"]["a"]
    assert kernel["cycles"] == 3 and kernel["idle_waits_in"] == "do_idle"
    assert kernel["traced_call_ns"] == pytest.approx(COST, abs=COST / 10)
    sent = next(one for one in kernel["functions"]
                if one["function"] == "tcp_send")
    assert (sent["phase"], sent["task"], sent["calls"]) == \
        ("send", "client", 2)
    assert sent["traced_own_ns"] == 5000 and 3500 < sent["own_ns"] < 4500
    # It makes calls, too, whose cost is half in it.
    outer = next(one for one in kernel["functions"]
                 if one["function"] == "__x64_sys_sendto"
                 and one["task"] == "client")
    assert outer["traced_own_ns"] == 5500 and 3700 < outer["own_ns"] < 4500


def test_one_kernel(lab):
    """Nothing to compare, and nothing is left."""
    out, _ = lab("functions", "-k", lab.kernel, "-b", lab.tool, "-c", "2",
                 "-J", "found.json", "-O", "schedule,tick_nohz_*", "--",
                 "-q", **guest(lab))
    assert "differences" not in out and "Averages of 2 cycles" in out
    assert (lab.directory / "found.json").exists()
    assert not (lab.directory / "virtlab").exists()


@pytest.mark.parametrize("status, said", [
    (3, "this kernel has no function_graph tracer"),
    (4, "leave out -l and -D"),
    (5, "it has none of the functions of --only"),
    (9, "exit status 9"),
])
def test_guest_fails(lab, status, said):
    err = lab("functions", "-k", lab.kernel, "-b", lab.tool, "-J", "x.json",
              *SLOW, status=1, **guest(lab, status))[1]
    assert said in err and err.rstrip().endswith("traced")
    assert not (lab.directory / "x.json").exists()


@pytest.mark.parametrize("args, said", [
    (("-k", "x"), "the measurement after --"),
    (SLOW, "--kernel=FILE is needed"),
    (("-k", "x", *SLOW, "--", "-q"), "one measurement is expected"),
    (("-k", "x", "-c", "0", *SLOW), "1 to 1000"),
    (("-k", "x", "--cycles=1001", *SLOW), "1 to 1000"),
    (("-k", "x", "-O", "a,,b", *SLOW), "'a,,b': a list of functions"),
    (("-k", "x", "--only=", *SLOW), "a list of functions"),
    (("-k", "x", "--json", *SLOW), "--json"),
    (("-k", "x", "-J"), "-J"),
])
def test_wrong_usage(lab, args, said):
    assert said in lab.refused("functions", *args)


@pytest.mark.parametrize("words, period", [
    (("-q",), 1000), (("-i", "1013"), 1013), (("-qi1013",), 1013),
    (("--interval=9999",), 9999), (("-i", "50000", "-i", "200"), 200),
    (("cyclictest", "-q"), 1000),
])
def test_short_period(lab, words, period):
    err = lab.refused("functions", "-k", lab.kernel, "--", *words)
    assert f"period of {period} us" in err and "such as -i 20260" in err


@pytest.mark.long
def test_guest(tmp_path):
    """Of a real kernel: each function, and what a traced call costs."""
    image = guests.fetch(vl_kernel.CLOUD)
    out = guests.virtlab(
        "functions", f"--kernel=one={image}", "--cycles=5",
        f"--json={tmp_path}/found.json", "--", *guests.REALTIME,
        "-i", "30390", "--sleep=10000")
    assert "tcp_sendmsg" in out
    kernel = json.loads((tmp_path / "found.json").read_text())[
        "kernels"]["one"]
    assert kernel["cycles"] == 5 and kernel["traced_call_ns"] > 1000
    calls = {(one["phase"], one["task"], one["function"]): one["calls"]
             for one in kernel["functions"]}
    assert calls["send", "client", "tcp_sendmsg"] == 1
    assert calls["receive", "server", "tcp_sendmsg"] == 1
    assert calls["sleep", "idle", "hrtimer_wakeup"] >= 1
