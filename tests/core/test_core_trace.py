# SPDX-License-Identifier: GPL-2.0-or-later
"""--trace: an instance of its own, what is kept of it, and that nothing of it
is left, however a run ends."""

import os
import pathlib
import random
import re
import signal
import subprocess
import time

import pytest

import outside
import plain
import results
import tracing
import twowaytest

SEED = int(os.environ.get("TWOWAY_SEED", time.time_ns() % 1000000))
BREAK = ("-q", "-m", "-p", 60, "-a", "-b1", "--warmup=30", "-D", 30)
WHOLE = ("-q", "-m", "-p", 60, "-a", "-b", 10**9)
FILES = ("--trace-file=trace", "--json=json")
# Of the user's own trace: what a run must not change.
SETTINGS = ("tracing_on", "trace_clock", "set_event", "buffer_size_kb",
            "tracing_cpumask", "current_tracer", "trace_options")
pytestmark = [results.root, pytest.mark.usefixtures("tracefs")]


def settings(directory):
    return {name: outside.read(directory / name).strip() for name in SETTINGS}


def broken(process):
    """The break in the JSON of a run that has to break."""
    assert process.finish() == 2, process.err
    results.text(process.out)
    found, = results.check(process.directory / "json")["twoway"]["breaks"]
    return found


@pytest.fixture
def begin(start):
    def run(*options, **more):
        process = start(*options, **more)
        process.directory = start.directory
        return process
    return run


def test_default_file(begin):
    process = begin(*BREAK, "--trace", "--json=json")
    assert broken(process)["trace_file"] == "twowaytest-trace.txt"
    assert "# Trace: twowaytest-trace.txt\n" in process.out
    assert (process.directory / "twowaytest-trace.txt").exists()


@pytest.fixture
def kernel_text(tmp_path):
    return lambda: outside.read(tmp_path / "trace")


@pytest.mark.parametrize("options", [
    ("-i", 1000), ("-i", 30000, "--sleep=25000"), ("-i0", "--wait=read"),
    ("-t2", "-d0")])
def test_file(begin, kernel_text, tracefs, options):
    """Lines in order, stamps among them: 20 ms, or since the cycle before.
    Nothing of the user's trace is touched."""
    before = settings(tracefs)
    process = begin(*BREAK, *options, "--trace", *FILES)
    found = broken(process)
    assert settings(tracefs) == before
    assert tracing.instance(tracefs, process.pid) == []
    assert found["trace_file"] == "trace"
    assert "# Trace: trace\n" in process.out
    text = kernel_text()
    at = dict(tracing.stamps(text))
    assert list(at) == ["planned", "t0", "t1", "t2", "t3"]["-i0" in options:]
    values = found["values"]
    assert at["t1"] - at["t0"] == values["send"]
    assert at["t2"] - at["t1"] == values["sleep"]
    assert at["t3"] - at["t2"] == values["receive"]
    assert f"twowaytest: cycle {found['cycle']}: t3: " in text

    # A line has whole us, cut off.
    times = [(one[0].time_ns + 999) if (one := tracing.events(line))
             else tracing.stamps(line)[0][1] for line in text.splitlines()
             if tracing.event(line) or tracing.stamps(line)]
    assert len(times) > 50
    assert all(a <= b + 1000 for a, b in zip(times, times[1:]))
    events = tracing.events(text)
    assert events[0].time_ns + 1000 >= min(
        at["t3"] - 20 * 10**6, at["t0"] - values["interval"] - 1000,
        at.get("planned", at["t0"]) - 10**6)
    if "planned" in at and "-i" in options:
        # The request of the cycle before is there, too.
        assert events[0].time_ns <= at["t0"] + 10**7 - values["interval"]
    # The client stopped it before it did anything else.
    clients = [pair["client"]["pid"] for pair in outside.load_json(
        process.directory / "json")["twoway"]["pairs"]]
    assert not [one for one in events if one.time_ns > at["t3"] and
                one.pid == clients[found["pair"]] and
                "prev_state=S" in one.args]
    assert {"twoway-client", "twoway-server"} <= {one.task for one in events}
    # No event that is not read costs a cycle time.
    assert {one.name for one in events
            if not one.name.endswith(("_entry", "_exit"))} <= {
                "sched_switch", "sched_waking", "sched_migrate_task",
                "sched_pi_setprio", "contention_begin", "contention_end",
                "ipi_send_cpu", "ipi_send_cpumask", "netif_rx"}


@pytest.mark.parametrize("events,wanted", [
    ("stack", {"sched_switch", "sched_waking"}), ("stack,irq", {"irq_handler_entry"}),
    ("stack,+net", {"sched_switch", "net_dev_queue"})])
def test_stack(begin, tracefs, events, wanted):
    """Its triggers, beside the events that are asked for; then all is gone."""
    process = begin(*WHOLE, "-D", 30, f"--trace={events}")
    process.steady()
    own, = tracing.instance(tracefs, process.pid)
    for event in ("sched_waking", "sched_switch"):
        trigger = outside.read(own / "events" / "sched" / event / "trigger")
        assert trigger.startswith("stacktrace:unlimited if "), trigger
    timer = own / "events/irq_vectors/local_timer_entry/trigger"
    if timer.exists():
        assert outside.read(timer).startswith("stacktrace:unlimited if ")
    found = {one.split(":")[-1] for one in outside.read(
        own / "set_event").split()}
    assert wanted <= found and not {"stack", ""} & found
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and not process.err
    assert tracing.instance(tracefs, process.pid) == []


def test_instance(begin, tracefs):
    """While it runs: its clock, its events, the used CPUs; then it is gone."""
    process = begin("-q", "-p", 60, "-a", min(os.sched_getaffinity(0)), "-b",
                    10**9, "-D", 30, "--trace")
    process.steady()
    own, = tracing.instance(tracefs, process.pid)
    assert "[mono]" in outside.read(own / "trace_clock")
    assert outside.read(own / "tracing_on").strip() == "1"
    assert {"sched:sched_switch", "sched:sched_waking"} <= set(
        outside.read(own / "set_event").split())
    used = {cpu for pid in process.sides().values()
            for cpu in os.sched_getaffinity(pid)}
    mask = int(outside.read(own / "tracing_cpumask").replace(",", ""), 16)
    assert mask == sum(1 << cpu for cpu in used)
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    assert tracing.instance(tracefs, process.pid) == []


@pytest.mark.parametrize("events,has,lacks", [
    ("sched_switch", {"sched_switch"}, True),
    ("sched:sched_waking,irq", {"sched_waking"}, True),
    ("+timer", {"sched_switch", "sched_waking", "hrtimer_start"}, False)])
def test_events(begin, kernel_text, events, has, lacks):
    """Those that were asked for; without switches nothing can be said."""
    process = begin(*BREAK, f"--trace={events}", *FILES)
    found = broken(process)
    names = {one.name for one in tracing.events(kernel_text())}
    assert has <= names
    assert events[0] == "+" or not names - has & {
        "sched_switch", "sched_waking", "local_timer_entry"}
    assert ("lacks" in found["cause"]) == lacks
    assert ("# Cause: unknown, as the trace lacks " in process.out) == lacks


@pytest.mark.alone
def test_users_stacktrace(begin, kernel_text, tracefs):
    """What the user has set for every trace is left alone, and is no harm."""
    options = tracefs / "trace_options"
    had = "nostacktrace" in outside.read(options).split()
    options.write_text("stacktrace\n", encoding="ascii")
    try:
        found = broken(begin(*BREAK, "--trace", *FILES))
    finally:
        if had:
            options.write_text("nostacktrace\n", encoding="ascii")
    lines = kernel_text().splitlines()
    assert any("<stack trace>" in one for one in lines)
    assert "lacks" not in found["cause"]


def test_names_that_a_terminal_would_obey(begin, kernel_text):
    """They are saved as they are shown."""
    words = "printf 'x\\033[31m' >/proc/$$/comm; while :; do :; done"
    other = subprocess.Popen(["taskset", "-c", str(max(
        os.sched_getaffinity(0))), "sh", "-c", words])
    try:
        assert outside.wait_for(lambda: outside.read(
            f"/proc/{other.pid}/comm").startswith("x"))
        broken(begin(*BREAK, "--trace", *FILES))
    finally:
        other.kill()
        other.wait()
    text = kernel_text()
    assert f"x?[31m-{other.pid}" in text
    assert text.replace("\n", "").replace("\t", "").isprintable()


def test_odd_name_of_a_file(begin):
    process = begin(*BREAK, "--trace", "--trace-file=a\x1bb\u00fc",
                    "--json=json")
    assert broken(process)["trace_file"] == "a\x1bb\u00fc"
    assert "\n# Trace: a?b\u00fc\n" in process.out


@pytest.mark.parametrize("options,told", [
    (("-b9", "--trace", "--trace-file=/nowhere/x"), "/nowhere/x: cannot be"),
    *((("-b9", f"--trace={events}"), f"--trace={events}: {word}: Invalid "
       "argument; allowed is stack, and a list of systems (irq), events "
       "(sched_switch) or system:event") for events, word in [
           ("no_such", "no_such"), ("sched:no_such", "sched:no_such"),
           ("no_such:*", "no_such:*"), ("+sched,no_such", "no_such")])])
def test_refused(run, tracefs, options, told):
    result = run("-q", "-l5", *options)
    assert result.returncode == 1 and told in result.stderr
    assert "T: 0" not in result.stdout
    # What the kernel refuses, it does when the file is open.
    assert result.files == ({"twowaytest-trace.txt"} if "Invalid" in told
                            else set())
    assert not any(map(result.text, result.files))
    assert outside.wait_for(
        lambda: not tracing.instance(tracefs, result.pid), 5)


@pytest.mark.parametrize("how,told", [
    ("unmounted", "tracefs is not mounted"), ("read-only", "Read-only"),
    ("nobody", "needed is root")])
def test_no_trace(public, tracefs, how, told):
    if how != "nobody":
        tracing.unmount_all("debugfs", "tracefs")
    if how == "read-only":
        tracing.mount("-t", "tracefs", "nodev", tracing.MOUNT_POINT)
        tracing.mount("-o", "remount,bind,ro", tracing.MOUNT_POINT)
    process = twowaytest.start(
        "-q", "-b9", "-l5", "--trace", directory=public,
        program=public / "twowaytest",
        preexec_fn=outside.nobody() if how == "nobody" else None)
    assert process.finish() == 1 and told in process.err
    assert (public / "twowaytest-trace.txt").read_bytes() == b""


@pytest.mark.alone
def test_below_debugfs(begin, tracefs):
    """Where tracefs has no place of its own: for --tracemark, too."""
    tracing.unmount_all()
    tracing.mount("-t", "debugfs", "nodev", "/sys/kernel/debug")
    below = pathlib.Path("/sys/kernel/debug/tracing")
    if not (below / "tracing_on").exists():
        pytest.skip("this kernel has no tracing below debugfs")
    before = outside.read(below / "tracing_on")
    try:
        (below / "tracing_on").write_text("1", encoding="ascii")
        process = begin(*BREAK, "--trace", "--tracemark", *FILES)
        assert broken(process)["trace_file"] == "trace"
        assert not process.err
        assert outside.read(below / "tracing_on") == "0\n"
        assert re.search(r"twowaytest: latency of \d+ us exceeds 1 us",
                         outside.read(below / "trace"))
        assert not tracing.instance(below, process.pid)
    finally:
        (below / "tracing_on").write_text(before, encoding="ascii")


def test_time_namespace(begin, kernel_text):
    """The trace's clock knows nothing of it."""
    namespace = ("--time", "--fork", "--monotonic", 100000)
    if begin(*namespace, "true", program="unshare").finish():
        pytest.skip("this system has no time namespaces")
    found = broken(begin(*namespace, twowaytest.binary(), *BREAK, "--trace",
                         *FILES, program="unshare"))
    assert "lacks" not in found["cause"]
    events, at = tracing.events(kernel_text()), \
        dict(tracing.stamps(kernel_text()))
    assert events[0].time_ns <= at["t0"] <= events[-1].time_ns


def kill(role):
    def end(process, pids):
        os.kill(pids[role], signal.SIGKILL)
        return -signal.SIGKILL if role == "main" else 1
    return end


def send(number):
    def end(process, _):
        process.signal(number)
        return 0
    return end


def kill_guard(process, _):
    """main goes on, and does it itself."""
    guard, = process.named("twoway-guard")
    os.kill(guard, signal.SIGKILL)
    process.signal(signal.SIGINT)
    return 0


ENDS = {"duration": lambda process, pids: 0, "SIGINT": send(signal.SIGINT),
        "SIGTERM": send(signal.SIGTERM), "main": kill("main"),
        "client": kill("client"), "server": kill("server"),
        "guard": kill_guard}


@pytest.mark.parametrize("load", [(), (
    "-p9", "--load=fft", "--load-policy=rr", "--steps=2")])
@pytest.mark.parametrize("end", ENDS)
def test_ends(begin, tracefs, tmp_path, end, load):
    """However a run ends that did not break."""
    before = settings(tracefs)
    (tmp_path / "trace").write_text("old\n", encoding="ascii")
    process = begin(*WHOLE, *load, "-D", 1 if end == "duration" else 30,
                    "--trace", "--trace-file=trace")
    pids = process.steady()
    assert len(tracing.instance(tracefs, process.pid)) == 1
    status = ENDS[end](process, pids)
    assert process.finish() == status, process.err
    assert process.gone(5)
    assert tracing.instance(tracefs, process.pid) == []
    assert settings(tracefs) == before
    # An old file stays where there is nothing new.
    assert outside.read(tmp_path / "trace") == "old\n"
    assert os.listdir(tmp_path) == ["trace"]


def test_beside_another_guard(begin, tracefs):
    """Which lives longer, and so must not have the instance open."""
    process = begin(*BREAK, "--trace", *FILES,
                    f"--rt-runtime={outside.rt_runtime()}")
    broken(process)
    assert "cannot remove" not in process.err
    assert tracing.instance(tracefs, process.pid) == []


@pytest.mark.parametrize("number", range(8))
def test_main_killed_at_any_moment(begin, tracefs, number):
    moment = random.Random(f"{SEED} {number}")
    print(f"TWOWAY_SEED={SEED}")
    process = begin(*BREAK, "--trace", *FILES)
    time.sleep(moment.uniform(0, 0.2))
    process.signal(signal.SIGKILL)
    assert process.gone(6)
    assert process.finish() in (-signal.SIGKILL, 2)
    assert tracing.instance(tracefs, process.pid) == []


def test_all_killed_at_once(begin, tracefs):
    """Guard and all: the next run removes it; that of a living run stays."""
    living = begin(*WHOLE, "-D", 60, "--trace")
    living.steady()
    killed = begin(*WHOLE, "-D", 60, "--trace")
    killed.steady()
    pids = killed.processes()
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)
    assert killed.gone(3)
    left, = tracing.instance(tracefs, killed.pid)
    process = begin(*WHOLE, "-l50", "--trace")
    assert process.finish() == 0, process.err
    assert f"{left.name}, which a killed run has left\n" in process.err
    assert f"-{living.pid}-" not in process.err
    assert tracing.instance(tracefs, killed.pid) == []
    assert len(tracing.instance(tracefs, living.pid)) == 1
    living.signal(signal.SIGINT)
    assert living.finish() == 0, living.err


def test_same_pid_twice(begin, tracefs):
    """As in two containers: each has an instance of its own."""
    container = ("--pid", "--fork", "--mount-proc", "--kill-child")
    if begin(*container, "true", program="unshare").finish():
        pytest.skip("this system has no PID namespaces")
    both = [begin(*container, twowaytest.binary(), *WHOLE, "-D", 60, "--trace",
                  "--trace-file=/dev/null", program="unshare")
            for _ in range(2)]
    assert outside.wait_for(lambda: len(tracing.instance(tracefs, 1)) == 2, 10)
    for process in both:
        assert outside.wait_for(lambda: outside.measuring(
            process.named("twoway-server") + process.named("twoway-client")))
        main, = process.named("twowaytest")
        os.kill(main, signal.SIGINT)
        assert process.finish() == 0, process.err
    assert tracing.instance(tracefs, 1) == []


def test_file_of_another_user(run, tmp_path):
    """It is written in place, and stays his."""
    file = plain.make(tmp_path / "trace", plain.OTHER, 0o6777)
    before = file.stat()
    done = run(*BREAK, "--trace", *FILES)
    assert done.returncode == 2, done.stderr
    found = file.stat()
    assert (found.st_ino, found.st_uid, found.st_gid, found.st_mode) == (
        before.st_ino, plain.OTHER, plain.OTHER, before.st_mode)
    text = file.read_text("ascii")
    assert "twowaytest: cycle " in text and "what was" not in text


def test_full_disk(start, tracefs, small):
    """A trace that does not fit leaves what was there."""
    (small / "trace").write_text("old\n", encoding="ascii")
    process = start(*BREAK, "--trace", f"--trace-file={small / 'trace'}")
    assert process.finish() == 1
    assert f"{small / 'trace'}: cannot be written: No space left" in \
        process.err
    assert os.listdir(small) == ["trace"]
    assert outside.read(small / "trace") == "old\n"
    assert tracing.instance(tracefs, process.pid) == []


def test_cause_is_printed_once(run, tracefs):
    """In a ramp, too: the step that broke is the last."""
    result = run(*BREAK, "--load=fft", "--steps=3", "--trace", *FILES,
                 timeout=60)
    assert result.returncode == 2, result.stderr
    assert len(re.findall("^# Cause: ", result.stdout, re.M)) == 1
    assert subprocess.run(["grep", "-c", "twowaytest: cycle",
                           result.path("trace")], capture_output=True,
                          check=True, text=True).stdout == "5\n"
