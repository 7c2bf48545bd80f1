# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be run: clocks, timers, waits, sizes, ports, lengths."""

import itertools
import os
import re
import signal
import socket
import sys
import time

import pytest

import formats
import oracle
import outside
import schema
import twoway

CLOCKS = ("monotonic", "realtime", "monotonic_raw", "tai", "boottime", "tsc")
TIMERS = ("posix", "nanosleep", "timerfd")
WAITS = ("poll", "select", "epoll", "read", "busy")
SIZES = (8, 9, 4096, 65536)
QUICK = ("--default-system", "-q", "-i", 500, "--json=json", "--dump=dump")


def check_run(result, loops):
    """Whole, and all that was measured was measured."""
    if "--clock=tsc" in result.argv and result.returncode:
        pytest.skip(result.stderr.strip())
    assert (result.returncode, result.stderr) == (0, "")
    assert result.files == {"json", "dump"}
    json = result.json()["twoway"]
    cycles = result.dump()
    assert json["cycles"] == loops == len(cycles)
    assert json["error"] is None and json["interrupted"] is False
    return json, cycles


def check_cost(json):
    cost = json["cost"]
    for name in ("clock_read_ns", "shortest_sleep_ns", "empty_cycle_ns"):
        spread = cost[name]
        assert 0 <= spread["min"] <= spread["avg"] <= spread["max"], name
    assert cost["clock_resolution_ns"] > 0
    # A sleep is longer than asked for, and a cycle reads the clock.
    assert cost["shortest_sleep_ns"]["min"] > 1
    assert cost["empty_cycle_ns"]["max"] > 0


def check_drift(json, text, clock):
    """That of a CPU's counter alone, told in the text as well."""
    drift = json["clock_drift"]
    lines = [line for line in text.splitlines() if " ppm against " in line]
    if clock != "tsc":
        assert drift is None and not lines
        return
    ppm, ns, over_ns = (drift[name] for name in ("ppm", "ns", "over_ns"))
    assert over_ns > 0
    assert abs(ppm - 1e6 * ns / over_ns) <= 0.0001
    assert lines == [f"# Clock tsc: {1e6 * ns / over_ns:+.3f} ppm against the "
                     f"kernel's, {ns / 1000:+.3f} us in {over_ns / 1e9:.1f} s"]


@pytest.mark.parametrize("timer", TIMERS)
@pytest.mark.parametrize("clock", CLOCKS)
def test_clock_and_timer(run, clock, timer):
    """The clock's own epoch shows which was read."""
    before = {"realtime": time.CLOCK_REALTIME, "tai": time.CLOCK_TAI,
              "boottime": time.CLOCK_BOOTTIME,
              "monotonic_raw": time.CLOCK_MONOTONIC_RAW}.get(
                  clock, time.CLOCK_MONOTONIC)
    start_ns = time.clock_gettime_ns(before)
    result = run(*QUICK, "-l", 30, f"--clock={clock}", f"--timer={timer}")
    end_ns = time.clock_gettime_ns(before)
    json, cycles = check_run(result, 30)
    assert (json["settings"]["clock"], json["settings"]["timer"]) == (
        clock, timer)
    # The counter is read as monotonic, to the precision it was matched to.
    slack = 1000000 if clock == "tsc" else 0
    assert start_ns - slack <= cycles[0].planned_ns
    assert cycles[-1].t3_ns <= end_ns + slack
    check_cost(json)
    check_drift(json, result.stdout, clock)


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("size", SIZES)
def test_wait_and_size(run, wait, size):
    json, _ = check_run(run(*QUICK, "-l", 30, f"--wait={wait}",
                            f"--size={size}"), 30)
    assert (json["settings"]["wait"], json["settings"]["size"]) == (wait,
                                                                    size)


@pytest.mark.parametrize("sleep", [0, 1, 100])
@pytest.mark.parametrize("wait", WAITS)
def test_closed_loop(run, wait, sleep):
    """No timer: no wakeup metric, no target of the interval."""
    result = run(*QUICK, "-l", 200, "-i", 0, f"--wait={wait}",
                 f"--sleep={sleep}")
    json, cycles = check_run(result, 200)
    metrics = [metric for metric in oracle.DEFAULT_METRICS
               if metric not in oracle.NEED_TIMER]
    assert json["settings"]["metrics"] == metrics
    assert json["settings"]["timer"] == "none"
    statuses = formats.parse_statuses(formats.body(result.stdout))
    assert [status.metric for status in statuses] == metrics
    threads = {t["metric"]: t for t in result.json()["thread"].values()}
    assert threads["interval"]["target"] is None
    assert threads["sleep"]["target"] == sleep
    assert json["missed"] == 0
    for before, after in itertools.pairwise(cycles):
        assert before.t3_ns <= after.t0_ns


def test_no_sleep_is_no_call(run):
    """The kernel rounds a sleep of 1 ns up to far more than no call takes;
    what shows here is that the target is 0 and the deviation about it."""
    result = run(*QUICK, "-N", "-l", 50, "--sleep=0")
    check_run(result, 50)
    sleep = next(t for t in result.json()["thread"].values()
                 if t["metric"] == "sleep")
    values = [c.t2_ns - c.t1_ns for c in result.dump()]
    assert sleep["target"] == 0
    assert abs(sleep["stddev"] - oracle.deviation(values, 0)) < 0.001


@pytest.mark.parametrize("interval", [500, 0])
@pytest.mark.parametrize("warmup", [0, 1, 5, 100])
def test_warmup_is_counted_apart(run, warmup, interval):
    result = run(*QUICK, "-l", 40, f"--warmup={warmup}", "-i", interval)
    json, cycles = check_run(result, 40)
    assert json["warmup"]["cycles"] == warmup
    assert [cycle.cycle for cycle in cycles] == list(range(40))
    assert {t["cycles"] for t in result.json()["thread"].values()} == {40}


def test_missed_in_the_warmup_are_counted_apart(start, tmp_path):
    process = start(*QUICK, "--warmup=400", "-l", 20)
    client = process.steady()["client"]
    os.kill(client, signal.SIGSTOP)
    time.sleep(0.03)
    os.kill(client, signal.SIGCONT)
    assert process.finish() == 0
    json = outside.load_json(tmp_path / "json")["twoway"]
    dump = twoway.read_dump(tmp_path / "dump")
    assert json["warmup"]["cycles"] == 400
    assert json["warmup"]["missed"] >= 50
    assert json["missed"] == sum(cycle.missed for cycle in dump)


@pytest.mark.parametrize("loops", [1, 2, 300])
def test_loops(run, loops):
    check_run(run(*QUICK, "-l", loops), loops)


def test_duration(run):
    """It lasts as long as was asked for, which is no interruption."""
    start_ns = time.monotonic_ns()
    result = run(*QUICK, "-D", 1)
    assert time.monotonic_ns() - start_ns >= 1000000000
    json = result.json()["twoway"]
    check_run(result, json["cycles"])
    assert json["settings"]["duration_s"] == 1
    first, last = result.dump()[0], result.dump()[-1]
    elapsed = last.planned_ns - first.planned_ns
    missed = json["missed"] - last.missed
    assert json["cycles"] + missed == elapsed // 500000 + 1


@pytest.mark.parametrize("warmup", [100, 300])
def test_duration_begins_after_the_warmup(run, warmup):
    """However long that takes; its cycles alone take this long. A period that
    a busy host keeps, too: a warm-up of twice its time has an end."""
    start_ns = time.monotonic_ns()
    result = run(*QUICK, "-i", 10000, "-D", 1, f"--warmup={warmup}")
    took_ns = time.monotonic_ns() - start_ns
    json = result.json()["twoway"]
    if "time was up" in result.stderr and \
            took_ns >= 10 ** 9 + warmup * 10 ** 7:
        pytest.skip("the host was too busy for the warm-up to end in time")
    check_run(result, json["cycles"])
    assert json["warmup"]["cycles"] == warmup
    assert json["cycles"] and took_ns >= 10 ** 9 + warmup * 10 ** 7


def check_no_cycle(process, tmp_path, error):
    """Nothing that a gate may take for a good result; @error: after which
    of the warm-up's cycles, and why."""
    assert process.finish() == 1
    json = schema.check((tmp_path / "json").read_text())
    error = error.format(json["twoway"]["warmup"]["cycles"])
    assert process.err == f"twowaytest: not one cycle was measured: {error}\n"
    assert json["return_code"] == 1
    assert json["twoway"]["error"] == process.err[len("twowaytest: "):-1]
    assert json["twoway"]["cycles"] == 0
    for thread in json["thread"].values():
        for key in ("min", "avg", "max", "stddev"):
            assert thread[key] is None
        assert set(thread["percentiles"].values()) == {None}
    # What reads the text relies on numbers.
    rows = [line for line in process.out.splitlines() if line[:2] == "T:"]
    assert len(rows) == len(json["thread"])
    for row in rows:
        assert re.search(r" C: +0 Min: +0 Act: +0 Avg: +0 Max: +0 ", row)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_in_the_warmup(start, tmp_path, number):
    process = start("--default-system", "-q", "--warmup=1000000",
                    "--json=json")
    process.steady()
    process.signal(number)
    check_no_cycle(process, tmp_path, f"signal {number:d} "
                   f"({signal.strsignal(number)}) came after {{}} of "
                   "1000000 warm-up cycles")


def test_warmup_without_an_end(start, tmp_path):
    """-D ends it: one that takes so much longer than its periods."""
    process = start("--default-system", "-q", "-i", 0, "--sleep=1", "-D", 1,
                    "--warmup=1000000", "--json=json")
    check_no_cycle(process, tmp_path, "with --duration=1, time was up after "
                   "{} of 1000000 warm-up cycles; give a longer "
                   "duration, a smaller --warmup, or see what holds up the "
                   "client")


def test_what_comes_first_ends_the_run(run):
    json, _ = check_run(run(*QUICK, "-l", 30, "-D", "1h"), 30)
    assert json["settings"]["duration_s"] == 3600


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_port_of_an_ended_run_is_free_again(run, tmp_path):
    port = free_port()
    for _ in range(3):
        for file in tmp_path.iterdir():
            file.unlink()
        json, _ = check_run(run(*QUICK, "-l", 3, f"--port={port}"), 3)
        assert json["settings"]["port"] == port


def test_two_runs_at_once(start, tmp_path):
    """The kernel's choice of port keeps them apart."""
    both = [start("--default-system", "-q", "-l", 100, f"--json={name}")
            for name in ("one", "two")]
    assert [process.finish() for process in both] == [0, 0]
    ports = {outside.load_json(tmp_path / name)["twoway"]["settings"]["port"]
             for name in ("one", "two")}
    assert len(ports) == 2


@pytest.mark.parametrize("sends", [b"", b"\0" * 8, b"x" * 100000],
                         ids=["nothing", "a request", "much"])
def test_strangers_are_turned_away(start, tmp_path, sends):
    """Counted, told, and without a part in the measurement."""
    port = free_port()
    process = start("--default-system", "-q", f"--port={port}",
                    "--json=json")
    process.steady()
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port), 5) as stranger:
            try:
                stranger.sendall(sends)
                assert stranger.recv(1) == b""
            except ConnectionError:
                pass
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert not process.err
    json = outside.load_json(tmp_path / "json")["twoway"]
    assert json["strangers"] == 3
    assert "# Unexpected connections refused: 3\n" in process.out
    assert json["error"] is None and json["cycles"] > 0


def test_only_this_host_is_listened_to(start):
    """On 127.0.0.1, not on every address."""
    port = free_port()
    process = start("--default-system", "-q", f"--port={port}")
    process.steady()
    with open("/proc/net/tcp", encoding="ascii") as file:
        listening = [line.split()[1] for line in file.readlines()[1:]
                     if line.split()[3] == "0A"]
    ours = [word for word in listening if word.endswith(f":{port:04X}")]
    local = int.from_bytes(socket.inet_aton("127.0.0.1"),
                           sys.byteorder)
    assert ours == [f"{local:08X}:{port:04X}"]
    process.signal(signal.SIGINT)
    assert process.finish() == 0


def test_closed_input(run):
    """Standard input is not needed, nor taken by a socket."""
    result = run(*QUICK, "-l", 5, stdin=None,
                 preexec_fn=lambda: os.close(0))
    check_run(result, 5)


def test_signals_inherited_as_blocked_or_ignored(start, tmp_path):
    """As nohup and some shells pass them on: they end the run still."""
    def inherit():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [
            signal.SIGINT, signal.SIGTERM, signal.SIGUSR2, signal.SIGALRM])

    process = start(*QUICK, preexec_fn=inherit)
    process.steady()
    process.signal(signal.SIGTERM)
    assert process.finish() == 0
    assert outside.load_json(tmp_path / "json")["twoway"]["interrupted"]


def test_ignored_children(start, tmp_path):
    """SIGCHLD ignored means that the kernel reaps: main must notice."""
    process = start(*QUICK, "-l", 30, preexec_fn=lambda: signal.signal(
        signal.SIGCHLD, signal.SIG_IGN))
    assert process.finish() == 0
    assert outside.load_json(tmp_path / "json")["twoway"]["cycles"] == 30
