# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads, ramps, the reference set-up; settings as the kernel tells them."""

import os
import re
import resource
import signal

import pytest

import outside
import results
from test_core_ends import ready

CPUS = sorted(os.sched_getaffinity(0))
ALL = outside.cpu_list(CPUS)
LINE = re.compile(r"# Load: (\w+), (\d+) (\w+), ([\d.]+) (\w+) a second")
KINDS = {"fft": ("workers", "transforms"), "hackbench": ("groups", "messages")}


def counted(number, unit):
    """1 worker, 2 workers."""
    return f"{number} {unit[:-1] if number == 1 else unit}"


@results.root
@pytest.mark.parametrize("options,loads", [
    ("--load=fft", [("fft", 1, 0)]), ("--load=fft --load=none", []),
    ("--load=fft:3 -p 50", [("fft", 3, 0)]),
    ("--load=fft:3 -p 50 --load-policy=rr", [("fft", 3, 1)]),
    ("--load=hackbench:1 -p 50", [("hackbench", 1, 0)]),
    ("--load=fft:2 --load=hackbench:2", [("fft", 2, 0), ("hackbench", 2, 0)]),
    ("--load=hackbench:1 --load=fft --load=fft:2 -t2",
     [("hackbench", 1, 0), ("fft", 1, 0), ("fft", 2, 0)]),
    ("--load=fft --load=none --load=hackbench:1", [("hackbench", 1, 0)]),
])
def test_each_load_has_its_line(run, options, loads):
    """All of them run together, and each has done work."""
    for cycles in (600, 6000) if loads else (20,):
        done = run("-q", "-l", cycles, "--json=json", *options.split())
        assert (done.returncode, done.stderr) == (0, "")
        json = results.loaded(done)["twoway"]["load"]
        # On a busy machine, it takes longer.
        if all(one["rate"] for one in json):
            break
    lines = [match for match in map(LINE.fullmatch, done.stdout.splitlines())
             if match]
    assert [(one["kind"], one["units"], one["priority"])
            for one in json] == loads
    assert all((one["unit"], one["work"]) == KINDS[one["kind"]]
               for one in json)
    assert len(lines) == len(json)
    for line, one in zip(lines, json):
        assert line.groups()[:3] + line.groups()[4:] == (
            one["kind"], *counted(one["units"], one["unit"]).split(),
            KINDS[one["kind"]][1])
        assert abs(float(line[4]) - one["rate"]) < 0.051
        assert one["rate"] > 0 and one["errors"] == 0


@pytest.mark.parametrize("script,named,measured", [
    (None, "hackbench is not in PATH", False),
    ("exit 1", "hackbench", False), ("exit 0", "hackbench", False),
    ("kill -9 $$", "hackbench", False),
    ("echo no memory >&2; sleep 100 & exit 3", "no memory", False),
    ("sleep 2; sleep 100 & exit 1", "hackbench", True),
])
def test_hackbench_that_fails(run, script, named, measured):
    """Told before anything is measured, or as soon as it does."""
    path = run.directory / "hackbench"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    path.chmod(0o755 if script else 0o644)
    done = run("-q", "-D", 25, "--load=hackbench", env={
        "PATH": f"{run.directory}:{os.environ['PATH'] if script else ''}"})
    assert done.returncode == 1 and named in done.stderr
    assert ("T:" in done.stdout) == measured


def test_scratch_files_are_where_they_are_wanted(run):
    """Another disk would be another load."""
    done = run("TMPDIR=/proc", outside.binary(), "-q", "-D", 2, "--load=fft",
               program="/usr/bin/env")
    assert done.returncode == 1
    assert re.search(r"load \(pid \d+\) stopped: ", done.stderr), done.stderr
    assert "--load=fft: /proc: cannot be written: " in done.stderr


def test_no_scratch_file_stays_open(run):
    """The load has fewer descriptors than it does transforms."""
    for seconds in 2, 15:       # a busy machine needs longer
        done = run("-q", "-D", seconds, "--load=fft", "--json=json",
                   preexec_fn=lambda: resource.setrlimit(
                       resource.RLIMIT_NOFILE, (20, 20)))
        assert (done.returncode, done.stderr) == (0, "")
        rate = results.loaded(done)["twoway"]["load"][0]["rate"]
        if rate * seconds > 20:
            return
    pytest.fail(f"only {rate} transforms a second")


@results.root
@pytest.mark.parametrize("options", [("-D", 60), ("-l", 50, "--steps=2")])
def test_full_directory(run, small, options):
    """A load that cannot write its results does not do what it is to do: the
    run ends, and what was measured is printed."""
    (small / "taken").write_bytes(bytes(16 * 1024))
    done = run(f"TMPDIR={small}", outside.binary(), "-q", "--load=fft", "--json=json", *options, program="env")
    assert done.returncode == 1
    told, *rest = done.stderr.splitlines()
    assert told == f"WARN: --load=fft: {small}: cannot be written: No space " \
        "left on device; TMPDIR may name another directory, with room for 4 " \
        "MB for each worker"
    assert [re.sub(r"pid \d+", "pid", line) for line in rest] == [
        "WARN: the load (pid) stopped: No space left on device",
        "WARN: --load=fft: it does not run any longer"]
    if "--steps=2" in options:
        assert "\nT: 0" in done.stdout
        assert results.loaded(done)["return_code"] == 1


@pytest.mark.parametrize("where", ["first", "copy"])
def test_wrong_transforms_are_told(run, amiss, where):
    done = run("-q", "-l", 500, "--load=fft", "--json=json",
               env={**amiss, "TW_AMISS": where})
    json = results.loaded(done)
    assert done.returncode == json["return_code"] == 1
    assert json["twoway"]["load"][0]["errors"] > 0
    assert "results were wrong" in done.stderr


@results.root
@pytest.mark.parametrize("options,kind,steps", [
    ("--load=fft -p50", "fft", 3), ("--load=hackbench", "hackbench", 2),
    ("--load=fft -t2 -d0 -N", "fft", 2), ("--load=fft", "fft", 1),
    ("--load=fft --load=hackbench:2", "fft", 2),
    ("--load=fft -i0 -h50", "fft", 2)])
def test_ramp(run, options, kind, steps):
    done = run("-q", "-l", 20, f"--steps={steps}", "--json=json",
               *options.split())
    assert (done.returncode, done.stderr) == (0, "")
    unit, work = KINDS[kind]
    json = results.loaded(done)
    lines = done.stdout.splitlines()
    heads = [line for line in lines if line.startswith("# Step ")]
    of_steps = json["twoway"].get("steps", [])
    pairs = len(json["twoway"]["pairs"])
    if steps == 1:
        assert heads == ["# Step 1/1: load fft, 0 workers"] and not of_steps
        return
    assert heads == [f"# Step {k + 1}/{steps}: load {kind}, {counted(k, unit)}"
                     for k in range(steps)]
    threads = [results.status(line, "-N" in options) for line in lines
               if line[:1] == "T"]
    if "-h50" in options:
        assert not threads and lines.count("# Histogram") == 1
    else:
        assert [line.column for line in threads] == list(range(pairs)) * steps
        assert {line.cycles for line in threads} == {20}
    at = lines.index(f"# Load {kind}: response and total by {unit}; work: "
                     f"{work} a second")
    assert lines[at + 1].endswith(" work")
    assert len(of_steps) == steps
    for k, step in enumerate(of_steps):
        of = step["phases"]
        assert step["units"] == k
        assert {one["cycles"] for one in of.values()} == {20 * pairs}
        # 20 cycles are too short for a transform, not for messages.
        assert step["rate"] == 0 if not k else step["rate"] > 0 or \
            kind == "fft"
        number, response, total, rate = lines[at + 2 + k][2:].split(" | ")
        assert int(number) == k and abs(float(rate) - step["rate"]) < 0.051
        for words, one in ((response, of["response"]), (total, of["total"])):
            least, avg, most, std = words.split()
            assert (int(least), int(most)) == (one["min"], one["max"])
            assert abs(float(std) - one["stddev"]) < 0.051
            assert one["avg"] - 1 <= int(avg) <= one["avg"]
    assert json["thread"]["0"]["cycles"] == 20 * steps
    # The first load alone is varied.
    assert [one["units"] for one in json["twoway"]["load"][1:]] == \
        [2] * ("--load=hackbench:2" in options)
    missed = sum(pair["missed"] for pair in json["twoway"]["pairs"])
    assert missed == sum(step["missed"] for step in of_steps)
    assert (f"# Missed: {missed}" in lines) == bool(missed)
    for name in json["thread"]["0"]["phases"] if pairs == 1 else ():
        found = results.pooled([step["phases"][name] for step in of_steps])
        one = json["thread"]["0"]["phases"][name]
        assert found[:2] == (one["min"], one["max"])
        assert abs(found[2] - one["avg"]) < 0.002
        assert abs(found[3] - one["stddev"]) < 0.01 + one["stddev"] * 1e-5


@results.root
@pytest.mark.parametrize("pairs", [1, 2])
def test_reference_set_up(run, pairs):
    """--trltp overrides earlier options, not later ones; its log, a section a
    step and a pair."""
    done = run("--load=command:false", "--trltp", "-l", 30, "--steps=2",
               "-d0", f"-t{pairs}", "-q", "--trltp-log=log", "--json=json",
               "-h", 100, "--histfile=h")
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    expected = {"interval": 1000, "sleep": 100, "timer": "posix", "warmup": 1,
                "loops": 30, "mlockall": True, "priority": 98, "steps": 2}
    assert expected.items() <= json["twoway"]["settings"].items()
    assert json["twoway"]["pairs"][0]["client"]["priority"] == 98
    metrics = ["interval", "send", "sleep", "receive", "response", "total"]
    assert [thread["metric"] for thread in json["thread"].values()] == \
        metrics * pairs
    for thread in json["thread"].values():
        assert sum(thread["histogram"].values()) + thread["overflows"] == 60
    sections = re.split(r"^(?=Workers,)", done.text("log"), flags=re.M)[1:]
    expected = [(step, pair) for step in range(2) for pair in range(pairs)]
    assert len(sections) == len(expected)
    for section, (step, pair) in zip(sections, expected):
        lines = section.splitlines()
        assert lines[0] == f"Workers,{step}"
        assert (lines[1] == f"Pair,{pair}") == (pairs > 1)
        assert [line for line in lines if "Micro Sec)" in line] == [
            f"{results.LOGGED[metric]} (Micro Sec)" for metric in metrics]
        for label in results.LOGGED.values():
            figures, bins = results.log_section(lines, label)
            assert int(figures["Count"]) == 30 == sum(bins.values())


@results.root
def test_load_that_dies_in_a_later_step(start):
    """What the steps before have measured is printed and written."""
    process = start("-q", "-l900", "--steps=4", "--load=fft", "--json=json")
    # The client starts when the load is ready.
    assert outside.wait_for(lambda: {"twoway-load", "twoway-client"} <= {
        outside.status(pid, "Name")
        for pid in outside.children(process.pid)})
    os.kill(next(pid for pid in outside.children(process.pid)
                 if outside.status(pid, "Name") == "twoway-load"),
            signal.SIGKILL)
    assert process.finish() == 1 and "was killed by signal 9" in process.err
    steps = results.check(start.directory / "json")["twoway"]["steps"]
    assert steps[0]["phases"]["latency"]["cycles"] == 900


@pytest.mark.parametrize("given", ["--trltp --trltp", "--load=hackbench "
                                   "--trltp"])
def test_trltp_again(run, given):
    done = run(*given.split(), "--steps=1", "-l", 20, "-q", "--json=json")
    json = results.loaded(done)
    assert [one["kind"] for one in json["twoway"]["load"]] == ["fft"]
    assert json["num_threads"] == 6


def plan(role):
    """Of -a without a set."""
    n = len(CPUS)
    at = {"main": 1, "server": 2, "client": 3, "load": 3} if n > 3 else \
        {"main": 0, "server": n > 2, "client": n - 1, "load": n - 1}
    return str(CPUS[at[role]])


P50 = {"client": ("fifo", 50), "server": ("fifo", 49)}
OTHER = {role: ("other", 0) for role in ("main", "server", "client", "load")}
LAST, FIRST = str(CPUS[-1]), str(CPUS[0])
EVERYWHERE = dict.fromkeys(OTHER, ALL)


@results.root
@pytest.mark.parametrize("options,load,policies,cpus", [
    ((), "idle", OTHER, EVERYWHERE),
    (("-p50",), "idle", {**OTHER, **P50}, EVERYWHERE),
    (("-p50", "-m", "-a"), "idle", {**OTHER, **P50},
     {role: plan(role) for role in OTHER}),
    (("-p50", "--load=fft"), "fft", {**OTHER, **P50}, EVERYWHERE),
    (("-p50", "--load=fft", "--load-policy=rr"), "fft",
     {**P50, "main": ("fifo", 2), "load": ("rr", 1)}, EVERYWHERE),
    (("--load=fft", "-a"), "fft", OTHER, {role: plan(role) for role in OTHER}),
    (("-p50", "--load=hackbench:1", "-a"), "hackbench", {**OTHER, **P50},
     {**{role: plan(role) for role in OTHER},
      "load": outside.cpu_list(CPUS[CPUS.index(int(plan("load"))):])}),
    (("--trltp", "--steps=2", "-D1"), "fft",
     {"main": ("fifo", 99), "client": ("fifo", 98), "server": ("fifo", 97),
      "load": ("rr", 1)}, {role: plan(role) for role in OTHER}),
    (("-p", "3", "--load=fft", "--load-policy=rr", "--load=hackbench:1"), "both",
     {"main": ("fifo", 2), "client": ("fifo", 3), "server": ("fifo", 2),
      "load": ("rr", 1)}, EVERYWHERE),
    (("-a" + FIRST, f"--mainaffinity={LAST}", "--load=fft",
      f"--load-affinity={LAST}"), "fft", OTHER,
     {"main": LAST, "load": LAST, "client": FIRST, "server": FIRST}),
    (("-a", f"--client-affinity={FIRST}", f"--server-affinity={LAST}"), "idle",
     OTHER, {**EVERYWHERE, "client": FIRST, "server": LAST,
             "main": plan("main")}),
])
def test_settings_as_the_kernel_has_them(start, options, load, policies, cpus):
    """Priorities, CPUs, locked memory; the JSON says the same."""
    process = start("-q", "--json=json", *options)
    pids = ready(process, load)
    locked = "-m" in options or "--trltp" in options
    found = {role: outside.settings(pids[f"twoway-{role}"][0])
             for role in ("server", "client")}
    found["main"] = outside.settings(process.pid)
    loads = [outside.settings(pid) for pid in pids.get("twoway-load", ())]
    if loads:
        found["load"] = loads[-1 if load == "both" and loads[-1]["priority"]
                              else 0]
    for role, is_ in found.items():
        assert (is_["policy"], is_["priority"]) == policies[role], role
        assert is_["cpus"] == cpus[role], role
    for role in ("server", "client"):
        pid = pids[f"twoway-{role}"][0]
        assert not locked or not outside.unlocked(pid)
        assert found[role]["locked"] == locked
        assert outside.status(pid, "PPid") == str(process.pid)
    for pid in pids.get("hackbench", ())[:1]:
        assert outside.settings(pid)["cpus"] == cpus["load"]
        assert outside.settings(pid)["policy"] == (
            "rr" if "--load-policy=rr" in options else "other")
    process.signal(signal.SIGINT)
    assert process.finish() == 0 and process.gone()
    of = results.check(start.directory / "json")["twoway"]
    assert all(one["units"] == 1 or one["kind"] != "fft" for one in of["load"])
    for role in ("server", "client", "main"):
        told = {**of, **of["pairs"][0]}[role]
        assert (told["policy"], told["priority"]) == policies[role]
        assert told["cpus"] == cpus[role]


def test_log_of_a_cycle_beyond_its_bins(run, shim):
    """The reference program calls them "above", without a bound."""
    done = run("-q", "-v", "-N", "-l", 10, "--warmup=0", "--trltp-log=log",
               "--metrics=interval,send,sleep,receive,response,total",
               env=shim("client:send:before:5:210000"))
    columns = list(results.LOGGED)
    [values] = results.cycles(done.stdout, columns)
    lines = done.text("log").splitlines()
    results.assert_log(lines, values)
    assert [line for line in lines if line.startswith("above,")].count(
        "above,1") >= 3     # send, response, total


@pytest.mark.parametrize("words, timer, sleep_us", [
    (["-x"], "POSIX Timer", 100), (["--sleep=50"], "Timer", 50),
    (["--timer=timerfd", "--sleep=0"], "Timer", 0)])
def test_labels_of_the_log(run, words, timer, sleep_us):
    """Those of the reference are for its timer and its sleep."""
    done = run("-q", "-l", 5, "--trltp-log=log", *words)
    assert [line for line in done.text("log").splitlines()
            if "Micro Sec)" in line][:3] == [
        f"{timer} Interval Time (Micro Sec)", "Send Time (Micro Sec)",
        f"nanosleep({sleep_us} Micro Sec) (Micro Sec)"]


@results.root
def test_no_faults_in_the_loops(run):
    """Locked and touched before: not one page fault while it measures."""
    done = run("-q", "-m", "-l", 300, "-h", 5000, "-v", "--trltp-log=log",
               "--json=json", "-p", 50)
    pair = results.loaded(done)["twoway"]["pairs"][0]
    assert pair["client"]["page_faults"] == pair["server"]["page_faults"] == 0
    for side in outside.SIDES:
        assert pair[side]["context_switches"] >= 300


def test_many_pairs(run):
    done = run("-q", "-t", "256", "-i", 20000, "-d0", "-l", 3, "--json=json")
    assert done.returncode == 0, done.stderr
    json = results.loaded(done)
    assert [t["cycles"] for t in json["thread"].values()] == [3] * 256
    assert len({p[s]["pid"] for p in json["twoway"]["pairs"]
                for s in outside.SIDES}) == 512
