# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report begins with: sentences, a figure and a table."""

import math
import re

import made
import numpy
import pytest

BOOT = "Each system was measured once: another boot may differ by more."
BLOCKS = "How sure: by Welch's test of the means of blocks of consecutive " \
    f"cycles. {BOOT}"


def rows_of(responses, missed=0):
    """Cycles of these responses, in ns."""
    return [(0, i, 10**12 + i * made.PERIOD, 10**12 + i * made.PERIOD,
             10**12 + i * made.PERIOD + 1000,
             10**12 + i * made.PERIOD + 2000,
             10**12 + i * made.PERIOD + response, missed * (i == 5))
            for i, response in enumerate(responses)]


def dump(report, name, responses, missed=0):
    return made.write(report.directory, f"{name}.csv", made.dump(
        rows_of(responses, missed)))


def constant(value, longest, count=20000):
    """All the same but for one."""
    values = [value] * count
    values[77] = longest
    return values


def lines(report, *args):
    text = report("-t", "-", "-i", "1000", "-s", "0", *args).stdout
    return [line.removeprefix("- ") for line in text.splitlines()
            if line.startswith("- ")]


def test_two_systems(report):
    dump(report, "a", constant(50_000, 60_000))
    dump(report, "b", constant(64_500, 75_000))
    assert lines(report, "a.csv", "b.csv") == [
        "b takes 29 % longer than a to answer without the server's sleep on "
        "average: 64.5 us instead of 50.0 us, 99 % sure.",
        "a is the steadier one: 1 in 1,000 takes longer than 50.0 us with a, "
        "64.5 us with b, 99 % sure. The worst of 20,000 of b took 75.0 us, "
        "1.2 times that of a (60.0 us): single cycles, which may be chance.",
        BLOCKS]


def test_order_does_not_matter(report):
    dump(report, "a", constant(50_000, 60_000))
    dump(report, "b", constant(64_500, 75_000))
    assert lines(report, "b.csv", "a.csv") == lines(report, "a.csv", "b.csv")


def test_one_system(report):
    """Its figures, in the same shape."""
    values = constant(50_000, 100_000)
    dump(report, "a", values)
    found = lines(report, "a.csv")
    assert re.fullmatch(r"a takes 50\.0 us to answer without the server's "
                        r"sleep on average \(\+-0\.0 us, 99 % sure\)\.",
                        found[0])
    assert found[1:] == [
        "1 in 1,000 takes longer than 50.0 us. The worst of 20,000 took "
        "100.0 us, 2.0 times the average.",
        f"How sure: by the means of blocks of consecutive cycles. {BOOT}"]


def test_three_systems(report):
    """Beside the fastest, and not in the order given."""
    for name, value in (("a", 60_000), ("b", 50_000), ("c", 125_000)):
        dump(report, name, constant(value, value + 1000))
    found = lines(report, "a.csv", "b.csv", "c.csv")
    assert found[0] == (
        "b takes the shortest time to answer without the server's sleep: "
        "50.0 us on average. a takes 20 % longer than that (60.0 us, 99 % "
        "sure), c takes 2.5 times as long as that (125.0 us, 99 % sure).")
    assert found[1].startswith(
        "b is the steadiest: 1 in 1,000 takes longer than 50.0 us with b, "
        "60.0 us with a, 99 % sure; 125.0 us with c, 99 % sure. The worst of "
        "20,000 of c took 126.0 us, 2.5 times that of b (51.0 us)")


def test_many_systems(report):
    """A sentence names four at most; there are never more than five."""
    for i in range(6):
        data = made.twoway(made.cycles(600, i), interval_us=1000 + i)
        data["twoway"] |= {"missed": 3 * i, "throttled": i}
        data["twoway"]["environment"]["findings"] = [
            {"name": f"finding{k}", "read": "bad"} for k in range(i)]
        made.write(report.directory, f"r{i}.json", data)
    found = lines(report, *(f"r{i}.json" for i in range(6)))
    assert len(found) == 5
    assert found[0].endswith(", and 2 more.")
    assert "; and 2 more. The worst" in found[1]
    assert found[2] == "The comparison is unfair: settings differ: " \
        "interval_us."


def noise(seed, alike, scale=1.0, count=20000):
    """Responses that are the same for so many cycles."""
    source = numpy.random.default_rng(seed)
    own = source.gamma(9, 1500, -(-count // alike))
    return (scale * (40_000 + numpy.repeat(own, alike)[:count])) \
        .astype(int).tolist()


def test_difference_that_chance_makes(report):
    """1 % more is told, and that it may be chance if cycles are alike."""
    for name, seed, scale in (("a", 3, 1), ("b", 4, 1.01)):
        dump(report, name, noise(seed, 500, scale))
    found = lines(report, "a.csv", "b.csv")
    assert "which may be chance" in found[0].split(": ")[1]
    for name, seed, scale in (("a", 3, 1), ("b", 4, 1.01)):
        dump(report, name, noise(seed, 1, scale))
    assert ", 99 % sure." in lines(report, "a.csv", "b.csv")[0]


def compared(first, second, **how):
    """Of two series of responses, by their dumps."""
    import tr_compare
    import tr_interval
    import tr_stats
    sides = []
    for values in (first, second):
        values = numpy.array(values)
        run = tr_interval.of_steps([values], tr_stats.Distribution.of(values),
                                   [99])
        sides.append(tr_compare.Side(
            float(values.mean()), tr_compare.means_only(run),
            0 if tr_interval.steady(run, [99]) else
            2 * float(run.reach[0]), run, True))
    return tr_compare.sure_of_average(*sides, **how), \
        tr_compare.sure_of_percentile(*sides, 99, **how)


@pytest.mark.parametrize("alike", [1, 20, 200])
def test_no_difference_is_not_found(alike):
    """99 % sure in 2 of 60 trials at most; 95 % sure in 9."""
    found = [compared(noise(seed, alike, count=6400),
                      noise(1000 + seed, alike, count=6400))
             for seed in range(60)]
    for one in zip(*found):
        assert sum(level == 99 for level in one) <= 2
        assert sum(level > 0 for level in one) <= 9


@pytest.mark.parametrize("alike", [1, 20])
def test_difference_is_found(alike):
    found = [compared(noise(seed, alike, count=6400),
                      noise(1000 + seed, alike, 1.06, count=6400))
             for seed in range(20)]
    assert sum(average == 99 for average, _ in found) >= 19


def side(value_ns, *variances):
    import tr_compare
    return tr_compare.Side(value_ns, dict(enumerate(variances)))


@pytest.mark.parametrize("a, b, alpha, half", [
    # t of 18 degrees of freedom, 0.995; unequal variances: 13.66 of them.
    (((2.0, 9),), ((2.0, 9),), 0.01, 2.8784 * 2),
    (((1.0, 9),), ((0.25, 19),), 0.05, 2.1497 * math.sqrt(1.25)),
    # The less sure of two numbers of blocks; single cycles.
    (((1.0, 9), (2.0, 9)), ((2.0, 9),), 0.01, 2.8784 * 2),
    (((1.0, math.inf),), ((3.0, math.inf),), 0.01, 2.5758 * 2)])
def test_welch(a, b, alpha, half):
    import tr_compare
    found = tr_compare.welch_half_ns(side(0, *a), side(0, *b), alpha)
    assert found == pytest.approx(half, rel=1e-3)


def test_a_level_that_changes_slowly_is_added():
    import tr_compare
    one, other = side(0, (1.0, 60)), side(10, (1.0, 60))
    assert tr_compare.sure_of_average(one, other) == 99
    for more_ns, level in ((5, 99), (7, 95), (8, 0)):
        other.more_ns = more_ns
        assert tr_compare.sure_of_average(one, other) == level


def test_more_questions_are_less_sure():
    """Of 3.0 deviations: 99 % sure as one question, not as one of 10."""
    import tr_compare
    sides = side(0, (0.5, math.inf)), side(3.0, (0.5, math.inf))
    assert [tr_compare.sure_of_average(*sides, tries=tries)
            for tries in (1, 10, 100)] == [99, 95, 0]


def test_slow_change_is_told(report):
    drift = [50_000 + i // 4 for i in range(20000)]
    dump(report, "a", drift)
    dump(report, "b", constant(50_000, 60_000))
    assert lines(report, "a.csv", "b.csv")[-1] == BLOCKS.replace(
        BOOT, f"The level changes slowly in a. {BOOT}")


def test_without_a_dump(report):
    """Cycles are not independent, which is said."""
    rows = made.cycles(2000)
    made.write(report.directory, "a.json", made.twoway(rows))
    made.write(report.directory, "b.csv", made.dump(rows))
    made.write(report.directory, "b.json", made.twoway(rows))
    assert lines(report, "a.json", "c=a.json")[-1] == (
        "How sure: by Welch's test of the means of cycles as if these were "
        f"independent, which is too sure of itself (a dump tells more). "
        f"{BOOT}")
    assert "where there is a dump, else of cycles as if these" in \
        lines(report, "a.json", "b.json", "b.csv")[-1]


@pytest.mark.parametrize("count, known", [(399, False), (400, True)])
def test_too_few_cycles(report, count, known):
    for name, seed in (("a", 1), ("b", 2)):
        made.write(report.directory, f"{name}.csv", made.dump(
            made.cycles(count, seed)))
    found = lines(report, "a.csv", "b.csv")
    assert found[-1].startswith("How sure: " if known else
                                "How sure is not known: cycles are too few")
    assert known == ("chance." in found[0] or "sure." in found[0])


def test_equal_systems(report):
    dump(report, "a", constant(50_000, 60_000))
    found = lines(report, "a.csv", "b=a.csv")
    assert found[0] == "b takes as long as a to answer without the " \
        "server's sleep on average: 50.0 us instead of 50.0 us, " \
        "which may be chance."
    assert found[1].startswith("Neither is surely steadier: ")
    assert "about as long as that of" in found[1]


def test_percentile_that_all_have(report):
    """Of 2000, 1 in 1000 is not known."""
    dump(report, "a", constant(50_000, 60_000, 2000))
    dump(report, "b", constant(64_500, 75_000))
    assert "1 in 100 takes longer" in lines(report, "a.csv", "b.csv")[1]
    dump(report, "b", constant(64_500, 75_000, 90))
    found = lines(report, "a.csv", "b.csv")[1]
    assert found.startswith("The worst of 90 of b")


def test_another_metric(report):
    """As --metrics names it, or as there is."""
    rows = made.cycles(2000)
    made.write(report.directory, "a.json", made.twoway(rows))
    made.write(report.directory, "c.json", made.cyclictest(
        made.values(rows)["wakeup"]))
    assert " to answer on " in lines(report, "a.json")[0]
    assert " in total jitter on " in lines(report, "-m", "total,wakeup",
                                           "a.json")[0]
    assert " to wake up on " in lines(report, "c.json")[0]
    made.write(report.directory, "d.csv", made.dump(rows))
    assert " from the planned expiry to the answer on " in lines(
        report, "-m", "planned", "d.csv")[0]
    assert not lines(report, "-m", "interval,send", "a.json")


def test_disturbances(report):
    """Who was disturbed; what all share stands once."""
    data = [made.twoway(made.cycles(600, i), duration_s=5) for i in (1, 2)]
    for one, missed in zip(data, (0, 25)):
        one["twoway"]["missed"] = missed
        one["twoway"]["environment"]["findings"] = [
            {"name": "smt", "read": "on"}, {"name": "idle", "read": "C6"}]
    data[0]["twoway"]["throttled"] = 7
    data[0]["twoway"]["interrupted"] = True
    data[1]["twoway"]["environment"]["virtual"] = True
    for name, one in zip("ab", data):
        made.write(report.directory, f"{name}.json", one)
    [text] = [line for line in lines(report, "a.json", "b.json")
              if line.startswith("Disturbed")]
    assert text == (
        "Disturbed: ended by a signal before its -D 5 in a; missed expiries, "
        "which no cycle shows: 4 % in b (virtual); throttled cycles: 7 in a; "
        "times of a virtual machine in b (virtual); --check found smt, idle.")


@pytest.mark.parametrize("missed, text", [
    (150, "20 %"), (150_000, "99.6 %"), (10_000_000, "99.994 %"),
    (5, "0.83 %")])
def test_share_of_missed_expiries(report, missed, text):
    """Digits, and never more than all."""
    data = made.twoway(made.cycles(600))
    data["twoway"]["missed"] = missed
    made.write(report.directory, "a.json", data)
    [found] = [line for line in lines(report, "a.json")
               if line.startswith("Disturbed")]
    assert found == "Disturbed: missed expiries, which no cycle shows: " \
        f"{text}."


def test_a_single_missed_expiry(report):
    data = made.twoway(made.cycles(600))
    data["twoway"] |= {"cycles": 10_000_000, "missed": 1}
    made.write(report.directory, "a.json", data)
    assert "shows: 0.00001 %." in lines(report, "a.json")[2]


def test_what_is_unfair(report):
    """Settings, not systems, which are what is compared."""
    rows = made.cycles(600)
    one, two = made.twoway(rows), made.twoway(rows, size=64, duration_s=9)
    one["twoway"]["settings"]["duration_s"] = 5     # does no harm
    two["sysinfo"]["release"] = "6.12-rt"
    made.write(report.directory, "a.json", one)
    made.write(report.directory, "b.json", two)
    made.write(report.directory, "c.json", made.cyclictest(
        made.values(rows)["wakeup"]))

    def unfair(*names):
        return [line for line in lines(report, *names)
                if line.startswith("The comparison is unfair")]
    assert unfair("a.json", "b.json") == [
        "The comparison is unfair: settings differ: size."]
    assert unfair("a.json", "x=a.json") == []
    assert "no response was measured: c" in unfair(
        "-m", "response", "a.json", "c.json")[0]


def test_unlike_steps_are_unfair(report):
    rows = made.cycles(600)
    made.write(report.directory, "a.csv", made.dump(rows))
    made.write(report.directory, "b.csv", made.dump(
        rows + made.cycles(600, start=2 * 10**12)))
    assert any("the runs have 1 and 2 steps" in line
               for line in lines(report, "a.csv", "b.csv"))


def test_set_ups(report):
    """A sentence each, five at most."""
    made.write(report.directory, "p.csv", "\n".join([
        "load,system,min,avg,max", *(f"{i},{name},1,{avg},9"
                                     for i in range(6)
                                     for name, avg in (("A", 2), ("B", 3))),
        ""]))
    assert lines(report, "p.csv") == [
        f"load {i}: B takes 50 % longer than A to wake up on average: 3.0 us "
        "instead of 2.0 us." for i in range(4)] + [
            "2 more set-ups are below."]


def findings(report, *texts):
    names = [f"r{i}.json" for i in range(len(texts))]
    for name, found in zip(names, texts):
        data = made.twoway(made.cycles(60))
        data["twoway"]["environment"]["findings"] = [
            {"name": key, "read": text} for key, text in found]
        made.write(report.directory, name, data)
    return [(row["remark"], row["system"]) for row in made.tables(
        report("-t", "-", *names).stdout)["Remarks"]]


def test_remarks_that_differ_in_figures_are_one(report):
    steal = "the host took {} % of the time"
    assert findings(report, [("hypervisor", steal.format("2.40"))],
                    [("hypervisor", steal.format("2.39"))],
                    [("idle", "200 us")]) == [
        ("hypervisor: the host took 2.39 to 2.40 % of the time", "r0, r1"),
        ("idle: 200 us", "r2")]
    assert findings(report, [("idle", "9 us")], [("idle", "10 us")]) == [
        ("idle: 9 to 10 us", "all")]


def test_remarks_that_differ_in_more_stay_apart(report):
    """The number of a CPU is no figure."""
    assert findings(report, [("watchdog", "on CPU 0")],
                    [("watchdog", "on CPU 1")]) == [
        ("watchdog: on CPU 0", "r0"), ("watchdog: on CPU 1", "r1")]
