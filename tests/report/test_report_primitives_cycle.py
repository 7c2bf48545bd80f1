# SPDX-License-Identifier: GPL-2.0-or-later
"""Which parts explain a two-way cycle that takes longer."""

import made
import made_hosts
import made_primitives as prim
import pytest

TITLE = "Which parts explain {}: {} beside {}"
COUNTS = "How often a cycle contains a part"
SHIFT = 10000           # ns: by this the replies of b take longer
TRIP, SLEEP, TIMER = "send and receive", "the server's sleep", \
    "the client's timer"


@pytest.fixture
def text_of(report):
    """The report on a and b: results of both programs."""
    def of(*args, whole=None, a=None, b=None):
        files = {"p_a": prim.twoway(), "p_b": prim.twoway(SHIFT),
                 "a": a or prim.primitives(), "b": b or prim.primitives()} | (
                     whole or {})
        given = prim.write(report.directory, **files)
        return report("-t", "-", *given, *args).stdout
    return of


@pytest.fixture
def explained(text_of):
    """Part -> row of the table; metric: of this one."""
    def of(*args, metric="response", **files):
        found = made.tables(text_of(*args, **files))
        return {row["part"]: row
                for row in found[TITLE.format(metric, "b", "a")]}
    return of


def averages(shift=0, metric="response"):
    values = made.values(made.cycles(500, shift=shift))[metric]
    return float(made.mean(values))


def figures(row, *keys):
    return [float(row[key].rstrip("%")) for key in keys]


ALL = ("a", "b", "b - a", "times it")


def test_what_is_measured(explained):
    rows = explained()
    low, high = averages(), averages(SHIFT)
    assert figures(rows["response"], *ALL) == pytest.approx(
        [low, high, high - low, high - low], abs=1)
    assert figures(rows["response"], "of it") == [100]


def test_parts_and_what_remains(explained):
    """Of 10 us, 4 are a part's that is contained once."""
    rows = explained(b=prim.primitives(prim.more(**{
        prim.TRIP: 8000, "sleep.nanosleep.100.excess": 19000})))
    assert figures(rows[TRIP], *ALL, "of it") == [5000, 8000, 3000, 3000, 30]
    assert figures(rows[SLEEP], *ALL, "of it") == \
        [18000, 19000, 1000, 1000, 10]
    assert figures(rows["sleep as set"], *ALL, "of it") == \
        [100000, 100000, 0, 0, 0]
    assert figures(rows["sum of what is added"], *ALL, "of it") == \
        [123000, 127000, 4000, 4000, 40]
    left = [averages() - 123000, averages(SHIFT) - 127000]
    assert figures(rows["unexplained"], *ALL, "of it") == pytest.approx(
        [*left, 6000, 6000, 60], abs=1)
    assert rows["unexplained"]["added"] == "-"


def test_times_are_those_of_the_table(explained, text_of):
    """What others contain is told with its count, and not added."""
    twice = prim.primitives(prim.more(**{
        "yield.2x0.process.same.switch": 1500, "clock.monotonic.cost": 34,
        "syscall.getppid.call": 180}))
    known = {row["part"]: row for row in made.tables(text_of())[COUNTS]}
    for metric, times in (("response", (1, 1, 0, 3, 3, 6)),
                          ("planned", (1, 1, 1, 4, 3.5, 7))):
        rows = explained(b=twice, metric=metric)
        assert [float(known[name][metric]) for name in known] == list(times)
        for name, count in zip(known, times):
            assert (name in rows) == bool(count)
            if count:
                assert float(rows[name]["times"]) == count
        for name, one in (("switches", 100), ("clock readings", 10),
                          ("system calls", 10)):
            assert figures(rows[name], "times it") == \
                [one * float(known[name][metric])]
            assert (rows[name]["added"], rows[name]["of it"]) == ("no", "-")
        assert figures(rows["sum of what is added"], "b - a") == [0]


def test_the_timer_is_in_planned_only(explained):
    later = prim.primitives(prim.more(**{"sleep.absolute.1000.excess":
                                         23000}))
    assert TIMER not in explained(b=later)
    rows = explained(b=later, metric="planned")
    assert figures(rows[TIMER], *ALL) == [20000, 23000, 3000, 3000]
    assert figures(rows["sum of what is added"], "a") == [143000]


@pytest.mark.parametrize("settings, extra, part, column", [
    ({}, {}, TRIP, prim.TRIP),
    ({}, {"unix.64": 1}, TRIP, prim.TRIP),
    ({"transport": "unix"}, {"unix.64": 1}, TRIP, "unix.64"),
    ({"transport": "unix"}, {}, TRIP, prim.TRIP),
    ({"size": 65}, {"pipe.1024": 1, "pipe.8192": 1}, TRIP, "pipe.1024"),
    ({"size": 1}, {"pipe.1": 1}, TRIP, "pipe.1"),
    ({"size": 90000}, {"pipe.8192": 1}, TRIP, "pipe.8192"),
    ({"size": 500}, {"unix.1024": 1}, TRIP, "unix.1024"),
    ({"size": 500}, {"message.1024": 1}, TRIP, "message.1024"),
    ({"size": 1}, {"message.8": 1}, TRIP, "message.8"),
    ({"size": 500}, {"sync2.unnamed": 1}, TRIP, "sync2.unnamed"),
    ({"sleep_us": 600}, {"sleep.nanosleep.1000.excess": 1}, SLEEP,
     "sleep.nanosleep.1000.excess"),
    ({"sleep_us": 300}, {"sleep.nanosleep.1000.excess": 1}, SLEEP,
     "sleep.nanosleep.100.excess"),
    ({"sleep_us": 1}, {}, SLEEP, "timer.1000.wakeup"),
    ({"clock": "tai"}, {"clock.tai.cost": 1}, "clock readings",
     "clock.tai.cost"),
    ({"clock": "tai"}, {"bintime.vdso.delta": 1}, "clock readings",
     "bintime.vdso.delta"),
])
def test_what_stands_for_a_part(explained, settings, extra, part, column):
    """The first that was measured of those that the settings name."""
    def full(name):
        return name if name.count(".") > 1 else \
            f"{name}.{prim.PLACE}.roundtrip"
    parts = prim.primitives(prim.more(**{
        full(name): value for name, value in extra.items()}))
    whole = {"p_a": prim.twoway(**settings),
             "p_b": prim.twoway(SHIFT, **settings)}
    rows = explained(whole=whole, a=parts, b=parts)
    assert rows[part]["stands for it"] == full(column)


def test_the_timer_by_its_kind(explained):
    for kind, column in (("nanosleep", "sleep.absolute.1000.excess"),
                         ("posix", "timer.1000.wakeup")):
        whole = {"p_a": prim.twoway(timer=kind),
                 "p_b": prim.twoway(SHIFT, timer=kind)}
        rows = explained(whole=whole, metric="planned")
        assert rows[TIMER]["stands for it"] == column


def test_a_part_that_one_lacks(explained):
    lacks = {key: value for key, value in prim.PARTS.items()
             if key != prim.TRIP}
    rows = explained(b=prim.primitives(lacks))
    assert rows[TRIP]["stands for it"] == \
        "not measured by both: --test=unix or pipe"
    assert (rows[TRIP]["added"], rows[TRIP]["times it"]) == ("no", "-")
    assert figures(rows["sum of what is added"], "a") == [118000]


def placed(shift, client, server):
    data = prim.twoway(shift)
    data["twoway"]["processes"] = {"client": {"cpus": client},
                                   "server": {"cpus": server}}
    return data


def test_where_client_and_server_ran(explained, text_of):
    cross = prim.TRIP.replace("same", "cross")
    both = prim.primitives(prim.more(**{cross: 9000}))
    for client, server, column in (("1", "1", prim.TRIP), ("0", "1", cross),
                                   ("0-1", "0-1", prim.TRIP)):
        whole = {"p_a": placed(0, client, server),
                 "p_b": placed(SHIFT, client, server)}
        rows = explained(whole=whole, a=both, b=both)
        assert rows[TRIP]["stands for it"] == column
        text = text_of(whole=whole, a=both, b=both)
        assert ("Not measured with cross CPUs" in text) == (column == cross)
        if column == cross:
            assert "otherwise: switches." in text
    whole = {"p_a": placed(0, "0", "1"), "p_b": placed(SHIFT, "1", "1")}
    assert "share a CPU on one of the systems only" in text_of(whole=whole)


def test_no_sleep_is_no_part(explained):
    whole = {"p_a": prim.twoway(sleep_us=0),
             "p_b": prim.twoway(SHIFT, sleep_us=0)}
    rows = explained(whole=whole)
    assert SLEEP not in rows
    assert figures(rows["sum of what is added"], "a") == [5000]


def test_a_sleep_that_differs_explains(explained):
    whole = {"p_a": prim.twoway(sleep_us=90), "p_b": prim.twoway(SHIFT)}
    rows = explained(whole=whole)
    assert figures(rows["sleep as set"], *ALL, "of it") == \
        [90000, 100000, 10000, 10000, 100]


def test_words(text_of):
    text = text_of(b=prim.primitives(prim.more(**{prim.TRIP: 8000})))
    assert "- The response of b is 10000 ns longer than that of a. Its " \
        "parts explain +3000 ns of +10000, +3000 of it send and receive; " \
        "+7000 ns remain unexplained. This is an estimate, not a proof." \
        in text
    assert "99 % sure if cycles are independent" in text
    assert "one by one, with warm caches, at another time" in text
    text = text_of(b=prim.primitives(prim.more(**{prim.TRIP: 4000})))
    assert "Its parts do not explain this: together they differ by " \
        "-1000 ns, by estimate." in text
    text = text_of(b=prim.primitives({"trap.fault.enter": 9}))
    assert "Parts that might explain this were not measured." in text


def test_what_may_be_chance_is_not_explained(text_of):
    text = text_of(whole={"p_b": prim.twoway(3)})
    assert "It may be chance, so there is nothing to explain." in text
    assert "- The response of b" not in text
    assert "It may be chance" not in text_of()


def test_settings_that_differ_weaken_it(text_of):
    text = "Transport, size or timer differ between the systems."
    assert text in text_of(whole={"p_b": prim.twoway(SHIFT, size=9)})
    assert text not in text_of()


def test_each_beside_the_first(report):
    names = "abc"
    files = {name: prim.primitives() for name in names} | {
        f"p_{name}": prim.twoway(i * SHIFT) for i, name in enumerate(names)}
    given = prim.write(report.directory, **files)
    found = made.tables(report("-t", "-", *given).stdout)
    assert TITLE.format("response", "b", "a") in found
    assert TITLE.format("response", "c", "a") in found
    assert TITLE.format("response", "c", "b") not in found


def test_both_programs_of_two_systems_are_needed(report):
    text = "nothing to compare"
    files = {"a": prim.primitives(), "b": prim.primitives()}
    given = prim.write(report.directory, **files)
    assert text not in report("-t", "-", *given).stdout
    given += prim.write(report.directory, p_a=prim.twoway())
    assert text in report("-t", "-", *given).stdout


def test_two_hosts_are_not_explained(text_of):
    rows = made_hosts.ROWS
    text = text_of(whole={"p_b": made_hosts.twoway(rows)})
    assert "nothing to compare" in text


@pytest.mark.parametrize("key", ["release", "version", "machine"])
def test_a_name_is_one_system(report, refused, key):
    other = prim.primitives()
    other["sysinfo"][key] = "another"
    given = prim.write(report.directory, a=other, p_a=prim.twoway())
    assert "another here" in refused(*given)
    other["sysinfo"][key] = prim.twoway()["sysinfo"][key]
    given = prim.write(report.directory, a=other, p_a=prim.twoway())
    report("-t", "-", *given)


def test_page(report):
    """The estimate is at the top, after the verdict on the whole."""
    given = prim.write(report.directory, p_a=prim.twoway(),
                       p_b=prim.twoway(SHIFT), a=prim.primitives(),
                       b=prim.primitives(prim.more(2)))
    report("-o", "r.html", *given)
    page = (report.directory / "r.html").read_text()
    order = [page.index(mark) for mark in (
        '<section id="verdict">', "<h2>In short", "<h2>Which parts explain",
        "<nav>", "<h2>What differs between the runs", '<h2 id="figures">',
        '<figure id="primitives">', "<h2>Send Time", "<h2>How often a",
        "<h2>Parts: clocks", "<h2>Files")]
    assert order == sorted(order)
