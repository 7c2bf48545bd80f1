# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles that the end of a run cuts short: a request without a reply, a client
that was not woken. How long that took at least, counts."""

import csv
import os
import re
import signal
import time

import pytest

import ended
import outside
import results
from hang import (ALL, HANG_S, REPLY, TIMER, Hang, assert_everywhere, last_row,
                  lines_of, longest_ns, pids_of, stop, unanswered)

EXACT = ["wakeup", "interval"]
KINDS = {
    "tcp": (), "unix": ("--transport=unix", "--wait=busy"),
    "udp": ("--transport=udp", "--timeout=9000000"),
    "read": ("--wait=read", "-x"), "timerfd": ("--timer=timerfd",),
    "realtime": ("-c", "1"), "raw": ("-c", "monotonic_raw"),
    "boottime": ("-c", "boottime", "-x"),
    "tai": ("-c", "tai", "--timer=timerfd"),
    "closed": ("-i", "0"), "one-server": ("--servers=one", "-t3", "-d0"),
    "pairs": ("-t3", "-d0"), "stamps": ("--stamps=all",),
    "steps": ("--load=fft", "--steps=2", "-l", 100000),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_reply(start, kind):
    """Of all servers. The one that comes back is not to blame for the end."""
    process = start(*ALL, *KINDS[kind])
    hang = Hang(process, pids_of(process, "server"))
    limits = hang.end(signal.SIGINT)
    json, found = unanswered(start, process, limits)
    pairs = json["twoway"]["settings"]["threads"]
    assert [one["pair"] for one in found] == list(range(pairs))
    assert {one["awaited"] for one in found} == {"reply"}
    longest = max(found, key=lambda one: one["age_us"])
    assert_everywhere(start, json, longest, 0 if kind == "closed" else 1000)
    if kind == "steps":
        table, = (line.split() for line in process.out.splitlines()
                  if line.startswith("#       0 |"))
        assert int(table[5]) == longest_ns(start)
    if kind == "one-server":
        assert len(json["twoway"]["inversions"]) == 3


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "-D", "-b"])
def test_who_ends_it(start, how):
    """-D ends it a second later than it would end itself. -b of another pair:
    that of the one without a reply is no further one. Its period is long, so that
    the client that is stopped sleeps."""
    pair = ("-t2", "-d0", "-i20000", "-b", "wakeup:200000") \
        if how == "-b" else ()
    process = start(*ALL, *pair, *(("-D", 1) if how == "-D" else ()))
    servers = pids_of(process, "server")
    if how == "-b":
        other = process.named("twoway-client")[1]
        hang = Hang(process, servers[:1])
        stop(other)
        time.sleep(0.3)
        os.kill(other, signal.SIGCONT)
        limits = hang.end(None, 2)
    else:
        hang = Hang(process, servers, 0.1 if how == "-D" else HANG_S)
        limits = hang.end(getattr(signal, how, None), 0)
    json, found = unanswered(start, process, limits)
    one, = (one for one in found if one["pair"] == 0)
    assert_everywhere(start, json, one, 20000 if how == "-b" else 1000)
    if how == "-D":
        assert one["age_us"] > 1000000
    if how == "-b":
        of, = json["twoway"]["breaks"]
        assert (of["metric"], of["pair"]) == ("wakeup", 1)


def test_of_several_pairs(start):
    """-l of one that has ended, one that goes on, and one that hangs."""
    process = start(*ALL, "-t3", "-d0", "-i", "1000,1000,900", "-l", 100000,
                    "--limit=100000", "--limit=missed:9")
    pids_of(process)
    servers = [None] * 3
    for pid in process.children():
        if pid in process.named("twoway-server"):
            servers[servers.index(None)] = pid
    hang = Hang(process, servers[1:2])
    json, found = unanswered(start, process, hang.end(signal.SIGINT, 2))
    assert [one["pair"] for one in found if one["age_us"] > 400000] == [1]
    assert_everywhere(start, json, found[-1], 1000)
    limit, missed = json["twoway"]["limits"]
    assert (limit["verdict"], limit["pair"]) == ("exceeded", 1)
    assert limit["value_ns"] == json["twoway"]["worst"]["latency"][
        "values"]["latency"]
    assert (missed["verdict"], missed["pair"]) == ("exceeded", 1)


@pytest.mark.parametrize("who", [("client",), ("client", "server")])
@pytest.mark.parametrize("how", ["SIGINT", "-D"])
def test_not_woken(start, who, how):
    """A client that is stopped until it is killed. In one of some tries, it
    was stopped while it waited for its timer."""
    for _ in range(8):
        process = start(*ALL, "-i", 20000, "--metrics=all",
                        *(("-D", 1) if how == "-D" else ()))
        hang = Hang(process, pids_of(process, *who),
                    0 if how == "-D" else HANG_S)
        limits = hang.end(getattr(signal, how, None))
        json, (one,) = unanswered(start, process, limits)
        if one["awaited"] == "timer":
            break
    assert re.search(r"the client \(pid \d+\) did not end within 1 s and is "
                     "killed", process.err)
    assert one["counts"] == TIMER
    phases = json["thread"]["0"]["phases"]
    assert phases["wakeup"]["max"] // 1000 == one["age_us"]
    assert phases["wakeup"]["cycles"] == phases["latency"]["cycles"] + 1 == \
        phases["planned"]["cycles"] == phases["interval"]["cycles"]
    assert phases["latency"]["max"] < 400000000
    worst = json["twoway"]["worst"]["wakeup"]
    assert worst["cycle"] == one["cycle"] == int(last_row(start)["cycle"]) + 1
    wakeup = worst["values"]["wakeup"]
    assert worst["missed"] == wakeup // 20000000
    assert "latency" not in worst["values"] and \
        worst["since_start_ns"] > wakeup


def test_woken_by_the_end(start):
    """A client that could end by itself, and was waiting for its timer."""
    for _ in range(8):
        process = start("-q", "-N", "-i", 20000, "--json=json",
                        "--limit=wakeup:100000")
        client, = pids_of(process, "client")
        stop(client)
        hung = time.monotonic()
        time.sleep(HANG_S)
        process.signal(signal.SIGINT)
        time.sleep(0.1)
        os.kill(client, signal.SIGCONT)
        assert process.finish() == 2
        json, found = unanswered(start, process, (
            1e6 * HANG_S, 1e6 * (time.monotonic() - hung)))
        # If main was not fast enough to end it, it has completed the cycle.
        if [one["awaited"] for one in found] == ["timer"]:
            break
    one, = found
    assert one["counts"] == TIMER
    limit, = json["twoway"]["limits"]
    assert limit["value_ns"] // 1000 == one["age_us"]


@pytest.mark.parametrize("victim", ["server", "client"])
def test_killed(start, victim):
    """While the server hangs: the age until then counts, and the run has
    failed. Of the client, until main has seen it last: that looks every 50
    ms."""
    process = start(*ALL, "--limit=send:1000000000", "--limit=1000000000",
                    "--limit=100000")
    server, client = pids_of(process, "server", "client")
    stop(server)
    hung = time.monotonic()
    time.sleep(HANG_S)
    killed = time.monotonic()
    os.kill(server if victim == "server" else client, signal.SIGKILL)
    assert process.finish() == 1 and process.gone()
    unseen_us = 0 if victim == "server" else 200000
    limits = (1e6 * (killed - hung) - unseen_us,
              1e6 * (time.monotonic() - hung) + 2000)
    json, (one,) = unanswered(start, process, limits)
    assert_everywhere(start, json, one, 1000)
    assert [limit["verdict"] for limit in json["twoway"]["limits"]] == \
        ["undecided", "undecided", "exceeded"]


def test_a_client_that_was_killed(start):
    """Main has not seen when: nothing is known, however late it was."""
    process = start("-q", "-N", "--json=json", "--limit=1000000000")
    client, = pids_of(process, "client")
    stop(process.pid)
    os.kill(client, signal.SIGKILL)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGCONT)
    assert process.finish() == 1
    json, found = unanswered(start, process)
    assert found == [] and not json["twoway"]["pairs"][0]["missed"] > 250
    assert json["twoway"]["limits"][0]["verdict"] == "undecided"


def test_a_client_that_was_killed_after_its_wakeup(start):
    """Which was the longest, and which main has not seen: it has not waited
    for less than no time."""
    for _ in range(8):
        process = start(*ALL, "-i", 20000)
        server, client = pids_of(process, "server", "client")
        for pid in (process.pid, server, client):
            stop(pid)
        time.sleep(0.3)
        os.kill(client, signal.SIGCONT)
        time.sleep(0.1)
        os.kill(client, signal.SIGKILL)
        os.kill(process.pid, signal.SIGCONT)
        os.kill(server, signal.SIGCONT)
        assert process.finish() == 1
        _, found = unanswered(start, process)
        # Else, it was stopped while it waited for a reply.
        if found:
            break
    one, = found
    assert one["awaited"] == "reply" and 0 <= one["age_us"] < 30000000


@pytest.mark.parametrize("options,status", [
    (("-l", 300), 0), (("-l", 300, "-i0"), 0), (("-t3", "-D", 1), 0),
    (("-l", 300, "-b", 1), 2), (("-l", 90, "-x", "--warmup=0"), 0)])
def test_a_whole_run_has_none(run, options, status):
    done = run("-q", "--json=json", *options)
    assert done.returncode == status
    json = results.loaded(done)
    assert json["twoway"]["unanswered"] == [] and not lines_of(done.stdout)
    assert json["thread"]["0"]["min"] >= 0


def test_a_request_that_is_young(start):
    """While longer ones have been answered: nothing is known of its reply, but
    expiries that were missed."""
    process = start("-q", "-N", "--json=json", "--limit=60000000")
    server, = pids_of(process, "server")
    stop(server)
    time.sleep(1.2)
    os.kill(server, signal.SIGCONT)
    before = outside.switches(server)
    assert outside.wait_for(lambda: outside.switches(server) > before + 50)
    hang = Hang(process, [server], 0.3)
    hang.end(signal.SIGINT)
    json, found = unanswered(start, process)
    of = json["thread"]["0"]
    # Its wake-up may have been the latest, and is known.
    assert not [one for one in found if one["counts"] != EXACT]
    assert of["max"] > 1100000000 and of["min"] > 0
    assert of["phases"]["send"]["cycles"] == of["cycles"]
    assert json["twoway"]["pairs"][0]["missed"] > 1400
    assert json["twoway"]["limits"][0]["verdict"] == "met"


def test_a_pair_that_never_answers(start, shim):
    """It has no complete cycle: that is an error, and it does not look like
    one that was fast. Main ends it after 3 s, and waits another one."""
    process = start("-q", "-t2", "-d0", "--warmup=0", "-D", 1, "--json=json",
                    "--limit=1000000000", "--limit=100",
                    env=shim("server1:recv:before:0:3600000"))
    assert process.finish() == 1
    assert "WARN: pair 1: no cycle was measured\n" in process.err or \
        "did not end within 1 s and is killed\n" in process.err
    json, found = unanswered(start, process, nsecs=False)
    one, = (one for one in found if one["pair"] == 1)
    assert (one["cycle"], one["awaited"]) == (0, "reply")
    first, second = json["thread"].values()
    assert second["cycles"] == 1 and second["min"] == second["max"] == \
        one["age_us"] - 100 > 900000 and second["avg"] == second["max"]
    assert second["phases"]["send"]["cycles"] == 0 < \
        first["phases"]["send"]["cycles"]
    assert [of["verdict"] for of in json["twoway"]["limits"]] == \
        ["undecided", "exceeded"]


def test_outputs(start):
    """-v, --trltp-log and --timeline have it, and what they know of it."""
    process = start("-q", "-N", "-v", "--metrics=all", "--json=json",
                    "--trltp-log=log", "--timeline=timeline",
                    stdout=(start.directory / "values").open("w"))
    server, = pids_of(process, "server")
    assert outside.wait_for(lambda: outside.switches(server) > 400)
    hang = Hang(process, [server])
    hang.end(signal.SIGINT)
    json = results.check(start.directory / "json")
    assert all(thread["blocks"] for thread in json["thread"].values())
    one, = json["twoway"]["unanswered"]
    rows = [list(map(int, line.split(":"))) for line in
            (start.directory / "values").read_text().splitlines()
            if re.fullmatch(r"[ \d:-]+", line)]
    last = {results.METRICS[column]: value for column, cycle, value in rows
            if cycle == one["cycle"]}
    assert set(last) == set(REPLY)
    threads = {thread["metric"]: thread for thread in json["thread"].values()}
    for metric in REPLY[::2]:
        assert threads[metric]["maxima"][-1] == last[metric]
        assert last[metric] <= threads[metric]["max"]
    assert last["response"] == threads["response"]["max"]
    log = (start.directory / "log").read_text().splitlines()
    for metric, label in results.LOGGED.items():
        figures, bins = results.log_section(log, label)
        assert int(figures["Count"]) == sum(bins.values()) == \
            threads[metric]["cycles"]
    assert results.log_section(log, "Response Time")[1]["above"] == 1
    *_, row = csv.DictReader(ended.table(
        (start.directory / "timeline").read_text()))
    assert float(row["response_max_ns"]) == threads["response"]["max"]


def test_inversions(start, shim):
    """While a client waits for a reply that was lost, the server answers the
    other one, which is less important."""
    for _ in range(8):
        process = start("-q", "-N", "--servers=one", "-t2", "-d0",
                        "--transport=udp", "--timeout=9000000", "--json=json",
                        env=shim("server:send:drop:200:0"))
        assert outside.wait_for(lambda: len(
            process.named("twoway-client")) == 2)
        clients = process.named("twoway-client")
        assert outside.wait_for(lambda: max(map(
            outside.switches, clients)) > 1200)
        process.signal(signal.SIGINT)
        assert process.finish() == 0
        json, found = unanswered(start, process)
        pair, = (one["pair"] for one in found if one["age_us"] > 200000)
        if pair == 0:
            break
    assert json["twoway"]["inversions"][0] > 200
    assert json["twoway"]["inversions"][1] == 0


def test_another_reply_came(start, shim):
    """Over UDP, a repeated one: then the client waits on, and is stopped."""
    process = start(*ALL, "--transport=udp", "--timeout=9000000", env=shim(
        "server:send:twice:300:0", "server:recv:before:301:5000000"))
    client, = pids_of(process, "client")
    assert outside.wait_for(lambda: outside.switches(client) > 400 and
                            not goes_on(client))
    hang = Hang(process, [client])
    json, (one,) = unanswered(start, process, (
        1e6 * HANG_S, hang.end(signal.SIGINT)[1] + 1e6))
    assert (one["cycle"], one["awaited"]) == (299, "reply")
    assert_everywhere(start, json, one, 1000)
    assert json["twoway"]["pairs"][0]["datagrams"]["duplicate"] == 1


def goes_on(pid):
    before = outside.switches(pid)
    time.sleep(0.1)
    return outside.switches(pid) != before


def test_woken_late_and_asked_just_then(start, shim):
    """The wake-up is known, and of the reply as much as at any end, as one has
    taken longer. The server ends in time."""
    limits = ("9000000", "wakeup:9000000", "send:9000000", "planned:9000000")
    process = start("-q", "-N", "--json=json",
                    *(f"--limit={limit}" for limit in limits),
                    env=shim("server:nanosleep:after:100:700000",
                             "client:clock_nanosleep:after:300:1500000",
                             "server:recv:before:299:900000"))
    client, = pids_of(process, "client")
    assert outside.wait_for(lambda: outside.switches(client) > 500 and
                            not goes_on(client))
    before = outside.switches(client)
    assert outside.wait_for(lambda: outside.switches(client) != before)
    process.signal(signal.SIGINT)
    assert process.finish() == 2, process.err
    json, (one,) = unanswered(start, process)
    assert one["awaited"] == "reply" and one["age_us"] < 700000
    assert one["counts"] == [*EXACT, "planned"]
    phases = json["thread"]["0"]["phases"]
    assert phases["wakeup"]["max"] > 1400000000
    assert phases["planned"]["max"] > phases["wakeup"]["max"]
    assert phases["latency"]["cycles"] == phases["wakeup"]["cycles"] - 1
    assert [limit["verdict"] for limit in json["twoway"]["limits"]] == \
        ["met", "met", "met", "undecided"]
