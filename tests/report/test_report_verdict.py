# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report begins with: sentences, a figure and a table."""

import made
import numpy
import pytest

BOOT = "a, b: measured once, and equal runs may differ by more: give several, " \
    "as NAME=FILE,FILE."
HOW = "How much runs vary: 99 % interval by the means of 64 blocks of " \
    "consecutive cycles."
BLOCKS = f"{HOW} {BOOT}"
TRIMMED = "each a single cycle; on average, without the longest, 1 in 1,000,"


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
        f"The longest latency is 75.0 us with b, 60.0 us with a, {TRIMMED} b "
        "takes 29 % longer than a, more than these runs vary: 64.5 us instead "
        "of 50.0 us.",
        "1 in 1,000 takes longer than 50.0 us with a; 64.5 us with b, more than "
        "these runs vary.", BLOCKS]


def test_order_does_not_matter(report):
    dump(report, "a", constant(50_000, 60_000))
    dump(report, "b", constant(64_500, 75_000))
    found = [lines(report, *files)[:-1] for files in (
        ("b.csv", "a.csv"), ("a.csv", "b.csv"))]
    assert found[0] == found[1]


def test_one_system(report):
    """Its figures, in the same shape."""
    values = constant(50_000, 100_000)
    dump(report, "a", values)
    found = lines(report, "a.csv")
    assert found == [
        "The longest latency is 100.0 us with a; on average, without the "
        "longest, 1 in 1,000, it is 50.0 us (+-0.0 us in this run).",
        "1 in 1,000 takes longer than 50.0 us with a.",
        BLOCKS.replace("a, b:", "a:")]


def test_three_systems(report):
    """Beside the fastest, and not in the order given."""
    for name, value in (("a", 60_000), ("b", 50_000), ("c", 125_000)):
        dump(report, name, constant(value, value + 1000))
    found = lines(report, "a.csv", "b.csv", "c.csv")
    assert found[:2] == [
        "The longest latency is 126.0 us with c, 61.0 us with a, 51.0 us with "
        f"b, {TRIMMED} b takes 50.0 us, a 20 % longer than that (60.0 us, more "
        "than these runs vary), c 2.5 times as long as that (125.0 us, more "
        "than these runs vary).",
        "1 in 1,000 takes longer than 50.0 us with b; 60.0 us with a, more "
        "than these runs vary; 125.0 us with c, more than these runs vary."]


def test_several_runs_of_a_system(report):
    """They are one in all sentences; what differs as boots do may be chance."""
    for name, value in (("a1", 50_000), ("a2", 51_000), ("a3", 52_000),
                        ("b1", 51_500), ("b2", 52_500), ("b3", 53_500),
                        ("c1", 70_000), ("c2", 71_000), ("c3", 72_000)):
        dump(report, name, constant(value, value + 1000))
    files = [f"{name}=" + ",".join(f"{name}{i}.csv" for i in (1, 2, 3))
             for name in "abc"]
    assert lines(report, *files[:2]) == [
        f"The longest latency is 54.5 us with b, 53.0 us with a, {TRIMMED} b "
        "takes 2.9 % longer than a, which may be chance: 52.5 us instead of "
        "51.0 us.", "1 in 1,000 takes longer than 51.0 us with a; 52.5 us with "
        "b, which may be chance.",
        f"{HOW} Each system was measured several times."]
    assert "takes 39 % longer than a, more than these runs vary: 71.0 us" in \
        lines(report, files[0], files[2])[0]
    text = report("-t", "-", "-m", "latency", "-i", "1000", "-s", "0",
                  files[0], files[2], "d=c1.csv").stdout
    assert made.tables(text)["The systems"] == [
        {"system": name, "max": most, "p99.9": value, "avg": value,
         "avg +-": half, "runs": runs, "cycles": cycles, "metric": "latency"}
        for name, most, value, half, runs, cycles in (
            ("a", "53.0", "51.0", "-", "3", "60000"),
            ("c", "73.0", "71.0", "-", "3", "60000"),
            ("d", "71.0", "70.0", "0.0", "1", "20000"))]


def test_warm_up_is_left_out(report):
    """Of average and percentile, not of the maximum."""
    values = constant(50_000, 60_000)
    values[:2000] = [90_000] * 2000
    dump(report, "a", values)
    assert lines(report, "a.csv") == [
        "The longest latency is 90.0 us with a; on average, without the "
        "longest, 1 in 1,000, it is 50.0 us (+-0.0 us in this run).",
        "1 in 1,000 takes longer than 50.0 us with a.",
        BLOCKS.replace("a, b:", "A warm-up is left out of a. a:")]


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
    assert found[0].endswith(") and 2 more.")
    assert found[1].endswith("; and 2 more.")
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
    assert " a, which may be chance: " in found[0]
    for name, seed, scale in (("a", 3, 1), ("b", 4, 1.01)):
        dump(report, name, noise(seed, 1, scale))
    assert "longer than a, more than these runs vary:" in lines(
        report, "a.csv", "b.csv")[0]


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
    assert found[1].endswith(" us with b.") and "1 in 1,000," not in found[0]
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
    """An average is told as it is tested: without these."""
    dump(report, "a", noise(1, 1))
    values = noise(1, 1)
    values[500] = 10**9
    dump(report, "b", values)
    assert "takes as long as" in lines(report, "a.csv", "b.csv")[0]
    # All others are surely shorter.
    values = noise(2, 1, 0.9)
    values[500] = 10**9
    dump(report, "c", values)
    found = lines(report, "a.csv", "c.csv")[0]
    assert "1000000.0 us with c" in found
    assert "a takes 11 % longer than c, more than these runs vary:" in found


@pytest.mark.parametrize("count, known", [(120, False), (400, True)])
def test_too_few_cycles(report, count, known):
    for name, seed in (("a", 1), ("b", 2)):
        made.write(report.directory, f"{name}.csv", made.dump(
            made.cycles(count, seed)))
    found = lines(report, "a.csv", "b.csv")
    assert found[-1].startswith("How much runs vary: " if known else
                                "How much runs vary is not known, as a, b have no")
    assert known == ("chance:" in found[0] or "runs vary:" in found[0])


def test_equal_systems(report):
    dump(report, "a", constant(50_000, 60_000))
    found = lines(report, "a.csv", "b=a.csv")
    assert found[0].endswith(f"{TRIMMED} b takes as long as a, which may be "
                             "chance: 50.0 us instead of 50.0 us.")
    assert found[1].endswith("; 50.0 us with b, which may be chance.")


def test_percentile_that_all_have(report):
    """Of 2000, 1 in 1000 is not known."""
    dump(report, "a", constant(50_000, 60_000, 2000))
    dump(report, "b", constant(64_500, 75_000))
    assert "1 in 100 takes longer" in lines(report, "a.csv", "b.csv")[1]
    dump(report, "b", constant(64_500, 75_000, 90))
    assert not any(line.startswith("1 in") for line in lines(
        report, "a.csv", "b.csv"))


def test_another_metric(report):
    """As --metrics names it, or as there is."""
    rows = made.cycles(2000)
    made.write(report.directory, "a.json", made.twoway(rows))
    made.write(report.directory, "c.json", made.cyclictest(
        made.values(rows)["wakeup"]))
    made.write(report.directory, "d.csv", made.dump(rows))
    for metric, *args in (("response", "a.json"), ("wakeup", "c.json"),
                          ("total", "-m", "total,wakeup", "a.json"),
                          ("planned", "-m", "planned", "d.csv")):
        assert lines(report, *args)[0].startswith(f"The longest {metric} is ")
    # A name that is also a metric's is told from it.
    assert lines(report, "-m", "total", "total=a.json")[0].startswith(
        "The longest total is 370.0 us with 'total'; on average")
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
    *_, text = [line for line in lines(report, "a.json", "b.json")
                if line.startswith("Disturbed")]
    assert text == (
        "Disturbed: ended by a signal before its -D 5 in a; missed expiries, "
        "which no cycle shows: 4 % in b; throttled cycles: 7 in a; "
        "times of a virtual machine in b; --check found smt, idle.")


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
        f"load {i}: The longest wakeup is 9.0 us with A, 9.0 us with B, each a "
        "single cycle; on average B takes 50 % longer than A: 3.0 us instead "
        "of 2.0 us." for i in range(4)] + [
            "2 more set-ups are below."]


def test_set_up_without_a_task(report):
    """Nothing is said of it, and what disturbed is of the other."""
    made.write(report.directory, "p.csv", "\n".join([
        "load,metric,system,min,avg,max", "1,send,A,1,2,9", ""]))
    made.write(report.directory, "a.json",
               made.twoway(made.cycles(600), missed=150))
    found = lines(report, "p.csv", "a.json")
    assert found[0].startswith("The longest response is ")
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
