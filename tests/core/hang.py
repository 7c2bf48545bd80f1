# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs whose client or server hangs until they end, and what is said of it."""

import csv
import os
import re
import signal
import time

import ended
import outside
import results
import schema

HANG_S = 0.6            # longer than this machine is late by itself
REPLY = ["latency", "wakeup", "response", "interval", "planned"]
TIMER = ["wakeup", "interval", "planned"]
LINE = re.compile(
    r"# (Unanswered|Not woken): (?:step (\d+), )?pair (\d+), cycle (\d+): when "
    r"the run ended, the client had waited (\d+) us for (the reply|its timer); "
    r"it counts with((?: [a-z]+ \d+)+)")


def lines_of(out):
    return [match.groups() for match in map(LINE.fullmatch, out.splitlines())
            if match]


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    assert outside.wait_for(lambda: outside.status(pid, "State")[:1] == "T")


class Hang:
    """Of a process: its clients, its servers, or both are stopped, and wait
    for so long. A server may end when the clients have: then it is no error."""

    def __init__(self, process, pids, seconds=HANG_S):
        self.process, self.pids = process, pids
        self.clients = process.named("twoway-client")
        self.begin = time.monotonic()
        for pid in pids:
            stop(pid)
        self.hung = time.monotonic()
        time.sleep(seconds)

    def end(self, number=None, status=0):
        """By a signal, or by itself; the limits of the age in us."""
        signalled = time.monotonic()
        if number:
            self.process.signal(number)
        if set(self.pids) & set(self.clients):
            assert self.process.finish() == 1
        else:
            assert outside.wait_for(lambda: not results.alive(self.clients))
            for pid in self.pids:
                os.kill(pid, signal.SIGCONT)
            assert self.process.finish() == status, self.process.err
        assert self.process.gone()
        return (1e6 * (signalled - self.hung), 1e6 * (time.monotonic() -
                                                      self.begin))


def stall_main(process):
    """Main is stopped until its client has measured more than the rings keep;
    then the run ends."""
    client = process.steady()["client"]
    process.signal(signal.SIGSTOP)
    before = outside.switches(client)
    assert outside.wait_for(
        lambda: outside.switches(client) > before + 40000)
    process.signal(signal.SIGCONT)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


def pids_of(process, *roles):
    """When all pairs measure, those of these roles."""
    def found():
        sides = [pid for role in outside.SIDES
                 for pid in process.named(f"twoway-{role}")]
        return sides and min(map(outside.switches, sides)) > \
            outside.STEADY_SWITCHES
    assert outside.wait_for(found), process.err
    return [pid for role in roles for pid in process.named(f"twoway-{role}")]


def unanswered(start, process, limits_us=None, nsecs=True, one_host=True):
    """The JSON and its entries: as the text has them, with the age between
    these limits."""
    json = results.check(start.directory / "json") if one_host else \
        schema.check((start.directory / "json").read_text(), results.SCHEMA)
    for one in json["twoway"]["unanswered"]:
        results.assert_longest(json, one)
    results.text("".join(line for line in process.out.splitlines(True)
                         if "pike" not in line and " | " not in line and
                         not line.startswith(("# Load fft", "# Server:"))),
                 nsecs)
    found = json["twoway"]["unanswered"]
    printed = lines_of(process.out)
    assert [(int(step or 1) - 1, int(pair), int(cycle), int(us), {
        "the reply": "reply", "its timer": "timer"}[awaited],
        counts.split()[::2])
            for _, step, pair, cycle, us, awaited, counts in printed] == \
        [(one["step"], one["pair"], one["cycle"], one["age_us"],
          one["awaited"], one["counts"]) for one in found]
    for one in printed:
        assert (one[0] == "Unanswered") == (one[5] == "the reply")
    for one in found if limits_us else ():
        # Until the request is sent, or the timer expires.
        assert limits_us[0] - 25000 <= one["age_us"] <= limits_us[1]
    return json, found


def last_row(start, pair=0):
    rows = csv.DictReader(ended.table(
        (start.directory / "dump").read_text()))
    return [row for row in rows if int(row["pair"]) == pair][-1]


def longest_ns(start, pair=0):
    row = last_row(start, pair)
    return int(row["t3_ns"]) - int(row["t0_ns"])


def assert_everywhere(start, json, one, period_us):
    """What each part has of a cycle without a reply."""
    thread = next(thread for thread in json["thread"].values()
                  if thread["pair"] == one["pair"])
    worst = json["twoway"]["worst"]["response"]
    row = last_row(start, one["pair"])
    assert (int(row["cycle"]), row["t1_ns"], row["t2_ns"]) == (
        one["cycle"], "", "")
    response = longest_ns(start, one["pair"])
    assert response // 1000 == one["age_us"]
    assert (worst["pair"], worst["cycle"], worst["values"]["response"]) == (
        one["pair"], one["cycle"], response)
    assert not {"send", "sleep", "receive", "total", "network"} & set(
        worst["values"])
    phases = thread["phases"]
    assert phases["response"]["max"] == response
    assert phases["latency"]["max"] == response - 100000 == thread["max"]
    assert phases["response"]["cycles"] == phases["interval"]["cycles"] == \
        phases["send"]["cycles"] + 1 == phases["total"]["cycles"] + 1
    assert thread["overflows"] >= 1
    assert thread["percentiles"]["50"] < response / 4
    spikes = json["twoway"]["spikes"]["kept"]
    assert (one["pair"], response) in [
        (spike["pair"], spike["values"]["response"]) for spike in spikes]
    assert one["counts"] == [name for name in REPLY
                             if period_us or name not in results.TIMED]
    # The expiries after its own, but for the oldest, which was due next.
    due = (int(row["t3_ns"]) - int(row["planned_ns"])) // (1000 * period_us) \
        if period_us else 1
    assert int(row["missed"]) == worst["missed"] == due - 1
    if not period_us:
        assert not json["twoway"]["pairs"][one["pair"]]["missed"]


ALL = ("-q", "-N", "--json=json", "--dump=dump", "-h", 500, "--histfile=h",
       "--spike=response:400000", "--percentiles=50")
