# SPDX-License-Identifier: GPL-2.0-or-later
"""Injected causes of a long trial: primitivetest's --trace names each of them
rightly."""

import os
import re
import struct
import subprocess

import outside
import primitives
import pytest
import tracing

WARMUP = 2
TRIAL = 17          # the one that a shim makes late
DELAY_US = 6000
BREAK_US = 3000
# A busy host breaks trials of its own: then the run is repeated.
TRIES = 15
SHARE = 0.05        # of the delay, that the analysis may be wrong by
SPIN_US = 8000

CPUS = sorted(os.sched_getaffinity(0))
MARK = re.compile(r"# (\d+)\.(\d{9}): primitivetest: (\S+), trial (\d+): "
                  r"(\w+) (begins|ends)")

# Test, task and its call, how many of these it makes before the first trial;
# the span, whose it is, and the state that the delay is.
DELAYS = [
    ("sync2.unnamed", "answers:sem_wait:busy-after", 1, "out", "answers",
     "runs"),
    ("sync2.unnamed", "asks:sem_post:busy-before", 1, "out", "answers",
     "peer runs"),
    ("sync2.unnamed", "answers:sem_post:before", 1, "back", "asks",
     "peer blocked"),
    ("message.8", "asks:mq_send:busy-before", 0, "out", "answers",
     "peer runs"),
    ("timer.1000", "high:sigwaitinfo:after", 0, "wakeup", "high", "blocked"),
    ("sleep.nanosleep.1000", "high:nanosleep:busy-after", 0, "excess", "high",
     "runs"),
    ("sync3.inherit", "low:pthread_mutex_unlock:busy-before", 0, "inversion",
     "high", "peer runs"),
]

# Test, options, the CPU that is taken, the spans that may be late. A value of
# syscall is the average of 100 calls, and one of work usually takes 10 ms.
SPINS = [
    ("work.add", ("-b", 14000), -1, {"time"}),
    ("syscall.read", ("-b", 30), -1, {"call"}),
    ("timer.1000", (), -1, {"wakeup"}),
    ("sync2.futex", ("--tasks=thread",), -1, {"out", "back"}),
    ("sync2.futex", ("--cpus=cross",), 0, {"out", "back"}),
    ("thread", (), -1, {"create", "first", "join"}),
    ("copy.2", ("-b", 6000), -1, {"time"}),
]


class Broken:
    """What a run that -b has ended says of its last trial."""

    def __init__(self, run, directory):
        self.out = run.out
        self.json = outside.load_json(directory / "json")
        self.trial = self.json["primitives"]["break"]
        self.trace = outside.read(directory / "trace")
        self.analysis = self.trial["cause"]
        test, = [test for test in self.json["primitives"]["tests"]
                 if test["name"] == self.trial["name"]]
        self.pids = {task["name"]: task["pid"] for task in test["processes"]}
        self.tasks = {(task["name"], task["pid"])
                      for task in test["processes"]}

    def window(self):
        """When the span began and ended, on the trace's clock."""
        times = {match[6]: int(match[1]) * 10**9 + int(match[2])
                 for match in map(MARK.match, self.trace.splitlines())
                 if match and match[5] == self.analysis["phase"]}
        return times["begins"], times["ends"]

    def overlap(self, had):
        begin_ns, end_ns = self.window()
        return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
                   for begin, end in had)

    def time_of(self, wanted):
        return sum(span["ns"] for span in self.analysis["contributors"]
                   if wanted(span))


def check_consistent(broken):
    """What holds of every analysis, whatever the cause."""
    print(broken.out)
    trial, analysis = broken.trial, broken.analysis
    assert trial["values"][trial["metric"]] > 0
    begin_ns, end_ns = broken.window()
    assert end_ns - begin_ns == analysis["ns"]
    assert sum(span["ns"] for span in analysis["timeline"]) == analysis["ns"]
    assert sum(span["ns"]
               for span in analysis["contributors"]) == analysis["ns"]
    if analysis["side"] != "prim-new":
        assert (analysis["side"], analysis["pid"]) in broken.tasks
    assert f"# Cause: {analysis['cause']}\n" in broken.out
    assert analysis["cause"].startswith(f"{analysis['phase']} +")
    assert f"# Break: {trial['name']}.{trial['metric']}, trial " \
        f"{trial['trial']}: " in broken.out


@pytest.fixture
def measure(start, tracefs, memory):
    """Runs it until it breaks; None if it never does."""
    def run(test, *options, **popen):
        done = start("-q", "-m", "-p", 60, f"--test={test}", "--warmup",
                     WARMUP, "-b", BREAK_US, "--trace", "--trace-file",
                     memory / "trace", "--json", memory / "json", *options,
                     program=primitives.binary(), **popen)
        status = done.finish()
        assert status in (0, 2), done.err
        assert done.pid not in tracing.instances(tracefs)
        return Broken(done, memory) if status else None
    return run


@pytest.mark.parametrize("test, fault, before, phase, side, state", DELAYS,
                         ids=[f"{row[0]}-{row[1]}" for row in DELAYS])
def test_delayed_call(measure, memory, test, fault, before, phase, side,
                      state):
    """One call of one task takes longer, in one trial."""
    number = before + WARMUP + TRIAL - 1
    stamps = memory / "stamps"
    for _ in range(TRIES):
        stamps.write_bytes(b"")
        broken = measure(test, "-l", 60, env={
            "LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
            "TW_DELAY": f"{fault}:{number}:{DELAY_US}",
            "TW_DELAY_STAMPS": str(stamps)})
        assert broken, "nothing was delayed"
        if broken.trial["trial"] == TRIAL and \
                not tracing.unseen(broken.trace):
            injected = struct.unpack_from("=2q", stamps.read_bytes())
            if injected[1] - injected[0] < 1000 * DELAY_US * (1 + SHARE):
                break
    else:
        pytest.fail(f"the host's own delays broke all of {TRIES} runs")
    check_consistent(broken)
    assert broken.trial["name"].startswith(test)
    assert (broken.analysis["phase"], broken.analysis["side"]) == \
        (phase, f"prim-{side}")
    longest = broken.analysis["contributors"][0]
    culprit = fault.split(":", maxsplit=1)[0]
    assert longest["state"] == state
    if state.endswith("runs"):
        assert longest["who"] == \
            f"prim-{culprit}-{broken.pids[f'prim-{culprit}']}"
    assert abs(broken.time_of(lambda span: span["state"] == state) -
               broken.overlap([injected])) < 1000 * DELAY_US * SHARE + \
        (broken.trial["means"][phase] or 0)
    verb = "running" if state.endswith("runs") else "blocked"
    assert f": prim-{culprit} {verb}" in broken.analysis["cause"]


def spin(program, cpu):
    """A task above all others, once, from 200 ms on."""
    process = subprocess.Popen(
        list(map(str, [program, cpu, 99, 200000, SPIN_US, 10**6, 1])),
        stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def ended(process):
    """When it had the CPU."""
    process.terminate()
    out, _ = process.communicate(timeout=20)
    return [tuple(map(int, line.split())) for line in out.splitlines()]


def stopped_share(had):
    """Of the time of the spinner, in which the host had the CPU: the trace
    does not show that."""
    return 1 - sum(end - begin for begin, end in had) / \
        (had[-1][1] - had[0][0])


@pytest.mark.parametrize("test, options, cpu, phases", SPINS,
                         ids=[" ".join(map(str, (row[0], *row[1])))
                              for row in SPINS])
def test_outranked(measure, spinner, test, options, cpu, phases):
    """A task of a higher priority takes the CPU in the midst of a trial."""
    if "--cpus=cross" in options and len(CPUS) < 2:
        pytest.skip("needs two CPUs")
    # The first of two is that of the task that asks.
    pair = [CPUS[-1], CPUS[-2]] if len(CPUS) > 1 else CPUS
    cpu = pair[-1] if cpu == 0 else pair[0]
    for _ in range(TRIES):
        task = spin(spinner, cpu)
        try:
            broken = measure(test, "-l", 0, "-D", 1, "--trace=stack",
                             *options)
        finally:
            had = ended(task)
        # Else the host was the cause, or it did not begin in a trial.
        if broken and not tracing.unseen(broken.trace) and \
                broken.overlap(had) > 500 * SPIN_US and \
                stopped_share(had) < SHARE / 2:
            break
    else:
        pytest.fail(f"the spinner was the cause of no broken trial, in "
                    f"{TRIES} runs")
    check_consistent(broken)
    assert broken.analysis["phase"] in phases
    name = f"{os.path.basename(spinner)}-{task.pid}"
    found_ns = broken.time_of(lambda span: span["who"] == name)
    measured_ns = broken.overlap(had)
    assert abs(found_ns - measured_ns) < SHARE * measured_ns
    runnable = [span for span in broken.analysis["contributors"]
                if span["who"] == name]
    # A timer may not have expired yet.
    assert {span["state"] for span in runnable} <= {
        "runnable", "peer runnable", "timer late"}
    assert {(span["cpu"], span["prio"]) for span in runnable} == {(cpu, 0)}
    assert re.search(rf": prim-\w+ runnable on CPU {cpu} for [\d.]+ us "
                     rf"while {name} \(.* ran, which outranks it",
                     broken.analysis["cause"])
    # It spins in user mode, and then sleeps.
    told = "an interrupt came: in user mode"
    if broken.analysis["stack_at"] == "switch":
        told = f"it left the CPU: {' < '.join(broken.analysis['stack'])}"
    assert f"# Stack of {name}, as {told}\n" in broken.out


def test_no_break(start, tracefs, memory):
    """What was there stays, and no instance is left."""
    (memory / "trace").write_text("old")
    done = start("-q", "-m", "-p", 60, "--test=sync2.futex", "-l", 20, "-b",
                 10**6, "--trace", "--trace-file", memory / "trace", "--json",
                 memory / "json", program=primitives.binary())
    assert done.finish() == 0, done.err
    assert outside.load_json(memory / "json")["primitives"]["break"] is None
    assert (memory / "trace").read_text() == "old"
    assert done.pid not in tracing.instances(tracefs)
    assert not re.search("# (Break|Cause|Trace)", done.out)


def test_no_span(start, tracefs, memory):
    """A value that compares readings of another clock: the trace is kept."""
    done = start("-q", "-m", "--test=clock.times", "-b", 5000, "--trace",
                 "--trace-file", memory / "trace", "--json", memory / "json",
                 program=primitives.binary())
    assert done.finish() == 2, done.err
    trial = outside.load_json(memory / "json")["primitives"]["break"]
    assert trial["metric"] in ("difference", "resolution")
    assert trial["cause"] is None
    assert trial["trace_file"] == str(memory / "trace")
    assert f"# Trace: {memory / 'trace'}\n" in done.out
    assert "# Cause: unknown, as its value is no time that a task of this host took\n" in \
        done.out
    assert outside.read(memory / "trace").startswith("# tracer: ")


# What switch_net takes for known: futex calls and the like of a round trip.
CALLS = {"unnamed": 2, "named": 2, "sysv": 4, "eventfd": 4, "futex": 3,
         "cond": 3, "pi": 3}


@pytest.mark.parametrize("kind", CALLS)
def test_calls_of_a_round_trip(start, tracefs, memory, kind):
    """As the kernel counts them; strace would change who runs when."""
    here = tracefs / "instances" / f"calls-{os.getpid()}"
    event = here / "events/raw_syscalls/sys_enter"
    counts = []
    here.mkdir()
    try:
        (here / "buffer_size_kb").write_text("4096")
        for loops in (100, 300):
            (here / "trace").write_text("\n")
            (event / "enable").write_text("1")
            done = start("-q", "-p", 60, f"--test=sync2.{kind}", "-l", loops,
                         "--json", memory / "json",
                         program=primitives.binary())
            assert done.finish() == 0, done.err
            (event / "enable").write_text("0")
            counts.append(len(re.findall("prim-a.*sys_enter",
                                         (here / "trace").read_text())))
    finally:
        here.rmdir()
    # A task that somebody else delays may make one more.
    assert round((counts[1] - counts[0]) / 200, 1) == CALLS[kind]


def test_no_tracefs(start):
    with tracing.own_mounts():
        tracing.unmount_all("debugfs", "tracefs")
        done = start("-q", "-b", 1, "--trace", program=primitives.binary())
        assert done.finish() == 1
    assert "tracefs is not mounted" in done.err
