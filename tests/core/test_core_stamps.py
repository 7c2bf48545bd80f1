# SPDX-License-Identifier: GPL-2.0-or-later
"""--stamps: each cycle's stamps, what they add up to, and what is told."""

import collections
import csv
import functools
import math
import os
import re
import signal
import socket
import statistics
import time

import pytest

import ended
import outside
import results
from device import FAR, LOOPBACK, Device, enter, gone_for_a_while, within

QUICK = ("-q", "-i", 500, "--json=json", "--dump=dump")
TRANSPORTS = (("--transport=tcp",),
              ("--transport=udp", "--timeout=9000000"))
UDP = TRANSPORTS[1]
SENT = ("client_sched", "client_snd", "server_sched", "server_snd")
RECEIVED = ("server_rx", "client_rx")
OF_SERVER = ("server_rx", "server_sched", "server_snd")
SUM = ("client_stack", "wire", "server_stack")
OF_NETWORK = [f"{side}_{part}" for side in ("client", "server")
              for part in ("app_out", "stack_out", "wake_in")] + [*SUM]
HEAD = "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed"
COLUMNS = "client_sched,client_snd,server_rx,server_sched,server_snd,client_rx"
SO_TIMESTAMPING = 37


def has_stamps():
    """Asked of the kernel, not of the program: of sched, snd and rx."""
    flags = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 11
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        one.connect(one.getsockname())
        try:
            one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, flags)
        except OSError:
            return False
        for _ in range(50):
            one.send(b"x")
            control = one.recvmsg(1, 256)[1]
            try:
                one.recvmsg(1, 256, socket.MSG_ERRQUEUE)
            except BlockingIOError:
                return False
            if control:
                return True
            time.sleep(0.01)
    return False


pytestmark = pytest.mark.skipif(not has_stamps(), reason="the kernel gives no "
                                "timestamps of packets here")


@pytest.fixture(autouse=True, scope="module")
def switched_on():
    """The kernel stamps from the first socket that asks on, after a moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPING, 1 << 3 | 1 << 4)
        time.sleep(0.2)
        yield


def cycles(path):
    """The lines of --dump; None for what is empty."""
    rows = csv.DictReader(ended.table(path.read_text(encoding="ascii")))
    assert ",".join(rows.fieldnames) == HEAD + "".join(
        f",{name}_ns" for name in COLUMNS.split(","))
    return [{name.removesuffix("_ns"): int(value) if value else None
             for name, value in row.items()} for row in rows]


def parts(row):
    """By the definitions, which the program does not share."""
    found = {"network": (row["t3"] - row["t0"]) - (row["t2"] - row["t1"]),
             "client_wake_in": row["t3"] - row["client_rx"],
             "server_wake_in": row["t1"] - row["server_rx"]}
    if row["client_snd"] is None:
        return found
    for side, out, back in (("client", "t0", "t3"), ("server", "t2", "t1")):
        sched, snd, rx = (row[f"{side}_{name}"]
                          for name in ("sched", "snd", "rx"))
        found[f"{side}_app_out"] = sched - row[out]
        found[f"{side}_stack_out"] = snd - sched
        found[f"{side}_stack"] = (snd - row[out]) + (row[back] - rx)
    found["wire"] = (row["client_rx"] - row["client_snd"]) - (
        row["server_snd"] - row["server_rx"])
    assert sum(found[name] for name in SUM) == found["network"]
    return found


def parts_alone(row):
    """Against a device, which has no stamps."""
    found = {"client_wake_in": row["t3"] - row["client_rx"],
             "response_to_rx": row["client_rx"] - row["t0"],
             "response": row["t3"] - row["t0"]}
    if row["client_snd"] is not None:
        found |= {
            "client_app_out": row["client_sched"] - row["t0"],
            "client_stack_out": row["client_snd"] - row["client_sched"],
            "client_stack": (row["client_snd"] - row["t0"]) +
            (row["t3"] - row["client_rx"]),
            "wire_and_device": row["client_rx"] - row["client_snd"]}
        assert found["client_stack"] + found["wire_and_device"] == \
            found["response"]
    assert found["response_to_rx"] + found["client_wake_in"] == \
        found["response"]
    return found


def stamped(json, pair=0):
    """Its series of the cycles that have all stamps, by their spans."""
    return {one["span"]: one for one in json["twoway"]["series"]
            if one["stamped"] and one["pair"] == pair}


def wanted(mode, parts_of):
    return [name for name in (
        RECEIVED if mode == "rx" else COLUMNS.split(","))
        if parts_of == parts or name not in OF_SERVER]


def check(done, mode="all", status=0, parts_of=parts):
    """What the JSON and the text tell is what each cycle had."""
    assert (done.returncode, done.stderr) == (status, "")
    json, rows = results.loaded(done), cycles(done.path("dump"))
    told = [pair["stamps"] for pair in json["twoway"]["pairs"]]
    found = {}
    for number, stamps in enumerate(told):
        own = [row for row in rows if row["pair"] == number and row["t3"]]
        whole = [parts_of(row) for row in own if None not in (
            row[name] for name in wanted(mode, parts_of))]
        assert stamps["cycles"] == len(whole)
        assert stamps["cycles"] + stamps["left_out"] + \
            stamps["unfinished"] == len(own)
        spans = stamped(json, number)
        every = [parts_alone(row) | parts_of(row) for row in own if None not in
                 (row[name] for name in wanted(mode, parts_of))]
        for name, values in spans.items():
            of = [one[name] for one in every]
            if name in whole[0]:
                found.setdefault(name, []).extend(of)
            assert (values["min"], values["max"], values["cycles"]) == (
                min(of), max(of), len(of))
            assert abs(values["avg"] - sum(of) / len(of)) < 1e-5
        assert set(spans) == set(every[0] if every else ())
    if json["twoway"]["settings"]["steps"] == 1:
        results.text(done.stdout, bool(json["resolution_in_ns"]))
    lines = done.stdout.splitlines()
    assert "# Stamps: {} of {} cycles, {} left out, {} unfinished".format(
        *(sum(stamps[key] for stamps in told) if key else
          sum(row["t3"] is not None for row in rows)
          for key in ("cycles", None, "left_out", "unfinished"))) in lines
    for name in COLUMNS.split(","):
        count = sum(stamps["missing"][name] for stamps in told)
        line = f"# Stamps missing: {name} {count}"
        assert (line in lines) == (count > 0)
    table = [line for line in lines if re.fullmatch(r"# \w+( +-?\d+){3}",
                                                    line)]
    assert [line.split()[1] for line in table] == list(found)
    for line, of in zip(table, found.values()):
        assert line == "# %-16s %8d %8.0f %8d" % (
            line.split()[1], min(of), float(line.split()[3]), max(of))
        assert abs(float(line.split()[3]) - sum(of) / len(of)) < 0.6
    return told, rows


@pytest.mark.parametrize("wait", ["poll", "select", "epoll", "read", "busy"])
@pytest.mark.parametrize("transport", TRANSPORTS, ids=["tcp", "udp"])
def test_each_cycle(run, transport, wait):
    """On one host, each stamp is behind the one before, too: on the way."""
    [stamps], rows = check(run(*QUICK, "-l", 100, f"--wait={wait}",
                               *transport, "--stamps=all"))
    assert (stamps["cycles"], stamps["left_out"]) == (99, 0)
    assert not any(stamps["missing"].values())
    assert all(rows[-1][name] is None for name in COLUMNS.split(","))
    for row in rows[:-1]:
        # Converted by two readings of the clock, 1 us apart at most.
        assert row["client_sched"] > row["t0"] - 1000
        assert row["client_snd"] >= row["client_sched"]
        assert row["client_snd"] < row["server_rx"] < row["t1"] + 1000
        assert row["server_sched"] > row["t2"] - 1000
        assert row["server_snd"] >= row["server_sched"]
        assert row["server_snd"] < row["client_rx"] < row["t3"] + 1000


@pytest.mark.parametrize("transport", TRANSPORTS, ids=["tcp", "udp"])
def test_rx(run, transport):
    done = run(*QUICK, "-l", 50, "--stamps=rx", *transport)
    [stamps], rows = check(done, "rx")
    assert (stamps["cycles"], stamps["unfinished"]) == (49, 1)
    assert set(stamped(results.loaded(done))) == {
        "client_wake_in", "server_wake_in", "network", "response_to_rx",
        "response"}
    for row in rows:
        assert not any(row[name] for name in SENT)


def test_off(run):
    """No column, no line: as without the option."""
    done = run(*QUICK, "-l", 9, "--stamps=off")
    assert results.loaded(done)["twoway"]["pairs"][0]["stamps"] is None
    head, *rows = ended.table(done.text("dump"))
    assert head == HEAD and len(rows) == 9
    assert "tamps" not in done.stdout


@pytest.mark.parametrize("more", [
    ("-c", "tsc"), ("-c", "monotonic_raw"), ("-c", "realtime"), ("-m",),
    ("-c", "tai", *UDP), ("--size=65507", *UDP),
    ("--size=65536",), ("--sleep=0", "-i0"), ("--warmup=0",), ("-x", "-N"),
    ("--warmup=30", *UDP), ("--warmup=9000", "-i0", "--sleep=0")],
    ids=" ".join)
def test_variants(run, more):
    done = run(*QUICK, "-l", 60, "--stamps=all", *more)
    if "tsc" in more and not outside.has_counter():
        pytest.skip(done.stderr)
    [stamps], _ = check(done)
    assert (stamps["cycles"], stamps["unfinished"]) == (59, 1)


@pytest.mark.parametrize("transport", TRANSPORTS, ids=["tcp", "udp"])
def test_pairs_and_steps(run, transport):
    """Each pair for itself; of each step, one cycle is not complete."""
    told, rows = check(run(*QUICK, "-l", 30, "-t2", "-d0", "--load=fft",
                           "--steps=2", *transport,
                           "--stamps=all"))
    for stamps in told:
        assert (stamps["cycles"], stamps["unfinished"]) == (58, 2)
    assert len(rows) == 120


def test_stamps_of_another_message(run, shim):
    """From then on the kernel counts other messages: none is the one that
    was sent, and nothing is taken for it."""
    done = run(*QUICK, *UDP, "-l", 60, "--warmup=0", "--stamps=all",
               env=shim("client:send:twice:20:0"))
    [stamps], rows = check(done)
    assert stamps["missing"] == {
        name: 38 if name.startswith("client_s") else 0
        for name in COLUMNS.split(",")}
    assert (stamps["cycles"], stamps["left_out"]) == (21, 38)
    for row in rows[:-1]:
        assert (row["client_snd"] is None) == (row["cycle"] > 20)
        assert row["server_snd"] and row["client_rx"]


def test_lost(run, shim):
    """The server's stamps of the cycle before do not come; of a reply that
    is late, they are not taken for another's."""
    done = run(*QUICK, "-l", 60, "--warmup=0", "--stamps=all",
               "--transport=udp", "--timeout=20000",
               env=shim("server:nanosleep:after:20:30000"))
    [stamps], rows = check(done)
    lost = [row["cycle"] for row in rows if row["t3"] is None]
    before = [row["cycle"] for row in rows[:-1] if row["t3"] is not None and
              row["server_rx"] is None]
    # The machine may be late, too: a reply that is taken late is lost, but
    # tells of the cycle before.
    assert 20 in lost and 19 in before
    assert {cycle + 1 for cycle in before} <= set(lost)
    assert stamps["left_out"] == len(before)
    assert stamps["missing"] == {
        name: len(before) if name in OF_SERVER else 0
        for name in COLUMNS.split(",")}
    for row in rows[:-1]:
        for name in COLUMNS.split(","):
            assert (row[name] is None) == (row["cycle"] in lost or (
                row["cycle"] in before and name in OF_SERVER))


@pytest.mark.parametrize("signo", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(start, signo):
    process = start("--stamps=all", *UDP, *QUICK)
    process.steady()
    process.signal(signo)
    assert process.finish() == 0
    json = results.check(start.directory / "json")["twoway"]
    stamps = json["pairs"][0]["stamps"]
    # A cycle that was cut short, and was the longest, has no stamps at all.
    cut = len(json["unanswered"])
    assert stamps["left_out"] == 0 and stamps["unfinished"] <= 1 + cut
    rows = cycles(start.directory / "dump")
    assert stamps["cycles"] == len([row for row in rows if row["client_rx"]])
    assert 0 <= len(rows) - stamps["cycles"] - stamps["unfinished"] <= cut


def test_break(run):
    """The cycle that breaks is the last one: it is told without stamps."""
    done = run(*QUICK, "-b", 1, "--stamps=all")
    [stamps], rows = check(done, status=2)
    assert (stamps["cycles"], stamps["unfinished"], len(rows)) == (0, 1, 1)
    assert not stamped(results.loaded(done))


@pytest.mark.parametrize("fault", ["drop", "twice"])
def test_size_of_the_dump(run, shim, fault):
    """Whatever becomes of a datagram, each line has all columns."""
    done = run(*QUICK, "-l", 40, "--warmup=0", "--stamps=rx",
               "--transport=udp", "--timeout=20000",
               env=shim(f"client:send:{fault}:39:0"))
    [stamps], rows = check(done, "rx")
    assert stamps["left_out"] == (fault == "drop")
    assert not any(stamps["missing"][name] for name in SENT)
    assert [row["cycle"] for row in rows] == list(range(40))
    for line in ended.table(done.text("dump")):
        assert line.count(",") == 13


ALONE = (*QUICK, "-l", 60, "--timeout=9000000")


def whole_of(done, mode="all", parts_of=parts):
    """By number, the parts of each cycle that has all stamps; and the lines."""
    rows = cycles(done.path("dump"))
    return {row["cycle"]: parts_of(row) for row in rows if row["t3"] and
            None not in (row[name] for name in wanted(mode, parts_of))}, rows


def check_column(json, thread, of):
    """Its statistics, histogram, percentiles and blocks, of these values."""
    assert (thread["cycles"], thread["min"], thread["max"]) == (
        len(of), min(of), max(of))
    assert abs(thread["avg"] - statistics.mean(of)) < 0.001
    assert abs(thread["stddev"] - statistics.stdev(of)) < 0.01
    settings = json["twoway"]["settings"]
    width = settings["histogram"]
    # With the sleep of a server in it, they are expected from there on.
    first = 100 if not settings["reflect"] and thread["metric"] in (
        "response_to_rx", "wire_and_device") else 0
    rows = collections.Counter(str(ns // 1000) for ns in of
                               if 0 <= ns // 1000 - first < width)
    assert thread["histogram"] == rows
    assert thread["overflows"] == len(of) - rows.total()
    assert len(thread["blocks"]) == len(thread["maxima"]) == 64
    assert max(thread["maxima"]) == max(of)
    for percent, found in thread["percentiles"].items():
        rank = math.ceil(len(of) * float(percent) / 100)
        assert abs(found - sorted(of)[rank - 1]) <= abs(found) / 1024 + 1


@pytest.mark.parametrize("mode", ["rx", "all"])
def test_columns(run, mode):
    """What the stamps divide network into is given by name as a metric is."""
    names = [name for name in (*OF_NETWORK, "wire_and_device",
                               "response_to_rx")
             if mode == "all" or name.endswith(("wake_in", "to_rx"))]
    done = run(*QUICK, "-l", 130, f"--stamps={mode}", "-N", "-h", 900,
               "--percentiles=20,90", "--timeline=timeline", "--histfile=h",
               "--metrics=" + ",".join([*names, "response"]))
    check(done, mode)
    json = results.loaded(done)
    whole, rows = whole_of(done, mode)
    for number, row in enumerate(rows):
        if number in whole:
            whole[number] |= {
                "response_to_rx": row["client_rx"] - row["t0"],
                "wire_and_device": row["client_rx"] - (row["client_snd"] or 0)}
    *threads, last = json["thread"].values()
    assert [thread["metric"] for thread in threads] == names
    assert (last["metric"], last["cycles"]) == ("response", 130)
    for thread in threads:
        check_column(json, thread,
                     [one[thread["metric"]] for one in whole.values()])
    head, line = ended.table(done.text("timeline"))
    told = dict(zip(head.split(","), line.split(",")))
    for thread in threads:
        assert [int(told[f"{thread['metric']}_{key}"]) for key in (
            "count", "min_ns", "max_ns")] == [
                thread[key] for key in ("cycles", "min", "max")]


def test_columns_of_a_device(run):
    names = ["client_app_out", "client_stack_out", "client_wake_in",
             "client_stack", "wire_and_device", "response_to_rx"]
    with Device("udp", 4) as device:
        done = run(*ALONE, "-N", "-h", 900, "-l", 70, *device.options(),
                   "--stamps=all", "--metrics=" + ",".join(names))
    json, (whole, _) = results.loaded(done), whole_of(
        done, parts_of=parts_alone)
    for name, thread in zip(names, json["thread"].values(), strict=True):
        assert thread["metric"] == name
        thread["percentiles"] = {}
        check_column(json, thread, [one[name] for one in whole.values()])


def test_columns_lack_what_is_left_out(run, shim):
    """A cycle that lacks a stamp is in no column of theirs, but in others."""
    done = run(*QUICK, *UDP, "-l", 200, "--warmup=0", "--stamps=all", "-N",
               "--metrics=wire,send", env=shim("client:send:twice:90:0"))
    [stamps], _ = check(done)
    wire, send = results.loaded(done)["thread"].values()
    assert (wire["cycles"], send["cycles"]) == (stamps["cycles"], 200)
    assert wire["cycles"] == 91
    assert len(wire["blocks"]) == len(send["blocks"]) == 64
    assert max(send["maxima"]) == send["max"]


@pytest.mark.parametrize("limit,of,verdict", [
    ("wire:1000000", max, "met"), ("client_wake_in:0", max, "exceeded"),
    ("server_stack:avg:0", statistics.mean, "exceeded"),
    ("client_stack:p50:1000000", None, "met")])
def test_limits(run, limit, of, verdict):
    done = run(*QUICK, "-l", 60, "--stamps=all", f"--limit={limit}")
    assert done.returncode == (0 if verdict == "met" else 2)
    one, = results.loaded(done)["twoway"]["limits"]
    assert (one["metric"], one["verdict"]) == (limit.split(":")[0], verdict)
    if of:
        found = {number: parts[one["metric"]]
                 for number, parts in whole_of(done)[0].items()}
        assert abs(one["value_ns"] - of(found.values())) < 0.001
    if of == max:
        assert f" in cycle {max(found, key=found.get)}" in done.stdout


LATE = "client:send:after:20:200000"


@pytest.mark.parametrize("device", [False, True])
def test_break_and_spike(run, shim, device):
    """Once its stamps are known: with a server, one cycle later."""
    given = [*QUICK, "-l", 60, "--warmup=0", "--stamps=all", "--timeout=9000000",
             "-N", "-b", "client_wake_in:150000", "--spike=client_stack:150000"]
    if device:
        with Device("udp", 4) as one:
            done = run(*given, *one.options(), env=shim(LATE))
    else:
        done = run(*given, "--transport=udp", env=shim(LATE))
    assert (done.returncode, done.stderr) == (2, "")
    twoway = results.loaded(done)["twoway"]
    whole, rows = whole_of(done, parts_of=parts_alone if device else parts)
    last = max(whole)
    assert len(rows) == last + 1 + (not device)
    assert whole[last]["client_wake_in"] > 150000000
    one, = twoway["breaks"]
    value = one["values"]["client_wake_in"]
    assert (one["metric"], one["cycle"], value) == (
        "client_wake_in", last, whole[last]["client_wake_in"])
    assert "wire" not in one["values"]
    assert f" client_wake_in {value}\n" in done.stdout
    assert f"# Break value: {value}\n" in done.stdout
    spike, = twoway["spikes"]["kept"]
    assert twoway["spikes"]["metric"] == "client_stack"
    assert (spike["cycle"], spike["values"]["client_stack"]) == (
        last, whole[last]["client_stack"])


def test_killed(start):
    """Main records the cycle that the client still held."""
    process = start("--stamps=all", *UDP, *QUICK)
    pids = process.steady()
    os.kill(pids["client"], signal.SIGKILL)
    assert process.finish() == 1
    json = results.check(start.directory / "json")["twoway"]
    cut = len(json["unanswered"])
    [stamps] = [pair["stamps"] for pair in json["pairs"]]
    rows = cycles(start.directory / "dump")
    assert stamps["cycles"] == len([row for row in rows if row["client_rx"]])
    assert [row["cycle"] for row in rows] == list(range(len(rows)))
    assert stamps["left_out"] == 0 and 1 <= stamps["unfinished"] <= 1 + cut


def test_cut_short(start):
    """A cycle without a reply has no stamps, not even those before."""
    with Device(faults={20: "drop"}) as device:
        process = start(*QUICK, "--timeout=9000000", "--warmup=0",
                        "--stamps=all", *device.options())
        assert outside.wait_for(lambda: len(device.seen) == 20)
        time.sleep(1)       # it shall be the longest
        process.signal(signal.SIGINT)
        assert process.finish() == 0
    json = results.check(start.directory / "json")["twoway"]
    assert [one["cycle"] for one in json["unanswered"]] == [19]
    *rows, last = cycles(start.directory / "dump")
    assert (last["cycle"], len(rows)) == (19, 19)
    assert all(row["client_snd"] and row["client_rx"] for row in rows)
    assert not any(last[name] for name in COLUMNS.split(","))


@results.root
@pytest.mark.usefixtures("tracefs")
@pytest.mark.parametrize("more", [(), ("--breaks=1",)], ids=" ".join)
def test_cause(run, shim, more):
    """The trace tells it of the phase that the time is a part of."""
    done = run(*QUICK, "-l", 60, "--warmup=0", "--stamps=rx", "-b",
               "server_wake_in:150000", "--trace", "--trace-file=trace", *more,
               env=shim("server:poll:busy-after:20:200000"))
    assert (done.returncode, done.stderr) == (2, "")
    one, = results.loaded(done)["twoway"]["breaks"]
    assert (one["metric"], one["cause"]["phase"]) == ("server_wake_in", "send")
    assert one["cause"]["ns"] > 150000000


@pytest.mark.parametrize("lost", [0, 1])
def test_limit_of_what_is_lost(run, shim, lost):
    """The timeout bounds the response of a lost cycle, not a part of it."""
    done = run(*QUICK, "-l", 40, "--warmup=0", "--stamps=rx", "--transport=udp",
               "--timeout=900000", "--limit=client_wake_in:800000",
               env=shim(*["client:send:drop:9:0"] * lost) if lost else {})
    one, = results.loaded(done)["twoway"]["limits"]
    assert one["verdict"] == ("undecided" if lost else "met")
    assert done.returncode == 2 * lost


REFUSED = [
    ("--limit=wire:1", "--limit=wire:1: needs --stamps=all"),
    ("--metrics=wire", "--metrics=wire: needs --stamps=all"),
    ("--metrics=client_wake_in",
     "--metrics=client_wake_in: needs --stamps=rx or all"),
    ("--stamps=rx --spike=server_stack:9",
     "--spike=server_stack: needs --stamps=all"),
    ("--stamps=rx -b client_app_out:9",
     "--breaktrace=client_app_out: needs --stamps=all"),
    ("--reflect=udp --connect=127.0.0.1:9 --stamps=all --metrics=wire",
     "--metrics=wire: the peer of --reflect is no server of ours; allowed are "
     "latency, wakeup, response, interval and planned")]


@pytest.mark.parametrize("given,message", REFUSED)
def test_what_they_need(run, given, message):
    done = run("-l", 9, *given.split())
    assert (done.returncode, done.stderr) == (1, f"FATAL: {message}\n")


def check_alone(done, mode):
    """All cycles, none unfinished; in order, as it is one clock."""
    [stamps], rows = check(done, mode, parts_of=parts_alone)
    assert (stamps["cycles"], stamps["left_out"], stamps["unfinished"]) == \
        (60, 0, 0)
    assert not any(stamps["missing"].values())
    for row in rows:
        assert not any(row[name] for name in OF_SERVER)
        assert row["t0"] < row["client_rx"] < row["t3"] + 1000
        if mode == "rx":
            assert not any(row[name] for name in SENT)
        else:
            # Converted by two readings of the clock, 1 us apart at most.
            assert row["t0"] - 1000 < row["client_sched"] <= \
                row["client_snd"] < row["client_rx"]


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("groups", ["0 0", "1 0"], ids=["datagram", "raw"])
@pytest.mark.parametrize("mode", ["rx", "all"])
def test_icmp(run, ends, mode, groups, version):
    """Against the kernel at the other end of a wire."""
    within(ends[0], "sysctl", "-w", f"net.ipv4.ping_group_range={groups}")
    near = functools.partial(run, preexec_fn=lambda: enter(ends[0]))
    check_alone(near(*ALONE, f"--connect={FAR[version]}", "--reflect=icmp",
                     f"--stamps={mode}"), mode)


@pytest.mark.parametrize("version", LOOPBACK)
@pytest.mark.parametrize("mode", ["rx", "all"])
def test_echo_service(run, mode, version):
    with Device("udp", version) as device:
        check_alone(run(*ALONE, *device.options(), f"--stamps={mode}"), mode)


def test_refused_requests_have_no_stamps(start):
    """Errors of the network come the same way as stamps; a request that was
    not sent is not counted, so later ones have theirs."""
    gone_for_a_while(start, (*QUICK, "--stamps=all"), 60, 90)
    pair, = results.check(start.directory / "json")["twoway"]["pairs"]
    assert pair["datagrams"]["lost"] > 0
    assert pair["stamps"]["cycles"] == pair["datagrams"]["answered"]
    rows = cycles(start.directory / "dump")
    for row in rows[-10:]:
        assert row["t3"] is None or row["client_snd"] and row["client_rx"]
    for row in rows:
        assert row["t3"] or not any(row[name] for name in COLUMNS.split(","))
