# SPDX-License-Identifier: GPL-2.0-or-later
"""Clocks, what requests go over, and what becomes of lost datagrams."""

import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

import ended
import outside
import results
import twowaytest

UDP = ("--transport=udp",)
VMADDR_CID_LOCAL = 1    # Python's socket has no name for it
SOURCES = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
NONE = {"lost": 0, "late": 0, "duplicate": 0, "reordered": 0,
        "lost_request": 0, "lost_reply": 0}
# A busy machine loses nothing more: a wait ends where a fault says so.
PATIENT = "--timeout=10000000"
WAIT_MS = 30
# faults of 60 cycles, waits that end, the counts
LOSSES = [
    ("client:send:drop:9:0", [9], {"lost": 1, "lost_request": 1}),
    ("server:send:drop:9:0", [9], {"lost": 1, "lost_reply": 1}),
    ("client:send:drop:9:0,client:send:drop:10:0,server:send:drop:20:0",
     [9, 10, 22], {"lost": 3, "lost_request": 2, "lost_reply": 1}),
    ("client:send:twice:9:0", [], {"duplicate": 1}),
    ("server:send:twice:9:0", [], {"duplicate": 1}),
    ("client:send:twice:9:0,server:send:twice:19:0", [], {"duplicate": 2}),
    # The next request overtakes it.
    ("client:send:swap:9:0", [9],
     {"lost": 1, "reordered": 1, "lost_request": 1}),
    ("server:send:swap:9:0", [9], {"lost": 1, "late": 1, "lost_reply": 1}),
    ("server:send:before:9:60000", [9],
     {"lost": 1, "late": 1, "lost_reply": 1}),
    ("client:send:drop:59:0", [59], {"lost": 1, "lost_request": 1}),
    ("client:send:drop:0:0", [0], {"lost": 1, "lost_request": 1}),
]


def losing(shim, faults, waits):
    """The environment with the faults, in which these waits end."""
    return shim(*faults, *(f"client:recv:expire:{wait}:{WAIT_MS}000"
                           for wait in waits))


@pytest.mark.parametrize("faults,ends,counts", LOSSES)
@pytest.mark.parametrize("more", [(), ("--wait=read", "-x", "-c", "tai")])
def test_lost(run, shim, faults, ends, counts, more):
    """In no statistic, but in all counts; the results are of the others."""
    done = run("-q", "-v", "-N", "--metrics=all", "-l", 60, "--warmup=0",
               "--json=json", PATIENT, "--dump=dump", "--limit=lost:1", *UDP,
               *more, env=losing(shim, faults.split(","), ends))
    json = results.loaded(done)
    found = json["twoway"]["pairs"][0]["datagrams"]
    lost = counts.get("lost", 0)
    assert (done.returncode, done.stderr) == (2 * (lost > 1), "")
    dumped = [line.split(",") for line in ended.rows(done.text("dump"))]
    assert [line[1] for line in dumped] == list(map(str, range(60)))
    assert sum(line[4:7] == ["", "", ""] for line in dumped) == lost
    assert sum(int(line[7]) for line in dumped) == \
        json["twoway"]["pairs"][0]["missed"]
    assert found == {"sent": 60, "answered": 60 - lost, **NONE, **counts}
    assert (f"# Lost: {found['lost']} of 60 cycles; late {found['late']}, "
            f"duplicate {found['duplicate']}, reordered {found['reordered']}"
            f"; requests {found['lost_request']}, replies "
            f"{found['lost_reply']}"
            in done.stdout.splitlines())
    cycles = [re.split(" *: *", line.strip())
              for line in done.stdout.splitlines() if line[:1] == " "]
    numbers = [int(cycle) for column, cycle, _ in cycles if column == "0"]
    assert numbers == [int(line[1]) for line in dumped if all(line)]
    for thread in json["thread"].values():
        values = [int(value) for column, _, value in cycles
                  if results.METRICS[int(column)] == thread["metric"]]
        results.assert_statistics(thread, [
            {thread["metric"]: value} for value in values],
            {"interval": 10 ** 6, "sleep": 10 ** 5}.get(thread["metric"], 0))
    # The next cycle waited for it, and expiries were missed.
    waits = lost if 59 in numbers else 0
    assert json["thread"]["6"]["max"] > WAIT_MS * 10 ** 6 * bool(waits)
    assert json["twoway"]["pairs"][0]["missed"] >= (WAIT_MS - 1) * waits


def test_a_reply_that_is_taken_late_is_lost(run, shim):
    """It came in time, but the client itself was held up."""
    done = run("-q", "-l", 60, "--warmup=0", "--json=json", "--dump=dump",
               "--timeout=60000", *UDP, env=shim("client:recv:before:9:70000"))
    found = results.loaded(done)["twoway"]["pairs"][0]["datagrams"]
    lost = [line.split(",")[1] for line in ended.rows(done.text("dump"))
            if ",,," in line]
    # A busy machine loses more.
    assert "9" in lost and found["lost"] == len(lost) and found["late"] >= 1


def test_warmup_is_in_no_count(run, shim):
    # Of the seventh cycle, the second wait: the first has the reply before.
    done = run("-q", "-l", 20, "--warmup=9", "--json=json", *UDP, PATIENT,
               env=losing(shim, [
                   "client:send:drop:3:0", "client:send:twice:5:0",
                   "server:send:twice:6:0", "server:send:swap:7:0"], [3, 8]))
    assert results.loaded(done)["twoway"]["pairs"][0]["datagrams"] == \
        {"sent": 20, "answered": 20, **NONE}
    assert "# Lost" not in done.stdout


def test_counts_of_pairs_and_steps(run, shim):
    done = run("-q", "-t2", "-d0", "-l", 20, "--warmup=0", "--load=fft",
               "--steps=2", "--json=json", *UDP, PATIENT, env=shim(
                   "client1:send:drop:3:0", "client3:send:drop:3:0",
                   "client1:recv:expire:3:9000", "client3:recv:expire:3:9000",
                   "client2:send:twice:9:0"))
    assert [pair["datagrams"] for pair in
            results.loaded(done)["twoway"]["pairs"]] == [
        {"sent": 40, "answered": 40, **NONE, "duplicate": 1},
        {"sent": 40, "answered": 38, **NONE, "lost": 2,
         "lost_request": 2}]
    assert "# Lost: 2 of 80 cycles; late 0, duplicate 1, reordered 0; "\
        "requests 2, replies 0\n" in \
        done.stdout


def test_a_lost_cycle_is_no_late_wakeup(run, shim):
    """The client waited for the reply: that is in the interval alone."""
    done = run("-q", "-v", "-N", "--metrics=wakeup,interval", "-l", 40,
               "--warmup=0", *UDP, PATIENT,
               env=losing(shim, ["client:send:drop:9:0"], [9]))
    values = {tuple(map(int, line.split(":")[:2])): int(line.split(":")[2])
              for line in done.stdout.splitlines() if line[:1] == " "}
    assert values[1, 10] - values[0, 10] >= WAIT_MS * 10 ** 6


def test_a_stall_does_not_end_the_run(run, shim):
    done = run("-q", "-l", 60, "--json=json", *UDP, "--timeout=40000",
               env=shim("server:nanosleep:after:9:1500000"))
    assert (done.returncode, done.stderr) == (0, "")
    found = results.loaded(done)["twoway"]["pairs"][0]["datagrams"]
    assert found["lost"] >= 15 and found["reordered"] == 0


@pytest.mark.parametrize("sleep,timeout", [(0, 10**5), (50000, 10**5),
                                           (50001, 100002)])
def test_timeout_that_is_not_given(run, sleep, timeout):
    """As long as twice the sleep, at least. Of one cycle alone, a busy system
    may leave no result."""
    done = run("-q", "-l5", "--warmup=0", "--transport=udp", "--json=json",
               f"--sleep={sleep}", "-i200000")
    settings = results.loaded(done)["twoway"]["settings"]
    assert (settings["sleep"], settings["timeout"]) == (sleep, timeout)


@pytest.mark.parametrize("limit", [("-l", 30), ("-D", 1)])
def test_all_are_lost(run, shim, limit):
    """No result is no good result; and -D needs no reply."""
    done = run("-q", "--warmup=0", *limit, *UDP, "--timeout=9000",
               env=shim("server:send:drop:*:0"))
    assert done.returncode == 1 and "T:" not in done.stdout
    # In a second, there is no time for more.
    assert 0 < results.all_lost(done) <= 1000 / 9 + 1


@pytest.mark.parametrize("pairs", [1, 2])
def test_a_warm_up_without_a_reply(run, shim, pairs):
    """-D ends it."""
    done = run("-q", "-D1", f"-t{pairs}", env=shim("server1:send:drop:1:0" if
               pairs > 1 else "server:send:drop:1:0"))
    assert (done.returncode, done.stderr) == (
        1, f"WARN: pair {pairs - 1}: no cycle was measured\n")


@results.root
def test_a_network_that_does_nothing(start):
    """Whoever waits for it, waits for 5 s."""
    network = ("-n", "sh", "-c", "ip link set lo up && tc qdisc add dev lo "
               "root tbf rate 8bit burst 1 limit 1 && exec \"$0\" \"$@\"")
    if subprocess.run(["unshare", *network, "true"], check=False,
                      capture_output=True).returncode:
        pytest.skip("no network namespace, or no tc in it")
    process = start(*network, twowaytest.binary(), "-q", "-l5", program="unshare")
    assert (process.finish(), process.err) == (
        1, "FATAL: cannot connect client and server of pair 0 over tcp: "
        "Connection timed out; needed is CPU time for the kernel's network "
        "(ksoftirqd), which real-time tasks may take\n")


def ports():
    """Of UDP over 127.0.0.1, both ends connected: [(own, other)]."""
    found = []
    for line in outside.read("/proc/net/udp").splitlines()[1:]:
        (host, own), (peer, other) = (word.split(":")
                                      for word in line.split()[1:3])
        if host == peer == "0100007F":
            found.append((int(own, 16), int(other, 16)))
    return [pair for pair in found if pair[::-1] in found]


def test_nobody_else_gets_in(start):
    """Neither onto the ports, nor with datagrams for them."""
    before = ports()
    process = start("-q", "-i", 500, "--json=json", *UDP,
                    "--timeout=9000000")
    process.steady()
    ours = [pair for pair in ports() if pair not in before]
    assert len(ours) >= 2
    for port, _ in ours:
        for name in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.setsockopt(socket.SOL_SOCKET, name, 1)
                with pytest.raises(OSError, match="in use"):
                    other.bind(("127.0.0.1", port))
                for size in 0, 8, 24:
                    try:
                        other.sendto(b"\xff" * size, ("127.0.0.1", port))
                    except ConnectionRefusedError:
                        pass
    before = outside.switches(process.named("twoway-client")[0])
    assert outside.wait_for(lambda: outside.switches(
        process.named("twoway-client")[0]) > before + 40)
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and not process.err
    found = results.check(start.directory / "json")["twoway"]["pairs"][0]
    assert {name: found["datagrams"][name] for name in NONE} == NONE


def has_vsock():
    """Whether the kernel connects its sockets on this host."""
    try:
        with socket.socket(socket.AF_VSOCK) as one, \
                socket.socket(socket.AF_VSOCK) as other:
            one.bind((VMADDR_CID_LOCAL, socket.VMADDR_PORT_ANY))
            one.listen()
            other.settimeout(2)
            other.connect(one.getsockname())
            return True
    except OSError:
        return False


def test_vsock(run):
    """Measured where the kernel has it, else refused with what is needed."""
    done = run("-q", "-l", 20, "--json=json", "--transport=vsock")
    if has_vsock():
        assert results.loaded(done)["thread"]["0"]["cycles"] == 20
        return
    assert done.returncode == 1 and not done.text("json")
    assert re.search("FATAL: cannot connect client and server of pair 0 "
                     "over vsock: .*; needed is .*vsock_loop", done.stderr)


@pytest.mark.parametrize("transport", ["tcp", "vsock"])
def test_stranger_is_faster(run, amiss, transport):
    """Who connects first is not taken for the client."""
    if transport == "vsock" and not has_vsock():
        pytest.skip("no vsock on this host")
    done = run("-q", "-l", 5, f"--transport={transport}",
               env={**amiss, "TW_AMISS": "stranger"})
    assert (done.returncode, done.stderr) == (
        1, "FATAL: cannot connect client and server of pair 0 over "
        f"{transport}: Operation not permitted; needed is that no other "
        "process connects to its port\n")


@results.root
@pytest.mark.parametrize("option", [
    "--sock-priority=7", "--busy-poll=50", "--prefer-busy-poll=9"])
def test_privileged_option(public, option):
    """Refused by its name, with what it needs; some kernels do not mind."""
    done = subprocess.run(
        [public / "twowaytest", "-q", "-l", "5", option, "--json=json",
         "--default-system"], cwd=public, user=outside.NOBODY, text=True,
        capture_output=True, check=False)
    if not done.returncode:
        name, _, value = option.strip("-").partition("=")
        json = results.check(public / "json")
        assert json["twoway"]["settings"][name] == int(value)
        return
    assert done.stderr == f"FATAL: {option}: refused by the kernel: " \
        "Operation not permitted; needed is root or CAP_NET_ADMIN\n"


def test_refused_option(run, amiss):
    """For a reason that no right would change."""
    done = run("-q", "-l", 5, "--dscp=1", env={**amiss, "TW_AMISS": "option"})
    assert (done.returncode, done.stderr) == (
        1, "FATAL: --dscp=1: refused by the kernel: Protocol not available\n")


def namespace(*options):
    words = ("unshare", *options, "--")
    if not shutil.which("unshare") or subprocess.run(
            [*words, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no namespace can be made here")
    return words


@pytest.mark.parametrize("transport", ["tcp", "udp", "unix"])
def test_loopback_is_down(transport):
    done = subprocess.run(
        [*namespace("--net"), twowaytest.binary(), "-q", "-l", "5",
         f"--transport={transport}"], text=True, capture_output=True,
        check=False)
    if transport == "unix":
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 1
        assert re.fullmatch(
            "FATAL: cannot connect client and server of pair 0 over "
            f"{transport}: [^;]+; needed is the loopback interface\n", done.stderr)


@results.root
def test_a_counter_that_the_kernel_does_not_trust(tmp_path):
    if not os.path.exists(SOURCES):
        pytest.skip("no list of clock sources")
    fake = tmp_path / "fake"
    fake.write_text("tsc_early hpet acpi_pm\n", encoding="ascii")
    done = subprocess.run(
        [*namespace("--mount"), "sh", "-c",
         f"mount --bind {fake} {SOURCES} && exec {twowaytest.binary()} -q -l 5 "
         "-c tsc"], text=True, capture_output=True, check=False)
    assert done.returncode == 1
    assert re.search("FATAL: --clock=tsc: .*(trust|constant rate).*; choose "
                     "another clock", done.stderr)


@results.root
@pytest.mark.parametrize("pairs,cpus", [(1, 1), (2, 2), (1, 2)])
def test_busy_servers_leave_main_a_cpu(pairs, cpus):
    mine = sorted(os.sched_getaffinity(0))[:cpus]
    if len(mine) < cpus:
        pytest.skip("too few CPUs")
    done = subprocess.run(
        [twowaytest.binary(), "-q", "-p5", f"-t{pairs}", "-d0", "-l5",
         "--wait=busy"], text=True, capture_output=True, check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, mine))
    if pairs < cpus:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 1
        assert done.stderr.startswith("FATAL: --wait=busy: ")


@pytest.mark.parametrize("clock", ["monotonic", "realtime", "tai", "tsc"])
def test_cost_and_drift(run, clock):
    done = run("-q", "-l", 20, "--json=json", "-c", clock)
    if clock == "tsc" and not outside.has_counter():
        pytest.skip(done.stderr.strip())
    json = results.loaded(done)["twoway"]
    cost, drift = json["cost"], json["clock_drift"]
    assert cost["clock_read_ns"]["min"] <= cost["clock_read_ns"]["avg"] <= \
        cost["clock_read_ns"]["max"]
    assert 0 < cost["clock_resolution_ns"] <= cost["clock_read_ns"]["max"]
    # Two readings are equal only if the clock is coarser than they are long.
    assert cost["clock_read_ns"]["min"] == cost["clock_resolution_ns"] or \
        cost["clock_read_ns"]["avg"] < cost["clock_resolution_ns"]
    told = [line for line in done.stdout.splitlines() if "ppm" in line]
    if clock != "tsc":
        assert drift is None and not told
        return
    assert drift["over_ns"] > 10 ** 7
    assert abs(drift["ppm"] - 1e6 * drift["ns"] / drift["over_ns"]) < 0.001
    assert told == [
        f"# Clock tsc: {1e6 * drift['ns'] / drift['over_ns']:+.3f} ppm "
        f"against the kernel's, {drift['ns'] / 1e3:+.3f} us in "
        f"{drift['over_ns'] / 1e9:.1f} s"]
