# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs whose server has a clock of its own: what compares the clocks is not
shown, and everything else is as with one clock."""

import types

import made
import made_columns
import made_hosts
import pytest

PERCENTS = "50,90"
AHEAD = 10**15
GONE = ("send", "receive")
SHOWN = [metric for metric in made.METRICS if metric not in GONE]
REMARK = "client and server have clocks of their own: network stands for " \
    "send and receive"


def by_server(rows):
    """The same, with t1 and t2 of a clock that is far ahead."""
    return [(*row[:4], row[4] + AHEAD, row[5] + AHEAD, *row[6:])
            for row in rows]


def dump(rows):
    return made.dump(by_server(rows))


def twoway(rows):
    """JSON as of such a run."""
    data = made_hosts.twoway(by_server(rows), names=[
        name for name in made_columns.ALL if name not in GONE])
    data["twoway"]["worst"] = {"total": {
        "cycle": 5, "step": 0, "since_start_ns": 5_000_000, "values": {
            "wakeup": 9000, "network": 920_000, "sleep": 150_000,
            "response": 1_070_000, "total": 970_000,
            "interval": 1_000_000}}}
    return data


def results(report, *args):
    return made.tables(report("-t", "-", "-p", PERCENTS, *args).stdout)


def row_of(found, metric, system):
    label = made.LABELS[made.METRICS.index(metric)]
    return next(row for row in found[label] if row["system"].split()[0] == system)


@pytest.fixture(name="rows")
def rows_fixture():
    return made.cycles(300)


def test_dump_is_as_of_one_clock(report, rows):
    made.write(report.directory, "one.csv", made.dump(rows))
    made.write(report.directory, "two.csv", dump(rows))
    found = results(report, "one.csv", "two.csv")
    for metric in made.METRICS:
        one = row_of(found, metric, "one")
        if metric in GONE:
            label = made.LABELS[made.METRICS.index(metric)]
            assert [row["system"] for row in found[label]] == ["one"]
            continue
        two = row_of(found, metric, "two")
        assert {**one, "system": ""} == {**two, "system": ""}, metric
        values = made.values(rows)[metric]
        assert two["max"] == made.us(max(values))
    assert {"remark": REMARK, "system": "two"} in found["Remarks"]


def test_dump_alone(report, rows):
    made.write(report.directory, "two.csv", dump(rows))
    found = results(report, "two.csv")
    assert {made.LABELS[made.METRICS.index(m)] for m in made.METRICS} & \
        set(found) == {made.LABELS[made.METRICS.index(m)] for m in SHOWN}
    worst = found["Worst cycles"]
    assert ", ".join(row["metric"] for row in worst).split(", ") == [
        "response", "total", "wakeup"]
    response = worst[0]
    assert float(row_of(found, "response", "two")["max"]) == pytest.approx(
        float(response["network"]) + float(response["sleep"]), abs=0.11)
    assert response["send"] == response["receive"] == "-"


def test_worst_of_both_kinds(report, rows):
    made.write(report.directory, "one.csv", made.dump(rows))
    made.write(report.directory, "two.csv", dump(rows))
    found = results(report, "one.csv", "two.csv")["Worst cycles"]
    one, two = ([row for row in found if row["system"] == name]
                for name in ("one", "two"))
    assert list(one[0])[-5:] == ["wakeup", "send", "network", "sleep",
                                 "receive"]
    assert {row["network"] for row in one} == {"-"}
    assert {row["send"] for row in two} == {"-"}
    for first, second in zip(one, two):
        assert first["at s"] == second["at s"]
        assert first["sleep"] == second["sleep"]


def test_several_pairs(report, rows):
    both = [*rows, *((1, *row[1:]) for row in made.cycles(300, seed=2))]
    made.write(report.directory, "one.csv", made.dump(both))
    made.write(report.directory, "two.csv", dump(both))
    found = results(report, "one.csv", "two.csv")
    for metric in SHOWN:
        assert {**row_of(found, metric, "one"), "system": ""} == \
            {**row_of(found, metric, "two"), "system": ""}, metric


def test_json(report, rows):
    path = made.write(report.directory, "r.json", twoway(rows))
    found = results(report, path)
    for metric, label in zip(made.METRICS, made.LABELS):
        assert (label in found) == (metric in SHOWN)
    assert found["Worst cycles"] == [{
        "system": "r", "metric": "total", "at s": "0.005",
        "step": "0", "wakeup": "9.0", "send": "-", "network": "920.0",
        "sleep": "150.0", "receive": "-"}]
    assert {"remark": REMARK, "system": "r"} in found["Remarks"]


def test_json_and_dump_of_a_run(report, rows):
    """They agree: one run."""
    made.write(report.directory, "r.json", twoway(rows))
    made.write(report.directory, "r.csv", dump(rows))
    found = results(report, "r=r.json", "r=r.csv")
    assert [row["system"] for row in found["Network Time"]] == ["r"]


def run_with(**average_us):
    """As far as the figure of the phases looks at a run."""
    series = {name: types.SimpleNamespace(avg_ns=us * 1000)
              for name, us in average_us.items()}
    return types.SimpleNamespace(series=series, every=lambda _: [],
                                 settings={})


def test_phases_that_make_up_a_cycle():
    """Those of the worst cycle, too, whose network stands beside them."""
    from report.draw import figures_time
    known = {"send": 10, "receive": 20, "sleep": 100, "network": 30}
    run = run_with(**known)
    assert figures_time.bars_of(run) == {
        "average": {"send": 10_000, "receive": 20_000, "sleep": 100_000},
        "longest cycle": None}
    run.every = lambda _: [types.SimpleNamespace(metric="total",
                                                 phases=known)]
    assert figures_time.bars_of(run)["longest cycle"] == {
        "send": 10, "receive": 20, "sleep": 100}
    for few in ({"network": 30}, {"sleep": 100, "send": 10}):
        assert figures_time.bars_of(run_with(**few)) == {}


def test_phases_are_drawn(report, rows):
    """Of a run with and of one without send and receive."""
    made.write(report.directory, "one.csv", made.dump(rows))
    made.write(report.directory, "two.json", twoway(rows))
    report("-o", "r.html", "one.csv", "two.json")
    page = (report.directory / "r.html").read_text()
    assert "Where the time goes" in page


@pytest.mark.parametrize("pairs", [1, 2])
def test_trltp3_needs_one_clock(report, rows, pairs):
    both = [(pair, *row[1:]) for pair in range(pairs) for row in rows]
    path = made.write(report.directory, "two.csv", dump(both))
    refused = report("-t", "-", "-x", "trltp3", path, status=1)
    assert "allowed is documented" in refused.stderr


def test_a_header_of_neither_kind(report, rows):
    text = dump(rows).replace(",t1", ",server_t1")
    path = made.write(report.directory, "two.csv", text)
    assert report("-t", "-", path, status=1).stderr


def test_gate_needs_what_there_is(report, rows):
    made.write(report.directory, "a.csv", dump(rows))
    made.write(report.directory, "b.csv", dump(made.cycles(300, seed=2)))
    refused = report("-g", "-m", "send", "a.csv", "b.csv", status=1)
    assert "send" in refused.stderr
