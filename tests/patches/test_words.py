# SPDX-License-Identifier: GPL-2.0-or-later
"""The same words in both programs: what an option, a line and a member of the
JSON of the series' program means, it means in the standalone one, too. That one
has more of each, which is left out here."""

import ctypes
import json
import math
import os
import re
import signal
import socket
import time

import pytest

import consumers
import outside

PHASES = ("wakeup", "send", "sleep", "receive", "response", "interval",
          "total")
HEAD = "# %-9s %8s %8s %8s %8s" % ("", "min", "avg", "max", "std")
STATUS = re.compile(
    r"T: *(\d+) \( *(\d+)\) P: *(\d+) I:(\d+) C: *(\d+) Min: *(\d+) "
    r"Act: *(\d+) Avg: *(\d+) Max: *(\d+)(?: Std: *([\d.]+) (\w+))?")
PHASE = re.compile(r"# (\w+) +(\d+) +(\d+) +(\d+) +([\d.]+)")
MAXIMA_HEAD = "# Max of      wakeup     send    sleep  receive response"
RANGE = "allowed is a whole number from "


def status(line, width=5):
    """The numbers of a T: line, which is right to the last byte."""
    found = STATUS.fullmatch(line)
    assert found, line
    numbers = [int(number) for number in found.groups()[:9]]
    column, pid, priority, period, cycles, least, act, avg, most = numbers
    again = "T:%2d (%5d) P:%2d I:%d C:%7d Min:%7d Act:%*d Avg:%*d Max:%8d" % (
        column, pid, priority, period, cycles, least, width, act, width, avg,
        most)
    if found[10]:
        again += " Std:%8.1f" % float(found[10]) + " " + found[11]
    assert line == again
    assert least <= act <= most and least <= avg <= most
    return numbers


def statuses(out, width=5):
    found = [status(line, width) for line in out.splitlines()
             if line.startswith("T:")]
    assert [of[0] for of in found] == list(range(len(found)))
    return found


def phases(out):
    """{name: (min, avg, max, std)} of the table, in its order."""
    lines = out.splitlines()
    found = {}
    for line in lines[lines.index(HEAD) + 1:][:len(PHASES)]:
        name, *numbers, std = PHASE.fullmatch(line).groups()
        found[name] = (*map(int, numbers), float(std))
        assert line == "# %-9s %8d %8d %8d %8.1f" % (name, *found[name])
    return found


def missed(out):
    return sum(map(int, re.findall(r"^# Missed: (\d+)$", out, re.M)))


def is_results(out, pairs=1):
    assert len(statuses(out)) == pairs
    assert tuple(phases(out)) == PHASES


def test_text(program):
    out, _ = program.run("-q", "-l", 60)
    assert "# Not real-time: no -p; " in out
    (_, _, priority, period, cycles, least, _, avg, most), = statuses(out)
    assert (priority, period, cycles) == (0, 1000, 60)
    found = phases(out)
    assert tuple(found) == PHASES
    # Of whole microseconds, cut.
    for i, latency in enumerate((least, avg, most)):
        assert 99 <= found["response"][i] - latency <= 101
    assert abs(sum(found[name][1] for name in ("send", "sleep", "receive")) -
               found["response"][1]) <= 3
    assert found["sleep"][0] >= 100
    assert found["total"][0] >= found["send"][0] + found["receive"][0]


def test_nanoseconds(program):
    out, _ = program.run("-q", "-l", 20, "-N")
    (*_, avg, most), = statuses(out, 8)
    assert most > avg > 1000
    assert phases(out)["sleep"][0] >= 100000


@pytest.mark.parametrize("sleep_us", [0, 100])
def test_deviation_of_two(program, sleep_us):
    """It is from the mean, not from what was asked for, of each metric."""
    program.run("-q", "-l", 2, "-N", f"--sleep={sleep_us}", "--json=json")
    thread, = json.loads(program.path_of("json").read_text())["thread"].values()
    for of in thread, *(thread["phases"][name] for name in PHASES):
        assert of["stddev"] == pytest.approx(
            (of["max"] - of["min"]) / math.sqrt(2), abs=1.5)


@pytest.mark.parametrize("words", [["-l", 200], ["-t2", "-l", 40],
                                   ["-t2", "-d0", "-l", 40]])
def test_deviation_of_all(program, words):
    """Of all pairs together, whatever their periods, from their common mean;
    none is larger than the range of the values admits."""
    out, _ = program.run("-q", "-N", "--json=json", *words)
    threads = json.loads(
        program.path_of("json").read_text())["thread"].values()
    n = words[-1]
    for name, (least, _, most, std) in phases(out).items():
        of = [thread["phases"][name] for thread in threads]
        mean = sum(one["avg"] for one in of) / len(of)
        squares = sum(one["stddev"] ** 2 * (n - 1) +
                      n * (one["avg"] - mean) ** 2 for one in of)
        assert std == pytest.approx(
            math.sqrt(squares / (len(of) * n - 1)), abs=0.1), name
        assert std <= (most - least) / 2 * math.sqrt(n / (n - 1)) + 1, name


def test_threads_of_a_set(program):
    """-t alone: as many as the set has CPUs, in any order of the two."""
    cpu = min(os.sched_getaffinity(0))
    for words in ("-a", cpu, "-t"), ("-t", "-a", cpu):
        out, _ = program.run("-q", "-l", 5, *words)
        is_results(out)


def test_no_terminal(program):
    """Only the results are printed, as with -q."""
    out, _ = program.run("-l", 200)
    is_results(out)
    assert "\033" not in out


def test_several_pairs(program):
    """Each pair has its period, and its maxima below the table of all."""
    out, _ = program.run("-q", "-l", 30, "-t", 2, "-d", 100, "--json=json")
    assert [of[3:5] for of in statuses(out)] == [[1000, 30], [1100, 30]]
    lines = out.splitlines()
    at = lines.index(MAXIMA_HEAD)
    found = json.loads(program.path_of("json").read_text())
    for number, line in enumerate(lines[at + 1:at + 3]):
        of = found["thread"][str(number)]["phases"]
        assert line == "# T:%2d     " % number + "".join(
            " %8d" % of[name]["max"] for name in PHASES[:5])
    table = phases(out)
    for name in PHASES:
        assert table[name][2] == max(
            thread["phases"][name]["max"]
            for thread in found["thread"].values())


def test_distance(program):
    out, _ = program.run("-q", "-l", 5, "-t3")
    assert [of[3] for of in statuses(out)] == [1000, 1500, 2000]


def test_smp(program):
    cpus = os.sched_getaffinity(0)
    out, _ = program.run("-q", "-l", 5, "-S", "--json=json")
    is_results(out, len(cpus))
    found = json.loads(program.path_of("json").read_text())
    assert {thread["cpu"] for thread in found["thread"].values()} == cpus


@pytest.mark.parametrize("words", [["-a"], ["-a", "{}"], ["-a{}"],
                                   ["--affinity={}"]])
def test_affinity(program, words):
    """The second CPU of a set is the client's, the first one the server's."""
    first, *_, last = sorted(os.sched_getaffinity(0)) * 2
    words = [word.format(f"{first},{last}") for word in words]
    process = program.start("-q", "-l", 400, "--json=json", *words)
    server, = program.servers(process)
    used = os.sched_getaffinity(server)
    process.communicate()
    found = json.loads(program.path_of("json").read_text())
    thread = found["thread"]["0"]
    if words[0] == "-a" and len(words) == 1:
        assert len(used) == 1 and thread["cpu"] >= 0
    else:
        assert (used, thread["cpu"]) == ({first}, last)


def test_foreign_cpu(program):
    """One that is not the shell's may be named, as one set aside at boot."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        pytest.skip("there is one CPU")
    program.run("-q", "-l", 5, "-a", others[-1], "--json=json",
                preexec_fn=lambda: os.sched_setaffinity(0, {first}))
    found = json.loads(program.path_of("json").read_text())
    assert found["thread"]["0"]["cpu"] == others[-1]


def test_set_of_no_cpu(program):
    """All but the only one that the program may use."""
    first = min(os.sched_getaffinity(0))
    for words in ["-t"], []:
        out, err = program.run(
            "-q", "-l", 5, "-a", f"!{first}", *words, status=1,
            preexec_fn=lambda: os.sched_setaffinity(0, {first}))
        assert "T:" not in out
        assert f"FATAL: --affinity=!{first}: allowed is " in err


@pytest.mark.parametrize("option", ["-h", "-H"])
@pytest.mark.parametrize("pairs", [1, 2])
@pytest.mark.parametrize("file", [False, True])
def test_histogram(program, option, pairs, file):
    words = ["--histfile=histogram"] if file else []
    out, _ = program.run("-q", "-l", 150, "-i", 300, "-t", pairs, option,
                         120, "--json=json", *words)
    if file:
        is_results(out, pairs)
        out = program.path_of("histogram").read_text()
        assert out.startswith("# Histogram\n")
    else:
        assert not statuses(out)
        out = out[out.index("# Histogram\n"):]
    threads = json.loads(program.path_of("json").read_text())["thread"]
    head, *lines = out.splitlines()
    summed = option == "-H"
    rows = {}
    while lines[0][:1] != "#":
        index, rest = lines.pop(0).split(" ")
        assert re.fullmatch(r"\d{6}", index)
        assert all(re.fullmatch(r"\d{6}", word) for word in rest.split("\t"))
        counts = [int(word) for word in rest.split("\t")]
        if summed:
            assert counts.pop() == sum(counts)
        assert len(counts) == pairs and any(counts)
        rows[int(index)] = counts
    assert list(rows) == sorted(rows) and max(rows, default=0) < 120
    if lines[0].startswith("# Metrics:"):
        lines.pop(0)    # of the standalone program
    for word, key in ("Min", "min"), ("Avg", "avg"), ("Max", "max"):
        # JSON rounds an average, so that 98.996 is 99.00 there and 98 here.
        printed = [int(value) for value in lines[0].split(":")[1].split()]
        exact = [thread[key] for thread in threads.values()]
        values = [value if value in (int(of), int(of - 0.005)) else int(of)
                  for value, of in zip(printed, exact)]
        if word == "Max" and summed and pairs > 1:
            values.append(max(values))
        assert lines.pop(0) == f"# {word} Latencies:" + "".join(
            f" {value:05d}" for value in values)
    overflows = [150 - sum(counts[pair] for counts in rows.values())
                 for pair in range(pairs)]
    listed = overflows + [sum(overflows)] * (summed and pairs > 1)
    assert lines.pop(0) == "# Histogram Overflows:" + "".join(
        f" {count:05d}" for count in listed)
    assert lines.pop(0) == "# Histogram Overflow at cycle number:"
    for pair, count in enumerate(overflows):
        found = re.fullmatch(rf"# Thread {pair}: ([\d ]*)(?: # (\d+) others)?",
                             lines.pop(0))
        cycles = [int(word) for word in found[1].split()]
        assert len(cycles) + int(found[2] or 0) == count
        assert cycles == sorted(set(cycles)) and max(cycles, default=0) < 150
    for pair, thread in enumerate(threads.values()):
        assert {int(row): count for row, count in
                thread["histogram"].items()} == {
            row: counts[pair] for row, counts in rows.items() if counts[pair]}


def test_json(program):
    """The members of cyclictest, the phases, and the same as in the text."""
    out, _ = program.run("-q", "-l", 50, "-t", 2, "--json=json")
    found = json.loads(program.path_of("json").read_text())
    assert (found["return_code"], found["num_threads"],
            found["resolution_in_ns"]) == (0, 2, 0)
    assert list(found["thread"]) == ["0", "1"]
    for of, thread in zip(statuses(out), found["thread"].values()):
        assert (thread["cycles"], thread["min"], int(thread["avg"]),
                thread["max"]) == (of[4], of[5], of[7], of[8])
        assert thread["cpu"] == -1
        assert isinstance(thread["node"], int)
        assert isinstance(thread["missed"], int)
        assert set(PHASES) <= set(thread["phases"])
        for name in PHASES:
            phase = thread["phases"][name]
            assert phase["min"] <= phase["avg"] <= phase["max"]
            assert phase["stddev"] >= 0
    assert sum(thread["missed"] for thread in found["thread"].values()) == \
        missed(out)


def test_average_of_one(program):
    """It is never above the largest value, which is cut."""
    for _ in range(3):
        program.run("-q", "-l", 1, "--json=json")
        thread, = json.loads(
            program.path_of("json").read_text())["thread"].values()
        for of in thread, *(thread["phases"][name] for name in PHASES):
            assert of["min"] <= of["avg"] <= of["max"]


def test_break(program):
    out, _ = program.run("-q", "-D", 5, "-b", 1, "--json=json", status=2)
    found = re.search(
        r"^# Break thread: (\d+)\n# Break value: (\d+)\n"
        r"# Break: pair 0, cycle 0:((?: \w+ -?\d+)+)$", out, re.M)
    words = found[3].split()
    values = dict(zip(words[::2], map(int, words[1::2])))
    assert list(values)[:8] == ["latency", *PHASES]
    (_, pid, *_), = statuses(out)
    assert (int(found[1]), int(found[2])) == (pid, values["latency"])
    assert values["latency"] == values["response"] - 100
    assert abs(values["send"] + values["sleep"] + values["receive"] -
               values["response"]) <= 2
    result = json.loads(program.path_of("json").read_text())
    assert result["return_code"] == 2
    assert result["thread"]["0"]["cycles"] == 1


def test_break_of_several(program):
    """Pairs that have no cycle yet are no failure; what is cut in the first one
    has waited for a period, or there is none."""
    out, _ = program.run("-q", "-D", 5, "-b", 1, "-t", 4, "-d", 100000,
                         status=2)
    assert [of[4] for of in statuses(out)] == [1, 0, 0, 0]
    assert "# Break: pair 0, cycle 0: " in out
    assert "# Unanswered" not in out


def test_no_break(program):
    out, _ = program.run("-q", "-l", 10, "-b", 50000000)
    assert "# Break" not in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ignored", [False, True])
def test_signal(program, number, ignored):
    """It ends the run, and the results are printed: also a background job's."""
    process = program.start("-q", "--json=json", preexec_fn=(
        lambda: signal.signal(number, signal.SIG_IGN)) if ignored else None)
    program.servers(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (0, "")
    is_results(out)
    assert json.loads(program.path_of("json").read_text())["return_code"] == 0


def test_long_period_is_interrupted(program):
    process = program.start("-q", "-i", 20000000, "-D", "1h")
    assert outside.wait_for(lambda: program.children(process))
    time.sleep(0.3)     # nothing tells that a client sleeps
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 1
    assert "no cycle was measured" in err


def test_duration_of_a_long_period(program):
    """-D begins after the cycles that are not counted, however long they are."""
    out, _ = program.run("-q", "-i", 700000, "-D", 1)
    (_, _, _, period, cycles, *_), = statuses(out)
    assert (period, cycles) == (700000, 2)
    assert "# Unanswered" not in out


@pytest.mark.parametrize("ends_s", [0.7, 0.8, 0.9])
def test_end_in_a_long_sleep(program, ends_s):
    """What has waited for less than the sleep counts nowhere. The third cycle,
    which begins after 600 ms, is the first one that counts."""
    process = program.start("-q", "-i", 200000, "--sleep=180000", "-N")
    time.sleep(ends_s)  # nothing tells that a client waits for its reply
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert "# Unanswered" not in out
    if process.returncode == 0:
        assert phases(out)["response"][0] >= 180000000
    else:
        assert [of[4] for of in statuses(out, 8)] in ([0], [])


@pytest.mark.parametrize("action", [signal.SIG_DFL, signal.SIG_IGN])
def test_dead_server(program, action):
    """Named, also if the caller ignores the signal of the end of a child."""
    before = signal.signal(signal.SIGCHLD, action)
    try:
        process = program.start("-q", "-D", "1h", "-t", 2, "--json=json")
    finally:
        signal.signal(signal.SIGCHLD, before)
    first, second = program.servers(process, 2)
    os.kill(first, signal.SIGKILL)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 1
    assert f"the server (pid {first}) was killed by signal 9 (Killed)\n" in err
    is_results(out, 2)
    assert json.loads(program.path_of("json").read_text())["return_code"] == 1
    assert not outside.alive(second)


def connections(pid):
    """Its TCP sockets, as sockets of this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    for name in os.listdir(f"/proc/{pid}/fd"):
        if os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:"):
            fd = libc.syscall(438, pidfd, int(name), 0)     # pidfd_getfd
            assert fd >= 0, os.strerror(ctypes.get_errno())
            found = socket.socket(fileno=fd)
            if found.family == socket.AF_INET:
                yield found
    os.close(pidfd)


def test_lost_connection(program):
    """It is told, and of which side or pair."""
    process = program.start("-q", "-D", "1h")
    program.servers(process)
    pid = next((pid for pid, name in program.children(process).items()
                if name == "twoway-client"), process.pid)
    # It ends when it has lost one.
    for one in list(connections(pid)):
        one.shutdown(socket.SHUT_RDWR)
        one.close()
    out, err = process.communicate(timeout=10)
    assert process.returncode == 1
    is_results(out)
    assert re.fullmatch(
        r"WARN: (pair 0: the connection has failed|the client \(pid \d+\) "
        r"stopped): (Connection reset by peer|Broken pipe)\n", err)


def test_killed(program):
    """Nothing of a killed run stays, even if a server was stopped."""
    process = program.start("-q", "-D", "1h", "-t", 2)
    servers = program.servers(process, 2)
    os.kill(servers[0], signal.SIGSTOP)
    process.kill()
    process.communicate()
    assert outside.wait_for(lambda: not any(map(outside.alive, servers)))


def test_duration_with_a_stopped_server(program):
    """The request that has no answer counts with the time that it waited."""
    process = program.start("-q", "-D", 2, "-b", 900000, "--json=json")
    server, = program.servers(process)
    os.kill(server, signal.SIGSTOP)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 2
    (*_, most), = statuses(out)
    assert most > 900000
    assert re.search(r"^# Unanswered: pair 0, cycle \d+: when the run ended, the "
                     r"client had waited \d+ us for the reply",
                     out, re.M)
    assert missed(out) > 800
    thread = json.loads(program.path_of("json").read_text())["thread"]["0"]
    assert thread["max"] == most
    assert thread["phases"]["response"]["max"] >= most + 99
    assert thread["phases"]["send"]["max"] < 900000


def test_missed(program):
    """A stop of 30 ms: later expiries have no cycle, and no wake-up was late."""
    process = program.start("-q", "-D", 2, "--json=json")
    server, = program.servers(process)
    os.kill(server, signal.SIGSTOP)
    time.sleep(0.03)
    os.kill(server, signal.SIGCONT)
    out, _ = process.communicate(timeout=20)
    (_, _, _, _, cycles, _, _, _, most), = statuses(out)
    assert most > 29000 - 1000
    assert missed(out) >= 28
    assert abs(cycles + missed(out) - 2000) <= 50 + missed(out) - 28


def test_age_in_microseconds(program):
    """# Unanswered names its unit, which does not change with -N."""
    process = program.start("-q", "-N", "-D", "1h")
    server, = program.servers(process)
    os.kill(server, signal.SIGSTOP)
    time.sleep(1.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    age_us = int(re.search(r"^# Unanswered: .* waited (\d+) us", out, re.M)[1])
    (*_, most), = statuses(out, 8)
    assert 1000 * age_us <= most + 100000 < 1000 * age_us + 1000
    assert age_us > 1100000


def test_unit_of_a_duration(program):
    """What may follow the number is named."""
    _, err = program.run("-D", "1w", status=1)
    assert err.startswith("FATAL: --duration=1w: allowed is a whole number ")
    assert "m, h or d" in err


@pytest.mark.parametrize("value", ["36501d", "876001h", "3153600001",
                                   "99999999999999999999d"])
def test_duration_that_is_too_long(program, value):
    """The longest one is told in its unit."""
    _, err = program.run("-D", value, status=1)
    assert err.startswith(f"FATAL: --duration={value}: allowed is ")
    assert err.endswith(" of minutes, hours or days; at most 36500d\n")


@pytest.mark.parametrize("words, named", [
    (["-i", "50"], "--interval=50: allowed is "),
    (["-i", "x"], f"--interval=x: {RANGE}"),
    (["-i", "1000000001"], f"--interval=1000000001: {RANGE}"),
    (["-p", "1"], f"--priority=1: {RANGE}2 to 99\n"),
    (["-p", "100"], f"--priority=100: {RANGE}2 to 99\n"),
    (["-l", "-1"], f"--loops=-1: {RANGE}0 to 1000000000000\n"),
    (["-l", "1e3"], f"--loops=1e3: {RANGE}"),
    (["-t", "0"], f"--threads=0: {RANGE}1 to 256\n"),
    (["-t257"], f"--threads=257: {RANGE}1 to 256\n"),
    (["-h", "0"], f"--histogram=0: {RANGE}1 to 1000000\n"),
    (["-H", "1000001"], f"--histofall=1000001: {RANGE}1 to 1000000\n"),
    (["-b", "0"], f"--breaktrace=0: {RANGE}1 to 1000000000\n"),
    (["-d", "1000001"], f"--distance=1000001: {RANGE}0 to 1000000\n"),
    (["--size=7"], f"--size=7: {RANGE}8 to 65536\n"),
    (["--sleep=10000001"], f"--sleep=10000001: {RANGE}0 to 10000000\n"),
    (["--latency=-1"], f"--latency=-1: {RANGE}0 to "),
    (["-D", "x"], "--duration=x: allowed is "),
    (["-D", "1x"], "--duration=1x: allowed is "),
    (["-D", ""], "--duration=: allowed is "),
    (["-D", "m"], "--duration=m: allowed is "),
    (["-D", "1mm"], "--duration=1mm: allowed is "),
    (["--json="], "--json=: allowed is "),
    (["-h", "9", "--histfile="], "--histfile=: allowed is "),
    (["--trltp-log="], "--trltp-log=: allowed is "),
    (["-a", ""], "--affinity=: allowed is "),
    (["--policy="], "--policy=: allowed is "),
    (["-c", "2"], "--clock=2: allowed is monotonic, realtime"),
    (["--policy=fif"], "--policy=fif: allowed is "),
    (["--policy=other", "-p", "9"],
     "--priority=9: allowed only with --policy=fifo or rr\n"),
    (["--policy=normal", "-p", "9"],
     "--priority=9: allowed only with --policy=fifo or rr\n"),
    (["--policy=norm"], "--policy=norm: allowed is "),
    (["--histfile=x"], "--histfile=x: allowed only with -h or -H\n"),
    (["--tracemark"], "--tracemark: allowed only with "),
    (["-a", "1-0"], "--affinity=1-0: allowed is "),
    (["-a", "99999"], "--affinity=99999: allowed is "),
    (["-S", "-a"], "--smp: not allowed with --threads or --affinity, which it "
     "sets itself\n"),
    (["-S", "-t2"], "--smp: not allowed with --threads or --affinity, which it "
     "sets itself\n"),
    (["word"], "unexpected argument word; see twowaytest --help\n"),
    (["--nothing"], "see twowaytest --help\n"),
])
def test_bad_value(program, words, named):
    """What is refused is named, and nothing was started."""
    out, err = program.run("-q", "-l", "1", *words, status=1)
    assert "T:" not in out
    assert f"FATAL: {named}" in err


@pytest.mark.parametrize("words", [
    ["-x"], ["--posix_timers"], ["-c", "0"], ["-c1"], ["--clock=realtime"],
    ["--size=65536", "-i", "2000"], ["--sleep=0"], ["--policy=batch"],
    ["--policy=idle"], ["--policy=normal"], ["-D", "36500d"], ["-m"], ["--default-system"], ["-t", "1"], ["-D1s"],
    ["-D", "1m"], ["-h", " 3500", "--histfile=histogram"]])
def test_good_value(program, words):
    out, _ = program.run("-q", "-l", 20, *words)
    is_results(out)
    assert statuses(out)[0][4] == 20
    assert ("/dev/cpu_dma_latency" in out) <= (words != ["--default-system"])


def test_values(program):
    """-v: each latency, and no status line."""
    out, _ = program.run("-v", "-l", 30, "-t", 2)
    assert "T:" not in out
    found = {}
    for line in out.splitlines():
        if line[:1] == "#":
            continue
        pair, cycle, value = (int(word) for word in line.split(":"))
        assert line == f"{pair:8d}:{cycle:8d}:{value:8d}"
        found.setdefault(pair, []).append(cycle)
    assert found == {0: list(range(30)), 1: list(range(30))}


def test_values_without_status(program):
    """Also with -q; of the results, only what is told of the run is left."""
    out, _ = program.run("-q", "-v", "-l", 10)
    assert [line for line in out.splitlines() if line[:1] not in " #"] == []
    assert HEAD not in out
    assert len(re.findall(r"^ +0: +\d+: +\d+$", out, re.M)) == 10


def test_values_on_a_full_disk(program):
    """The reason is the first one, and the only one."""
    with open("/dev/full", "w", encoding="ascii") as full:
        _, err = program.run("-v", "-l", 3000, stdout=full, status=1)
    assert re.fullmatch(r"WARN: cannot write (to )?standard output: No space "
                        r"left on device\n", err)


@pytest.mark.parametrize("words", [[], ["-i", 500000]])
def test_values_nobody_reads(program, words):
    """A closed pipe ends the run, also if there are few values."""
    process = program.start("-v", *words)
    program.servers(process)
    process.stdout.close()
    assert process.wait(timeout=20) == 1
    assert "standard output" in process.stderr.read()


@pytest.mark.parametrize("words, lost", [
    (["--json=/dev/full"], "/dev/full"),
    (["-h", "100", "--histfile=/dev/full"], "/dev/full"),
])
def test_full(program, words, lost):
    """A file that cannot be written is status 1, and loses nothing else."""
    out, err = program.run("-q", "-l", 20, *words, "-t", 2, status=1)
    is_results(out, 2)
    assert lost in err


def test_full_output(program):
    with open("/dev/full", "w", encoding="ascii") as full:
        _, err = program.run("-q", "-l", 20, "--json=json", status=1,
                             stdout=full)
    assert "standard output" in err
    found = json.loads(program.path_of("json").read_text())
    assert (found["return_code"], found["thread"]["0"]["cycles"]) == (1, 20)


def test_closed_pipe(program):
    process = program.start("-q", "-l", 20, "--json=json")
    process.stdout.close()
    assert process.wait(timeout=20) == 1
    found = json.loads(program.path_of("json").read_text())
    assert found["thread"]["0"]["cycles"] == 20


def called(program, name, number):
    """The output of a run with a consumer's own words, but two that the
    series' program does not have."""
    if outside.why_not():
        pytest.skip(outside.why_not())
    cpu = max(os.sched_getaffinity(0))
    words = consumers.words_of(consumers.COMMANDS[name][number], cpu)
    if "--mainaffinity" in words:
        at = words.index("--mainaffinity")
        del words[at:at + 2]
    if name == "rteval":    # which ends it by a signal
        words += ["-l", "500"]
    return program.run(*(word.replace("-qmu", "-qm") for word in words))[0]


@pytest.mark.parametrize("number", [0, 1])
def test_consumers(program, number):
    called(program, "linaro", number)
    passed, measured = consumers.linaro(program.path_of("json").read_text())
    assert passed
    assert measured["t0-min"] <= measured["t0-avg"] <= measured["t0-max"]
    columns, maxima = consumers.rteval(called(program, "rteval", number))
    assert (len(columns), len(maxima)) == (1, 1)
    assert max(columns[0]) <= maxima[0]
    assert len(consumers.openshift(called(program, "openshift", number))) == 1
    called(program, "crucible", number)
    assert consumers.crucible(program.path_of("histogram").read_text()) > 0


def test_other_consumers(program):
    rows, largest = consumers.osadl(called(program, "osadl", 0))
    cpus = len(os.sched_getaffinity(0))
    assert rows and all(len(row) == 1 + cpus for row in rows)
    assert largest > 0
    assert consumers.canonical(called(program, "canonical", 0), 80, 200) == cpus
    assert consumers.phoronix(called(program, "phoronix", 0)) > 0
