# SPDX-License-Identifier: GPL-2.0-or-later
"""Rankings: what is surely ahead, and what is not ranked."""

import made


def ranks(report, *files):
    found = made.tables(report("-t", "-", *files).stdout)["Ranking"]
    return {(row["metric"], row["figure"]): row["best first"]
            for row in found}


def test_ranking_of_a_table(report):
    path = made.write(report.directory, "p.csv", made.table_csv([
        "send,A,1,10.0,30,2", "send,B,1,19.9,30,1", "send,C,1,20.0,90,8",
        "send,D,1,39.8,900,8"]))
    found = ranks(report, path)
    assert found["send", "average"] == "A <= B <= C <= D"
    assert ("send", "maximum") not in found     # one cycle each
    assert found["send", "deviation"] == "B <= A <= C = D"


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


def test_what_may_be_chance_is_not_sure(report):
    """Two runs of one system; and one that is 3 us longer."""
    for name, seed, shift in (("A", 1, 0), ("B", 2, 0), ("C", 3, 3000)):
        made.write(report.directory, f"{name}.csv",
                   made.dump(made.cycles(4000, seed, shift=shift)))
    found = ranks(report, "A.csv", "B.csv", "C.csv")
    # What is random within send is the same with all three.
    assert " < " not in found["send", "average"]
    average = found["receive", "average"]
    assert average in ("A <= B < C", "B <= A < C", "A = B < C")
    assert found["receive", "99 %"].endswith("C")
    assert found["receive", "deviation"].count(" <= ") == 2


def test_twice_as_much(report):
    """<< is for what is sure, too; without blocks, nothing is."""
    rows = made.cycles(2000)
    slow = [(*row[:6], row[6] + 60_000, 0) for row in rows]
    for name, own in (("A", rows), ("B", slow)):
        made.write(report.directory, f"{name}.csv", made.dump(own))
        data = made.twoway(own)
        for thread in data["thread"].values():
            del thread["blocks"]
        made.write(report.directory, f"{name}.json", data)
    for files, sign in ((("A.csv", "B.csv"), "<<"),
                        (("A.json", "B.json"), "<=")):
        assert ranks(report, *files)["receive", "average"] == f"A {sign} B"


def test_the_longest_cycles_do_not_rank(report):
    """An average that is longer by them alone is not surely longer."""
    rows = made.cycles(2000)
    slow = [row if row[1] != 999 else (*row[:6], row[6] + 10**8, 0)
            for row in rows]
    for name, own in (("A", rows), ("B", slow)):
        made.write(report.directory, f"{name}.csv", made.dump(own))
    assert ranks(report, "A.csv", "B.csv")["receive", "average"] == "A <= B"
