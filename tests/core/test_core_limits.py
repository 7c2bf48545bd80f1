# SPDX-License-Identifier: GPL-2.0-or-later
"""--limit: verdicts and exit status of runs that are cut short, and of those
that are not."""

import os
import re
import signal

import pytest

import results
from hang import Hang, pids_of, unanswered

ENDLESS, LOOPS, TIME = (), ("-l", 10 ** 6), ("-D", 600)


@pytest.mark.parametrize("length,limit,verdict", [
    (ENDLESS, "1000000000", "met"), (ENDLESS, "0", "exceeded"),
    (LOOPS, "1000000000", "undecided"), (LOOPS, "avg:0", "exceeded"),
    (TIME, "missed:1000000000", "undecided"), (TIME, "0", "exceeded"),
    (ENDLESS, "p99.999:1000000000", "undecided"),
    (TIME, "p99.99:0", "undecided"), (ENDLESS, "p20:0", "exceeded")])
@pytest.mark.parametrize("end", ["signal", "killed"])
def test_a_run_that_is_cut_short(start, length, limit, verdict, end):
    """A signal is the usual end of a run without -l and -D. What a failed or
    shorter run has not exceeded is not met; what is said of it is true."""
    process = start("-q", "--json=json", *length, f"--limit={limit}")
    pids = process.steady()
    if end == "signal":
        process.signal(signal.SIGINT)
    else:
        os.kill(pids["client"], signal.SIGKILL)
        verdict = "undecided" if verdict == "met" else verdict
    status = 1 if end == "killed" else 0 if verdict == "met" else 2
    assert process.finish() == status
    json = results.check(start.directory / "json")
    one, = json["twoway"]["limits"]
    assert one["verdict"] == verdict
    line, = (line for line in results.text(process.out).lines
             if line.startswith("# Limit "))
    cycles = json["thread"]["0"]["cycles"]
    needed = {"p99.999": 1000000, "p99.99": 100000}.get(limit.split(":")[0], 0)
    if needed:
        # The client that is killed may have waited longer than ever before.
        assert line.removesuffix(" (no reply in 1 cycle)") == \
            f"# Limit {limit}: undecided: {cycles} cycles, needed are {needed}"
    else:
        assert line.startswith(f"# Limit {limit}: {verdict}: " +
                               "the run was cut short; so far " *
                               (verdict == "undecided"))
    assert (one.get("value", one.get("value_ns")) is None) == \
        (verdict == "undecided")


@pytest.mark.parametrize("options,status", [
    ("--limit=1000000000 -b 1", 2), ("--limit=0 -h 50", 2),
    ("--limit=1000000000 -h 50 --histfile=h", 0),
    ("--limit=missed:1000000000 -t3 -d0", 0), ("-t2 --limit=send:avg:0", 2),
    ("-t2 -d0 -i20000,101 -l 20 --limit=missed:0", 2),
    ("--limit=p50:1000000000", 0),
    ("--limit=p90:1000000000 -l 50 --load=fft --steps=2", 0),
    ("-i0 --limit=interval:p90:1e", 1)])
def test_status_of_limits(run, options, status):
    done = run("-q", "-l", 100, "--json=json", *options.split())
    assert done.returncode == status
    if status == 1:
        return
    one, = results.loaded(done)["twoway"]["limits"]
    broke = "-b" in options
    assert one["verdict"] == "undecided" if broke else \
        ("met", "", "exceeded")[status]
    assert len(re.findall("^# Limit ", done.stdout, re.M)) == 1


def test_percentile_that_just_can_be_decided(run):
    """One cycle less is refused at once: 10 values must be above it."""
    for percent, needed in (("50", 20), ("90", 100), ("99", 1000)):
        args = ("-q", "-i", 0, "--sleep=0", f"--limit=p{percent}:1000000000")
        assert run(*args, "-l", needed).returncode == 0
        for few in (("-l", needed - 1), ("-D", 1, "-l", needed - 1)):
            done = run(*args, *few)
            assert done.returncode == 1 and "T:" not in done.stdout
            assert done.stderr == f"FATAL: --limit=p{percent}:1000000000: " \
                f"needs {needed} cycles; with --loops and --duration, " \
                f"pair 0 has at most {needed - 1}\n"
    done = run("-q", "-D", 2, "-t2", "-d", 100000, "--limit=p90:5")
    assert "pair 1 has at most 20\n" in done.stderr


def test_many_limits(run):
    given = [f"--limit=send:{10 ** 9 - n}" for n in range(64)]
    done = run("-q", "-l", 20, "--json=json", *given)
    assert done.returncode == 0
    assert len(results.loaded(done)["twoway"]["limits"]) == 64
    done = run("-l", 20, *given, "--limit=5")
    assert "--limit=5: allowed are at most 64" in done.stderr


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_limits_without_a_reply(start, transport):
    """The interval that it has begun counts, and it may be lost, or not. The
    half of all is known."""
    udp = ("--transport=udp", "--timeout=10000000") * (transport == "udp")
    limits = ("interval:300000", "interval:9000000", "interval:avg:9000000",
              "interval:p50:9000000", "interval:avg:1050", "lost:0", "lost:1")
    process = start("-q", "-N", "--json=json", *udp,
                    *(f"--limit={limit}" for limit in limits))
    Hang(process, pids_of(process, "server")).end(signal.SIGINT, 2)
    json, (one,) = unanswered(start, process)
    found = json["twoway"]["limits"]
    lost = "undecided" if udp else "met"
    assert [limit["verdict"] for limit in found] == [
        "exceeded", "undecided", "undecided", "met", "exceeded", lost,
        "met"]
    assert found[0]["value_ns"] // 1000 == one["age_us"]
    interval = json["thread"]["0"]["phases"]["interval"]
    assert interval["max"] < found[0]["value_ns"]
    assert found[4]["value_ns"] * (interval["cycles"] + 1) == pytest.approx(
        interval["avg"] * interval["cycles"] + found[0]["value_ns"])
    lines = [line for line in process.out.splitlines() if "# Limit" in line]
    assert lines[0] == "# Limit interval:300000: exceeded: at least " \
        f"{found[0]['value_ns'] / 1000:.3f} us (no reply in 1 cycle)"
    assert lines[5] == "# Limit lost:0: " + ("undecided: 0 to 1" if udp else
                                             "met: 0")


@pytest.mark.parametrize("why", ["lost", "cut"])
def test_rates_that_are_never_met(start, shim, why):
    """Of a run that lost a cycle, or was cut short, however rare it is to be."""
    udp = ("-l", 200, "--transport=udp", "--timeout=50000")
    limit = "rate:1000000000/min:1000000"
    process = start("-q", "--json=json", f"--limit={limit}",
                    *udp if why == "lost" else ("-l", 10 ** 6),
                    env=shim(*["server:send:drop:90:0"] * (why == "lost")))
    if why == "cut":
        process.steady()
        process.signal(signal.SIGINT)
    assert process.finish() == 2
    one, = results.check(start.directory / "json")["twoway"]["limits"]
    assert one == {"limit": limit, "metric": "rate", "most": 1e9,
                   "value": None, "pair": 0, "verdict": "undecided"}
    line, = (line for line in process.out.splitlines() if "# Limit" in line)
    assert line.startswith(f"# Limit {limit}: undecided: ")
    assert line.endswith(" (no reply in 1 cycle)") == (why == "lost")


def test_a_rate_needs_a_timer(run):
    done = run("-q", "-i", 0, "-l", 9, "--limit=rate:1/h:5")
    assert done.returncode == 1 and done.stderr == "FATAL: --limit=rate:1/h:5: " \
        "needs a timer, so an --interval above 0\n"
