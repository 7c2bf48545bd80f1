# SPDX-License-Identifier: GPL-2.0-or-later
"""--limit: verdicts, JSON and exit status, judged again from the dump; and
which exit status is told where several are due."""

import os
import signal
import time

import pytest

import formats
import kept
import oracle
import outside
import schema
import twoway

SETUPS = {
    "default": oracle.Setup(700, 100),
    "trltp3": oracle.Setup(500, 100, "trltp3"),
    "closed loop": oracle.Setup(0, 50),
}
FILES = ("--json=json", "--dump=dump")
# From what is never met to what always is, with what a cycle takes between.
LADDER = (0, 2, 5, 8, 10, 12, 15, 20, 30, 50, 70, 100, 120, 150, 155, 160,
          180, 200, 300, 500, 700, 1000, 2000, 5000, 10000, 10 ** 9)
PERCENTILES = ("0.1", "25", "66.6", "88")
MOST_LIMITS = 64


def arguments(setup):
    return ("--default-system", "-q", "-N", *setup.options(), *FILES)


def limits_of(metric):
    """Limits on a metric, fewer than may be given."""
    yield from (f"{metric}:{most}" for most in LADDER)
    yield from (f"{metric}:avg:{most}" for most in LADDER[::4])
    for percent in PERCENTILES:
        yield from (f"{metric}:p{percent}:{most}" for most in LADDER[::4])


def words(limits):
    return [f"--limit={limit}" for limit in limits]


class Judge:
    """What the verdicts on a run's cycles must be."""

    def __init__(self, json, cycles, setup):
        self.steps = kept.steps_of(json, cycles, setup)
        self.counts = {"missed": sum(cycle.missed for cycle in cycles),
                       "throttled": json["twoway"]["throttled"]}
        self.percentiles = {thread["metric"]: thread["percentiles"]
                            for thread in json["thread"].values()}

    def all(self, metric):
        return [value for step in self.steps for value in step.values[metric]]

    def check(self, json):
        """One of the JSON's limits; whether it is met."""
        metric, *percent, most = json["limit"].split(":")
        assert json["metric"] == metric
        if metric in self.counts:
            count = self.counts[metric]
            assert (json["most"], json["value"]) == (int(most), count)
            met = count <= int(most)
        else:
            assert json["most_ns"] == 1000 * int(most)
            value = json["value_ns"]
            exact = self.check_value(metric, percent, value)
            met = exact <= 1000 * int(most)
            assert met == (value <= 1000 * int(most))
        assert json["percentile"] == (
            float(percent[0][1:]) if percent and percent != ["avg"] else None)
        assert json["verdict"] == ("met" if met else "exceeded")
        return met

    def check_value(self, metric, percent, value):
        """Of the dump; returns what the verdict must follow from."""
        values = self.all(metric)
        if not percent:
            assert value == max(values)
            return value
        if percent == ["avg"]:
            assert abs(value - sum(values) / len(values)) <= 1
            return value
        # Percentiles come from buckets that are 1/512 wide at most. What
        # --percentiles says of them is the same.
        exact = oracle.percentile(values, percent[0][1:])
        assert abs(value - exact) <= exact / 1024 + 1
        told = self.percentiles.get(metric, {})
        assert value == told.get(percent[0][1:], value)
        return exact

    def first_with(self, metric, value):
        """The step, from 1, and the cycle that first has a value."""
        for number, step in enumerate(self.steps, 1):
            if value in step.values[metric]:
                return number, step.values[metric].index(value)
        raise ValueError(value)


def check_run(result, setup, given):
    """All about a run's verdicts; how many are met, and how many not."""
    json = schema.check(result.text("json"))
    judge = Judge(json, result.dump(), setup)
    reports = json["twoway"]["limits"]
    assert [report["limit"] for report in reports] == given
    met = [judge.check(report) for report in reports]
    status = 0 if all(met) else 2
    assert result.returncode == json["return_code"] == status
    assert not result.stderr
    lines = kept.parse_limits(result.stdout.splitlines())
    assert [line.text for line in lines] == given
    for line, report in zip(lines, reports):
        check_line(line, report, judge)
    return sum(met), len(met) - sum(met)


def check_line(line, report, judge):
    assert line.verdict == report["verdict"]
    if report["metric"] in judge.counts:
        assert line.value == str(report["value"])
        return
    assert line.value == f"{report['value_ns'] / 1000:.3f}"
    if report["limit"].count(":") > 1:
        assert (line.step, line.cycle) == (None, None)
    else:
        step, cycle = judge.first_with(report["metric"], report["value_ns"])
        assert line.step == (step if len(judge.steps) > 1 else None)
        assert line.cycle == cycle


@pytest.mark.parametrize("name, metric", [
    (name, metric) for name, setup in SETUPS.items()
    for metric in setup.metrics()])
def test_verdicts(run, name, metric):
    setup = SETUPS[name]
    given = list(limits_of(metric))
    assert len(given) <= MOST_LIMITS
    result = run(*arguments(setup), "-l", kept.MOST_CYCLES, *words(given))
    met, exceeded = check_run(result, setup, given)
    # 1,000 s and nothing at all are among them.
    assert met and exceeded


def test_verdicts_of_missed(start, tmp_path):
    """A client that is held up misses expiries: here more than 9."""
    given = ["missed:0", "missed:9", "missed:1000000000"]
    process = start("--default-system", "-q", "-N", "-i", 5000, *FILES,
                    *words(given), "-l", kept.MOST_CYCLES)
    client = process.steady()["client"]
    os.kill(client, signal.SIGSTOP)
    assert outside.wait_for(
        lambda: outside.status(client, "State")[:1] == "T")
    time.sleep(0.1)
    os.kill(client, signal.SIGCONT)
    assert process.finish() == 2, process.err
    result = twoway.result(process, tmp_path)
    assert check_run(result, oracle.Setup(5000, 100), given) == (1, 2)


def test_all_met(run):
    given = [f"{metric}:1000000000" for metric in oracle.METRICS]
    given += ["missed:1000000000", "total:p50:1000000000",
              "send:avg:1000000000"]
    result = run(*arguments(SETUPS["default"]), "-l", 50, *words(given))
    assert check_run(result, SETUPS["default"], given) == (len(given), 0)
    assert result.returncode == 0


@pytest.mark.parametrize("limit", ["send:0", "response:0", "total:0",
                                   "planned:p50:0", "send:avg:0",
                                   "network:0"])
def test_never_met(run, limit):
    given = ["total:1000000000", limit, "missed:1000000000"]
    result = run(*arguments(SETUPS["default"]), "-l", 50, *words(given))
    assert check_run(result, SETUPS["default"], given) == (2, 1)
    assert result.returncode == 2


def test_a_metric_that_is_not_shown(run):
    given = ["send:0", "planned:0", "total:1000000000"]
    result = run(*arguments(SETUPS["default"]), "-l", 50, *words(given),
                 "--metrics=interval,sleep")
    assert check_run(result, SETUPS["default"], given) == (1, 2)


def test_a_limit_twice(run):
    given = ["send:0", "send:0", "send:1000000000"]
    result = run(*arguments(SETUPS["default"]), "-l", 50, *words(given))
    check_run(result, SETUPS["default"], given)


@pytest.mark.parametrize("option", ["-h", "-H"])
def test_behind_a_histogram(run, option):
    given = ["send:0", "total:p50:1000000000", "missed:1000000000"]
    result = run(*arguments(SETUPS["default"]), "-l", 60, *words(given),
                 option, 300)
    check_run(result, SETUPS["default"], given)
    histogram, _, rest = result.stdout.partition("\n\n")
    formats.parse_histogram(histogram + "\n\n", with_sum=option == "-H")
    assert len(rest.splitlines()) == len(given)
    assert all(line.startswith("# Limit ") for line in rest.splitlines())


def test_histogram_in_a_file(run):
    given = ["send:0"]
    result = run(*arguments(SETUPS["default"]), "-l", 60, *words(given),
                 "-h", 300, "--histfile=histogram")
    check_run(result, SETUPS["default"], given)
    formats.parse_histogram(result.text("histogram"))
    assert len(result.stdout.splitlines()) == 1


def test_of_a_ramp(run):
    """Of all steps together, as the results of the run are."""
    given = [limit for metric in ("response", "total", "interval")
             for limit in (f"{metric}:0", f"{metric}:1000",
                           f"{metric}:1000000000", f"{metric}:p88:500",
                           f"{metric}:p50:1000000000")]
    given += ["missed:0", "missed:1000000000", "throttled:0"]
    result = run(*arguments(SETUPS["default"]), "-l", 40, *words(given),
                 "--load=fft", "--steps=3")
    met, exceeded = check_run(result, SETUPS["default"], given)
    assert met and exceeded
    assert len(result.json()["twoway"]["steps"]) == 3


@pytest.mark.parametrize("metric", ["sleep", "response"])
def test_amid_the_values(run, metric):
    """Every microsecond about the median: the verdicts turn where the dump
    has it, and --percentiles tells the same value."""
    setup = SETUPS["default"]
    common = (*arguments(setup), "-l", kept.MOST_CYCLES, "--percentiles=50",
              f"--metrics={metric},interval")
    thread = run(*common).json()["thread"]["0"]
    middle = round(thread["percentiles"]["50"] / 1000)
    given = [f"{metric}:p50:{max(0, middle + most)}"
             for most in range(-20, 21)]
    check_run(run(*common, *words(given)), setup, given)


def test_without_any(run):
    result = run(*arguments(SETUPS["default"]), "-l", 20)
    assert result.json()["twoway"]["limits"] == []
    assert not kept.parse_limits(result.stdout.splitlines())
    assert result.returncode == 0


@pytest.mark.parametrize("interval, word", [(1000, "-D1m"), (1000, "-l9999"),
                                            (0, "-l0"), (1000, "-l0")])
@pytest.mark.parametrize("percent, needed", [("90", 100), ("99", 1000)])
def test_ended_too_early(start, tmp_path, interval, word, percent, needed):
    """Too few cycles for a percentile: neither met nor exceeded."""
    given = [f"send:p{percent}:1000000000", "send:1000000000",
             "missed:1000000000"]
    process = start("--default-system", "-q", "-i", interval, word,
                    "--warmup=10000" if interval else "--sleep=10000",
                    "--json=json", *words(given))
    if interval:
        # Amid the warm-up: no cycle is measured by now.
        process.steady()
    else:
        assert outside.wait_for(lambda: len(process.sides()) == 2)
    process.signal(signal.SIGINT)
    status = process.finish()
    json = schema.check((tmp_path / "json").read_text())
    cycles = json["twoway"]["cycles"]
    # No cycle at all is an error, and beats what cannot be decided.
    assert status == (2 if cycles else 1), process.err
    assert json["return_code"] == status and json["twoway"]["interrupted"]
    assert cycles < needed
    reports = json["twoway"]["limits"]
    verdicts = 3 * ["undecided"]
    if cycles and word == "-l0":
        verdicts[1:] = 2 * ["met"]
    assert [report["verdict"] for report in reports] == verdicts
    lines = kept.parse_limits(process.out.splitlines())
    assert [line.verdict for line in lines] == verdicts
    assert (lines[0].cycles, lines[0].needed) == (cycles, needed)
    for line in lines[1:]:
        assert cycles or (line.cycles, line.needed) == (0, 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT,
                                    signal.SIGHUP])
@pytest.mark.parametrize("words_, limit, verdict, status", [
    ((), "send:1000000000", "met", 0), ((), "send:0", "exceeded", 2),
    (("-D", 600), "send:1000000000", "undecided", 2),
    (("-D", 600), "send:0", "exceeded", 2),
    (("-l", 10 ** 6), "missed:1000000000", "undecided", 2),
    (("-l", 10 ** 6), "send:0", "exceeded", 2)])
def test_a_signal(start, tmp_path, number, words_, limit, verdict, status):
    """The regular end of a run without -l and -D, of others none."""
    process = start("--default-system", "-q", "--json=json", *words_,
                    f"--limit={limit}")
    process.steady()
    process.signal(number)
    assert process.finish() == status
    json = schema.check((tmp_path / "json").read_text())
    assert json["return_code"] == status
    assert json["twoway"]["interrupted"] and not json["twoway"]["error"]
    assert [one["verdict"] for one in json["twoway"]["limits"]] == [verdict]
    line, = kept.parse_limits(process.out.splitlines())
    assert line.verdict == verdict and line.cycles is None


def test_a_side_that_died(start, tmp_path):
    """An error; and what was met so far is not met."""
    process = start("--default-system", "-q", "--json=json",
                    "--limit=send:1000000000", "--limit=send:0")
    os.kill(process.steady()["client"], signal.SIGKILL)
    assert process.finish() == 1
    json = schema.check((tmp_path / "json").read_text())
    assert [one["verdict"] for one in json["twoway"]["limits"]] == [
        "undecided", "exceeded"]


def test_needs_just_enough_cycles(run):
    """What is refused with one cycle less is decided with these."""
    for percent, needed in (("50", 20), ("90", 100), ("99", 1000)):
        limit = f"--limit=send:p{percent}:1000000000"
        args = ("--default-system", "-q", "-i", 0, "--sleep=0", limit)
        refused = run(*args, "-l", needed - 1)
        assert refused.returncode == 1 and not refused.stdout
        assert refused.stderr.startswith(
            f"twowaytest: {limit}: this percentile needs at least {needed} "
            f"cycles, and only {needed - 1} can be counted on;"
        ), refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        decided = run(*args, "-l", needed)
        assert decided.returncode == 0, decided.stderr


def test_as_many_as_there_may_be(run):
    given = [f"send:{10 ** 9 - n}" for n in range(MOST_LIMITS)]
    result = run(*arguments(SETUPS["default"]), "-l", 30, *words(given))
    assert check_run(result, SETUPS["default"], given) == (MOST_LIMITS, 0)
    refused = run("-l", 3, *words(given), "--limit=total:5")
    assert refused.returncode == 1 and not refused.stdout
    assert refused.stderr == (f"twowaytest: --limit=total:5: allowed are up "
                              f"to {MOST_LIMITS} limits\n")


def test_an_error_beats_an_exceeded_limit(start, tmp_path):
    """A side that was killed: 1, though the limit is exceeded as well."""
    process = start("--default-system", "-q", "--json=json",
                    "--limit=send:0")
    os.kill(process.steady()["server"], signal.SIGKILL)
    assert process.finish() == 1
    json = schema.check((tmp_path / "json").read_text())
    assert json["return_code"] == 1 and json["twoway"]["error"]
    assert json["twoway"]["limits"][0]["verdict"] == "exceeded"


@pytest.mark.parametrize("words_", [("--limit=send:0",), ("-b", "1"),
                                    ("--limit=send:0", "-b", "1")],
                         ids=" ".join)
@pytest.mark.parametrize("option", ["--dump", "--histfile", "--json"])
def test_a_full_disk_beats_an_exceeded_limit(run, option, words_):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    files = ("--json=json",) if option != "--json" else ()
    result = run("--default-system", "-q", "-l", 9, "-h", 9, *files, *words_,
                 f"{option}=/dev/full")
    assert result.returncode == 1
    assert result.stderr == (f"twowaytest: {option}=/dev/full: cannot write: "
                             "No space left on device\n")
    if files:
        assert result.json()["return_code"] == 1


def test_a_break_and_a_limit(run):
    """Each alone makes it 2, and so do both."""
    for args, status in ((("-b", "1", "--limit=send:1000000000"), 2),
                         (("-b", "1000000000", "--limit=send:0"), 2),
                         (("-b", "1", "--limit=send:0"), 2),
                         (("-b", "1000000000", "--limit=send:1000000000"),
                          0)):
        result = run("--default-system", "-q", "-l", 9, "--json=json", *args)
        assert result.returncode == result.json()["return_code"] == status
        (result.directory / "json").unlink()
