# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: the clock of -c is set while it measures."""

import csv
import os
import re

import pytest

import ended

HOUR = 3600 * 10 ** 6       # us
ERROR = 100000              # ns: of a reading, on a busy machine
BLOCK = 32                  # trials that are recorded together
AT = 50                     # the call before which it is set, from 0


def setting(place, us, at=AT, what="set"):
    return {"LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
            "TW_DELAY": f"{place}:{what}:{at}:{us}"}


# Test, task and its call; the trials that are left out, and its options.
TESTS = [
    ("sync2.unnamed", "asks:sem_post", BLOCK, ()),
    # Two a trial, so in the first block, which has the warm-up.
    ("sync2.cond", "answers:pthread_mutex_unlock", BLOCK - 2,
     ("--tasks=thread",)),
    ("message.8", "answers:mq_send", BLOCK, ()),
    ("timer.1000", "high:sigwaitinfo", 1, ()),
    ("alarm", "high:sigsuspend", 1, ()),
    ("sleep.nanosleep.100", "high:nanosleep", BLOCK, ()),
]


@pytest.mark.parametrize("clock", ["realtime", "tai"])
@pytest.mark.parametrize("us", [-HOUR, HOUR])
@pytest.mark.parametrize("test,place,left_out,options", TESTS)
def test_set(primitive, test, place, left_out, options, us, clock):
    """Trials that spanned it are in no statistic, and in the dump without
    times; none of the others has what the clock was set by."""
    done = primitive(f"--test={test}", *options, "-l", 200, "-c", clock,
                     "--dump=dump", "--limit=" + test.split(".")[0] + "." + (
                         {"sync2": "out", "message": "out", "alarm":
                          "interval", "timer": "wakeup", "sleep": "excess"}
                         [test.split(".")[0]]) + ":1000000",
                     env=setting(place, us), timeout=60)
    assert (done.returncode, done.stderr) == (2, "")
    of = done.json["primitives"]
    name, = done.tests
    number = of["clock_set"]["largest_ns"]
    assert of["clock_set"] == {"times": 1, "largest_ns": number,
                               "left_out": left_out}
    assert abs(number - HOUR * 1000) <= ERROR
    noun = "trial is" if left_out == 1 else "trials are"
    assert f"# Clock {clock} was set 1 time, by up to {number / 1000:.3f} " \
        f"us; {left_out} {noun} left out" in done.stdout.splitlines()
    assert done.tests[name]["left_out"] == left_out
    for column in done.columns.values():
        gaps = 2 if column["metric"].endswith("interval") else 1
        assert 200 - left_out - gaps <= column["cycles"] <= 200 - left_out
        assert -1 < column["min"] <= column["max"] < HOUR / 2
    lines = list(csv.reader(ended.rows(
        done.path("dump").read_text(encoding="ascii"))))
    assert [int(line[1]) for line in lines] == list(range(1, 201))
    empty = [line for line in lines if line[2:] == [""] * 5]
    assert len(empty) == left_out
    assert all("" not in line for line in lines if line not in empty)
    one, = of["limits"]
    assert one["verdict"] == "undecided"
    assert re.search(r"^# Limit \S+: undecided: the clock was set; otherwise ",
                     done.stdout, re.M)


def test_copies(primitive):
    """The clock is set in one of them: none of its round counts."""
    done = primitive("--test=copy.4", "-l", 40, "-c", "realtime", "--warmup=0",
                     "--dump=dump", env={
                         "LD_PRELOAD": os.environ["TWOWAY_AMISS_SO"],
                         "TW_AMISS": "set"})
    assert (done.returncode, done.stderr) == (0, "")
    of = done.json["primitives"]["clock_set"]
    assert (of["times"], of["left_out"]) == (1, 4)
    rows = ended.rows(done.path("dump").read_text(encoding="ascii"))
    assert [line.split(",")[1] for line in rows if ",,,,," in line] == [
        "5", "6", "7", "8"]
    # What it does not take is 0, also after those that were left out.
    assert all(line.endswith(",0,0,0") for line in rows if ",,,,," not in line)
    column, = done.columns.values()
    assert column["cycles"] == 36 and column["max"] < 5000000
    verdict, = done.tests["copy.4.thread.same"]["verdicts"]
    assert float(re.search("worst average ([0-9.]+) ns",
                           verdict["text"])[1]) < 10 ** 9


@pytest.mark.parametrize("us", [-HOUR, HOUR])
def test_the_time_of_a_test(primitive, us):
    """It is that of a clock that nobody sets."""
    done = primitive("--test=timer.1000", "-D", 1, "-c", "realtime",
                     env=setting("high:sigwaitinfo", us), timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    of = done.tests["timer.1000"]
    assert 900 < of["trials"] + of["left_out"] + of["missed"] < 2000


def test_a_suspend(primitive):
    done = primitive("--test=sync2.unnamed", "-l", 200, "--limit="
                     "sync2.out:1000000", env=setting(
                         "asks:sem_post", 5000000, what="suspend"))
    assert (done.returncode, done.stderr) == (2, "")
    of = done.json["primitives"]
    assert abs(of["suspended_us"] - 5000000) <= ERROR / 1000
    assert of["clock_set"]["left_out"] == 0
    assert "# Suspended: the system slept for 5.000 s of this run; what was " \
        "late then, was late because of it" in done.stdout.splitlines()
    assert "undecided: the system was suspended; otherwise " in done.stdout


@pytest.mark.parametrize("clock", ["monotonic", "realtime"])
def test_not_set(primitive, clock):
    done = primitive("--test=sync2.unnamed", "-l", 200, "-c", clock,
                     "--limit=sync2.out:1000000")
    assert (done.returncode, done.stderr) == (0, "")
    of = done.json["primitives"]
    assert of["clock_set"] == {"times": 0, "largest_ns": 0, "left_out": 0}
    assert of["suspended_us"] == 0
    assert "was set" not in done.stdout and "Suspended" not in done.stdout
