# SPDX-License-Identifier: GPL-2.0-or-later
"""Rankings: what is ahead, what ties, and what is not ranked."""

import made
import pytest


def ranks(report, *files):
    found = made.tables(report("-t", "-", *files).stdout)["Ranking"]
    return {(row["metric"], row["figure"]): row["best first"]
            for row in found}


def test_ranking_of_a_table(report):
    path = made.write(report.directory, "p.csv", made.table_csv([
        "send,A,1,10.0,30,2", "send,B,1,19.9,30,1", "send,C,1,20.0,90,8",
        "send,D,1,39.8,900,8"]))
    found = ranks(report, path)
    assert found["send", "average"] == "A < B < C < D"
    assert found["send", "maximum"] == "not ranked"     # one cycle each
    assert found["send", "deviation"] == "B << A << C = D"


def test_interval_and_sleep_rank_by_how_far_off_they_are(report):
    early, late = made.cycles(400, 1), made.cycles(400, 2)
    early = [(*r[:5], r[5] - 120_000, r[6] - 120_000, 0) for r in early]
    for name, rows in (("early", early), ("late", late)):
        made.write(report.directory, f"{name}.csv", made.dump(rows))
    means = {name: made.mean(made.values(rows)["sleep"])
             for name, rows in (("early", early), ("late", late))}
    assert means["early"] < 100_000 < means["late"]
    off = {name: abs(mean - made.SLEEP) for name, mean in means.items()}
    assert off["late"] * 1.3 < off["early"]
    first, _, second = ranks(report, "early.csv", "late.csv")[
        "sleep", "average"].split()
    assert (first, second) == ("late", "early")


def test_ties_lie_within_the_interval(report):
    """Two runs of one system tie; one that is 3 us longer does not."""
    for name, seed, shift in (("A", 1, 0), ("B", 2, 0), ("C", 3, 3000)):
        made.write(report.directory, f"{name}.csv",
                   made.dump(made.cycles(4000, seed, shift=shift)))
    found = ranks(report, "A.csv", "B.csv", "C.csv")
    # What is random within send is the same with all three.
    assert " < " not in found["send", "average"]
    average = found["receive", "average"]
    assert average in ("A = B < C", "B = A < C")
    assert found["receive", "99 %"].endswith("C")


def chain(report, averages):
    """Ranking of runs whose averages are known to +- 1 us."""
    import tr_model
    import tr_tables
    runs = [tr_model.Run(name, "", [tr_model.Part("f", "dump", name, series={
        "send": tr_model.Series("send", 9, 0, 1000 * average, 10**6,
                                half_ns=1000)})])
            for name, average in averages.items()]
    [table] = tr_tables.ranking(runs, ["send"])
    return next(row[2] for row in table.rows if row[1] == "average")


@pytest.mark.parametrize("averages, expected", [
    ({"A": 10, "B": 11, "C": 12}, "A = B = C"),
    ({"A": 10, "B": 11.5, "C": 13}, "A = B = C (A < C)"),
    ({"A": 10, "C": 13}, "A < C"),
    ({"A": 10, "B": 11.5, "C": 13, "D": 14.5},
     "A = B = C = D (A < C, B < D)"),
    ({"A": 10, "B": 11.5, "C": 13, "D": 30, "E": 31},
     "A = B = C (A < C) << D = E")])
def test_chains_say_what_is_true(report, averages, expected):
    """Neighbours may tie although the first and the last do not."""
    assert chain(report, averages) == expected
