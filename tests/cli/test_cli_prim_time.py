# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: alarm, sleep, clock, bintime and delay."""

import csv
import os
import pathlib
import re
import resource
import time

import pytest

import ended
import outside

PERIOD_NS = 1000000
TICKS = 20


def can_read(clockid):
    try:
        return time.clock_gettime(clockid) >= 0
    except OSError:
        return False


# Of those that not every system has: whether the kernel has them.
HAS = {"clock.realtime_alarm": can_read(8),
       "clock.boottime_alarm": can_read(9),
       **dict.fromkeys(("clock.tsc", "bintime.tsc"), outside.has_counter())}


@pytest.fixture
def measure(primitive):
    """Runs a test with --dump: its result, and the timestamps of trials."""
    def measure_it(name, *args, **options):
        if not HAS.get(name, True):
            pytest.skip(f"the kernel has no clock for {name}")
        result = primitive(f"--test={name}", "-N", "--dump=dump", *args,
                           **options)
        assert result.returncode == 0, result.stderr
        lines = list(csv.reader(ended.table(
            result.path("dump").read_text(encoding="ascii"))))
        assert lines[0][:2] == ["test", "trial"]
        assert [int(line[1]) for line in lines[1:]] == \
            list(range(1, len(lines)))
        return result, [tuple(map(int, line[2:])) for line in lines[1:]]
    return measure_it


def sum_ns(result, name):
    """Exact: with -N, means are told in ps."""
    column = result.columns[name]
    assert column["cycles"] <= 500
    return round(column["avg"] * column["cycles"])


def verdicts(result, name):
    test = result.tests[name]
    assert not any(verdict["failed"] for verdict in test["verdicts"])
    return [verdict["text"] for verdict in test["verdicts"]]


def derived_ns(result, name):
    for figure in result.json["primitives"]["derived"]:
        if figure["name"] == name:
            return figure["value"] * 1000
    raise AssertionError(f"{name} is not derived")


def doubled(result):
    return int(re.fullmatch(r"doubled: (\d+) intervals of at least 1.5 "
                            "periods", *verdicts(result, "alarm")).group(1))


def test_alarm(measure):
    """The intervals add up to the time from the first signal to the last."""
    result, trials = measure("alarm", "-l", "50", "--warmup=0")
    stamps = [trial[0] for trial in trials]
    assert len(stamps) == 50
    assert result.columns["alarm.interval"]["cycles"] == 49
    assert sum_ns(result, "alarm.interval") == stamps[-1] - stamps[0]
    assert stamps[-1] - stamps[0] >= 48 * PERIOD_NS
    gaps = [b - a for a, b in zip(stamps, stamps[1:])]
    assert doubled(result) == sum(2 * gap >= 3 * PERIOD_NS for gap in gaps)


def test_alarms_of_a_late_task_coalesce(measure):
    """It awaits each signal so late that the next one is lost."""
    result, trials = measure(
        "alarm", "-l", "20",
        env={"LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
             "TW_DELAY": "high:sigsuspend:before:*:1600"})
    assert doubled(result) == len(trials) == 20
    assert result.tests["alarm"]["trials"] == 20


@pytest.mark.parametrize("call", ["usleep", "nanosleep", "absolute"])
@pytest.mark.parametrize("asked_us", [1, 100, 1000, 10000, 100000])
def test_sleep(measure, call, asked_us):
    """No sleep is too short."""
    name = f"sleep.{call}.{asked_us}"
    result, trials = measure(name, "-l", "5")
    assert len(trials) == result.tests[name]["trials"] == 5
    for begin, planned, end, *_ in trials:
        assert planned - begin == asked_us * 1000
        assert end >= planned
    assert sum_ns(result, f"{name}.excess") == \
        sum(trial[2] - trial[1] for trial in trials)
    needed = result.tests[name]["switches"]["needed"]
    assert needed == (0 if asked_us == 1 else 7)


@pytest.mark.parametrize("clock", ["monotonic", "realtime", "monotonic_raw",
                                   "tai", "boottime", "tsc"])
def test_clock_of_timestamps(measure, clock):
    """By each, a sleep lasts; they go at one speed, but for adjustments."""
    if clock == "tsc" and not HAS["clock.tsc"]:
        pytest.skip("the kernel has no reliable counter")
    _, trials = measure("sleep.nanosleep.100000", "-l", "1",
                        f"--clock={clock}")
    (begin, _, end, *_), = trials
    assert end - begin >= 99000000


def test_slack_of_ordinary_tasks(primitive):
    path = pathlib.Path("/proc/self/timerslack_ns")
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator's own slack is not the program's")
    if not path.exists():
        pytest.skip(f"{path} cannot be read")
    result = primitive("--test=sleep.nanosleep.100", "-l", "5")
    assert verdicts(result, "sleep.nanosleep.100") == [
        f"timer slack: up to {int(path.read_text())} ns of the excess"]


def test_no_slack_of_realtime_tasks(realtime):
    result = realtime("--test=sleep.nanosleep.100", "-l", "5")
    assert result.returncode == 0, result.stderr
    assert not verdicts(result, "sleep.nanosleep.100")


def test_clocks(primitive):
    """Each has its trials; a step is awaited in a few at a clock of ticks."""
    result = primitive("--test=clock", "-l", "40")
    assert result.returncode == 0, result.stderr
    assert len(result.tests) == 15
    for name, test in result.tests.items():
        assert bool(test["skipped"]) != HAS.get(name, True)
        if test["skipped"]:
            assert f"# Skipped: {name}: " in result.stdout
            continue
        assert test["trials"] == 40
        if name == "clock.linear":
            continue
        steps = result.columns[f"{name}.resolution"]["cycles"]
        if "coarse" in name or name == "clock.times":
            # One may come between two readings of a busy machine, too.
            assert TICKS - 2 <= steps < 40
        else:
            assert steps == 40


@pytest.mark.parametrize("clockid, kind", [
    (time.CLOCK_MONOTONIC, "monotonic"), (time.CLOCK_BOOTTIME, "boottime"),
    (5, "realtime_coarse"), (6, "monotonic_coarse"),
    (time.CLOCK_THREAD_CPUTIME_ID, "thread_cpu"),
])
def test_resolution(measure, clockid, kind):
    """A step is as long as the clock's tick, which clock_getres() tells."""
    result, trials = measure(f"clock.{kind}", "-l", "10")
    steps = [trial[4] - trial[2] for trial in trials if trial[4] != trial[2]]
    assert steps and min(steps) > 0
    told = round(time.clock_getres(clockid) * 1e9)
    # A jiffy of the kernel follows the adjustments of the clock.
    assert min(steps) >= told * 0.99
    assert sum_ns(result, f"clock.{kind}.resolution") == sum(steps)
    text, = verdicts(result, f"clock.{kind}")
    assert text.startswith(f"resolution: least step {min(steps)} ns, ")
    assert text.endswith(f"; the system tells {told} ns")


@pytest.mark.parametrize("kind, step_ns", [
    ("gettimeofday", 1000),
    ("times", 1000000000 // os.sysconf("SC_CLK_TCK")),
])
def test_units(measure, kind, step_ns):
    """What is read is whole units, and what is told in JSON their sums."""
    result, trials = measure(f"clock.{kind}", "-l", "10")
    for trial in trials:
        assert all(at % step_ns == 0 for at in trial[2:])
    assert sum_ns(result, f"clock.{kind}.difference") == \
        sum(trial[3] - trial[2] for trial in trials)
    assert verdicts(result, f"clock.{kind}")[0].endswith(f" {step_ns} ns")


def test_cost_of_a_clock(measure):
    """(t1 - t0 - cost of the clock that takes the timestamps) / 100."""
    result, trials = measure("clock.thread_cpu", "-l", "10")
    clock_ns = result.json["primitives"]["clock_cost"] * 1000
    cost = sum((end - begin - clock_ns) / 100 for begin, end, *_ in trials)
    column = result.columns["clock.thread_cpu.cost"]
    assert column["avg"] * 10 == pytest.approx(cost, abs=0.02)


@pytest.mark.parametrize("name", HAS)
def test_unknown_to_the_system(primitive, name):
    """What was named itself is refused, what belongs to a test skipped."""
    result = primitive(f"--test={name}", "-l", "5")
    assert (result.returncode == 0) == HAS[name], result.stderr
    assert (f"{name}: the system cannot read" in result.stderr) != HAS[name]


def test_linear(measure):
    """The line through the means, and through the minima."""
    result, trials = measure("clock.linear", "-l", "100")
    counts = (10, 100, 1000, 10000)
    columns = [result.columns[f"clock.linear.loop{n}"] for n in counts]
    for number, column in enumerate(columns):
        assert round(column["avg"] * 100) == \
            sum(trial[number + 1] - trial[number] for trial in trials)
    told = verdicts(result, "clock.linear")
    for text, what, key in ((told[0], "means", "avg"),
                            (told[1], "minima", "min")):
        found = re.fullmatch(rf"of the {what}: slope (\S+) ns an iteration, "
                             r"intercept (\S+) ns", text)
        times = [column[key] for column in columns]
        mean_x, mean_y = sum(counts) / 4, sum(times) / 4
        slope = sum((x - mean_x) * (y - mean_y)
                    for x, y in zip(counts, times)) / \
            sum((x - mean_x) ** 2 for x in counts)
        assert float(found.group(1)) == pytest.approx(slope, abs=1e-4)
        assert float(found.group(2)) == \
            pytest.approx(mean_y - slope * mean_x, abs=0.06)


@pytest.mark.parametrize("kind", ["vdso", "syscall", "tsc"])
def test_bintime(measure, kind):
    """Each delta begins where the one before ended: they are all the time."""
    name = f"bintime.{kind}"
    result, trials = measure(name, "-l", "300")
    assert len(trials) == result.tests[name]["trials"] == 300
    assert all(a[1] == b[0] for a, b in zip(trials, trials[1:]))
    assert sum_ns(result, f"{name}.delta") == result.tests[name]["number"] \
        == trials[-1][1] - trials[0][0]
    column = result.columns[f"{name}.delta"]
    assert derived_ns(result, f"{name}.blocking") == \
        pytest.approx(column["max"] - column["avg"], abs=0.01)


@pytest.mark.parametrize("warmup", [0, 2, 1500])
def test_blocks_of_deltas(measure, warmup):
    """Across blocks of readings, and a warm-up that ends within one."""
    result, trials = measure("bintime.vdso", "-l", "3000",
                             f"--warmup={warmup}")
    assert len(trials) == 3000
    breaks = [n for n, (a, b) in enumerate(zip(trials, trials[1:]))
              if a[1] != b[0]]
    assert [n for n in range(2999) if (n + 1 + warmup) % 1024 == 0] == breaks
    assert result.tests["bintime.vdso"]["number"] == \
        sum(trial[1] - trial[0] for trial in trials)


def test_delay(measure):
    """The next point is 10 ticks later; no delay is too short."""
    result, trials = measure("delay", "-l", "450")
    asked = [trial[1] - trial[0] for trial in trials]
    assert len(set(asked[:300])) == len(set(asked[300:])) == 1
    assert asked[300] > asked[0]
    errors = [trial[2] - trial[1] for trial in trials]
    assert min(errors) >= 0
    assert sum_ns(result, "delay.error") == sum(errors)
    text, = verdicts(result, "delay")
    if text.startswith("no delay"):
        return
    found = re.match(r"shortest: (\d+) ticks, with a mean error of (\S+) "
                     r"ticks; a reading takes (\d+), and a tick (\S+) ns",
                     text)
    ticks, error, cost, tick_ns = map(float, found.groups())
    assert error <= cost + 0.05
    assert ticks in (cost + 1, cost + 11)
    assert derived_ns(result, "delay.shortest") == \
        pytest.approx(ticks * tick_ns, rel=0.01)


def test_delay_without_the_warm_up(measure):
    """The mean error is that of the only trial, to the parts of a ns."""
    result, ((_, planned, end, *_),) = measure("delay", "-l", "1",
                                               "--warmup=100")
    text, = verdicts(result, "delay")
    if text.startswith("no delay"):
        return
    error, tick_ns = map(float, re.search(
        r"mean error of (\S+) .* tick (\S+) ns", text).groups())
    assert error * tick_ns == pytest.approx(end - planned, abs=1.1)


def test_spins_half_of_the_time(realtime):
    """Real-time throttling has no reason to stop it, nor what follows it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    result = realtime("--test=bintime.vdso,clock.process_cpu",
                      "-D", "2")
    took = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 0, result.stderr
    spun = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Each of both for 2 s, if nobody else has the CPU.
    assert 0.8 < spun < 0.7 * took


def test_rests_after_short_tests(realtime):
    """Each spins for less than 500 ms; the sum of them does not matter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    result = realtime("--test=clock.realtime_coarse,"
                      "clock.monotonic_coarse,clock.times", "-l", "20")
    took = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert result.returncode == 0, result.stderr
    spun = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spun < 0.7 * took
