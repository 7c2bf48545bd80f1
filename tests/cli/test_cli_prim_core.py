# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: what all of its tests have in common."""

import csv
import os
import re
import signal
import subprocess

import pytest

import ended
import outside
import primitives
import schema


def test_identity(primitive):
    """Out and back are the round trip, in each trial."""
    result = primitive("--test=sync2", "--tasks=thread,process", "-l", "50")
    assert result.returncode == 0, result.stderr
    for name, test in result.tests.items():
        assert test["trials"] == 50
        if test["kind"] == "mutex":
            continue  # it goes out only
        assert result.sum_ns(f"{name}.out") + result.sum_ns(f"{name}.back") \
            == pytest.approx(result.sum_ns(f"{name}.roundtrip"), abs=2)


def test_interval_follows_from_wakeup(primitive):
    """interval[n] = period + wakeup[n] - wakeup[n - 1]; longer by those that
    were missed."""
    result = primitive("--test=timer", "--period=2000", "-l", "20")
    first = result.series["timer.2000.wakeup"]["first"][-1]
    interval = result.sum_ns("timer.2000.interval")
    assert interval >= 20 * 2000000 - first


def test_first_stand_apart(primitive):
    result = primitive("--test=sync1.mutex", "-l", "5", "--warmup=3")
    series = result.series["sync1.mutex.pair"]
    assert len(series["first"]) == 3
    assert result.columns["sync1.mutex.pair"]["cycles"] == 5
    shown, = result.lines("# First: sync1.mutex pair ")
    assert [int(value) for value in series["first"]] == [
        int(value) for value in shown.split()[:-1]]
    assert shown.endswith(" ns")


def test_spans_make_series(primitive):
    """Of the dump's trials; the first has none before it."""
    result = primitive("--test=timer.1000,sync1.futex,sync2.futex", "-l", "30",
                       "--dump=dump")
    rows = list(csv.DictReader(
        (primitive.directory / "dump").read_text().splitlines()))
    spans = result.json["primitives"]["spans"]
    assert set(spans) == set(result.columns) == set(result.series)
    for name, series in result.series.items():
        trials = [{key.removesuffix("_ns"): int(value) for key, value in
                   row.items() if key not in ("test", "trial")}
                  for row in rows if row["test"] == series["test"]]
        trials = [now | {f"prev_{key}": at for key, at in before.items()}
                  for now, before in zip(trials[1:], trials)]
        values = [schema.span(spans, name, trial) for trial in trials]
        rest = series["avg"] * series["cycles"] - sum(values)
        assert series["cycles"] == len(values) + 1 == 30
        assert series["min"] - 1 <= rest <= series["max"] + 1
        assert series["min"] <= min(values) + 0.001
        assert series["max"] >= max(values) - 0.001


def test_two_cpus(primitive):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one CPU")
    result = primitive("--test=sync2.futex", "--cpus=same,cross", "-l", "20")
    cross = result.tests["sync2.futex.process.cross"]["processes"]
    same = result.tests["sync2.futex.process.same"]["processes"]
    assert cross[0]["cpus"] != cross[1]["cpus"]
    assert same[0]["cpus"] == same[1]["cpus"]


@pytest.mark.parametrize("option,why", [
    ("--test=nothing", "there is no such test"),
    ("--test=sync2.nothing", "there is no such kind"),
    ("--test=", "at least one test"),
    ("--tasks=fork", "thread"),
    ("--cpus=far", "same"),
    ("--order=up", "higher"),
    ("-p99", "3 to 98"),
    ("-p2", "3 to 98"),
    ("--bin=0", "1 to"),
    ("--period=99", "100 to"),
])
def test_refused(primitive, option, why):
    result = primitive(option, json=False)
    assert result.returncode == 1
    assert why in result.stderr
    assert not result.stdout


def test_list(primitive):
    result = primitive("--list", json=False)
    assert result.returncode == 0
    assert "sync2" in result.stdout and "futex" in result.stdout


def test_list_says_how_many_trials(primitive):
    """Of a test, and of a kind that has a number of its own."""
    listed = primitive("--list", json=False).stdout
    _, kinds, trials, *_ = listed[listed.index("\nsignal "):].strip().split("\n")
    assert kinds.endswith(" queue (1000 trials)")
    assert kinds.count("trials") == 1 and " trials: 10000;" in trials
    result = primitive("--test=signal.sigwaitinfo,signal.queue")
    assert [test["trials"] for test in result.tests.values()] == [10000, 1000]


def test_duration(primitive):
    result = primitive("--test=sync1.mutex", "-D", "1")
    assert result.returncode == 0
    assert result.columns["sync1.mutex.pair"]["cycles"] > 1


def test_duration_begins_after_the_warm_up(primitive):
    result = primitive("--test=sync2.futex", "-D1", "-i", "700000")
    assert result.returncode == 0
    assert result.tests["sync2.futex.process.same"]["trials"] in (1, 2)


def test_break(primitive):
    """A value above the limit ends the run, with exit status 2."""
    result = primitive("--test=timer.1000,sync1", "-b", "1", "-l", "100")
    assert result.returncode == 2
    assert result.lines("# Break: ")[0].startswith("timer.1000.")
    assert len(result.tests) == 1


def test_worst(primitive):
    """Each trial once, with every column that it is the worst of."""
    result = primitive("--test=sync1.mutex,sync2.futex,timer.1000", "-l60",
                       "--worst")
    worst, expected = result.json["primitives"]["worst"], {}
    for name, of in worst.items():
        row, _, token = name.rpartition(".")
        expected.setdefault((row, of["trial"]), []).append(token)
    assert list(worst) == list(result.columns)
    lines = result.lines("# Worst: ")
    assert len(lines) == len(expected)
    for line, ((row, trial), tokens) in zip(lines, expected.items()):
        head, _, values = line.partition(":")
        assert head == f"{row}.{', '.join(tokens)}, trial {trial}"
        *values, unit = values.split()
        names, found = values[::2], values[1::2]
        assert unit == "ns"
        of = worst[f"{row}.{tokens[0]}"]["values"]
        assert names == list(of)
        # The text has whole ns, rounded down.
        assert [int(one) for one in of.values()] == list(map(int, found))
    assert len(expected) < len(worst)


def kib(path, key):
    """The figure of a line; 0 of a process that has ended."""
    return int((re.findall(rf"^{key}:\s*([0-9]+) kB", outside.read(path), re.M)
                or [0])[0])


@pytest.mark.parametrize("tests, main_mib, all_mib", [
    ("all", 8, 80), ("work,message,stream,copy.8", 8, 40)])
def test_memory(start, tests, main_mib, all_mib):
    """Of main, and of all processes; copy.16 copies 32 MB to 32 MB."""
    primitives.need_preload()
    process = start("-q", f"--test={tests}", "-l", "1",
                    program=primitives.binary(),
                    # Else memory that is only allocated is touched.
                    env={"MALLOC_PERTURB_": "0"})
    of_main = of_all = 0
    while process.process.poll() is None:
        # Before that, it is a copy of ours.
        if outside.status(process.pid, "Name") != "primitivetest":
            continue
        own = process.processes()
        of_main = max(of_main, kib(f"/proc/{process.pid}/status", "VmHWM"))
        of_all = max(of_all, sum(kib(f"/proc/{pid}/smaps_rollup", "Pss")
                                 for pid in own))
    assert process.finish() == 0, process.err
    assert 0 < of_main <= main_mib * 1024
    assert of_main / 2 < of_all <= all_mib * 1024


# How many timestamps a trial has.
STAMPS = {"sync1.mutex": 2, "sync2.futex": 3, "sync2.mutex": 2, "message.8": 3,
          "stream.8": 3, "signal.sigwaitinfo": 3, "signal.queue": 4,
          "thread": 4}


def test_dump(primitive, tmp_path):
    """Timestamps that a test does not take are 0."""
    primitive(f"--test={','.join(STAMPS)}", "-l", "3", "--dump=dump")
    head, *lines = ended.table((tmp_path / "dump").read_text("ascii"))
    assert head == "test,trial,t0_ns,t1_ns,t2_ns,t3_ns,t4_ns"
    assert len(lines) == 3 * len(STAMPS)
    for line in lines:
        name, _, *stamps = line.split(",")
        taken = STAMPS[name.removesuffix(".process.same")]
        assert all(int(stamp) > 0 for stamp in stamps[:taken]), line
        assert stamps[taken:] == ["0"] * (5 - taken), line


def deviations(values, target=None):
    """From the mean, divided by one less; from the target, if there is one,
    divided by all."""
    mean = sum(values) / len(values)
    of_mean, of_target = (sum((value - about) ** 2 for value in values)
                          for about in (mean, target or mean))
    return (of_mean / (len(values) - 1)) ** 0.5, \
        (of_target / len(values)) ** 0.5


def test_statistics(primitive, tmp_path):
    """Lines and JSON, once more from the timestamps."""
    result = primitive("--test=timer.1000,sync2.futex", "-l", "50", "-N",
                       "--warmup=0", "--dump=dump")
    stamps = {}
    for line in ended.rows((tmp_path / "dump").read_text("ascii")):
        name, _, *times = line.split(",")
        stamps.setdefault(name, []).append(list(map(int, times)))
    two, timer = "sync2.futex.process.same", stamps["timer.1000"]
    values = {f"{two}.{name}": [one[b] - one[a] for one in stamps[two]]
              for name, a, b in (("out", 0, 1), ("back", 1, 2),
                                 ("roundtrip", 0, 2))}
    values["timer.1000.wakeup"] = [one[1] - one[0] for one in timer]
    values["timer.1000.interval"] = [b[1] - a[1]
                                     for a, b in zip(timer, timer[1:])]
    assert set(values) == set(result.columns)
    assert len({task["pid"] for test in result.tests.values()
                for task in test["processes"]}) == 3
    lines = result.lines("T:")
    for number, (name, column) in enumerate(result.columns.items()):
        of = values[name]
        std, rms = deviations(of, 10**6 if "interval" in name else None)
        assert (column["cycles"], column["min"], column["max"]) == (
            len(of), min(of), max(of))
        assert column["avg"] == pytest.approx(sum(of) / len(of), abs=0.001)
        assert column["stddev"] == pytest.approx(std, rel=1e-5)
        assert column["rms"] == pytest.approx(rms, rel=1e-5)
        task = result.tests[name.rpartition(".")[0]]["processes"][0]
        begin, _, rest = lines[number].partition(" Std:")
        assert begin == "%d (%5d) P:%2d I:%d C:%7d Min:%7d Act:%8d Avg:%8d " \
            "Max:%8d" % (number, task["pid"], task["priority"], 0, len(of),
                         min(of), of[-1], sum(of) // len(of), max(of))
        shown, said = rest.split()
        assert said == name and abs(float(shown) - std) < 0.06


@pytest.mark.parametrize("trials", [9, 25000])
def test_dump_has_all_trials(primitive, tmp_path, trials):
    """Also if they are more than a test makes by itself."""
    result = primitive("--test=sync1.mutex", "-l", trials, "--warmup=2",
                       "--dump=dump")
    _, *lines = ended.table((tmp_path / "dump").read_text("ascii"))
    assert [int(line.split(",")[1]) for line in lines] == list(
        range(1, trials + 1))
    assert result.columns["sync1.mutex.pair"]["cycles"] == trials


def test_unbuffered(start):
    """-u: what it prints comes at once."""
    process = start("-u", "--test=timer.1000", "-D", "600",
                    program=primitives.binary())
    while not process.process.stdout.readline().startswith("# Not real-"):
        assert process.process.poll() is None
    task = outside.wait_for(lambda: process.named("prim-high"))
    assert outside.wait_for(lambda: outside.switches(task[0]) > 9)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err


@pytest.mark.skipif(not os.access(outside.CPU_DMA_LATENCY, os.W_OK),
                    reason=f"cannot write {outside.CPU_DMA_LATENCY}")
@pytest.mark.parametrize("option, us", [
    ("--latency=9", 9), ("-q", 0), ("--default-system", None)])
def test_idle_states(start, option, us):
    """They are kept away as long as it runs, or are left alone."""
    process = start(option, "-q", "--test=timer.1000", "-D", "600",
                    program=primitives.binary())
    task = outside.wait_for(lambda: process.named("prim-high"))
    assert outside.wait_for(lambda: outside.switches(task[0]) > 9)
    assert (outside.CPU_DMA_LATENCY in outside.open_files(process.pid)) == \
        (us is not None)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    assert re.findall(r"^# \S+ set to (\d+)us$", process.out, re.M) == (
        [] if us is None else [str(us)])


@pytest.mark.alone      # it takes a CPU for a second
@pytest.mark.parametrize("kinds", ["same", "cross", "same,cross"])
@pytest.mark.parametrize("which", [0, 1])
def test_who_else_used_the_cpus(primitive, kinds, which):
    """Of those that the tasks had, and no other; and on which one."""
    cpus = sorted(os.sched_getaffinity(0))[-2:][::-1]
    if len(cpus) < 2:
        pytest.skip("there is one CPU")
    with subprocess.Popen(
            ["sh", "-c", "while :; do :; done"],
            preexec_fn=lambda: os.sched_setaffinity(0, {cpus[which]})) as spin:
        try:
            for _ in range(6):
                of = primitive("--test=sync2.futex", "-D", "1", "--cpus",
                               kinds).json["primitives"]["others"]
                if of["complete"]:
                    break
        finally:
            spin.kill()
    seen = {row["cpu"]: [task["id"] for task in row["tasks"]]
            for row in of["cpus"]}
    assert sorted(seen) == sorted(cpus[:1 + ("cross" in kinds)])
    assert spin.pid not in seen.get(cpus[1 - which], [])
    assert outside.runnable() > 9 or cpus[which] not in seen or \
        spin.pid in seen[cpus[which]]


@pytest.mark.parametrize("trials", [63, 64, 100, 1025, 3001])
def test_maxima(primitive, tmp_path, trials):
    """Of 64 blocks, each trial in one."""
    result = primitive("--test=timer.1000,sync2.futex", "-l", trials, "-N",
                       "--warmup=0", "--dump=dump")
    stamps = {}
    for line in ended.rows((tmp_path / "dump").read_text("ascii")):
        name, _, *times = line.split(",")
        stamps.setdefault(name, []).append(list(map(int, times)))
    timer = stamps["timer.1000"]
    two = "sync2.futex.process.same"
    each = 1 if trials <= 1024 else 2 if trials <= 2048 else 4
    edges = [each * ((trials + each - 1) // each * at // 64)
             for at in range(65)]
    values = {f"{two}.roundtrip": [one[2] - one[0] for one in stamps[two]],
              "timer.1000.interval": [None] + [
                  b[1] - a[1] for a, b in zip(timer, timer[1:])]}
    for name, of in values.items():
        blocks = [list(filter(None, of[a:b])) for a, b in zip(edges, edges[1:])]
        assert result.columns[name]["maxima"] == (
            [] if trials < 64 else [max(one, default=None) for one in blocks])
