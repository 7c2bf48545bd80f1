# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: work, copies, threads, memory and bytes to another task."""

import os
import re

import pytest

import outside

TRIALS = 20
WARMUP = 2
WORKS = ["work.add", "work.copy", "work.whetstone", "work.fft"]
COPIES = ["1", "2", "4", "8", "16"]
STREAMS = [f"{test}.{size}" for test in ("pipe", "unix")
           for size in (1, 64, 1024, 8192)]


@pytest.fixture(name="primitive")
def above_loads(primitive):
    """Where that is allowed: a trial that gets no CPU time is an error."""
    return lambda *args, **options: primitive(
        *["-p", "50"][:2 * outside.may(52)], *args, **options)


def preloads(kind):
    """The environment in which calls of that kind go amiss."""
    return {"LD_PRELOAD": os.environ["TWOWAY_AMISS_SO"], "TW_AMISS": kind}


def everywhere():
    """The options for threads and processes, on one CPU and two if there."""
    cpus = "same,cross" if len(os.sched_getaffinity(0)) > 1 else "same"
    return ["--tasks=thread,process", f"--cpus={cpus}"]


def verdicts(test):
    assert not any(verdict["failed"] for verdict in test["verdicts"])
    return [verdict["text"] for verdict in test["verdicts"]]


@pytest.mark.parametrize("name", WORKS)
def test_work(primitive, name):
    """It takes some time; how many iterations that were is told."""
    result = primitive(f"--test={name}", "-l", str(TRIALS))
    assert result.returncode == 0, result.stderr
    test, column = result.tests[name], result.columns[f"{name}.time"]
    assert test["trials"] == TRIALS
    assert test["number"] >= 1
    text, = verdicts(test)
    assert text.startswith(f"{test['number']} iterations a trial, calibrated")
    stretch, = result.json["primitives"]["derived"]
    assert (stretch["name"], stretch["unit"]) == (f"{name}.stretch", "%")
    assert stretch["value"] == pytest.approx(
        100 * (column["max"] - column["min"]) / column["min"], abs=0.01)


@pytest.mark.parametrize("name", WORKS)
def test_work_is_fixed(primitive, name):
    result = primitive(f"--test={name}", "-l", "3", "--work=2")
    assert result.returncode == 0, result.stderr
    assert result.tests[name]["number"] == 2
    assert verdicts(result.tests[name]) == [
        "2 iterations a trial, as --work says"]


def test_too_much_work(primitive):
    """A trial over a second is an error, without -p over ten."""
    result = primitive("--test=work.add", "-l", "1", "--work=1000000000000")
    assert result.returncode == 1
    assert "took longer than" in result.stderr


@pytest.mark.parametrize("kind", ["skip", "byte"])
def test_work_amiss(primitive, kind):
    """A trial whose result is another ends the run, to the last byte."""
    result = primitive("--test=work.copy", "-l", str(TRIALS), "--work=1",
                       env=preloads(kind))
    assert result.returncode == 1
    assert "the checksum of the results" in result.stderr


def run_copy(primitive, number, *options):
    """A trial is the copy of a thread: as many as were asked for."""
    result = primitive("-l", str(TRIALS), *options)
    assert result.returncode == 0, result.stderr
    for test in result.tests.values():
        assert test["tasks"] == "thread"
        assert test["trials"] == TRIALS
        assert len(test["processes"]) == number
        text, = verdicts(test)
        worst, best, ratio = map(float, re.findall(r"\d+\.\d+", text))
        assert worst >= best
        assert ratio == pytest.approx(worst / best, abs=0.001)
    return result


@pytest.mark.parametrize("name", COPIES)
def test_copy(primitive, name):
    number = int(name)
    result = run_copy(primitive, number, f"--test=copy.{name}", *everywhere())
    test = result.tests[f"copy.{name}.thread.same"]
    column = result.columns[f"copy.{name}.thread.same.time"]
    assert test["switches"]["needed"] == \
        2 * (number - 1) * (TRIALS + WARMUP) // number
    means = list(map(float, re.findall(r"\d+\.\d+", verdicts(test)[0])))
    assert means[1] <= column["avg"] * 1000 + 1
    assert means[0] >= column["avg"] * 1000 - 1
    for name, test in result.tests.items():
        cpus = {task["cpus"] for task in test["processes"]}
        two = name.endswith(".cross") and number > 1
        assert len(cpus) == 1 + two


def test_copies_that_are_asked_for(primitive):
    result = run_copy(primitive, 3, "--test=copy", "--copies=3")
    assert list(result.tests) == ["copy.3.thread.same"]


@pytest.mark.parametrize("kind, name, wrong", [
    ("copy", "copy.1", 1), ("copy", "copy.4", 4), ("skip", "copy.1", 1),
])
def test_copy_amiss(primitive, kind, name, wrong):
    """Bytes that were not copied are noticed, at the end or in each trial."""
    result = primitive(f"--test={name}", "-l", str(TRIALS),
                       env=preloads(kind))
    assert result.returncode == 1
    assert f"{wrong} copies differ" in result.stderr


def test_thread(primitive):
    """Each thread begins after it was asked for, and before it is joined."""
    result = primitive("--test=thread", "-l", str(TRIALS))
    assert result.returncode == 0, result.stderr
    assert result.tests["thread"]["trials"] == TRIALS
    total = {metric: result.sum_ns(f"thread.{metric}")
             for metric in ("create", "first", "join", "life")}
    assert total["first"] + total["join"] == \
        pytest.approx(total["life"], abs=2)
    assert total["create"] < total["life"]
    # The thread took that timestamp, not the task that created it.
    assert total["create"] != total["first"]
    for metric in total:
        assert result.columns[f"thread.{metric}"]["min"] > 0


@pytest.mark.parametrize("name", ["alloc.single", "alloc.batch"])
def test_alloc(primitive, name):
    result = primitive(f"--test={name}", "-l", str(TRIALS))
    assert result.returncode == 0, result.stderr
    assert result.tests[name]["trials"] == TRIALS
    assert result.columns[f"{name}.pair"]["min"] > 0


@pytest.mark.parametrize("name", STREAMS)
def test_stream(primitive, name):
    """Out and back are the round trip; all that was sent came."""
    result = primitive(f"--test={name}", "-l", str(TRIALS), *everywhere())
    assert result.returncode == 0, result.stderr
    assert len(result.tests) in (2, 4)
    number = TRIALS + WARMUP
    for full, test in result.tests.items():
        assert test["trials"] == TRIALS
        assert test["switches"]["had"] >= test["switches"]["needed"] > 0
        count = 2 * number + 1
        assert verdicts(test) == [f"{count} sent, {count} received, "
                                  "0 of them with other content"]
        assert result.sum_ns(f"{full}.out") + result.sum_ns(f"{full}.back") \
            == pytest.approx(result.sum_ns(f"{full}.roundtrip"), abs=2)


def test_preempted(primitive):
    """Its switches beyond those of each trial, of which two may not be."""
    sleeps = ",".join(f"{role}:write:{late}" for role in ("asks", "answers")
                      for late in ("before:*:1000", "after:*:1"))
    result = primitive("--test=unix.1", "-l", str(TRIALS), env={
        "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"], "TW_DELAY": sleeps})
    assert result.returncode == 0, result.stderr
    test, = result.tests.values()
    assert test["switches"]["needed"] == 2 * (TRIALS + WARMUP)
    usual = 2 * test["switches"]["needed"]
    assert result.lines("# Preempted: unix.1.process.same:") == [
        f"{test['switches']['had'] - usual} switches more than the {usual} "
        "needed"]


@pytest.mark.parametrize("size", ["1", "3", "65536"])
def test_size_of_all(primitive, size):
    result = primitive("--test=pipe,unix", f"--size={size}", "-l", "3")
    assert result.returncode == 0, result.stderr
    assert list(result.tests) == [f"pipe.{size}.process.same",
                                  f"unix.{size}.process.same"]
    for test in result.tests.values():
        assert test["switches"]["needed"] == 2 * (3 + WARMUP)
        assert verdicts(test)[0].startswith("11 sent, 11 received, 0 ")


@pytest.mark.parametrize("name", ["pipe.1", "pipe.64", "unix.8192"])
def test_stream_amiss(primitive, name):
    """A byte that is another is noticed: one by each of the tasks."""
    result = primitive(f"--test={name}", "-l", str(TRIALS),
                       env=preloads("write"))
    assert result.returncode == 1
    assert "2 of them with other content" in result.stderr \
        or "1 of them with other content" in result.stderr
