# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report begins with: sentences, a figure and a table."""

import re

import made
import numpy
import pytest

BOOT = "Each system was measured once, and equal runs may differ by more: " \
    "several of each tell, see --gate."
BLOCKS = "How much runs vary: 99 % interval by the means of 64 blocks of " \
    "consecutive cycles; an average is without the longest, 1 in 1,000. " \
    f"{BOOT}"


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
        "average: 64.5 us instead of 50.0 us, more than these runs vary.",
        "a is the steadier one: 1 in 1,000 takes longer than 50.0 us with a, "
        "64.5 us with b, more than these runs vary. The worst of 20,000 of b took 75.0 us, "
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
                        r"sleep on average \(\+-0\.0 us in this run\)\.",
                        found[0])
    assert found[1:] == [
        "1 in 1,000 takes longer than 50.0 us. The worst of 20,000 took "
        "100.0 us, 2.0 times the average.",
        BLOCKS]


def test_three_systems(report):
    """Beside the fastest, and not in the order given."""
    for name, value in (("a", 60_000), ("b", 50_000), ("c", 125_000)):
        dump(report, name, constant(value, value + 1000))
    found = lines(report, "a.csv", "b.csv", "c.csv")
    assert found[0] == (
        "b takes the shortest time to answer without the server's sleep: "
        "50.0 us on average. a takes 20 % longer than that (60.0 us, more "
        "than these runs vary), c takes 2.5 times as long as that (125.0 us, "
        "more than these runs vary).")
    assert found[1].startswith(
        "b is the steadiest: 1 in 1,000 takes longer than 50.0 us with b, "
        "60.0 us with a, more than these runs vary; 125.0 us with c, more than these runs vary. The worst of "
        "20,000 of c took 126.0 us, 2.5 times that of b (51.0 us)")


def test_many_systems(report):
    """A sentence names four at most; there are never more than five."""
    for i in range(6):
        data = made.twoway(made.cycles(600, i), missed=3 * i,
                           interval=1000 + i)
        data["twoway"]["throttled"] = i
        data["twoway"]["system"]["findings"] = [
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
    assert ", more than these runs vary." in lines(report, "a.csv", "b.csv")[0]


def test_slow_change_is_told(report):
    drift = [50_000 + i // 4 for i in range(20000)]
    dump(report, "a", drift)
    dump(report, "b", constant(50_000, 60_000))
    assert lines(report, "a.csv", "b.csv")[-1] == BLOCKS.replace(
        BOOT, f"The level changes in the course of a. {BOOT}")


def test_without_blocks_nothing_is_sure(report):
    """Ten times as long is not called sure; it is said what would tell."""
    rows = made.cycles(2000)
    for name, factor in (("a", 1), ("b", 10)):
        made.write(report.directory, f"{name}.json", made.cyclictest(
            [factor * value for value in made.values(rows)["wakeup"]]))
    found = lines(report, "a.json", "b.json")
    assert "runs vary." not in " ".join(found)
    assert "chance" not in found[0]
    assert found[1].startswith("Neither is steadier by more than they vary")
    assert found[-1] == (
        "How much runs vary is not known, as a, b have no blocks: these are in a "
        f"--dump, and in the JSON of twowaytest for its columns. {BOOT}")


def test_same_cycles_as_text_and_json(report):
    """Rounded averages make no difference."""
    rows = made.cycles(2000)
    found = made.values(rows)
    made.write(report.directory, "a.json", made.twoway(rows))
    made.write(report.directory, "b.csv", made.dump(rows))
    made.write(report.directory, "c.txt", made.text(found["wakeup"]))
    for files in (("a.json", "b.csv"), ("a.json", "c.txt"),
                  ("b.csv", "c.txt")):
        assert "runs vary." not in " ".join(lines(report, "-m", "wakeup",
                                              *files))


def test_longer_by_the_longest_cycles_alone(report):
    """An average that one cycle makes longer is not surely longer."""
    dump(report, "a", noise(1, 1))
    values = noise(1, 1)
    values[500] = 10**9
    dump(report, "b", values)
    assert "which may be chance" in lines(report, "a.csv", "b.csv")[0]
    # All others are surely shorter.
    values = noise(2, 1, 0.9)
    values[500] = 10**9
    dump(report, "c", values)
    found = lines(report, "a.csv", "c.csv")[0]
    assert found.startswith("c takes") and "which may be chance" in found


@pytest.mark.parametrize("count, known", [(120, False), (400, True)])
def test_too_few_cycles(report, count, known):
    for name, seed in (("a", 1), ("b", 2)):
        made.write(report.directory, f"{name}.csv", made.dump(
            made.cycles(count, seed)))
    found = lines(report, "a.csv", "b.csv")
    assert found[-1].startswith("How much runs vary: " if known else
                                "How much runs vary is not known, as a, b have no")
    assert known == ("chance." in found[0] or "runs vary." in found[0])


def test_equal_systems(report):
    dump(report, "a", constant(50_000, 60_000))
    found = lines(report, "a.csv", "b=a.csv")
    assert found[0] == "b takes as long as a to answer without the " \
        "server's sleep on average: 50.0 us instead of 50.0 us, " \
        "which may be chance."
    assert found[1].startswith("Neither is steadier by more than they vary: ")
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
    data = [made.twoway(made.cycles(600, i), missed=missed, duration=5)
            for i, missed in ((1, 0), (2, 25))]
    for one in data:
        one["twoway"]["system"]["findings"] = [
            {"name": "smt", "read": "on"}, {"name": "idle", "read": "C6"}]
    data[0]["twoway"]["throttled"] = 7
    data[0]["twoway"]["interrupted"] = True
    data[1]["twoway"]["system"]["virtual"] = True
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
    data = made.twoway(made.cycles(600), missed=missed)
    made.write(report.directory, "a.json", data)
    [found] = [line for line in lines(report, "a.json")
               if line.startswith("Disturbed")]
    assert found == "Disturbed: missed expiries, which no cycle shows: " \
        f"{text}."


def test_a_single_missed_expiry(report):
    data = made.twoway(made.cycles(600), missed=1)
    data["thread"]["0"] |= {"cycles": 10_000_000, "histogram": {},
                            "overflows": 0}
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
    assert any("the runs have 1 to 2 steps" in line
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


def test_set_up_without_a_task(report):
    """Nothing is said of it, and what disturbed is of the other."""
    made.write(report.directory, "p.csv", "\n".join([
        "load,metric,system,min,avg,max", "1,send,A,1,2,9", ""]))
    made.write(report.directory, "a.json",
               made.twoway(made.cycles(600), missed=150))
    found = lines(report, "p.csv", "a.json")
    assert found[0].startswith("a takes ")
    assert found[2] == "Disturbed: missed expiries, which no cycle shows: " \
        "20 %."


def findings(report, *texts):
    names = [f"r{i}.json" for i in range(len(texts))]
    for name, found in zip(names, texts):
        data = made.twoway(made.cycles(60))
        data["twoway"]["system"]["findings"] = [
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
