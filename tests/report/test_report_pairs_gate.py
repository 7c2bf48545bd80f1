# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate on results of several pairs: it judges all of them together."""

import types

import made
import made_columns
import made_pairs
import numpy
import pytest

ARGS = "-g", "-p", "50,90"


def later(pairs, shift, of=(0, 1, 2)):
    """The server of some pairs answers so much later, in ns."""
    return {pair: [(*row[:4], row[4] + shift, row[5] + shift, row[6] + shift,
                    0) if pair in of else row for row in rows]
            for pair, rows in pairs.items()}


@pytest.fixture(scope="module")
def two():
    """The same system, twice."""
    return [made_pairs.pairs((6000, 3000, 2000), seed) for seed in (1, 2)]


def columns(pairs):
    return made_columns.twoway(list(pairs.values()), made_pairs.PERIODS)


@pytest.mark.parametrize("kind, shift, status", [
    ("dump", 0, 0), ("json", 0, 3), ("dump", 15000, 2), ("json", 15000, 2)])
def test_verdict(report, two, kind, shift, status):
    """Without a dump, of three missed expiries nothing is known."""
    content = made_pairs.dump if kind == "dump" else columns
    for name, pairs in zip("ab", (two[0], later(two[1], shift))):
        made.write(report.directory, f"{name}.{kind}", content(pairs))
    done = report(*(ARGS if kind == "dump" else ARGS[:1]), f"a.{kind}",
                  *[f"x=a.{kind}"] * bool(shift), f"b.{kind}", status=status)
    assert done.stdout.splitlines()[-1] in (
        "not worse by more than 3 %", "undecided: missed expiries", "worse: latency average",
        "worse: latency average, latency p50, latency p90")
    assert done.stdout.count("3 pairs of client and server: figures are "
                             "those of all pairs together") == 1
    assert "a single pair may be worse" in done.stdout


def test_average_is_that_of_all_pairs(report, two):
    """One pair of three is longer: of 11000 cycles, 3000."""
    late = later(two[1], 50000, of=(1,))
    for name, pairs in zip("ab", (two[0], late)):
        made.write(report.directory, f"{name}.csv", made_pairs.dump(pairs))
    done = report(*ARGS, "-t", "t.csv", "a.csv", "x=a.csv",
                  "b.csv", status=2)
    row = next(line for line in done.stdout.splitlines()
               if line.startswith("latency  average"))
    for text, pairs in zip(row.split()[4:6], (two[0], late)):
        values = sorted(made_pairs.all_of(pairs, "latency"))
        assert float(text) == pytest.approx(
            float(made.mean(values[:-11])) / 1000, abs=0.02)


def differing(message):
    return message.split(" allows: ")[1].rstrip().split("; ")


@pytest.mark.parametrize("fewer", [1, 2])
@pytest.mark.parametrize("kinds", [("dump", "dump"), ("json", "json"),
                                   ("dump", "json")])
def test_other_number_of_pairs(refused, two, kinds, fewer):
    """Also beside a single one."""
    content = {"dump": made_pairs.dump, "json": made_pairs.twoway}
    made.write(refused.directory, "a.x", content[kinds[0]](two[0]))
    made.write(refused.directory, "b.x", content[kinds[1]](
        {pair: two[1][pair] for pair in range(fewer)}))
    assert f"pairs 3 / {fewer}" in differing(refused(
        "-m", "total", *ARGS, "a.x", "b.x"))


def test_the_option_implies_the_number_of_pairs(refused, two):
    for name, count in ("a", 3), ("b", 1):
        made.write(refused.directory, f"{name}.json", made_pairs.twoway(
            {pair: two[0][pair] for pair in range(count)}, threads=count))
    assert [text.split()[0] for text in differing(refused(
        *ARGS, "a.json", "b.json"))] == ["threads", "client", "client"]


def test_other_periods(refused, two):
    for name, pairs, distance in zip("ab", two, (1000, 2000)):
        made.write(refused.directory, f"{name}.json",
                   made_pairs.twoway(pairs, distance=distance))
    assert "distance 1000 / 2000" in refused(*ARGS, "a.json", "b.json")


def test_cycles_in_the_order_of_time(report, two):
    """Blocks of all pairs are spans of time, step after step."""
    from twoway.read import runs
    ramp = made_pairs.ramp(3)
    steps = made_pairs.steps_of(ramp)
    made.write(report.directory, "x.csv", made.dump([
        row for step in steps for rows in step.values() for row in rows]))
    [run], _ = runs.read_all(["x.csv"], types.SimpleNamespace(
        interval=None, sleep=100, total="documented", virtual=[],
        skip_bad=False, wanted=["response"]))
    cycles = run.cycles
    expected = [row for step in steps for row in sorted(
        (row for rows in step.values() for row in rows),
        key=lambda row: row[3])]
    assert list(cycles.values("response")) == [
        row[6] - row[3] for row in expected]
    assert list(cycles.times_s(numpy.arange(len(expected)))) == \
        pytest.approx([(row[3] - expected[0][3]) / 1e9 for row in expected])
    lengths = [sum(map(len, step.values())) for step in steps]
    assert [part.stop - part.start for part in cycles.slices()] == lengths
    # The first cycle of each pair in each step has no interval.
    assert len(cycles.values("total")) == len(expected) - 6
    assert len(cycles.breaks) == 6
    values = [value for step in steps
              for value in made_pairs.all_of(step, "total")]
    assert sorted(cycles.values("total")) == sorted(values)


def test_missed_expiries_are_in_their_place(report):
    """Of the second pair, after its cycle 40: three of them."""
    from twoway.read import runs
    pairs = made_pairs.pairs((200, 100))
    pairs[1] = [(*row[:7], 3 if row[1] == 40 else 0) for row in pairs[1]]
    made.write(report.directory, "x.csv", made_pairs.dump(pairs))
    [run], _ = runs.read_all(["x.csv"], types.SimpleNamespace(
        interval=None, sleep=100, total="documented", virtual=[],
        skip_bad=False, wanted=None))
    order = sorted((row for rows in pairs.values() for row in rows),
                   key=lambda row: row[3])
    place = next(i for i, row in enumerate(order) if row[7])
    assert run.cycles.missed.tolist() == [[place], [3]]
    assert run.missed == 3
    assert [pair.missed for pair in run.pairs] == [0, 3]


def test_closed_loop(report):
    """No pair has a period: there is no wakeup, and none in total."""
    source = made_pairs.pairs((200, 100))
    loops = {pair: [(*row[:2], row[3], *row[3:]) for row in rows]
             for pair, rows in source.items()}
    made.write(report.directory, "x.csv", made_pairs.dump(loops))
    found = made.tables(report("-t", "-", "-i", 0, "x.csv").stdout)
    assert "Wakeup Time" not in found
    total = [row[4] - row[3] + row[6] - row[5] +
             abs(row[5] - row[4] - made.SLEEP)
             for rows in loops.values() for row in rows[1:]]
    assert found["Total Jitter"][0]["avg"] == made.us(made.mean(total))


def test_trltp3(report):
    """Each pair's total has its own rate."""
    pairs = made_pairs.pairs((200, 100))
    made.write(report.directory, "x.csv", made_pairs.dump(pairs))
    found = made.tables(report("-t", "-", "-x", "trltp3",
                               "x.csv").stdout)
    total = [value for pair, rows in pairs.items() for value in made.values(
        rows, made_pairs.PERIODS[pair], trltp3=True)["total"]]
    assert found["Total Jitter"][0]["avg"] == made.us(made.mean(total))


def test_expiries_that_are_not_on_the_grid(report):
    """The remark names the pair."""
    pairs = made_pairs.pairs((200, 100))
    made.write(report.directory, "x.csv", made_pairs.dump(pairs))
    found = made.tables(report("-t", "-", "-i", 1000, "x.csv").stdout)
    assert any(row["remark"].startswith("pair 1: x.csv: most expiries are "
                                        "2000 us apart")
               for row in found["Remarks"])
