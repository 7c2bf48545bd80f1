# SPDX-License-Identifier: GPL-2.0-or-later
"""How often what --bound says holds, of runs whose truth is known.

	python3 tests/report/bound_models.py 500

prints the table of contrib/report/bound.md: of so many runs of each model, how
many are told the bound, and how many of these it holds for.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "contrib"))

import numpy  # noqa: E402

from twoway.compare import bound, tail  # noqa: E402

BLOCKS, EACH = 64, 400
RUN = BLOCKS * EACH         # cycles
ALL = RUN + RUN // bound.NEXT
EPISODES = .5, 3, 8         # a run has as many, if long blocks are apart
AGAIN = 20                  # runs in one state, which tell its truth


def noise(source):
    """Cycles of 60 us on average, with a longer tail."""
    return 45 + source.gamma(5, 3, ALL)


def steady(source):
    return noise, None


def heavy_tail(source):
    """Without a variance."""
    return lambda again: 45 + 10 * (1 + again.pareto(1.5, ALL)), None


def rare(number):
    """So many long cycles a run."""
    def values(source):
        return noise(source) + (source.random(ALL) < number / RUN) * \
            source.uniform(200, 500, ALL)
    return lambda source: (values, None)


def bursts(number, length=EACH // 2, share=1):
    """So many a run, of so many cycles, of which this share is long."""
    def values(source):
        found = noise(source)
        for at in source.integers(-length, ALL, source.poisson(
                number * (ALL + length) / RUN)):
            burst = found[max(at, 0):at + length]
            burst += (source.random(len(burst)) < share) * \
                source.uniform(100, 500, len(burst))
        return found
    return lambda source: (values, None)


def levels(dwell, kept=False):
    """Two, of so many runs' length on average. kept: of this run, it is known."""
    def state(source):
        at, high, path = 0, source.random() < 0.5, numpy.empty(ALL)
        while at < ALL:
            length = int(source.exponential(dwell * RUN)) + 1
            path[at:at + length], at, high = high, at + length, not high
        return path

    def model(source):
        path = state(source)
        return lambda again: noise(again) + 20 * (
            path if kept or again is source else state(again)), path
    return model


def job(every):
    """Each so many runs, at any phase: five cycles are longer."""
    def values(source):
        found = noise(source)
        for at in numpy.arange(source.uniform(0, every * RUN), ALL,
                               every * RUN).astype(int):
            found[at:at + 5] += source.uniform(200, 300)
        return found
    return lambda source: (values, None)


def alike(keep):
    """Each cycle keeps a share of what the one before was off by."""
    def values(source):
        found, state = numpy.empty(ALL), source.normal()
        for i, step in enumerate(source.normal(0, (1 - keep * keep) ** .5,
                                               ALL)):
            state = found[i] = keep * state + step
        return 60 + 5 * found
    return lambda source: (values, None)


def path_of(make):
    """The level goes a way of its own."""
    def model(source):
        path = make(source)
        return lambda again: noise(again) + path, path
    return model


MODELS = {
    "independent": steady,
    "heavy tail (Pareto 1.5)": heavy_tail,
    "0.5 rare long cycles": rare(.5),
    "3 rare long cycles": rare(3),
    "20 rare long cycles": rare(20),
    "1 burst": bursts(1),
    "3 bursts": bursts(3),
    "3 sparse bursts": bursts(3, 2 * EACH, .01),
    "3 longer, sparse bursts": bursts(3, 5 * EACH, .01),
    "two levels, each of T/180": levels(1 / 180),
    "two levels, each of T/12": levels(1 / 12, True),
    "two levels, each of 2T": levels(2, True),
    "a job each T/60": job(1 / 60),
    "a job each T/4": job(1 / 4),
    "a job each 3T": job(3),
    "a job each 24T": job(24),
    "alike over 100 cycles (AR 0.99)": alike(.99),
    "alike over 1000 cycles (AR 0.999)": alike(.999),
    "drift": path_of(lambda source: 15 * numpy.arange(ALL) / RUN),
    "random walk": path_of(lambda source: numpy.cumsum(source.normal(
        0, 10 / RUN ** .5, ALL))),
}


def maxima(values):
    return values[:RUN].reshape(BLOCKS, EACH).max(axis=1)


def trial(model, number):
    """The longest of each block and of the time after them; with a state of its
    own, that of further runs in it."""
    source = numpy.random.default_rng(number)
    make, path = MODELS[model](source)
    values = make(source)
    return maxima(values), values[RUN:].max(), None if path is None else [
        maxima(make(source)) for _ in range(AGAIN)]


def held(told):
    """How many of 100 runs were told something, and of these, how many truly."""
    true = [one for one in told if one is not None]
    return 100 * len(true) / len(told), \
        100 * sum(true) / len(true) if true else None


def rate(trials, us):
    """Whether the bound of each is above what is to be expected; None: there is
    none."""
    expected = numpy.mean([tail.groups(one > us) for one, *_ in trials])
    for longest, _, again in trials:
        if again:
            expected = numpy.mean([tail.groups(one > us) for one in again])
        yield None if bound.unsteady(longest) or bound.refusal(longest > us) \
            else bool(bound.at_most(longest > us) >= expected)


def row(model, runs):
    """(told, true) of the prediction, and of each rate."""
    trials = [trial(model, number) for number in range(runs)]
    pooled = numpy.sort(numpy.concatenate([one for one, *_ in trials]))
    found = [held([None if bound.unsteady(one) else bool(after <= one.max())
                   for one, after, _ in trials])]
    for count in EPISODES:
        us = pooled[int(len(pooled) * (1 - count / BLOCKS))]
        found.append(held(list(rate(trials, us))))
    return found


def main(runs):
    print("| model | next 40th | " + " | ".join(
        f"{count:g} episodes" for count in EPISODES) + " |\n|---|" +
        "---|" * (1 + len(EPISODES)))
    for model in MODELS:
        print(f"| {model} | " + " | ".join(
            "withheld" if true is None else f"{true:.1f} of {told:.0f}"
            for told, true in row(model, runs)) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
