# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate: finds what was injected, and no more than chance allows else."""

import types

import made
import pytest

COUNT = 4000


def write(report, name, seed, **how):
    rows = made.cycles(COUNT, seed, **how)
    made.write(report.directory, name, made.dump(rows))
    return rows


def verdicts(text):
    """(metric, figure) -> its line's words."""
    lines = text.splitlines()
    rows = [line.split() for line in lines[2:] if "worse" in line.lower()
            and line.split()[0] in made.METRICS]
    return {(row[0], row[1]): row[2:] for row in rows}


def test_no_shift_is_not_found(report):
    rows = write(report, "a.csv", 1), write(report, "b.csv", 2)
    out = report("-g", "a.csv", "b.csv").stdout
    assert out.splitlines()[-1] == "not worse"
    found = verdicts(out)
    assert set(found) == {("total", figure) for figure in
                          ("average", "p50", "p99")}
    for side, one in enumerate(rows):
        total = made.values(one)["total"]
        for figure, value in (("average", made.mean(total)),
                              ("p50", made.percentile(total, "50")),
                              ("p99", made.percentile(total, "99"))):
            assert found["total", figure][side] == made.us(value, 3)
    assert "1 percentiles are not compared" in out      # 99.9


def test_shift_is_found(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=5000)
    out = report("-g", "a.csv", "b.csv", status=2).stdout
    assert out.splitlines()[-1] == "worse: total average, total p50"
    low, high = (float(verdicts(out)["total", "average"][i]) for i in (3, 5))
    assert low < 5 < high
    # The other way round it is better.
    report("-g", "b.csv", "a.csv")


def test_shift_of_the_tail_alone_is_found(report):
    rows = write(report, "a.csv", 1)
    slow = [row if row[1] % 50 else (*row[:6], row[6] + 400_000, 0)
            for row in rows]
    made.write(report.directory, "b.csv", made.dump(slow))
    out = report("-g", "a.csv", "b.csv", "-p", "50,99", status=2).stdout
    assert "total p99" in out.splitlines()[-1]
    assert "total p50" not in out.splitlines()[-1]


def test_only_the_metric_that_changed(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 1, shift=5000)
    metrics = "send,receive,wakeup"
    out = report("-g", "-m", metrics, "a.csv", "b.csv", status=2).stdout
    for (metric, figure), words in verdicts(out).items():
        if metric != "receive":
            assert words[-2:] == ["not", "worse"]
        elif figure in ("average", "p50"):      # 5 us hide in a tail
            assert words[-1] == "WORSE"


def test_tolerance(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=5000)
    for tolerance, status in ((0, 2), (1, 2), (20, 0)):
        report("-g", "-a", tolerance, "a.csv", "b.csv", status=status)


def test_the_same_seed_gives_the_same(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2)
    first, again, other = (report("-g", "-S", seed, "a.csv", "b.csv").stdout
                           for seed in (5, 5, 6))
    assert first == again != other


def alike(seed, count=2000):
    """Values of which each is like the one before: no independent ones."""
    import numpy
    source = numpy.random.default_rng(seed)
    noise = source.normal(0, 1, count)
    state, found = 0.0, numpy.empty(count)
    for i, step in enumerate(noise):
        state = 0.95 * state + step
        found[i] = state
    return (50_000 + 1000 * found).astype(numpy.int64)


def made_run(steps):
    """As far as the gate looks: by a dump of the steps, or a histogram."""
    import numpy
    import tr_stats
    values = numpy.concatenate(steps)
    ends = numpy.cumsum([len(step) for step in steps])
    slices = [slice(end - len(step), end) for step, end in zip(steps, ends)]
    return types.SimpleNamespace(
        name="run", series={"total": tr_stats.series_of("total", values)},
        cycles=types.SimpleNamespace(
            values=lambda _, part=slice(None): values[part],
            slices=lambda: slices))


def compared(*runs, risk, tolerance=0, percentiles=(50,)):
    """Whether anything of the second is found to be worse; risk: a figure."""
    import tr_gate
    options = types.SimpleNamespace(percentiles=percentiles, resamples=400,
                                    tolerance=tolerance, seed=3)
    found = tr_gate.compare(*runs, "total", options, risk)
    return any(verdict.worse for verdict in found)


def alarms(by_block, trials, steps=1):
    """Comparisons of what does not differ; steps are far apart."""
    count = 0
    for trial in range(trials):
        runs = [made_run([alike(1000 * seed + k) + 20_000 * k
                          for k in range(steps)])
                for seed in (2 * trial, 2 * trial + 1)]
        for run in runs:
            run.cycles = run.cycles if by_block else None
        count += compared(*runs, risk=0.025)
    return count


@pytest.mark.parametrize("steps", [1, 8])
def test_false_alarms_stay_within_the_confidence(steps):
    """Of 40 comparisons at 95 %, 2 are expected; 6 come by chance in 1 %.

    Taking the same cycles as independent would alarm all the time, which is
    what blocks are for.
    """
    assert alarms(True, 40, steps) <= 5
    if steps == 1:
        assert alarms(False, 12) > 3


@pytest.mark.parametrize("steps", [1, 16])
def test_power(steps):
    """3 % are found on a ramp as they are without; 0 % are not.

    The ramp makes cycles two and a half times as long, so blocks of all steps
    together would vary by far more than 3 %.
    """
    import numpy

    def run(seed, factor):
        source = numpy.random.default_rng(seed)
        rise = 90_000 / max(steps - 1, 1)
        return made_run([(factor * (60_000 + rise * k + source.gamma(
            4, 3000, 16_000 // steps))).astype(numpy.int64)
            for k in range(steps)])

    for seed in range(0, 10, 2):
        for factor, worse in ((1.03, True), (1, False), (1 / 1.03, False)):
            assert compared(run(seed, 1), run(seed + 1, factor), tolerance=1,
                            risk=0.003, percentiles=(50, 99)) == worse


def ramp(report, name, seed, factor=1.0, lengths=(500,) * 8):
    """A dump whose later steps are slower, and all by a factor."""
    rows, start = [], 10**12
    for k, length in enumerate(lengths):
        for pair, i, planned, t0, t1, t2, t3, missed in made.cycles(
                length, seed + k, start=start):
            rows.append((pair, i, planned, t0, t1, t2, t3 + int(
                (factor - 1) * (t3 - t0 + 30_000 * k)) + 30_000 * k, missed))
        start += length * made.PERIOD
    made.write(report.directory, name, made.dump(rows))


def test_shift_on_a_ramp_is_found(report):
    ramp(report, "a.csv", 1)
    ramp(report, "b.csv", 101)
    ramp(report, "c.csv", 201, factor=1.03)
    args = ("-g", "-m", "response", "-p", "50")
    out = report(*args, "a.csv", "b.csv").stdout
    assert "measure longer" not in out and "steps" not in out
    out = report(*args, "a.csv", "c.csv", status=2).stdout
    assert "response average" in out.splitlines()[-1]
    report(*args, "c.csv", "a.csv")


def test_other_steps_are_told(report):
    """What is mixed otherwise is slower or faster for that alone."""
    ramp(report, "a.csv", 1)
    ramp(report, "b.csv", 101, lengths=(500,) * 7 + (440,))
    ramp(report, "c.csv", 201, lengths=(500,) * 7)
    args = ("-g", "-m", "response", "-p", "50")
    assert "step 8 has 12.50 and 11.17 % of the cycles" in \
        report(*args, "a.csv", "b.csv").stdout
    assert "the runs have 8 and 7 steps" in \
        report(*args, "a.csv", "c.csv").stdout


def test_a_step_that_was_cut_short(report):
    """Whatever is left of it: nothing, one cycle, less than a block."""
    for left in (1, 2, 30):
        for name, seed in (("a.csv", 1), ("b.csv", 101)):
            ramp(report, name, seed, lengths=(500,) * 4 + (left,))
        out = report("-g", "-p", "50", "a.csv", "b.csv").stdout
        assert "measure longer" in out or left == 1


def test_too_short_for_its_blocks_is_said(report):
    """Cycles that differ in the first half from the second."""
    rows = made.cycles(600)
    slow = made.cycles(600, shift=90_000)
    for name in ("a.csv", "b.csv"):
        made.write(report.directory, name, made.dump(rows[:300] + slow[300:]))
    assert "measure longer" in report("-g", "a.csv", "b.csv").stdout
    made.write(report.directory, "b.csv", made.dump(rows))
    made.write(report.directory, "a.csv", made.dump(rows))
    assert "measure longer" not in report("-g", "a.csv", "b.csv").stdout


def test_histograms_are_compared_and_that_is_said(report):
    for name, seed, shift in (("a", 1, 0), ("b", 2, 0), ("c", 3, 5000)):
        found = made.values(made.cycles(COUNT, seed, shift=shift))["total"]
        made.write(report.directory, f"{name}.txt",
                   made.text(found, own=True))
    out = report("-g", "a.txt", "b.txt").stdout
    assert "a: no dump, so cycles are taken as independent" in out
    report("-g", "a.txt", "c.txt", status=2)
    made.write(report.directory, "d.csv",
               made.dump(made.cycles(COUNT, 4)))
    assert "d: no dump" not in report("-g", "a.txt", "d.csv").stdout


@pytest.mark.parametrize("content, reason", [
    ("metric,system,min,avg,max\ntotal,one,1,2,3\n",
     "neither a dump nor a histogram"),
    (made.dump(made.cycles(100)), "too few"),
    (made.text(made.values(made.cycles(100))["total"], own=True), "too few"),
    (made.text(made.values(made.cycles(900))["wakeup"]), "not measured"),
], ids=["published", "short dump", "short histogram", "other metric"])
def test_what_cannot_be_compared(refused, content, reason):
    path = made.write(refused.directory, "b", content)
    made.write(refused.directory, "a.csv", made.dump(made.cycles(900)))
    assert reason in refused("-g", "-u", "a.csv", path)


def test_histogram_that_overflowed_cannot_be_compared(refused):
    data = made.twoway(made.cycles(900))
    data["thread"] = {"0": made.json_thread(
        "total", made.values(made.cycles(900))["total"], width=60)}
    data["twoway"]["cycles"] = 899
    for name in ("a.json", "b.json"):
        made.write(refused.directory, name, data)
    assert "overflowed" in refused("-g", "a.json", "b.json")
    del data["thread"]["0"]["histogram"], data["thread"]["0"]["overflows"]
    made.write(refused.directory, "a.json", data)
    assert "neither a dump nor a histogram" in \
        refused("-g", "a.json", "b.json")


@pytest.mark.parametrize("count", [1, 3])
def test_two_runs_are_needed(refused, count):
    names = [f"{i}.csv" for i in range(count)]
    for name in names:
        made.write(refused.directory, name, made.dump(made.cycles(900)))
    assert f"{count} runs; a baseline and a candidate" in \
        refused("-g", *names)


def test_unlike_set_ups_are_refused(report, refused):
    rows = made.cycles(900)
    for name, size, loops in (("a", 8, 1), ("b", 64, 2), ("c", 8, 2)):
        made.write(report.directory, f"{name}.json",
                   made.twoway(rows, size=size, loops=loops))
    message = refused("-g", "a.json", "b.json")
    assert "size 8 / 64" in message and "--unlike" in message
    assert "loops" not in message
    assert "size 8 / 64" in report("-g", "-u", "a.json", "b.json").stdout
    report("-g", "a.json", "c.json")


def test_gate_in_a_report(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=5000)
    report("-g", "-m", "total", "-t", "r.md", "-o", "r.html", "-V", "b",
           "a.csv", "b.csv", status=2)
    rows = made.tables((report.directory / "r.md").read_text())[
        "Is b (virtual) worse than a?"]
    assert rows[0]["verdict"] == "WORSE"
    assert "Is b (virtual) worse than a?" in \
        (report.directory / "r.html").read_text()
