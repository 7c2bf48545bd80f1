# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines: what is read of them, and a day of them in seconds."""

import random
import subprocess
import time

import made
import pytest
import timeline

import twowaytest

METRICS = ("interval", "send", "sleep", "receive", "response", "total",
           "wakeup")
COMMENTS = "# twowaytest --timeline: a row every 1 s\n# a\n# b\n"
DAY_S = 86400
START = 1790000000      # 2026-09-21 14:13:20 UTC
GREW = "When the maximum grew"


def times(step, second):
    return f"{step},{second}.000,{START + second}.000"


def text_of(rows, metrics=("response",), pairs=1):
    """rows: of texts that are the fields after the times."""
    return COMMENTS + made.table([
        ",".join(timeline.names(metrics, pairs)), *rows])


SMALL = [
    f"{times(0, 1)},0,0,0,1000,100000,150000.0,300000,200000",
    f"{times(0, 2)},3,2,0,997,110000,151000.0,290000,210000",
    f"{times(0, 3)},700,0,0,0,,,,",
    f"{times(0, 4)},0,0,0,50,90000,160000.0,410000,",
]


def tables(report, *args):
    return made.tables(report("-t", "-", *args).stdout)


def test_statistics(report):
    made.write(report.directory, "r.csv", text_of(SMALL))
    found = tables(report, "r.csv")
    row, = found["Response Time"]
    assert row["cycles"] == "2047"
    assert (row["min"], row["max"], row["avg"]) == ("90.0", "410.0", "150.7")
    grown, = found[GREW]
    assert grown == {"system": "r", "metric": "response",
                     "UTC": "2026-09-21 14:13:24", "at s": "4",
                     "max": "410.0", "p99": "-", "missed": "0"}
    for remark in ("missed expiries: 703", "throttled cycles: 2"):
        assert {"remark": remark, "system": "r"} in found["Remarks"]
    file, = found["Files"]
    assert (file["is"], file["cycles"]) == ("twowaytest timeline", "2047")


def test_times_of_stamps(report):
    """Their columns are not shown; the others are."""
    for name, metrics in ("r", ("response",)), ("s", ("response", "wire")):
        made.write(report.directory, f"{name}.csv", text_of(
            [row + ",9,1,2.0,3,4"[:12 * (len(metrics) - 1)] for row in SMALL],
            metrics))
    one, two = (tables(report, f"x={name}.csv") for name in "rs")
    for found in one, two:
        found.pop("Files")
    assert one == two


def test_lost_cycles(report):
    """Those of two hosts, of all pairs; a file's and its JSON's are one."""
    values = "10,900,950.0,1000,"
    made.write(report.directory, "r.csv", text_of([
        f"{times(0, 1)},0,0,3,{values},0,0,1,{values}",
        f"{times(0, 2)},0,0,0,{values},0,0,5,{values}"], pairs=2))
    assert [row["remark"] for row in tables(report, "r.csv")["Remarks"]][1:] \
        == ["cycles lost on their way: 9"]


def test_gate_judges_lost_cycles(report):
    """Of timelines; and those of a file beside one that does not tell them."""
    for name, lost in ("a", 0), ("b", 0), ("c", 0), ("d", 99):
        made.write(report.directory, f"{name}.csv", text_of([
            f"{times(0, 1)},0,0,{lost},1000,100000,150000.0,300000,200000",
            f"{times(0, 2)},0,0,0,1000,100000,150000.0,300000,200000"]))
    files = [f"{name}.csv" for name in "abcd"]
    args = ("-g", "-m", "response", "-d", "100")
    assert report(*args, *files, status=2).stdout.splitlines()[-1] == \
        "worse: lost cycles"
    made.write(report.directory, "a.csv", made.table_csv(
        ["response,a,2000,100,200,300"],
        "metric,system,cycles,min,avg,max"))
    assert report(*args, *files, status=3).stdout.splitlines()[-1] == \
        "undecided: response average, lost cycles"


def test_pairs_and_steps(report):
    """The largest of all pairs; a step begins where the last one ended."""
    rows = [
        f"{times(0, 1)},1,0,0,10,900,950.0,1000,,,,,,,,,",
        f"{times(0, 2)},0,0,0,10,900,950.0,1900,,,,,,,,,",
        f"{times(1, 1)},0,0,0,10,900,950.0,1200,,2,0,0,30,800,850.0,2500,",
    ]
    made.write(report.directory, "r.csv", text_of(rows, pairs=2))
    found = tables(report, "r.csv")
    assert [(row["at s"], row["max"]) for row in found[GREW]] == [
        ("2", "1.9"), ("3", "2.5")]
    row, = found["Response Time"]
    assert (row["cycles"], row["min"], row["max"], row["avg"]) == (
        "60", "0.8", "2.5", "0.9")
    assert {"remark": "missed expiries: 3", "system": "r"} in \
        found["Remarks"]


def test_metric_that_is_drawn(report):
    """The first that is wanted; a closed loop has no planned response."""
    rows = [f"{times(0, second)},0,0,0,9,1,5.0,{second},,9,1,5.0,{high},"
            for second, high in ((1, 7), (2, 8), (3, 8))]
    made.write(report.directory, "r.csv", text_of(rows, ("send", "total")))
    found = tables(report, "r.csv")
    assert [row["metric"] for row in found[GREW]] == ["send"] * 2
    found = tables(report, "-m", "total", "r.csv")
    assert [row["metric"] for row in found[GREW]] == ["total"]
    assert GREW not in tables(report, "-m", "response", "r.csv")


def drawn(report, metric, *names):
    """Title of each panel, its times and its values; the caption."""
    from report import args
    from report.draw import figures_time
    from twoway.read.runs import read_all
    from twtools import plots
    runs, _ = read_all([str(report.directory / name)
                        for name in names],
                       args.parse(list(names)))
    _, caption, draw = figures_time.time_line(runs, metric)
    figure = draw(plots.Look(True))
    return [(ax.get_title(loc="left"), *ax.lines[0].get_data())
            for ax in figure.axes], caption, figure.texts


def test_panels(report):
    """One a run that has the metric, no more than 16."""
    names = [f"{i:02}.csv" for i in range(19)]
    for i, name in enumerate(names):
        made.write(report.directory, name, text_of(
            SMALL[3:], ("total",) if i < 2 else ("response",)))
    panels, caption, _ = drawn(report, "response", *names)
    assert [title for title, *_ in panels] == \
        [name[:2] for name in names[2:18]]
    assert "1 more runs are not shown" in caption


def test_values_in_time(report):
    """The largest of each row, from its begin to its end."""
    made.write(report.directory, "r.csv", text_of(SMALL))
    [(_, at, values)], _, _ = drawn(report, "response", "r.csv")
    high = [float(row.split(",")[9]) / 1000 if row.split(",")[9] else None
            for row in SMALL]
    assert [None if value != value else value for value in values] == \
        [*high, high[-1]]
    assert list(at) == sorted(at) and at[0] == 0


def test_spans(report):
    """Of many rows, each point is the largest of as many."""
    rows = [f"{times(0, second)},0,0,0,9,1,5.0,{second},"
            for second in range(1, 1202)]
    made.write(report.directory, "r.csv", text_of(rows))
    [(_, at, values)], _, texts = drawn(report, "response", "r.csv")
    assert list(values[:3] * 1000) == [4, 8, 12] and len(at) == 302
    assert "minutes since the first cycle" in [
        text.get_text() for text in texts]


def changed(old, new, row=1):
    rows = list(SMALL)
    assert old in rows[row]
    rows[row] = rows[row].replace(old, new)
    return text_of(rows)


@pytest.mark.parametrize("text, says", [
    (text_of(SMALL)[:-1], "line 9: the file is cut off"),
    (text_of([]), "line 4: there is no row"),
    (changed("997", "99x"), "line 6: '99x': a number"),
    (changed("997", "nan"), "line 6: 'nan': a number"),
    (changed("997", "9\u0667"), "line 6: '9\ufffd\ufffd': a number"),
    (text_of(SMALL).replace("response_max_ns", "r\xe9sponse_max_ns"),
     "line 4: 'r\ufffd\ufffdsponse_max_ns': no column"),
    (changed("997", "9.9.7"), "line 6: '9.9.7': a number"),
    (changed(",997", ""), "line 6: 10 fields; the line of names has 11"),
    (changed("0,2.000", "0,0.500"), "line 6: the time goes back"),
    (changed("0,2.000", "0,"), "line 6: step, seconds and unix_s"),
    (changed("90000", "410001", 3), "line 8: response: minimum"),
    (changed("210000", "109999"), "line 6: response: minimum"),
    (changed("210000", "290001"), "line 6: response: minimum"),
    (changed("997", "9" * 400), "line 6: numbers below 1e+18 are expected"),
    (changed("410000", "1" + "0" * 18, 3), "line 8: numbers below 1e+18"),
    (changed("997", "-997"), "line 6: response: minimum"),
    (text_of(SMALL).replace("response_max_ns", "reponse_max_ns"),
     "line 4: 'reponse_max_ns': no column"),
    (text_of(SMALL).replace("response_max_ns", "response_min_ns"),
     "line 4: columns are missing or repeated"),
    (text_of(SMALL).replace("response_", "wire_"), "line 4: no column of a "
     "metric but of the times of --stamps, which are not shown"),
    (text_of(SMALL[2:3]), "no cycle was measured"),
], ids=lambda value: value[:40] if len(value) < 70 else "")
def test_bad(refused, text, says):
    made.write(refused.directory, "r.csv", text)
    assert f"r.csv: {says}" in refused("r.csv")


def test_other_run(refused):
    """A JSON of another run contradicts it."""
    made.write(refused.directory, "r.csv", text_of(SMALL))
    made.write(refused.directory, "s.csv", text_of(SMALL[:2]))
    assert "has a r.csv (twowaytest timeline) already" in \
        refused("x=r.csv", "x=s.csv")


def day():
    """Rows of a day: each has 1000 cycles, and few are slow."""
    source = random.Random(4)
    for second in range(1, DAY_S + 1):
        fields = [times(0, second), str(int(source.random() < 1e-3)), "0,0"]
        for metric in METRICS:
            high = 150000 + int(20000 * source.paretovariate(1.5))
            if metric == "response" and second == 50000:
                high = 123456789
            fields.append(f"1000,120000,150000.0,{high},{min(high, 165000)}")
        yield ",".join(fields)


def test_day(report):
    """86400 rows; the time is told, and judged only by who reads it."""
    made.write(report.directory, "day.csv", text_of(day(), METRICS))
    begin = time.monotonic()
    report("-o", "day.html", "-f", "figures", "-F", "svg", "-t", "day.md",
           "day.csv")
    print(f"a day's timeline: {time.monotonic() - begin:.1f} s")
    grown = made.tables((report.directory / "day.md").read_text())[GREW]
    assert len(grown) == 10
    assert grown[-1]["max"] == "123456.8" and grown[-1]["at s"] == "50000"
    assert [float(row["max"]) for row in grown] == sorted(
        float(row["max"]) for row in grown)
    svg = (report.directory / "figures" / "time-line.svg").read_text()
    for words in ("Response Time: the longest in time", "hours since"):
        assert words in svg
    # A figure of few points, however many rows there are.
    assert len(svg) < 200000
    assert 'id="time-line"' in (report.directory / "day.html").read_text()


def test_real(report):
    """Those of a run of few seconds agree with its JSON."""
    done = subprocess.run(
        [twowaytest.binary(), "-q", "-D", "2", "-i", "700", "-t2",
         "--json=r.json", "--timeline=r.csv"], cwd=report.directory,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = tables(report, "j=r.json", "t=r.csv", "both=r.json", "both=r.csv")
    rows = {row["system"].split(" (")[0]: row
            for row in found["Latency"]}
    assert rows["j"]["cycles"] == rows["t"]["cycles"]
    assert rows["both"]["max"] == rows["j"]["max"]
    for key in ("min", "max"):
        low = int(rows["j"][key])
        assert low - 0.05 <= float(rows["t"][key]) < low + 1.05
    assert float(rows["t"]["avg"]) == pytest.approx(float(rows["j"]["avg"]),
                                                    abs=0.11)
    assert drawn(report, "latency", "r.csv")[0]
