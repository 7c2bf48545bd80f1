# SPDX-License-Identifier: GPL-2.0-or-later
"""One-way times between two hosts: shown with their uncertainty, and never
compared if the clocks' offset is an estimate."""

import made
import made_hosts
import made_stamps
import pytest
from made_hosts import results, write

# The server's clock shows the client's time.
ROWS = made_hosts.cycles(2000, ahead=0)
SLOWER = [(*row[:4], row[4] + 4000, row[5] + 4000, row[6] + 4000, row[7])
          for row in ROWS]
ONE_WAY = "One-way times"
SEND, RECEIVE = "Send Time", "Receive Time"
VOID_AT = {"pair": 1, "cycle": 868, "seconds": 1.0140532,
           "lower_us": 999977.677, "upper_us": 13.57}


def run_of(report, name, mode, rows=ROWS, **changes):
    return write(report, name, made_stamps.with_oneway(rows, mode,
                                                       **changes))


def remarks(found):
    return [row["remark"] for row in found["Remarks"]]


def void(data, count):
    """As the program writes it: nothing but what was counted before."""
    for thread in data["thread"].values():
        if thread["metric"] in ("send", "receive"):
            kept = dict(list(thread["histogram"].items())[:2])
            thread |= {"min": None, "avg": None, "max": None,
                       "stddev": None, "percentiles": {"50": None},
                       "histogram": kept, "overflows": 0,
                       "cycles": sum(kept.values()) if count else 0}
    return data


def test_table(report):
    run_of(report, "x.json", "bound")
    [row] = results(report, "x.json")[ONE_WAY]
    assert row == {
        "system": "x", "mode": "bound", "uncertainty": "2.401",
        "offset": "-12.500", "ppm": "+3.125", "cycles": "1990",
        "without": "10", "windows": "31", "empty": "1", "broken": "2",
        "longest window": "64001.0", "sync limit": "-", "void": "-"}


def test_none_without_oneway(report, hosts_json):
    found = results(report, hosts_json)
    assert ONE_WAY not in found
    assert any("network stands for" in text for text in remarks(found))


@pytest.mark.parametrize("mode, said", [
    ("sync", "send and receive are known to +-2.5 us (--oneway=sync)"),
    ("bound", "send and receive are estimates (--oneway=bound), known to "
     "+-2.5 us: compare nothing with them")])
@pytest.mark.parametrize("dumped", [False, True])
def test_remark(report, mode, said, dumped):
    """Rounded up; and nothing says that there is no send, not even a dump
    that has none."""
    run_of(report, "x.json", mode)
    write(report, "x.csv", made_hosts.dump(ROWS))
    found = results(report, "x.json", *["x.csv"] * dumped)
    assert said in remarks(found)
    assert not any("network stands for" in text for text in remarks(found))
    assert found[SEND][0]["cycles"] == "2000"


@pytest.mark.parametrize("us, said", [(1.1, "+-1.1 us"), (8.2, "+-8.2 us"),
                                      (8.201, "+-8.3 us")])
def test_uncertainty_is_rounded_up(report, us, said):
    run_of(report, "x.json", "sync", uncertainty_us=us)
    assert any(said in text for text in remarks(results(report, "x.json")))


def test_unknown_uncertainty(report):
    run_of(report, "x.json", "sync", uncertainty_us=None)
    found = results(report, "x.json")
    assert "send and receive are of unknown uncertainty (--oneway=sync)" in \
        remarks(found)
    assert found[ONE_WAY][0]["uncertainty"] == "-"


@pytest.mark.parametrize("verdict, said", [
    ("met", False), (None, False), ("exceeded", True), ("undecided", True)])
def test_sync_limit(report, verdict, said):
    run_of(report, "x.json", "sync", verdict=verdict)
    found = results(report, "x.json")
    assert (f"sync limit 5 us {verdict}" in remarks(found)) == said
    assert found[ONE_WAY][0]["sync limit"] == (verdict or "-")


def test_note_below_the_figures(report):
    run_of(report, "x.json", "sync")
    run_of(report, "y.json", "bound")
    text = report("-t", "-", "x.json", "y.json").stdout
    for title in (SEND, RECEIVE):
        note = text.split(f"## {title}\n")[1].split("\n## ")[0]
        assert "x: known to +-2.5 us. y: known to +-2.5 us, an estimate " \
            "that nothing is to be compared with." in note
    note = text.split("## Response Time\n")[1].split("\n## ")[0]
    assert "known to" not in note


@pytest.mark.parametrize("changes, why", [
    ({"void_at": VOID_AT}, "from cycle 868 of pair 1 on, 1.014 s after the "
     "first, the clocks did not show one time"),
    ({"distrust": "the kernel says so"}, "the kernel says so"),
    ({}, "too few cycles came to learn about the clocks")])
@pytest.mark.parametrize("count", [0, 1])
def test_void(report, changes, why, count):
    """A histogram keeps what came before; neither format shows it."""
    data = made_stamps.with_oneway(
        ROWS, "sync", valid=False, uncertainty_us=None, **changes)
    write(report, "x.json", void(data, count))
    found = results(report, "x.json")
    assert f"one-way times are void: {why}" in remarks(found)
    assert found[ONE_WAY][0]["void"] == why
    assert not {SEND, RECEIVE} & set(found)
    assert "Response Time" in found


def test_void_does_not_come_back_by_a_text(report):
    data = made_stamps.with_oneway(ROWS, "sync", valid=False,
                                   uncertainty_us=None)
    write(report, "x.json", void(data, 0))
    write(report, "x.txt", text(""))
    assert SEND not in results(report, "x.json", "x.txt")
    assert SEND in results(report, "x.txt")


def test_missing_figures_of_another_metric(refused):
    data = made_stamps.with_oneway(ROWS, "sync")
    [response] = [thread for thread in data["thread"].values()
                  if thread["metric"] == "response"]
    response["min"] = None
    write(refused, "x.json", data)
    assert "min: null is no number" in refused("-t", "-", "x.json")


@pytest.mark.parametrize("key, value", [
    ("mode", "both"), ("uncertainty_us", -1), ("valid", 1),
    ("windows", "many")])
def test_bad_members_are_named(refused, key, value):
    data = made_stamps.with_oneway(ROWS, "sync")
    data["twoway"]["oneway"][key] = value
    write(refused, "x.json", data)
    assert f"member twoway.oneway.{key}: " in refused("-t", "-", "x.json")


def ranked(report, *names):
    found = results(report, *names)["Ranking"]
    return {(row["metric"], row["figure"]): row["best first"]
            for row in found}


def test_bound_is_not_ranked(report):
    """network is."""
    run_of(report, "x.json", "bound")
    run_of(report, "y.json", "bound", SLOWER)
    assert not {"send", "receive"} & {
        metric for metric, _ in ranked(report, "x.json", "y.json")}
    assert ranked(report, "x.json", "y.json")["network", "average"] == \
        "x < y"


@pytest.mark.parametrize("us, said", [(1.7, "x < y"), (2.1, "x = y")])
def test_sync_is_ranked_beyond_the_uncertainty(report, us, said):
    """send is 4 us longer; both clocks may be wrong, and so may cycles be
    by chance: 0.4 us."""
    run_of(report, "x.json", "sync", uncertainty_us=us)
    run_of(report, "y.json", "sync", SLOWER, uncertainty_us=us)
    assert ranked(report, "x.json", "y.json")["send", "average"] == said


REFUSED = [
    ("bound", {}, "the offset of the clocks is an estimate"),
    ("sync", {"uncertainty_us": None}, "no window of cycles was complete"),
    ("sync", {"valid": False, "void_at": VOID_AT}, "from cycle 868 of")]


@pytest.mark.parametrize("mode, changes, why", REFUSED)
@pytest.mark.parametrize("metric", ["send", "receive"])
@pytest.mark.parametrize("place", [0, 1])
def test_gate_refuses(refused, mode, changes, why, metric, place):
    """Either run; the message says what to judge instead."""
    for name in ("x.json", "y.json"):
        run_of(refused, name, "sync")
    run_of(refused, ("x.json", "y.json")[place], mode, **changes)
    message = refused("--gate", "--unlike", "-m", f"response,{metric}",
                      "x.json", "y.json")
    assert f"twowayreport: {'xy'[place]}: {metric}: " in message
    assert why in message and "--metrics=network" in message


@pytest.mark.parametrize("mode, changes, why", REFUSED)
def test_gate_judges_the_rest(report, mode, changes, why):
    run_of(report, "x.json", mode, **changes)
    out = report("--gate", "-d", "30", "-m", "network,response", "x.json",
                 "y=x.json").stdout
    assert why not in out.split("network  ")[0]
    assert out.splitlines()[-1] == "not worse"


def interval(text, metric="send", figure="average"):
    [line] = [line for line in text.splitlines()
              if line.split()[:2] == [metric, figure]]
    low, _, high = line.split()[5:8]
    return float(low), float(high)


@pytest.mark.parametrize("dumped", [False, True])
def test_gate_of_sync_contains_the_uncertainty(report, dumped):
    """That of both runs, and it is printed. A dump has no one-way times."""
    for name, rows in (("x", ROWS), ("y", SLOWER)):
        write(report, f"{name}.csv", made_hosts.dump(rows))
    args = ["--gate", "-m", "send", "x.json", "y.json",
            *["x.csv", "y.csv"] * dumped]
    texts = []
    for us, status in ((0.0, 2), (5.0, 3)):
        run_of(report, "x.json", "sync", uncertainty_us=us)
        run_of(report, "y.json", "sync", SLOWER, uncertainty_us=us / 5)
        texts.append(report(*args, status=status).stdout)
    (low, high), (wide_low, wide_high) = map(interval, texts)
    assert low < 4 < high
    assert (wide_low, wide_high) == pytest.approx((low - 6, high + 6),
                                                  abs=0.002)
    assert "x: send and receive are known to +-5.0 us; the interval " \
        "contains that" in texts[1]
    assert "y: send and receive are known to +-1.0 us" in texts[1]
    assert "x: no dump, so cycles are taken as independent" in texts[1]


def test_gate_of_response_does_not_contain_it(report):
    """It is a difference on one clock."""
    texts = []
    for us in (0.0, 50.0):
        run_of(report, "x.json", "sync", uncertainty_us=us)
        texts.append(report("--gate", "-d", "30", "x.json",
                            "y=x.json").stdout)
    assert texts[0] == texts[1]


def text(line):
    """-h text with send and receive; line: what it says of the clocks."""
    names = ("response", "send", "receive")
    found = [made.values(ROWS)[name] for name in names]
    columns = [made.histogram(values) for values in found]
    rows = [f"{us:06d} " + "\t".join(f"{one.get(us, 0):06d}"
                                     for one in columns)
            for us in sorted(set().union(*columns))]

    def listed(function):
        return " ".join(f"{int(function(values)) // 1000:05d}"
                        for values in found)
    return "\n".join([
        "# Histogram", *rows, f"# Min Latencies: {listed(min)}",
        f"# Avg Latencies: {listed(made.mean)}",
        f"# Max Latencies: {listed(max)}",
        "# Histogram Overflows: 00000 00000 00000",
        f"# Metrics: {' '.join(names)}", *[line] * bool(line), ""])


@pytest.mark.parametrize("line, why", [
    ("# One-way: +-24.1 us, server 12.4 s ahead, +3.1 ppm", "give the JSON"),
    ("# One-way: unknown uncertainty: no window of 64 cycles was complete",
     "give the JSON"),
    ("# One-way: void from cycle 7021 on, 7.021 s after the first: ...",
     "one-way times are void: from cycle 7021 on"),
    ("# One-way: void: the kernel says so", "void: the kernel says so")])
def test_gate_refuses_a_text(refused, line, why):
    """Its '# Metrics:' has send, whatever mode there was."""
    write(refused, "x.txt", text(line))
    assert why in refused("--gate", "-m", "send", "x.txt", "y=x.txt")


def test_gate_takes_a_text_of_sync(report):
    write(report, "x.txt", text(
        "# One-way: +-0.2 us\n# One-way: 9 of 10 cycles have no one-way "
        "times"))
    out = report("--gate", "-d", "90", "-p", "50", "-m", "send", "x.txt",
                 "y=x.txt").stdout
    assert "x: send and receive are known to +-0.2 us" in out


def test_figures_show_network(report):
    """Cycles without one-way times are in no phase but network."""
    import tr_args
    import tr_figures
    import tr_figures_time
    import tr_read
    run_of(report, "x.json", "bound")
    options = tr_args.parse(["-t", "-", "x.json"])
    [run], _ = tr_read.read_all(options.files, options)
    assert tr_figures_time.phases_in(run) == ("wakeup", "network", "sleep")
    assert {"send", "receive", "network"} <= set(tr_figures.few([run]))
