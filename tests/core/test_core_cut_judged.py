# SPDX-License-Identifier: GPL-2.0-or-later
"""What judges a run: a cycle that its end has cut short, or one that was lost, is
none that met a limit, and -b knows it, too."""

import re
import signal

import pytest

import results
from hang import ALL, REPLY, TIMER, Hang, pids_of, unanswered


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
    assert of["response"] // 1000 == one["age_us"]
    assert set(of) == {"metric", "pair", "cycle", *REPLY}
    assert f"# Break value: {of[of['metric']]}\n# Break: pair {of['pair']}, " \
        f"cycle {of['cycle']}: " + " ".join(
            f"{name} {of[name]}" for name in REPLY) + "\n" in process.out
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
    assert set(of) == {"metric", "pair", "cycle", *TIMER}
    assert of["wakeup"] // 1000 == one["age_us"]
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
