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


def test_few_rows_and_systems(report):
    """Twelve at most; three runs of a system have one rank."""
    for seed in range(6):
        made.write(report.directory, f"{seed}.csv", made.dump(made.cycles(
            2000, seed, shift=9000 * (seed > 2))))
    files = "A=0.csv,1.csv,2.csv", "B=3.csv,4.csv,5.csv"
    text = report("-t", "-", *files).stdout
    assert len(made.tables(text)["Ranking"]) == 12
    assert "nothing tells. 4 more: name metrics by --metrics." in text
    found = ranks(report, "-m", "receive,sleep,interval", *files)
    assert list(found) == [("receive", "average"), ("receive", "99 %")]
    assert found["receive", "average"] == "A < B"


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
