# SPDX-License-Identifier: GPL-2.0-or-later
"""What the last two patches bring means the same in both programs."""

import math
import os
import re
import shutil
import signal
import time

import pytest

import outside
import series
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
    out, _ = program.run("-q", "-l", 20, "--load=fft:1")
    assert "\n# Load: fft, 1 worker, " in out
    assert float(rate) > 0


@hackbench
def test_both(program):
    out, _ = program.run("-q", "-D", 2, "--load=fft", "--load=hackbench:1")
    found = LOAD.findall(out)
    assert [of[:3] for of in found] == [("fft", "1", "worker"),
                                        ("hackbench", "1", "group")]
    assert float(found[1][3]) > 0


# It sends that many messages, and then waits for the end.
HACKBENCH = """#!/bin/sh
sleep 0.5
dd if=/dev/zero of=/dev/null bs=1 count=90000 2>/dev/null
exec sleep 1000
"""


def test_messages(program):
    """They count as they are sent, also in a run that does not end."""
    path = program.path_of("hackbench")
    path.write_text(HACKBENCH)
    path.chmod(0o755)
    begin = time.monotonic()
    out, _ = program.run("-q", "-D", 3, "--load=hackbench:1", env={
        **os.environ, "PATH": f"{path.parent}:{os.environ['PATH']}"})
    longest = time.monotonic() - begin
    (_, _, _, rate, _), = LOAD.findall(out)
    assert 90000 / longest <= float(rate) <= 90100 / 3


# A kernel that does not count the calls of tasks.
UNCOUNTED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
	size_t length = strlen(path);

	if (!strncmp(path, "/proc/", 6) && !strcmp(path + length - 3, "/io")) {
		errno = ENOENT;
		return NULL;
	}
	return real(path, mode);
}
"""


def preload(program, text):
    """The environment in which the program has these functions."""
    source, library = map(program.path_of, ("preload.c", "preload.so"))
    source.write_text(text)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    return {**os.environ, "LD_PRELOAD": str(library)}


@hackbench
def test_unknown_messages(of_series):
    """A number that nobody counts is not 0."""
    env = preload(of_series, UNCOUNTED)
    out, _ = of_series.run("-q", "-l", 300, "--load=hackbench:1", env=env)
    assert "\n# Load: hackbench, 1 group, unknown messages a second\n" in out
    out, _ = of_series.run("-q", "-l", 100, "--load=hackbench", "--steps=2",
                           env=env)
    assert re.findall(r"^# +(\d) \|.*\| +(\S+)$", out, re.M) == [
        ("0", "0.0"), ("1", "unknown")]


# The priority of the environment cannot be set.
REFUSED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int pthread_setschedparam(pthread_t thread, int policy,
			  const struct sched_param *param)
{
	int (*real)(pthread_t, int, const struct sched_param *) =
		dlsym(RTLD_NEXT, "pthread_setschedparam");

	if (param->sched_priority == atoi(getenv("REFUSED")))
		return EPERM;
	return real(thread, policy, param);
}
"""


@root
@pytest.mark.parametrize("words, priority, option", [
    (["--trltp", "--load-policy=other"], 99, "--trltp"),
    (["-p", 80, "--load=fft", "--load-policy=rr"], 2, "--load")])
def test_priority_of_main(of_series, words, priority, option):
    """If it cannot be set, the run is not what was asked for."""
    env = {**preload(of_series, REFUSED), "REFUSED": str(priority)}
    out, err = of_series.run("-q", *words, "-l", 9, status=1, env=env)
    assert err.splitlines()[-1] == \
        f"FATAL: {option}: cannot set priority {priority}"
    assert "T:" not in out


def test_signals_of_children(of_series):
    """They have the handlers of main, which mean nothing there."""
    process = of_series.start("-q", "-l", 3000, "--load=fft", "--steps=2")
    worker, = of_series.loads(process, 1)
    server, = of_series.servers(process)
    for pid in worker, server:
        for number in signal.SIGALRM, signal.SIGCHLD:
            os.kill(pid, number)
    out, err = process.communicate(timeout=40)
    assert (process.returncode, err) == (0, "")
    assert rows_of(out) == [("0", ""), ("1", "")]


# SIGINT comes as the first server of the second step is started.
LAUNCH = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

pid_t fork(void)
{
	pid_t (*real)(void) = dlsym(RTLD_NEXT, "fork");
	static int count;

	if (++count == 3)
		raise(SIGINT);
	return real();
}

int shutdown(int fd, int how)
{
	dprintf(STDERR_FILENO, "shutdown %s\n", fd < 0 ? "nothing" : "one");
	return 0;
}
"""


def test_signal_as_pairs_are_connected(of_series):
    """Numbers of sockets of the step before are no longer theirs."""
    out, err = of_series.run("-q", "-l", 20, "-t2", "--load=fft", "--steps=2",
                             env=preload(of_series, LAUNCH))
    assert err == "shutdown one\nshutdown nothing\n"
    assert rows_of(out) == [("0", "")]


@pytest.mark.parametrize("words, named", [
    (["--load=x"], "--load=x: allowed "),
    (["--load=fft:0"], f"--load=fft:0: {RANGE}1 to 1024\n"),
    (["--load=fft:x"], f"--load=fft:x: {RANGE}1 to 1024\n"),
    (["--load=fft:4294967297"], f"--load=fft:4294967297: {RANGE}1 to 1024\n"),
    (["--load=hackbench:1025"], f"--load=hackbench:1025: {RANGE}1 to 1024\n"),
    (["--load-policy=other"],
     "--load-policy=other: allowed only with --load\n"),
    (["--load=fft:5", "--steps=2", "-l9"], "--load=fft:5: not allowed with "
     "--steps, which sets the number of workers\n"),
    (["--load=hackbench:10", "--steps=2", "-l9"], "--load=hackbench:10: not "
     "allowed with --steps, which sets the number of groups\n"),
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
    assert "hackbench" in err and "PATH" in err


@root
def test_priority(program):
    """The server must be above real-time workers, which have 1."""
    words = ["--load=fft", "--load-policy=rr"]
    out, err = program.run("-q", "-l", 10, "-p", 2, *words, status=1)
    assert "--priority=2: allowed is 3 or more" in err
    # In the series, not even an idle state was kept off.
    assert "T:" not in out and (not out or program.name == "standalone")
    process = program.start("-q", "-p", 3, "-a", "-D", "1h", *words)
    worker, = program.loads(process, 1)
    program.servers(process)
    found = outside.settings(worker)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    is_results(out)
    assert (found["policy"], found["priority"]) == ("rr", 1)


@root
@pytest.mark.parametrize("words, policy", [
    ([], "other"), (["--load-policy=other"], "other"),
    (["--trltp", "--steps=2"], "rr"),
    (["--trltp", "--load-policy=other", "--steps=2"], "other"),
    (["--load-policy=other", "--trltp", "--steps=2"], "other")])
def test_load_policy(program, words, policy):
    """Ordinary tasks, but in the set-up of the reference program; what the user
    says is so, before it or after it."""
    process = program.start("-q", "-p", 2, "--load=fft", *words, "-l", 900)
    worker, = program.loads(process, 1)
    assert outside.wait_for(
        lambda: outside.settings(worker)["policy"] == policy)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert ("sshd" in err) == (policy == "rr" and program.name == "series")


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
        f"# Step {step + 1}/3: load fft, {count}"
        for step, count in enumerate(("0 workers", "1 worker", "2 workers"))]
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
    out, _ = program.run("-q", "-l", 50, "--load=fft", "--steps=1",
                         "--json=json")
    assert "# Step 1/1: load fft, 0 workers\n" in out
    assert [of[4] for of in statuses(out)] == [50]
    row = re.search(r"\n#       0 \|(.*)\|(.*)\| +0\.0$", out, re.M)
    thread = outside.load_json(program.path_of("json"))["thread"]["0"]
    for words, name in zip(row.groups(), ("response", "total")):
        of = thread["phases"][name]
        assert words.split()[:3:2] == [str(of["min"]), str(of["max"])]
    assert "# Load: " not in out


def test_incomplete_step(program):
    """A signal ends one: its row says so."""
    process = program.start("-q", "-D", 2, "--load=fft", "--steps=3")
    program.loads(process, 1)
    program.servers(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert rows_of(out) == [("0", ""), ("1", " (incomplete)")]


def test_values_of_steps(program):
    """Cycles are numbered anew in each."""
    out, _ = program.run("-v", "-l", 20, "--load=fft", "--steps=2")
    found = re.findall(r"^ +0: +(\d+): +\d+$", out, re.M)
    assert list(map(int, found)) == 2 * list(range(20))


def rows_of(out):
    """Of the table of steps: [(workers, what is said of it)]."""
    return re.findall(r"^# +(\d+) \|.*\| +[\d.]+(.*)$", out, re.M)


def test_stopped_server_in_a_step(of_series):
    """The alarm ends this step alone, which has lasted for long enough. (The
    other program kills such a server, and says so.)"""
    process = of_series.start("-q", "-D", 1, "--load=fft", "--steps=2")
    server, = of_series.servers(process)
    os.kill(server, signal.SIGSTOP)
    out, err = process.communicate(timeout=40)
    assert (process.returncode, err) == (0, "")
    assert rows_of(out) == [("0", ""), ("1", "")]
    found = re.findall(r"^# Unanswered: step 1, pair 0, cycle (\d+): ", out,
                       re.M)
    first = [status(line)[4] for line in out.splitlines()
             if line[:2] == "T:"][0]
    assert [int(number) for number in found] == [first - 1]


# To wait for the processes of a load takes longer than the alarm.
SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>

pid_t waitpid(pid_t pid, int *status, int options)
{
	pid_t (*real)(pid_t, int *, int) = dlsym(RTLD_NEXT, "waitpid");
	struct timespec left = { 3, 0 };

	while (pid < -1 && nanosleep(&left, &left))
		;
	return real(pid, status, options);
}
"""


def test_slow_end_of_a_load(of_series):
    """No step is lost, and all are complete."""
    source, library = map(of_series.path_of, ("slow.c", "slow.so"))
    source.write_text(SLOW)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    out, err = of_series.run("-q", "-D", 1, "--load=fft", "--steps=3", env={
        **os.environ, "LD_PRELOAD": str(library)})
    assert err == ""
    assert rows_of(out) == [("0", ""), ("1", ""), ("2", "")]


# A signal comes as the second pair's values of -v are freed.
BETWEEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

void free(void *memory)
{
	static void (*real)(void *);
	static int count;

	if (!real)
		real = dlsym(RTLD_NEXT, "free");
	if (malloc_usable_size(memory) / 10000 == 13 && ++count == 2)
		kill(getpid(), SIGINT);
	real(memory);
}
"""


def test_signal_between_steps(of_series):
    """It ends the run, and no pair loses what it has measured."""
    source, library = map(of_series.path_of, ("between.c", "between.so"))
    source.write_text(BETWEEN)
    done = series.run("gcc", "-shared", "-fPIC", "-o", library, source, "-ldl")
    assert done.returncode == 0, done.stderr
    out, err = of_series.run(
        "-v", "-t2", "-l", 20, "--load=fft", "--steps=2", "--json=json",
        env={**os.environ, "LD_PRELOAD": str(library)})
    assert (err, rows_of(out)) == ("", [("0", "")])
    threads = outside.load_json(of_series.path_of("json"))["thread"]
    assert [thread["cycles"] for thread in threads.values()] == [20, 20]


def test_signal_at_the_start_of_a_step(program):
    """As that between two: the steps before it are the results."""
    process = program.start("-q", "-l", 20, "--load=fft", "--steps=2",
                            "--json=json")
    head = ""
    while not head.startswith("# Step 2/2: "):
        head = process.stdout.readline()
        assert head
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err, rows_of(out)) == (0, "", [("0", "")])
    assert "# Load: " not in out
    threads = outside.load_json(program.path_of("json"))["thread"]
    assert threads["0"]["cycles"] == 20


def test_memory_of_steps(of_series):
    """What main shares with a load is mapped once, however many steps."""
    process = of_series.start("-q", "-l", 400, "--load=fft", "--steps=4")
    most = 0
    while process.poll() is None:
        most = max(most, outside.read(f"/proc/{process.pid}/maps").count(
            "/dev/zero (deleted)"))
    assert (process.returncode, most) == (0, 1)


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
            # The smallest value is rounded to a tenth, its bin is not.
            assert bounds[0] <= values[0] <= bounds[0] + 10
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
    assert "\n# Break: step 1, pair 0, cycle 0: latency " in out


def test_break_in_the_second_step(program):
    """It is named; the only step of a run is not."""
    process = program.start("-q", "-l", 3000, "--load=fft", "--steps=2",
                            "-b", 300000)
    program.loads(process, 1)
    server, = program.servers(process)
    os.kill(server, signal.SIGSTOP)
    time.sleep(0.5)     # the latency that -b waits for
    os.kill(server, signal.SIGCONT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 2
    assert re.search(r"^# Break: step 2, pair 0, cycle \d+: latency ", out,
                     re.M)
    out, _ = program.run("-q", "-l", 30, "--load=fft", "--steps=1", "-b", 1,
                         status=2)
    assert "\n# Break: pair 0, cycle 0: latency " in out


@root
def test_deviations_of_the_log(program):
    """As in the reference program: of the sleep, from what was asked for."""
    program.run("--trltp", "-l", 30, "--steps=1", "-N", "--trltp-log=log",
                "--json=json", "--load-policy=other")
    threads = outside.load_json(program.path_of("json"))["thread"]
    text = program.path_of("log").read_text()
    for label, thread in zip(LABELS, threads.values()):
        found = float(re.search(
            rf"\n{re.escape(label)} \(Micro Sec\)\n(?:.*\n){{3}}"
            r"Standard Deviation,([\d.]+)\n", text)[1])
        late = thread["avg"] - 100000 if thread["metric"] == "sleep" else 0
        assert found == pytest.approx(math.hypot(
            thread["stddev"], late * math.sqrt(30 / 29)) / 1000, abs=0.051)


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
    assert "# Step 2/2: load fft, 1 worker\n" in out


@root
def test_earlier_options(program):
    """The set-up takes their place, also that of another load."""
    out, _ = program.run("-i", 500, "--sleep=50", "-p", 50, "--load=hackbench",
                         "--trltp", "-l", 10, "--steps=1",
                         "--load-policy=other",
                         env={**os.environ, "PATH": "/nowhere"})
    assert [of[2:5] for of in statuses(out)] == [[98, 1000, 10]] * 6


@root
def test_later_options(program):
    out, _ = program.run("--trltp", "-l", 10, "--steps=1", "-p", 50,
                         "--load-policy=other")
    assert [of[2:5:2] for of in statuses(out)] == [[50, 10]] * 6


@root
def test_reference_histograms(program):
    """Each metric has its own, or there are none."""
    words = ["--trltp", "-l", 20, "--steps=1", "-h", 2000, "--json=json",
             "--load-policy=other"]
    if program.name == "series":
        _, err = program.run(*words, status=1)
        assert "FATAL: --histogram=2000: not allowed with --trltp, which has " \
            "several metrics\n" in err
        return
    program.run(*words)
    threads = outside.load_json(program.path_of("json"))["thread"].values()
    assert [thread["metric"] for thread in threads] == METRICS
    for thread in threads:
        rows = [int(row) for row in thread["histogram"]]
        assert sum(thread["histogram"].values()) + thread["overflows"] == 20
        assert not rows or thread["min"] <= min(rows)


@pytest.mark.parametrize("words", [["-x", "--sleep=50"], ["--sleep=100"],
                                   ["-x", "-t2"]])
def test_other_logs(of_series, words):
    """Its labels name a timer and a sleep: they are true, or it is refused."""
    _, err = of_series.run("-q", "-l", 9, "--trltp-log=log", *words, status=1)
    assert err == ("FATAL: --trltp-log=log: allowed only with one pair, "
                   "--sleep=100 and -x\n")
    assert not of_series.path_of("log").exists()


def test_log_without_steps(of_series):
    """It has the number of workers that the load has."""
    of_series.run("-q", "-x", "-l", 20, "--load=fft:2", "--trltp-log=log")
    assert of_series.path_of("log").read_text().startswith("Workers,2\n\n")
