# SPDX-License-Identifier: GPL-2.0-or-later
"""--reflect: answers that are lost, late or wrong."""

import re

import pytest

import ended
import outside
import results
from device import FAR, Device, gone_for_a_while, within
from test_core_reflect import BOTH, NONE, datagrams


TIMEOUT_MS = 700        # a busy machine loses nothing more


# faults of 60 cycles, the counts
FAULTS = [
    ({9: "drop"}, {"lost": 1}),
    ({1: "drop", 60: "drop"}, {"lost": 2}),
    ({9: "twice", 20: "twice"}, {"duplicate": 2}),
    ({9: "swap"}, {"lost": 1, "late": 1, "reordered": 1}),
    ({9: "late"}, {"lost": 1, "late": 1}),
    ({9: "future", 11: "slow"}, {}),
    ({9: "shorter"}, {"lost": 1}),
    ({9: "longer"}, {"lost": 1}),
]
OF_UDP = [({9: "stranger"}, {"lost": 1})]
OF_ICMP = [({9: what}, {"lost": 1})
           for what in ("kind_of", "code", "identifier", "sequence")]


def assert_faults(done, counts):
    lost = counts.get("lost", 0)
    assert done.returncode == 2 * (lost > 1) and not done.stderr
    assert datagrams(done) == \
        {"sent": 60, "answered": 60 - lost, **NONE, **counts}
    if counts:
        assert re.search(f"# Lost: {lost} of 60 cycles; ", done.stdout)
    dump = [line.split(",") for line in ended.rows(done.text("dump"))]
    assert [line[1] for line in dump] == list(map(str, range(60)))
    assert sum(line[6] == "" for line in dump) == lost


# A busy machine must not make it late.
REALTIME = () if outside.why_not() else ("-p", 60)
LOSSY = ("-q", "-l", 60, *REALTIME, "--warmup=0", "--json=json", "--dump=dump",
         f"--timeout={TIMEOUT_MS}000", "--limit=lost:1")


@pytest.mark.parametrize("faults,counts", FAULTS + OF_UDP)
def test_faults_of_udp(run, faults, counts):
    with Device("udp", 4, faults) as device:
        assert_faults(run(*LOSSY, *device.options()), counts)


@BOTH
@pytest.mark.parametrize("faults,counts", FAULTS[3:] + OF_ICMP)
def test_faults_of_icmp(near, sockets, silent, version, faults, counts):
    with Device("icmp", version, faults, silent) as device:
        assert_faults(near(*LOSSY, *device.options()), counts)


@pytest.mark.parametrize("limit", [("-l", 30), ("-D", 1)])
def test_never_answers(run, limit):
    with Device(faults={None: "drop"}) as device:
        done = run("-q", "--warmup=0", *limit, "--timeout=9000",
                   *device.options())
    assert done.returncode == 1 and "T:" not in done.stdout
    # In a second, there is no time for more.
    assert 0 < results.all_lost(done) <= 1000 / 9 + 1


def test_nobody_listens(run):
    """The kernel says so at the first request."""
    with Device() as device:
        options = device.options()
    done = run("-q", "-l", 1000, *options)
    assert done.returncode == 1 and "T:" not in done.stdout
    assert re.fullmatch(
        r"WARN: the client \(pid \d+\) stopped: Connection refused\n"
        r"WARN: pair 0: errors came from the network instead of replies: "
        r"\d+, the last: Connection refused; nothing listens at that port\n"
        r"WARN: no cycle was measured\n", done.stderr)


def test_nobody_listens_for_a_while(start):
    """Then the run goes on, its cycles are lost, and the reason is named."""
    # More errors than the socket's queue for them has room for.
    process = gone_for_a_while(start, ("-q", "--json=json", *REALTIME),
                               300, 900)
    assert re.fullmatch(
        r"WARN: pair 0: errors came from the network instead of replies: "
        r"\d+, the last: Connection refused; nothing listens at that port\n",
        process.err)
    found = results.check(start.directory / "json")["twoway"]["pairs"][0][
        "datagrams"]
    assert found["lost"] > 400 and found["answered"] > 590


def test_late(run):
    """Each reply comes, and is not in time."""
    with Device(faults={None: "slow"}) as device:
        done = run("-q", "-l", 60, "--warmup=0", "--timeout=2000",
                   *device.options())
    assert done.returncode == 1
    assert re.fullmatch(
        r"WARN: pair 0: all \d+ cycles were lost, as their replies came late: "
        r"give a longer --timeout\n"
        r"WARN: pair 0: no cycle was measured\n", done.stderr), done.stderr


@BOTH
def test_unreachable(near, version):
    """The kernel finds nobody who has the address."""
    nobody = FAR[version][:-1] + "9"
    done = near("-q", "-l", 500, *REALTIME, f"--connect={nobody}",
                "--reflect=icmp")
    assert done.returncode == 1
    assert re.fullmatch(
        r"WARN: the client \(pid \d+\) stopped: No route to host\n"
        r"WARN: pair 0: errors came from the network instead of replies: "
        r"\d+, the last: No route to host; the host is not there, or cannot be "
        r"reached: see its address, its power, the cable and what is "
        r"between\n"
        r"(WARN: pair 0: all \d+ cycles were lost\n)?"
        r"WARN: no cycle was measured\n", done.stderr), done.stderr


@BOTH
def test_silent(near, ends, version):
    """Requests leave, and nothing comes back."""
    nobody = FAR[version][:-1] + "8"
    within(ends[0], "ip", "neighbour", "replace", nobody, "lladdr",
           "02:00:00:00:00:08", "dev", "wire")
    done = near("-q", "-l", 30, *REALTIME, "--warmup=0", "--timeout=9000",
                f"--connect={nobody}", "--reflect=icmp")
    assert done.returncode == 1
    assert results.all_lost(done) == 30
