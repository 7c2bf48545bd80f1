# SPDX-License-Identifier: GPL-2.0-or-later
"""--rt-runtime: in force for the run, and as before after any end."""

import os
import resource
import signal

import outside
import pytest

CPUS = len(os.sched_getaffinity(0))


@pytest.fixture
def before():
    """The setting as it is, which a failed test does not leave changed."""
    value_us = outside.rt_runtime()
    yield value_us
    outside.set_rt_runtime(value_us)


@pytest.fixture(params=[(900000, 980000), (-1,)], ids=["limit", "none"])
def value_us(request, before):
    """One to be set for the run; a cgroup's share may forbid the first."""
    for value_us in request.param:
        if value_us != before and outside.takes_rt_runtime(value_us):
            return value_us
    pytest.skip(f"sched_rt_runtime_us, now {before}, cannot be set to "
                f"any of {request.param}")


def kill_main(run):
    run.signal(signal.SIGKILL)
    return -signal.SIGKILL


def kill_guardian(run):
    """Main goes on without it, and sees to the setting itself."""
    guardian, = run.named("twoway-guard")
    os.kill(guardian, signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(guardian))
    run.steady()
    return interrupt(run)


def interrupt(run):
    run.signal(signal.SIGINT)
    return 0


def wait(run):
    return run.finish()


@pytest.mark.parametrize("end", [wait, interrupt, kill_main, kill_guardian])
def test_in_force_while_running(start, memory, before, value_us, end):
    run = start("-q", "-p", 60, "-m", "-a", f"--rt-runtime={value_us}",
                "--json", memory / "json", "-D", 1 if end is wait else 60)
    run.steady()
    assert outside.rt_runtime() == value_us
    expected = end(run)
    assert run.gone()
    assert run.process.returncode == expected
    assert outside.wait_for(lambda: outside.rt_runtime() == before, 1)
    if end is not kill_main:
        throttling = outside.load_json(memory / "json")["twoway"]["throttling"]
        assert throttling["rt_runtime_us"] == value_us


def test_one_at_a_time(start, before, value_us):
    """A second would find, and set back, what the first has set."""
    first = start("-q", "-p", 60, "-m", "-a", "-D", 600,
                  f"--rt-runtime={value_us}")
    first.steady()
    second = start("-q", "-l", 50, f"--rt-runtime={before}")
    assert second.finish() == 1
    assert second.err.startswith(
        f"twowaytest: --rt-runtime={before}: another run")
    assert second.out == ""
    assert outside.rt_runtime() == value_us
    first.signal(signal.SIGKILL)
    third = start("-q", "-l", 50, f"--rt-runtime={value_us}")
    assert third.finish() == 0, third.err
    assert first.gone()
    assert outside.rt_runtime() == before


def test_restored_where_it_was_off(start, before):
    """Back to what it was, which need not be the kernel's default."""
    outside.set_rt_runtime(-1)
    run = start("-q", "-l", 50, f"--rt-runtime={before}")
    assert run.finish() == 0, run.err
    assert outside.rt_runtime() == -1


def test_started_as_deadline(start, memory, before, value_us):
    """A task of that policy may not fork, and this needs a guardian."""
    deadline = ("--deadline", "--sched-runtime", 10**7, "--sched-deadline",
                2 * 10**7, "--sched-period", 2 * 10**7, 0)
    if start(*deadline, "true", program="chrt").finish():
        pytest.skip("this system gives nobody the policy SCHED_DEADLINE")
    run = start(*deadline, outside.binary(), "-q", "-p", 60, "-l", 50,
                f"--rt-runtime={value_us}", "--json", memory / "json",
                program="chrt")
    assert run.finish() == 0, run.err
    throttling = outside.load_json(memory / "json")["twoway"]["throttling"]
    assert throttling["rt_runtime_us"] == value_us
    assert outside.rt_runtime() == before


@pytest.mark.parametrize("options", [
    ("-p", 60, "--load=command:false"),
    ("--load=command:no-such-program",),
    ("-p", 60, "-a", "--load=command:exit 3"),
])
def test_restored_where_nothing_was_measured(start, before, value_us,
                                             options):
    run = start("-q", "-l", 50, *options, f"--rt-runtime={value_us}")
    assert run.finish() == 1
    assert run.gone()
    assert outside.rt_runtime() == before


@pytest.mark.parametrize("value", ["", "x", "-2", "1.5", "1000001", "9" * 30])
def test_refused(start, before, value):
    run = start("-q", "-l", 50, f"--rt-runtime={value}")
    assert run.finish() == 1
    assert run.err.startswith(f"twowaytest: --rt-runtime={value}: allowed is")
    assert run.out == ""
    assert outside.rt_runtime() == before


def test_unprivileged(start, public, before):
    run = start("-q", "-l", 50, "--rt-runtime=-1", preexec_fn=outside.nobody(),
                program=public / "twowaytest", cwd=public)
    assert run.finish() == 1
    assert run.err.startswith("twowaytest: --rt-runtime=-1: cannot write "
                              f"{outside.RT_RUNTIME}: ")
    assert "root" in run.err
    assert outside.rt_runtime() == before
    assert run.gone()


@pytest.mark.parametrize("unlimited", [-1, 0])
@pytest.mark.parametrize("load, refused", [
    (("-p", 60, f"--load=fft:{CPUS}", "--load-affinity=all"), True),
    (("-p", 60, f"--load=fft:{CPUS}", "--load-affinity=all", "--force"),
     False),
    (("-p", 60, f"--load=fft:{CPUS}", "--load-policy=other"), False),
    ((f"--load=fft:{CPUS}",), False),
])
def test_load_on_every_cpu_without_throttling(start, memory, before, load,
                                              refused, unlimited):
    """Refused where nothing else would ever let the system breathe."""
    if os.cpu_count() != CPUS:
        pytest.skip("not every CPU of this system may be used")
    if not outside.takes_rt_runtime(unlimited):
        pytest.skip(f"this kernel refuses a runtime of {unlimited}, as it "
                    "would for a cgroup that has a share")
    outside.set_rt_runtime(unlimited)
    run = start("-q", "-l", 50, "--json", memory / "json", *load)
    status = run.finish()
    assert run.gone()
    assert outside.rt_runtime() == unlimited
    if not refused:
        assert status == 0, run.err
        return
    if not status:
        # Then it must have had a reason to let this pass.
        throttling = outside.load_json(memory / "json")["twoway"]["throttling"]
        assert throttling["fair_server"] and throttling["stall_us"] > 0
        pytest.skip("this kernel's fair server leaves others some time, "
                    "so the load is not refused")
    assert status == 1
    assert "would leave the rest of the system no time" in run.err
    assert "--force" in run.err
    assert not os.path.exists(memory / "json")


@pytest.mark.parametrize("files", range(6, 16))
def test_few_descriptors(start, before, value_us, files):
    """A guardian that lacks some is none that never ends."""
    run = start("-q", "-l", 10, f"--rt-runtime={value_us}",
                preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_NOFILE, (files, files)))
    assert run.finish() in (0, 1)
    assert run.gone(timeout=2), run.processes()
    assert outside.rt_runtime() == before
    assert bool(run.err) == bool(run.process.returncode)
