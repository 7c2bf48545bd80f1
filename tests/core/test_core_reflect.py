# SPDX-License-Identifier: GPL-2.0-or-later
"""--reflect: a client alone, against a device that sends requests back."""

import pathlib
import re
import signal
import subprocess
import sys

import pytest

import ended
import outside
import results
from device import FAR, GROUPS, Device, enter, within

PRESENT = ("latency", "wakeup", "response", "interval", "planned")
ABSENT = [name for name in results.METRICS if name not in PRESENT]
NONE = {"lost": 0, "late": 0, "duplicate": 0, "reordered": 0}
REPORT = pathlib.Path(__file__).parents[2] / "contrib/report/twowayreport"
BOTH = pytest.mark.parametrize("version", [4, 6])


def datagrams(done, pair=0):
    return results.loaded(done)["twoway"]["pairs"][pair]["datagrams"]


def assert_values(done, period):
    """All results once more, from the cycles that -v prints."""
    values, = results.cycles(done.stdout, PRESENT)
    json = results.loaded(done)
    for thread in json["thread"].values():
        results.assert_statistics(thread, values, {
            "interval": period}.get(thread["metric"], 0))
    for now, before in zip(values, [None, *values]):
        assert now["latency"] == now["response"] > 0
        late = now["planned"] - now["response"]
        assert late >= 0
        if before:
            assert now["wakeup"] == min(
                late, now["interval"] - before["response"])
    dump = [line.split(",") for line in ended.rows(done.text("dump"))]
    assert len(dump) == len(values)
    for line, one in zip(dump, values):
        planned, t0, t1, t2, t3 = line[2:7]
        assert (t1, t2) == ("", "")
        assert int(t3) - int(t0) == one["response"]
        assert int(t3) - int(planned) == one["planned"]
    return json


# A busy machine loses nothing.
PATIENT = "--timeout=9000000"
MEASURED = (PATIENT, "-q", "-v", "-N", "-l", 80, f"--metrics={','.join(PRESENT)}",
            "--json=json", "--dump=dump")


@BOTH
def test_icmp(near, sockets, version):
    """Against the kernel at the other end."""
    done = near(*MEASURED, f"--connect={FAR[version]}", "--reflect=icmp",
                "--size=100")
    assert (done.returncode, done.stderr) == (0, "")
    json = assert_values(done, 10**6)
    assert f"# Reflected by {FAR[version]}: icmp\n" in done.stdout
    settings = json["twoway"]["settings"]
    assert (settings["transport"], settings["connect"], settings["sleep"]) \
        == ("icmp", FAR[version], 0)
    assert datagrams(done) == {"sent": 80, "answered": 80, **NONE}


@BOTH
def test_udp(run, version):
    with Device("udp", version) as device:
        done = run(*MEASURED, *device.options(), "--size=33", "-i", 3000,
                   "-x", "-c", "realtime")
    assert (done.returncode, done.stderr) == (0, "")
    json = assert_values(done, 3 * 10**6)
    assert json["twoway"]["settings"]["transport"] == "udp"
    assert [one[0] for one in device.seen] == [33] * 82
    assert [one[3] for one in device.seen] == list(range(1, 83))
    assert f" port {device.port}: udp\n" in done.stdout


@results.root
def test_usual_port(run):
    with Device(port=7):
        done = run("-q", "-l", 9, PATIENT, "--connect=127.0.0.1",
                   "--reflect=udp")
    assert (done.returncode, done.stderr) == (0, "")
    assert "# Reflected by 127.0.0.1 port 7: udp\n" in done.stdout


def test_text_and_histogram(run):
    with Device() as device:
        done = run("-q", "-l", 50, PATIENT, *device.options())
        assert [*results.text(done.stdout).phases] == \
            ["wakeup", "response", "interval"]
        done = run("-q", "-l", 50, "-H", 10**6, "--metrics=all", "--worst",
                   "-i", 3000, PATIENT, *device.options(), "--json=json",
                   "--limit=planned:p50:1000000", "--spike=wakeup:1")
        assert done.returncode == 0, done.stderr
        json = results.loaded(done)
        assert [thread["metric"] for thread in json["thread"].values()] == [
            name for name in results.METRICS if name in PRESENT]
        assert all(sum(thread["histogram"].values()) + thread["overflows"] ==
                   50 for thread in json["thread"].values())
        assert re.search("^#   excess of planned: response -?\\d+ %, "
                         "wakeup -?\\d+ %$", done.stdout, re.M)
        done = run("-q", "-l", 20, "-i0", PATIENT, *device.options(),
                   "--json=json")
        assert [*results.loaded(done)["thread"]["0"]["phases"]] == \
            ["latency", "response", "interval"]


def test_requests(near, sockets, silent):
    """An identifier for each pair, the sequence from 1, the size, the TOS."""
    with Device("icmp", 4, namespace=silent) as device:
        done = near("-q", "-t3", "-d0", "-l", 30, PATIENT, "--size=1001",
                    "--dscp=46", "--json=json", *device.options())
    assert (done.returncode, done.stderr) == (0, "")
    found = {}
    for size, tos, head, number in device.seen:
        assert (size, tos) == (1001, 46 << 2)
        assert head[6:8] == (number & 0xffff).to_bytes(2, "big")
        found.setdefault(head[4:6], []).append(number)
    assert list(found.values()) == [list(range(1, 33))] * 3
    assert results.loaded(done)["twoway"]["settings"]["dscp"] == 46


def test_class_of_ipv6(near, ends):
    done = near("-q", "-l", 5, f"--connect={FAR[6]}", "--reflect=icmp",
                "--dscp=46", "--json=json")
    assert results.loaded(done)["twoway"]["settings"]["dscp"] == 46


def test_sequence_goes_round(near, sockets):
    """It has 16 bits."""
    done = near("-q", "-i0", "-l", 300, "--warmup=65400", "--json=json",
                PATIENT, f"--connect={FAR[4]}", "--reflect=icmp")
    assert (done.returncode, done.stderr) == (0, "")
    assert datagrams(done) == {"sent": 300, "answered": 300, **NONE}


def test_no_server(start):
    """No process of that name, and what is told of the pair."""
    with Device() as device:
        process = start("-q", "-t2", "--json=json", *device.options())
        clients = outside.wait_for(
            lambda: len(found := process.named("twoway-client")) == 2 and
            found)
        assert outside.wait_for(lambda: all(
            outside.switches(pid) > 100 for pid in clients))
        assert process.named("twoway-server") == []
        process.signal(signal.SIGINT)
        assert process.finish(5) == 0, process.err
    json = results.check(start.directory / "json")
    assert json["twoway"]["interrupted"]


def test_ends_while_it_waits(start):
    """A signal ends a wait that would take nine seconds."""
    with Device(faults={None: "drop"}) as device:
        process = start("-q", PATIENT, *device.options())
        assert outside.wait_for(lambda: device.seen)
        process.signal(signal.SIGINT)
        assert process.finish(5) == 1


def test_no_route(near):
    done = near("-q", "-l", 5, "--connect=192.0.2.1", "--reflect=icmp")
    assert (done.returncode, done.stderr) == (
        1, "FATAL: --connect=192.0.2.1: Network is unreachable\n")


@BOTH
@pytest.mark.parametrize("allowed", [False, True])
def test_rights(public, ends, version, allowed):
    """Without any it is said what is missing; what it says is enough."""
    def nobody():
        enter(ends[0])
        outside.nobody()()

    command = f"sysctl -w {GROUPS}=\"{outside.NOBODY} {outside.NOBODY}\""
    within(ends[0], "sh", "-c", command if allowed else
           f"sysctl -w {GROUPS}='1 0'")
    done = subprocess.run(
        [public / "twowaytest", "-q", "-l", "5", "--default-system",
         f"--connect={FAR[version]}", "--reflect=icmp"], text=True,
        capture_output=True, check=False, preexec_fn=nobody)
    if allowed:
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 1 and "T:" not in done.stdout
        assert done.stderr == \
            "FATAL: --reflect=icmp: no socket of ICMP: Operation not " \
            "permitted; needed is root, CAP_NET_RAW, or a group of this " \
            f"process in {GROUPS}: {command}\n"


UDP = "--connect=127.0.0.1 --reflect=udp"


@pytest.mark.parametrize("args,message", [
    ("--connect=127.0.0.1:9 --reflect=icmp", "--connect=127.0.0.1:9: a port "
     "is allowed only with --reflect=udp"),
    *((f"--connect={wrong} --reflect=udp", f"--connect={wrong}: allowed is "
       "HOST, HOST:PORT or [ADDRESS]:PORT")
      for wrong in ("[::1", "[::1]9", "127.0.0.1:0", "127.0.0.1:", "")),
    # Also those that ask for the default.
    *((f"{words} {UDP}", f"--reflect=udp: not allowed with --{option}, which "
       "is for a server")
      for words, option in (
          ("--sleep=50", "sleep"), ("--sleep=100", "sleep"),
          ("--sleep=0", "sleep"), ("--wait=busy", "wait"),
          ("--wait=poll", "wait"),
          ("--server-affinity=0", "server-affinity"),
          ("--server-priority=5 --servers=one", "server-priority"),
          ("--servers=one", "servers"),
          ("--servers=each", "servers"), ("--orb", "servers"),
          ("--transport=udp", "transport"),
          ("--transport=tcp", "transport"))),
    (f"{UDP} --oneway=sync", "--oneway=sync: allowed only with --connect, "
     "and not with --reflect"),
    (f"{UDP} --size=65508", "--size=65508: with datagrams, allowed is"),
    *((f"{UDP} {option}", f"{message}: the peer of --reflect is no server")
      for name in ABSENT for option, message in (
          (f"--metrics=latency,{name}", f"--metrics={name}"),
          (f"--limit={name}:avg:5", f"--limit={name}:avg:5"),
          (f"-b {name}:5", f"--breaktrace={name}"),
          (f"--spike={name}:5", f"--spike={name}"))),
    (f"{UDP} -i0 --limit=planned:9", "--limit=planned:9: needs a timer"),
])
def test_refused(run, args, message):
    done = run("-q", "-l", 5, *args.split())
    assert done.returncode == 1 and "T:" not in done.stdout
    assert done.stderr.startswith(f"FATAL: {message}"), done.stderr
    assert not done.files


def test_ramp(run):
    """Each step has sockets of its own."""
    with Device() as device:
        done = run("-q", "-l", 30, "--load=fft", "--steps=2", "--json=json",
                   PATIENT, *device.options())
    assert done.returncode == 0, done.stderr
    assert datagrams(done) == {"sent": 60, "answered": 60, **NONE}
    assert [one[3] for one in device.seen] == 2 * list(range(1, 33))
    assert re.search(r"^# +1 \|.*\| +- \|", done.stdout, re.M)


def test_report(run, tmp_path):
    """Phases that are missing are no error; two sources agree."""
    with Device() as device:
        for name, more in ("one", ()), ("two", ("-t2", "-d0")):
            done = run("-q", "-l", 300, f"--json={name}.json",
                       f"--dump={name}.csv", *more, *device.options(),
                       f"--timeline={name}.time")
            assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [sys.executable, REPORT, "a=one.json", "a=one.csv", "a=one.time",
         "b=two.json", "b=two.csv", "--tables=-", "--html=page"],
        cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "## Results" in done.stdout
    assert "## Send Time" not in done.stdout
    assert "## Total Jitter" not in done.stdout


def test_not_handed_over(run):
    """To the program for two hosts, whatever else there is."""
    for words in (["--reflect=x"], ["--connect=::1", "--reflect=x"],
                  ["--reflect", "x", "--connect=::1"],
                  ["--server", "--reflect=x"]):
        done = run(*words)
        assert done.returncode == 1
        assert "--reflect=x: allowed is icmp, udp" in done.stderr or \
            "--server" in done.stderr and "ambiguous" in done.stderr
