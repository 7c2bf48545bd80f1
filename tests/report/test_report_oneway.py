# SPDX-License-Identifier: GPL-2.0-or-later
"""One-way times between two hosts: shown with their uncertainty, and not at
all if too few cycles prove that the clocks show one time."""

import made
import made_hosts
import made_stamps
import pytest
from made_hosts import remarks, results, write

# The server's clock shows the client's time.
ROWS = made_hosts.cycles(2000, ahead=0)
SLOWER = [(*row[:4], row[4] + 4000, row[5] + 4000, row[6] + 4000, row[7])
          for row in ROWS]
ONE_WAY = "One-way times"
SEND, RECEIVE = "Send Time", "Receive Time"
VOID = "one-way times are void: 900 of 1984 cycles prove that the clocks " \
    "show one time"


def run_of(report, name, rows=ROWS, **changes):
    return write(report, name, made_stamps.with_oneway(rows, **changes))


def test_table(report):
    run_of(report, "x.json")
    [row] = results(report, "x.json")[ONE_WAY]
    assert row == {"system": "x", "uncertainty": "2.401", "cycles": "1984",
                   "proven": "1920", "void": "-"}


def test_none_without_oneway(report, hosts_json):
    found = results(report, hosts_json)
    assert ONE_WAY not in found
    assert any("network stands for" in text for text in remarks(found))


@pytest.mark.parametrize("dumped", [False, True])
def test_remark(report, dumped):
    """Nothing says that there is no send, not even a dump, which has none."""
    run_of(report, "x.json")
    write(report, "x.csv", made.dump(ROWS))
    found = results(report, "x.json", *["x.csv"] * dumped)
    assert "send and receive are known to +-2.5 us, by 1920 of 1984 cycles" \
        in remarks(found)
    assert not any("network stands for" in text for text in remarks(found))
    assert found[SEND][0]["cycles"] == "2000"


@pytest.mark.parametrize("ns, said", [(1100, "+-1.1 us"), (8200, "+-8.2 us"),
                                      (8201, "+-8.3 us")])
def test_uncertainty_is_rounded_up(report, ns, said):
    run_of(report, "x.json", uncertainty_ns=ns)
    assert any(said in text for text in remarks(results(report, "x.json")))


def test_note_below_the_figures(report):
    run_of(report, "x.json")
    text = report("-t", "-", "x.json").stdout
    note = text.split("## Results\n")[1].split("\n## ")[0]
    assert note.count("x: known to +-2.5 us.") == 1
    text = report("-t", "-", "-m", "response", "x.json").stdout
    assert "known to" not in text.split("## Results\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("cycles, proven, void", [
    (1984, 991, True), (1984, 992, False), (0, 0, True)])
def test_void(report, cycles, proven, void):
    """As twowaytest judges a --limit: half of the cycles are to prove it."""
    data = made_stamps.with_oneway(ROWS, cycles=cycles, proven=proven)
    worst = data["twoway"]["worst"]
    worst["send"] = worst["sleep"] | {
        "values": worst["sleep"]["values"] | {"send": 7, "receive": 8}}
    write(report, "x.json", data)
    found = results(report, "x.json")
    [row] = found[ONE_WAY]
    assert (row["void"] in remarks(found)) == void == \
        row["void"].startswith("one-way times are void")
    assert ({SEND, RECEIVE} <= set(found)) == (not void)
    assert any("send" in row["metric"] for row in found["Worst cycles"]) == \
        (not void)
    assert "Response Time" in found


@pytest.mark.parametrize("key, value", [
    ("uncertainty_ns", -1), ("proven", True), ("cycles", "many")])
def test_bad_members_are_named(refused, key, value):
    run_of(refused, "x.json", **{key: value})
    assert f"member twoway.oneway.{key}: " in refused("-t", "-", "x.json")


def ranked(report, *names):
    found = results(report, *names)["Ranking"]
    return {(row["metric"], row["figure"]): row["best first"]
            for row in found}


@pytest.mark.parametrize("ns, said", [(1700, "x < y"), (2100, "x <= y")])
def test_ranked_beyond_the_uncertainty(report, ns, said):
    """send is 4 us longer; both clocks may be wrong, and so may cycles be
    by chance: 0.4 us."""
    run_of(report, "x.json", uncertainty_ns=ns)
    run_of(report, "y.json", SLOWER, uncertainty_ns=ns)
    assert ranked(report, "x.json", "y.json")["send", "average"] == said


@pytest.mark.parametrize("metric", ["send", "receive"])
@pytest.mark.parametrize("place", [0, 1])
def test_gate_refuses(refused, metric, place):
    """Either run; the message says what to judge instead."""
    for name in ("x.json", "y.json"):
        run_of(refused, name)
    run_of(refused, ("x.json", "y.json")[place], proven=900)
    message = refused("--gate", "--unlike", "-m", f"response,{metric}",
                      "x.json", "y.json")
    assert f"twowayreport: {'xy'[place]}: {metric}: {VOID}" in message
    assert "--metrics=network" in message


def test_gate_judges_the_rest(report):
    run_of(report, "x.json", proven=900)
    out = report("--gate", "-d", "30", "-m", "network,response", "x.json",
                 "y=x.json").stdout
    assert out.splitlines()[-1] == "not worse by more than 30 %"


def interval(text, metric="send", figure="average"):
    [line] = [line for line in text.splitlines()
              if line.split()[:2] == [metric, figure]]
    low, _, high = line.split()[7:10]
    return float(low), float(high)


@pytest.mark.parametrize("dumped", [False, True])
def test_gate_contains_the_uncertainty(report, dumped):
    """That of both runs, and it is printed. A dump has no one-way times."""
    for name, rows in (("x", ROWS), ("y", SLOWER)):
        write(report, f"{name}.csv", made.dump(rows))
    args = ["--gate", "-m", "send", "x.json", "z=x.json", "y.json",
            *["x.csv", "z=x.csv", "y.csv"] * dumped]
    texts = []
    for ns, status in ((0, 2), (5000, 3)):
        run_of(report, "x.json", uncertainty_ns=ns)
        run_of(report, "y.json", SLOWER, uncertainty_ns=ns // 5)
        texts.append(report(*args, status=status).stdout)
    (low, high), (wide_low, wide_high) = map(interval, texts)
    assert low < 4 < high
    assert (wide_low, wide_high) == pytest.approx((low - 6, high + 6),
                                                  abs=0.002)
    assert "x: send and receive are known to +-5.0 us; the interval " \
        "contains that" in texts[1]
    assert "y: send and receive are known to +-1.0 us" in texts[1]


def test_gate_of_response_does_not_contain_it(report):
    """It is a difference on one clock."""
    texts = []
    for ns in (0, 50000):
        run_of(report, "x.json", uncertainty_ns=ns)
        texts.append(report("--gate", "-d", "30", "-m", "response", "x.json",
                            "y=x.json").stdout)
    assert texts[0] == texts[1]


def test_figures_show_network(report):
    """As every other run between two hosts has it."""
    from report import args
    from report.draw import figures, figures_time
    from twoway.read import runs
    run_of(report, "x.json")
    options = args.parse(["-t", "-", "x.json"])
    [run], _ = runs.read_all(options.files, options)
    assert all(set(bar) == {"wakeup", "network", "sleep"} for bar in
               figures_time.bars_of(run).values() if bar)
    assert {"send", "receive", "network"} <= set(figures.few([run]))
