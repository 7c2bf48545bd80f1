# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate and what response cannot show: cycles never made, broken runs."""

import random
import types

import made
import pytest

numpy = pytest.importorskip("numpy")

COUNT = 6000
GATE = ("-g", "-d", "100")


def losing(rows, where):
    """where: cycle -> expiries that were missed after it."""
    found, late = [], 0
    for row in rows:
        missed = where.get(row[1], 0)
        found.append((*row[:2], *(t + late for t in row[2:7]), missed))
        late += missed * made.PERIOD
    return found


def scattered(count, seed=3):
    return dict.fromkeys(random.Random(seed).sample(range(COUNT - 1), count),
                         1)


def data_of(rows, **members):
    data = made.twoway(rows, missed=sum(row[7] for row in rows))
    data["twoway"] |= members
    return data


def write(report, name, where, dump=True, json=True, seed=1, **members):
    rows = losing(made.cycles(COUNT, seed), where)
    if dump:
        made.write(report.directory, f"{name}.csv", made.dump(rows))
    if json:
        made.write(report.directory, f"{name}.json",
                   data_of(rows, **members))
    return [path.name for path in sorted(report.directory.glob(f"{name}.*"))]


def gate(report, before, after, status):
    # As a single run of the baseline makes nothing worse.
    again = [f"x={path}" for path in before * (status == 2)]
    return report(*GATE, *before, *again, *after, status=status).stdout


@pytest.mark.parametrize("json", [True, False])
def test_cycles_that_were_never_made(report, json):
    """As many as half of the cycles, response as before: not unnoticed."""
    a = write(report, "a", {}, json=json)
    b = write(report, "b", dict.fromkeys(range(0, COUNT - 1, 2), 1),
              json=json, seed=2)
    out = gate(report, a, b, 2)
    assert out.splitlines()[-1] == "worse: missed expiries"
    assert "Missed expiries: a 0, x 0, b 3000 beside 6000 cycles." in out
    row = next(line.split() for line in out.splitlines()
               if line.startswith("missed"))
    assert row[4:6] == ["0.000", "33.333"] and row[-1] == "WORSE"
    assert gate(report, b, a, 0).splitlines()[-1] == \
        "not worse by more than 100 % (latency average, latency p50), " \
        "1 % (missed expiries)"


def test_as_many_as_before_are_not_worse(report):
    a = write(report, "a", scattered(200, 1))
    b = write(report, "b", scattered(205, 2), seed=2)
    assert "undecided: missed" in gate(report, a, b, 3)
    out = report(*GATE[:-1], "100,missed:2", *a, *b).stdout
    assert "a 200 beside 6000 cycles, b 205 beside 6000 cycles" in out


def test_no_more_are_allowed(report):
    """0.8 %, less than the tolerance of other figures."""
    a = write(report, "a", {})
    out = gate(report, a, write(report, "b", scattered(50), seed=2), 2)
    assert out.splitlines()[-1] == "worse: missed expiries"


def test_few_may_be_chance(report):
    """Of a baseline that has some, too; without any, four are undecided."""
    a = write(report, "a", scattered(3))
    b = write(report, "b", scattered(4), seed=2)
    gate(report, a, b, 0)
    out = gate(report, write(report, "a", {}), b, 3)
    assert out.splitlines()[-1] == "undecided: missed expiries"


@pytest.mark.parametrize("where", [{3000: 70}, {3000: 3000}])
def test_one_stall_is_not_called_worse(report, where):
    """It is one event, but cycles that were not made tell nothing."""
    a = write(report, "a", {})
    out = gate(report, a, write(report, "b", where, seed=2), 3)
    assert out.splitlines()[-1] == "undecided: missed expiries"


def test_without_a_dump_groups_are_unknown(report):
    a = write(report, "a", {}, dump=False)
    b = write(report, "b", scattered(300), dump=False, seed=2)
    out = gate(report, a, b, 3)
    assert "undecided: missed expiries" in out
    assert "give the --dump of each run" in out
    gate(report, b, a, 3)       # fewer, by chance or not


def one_by_one(source, share):
    return source.random(60_000) < share


def in_groups(source, share):
    found = numpy.zeros(60_000, int)
    for index in numpy.flatnonzero(source.random(60_000) < share / 20):
        found[index] = source.geometric(1 / 20)
    return found


def in_regimes(source, share):
    """Each fifth of a run has a share of its own."""
    return source.random(60_000) < numpy.repeat(
        share * source.lognormal(0, 1, 5), 12_000)


def lost(missed):
    from twoway.compare import sure
    index = numpy.flatnonzero(missed)
    return sure.missed(types.SimpleNamespace(
        count=60_000, missed=int(missed.sum()), cycles=types.SimpleNamespace(
            count=60_000, missed=numpy.array([index, missed[index]]),
            slices=lambda: [slice(0, 60_000)])))


def low_ends(model, share, other, pairs):
    """Of the differences that are surely there."""
    from twoway.compare import sure
    source = numpy.random.default_rng(1)
    return [sure.difference([lost(model(source, share))],
                            [lost(model(source, other))], 0.01)[0]
            for _ in range(pairs)]


@pytest.mark.parametrize("model", [one_by_one, in_groups, in_regimes])
@pytest.mark.parametrize("share", [1e-4, 1e-3, 1e-2])
def test_alarms_by_chance(model, share):
    """Both runs miss alike: not more are called worse than 1 % allows.

    Of 200 pairs, more than 4 would come with a probability of 1 in 20.
    """
    assert sum(low > 0 for low in low_ends(model, share, share, 200)) <= 4


@pytest.mark.parametrize("model", [one_by_one, in_groups])
def test_three_times_as_many_are_found(model):
    assert sum(low > 0 for low in low_ends(model, 0.01, 0.03, 50)) > 20


@pytest.mark.parametrize("members, reason", [
    ({"interrupted": True}, "ended by a signal before its -l 9000"),
    ({"clock_set": {"times": 2, "left_out": 4}}, "the clock was set"),
    ({"peer": {"clock_set": {"times": 2, "left_out": 0}}},
     "the clock was set on the server's host"),
    ({"suspended_us": 5}, "the system was suspended"),
    ({"peer": {"suspended_us": 5}},
     "the system was suspended on the server's host"),
    ({"breaks": [{"metric": "total", "cycle": 1, "values": {"total": 9}}]},
     "ended by -b")])
@pytest.mark.parametrize("broken", ["a", "b"])
def test_broken_run_is_undecided(report, members, reason, broken):
    for name in "ab":
        data = made.twoway(made.cycles(COUNT, 1), loops=9000)
        if name == broken:
            data["twoway"] |= members
        made.write(report.directory, f"{name}.json", data)
    out = report(*GATE, "a.json", "b.json", status=3).stdout
    assert out.splitlines()[-1] == f"undecided: {broken} ({reason})"


@pytest.mark.parametrize("side", ["client", "server"])
def test_a_side_that_was_moved_is_undecided(report, side):
    """The server's, on another host: it is in that one's results."""
    for name in "ab":
        data = made.twoway(made.cycles(COUNT, 1), loops=9000)
        moved = {"changed": {"cpus": "1"} if name == "b" else None}
        data["twoway"]["pairs"][0] |= {
            "server": None, "client": moved if side == "client" else {}}
        if side == "server":
            data["twoway"]["peer"] = {"pairs": [{"server": moved,
                                                 "client": None}]}
        made.write(report.directory, f"{name}.json", data)
    out = report(*GATE, "a.json", "b.json", status=3).stdout
    assert out.splitlines()[-1] == f"undecided: b (the {side} of pair 0 " \
        "changed policy, priority or CPUs while it ran)"


def test_signal_is_the_end_of_a_run_without_one(report):
    for name in "ab":
        data = made.twoway(made.cycles(COUNT, 1), loops=0, duration=0)
        data["twoway"]["interrupted"] = True
        made.write(report.directory, f"{name}.json", data)
    report(*GATE, "a.json", "b.json")


def test_throttled_is_told(report):
    a = write(report, "a", {}, throttled=0)
    b = write(report, "b", {}, throttled=7, seed=2)
    assert "Throttled cycles: a 0, b 7 beside 6000 cycles." in \
        gate(report, a, b, 0)
