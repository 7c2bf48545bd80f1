# SPDX-License-Identifier: GPL-2.0-or-later
"""What the gate says of cycles whose truth is known.

Each trial makes six runs of one model; the last is as the others, or longer by
some percent. An alarm is "worse" where nothing is.
"""

import types

import numpy


def noise(source, count):
    """Cycles of 60 us on average, and as they are: with a longer tail."""
    return 45 + source.gamma(5, 3, count)


def independent(count):
    return lambda source: [noise(source, count)]


def heavy_tail(count):
    """Without a variance."""
    return lambda source: [45 + 10 * (1 + source.pareto(1.5, count))]


def bursts(count, number, length=400):
    """So many on average, at any time; each is 40 us longer."""
    def make(source):
        values = noise(source, count)
        for start in source.integers(0, count - length,
                                     source.poisson(number)):
            values[start:start + length] += 40
        return [values]
    return make


def regimes(number, length, deviation):
    """Levels that each hold for a while: temperature, other guests, cron."""
    return lambda source: [noise(source, number * length) + numpy.repeat(
        source.normal(0, deviation, number), length)]


def drift(count, deviation):
    """A level that walks at random; the deviation is that of its end."""
    return lambda source: [noise(source, count) + numpy.cumsum(
        source.normal(0, deviation / count ** 0.5, count))]


def alike(count, keep, deviation=5):
    """Each cycle keeps a share of what the one before was off by."""
    def make(source):
        found, state = numpy.empty(count), 0.0
        for i, step in enumerate(source.normal(0, 1, count)):
            state = keep * state + step
            found[i] = state
        return [60 + deviation * (1 - keep * keep) ** 0.5 * found]
    return make


def ramp(steps, count):
    return lambda source: [noise(source, count) + 15 * i
                           for i in range(steps)]


def spikes(count):
    """20 on average, some of which are very long."""
    def make(source):
        values = noise(source, count)
        where = source.integers(0, count, source.poisson(20))
        values[where] += 50 * (1 + source.pareto(1.5, len(where)))
        return [values]
    return make


def each_second(count):
    def make(source):
        values = noise(source, count)
        where = slice(source.integers(1000), None, 1000)
        values[where] += source.gamma(9, 10, len(values[where]))
        return [values]
    return make


def warm_up(count):
    def make(source):
        values = noise(source, count)
        values[:source.integers(count // 30, count // 8)] += 20
        return [values]
    return make


def job(count):
    """In one run of ten, for a twelfth of its time."""
    def make(source):
        values, size = noise(source, count), count // 12
        if source.random() < 0.1:
            start = source.integers(0, count - size)
            values[start:start + size] += 60 * (source.random(size) < 0.1)
        return [values]
    return make


def boots(count):
    return lambda source: [noise(source, count) * source.normal(1, 0.06)]


MODELS = {
    "spikes, 60000": spikes(60_000),
    "1 Hz, 60000": each_second(60_000),
    "warm-up, 60000": warm_up(60_000),
    "a job, 60000": job(60_000),
    "boots, 20000": boots(20_000),
    "independent, 20000": independent(20_000),
    "independent, 200000": independent(200_000),
    "heavy tail, 20000": heavy_tail(20_000),
    "3 bursts, 60000": bursts(60_000, 3),
    "30 bursts, 60000": bursts(60_000, 30),
    "alike over 200 cycles, 60000": alike(60_000, 0.99),
    "4 regimes of 200000, 3 us": regimes(4, 200_000, 3),
    "3 regimes of 50000, 5 us": regimes(3, 50_000, 5),
    "5 regimes of 12000, 3 us": regimes(5, 12_000, 3),
    "3 regimes of 5000, 0.3 us": regimes(3, 5000, 0.3),
    "100 regimes of 2000, 3 us": regimes(100, 2000, 3),
    "drift of 3.7 us, 60000": drift(60_000, 3.7),
    "ramp of 8, 8000 each": ramp(8, 8000),
    "ramp of 16, 4000 each": ramp(16, 4000),
}


def run(steps, name="run"):
    """As far as the gate looks at one: a dump of these steps, in us."""
    from twoway.series import stats
    steps = [(1000 * values).astype(numpy.int64) for values in steps]
    values = numpy.concatenate(steps)
    ends = numpy.cumsum([len(step) for step in steps])
    slices = [slice(end - len(step), end) for step, end in zip(steps, ends)]
    return types.SimpleNamespace(
        name=name, title=name, virtual=False, count=len(values), missed=0,
        lost_cycles=None, throttled=0, troubles=[], pairs=[], every=lambda member: [],
        oneway=None, when=None,
        series={"total": stats.series_of("total", values)},
        cycles=types.SimpleNamespace(
            count=len(values), missed=numpy.empty((2, 0), int),
            times_s=lambda cycles: numpy.arange(len(values))[cycles] / 1000,
            values=lambda _, part=slice(None): values[part],
            metrics=lambda: ["total"], slices=lambda: slices))


def runs_of(model, trial, percent, baselines=5):
    """Of a model."""
    source = numpy.random.default_rng(trial)
    make = MODELS[model]
    return [*(run(make(source), f"{i}") for i in range(baselines)),
            run([values * (1 + percent / 100) for values in make(source)],
                "b")]


def options(**changes):
    return types.SimpleNamespace(**{
        "metrics": ["total"], "percentiles": [50, 99, 99.9],
        "asked": (), "candidate": 1, "confidence": 99, "tolerance": 1,
        "detect": {"": 3}} | changes)


def verdict(runs, **changes):
    """The worst, as the exit status has it."""
    from report.judge import gate
    found = {one.text for one in gate.gate(runs, options(**changes))[0]}
    return next(text for text in gate.STATUS if text in found)


def counts(model, percent, trials, **changes):
    """How often each verdict came."""
    found = [verdict(runs_of(model, trial, percent), **changes)
             for trial in trials]
    return {text: found.count(text) for text in sorted(set(found))}
