# SPDX-License-Identifier: GPL-2.0-or-later
"""Primitives in instructions: beside bare loops, and beside rt-tests' own."""

import re

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
                             "--warmup=100")
    found["equal"] = measure(
        "equal", "message.8,signal.sigwaitinfo", "--tasks=thread",
        "--order=equal", "-i", "1013", "-l", TRIALS, f"--warmup={WARMUP}")
    for program, options in PEERS.items():
        found[program] = [program, *options]
    return {name: [str(word) for word in words]
            for name, words in found.items()}


PEERS = {
    "cyclictest": [*REALTIME, "-N", "-i", "1013", "-l", "1000", "-x",
                   "--json=cyclictest.json"],
    "pmqtest": ["-q", "-p", "98", "-a0", "-i", "1013", "-l", TRIALS],
    "sigwaittest": ["-q", "-p", "98", "-a0", "-i", "1013", "-l", TRIALS],
}


def column(boot, name, metric):
    return next(found for found in boot.json(name)["thread"].values()
                if found["metric"] == metric)


@pytest.mark.parametrize("kind", KINDS)
def test_floor(primitives, kind):
    """At most 1 % above a bare loop of the same calls."""
    ours = column(primitives[0], f"prim-{kind}", KINDS[kind])
    mean, least = map(float, primitives[0].text(f"bare-{kind}.txt")
                      .splitlines()[-1].split())
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


def test_timer(primitives):
    peers.need("cyclictest")
    ours = column(primitives[0], "timer", "timer.1013.wakeup")
    theirs = primitives[0].json("cyclictest")["thread"]["0"]
    ratio = 1000 * ours["avg"] / theirs["avg"]
    print(f"wakeup {ratio:.4f} of cyclictest's")
    assert 0.95 <= ratio <= 1.05


@pytest.mark.parametrize("program, metric", [
    ("pmqtest", "message.8.thread.same.out"),
    ("sigwaittest", "signal.sigwaitinfo.thread.same.out")])
def test_of_rt_tests(primitives, program, metric):
    """Equal are the threads, their priority, the period and the CPU."""
    peers.need(program)
    found = re.search(r"Min +(\d+)", primitives[0].text(f"{program}.txt"))
    theirs = int(found[1])      # in us, rounded down
    ours = column(primitives[0], "equal", metric)["min"]
    print(f"{metric}: {ours:.1f} us, {program} {theirs} us")
    assert 0.95 * theirs <= ours <= 1.05 * (theirs + 1)
