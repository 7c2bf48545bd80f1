# SPDX-License-Identifier: GPL-2.0-or-later
"""One server for all clients, a ramp of pairs, --orb, --peer."""

import os
import re
import resource
import signal
import time

import pytest

import outside
import results
from test_core_calls import traced

CPUS = sorted(os.sched_getaffinity(0))
ORDERS = ("priority", "arrival")
ONE = [("--servers=one", f"--order={order}") for order in ORDERS]
TRIES = 10


@pytest.mark.parametrize("options", [(), ("--servers=one",), *ONE, (
    "--servers=one", "--size=65536"), (
        "--servers=one", "--transport=udp", "--timeout=10000000")], ids=str)
@pytest.mark.parametrize("period", [700, 0])
def test_each_pair_has_its_own_cycles(run, options, period):
    """All statistics, computed once more from the values of each pair."""
    names = [name for name in results.METRICS
             if period or name not in results.TIMED]
    done = run("-q", "-N", "-v", "-l", 90, "-t3", "-i", period, "-d", 150,
               "--metrics=all", "--json=json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    pairs = results.cycles(done.stdout, names)
    one = "--servers=one" in options
    periods = [period and (period + 150 * pair) * 1000 for pair in range(3)]
    for pair, values in enumerate(pairs):
        assert len(values) == 90
        between = results.assert_identities(values, periods[pair], 100000)
        assert between <= json["twoway"]["pairs"][pair]["missed"]
    for thread in json["thread"].values():
        target = {"interval": periods[thread["pair"]], "sleep": 100000}
        results.assert_statistics(thread, pairs[thread["pair"]],
                                  target.get(thread["metric"], 0))
    if "--transport=udp" in options:
        assert all(pair["datagrams"]["answered"] == 90
                   for pair in json["twoway"]["pairs"])
    servers = [pair["server"] for pair in json["twoway"]["pairs"]]
    clients = [pair["client"]["pid"] for pair in json["twoway"]["pairs"]]
    assert len({server["pid"] for server in servers}) == (1 if one else 3)
    assert len(set(clients)) == 3
    # It has answered them all: it waits and sleeps in each cycle.
    assert one == (servers[0] == servers[1] == servers[2])
    assert servers[0]["context_switches"] > (3 if one else 1) * 90
    counts = json["twoway"]["inversions"]
    assert len(counts) == (3 if one else 0) and (not one or counts[2] == 0)
    line = re.findall(r"^# Inversions:((?: \d+)+)$", done.stdout, re.M)
    assert [list(map(int, of.split())) for of in line] == [counts] * one


def kill_one(process, options, victim, which):
    """How long it took to end, in seconds; who is dead; his pid."""
    servers = 1 if "--servers=one" in options else 4

    def steady():
        pids = {role: process.named(f"twoway-{role}")
                for role in outside.SIDES}
        return pids if [*map(len, pids.values())] == [servers, 4] and min(
            outside.switches(pid) for group in pids.values()
            for pid in group) > outside.STEADY_SWITCHES else None

    pids = outside.wait_for(steady)
    pid = process.pid if victim == "main" else pids[victim][which]
    begin = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    status = process.finish()
    took = time.monotonic() - begin
    assert process.gone()
    if victim != "main":
        assert status == 1 and process.err == (
            f"WARN: the {victim} (pid {pid}) was killed by signal 9 "
            "(Killed)\n")
    return took


@results.root
@pytest.mark.parametrize("options", [("-t4",), *(("-t4", *one)
                                                 for one in ONE)], ids=str)
@pytest.mark.parametrize("victim", ["server", "client", "main"])
@pytest.mark.parametrize("which", [0, -1])
def test_kill(start, options, victim, which):
    """Of any: its name, results so far, nobody is left; within a second, if
    the machine is not too busy each time."""
    for _ in range(TRIES):
        process = start("-q", "-d0", "-i2000", "--json=json", *options)
        took = kill_one(process, options, victim, which)
        if victim != "main":
            json = results.check(start.directory / "json")
            assert all(thread["cycles"] for thread in json["thread"].values())
        if took < 1:
            return
    pytest.fail(f"it took {took:.1f} s")


@pytest.mark.parametrize("options", ONE, ids=str)
@pytest.mark.parametrize("how", ["signal", "stopped", "duration"])
def test_ends(start, options, how):
    """By a signal, with a server that does not answer, without main."""
    process = start("-q", "-t5", "-d0", "-i2000", *options,
                    *(("-D3",) if how == "duration" else ()))
    server = process.steady()["server"]
    if how == "duration":
        process.signal(signal.SIGSTOP)
        assert outside.wait_for(lambda: not results.alive(
            process.named("twoway-client") + [server]), 10)
        process.signal(signal.SIGCONT)
    else:
        if how == "stopped":
            os.kill(server, signal.SIGSTOP)
        process.signal(signal.SIGTERM)
    status = process.finish()
    assert process.gone()
    if how == "stopped":
        assert status == 1 and process.err == (
            f"WARN: the server (pid {server}) did not end within 1 s and is "
            "killed\n")
    else:
        assert status == 0 and not process.err
    assert len(results.text(process.out).threads) == 5


@pytest.mark.parametrize("order,wait", [("priority", r"poll\("),
                                        ("arrival", r"epoll_(p)?wait\(")])
def test_calls_of_a_cycle(run, order, wait):
    """Four of the server; counting inversions costs none, nor the client."""
    short, long = (traced(run, "-m", "-t3", "-d0", "-A3000", "-i9000", "-l",
                          loops, "--servers=one", f"--order={order}")
                   for loops in (10, 30))
    assert len(long["server"]) == 1 and len(long["client"]) == 3
    assert len(long["server"][0]) - len(short["server"][0]) == 3 * 20 * 4
    assert {len(b) - len(a) for a, b in zip(sorted(
        short["client"], key=len), sorted(long["client"], key=len))} == {60}
    waits = [line for line in long["server"][0] if re.match(wait, line)]
    assert len(waits) >= 3 * 32


# given, the levels of the processes, server and client of each pair
LEVELS = [
    ("-p50 --servers=one", [49, 50, 49, 50]),
    ("-p50 --servers=one --priospread", [49, 50, 49, 48]),
    ("-p50 --servers=one --server-priority=99", [99, 50, 99, 50]),
    ("--policy=rr -p50 --servers=one --server-priority=2", [2, 50, 2, 50]),
]


@results.root
@pytest.mark.parametrize("given,levels", LEVELS)
def test_priority_of_the_server(run, given, levels):
    done = run("-q", "-l20", "-t2", "--json=json", *given.split())
    assert (done.returncode, done.stderr) == (0, "")
    pairs = results.loaded(done)["twoway"]["pairs"]
    assert [pair[side]["priority"] for pair in pairs
            for side in outside.SIDES] == levels


@pytest.mark.parametrize("peer", ["same", "next"])
def test_peer(run, peer):
    done = run("-q", "-l20", "-S", f"--peer={peer}", "--json=json")
    json = results.loaded(done)
    servers = [pair["server"]["cpus"] for pair in json["twoway"]["pairs"]]
    assert [thread["cpu"] for thread in json["thread"].values()] == CPUS
    want = CPUS if peer == "same" else CPUS[1:] + CPUS[:1]
    assert servers == [str(cpu) for cpu in want]


@pytest.mark.parametrize("options", [(), ("--servers=one",)], ids=str)
def test_ramp_of_pairs(run, options):
    """Each step, from the values of each pair."""
    done = run("-q", "-v", "-N", "-l40", "-d0", "-i900", "--ramp=pairs",
               "--steps=3", "--metrics=all", "--json=json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)["twoway"]
    assert json["settings"]["threads"] == 3
    heads = re.findall(r"^# Step (.*)$", done.stdout, re.M)
    assert heads == ["1/3: 0 other clients", "2/3: 1 other client",
                     "3/3: 2 other clients"]
    parts = re.split(r"^# Step .*\n", done.stdout, flags=re.M)[1:]
    rows = re.findall(r"^# +(\d) \|(.*)\|(.*)\| +(\d+)$", done.stdout, re.M)
    assert [row[0] for row in rows] == ["0", "1", "2"]
    for number, (part, step, row) in enumerate(zip(parts, json["steps"],
                                                   rows)):
        pairs = results.cycles(part.partition("# Response")[0],
                               results.METRICS)
        assert len(pairs) == step["others"] + 1 == number + 1
        for values, of in zip(pairs, step["pairs"]):
            assert len(values) == 40
            results.assert_identities(values, 900000, 100000)
            for name, stats in of["phases"].items():
                found = [value[name] for value in values]
                assert (stats["cycles"], stats["min"], stats["max"]) == (
                    40, min(found), max(found))
        for text, some in ((row[1], pairs[:1]), (row[2], pairs[1:])):
            found = [value["response"] for values in some for value in values]
            assert text.split()[:3] == ([str(min(found)), str(
                sum(found) // len(found)), str(max(found))] if found
                else ["-"])
        assert int(row[3]) == step["pairs"][0]["inversions"]
    for pair, count in enumerate(json["inversions"]):
        assert count == sum(step["pairs"][pair]["inversions"]
                            for step in json["steps"][pair:])


def test_ramp_ends_early(start):
    """What was measured is there, and only that."""
    process = start("-q", "-l100", "--ramp=pairs", "--steps=200", "-i500",
                    "-d0", "--servers=one", "--json=json")
    assert outside.wait_for(
        lambda: len(process.named("twoway-client")) == 3)
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and not process.err and process.gone()
    json = results.check(start.directory / "json")
    steps = json["twoway"]["steps"]
    assert [step["others"] for step in steps] == list(range(len(steps)))
    assert 2 <= len(steps) <= len(json["twoway"]["pairs"]) < 200
    assert len(json["thread"]) == len(json["twoway"]["pairs"])


def test_other_results_of_a_ramp_of_pairs(run):
    """All cycles of all pairs are in the files, too."""
    done = run("-q", "-l20", "-i2000", "-d0", "--ramp=pairs", "--steps=3",
               "--dump=dump", "--timeline=rows:1", "--percentiles", "--worst",
               "--limit=9000000", "--spike=1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(",")[0] for line in done.text("dump").splitlines()]
    assert [lines.count(str(pair)) for pair in range(3)] == [60, 40, 20]


def test_a_load_is_constant_in_a_ramp_of_pairs(run):
    done = run("-q", "-l20", "--ramp=pairs", "--steps=2", "--load=fft:2",
               "--json=json")
    load, = results.loaded(done)["twoway"]["load"]
    assert load["units"] == 2 and done.returncode == 0


@results.root
@pytest.mark.parametrize("given,name,value", [
    ("--orb", "orb", 8), ("--orb", "steps", 9), ("--orb=2", "steps", 3),
    ("--orb 2 -p70", "priority", 70), ("--orb=1 --order=arrival", "order",
                                       "arrival"),
    ("--orb=1 --servers=each", "servers", "each"),
])
def test_orb(run, given, name, value):
    """The words that it stands for; later ones override them."""
    done = run("-q", *given.split(), "-D0", "-l2", "-i3000", "--json=json")
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)["twoway"]
    settings = json["settings"]
    assert settings[name] == value
    assert settings["mlockall"] and settings["affinity"] == ""
    assert (settings["ramp"], settings["policy"]) == ("pairs", "fifo")
    assert settings["threads"] == settings["steps"] == len(json["steps"])
    assert [pair["client"]["priority"] for pair in json["pairs"]] == [
        settings["priority"] - 2 * k for k in range(settings["threads"])]


@results.root
def test_periods_of_orb(run):
    """50 and 100 ms, for a minute: without -D, it goes on."""
    done = run("-q", "--orb=1", "-l2", "--policy=fifo", "-p", "9",
               "--json=json")
    json = results.loaded(done)
    threads = json["thread"]
    assert [threads[k]["interval_us"] for k in "01"] == [50000, 100000]
    assert json["twoway"]["settings"]["duration"] == 60
    assert json["twoway"]["settings"]["interval"] == [50000, 100000]


@pytest.mark.parametrize("args,named", [
    ("--order=fixed --servers=one", "--order=fixed: allowed is priority, "),
    ("--servers=two", "--servers=two: allowed is each, one"),
    ("--server-priority=9 --servers=one", "--server-priority=9: allowed only "
     "with --priority"),
    ("--server-priority=1 --servers=one", "allowed is a whole number from 2"),
    ("--peer=far -S", "--peer=far: allowed is same, next"),
    ("--ramp=pairs", "--ramp=pairs: allowed only with --steps from 2 to 256"),
    ("--ramp=pairs --steps=257", "--ramp=pairs: allowed only with --steps"),
    ("--ramp=pairs --steps=2 -l0", "--steps=2: allowed only with --loops or"),
    ("--ramp=pairs --steps=2 -t2", "--ramp=pairs: not allowed with --threads"),
    ("--ramp=pairs --steps=2 -S", "--ramp=pairs: not allowed with --threads"),
    ("--ramp=up", "--ramp=up: allowed is load, pairs"),
    ("--ramp=pairs --load=fft --steps=3 -p4 --priospread --load-policy=rr",
     "at most 2 pairs"),
    ("--orb=0", "--orb=0: "), ("--orb=256", "--orb=256: "),
    ("--orb=49", "--priospread: --priority=98 has levels for at most 49"),
])
def test_refused(run, args, named):
    done = run("-q", "-l5", *args.split())
    assert done.returncode == 1 and not done.files
    assert done.stderr.startswith("FATAL: ") and named in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_parent_keeps_few_descriptors(start):
    """As many with many pairs: none of a side."""
    counts = []
    for pairs in 2, 40:
        process = start("-q", f"-t{pairs}", "-d0", "-i20000", "--servers=one")
        assert outside.wait_for(
            lambda: len(process.named("twoway-client")) == pairs and min(map(
                outside.switches, process.named("twoway-client"))) > 10)
        counts.append(len(os.listdir(f"/proc/{process.pid}/fd")))
        server, = process.named("twoway-server")
        assert sum(name.startswith("socket:") for name in
                   outside.open_files(server)) == pairs
    assert counts[0] == counts[1]


def test_few_descriptors_are_not_a_reason_to_hang(run):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    done = run("-q", "-l5", "-t60", "--servers=one", preexec_fn=few)
    assert done.returncode == 1
    assert re.fullmatch(r"FATAL: cannot connect client and server of pair \d+ "
                        r"over tcp: Too many open files; .*\n", done.stderr)
