# SPDX-License-Identifier: GPL-2.0-or-later
"""The clock of -c is set while it measures, or the system is suspended."""

import csv
import re
import signal
import time

import pytest

import ended
import outside
import results
import schema
from hosts import QUICK, rsh

HOUR = 3600 * 10 ** 6       # us
ERROR = 100000              # ns: of a reading, on a busy machine
AT = 20                     # the call before which it is set, from 0

# Where in a cycle: of the client, its number counts from the first expiry.
PLACES = ["client:clock_nanosleep", "client:send", "client:recv",
          "server:recv", "server:nanosleep", "server:send"]


def rows(path):
    """Of a dump: [pair, cycle, times..., missed], None where it is empty."""
    return [[int(text) if text else None for text in line] for line in
            csv.reader(ended.rows(path.read_text(encoding="ascii")))]


def told(done, us, times=1, clock="realtime", left_out=2, noun="cycle"):
    """The line, and the member of the JSON, which is returned."""
    of = results.loaded(done)["twoway"]["clock_set"]
    number = of["largest_ns"]
    assert of == {"times": times, "largest_ns": number, "left_out": left_out}
    assert abs(number - abs(us) * 1000) <= ERROR
    plural = "" if left_out == 1 else "s"
    assert f"# Clock {clock} was set {times} time{'s' * (times > 1)}, by up " \
        f"to {number / 1000:.3f} us; {left_out} {noun}{plural} " \
        f"{'are' if plural else 'is'} left out" in done.stdout.splitlines()
    return of


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("us", [-HOUR, -5000, 5000, HOUR])
def test_a_cycle_in_which_it_is_set(run, shim, place, us):
    """It is in no statistic, nor is the next one, whose interval it ends. All
    others are as they were, and their planned times on one grid."""
    done = run("-q", "-l", 60, "-c", "realtime", "--json=json", "--dump=dump",
               env=shim(f"{place}:set:{AT}:{us}"))
    assert (done.returncode, done.stderr) == (0, "")
    told(done, us)
    json, cycles = results.loaded(done), rows(done.path("dump"))
    assert [row[1] for row in cycles] == list(range(60))
    empty = [row[1] for row in cycles if row[2] is None]
    assert len(empty) == 2 and empty[1] == empty[0] + 1
    assert all(row[2:7] == [None] * 5 for row in cycles if row[1] in empty)
    left = [row for row in cycles if row[1] not in empty]
    assert all(None not in row for row in left)
    thread = json["thread"]["0"]
    assert thread["cycles"] == len(left) == 58
    responses = [row[6] - row[3] for row in left]
    assert (thread["phases"]["response"]["min"],
            thread["phases"]["response"]["max"]) == (
        min(responses) // 1000, max(responses) // 1000)
    # No phase is negative, and none has what the clock was set by.
    for row in left:
        assert row[2] - ERROR < row[3] < row[4] < row[5] < row[6]
    assert thread["phases"]["interval"]["max"] < abs(us) or us == 5000 or \
        us == -5000
    # The grid goes on: only its times are others.
    missed = {row[1]: row[7] for row in cycles}
    steps = [after[2] - before[2] - 10 ** 6 * sum(
        1 + missed[number] for number in range(before[1], after[1]))
        for before, after in zip(left, left[1:])]
    at = next(i for i, row in enumerate(left) if row[1] > empty[0]) - 1
    assert abs(steps.pop(at) - us * 1000) <= 2 * ERROR
    assert all(abs(step) <= ERROR for step in steps)
    assert sum(missed.values()) == json["twoway"]["pairs"][0]["missed"]


@pytest.mark.parametrize("us", [-HOUR, HOUR])
@pytest.mark.parametrize("place", ["client:clock_nanosleep", "client:recv"])
@pytest.mark.parametrize("number", [1, 2, AT])
def test_the_time_of_a_run(run, shim, place, us, number):
    """It is that of a clock that nobody sets, from the warm-up on."""
    done = run("-q", "-D", 1, "-c", "realtime", "--json=json", "--dump=dump",
               env=shim(f"{place}:set:{number}:{us}"), timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    count = json["thread"]["0"]["cycles"] + \
        json["twoway"]["clock_set"]["left_out"]
    missed = json["twoway"]["pairs"][0]["missed"]
    cycles = rows(done.path("dump"))
    assert len(cycles) == count
    # Of 1000 expiries, the last cycle may miss some, or last beyond them.
    lasted = (cycles[-1][6] - cycles[-1][3]) // 10 ** 6
    assert count + missed - cycles[-1][7] <= 1001
    assert count + missed + lasted >= 998


def test_all_ways_to_wait(run, shim):
    """No timer runs on the clock that is set."""
    for options in ("-x", "--timer=timerfd", "-i 0", "-t 3 -d 0", "-A 100 -t2",
                    "--servers=one -t2", "-c tai", "--transport=unix"):
        done = run("-q", "-l", 60, "-c", "realtime", *options.split(),
                   "--json=json", env=shim(f"client0:send:set:{AT}:-{HOUR}"),
                   timeout=20)
        assert (done.returncode, done.stderr) == (0, ""), options
        of = results.loaded(done)["twoway"]["clock_set"]
        assert of["times"] == 1 and of["left_out"] >= 2, options


def test_several_times(run, shim):
    """In a row, and of three pairs, each of which sees it."""
    done = run("-q", "-l", 200, "-t", 3, "-d", 0, "-c", "tai", "--json=json",
               env=shim(f"client1:send:set:{AT}:-7000",
                        f"client1:send:set:{AT + 1}:9000",
                        f"client1:send:set:{AT + 100}:-8000"))
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    of = json["twoway"]["clock_set"]
    assert abs(of["largest_ns"] - 9000000) <= ERROR
    assert (of["times"], of["left_out"]) == (3, sum(
        200 - json["thread"][str(number)]["cycles"] for number in range(3)))
    # A cycle that is late may have seen two.
    assert of["left_out"] >= 3 * 3


@pytest.mark.parametrize("limit,verdict", [
    ("1000000000", "undecided"), ("avg:1000000000", "undecided"),
    ("missed:1000000000", "undecided"), ("0", "exceeded"),
    ("avg:0", "exceeded"), ("response:p50:1000000000", "undecided")])
def test_limits(run, shim, limit, verdict):
    """What the other cycles have exceeded is exceeded."""
    done = run("-q", "-l", 60, "-c", "realtime", f"--limit={limit}",
               "--json=json", env=shim(f"server:nanosleep:set:{AT}:-{HOUR}"))
    assert (done.returncode, done.stderr) == (2, "")
    one, = results.loaded(done)["twoway"]["limits"]
    assert one["verdict"] == verdict
    line, = (line for line in results.text(done.stdout).lines
             if line.startswith("# Limit "))
    assert re.fullmatch(
        rf"# Limit {limit}: {verdict}: " + "the clock was set; otherwise " *
        (verdict == "undecided") + r"[\d.]+( us( in cycle \d+.*)?)?", line)


@pytest.mark.parametrize("clock,us", [
    ("monotonic", -HOUR), ("monotonic_raw", -HOUR), ("boottime", HOUR),
    ("realtime", 0)])
def test_a_clock_that_is_not_set(run, shim, clock, us):
    done = run("-q", "-l", 60, "-c", clock, "--json=json", "--limit=10000000",
               env=shim(f"client:send:set:{AT}:{us}"))
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    assert json["twoway"]["clock_set"] == {
        "times": 0, "largest_ns": 0, "left_out": 0}
    assert json["thread"]["0"]["cycles"] == 60
    assert "was set" not in done.stdout


def test_datagrams(run, shim):
    """A reply that seems to be late is not lost."""
    done = run("-q", "-l", 60, "-c", "realtime", "--transport=udp",
               "--timeout=9000000", "--json=json",
               env=shim(f"server:send:set:{AT}:{HOUR}"))
    assert (done.returncode, done.stderr) == (0, "")
    told(done, HOUR)
    of = results.loaded(done)["twoway"]["pairs"][0]["datagrams"]
    assert (of["sent"], of["answered"], of["lost"]) == (60, 58, 0)


def test_the_timeline(run, shim):
    """Its seconds are those of a clock that nobody sets."""
    done = run("-q", "-D", 3, "-c", "realtime", "--timeline=timeline",
               env=shim(f"client:send:set:1000:-{HOUR}",
                        f"client:send:set:2000:{2 * HOUR}"), timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    seconds = [float(line.split(",")[1])
               for line in ended.rows(done.text("timeline"))]
    assert 3 <= len(seconds) <= 4
    assert 1 <= seconds[0] < seconds[1] < seconds[-1] < 10


@pytest.mark.parametrize("late_s", [0, 0.5])
def test_breaks(start, shim, late_s):
    """When they were, also if main is late to look into them."""
    process = start("-q", "-l", 60, "-c", "realtime", "-b", 20000,
                    "--breaks=2", "--json=json", env=shim(
                        "server:nanosleep:after:5:30000",
                        f"client:send:set:{AT}:-{HOUR}",
                        "server:nanosleep:after:40:40000"))
    if late_s:
        assert outside.wait_for(lambda: process.named("twoway-client"))
        process.signal(signal.SIGSTOP)
        time.sleep(late_s)
        process.signal(signal.SIGCONT)
    assert (process.finish(), process.err) == (2, "")
    json = results.check(start.directory / "json")
    for one in json["twoway"]["causes"]:
        assert 0 < one["first_s"] <= one["last_s"] < 20


@pytest.mark.parametrize("us", [-HOUR, HOUR])
def test_long_cycles(run, shim, us):
    """When they were, since the first one."""
    done = run("-q", "-l", 60, "-c", "realtime", "--worst", "--spike=20000",
               "--json=json", env=shim(
                   f"client:send:set:{AT}:{us}",
                   "server:nanosleep:after:40:30000"))
    assert (done.returncode, done.stderr) == (0, "")
    of = results.loaded(done)["twoway"]
    spike, *_ = [one for one in of["spikes"]["kept"] if one["cycle"] == 38]
    assert of["worst"]["latency"]["values"]["latency"] >= 30000000
    for one in spike, *of["worst"].values():
        assert 0 <= one["since_start_ns"] < 20 * 10 ** 9
    assert spike["since_start_ns"] > 30 * 10 ** 6


FAR = ("LD_PRELOAD={LD_PRELOAD}", "TW_DELAY={TW_DELAY}")


def loaded(done):
    """Of two hosts."""
    schema.validator(results.SCHEMA).validate(done.json())
    return done.json()


@pytest.mark.parametrize("place,left_out", [("nanosleep", 1), ("send", 0)])
@pytest.mark.parametrize("us", [-HOUR, -5000, HOUR])
def test_the_clock_of_the_server_s_host(run, shim, place, left_out, us):
    """In its sleep, the cycle is wrong; elsewhere none is."""
    env = shim(f"server:{place}:set:{AT}:{us}")
    done = run("--connect=127.0.0.1", rsh(*(one.format(**env) for one in FAR)),
               *QUICK, "-l", 200, "-c", "realtime", "--json=json",
               "--limit=10000000")
    assert (done.returncode, done.stderr) == (2, "")
    json = loaded(done)
    assert json["thread"]["0"]["cycles"] == 200 - left_out
    assert json["twoway"]["peer"]["clock_set"]["times"] == 1
    assert json["twoway"]["clock_set"] == {
        "times": 0, "largest_ns": 0, "left_out": left_out}
    assert json["thread"]["0"]["phases"]["network"]["min"] > 0
    assert json["thread"]["0"]["phases"]["sleep"]["min"] >= 100
    assert "# Server: its clock realtime was set 1 time" in \
        done.stdout.splitlines()
    assert "# Limit 10000000: undecided: the clock was set; otherwise " in \
        done.stdout


@pytest.mark.parametrize("where", ["here", "there"])
@pytest.mark.parametrize("at", [AT, 230])
def test_one_way(run, shim, amiss, where, at):
    """What compares both clocks is decided no more, however many windows have
    proven them to agree."""
    env = shim(f"{'client' if where == 'here' else 'server'}:send:set:{at}:"
               f"-{HOUR}")
    words = {"LD_PRELOAD": f"{amiss['LD_PRELOAD']}:{env['LD_PRELOAD']}",
             "TW_AMISS": "sync"}
    here = {**words, "TW_DELAY": env["TW_DELAY"] * (where == "here")}
    there = {**words, "TW_DELAY": env["TW_DELAY"] * (where == "there")}
    done = run("--connect=127.0.0.1",
               rsh(*(f"{key}={value}" for key, value in there.items())),
               *QUICK, "-l", 256, "-c", "realtime", "--oneway=sync",
               "--json=json", "--limit=send:0", env=here)
    assert (done.returncode, done.stderr) == (2, "")
    assert "# Limit send:0: undecided: " in done.stdout


@pytest.mark.parametrize("clock", ["monotonic", "realtime", "boottime"])
def test_a_suspend(run, shim, clock):
    """It is named as such, and as nothing else."""
    jumps = clock != "monotonic"
    done = run("-q", "-l", 60, "-c", clock, "--json=json", "--limit=10000000",
               "--limit=0", "--dump=dump", env=shim(f"client:send:suspend:{AT}:5000000"))
    assert (done.returncode, done.stderr) == (2, "")
    json = results.loaded(done)
    of = json["twoway"]
    assert abs(of["suspended_us"] - 5000000) <= ERROR / 1000
    assert of["clock_set"] == {"times": 0, "largest_ns": 0,
                               "left_out": 2 * jumps}
    assert json["thread"]["0"]["cycles"] == 60 - 2 * jumps
    assert [one["verdict"] for one in of["limits"]] == [
        "undecided", "exceeded"]
    assert "# Limit 10000000: undecided: the system was suspended; " \
        "otherwise " in done.stdout
    assert "# Suspended: the system slept for 5.000 s of this run; what was " \
        "late then, was late because of it" in done.stdout.splitlines()
    assert "was set" not in done.stdout
    assert ended.told(done.text("dump")) == [
        line for line in done.stdout.splitlines() if re.match(
            "# (Suspended|Limit|Clock)", line)]
    assert (f"# Clock {clock} has jumped, but nobody has set it here; 2 "
            "cycles are left out" in done.stdout) == jumps


def test_a_suspend_of_the_server_s_host(run, shim):
    env = shim(f"server:send:suspend:{AT}:5000000")
    done = run("--connect=127.0.0.1", rsh(*(one.format(**env) for one in FAR)),
               *QUICK, "-l", 60, "--json=json", "--limit=10000000",
               "--dump=dump")
    assert (done.returncode, done.stderr) == (2, "")
    assert "# Server: its host was suspended for 5.000 s" in \
        ended.told(done.text("dump"))
    of = loaded(done)["twoway"]
    assert abs(of["peer"]["suspended_us"] - 5000000) <= ERROR / 1000
    assert of["suspended_us"] == 0
    assert "# Server: its host was suspended for 5.000 s" in \
        done.stdout.splitlines()
    assert "# Limit 10000000: undecided: the system was suspended; " \
        "otherwise " in done.stdout
