# SPDX-License-Identifier: GPL-2.0-or-later
"""--check: the table, its JSON, and what in them the options change."""

import os
import re
import typing

import pytest

import options
import outside
import schema
import twoway

COUNTS = re.compile(r"# (\d+) checks: (\d+) ok, (\d+) findings?, "
                    r"(\d+) not readable")
ROW = re.compile(r"(ok|FINDING|\?) +(\w+) +(.*\S)  \((.+)\)")
BELOW = ("why", "disturbs", "fix")


class Row(typing.NamedTuple):
    result: str
    read: str
    where: str
    below: dict


def parse(text):
    """The rows by their names, and how many the last line counts."""
    *lines, last = text.splitlines()
    rows = {}
    for line in lines:
        match = ROW.fullmatch(line)
        if match:
            result, name, read, where = match.groups()
            assert name not in rows
            rows[name] = Row(result, read, where, {})
            continue
        key, _, value = line.strip().partition(":")
        assert line.startswith(" ") and key in BELOW and value.strip(), line
        below = rows[name].below
        assert rows[name].result == "FINDING" and key not in below
        below[key] = value.strip()
    for row in rows.values():
        assert len(row.below) == (len(BELOW) if row.result == "FINDING"
                                  else 0)
    match = COUNTS.fullmatch(last)
    assert match, last
    return rows, tuple(map(int, match.groups()))


def count(rows, result):
    return sum(row.result == result for row in rows.values())


@pytest.fixture
def check(run):
    """Runs --check: its rows by their names, and its JSON."""
    def check_with(*args):
        result = run("--check", *args, "--json=json")
        assert not result.stderr
        assert result.files <= {"json"}
        rows, counts = parse(result.stdout)
        assert counts == (len(rows), count(rows, "ok"),
                          count(rows, "FINDING"), count(rows, "?"))
        json = schema.check(result.text("json"))
        assert result.returncode == (2 if counts[2] else 0)
        assert json["return_code"] == result.returncode
        assert json["num_threads"] == 0
        return rows, json["twoway"]["environment"]
    return check_with


def test_table_and_json_tell_the_same(check):
    rows, environment = check()
    found = {name: row for name, row in rows.items()
             if row.result == "FINDING"}
    findings = {finding["name"]: finding
                for finding in environment["findings"]}
    assert list(findings) == list(found)
    for name, row in found.items():
        finding = findings[name]
        assert (row.read, row.where) == (finding["read"], finding["where"])
        assert (row.below["why"], row.below["fix"]) == (finding["why"],
                                                         finding["fix"])
        assert finding["mend"] == finding["fix"]
        disturbs = row.below["disturbs"]
        assert finding["metrics"] == (
            list(options.METRICS) if disturbs == "all metrics"
            else disturbs.split())


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return None


def test_facts_are_the_system_s(check):
    with outside.Turn():
        _, environment = check()
        runtime_us = outside.rt_runtime()
    assert environment["release"] == os.uname().release
    assert environment["realtime"] == (
        read("/sys/kernel/realtime") == "1")
    assert environment["clocksource"] == read(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource")
    command_line = environment["boot_command_line"]
    assert command_line is None or command_line.isprintable()
    line = outside.read("/proc/cmdline").strip()
    if line.isascii() and line.isprintable():
        assert command_line == (line or None)
    assert environment["online_cpus"] == read(
        "/sys/devices/system/cpu/online")
    assert environment["throttling"]["rt_runtime_us"] == runtime_us


def test_policy_and_slack(check):
    """Only tasks that are not real-time have a timer slack."""
    rows, environment = check()
    if environment["timer_slack_ns"] is None:
        pytest.skip("/proc/self/timerslack_ns cannot be read")
    assert rows["timer_slack"].result == (
        "FINDING" if environment["timer_slack_ns"] > 1 else "ok")
    if rows["timer_slack"].result == "FINDING":
        assert "sleep" in rows["timer_slack"].below["disturbs"].split()
    rows, _ = check("-p", 50)
    assert rows["timer_slack"].result == "ok"


@pytest.mark.parametrize("words, needs_one", [
    ((), False), (("--timer=nanosleep",), False), (("-x",), True),
    (("--timer=timerfd",), True), (("--trltp",), True),
    (("--trltp", "--timer=nanosleep"), False), (("-i", 0), False)])
def test_thread_of_the_timer(check, words, needs_one):
    """Whether PREEMPT_RT expires the client's timer in ktimers."""
    rows, _ = check("-p", 50, *words)
    assert (rows["timer_thread"].read != "this timer needs none") == needs_one


def test_pinned_or_not(check):
    """Nobody minds other tasks on CPUs that are not the sides' own."""
    rows, _ = check()
    assert rows["isolation"].result == "ok"
    assert "not pinned" in rows["isolation"].read
    rows, environment = check("-a", options.CPUS[-1])
    if environment["isolated_cpus"] != "":
        pytest.skip(f"CPU {environment['isolated_cpus']} is isolated here")
    assert rows["isolation"].result == "FINDING"
    assert "isolcpus" in rows["isolation"].below["fix"]


def test_load_that_may_be_throttled(check):
    rows, environment = check("-p", 50, "-a")
    assert rows["throttling"].result == "ok"
    if environment["throttling"]["rt_runtime_us"] < 0 and \
            not environment["throttling"]["fair_server"]:
        pytest.skip("this system does not throttle real-time tasks")
    rows, _ = check("-p", 50, "-a", "--load=fft")
    assert rows["throttling"].result == "FINDING"
    assert "--rt-runtime=-1" in rows["throttling"].below["fix"]
    for unlimited in (-1, 0):
        rows, _ = check("-p", 50, "-a", "--load=fft",
                        f"--rt-runtime={unlimited}")
        assert rows["throttling"].result == "ok"


def test_latency_request(check):
    """What is asked of power management is in the facts of a run as well."""
    rows, _ = check("--default-system")
    assert rows["idle"].result in ("ok", "?", "FINDING")
    others, _ = check()
    assert others["idle"].result in ("ok", "?", rows["idle"].result)


def test_json_alone_on_stdout(run):
    result = run("--check", "--json=-")
    json = schema.check(result.stdout)
    assert parse(result.stderr)
    assert result.returncode == json["return_code"]
    assert json["twoway"]["environment"]["findings"] or not result.returncode


def test_measures_nothing(run):
    """No results, and no files of theirs either."""
    result = run("--check", "-l", 5, "-h", 9, "--dump=dump", "--histfile=h",
                 "--trltp-log=log", "-v", "--limit=send:0")
    parse(result.stdout)
    assert not result.files and not result.stderr


@pytest.mark.parametrize("args", [(), ("-a", options.CPUS[0])], ids=str)
def test_in_the_results_of_a_run(check, run, args):
    """A run records what --check would have found before it."""
    rows, _ = check(*args)
    result = run("-q", "-l", 3, *args, "--json=run")
    environment = schema.check(result.text("run"))["twoway"]["environment"]
    assert {finding["name"] for finding in environment["findings"]} == {
        name for name, row in rows.items() if row.result == "FINDING"}


def test_bad_options_are_refused_first(run):
    result = run("--check", "-i", 50)
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.startswith("twowaytest: --interval=50: ")


def test_full_disk(run):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    result = run("--check", "--json=/dev/full")
    assert result.returncode == 1
    assert result.stderr == ("twowaytest: --json=/dev/full: cannot write: "
                             "No space left on device\n")


@pytest.mark.parametrize("args, refused", [
    (("--dump=-",), "--dump=-: only --json can go to standard output"),
    (("-h", "5", "--histfile=-"), "--histfile=-: only --json can go"),
    (("--json=j", "-h", "5", "--histfile=j"), "a file of its own"),
    (("-h", "1000000", "--steps=1000", "--load=fft", "-l", "5"),
     "MiB of memory"),
])
def test_refuses_what_a_test_would(tmp_path, args, refused):
    """Nothing is checked, and no file is written."""
    result = twoway.run("--check", *args, directory=tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert refused in result.stderr
    assert not result.files


def test_json_tells_that_the_table_was_not_written(tmp_path):
    with open("/dev/full", "w", encoding="ascii") as full:
        result = twoway.run("--check", "--json=j", directory=tmp_path,
                            stdout=full)
    assert result.returncode == 1
    json = result.json("j")
    assert "standard output: cannot write" in json["twoway"]["error"]
