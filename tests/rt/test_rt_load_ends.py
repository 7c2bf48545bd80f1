# SPDX-License-Identifier: GPL-2.0-or-later
"""However a run with a load ends: a second later nothing of it is there."""

import os
import random
import re
import shutil
import signal
import time

import outside
import pytest

# TWOWAY_SEED=N repeats the moments of an earlier session.
SEED = int(os.environ.get("TWOWAY_SEED", time.time_ns() % 1000000))

# Not the default, so that its way back is seen.
RUNTIMES_US = (900000, 980000)

# Descendants that leave their parent, their group, and their session.
DEEP = "command:sh -c 'sleep 99 & setsid sleep 99 & (sleep 99 &)' " \
    "& sleep 99 & exec sleep 99"
BUSY = "command:while :; do :; done"

LOADS = {
    "fft": ("--load=fft:3",),
    "fft ramp": ("--load=fft", "--steps=8", "-l", 150),
    "hackbench": ("--load=hackbench:2", "--load-args=-l 100000"),
    "hackbench restarted": ("--load=hackbench:1", "--load-args=-l 10"),
    "hackbench ramp": ("--load=hackbench", "--load-args=-l 20",
                       "--steps=6", "-l", 150),
    "command": (f"--load={DEEP}",),
    "command in real time": (f"--load={BUSY}", "--load-policy=rr"),
}


def copies(run):
    """The supervisor's first child: hackbench's parent, or a shell."""
    return [pid for supervisor in run.named("twoway-load")
            for pid in outside.children(supervisor)[:1]]


def named(name):
    return lambda run: run.named(name)


VICTIMS = {
    "main": lambda run: [run.pid],
    "client": named("twoway-client"),
    "server": named("twoway-server"),
    "guardian": named("twoway-guard"),
    "worker": named("twoway-fft"),
    "keeper": named("twoway-keeper"),
    "supervisor": named("twoway-load"),
    "copy": copies,
}
SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM}
ENDS = ["SIGINT", "SIGTERM", "main", "client", "server", "guardian"]


def rounds():
    for load in LOADS:
        own = ["worker"] if "fft" in load else ["keeper", "supervisor", "copy"]
        for end in ENDS + own:
            yield load, end


def left_in(directory):
    return sorted(os.listdir(directory))


@pytest.fixture
def clean(memory):
    """What is to be as it was, once a run is over."""
    before = outside.rt_runtime()
    yield memory
    assert left_in(memory) == []
    assert outside.wait_for(lambda: outside.rt_runtime() == before, 1)


@pytest.fixture(scope="module")
def runtime():
    """A value of sched_rt_runtime_us to be restored after the run."""
    for value_us in RUNTIMES_US:
        if value_us != outside.rt_runtime() and \
                outside.takes_rt_runtime(value_us):
            return value_us
    pytest.skip(f"sched_rt_runtime_us cannot be set to any of {RUNTIMES_US}")


@pytest.fixture
def loaded(start, clean, runtime):
    def run(load, *options):
        if "hackbench" in load and not shutil.which("hackbench"):
            pytest.skip("hackbench is not in PATH; it is part of rt-tests")
        return start("-q", "-p", 60, "-m", "-a", *LOADS[load],
                     f"--rt-runtime={runtime}", *options, cwd=clean,
                     env={"TMPDIR": str(clean)})
    return run


def strike(run, victim, moment):
    """Kills one of them at a random moment; None if it had just ended."""
    def found():
        return VICTIMS[victim](run) or run.process.poll() is not None

    assert outside.wait_for(found), f"there is no {victim}"
    time.sleep(moment.uniform(0, 0.3))
    pids = VICTIMS[victim](run)
    if not pids:
        return None
    pid = moment.choice(pids)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    return pid


@pytest.mark.parametrize("load, end", list(rounds()))
def test_killed_or_interrupted(loaded, runtime, load, end):
    """At any moment; a side or worker may not even have its name yet."""
    moment = random.Random(f"{SEED} {load} {end}")
    print(f"TWOWAY_SEED={SEED}")
    run = loaded(load)
    killed = None
    if end in SIGNALS:
        # Before that it has not come to block them.
        assert outside.wait_for(lambda: run.named("twoway-guard"))
        time.sleep(moment.uniform(0, 0.8))
        run.signal(SIGNALS[end])
    else:
        killed = strike(run, end, moment)
    # Without its guardian, as after a victim that ended first, it goes on.
    if end == "guardian" or not killed:
        time.sleep(moment.uniform(0, 0.3))
        # Set back, then it must be about to end.
        assert outside.rt_runtime() == runtime or outside.wait_for(
            lambda: run.process.poll() is not None, timeout=1)
        run.signal(signal.SIGINT)
    begin = time.monotonic()
    # Hackbench's many processes, on a host that others keep busy.
    assert run.gone(timeout=3), run.processes()
    took_s = time.monotonic() - begin

    status = run.finish()
    print(f"{end} {killed} after {took_s:.3f} s: {status} {run.err}")
    if end == "main":
        assert status == -signal.SIGKILL
    elif end == "guardian" or not killed:
        # A ramp may have been over, or a copy been hit with its parent.
        assert status == 0 or \
            "not one cycle was measured: signal" in run.err, run.err
    else:
        assert status == 1
        assert re.fullmatch(r"twowaytest: .+\n", run.err)
        if end in ("client", "server"):
            assert f"the {end} (pid {killed}) was killed by signal 9" \
                in run.err
        else:
            assert "killed by signal 9" in run.err


@pytest.mark.parametrize("load", LOADS)
def test_normal(loaded, load):
    run = loaded(load, "-l", 40)
    assert run.finish() == 0, run.err
    assert run.gone()
    assert run.err == ""


@pytest.mark.parametrize("load", ["fft", "hackbench", "command"])
def test_killed_at_start(loaded, load):
    """Main, while the load is just being born."""
    for number in range(4):
        moment = random.Random(f"{SEED} {load} {number}")
        print(f"TWOWAY_SEED={SEED} {number}")
        before = outside.rt_runtime()
        run = loaded(load)
        time.sleep(moment.uniform(0, 0.1))
        run.signal(signal.SIGKILL)
        assert run.gone(), run.processes()
        assert outside.wait_for(lambda: outside.rt_runtime() == before, 1)


@pytest.mark.parametrize("victim", ["worker", "client"])
def test_ramp_keeps_finished_steps(start, memory, victim):
    """A ramp that breaks off tells what it has measured until then."""
    run = start("-q", "-p", 60, "-m", "-a", "--load=fft", "--steps=4",
                "-D", 1, "--json", memory / "json")
    run.steady()
    worker = run.named("twoway-fft")[0]
    # The second step, since the first has no load.
    assert outside.wait_for(lambda: outside.cpu_ticks(worker) > 50)
    run.steady()
    killed = VICTIMS[victim](run)[0]
    os.kill(killed, signal.SIGKILL)
    assert run.gone()
    assert run.finish() == 1
    assert f"(pid {killed}) was killed by signal 9" in run.err
    twoway = outside.load_json(memory / "json")["twoway"]
    assert "was killed by signal 9" in twoway["error"]
    assert [step["workers"] for step in twoway["steps"]] == [0, 1]
    # All of its second, whatever a busy host did in it.
    first = twoway["steps"][0]
    assert first["cycles"] > 0
    assert first["cycles"] + first["missed"] > 900
    assert twoway["cycles"] == sum(step["cycles"] for step in twoway["steps"])
    assert left_in(memory) == ["json"]
