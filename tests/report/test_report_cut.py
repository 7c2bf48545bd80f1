# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end of a run has cut short, and runs that failed or lost cycles: no
file of such a run passes as a good one."""

import xml.etree.ElementTree as xml

import made
import made_columns
import made_primitives
import pytest

WAITED_NS = 3_800_123_456
ROWS = made.cycles(6000)
GATE = ("-g", "-p", "50", "-d", "100")
GOOD = "not worse by more than 100 %"
COMPLETE = 'twowaytest_complete{system="%s"} %d\n'


def cut(rows, waited_ns=WAITED_NS, pair=0):
    """One more cycle, whose reply never came."""
    before = rows[-1]
    planned = before[2] + made.PERIOD
    t0 = planned + 5000
    return (pair, before[1] + 1, planned, t0, "", "", t0 + waited_ns,
            max(waited_ns // made.PERIOD - 1, 0))


def with_cut(rows, waited_ns=WAITED_NS):
    """The same as results: of metrics without a reply, there is no value."""
    found = made.values(rows)
    _, _, planned, t0, _, _, end, _ = cut(rows, waited_ns)
    before = rows[-1]
    for metric, ns in (("response", end - t0), ("planned", end - planned),
                       ("latency", end - t0 - made.SLEEP),
                       ("interval", t0 - before[3]),
                       ("wakeup", t0 - max(planned, before[6]))):
        found[metric].append(ns)
    return found


def json_of(rows, **members):
    data = made_columns.twoway([rows])
    data["return_code"] = members.pop("return_code", 0)
    data["twoway"] |= members
    return data


def unanswered(age_us=3800123, awaited="reply", pair=0):
    return {"pair": pair, "step": 0, "cycle": 6000, "awaited": awaited,
            "age_us": age_us, "counts": ["latency", "response", "planned"]}


@pytest.mark.parametrize("count", [1, 2, 300, 6000])
def test_dump(report, count):
    """The last cycle: for the whole run, and for each of its steps."""
    rows = ROWS[:count]
    made.write(report.directory, "d.csv", made.dump([*rows, cut(rows)]))
    tables = made.tables(report("-t", "-", "d.csv", "-m", ",".join(
        made.METRICS)).stdout)
    for metric, found in with_cut(rows).items():
        if metric == "latency" or not found:
            continue
        row = tables[made.LABEL[metric]][0]
        assert (row["cycles"], row["max"]) == (f"{len(found)}", made.us(
            max(found))), metric
        assert row["avg"] == made.us(made.mean(found))


@pytest.mark.parametrize("where", ["middle", "twice"])
def test_only_the_last_of_a_step(refused, where):
    rows = list(ROWS[:20])
    rows[9] = cut(rows[:9], 10)
    if where == "twice":
        rows[10:] = [cut(rows[:9] + [ROWS[9]], 10)]
    made.write(refused.directory, "d.csv", made.dump(rows))
    assert "d.csv: line 12: time runs backwards here" in refused("d.csv")


def test_dump_of_steps_and_pairs(report):
    first = ROWS[:300]
    later = [(0, i, *(t + 10**10 for t in row[2:7]), 0)
             for i, row in enumerate(ROWS[300:700])]
    other = [(1, *row[1:]) for row in made.cycles(700, 5)]
    made.write(report.directory, "steps.csv", made.dump(
        [*first, cut(first), *later, cut(later, 9 * 10**9)]))
    made.write(report.directory, "pairs.csv", made.dump(
        [*ROWS[:600], *other, cut(other, pair=1)]))
    tables = made.tables(report("-t", "-", "steps.csv", "pairs.csv",
                                "--unlike").stdout)
    rows = {row["system"]: row for row in tables[made.LABEL["response"]]}
    assert rows["steps"]["max"] == made.us(9 * 10**9)
    assert rows["steps"]["cycles"] == "702"
    assert rows["pairs"]["max"] == made.us(WAITED_NS)
    assert rows["pairs"]["cycles"] == "1301"


def write_cut(report, name, kind, seed=2):
    """A file of such a run, and what is said of it."""
    rows = made.cycles(6000, seed)
    text = "pair 0 had waited 3800123 us for a reply when the run ended"
    if kind == "dump":
        content = made.dump([*rows, cut(rows, 10 ** 6)])
        text = "1 cycles without a reply when the run ended"
    elif kind == "not woken":
        content = json_of(rows, unanswered=[unanswered(70, "timer", 1)])
        text = "pair 1 had waited 70 us for its timer when the run ended"
    elif kind == "failed":
        content, text = json_of(rows, return_code=1), "failed"
    else:
        content = json_of(rows, unanswered=[unanswered()])
    path = made.write(report.directory, name, content)
    return path.name, text


KINDS = ("json", "dump", "not woken", "failed")


# Lines at the end of a dump or a timeline, and what is said of them, as of JSON.
AMISS = {
    "Unanswered: pair 1, cycle 9: when the run ended, the client had waited 7 "
    "us for the reply; it counts with latency 7":
    "pair 1, cycle 9: when the run ended, the client had waited 7 us for the "
    "reply",
    "Not woken: pair 0, cycle 9: when the run ended, the client had waited 7 "
    "us for its timer; it counts with planned 7":
    "pair 0, cycle 9: when the run ended, the client had waited 7 us for its "
    "timer",
    "Failed: standard error says why: this is what was measured until then":
    "failed",
    "Ended by a signal: this is what was measured until then":
    "ended by a signal",
    "Break thread: 9\n# Break value: 612\n# Break: pair 0, cycle 93: latency "
    "612 send 20": "ended by -b",
    "Break thread: 9\n# Break value: 612\n# Break: pair 0, cycle 93: latency "
    "612 send 20\n# Breaks: 94": "94 cycles above the limit of -b",
    "Clock realtime was set 1 time, by up to 5.000 us; 2 cycles are left out":
    "the clock was set",
    "Server: its clock tai was set 2 times":
    "the clock was set on the server's host",
    "Suspended: the system slept for 3.000 s of this run; what was late then, "
    "was late because of it": "the system was suspended",
    "Server: its host was suspended for 3.000 s":
    "the system was suspended on the server's host",
    "Changed while it ran: pair 3: client, policy fifo, priority 98, CPUs 1 "
    "to policy other, priority 0, CPUs 0":
    "the client of pair 3 changed policy, priority or CPUs while it ran",
    "Changed while it ran: pair 0: server on u@::1, policy fifo, priority 98, "
    "CPUs 1 to policy other, priority 0, CPUs 0,2-3":
    "the server of pair 0 changed policy, priority or CPUs while it ran"}
def test_text_of_cyclictest(report):
    """Its -b prints the same."""
    made.write(report.directory, "x.txt", made.text(made.values(ROWS)[
        "wakeup"]) + "# Break thread: 9\n# Break value: 612\n")
    report("--openmetrics", "metrics", "x.txt")
    assert COMPLETE % ("x", 0) in (report.directory / "metrics").read_text()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["baseline", "candidate"])
def test_gate(report, kind, which):
    """As fast as the other, and yet not good."""
    broken, text = write_cut(report, "b.x", kind)
    good = made.write(report.directory, "a.x", made.dump(ROWS)
                      if kind == "dump" else json_of(ROWS)).name
    pair = (broken, good) if which == "baseline" else (good, broken)
    out = report(*GATE[:1], "-d", "100", *pair, status=3).stdout
    assert out.splitlines()[-1] == f"undecided: b ({text})"
    assert report(*GATE[:1], "-d", "100", good, f"z={good}").stdout \
        .splitlines()[-1] == "not worse by more than 100 %"


@pytest.mark.parametrize("kind", KINDS)
def test_what_others_read(report, kind):
    broken, text = write_cut(report, "b.x", kind)
    report("--openmetrics", "metrics", "-j", "junit", broken)
    assert COMPLETE % ("b", 0) in (report.directory / "metrics").read_text()
    suite, = xml.parse(report.directory / "junit").getroot()
    case, = suite.iter("testcase")
    assert (suite.get("errors"), case.get("name")) == \
        ("1", "the run is complete")
    assert case.find("error").get("message") == text
    page = report("-t", "-", broken).stdout
    assert text in page and "Disturbed: " + text in page


def test_a_good_run_is_complete(report):
    made.write(report.directory, "a.json", json_of(
        ROWS, return_code=2, limits=[made.limit("latency:1", 2000)],
        unanswered=[]))
    report("--openmetrics", "metrics", "-j", "junit", "a.json")
    assert COMPLETE % ("a", 1) in (report.directory / "metrics").read_text()
    suite, = xml.parse(report.directory / "junit").getroot()
    assert [case.get("name") for case in suite.iter("testcase")] == \
        ["latency:1"]


def test_others_that_failed(report):
    """primitivetest, and cyclictest."""
    data = made_primitives.primitives()
    data["return_code"] = 1
    made.write(report.directory, "p.json", data)
    data = made.cyclictest(made.values(ROWS)["wakeup"])
    data["return_code"] = 1
    made.write(report.directory, "c.json", data)
    report("--openmetrics", "metrics", "p.json", "c.json")
    text = (report.directory / "metrics").read_text()
    assert COMPLETE % ("c", 0) in text
    assert 'primitivetest_complete{system="p"} 0\n' in text


@pytest.mark.parametrize("lost,verdict,status", [
    ((0, 0), GOOD, 0), ((40, 41), "undecided: lost cycles", 3),
    ((40, 40), GOOD, 0), ((41, 40), GOOD, 0),
    ((0, 1), "undecided: lost cycles", 3), ((0, 61), "worse: lost cycles", 2),
    ((40, 102), "worse: lost cycles", 2)])
def test_lost_cycles(report, lost, verdict, status):
    """They are in no other figure of JSON, nor of a dump."""
    for seed, (name, count) in enumerate(zip("ab", lost)):
        rows = made.cycles(6000, seed)
        data = json_of(rows)
        data["twoway"]["pairs"][0]["datagrams"] = {"lost": count}
        made.write(report.directory, f"{name}.json", data)
        gone = [(0, 6000 + i, *(rows[-1][k] + (i + 1) * made.PERIOD
                                for k in (2, 3)), "", "", "", 0)
                for i in range(count)]
        made.write(report.directory, f"{name}.csv", made.dump(rows + gone))
    for kind in "json", "csv":
        out = report("-g", "-d", "100", f"a.{kind}", f"b.{kind}",
                     status=status).stdout
        assert out.splitlines()[-1] == verdict


def test_one_run(report):
    """The dump and the JSON of a run that has both kinds."""
    rows = ROWS[:3000]
    found = with_cut(rows)
    data = json_of(rows, unanswered=[unanswered(), unanswered(10, "timer")])
    phases = data["thread"]["0"]["phases"]
    for metric, values in found.items():
        phases[metric] |= made_columns.stats(metric, values, made.PERIOD)
    # The dump does not have that one.
    phases["planned"]["cycles"] += 1
    data["thread"]["0"] = made_columns.column(
        0, "latency", found, made.PERIOD) | {"phases": phases}
    made.write(report.directory, "x.json", data)
    made.write(report.directory, "x.csv", made.dump([*rows, cut(rows)]))
    tables = made.tables(report("-t", "-", "x.json", "x.csv").stdout)
    assert tables[made.LABEL["response"]][0]["max"] == made.us(WAITED_NS)
