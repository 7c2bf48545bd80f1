# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option of primitivetest: taken, and seen to take effect; or refused
with one line, before anything is started."""

import json
import os
import platform
import re
import time
import resource
import signal

import pytest

import ended
import outside
import primitives
import schema
import screen

BASE = ("--default-system", "-q", "--test=sync1.mutex", "-l", "5",
        "--metrics=all", "--json=json")
TWO = "--test=sync2.futex"
CPU = str(max(os.sched_getaffinity(0)))
FIRST = str(min(os.sched_getaffinity(0)))

# What the JSON says of a setting: (words, name, value).
SETTINGS = [
    (("--bin=7",), "bin", 7), (("-b1000000",), "breaktrace", 1000000),
    (("--clock=1",), "clock", "realtime"), (("-c", "tai"), "clock", "tai"),
    (("--cpus=same",), "cpus", "same"), (("-D8s", "-l1"), "duration", 8),
    (("--duration=2m", "-l1"), "duration", 120),
    (("-D604800", "-l1"), "duration", 604800),
    (("-D2H", "-l1"), "duration", 7200), (("--hog=5",), "hog", 5),
    (("--hold=100000",), "hold", 100000), (("-i700", TWO), "interval", 700),
    (("--order=equal",), "order", "equal"),
    (("--policy=batch",), "policy", "batch"), (("-m",), "mlockall", True),
    (("--policy=normal",), "policy", "other"),
    (("--tasks=process,thread",), "tasks", "process,thread"),
    (("--us",), "us", True), (("--warmup=12",), "warmup", 12),
    (("--work=77",), "work", 77), (("-h9",), "histogram", 9),
    (("-a", CPU), "affinity", CPU), (("--loops=3",), "loops", 3),
    (("-M",), "refresh_on_max", True),
]

# Where no option is given.
DEFAULTS = {"bin": 1000, "hog": 2000, "hold": 200, "interval": 0,
            "order": "higher", "clock": "monotonic", "warmup": 2,
            "cpus": "same", "tasks": "process"}

# What the tasks of a test are, whatever --tasks says.
ALWAYS = {"syscall.getppid": "process", "copy.2": "thread"}

# Options that replace a test's kinds.
OWN = [("--copies=3", "copy", "3"), ("--period=2000", "timer", "2000"),
       ("--size=5", "message", "5"), ("--size=77", "unix", "77")]

# What is refused, and what the line says besides the option.
BAD = [
    ("--bin=0", "1 to 1000000000"), ("-b0", "1 to 1000000"),
    ("--clock=x", "monotonic"), ("--copies=17", "1 to 16"),
    ("--cpus=same,x", "same, cross"), ("--cpus=", "same, cross"),
    ("-Dx", "hours or days; at most 36500d"), ("--hog=100001", "1 to 100000"),
    ("--hold=0", "1 to 100000"), ("-i1000001", "0 to 1000000"),
    ("-l1e3", "0 to 1000000000"), ("--order=up", "higher, lower, equal"),
    ("--period=99", "100 to 500000"),
    ("--policy=deadline", "other, normal, batch"),
    ("-p2", "3 to 98"), ("-p99", "3 to 98"), ("--size=0", "1 to 65536"),
    ("--size=65537", "1 to 65536"), ("--tasks=fork", "thread, process"),
    ("--warmup=-1", "0 to 1000000"), ("--work=x", "0 to 1000000000000"),
    ("-a9999", "a set of these CPUs: "),
    ("--load-affinity=9999", "a set of these CPUs: "),
    ("--percentiles=100", "below 100"), ("-h0", "1 to 1000000"),
    ("--json=", "name of a file"), ("--dump=-", "begins with -"),
    ("--trace=!x", "a list of systems"),
    *((f"--limit={value}", "allowed") for value in (
        "", ":", "x", "5", "pair:5", "sync1.pair", "sync1.pair:",
        "sync1.pair:x", "sync1.pair:-1", "sync1.pair:5x", "sync1.pair:0x1",
        "sync1.pair:1e3", "sync1.pair:avg:", "sync1.pair:p50:",
        "sync1.pair:p0:5", "sync1.pair:p100:5", "x" * 200 + ":5")),
    *((f"--test={value}", "--list") for value in (
        "", ",", "x", "Sync1", "sync", "sync1;sync2", "sync1,x")),
    ("--test=sync1.x", "there is no such kind; sync1 has: unnamed, named"),
    ("--test=sync1.mutex.pair", "there is no such kind"),
]

# What contradicts, or lacks something: (words, what the line says).
CONTRADICTIONS = [
    (("--us", "-N"), "--us: not allowed with --nsecs"),
    (("--trace",), "only with --breaktrace"),
    (("-b1", "--trace-file=f"), "only with --trace"),
    (("-D5", "--dump=f"), "only if --loops"),
    (("-D5", "-v"), "only if --loops"),
    (("-p5", "--policy=other"), "only with --policy=fifo or rr"),
    (("--policy=rr",), "only with --priority"),
    (("--limit=timer.wakeup:5", "--test=sync1"), "nothing that is measured"),
    (("--latency=5", "--default-system"), "not allowed with"),
    (("--histfile=h",), "only with -h or -H"),
    (("--size=8", "--test=sync1"), "--size=8: allowed only with one of"),
    (("--period=500", "--test=sync1"), "only with one of the tests timer"),
    (("--copies=2", "--test=sync1"), "only with one of the tests copy"),
    (("word",), "unexpected argument word"),
    (("--json=f", "--dump=f"), "another option writes it"),
    *((("--test=sync2.futex", f"--metrics={value}"), "no test that is run has "
       "this metric; allowed are all, and those that the man page names for "
       "each test") for value in ("pair", "out,x", "", "out,", "al")),
]


def of_json(result):
    return json.loads(result.text("json"))["primitives"]


@pytest.mark.parametrize("words, name, value", SETTINGS,
                         ids=[" ".join(row[0]) for row in SETTINGS])
def test_setting(bare, words, name, value):
    if name == "mlockall" and os.geteuid():
        pytest.skip("needs root")
    result = bare(*BASE, *words)
    assert result.returncode == 0, result.stderr
    assert of_json(result)["settings"][name] == value


def test_defaults(bare):
    """Those that --help tells."""
    settings = of_json(bare(*BASE))["settings"]
    assert {name: settings[name] for name in DEFAULTS} == DEFAULTS
    told = re.sub(r"\s+", " ", bare("--help").stdout)
    for name, value in DEFAULTS.items():
        if name not in ("cpus", "tasks"):
            assert re.search(rf"--{name}=[^-]*(default {value}\b|"
                             rf"\b{value} \(\w*, ?default\)|"
                             rf"\b{value} \(default\))", told), name


@pytest.mark.parametrize("tasks", ["process", "thread"])
def test_tasks_of_one_kind(bare, tasks):
    result = bare("-q", "--test=" + ",".join(ALWAYS), "-l2", "--json=json",
                  f"--tasks={tasks}")
    assert result.returncode == 0, result.stderr
    assert {f"{one['test']}.{one['kind']}": one["tasks"]
            for one in of_json(result)["tests"]} == ALWAYS


@pytest.mark.parametrize("option, test, kind", OWN)
def test_own_kind(bare, option, test, kind):
    result = bare("-q", f"--test={test}", "-l2", option, "--json=json")
    assert result.returncode == 0, result.stderr
    assert {one["kind"] for one in of_json(result)["tests"]} == {kind}


@pytest.mark.parametrize("option, says", BAD, ids=[row[0][:40] for row in BAD])
def test_bad_value(bare, option, says):
    words = ("-q", "-l1", "--json=json")
    if not option.startswith("--test"):
        words += ("--test=sync1.mutex",)
    result = bare(*words, option)
    assert (result.returncode, result.stdout, result.files) == (1, "", set())
    line, *rest = result.stderr.split("\n")
    assert rest == [""] and says in line, result.stderr


@pytest.mark.parametrize("words, says", CONTRADICTIONS,
                         ids=[" ".join(row[0]) for row in CONTRADICTIONS])
def test_contradiction(bare, words, says):
    result = bare("-q", *words)
    assert result.returncode == 1 and says in result.stderr
    # Whether two name one file is seen when the first is open.
    assert result.files == ({"f"} if "another option" in says else set())
    assert not any(map(result.text, result.files))


def test_one_after_another(bare):
    """A second --test adds to the first; each row comes once."""
    result = bare(*BASE, "--test=sync1.futex,sync1.mutex")
    assert [one["name"] for one in of_json(result)["tests"]] == [
        "sync1.mutex", "sync1.futex"]


@pytest.mark.skipif(platform.machine() not in outside.SCHEDULING,
                    reason="no filter for this machine's system calls")
def test_sandbox(bare):
    """It may refuse to set a policy: an ordinary task has it already. CPUs are
    set, so all that this program may use are one."""
    def begin():
        os.sched_setaffinity(0, {int(CPU)})
        outside.sandbox()

    result = bare(*BASE, "--test=sync2.futex,thread,timer.1000",
                  "--tasks=thread,process", preexec_fn=begin)
    assert (result.returncode, result.stderr) == (0, "")
    result = bare(*BASE, "-p", "5", preexec_fn=begin)
    assert result.returncode == 1 and "(seccomp)" in result.stderr


def test_shortened(bare):
    """If no other option begins in the same way."""
    result = bare(*BASE, "--perc=50", "--warm", "0", "--mlock")
    assert (result.returncode, result.stderr) == (0, "")
    assert "# Percentiles T:0 " in result.stdout
    settings = of_json(result)["settings"]
    assert (settings["warmup"], settings["mlockall"]) == (0, True)
    result = bare(*BASE, "--hist=9")
    assert result.returncode == 1 and "--histofall" in result.stderr


def test_json_alone_on_stdout(bare):
    result = bare(*BASE[:-1], "--json=-")
    assert (result.returncode, result.files) == (0, set())
    assert schema.errors(json.loads(result.stdout), schema.PRIMITIVES) == []
    assert "\nT: 0 " in result.stderr and "{" not in result.stderr


def test_loops_and_duration(bare):
    """Whichever comes first ends a test."""
    result = bare(*BASE, "-D600")
    assert of_json(result)["tests"][0]["trials"] == 5


@pytest.mark.parametrize("unit, size", [((), 1), (("--us",), 1000)])
def test_text_and_json_agree(bare, unit, size):
    result = bare(*BASE, TWO, *unit)
    shown = re.findall(r"^T:.* Min: *([\d.]+) .* Max: *([\d.]+) ",
                       result.stdout, re.M)
    threads = json.loads(result.text("json"))["thread"].values()
    assert len(shown) == len(threads)
    for (low, high), thread in zip(shown, threads):
        for text, key in ((low, "min"), (high, "max")):
            assert float(text) * size == pytest.approx(
                thread[key] * 1000, abs=size / 1000 + 1)


def test_nsecs(bare):
    """The JSON, too, is in ns."""
    result = bare(*BASE, "-N")
    data = json.loads(result.text("json"))
    assert data["resolution_in_ns"] == 1
    assert re.search(r"Max: *(\d+)", result.stdout)[1] == \
        str(int(data["thread"]["0"]["max"]))


def test_verbose(bare):
    result = bare("--default-system", "--test=sync1.mutex", "-l3", "-v")
    assert re.findall(r"^ *(\d+): *(\d+): *\d+$", result.stdout, re.M) == [
        ("0", "1"), ("0", "2"), ("0", "3")]
    assert "T: 0" not in result.stdout


def test_histogram(bare):
    """A row is as wide as --bin says; each value is in one or beyond."""
    for words, width in ((("-h9",), 1000), (("-H99999", "--bin=1"), 1)):
        result = bare(*BASE, *words, "--worst")
        data = json.loads(result.text("json"))
        column = data["thread"]["0"]
        assert sum(column["histogram"].values()) + column["overflows"] == 5
        worst = data["primitives"]["worst"]["sync1.mutex.pair"]["values"]
        row = int(worst["pair"] / width)
        assert str(row) in column["histogram"]
        assert f"{row:06} " in result.stdout


def test_columns_of_a_histogram(bare):
    """Their names, and rows from the least value to the largest; with -H, a
    sum in the last one."""
    for letter in "hH":
        result = bare(*BASE, TWO, f"-{letter}20000", "-l", "30")
        columns = json.loads(result.text("json"))["thread"].values()
        assert f"# Metrics: {' '.join(one['metric'] for one in columns)}\n" \
            in result.stdout
        rows = [list(map(int, line.split())) for line in re.findall(
            r"^\d{6} [\d\t]+$", result.stdout, re.M)]
        for at, one in enumerate(columns, 1):
            used = {row[0]: row[at] for row in rows if row[at]}
            assert one["histogram"] == {
                str(row): count for row, count in used.items()}
            assert sum(used.values()) + one["overflows"] == 30
            assert min(used) == int(one["min"])
            assert one["overflows"] or max(used) == int(one["max"])
        assert rows and all(
            row[5:] == [sum(row[1:5])] * (letter == "H") for row in rows)


def test_percentiles(bare):
    result = bare(*BASE, "-l200", "--percentiles=50,99")
    found = json.loads(result.text("json"))["thread"]["0"]
    assert found["percentiles"]["99"] is None
    assert found["min"] <= found["percentiles"]["50"] <= found["max"]
    assert re.search("^# Percentiles T:0 sync1.mutex.pair: 50:[0-9.]+ 99:-$",
                     result.stdout, re.M)
    usual = json.loads(bare(*BASE, "--percentiles").text("json"))
    assert list(usual["thread"]["0"]["percentiles"]) == [
        "50", "90", "99", "99.9", "99.99", "99.999"]


def test_dump(bare):
    result = bare(*BASE, "--dump=dump")
    (head, *lines), told = ended.split(result.text("dump"))
    assert not told
    assert head == "test,trial,t0_ns,t1_ns,t2_ns,t3_ns,t4_ns"
    assert [line.split(",")[:2] for line in lines] == [
        ["sync1.mutex", str(n)] for n in range(1, 6)]


@pytest.mark.parametrize("value, verdict", [
    ("0", "exceeded"), ("1000000", "met"), ("avg:1000000", "met"),
    ("p50:1000000", "undecided"), ("avg:0", "exceeded")])
def test_limit(bare, value, verdict):
    result = bare(*BASE, f"--limit=sync1.pair:{value}")
    limit, = of_json(result)["limits"]
    assert (limit["metric"], limit["verdict"]) == ("sync1.mutex.pair", verdict)
    assert result.returncode == (0 if verdict == "met" else 2)
    assert f"# Limit sync1.pair:{value}: {verdict}: sync1.mutex.pair" in \
        result.stdout


def test_limit_of_a_percentile(bare):
    """It is exact beside the limit: half of the values are above, or not."""
    values = bare(*BASE, "-l101", "-v").stdout
    result = bare(*BASE, "-l101", "--limit=sync1.pair:p50:0",
                  "--limit=sync1.pair:p50:1000000")
    assert [one["verdict"] for one in of_json(result)["limits"]] == [
        "exceeded", "met"]
    assert values.count("\n") > 100


def test_limit_on_what_was_skipped(bare):
    """It would have to be met there, too, so that it is not known to be; where
    it is exceeded, that is known."""
    cpu = min(os.sched_getaffinity(0))
    limits = {"sync1.pair:1000000": "met", "sync2.roundtrip:1000000":
              "undecided", "sync2.roundtrip:0": "exceeded",
              "sync2.same.roundtrip:1000000": "met",
              "sync2.cross.roundtrip:1000000": "undecided"}
    result = bare(
        "-q", "-m", "--json=json", "--test=samples", "--cpus=same,cross",
        "-l5", *[f"--limit={one}" for one in limits],
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    assert (result.returncode, result.stderr) == (2, "")
    of = of_json(result)
    skipped = [row["name"] for row in of["tests"] if row["skipped"] and
               row["test"] == "sync2"
               and row["kind"] != "mutex"]      # which has no round trip
    assert len(skipped) > 1 and all(".cross" in name for name in skipped)
    assert {one["limit"]: one["verdict"] for one in of["limits"]} == limits
    assert [one["value_ns"] is None for one in of["limits"]] == [
        verdict == "undecided" for verdict in limits.values()]
    lines = dict(re.findall(r"^# Limit (\S+): (.*)$", result.stdout, re.M))
    assert re.fullmatch(
        f"undecided: skipped: {', '.join(skipped)}; otherwise "
        r"sync2\.\w+\.process\.same\.roundtrip: \d+\.\d{3} us",
        lines["sync2.roundtrip:1000000"])
    assert lines["sync2.cross.roundtrip:1000000"] == \
        "undecided: it was not measured"
    assert [name for name, line in lines.items() if "skipped" in line] == [
        "sync2.roundtrip:1000000"]


def test_limit_on_several_rows(bare):
    """The worst one is named; so many may be given."""
    given = [f"--limit=sync1.pair:{most / 100}" for most in range(64)]
    result = bare(*BASE[:2], "--test=sync1", "-l50", "--json=json", *given)
    worst = max(json.loads(result.text("json"))["thread"].values(),
                key=lambda one: one["max"])
    assert [(one["metric"], one["verdict"]) for one in
            of_json(result)["limits"]] == [
        (worst["metric"], "exceeded" if worst["max"] > most / 100 else "met")
        for most in range(64)]
    assert result.returncode == 2
    assert "at most 64" in bare(*BASE, *given, "--limit=sync1.pair:9").stderr


def test_limit_on_a_run_cut_short(start):
    """So far it was met: that is no verdict."""
    process = start("-q", TWO, "-D600", "--json=json",
                    "--limit=sync2.out:1000000", program=primitives.binary())
    asks = outside.wait_for(lambda: process.named("prim-asks"))
    assert outside.wait_for(lambda: outside.switches(asks[0]) > 100)
    process.signal(signal.SIGINT)
    assert process.finish() == 2, process.err
    assert "undecided: the run was cut short" in process.out


def test_list(bare):
    """Every test with its trials, and its kinds if it has some."""
    found = primitives.listed(bare)
    assert len(found) == bare("--list").stdout.count("trials: ") > 20
    assert next(one["kinds"] for one in found if one["name"] == "sync2")
    assert "--list: not allowed with --json" in \
        bare("--list", "--json=json").stderr


def test_help(bare):
    result = bare("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("usage: primitivetest [options]\n")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(re.match(r"  (-\w,|   ) --[a-z]|" + 25 * " " + r"\S", line)
               for line in lines if line.startswith(" "))
    words = re.sub(r"\n *", " ", result.stdout)
    for choices in (
            "higher (default), lower, equal", "thread, process (default), or",
            "same (default), cross, or", "other, normal, batch, idle, fifo, rr",
            "monotonic (0, default), realtime (1), monotonic_raw, tai, "
            "boottime, tsc, aux0 to aux7"):
        assert f": {choices}" in words
    assert re.fullmatch(r"primitivetest V \d+\.\d\d\n",
                        bare("--version").stdout)


def test_check(bare):
    """What queues and signals need is looked at, too."""
    result = bare("-q", "--check", "--json=json")
    assert result.returncode in (0, 2)
    found = of_json(result)["system"]
    for name in ("mqueue_msg_max", "mqueue_msgsize_max", "rlimit_msgqueue",
                 "rlimit_sigpending"):
        assert name in found
    assert isinstance(found["rlimit_sigpending"], int)


@pytest.mark.parametrize("words, realtime", [
    ((), False), (("--load-policy=fifo",), True)])
def test_check_of_a_load(bare, words, realtime):
    """A real-time one may use all the time that such tasks may have."""
    result = bare("-q", "--check", "-p50", "--load=fft", *words, "--json=json")
    found = {one["name"] for one in of_json(result)["system"]["findings"]}
    runtime, period = (int(outside.read(path) or 0) for path in (
        outside.RT_RUNTIME, outside.RT_PERIOD))
    assert ("rt_runtime_us" in found) == (realtime and 0 < runtime < period)


def test_check_finds_what_forbids_a_test(bare):
    result = bare("-q", "--check", "--json=json", preexec_fn=lambda: [
        resource.setrlimit(which, (5, 5)) for which in (
            resource.RLIMIT_MSGQUEUE, resource.RLIMIT_SIGPENDING)])
    found = {one["name"] for one in of_json(result)["system"]["findings"]}
    assert {"rlimit_msgqueue", "rlimit_sigpending"} <= found
    assert result.returncode == 2


def test_interval(bare):
    """The trials of two tasks wait for expiries that are that far apart: for
    the first one, too, and for those of the warm-up."""
    began_ns = time.monotonic_ns()
    result = bare("-q", TWO, "-l5", "-i100000", "--warmup=2", "--dump=dump")
    begins = [int(line.split(",")[2])
              for line in ended.rows(result.text("dump"))]
    assert len(begins) == 5
    for number, begin_ns in enumerate(begins):
        assert begin_ns - began_ns >= (2 + number + 1) * 100_000_000


@pytest.mark.parametrize("words, cpu", [
    (("-a", CPU), CPU), (("-a", "all"), FIRST), ((), CPU)])
def test_runs(bare, words, cpu):
    """Where the tasks run: on the first CPU of a set, else on the last."""
    result = bare(*BASE, *words)
    assert {task["cpus"] for task in of_json(result)["tests"][0]["processes"]
            } == {cpu}
    assert json.loads(result.text("json"))["thread"]["0"]["cpu"] == int(cpu)


def test_terminal(start):
    """What is being measured, until the results are there."""
    terminal = screen.Terminal(80, 24)
    process = start("--default-system", "-l5", "--test=sync1.mutex,sync2.futex",
                    program=primitives.binary(), stdout=terminal.slave)
    assert process.finish() == 0, process.err
    seen = ""
    while terminal.has_more():
        seen += os.read(terminal.master, 4096).decode()
    assert "\r\x1b[K1 of 2: sync1.mutex\r\x1b[K2 of 2: sync2.futex.process." \
        "same\r\x1b[K" in seen
    os.close(terminal.slave)
    os.close(terminal.master)


def test_no_room_for_queues(primitive):
    """The reason is the kernel's, and nothing is measured without one."""
    result = primitive(
        "--test=message.8", "-l", "3", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_MSGQUEUE, (1000, 1000)))
    assert result.returncode == 1
    assert "a queue of 10 messages of 8 bytes: Too many open files; allowed " \
        "are msg_max " in result.stderr
    assert "and 1000 bytes in all queues" in result.stderr
    assert "mq_send" not in result.stderr and "T:" not in result.stdout
