# SPDX-License-Identifier: GPL-2.0-or-later
"""--breaks and --on-break: the run goes on after a long cycle."""

import os
import re
import signal

import pytest

import causes
import outside
import results
import tracing

PARTS = {"latency": ("send", "sleep", "receive"), "send": ("send",),
         "planned": ("wakeup", "send", "sleep", "receive")}
ROW = re.compile(r"# +(\d+) +(\d+) +(\d+\.\d{3}) +(\d+\.\d{3})  "
                 r"(\w+)(?:: (.+))?")
NOT_LOOKED = "not looked into, as it came too soon after another"


def rows(done):
    """The table: in the text and in the JSON, consistent."""
    result = results.loaded(done)
    found = result["twoway"]["causes"]
    printed = [match.groups() for match in
               map(ROW.fullmatch, done.stdout.splitlines()) if match]
    assert [(line[:2], line[4:]) for line in printed] == [(
        (str(row["count"]), str(row["longest"])), (row["phase"], row["cause"]))
        for row in found]
    for line, row in zip(printed, found):
        assert [float(one) for one in line[2:4]] == pytest.approx(
            [row["first_s"], row["last_s"]], abs=0.000502)
    counts = [row["count"] for row in found]
    assert counts == sorted(counts, reverse=True)
    assert f"# Breaks: {sum(counts)}\n" in done.stdout
    assert len({(row["phase"], row["cause"]) for row in found}) == len(found)
    assert all(0 <= row["first_s"] <= row["last_s"] for row in found)
    assert all((row["first_s"] == row["last_s"]) == (row["count"] == 1)
               for row in found)
    assert done.returncode == (2 if found else 0)
    results.text(done.stdout, bool(result["resolution_in_ns"]))
    return result, found


def values(cycle, sleep_ns=100000):
    """Of a line of the dump."""
    t = [cycle.t0_ns, cycle.t1_ns, cycle.t2_ns, cycle.t3_ns]
    return {"send": t[1] - t[0], "sleep": t[2] - t[1], "receive": t[3] - t[2],
            "latency": t[3] - t[0] - sleep_ns,
            "planned": t[3] - cycle.planned_ns, "end": t[3]}


def expected(cycles, metric, limit_ns):
    """{phase: [(end, value)]}, from the values of all cycles."""
    sums, found = {"sleep": 0}, {}
    for number, cycle in enumerate(cycles):
        now = values(cycle)
        usual = {name: sums[name] / number if number else
                 {"sleep": 100000}.get(name, 0) for name in PARTS["latency"]}
        excess = {name: now[name] - usual[name] for name in PARTS["latency"]
                  if name in PARTS[metric]}
        if now[metric] > limit_ns:
            phase = max(excess, key=excess.get)
            if excess[phase] <= 0:
                phase = metric
            found.setdefault(phase, []).append((now["end"], now[metric]))
        for name in PARTS["latency"]:
            sums[name] = sums.get(name, 0) + now[name]
    return found


@pytest.mark.parametrize("metric,limit_us,options", [
    ("latency", 1, ()), ("latency", 90, ()), ("send", 12, ()),
    ("latency", 1, ("-N",)), ("latency", 5, ("-t3", "-d100"))])
def test_phases(run, metric, limit_us, options):
    """Every cycle above the limit is counted, by its phase, and nothing of
    the others is lost."""
    done = run("-q", "-l", 400, "-b", f"{metric}:{limit_us}", *options,
               "--breaks=1000000", "--dump=dump", "--json=json")
    result, found = rows(done)
    unit = 1 if "-N" in options else 1000
    wanted = {}
    for pair in range(len(result["twoway"]["pairs"])):
        own = [one for one in done.dump() if one.pair == pair]
        assert len(own) == 400 or pair
        for phase, all_of in expected(own, metric, 1000 * limit_us).items():
            wanted.setdefault(phase, []).extend(all_of)
    assert {row["phase"]: (row["count"], row["longest"]) for row in found} \
        == {phase: (len(all_of), max(value for _, value in all_of) // unit)
            for phase, all_of in wanted.items()}
    for row in found:
        ends = [end for end, _ in wanted[row["phase"]]]
        assert row["last_s"] - row["first_s"] == pytest.approx(
            (max(ends) - min(ends)) / 1e9, abs=2e-6)
    assert {row["cause"] for row in found} <= {None}
    if not found:
        assert result["twoway"]["breaks"] == []


@pytest.mark.parametrize("count", [1, 2, 7, 60])
@pytest.mark.parametrize("pairs", [1, 3])
def test_ends_at_the_last(run, count, pairs):
    """Exactly there, with one pair; others may have one more each."""
    done = run("-q", f"-t{pairs}", "-d0", "-l5000", "-b1", "--dump=dump",
               f"--breaks={count}", "--json=json")
    result, found = rows(done)
    total = sum(row["count"] for row in found)
    assert count <= total < count + pairs
    cut = sum("latency" in one["counts"]
              for one in result["twoway"]["unanswered"])
    assert total == len(done.dump()) + cut == sum(
        one["cycles"] for one in result["thread"].values())


def test_none(run):
    """A run without a long cycle: the table is empty, the status 0."""
    done = run("-q", "-l100", "-b", 10**9, "--breaks=3", "--json=json")
    result, found = rows(done)
    assert (found, result["twoway"]["breaks"]) == ([], [])
    assert "# Breaks: 0\n" in done.stdout and "first s" not in done.stdout


def test_the_longest_is_told(run, shim):
    """As if it had ended the run; limits are decided all the same."""
    done = run("-q", "-l300", "-b200000", "--breaks=9", "--json=json",
               "--limit=missed:100000",
               env=shim("server:nanosleep:after:102:250000",
                        "server:nanosleep:after:162:700000",
                        "server:nanosleep:after:222:300000"))
    result, found = rows(done)
    of = {row["phase"]: row for row in found}
    told, = result["twoway"]["breaks"]
    latency = told["values"]["latency"] // 1000
    assert of["sleep"]["count"] >= 3 and latency >= 700000
    assert latency == max(row["longest"] for row in found)
    assert told["cycle"] == 160 or latency > 900000
    assert f"# Break value: {latency}\n" in done.stdout
    assert result["thread"]["0"]["cycles"] == 300
    assert result["twoway"]["limits"][0]["verdict"] == "met"


@pytest.mark.parametrize("first", [0, 1])
def test_the_longest_of_two_pairs(run, shim, first):
    """Not that which ended the run. No other cycle takes as long, even where
    others have the CPUs."""
    done = run("-q", "-l9000", "-t2", "-d0", "-b900000", "--breaks=2",
               "--json=json",
               env=shim(f"server{first}:nanosleep:after:102:1900000",
                        f"server{1 - first}:nanosleep:after:2702:1000000"))
    told, = rows(done)[0]["twoway"]["breaks"]
    assert told["values"]["latency"] >= 1900000000 and told["pair"] == first


REFUSED = [
    ("-b9 --breaks=0", "--breaks=0: allowed is a whole number from 1"),
    ("-b9 --on-break=", "--on-break=: allowed is a command of the shell"),
    ("-b9 --breaks=3 --load=fft --steps=2", "--breaks: not allowed with --st"),
    ("-b9 --on-break=true --orb", "--on-break: not allowed with --steps"),
    ("-b9 --breaks=3 --connect=127.0.0.1", "--breaks: not allowed with --con"),
]


@pytest.mark.parametrize("options,says", REFUSED)
def test_refused(run, options, says):
    done = run("-q", "-l", 9, *options.split())
    assert done.returncode == 1 and says in done.stderr
    assert "T:" not in done.stdout and done.stderr.count("\n") == 1


FAILS = [       # the command, what is said of it
    ("exit 3", "ended with exit status 3"),
    ("kill -9 $$", "killed by signal 9"),
    ("no-such-program", "ended with exit status 127"),
    ("true", None), ("cat >/dev/null", None), ("exec <&-", None),
    ("sleep 99 & exit 0", None),
    ("sleep 98 & sleep 99", "did not end within 10 s"),
    ("trap '' TERM; sleep 99; sleep 99", "did not end within 10 s"),
]


@pytest.mark.parametrize("command,says", FAILS)
def test_on_break(run, command, says):
    """How it ends is told, nothing of it is left, and the run is whole."""
    done = run("-q", "-l200", "-b1", "--json=json", "--breaks=1000000",
               f"--on-break={command}", timeout=40)
    result, found = rows(done)
    match = re.search("^# On break: run (.+), failed (.+), left out (.+)$",
                      done.stdout, re.M)
    ran, failed, left_out = map(int, match.groups())
    assert ran > 0 and failed == (ran if says else 0)
    assert ran + left_out <= sum(row["count"] for row in found)
    warnings = [one for one in done.stderr.splitlines() if "within 1 s" not in
                one and "No such file" not in one and "not found" not in one]
    assert len(warnings) == failed
    assert all(f"--on-break: the command {says}" in one or
               f"--on-break: the command was {says}" in one
               for one in warnings)
    assert result["thread"]["0"]["cycles"] == 200


@results.root
def test_command_is_ordinary(run):
    """Not of the real-time priority that main needs above this load."""
    done = run("-q", "-p", 50, "-l200", "-b1", "--breaks=1000000",
               "--load=fft:1", "--load-policy=rr", "--on-break=cut -d ' ' -f 40,41 "
               "/proc/self/stat >>settings")
    assert set(done.text("settings").splitlines()) == {"0 0"}


def test_signals_of_the_command(run):
    """They are as usual."""
    run("-q", "-l200", "-b1", "--breaks=1000000",
        "--on-break=grep Sig /proc/self/status >status; sleep 9")
    assert outside.signals(run.directory / "status") == outside.signals()


def test_environment(run):
    """What it is told is what the results have; its output is no result."""
    done = run("-q", "-l300", "-b1", "--json=json", "--dump=dump",
               "--breaks=1000000", "--on-break=env | grep ^TWOWAYTEST_BREAK "
               ">env.$TWOWAYTEST_BREAK_CYCLE; wc -c; sleep 0.01")
    rows(done)
    assert set(done.stderr.split()) == {"0"}
    cycles = done.dump()
    told = [name for name in os.listdir(done.directory)
            if name.startswith("env.")]
    assert told
    for name in told:
        of = dict(line.split("=", 1) for line in done.text(name).splitlines())
        number = int(name[4:])
        assert of.pop("TWOWAYTEST_BREAK_PHASE") in (
            "latency", "send", "sleep", "receive")
        assert of == {
            "TWOWAYTEST_BREAK_CYCLE": str(number),
            "TWOWAYTEST_BREAK_US": str(values(cycles[number])["latency"] //
                                       1000),
            "TWOWAYTEST_BREAK_METRIC": "latency", "TWOWAYTEST_BREAK_PAIR": "0",
            "TWOWAYTEST_BREAK_CAUSE": ""}


def test_left_out(run):
    """While it runs, it is not started again."""
    done = run("-q", "-l600", "-b1", "--json=json", "--breaks=1000000",
               "--on-break=echo x >>file; sleep 9")
    rows(done)
    match = re.search("run 1, failed 0, left out (.+)$", done.stdout, re.M)
    assert int(match[1]) > 0 and done.text("file") == "x\n"


def test_main_killed(start):
    """With main, the command ends, too."""
    process = start("-q", "-D60", "-b1", "--breaks=1000000",
                    "--on-break=echo $$ >file; sleep 30")
    assert outside.wait_for(lambda: outside.read(start.directory / "file")
                            if "file" in os.listdir(start.directory) else "")
    shell = int(outside.read(start.directory / "file"))
    process.signal(signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(shell), 5)
    process.finish()
    assert process.gone(5)


def test_main_killed_while_the_command_begins(start, amiss):
    """Its guard does not know yet of the command then."""
    process = start("-q", "-D60", "-b1", "--breaks=1000000",
                    "--on-break=sleep 900",
                    env={**amiss, "TW_AMISS": "orphan"})
    assert process.process.wait(15) == -signal.SIGKILL
    assert process.gone(5), process.processes()
    process.finish()


def traced(run, shim):
    """The rows of a run, and what was said of those of ours that were looked
    into."""
    with tracing.usable() as directory:
        done = run(
            "-q", "-m", "-p60", "-a", "-l3600", "-b40000", "--breaks=99",
            "--trace", "--trace-file=trace", "--json=json",
            "--on-break=cat >in.$TWOWAYTEST_BREAK_CYCLE; "
            "echo \"$TWOWAYTEST_BREAK_CAUSE\" >said.$TWOWAYTEST_BREAK_CYCLE",
            env=shim(*(f"server:nanosleep:busy-after:{number}:{value}"
                       for number, value in ((602, 60000), (1802, 90000),
                                             (3002, 70000)))), timeout=60)
        assert not list((directory / "instances").glob(f"*-{done.pid}-*"))
    assert "--trace:" not in done.stderr
    result, found = rows(done)
    assert result["thread"]["0"]["cycles"] == 3600
    told, = result["twoway"]["breaks"]
    causes.assert_whole(told["cause"])
    # Others than ours may be longer on a busy host; then they are told.
    seen = [int(name[3:]) for name in os.listdir(done.directory)
            if name.startswith("in.")]
    latency = told["values"]["latency"] // 1000
    assert told["cycle"] in seen and latency >= 60000
    assert latency == max(row["longest"] for row in found
                                  if row["cause"] != NOT_LOOKED)
    ran = re.search(r"run (\d+), failed 0, left out 0$", done.stdout, re.M)
    assert len(seen) == int(ran[1]) == sum(
        row["count"] for row in found if row["cause"] != NOT_LOOKED)
    assert dict(tracing.stamps(done.text("trace"))).keys() >= {"t0", "t3"}
    assert f"cycle {told['cycle']}: t3: " in done.text("trace")
    for number in seen:
        given = done.text(f"in.{number}")
        cause = done.text(f"said.{number}").strip()
        assert f"cycle {number}: t3: " in given and (
            f"# Cause: {cause}\n" in given or cause.startswith("unknown, as"))
    return found, [done.text(f"said.{number}") for number in (600, 1800, 3000)
                   if number in seen]


@results.root
def test_traced(run, shim):
    """Each is looked into while the run goes on; the file is the longest's."""
    for _ in range(5):
        found, said = traced(run, shim)
        # Others may come just before each of ours, or amid one.
        if said and all("server running, already awake," in one
                        for one in said):
            break
        for name in os.listdir(run.directory):
            os.remove(run.directory / name)
    else:
        pytest.fail(str(said))
    row, = [one for one in found
            if (one["phase"], one["cause"]) == ("sleep", "server running")]
    assert row["count"] >= len(said)
