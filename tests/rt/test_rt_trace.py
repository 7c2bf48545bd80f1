# SPDX-License-Identifier: GPL-2.0-or-later
"""--tracemark and --trace: what is marked, kept, and left behind."""

import os
import random
import re
import shutil
import signal
import subprocess
import time

import outside
import pytest
import test_rt_disk
import tracing

# TWOWAY_SEED=N repeats the moments of an earlier session.
SEED = int(os.environ.get("TWOWAY_SEED", time.time_ns() % 1000000))

BREAK = ("-q", "-m", "-p", 60, "-a", "-b", 1, "-D", 200)
# Never above a limit that no cycle can reach in its time.
WHOLE = ("-q", "-m", "-p", 60, "-a", "-b", 10**9)
KEPT_NS = 20 * 10**6
CLOCK_STEP_NS = 1000    # the trace's lines have whole us

# Of the user's own trace: what a run must not change.
SETTINGS = ("tracing_on", "trace_clock", "set_event", "buffer_size_kb",
            "tracing_cpumask", "current_tracer", "set_event_pid")


def setting(directory, name):
    return outside.read(directory / name).strip()


def set_to(directory, name, value):
    with open(directory / name, "w", encoding="ascii") as file:
        file.write(f"{value}\n")


def settings(directory):
    return {name: setting(directory, name) for name in SETTINGS
            if (directory / name).exists()}


def clock_of(directory):
    return re.search(r"\[(\w+)\]", setting(directory, "trace_clock"))[1]


@pytest.fixture
def user(tracefs):
    """The user's own trace, some tracing under way in it; restored."""
    if setting(tracefs, "current_tracer") != "nop" or \
            setting(tracefs, "set_event"):
        pytest.skip("somebody is tracing this system")
    clock, running = clock_of(tracefs), setting(tracefs, "tracing_on")
    try:
        set_to(tracefs, "trace_clock", "mono")
        set_to(tracefs, "set_event", "sched:sched_process_fork")
        set_to(tracefs, "tracing_on", 1)
        set_to(tracefs, "trace_marker", "the user's own mark")
        yield tracefs
    finally:
        set_to(tracefs, "set_event", "")
        set_to(tracefs, "trace_clock", clock)
        set_to(tracefs, "trace", "")
        set_to(tracefs, "tracing_on", running)


def broken(run, path):
    """The JSON's break of a run that has to break."""
    assert run.finish() == 2, run.err
    return outside.load_json(path)["twoway"]["break"]


def check_mark(mark, cycle):
    """It says what the JSON says; in whole us."""
    assert mark.cycle == cycle["cycle"]
    assert mark.metric == cycle["metric"]
    assert mark.value_us == cycle["value_ns"] // 1000
    assert mark.limit_us == cycle["limit_ns"] // 1000
    for name, value in mark.phases.items():
        told = cycle["missed"] if name == "missed" else \
            cycle[f"{name}_ns"] // 1000
        assert value == told, name
    assert set(mark.phases) == {"interval", "wakeup", "send", "sleep",
                                "receive", "response", "total", "missed"}
    assert mark.stamps["t1"] - mark.stamps["t0"] == cycle["send_ns"]
    assert mark.stamps["t2"] - mark.stamps["t1"] == cycle["sleep_ns"]
    assert mark.stamps["t3"] - mark.stamps["t2"] == cycle["receive_ns"]


@pytest.mark.parametrize("metric", ["total", "wakeup", "response"])
def test_tracemark(start, user, memory, metric):
    """One mark in the user's trace, within the cycle, and it stops."""
    before = settings(user)
    run = start(*BREAK, "--tracemark", f"--break-on={metric}",
                "--json", memory / "json")
    cycle = broken(run, memory / "json")
    text = outside.read(user / "trace")
    check_mark(tracing.mark(text), cycle)
    assert cycle["metric"] == metric
    assert cycle["marked"]
    assert cycle["trace_file"] is None and cycle["analysis"] is None
    written, = [event for event in tracing.events(text)
                if event.name == "tracing_mark_write"
                and "twowaytest:" in event.args]
    assert written.task == "twoway-client"
    # After the reply, and before the client would have gone on.
    mark = tracing.mark(text)
    assert mark.stamps["t3"] - CLOCK_STEP_NS <= written.time_ns
    assert setting(user, "tracing_on") == "0"
    assert "the user's own mark" in text
    after = settings(user)
    del before["tracing_on"], after["tracing_on"]
    assert after == before
    assert tracing.instance(user, run.pid) == []


def test_tracemark_within_the_cycle(start, user, memory):
    """The mark is there before the next request is."""
    run = start("-q", "-m", "-p", 60, "-a", "-i", 20000, "-b", 1,
                "--break-on=response", "--tracemark", "-D", 200,
                "--json", memory / "json")
    broken(run, memory / "json")
    text = outside.read(user / "trace")
    mark = tracing.mark(text)
    written, = [event for event in tracing.events(text)
                if "twowaytest:" in event.args]
    assert mark.stamps["t3"] - CLOCK_STEP_NS <= written.time_ns
    assert written.time_ns < mark.stamps["t0"] + 20 * 10**6


def test_tracemark_by_trace_cmd(start, user, memory):
    """The tool that most have: its report holds the mark."""
    if not shutil.which("trace-cmd"):
        pytest.skip("trace-cmd is not installed")
    run = start(*BREAK, "--tracemark", "--json", memory / "json")
    cycle = broken(run, memory / "json")
    subprocess.run(["trace-cmd", "extract", "-o", memory / "trace.dat"],
                   check=True, capture_output=True)
    text = subprocess.run(["trace-cmd", "report", "-i", memory / "trace.dat"],
                          check=True, capture_output=True, text=True).stdout
    check_mark(tracing.mark(text), cycle)
    assert "the user's own mark" in text


def test_not_broken_not_marked(start, user, memory):
    run = start(*WHOLE, "-l", 100, "--tracemark", "--json", memory / "json")
    assert run.finish() == 0, run.err
    assert setting(user, "tracing_on") == "1"
    assert "twowaytest:" not in outside.read(user / "trace")
    assert outside.load_json(memory / "json")["twoway"]["break"] is None


def test_own_trace(start, user, memory):
    """An instance of its own: nothing of the user's is touched."""
    before = settings(user)
    # It must hold some cycles, and all that is kept.
    run = start("-q", "-m", "-p", 60, "-a", "-b", 1, "--break-on=wakeup",
                "-i", 1000, "-D", 200, "--trace",
                "--trace-file", memory / "trace", "--json", memory / "json")
    cycle = broken(run, memory / "json")
    assert settings(user) == before
    users = outside.read(user / "trace")
    assert "twowaytest:" not in users
    assert "the user's own mark" in users
    assert tracing.instance(user, run.pid) == []

    assert cycle["marked"]
    assert cycle["trace_file"] == str(memory / "trace")
    assert f"# Trace: {memory / 'trace'}\n" in run.out
    text = outside.read(memory / "trace")
    check_mark(tracing.mark(text), cycle)


def test_instance_while_running(start, user):
    run = start(*WHOLE, "-D", 200, "--trace")
    run.steady()
    assert len(tracing.instance(user, run.pid)) == 1
    own, = tracing.instance(user, run.pid)
    assert clock_of(own) == "mono"
    assert setting(own, "tracing_on") == "1"
    events = setting(own, "set_event").split()
    for event in ("sched:sched_switch", "sched:sched_waking"):
        assert event in events
    assert clock_of(user) == "mono"
    assert "sched_switch" not in setting(user, "set_event")
    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    assert tracing.instance(user, run.pid) == []


@pytest.mark.parametrize("period_us", [1000, 30000])
def test_trace_file(start, tracefs, memory, period_us):
    """Lines in order, stamps among them; 20 ms, or since the cycle before."""
    run = start("-q", "-m", "-p", 60, "-a", "-i", period_us, "--warmup", 60,
                "--sleep", 25000 if period_us > 25000 else 100, "-b", 1,
                "-D", 200, "--trace", "--trace-file", memory / "trace",
                "--json", memory / "json")
    cycle = broken(run, memory / "json")
    text = outside.read(memory / "trace")
    stamps = tracing.stamps(text)
    assert [name for name, _ in stamps] == ["planned", "t0", "t1", "t2", "t3"]
    at = dict(stamps)
    assert at["t0"] - at["planned"] == cycle["wakeup_ns"]
    assert at["t1"] - at["t0"] == cycle["send_ns"]
    assert at["t2"] - at["t1"] == cycle["sleep_ns"]
    assert at["t3"] - at["t2"] == cycle["receive_ns"]

    # In order, stamps among events; a line has whole us, cut off.
    times = []
    for line in text.splitlines():
        event, stamp = tracing.event(line), tracing.stamps(line)
        if event:
            times.append(event.time_ns + CLOCK_STEP_NS - 1)
        elif stamp:
            times.append(stamp[0][1])
    assert len(times) > 100
    for before, after in zip(times, times[1:]):
        assert before <= after + CLOCK_STEP_NS

    events = tracing.events(text)
    begin_ns = min(at["t3"] - KEPT_NS, at["planned"] - 10**6,
                   at["t0"] - cycle["interval_ns"] - CLOCK_STEP_NS)
    assert begin_ns <= events[0].time_ns
    mark, = [event for event in events if event.name == "tracing_mark_write"]
    assert at["t3"] - CLOCK_STEP_NS <= mark.time_ns


def kill(role):
    def end(run, pids):
        os.kill(pids[role], signal.SIGKILL)
        return -signal.SIGKILL if role == "main" else 1
    return end


def kill_guardian(run, _):
    """Main goes on without it, and sees to the instance itself."""
    guardian, = run.named("twoway-guard")
    os.kill(guardian, signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(guardian))
    run.steady()
    run.signal(signal.SIGINT)
    return 0


def send(number):
    def end(run, _):
        run.signal(number)
        return 0
    return end


def wait(_run, _pids):
    return 0


ENDS = {
    "normal": wait, "SIGINT": send(signal.SIGINT),
    "SIGTERM": send(signal.SIGTERM), "main": kill("main"),
    "client": kill("client"), "server": kill("server"),
    "guardian": kill_guardian,
}


@pytest.mark.parametrize("end", ENDS)
def test_instance_gone(start, user, memory, end):
    """However a run ends, that did not break."""
    before = settings(user)
    (memory / "trace").write_text("old\n")
    run = start(*WHOLE, "-D", 1 if end == "normal" else 20, "--trace",
                "--trace-file", memory / "trace", cwd=memory)
    pids = run.steady()
    assert len(tracing.instance(user, run.pid)) == 1
    status = ENDS[end](run, pids)
    assert run.gone(3)
    assert run.finish() == status, run.err
    assert tracing.instance(user, run.pid) == []
    assert settings(user) == before
    # An old one stays where there is nothing new.
    assert outside.read(memory / "trace") == "old\n"
    assert os.listdir(memory) == ["trace"]


@pytest.mark.parametrize("number", range(6))
def test_main_killed_at_any_moment(start, tracefs, memory, number):
    """While the instance is set up, too; or while it breaks."""
    moment = random.Random(f"{SEED} {number}")
    print(f"TWOWAY_SEED={SEED} {number}")
    run = start(*BREAK, "--trace", "--trace-file", memory / "trace")
    time.sleep(moment.uniform(0, 0.15))
    run.signal(signal.SIGKILL)
    assert run.gone(3)
    assert run.finish() in (-signal.SIGKILL, 2)
    assert run.pid not in tracing.instances(tracefs)


@pytest.mark.parametrize("name", ["new", "old"])
def test_full_disk(start, tracefs, tmp_path, name):
    """A trace that does not fit leaves what was there."""
    small = tmp_path / "small"
    small.mkdir()
    # The test's own mount namespace ends with it.
    tracing.mount("-t", "tmpfs", "-o", "size=16k", "none", small)
    (small / "old").write_text("old\n")
    run = start(*BREAK, "--trace", f"--trace-file={name}", cwd=small,
                program=os.path.abspath(outside.binary()))
    assert run.finish() == 1
    assert f"twowaytest: --trace-file={name}: cannot write: " \
        f"{test_rt_disk.NO_SPACE}\n" in run.err
    assert os.listdir(small) == ["old"]
    assert outside.read(small / "old") == "old\n"
    assert run.pid not in tracing.instances(tracefs)


def refused(start, *options, **popen):
    """What is told where nothing is started."""
    run = start(*BREAK, *options, **popen)
    assert run.finish() == 1
    assert run.gone()
    assert run.err.startswith("twowaytest: ")
    assert run.err.count("\n") == 1
    assert "T: 0" not in run.out
    place = tracing.mounted()
    assert not place or tracing.instance(place, run.pid) == []
    return run.err


@pytest.mark.parametrize("event", [
    "no_such_event", "sched:no_such_event", "no_such_system:*",
    "sched_switch,no_such_event"])
def test_unknown_event(start, tracefs, memory, event):
    error = refused(start, f"--trace={event}", cwd=memory)
    assert f"this kernel has no event {event.rpartition(',')[2]};" in error
    assert "available_events" in error
    assert os.listdir(memory) == []


@pytest.mark.parametrize("events, has", [
    ("sched_switch", {"sched_switch"}),
    ("sched:sched_waking,irq", {"sched_waking"}),
])
def test_events_as_asked(start, tracefs, memory, events, has):
    """Those alone; without switches and wake-ups nothing can be told."""
    run = start(*BREAK, f"--trace={events}", "--warmup", 30,
                "--trace-file", memory / "trace", "--json", memory / "json")
    cycle = broken(run, memory / "json")
    names = {event.name for event in
             tracing.events(outside.read(memory / "trace"))}
    names -= {"tracing_mark_write"}
    assert has <= names
    assert names - has <= {"irq_handler_entry", "irq_handler_exit",
                           "softirq_entry", "softirq_exit", "softirq_raise",
                           "tasklet_entry", "tasklet_exit"}
    assert cycle["analysis"] is None
    assert "# Cause: unknown, as the trace lacks " in run.out


def test_more_events(start, tracefs, memory):
    """Beside the usual ones: their analysis is there as well."""
    run = start(*BREAK, "--trace=+timer", "--warmup", 30,
                "--trace-file", memory / "trace", "--json", memory / "json")
    cycle = broken(run, memory / "json")
    names = {event.name for event in
             tracing.events(outside.read(memory / "trace"))}
    assert {"sched_switch", "sched_waking", "hrtimer_start"} <= names
    assert cycle["analysis"]


def test_only_what_is_read(start, tracefs, memory):
    """No event that the analysis does not read costs a cycle time."""
    run = start(*BREAK, "--trace", "--warmup", 30,
                "--trace-file", memory / "trace", "--json", memory / "json")
    broken(run, memory / "json")
    names = {event.name for event in
             tracing.events(outside.read(memory / "trace"))}
    names = {name for name in names
             if not name.endswith(("_entry", "_exit"))}
    assert names <= {"sched_switch", "sched_waking", "sched_migrate_task",
                     "netif_rx", "tracing_mark_write"}


def test_names(start, tracefs, memory):
    """Of both sides, whether the kernel notes the names of tasks or not."""
    run = start(*BREAK, "--trace", "--warmup", 30,
                "--trace-file", memory / "trace", "--json", memory / "json")
    broken(run, memory / "json")
    tasks = {event.task for event in
             tracing.events(outside.read(memory / "trace"))}
    assert {"twoway-client", "twoway-server"} <= tasks


def test_time_namespace(start, tracefs, memory):
    """The trace's clock knows nothing of it."""
    namespace = ("--time", "--fork", "--monotonic", 100000)
    if start(*namespace, "true", program="unshare").finish():
        pytest.skip("this system has no time namespaces")
    run = start(*namespace, outside.binary(), *BREAK, "--warmup", 30,
                "--trace", "--trace-file", memory / "trace",
                "--json", memory / "json", program="unshare")
    assert run.finish() == 2, run.err
    cycle = outside.load_json(memory / "json")["twoway"]["break"]
    assert cycle["analysis"], run.out
    text = outside.read(memory / "trace")
    seen = tracing.events(text)
    stamps = dict(tracing.stamps(text))
    assert seen[0].time_ns <= stamps["t0"] <= seen[-1].time_ns


def test_same_pid_twice(start, tracefs):
    """As in two containers: each has an instance of its own."""
    container = ("--pid", "--fork", "--mount-proc", "--kill-child")
    if start(*container, "true", program="unshare").finish():
        pytest.skip("this system has no PID namespaces")
    runs = [start(*container, outside.binary(), "-q", "-b", 10**9, "-D", 200,
                  "--trace", program="unshare") for _ in range(2)]
    assert outside.wait_for(lambda: len(tracing.instance(tracefs, 1)) == 2)
    for run in runs:
        # Without a cycle its end would be an error.
        assert outside.wait_for(lambda: outside.measuring(
            run.named("twoway-server") + run.named("twoway-client")))
        main, = run.named("twowaytest")
        os.kill(main, signal.SIGINT)
        assert run.finish() == 0, run.err
    assert tracing.instance(tracefs, 1) == []


def test_left_by_a_killed_cgroup(start, tracefs, memory):
    """Killed at once, guardian and all: --check tells, the next run mends."""
    killed = start(*WHOLE, "-D", 200, "--trace")
    killed.steady()
    # Stopped, they all are there when the first one dies.
    pids = killed.processes()
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)
    assert killed.gone(3)
    left, = tracing.instance(tracefs, killed.pid)
    assert setting(left, "tracing_on") == "1"

    check = start("--check", "--json", memory / "check")
    assert check.finish() == 2
    assert re.search(rf"rmdir .*\b{left.name}\b.*\)", check.out)
    environment = outside.load_json(memory / "check")["twoway"]["environment"]
    assert left.name in environment["trace_instances"].split()
    assert left.is_dir()

    run = start(*WHOLE, "-l", 50, "--trace", "--json", memory / "json")
    assert run.finish() == 0, run.err
    assert "removed what killed tests have left behind: twowaytest-" in run.err
    assert tracing.instance(tracefs, killed.pid) == []
    environment = outside.load_json(memory / "json")["twoway"]["environment"]
    assert left.name not in (environment["trace_instances"] or "")


def test_living_instance_stays(start, tracefs):
    """Of a test that runs: --check tells, another test leaves it alone."""
    first = start(*WHOLE, "-D", 200, "--trace")
    first.steady()
    check = start("--check")
    assert check.finish() == 2
    assert f"twowaytest-{first.pid}-" in check.out
    second = start("-q", "-b", 10**9, "-l", 50, "--trace")
    assert second.finish() == 0, second.err
    assert f"-{first.pid}-" not in second.err
    found = tracing.instances(tracefs)
    assert first.pid in found and second.pid not in found
    first.signal(signal.SIGINT)
    assert first.finish() == 0, first.err


OPTIONS = pytest.mark.parametrize("option", ["--trace", "--tracemark"])


@OPTIONS
def test_not_mounted(start, tracefs, option, memory):
    tracing.unmount_all()
    error = refused(start, option, cwd=memory)
    assert "tracefs is not mounted" in error
    assert "mount -t tracefs nodev /sys/kernel/tracing" in error
    assert os.listdir(memory) == []


@OPTIONS
def test_read_only(start, tracefs, option, memory):
    tracing.mount("-o", "remount,bind,ro", tracefs)
    error = refused(start, option, cwd=memory)
    assert "read-only" in error
    assert str(tracefs) in error


@OPTIONS
@pytest.mark.parametrize("name", ["elsewhere", "else where"])
def test_mounted_elsewhere(start, user, option, memory, name):
    """Wherever it is, even where its name holds a space."""
    place = memory / name
    place.mkdir()
    tracing.mount("--move", user, place)
    try:
        run = start(*BREAK, option, "--json", memory / "json", cwd=memory)
        assert broken(run, memory / "json")["marked"]
        assert tracing.instance(place, run.pid) == []
    finally:
        tracing.mount("--move", place, user)
        place.rmdir()


@OPTIONS
def test_unprivileged(start, tracefs, public, option):
    if os.stat(tracefs).st_mode & 0o005:
        pytest.skip(f"{tracefs} is open to everybody")
    before = sorted(os.listdir(public))
    run = start("-q", "-b", 1, option, "-l", 10, preexec_fn=outside.nobody(),
                program=public / "twowaytest", cwd=public)
    assert run.finish() == 1
    assert run.gone()
    assert "it needs root" in run.err
    assert tracing.instance(tracefs, run.pid) == []
    assert sorted(os.listdir(public)) == before


def test_load_beside(start, tracefs, memory):
    """The instance's guardian is none of the load's children."""
    run = start("-q", "-p", 60, "-a", "-b", 10**9, "-D", 200, "--trace",
                "--load=command:while :; do :; done",
                "--trace-file", memory / "trace")
    run.steady()
    guardians = run.named("twoway-guard")
    assert len(guardians) == 1
    run.signal(signal.SIGINT)
    assert run.gone(3)
    assert run.finish() == 0, run.err
    assert run.pid not in tracing.instances(tracefs)
