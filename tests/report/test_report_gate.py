# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate: finds what was injected, and no more than chance allows else."""

import math

import made
import pytest

COUNT = 4000


def write(report, name, seed, count=COUNT, **how):
    rows = made.cycles(count, seed, **how)
    made.write(report.directory, name, made.dump(rows))
    return rows


def verdicts(text):
    """(metric, figure) -> its line's words."""
    rows = [line.split() for line in text.splitlines()[2:]]
    return {(row[0], row[1]): row[2:] for row in rows
            if row and row[0] in (*made.METRICS, "latency")}


def test_no_shift_is_not_found(report):
    """latency is judged, as a user means it; that is told."""
    rows = write(report, "a.csv", 1), write(report, "b.csv", 2)
    out = report("-g", "a.csv", "b.csv").stdout
    assert out.splitlines()[-1] == "not worse"
    assert "Judged: latency (response without the sleep that was asked " \
        "for)" in out
    found = verdicts(out)
    assert set(found) == {("latency", figure) for figure in
                          ("average", "p50")}
    for side, one in enumerate(rows):
        values = made.values(one)["latency"]
        for figure, value in (("average", made.mean(values)),
                              ("p50", made.percentile(values, "50"))):
            assert found["latency", figure][side] == made.us(value, 3)
    assert "Not judged, as fewer than 100 cycles lie beyond: latency p99, latency p99.9" in out


def test_shift_is_found(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=9000)
    out = report("-g", "a.csv", "b.csv", status=2).stdout
    assert out.splitlines()[-1] == "worse: latency average, latency p50"
    low, high = (float(verdicts(out)["latency", "average"][i])
                 for i in (3, 5))
    assert low < 9 < high
    # The other way round it is better.
    report("-g", "b.csv", "a.csv")


def test_shift_of_the_tail_alone_is_found(report):
    rows = write(report, "a.csv", 1, 12_000)
    slow = [row if row[1] % 50 else (*row[:6], row[6] + 400_000, 0)
            for row in rows]
    made.write(report.directory, "b.csv", made.dump(slow))
    out = report("-g", "a.csv", "b.csv", "-p", "50,99", status=2).stdout
    assert "latency p99" in out.splitlines()[-1]
    assert "latency p50" not in out.splitlines()[-1]


def test_only_the_metric_that_changed(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 1, shift=5000)
    metrics = "send,receive,wakeup"
    out = report("-g", "-m", metrics, "a.csv", "b.csv", status=2).stdout
    for (metric, figure), words in verdicts(out).items():
        assert (words[-1] == "WORSE") == (metric == "receive"), figure


def test_tolerance(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=9000)
    for tolerance, status in ((0, 2), (1, 2), (20, 0)):
        report("-g", "-a", tolerance, "a.csv", "b.csv", status=status)


def test_undecided(report):
    """Too few cycles to see 3 % are no proof of anything."""
    write(report, "a.csv", 1, 500)
    write(report, "b.csv", 2, 500)
    files = "-m", "receive", "-p", "50", "a.csv", "b.csv"
    out = report("-g", *files, status=3).stdout
    assert out.splitlines()[-1].startswith("undecided: receive average")
    assert verdicts(out)["receive", "average"][-1] == "undecided"
    assert "Not worse: no part of the interval lies above 3 %" in out
    report("-g", "-d", "500", *files)
    # What is surely worse is the verdict, whatever else is not known.
    write(report, "b.csv", 2, 500, shift=3000)
    out = report("-g", "-m", "receive,send", *files[2:], status=2)
    *_, one, two = out.stdout.splitlines()
    assert one.startswith("undecided: send average")
    assert two.startswith("worse: receive average")


def test_no_chance_is_in_it(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2)
    first, again = (report("-g", "a.csv", "b.csv", status=0).stdout
                    for _ in range(2))
    assert first == again


# Few trials, as they take time: gate_models.py has more of them, and models.
@pytest.mark.parametrize("model, percent, expected", [
    ("independent, 20000", 0, {"not worse", "undecided"}),
    ("independent, 20000", 3, {"WORSE"}),
    ("heavy tail, 20000", 0, {"not worse", "undecided"}),
    ("heavy tail, 20000", 10, {"WORSE"}),
    ("3 bursts, 60000", 0, {"not worse", "undecided"}),
    ("3 bursts, 60000", 10, {"WORSE"}),
    ("3 regimes of 50000, 5 us", 0, {"undecided"}),
    ("5 regimes of 12000, 3 us", 0, {"undecided"}),
    ("drift of 3.7 us, 60000", 0, {"undecided"}),
    ("ramp of 8, 8000 each", 0, {"not worse"}),
    ("ramp of 8, 8000 each", 3, {"WORSE"}),
    ("ramp of 16, 4000 each", 3, {"WORSE"})])
def test_models(model, percent, expected):
    import gate_models
    assert set(gate_models.counts(model, percent, range(4))) <= expected


def test_one_level_shift_is_no_noise():
    """Half of each run is 30 us longer: of that, two halves tell nothing.

    Blocks within the halves are alike, and would promise what is not known.
    """
    import gate_models
    import numpy

    def halves(seed, first, second):
        source = numpy.random.default_rng(seed)
        return gate_models.run([numpy.concatenate([
            gate_models.noise(source, 10_000) + level
            for level in (first, second)])])

    for seed in range(4):
        runs = [halves(seed, 0, 30), halves(seed + 10, 10, 40)]
        assert gate_models.verdict(runs) == "undecided"
        runs[1] = halves(seed + 10, 500, 540)
        assert gate_models.verdict(runs) == "WORSE"


@pytest.mark.parametrize("freedom, exceeded", [
    (7, 4.0293), (15, 3.2860), (63, 2.8999), (math.inf, 2.8070)])
def test_student(freedom, exceeded):
    """As printed in tables, 0.25 % to one side."""
    import tr_stats
    assert tr_stats.student(0.0025, freedom) == \
        pytest.approx(exceeded, abs=0.01)


def test_intervals_of_independent_cycles():
    """Of 200 runs each, few miss the truth: 5 at 1 % are rare by far."""
    import numpy
    import tr_interval
    import tr_stats
    truth = {None: 60_000, 50: 45_000 + 3000 * 4.67091, 99: 45_000 + 3000 *
             11.60463}
    missed = dict.fromkeys(truth, 0)
    for seed in range(200):
        values = (1000 * (45 + numpy.random.default_rng(seed).gamma(
            5, 3, 20_000))).astype(numpy.int64)
        run = tr_interval.of_steps([values], tr_stats.Distribution.of(values),
                                   [50, 99])
        for figure, found in zip(truth, tr_interval.estimates(
                run, [50, 99], 0.005)):
            assert found.low_ns <= found.value_ns <= found.high_ns
            missed[figure] += not (found.low_ns <= truth[figure]
                                   <= found.high_ns)
    assert max(missed.values()) <= 5


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
    # A percentile may lie between the steps, where it is hardly known.
    args = ("-g", "-p", "50", "-d", "10")
    out = report(*args, "a.csv", "b.csv").stdout
    assert "measure longer" not in out and "steps" not in out
    out = report(*args, "a.csv", "c.csv", status=2).stdout
    assert "latency average" in out.splitlines()[-1]
    report(*args, "c.csv", "a.csv")


def test_other_steps_are_told(report):
    """What is mixed otherwise is slower or faster for that alone."""
    ramp(report, "a.csv", 1)
    ramp(report, "b.csv", 101, lengths=(500,) * 7 + (440,))
    ramp(report, "c.csv", 201, lengths=(500,) * 7)
    args = ("-g", "-m", "response", "-p", "50", "-d", "1000")
    assert "step 8 has 12.50 and 11.17 % of the cycles" in \
        report(*args, "a.csv", "b.csv").stdout
    assert "the runs have 8 and 7 steps" in \
        report(*args, "a.csv", "c.csv").stdout


def test_a_step_that_was_cut_short(report):
    """Too short to be judged, in either run: it counts in neither."""
    for left in (1, 2, 30):
        ramp(report, "a.csv", 1, lengths=(500,) * 4 + (left,))
        ramp(report, "b.csv", 101, lengths=(500,) * 5)
        out = report("-g", "-p", "50", "-d", "1000", "a.csv", "b.csv").stdout
        assert "too short to be judged, so left out: step 5" in out
        ramp(report, "c.csv", 1, lengths=(500,) * 4)
        ramp(report, "d.csv", 101, lengths=(500,) * 4)
        without = report("-g", "-p", "50", "-d", "1000", "c.csv", "d.csv")
        assert verdicts(out) == verdicts(without.stdout)


def test_histograms_are_compared_and_that_is_said(report):
    for name, seed, shift in (("a", 1, 0), ("b", 2, 0), ("c", 3, 5000)):
        found = made.values(made.cycles(COUNT, seed, shift=shift))["total"]
        made.write(report.directory, f"{name}.txt",
                   made.text(found, own=True))
    args = "-g", "-m", "total", "-d", "10"
    out = report(*args, "a.txt", "b.txt").stdout
    assert "a: no dump, so cycles are taken as independent" in out
    report(*args, "a.txt", "c.txt", status=2)
    made.write(report.directory, "d.csv",
               made.dump(made.cycles(COUNT, 4)))
    assert "d: no dump" not in report(*args, "a.txt", "d.csv").stdout
    report(*args, "c.txt", "d.csv")
    report(*args, "d.csv", "c.txt", status=2)


def constant(report, name, value_ns, count=1000):
    """JSON with a histogram, of cycles that all take the same."""
    data = made.twoway(made.cycles(count))
    data["thread"] = {"0": made.json_thread("response", [value_ns] * count)}
    made.write(report.directory, name, data)


def test_bins_make_no_difference(report):
    """0.3 % are less than the tolerance, in whichever bins they lie."""
    constant(report, "a.json", 49_920)
    constant(report, "b.json", 50_080)
    constant(report, "c.json", 53_080)
    out = report("-g", "-p", "50", "a.json", "b.json").stdout
    assert verdicts(out)["response", "average"][:3] == \
        ["49.920", "50.080", "+0.160"]
    assert verdicts(out)["response", "p50"][:3] == \
        ["49.000", "50.000", "+1.000"]
    out = report("-g", "-p", "50", "a.json", "c.json", status=2).stdout
    assert out.splitlines()[-1] == "worse: response average, response p50"


def test_histogram_against_dump(report):
    """The average is exact in both, and percentiles are of the same bins."""
    rows = made.cycles(COUNT)
    made.write(report.directory, "a.json", made.twoway(rows))
    made.write(report.directory, "b.csv", made.dump(rows))
    for files in (("a.json", "b.csv"), ("b.csv", "a.json")):
        out = report("-g", "-p", "50", "-a", "0", *files).stdout
        for figure in ("average", "p50"):
            before, after, by = verdicts(out)["response", figure][:3]
            assert before == after and float(by) == 0


def test_unlike_bins_are_refused(report, refused):
    rows = made.cycles(COUNT)
    made.write(report.directory, "a.log", made.log([(0, rows)]))
    made.write(report.directory, "b.txt", made.text(
        made.values(rows)["total"], own=True))
    message = refused("-g", "-u", "-m", "total", "a.log", "b.txt")
    assert "bins of unlike width cannot be compared: 10 us in a, 1 us in b" \
        in message


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
    assert reason in refused("-g", "-u", "-m", "total", "a.csv", path)


def test_histogram_that_overflowed_cannot_be_compared(refused):
    data = made.twoway(made.cycles(900))
    data["thread"] = {"0": made.json_thread(
        "total", made.values(made.cycles(900))["total"], width=60)}
    data["twoway"]["cycles"] = 899
    for name in ("a.json", "b.json"):
        made.write(refused.directory, name, data)
    assert "overflowed" in refused("-g", "-m", "total", "a.json", "b.json")
    assert "total: its histogram lacks values" in \
        refused("-g", "a.json", "b.json")
    del data["thread"]["0"]["histogram"], data["thread"]["0"]["overflows"]
    made.write(refused.directory, "a.json", data)
    assert "neither a dump nor a histogram" in \
        refused("-g", "-m", "total", "a.json", "b.json")


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
    message = refused("-g", "-m", "total", "a.json", "b.json")
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
