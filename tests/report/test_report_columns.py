# SPDX-License-Identifier: GPL-2.0-or-later
"""Schema 2: a column is a pair."""

import copy

import made
import made_break
import made_columns
import made_pairs
import pytest

ROWS = made.cycles(3000)
PAIRS = list(made_pairs.pairs([900, 500]).values())
PERIODS = made_pairs.PERIODS[:2]
LABEL = dict(zip(made.METRICS, made.LABELS)) | {"latency": "Latency"}


def tables(report, **files):
    """File by the name of its run; what each table has of each run."""
    for name, content in files.items():
        made.write(report.directory, name, content)
    found = made.tables(report("-t", "-", *files).stdout)
    return {title: {row["system"].split(" ")[0]: {
        key: value for key, value in row.items() if key != "system"}
        for row in rows if "system" in row} for title, rows in found.items()}


def test_every_metric_of_a_column_and_of_its_phases(report):
    """By columns, with histograms, the same; as phases, without these."""
    found = tables(report, all=made_columns.twoway([ROWS], names=made_columns.ALL),
                   new=made_columns.twoway([ROWS]))
    for metric in made.METRICS:
        rows = found[LABEL[metric]]
        wanted = dict(rows["all"])
        if metric != "response":        # it is latency and the sleep
            wanted |= {key: "-" for key in wanted if key.startswith("p")}
        assert rows["new"] == wanted
    assert found["Latency"]["new"] == found["Latency"]["all"]
    values = made.values(ROWS)["latency"]
    assert found["Latency"]["new"]["max"] == str(max(values) // 1000)
    assert found["Files"]["new"]["missed"] == "0"


def test_pairs_and_their_dump(report):
    """Each pair, and all together, by columns of each metric, and as the dump tells them."""
    one = dict(enumerate(PAIRS))
    made.write(report.directory, "new.csv", made_pairs.dump(one))
    made.write(report.directory, "new.json",
               made_columns.twoway(PAIRS, PERIODS))
    made.write(report.directory, "old.json", made_pairs.twoway(one))
    found = made.tables(report("-t", "-", "old.json", "new.json",
                               "new.csv").stdout)
    for title in (LABEL["send"], f"{LABEL['send']} of each pair"):
        rows = [[row for row in found[title] if row["system"].startswith(name)]
                for name in ("old", "new")]
        assert rows[0] and len(rows[0]) == len(rows[1])
        for old, new in zip(*rows):
            assert old.get("pair") == new.get("pair")
            assert old["cycles"] == new["cycles"]
            assert float(old["avg"]) == pytest.approx(float(new["avg"]),
                                                      abs=0.06)
    assert [row["pair"] for row in found["Latency of each pair"]] == ["0", "1"]
    assert [row["missed"] for row in found["Files"]][1:] == ["0", "1"]


def test_percentiles_of_each_response(report):
    """Of its latency, which has no sleep."""
    made.write(report.directory, "x.json", made_columns.twoway(PAIRS, PERIODS))
    found = made.tables(report("-t", "-", "x.json").stdout)
    latencies, responses = (found[f"{name} of each pair"]
                            for name in ("Latency", LABEL["response"]))
    assert len(latencies) == len(responses) == len(PAIRS)
    for latency, response in zip(latencies, responses):
        assert float(response["p50"]) == float(latency["p50"]) + 100


def test_status_lines_of_cyclictest(report):
    """The last of each thread; in ns, they are wider."""
    found = [made.values(made.cycles(600, seed))["wakeup"] for seed in (1, 2)]
    lines = "".join(made_columns.line(i, one[:500])
                    for i, one in enumerate(found))
    lines += "".join(made_columns.line(i, one) for i, one in enumerate(found))
    made.write(report.directory, "x", lines)
    [row] = made.tables(report("-t", "-", "x").stdout)["Wakeup Time"]
    assert (row["cycles"], row["min"], row["max"]) == (
        "1198", *(str(of(map(of, found)) // 1000) for of in (min, max)))
    assert row["avg"].isdecimal()       # as exact as it was printed
    wide = "T: 0 (   77) P:98 I:1000 C:    600 Min:   5001 Act:    7002 " \
        "Avg:    6003 Max:    9004\n"
    made.write(report.directory, "x", wide)
    [row] = made.tables(report("-t", "-", "x").stdout)["Wakeup Time"]
    assert (row["min"], row["avg"], row["max"]) == ("5.0", "6.0", "9.0")


def test_gate_judges_latency(report):
    """Or what both runs have: one with --metrics has the response only."""
    slow = made.cycles(3000, 2, shift=9000)
    for name, content in (
            ("a", made_columns.twoway([ROWS])), ("o", made.twoway(ROWS)),
            ("b", made_columns.twoway([slow], json="y", histofall=400)),
            ("c", made.cyclictest(made.values(slow)["wakeup"]))):
        made.write(report.directory, f"{name}.json", content)
    out = report("-g", "a.json", "x=a.json", "b.json", status=2).stdout
    assert out.splitlines()[-1] == "worse: latency average"
    # A phase has no blocks in a JSON.
    out = report("-g", "-u", "o.json", "b.json", status=3).stdout
    assert out.splitlines()[-1] == "undecided: response average"
    assert "undecided: wakeup average" in report(
        "-g", "-u", "a.json", "c.json", status=3).stdout
    made.write(report.directory, "b.json",
               made_columns.twoway([ROWS], (2_000_000,)))
    assert "interval_us 1000 / 2000" in report(
        "-g", "a.json", "b.json", status=1).stderr


def test_who_waits_for_a_reply_does_not_wait_for_the_timer(report):
    """The wakeup after a late reply begins with that reply. That of the first
    cycle is unknown, as the reply before it is."""
    planned = [10**12 + i * made.PERIOD for i in range(3)]
    rows = [(0, 0, planned[0], planned[0] + 5000, 0, 0, 0, 0),
            (0, 1, planned[1], planned[1] + 2_000_000, 0, 0, 0, 0)]
    rows = [(*row[:4], row[3] + 1000, row[3] + 101_000, row[3] + 102_000, 0)
            for row in rows]
    rows[0] = (*rows[0][:6], planned[1] + 1_997_000, 0)
    made.write(report.directory, "x.csv", made.dump(rows))
    found = made.tables(report("-t", "-", "-i", "1000", "x.csv").stdout)
    assert [found["Wakeup Time"][0][key] for key in ("min", "max")] == \
        ["3.0", "3.0"]
    assert found["Planned Response Time"][0]["max"] == "2997.0"


def test_lists_of_intervals(report):
    """They are compared whole."""
    for name, last in zip("ab", (2000, 3000)):
        made.write(report.directory, f"{name}.json", made_columns.twoway(
            [ROWS, ROWS], [made.PERIOD] * 2, interval=[1000, last]))
    assert "intervals_us 1000 2000 / 1000 3000" in report(
        "-g", "a.json", "b.json", status=1).stderr


@pytest.mark.parametrize("limit", [200, "response:200"])
@pytest.mark.parametrize("pairs, named", [(1, ""), (2, " of pair 1")])
def test_broken_cycle(report, pairs, named, limit):
    """Of several pairs, the one is named."""
    data = made_columns.twoway([ROWS] * pairs, [made.PERIOD] * pairs,
                               breaktrace=limit)
    data["twoway"]["breaks"] = [{
        "metric": "response", "pair": pairs - 1, "cycle": 7,
        "values": {"response": 410_000}, "cause": made_break.analysis()}]
    made.write(report.directory, "a.json", data)
    assert f": cycle 7{named} had a response of 410.0 us, above the " \
        f"limit of 200.0 us. Cause: {made_break.CAUSE}." in \
        report("-t", "-", "a.json").stdout


@pytest.mark.parametrize("path, value, named", [
    (("thread", "0", "phases"), [], "thread.0.phases"),
    (("thread", "0", "phases", "send"), 5, "thread.0.phases.send"),
    (("thread", "0", "phases", "send"), {}, "thread.0.phases.send.cycles"),
    (("thread", "0", "phases", "else"), {"cycles": 1}, "phases.else"),
    (("thread", "0", "metric"), "else", "thread.0.metric"),
    (("thread", "0", "pair"), "0", "thread.0.pair"),
    (("thread", "0", "pair"), 7, "member thread"),
    (("thread", "0", "interval_us"), None, "thread.0.interval_us"),
    (("thread", "0", "cycles"), 7, "thread.0.histogram"),
    (("twoway", "schema"), 4, "3 is expected, which"),
    (("twoway", "settings", "sleep"), "long", "settings.sleep"),
    (("twoway", "settings", "interval"), [], "settings.interval"),
    (("twoway", "load"), [5], "twoway.load[0]"),
    (("twoway", "pairs"), [{"missed": "no"}], "twoway.pairs[0].missed"),
    (("twoway", "pairs"), [{"missed": 0, "client": 1}], "pairs[0].client"),
    (("twoway", "steps"), [{"phases": 1}], "twoway.steps[0].phases"),
    (("twoway", "breaks"), [{"metric": "send", "cycle": 1}], "breaks[0]")])
def test_malformed(refused, path, value, named):
    data = made_columns.twoway(PAIRS, PERIODS)
    *folders, last = path
    member = data
    for name in folders:
        member = member[name]
    member[last] = copy.deepcopy(value)
    made.write(refused.directory, "x.json", data)
    message = refused("-t", "-", "x.json")
    assert "x.json" in message and named in message
