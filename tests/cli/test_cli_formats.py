# SPDX-License-Identifier: GPL-2.0-or-later
"""The text output, to the last space; and what ends a run."""

import os
import re
import signal
import time

import pytest

import formats
import oracle
import outside

QUICK = ("--default-system", "-i", 500)


def check_statuses(statuses, metrics, cycles, interval=500):
    assert [status.metric for status in statuses] == list(metrics)
    for status in statuses:
        assert status.cycles == cycles
        assert status.interval == interval
        assert status.priority == 0
        assert status.min <= status.avg <= status.max
        assert status.min <= status.act <= status.max


@pytest.mark.parametrize("nsecs", [False, True], ids=["us", "ns"])
def test_status_lines(run, nsecs):
    result = run(*QUICK, "-q", "-l", 60, "--json=json",
                 *(["-N"] if nsecs else []))
    statuses = formats.parse_statuses(formats.body(result.stdout), nsecs)
    check_statuses(statuses, oracle.DEFAULT_METRICS, 60)
    for status in statuses:
        thread = result.json()["thread"][str(status.column)]
        assert (status.min, status.max) == (thread["min"], thread["max"])
        assert -0.006 <= thread["avg"] - status.avg < 1.006
        assert abs(thread["stddev"] - status.std) <= 0.0506


def test_the_width_of_a_status_line_depends_on_its_unit():
    """The parser that the other tests trust is this strict."""
    us = ("T: 0 (   12) P: 0 I:1000 C:      3 Min:      1 Act:    2 "
          "Avg:    3 Max:       4 Std:     5.6 send")
    ns = us.replace("Act:    2 Avg:    3", "Act:       2 Avg:       3")
    assert formats.parse_status(us).std == 5.6
    assert formats.parse_status(ns, nsecs=True).avg == 3
    for line, nsecs in ((us, True), (ns, False), (us + " ", False),
                        (us.replace("P: 0", "P:0"), False)):
        with pytest.raises(AssertionError):
            formats.parse_status(line, nsecs)


def test_metrics_are_printed_in_the_order_asked_for(run):
    metrics = ("planned", "total", "interval")
    result = run(*QUICK, "-q", "-l", 20, f"--metrics={','.join(metrics)}")
    check_statuses(formats.parse_statuses(formats.body(result.stdout)),
                   metrics, 20)


def test_the_pid_is_the_clients(start):
    process = start(*QUICK, "-q")
    client = process.steady()["client"]
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    statuses = formats.parse_statuses(formats.body(process.out))
    assert {status.pid for status in statuses} == {client}


def test_histogram_replaces_status_lines(run):
    result = run(*QUICK, "-q", "-l", 60, "-h", 400)
    histogram = formats.parse_histogram(result.stdout)
    assert histogram.rows and not histogram.remarks
    for counts in histogram.rows.values():
        assert any(counts), "a row of zeros"


def test_histogram_goes_to_its_file_alone(run):
    result = run(*QUICK, "-q", "-l", 20, "-h", 400, "--histfile=h")
    assert result.stdout == ""
    formats.parse_histogram(result.text("h"))


def test_histogram_takes_the_place_of_the_display(run):
    """Where there is no terminal, also without -q."""
    result = run(*QUICK, "-l", 300, "-h", 400)
    histogram = formats.parse_histogram(result.stdout)
    assert histogram.values["Metrics"] == list(oracle.DEFAULT_METRICS)


def test_histofall_sums(run):
    histogram = formats.parse_histogram(
        run(*QUICK, "-q", "-l", 60, "-H", 300).stdout, with_sum=True)
    for us, counts in histogram.rows.items():
        assert histogram.sums[us] == sum(counts)
    values = histogram.values
    *maxima, largest = map(int, values["Max Latencies"])
    assert largest == max(maxima)
    *overflows, all_of_them = map(int, values["Histogram Overflows"])
    assert all_of_them == sum(overflows)
    *totals, all_of_them = map(int, values["Total"])
    assert totals == list(map(sum, zip(*histogram.rows.values())))
    assert all_of_them == sum(totals)


def test_histogram_labels_are_us_whatever_the_unit(run):
    result = run(*QUICK, "-q", "-l", 60, "-N", "-h", 2000,
                 "--metrics=sleep", "--json=json")
    rows = formats.parse_histogram(result.stdout).rows
    thread = result.json()["thread"]["0"]
    assert min(rows) == thread["min"] // 1000
    assert max(rows) <= thread["max"] // 1000


def test_overflows_beyond_those_listed(run):
    """100 cycle numbers a column; how many others there were."""
    result = run(*QUICK, "-q", "-l", 130, "-h", 1, "--metrics=planned,send")
    histogram = formats.parse_histogram(result.stdout)
    for column, (shown, others) in enumerate(histogram.overflow_cycles):
        count = int(histogram.values["Histogram Overflows"][column])
        assert len(shown) == min(count, formats.OVERFLOWS_SHOWN)
        assert len(shown) + others == count
    # No answer within a us of the time asked to sleep: all overflow.
    assert histogram.overflow_cycles[0][1] == 30


def test_percentiles_of_few_cycles(run):
    """Half of 20 samples are beyond the median, but 1 beyond 95 %."""
    result = run(*QUICK, "-q", "-l", 20, "--percentiles=50,51,95")
    formats.parse_statuses(formats.body(result.stdout))
    found = formats.parse_percentiles(result.stdout.splitlines())
    assert list(found) == list(oracle.DEFAULT_METRICS)
    for values in found.values():
        assert re.fullmatch(r"\d+\.\d", values["50"])
        assert values["51"] == values["95"] == "-"


@pytest.mark.parametrize("role, told", [
    ("client", "continued: client 1, server 0 times"),
    ("server", "continued: client 0, server 1 times")])
def test_remarks_without_a_histogram(start, role, told):
    """Missed expiries are told, where no histogram tells them."""
    process = start("--default-system", "-q", "-i", 1000)
    pid = process.steady()[role]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.02)
    os.kill(pid, signal.SIGCONT)
    time.sleep(0.02)
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    formats.parse_statuses(formats.body(process.out))
    missed, stopped, *others = [
        line for line in process.out.splitlines() if line.startswith("# ")]
    assert all(line.startswith("# Others: ") for line in others)
    assert int(re.fullmatch(r"# Missed: (\d+)", missed)[1]) >= 10
    assert formats.REMARK.fullmatch(stopped)
    assert told in stopped


def test_verbose_prints_values_only(run):
    result = run(*QUICK, "-v", "-l", 40)
    assert len(formats.parse_verbose(formats.body(result.stdout))) == 40 * 7


@pytest.mark.parametrize("beside", [(), ("--dump=dump",)], ids=str)
def test_quiet_goes_before_verbose(run, beside):
    result = run(*QUICK, "-v", "-q", "-l", 40, *beside)
    check_statuses(formats.parse_statuses(formats.body(result.stdout)),
                   oracle.DEFAULT_METRICS, 40)


@pytest.mark.parametrize("clock", ["monotonic", "tai"])
def test_verbose_ends_with_what_measuring_costs(run, clock):
    """As the JSON has it; -q silences that as well."""
    args = (*QUICK, "-v", "-l", 9, f"--clock={clock}", "--json=json")
    result = run(*args)
    cost = result.json()["twoway"]["cost"]
    names = {"clock_read_ns": f"Clock {clock}, read",
             "shortest_sleep_ns": "Shortest sleep",
             "empty_cycle_ns": "Cycle without its system calls"}
    found = re.findall(r"^# (.*): min (\d+) avg (\d+) max (\d+) ns(.*)$",
                       result.stdout, re.MULTILINE)
    assert [line[0] for line in found] == list(names.values())
    for line, name in zip(found, names):
        low, average, high = map(int, line[1:4])
        assert (low, high) == (cost[name]["min"], cost[name]["max"])
        assert abs(average - cost[name]["avg"]) <= 0.551
    assert [line[4] for line in found] == [
        f", resolution {cost['clock_resolution_ns']} ns", "", ""]
    assert "# Shortest sleep" not in run(*args, "-q").stdout


def test_status_on_request(start):
    process = start(*QUICK, "-q", "--json=json", "-l", 0)
    process.steady()
    process.signal(signal.SIGUSR1)
    time.sleep(0.1)
    process.signal(signal.SIGUSR1)
    time.sleep(0.05)
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    lines = process.err.splitlines()
    counts = []
    while lines:
        block, lines = lines[:9], lines[9:]
        assert block[0] == block[-1] == formats.RULE
        statuses = formats.parse_statuses(block[1:-1])
        assert len({status.cycles for status in statuses}) == 1
        counts.append(statuses[0].cycles)
    assert len(counts) == 2 and counts[0] < counts[1]
    assert formats.RULE not in process.out
    last = formats.parse_statuses(formats.body(process.out))
    assert last[0].cycles >= counts[1]


@pytest.mark.parametrize("view", ["-q", "-v", "-h100", "-M"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP], ids=lambda n: n.name)
def test_signal_ends_the_run_with_results(start, tmp_path, number, view):
    process = start(*QUICK, view, "--json=json", "--dump=dump")
    process.steady()
    process.signal(number)
    assert process.finish() == 0, process.err
    assert not process.err
    assert process.gone()
    json = outside.load_json(tmp_path / "json")
    assert json["return_code"] == 0
    assert json["twoway"]["interrupted"] is True
    assert json["twoway"]["error"] is None
    cycles = json["twoway"]["cycles"]
    assert cycles > 0
    lines = (tmp_path / "dump").read_text().splitlines()
    assert len(lines) == 1 + cycles
    if view == "-q":
        statuses = formats.parse_statuses(formats.body(process.out))
        assert statuses[0].cycles == cycles
    if view == "-v":
        assert len(formats.body(process.out)) == 7 * cycles
    if view == "-h100":
        start_of = process.out.index("# Histogram\n")
        formats.parse_histogram(process.out[start_of:])


def test_signal_to_the_whole_group(start, tmp_path):
    """As Ctrl-C does: the sides leave the end to main."""
    process = start(*QUICK, "-q", "--json=json", start_new_session=True)
    process.steady()
    os.killpg(process.pid, signal.SIGINT)
    assert process.finish() == 0
    assert not process.err
    assert outside.load_json(tmp_path / "json")["twoway"]["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP], ids=lambda n: n.name)
def test_signal_that_was_ignored_stays_so(start, tmp_path, number):
    """As nohup and a script's background job have it: the run is whole."""
    process = start(*QUICK, "-q", "-l", 400, "--json=json",
                    preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
                    restore_signals=False)
    process.steady()
    process.signal(number)
    assert process.finish() == 0, process.err
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    assert twoway["interrupted"] is False
    assert twoway["cycles"] == 400


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1],
                         ids=lambda n: n.name)
def test_signal_beside_an_ignored_one_is_obeyed(start, tmp_path, number):
    process = start(*QUICK, "-q", "--json=json", preexec_fn=lambda:
                    signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.steady()
    process.signal(signal.SIGHUP)
    process.signal(number)
    time.sleep(0.05)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    assert bool(process.err) == (number == signal.SIGUSR1)
    assert outside.load_json(tmp_path / "json")["twoway"]["interrupted"]


def test_signal_before_the_first_cycle(start, tmp_path):
    """Nothing was measured; the results are whole and say so."""
    process = start("--default-system", "-q", "-i", 10 ** 6, "-h", 10,
                    "--json=json", "--dump=dump", "--percentiles")
    assert outside.wait_for(lambda: len(process.sides()) == 2)
    time.sleep(0.05)
    process.signal(signal.SIGTERM)
    assert process.finish() == 1
    json = outside.load_json(tmp_path / "json")
    assert process.err == f"twowaytest: {json['twoway']['error']}\n"
    assert json["twoway"]["cycles"] == 0
    assert json["twoway"]["interrupted"] is True
    assert json["twoway"]["worst"] == {}
    histogram = formats.parse_histogram(process.out)
    assert not histogram.rows
    assert set(histogram.values["Max Latencies"]) == {"00000"}
    for thread in json["thread"].values():
        assert set(thread["percentiles"].values()) == {None}
        assert thread["histogram"] == {} and thread["cycles"] == 0
    assert (tmp_path / "dump").read_text().count("\n") == 1


def test_windows_far_apart(start):
    """That of interval begins 1,000 s behind the others': it is not the
    time between that is walked through."""
    process = start("--default-system", "-q", "-i", 10 ** 9, "-h", 10)
    assert outside.wait_for(lambda: len(process.sides()) == 2)
    time.sleep(0.05)
    process.signal(signal.SIGINT)
    assert process.finish() == 1
    formats.parse_histogram(process.out)
