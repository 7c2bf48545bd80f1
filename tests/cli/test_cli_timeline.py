# SPDX-License-Identifier: GPL-2.0-or-later
"""--timeline: its rows are what the dump has of their time."""

import math
import os
import signal

import pytest

import hosts
import oracle
import outside
import timeline
import twoway

BASE = ("--default-system", "-q")
METRICS = ("response", "wakeup", "send")
EVERY_S, LENGTH_S = 2, 3


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Two pairs, in a timeline, a dump and the results."""
    result = twoway.run(
        *BASE, "-t2", "-i", "700,1500", "-D", LENGTH_S,
        f"--metrics={','.join(METRICS)}", f"--timeline-every={EVERY_S}",
        "--timeline=line", "--dump=dump", "--json=json",
        directory=tmp_path_factory.mktemp("both"))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.files == {"line", "dump", "json"}
    return result


def close(got, want):
    return abs(got - want) * 1024 <= abs(want)


def check_values(row, of, metric, values):
    """@values: those of the row's cycles."""
    found = {name: row[f"{metric}_{name}{of}"] for name in timeline.VALUES}
    assert found["count"] == len(values)
    assert abs(found["avg_ns"] - oracle.mean(values)) <= 0.06
    assert close(found["min_ns"], min(values))
    assert close(found["max_ns"], max(values))
    if len(values) < timeline.LEAST:
        assert found["p99_ns"] is None
        return
    rank = math.ceil(len(values) * 99 / 100)
    assert close(found["p99_ns"], sorted(values)[rank - 1])


def test_rows_are_of_the_dump(both):
    """Each row has the cycles that follow those of the row before it."""
    rows = timeline.read(both.path("line")).rows
    assert both.json()["twoway"]["not_dumped"] == 0
    for pair in range(2):
        cycles = [one for one in both.dump() if one.pair == pair]
        for row in rows:
            count = row[f"response_count.{pair}"]
            mine, cycles = cycles[:count], cycles[count:]
            assert len(mine) == count > 0
            assert row[f"missed.{pair}"] == sum(one.missed for one in mine)
            values = oracle.series(mine, 0, oracle.Setup())
            for metric in METRICS:
                check_values(row, f".{pair}", metric, values[metric])
        assert not cycles


def test_extremes_are_the_results(both):
    """To the nanosecond, as one of the rows had them first."""
    rows = timeline.read(both.path("line")).rows
    for thread in both.json()["thread"].values():
        name = f"{thread['metric']}_%s_ns.{thread['pair']}"
        assert max(row[name % "max"] for row in rows) // 1000 == thread["max"]
        assert min(row[name % "min"] for row in rows) // 1000 == thread["min"]


def test_times(both):
    line = timeline.read(both.path("line"))
    assert line.names == timeline.names(METRICS, 2)
    assert line.every_s == EVERY_S
    rows = line.rows
    assert {row["step"] for row in rows} == {0}
    assert rows[0]["seconds"] >= EVERY_S / 2
    assert rows[-1]["seconds"] >= LENGTH_S - 0.1
    ends = [row["seconds"] for row in rows]
    assert ends == sorted(set(ends))
    # A row too late is skipped: there are never more than were asked for.
    assert len(rows) <= ends[-1] / EVERY_S + 1.5
    # Main may have had to wait between the readings of two clocks.
    for row in rows:
        assert abs(row["unix_s"] - rows[0]["unix_s"] -
                   (row["seconds"] - rows[0]["seconds"])) < 5


def test_default(run):
    """All columns of one pair; less than a second is a row, too.

    On a busy system it takes longer, and has more rows.
    """
    result = run(*BASE, "-l", 50, "--timeline=line")
    assert (result.returncode, result.files) == (0, {"line"})
    line = timeline.read(result.path("line"))
    assert line.every_s == 1
    assert line.names == timeline.names(oracle.DEFAULT_METRICS, 1)
    assert line.rows
    for metric in oracle.DEFAULT_METRICS:
        assert sum(row[f"{metric}_count"] for row in line.rows) == 50
        assert all(row[f"{metric}_p99_ns"] is None for row in line.rows)


@pytest.mark.parametrize("args, steps", [
    (("--ramp=pairs",), {1}), (("--load=fft", "-t2", "-d0"), {0, 1})],
    ids=str)
def test_ramp(run, args, steps):
    """Each step has a row of its own; a pair that it lacks is empty.

    The steps that have a second pair are given.
    """
    result = run(*BASE, "-l", 30, "--steps=2", *args, "-i", 1000,
                 "--timeline=line", "--timeline-every=1d", timeout=60)
    assert result.returncode == 0, result.stderr
    rows = timeline.read(result.path("line")).rows
    assert [row["step"] for row in rows] == [0, 1]
    assert [row["send_count.0"] for row in rows] == [30, 30]
    # A step's time begins anew, after the last row of the step before.
    assert rows[1]["seconds"] <= \
        rows[1]["unix_s"] - rows[0]["unix_s"] + 0.01
    for row in rows:
        if row["step"] in steps:
            assert row["send_count.1"] > 0 and row["missed.1"] is not None
        else:
            assert row["send_count.1"] is row["missed.1"] is None


def test_closed_loop(run):
    """There may be no time to copy between two cycles; none is lost."""
    result = run(*BASE, "-i", 0, "--sleep=0", "-D", 2, "--timeline=line",
                 "--json=json")
    assert result.returncode == 0, result.stderr
    rows = timeline.read(result.path("line")).rows
    cycles = result.json()["twoway"]["cycles"]
    assert sum(row["response_count"] for row in rows) == cycles > 0
    for row in rows:
        if row["response_count"]:
            assert row["response_min_ns"] <= row["response_p99_ns"] <= \
                row["response_max_ns"]


def test_two_hosts(run, serve):
    """On the client's host, of the metrics that there are."""
    server = serve()
    result = run(*BASE, f"--connect={server.where}", "-l", 40,
                 "--timeline=line", "--json=json")
    assert result.returncode == 0, result.stderr
    metrics = hosts.results(result.text("json"))[
        "twoway"]["settings"]["metrics"]
    line = timeline.read(result.path("line"))
    assert line.names == timeline.names(metrics, 1)
    assert sum(row["network_count"] for row in line.rows) == 40


def whole(path):
    """The rows so far of a timeline that grows."""
    return timeline.read(path).rows if path.exists() and \
        path.read_text(encoding="ascii").count("\n") > 3 else []


def test_stopped_and_killed(start, tmp_path):
    """A second without a cycle is a row; what is left is whole."""
    partial = tmp_path / "line.partial"
    process = start(*BASE, "-i", 1000, "--timeline=line")
    client = process.steady()["client"]
    os.kill(client, signal.SIGSTOP)
    assert outside.wait_for(lambda: any(
        row["response_count"] == 0 for row in whole(partial)))
    os.kill(client, signal.SIGCONT)
    assert outside.wait_for(lambda: any(
        row["missed"] > 500 and row["interval_max_ns"] > 5e8
        for row in whole(partial)))
    process.signal(signal.SIGKILL)
    assert process.gone()
    assert os.listdir(tmp_path) == ["line.partial"]
    rows = timeline.read(partial).rows
    empty = next(row for row in rows if row["response_count"] == 0)
    assert [empty[f"response_{value}"] for value in timeline.VALUES] == [
        0, None, None, None, None]
    assert empty["missed"] == 0
