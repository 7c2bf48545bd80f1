# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of several pairs: each is told apart, in every format."""

import statistics

import made
import made_pairs
import pytest

PAIRS = made_pairs.pairs((400, 300, 200))
RAMP = made_pairs.ramp(3)
VALUES = made_pairs.values(PAIRS)


def results(report, *files):
    return made.tables(report("-t", "-", *files).stdout)


def label(metric):
    return made.LABELS[made.METRICS.index(metric)]


def check(row, found, whole, near=0.06):
    """A row against the values; whole: minimum and maximum are in us."""
    assert row["cycles"] == str(len(found))
    for key, value in (("min", min(found)), ("max", max(found))):
        assert row[key] == (str(value // 1000) if whole else made.us(value))
    assert float(row["avg"]) == pytest.approx(
        float(made.mean(found)) / 1000, abs=near)


FILES = {
    "json": ("x.json", made_pairs.twoway(PAIRS)),
    "dump": ("x.csv", made_pairs.dump(PAIRS)),
}


@pytest.mark.parametrize("metric", ["send", "total"])
@pytest.mark.parametrize("kind", sorted(FILES))
def test_each_pair_and_all_together(report, kind, metric):
    found = results(report, made.write(report.directory, *FILES[kind]))
    whole = kind == "json"
    [row] = found[label(metric)]
    assert row["system"] == "x"
    together = made_pairs.all_of(PAIRS, metric)
    check(row, together, whole)
    assert float(row["std"]) == pytest.approx(
        made.deviation(together) / 1000, abs=0.2)
    own = found[f"{label(metric)} of each pair"]
    assert [row["pair"] for row in own] == ["0", "1", "2"]
    for row, values in zip(own, VALUES.values()):
        check(row, values[metric], whole)


@pytest.mark.parametrize("kind", ["json", "dump"])
def test_deviation_from_the_target(report, kind):
    """That of sleep is the same for all; periods differ, so there is none."""
    found = results(report, made.write(report.directory, *FILES[kind]))
    sleeps = made_pairs.all_of(PAIRS, "sleep")
    [row] = found[label("sleep")]
    # That of each log has n - 1.
    assert float(row["rms"]) == pytest.approx(
        made.rms(sleeps, made.SLEEP) / 1000, abs=0.2)
    if kind != "log":
        assert float(row["std"]) == pytest.approx(
            made.deviation(sleeps) / 1000, abs=0.1)
    [row] = found[label("interval")]
    assert kind == "log" or row["std"] == row["rms"] == "-"
    own = found[f"{label('interval')} of each pair"]
    for row, period, values in zip(own, made_pairs.PERIODS, VALUES.values()):
        assert row["std"] == made.us(made.deviation(values["interval"]))
        assert kind == "log" or row["rms"] == made.us(made.rms(
            values["interval"], period))


def test_deviation_of_pairs_that_differ(report):
    """It is that of all their cycles, not the mean of theirs."""
    pairs = PAIRS | {1: [(*row[:4], *(time + 100_000 for time in row[4:7]),
                          0) for row in PAIRS[1]]}
    made.write(report.directory, "x.json", made_pairs.twoway(pairs))
    [row] = results(report, "x.json")["Send Time"]
    together = made_pairs.all_of(pairs, "send")
    assert made.deviation(together) > 40_000
    assert float(row["std"]) == pytest.approx(
        made.deviation(together) / 1000, abs=0.3)


def test_percentiles_of_a_dump(report):
    found = results(report, made.write(report.directory, *FILES["dump"]))
    together = made_pairs.all_of(PAIRS, "send")
    assert found["Send Time"][0]["p90"] == \
        made.us(made.percentile(together, "90"))
    for row, values in zip(found["Send Time of each pair"], VALUES.values()):
        assert row["p90"] == made.us(made.percentile(values["send"], "90"))


def test_histograms_of_all(report):
    """p90 comes from the histograms, as JSON has only the median here."""
    found = results(report, made.write(report.directory, *FILES["json"]))
    together = made_pairs.all_of(PAIRS, "send")
    assert found["Send Time"][0]["p90"] == \
        str(made.percentile(together, "90") // 1000)


def test_what_is_known_of_each_pair(report):
    rows = results(report, made.write(report.directory, *FILES["json"]))[
        "Pairs of client and server"]
    assert rows == [
        {"system": "x", "pair": str(k), "CPU": str(4 + k),
         "interval": str(1000 * (k + 1)), "missed": str(10 + k),
         "inversions": str(20 + k)} for k in range(3)]


def test_client_on_no_single_cpu(report):
    data = made_pairs.twoway(PAIRS)
    for thread in data["thread"].values():
        thread["cpu"] = -1
    rows = results(report, made.write(report.directory, "x.json", data))[
        "Pairs of client and server"]
    assert [row["CPU"] for row in rows] == ["-"] * 3


def test_number_of_pairs_is_said(report):
    for kind in FILES:
        found = results(report, made.write(report.directory, *FILES[kind]))
        assert any("3 pairs of client and server" in row["remark"]
                   for row in found["Remarks"]), kind


def test_all_formats_of_one_run(report):
    names = [made.write(report.directory, *file) for file in FILES.values()]
    found = results(report, *names)
    assert [row["system"] for row in found["Send Time"]] == ["x"]
    assert len(found["Send Time of each pair"]) == 3
    assert [row["CPU"] for row in found["Pairs of client and server"]] == \
        ["4", "5", "6"]


def test_gap_in_the_numbers_of_pairs(refused):
    data = made_pairs.twoway(PAIRS)
    for thread in data["thread"].values():
        thread["pair"] *= 2
    made.write(refused.directory, "x.json", data)
    assert "pair 4" in refused("-t", "-", "x.json")


def test_worst_cycles_name_their_pair(report):
    pairs = made_pairs.pairs((400, 300, 200))
    row = pairs[1][120]
    pairs[1][120] = (*row[:6], row[6] + 900_000, 0)
    made.write(report.directory, "x.csv", made_pairs.dump(pairs))
    found = results(report, "x.csv")["Worst cycles"]
    row = next(row for row in found if "response" in row["metric"])
    assert row["pair"] == "1"
    assert row["at s"] == f"{(pairs[1][120][3] - pairs[0][0][3]) / 1e9:.3f}"
    made.write(report.directory, "one.csv", made.dump(made.cycles(100)))
    assert "pair" not in results(report, "one.csv")["Worst cycles"][0]


def test_period_of_each_pair_alone(report):
    """A dump without JSON shows the period of each of its pairs."""
    path = made.write(report.directory, *FILES["dump"])
    found = results(report, path)["Pairs of client and server"]
    assert [row["interval"] for row in found] == ["1000", "2000", "3000"]


def test_dump_of_some_pairs(report):
    """Of a killed run, perhaps; whatever their numbers are."""
    far = 10**9 - 1
    rows = [(far if row[0] else 0, *row[1:]) for pair in (0, 1)
            for row in PAIRS[pair]]
    made.write(report.directory, "x.csv", made.dump(rows))
    found = results(report, "x.csv")
    assert [row["pair"] for row in found["Send Time of each pair"]] == \
        ["0", str(far)]


def test_settings_of_all_pairs_are_compared(report):
    """The client of the second pair runs elsewhere."""
    data = made_pairs.twoway(PAIRS)
    made.write(report.directory, "x.json", data)
    data["twoway"]["pairs"][1]["client"]["cpus"] = "9"
    made.write(report.directory, "y.json", data)
    rows = results(report, "x.json", "y.json")[
        "What differs between the runs"]
    [row] = [row for row in rows if row["what"] == "client cpus"]
    assert row["x"] == "4 5 6" and row["y"] == "4 9 6"


def test_ranking_is_of_all_pairs(report):
    """The first pairs are alike; another pair of y is 100 us longer."""
    pairs = made_pairs.pairs((2000, 1000))
    late = {0: pairs[0], 1: [(*row[:4], row[4] + 100_000, row[5] + 100_000,
                              row[6] + 100_000, 0) for row in pairs[1]]}
    made.write(report.directory, "x.csv", made_pairs.dump(pairs))
    made.write(report.directory, "y.csv", made_pairs.dump(late))
    rows = results(report, "y.csv", "x.csv")["Ranking"]
    row = next(row for row in rows if (row["metric"], row["figure"]) ==
               ("send", "average"))
    assert row["best first"] == "x << y"


def test_limit_names_its_pair(report):
    data = made_pairs.twoway(PAIRS)
    data["twoway"]["limits"] = [made.limit("response:100", 100001, 2)]
    made.write(report.directory, "x.json", data)
    texts = [row["remark"] for row in results(report, "x.json")["Remarks"]]
    assert "limit response:100 exceeded by pair 2" in texts


def test_deviation_of_few_cycles(report):
    """Of n values, n - 1 are free, in each pair and in all."""
    from twoway.series import model, pairs as of_pairs
    pairs = [[1000, 4000], [2000, 9000, 4000], [7000]]
    series = [model.Series(
        "send", len(one), min(one), statistics.mean(one), max(one),
        std_ns=statistics.stdev(one) if one[1:] else None) for one in pairs]
    assert of_pairs.together(series).std_ns == pytest.approx(
        statistics.stdev(sum(pairs, [])))
