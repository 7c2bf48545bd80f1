# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: messages, signals and a mutex from one task to another."""

import contextlib
import os
import resource

import pytest

import tracing

TRIALS = 20
WARMUP = 2
STREAM = 120
QUEUED = 10
CLONE_NEWUSER = 0x10000000

ROUND_TRIPS = ["message.8", "message.64", "message.1024", "message.8192",
               "signal.sigwaitinfo", "signal.handler", "signal.signalfd"]
ONE_WAY = ["stream.8", "stream.64", "stream.1024", "stream.8192",
           "signal.queue", "sync2.mutex"]


def verdicts(test):
    assert not any(verdict["failed"] for verdict in test["verdicts"])
    return [verdict["text"] for verdict in test["verdicts"]]


def run_all(primitive, name, *options):
    """As threads and processes, on one CPU and two if there are two."""
    cpus = "same,cross" if len(os.sched_getaffinity(0)) > 1 else "same"
    result = primitive(f"--test={name}", "-l", str(TRIALS),
                       "--tasks=thread,process", f"--cpus={cpus}", *options)
    assert result.returncode == 0, result.stderr
    assert len(result.tests) == 2 * len(cpus.split(","))
    for test in result.tests.values():
        assert test["trials"] == TRIALS
        assert test["switches"]["had"] >= test["switches"]["needed"] * 0.99
        assert test["switches"]["needed"] > 0
    return result


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_round_trip(primitive, name):
    """Out and back are the round trip; all that was sent came."""
    result = run_all(primitive, name)
    number = TRIALS + WARMUP
    for full, test in result.tests.items():
        assert result.sum_ns(f"{full}.out") + result.sum_ns(f"{full}.back") \
            == pytest.approx(result.sum_ns(f"{full}.roundtrip"), abs=2)
        count = 2 * number + 1
        assert verdicts(test) == [f"{count} sent, {count} received, "
                                  "0 of them with other content"]


def metrics_of(result, test):
    return [one["span"].removeprefix(f"{test}.")
            for one in result.series.values() if one["test"] == test]


@pytest.mark.parametrize("name", ONE_WAY)
def test_one_way(primitive, name):
    result = run_all(primitive, name)
    number = TRIALS + WARMUP
    for full, test in result.tests.items():
        assert f"{full}.roundtrip" not in result.columns
        if name == "sync2.mutex":
            assert metrics_of(result, full) == ["out"]
        elif name == "signal.queue":
            assert metrics_of(result, full) == ["send", "take"]
            assert verdicts(test)[0] == (f"{QUEUED * number} signals queued, "
                                         "0 lost, 0 out of order")
            assert f"{number} trials, arrived {number} times" \
                in verdicts(test)[1]
        else:
            count = (STREAM + 1) * number + 1
            assert verdicts(test)[0].startswith(f"{count} sent, "
                                                f"{count} received")


@pytest.mark.parametrize("order", ["higher", "lower", "equal"])
def test_order(realtime, order):
    """Each order has the switches that it needs, and no 10 % more."""
    result = realtime("--test=message.8,stream.8,signal.queue,sync2.mutex",
                      f"--order={order}", "-l", "100")
    assert result.returncode == 0, result.stderr
    assert len(result.tests) == 4
    level = {"higher": 50, "equal": 49, "lower": 48}[order]
    for test in result.tests.values():
        asks, answers = test["processes"]
        assert (asks["priority"], answers["priority"]) == (49, level)
        assert test["switches"]["had"] < test["switches"]["needed"] * 1.1
    needed = result.tests["stream.8.process.same"]["switches"]["needed"]
    assert needed == 102 * {"higher": 240, "lower": 222, "equal": 20}[order]


@pytest.mark.parametrize("size", [1, 5, 2000])
def test_size(primitive, size):
    result = primitive("--test=message,stream", f"--size={size}", "-l", "10")
    assert result.returncode == 0, result.stderr
    assert list(result.tests) == [f"message.{size}.process.same",
                                  f"stream.{size}.process.same"]


def test_rate(primitive):
    """Bytes a second are those of one message, by its mean."""
    result = primitive("--test=stream.1024", "-l", "10")
    name = "stream.1024.process.same"
    rate = result.json["primitives"]["derived"][0]
    assert (rate["name"], rate["unit"]) == (f"{name}.rate", "MB/s")
    mean_us = result.columns[f"{name}.message"]["avg"]
    assert rate["value"] == pytest.approx(1024 / mean_us, rel=0.01)


def test_too_few_descriptors(primitive):
    result = primitive("--test=sync2", "-l", "1", json=False, preexec_fn=lambda:
                       resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))
    assert result.returncode == 1
    assert result.stderr == (
        "WARN: cannot start the parent of the tasks: Too many open files; see "
        "\"ulimit -n\" and \"ulimit -u\"\n")


def test_no_timer(primitive):
    """A POSIX timer keeps a signal."""
    result = primitive("--test=timer.1000", "-l", "1", json=False,
                       preexec_fn=lambda: resource.setrlimit(
                           resource.RLIMIT_SIGPENDING, (0, 0)))
    assert result.returncode == 1
    assert ("prim-high: timer_create (see ulimit -i): Resource temporarily "
            "unavailable\n") in result.stderr


def test_queue_too_large(primitive):
    """What the queues' limits forbid is refused if named, else skipped."""
    limited = {"preexec_fn": lambda: resource.setrlimit(
        resource.RLIMIT_MSGQUEUE, (8000, 8000))}
    result = primitive("--test=message.8192", json=False, **limited)
    assert result.returncode == 1
    assert "10 messages of 8192 bytes" in result.stderr
    assert "8000 bytes in all queues" in result.stderr
    # Not its exit status: a timer that is late needs no switch.
    result = primitive("--test=aegis", "-l", "1", **limited)
    skipped = result.tests["message.8192.process.same"]["skipped"]
    assert "msgsize_max" in skipped
    assert "trials" in result.tests["signal.queue.process.same"]


@pytest.mark.parametrize("allowed", [5, QUEUED])
def test_signals_too_few(primitive, allowed):
    """One more than the queue has: SIGUSR1 beside it."""
    def limit():
        # Otherwise, those of all programs of this user count.
        with contextlib.suppress(OSError):
            tracing.system("unshare", CLONE_NEWUSER)
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (allowed, allowed))

    result = primitive("--test=signal.queue", "-l", "1", preexec_fn=limit)
    assert result.returncode == 1
    assert f"{QUEUED + 1} signals cannot be queued" in result.stderr
    assert f"{allowed} are allowed" in result.stderr


@pytest.mark.parametrize("test, spoil, why", [
    ("message.8", "content", "1 of them with other content"),
    ("message.8192", "content", "1 of them with other content"),
    # One by each of the tasks.
    ("stream.8", "content", "2 of them with other content"),
    ("signal.sigwaitinfo", "value", "1 of them with other content"),
    ("signal.handler", "value", "1 of them with other content"),
    ("signal.signalfd", "value", "1 of them with other content"),
    ("signal.queue", "value", "0 lost, 1 out of order"),
    ("signal.queue", "lost", "1 lost"),
])
def test_spoilt(primitive, test, spoil, why):
    """A wrong content or number is found, and the exit status is 1."""
    result = primitive(f"--test={test}", "-l", "50",
                       env={"LD_PRELOAD": os.environ["TWOWAY_SPOIL_SO"],
                            "TW_SPOIL": spoil})
    assert result.returncode == 1
    assert why in result.stderr
    failed = [verdict for verdict in
              result.tests[f"{test}.process.same"]["verdicts"]
              if verdict["failed"]]
    assert len(failed) == 1


@pytest.mark.parametrize("test, why", [
    ("thread", "creating and joining a thread: Resource temporarily"),
    ("syscall.open", "a system call of its trials: Too many open files"),
    ("trap.signal", "the handler of its own signal: Protocol error"),
])
def test_refused_call(primitive, test, why):
    """A trial whose call fails, or does something else, is no trial: it is
    told, and ends the test."""
    result = primitive(f"--test={test}", "-l", "50", json=False,
                       env={"LD_PRELOAD": os.environ["TWOWAY_SPOIL_SO"],
                            "TW_SPOIL": "refused"})
    assert result.returncode == 1
    assert why in result.stderr
