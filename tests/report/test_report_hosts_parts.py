# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of a cycle between two hosts, in the table and in the figure."""

import made
import made_hosts
import pytest
from made_hosts import ROWS, bar_of, results, shifted, write


def check(cells, parts):
    assert cells == [made.us(sum(parts)), *map(made.us, parts)]


def test_average_adds_up(report, hosts_json, hosts_dump):
    for path in (hosts_json, hosts_dump):
        check(bar_of(results(report, path), "average"),
              made_hosts.mean(ROWS))


def test_cycles_at_p99(report, hosts_json, hosts_dump):
    """Of 2000, those of rank 1978 to 1982: 0.1 % on either side."""
    order = sorted(ROWS, key=lambda row: sum(made_hosts.parts(row)))
    check(bar_of(results(report, hosts_json, hosts_dump), "cycles at p99"),
          made_hosts.mean(order[1977:1982]))


def test_p99_needs_the_dump(report, hosts_json):
    found = results(report, hosts_json)
    assert bar_of(found, "cycles at p99 (no dump)") == ["-"] * 4


def test_p99_needs_cycles(report):
    """Ten beyond it: 999 do not have them, 1000 do."""
    for count, name in ((999, "cycles at p99 (too few cycles)"),
                        (1000, "cycles at p99")):
        path = write(report, "x.csv", made.dump(ROWS[:count]))
        assert ("-" in bar_of(results(report, path), name)) == (count < 1000)


def longest(rows):
    return made_hosts.parts(max(rows, key=lambda row: sum(
        made_hosts.parts(row))))


def test_longest_cycle_of_a_dump(report, hosts_dump):
    """It is neither that of the longest wakeup nor of any other part."""
    rows = list(ROWS)
    rows[0] = shifted(rows[0], 900_000, 0, 0)   # when it began to wait?
    rows[500] = shifted(rows[500], 200_000, 200_000, 200_000)
    rows[700] = shifted(rows[700], 500_000, 0, 0)
    rows[800] = shifted(rows[800], 0, 500_000, 0)
    rows[900] = shifted(rows[900], 0, 0, 500_000)
    assert longest(rows[1:]) == made_hosts.parts(rows[500])
    path = write(report, "x.csv", made.dump(rows))
    check(bar_of(results(report, path), "longest cycle"),
          made_hosts.parts(rows[500]))


def test_longest_cycle_of_those_kept(report):
    """The JSON keeps another than the longest, and says so."""
    rows = list(ROWS)
    rows[500] = shifted(rows[500], 200_000, 150_000, 150_000)
    rows[700] = shifted(rows[700], 400_000, 0, 0)
    rows[800] = shifted(rows[800], 0, 400_000, 0)
    rows[900] = shifted(rows[900], 0, 0, 400_000)
    path = write(report, "x.json", made_hosts.twoway(rows))
    kept = [made_hosts.parts(rows[i]) for i in (700, 800, 900)]
    check(bar_of(results(report, path), "longest cycle (of the cycles kept)"),
          max(kept, key=sum))


def test_nothing_kept(report):
    data = made_hosts.twoway(ROWS)
    data["twoway"]["worst"] = {}
    path = write(report, "x.json", data)
    assert bar_of(results(report, path), "longest cycle (no cycle was kept "
                  "whole)") == ["-"] * 4


def test_closed_loop(report):
    """There is no expiry, and so no wakeup."""
    data = made_hosts.twoway(ROWS, interval=0)
    for name in ("wakeup", "planned"):
        del data["thread"]["0"]["phases"][name]
    path = write(report, "x.json", data)
    whole, wakeup, *parts = bar_of(results(report, path), "average")
    _, *mean = made_hosts.mean(ROWS)
    assert wakeup == "-" and parts == list(map(made.us, mean))
    assert whole == made.us(sum(mean))


def drawn(report, *args):
    """Figure of the runs, or None."""
    from report.args import parse
    from report.draw import figures_time
    from twoway.read.runs import read_all
    options = parse(["-t", "-", *map(str, args)])
    runs, _ = read_all(options.files, options)
    return figures_time.phases(runs)


def bars_of(ax):
    """(left, length, row) of each, in the order of drawing."""
    return [(bar.get_x(), bar.get_width(), round(bar.get_y() + 0.25))
            for bar in ax.patches]


def test_figure(report, hosts_json, hosts_dump):
    """Three panels; each part begins where the one before ends."""
    from twtools import plots
    write(report, "y.json", made_hosts.twoway(ROWS))
    key, caption, draw = drawn(report, hosts_json, hosts_dump, "y.json")
    assert key == "phases" and "network" in caption
    figure = draw(plots.Look(True))
    assert [ax.get_xlabel() for ax in figure.axes] == [
        "us, average", "us, cycles at p99", "%, longest cycle"]
    values = made.values(ROWS)
    mean = [float(made.mean(values[part])) / 1000 for part in made_hosts.PARTS]
    for ax, rows in zip(figure.axes, ((0, 1), (0,), (0, 1))):
        bars = bars_of(ax)
        assert [row for *_, row in bars] == [r for r in rows for _ in mean]
        for row in rows:
            own = [bar for bar in bars if bar[2] == row]
            assert own[0][0] == 0
            assert own[1][0] == pytest.approx(own[0][1])
            assert own[2][0] == pytest.approx(own[0][1] + own[1][1])
    for bar, value in zip(bars_of(figure.axes[0]), mean):
        assert bar[1] == pytest.approx(value, rel=1e-6)
    parts = max(map(made_hosts.parts, ROWS), key=sum)
    assert [bar[1] for bar in bars_of(figure.axes[2])[:3]] == pytest.approx(
        [100 * part / sum(parts) for part in parts])
    texts = [text.get_text() for text in figure.axes[1].texts]
    assert "y: not known" in texts[1]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "wakeup", "network", "sleep"]
