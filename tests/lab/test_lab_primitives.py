# SPDX-License-Identifier: GPL-2.0-or-later
"""Primitives in instructions: beside bare loops, and beside rt-tests' own."""

import itertools
import shutil

import pytest

import peers

KINDS = {
    "pair": "sync1.unnamed.pair",
    "unnamed": "sync2.unnamed.process.same.roundtrip",
    "eventfd": "sync2.eventfd.process.same.roundtrip",
    "pipe": "pipe.8.process.same.roundtrip",
    "message": "message.8.process.same.roundtrip",
    "signal": "signal.sigwaitinfo.process.same.roundtrip",
}
REALTIME = "-q -m -p 98 -a 0".split()
TRIALS = 500
WARMUP = 100
RANGE = 100000  # ns, in a histogram of each


def measure(name, tests, *options):
    """A run whose results are in NAME.json."""
    return ["primitivetest", *REALTIME, f"--test={tests}", *options,
            f"--json={name}.json"]


def measurements():
    """For one boot: ours and the floor in turn, and the rest."""
    found = {}
    for kind, column in KINDS.items():
        size = ["--size=8"] if kind == "pipe" else []
        test = ".".join(column.split(".")[:1 if size else 2])
        found[f"prim-{kind}"] = measure(
            f"prim-{kind}", test, "-l", TRIALS, f"--warmup={WARMUP}", *size)
        found[f"bare-{kind}"] = ["bench_prim_floor", kind, "0", "98",
                                 TRIALS, WARMUP]
    for work in 4, 8:
        found[f"work-{work}"] = measure(
            f"work-{work}", "work.add", "-l", "20", f"--work={work}")
    found["timer"] = measure("timer", "timer", "--period=1013", "-l", "1000",
                             "--warmup=100", "-h", RANGE, "--bin=1")
    found["equal"] = measure(
        "equal", "message.8,signal.sigwaitinfo,sync2.futex,sync2.sysv",
        "--tasks=thread", "--order=equal", "-i", "1013", "-l", TRIALS,
        f"--warmup={WARMUP}")
    found["closed"] = measure(
        "closed", "message.8", "--tasks=thread", "--order=equal", "-l",
        TRIALS, f"--warmup={WARMUP}")
    for kind in itertools.chain(*LESS.values()):
        found[kind] = ["bench_prim_floor", kind, "0", "98", TRIALS, WARMUP]
    found["cyclictest"] = ["cyclictest", *REALTIME, "-N", "-i", "1013", "-l",
                           "1000", "-x", "-h", RANGE, "--json=cyclictest.json"]
    for program in PEERS:
        # svsematest looks for its own file, which it knows by argv[0].
        found[program] = ["sh", "-c", f"exec $(which {program}) -p 98 -a0 "
                          f"-i 1013 -l {TRIALS} --json={program}.json"]
    return {name: [str(word) for word in words]
            for name, words in found.items() if is_here(name)}


# Of rt-tests, which of our columns measures the same.
PEERS = {
    "pmqtest": "message.8.thread.same.out",
    "sigwaittest": "signal.sigwaitinfo.thread.same.out",
    "ptsematest": "sync2.futex.thread.same.out",
    "svsematest": "sync2.sysv.thread.same.out",
}
PROGRAMS = ("cyclictest", *PEERS)

# Theirs makes other calls: of bare loops of ours and of theirs.
LESS = {"cyclictest": ("process-timer", "thread-timer"),
        "ptsematest": ("shared", "private"),
        "sigwaittest": ("sigqueue", "kill")}


def is_here(name):
    return name not in PROGRAMS or shutil.which(name)


def column(boot, name, metric):
    return next(found for found in boot.json(name)["thread"].values()
                if found["metric"] == metric)


@pytest.mark.parametrize("kind", KINDS)
def test_floor(primitives, kind):
    """At most 1 % above a bare loop of the same calls."""
    ours = column(primitives[0], f"prim-{kind}", KINDS[kind])
    mean, least, _ = bare(primitives[0], f"bare-{kind}")
    print(f"{kind}: average {1000 * ours['avg'] / mean:.4f}, minimum "
          f"{1000 * ours['min'] / least:.4f} of the bare loop's")
    assert 1000 * ours["min"] <= 1.01 * least
    assert 1000 * ours["avg"] <= 1.01 * mean


def test_twice_the_same(primitives):
    """Two boots: the same figures to the last digit."""
    for name in measurements():
        one, two = (boot.text(f"{name}.txt") for boot in primitives)
        assert one == two, name


def test_twice_the_work(primitives):
    """The second run does twice as much, and takes twice as long."""
    once, twice = (column(primitives[0], f"work-{work}", "work.add.time")
                   for work in (4, 8))
    print(f"{twice['min'] / once['min']:.4f}")
    assert twice["min"] / once["min"] == pytest.approx(2, rel=0.001)


def of_rt_tests(name, ours, theirs):
    """Their ratio; both in us."""
    print(f"{name}: {ours:.2f} us, {ours / theirs:.4f} of {theirs:.2f} us")
    return ours / theirs


def median(found):
    """Of what a histogram of ns holds, in us; a few may be above its rows."""
    rows = sorted((int(ns), n) for ns, n in found["histogram"].items())
    each = list(itertools.chain(*([ns] * n for ns, n in rows)))
    assert 990 <= len(each) <= found["cycles"] == 1000
    return each[500] / 1000


def test_timer(primitives):
    """The medians, which are of the commonest way to the same expiry.

    Few expiries have the minimum: those that find the CPU awake, or where a
    scheduler's average needs no update; how few depends on the build. The
    average of cyclictest contains what its main thread delays, which looks
    each 10 ms whether the run is over.

    Of a process with a second thread, the kernel looks after each wait for
    other threads that could take a signal, and the C library has a
    cancellation to end. So each is beside a bare loop of its own calls, too.
    """
    peers.need("cyclictest")
    boot = primitives[0]
    found = column(boot, "timer", "timer.1013.wakeup")
    ours = median(found)
    theirs = median(boot.json("cyclictest")["thread"]["0"])
    process, thread = (bare(boot, kind)[2] / 1000
                       for kind in LESS["cyclictest"])
    assert of_rt_tests("process", ours, process) <= 1.01
    assert of_rt_tests("thread", theirs, thread) == \
        pytest.approx(1, abs=0.005)
    assert of_rt_tests("timer", ours, theirs) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("program", PEERS)
def test_of_rt_tests(primitives, program):
    """Equal are the threads, their priority, the period and the CPU.

    ptsematest has a mutex of one process. A futex that processes share costs
    more in each of its two calls, by what a bare loop of them says. sigwaittest
    sends by pthread_kill(), which makes four system calls, and no value.
    """
    peers.need(program)
    boot, name = primitives[0], PEERS[program]
    theirs = boot.json(program)["thread"]["0"]["receiver"]["avg"]
    ours = column(boot, "equal", name)["avg"]
    if program in LESS:
        own, other = (bare(boot, kind)[1] for kind in LESS[program])
        of_rt_tests(f"{name}, by its own calls", ours, theirs)
        ours += (other - own) / 1000
    assert of_rt_tests(f"{name}, {program}", ours, theirs) == \
        pytest.approx(1, abs=0.02)


def bare(boot, name):
    """Of a bare loop: mean, minimum, median, in ns."""
    return [float(word) for word in
            boot.text(f"{name}.txt").splitlines()[-1].split()]


def test_pace(primitives):
    """Without caches, a paced trial takes as long as one after another."""
    paced, closed = (column(primitives[0], name, PEERS["pmqtest"])["min"]
                     for name in ("equal", "closed"))
    assert of_rt_tests("paced", paced, closed) == pytest.approx(1, abs=0.02)
