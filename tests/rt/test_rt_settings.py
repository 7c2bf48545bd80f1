# SPDX-License-Identifier: GPL-2.0-or-later
"""What options ask of the kernel: seen from outside, and as reported."""

import os
import signal
import sys

import outside
import pytest

ROLES = ("main", "server", "client")
CPUS = sorted(os.sched_getaffinity(0))
LAST = CPUS[-1]
FIRST = CPUS[0]

# The placement plan, by number of CPUs: main's, the server's, the client's.
PLAN = {1: (0, 0, 0), 2: (0, 0, 1), 3: (0, 1, 2), 4: (1, 2, 3)}


def plan(cpus):
    return [{cpus[index]} for index in PLAN[min(len(cpus), 4)]]


@pytest.fixture
def observe(start, tmp_path):
    """Looks at a run in steady state, and then at what it reports."""
    def look(*options, **popen):
        run = start("-q", *options, "-D", 20, "--json", tmp_path / "json",
                    **popen)
        pids = run.steady()
        seen = {role: outside.settings(pid) for role, pid in pids.items()}
        for role, pid in pids.items():
            if seen[role]["locked"]:
                assert outside.unlocked(pid) == [], role
        run.signal(signal.SIGINT)
        assert run.finish() == 0, run.err
        told = outside.load_json(tmp_path / "json")["twoway"]["processes"]
        for role in ROLES:
            assert {key: told[role][key] for key in seen[role]} == seen[role]
        return seen
    return look


def column(seen, key):
    return [seen[role][key] for role in ROLES]


@pytest.mark.parametrize("options, policy, priorities", [
    ((), "other", [0, 0, 0]),
    (("-p", 40), "fifo", [38, 39, 40]),
    (("--priority=3",), "fifo", [1, 2, 3]),
    (("-p99",), "fifo", [97, 98, 99]),
    (("-p", 40, "--policy=fifo"), "fifo", [38, 39, 40]),
    (("-p", 40, "--policy=rr"), "rr", [38, 39, 40]),
    (("--policy=fifo",), "fifo", [1, 2, 3]),
    (("--policy=rr",), "rr", [1, 2, 3]),
    (("--policy=batch",), "batch", [0, 0, 0]),
    (("--policy=idle",), "idle", [0, 0, 0]),
    (("--policy=normal",), "other", [0, 0, 0]),
])
def test_scheduling(observe, options, policy, priorities):
    seen = observe(*options)
    assert column(seen, "policy") == [policy] * 3
    assert column(seen, "priority") == priorities
    assert column(seen, "cpus") == [outside.cpu_list(CPUS)] * 3
    assert column(seen, "locked") == [False] * 3


@pytest.mark.parametrize("option", ["-m", "--mlockall"])
def test_locked(observe, option):
    assert column(observe(option), "locked") == [True] * 3


@pytest.mark.parametrize("options, main, server, client", [
    (["-a"], *plan(CPUS)),
    (["--affinity"], *plan(CPUS)),
    ([f"-a{FIRST}"], CPUS, {FIRST}, {FIRST}),
    ([f"-a{LAST}"], CPUS, {LAST}, {LAST}),
    (["-a", f"{FIRST},{LAST}"], CPUS, {FIRST}, {LAST}),
    (["-aall"], CPUS, {CPUS[0]}, {CPUS[1 % len(CPUS)]}),
    ([f"--server-affinity={LAST}"], CPUS, {LAST}, CPUS),
    ([f"--client-affinity={LAST}"], CPUS, CPUS, {LAST}),
    ([f"--mainaffinity={LAST}"], {LAST}, CPUS, CPUS),
    (["--mainaffinity=all"], CPUS, CPUS, CPUS),
    (["-a", f"--server-affinity={LAST}"],
     plan(CPUS)[0], {LAST}, plan(CPUS)[2]),
    ([f"-a{LAST}", f"--client-affinity={FIRST}", f"--mainaffinity={FIRST}"],
     {FIRST}, {LAST}, {FIRST}),
])
def test_affinity(observe, options, main, server, client):
    seen = observe("-p", 50, *options)
    assert column(seen, "cpus") == [outside.cpu_list(cpus)
                                    for cpus in (main, server, client)]


def test_everything_together(observe):
    seen = observe("-m", "-p", 98, "-a")
    assert column(seen, "locked") == [True] * 3
    assert column(seen, "priority") == [96, 97, 98]
    assert column(seen, "cpus") == list(map(outside.cpu_list, plan(CPUS)))


def test_affinity_of_caller(observe):
    """The plan is made over the CPUs that the caller may use."""
    seen = observe("-a", "-p", 50,
                   preexec_fn=lambda: os.sched_setaffinity(0, {LAST}))
    assert column(seen, "cpus") == [str(LAST)] * 3


@pytest.mark.parametrize("options, held", [
    ((), True),
    (("--latency=7",), True),
    (("--default-system",), False),
])
def test_cpu_dma_latency(start, tmp_path, options, held):
    """The request to power management is main's, and ends with the run."""
    if not os.path.exists(outside.CPU_DMA_LATENCY):
        pytest.skip(f"no {outside.CPU_DMA_LATENCY} here")
    run = start("-q", *options, "-D", 20, "--json", tmp_path / "json")
    pids = run.steady()
    assert [role for role, pid in pids.items()
            if outside.CPU_DMA_LATENCY in outside.open_files(pid)] == \
        (["main"] if held else [])
    if held:
        # What all holders together ask for.
        with open(outside.CPU_DMA_LATENCY, "rb") as file:
            asked = int.from_bytes(file.read(4), sys.byteorder,
                                   signed=True)
        assert asked <= 7

    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    assert run.processes() == []
    told = outside.load_json(tmp_path / "json")["twoway"]["settings"]
    wanted = 7 if "--latency=7" in options else 0
    assert told["latency_us"] == (wanted if held else None)
    assert ("/dev/cpu_dma_latency set to" in run.out) == held


def test_sides_hold_only_their_own(start):
    """They do not keep open what main may have to give back."""
    run = start("-q", "-D", 20)
    pids = run.steady()
    main = set(outside.open_files(pids["main"]))
    standard = {os.readlink(f"/proc/{run.pid}/fd/{fd}") for fd in (0, 1, 2)}
    for role in outside.SIDES:
        theirs = set(outside.open_files(pids[role]))
        assert not theirs & main - standard, role


@pytest.mark.parametrize("timer", ["posix", "nanosleep", "timerfd"])
@pytest.mark.parametrize("wait", ["poll", "busy"])
def test_no_page_faults(start, tmp_path, timer, wait):
    """With locked memory the loops never fault."""
    if wait == "busy" and len(CPUS) < 2:
        pytest.skip("a server that waits busily needs a CPU of its own")
    # Elsewhere than main, which it would starve.
    place = [f"--server-affinity={LAST}", f"--client-affinity={FIRST}"]
    run = start("-q", "-m", "-p", 98, "-a", *(place if wait == "busy" else []),
                "-i", 500, "-l", 1000, f"--timer={timer}", f"--wait={wait}",
                "-h", 100, "--json", tmp_path / "json",
                "--dump", tmp_path / "dump")
    assert run.finish() == 0, run.err
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    assert twoway["cycles"] == 1000
    for role in outside.SIDES:
        assert twoway["processes"][role]["minor_faults"] == 0, role
        assert twoway["processes"][role]["major_faults"] == 0, role


@pytest.mark.parametrize("options", [
    ("--wait=busy",), ("-i", 0, "--sleep=0"),
    ("-i", 0, "--sleep=0", "--wait=busy")])
def test_never_asleep_on_mains_cpu(start, tmp_path, options):
    """Sides that leave main no time there: -l ends them by themselves, and
    then main has it."""
    cpu = max(os.sched_getaffinity(0))
    args = ("-q", "-p", 20, f"--mainaffinity={cpu}", "-a", cpu, *options)
    run = start(*args, "-l", 300, "--json", tmp_path / "json")
    assert run.finish() == 0, run.err
    twoway = outside.load_json(tmp_path / "json")["twoway"]
    assert twoway["cycles"] == 300
    assert [twoway["processes"][role]["priority"] for role in ROLES] == \
        [18, 19, 20]
    assert all(one["at_end"] is None
               for one in twoway["processes"].values())
    for endless in ((), ("-D", 1)):
        run = start(*args, *endless)
        assert run.finish() == 1
        assert "--loops, or --force\n" in run.err
