# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that is late by a known time: seen in that trial and metric alone."""

import csv
import os
import re
import struct

import pytest

import ended

LATE_US = 50000
TRIALS = 12
TRIAL = 7
PERIOD_US = 5000

# From where to where a metric is measured: places in the trial before and in
# the trial itself, which have five times each.
SPANS = {"out": (5, 6), "back": (6, 7), "roundtrip": (5, 7),
         "wakeup": (5, 6), "interval": (1, 6), "excess": (6, 7),
         "enter": (5, 6), "leave": (6, 7)}

# Test, task and its call; how many of these calls it makes before the first
# trial, and in each; and the metrics that the delay is in. A condition variable
# is signalled after its flag is set: who is not yet waiting goes on without the
# signal. Nobody goes on before the mutex is unlocked.
LATE = [
    ("sync2.unnamed", "asks", "sem_post", 1, 1, {"out", "roundtrip"}),
    ("sync2.unnamed", "answers", "sem_post", 1, 1, {"back", "roundtrip"}),
    ("sync2.named", "answers", "sem_post", 1, 1, {"back", "roundtrip"}),
    ("sync2.sysv", "asks", "semop", 0, 2, {"out", "roundtrip"}),
    ("sync2.eventfd", "asks", "write", 0, 1, {"out", "roundtrip"}),
    ("sync2.eventfd", "answers", "write", 0, 1, {"back", "roundtrip"}),
    ("sync2.cond", "asks", "pthread_mutex_unlock", 0, 2,
     {"out", "roundtrip"}),
    ("sync2.cond", "answers", "pthread_mutex_unlock", 1, 2,
     {"back", "roundtrip"}),
    ("sync2.pi", "asks", "pthread_mutex_unlock", 0, 2, {"out", "roundtrip"}),
    ("sync2.pi", "asks", "pthread_cond_signal", 0, 1, {"roundtrip"}),
    ("sync2.mutex", "asks", "pthread_mutex_unlock", 0, 1, {"out"}),
    ("message.8", "asks", "mq_send", 0, 1, {"out", "roundtrip"}),
    ("message.8", "answers", "mq_send", 0, 1, {"back", "roundtrip"}),
    ("signal.sigwaitinfo", "asks", "sigqueue", 0, 1, {"out", "roundtrip"}),
    ("signal.handler", "answers", "sigqueue", 0, 1, {"back", "roundtrip"}),
    ("signal.signalfd", "answers", "sigqueue", 0, 1, {"back", "roundtrip"}),
    ("timer.1000", "high", "sigwaitinfo", 0, 1, {"wakeup", "interval"}),
    ("sleep.nanosleep.1000", "high", "nanosleep", 0, 1, {"excess"}),
    ("sleep.absolute.1000", "high", "clock_nanosleep", 0, 1, {"excess"}),
    ("trap.signal", "high", "kill", 0, 1, {"enter", "roundtrip"}),
]


# Two trials warm up. Who is late for the first of them, for one between others
# or for the last; who is late in it.
@pytest.mark.parametrize("fault, missed", [
    ("asks:clock_nanosleep:before:0", False),
    ("asks:clock_nanosleep:before:1", False),
    ("asks:clock_nanosleep:before:2", True),
    ("asks:clock_nanosleep:after:7", True),
    ("asks:clock_nanosleep:before:13", True),
    ("answers:sem_post:before:8", True),
    ("answers:sem_post:before:14", True)])
def test_expiries_that_were_missed(primitive, fault, missed):
    """Between the first trial and the last one, each expiry has a trial or is
    missed; those that passed before the end of the run, too."""
    result = primitive(
        "--test=sync2.unnamed", f"--loops={TRIALS}", f"-i{PERIOD_US}",
        "--dump=dump", env={
            "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
            "TW_DELAY": f"{fault}:{LATE_US}"})
    assert result.returncode == 0, result.stderr
    (name, test), = result.tests.items()
    assert (test["missed"] >= LATE_US // PERIOD_US - 1) == missed
    assert result.lines("# Missed: ") == [f"{name}: {test['missed']}"] * bool(
        test["missed"])
    rows = list(csv.reader(ended.rows(
        (primitive.directory / "dump").read_text(encoding="ascii"))))
    assert len(rows) == TRIALS
    begin, end = int(rows[0][2]), max(map(int, rows[-1][2:]))
    # The first may have begun late, and the run has ended after the last.
    assert test["missed"] + TRIALS >= (end - begin) // (1000 * PERIOD_US)


def test_limit_and_missed_expiries(primitive):
    """What is not known of them is above a limit that is shorter than the time
    that was lost; what is known, and lasts 2 ms, is not above it."""
    limits = {"300000": "undecided", "avg:300000": "undecided",
              "p75:300000": "undecided", "p10:300000": "met",
              "9000000": "met", "avg:9000000": "met", "p75:9000000": "met"}
    result = primitive(
        "--test=sync2.unnamed", "--loops=60", f"-i{PERIOD_US}",
        *(f"--limit=sync2.roundtrip:{limit}" for limit in limits), env={
            "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
            "TW_DELAY": "asks:clock_nanosleep:before:7:400000,"
                        "answers:sem_post:before:*:2000"})
    assert result.returncode == 2, result.stderr
    (name, test), = result.tests.items()
    count = test["missed"]
    lines = result.lines("# Limit sync2.roundtrip:")
    assert len(lines) == len(limits)
    for line, (limit, verdict), of in zip(
            lines, limits.items(), result.json["primitives"]["limits"]):
        assert re.fullmatch(
            rf"{limit}: {verdict}: {name}\.roundtrip: " + (
                r"[\d.]+ us" if verdict == "met" else
                rf"at least [\d.]+ us \(no trial in {count} periods\)"), line)
        assert of["verdict"] == verdict
        assert (of["value_ns"] is None) == (verdict == "undecided")


def shared_ns(span, delay):
    """How long both last at the same time; below 0: they never do."""
    return min(span[1], delay[1]) - max(span[0], delay[0])


def spans(path, metric):
    """Of each trial but the first, its number and its span of a metric."""
    lines = list(csv.reader(ended.rows(path.read_text(encoding="ascii"))))
    begin, end = SPANS[metric]
    for before, line in zip(lines, lines[1:]):
        times = [int(word) for word in before[2:] + line[2:]]
        yield int(line[1]), (times[begin], times[end])


# Where the delay lies is compared with where the trials lie: the length of a
# trial alone depends on what else runs.
@pytest.mark.parametrize("test, role, call, first, each, metrics", LATE,
                         ids=[f"{row[0]}-{row[1]}-{row[2]}" for row in LATE])
def test_late(primitive, test, role, call, first, each, metrics):
    warmup = 2
    number = first + each * (warmup + TRIAL - 1)
    stamps = primitive.directory / "stamps"
    stamps.write_bytes(b"")
    result = primitive(
        f"--test={test}", f"--loops={TRIALS}", "--worst", "--dump=dump",
        env={"LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
             "TW_DELAY": f"{role}:{call}:before:{number}:{LATE_US}",
             "TW_DELAY_STAMPS": str(stamps)})
    assert result.returncode == 0, result.stderr
    delay = struct.unpack_from("=2q", stamps.read_bytes())
    # The delay may begin up to a period before the timer expires.
    late_ns = delay[1] - delay[0] - 1000000
    assert late_ns >= 1000 * LATE_US - 1000000
    if test == "timer.1000":
        assert result.tests[test]["missed"] >= LATE_US // 1000 - 5
    worst = result.json["primitives"]["worst"]
    for name, found in worst.items():
        metric = name.rsplit(".", 1)[1]
        if metric in metrics:
            assert found["values"][metric] >= late_ns
        for trial, span in spans(primitive.directory / "dump", metric):
            if trial == TRIAL and metric in metrics:
                assert shared_ns(span, delay) >= late_ns
            # Of a signal that nobody waits for, see above.
            elif trial != TRIAL or call != "pthread_cond_signal":
                assert shared_ns(span, delay) <= 0
