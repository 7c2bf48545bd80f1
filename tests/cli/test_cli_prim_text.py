# SPDX-License-Identifier: GPL-2.0-or-later
"""What primitivetest prints: a line for each test or, with --metrics, for each
metric; and the tests that it runs by default."""

import os
import re

import pytest

import outside

TWO = ("--default-system", "-q", "--test=sync1.mutex,sync2.futex", "-l5",
       "--tasks=thread,process")
COLUMNS = ["pair", *2 * ["out", "back", "roundtrip"]]
NUMBER = r"\d+(?:\.\d+)?"
# What may be told of any run; and of these tests.
ANY = r"""# Others used .*|# The host took .*|# The CPU quota .*"""
LINES = re.compile(rf"""{ANY}|T: \d .*
# Test: sync1\.mutex: mutex: post and wait, or lock and unlock, within one \
task\. In ns: pair: Post and wait, or lock and unlock
# Test: sync2\.futex\.\w+\.same: futex: another task woken, and its answer\. \
In ns: out: To the other task; back: Its answer; roundtrip: To the \
other task and back
# Clock: a reading of monotonic takes {NUMBER} ns, .*
# First: sync1\.mutex pair \d+ \d+ ns
# First: sync2\.futex\S* out \d+ \d+; back \d+ \d+; roundtrip \d+ \d+ ns
# Rate: sync1\.mutex\.pair [1-9]\d* pairs/s
# Rate: sync2\.futex\.\w+\.same\.roundtrip [1-9]\d* round trips/s
# Preempted: sync2\.futex\.\w+\.same: [1-9]\d* switches .* 14 needed
# Derived: \S+ -?{NUMBER} = .*""".replace("\\\n", "").replace("\n", "|"))
HEAD = [
    "# Not real-time: no -p; these are times of ordinary tasks (as a rule: -m "
    "-p 98)",
    "# How long each of these took, in ns; --metrics=all prints all that was "
    "measured",
    "# test                     trials        min        avg        max  "
    "what was measured (metric)"]
# Of a row: name, trials, min, avg, max, and what follows.
ROW = re.compile(r"([a-z]\S+) +(\d+) +(\S+) +(\S+) +(\S+)  (\S.*) \((\w+)\)")


def test_details(bare):
    result = bare(*TWO, "--metrics=all")
    first, *lines = result.stdout.splitlines()
    assert first == HEAD[0] and not result.stderr
    assert not [line for line in lines if not LINES.fullmatch(line)]
    for begin, count in (("T:", 7), ("# Test:", 3), ("# First:", 3),
                         ("# Rate:", 3)):
        assert len([line for line in lines if line.startswith(begin)]) == count


def test_order_of_details(bare):
    """What a test has measured is told before its lines."""
    lines = bare(*TWO, "--metrics=all").stdout.splitlines()
    rows = [line for line in lines if line.startswith(("T:", "# Test:"))]
    assert [bool(re.match("# Test", row)) for row in rows] == [
        True, False, *2 * [True, False, False, False]]
    assert [row.rpartition(".")[2] for row in rows
            if row.startswith("T:")] == COLUMNS


@pytest.mark.parametrize("given, told", [
    ("out", ["out", "out"]), ("pair,back", ["pair", "back", "back"]),
    ("roundtrip pair", ["pair", "roundtrip", "roundtrip"])])
def test_metrics(bare, given, told):
    """Those that are named; each keeps the number that it has in the JSON."""
    result = bare(*TWO, "--metrics", given, "--json=json")
    assert (result.returncode, result.stderr) == (0, "")
    rows = [line for line in result.stdout.splitlines()
            if line.startswith("T:")]
    assert [row.rpartition(".")[2] for row in rows] == told
    first = re.findall(r"^# First: \S+ (.*) ns$", result.stdout, re.M)
    assert [words.split()[0] for row in first for words in row.split("; ")] \
        == told
    threads = outside.load_json(bare.directory / "json")["thread"]
    assert len(threads) == len(COLUMNS)
    assert [threads[row[2:4].strip()]["metric"] for row in rows] == [
        row.split()[-1] for row in rows]
    rates = {name.rpartition(".")[2] for name in re.findall(
        r"^# Rate: (\S+)", result.stdout, re.M)}
    assert rates == {"pair", "roundtrip"} & set(told)


def test_table(bare):
    """A line for each test, in the words of its metric that says most."""
    result = bare(*TWO, "--json=json")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:3] == HEAD
    rows = [ROW.fullmatch(line).groups() for line in lines[3:6]]
    wanted = [("sync1.mutex", "5", "mutex: post and wait, or lock and unlock, "
               "within one task", "pair")] + [
        (f"sync2.futex.{tasks}.same", "5", "futex: another task woken, and "
         "its answer", "roundtrip") for tasks in ("thread", "process")]
    assert [(*row[:2], *row[5:]) for row in rows] == wanted
    assert not [line for line in lines[6:] if not re.fullmatch(
        rf"{ANY}|# Preempted: sync2\.futex\.\w+\.same: [1-9]\d* times"
        r"(; sync2\.futex\.process\.same: [1-9]\d* times)?", line)]
    columns = {one["metric"]: one for one in outside.load_json(
        bare.directory / "json")["thread"].values()}
    for row in rows:
        found = columns[f"{row[0]}.{row[6]}"]
        for text, key in zip(row[2:5], ("min", "avg", "max")):
            assert int(text) == pytest.approx(found[key] * 1000, abs=1.01)


def test_microseconds(bare):
    lines = bare(*TWO, "--us").stdout.splitlines()
    assert lines[1] == HEAD[1].replace(" ns;", " us;")
    assert all(re.fullmatch(r"\d+\.\d{3}", value) for line in lines[3:6]
               for value in ROW.fullmatch(line).groups()[2:5])


def test_verbose_has_all_that_follows(bare):
    """From all of its values, instead of lines about them."""
    result = bare(*TWO, "-v")
    assert len(re.findall("^# (?:First|Rate): ", result.stdout, re.M)) == 6
    assert not re.search("^(T:|# Test|sync)", result.stdout, re.M)


def test_histogram_has_no_table(bare):
    result = bare(*TWO, "-h", "50")
    assert "# Histogram\n" in result.stdout
    assert not re.search("^(T:|# Test|# How|sync)", result.stdout, re.M)


def basic_of(bare):
    """The tests of the group, as --list has them."""
    tests, = re.findall(r"^basic     the usual kind of each primitive; the "
                        r"default\n {10}tests: (\S+)$",
                        bare("--list").stdout, re.M)
    return tests.split(",")


def test_default_tests(bare):
    """One kind or two of each primitive, and nobody has to scroll."""
    result = bare("-q", "-l1", "--json=json", timeout=120)
    assert result.returncode == 0, result.stderr
    rows = outside.load_json(bare.directory / "json")["primitives"]["tests"]
    named = [".".join(filter(None, (row["test"], row["kind"])))
             for row in rows]
    assert named == basic_of(bare)
    assert set(named) >= {
        "timer.1000", "sleep.absolute.1000", "clock.monotonic",
        "sync1.unnamed", "sync1.mutex", "sync2.unnamed", "sync2.cond",
        "sync2.mutex", "message.64", "pipe.64", "signal.sigwaitinfo",
        "yield.2x0", "thread"}
    assert max(named.count(row["test"]) for row in rows) <= 3
    lines = result.stdout.splitlines()
    assert 10 < len(lines) <= 60
    shown = [match[1] for line in lines if (match := ROW.fullmatch(line))]
    assert shown == [row["name"] for row in rows if not row["skipped"]]
    assert [line for line in lines if line.startswith("# Skipped")] == [
        "# Skipped: yield.2x0.process.same: needs real-time priorities; give "
        "-p, such as -p 98"]


def test_basic_beside_others(bare):
    """It is a group as the others: of its tests, none has to be possible; and
    an option replaces the kind of one."""
    result = bare("-q", "-l1", "--test=basic,alloc.single", "--period=2000",
                  "--json=json", timeout=120)
    assert result.returncode == 0, result.stderr
    data = outside.load_json(bare.directory / "json")["primitives"]
    kinds = {(row["test"], row["kind"]) for row in data["tests"]}
    assert {("timer", "2000"), ("alloc", "single")} <= kinds
    assert ("timer", "1000") not in kinds
    assert data["settings"]["test"] == "basic,alloc.single"


def test_group(bare):
    """Those that --list names for it."""
    result = bare("-q", "-l1", "--test=aegis", "--json=json", timeout=120)
    rows = outside.load_json(bare.directory / "json")["primitives"]["tests"]
    assert {row["test"] for row in rows} == set(
        re.findall(r"^(\w+) .*\n(?: +kinds: .*\n)? +trials: \d+; groups: aegis",
                   bare("--list").stdout, re.M))
    # One reason is one line, whatever it is of.
    reasons = {row["skipped"] for row in rows if row["skipped"]}
    skipped = re.findall("^# Skipped: .*", result.stdout, re.M)
    assert len(skipped) == len(reasons) > 0
    assert len(re.findall("^sync2", result.stdout, re.M)) == 8


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2,
                    reason="there is one CPU")
def test_reason_of_many(bare):
    """Six rows are named."""
    cpu = min(os.sched_getaffinity(0))
    done = bare("-q", "-l1", "--test=samples", "--cpus=cross",
                preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    assert re.findall("^# Skipped: .*two CPUs.*", done.stdout, re.M) == [
        "# Skipped: sync2.unnamed.process.cross, sync2.named.process.cross, "
        "sync2.sysv.process.cross, sync2.eventfd.process.cross, "
        "sync2.futex.process.cross, sync2.cond.process.cross and 14 more: "
        "needs two CPUs; this run may use one"]
