# SPDX-License-Identifier: GPL-2.0-or-later
"""A ramp: what is printed of its steps, and that they add up."""

import collections
import os
import re
import signal

import pytest

import formats
import oracle
import outside
import ramp
import schema

# More than one worker at ordinary priority needs nobody's leave.
RAMP = ("--default-system", "-q", "-i", 500, "--load=fft", "--json=json")
MS = 10**6  # ns
SUMS = ("cycles", "missed", "throttled")
LOAD_SUMS = ("work", "work_errors", "restarts")


def merged(threads):
    """What the results of all steps together must be: (count, min, max)."""
    return (sum(thread["cycles"] for thread in threads),
            min(thread["min"] for thread in threads),
            max(thread["max"] for thread in threads))


def check_sums(json):
    """The run's own results are those of its steps together."""
    twoway_, steps = json["twoway"], json["twoway"]["steps"]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    for name in SUMS:
        assert twoway_[name] == sum(step[name] for step in steps), name
    for name in LOAD_SUMS:
        assert twoway_["load"][name] == sum(step[name] for step in steps)
    elapsed = sum(step["elapsed_s"] for step in steps)
    assert abs(twoway_["load"]["elapsed_s"] - elapsed) < 1e-5 * len(steps)
    for column, thread in json["thread"].items():
        parts = [step["thread"][column] for step in steps]
        assert {part["metric"] for part in parts} == {thread["metric"]}
        assert {part["target"] for part in parts} == {thread["target"]}
        measured = [part for part in parts if part["cycles"]]
        assert (thread["cycles"], thread["min"], thread["max"]) == merged(
            measured)
        mean = sum(part["avg"] * part["cycles"] for part in measured) / \
            thread["cycles"]
        assert abs(thread["avg"] - mean) <= 0.0101
    return steps


def check_histograms(json):
    for column, thread in json["thread"].items():
        sums = collections.Counter()
        overflows = 0
        for step in json["twoway"]["steps"]:
            part = step["thread"][column]
            assert sum(part["histogram"].values()) + part["overflows"] == \
                part["cycles"]
            sums.update(part["histogram"])
            overflows += part["overflows"]
        assert thread["histogram"] == sums
        assert thread["overflows"] == overflows


def check_rows(rows, steps):
    """The table tells of each step's total what the JSON tells."""
    assert len(rows) == len(steps)
    for row, step in zip(rows, steps):
        total = next(thread for thread in step["thread"].values()
                     if thread["metric"] == "total")
        for name in ("min", "max"):
            assert row[name] == total[name]
        assert (row["std"] is None) == (total["stddev"] is None)
        assert (row["avg"] is None) == (not total["cycles"])
        # The average in whole units, rounded down; off by its own rounding.
        assert not total["cycles"] or \
            -0.006 <= total["avg"] - row["avg"] < 1.006
        assert not total["cycles"] or \
            abs(row["std"] - total["stddev"]) <= 0.0506
        for name in ("missed", "throttled", "workers"):
            assert row[name] == step[name]
        assert abs(row["work"] - step["work_per_second"]) <= 0.0506


@pytest.mark.parametrize("steps", [2, 4])
def test_steps(run, steps):
    result = run(*RAMP, "-l", 150, f"--steps={steps}")
    assert (result.returncode, result.stderr) == (0, "")
    json = schema.check(result.text("json"))
    parts = check_sums(json)
    assert [part["workers"] for part in parts] == list(range(steps))
    assert [part["cycles"] for part in parts] == [150] * steps
    assert json["twoway"]["load"]["workers"] == steps - 1
    found = ramp.parse(result.stdout, "fft", steps)
    assert not found.before and len(found.steps) == steps
    for lines, part in zip(found.steps, parts):
        statuses = formats.parse_statuses(lines)
        assert [status.metric for status in statuses] == list(
            oracle.DEFAULT_METRICS)
        for status in statuses:
            thread = part["thread"][str(status.column)]
            assert (status.cycles, status.min, status.max) == (
                150, thread["min"], thread["max"])
    check_rows(found.rows, parts)


def test_one_step_is_no_ramp(run):
    """As without --steps: no lines of steps, no table."""
    result = run(*RAMP, "-l", 50, "--steps=1")
    assert len(formats.parse_statuses(formats.body(result.stdout))) == 7
    json = schema.check(result.text("json"))
    step, = check_sums(json)
    assert step["thread"] == json["thread"]
    assert step["workers"] == json["twoway"]["load"]["workers"] == 1


def test_a_run_without_a_load_has_one_step(run):
    result = run("--default-system", "-q", "-l", 50, "-h", 200,
                 "--json=json")
    json = schema.check(result.text("json"))
    step, = check_sums(json)
    assert step["thread"] == json["thread"]
    assert json["twoway"]["load"] == {
        "kind": "none", "workers": 0, "work": 0, "work_per_second": 0,
        "work_per_second_and_worker": 0, "work_errors": 0, "restarts": 0,
        "elapsed_s": step["elapsed_s"]}


def test_nanoseconds(run):
    result = run(*RAMP, "-N", "-l", 60, "--steps=2")
    json = result.json()
    found = ramp.parse(result.stdout, "fft", 2, unit="ns")
    check_rows(found.rows, check_sums(json))
    for lines in found.steps:
        formats.parse_statuses(lines, nsecs=True)


def test_metrics_without_total(run):
    """The table is of total nevertheless."""
    result = run(*RAMP, "-l", 60, "--steps=2", "--metrics=send")
    found = ramp.parse(result.stdout, "fft", 2)
    for lines, row in zip(found.steps, found.rows):
        send, = formats.parse_statuses(lines)
        assert send.metric == "send" and row["max"] >= send.max


@pytest.mark.parametrize("letter", "hH")
def test_histogram_is_one_of_all_steps(run, letter):
    result = run(*RAMP, "-l", 120, "--steps=3", f"-{letter}300")
    json = schema.check(result.text("json"))
    check_sums(json)
    check_histograms(json)
    end = result.stdout.index("# Total against load")
    start = result.stdout.index("# Histogram\n")
    found = ramp.parse(result.stdout[:start] + result.stdout[end:], "fft", 3)
    assert found.steps == [[], [], []]
    printed = formats.parse_histogram(result.stdout[start:end],
                                      with_sum=letter == "H")
    for column, thread in json["thread"].items():
        column = int(column)
        rows = {str(us): counts[column] for us, counts in printed.rows.items()
                if counts[column]}
        assert rows == thread["histogram"]
        overflows = int(printed.values["Histogram Overflows"][column])
        assert overflows == thread["overflows"]
        # A cycle's number alone does not tell it, as each step has its own.
        assert printed.overflow_cycles[column] == ([], overflows)
        for name in ("missed", "throttled"):
            assert int(printed.values[name.capitalize()][column]) == \
                json["twoway"][name]


def test_histogram_of_a_ramp_in_a_file(run):
    result = run(*RAMP, "-l", 60, "--steps=2", "-h", 300, "--histfile=h")
    assert result.files == {"json", "h"}
    formats.parse_histogram(result.text("h"))
    found = ramp.parse(result.stdout, "fft", 2)
    check_rows(found.rows, result.json()["twoway"]["steps"])


def test_throttled_stands_in_every_histogram(run):
    """Also without a load: nobody's ordinary tasks are throttled."""
    result = run("--default-system", "-q", "-l", 50, "-h", 200,
                 "--metrics=send,total", "--json=json")
    printed = formats.parse_histogram(result.stdout)
    assert printed.values["Throttled"] == ["00000", "00000"]
    assert result.json()["twoway"]["throttled"] == 0
    assert not result.json()["twoway"]["throttling"]["possible"]


def split_steps(cycles):
    """A dump's cycles by step: each step counts from 0 again."""
    steps = []
    for cycle in cycles:
        if not cycle.cycle:
            steps.append([])
        assert cycle.cycle == len(steps[-1])
        steps[-1].append(cycle)
    return steps


def bounds(values):
    """As in the log: bins of 10 us, up to 200 ms."""
    counts = collections.Counter()
    for value in values:
        start_us = value // 10000 * 10
        counts[str(start_us) if start_us < 200000 else "above"] += 1
    return counts


def check_log(logged, json_step, values, metric):
    """@values: of all cycles, in ns. The JSON is in ns, too."""
    thread = next(thread for thread in json_step["thread"].values()
                  if thread["metric"] == metric)
    assert logged.count == thread["cycles"] == sum(logged.bins.values())
    assert logged.minimum == f"{thread['min'] / 1000:.1f}"
    assert logged.maximum == f"{thread['max'] / 1000:.1f}"
    assert abs(float(logged.average) - thread["avg"] / 1000) <= 0.0501
    assert abs(float(logged.deviation) - thread["stddev"] / 1000) <= 0.0501
    assert logged.bins == bounds(values)
    starts = [start for start in logged.bins if start != "above"]
    assert starts == sorted(starts, key=int)


def test_log_has_the_cycles_of_the_dump(run):
    result = run("--default-system", "-v", "-N", "-i", 500, "-l", 150,
                 "--load=fft", "--steps=3", "--json=json", "--dump=dump",
                 "--trltp-log=log")
    assert result.returncode == 0, result.stderr
    assert result.files == {"json", "dump", "log"}
    json = result.json()
    steps = split_steps(result.dump())
    assert [len(step) for step in steps] == [150] * 3
    printed = ramp.parse(result.stdout, "fft", 3, unit="ns").steps
    log = ramp.parse_log(result.text("log"))
    assert len(log) == 3
    for number, logged in enumerate(log):
        # No dump has what precedes it; the first value of -v tells.
        first = formats.parse_verbose(printed[number])[0][2]
        values = oracle.series(steps[number], first, oracle.Setup(500))
        for metric in ramp.LOGGED:
            check_log(logged[metric], json["twoway"]["steps"][number],
                      values[metric], metric)
    assert json["twoway"]["missed"] == sum(
        cycle.missed for step in steps for cycle in step)


def test_log_without_a_ramp(run):
    """One step; whichever metrics are printed, the log's are the same."""
    result = run("--default-system", "-q", "-l", 40, "-h", 5,
                 "--metrics=planned", "--trltp-log=log")
    step, = ramp.parse_log(result.text("log"))
    assert {logged.count for logged in step.values()} == {40}


def test_log_puts_what_is_beyond_its_bins_apart(run):
    """It has 200 ms of them."""
    result = run("--default-system", "-v", "-N", "-l", 3, "-i", 250000,
                 "--warmup=0", "--trltp-log=log", "--dump=dump")
    step, = ramp.parse_log(result.text("log"))
    first = formats.parse_verbose(result.stdout.splitlines()[:1])[0][2]
    values = oracle.intervals(result.dump(), first)
    # A host that stops makes the next interval shorter.
    bins = step["interval"].bins
    assert bins.pop("above") == sum(value >= 200 * MS for value in values)
    assert bins == bounds(value for value in values if value < 200 * MS)
    assert "above" not in step["sleep"].bins


def test_percentiles_are_of_all_steps(run):
    """Of 60 cycles, 10 are beyond 80 %; of 20 there would be but 4."""
    result = run(*RAMP, "-l", 20, "--steps=3", "--percentiles=80")
    found = ramp.parse(result.stdout, "fft", 3)
    values = formats.parse_percentiles(found.after)
    assert list(values) == list(oracle.DEFAULT_METRICS)
    json = result.json()
    for thread in json["thread"].values():
        assert re.fullmatch(r"\d+\.\d", values[thread["metric"]]["80"])
        low, high = thread["min"], thread["max"] + 1
        assert low <= thread["percentiles"]["80"] <= high
    for step in json["twoway"]["steps"]:
        assert step["thread"]["0"]["percentiles"]["80"] is None


def test_worst_is_that_of_all_steps(run):
    result = run(*RAMP, "-N", "-l", 60, "--steps=3", "--dump=dump",
                 "--metrics=response")
    steps = split_steps(result.dump())
    json = result.json()["twoway"]
    worst = json["worst"]["response"]
    assert worst["response_ns"] == result.json()["thread"]["0"]["max"]
    found = [cycle for step in steps for cycle in step
             if cycle.t3_ns - cycle.t0_ns == worst["response_ns"]]
    assert found[0].cycle == worst["cycle"]
    assert found[0].t0_ns - steps[0][0].t0_ns == worst["since_start_ns"]


def test_interrupt_keeps_what_is_finished(start, tmp_path):
    """In the second step: the first is whole, the third never comes."""
    with open(tmp_path / "output", "w", encoding="utf-8") as output:
        process = start(*RAMP, "-l", 500, "--steps=3", "-i", 1000,
                        "--trltp-log=log", stdout=output)
        assert outside.wait_for(
            lambda: "Step 2/3" in outside.read(tmp_path / "output"))
        assert outside.wait_for(lambda: len(process.sides()) == 2)
        process.signal(signal.SIGINT)
        assert process.finish() == 0
        assert process.gone()
    json = schema.check((tmp_path / "json").read_text())
    first, second = check_sums(json)
    assert json["twoway"]["interrupted"] is True
    assert json["twoway"]["error"] is None
    assert first["cycles"] == 500 > second["cycles"]
    assert (first["workers"], second["workers"]) == (0, 1)
    found = ramp.parse((tmp_path / "output").read_text(), "fft", 3)
    check_rows(found.rows, [first, second])
    log = ramp.parse_log((tmp_path / "log").read_text())
    assert [step["send"].count for step in log] == [500, second["cycles"]]


def test_duration_is_that_of_a_step(run):
    result = run(*RAMP, "-D", 1, "--steps=2")
    for step in check_sums(result.json()):
        assert step["elapsed_s"] >= 1 and step["cycles"] > 0


def test_death_of_a_side_keeps_the_steps_before(start, tmp_path):
    """What befell the second step does not touch the first."""
    with open(tmp_path / "output", "w", encoding="utf-8") as output:
        process = start(*RAMP, "-l", 500, "--steps=3", "-i", 1000,
                        stdout=output)
        assert outside.wait_for(
            lambda: "Step 2/3" in outside.read(tmp_path / "output"))
        sides = outside.wait_for(lambda: len(process.sides()) == 2 and
                                 process.sides())
        os.kill(sides["client"], signal.SIGKILL)
        assert process.finish() == 1
        assert process.gone()
    json = schema.check((tmp_path / "json").read_text())
    assert str(sides["client"]) in json["twoway"]["error"]
    steps = check_sums(json)
    assert steps[0]["cycles"] == 500
    assert process.err == f"twowaytest: {json['twoway']['error']}\n"
