# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts, each of which traces itself: what is held up
on the far one is named there. Namespaces stand for the second host."""

import os
import re
import signal
import stat
import struct
import subprocess
import uuid

import outside
import pytest
import schema
import tracing

WARMUP = 2
CYCLE = 12          # the one that a shim makes late
MESSAGE = WARMUP + CYCLE
PERIOD_US = 10000
DELAY_US = 6000
BREAK_US = 3000     # above what is usual, far below what is injected
TRIALS = int(os.environ.get("TWOWAY_CAUSE_TRIALS", "1"))
TRIES = 8           # a busy host breaks cycles of its own
HOST = "cause-far"
NEAR, FAR = "203.0.113.5", "203.0.113.6"    # for documentation

# Fault of the server, the phase that it makes long, the part of that.
FAULTS = [
    ("nanosleep:after", "sleep", None),
    ("nanosleep:before", "sleep", None),
    ("poll:after", "network", "from the request's wake-up to t1"),
    ("recv:after", "network", "from the request's wake-up to t1"),
    ("send:before", "network", "from t2 until the reply was sent"),
]
STATES = {"running": {"runs", "interrupted"}, "asleep": {"blocked"}}


def command(*args, **options):
    return subprocess.run(list(map(str, args)), capture_output=True,
                          text=True, check=True, **options)


@pytest.fixture(scope="module")
def far():
    """A network namespace, joined to ours by a pair of devices."""
    name = f"twoway-{uuid.uuid4().hex[:6]}"
    near, there = f"{name[-6:]}n", f"{name[-6:]}f"
    try:
        command("ip", "netns", "add", name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces here: {error}")
    try:
        command("ip", "link", "add", near, "type", "veth", "peer", "name",
                there, "netns", name)
        command("ip", "address", "add", f"{NEAR}/30", "dev", near)
        command("ip", "link", "set", near, "up")
        for args in (("address", "add", f"{FAR}/30", "dev", there),
                     ("link", "set", there, "up"), ("link", "set", "lo", "up")):
            command("ip", "-n", name, *args)
        yield name
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no veth devices here: {error.stderr}")
    finally:
        command("ip", "netns", "delete", name)


@pytest.fixture
def login(far, memory):
    """A program that stands for ssh: it starts the server there."""
    def write(program=None, become="", **env):
        path = memory / "login"
        variables = " ".join(f"{name}='{value}'"
                             for name, value in env.items())
        # Not by "ip netns exec": that mounts /sys anew, without tracefs.
        path.write_text(f"""#!/bin/sh
unset LD_PRELOAD TW_DELAY
shift
exec nsenter --net=/run/netns/{far} unshare --uts --pid --fork sh -c '
hostname {HOST}
exec {become} env {variables} {program or outside.binary()} "$@"' sh "$@"
""", encoding="ascii")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path
    return write


def check_analyses(broken):
    """They are what the schema says."""
    whole = schema.validator()
    kind = type(whole)({"$defs": whole.schema["$defs"],
                        "$ref": "#/$defs/analysis"})
    for key in ("analysis", "other_analysis"):
        if broken and broken[key]:
            kind.validate(broken[key])


@pytest.fixture
def measure(start, tracefs, memory, login):
    """A run that -b may end, and what it says."""
    def run(*options, shell=None, status=(0, 2), env=None, priority=98,
            listens=False, **far_env):
        shell = [] if listens else [f"--rsh={shell or login(**far_env)}"]
        done = start(f"--connect={FAR}", *shell, "-q", "-a",
                     *(("-p", priority) if priority else ()), "-l", 200,
                     "-i", PERIOD_US, f"--warmup={WARMUP}", "-b", BREAK_US,
                     "--trace", "--trace-file", memory / "trace",
                     "--json", memory / "json", *options, env=env)
        assert done.finish() in status, done.err
        print(done.out)
        # The far one's PID is that of its own namespace.
        ours = {done.pid} if listens else {done.pid, 1}
        assert not ours & tracing.instances(tracefs)
        result = outside.load_json(memory / "json")
        broken = result["twoway"]["break"]
        check_analyses(broken)
        if broken and (memory / "trace").exists():
            broken["hidden_ns"] = hidden_ns(outside.read(memory / "trace"))
        return done.out, result
    return run


@pytest.fixture
def listening(far, tracefs):
    """A server there that listens; root is given up."""
    servers = []

    def run(*options, **env):
        process = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{far}", "unshare", "--uts",
             "--pid", "--fork", "sh", "-c",
             f'hostname {HOST}; exec "$@"', "sh", outside.binary(),
             f"--server={FAR}", f"--allow={NEAR}", "-p", "97", *options],
            env={**os.environ, **env}, stdout=subprocess.PIPE, text=True)
        servers.append(process)
        assert process.stdout.readline().startswith("# Listening")
        return process

    yield run
    for process in servers:
        # The one in the namespace; unshare itself is deaf.
        for child in outside.children(process.pid):
            os.kill(child, signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        process.stdout.close()
    assert 1 not in tracing.instances(tracefs)


def hidden_ns(trace):
    """The time of the cycle in which a CPU had a task that no switch tells of:
    no analysis can say who had it."""
    stamps = dict(tracing.stamps(trace))
    begin_ns, end_ns = stamps.get("t0", 0), stamps.get("t3", 0)
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns))
               for begin, end in tracing.unseen(trace))


def overlap_free(broken, phase):
    """Whether nothing but the injected delay made the cycle long."""
    others = [broken[f"{name}_ns"] for name in ("wakeup", "network", "sleep")
              if name != phase]
    return broken["cycle"] == CYCLE and max(others) < 500 * DELAY_US and \
        broken.get("hidden_ns", 0) < 50 * DELAY_US


def server_had_cpu(analysis):
    """For most of the time that was injected; the host may add its own."""
    name = f"twoway-server-{analysis['pid']}"
    return sum(span["ns"] for span in analysis["contributors"]
               if span["who"] == name) > 900 * DELAY_US


@pytest.fixture
def delayed(measure, shim, memory):
    """A cycle that the shim delays on the far side."""
    def run(fault, phase, *options):
        stamps = memory / "stamps"
        for _ in range(TRIES):
            stamps.write_bytes(b"")
            out, result = measure(
                *options, status=(2,), LD_PRELOAD=shim,
                TW_DELAY=f"server:{fault}:{MESSAGE}:{DELAY_US}",
                TW_DELAY_STAMPS=stamps)
            broken = result["twoway"]["break"]
            begin_ns, end_ns = struct.unpack_from("=2q", stamps.read_bytes())
            if overlap_free(broken, phase) and \
                    end_ns - begin_ns < 1100 * DELAY_US:
                return out, broken, end_ns - begin_ns
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    return run


@pytest.mark.parametrize("trial", range(TRIALS))
@pytest.mark.parametrize("how", ["running", "asleep"])
@pytest.mark.parametrize("fault, phase, part", FAULTS)
def test_delayed_on_the_far_side(delayed, fault, phase, part, how, trial):
    call, when = fault.split(":")
    when = f"busy-{when}" if how == "running" else when
    out, broken, injected_ns = delayed(f"{call}:{when}", phase)
    analysis = broken["analysis"]
    assert broken["where"] == "server"
    assert analysis["host"] == HOST
    assert analysis["side"] == "server"
    assert analysis["phase"] == phase
    assert analysis.get("part") == part
    assert sum(span["ns"] for span in analysis["timeline"]) == analysis["ns"]
    assert sum(span["ns"] for span in analysis["contributors"]) == \
        analysis["ns"]
    if phase == "sleep":
        assert analysis["ns"] == broken["sleep_ns"]
        assert broken["other_analysis"] is None
    else:
        assert broken["other_analysis"]["host"] == os.uname().nodename
        assert broken["other_analysis"]["side"] == "client"
        assert analysis["whole_ns"] == broken["network_ns"]
    found = re.search(rf"^# Cause: server host {HOST}: {phase} \+\d+ us: "
                      r"server (.+)$", out, re.MULTILINE)
    assert found, out
    assert analysis["cause"].endswith(found[1])

    states = STATES[how]
    if (call, when) == ("nanosleep", "before"):
        # Whose timer it is that does not expire, the trace does not tell.
        states = states | {"timer late"}
    found_ns = sum(span["ns"] for span in analysis["contributors"]
                   if span["state"] in states)
    assert abs(found_ns - injected_ns) < 0.1 * injected_ns
    if how == "running":
        # By its number in the trace, which is not that in its namespace.
        assert server_had_cpu(analysis)


def test_client_is_delayed(measure, shim):
    """What holds up the client is named there, by its own trace."""
    for _ in range(TRIES):
        out, result = measure(status=(2,), env={
            "LD_PRELOAD": shim,
            "TW_DELAY": f"client:recv:busy-after:{MESSAGE}:{DELAY_US}"})
        broken = result["twoway"]["break"]
        if overlap_free(broken, "network"):
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    near = os.uname().nodename
    assert broken["where"] == "client"
    assert broken["analysis"]["host"] == near
    assert broken["other_analysis"]["host"] == HOST
    assert re.search(rf"^# Cause: client host {near}: network \+\d+ us: client "
                     "running, already awake", out, re.MULTILINE)


def test_client_wakes_late(measure, shim):
    """Its wake-up is its own doing: the far host has no part in it."""
    for _ in range(TRIES):
        _, result = measure("--break-on=planned", status=(2,), env={
            "LD_PRELOAD": shim, "TW_DELAY":
            f"client:clock_nanosleep:after:{MESSAGE + 1}:{DELAY_US}"})
        broken = result["twoway"]["break"]
        if overlap_free(broken, "wakeup"):
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    assert broken["where"] == "client"
    assert broken["analysis"]["phase"] == "wakeup"
    assert broken["analysis"]["ns"] == broken["wakeup_ns"]
    assert broken["other_analysis"] is None


def test_no_break(measure):
    """The traces are removed again, and nothing more is said."""
    out, result = measure("-b", 10**6, status=(0,))
    assert "Cause" not in out
    assert result["twoway"]["break"] is None
    assert result["twoway"]["peer"]["granted"]["traces"]


def test_second_pair(measure, shim):
    """The one that broke is looked into, with its own server."""
    for _ in range(TRIES):
        _, result = measure("-t2", "--distance=3000", status=(2,),
                            LD_PRELOAD=shim, TW_DELAY="server1:nanosleep:"
                            f"busy-after:{MESSAGE}:{DELAY_US}")
        broken = result["twoway"]["break"]
        if overlap_free(broken, "sleep") and broken["pair"] == 1:
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    analysis = broken["analysis"]
    assert analysis["phase"] == "sleep"
    assert analysis["contributors"][0]["who"] == \
        f"twoway-server-{analysis['pid']}"
    assert analysis["contributors"][0]["state"] == "runs"


def test_far_host_cannot_trace(measure, login, public):
    """Who logs in there may not trace: the results are as always."""
    shell = login(public / "twowaytest",
                  "setpriv --reuid=65534 --regid=65534 --clear-groups")
    out, result = measure("-b", 1, "--break-on=sleep", shell=shell,
                          status=(2,), priority=None)
    granted = result["twoway"]["peer"]["granted"]
    assert not granted["traces"]
    assert granted["no_trace"]
    assert "# Granted less: the server's host does not trace: " + \
        granted["no_trace"] in out
    broken = result["twoway"]["break"]
    assert broken["analysis"] is None
    assert broken["where"] == "server"
    assert re.search(rf"^# Cause: server host {HOST}: sleep \+\d+ us: unknown,"
                     " as the server's host does not trace: ", out,
                     re.MULTILINE)


def test_one_time_line(measure, shim):
    """With a known difference of the clocks, both hosts are on one: here both
    have the same clock, so that it is known when what was."""
    warmup = 400
    for _ in range(TRIES):
        out, result = measure(
            "-i", 1000, f"--warmup={warmup}", "--oneway=bound", status=(2,),
            LD_PRELOAD=shim, TW_DELAY="server:recv:busy-after:"
            f"{warmup + CYCLE}:{DELAY_US}")
        broken = result["twoway"]["break"]
        if overlap_free(broken, "network"):
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    assert broken["where"] == "server"
    assert "# Time line of both hosts from t0 on" in out
    assert not re.search("Time line of network", out)
    # Woken by the request, which was sent after t0; to the trace's us.
    within = broken["server_within_ns"] + 1000
    assert -within < broken["server_at_ns"] < 1000 * DELAY_US / 2 + within
    end_ns = broken["server_at_ns"] + broken["analysis"]["ns"]
    assert end_ns < broken["response_ns"] + within


def test_full_trace(measure, shim):
    """To read all that it can hold takes longer than a real-time task may."""
    cycles = 8000
    for _ in range(TRIES):
        _, result = measure("-i", 300, "-l", 2 * cycles, status=(2,),
                            LD_PRELOAD=shim, TW_DELAY="server:nanosleep:"
                            f"busy-after:{cycles}:{DELAY_US}")
        broken = result["twoway"]["break"]
        if broken["cycle"] == cycles - WARMUP and broken["where"] == "server":
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    assert server_had_cpu(broken["analysis"])


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_server_that_listens(measure, listening, shim, transport):
    """Its traces are from before it gave up root; each run begins anew."""
    server = listening("--trace", LD_PRELOAD=shim, TW_DELAY="server:nanosleep:"
                       f"busy-after:{MESSAGE}:{DELAY_US}")
    # What it leaves in the trace is not taken for what comes after it.
    measure("-b", 10**6, "-i", 500, "-l", 4000, f"--transport={transport}",
            listens=True, status=(0,))
    named = 0
    for _ in range(TRIES):
        _, result = measure(f"--transport={transport}", listens=True,
                            status=(2,))
        broken = result["twoway"]["break"]
        if not overlap_free(broken, "sleep"):
            continue
        named += 1
        analysis = broken["analysis"]
        assert broken["where"] == "server"
        assert analysis["host"] == HOST
        assert analysis["contributors"][0]["who"] == \
            f"twoway-server-{analysis['pid']}"
        if named == 2:
            break
    else:
        pytest.skip(f"the host's own delays broke all of {TRIES} runs")
    assert server.poll() is None


def test_server_that_does_not_trace(measure, listening):
    """Its operator has not allowed it."""
    listening()
    out, result = measure("-b", 1, listens=True, status=(2,))
    why = "its operator does not allow it (--trace there)"
    assert not result["twoway"]["peer"]["granted"]["traces"]
    assert f"# Granted less: the server's host does not trace: {why}\n" in out
    assert result["twoway"]["break"]["where"] != "server" or \
        result["twoway"]["break"]["analysis"] is None


def test_not_asked_for(listening, start, memory):
    """A server that may trace does not, and nothing is said of it."""
    listening("--trace")
    done = start(f"--connect={FAR}", "-q", "-l", 20, "-b", 1,
                 "--json", memory / "json")
    assert done.finish() == 2, done.err
    assert "Cause" not in done.out and "trace" not in done.out
    result = outside.load_json(memory / "json")["twoway"]
    assert not result["peer"]["granted"]["traces"]
    assert "where" not in result["break"]
    assert result["break"]["analysis"] is None
