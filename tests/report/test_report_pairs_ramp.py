# SPDX-License-Identifier: GPL-2.0-or-later
"""A ramp of pairs: the first pair against the number of other clients."""

import made
import made_pairs
import pytest

RAMP = made_pairs.ramp(3)
STEPS = made_pairs.steps_of(RAMP)
TITLE = "Pair 0 against the number of other clients"
LOAD = "Total Jitter against the load"
FILES = {
    "json": ("x.json", made_pairs.ramp_json(RAMP)),
    "dump": ("x.csv", made.dump([
        row for step in STEPS for row in sorted(
            (row for rows in step.values() for row in rows),
            key=lambda row: row[3])])),
}


def results(report, *files):
    return made.tables(report("-t", "-", *files).stdout)


def three(values, whole):
    return [made.us(min(values) // 1000 * 1000 if whole else min(values),
                    1 - whole), made.us(made.mean(values)),
            made.us(max(values) // 1000 * 1000 if whole else max(values),
                    1 - whole)]


def expected(whole):
    """Cells of each row, from the values."""
    rows = []
    for step in STEPS:
        values = made_pairs.values(step)
        others = [own["response"] for pair, own in values.items() if pair]
        rows.append([
            str(len(step) - 1), str(len(step[0])),
            *three(values[0]["response"], whole),
            *three(values[0]["total"], whole),
            *(three(max(others, key=max), whole) if others else "---")])
    return rows


KEYS = ["others", "cycles"] + [
    f"{name} {key}" for name in ("response", "total", "others'")
    for key in ("min", "avg", "max")]


@pytest.mark.parametrize("kind", sorted(FILES))
def test_table(report, kind):
    found = results(report, made.write(report.directory, *FILES[kind]))
    assert [[row[key] for key in KEYS] for row in found[TITLE]] == \
        expected(kind == "json")
    assert {row["system"] for row in found[TITLE]} == {"x"}
    counts = [(row["inversions"], row["missed"]) for row in found[TITLE]]
    assert counts == {
        "json": [("40", "30"), ("41", "31"), ("42", "32")],
        "dump": [("-", "0")] * 3}[kind]


@pytest.mark.parametrize("kind", sorted(FILES))
def test_is_no_ramp_of_load(report, kind):
    found = results(report, "-f", "figs", "-F", "svg",
                    made.write(report.directory, *FILES[kind]))
    assert LOAD not in found
    names = {path.stem for path in (report.directory / "figs").iterdir()}
    assert "ramp-pairs" in names
    assert not [name for name in names if name.startswith("load")]


def test_ramp_of_load_is_no_ramp_of_pairs(report):
    """Of three pairs: a step has total of all of them."""
    steps = [made_pairs.pairs((200, 150, 100), seed, start=10**12 * seed)
             for seed in (1, 2)]
    whole = {pair: steps[0][pair] + steps[1][pair] for pair in range(3)}
    data = made_pairs.twoway(whole, steps, ramp="load")
    data["twoway"]["steps"][1]["units"] = 4
    made.write(report.directory, "x.json", data)
    made.write(report.directory, "x.csv", made.dump(
        [row for step in steps for rows in step.values() for row in rows]))
    for files in (["x.json"], ["x.csv"], ["x.json", "x.csv"]):
        found = results(report, "-f", "figs", "-F", "svg", "-m", "total",
                        *files)
        assert TITLE not in found
        names = {path.stem for path in (report.directory / "figs").iterdir()}
        assert "load" in names and "ramp-pairs" not in names
        rows = found[LOAD]
        assert [row["workers"] for row in rows] == \
            (["0", "4"] if "x.json" in files else ["0", "1"])
        for row, step in zip(rows, steps):
            total = made_pairs.all_of(step, "total")
            assert float(row["max"]) == pytest.approx(max(total) / 1000,
                                                      abs=1)
            assert float(row["avg"]) == pytest.approx(
                float(made.mean(total)) / 1000, abs=0.06)


def test_all_formats_of_one_ramp(report):
    names = [made.write(report.directory, *file) for file in FILES.values()]
    found = results(report, *names)
    rows = found[TITLE]
    assert [[row[key] for key in KEYS] for row in rows] == expected(False)
    assert [row["inversions"] for row in rows] == ["40", "41", "42"]
    joined = made_pairs.all_of(made_pairs.joined(RAMP), "response")
    assert found["Response Time"][0]["cycles"] == str(len(joined))


def test_pairs_that_join_late_are_of_that_step(report):
    """The second from the second step on, the third in the last."""
    path = made.write(report.directory, *FILES["dump"])
    from twoway.read import dump, dump_pairs
    cycles, *_ = dump.read_cycles(path)
    for own in cycles.values():
        own.close()
    assert dump_pairs.steps_of(path, cycles) == {
        0: [0, 1, 2], 1: [1, 2], 2: [2]}


def test_steps_that_do_not_fit(refused):
    """The second pair has two steps within one of the first."""
    pairs = made_pairs.pairs((300, 100))
    again = [(1, i, *row[2:]) for i, row in enumerate(pairs[1][50:])]
    made.write(refused.directory, "x.csv", made.dump(
        pairs[0] + pairs[1][:50] + again))
    assert "the steps of pair 1" in refused("-t", "-", "x.csv")


def test_which_other_took_longest(report):
    """The one of the longest cycle, though another's are longer on average."""
    steps = [dict(step) for step in STEPS]
    steps[2][2] = [(*row[:6], row[6] + 200_000, 0) for row in steps[2][2]]
    row = steps[2][1][30]
    steps[2][1] = [*steps[2][1][:30], (*row[:6], row[6] + 900_000, 0),
                   *steps[2][1][31:]]
    first, second = (made_pairs.values(steps[2])[k]["response"]
                     for k in (1, 2))
    assert max(first) > max(second) and \
        made.mean(first) < made.mean(second)
    made.write(report.directory, "x.csv", made.dump(
        [row for step in steps for rows in step.values() for row in rows]))
    row = results(report, "x.csv")[TITLE][2]
    assert [row[key] for key in KEYS[-3:]] == three(first, False)


def test_two_systems(report):
    """Rows of one number of others stand together."""
    made.write(report.directory, "a.json", made_pairs.ramp_json(RAMP))
    made.write(report.directory, "b.json",
               made_pairs.ramp_json(made_pairs.ramp(2)))
    rows = results(report, "a.json", "b.json")[TITLE]
    assert [(row["others"], row["system"][0]) for row in rows] == [
        ("0", "a"), ("0", "b"), ("1", "a"), ("1", "b"), ("2", "a")]
