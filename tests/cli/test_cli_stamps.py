# SPDX-License-Identifier: GPL-2.0-or-later
"""--stamps: each cycle's stamps, what they add up to, and what is told."""

import csv
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

import outside
import schema
import twoway

QUICK = ("--default-system", "-q", "-i", 500, "--json=json", "--dump=dump")
STAMPS = ("client_sched_ns", "client_snd_ns", "server_rx_ns",
          "server_sched_ns", "server_snd_ns", "client_rx_ns")
RX = ("server_rx_ns", "client_rx_ns")
PARTS = ("client_stack", "wire", "server_stack")
SO_TIMESTAMPING = 37
CALLS = {"off": 0, "rx": 0, "all": 1}


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


def results(result):
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    return schema.check(result.text("json"))["twoway"]


def cycles(path):
    """The lines of --dump; None for what is empty."""
    with open(path, encoding="utf-8", newline="") as file:
        return [{name.replace("server_t", "t"): int(value) if value else None
                 for name, value in row.items()}
                for row in csv.DictReader(file)]


def parts(row):
    """By the definitions, which the program does not share."""
    app = {"client": ("t0_ns", "t3_ns"), "server": ("t2_ns", "t1_ns")}
    found = {"network": (row["t3_ns"] - row["t0_ns"]) -
             (row["t2_ns"] - row["t1_ns"])}
    for side, (out, back) in app.items():
        found[side, "wake_in"] = row[back] - row[f"{side}_rx_ns"]
        if row[f"{side}_snd_ns"] is None:
            continue
        found[side, "app_out"] = row[f"{side}_sched_ns"] - row[out]
        found[side, "stack_out"] = row[f"{side}_snd_ns"] - \
            row[f"{side}_sched_ns"]
        found[f"{side}_stack"] = row[f"{side}_snd_ns"] - row[out] + \
            row[back] - row[f"{side}_rx_ns"]
    if row["client_snd_ns"] is not None:
        found["wire"] = row["client_rx_ns"] - row["client_snd_ns"] - \
            (row["server_snd_ns"] - row["server_rx_ns"])
    return found


def member(stamps, name):
    return stamps[name[0]][name[1]] if isinstance(name, tuple) else \
        stamps[name]


def check(stamps, rows):
    """What is told is what each cycle had; the sum holds in each."""
    rows = [row for row in rows if row["server_rx_ns"] is not None]
    assert stamps["cycles"] == len(rows)
    found = [parts(row) for row in rows]
    for one in found:
        if "wire" in one:
            assert sum(one[name] for name in PARTS) == one["network"]
    for name in found[0]:
        values = [one[name] for one in found]
        told = member(stamps, name)
        assert told["count"] == len(values)
        assert told["min_ns"] == min(values)
        assert told["max_ns"] == max(values)
        assert told["avg_ns"] == pytest.approx(sum(values) / len(values),
                                               abs=0.06)
    return found


@pytest.mark.parametrize("wait", ["poll", "select", "epoll", "read", "busy"])
@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_each_cycle(run, transport, wait):
    """On one host, each stamp is behind the one before, too: on the way."""
    result = run(*QUICK, "-l", 100, f"--transport={transport}",
                 f"--wait={wait}", "--stamps=all")
    stamps = results(result)["stamps"]
    rows = cycles(result.path("dump"))
    assert len(rows) == 100
    assert (stamps["left_out"], stamps["unfinished"]) == (0, 1)
    assert [row["count"] for row in stamps["exchange"].values()] == [200, 200]
    assert not any(stamps["missing"].values())
    assert [row["server_snd_ns"] is None for row in rows] == \
        99 * [False] + [True]
    # Of the last one, the client's own are there.
    assert rows[-1]["client_sched_ns"] is None
    check(stamps, rows)
    for row in rows[:-1]:
        # Converted by two readings of the clock, 1 us apart at most.
        assert row["client_sched_ns"] > row["t0_ns"] - 1000
        assert row["client_snd_ns"] >= row["client_sched_ns"]
        assert row["server_rx_ns"] < row["t1_ns"] + 1000
        assert row["server_sched_ns"] > row["t2_ns"] - 1000
        assert row["server_snd_ns"] >= row["server_sched_ns"]
        assert row["client_rx_ns"] < row["t3_ns"] + 1000
        assert row["client_rx_ns"] > row["client_snd_ns"]
        assert row["server_snd_ns"] > row["server_rx_ns"]


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_rx(run, transport):
    result = run(*QUICK, "-l", 50, f"--transport={transport}",
                 "--stamps=rx")
    stamps = results(result)["stamps"]
    rows = cycles(result.path("dump"))
    assert stamps["mode"] == "rx"
    assert (stamps["cycles"], stamps["unfinished"]) == (49, 1)
    for row in rows[:-1]:
        assert [name for name in STAMPS if row[name] is not None] == \
            list(RX)
    assert set(check(stamps, rows)[0]) == {
        "network", ("client", "wake_in"), ("server", "wake_in")}
    assert all(stamps[name] is None for name in PARTS)


def test_off(run):
    """No column, no block: as without the option."""
    result = run(*QUICK, "-l", 9, "--stamps=off")
    assert results(result)["stamps"] is None
    assert len(result.dump()) == 9
    assert "Stamps" not in result.stdout


@pytest.mark.parametrize("more", [
    ("--clock=tsc",), ("--clock=monotonic_raw",), ("--clock=realtime",),
    ("--clock=tai", "--transport=udp"), ("--size=65507", "--transport=udp"),
    ("--size=65536",), ("--sleep=0", "-i0"), ("--address=::1",),
    ("--address=::1", "--transport=udp"), ("--warmup=1",)], ids=" ".join)
def test_variants(run, more):
    words = [str(word) for word in more]
    result = run(*QUICK, "-l", 60, "--stamps=all", *words)
    if result.returncode and ("tsc" in words[0] or "::1" in words[0]):
        pytest.skip(result.stderr)
    stamps = results(result)["stamps"]
    assert (stamps["cycles"], stamps["unfinished"]) == (59, 1)
    check(stamps, cycles(result.path("dump")))


def test_pairs(run):
    """Each pair for itself, and all together."""
    result = run(*QUICK, "-l", 40, "-t2", "-d", 0, "--stamps=all")
    json = results(result)
    stamps = json["stamps"]
    rows = cycles(result.path("dump"))
    check(stamps, rows)
    assert [one["pair"] for one in stamps["pairs"]] == [0, 1]
    for one in stamps["pairs"]:
        own = [row for row in rows if row["pair"] == one["pair"]]
        assert len(own) == one["cycles"] + one["unfinished"] == \
            json["pairs"][one["pair"]]["cycles"]
        assert one["unfinished"] == 1
        check(one, own)
    assert "\n# Stamps of pair 0: " in result.stdout
    assert "\n# Stamps of pair 1: " in result.stdout


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_steps(run, transport):
    """The sum of all; of each step, one cycle is not complete."""
    result = run(*QUICK, "-l", 30, "--load=fft", "--steps=3",
                 f"--transport={transport}", "--stamps=all")
    stamps = results(result)["stamps"]
    assert (stamps["cycles"], stamps["unfinished"]) == (87, 3)
    assert stamps["client_work"]["count"] == 90
    check(stamps, cycles(result.path("dump")))


def text_of(stdout):
    """The block of the text: by its names, the three values as words."""
    block = re.search(r"^# Stamps: (\d+) of (\d+) cycles, (\d+) left out, "
                      r"(\d+) unfinished\n# in (us|ns) +min +avg +max\n"
                      r"((?:# .*\n)+?)# Stamps: system calls that they add "
                      r"to a cycle: client (\d), server (\d)\n", stdout, re.M)
    assert block, stdout
    rows = re.findall(r"^# (.{18}) +(\S+) +(\S+) +(\S+)$", block[6], re.M)
    assert len(rows) == len(block[6].splitlines())
    return block, {row[0].strip(): row[1:] for row in rows}


@pytest.mark.parametrize("mode", ["rx", "all"])
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_text(run, mode, unit):
    """The same as the JSON."""
    result = run(*QUICK, "-l", 50, f"--stamps={mode}",
                 *(("-N",) if unit == "ns" else ()))
    stamps = results(result)["stamps"]
    block, rows = text_of(result.stdout)
    assert [int(block[n]) for n in (1, 2, 3, 4)] == [49, 50, 0, 1]
    assert block[5] == unit
    assert [int(block[7]), int(block[8])] == 2 * [CALLS[mode]]
    assert stamps["calls_more"] == {"client": CALLS[mode],
                                    "server": CALLS[mode]}
    assert len(rows) == (11 if mode == "all" else 4)
    for name, words in rows.items():
        side, _, part = name.partition(" ")
        told = stamps[side][part] if part else stamps[side]
        for word, key in zip(words, ("min_ns", "avg_ns", "max_ns")):
            ns = float(word) * (1 if unit == "ns" else 1000)
            assert ns == pytest.approx(told[key], abs=0.6)


# A time namespace in which CLOCK_MONOTONIC is ahead.
UNSHARE = ("unshare", "-T", "--fork", "--kill-child", "--monotonic", "1000")


def can_unshare():
    return shutil.which("unshare") and not subprocess.run(
        [*UNSHARE, "true"], check=False, capture_output=True).returncode


@pytest.fixture(name="server")
def server_fixture(tmp_path_factory):
    """HOST:PORT of a server, whose clock is ahead where that can be had."""
    directory = tmp_path_factory.mktemp("server")
    words = [*(UNSHARE if can_unshare() else ()), twoway.binary(),
             "--server=127.0.0.1:0"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        words[-1] = f"--server=127.0.0.1:{free.getsockname()[1]}"
    with open(directory / "out", "w", encoding="utf-8") as output:
        process = outside.Run(*words[1:], program=words[0], cwd=directory,
                              stdout=output)
        try:
            assert outside.wait_for(
                lambda: "Listening" in outside.read(directory / "out"))
            yield words[-1].partition("=")[2]
        finally:
            process.end()


@pytest.mark.parametrize("pairs", [1, 2])
@pytest.mark.parametrize("transport", ["tcp", "udp"])
@pytest.mark.parametrize("mode", ["rx", "all"])
def test_two_hosts(run, server, mode, transport, pairs):
    """The server's stamps have come by the network alone, and on its clock."""
    result = run(*QUICK, "-l", 50, f"-t{pairs}", "-d0", f"--stamps={mode}",
                 f"--transport={transport}", f"--connect={server}")
    assert result.returncode == 0, result.stderr
    stamps = result.json()["twoway"]["stamps"]
    rows = cycles(result.path("dump"))
    assert stamps["cycles"] == 49 * pairs
    assert stamps["exchange"] == {"without": None, "with": None}
    assert (stamps["left_out"], stamps["unfinished"]) == (0, pairs)
    for found in check(stamps, rows):
        assert found["network"] > 0
        # Far less than the server's clock is ahead.
        assert all(abs(value) < 500 * 10 ** 9 for value in found.values())
    if can_unshare():
        assert all(row["t1_ns"] - row["t0_ns"] > 900 * 10 ** 9
                   for row in rows)


def test_interrupted(start, tmp_path):
    process = start(*QUICK, "--stamps=all", "--transport=udp")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    json = outside.load_json(tmp_path / "json")["twoway"]
    stamps = json["stamps"]
    assert stamps["left_out"] == 0
    assert stamps["cycles"] + stamps["unfinished"] == json["cycles"]
    assert stamps["unfinished"] <= 1
    check(stamps, cycles(tmp_path / "dump"))


def test_break(run):
    """The cycle that breaks is the last one: it is told without stamps."""
    result = run(*QUICK, "-b", 1, "--break-on=total", "--stamps=all")
    assert result.returncode == 2, result.stderr
    stamps = schema.check(result.text("json"))["twoway"]["stamps"]
    assert (stamps["cycles"], stamps["unfinished"]) == (0, 1)
    assert stamps["wire"] is None


@pytest.mark.parametrize("words, message", [
    (("--stamps=tx",), "--stamps=tx: allowed is one of off, rx, all"),
    (("--stamps=all", "--transport=unix"),
     "--stamps=all: --transport=unix has no packets that the kernel stamps; "
     "leave it out, or choose tcp or udp"),
    (("--stamps=rx", "--transport=vsock"),
     "--stamps=rx: --transport=vsock has no packets that the kernel stamps; "
     "leave it out, or choose tcp or udp"),
    (("--stamps=rx", "--servers=one"),
     "--stamps=rx: with --servers=one, a reply has no room for the stamps; "
     "allowed is off, or --servers=each"),
], ids=str)
def test_refused(run, words, message):
    result = run("--default-system", "-q", "-l", 5, *words)
    assert result.returncode == 1
    assert not result.stdout
    assert result.stderr == f"twowaytest: {message}\n"
