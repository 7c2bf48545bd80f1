# SPDX-License-Identifier: GPL-2.0-or-later
"""Several pairs of client and server: their cycles, columns and ends."""

import itertools
import os
import re
import shutil
import signal
import subprocess

import pytest

import outside
import schema
import sides

BASE = ("--default-system", "-q")
NAMES = ("interval", "send", "sleep", "receive", "response", "total",
         "wakeup")
VALUES = {
    "send": lambda c: c.t1_ns - c.t0_ns,
    "sleep": lambda c: c.t2_ns - c.t1_ns,
    "receive": lambda c: c.t3_ns - c.t2_ns,
    "response": lambda c: c.t3_ns - c.t0_ns,
    "wakeup": lambda c: c.t0_ns - c.planned_ns,
}
ALLOWED = len(os.sched_getaffinity(0))


def results(run, *args):
    done = run(*BASE, "--json=json", *args)
    assert (done.returncode, done.stderr) == (0, "")
    return done, schema.check(done.text("json"))


def threads_of(json, pair):
    """By metric."""
    return {thread["metric"]: thread for thread in json["thread"].values()
            if thread["pair"] == pair}


def by_pair(cycles, count):
    return [[c for c in cycles if c.pair == pair] for pair in range(count)]


@pytest.mark.parametrize("args", [
    ("-t", 3), ("-t3", "-d", 0), ("--threads=3", "--distance=250"),
    ("-t3", "-i", "700,900"), ("-t3", "-i", 0, "-h", 20),
    ("-t3", "--servers=one"), ("-t3", "--servers=one", "--order=arrival"),
    ("-t3", "--servers=one", "--order=fixed", "-d0")], ids=str)
def test_each_pair_tells_of_its_own_cycles(run, args):
    done, json = results(run, "-N", "-l", 90, "--dump=dump", *args)
    twoway_json = json["twoway"]
    cycles = by_pair(done.dump(), 3)
    assert json["num_threads"] == 3 * len(twoway_json["settings"]["metrics"])
    assert twoway_json["cycles"] == sum(map(len, cycles))
    for pair, (own, told) in enumerate(zip(cycles, twoway_json["pairs"])):
        assert told["pair"] == pair
        assert told["cycles"] == len(own) > 0
        assert [c.cycle for c in own] == list(range(len(own)))
        assert told["missed"] == sum(c.missed for c in own)
        for name, thread in threads_of(json, pair).items():
            assert thread["cycles"] == len(own)
            if name not in VALUES:
                continue
            values = [VALUES[name](c) for c in own]
            assert thread["min"] == min(values)
            assert thread["max"] == max(values)
            assert abs(thread["avg"] - sum(values) / len(own)) < 0.01
    for name, value in VALUES.items():
        if name not in twoway_json["all"]:
            continue
        values = [value(c) for c in itertools.chain(*cycles)]
        told = twoway_json["all"][name]
        assert told["cycles"] == len(values)
        assert (told["min"], told["max"]) == (min(values), max(values))
        assert abs(told["avg"] - sum(values) / len(values)) < 0.01


def test_columns_follow_pair_by_pair(run):
    done, json = results(run, "-l", 20, "-t2", "-N")
    rows = [formats_line(line) for line in done.stdout.splitlines()
            if line.startswith("T:")]
    assert [row[:2] for row in rows] == [
        (i, f"{NAMES[i % 7]} {i // 7}") for i in range(14)]
    pids = [row[2] for row in rows]
    assert len(set(pids)) == 2 and pids[0] == pids[6] != pids[7]
    assert [row[3] for row in rows] == [1000] * 7 + [1500] * 7
    assert [(t["metric"], t["pair"]) for t in json["thread"].values()] == [
        (NAMES[i % 7], i // 7) for i in range(14)]


def formats_line(line):
    found = re.match(r"T: ?(\d+) \( *(\d+)\) P: *\d+ I:(\d+) .* (\w+ \d+)$",
                     line)
    return int(found[1]), found[4], int(found[2]), int(found[3])


def test_one_pair_has_no_number(run):
    done = run(*BASE, "-l", 9, "-t1", "--percentiles=50", "--worst")
    assert re.search(r"T: 0 .* interval$", done.stdout, re.M)
    assert "# Percentiles interval: 50:" in done.stdout
    assert "# Worst interval: " in done.stdout
    assert "pair" not in done.stdout


def test_names_with_their_pairs(run):
    done = run(*BASE, "-l", 9, "-t2", "--percentiles=50", "--worst", "-h9",
               "--metrics=send,response", "--limit=response:1")
    names = "send.0 response.0 send.1 response.1"
    assert f"# Metrics: {names}\n" in done.stdout
    assert re.findall(r"# Percentiles (\S+): 50:", done.stdout) \
        == names.split()
    assert re.findall(r"# Worst (send|response)\.[01]: .*\): pair [01], ",
                      done.stdout) == ["send", "response"]
    assert re.search(r"# Limit response:1: exceeded: pair [01]: \S+ us in "
                     r"cycle \d", done.stdout)


@pytest.mark.parametrize("args, periods", [
    (("-t3",), [1000, 1500, 2000]), (("-t3", "-h9"), [1000] * 3),
    (("-t3", "-H9", "-d7"), [1000, 1007, 1014]),
    (("-t3", "-i800", "-d", 100), [800, 900, 1000]),
    (("-t4", "-i", "500,900"), [500, 900, 900, 900]),
    (("-t3", "--interval=300,600,450"), [300, 600, 450]),
    (("-t2", "-i0"), [0, 0])], ids=str)
def test_periods_and_loops(run, args, periods):
    """All measure for the same time, as long as the first one's loops."""
    _, json = results(run, "-l", 60, *args)
    pairs = json["twoway"]["pairs"]
    assert [pair["interval_us"] for pair in pairs] == periods
    assert json["twoway"]["settings"]["intervals_us"] == periods
    assert [pair["cycles"] for pair in pairs] == [
        60 * periods[0] // period if period else 60 for period in periods]


@pytest.mark.parametrize("offset", [0, 130])
def test_aligned(run, offset):
    """One first expiry, to the ns; --aligned=US apart."""
    words = ("-A",) if not offset else (f"-A{offset}",)
    done, json = results(run, "-l", 30, "-t3", "-d0", "--dump=dump",
                         "--warmup=0", *words)
    assert json["twoway"]["settings"]["aligned_us"] == offset
    grids = [{c.planned_ns % 1000000 for c in own}
             for own in by_pair(done.dump(), 3)]
    assert all(len(grid) == 1 for grid in grids)
    firsts = [own[0].planned_ns for own in by_pair(done.dump(), 3)]
    # A late client may have missed its first expiry: whole periods.
    assert all((first - firsts[0] - k * offset * 1000) % 1000000 == 0
               for k, first in enumerate(firsts))


def test_not_aligned(run):
    _, json = results(run, "-l", 3, "-t2")
    assert json["twoway"]["settings"]["aligned_us"] is None


def test_smp_is_a_pair_for_each_cpu(run):
    _, json = results(run, "-l", 20, "-S", "--peer=same")
    pairs = json["twoway"]["pairs"]
    cpus = sorted(os.sched_getaffinity(0))
    assert json["twoway"]["settings"]["affinity"] == "smp"
    for role in ("client", "server"):
        assert [pair["processes"][role]["cpus"] for pair in pairs] == \
            list(map(str, cpus))


def test_next_peer(run):
    _, json = results(run, "-l", 20, "--smp", "--peer=next")
    cpus = sorted(os.sched_getaffinity(0))
    servers = [pair["processes"]["server"]["cpus"]
               for pair in json["twoway"]["pairs"]]
    assert servers == list(map(str, cpus[1:] + cpus[:1]))


def test_threads_without_number(run):
    _, json = results(run, "-l", 9, "-t")
    assert len(json["twoway"]["pairs"]) == ALLOWED


def test_limits_of_some_pairs(run):
    done = run(*BASE, "-l", 30, "-t3", "--limit=response@0,2:1",
               "--limit=missed@1:100000", "--limit=send@0-2:9000000",
               "--json=json")
    assert done.returncode == 2
    first, second, third = schema.check(done.text("json"))["twoway"]["limits"]
    assert first["verdict"] == "exceeded" and first["pair"] in (0, 2)
    assert (second["verdict"], second["pair"]) == ("met", 1)
    assert third["verdict"] == "met"
    worst = max((t["max"], -pair) for pair in range(3) for t in (
        threads_of(schema.check(done.text("json")), pair)["send"],))
    assert third["value_ns"] // 1000 == worst[0]


def test_a_break_is_of_one_pair(run):
    done = run(*BASE, "-t4", "-d0", "-A", "-b", 1, "--json=json")
    assert done.returncode == 2
    json = schema.check(done.text("json"))
    pair = json["twoway"]["break"]["pair"]
    client = re.search(r"# Break thread: (\d+)\n", done.stdout)[1]
    lines = re.findall(rf"^T: *\d+ \( *{client}\).* response (\d)$",
                       done.stdout, re.M)
    assert lines == [str(pair)]
    assert re.search(rf"# Break: response \d+ > 1: pair {pair}, cycle ",
                     done.stdout)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("args", [
    (), ("--servers=one",), ("--servers=one", "--order=arrival")], ids=str)
def test_a_signal_ends_all_pairs(start, args, number):
    process = start(*BASE, "-t5", "-d0", "-i2000", *args)
    sides.measuring(process, 5, 1 if args else 5)
    process.signal(number)
    assert process.finish() == 0, process.err
    assert not process.err and process.gone()
    assert len(re.findall("^T:", process.out, re.M)) == 5 * 7


def test_killed_parent_leaves_nothing(start):
    process = start(*BASE, "-t5", "-d0", "-i2000")
    sides.measuring(process, 5, 5)
    process.signal(signal.SIGKILL)
    assert process.gone()


def test_the_parent_keeps_few_descriptors(start):
    few = start(*BASE, "-t2", "-d0", "-i2000")
    sides.measuring(few, 2, 2)
    many = start(*BASE, "-t40", "-d0", "-i20000")
    sides.measuring(many, 40, 40)
    assert len(os.listdir(f"/proc/{few.pid}/fd")) == \
        len(os.listdir(f"/proc/{many.pid}/fd"))
    # And no side has another's.
    for client in sides.measuring(many, 40, 40)[0]:
        assert sum(1 for name in outside.open_files(client)
                   if name.startswith("socket:")) == 1


def test_256_pairs_start(run):
    done, json = results(run, "-t256", "-d0", "-i", 200000, "-l", 3)
    assert len(json["twoway"]["pairs"]) == 256
    assert all(pair["cycles"] == 3 for pair in json["twoway"]["pairs"])


@pytest.mark.parametrize("pairs", [1, 8, 64])
def test_the_parent_sleeps_while_cycles_are_measured(tmp_path, pairs):
    """strace of the parent: one call lasts as long as the measurement."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    process = subprocess.run(
        ["strace", "-o", trace, "-T", "-e", "trace=!wait4", outside.binary(),
         *BASE, f"-t{pairs}", "-i10000", "-d0", "-D1"], capture_output=True,
        text=True, check=False, timeout=60)
    if "ptrace" in process.stderr or not trace.exists():
        pytest.skip("strace may not trace here")
    assert process.returncode == 0, process.stderr
    lasted = [float(line.rsplit("<", 1)[1].rstrip(">\n"))
              for line in trace.read_text().splitlines()
              if line.startswith("poll(") and "Timeout" in line]
    assert len([time for time in lasted if time > 1]) == 1
    assert len(re.findall("^T:", process.stdout, re.M)) == 7 * pairs


def test_inversions_are_counted(run):
    """By the order in which the requests came; the last client has none."""
    _, json = results(run, "-t3", "-d0", "-A", "-l", 200, "--servers=one",
                      "--order=arrival")
    counts = [pair["inversions"] for pair in json["twoway"]["pairs"]]
    assert counts[2] == 0


def test_each_pair_has_no_inversions(run):
    _, json = results(run, "-t3", "-d0", "-A", "-l", 50)
    assert [pair["inversions"] for pair in json["twoway"]["pairs"]] == [0] * 3


def is_shown(word, value):
    """The text cuts a mean off that the JSON has rounded to 0.01."""
    rounded = 0.005 * isinstance(value, float)
    return int(word) in (int(value), int(value - rounded))


def test_ramp_of_pairs(run):
    done, json = results(run, "--ramp=pairs", "--steps=3", "-l", 40, "-d0")
    steps = json["twoway"]["steps"]
    assert [step["pairs"] for step in steps] == [1, 2, 3]
    assert [len(step["thread"]) for step in steps] == [7, 14, 21]
    assert [step["cycles"] for step in steps] == [40, 80, 120]
    assert [pair["cycles"] for pair in json["twoway"]["pairs"]] == [
        120, 80, 40]
    assert re.findall(r"# Step (\d/3): (\d other clients?)$", done.stdout,
                      re.M) == [("1/3", "0 other clients"),
                                ("2/3", "1 other client"),
                                ("3/3", "2 other clients")]
    rows = re.findall(r"^# +(\d)((?: +(?:\d+|-)){11})$", done.stdout, re.M)
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert rows[0][1].split()[6:9] == ["-"] * 3
    for row, step in zip(rows, steps):
        first = {t["metric"]: t for t in step["thread"].values()
                 if t["pair"] == 0}
        words = row[1].split()
        assert all(map(is_shown, words[:6], (
            first[metric][key] for metric in ("response", "total")
            for key in ("min", "avg", "max"))))
        others = [t["max"] for t in step["thread"].values()
                  if t["pair"] and t["metric"] == "response"]
        if others:
            assert words[8] == str(max(others))


def test_ramp_of_load_is_the_default(run):
    _, json = results(run, "-l", 5, "--ramp=load")
    assert json["twoway"]["settings"]["ramp"] == "load"


def test_orb(run):
    """The words that it stands for; later ones override them."""
    done = run(*BASE, "--orb=2", "-p3", "--policy=other", "-D1")
    assert done.returncode == 1
    done = run(*BASE, "--orb=2", "-p9", "-D1", "--json=json")
    if done.returncode and "no right" in done.stderr:
        pytest.skip("no right to real-time priorities")
    if done.returncode and "locked memory" in done.stderr:
        pytest.skip("a sanitizer's mlockall() locks nothing")
    assert done.returncode == 0, done.stderr
    settings = schema.check(done.text("json"))["twoway"]["settings"]
    assert settings["pairs"] == 3 and settings["steps"] == 3
    assert settings["intervals_us"] == [50000, 100000, 100000]
    assert (settings["servers"], settings["order"], settings["ramp"],
            settings["priorities"], settings["priority"],
            settings["server_priority"], settings["affinity"]) == (
        "one", "priority", "pairs", "spread", 9, 8, "plan")


def test_smis_are_counted_or_refused(run):
    """Few machines let them be read; the others say why not."""
    done = run(*BASE, "-l", 20, "-t2", "-a", "--smi", "--json=json")
    if done.returncode:
        assert re.fullmatch(
            r"twowaytest: --smi: (only CPUs of Intel have|there is no /dev/cpu|"
            r"reading /dev/cpu|the CPU's register).*\n", done.stderr)
        assert not done.stdout
        return
    smis = schema.check(done.text("json"))["twoway"]["smis"]
    printed = re.search(r"^# SMIs:((?: \d{5,}){14})$", done.stdout, re.M)
    assert list(map(int, printed[1].split())) == [
        smis[i // 7] for i in range(14)]


def test_no_smis_without_the_option(run):
    _, json = results(run, "-l", 3)
    assert json["twoway"]["smis"] is None
