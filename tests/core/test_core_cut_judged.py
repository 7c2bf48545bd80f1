# SPDX-License-Identifier: GPL-2.0-or-later
"""What judges a run: a cycle that its end has cut short, or one that was lost, is
none that met a limit, and -b knows it, too."""

import csv
import re
import signal

import pytest

import ended
import results
from device import Device
from hang import ALL, REPLY, TIMER, Hang, pids_of, unanswered


@pytest.mark.parametrize("metric,verdicts", [
    ("", "exceeded undecided"), ("response:", "exceeded undecided"),
    ("planned:", "exceeded undecided"), ("avg:", "exceeded undecided"),
    ("send:", "exceeded undecided"), ("total:avg:", "exceeded undecided"),
    ("wakeup:", "exceeded met"), ("interval:avg:", "exceeded undecided"),
    ("p50:", "exceeded met"), ("send:p50:", "exceeded met")])
def test_limits(start, metric, verdicts):
    """What is not known is not good; what is, is. A percentile has others
    above it."""
    process = start("-q", "-N", "--json=json", f"--limit={metric}0",
                    f"--limit={metric}999999999")
    hang = Hang(process, pids_of(process, "server"))
    hang.end(signal.SIGINT, 2)
    json, (one,) = unanswered(start, process)
    below, above = json["twoway"]["limits"]
    assert f"{below['verdict']} {above['verdict']}" == verdicts
    lines = [line for line in process.out.splitlines()
             if line.startswith("# Limit ")]
    known = verdicts.endswith("met")
    # Of a percentile that exceeds it, the cycle is one of many.
    said = [not known or "p50" in metric, not known]
    open_ = " (no reply in 1 cycle)"
    assert [line.endswith(open_) for line in lines] == said
    assert [": at least " in line for line in lines] == said
    if metric in ("", "response:"):
        ns = json["thread"]["0"]["phases"][metric[:-1] or "latency"]["max"]
        assert lines == [
            f"# Limit {metric}{most}: {verdict}: at least {ns / 1000:.3f} us "
            f"in cycle {one['cycle']}{open_}"
            for most, verdict in ((0, "exceeded"), (999999999, "undecided"))]
        assert below["value_ns"] == ns
    assert (above[next(key for key in above if key[:5] == "value")] is None) \
        == (not known)


# Of 60 cycles, 2 are lost; the timeout is 2 s, the sleep 100 us.
LOSSY = [
    ("lost:2", "met: 2"), ("lost:1", "exceeded: 2"),
    ("1000", "exceeded: at least 1999900.000 us (no reply in 2 cycles)"),
    ("1999901", "undecided: at least 1999900.000 us (no reply in 2 cycles)"),
    ("response:1999999",
     "exceeded: at least 2000000.000 us (no reply in 2 cycles)"),
    ("planned:2000001",
     "undecided: at least 2000000.000 us (no reply in 2 cycles)"),
    ("avg:60000", "exceeded: at least {avg} us (no reply in 2 cycles)"),
    ("avg:1900000", "undecided: at least {avg} us (no reply in 2 cycles)"),
    ("send:2000000", "undecided: at least {send} us in cycle {worst} (no "
     "reply in 2 cycles)"),
    ("p50:1999999", "met: {p50} us"),
    ("p80:1999999", "met: {p80} us"),
    ("send:p50:1999999", "met: {send50} us"),
    ("send:p50:0", "exceeded: at least {send50a} us (no reply in 2 cycles)"),
    ("p50:0", "exceeded: {p50} us"),
]


def test_limits_on_lost_cycles(run, shim):
    """They took at least as long as the client has waited for their reply."""
    done = run("-q", "-N", "-l", 60, "--transport=udp", "--timeout=2000000",
               "--json=json", "--dump=dump", *(f"--limit={limit}"
                                               for limit, _ in LOSSY),
               env=shim("server:send:drop:9:0", "server:send:drop:20:0",
                        "client:recv:expire:9:1000",
                        "client:recv:expire:20:1000"))
    assert (done.returncode, done.stderr) == (2, "")
    rows = [row for row in csv.DictReader(ended.table(done.text("dump")))
            if row["t3_ns"]]
    assert len(rows) == 58
    latency = sorted(int(row["t3_ns"]) - int(row["t0_ns"]) - 100000
                     for row in rows)
    send = [int(row["t1_ns"]) - int(row["t0_ns"]) for row in rows]
    known = {
        "avg": f"{(sum(latency) + 2 * 1999900000) / 60000:.3f}",
        "send": f"{max(send) / 1000:.3f}",
        "worst": rows[send.index(max(send))]["cycle"]}
    found = [line for line in done.stdout.splitlines()
             if line.startswith("# Limit ")]
    # The percentiles are those of 60 cycles, within half a bucket.
    for (limit, _), line in zip(LOSSY, found):
        value = re.search(r"([\d.]+) us", line)
        name, _, percent = limit.rpartition(":")[0].rpartition("p")
        if percent.isdigit():
            values = sorted(send) if name else latency
            rank = int(percent) * (60 if "(no" not in line else 58) // 100
            exact = values[rank - 1]
            assert abs(float(value[1]) * 1000 - exact) * 1024 <= exact
            known[{"send:": "send"}.get(name, "p") + percent + (
                "a" if "(no" in line else "")] = value[1]
    assert found == [f"# Limit {limit}: {text.format(**known)}"
                     for limit, text in LOSSY]
    verdicts = [of["verdict"] for of in
                results.loaded(done)["twoway"]["limits"]]
    assert verdicts == [text.partition(":")[0] for _, text in LOSSY]


@pytest.mark.parametrize("limit,verdict", [
    ("p50:1000", "exceeded"), ("p50:29999", "exceeded"),
    ("p50:30000", "undecided"), ("p10:30001", "met")])
def test_a_percentile_among_the_lost(run, limit, verdict):
    """So many are lost that it is one of them."""
    with Device(faults=dict.fromkeys(range(3, 60), "drop")) as device:
        done = run("-q", "-l", 90, "--timeout=30000", "--warmup=0",
                   "--json=json", f"--limit={limit}", "--limit=99999999",
                   *device.options())
    assert done.returncode == 2
    lost = results.lost(results.loaded(done), 0)
    line, last = (line for line in done.stdout.splitlines()
                  if line.startswith("# Limit "))
    if verdict == "met":
        assert re.fullmatch(rf"# Limit {limit}: met: [\d.]+ us", line)
    else:
        assert line == f"# Limit {limit}: {verdict}: at least 30000.000 us " \
            f"(no reply in {lost} cycles)"
    assert last == "# Limit 99999999: undecided: at least 30000.000 us " \
        f"(no reply in {lost} cycles)" and lost >= 57


@pytest.mark.parametrize("metric", ["", "response:", "planned:"])
@pytest.mark.parametrize("breaks", [(), ("--breaks=3",)])
def test_break(start, metric, breaks):
    """-b: the cycle that was too long when the run ended, too."""
    process = start("-q", "-N", "--json=json", "-b", f"{metric}400000",
                    "-t2", "-d0", *breaks)
    servers = pids_of(process, "server")
    hang = Hang(process, servers)
    hang.end(signal.SIGINT, 2)
    json, found = unanswered(start, process)
    of, = json["twoway"]["breaks"]
    assert [one["pair"] for one in found] == [0, 1]
    one = found[of["pair"]]
    assert of["metric"] == metric[:-1] or "latency"
    assert of["cycle"] == one["cycle"]
    assert of["values"]["response"] // 1000 == one["age_us"]
    assert set(of["values"]) == set(REPLY)
    assert f"# Break value: {of['values'][of['metric']]}\n# Break: pair {of['pair']}, " \
        f"cycle {of['cycle']}: " + " ".join(
            f"{name} {of['values'][name]}" for name in REPLY) + "\n" in process.out
    if breaks:
        causes = json["twoway"]["causes"]
        assert "# Breaks: 2\n" in process.out
        assert sum(cause["count"] for cause in causes) == 2
        assert {cause["phase"] for cause in causes} == {"response"}


def test_break_of_a_wakeup(start):
    """Whose client was not woken at all: it has no latency."""
    for _ in range(8):
        process = start(*ALL, "-i", 20000, "-b", "wakeup:300000")
        Hang(process, pids_of(process, "client")).end(signal.SIGINT)
        json, (one,) = unanswered(start, process)
        if one["awaited"] == "timer":
            break
    of, = json["twoway"]["breaks"]
    assert set(of["values"]) == set(TIMER)
    assert of["values"]["wakeup"] // 1000 == one["age_us"]
    spikes = json["twoway"]["spikes"]
    assert spikes["seen"] == 0


@results.root
@pytest.mark.alone
def test_cause(start, tracefs):
    """What the server did meanwhile."""
    process = start("-q", "-m", "-p", 60, "-b", 400000, "--trace",
                    "--trace-file=trace", "--json=json")
    hang = Hang(process, pids_of(process, "server"), 0.5)
    hang.end(signal.SIGINT, 2)
    json, (one,) = unanswered(start, process, nsecs=False)
    cause = json["twoway"]["breaks"][0]["cause"]
    assert (cause["phase"], cause["side"]) == ("response", "server")
    assert cause["ns"] // 1000 == one["age_us"]
    assert re.search(r"^# Cause: response .*: server blocked ", process.out,
                     re.M), process.out
    assert "the end of the run, before that" in \
        (start.directory / "trace").read_text()
