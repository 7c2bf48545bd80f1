# SPDX-License-Identifier: GPL-2.0-or-later
"""What the last two patches bring means the same in both programs."""

import os
import re
import shutil
import signal

import pytest

import outside
from test_words import PHASES, RANGE, is_results, status, statuses

LABELS = ["POSIX Timer Interval Time", "Send Time", "nanosleep(100 Micro Sec)",
          "Receive Time", "Response Time", "Total Jitter"]
METRICS = ["interval", "send", "sleep", "receive", "response", "total"]
LOAD = re.compile(r"^# Load: (\w+), (\d+) (\w+), ([\d.]+) (\w+) a second$",
                  re.M)
hackbench = pytest.mark.skipif(not shutil.which("hackbench"),
                               reason="hackbench is not installed")
root = pytest.mark.skipif(outside.why_not() is not None,
                          reason=outside.why_not() or "")


def test_fft(program):
    out, _ = program.run("-q", "-D", 2, "--load=fft:2")
    is_results(out)
    (name, count, units, rate, work), = LOAD.findall(out)
    assert (name, count, units, work) == ("fft", "2", "workers", "transforms")
    assert float(rate) > 0


@hackbench
def test_both(program):
    out, _ = program.run("-q", "-D", 2, "--load=fft", "--load=hackbench:1")
    found = LOAD.findall(out)
    assert [of[:3] for of in found] == [("fft", "1", "workers"),
                                        ("hackbench", "1", "groups")]
    assert float(found[1][3]) > 0


@pytest.mark.parametrize("words, named", [
    (["--load=x"], "--load=x: allowed "),
    (["--load=fft:0"], f"--load=fft:0: {RANGE}1 to 1024\n"),
    (["--load=fft:x"], f"--load=fft:x: {RANGE}1 to 1024\n"),
    (["--load=fft:4294967297"], f"--load=fft:4294967297: {RANGE}1 to 1024\n"),
    (["--load=hackbench:1025"], f"--load=hackbench:1025: {RANGE}1 to 1024\n"),
    (["--load-policy=other"],
     "--load-policy=other: allowed only with --load\n"),
    (["--trltp", "-S"], "--smp: not allowed with --trltp, which sets "
     "--affinity\n"),
    (["--load=fft", "--load-policy=x"], "--load-policy=x: allowed is "),
    (["--steps=1"], "--steps=1: allowed only with --load"),
    (["--steps=2"], "--steps=2: allowed only with --load"),
    (["--steps=0", "--load=fft"], "--steps=0: allowed is a whole number from "),
])
def test_bad_load(program, words, named):
    out, err = program.run("-q", *words, status=1)
    assert "T:" not in out
    assert named in err


def test_no_hackbench(program):
    out, err = program.run("-q", "-l", 10, "--load=hackbench", status=1,
                           env={**os.environ, "PATH": "/nowhere"})
    assert "T:" not in out
    assert "hackbench" in err


@root
def test_priority(program):
    """The server must be above real-time workers, which have 1."""
    out, err = program.run("-q", "-l", 10, "-p", 2, "--load=fft", status=1)
    assert "--priority=2: allowed is 3 or more" in err
    # In the series, not even an idle state was kept off.
    assert "T:" not in out and (not out or program.name == "standalone")
    process = program.start("-q", "-p", 3, "-a", "-D", "1h", "--load=fft")
    program.loads(process, 1)
    program.servers(process)
    policies = {outside.settings(pid)["policy"]
                for pid in program.children(process)}
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    is_results(out)
    assert "rr" in policies


@root
def test_load_policy(program):
    process = program.start("-q", "-p", 2, "-D", "1h", "--load=fft",
                            "--load-policy=other")
    program.loads(process, 1)
    assert "rr" not in {outside.settings(pid)["policy"]
                        for pid in program.children(process)}


@pytest.mark.parametrize("words, count", [
    (["--load=fft:2"], 2),
    pytest.param(["--load=hackbench:1"], 1, marks=hackbench)])
def test_dead_load(program, words, count):
    """The run ends within a second, and says so."""
    process = program.start("-q", "-D", "1h", *words)
    found = program.loads(process, count)
    program.servers(process)
    os.kill(found[-1], signal.SIGKILL)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 1
    is_results(out)
    assert "load" in err
    assert not any(map(outside.alive, found))


@hackbench
def test_killed_with_loads(program):
    process = program.start("-q", "-D", "1h", "--load=fft",
                            "--load=hackbench:1")
    found = program.loads(process, 2)
    members = outside.wait_for(lambda: [
        pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
        if program.group_of(pid) in found])
    process.kill()
    process.communicate()
    assert outside.wait_for(lambda: not any(map(outside.alive, members)))


def test_steps(program):
    """A step each with 0, 1 and 2 workers, and a table of all."""
    out, _ = program.run("-q", "-D", 2, "--load=fft", "--steps=3")
    assert re.findall(r"^# Step .*$", out, re.M) == [
        f"# Step {step + 1}/3: load fft, {step} workers" for step in range(3)]
    found = [status(line) for line in out.splitlines() if line[:2] == "T:"]
    assert len(found) == 3
    lines = out.splitlines()
    at = lines.index("# Load fft: response and total by workers; work: "
                     "transforms a second")
    assert lines[at + 1] == "# workers | %31s | %31s | %8s" % (
        "response: min avg max std", "total: min avg max std", "work")
    for step, line in enumerate(lines[at + 2:at + 5]):
        words = line.replace("|", " ").split()[1:]
        numbers = [float(word) for word in words[1:]]
        assert line == "# %7d |" % step + "".join(
            " %7d %7d %7d %7.1f |" % tuple(numbers[i:i + 4])
            for i in (0, 4)) + " %8.1f" % numbers[8]
        assert (numbers[8] > 0) == (step > 0)
        # Latencies are the responses less the sleep, cut.
        assert 99 <= numbers[2] - found[step][8] <= 101


def test_one_step(program):
    """It is the one without workers."""
    out, _ = program.run("-q", "-l", 50, "--load=fft:3", "--steps=1")
    assert "# Step 1/1: load fft, 0 workers\n" in out
    assert [of[4] for of in statuses(out)] == [50]
    assert re.search(r"\n#       0 \|.* 0\.0$", out, re.M)
    assert "# Load: " not in out


def test_incomplete_step(program):
    """A signal ends one: its row says so."""
    process = program.start("-q", "-D", 2, "--load=fft", "--steps=3")
    program.loads(process, 1)
    program.servers(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    rows = re.findall(r"^#       (\d) \|.*\| +[\d.]+(.*)$", out, re.M)
    assert rows == [("0", ""), ("1", " (incomplete)")]


def log_of(text):
    """{(workers, label): (count, [(bin, count)])}, in its own order."""
    found = {}
    for block in text.split("Workers,")[1:]:
        workers, *metrics = re.split(r"\n\n(?=\D)", block.rstrip("\n"))
        for metric in metrics:
            lines = metric.splitlines()
            assert lines[0].endswith(" (Micro Sec)")
            keys = [line.split(",")[0] for line in lines[1:]]
            assert keys[:6] == ["Minimum", "Average", "Maximum",
                                "Standard Deviation", "Count", "Lower Bound"]
            values = [float(line.split(",")[1]) for line in lines[1:5]]
            count = int(lines[5].split(",")[1])
            bins = [line.split(",") for line in lines[7:]]
            assert sum(int(number) for _, number in bins) == count
            bounds = [int(bound) for bound, _ in bins if bound != "above"]
            assert bounds == sorted(bounds)
            assert all(bound % 10 == 0 for bound in bounds)
            assert bounds[0] <= values[0] < bounds[0] + 10
            found[int(workers), lines[0][:-len(" (Micro Sec)")]] = count
    return found


@root
def test_reference(program):
    out, _ = program.run("--trltp", "-l", 30, "--steps=2", "--trltp-log=log",
                         "--json=json", "--load-policy=other")
    found = [line for line in out.splitlines() if line[:2] == "T:"]
    assert [line.split()[-1] for line in found] == METRICS * 2
    for line in found:
        column, _, priority, period, cycles, *_ = status(line)
        assert (priority, period, cycles) == (98, 1000, 30)
        assert column < 6
    assert "# wakeup" not in out
    log = log_of(program.path_of("log").read_text())
    assert log == {(step, label): 30 for step in range(2) for label in LABELS}
    threads = outside.load_json(program.path_of("json"))
    assert threads["num_threads"] == 6
    for number, name in enumerate(METRICS):
        thread = threads["thread"][str(number)]
        for key in "min", "max", "avg":
            assert thread[key] == thread["phases"][name][key]
        assert (thread["metric"], thread["pair"]) == (name, 0)
        assert set(PHASES) <= set(thread["phases"])


def test_break_in_a_step(program):
    """It ends the run: no other step follows."""
    out, _ = program.run("-q", "-l", 30, "--load=fft", "--steps=2", "-b", 1,
                         status=2)
    found, = [status(line) for line in out.splitlines() if line[:2] == "T:"]
    assert found[4] == 1 and found[5] == found[6] == found[8]
    assert re.search(r"^#       0 \|.*\| +0\.0 \(incomplete\)$", out, re.M)


@root
@hackbench
def test_reference_with_hackbench(program):
    """It runs beside the workers of each step."""
    process = program.start("--trltp", "-l", 2000, "--steps=2",
                            "--load=hackbench:1", "--load-policy=other")
    program.loads(process, 1)
    program.loads(process, 2)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "# Step 2/2: load fft, 1 workers" in out


@root
def test_earlier_options(program):
    """The set-up takes their place."""
    out, _ = program.run("-i", 500, "--sleep=50", "-p", 50, "--trltp", "-l", 10,
                         "--steps=1", "--load-policy=other")
    assert [of[2:5] for of in statuses(out)] == [[98, 1000, 10]] * 6


@root
def test_later_options(program):
    out, _ = program.run("--trltp", "-l", 10, "--steps=1", "-p", 50,
                         "--load-policy=other")
    assert [of[2:5:2] for of in statuses(out)] == [[50, 10]] * 6
