# SPDX-License-Identifier: GPL-2.0-or-later
"""--worst and --spike: cycles that are kept whole are those of the dump."""

import os
import re
import signal

import pytest

import formats
import kept
import options
import oracle
import outside
import ramp
import schema
import twoway

SETUPS = {
    "default": oracle.Setup(700, 100),
    "trltp3": oracle.Setup(500, 100, "trltp3"),
    "no sleep": oracle.Setup(500, 0),
    "closed loop": oracle.Setup(0, 50),
}
FILES = ("--json=json", "--dump=dump")


def arguments(setup):
    return ("--default-system", "-q", *setup.options())


class View:
    """A run with -N, and its cycles to the last nanosecond."""

    def __init__(self, result, setup, times):
        self.result = result
        self.setup = setup
        self.times = times
        self.lines = result.stdout.splitlines()
        self.json = schema.check(result.text("json"))
        self.steps = kept.steps_of(self.json, result.dump(), setup)
        self.ramp = len(self.steps) > 1

    def all(self, metric):
        """Its values, of all steps."""
        return [value for step in self.steps for value in step.values[metric]]

    def place(self, index):
        """The step and the cycle in it of a cycle of the run."""
        for number, step in enumerate(self.steps):
            if index < len(step.cycles):
                return number, index
            index -= len(step.cycles)
        raise IndexError(index)


def viewed(directory, setup, *args):
    before = kept.now()
    result = twoway.run(*arguments(setup), "-N", *args, *FILES,
                        directory=directory)
    assert (result.returncode, result.stderr) == (0, "")
    return View(result, setup, (before, kept.now()))


RAMP = ("--load=fft", "--steps=3", "-l", "40")


@pytest.fixture(scope="module", params=[*SETUPS, "ramp"])
def worst(request, tmp_path_factory):
    setup = SETUPS.get(request.param, SETUPS["default"])
    return viewed(tmp_path_factory.mktemp("run"), setup, "--worst", "-l",
                  kept.MOST_CYCLES, f"--metrics={','.join(setup.metrics())}",
                  *(RAMP if request.param == "ramp" else ()))


def test_worst_is_the_dumps(worst):
    """The first of the cycles that have the maximum, with all its members."""
    reports = worst.json["twoway"]["worst"]
    assert list(reports) == worst.setup.metrics()
    for metric, report in reports.items():
        values = worst.all(metric)
        index = values.index(max(values))
        assert (report["step"], report["cycle"]) == worst.place(index)
        kept.check_member(report, worst.steps, worst.setup)
        thread = kept.thread_of(worst.json, metric)
        assert thread["max"] == values[index]
    kept.check_times(reports.values(), worst.steps, *worst.times)


def test_parts_add_up(worst):
    for metric, report in worst.json["twoway"]["worst"].items():
        step = worst.steps[report["step"]]
        kept.check_parts(report["parts"], metric, step.values,
                         report["cycle"], worst.setup,
                         float(oracle.mean(worst.all(metric))))


def check_worst_lines(lines, json, setup, nsecs, ramp_=False):
    found = kept.parse_worst(lines)
    reports = json["twoway"]["worst"]
    assert list(found) == list(reports)
    for metric, (value, mean, line) in found.items():
        report = reports[metric]
        thread = kept.thread_of(json, metric)
        assert value == thread["max"]
        # Cut, not rounded; JSON's is rounded to two digits.
        assert -0.006 <= thread["avg"] - mean < 1.006
        kept.check_text(line, report, setup, nsecs, ramp_)
        shown = {part["phase"]: part["share"] for part in report["parts"]
                 if setup.interval_us or part["phase"] != "wakeup"}
        assert list(line.excess) == list(shown)
        for phase, share in shown.items():
            # The JSON's own rounding may tip it over.
            assert abs(line.excess[phase] - 100 * share) <= 0.506


def test_worst_as_text(worst):
    check_worst_lines(worst.lines, worst.json, worst.setup, True, worst.ramp)
    assert len(kept.parse_worst(worst.lines)) == len(worst.setup.metrics())


def test_means_beside_the_phases(worst):
    """The parentheses hold the means of all cycles, the same in each line."""
    for _, _, line in kept.parse_worst(worst.lines).values():
        for phase, mean in line.means.items():
            exact = oracle.mean(worst.all(phase))
            assert -0.001 <= exact - mean < 1.001, phase


def test_worst_in_microseconds(run):
    result = run(*arguments(SETUPS["default"]), "--worst", "-l", 50,
                 "--metrics=planned,total", *FILES)
    json = schema.check(result.text("json"))
    lines = result.stdout.splitlines()
    check_worst_lines(lines, json, SETUPS["default"], False)
    assert list(kept.parse_worst(lines)) == ["planned", "total"]


def test_worst_behind_a_histogram(run):
    """Which stays as it was: the lines come below it."""
    result = run(*arguments(SETUPS["default"]), "--worst", "--spike=1", "-l",
                 50, "-h", 200, *FILES)
    histogram, _, rest = result.stdout.partition("\n\n")
    formats.parse_histogram(histogram + "\n\n")
    check_worst_lines(rest.splitlines(), result.json(), SETUPS["default"],
                      False)
    assert len(kept.parse_spikes(rest.splitlines())[0]) == 50


def test_nothing_measured_has_no_worst(start, tmp_path):
    process = start("--default-system", "-q", "-i", 10 ** 6, "--worst",
                    "--spike=1", "--json=json")
    assert outside.wait_for(lambda: len(process.sides()) == 2)
    process.signal(signal.SIGINT)
    assert process.finish() == 1, process.err
    json = schema.check((tmp_path / "json").read_text())
    assert json["twoway"]["cycles"] == 0 and json["twoway"]["worst"] == {}
    assert json["twoway"]["spikes"] == {
        "metric": "response", "limit_us": 1, "seen": 0, "kept": []}
    lines = process.out.splitlines()
    assert not kept.parse_worst(lines)
    assert kept.parse_spikes(lines) == ([], 0)


@pytest.mark.parametrize("zone, offset", [("XXX-5:30", "+0530"),
                                          ("YYY+9", "-0900"),
                                          ("UTC0", "+0000")])
def test_times_are_local(run, zone, offset):
    before = kept.now()
    result = run(*arguments(SETUPS["default"]), "-N", "--worst", "-l", 20,
                 *FILES, env={"TZ": zone})
    json = schema.check(result.text("json"))
    reports = json["twoway"]["worst"].values()
    assert all(report["time"].endswith(offset) for report in reports)
    steps = kept.steps_of(json, result.dump(), SETUPS["default"])
    kept.check_times(reports, steps, before, kept.now())


@pytest.mark.parametrize("clock", ["realtime", "monotonic_raw", "tai",
                                   "boottime", "tsc"])
def test_times_on_every_clock(run, clock):
    before = kept.now()
    result = run(*arguments(SETUPS["default"]), "-N", "-l", 20, *FILES,
                 f"--clock={clock}")
    if clock == "tsc" and result.returncode:
        pytest.skip(result.stderr.strip())
    json = schema.check(result.text("json"))
    steps = kept.steps_of(json, result.dump(), SETUPS["default"])
    kept.check_times(json["twoway"]["worst"].values(), steps, before,
                     kept.now())


def spike_limits(values):
    """Limits in us that all, some and none of the values exceed."""
    ordered = sorted(value // 1000 for value in values)
    return 1, max(1, ordered[len(ordered) // 2]), 10 ** 9


@pytest.mark.parametrize("metric, nodes", [
    ("response", None), ("response", 3), ("total", None), ("send", 3),
    ("network", None)])
@pytest.mark.parametrize("which", ["all", "some", "none"])
@pytest.mark.parametrize("name", [*SETUPS, "ramp"])
def test_spikes_are_the_dumps(run, tmp_path, name, which, metric, nodes):
    """All above the limit, in their order; --spike-nodes cuts them."""
    setup = SETUPS.get(name, SETUPS["default"])
    args = ("-l", 60, *(RAMP if name == "ramp" else ()))
    limit_us = 10 ** 9 if which == "none" else 1
    if which == "some":
        first = viewed(tmp_path, setup, *args)
        limit_us = spike_limits(first.all(metric))[1]
        for path in tmp_path.iterdir():
            path.unlink()
    chosen = "" if metric == "response" else f"{metric}:"
    view = viewed(tmp_path, setup, *args, f"--spike={chosen}{limit_us}",
                  *([f"--spike-nodes={nodes}"] if nodes else []))
    values = view.all(metric)
    above = [index for index, value in enumerate(values)
             if value > 1000 * limit_us]
    assert which != "all" or len(above) == len(values)
    spikes = view.json["twoway"]["spikes"]
    assert (spikes["metric"], spikes["limit_us"], spikes["seen"]) == (
        metric, limit_us, len(above))
    assert f"# Spikes: cycles whose {metric} exceeds {limit_us}000" in \
        view.lines
    reports = spikes["kept"]
    assert [(report["step"], report["cycle"]) for report in reports] == \
        [view.place(index) for index in above[:nodes]]
    for report in reports:
        kept.check_member(report, view.steps, setup)
    if reports:
        kept.check_times(reports, view.steps, *view.times)
    check_spike_lines(view, metric, reports, len(above))


def check_spike_lines(view, metric, reports, seen):
    found, count = kept.parse_spikes(view.lines)
    assert count == seen and len(found) == len(reports)
    metrics = view.json["twoway"]["settings"]["metrics"]
    phases = view.setup.metrics(kept.PHASES)[:-2]
    for spike, report in zip(found, reports):
        assert spike.column == (metrics.index(metric) if metric in metrics
                                else len(metrics))
        step = view.steps[report["step"]]
        assert spike.value == step.values[metric][report["cycle"]]
        cycle = step.cycles[report["cycle"]]
        assert spike.t0_us == cycle.t0_ns // 1000
        assert spike.cycle == report["cycle"]
        assert spike.step == (report["step"] + 1 if view.ramp else None)
        assert spike.values == {phase: report[f"{phase}_ns"]
                                for phase in phases}
        assert spike.throttled == report["throttled"]
    cut = [line for line in view.lines if line.startswith("# Spikes not kept")]
    assert cut == ([f"# Spikes not kept: {seen - len(reports)}; "
                    "give more --spike-nodes"] if seen > len(reports) else [])


def test_default_of_spike_nodes(run):
    result = run(*arguments(SETUPS["closed loop"]), "-l", 1100, "--spike=1",
                 "--json=json")
    spikes = result.json()["twoway"]["spikes"]
    assert spikes["seen"] == 1100 and len(spikes["kept"]) == 1024
    assert "# Spikes not kept: 76; give more --spike-nodes" in result.stdout


def test_a_spike_is_cyclictests(run):
    """Who reads its Spike lines finds them, in whole us without -N."""
    result = run(*arguments(SETUPS["default"]), "-l", 20, "--spike=1",
                 "--metrics=send,response", "--json=json")
    pattern = re.compile(r"^T:([ \d]\d) Spike:([ \d]{7}\d): TS: ([ \d]{11}\d)"
                         r"(?: |$)", re.MULTILINE)
    lines = [tuple(map(int, words)) for words in
             pattern.findall(result.stdout)]
    reports = result.json()["twoway"]["spikes"]["kept"]
    assert [line[:2] for line in lines] == [
        (1, report["response_ns"] // 1000) for report in reports]
    assert len(lines) == 20
    assert re.search(r"^spikes = 20$", result.stdout, re.MULTILINE)


def test_without_spike_there_is_none(run):
    result = run(*arguments(SETUPS["default"]), "-l", 20, "--json=json")
    assert result.json()["twoway"]["spikes"] is None
    assert kept.parse_spikes(result.stdout.splitlines()) == ([], None)


@pytest.mark.parametrize("kind", ["fft", "hackbench"])
def test_table_of_a_ramp_comes_before(run, tmp_path, kind):
    """What reads a ramp's output reads it still."""
    stub = tmp_path / "hackbench"
    stub.write_text("#!/bin/sh\nexec sleep 9\n")
    stub.chmod(0o755)
    result = run(*arguments(SETUPS["default"]), "-l", 30, "--spike=1",
                 f"--load={kind}", "--steps=2", *FILES,
                 env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert result.returncode == 0, result.stderr
    table, _, rest = result.stdout.partition("\nT: 4 Spike:")
    found = ramp.parse(table + "\n", kind, 2)
    assert len(found.steps) == 2
    assert rest.rstrip().endswith("spikes = 60")


def test_more_memory_than_there_is(run):
    with open("/proc/meminfo", encoding="ascii") as file:
        total_kb = int(file.readline().split()[1])
    if total_kb > 512 << 20:
        pytest.skip("this machine has too much memory for this test")
    result = run("--spike=1", "--spike-nodes=10000000", "--load=fft",
                 "--steps=1024", "-l", 1)
    assert result.returncode == 1 and not result.stdout
    assert re.fullmatch(r"twowaytest: --spike-nodes=10000000: needs \d+ MiB "
                        r"of memory, and \d+ MiB are free; .*\n",
                        result.stderr)


def test_cpus_are_those_that_it_is_pinned_to(run):
    """A cycle tells where it was: on the one CPU that each side has."""
    cpus = options.CPUS
    client, server = cpus[0], cpus[-1]
    result = run(*arguments(SETUPS["default"]), "-l", 30, "--spike=1",
                 f"--client-affinity={client}", f"--server-affinity={server}",
                 "--json=json")
    spikes = result.json()["twoway"]["spikes"]["kept"]
    assert len(spikes) == 30
    assert {(spike["client_cpu"], spike["server_cpu"])
            for spike in spikes} == {(client, server)}
