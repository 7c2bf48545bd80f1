# SPDX-License-Identifier: GPL-2.0-or-later
"""However a run ends: what it says and writes, and that nothing is left."""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

import outside
import primitives
import results
import twowaytest

CPU = sorted(os.sched_getaffinity(0))[0]
LOADS = {
    "idle": (), "pairs": ("-t2", "-d0"), "read": ("--wait=read",),
    "udp": ("--transport=udp", "--timeout=9000000"),
    "busy": ("--transport=unix", "--wait=busy"),
    "busy-udp": ("--transport=udp", "--wait=busy", "--timeout=9000000"),
    "real-time": ("-p", "50", "-m"),
    "fft": ("-p", "50", "--load=fft:2", f"--load-affinity={CPU}",
            "--load-policy=rr"),
    "hackbench": ("--load=hackbench:1",),
    "both": ("-p", "9", "--load=hackbench:1", "--load=fft"),
}


def ready(process, load):
    """When cycles are measured and all loads run: its pids by name."""
    names = ["twoway-server", "twoway-client"] + \
        ["twoway-load"] * (load in ("fft", "hackbench", "both")) + \
        ["hackbench"] * (load in ("hackbench", "both"))

    def found():
        pids = {name: process.named(name) for name in names}
        sides = [pid for name in names[:2] for pid in pids[name]]
        return all(pids.values()) and pids if sides and \
            min(map(outside.switches, sides)) > 40 else None

    pids = outside.wait_for(found)
    assert pids, process.err
    return {**pids, "main": [process.pid]}


@results.root
@pytest.mark.parametrize("load,victim,which,named", [
    *((load, "main", 0, "") for load in LOADS),
    *((load, f"twoway-{role}", -1, f"the {role} (pid {{}}) was killed by "
       "signal 9") for load in LOADS for role in ("client", "server")),
    *((load, "twoway-load", which, "the load (pid {}) was killed by signal 9")
      for load in ("fft", "both") for which in (0, 1)),
    ("hackbench", "twoway-load", 0, "the load (pid {}) was killed by"),
    ("hackbench", "hackbench", 0, "the load "),
])
def test_kill(start, load, victim, which, named):
    """SIGKILL of anyone: results so far, status 1, its name, nobody left."""
    process = start("-q", "-i", 500, "--json=json", *LOADS[load])
    pids = ready(process, load)
    everyone = [pid for group in pids.values() for pid in group]
    pid = pids[victim][which]
    os.kill(pid, signal.SIGKILL)
    status = process.finish(10)     # as a rule within a second
    assert process.gone(), process.processes()
    # One that is being killed has lost its environment, but is there still.
    assert outside.wait_for(lambda: not results.alive(everyone), 10)
    if victim == "main":
        assert status == -signal.SIGKILL
        return
    assert status == 1
    assert named.format(pid) in process.err
    assert "# Failed: standard error says why: this is what was measured " \
        "until then" in process.out.splitlines()
    assert len(results.text(process.out).threads) == (load == "pairs") + 1
    json = results.check(start.directory / "json")
    assert json["return_code"] == 1 and json["thread"]["0"]["cycles"] > 0


def has_namespaces():
    """Whether the program may have PID namespaces of its own."""
    return not any(subprocess.run(["unshare", *options, "true"],
                                  capture_output=True).returncode
                   for options in (["-pf"],))


@results.root
@pytest.mark.parametrize("load", ["hackbench", "command"])
@pytest.mark.parametrize("victims", [
    {"main", "load"}, {"main", "keeper"}, {"load", "keeper"},
    {"main", "load", "keeper"}])
def test_kill_of_several(start, load, victims):
    """At once. Without a namespace, one of a load's processes is needed."""
    if len(victims) == 3 and (load == "command" or not has_namespaces()):
        pytest.skip("nobody is left that could end what the load has started")
    process = start("-q", "-i", 500, f"--load={load}:" + (
        "1" if load == "hackbench" else "setsid sleep 99 & sleep 99"))
    name, count = ("hackbench", 41) if load == "hackbench" else ("sleep", 2)
    assert outside.wait_for(lambda: len(process.named(name)) >= count)
    loaded = process.named(name)
    load, keeper, *_ = process.named("twoway-load")
    assert keeper in outside.children(load)
    for pid in ({"main": process.pid, "load": load, "keeper": keeper}[victim]
                for victim in victims):
        with contextlib.suppress(ProcessLookupError):   # dead with its parent
            os.kill(pid, signal.SIGKILL)
    assert outside.wait_for(lambda: not results.alive(loaded), 10)
    assert process.gone(5), {pid: outside.read(f"/proc/{pid}/status")
                             for pid in process.processes()}
    process.finish(10)


@results.root
@pytest.mark.parametrize("load", ["fft", "hackbench:1"])
def test_load_is_killed_at_the_start(start, load):
    """While pairs are started: main sees it when it begins to wait."""
    process = start("-q", "-t", 200, "-i", 100000, f"--load={load}")
    assert outside.wait_for(lambda: process.named("twoway-server"))
    os.kill(process.named("twoway-load")[0], signal.SIGKILL)
    assert process.finish(20) == 1
    assert "was killed by signal 9" in process.err and process.gone(2)


@pytest.mark.parametrize("number,ignored,how", [
    (signal.SIGINT, (), "main"), (signal.SIGTERM, (), "main"),
    (signal.SIGHUP, (), "main"),
    (signal.SIGINT, (signal.SIGINT, signal.SIGTERM), "main"),
    (signal.SIGTERM, (signal.SIGINT, signal.SIGTERM), "main"),
    (signal.SIGINT, (signal.SIGHUP,), "main"),
    (signal.SIGINT, (signal.SIGCHLD,), "main"),
    (signal.SIGINT, (), "group"), (signal.SIGTERM, (), "group"),
])
@pytest.mark.parametrize("load", ["idle", "pairs", "read", "udp", "busy-udp"])
def test_signals_end_it(start, number, ignored, how, load):
    """As of a terminal, too, which signals all; ignored at the start or not;
    SIGHUP stays ignored."""
    def prepare():
        for one in ignored:
            signal.signal(one, signal.SIG_IGN)

    process = start("-q", "--json=json", *LOADS[load], preexec_fn=prepare,
                    start_new_session=True)
    pids = ready(process, load)
    if signal.SIGHUP in ignored:
        process.signal(signal.SIGHUP)
        client = pids["twoway-client"][0]
        assert goes_on(client, 30)
    if how == "group":
        os.killpg(process.pid, number)
    else:
        process.signal(number)
    assert process.finish() == 0 and process.gone()
    json = results.check(start.directory / "json")
    assert json["twoway"]["interrupted"] is True and json["return_code"] == 0
    assert results.text(process.out).threads and not process.err


@pytest.mark.parametrize("number", [
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1,
    signal.SIGUSR2])
def test_the_sides_ignore_signals(start, number):
    """They go on, until main ends them; nobody minds SIGUSR2."""
    process = start("-q")
    pids = process.steady()
    for side in outside.SIDES:
        os.kill(pids[side], number)
    if number == signal.SIGUSR2:
        process.signal(number)
    assert goes_on(pids["server"]) and goes_on(pids["client"])
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and not process.err
    assert results.text(process.out).threads[0].cycles


def goes_on(pid, times=100, seconds=30):
    """Waits until it has blocked so often again, and once more."""
    before = outside.switches(pid)
    return outside.wait_for(lambda: outside.switches(pid) > before + times,
                            seconds)


def test_a_stopped_server_is_no_late_wakeup(start):
    """Of some tries, as the machine can be late by itself."""
    for _ in range(8):
        process = start("-q", "-N", "--json=json", "-D", 9,
                        *(() if outside.why_not() else ("-p", 98)))
        server = process.steady()["server"]
        os.kill(server, signal.SIGSTOP)
        assert outside.wait_for(
            lambda pid=server: outside.status(pid, "State")[:1] == "T")
        time.sleep(0.025)
        os.kill(server, signal.SIGCONT)
        assert goes_on(server)
        process.signal(signal.SIGINT)
        assert process.finish() == 0
        json = results.check(start.directory / "json")
        phases = json["thread"]["0"]["phases"]
        for name in "response", "planned", "latency":
            assert phases[name]["max"] >= 20000000, name
        assert json["twoway"]["pairs"][0]["missed"] >= 19
        if phases["wakeup"]["max"] < 15000000:
            return
    assert not phases["wakeup"]


@pytest.mark.parametrize("fault,named", [
    ("client:send:flip:9:0", "the server"), ("server:send:flip:9:0",
                                             "the client")])
def test_a_wrong_number_is_no_answer(run, shim, fault, named):
    done = run("-q", "-D", 9, env=shim(fault))
    assert done.returncode == 1 and "Protocol error" in done.stderr
    assert named in done.stderr
    assert 5 < results.text(done.stdout).threads[0].cycles < 10


def test_a_server_that_does_not_end(start):
    process = start("-q", "-i", 500)
    server = process.steady()["server"]
    os.kill(server, signal.SIGSTOP)
    process.signal(signal.SIGINT)
    assert process.finish(10) == 1 and process.gone()
    assert f"the server (pid {server}) did not end within 1 s" in process.err
    assert results.text(process.out).threads


def test_the_client_needs_no_main_to_end(start):
    """-D: main cannot run, and the sides end nevertheless."""
    process = start("-q", "-D", 3)
    pids = process.steady()
    process.signal(signal.SIGSTOP)
    assert outside.wait_for(
        lambda: not results.alive([pids["client"], pids["server"]]), 7)
    process.signal(signal.SIGCONT)
    assert process.finish() == 0 and process.gone()
    assert results.text(process.out).threads[0].cycles <= 3002


def test_who_is_done_waits_for_the_others(start):
    """Its exit would disturb them."""
    process = start("-q", "-t2", "-l", 60, "-i", "400,20000", "--json=json")
    quick, slow = outside.wait_for(lambda: len(
        found := process.named("twoway-client")) == 2 and found)
    # All pairs have begun; after that, it takes a second.
    assert outside.wait_for(lambda: outside.switches(slow) > 8)
    os.kill(slow, signal.SIGSTOP)
    assert outside.wait_for(lambda: not goes_on(quick, 0, 0.3))
    assert not outside.wait_for(
        lambda: len(process.children()) != 4, 0.5)
    os.kill(slow, signal.SIGCONT)
    assert process.finish() == 0 and process.gone() and not process.err
    threads = results.check(start.directory / "json")["thread"]
    assert [threads[number]["cycles"] for number in "01"] == [60, 60]


@results.root
@pytest.mark.alone
@pytest.mark.parametrize("sleep", [100, 0])
@pytest.mark.parametrize("how", ["duration", "signal", "killed"])
def test_a_closed_loop_that_takes_the_cpu(start, how, sleep):
    """Main is an ordinary process on the CPU that both sides fill."""
    process = start("-q", "-p", 50, "-a", CPU, "-i", 0, f"--sleep={sleep}",
                    "-D", 1 if how == "duration" else 60,
                    preexec_fn=lambda: os.sched_setaffinity(0, {CPU}))
    if how != "duration":
        # The server is preempted rather than blocking, without a sleep.
        pids = outside.wait_for(lambda: process.sides() if sum(
            map(outside.switches, process.sides().values())) > 300 else None)
        process.signal(signal.SIGINT if how == "signal" else signal.SIGKILL)
    status = process.finish(6)
    assert process.gone()
    if how == "killed":
        assert outside.wait_for(lambda: not results.alive(pids.values()), 5)
        return
    line, = results.text(process.out).threads
    assert status == 0 and line.cycles > 50 and line.interval == 0


@pytest.mark.parametrize("args,least_ns", [
    (("-A1000000", "-t2", "-i1000", "-d0"), 4 * 10**8),
    (("-t2", "-i1000000,1000", "-d0", "--warmup=1"), 0),
    (("-i0", "--sleep=200", "--warmup=9000"), 4 * 10**8)])
def test_duration_begins_with_each_pair(run, args, least_ns):
    """However long its warm-up takes, or how late it begins."""
    done = run("-q", "-D", 1, "--dump=dump", *args)
    assert done.returncode == 0, done.stderr
    for pair in range(1 + ("-t2" in args)):
        own = [cycle for cycle in done.dump() if cycle.pair == pair]
        assert own[-1].t3_ns - own[0].t0_ns > least_ns


NICE = ("scheduling policy and priority", "CAP_SYS_NICE", "ulimit -r")


def nobody(limits):
    """As outside's, where these limits may be set."""
    for name, value in limits.items():
        hard = resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1]
        if hard != -1 and value > hard:
            pytest.skip(f"RLIMIT_{name}: {hard} here")
    return outside.nobody(**limits)


@results.root
def test_without_a_timer(public):
    """A POSIX timer keeps a signal."""
    done = twowaytest.run("-q", "-l", 20, "-x", directory=public,
                          program=str(public / "twowaytest"),
                          preexec_fn=outside.nobody(SIGPENDING=0))
    assert done.returncode == 1
    assert "stopped: the kernel refused a timer; see \"ulimit -i\"\n" in \
        done.stderr


@results.root
@pytest.mark.parametrize("options,limits,missing", [
    (("-p", "50"), {"RTPRIO": 0}, NICE),
    (("-p", "51"), {"RTPRIO": 50}, NICE), (("-p", "50"), {"RTPRIO": 50}, ()),
    (("--policy=rr",), {"RTPRIO": 1}, NICE),
    (("-p", "9", "--load=fft"), {"RTPRIO": 8}, NICE),
    (("-m",), {"MEMLOCK": 4096}, ("locked memory", "CAP_IPC_LOCK",
                                  "ulimit -l")),
    (("-m",), {"MEMLOCK": 8 << 20}, ()), ((), {}, ()),
    ((), {"NPROC": 1}, ("cannot start the server", "temporarily",
                       "ulimit -u")),
    ((), {"NOFILE": 6}, ("Too many open files",)),
    ((), {"NOFILE": 10}, ("pair 0 over tcp: Too many", "ulimit -n")),
    (("--json=/etc/f",), {}, ("/etc/f", "Permission denied")),
])
def test_without_rights(public, options, limits, missing):
    """As nobody: what is missing is named, and nothing runs."""
    done = twowaytest.run("-q", "-l", 20, *options, directory=public,
                          program=str(public / "twowaytest"),
                          preexec_fn=nobody(limits))
    lines = [x for x in done.stderr.splitlines() if "cpu_dma_lat" not in x]
    assert done.returncode == bool(missing), done.stderr
    assert ("T:" in done.stdout) != bool(missing)
    assert len(lines) == bool(missing), lines
    assert all(word in lines[0] for word in missing)


@results.root
@pytest.mark.parametrize("option,limits,status", [
    ("-p50", {"RTPRIO": 51}, 0), ("-p50", {"RTPRIO": 50}, 1),
    ("-m", {"MEMLOCK": 8 << 20}, 0), ("-m", {"MEMLOCK": 4096}, 1)])
def test_rights_of_primitivetest(public, option, limits, status):
    """What its page says: of priorities, main needs one more."""
    program = shutil.copy(primitives.binary(), public)
    done = twowaytest.run("-q", "-l", 20, "--test=sync2.futex", option,
                          "--default-system", directory=public, program=program,
                          preexec_fn=nobody(limits))
    assert done.returncode == status, done.stderr
    assert ("\nsync2.futex" in done.stdout) == (status == 0)
    assert ("ulimit" in done.stderr) == (status == 1)


def test_no_memory(run):
    """For the histograms of the last pairs; a sanitizer needs it all itself."""
    primitives.need_preload()
    done = run("-q", "-l", 20, "-t", 40, "-h", 1000000, preexec_fn=(
        lambda: resource.setrlimit(resource.RLIMIT_AS, (120 << 20,) * 2)))
    assert done.returncode == 1 and "T:" not in done.stdout
    assert re.fullmatch(r"FATAL: no memory for pair \d+: Cannot allocate "
                        r"memory\n", done.stderr)


def test_interrupted_before_a_cycle(start):
    """Nothing was measured: status 1, and nobody is left."""
    process = start("-q", "-i", "900000000", "--json=json")
    assert outside.wait_for(lambda: len(process.sides()) == 2)
    process.signal(signal.SIGINT)
    assert process.finish() == 1 and process.gone()
    assert "no cycle" in process.err and "T:" not in process.out
    assert (start.directory / "json").read_bytes() == b""
