# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's timestamps: what they divide network into, and what is missing.
"""

import types

import made
import made_columns
import made_hosts
import made_stamps
import pytest
from made_hosts import ROWS, TABLE, bar_of, results, write
from made_stamps import KINDS, STAMPED

STAMPS = made_stamps.stamps(ROWS)
MISSING = {3: "client_snd", 7: "server_rx", 8: "server_rx"}
LACKING = made_stamps.stamps(ROWS, MISSING)
HALF = made_stamps.stamps(ROWS, dict.fromkeys(range(0, 2000, 2),
                                              "client_sched"))
TIMES, MISSED = "Kernel timestamps", "Kernel timestamps that are missing"
NS = 1000


def divided(found, name):
    """client_stack, wire, server_stack, and what is not divided."""
    [row] = [row for row in found[TABLE] if row["of"] == name]
    return [row[key] for key in (*STAMPED, "not divided")]


def parts_of(rows, stamps):
    """Of these cycles on average, what is divided and what is not."""
    sums = [0] * 4
    for row, one in zip(rows, stamps):
        found = made_stamps.split(row, one)
        own = (*found, 0) if found else (0, 0, 0, made_hosts.parts(row)[1])
        sums = [a + b for a, b in zip(sums, own)]
    return [made.us(value / len(rows)) for value in sums]


@pytest.mark.parametrize("ahead", [0, 10**15])
def test_dump_is_as_without_stamps(report, ahead):
    """Every figure; its name tells that it is the other file."""
    rows = made_hosts.cycles(300, ahead=ahead)
    write(report, "x.csv", made.dump(rows))
    write(report, "y.csv", made_stamps.dump(
        rows, made_stamps.stamps(rows, {5: "client_rx"})))
    texts = [report("-t", "-", f"x={name}.csv").stdout for name in "xy"]
    found = [made.tables(text) for text in texts]
    for one in found:
        one.pop("Files")
        for row in one.get(TABLE, []):
            for key in (*STAMPED, "not divided"):
                row.pop(key, None)
    assert found[0] == found[1]
    assert "Response Time" in found[0]


@pytest.mark.parametrize("stamps", [STAMPS, LACKING, HALF])
@pytest.mark.parametrize("kind", ["json", "dump", "both"])
def test_average_is_divided(report, stamps, kind):
    """Cycles that lack a stamp stay whole; the sum is that of all cycles."""
    write(report, "x.json", made_stamps.twoway(ROWS, stamps))
    write(report, "x.csv", made_stamps.dump(ROWS, stamps))
    found = results(report, *{"json": ["x.json"], "dump": ["x.csv"],
                              "both": ["x.json", "x.csv"]}[kind])
    assert divided(found, "average") == parts_of(ROWS, stamps)
    assert bar_of(found, "average")[1:] == \
        list(map(made.us, made_hosts.mean(ROWS)))


def test_cycles_at_p99_and_the_longest_are_divided(report):
    order = sorted(range(len(ROWS)),
                   key=lambda i: sum(made_hosts.parts(ROWS[i])))
    stamps = made_stamps.stamps(ROWS, {order[1979]: "server_snd"})
    write(report, "x.csv", made_stamps.dump(ROWS, stamps))
    found = results(report, "x.csv")
    for name, chosen in (("cycles at p99", order[1977:1982]),
                         ("longest cycle", order[-1:])):
        assert divided(found, name) == parts_of(
            [ROWS[i] for i in chosen], [stamps[i] for i in chosen])


def test_a_dump_that_lacks_cycles_divides_nothing(report):
    """Its averages are those of other cycles than the JSON's."""
    data = made_stamps.twoway(ROWS, LACKING)
    data["twoway"]["not_dumped"] = 1000
    write(report, "x.json", data)
    write(report, "x.csv", made_stamps.dump(ROWS[:1000], STAMPS[:1000]))
    found = results(report, "x.json", "x.csv")
    assert divided(found, "average") == parts_of(ROWS, LACKING)


def test_table_of_times(report):
    write(report, "x.json", made_stamps.twoway(ROWS, LACKING))
    found = {row["time"]: row for row in results(report, "x.json")[TIMES]}
    table = made_stamps.rows_of(ROWS, LACKING)
    for name, values in table.items():
        row = found.pop(name)
        assert (row["cycles"], row["min"], row["max"]) == (
            "1997", made.us(min(values), 3), made.us(max(values), 3))
        assert float(row["avg"]) == pytest.approx(
            float(made.mean(values)) / NS, abs=1e-3)
    assert not found


def test_columns_of_times_are_not_shown(report):
    """Those of --metrics=wire: the table of times has them."""
    data = made_stamps.twoway(ROWS, LACKING)
    write(report, "x.json", data)
    number = len(data["thread"])
    data["thread"][str(number)] = data["thread"]["0"] | {
        "metric": "wire", "min": 1, "max": 9, "avg": 2.0, "stddev": 0.5,
        "cycles": 1997, "blocks": [], "maxima": [], "percentiles": {},
        "histogram": {"1": 1997}, "overflows": 0}
    data["num_threads"] = number + 1
    write(report, "y.json", data)
    one, two = (results(report, f"x={name}.json") for name in "xy")
    for found in one, two:
        found.pop("Files")
    assert one == two and one["Response Time"]


def test_unknown_columns_are_refused(refused):
    data = made_stamps.twoway(ROWS, LACKING)
    data["thread"]["0"]["metric"] = "fire"
    write(refused, "x.json", data)
    assert "'fire' is none of latency, " in refused("x.json")


def test_table_of_what_is_missing(report):
    """Of all pairs, and of each; and a remark names the kinds."""
    rows = [ROWS[:1000], ROWS[1000:]]
    stamps = [LACKING[:1000], LACKING[1000:]]
    data = made_columns.twoway([made.cycles(50)] * 2, [made.PERIOD] * 2,
                               stamps="all")
    data["twoway"]["series"] = []
    for i, one in enumerate(data["twoway"]["pairs"]):
        one["stamps"] = made_stamps.member(rows[i], stamps[i])
        data["twoway"]["series"] += made_stamps.series(rows[i], stamps[i], i)
    data["twoway"]["pairs"][0]["stamps"]["unfinished"] = 4
    write(report, "x.json", data)
    found = results(report, "x.json")
    table = {row["system"]: row for row in found[MISSED]}
    assert list(table) == ["x"] + [
        f"x, pair {i}" for i in (0, 1)]
    table = dict(zip(["x", "x, pair 0", "x, pair 1"], table.values()))
    for name, counts in (("x", ("1997", "3", "4")),
                         ("x, pair 0", ("997", "3", "4")),
                         ("x, pair 1", ("1000", "0", "0"))):
        row = table[name]
        assert (row["cycles"], row["left out"], row["unfinished"]) == counts
    assert [table["x"][kind] for kind in KINDS] == list("012000")
    assert table["x"]["stamps"] == "all"
    for name, one, own in zip(list(table)[1:], rows, stamps):
        wire = made.mean(made_stamps.rows_of(one, own)["wire"])
        assert float(table[name]["wire"]) == pytest.approx(
            float(wire) / NS, abs=1e-3)
    [text] = [row["remark"] for row in found["Remarks"]
              if "timestamps" in row["remark"]]
    assert text.startswith("kernel timestamps: 3 cycles lack one")
    assert text.endswith(": client_snd 1, server_rx 2")


def test_nothing_is_missing(report):
    write(report, "x.json", made_stamps.twoway(ROWS, STAMPS))
    assert not any("timestamps" in row["remark"]
                   for row in results(report, "x.json")["Remarks"])


def test_stamps_of_what_is_received_divide_nothing(report):
    data = made_stamps.twoway(ROWS, STAMPS)
    gone = [*STAMPED, *(f"{side}_{way}" for side in made_stamps.SIDES
                        for way in ("app_out", "stack_out"))]
    data["twoway"]["series"] = [one for one in data["twoway"]["series"]
                                if one["span"] not in gone]
    write(report, "x.json", data)
    found = results(report, "x.json")
    assert "wire" not in found[TABLE][0]
    assert [row["time"] for row in found[TIMES]] == [
        "client wake_in", "server wake_in", "network"]
    write(report, "x.csv", made_stamps.dump(ROWS, [
        one | {"client_sched": None, "client_snd": None} for one in STAMPS]))
    assert "wire" not in results(report, "x.csv")[TABLE][0]


def test_none_without_stamps(report, hosts_json):
    found = results(report, hosts_json)
    assert TIMES not in found and MISSED not in found
    assert "wire" not in found[TABLE][0]


@pytest.mark.parametrize("key, where", [
    ("left_out", "pairs[0].stamps.left_out"),
    ("client_app_out", "series[0].avg"), ("wire", "series[7].avg"),
    ("network", "pairs[0].stamps.network")])
def test_contradictions_are_named(refused, key, where):
    data = made_stamps.twoway(ROWS, STAMPS)
    for one in data["twoway"]["series"]:
        if one["span"] == key:
            one["avg"] += 2 if key == "network" else 10**9
    if key == "left_out":
        data["twoway"]["pairs"][0]["stamps"][key] = -1
    write(refused, "x.json", data)
    assert f"member twoway.{where}: " in refused("-t", "-", "x.json")


def lines(count=100):
    return made_stamps.dump(ROWS[:count], STAMPS[:count]).split("\n")


@pytest.mark.parametrize("change", [
    lambda cells: cells[:-1], lambda cells: [*cells, "1"],
    lambda cells: [*cells[:6], "", *cells[7:]],
    lambda cells: [*cells[:9], "x", *cells[10:]],
    lambda cells: [*cells[:9], "-5", *cells[10:]],
    lambda cells: [*cells[:9], "9" * 19, *cells[10:]]])
def test_malformed_line(refused, change):
    text = lines()
    text[50] = ",".join(change(text[50].split(",")))
    write(refused, "x.csv", "\n".join(text))
    message = refused("-t", "-", "x.csv")
    assert "x.csv: line 51: " in message and "6 stamps" in message


def test_time_that_runs_backwards_is_found_behind_lost_cycles(refused):
    """Lost cycles have no times of the server, and stamps or none."""
    text = lines()
    for number, more in ((10, ",,,,,,"), (11, ",5,6,,,,")):
        cells = text[number].split(",")
        text[number] = ",".join([*cells[:4], "", "", "", cells[7]]) + more
    cells = text[50].split(",")
    text[50] = ",".join([*cells[:6], "5", *cells[7:]])
    write(refused, "x.csv", "\n".join(text))
    assert "x.csv: line 51: time runs backwards" in refused("-t", "-",
                                                            "x.csv")


def test_lost_cycles_are_no_cycles(report):
    text = lines()
    for number in (10, 11):
        cells = text[number].split(",")
        text[number] = ",".join([*cells[:4], "", "", "", cells[7]]) + \
            ",,,,,,"
    write(report, "x.csv", "\n".join(text))
    [row] = results(report, "x.csv")["Network Time"]
    assert row["cycles"] == "98"


def test_several_pairs(report):
    """All together, by the cycles of each."""
    rows = [(1, *row[1:]) for row in made_hosts.cycles(2000, 9)]
    stamps = made_stamps.stamps(rows)
    every = sorted([*zip(ROWS, STAMPS), *zip(rows, stamps)],
                   key=lambda item: item[0][3])
    write(report, "x.csv", made_stamps.dump(*zip(*every)))
    assert divided(results(report, "x.csv"), "average") == parts_of(
        ROWS + rows, STAMPS + stamps)


def test_figure(report):
    """Five parts one behind the other, and network where no stamps are."""
    from report import args
    from report.draw import figures_time
    from twoway.read.runs import read_all
    from twtools import plots
    write(report, "x.json", made_stamps.twoway(ROWS, STAMPS))
    write(report, "x.csv", made_stamps.dump(ROWS, STAMPS))
    write(report, "y.json", made_hosts.twoway(ROWS))
    options = args.parse(["-t", "-", "x.json", "x.csv", "y.json"])
    runs, _ = read_all(options.files, options)
    _, _, draw = figures_time.phases(runs)
    figure = draw(plots.Look(True))
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "wakeup", "client_stack", "wire", "server_stack", "network", "sleep"]
    bars = [(bar.get_x(), bar.get_width()) for bar in figure.axes[0].patches]
    assert len(bars) == 5 + 3
    end = 0
    _, _, sleep = made_hosts.mean(ROWS)
    # A dump does not say since when the client waited for the first cycle.
    wakeup = made.mean([made_hosts.parts(row)[0] for row in ROWS[1:]])
    table = made_stamps.rows_of(ROWS, STAMPS)
    for (start, length), value in zip(bars, (
            wakeup, *(made.mean(table[name]) for name in STAMPED), sleep)):
        assert start == pytest.approx(end)
        assert length == pytest.approx(float(value) / NS, rel=1e-6)
        end = start + length
    assert {bar.get_hatch() for bar in figure.axes[0].patches[1:4]} == {
        "----", "....", "++++"}


def test_thin_parts_have_no_outline(report):
    """It would hide them: 1 us of wire beside 1000."""
    import matplotlib.figure
    from report.draw import figures_time
    from twtools import plots
    ax = matplotlib.figure.Figure().subplots()
    bars = [{"wakeup": 500, "wire": 1, "sleep": 499}, {"wire": 5}]
    figures_time.draw_bars(plots.Look(True), ax, [
        types.SimpleNamespace(title=name) for name in "xy"], bars, False)
    assert [bar.get_linewidth() > 0 for bar in ax.patches] == [
        True, False, True, False]
