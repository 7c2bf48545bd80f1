# SPDX-License-Identifier: GPL-2.0-or-later
"""Dumps: every statistic against plain arithmetic, and what goes with them."""

import itertools

import made
import pytest

PERCENTS = "10,50,90,99,99.9"


def results(report, *args):
    return made.tables(report("-t", "-", *args).stdout)


def check_all(found, values, target=made.target):
    """Every metric's row of the first system against its values."""
    for metric, label in zip(made.METRICS, made.LABELS):
        if not values[metric]:
            assert label not in found
            continue
        row, one = found[label][0], values[metric]
        assert row["cycles"] == str(len(one))
        assert row["min"] == made.us(min(one))
        assert row["avg"] == made.us(made.mean(one))
        assert row["max"] == made.us(max(one))
        assert row["std"] == made.us(made.deviation(one))
        assert row["rms"] == made.us(made.rms(one, target(metric)))
        for percent in PERCENTS.split(","):
            assert row.get(f"p{percent}", "-") == \
                made.us(made.percentile(one, percent)), metric


@pytest.mark.parametrize("count", [1, 2, 11, 12, 1000, 10010])
@pytest.mark.parametrize("formula", ["documented", "trltp3"])
def test_statistics(report, count, formula):
    rows = made.cycles(count, seed=count)
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "-x", formula, "-i", 1000,
                    "d.csv")
    values = made.values(rows, trltp3=formula == "trltp3")
    if count > 2:
        check_all(found, values)
        return
    for metric, label in zip(made.METRICS, made.LABELS):
        one = values[metric]
        assert (label in found) == bool(one)
        if one:
            assert found[label][0]["avg"] == made.us(made.mean(one))
        if len(one) == 1:       # there is no n - 1
            assert found[label][0]["std"] == "0.0"


def test_gap_makes_no_interval(report):
    rows = [row for row in made.cycles(300) if row[1] not in (50, 51, 200)]
    made.write(report.directory, "d.csv", made.dump(rows))
    values = made.values(rows)
    assert len(values["interval"]) == 297 - 3
    check_all(results(report, "-p", PERCENTS, "d.csv"), values)


@pytest.mark.parametrize("period, sleep", [(500_000, 50_000), (10**7, 0),
                                           (5 * 10**9, 10**5)])
def test_period_is_seen(report, period, sleep):
    """And with 5 s between them, times need more than 32 bits."""
    rows = made.cycles(200, period=period, sleep=sleep)
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "-s", sleep // 1000, "d.csv")
    check_all(found, made.values(rows, period, sleep),
              {"interval": period, "sleep": sleep}.get)


def test_period_of_two_cycles(report):
    """One step of the timer shows it."""
    rows = made.cycles(2)
    made.write(report.directory, "d.csv", made.dump(rows))
    assert results(report, "d.csv")["Wakeup Time"][0]["max"] == \
        made.us(max(made.values(rows)["wakeup"]))


def test_stall_of_seconds(report):
    """Its square does not fit in 64 bits of ns."""
    rows = made.cycles(200)
    rows = rows[:100] + [(*row[:2], *(t + 5 * 10**9 for t in row[2:7]), 0)
                         for row in rows[100:]]
    made.write(report.directory, "d.csv", made.dump(rows))
    check_all(results(report, "-p", PERCENTS, "d.csv"), made.values(rows))


def test_missed_expiries_do_not_hide_the_period(report):
    rows, planned = [], 10**12
    for i, row in enumerate(made.cycles(400)):
        missed = i % 3
        off = planned - row[2]
        rows.append((0, i, *(time + off for time in row[2:7]), missed))
        planned += made.PERIOD * (1 + missed)
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "d.csv")
    check_all(found, made.values(rows))
    assert {"system": "d", "remark": "missed expiries: 399"} in \
        found["Remarks"]


def closed_loop():
    rows, now = [], 10**12
    for _, i, planned, t0, t1, t2, t3, _ in made.cycles(300):
        rows.append((0, i, now, now + 50, now + t1 - t0, now + t2 - t0,
                     now + t3 - t0, 0))
        now += t3 - t0 + 1000
    return rows


def test_closed_loop(report):
    """There is no period: no wake-up, and total lacks the timer's share."""
    rows = closed_loop()
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "d.csv")
    values = made.values(rows)
    values["total"] = [
        t1 - t0 + t3 - t2 + abs(t2 - t1 - made.SLEEP)
        for _, _, _, t0, t1, t2, t3, _ in rows[1:]]
    values["wakeup"] = values["planned"] = []
    check_all(found, values, {"sleep": made.SLEEP}.get)


def test_steps(report):
    """A cycle number that starts again is a step."""
    steps = [made.cycles(count, seed=count, start=10**12 * k)
             for k, count in enumerate((100, 150, 120), 1)]
    rows = list(itertools.chain(*steps))
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "d.csv")
    values = [made.values(step) for step in steps]
    check_all(found, {metric: [v for one in values for v in one[metric]]
                      for metric in made.METRICS})
    load = found["Total Jitter against the load"]
    assert [row["workers"] for row in load] == ["0", "1", "2"]
    for row, one in zip(load, values):
        assert row["min"] == made.us(min(one["total"]))
        assert row["avg"] == made.us(made.mean(one["total"]))
        assert row["max"] == made.us(max(one["total"]))
        assert row["std"] == made.us(made.deviation(one["total"]))


def test_pairs(report):
    """They are told apart, and are one run; see test_report_pairs.py."""
    first, second = made.cycles(100, 1), made.cycles(100, 2)
    rows = [row for a, b in zip(first, second) for row in (a, (1, *b[1:]))]
    made.write(report.directory, "d.csv", made.dump(rows))
    found = results(report, "-p", PERCENTS, "d.csv")
    assert [row["system"] for row in found["Send Time"]] == ["d"]
    own = {label: found[f"{label} of each pair"] for label in made.LABELS}
    assert [row["pair"] for row in own["Send Time"]] == ["0", "1"]
    check_all(own, made.values(first))
    own["Send Time"].pop(0)
    assert own["Send Time"][0]["avg"] == \
        made.us(made.mean(made.values(second)["send"]))


def test_pieces_of_a_file_change_nothing(report, monkeypatch):
    from twoway.read import dump
    rows = made.cycles(400)
    made.write(report.directory, "d.csv", made.dump(rows))
    whole = report("-t", "-", "d.csv").stdout
    monkeypatch.setattr(dump, "PIECE", 37)
    for chunk in (3, 100, 1000, 12345):
        monkeypatch.setattr(dump, "CHUNK", chunk)
        assert report("-t", "-", "d.csv").stdout == whole
    lines = made.dump(rows).split("\n")
    lines[300] = "bad"
    made.write(report.directory, "bad.csv", "\n".join(lines))
    assert "bad.csv: line 301: " in report("-t", "-", "bad.csv",
                                           status=1).stderr


def with_json(report, rows, data):
    made.write(report.directory, "r.csv", made.dump(rows))
    made.write(report.directory, "r.json", data)
    return results(report, "-p", PERCENTS, "r.csv", "r.json")


def test_json_tells_a_dump_its_settings(report):
    rows = made.cycles(300, period=2_000_000, sleep=70_000)
    data = made.twoway(
        rows, how={"period": 2_000_000, "sleep": 70_000, "trltp3": True},
        interval=2000, sleep=70, total="trltp3")
    found = with_json(report, rows, data)
    check_all(found, made.values(rows, 2_000_000, 70_000, trltp3=True),
              {"interval": 2_000_000, "sleep": 70_000}.get)
    assert "Remarks" not in found       # nothing was assumed
    assert [row["is"] for row in found["Files"]] == \
        ["twowaytest dump", "twowaytest JSON"]


def test_dump_that_lacks_cycles(report):
    """Then the JSON's results stand, as they have all cycles."""
    rows = made.cycles(300)
    rows[150] = (*rows[150][:6], rows[150][6] + 700_000, 0)
    data = made.twoway(rows)
    data["twoway"]["not_dumped"] = 100
    found = with_json(report, rows[:100] + rows[200:], data)
    assert found["Response Time"][0]["cycles"] == "300"
    whole = made.values(rows)["response"]
    assert found["Response Time"][0]["max"] == str(max(whole) // 1000)
    assert {"system": "r", "remark": "cycles not dumped: 100"} in \
        found["Remarks"]


def test_dump_and_json_of_two_runs(refused):
    rows = made.cycles(300)
    made.write(refused.directory, "r.csv", made.dump(rows[:200]))
    made.write(refused.directory, "r.json", made.twoway(rows))
    message = refused("-t", "-", "r.csv", "r.json")
    assert "200 cycles" in message and "300" in message
    assert "NAME=FILE" in message


def test_two_files_of_a_kind_in_one_run(refused):
    for name in "ab":
        made.write(refused.directory, f"{name}.csv",
                   made.dump(made.cycles(50)))
    message = refused("-t", "-", "x=a.csv", "x=b.csv")
    assert "b.csv" in message and "a.csv" in message


def test_names(report):
    """A name may be given; equal ones in several directories are told."""
    for name in ("before", "after"):
        (report.directory / name).mkdir()
        made.write(report.directory / name, "r.csv",
                   made.dump(made.cycles(50)))
    found = results(report, "before/r.csv", "after/r.csv")
    assert [row["system"] for row in found["Send Time"]] == \
        ["before/r", "after/r"]
    found = results(report, "old=before/r.csv", "new=after/r.csv")
    assert [row["system"] for row in found["Send Time"]] == ["old", "new"]
    made.write(report.directory, "x=y.csv", made.dump(made.cycles(50)))
    assert results(report, "x=y.csv")["Send Time"][0]["system"] == "x=y"


def test_worst_cycle(report):
    rows = made.cycles(300)
    rows[200] = (*rows[200][:6], rows[200][6] + 800_000, 0)
    # Another that is as long is not the first.
    rows[250] = (*rows[250][:6], rows[250][3] + rows[200][6] - rows[200][3], 0)
    made.write(report.directory, "d.csv", made.dump(rows))
    _, _, planned, t0, t1, t2, t3, _ = rows[200]
    row = next(row for row in results(report, "d.csv")["Worst cycles"]
               if "response" in row["metric"])
    assert row["at s"] == f"{(t0 - rows[0][3]) / 1e9:.3f}"
    assert [row[phase] for phase in ("wakeup", "send", "sleep", "receive")] \
        == [made.us(v) for v in (t0 - planned, t1 - t0, t2 - t1, t3 - t2)]
