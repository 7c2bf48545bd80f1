# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate: finds what was injected, and no more than chance allows else."""

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
            if row and row[0] in (*made.METRICS, "latency") and
            row[1] not in ("maximum", "longer")}


def test_no_shift_is_not_found(report):
    """latency is judged, as a user means it; that is told."""
    rows = write(report, "a.csv", 1), write(report, "b.csv", 2)
    out = report("-g", "a.csv", "b.csv").stdout
    assert out.splitlines()[-1] == "not worse by more than 3 %"
    assert "Judged: latency (response without the sleep that was asked " \
        "for)." in out
    found = verdicts(out)
    assert set(found) == {("latency", figure) for figure in
                          ("average", "p50")}
    for side, one in enumerate(rows):
        values = sorted(made.values(one)["latency"])
        shown = values[:COUNT - COUNT // 1000]
        for figure, value in (("average", made.mean(shown)),
                              ("p50", made.percentile(values, "50"))):
            assert float(found["latency", figure][2 + side]) == \
                pytest.approx(float(value) / 1000, abs=0.02)
    assert "Not judged, as fewer than 100 cycles lie beyond, or as that needs " \
        "the --dump of each run: latency p99, latency p99.9" in out
    assert "a single run of the baseline does not tell how much two boots " \
        "differ, so nothing is WORSE: give several." in out


def test_shift_is_found(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=9000)
    # Two boots of one system may differ as much.
    out = report("-g", "-j", "junit", "a.csv", "b.csv", status=3).stdout
    assert out.splitlines()[-1] == "undecided: latency average, latency p50"
    assert "must not be overlooked. That holds of these two runs, but two " \
        "boots of one system may differ as much: give several runs of the " \
        "baseline." in (report.directory / "junit").read_text()
    out = report("-g", "a.csv", "x=a.csv", "b.csv", status=2).stdout
    assert out.splitlines()[-1] == "worse: latency average, latency p50"
    low, high = (float(verdicts(out)["latency", "average"][i])
                 for i in (5, 7))
    assert low < 9 < high
    # The other way round it is better.
    report("-g", "b.csv", "a.csv")


def test_shift_of_the_tail_alone_is_found(report):
    rows = write(report, "a.csv", 1, 12_000)
    slow = [row if row[1] % 50 else (*row[:6], row[6] + 400_000, 0)
            for row in rows]
    made.write(report.directory, "b.csv", made.dump(slow))
    out = report("-g", "a.csv", "x=a.csv", "b.csv", "-p", "50,99",
                 status=2).stdout
    assert "latency p99" in out.splitlines()[-1]
    assert "latency p50" not in out.splitlines()[-1]


def test_only_the_metric_that_changed(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 1, shift=5000)
    metrics = "send,receive,wakeup"
    out = report("-g", "-m", metrics, "a.csv", "x=a.csv", "b.csv",
                 status=2).stdout
    for (metric, figure), words in verdicts(out).items():
        assert (words[-1] == "WORSE") == (metric == "receive"), figure


def test_tolerance(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=9000)
    for tolerance, status in ((0, 2), (1, 2), (20, 0)):
        report("-g", "-a", tolerance, "a.csv", "x=a.csv", "b.csv",
               status=status)


def test_more_figures_are_less_sure(report):
    """The risk is that of all together."""
    write(report, "a.csv", 1)
    write(report, "b.csv", 2)
    ends = []
    for percents in ("50", "20,30,40,50,60,70"):
        row = verdicts(report("-g", "-d", "9", "-p", percents, "a.csv",
                              "b.csv").stdout)["latency", "average"]
        ends.append((float(row[5]), float(row[7])))
    (low, high), (lower, higher) = ends
    assert lower < low and high < higher


def test_undecided(report):
    """Too few cycles to see 3 % are no proof of anything."""
    write(report, "a.csv", 1, 500)
    write(report, "b.csv", 2, 500)
    files = "-m", "receive", "-p", "50", "a.csv", "x=a.csv", "b.csv"
    out = report("-g", *files, status=3).stdout
    assert out.splitlines()[-1].startswith("undecided: receive average")
    assert verdicts(out)["receive", "average"][-1] == "undecided"
    assert verdicts(out)["receive", "average"][-2] == "3"
    report("-g", "-d", "500", *files)
    # What is surely worse is the verdict, whatever else is not known.
    write(report, "b.csv", 2, 500, shift=3000)
    out = report("-g", "-m", "receive,send", *files[2:], status=2)
    *_, one, two = out.stdout.splitlines()
    assert one.startswith("undecided: send p50")
    assert two.startswith("worse: receive average")


def test_no_chance_is_in_it(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2)
    first, again = (report("-g", "a.csv", "b.csv", status=0).stdout
                    for _ in range(2))
    assert first == again


# Few trials, as they take time: test_report_sure.py has more.
@pytest.mark.parametrize("model, percent, expected", [
    ("independent, 20000", 0, {"not worse", "undecided"}),
    ("independent, 20000", 3, {"WORSE"}),
    ("heavy tail, 20000", 0, {"not worse", "undecided"}),
    ("heavy tail, 20000", 10, {"WORSE"}),
    ("3 bursts, 60000", 0, {"not worse", "undecided"}),
    ("3 bursts, 60000", 10, {"WORSE"}),
    ("spikes, 60000", 0, {"not worse", "undecided"}),
    ("1 Hz, 60000", 0, {"not worse", "undecided"}),
    ("warm-up, 60000", 0, {"not worse", "undecided"}),
    ("a job, 60000", 0, {"not worse", "undecided"}),
    ("boots, 20000", 0, {"not worse", "undecided"}),
    ("3 regimes of 50000, 5 us", 0, {"undecided"}),
    ("5 regimes of 12000, 3 us", 0, {"undecided"}),
    ("drift of 3.7 us, 60000", 0, {"undecided"}),
    ("ramp of 8, 8000 each", 0, {"not worse"}),
    ("ramp of 8, 8000 each", 3, {"WORSE"}),
    ("ramp of 16, 4000 each", 3, {"WORSE"})])
def test_models(model, percent, expected):
    import gate_models
    assert set(gate_models.counts(model, percent, range(2))) <= expected


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
        runs[1:] = runs[0], halves(seed + 10, 500, 540)
        assert gate_models.verdict(runs) == "WORSE"


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
    out = report(*args, "a.csv", "x=a.csv", "c.csv", status=2).stdout
    assert "latency average" in out.splitlines()[-1]
    report(*args, "c.csv", "a.csv")


def test_other_steps_are_told(report):
    """What is mixed otherwise is slower or faster for that alone."""
    ramp(report, "a.csv", 1)
    ramp(report, "b.csv", 101, lengths=(500,) * 7 + (440,))
    ramp(report, "c.csv", 201, lengths=(500,) * 7)
    args = ("-g", "-m", "response", "-p", "50", "-d", "1000")
    assert "step 8 has 11.17 to 12.50 % of the cycles" in \
        report(*args, "a.csv", "b.csv").stdout
    assert "the runs have 7 to 8 steps" in \
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


def test_without_blocks_nothing_is_worse(report):
    """Ten times as long is undecided; it is said what would tell."""
    for name, seed, factor in (("a", 1, 1), ("b", 2, 10)):
        found = made.values(made.cycles(COUNT, seed))["wakeup"]
        made.write(report.directory, f"{name}.json",
                   made.cyclictest([factor * value for value in found]))
    out = report("-g", "-m", "wakeup", "a.json", "b.json", status=3).stdout
    assert verdicts(out)["wakeup", "average"][5:] == \
        ["?", "..", "?", "3", "undecided"]
    assert "give the --dump of each run, or for the average the JSON of " \
        "twowaytest" in out
    report("-g", "-m", "wakeup", "b.json", "a.json", status=3)
    # Their spread tells where a further run is to be, but not what is worse.
    for name, seed in (("c", 3), ("d", 4)):
        made.write(report.directory, f"{name}.json", made.cyclictest(
            made.values(made.cycles(COUNT, seed))["wakeup"]))
    runs = ["-g", "-m", "wakeup", "-d", "100", "a.json", "c.json", "d.json"]
    report(*runs, "e=a.json")
    report(*runs, "b.json", status=3)


def rounded(report, name, value_ns, count=1000, blocks=True):
    """JSON of cycles that all take the same."""
    data = made.twoway(made.cycles(count))
    one = made.json_thread("response", [value_ns] * count)
    if not blocks:
        del one["blocks"], one["maxima"]
    data["thread"] = {"0": one}
    made.write(report.directory, name, data)


def test_blocks_of_a_json(report):
    """Alone they tell of the average, and as much as the dump's."""
    rounded(report, "a.json", 50_000)
    rounded(report, "b.json", 52_000)
    out = report("-g", "-p", "50", "a.json", "b.json", status=3).stdout
    assert out.splitlines()[-1] == \
        "undecided: response average, response tail, response p50 (not judged)"
    assert verdicts(out)["response", "average"][2:5] == \
        ["50.000", "52.000", "+2.000"]
    assert "that needs the --dump of each run: response p50" in out
    rounded(report, "c.json", 52_000, blocks=False)
    report("-g", "-p", "50", "a.json", "c.json", status=3)
    rows = made.cycles(COUNT)
    made.write(report.directory, "d.json", made.twoway(rows))
    made.write(report.directory, "e.csv", made.dump(rows))
    out = report("-g", "-m", "response", "-d", "10", "d.json", "e.csv").stdout
    row = verdicts(out)["response", "average"]
    assert abs(float(row[4])) < 0.5


@pytest.mark.parametrize("blocks, why", [
    ([50.0] * 63, "63 of them; 64 are expected"),
    ([50.0] * 63 + [None], "null is no number"),
    ([50.0] * 63 + [1e6], "a mean lies outside of minimum and maximum")])
def test_bad_blocks_are_refused(refused, blocks, why):
    data = made.twoway(made.cycles(1000))
    data["thread"]["4"]["blocks"] = blocks
    made.write(refused.directory, "a.json", data)
    message = refused("-t", "-", "a.json")
    assert "member thread.4.blocks" in message and why in message


@pytest.mark.parametrize("content, reason", [
    (made.dump(made.cycles(100)), "too few"),
    (made.text(made.values(made.cycles(900))["wakeup"]), "not measured"),
], ids=["short dump", "other metric"])
def test_what_cannot_be_compared(refused, content, reason):
    path = made.write(refused.directory, "b", content)
    made.write(refused.directory, "a.csv", made.dump(made.cycles(900)))
    assert reason in refused("-g", "-u", "-m", "total", "a.csv", path)


@pytest.mark.parametrize("option", ["-g", "-r"])
def test_two_runs_are_needed(refused, option):
    made.write(refused.directory, "a.csv", made.dump(made.cycles(900)))
    assert "1 runs; a baseline and a candidate" in refused(option, "a.csv")
    assert "2 runs; a baseline and a candidate" in refused(
        "-g", "-n2", "a.csv", "b=a.csv")


def test_enough_cycles_beyond(report):
    """100 of 1,000 lie beyond the 90th percentile."""
    for seed, name in enumerate("ab"):
        write(report, f"{name}.csv", seed, 1000)
    out = report("-g", "-p", "90", "-d", "1000", "a.csv", "b.csv").stdout
    assert ("latency", "p90") in verdicts(out)


@pytest.mark.parametrize("changed, judged", [(600, True), (3000, False)])
def test_a_run_that_wanders(report, changed, judged):
    """A warm-up is not judged; what changes later is only told."""
    write(report, "a.csv", 1)
    rows = [row if row[1] >= changed else (*row[:6], row[6] + 60_000, 0)
            for row in made.cycles(COUNT, 2)]
    made.write(report.directory, "b.csv", made.dump(rows))
    out = report("-g", "-p", "50", "-d", "20", "a.csv", "b.csv",
                 status=0 if judged else 3).stdout
    assert f"from second {changed / 1000:.0f} on" in out or \
        f"from second {changed // 1000} on" in out
    assert ("is not judged, as the run is steady afterwards" in out) == judged
    assert ("this makes its interval wide" in out) != judged


def test_one_cycle_of_a_second(report):
    """It does not make an average undecided; it is in the missed expiries."""
    write(report, "a.csv", 1)
    rows = [row if row[1] != 2000 else (*row[:6], row[6] + 10**9, 0)
            for row in made.cycles(COUNT, 2)]
    late = [row if row[1] <= 2000 else (
        *row[:2], *(t + 10**9 for t in row[2:7]), 0) for row in rows]
    late[2000] = (*late[2000][:7], 999)
    made.write(report.directory, "b.csv", made.dump(late))
    out = report("-g", "-p", "50", "a.csv", "b.csv", status=3).stdout
    assert out.splitlines()[-1] == "undecided: missed expiries"
    assert verdicts(out)["latency", "average"][-1] == "worse"   # not worse


def test_unlike_set_ups_are_refused(report, refused):
    rows = made.cycles(900)
    for name, size, loops in (("a", 8, 1), ("b", 64, 2), ("c", 8, 2)):
        made.write(report.directory, f"{name}.json",
                   made.twoway(rows, size=size, loops=loops))
    message = refused("-g", "-m", "total", "a.json", "b.json")
    assert "size 8 / 64" in message and "--unlike" in message
    assert "loops" not in message
    for name in "abc":
        made.write(report.directory, f"{name}.csv", made.dump(rows))
    files = ["-p", "50", "-d", "10", "a.json", "a.csv"]
    assert "size 8 / 64" in report("-g", "-u", *files, "b.json",
                                   "b.csv").stdout
    report("-g", *files, "c.json", "c.csv")


def test_gate_in_a_report(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=5000)
    report("-g", "-m", "total", "-t", "r.md", "-o", "r.html", "-V", "b",
           "a.csv", "x=a.csv", "b.csv", status=2)
    rows = made.tables((report.directory / "r.md").read_text())[
        "Is b worse than a, x?"]
    assert rows[0]["verdict"] == "WORSE"
    assert "Is b worse than a, x?" in \
        (report.directory / "r.html").read_text()


def test_missed_without_blocks(report):
    """That there are no more of them, by chance, decides nothing."""
    for name, missed in ("a", 80), ("b", 60):
        made.write(report.directory, f"{name}.json",
                   made.twoway(made.cycles(COUNT), missed=missed))
    out = report("-g", "a.json", "b.json", status=3).stdout
    assert out.splitlines()[-1] == "undecided: missed expiries"
