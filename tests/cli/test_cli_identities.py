# SPDX-License-Identifier: GPL-2.0-or-later
"""All results follow from the cycles, to the last digit that is printed."""

import itertools
import os
import signal
import time

import pytest

import formats
import oracle
import outside
import twoway

LOOPS = 150
WIDTH = 90      # of histograms: so that some values fall outside
PERCENTILES = "0.1,10,33.3,50,90,93,93.4,99"
ALL = ",".join(oracle.METRICS)
FILES = ("--json=json", "--dump=dump", "--histfile=histogram")

SETUPS = {
    "default": oracle.Setup(500, 100),
    "trltp3": oracle.Setup(500, 100, "trltp3"),
    "trltp3 at 1 kHz": oracle.Setup(1000, 100, "trltp3"),
    "trltp3, no whole rate": oracle.Setup(700, 50, "trltp3"),
    "no sleep": oracle.Setup(300, 0),
    "closed loop": oracle.Setup(0, 50),
    "closed loop, no sleep": oracle.Setup(0, 0),
}


@pytest.fixture(scope="module", params=[
    (name, nsecs) for name in SETUPS for nsecs in (True, False)],
    ids=lambda param: param[0] + (", ns" if param[1] else ", us"))
def measured(request, tmp_path_factory):
    """One run, seen in every way: (setup, nsecs, result, its views)."""
    setup, nsecs = SETUPS[request.param[0]], request.param[1]
    metrics = setup.metrics()
    result = twoway.run(
        "--default-system", "-v", "-l", LOOPS, *setup.options(), *FILES,
        f"--metrics={','.join(metrics)}", f"--percentiles={PERCENTILES}",
        "-h", WIDTH, *(["-N"] if nsecs else []),
        directory=tmp_path_factory.mktemp("run"))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.files == {"json", "dump", "histogram"}
    return View(setup, nsecs, metrics, result)


class View:
    """A run's cycles and what it makes of them."""

    def __init__(self, setup, nsecs, metrics, result):
        self.setup = setup
        self.nsecs = nsecs
        self.metrics = metrics
        self.json = result.json()
        self.threads = {thread["metric"]: thread
                        for thread in self.json["thread"].values()}
        self.cycles = result.dump()
        self.histogram = formats.parse_histogram(result.text("histogram"))
        self.verbose = formats.parse_verbose(formats.body(result.stdout))
        # No dump has what came before it: -v tells the first interval,
        # in us only to the us. The mean then tells what is missing.
        first = self.verbose[0][2]
        if not nsecs:
            rest = sum(oracle.intervals(self.cycles, 0))
            total = self.threads["interval"]["avg"] * 1000 * LOOPS
            guess = round(total - rest)
            assert abs(guess - (first * 1000 + 500)) <= 500 + 5 * LOOPS
            first = guess
        self.first_ns = first
        self.values = oracle.series(self.cycles, first, setup)

    def exact(self, metric):
        """Whether its values are known to the ns."""
        return self.nsecs or metric not in ("interval", "total")

    def unit(self, ns):
        """As it is printed in whole units."""
        return ns if self.nsecs else ns // 1000

    @property
    def scale(self):
        return 1 if self.nsecs else 1000


def test_every_cycle_is_there(measured):
    assert [c.cycle for c in measured.cycles] == list(range(LOOPS))
    assert {c.pair for c in measured.cycles} == {0}
    twoway_json = measured.json["twoway"]
    assert twoway_json["cycles"] == LOOPS
    assert twoway_json["not_dumped"] == 0
    assert twoway_json["missed"] == sum(c.missed for c in measured.cycles)


def test_phases_follow_each_other(measured):
    for c in measured.cycles:
        assert c.planned_ns <= c.t0_ns <= c.t1_ns <= c.t2_ns <= c.t3_ns
        assert c.t2_ns - c.t1_ns >= measured.setup.sleep_us * 1000
    for before, after in itertools.pairwise(measured.cycles):
        assert before.t3_ns <= after.t0_ns


def test_response_is_the_sum_of_its_phases(measured):
    columns = [measured.values[name] for name in (
        "response", "send", "sleep", "receive", "planned", "wakeup",
        "network")]
    for response, send, sleep, receive, planned, wakeup, network in zip(
            *columns):
        assert response == send + sleep + receive
        assert network == response - sleep == send + receive
        assert planned == wakeup + response


def test_verbose_has_the_values(measured):
    columns = len(measured.metrics)
    assert len(measured.verbose) == columns * LOOPS
    for place, (column, cycle, value) in enumerate(measured.verbose):
        assert (cycle, column) == divmod(place, columns)
        metric = measured.metrics[column]
        if not measured.exact(metric) and cycle == 0:
            continue
        assert value == measured.unit(measured.values[metric][cycle])


def test_first_total_has_the_first_interval(measured):
    """The one value that needs what precedes the dump."""
    column = measured.metrics.index("total")
    total = measured.verbose[column][2]
    expected = measured.unit(measured.values["total"][0])
    assert abs(total - expected) <= (0 if measured.nsecs else 1)


def test_minimum_and_maximum(measured):
    for metric, thread in measured.threads.items():
        values = measured.values[metric]
        for key, value in (("min", min(values)), ("max", max(values))):
            slack = 0 if measured.exact(metric) else 1
            assert abs(thread[key] - measured.unit(value)) <= slack, metric
        assert isinstance(thread["min"], int)
        assert thread["cycles"] == LOOPS


def test_average(measured):
    for metric, thread in measured.threads.items():
        exact = oracle.mean(measured.values[metric]) / measured.scale
        doubt = 0 if measured.exact(metric) else 0.005
        assert abs(thread["avg"] - exact) <= 0.00501 + doubt, metric


def test_deviation(measured):
    for metric, thread in measured.threads.items():
        target = oracle.target(metric, measured.setup)
        exact = oracle.deviation(measured.values[metric], target)
        exact /= measured.scale
        # The first interval's doubt, and half of the last digit.
        doubt = 0 if measured.exact(metric) else \
            0.005 * LOOPS / (LOOPS - 1) ** 0.5
        slack = 0.0005 + doubt + 1e-9 * exact
        assert abs(thread["stddev"] - exact) <= slack, metric
        if target is None:
            assert thread["target"] is None
        else:
            assert thread["target"] == target // measured.scale


def test_the_two_kinds_of_deviation_differ():
    """Else the test above could not tell them apart."""
    assert oracle.deviation([1, 2, 3]) == 1
    assert oracle.deviation([1, 2, 3], 0) == 7 ** 0.5


def test_percentiles(measured):
    asked = PERCENTILES.split(",")
    some, none = 0, 0
    for metric, thread in measured.threads.items():
        assert list(thread["percentiles"]) == asked
        before = thread["min"]
        for percent in asked:
            value = thread["percentiles"][percent]
            exact = oracle.percentile(measured.values[metric], percent)
            assert (value is None) == (exact is None), percent
            if exact is None:
                none += 1
                continue
            some += 1
            exact /= measured.scale
            slack = 0.001 if measured.exact(metric) else 1
            assert abs(value - exact) <= abs(exact) / 1024 + slack
            assert before <= value <= thread["max"] + (not measured.nsecs)
            before = value
    assert some and none


def test_percentiles_as_text(measured):
    """That of the histogram's file is the JSON's, rounded."""
    text = formats.parse_percentiles(measured.histogram.remarks)
    assert list(text) == measured.metrics
    digits = 0 if measured.nsecs else 1
    for metric, thread in measured.threads.items():
        for percent, value in thread["percentiles"].items():
            shown = text[metric][percent]
            if value is None:
                assert shown == "-"
            else:
                assert abs(float(shown) - value) <= 0.501 / 10 ** digits
                assert len(shown.partition(".")[2]) == digits


def test_histogram(measured):
    """JSON, text and dump have the same rows and the same overflows."""
    for column, metric in enumerate(measured.metrics):
        thread = measured.threads[metric]
        json = {int(us): count for us, count in thread["histogram"].items()}
        text = {us: counts[column]
                for us, counts in measured.histogram.rows.items()
                if counts[column]}
        assert text == json, metric
        assert sum(json.values()) + thread["overflows"] == LOOPS
        base = oracle.window_base(metric, WIDTH, measured.setup)
        values = measured.values[metric]
        if not measured.exact(metric):
            # The first is compared with what -v says of it.
            values = [1000 * measured.verbose[column][2]] + values[1:]
        rows, beyond = oracle.histogram(values, base, WIDTH)
        assert json == rows, metric
        assert thread["overflows"] == len(beyond)
        shown, others = measured.histogram.overflow_cycles[column]
        assert shown == beyond[:formats.OVERFLOWS_SHOWN], metric
        assert others == len(beyond) - len(shown)


def test_histogram_summary(measured):
    values = measured.histogram.values
    assert values["Metrics"] == measured.metrics
    for column, metric in enumerate(measured.metrics):
        thread = measured.threads[metric]
        assert values["Min Latencies"][column] == f"{thread['min']:05d}"
        assert values["Max Latencies"][column] == f"{thread['max']:05d}"
        rows = measured.json["twoway"]["cycles"] - thread["overflows"]
        assert values["Total"][column] == f"{rows:09d}"
        overflows = values["Histogram Overflows"][column]
        assert overflows == f"{thread['overflows']:05d}"
        # Cut, not rounded; JSON's is rounded to two digits.
        average = int(values["Avg Latencies"][column])
        assert -0.006 <= thread["avg"] - average < 1.006
        deviation = float(values["Std Deviations"][column])
        assert abs(deviation - thread["stddev"]) <= 0.0506
    missed = measured.json["twoway"]["missed"]
    assert values["Missed"] == [f"{missed:05d}"] * len(measured.metrics)


def test_worst_cycle(measured):
    """Of each metric: the first of those that reach its maximum."""
    worst = measured.json["twoway"]["worst"]
    assert list(worst) == measured.metrics
    start = measured.cycles[0].t0_ns
    for metric, report in worst.items():
        values = measured.values[metric]
        number = report["cycle"]
        cycle = measured.cycles[number]
        if measured.exact(metric):
            assert number == values.index(max(values)), metric
        assert report["since_start_ns"] == cycle.t0_ns - start
        assert report["missed"] == cycle.missed
        for phase in oracle.DEFAULT_METRICS:
            if phase not in measured.metrics:
                assert f"{phase}_ns" not in report
                continue
            exact = measured.values[phase][number]
            slack = 0 if measured.exact(phase) or number else 5 * LOOPS
            assert abs(report[f"{phase}_ns"] - exact) <= slack, phase


def check_grid(cycles, period_ns):
    for before, after in itertools.pairwise(cycles):
        step = after.planned_ns - before.planned_ns
        assert step == (1 + before.missed) * period_ns
        assert after.planned_ns <= after.t0_ns


TIMERS = ("posix", "nanosleep", "timerfd")


@pytest.mark.parametrize("clock", ["monotonic", "realtime"])
@pytest.mark.parametrize("timer", TIMERS)
def test_grid(run, timer, clock):
    run("--default-system", "-q", "-l", LOOPS, "-i", 400, "--dump=dump",
        f"--timer={timer}", f"--clock={clock}")
    cycles = twoway.read_dump(run.directory / "dump")
    assert len(cycles) == LOOPS
    check_grid(cycles, 400000)


@pytest.mark.parametrize("clock", ["monotonic_raw", "tai", "boottime"])
@pytest.mark.parametrize("timer", TIMERS)
def test_grid_on_a_clock_without_timers(run, timer, clock):
    """Expiries are translated: to half a us, each, plus the clocks' drift."""
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("reading a clock takes an emulator more than half a us")
    run("--default-system", "-q", "-l", LOOPS, "-i", 400, "--dump=dump",
        f"--timer={timer}", f"--clock={clock}")
    cycles = twoway.read_dump(run.directory / "dump")
    for before, after in itertools.pairwise(cycles):
        span = (1 + before.missed) * 400000
        slack = 1001 + span // 1000
        assert abs(after.planned_ns - before.planned_ns - span) <= slack


@pytest.mark.parametrize("timer", TIMERS)
def test_grid_of_a_client_that_was_held_up(start, tmp_path, timer):
    """Stopped for many periods: those are missed, the grid stays."""
    process = start("--default-system", "-q", "-i", 1000, "--dump=dump",
                    "--json=json", f"--timer={timer}")
    client = process.steady()["client"]
    os.kill(client, signal.SIGSTOP)
    stopped = outside.wait_for(
        lambda: outside.status(client, "State")[:1] == "T")
    time.sleep(0.03)
    # It goes on for some cycles, so that what was missed is counted.
    enough = outside.switches(client) + 10
    os.kill(client, signal.SIGCONT)
    assert outside.wait_for(lambda: outside.switches(client) > enough)
    process.signal(signal.SIGINT)
    assert stopped and process.finish() == 0
    cycles = twoway.read_dump(tmp_path / "dump")
    check_grid(cycles, 1000000)
    # Held up between two expiries, or while it waited for a reply.
    assert max(cycle.missed for cycle in cycles) >= 25
    json = outside.load_json(tmp_path / "json")
    assert json["twoway"]["missed"] == sum(c.missed for c in cycles)
    assert json["twoway"]["cycles"] == len(cycles)


def test_closed_loop_has_no_grid(run):
    run("--default-system", "-q", "-l", LOOPS, "-i", 0, "--dump=dump")
    for cycle in twoway.read_dump(run.directory / "dump"):
        assert cycle.planned_ns == cycle.t0_ns
        assert cycle.missed == 0


def test_what_main_cannot_take_is_counted(start, tmp_path):
    """Statistics have every cycle, the dump what main had room for."""
    loops = 20000
    process = start("--default-system", "-q", "-i", 0, "--sleep=0", "-l",
                    loops, "--dump=dump", "--json=json")
    client = outside.wait_for(lambda: process.sides().get("client"))
    process.signal(signal.SIGSTOP)
    ended = outside.wait_for(lambda: not outside.alive(client), 20)
    process.signal(signal.SIGCONT)
    assert ended and process.finish() == 0
    json = outside.load_json(tmp_path / "json")
    lost = json["twoway"]["not_dumped"]
    cycles = twoway.read_dump(tmp_path / "dump")
    assert lost > 0
    assert json["twoway"]["cycles"] == loops == len(cycles) + lost
    assert f"# Not dumped: {lost} cycles" in process.out
    numbers = [cycle.cycle for cycle in cycles]
    assert numbers == sorted(set(numbers))
