# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate's verdict on what takes longest: long cycles that come again and
again, however few they are."""

import made
import pytest

numpy = pytest.importorskip("numpy")

COUNT = 6400                    # cycles: 100 a block
LONG = 900_000


def rows_of(seed, long=(), us=0):
    """At most 200 us, but for the blocks @long, each with such a cycle."""
    rows = []
    for row in made.cycles(COUNT, seed):
        end = min(row[6], row[3] + 200_000)
        rows.append((*row[:4], *(min(t, end - 2000) for t in row[4:6]), end,
                     0))
    for k, block in enumerate(long):
        at = 100 * block + 50
        rows[at] = (*rows[at][:6], rows[at][3] + LONG + 1000 * us * k, 0)
    return rows


def runs(report, longs, kind="csv", us=0):
    """A file each; its name is its number."""
    names = []
    for seed, long in enumerate(longs, 1):
        rows = rows_of(seed, long, us)
        content = made.dump(rows) if kind == "csv" else made.twoway(rows)
        names.append(made.write(report.directory, f"{seed}.{kind}",
                                content).name)
    return names


def tail_rows(text, metric="latency"):
    """Words of the rows on its maximum and its episodes."""
    lines = [line.split() for line in text.splitlines()]
    return [next(line for line in lines if line[:2] == [metric, figure])
            for figure in ("maximum", "longer")]


GATE = ("-g", "-a", "10", "-d", "20", "-m", "response")


@pytest.mark.parametrize("kind", ["csv", "json"])
@pytest.mark.parametrize("baselines, long, status", [
    (5, (3, 30), 0), (5, (3, 30, 60), 2), (5, (3, 4, 5, 60), 0),
    (5, (0, 2, 63), 2), (5, range(64), 2), (5, range(1, 64), 2),
    (1, range(0, 12, 2), 0), (1, range(0, 14, 2), 3)])
def test_episodes(report, kind, baselines, long, status):
    """Three beside five runs, seven beside one, which are undecided, as two boots
    may differ: neighbours are one."""
    names = runs(report, [()] * baselines + [long], kind=kind)
    out = report(*GATE, *names, status=status).stdout
    assert out.splitlines()[-1] == (
        {0: "not worse by more than 20 %", 2: "worse: response tail",
         3: "undecided: response tail"}[status])
    one, two = tail_rows(out, "response")
    assert one[2:5] == ["in", "us", "200.000"] and one[-2:] == [
        "not", "judged"] and float(one[5]) >= 900
    long = set(long)
    count = 16 if len({at // 4 for at in long}) == 16 else sum(
        at - 1 not in long for at in long)
    assert two[2:] == ["episodes", "0", f"{count}", f"+{count}", "-",
                       "3" if baselines == 5 else "7",
                       *{0: ["not", "worse"], 2: ["WORSE"], 3: ["undecided"]}[
                           status]]


@pytest.mark.parametrize("long, count", [
    (range(60), 1), (range(1, 64), 16), ((63,), 1), ((0, 1, 3), 2), ((), 0)])
def test_counted_episodes(long, count):
    """In each 16th of the run, it is no burst."""
    from twoway.compare import tail
    other = tail.Side("", 6400, numpy.full(64, 9000.0), 1000)
    maxima = numpy.full(64, 9999.0)     # 9 us, rounded down, may be so much
    maxima[list(long)] = 10_000
    assert tail.episodes(tail.Side("", 6400, maxima, 1), [other]) == \
        count


def test_what_is_as_long_in_the_baseline_is_not_longer(report):
    names = runs(report, [()] * 4 + [(7,), range(0, 64, 3)])
    rows = rows_of(9, range(0, 64, 3))
    out = report(*GATE, *names).stdout
    assert tail_rows(out, "response")[1][3] == "0"
    # By a ns, it is; by less than a us, a file in us does not tell.
    longer = [(*row[:6], row[6] + 1, 0) for row in rows]
    made.write(report.directory, "9.csv", made.dump(longer))
    report(*GATE, *names[:5], "9.csv", status=2)
    made.write(report.directory, "5.json", made.twoway(rows_of(5, (7,))))
    report(*GATE, *names[:4], "5.json", "9.csv", "--unlike")
    longer = [(*row[:6], row[6] + 1000, 0) for row in rows]
    made.write(report.directory, "9.csv", made.dump(longer))
    report(*GATE, *names[:4], "5.json", "9.csv", "--unlike", status=2)


def test_a_baseline_that_does_so(report):
    """Nothing is then known of the candidate, however good it is."""
    names = runs(report, [()] * 3 + [(3, 30, 50, 60), (), ()], us=1)
    out = report(*GATE, "-j", "junit", *names, status=3).stdout
    assert out.splitlines()[-1] == "undecided: response tail"
    assert "response is longer than all of the baseline's 903.000 us in 0 " \
        "episodes, up to 200.000 us; from 3 on, equal runs are hardly so. But " \
        "so is 4 beside the others of the baseline: find what disturbed it, " \
        "or leave it out." in (report.directory / "junit").read_text()
    names = runs(report, [()] * 3 + [(3, 30, 60), (), ()])
    report(*GATE, *names)       # one of five may be so by chance


def test_longer_runs_need_more(report):
    """Their share of all cycles is larger."""
    from twoway.compare import tail
    sides = [tail.Side("", cycles, numpy.zeros(64), 1)
             for cycles in (1000, 1000, 1000)]
    assert tail.needed(sides[:1], sides[1:], 0.01) == 5
    assert tail.needed(sides[:1], sides[1:2], 0.01) == 7
    assert tail.needed(sides[:2], sides[2:], 0.01) == 12
    sides[0].cycles = 8000
    assert tail.needed(sides[:1], sides[1:], 0.01) == 21


def test_a_tail_that_changes_in_the_course(report):
    """The long blocks of one part of a run may have one cause."""
    names = runs(report, [()] * 5)
    made.write(report.directory, "6.csv", made.dump(rows_of(
        6, [at for at in range(40, 64) if at % 5], 1)))
    out = report(*GATE, *names, "6.csv", status=3).stdout
    assert out.splitlines()[-1] == "undecided: response tail"


def test_ranks_that_wander():
    """However long the longest are; what is always the same does not."""
    from twoway.compare import tail
    random = numpy.random.default_rng(1).pareto(1, 64)
    for values, expected in ((random, False), (numpy.sort(random), True),
                             (numpy.full(64, 7.0), False)):
        assert tail.wanders(values) == expected


def test_maxima_of_pairs():
    """The longest of any, in each block; one that lacks them hides them."""
    from twoway.series import stats
    sides = [stats.series_of("total", numpy.array([1, 5]))
             for _ in range(2)]
    assert stats.combined(sides).maxima is None
    sides[0].maxima = numpy.array([1.0, 4.0, numpy.nan])
    assert stats.combined(sides).maxima is None
    sides[1].maxima = numpy.array([2.0, 3.0, 5.0])
    assert [*stats.combined(sides).maxima] == [2, 4, 5]


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_warm_up_is_left_out(report, kind):
    """Of both sides."""
    def warm(seed, more):
        return [row if row[1] >= 800 else (*row[:6], row[6] + more, 0)
                for row in rows_of(seed)]
    names = runs(report, [()] * 4, kind)
    for seed, more in ((5, 90_000), (6, 150_000)):
        rows = warm(seed, more)
        made.write(report.directory, f"{seed}.{kind}", made.dump(rows)
                   if kind == "csv" else made.twoway(rows))
        out = report(*GATE, *names, f"{seed}.{kind}").stdout
        assert tail_rows(out, "response")[0][5] == "200.000"


def timeline(rows):
    """Of 50 cycles a row; of response alone."""
    lines = ["step,seconds,unix_s,missed,throttled,lost," + ",".join(
        f"response_{name}" for name in ("count", "min_ns", "avg_ns",
                                        "max_ns", "p99_ns"))]
    for at in range(0, len(rows), 50):
        found = [row[6] - row[3] for row in rows[at:at + 50]]
        lines.append(f"0,{at // 50 + 1},{at + 50},0,0,0,50,{min(found)},"
                     f"{sum(found) / 50},{max(found)},{max(found)}")
    return made.table(lines)


def test_sources(report):
    """A dump, a JSON, a timeline: one of them is enough."""
    longs = [()] * 5 + [(5, 20, 40)]
    whole = report(*GATE, *runs(report, longs), status=2).stdout
    for seed, long in enumerate(longs, 1):
        rows = rows_of(seed, long)
        found = made.values(rows)["response"]
        data = made.twoway(rows)
        one = made.json_thread("response", found)
        del one["maxima"]
        data["thread"] = {"0": one}
        made.write(report.directory, f"{seed}.json", data)
        made.write(report.directory, f"{seed}.tl", timeline(rows))
    jsons = [f"{seed}.json" for seed in range(1, 7)]
    out = report(*GATE, *jsons).stdout
    assert out.splitlines()[-1] == (
        "not worse by more than 20 %, but the response tail is not judged: nothing tells when "
        "the longest cycles came in 1, 2, 3, 4 and 2 more: give the --dump, "
        "the --timeline, or a JSON of this version of twowaytest")
    out = report(*GATE, *jsons[:5], *(f"{seed}.tl" for seed in range(1, 7)),
                 "6.json", status=2).stdout
    assert tail_rows(out, "response") == tail_rows(whole, "response")


@pytest.mark.parametrize("maxima, why", [
    ([1] * 63, "63 of them; 64 are expected"),
    ([None] * 64, "the longest of them is not the maximum"),
    ([10**6] * 64, "the longest of them is not the maximum"),
    (["1"] * 64, "is no number")])
def test_maxima_that_cannot_be(refused, maxima, why):
    data = made.twoway(made.cycles(1000))
    data["thread"]["4"]["maxima"] = maxima
    made.write(refused.directory, "a.json", data)
    message = refused("-t", "-", "a.json")
    assert "member thread.4.maxima" in message and why in message


def test_a_block_without_a_value(report):
    """Of a cycle that was cut short, in the last block: it is no episode."""
    names = runs(report, [()] * 5 + [(3, 30)], kind="json")
    for name in names:
        data = made.twoway(rows_of(int(name[0]), (3, 30) * (name[0] == "6")))
        data["thread"]["4"]["maxima"][-1] = None
        made.write(report.directory, name, data)
    report(*GATE[:-2], "-m", "receive", *names)


def stalls(seed, at, missed=5):
    """Late by so many periods, of which none has a cycle."""
    late, rows = 0, []
    for row in rows_of(seed):
        if row[1] in at:
            late += missed * made.PERIOD
            rows.append((*row[:3], *(t + late for t in row[3:7]), missed))
            rows[-1] = (*rows[-1][:2], row[2] + late - missed * made.PERIOD,
                        *rows[-1][3:])
        else:
            rows.append((*row[:2], *(t + late for t in row[2:7]), 0))
    return rows


@pytest.mark.parametrize("at, status", [
    ((), 0), ((3000,), 3), (range(200, COUNT, 900), 2)])
def test_missed_expiries_that_the_baseline_has_not(report, at, status):
    """One is undecided, stalls again and again are worse; both by dump and by
    JSON, however small their share is."""
    names = runs(report, [()] * 5)
    rows = stalls(9, at)
    made.write(report.directory, "9.csv", made.dump(rows))
    out = report(*GATE, "-d", "20,missed:90", *names, "9.csv",
                 status=status).stdout
    last = out.splitlines()[-1]
    assert last.startswith(("not worse", "undecided: missed expiries",
                            "worse: ")[(0, 3, 2).index(status)])
    assert ("planned tail" in last) == (status == 2)


# Few trials, as they take time.
@pytest.mark.parametrize("long, expected", [
    (0, {"not worse"}), (10, {"WORSE"}), (500, {"WORSE"})])
def test_few_long_cycles_of_many(long, expected):
    """10 of 60,000 cycles of 900 us, beside five runs of at most 110 us."""
    import gate_models
    found = set()
    for trial in range(3):
        source = numpy.random.default_rng([trial, long])
        made_runs = [numpy.minimum(gate_models.noise(source, 60_000), 110)
                     for _ in range(6)]
        made_runs[-1][source.choice(60_000, long, replace=False)] = 900
        found.add(gate_models.verdict([gate_models.run([values])
                                       for values in made_runs]))
    assert found == expected
