# SPDX-License-Identifier: GPL-2.0-or-later
"""What requests go over, and what becomes of datagrams that are lost."""

import csv
import os
import shutil
import signal
import socket
import subprocess

import pytest

import outside
import schema
import twoway

QUICK = ("--default-system", "-q", "-i", 500, "--json=json", "--dump=dump")
LOSSES = ("sent", "answered", "lost", "lost_request", "lost_reply", "late",
          "duplicate", "reordered", "strangers")


def over(transport):
    """By this one; a busy host must not lose a cycle."""
    return (f"--transport={transport}",
            *(["--timeout=10000000"] if transport == "udp" else ()))


def results(result, status=0):
    assert (result.returncode, result.stderr) == (status, "")
    return schema.check(result.text("json"))["twoway"]


def check_sums(json):
    """What must be true of each run over UDP."""
    counts = json["datagrams"]
    assert set(counts) == set(LOSSES)
    assert counts["sent"] == counts["answered"] + counts["lost"]
    assert counts["lost"] == counts["lost_request"] + counts["lost_reply"]
    assert counts["late"] <= counts["lost"]
    assert counts["answered"] == json["cycles"]
    return counts


@pytest.mark.parametrize("wait", ["poll", "select", "epoll", "read", "busy"])
@pytest.mark.parametrize("transport", ["tcp", "udp", "unix", "seqpacket"])
def test_transport_and_wait(run, transport, wait):
    """Also the end of a server that never blocks."""
    result = run(*QUICK, "-l", 30, *over(transport), f"--wait={wait}")
    json = results(result)
    assert json["settings"]["transport"] == transport
    assert len(result.dump()) == json["cycles"] == 30
    if transport == "udp":
        assert check_sums(json)["lost"] == 0
    else:
        assert json["datagrams"] is None
    has_port = transport in ("tcp", "udp")
    assert (json["settings"]["port"] is not None) == has_port
    assert (json["settings"]["address"] is not None) == has_port


@pytest.mark.parametrize("transport, size", [
    ("udp", 65507), ("unix", 65536), ("seqpacket", 65536)])
def test_largest_request(run, transport, size):
    json = results(run(*QUICK, "-l", 20, *over(transport), f"--size={size}"))
    assert json["cycles"] == 20


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ipv6(run, transport):
    try:
        with socket.socket(socket.AF_INET6) as test:
            test.bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    json = results(run(*QUICK, "-l", 20, *over(transport),
                       "--address=[::1]", "--dscp=34"))
    assert json["cycles"] == 20
    assert json["settings"]["address"] == "::1"
    assert json["settings"]["dscp"] == 34


@pytest.mark.parametrize("transport", ["udp", "unix"])
def test_steps(run, transport):
    """Each step has a link of its own; the counts are of all."""
    json = results(run(*QUICK, "-l", 20, *over(transport), "--load=fft",
                       "--steps=3"))
    assert json["cycles"] == 60
    if transport == "udp":
        assert check_sums(json)["sent"] == 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("transport", ["udp", "unix", "seqpacket"])
def test_ended_by_a_signal(start, tmp_path, transport, number):
    """The request that is under way then is in no count."""
    process = start(*QUICK, *over(transport), "--sleep=400")
    process.steady()
    process.signal(number)
    assert process.finish() == 0
    assert not process.err
    json = outside.load_json(tmp_path / "json")["twoway"]
    assert json["cycles"] > 0 and json["interrupted"]
    if transport == "udp":
        assert check_sums(json)["lost"] == 0


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as test:
        test.bind(("127.0.0.1", 0))
        return test.getsockname()[1]


def test_strangers_of_udp(start, tmp_path):
    """Counted, told, and without a part in the measurement."""
    port = free_port(socket.SOCK_DGRAM)
    process = start(*QUICK, *over("udp"), f"--port={port}")
    process.steady()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for data in (b"", b"\0" * 8, b"\xff" * 8, b"x" * 40):
            stranger.sendto(data, ("127.0.0.1", port))
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    json = outside.load_json(tmp_path / "json")["twoway"]
    assert json["settings"]["port"] == port
    counts = check_sums(json)
    assert counts["strangers"] == json["strangers"] == 4
    assert counts["lost"] == 0
    assert "\n# Datagrams: late 0, duplicate 0, reordered 0, " \
        "from strangers 4\n" in process.out
    assert "connections" not in process.out


def test_port_of_udp_is_in_use(run):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        result = run(*QUICK, "-l", 5, "--transport=udp", f"--port={port}")
    assert result.returncode == 1
    assert result.stderr.startswith(
        f"twowaytest: --port={port}: cannot listen on 127.0.0.1: ")
    # That of TCP with the same number is another.
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        json = results(run(*QUICK, "-l", 5, "--transport=udp",
                           f"--port={port}"))
    assert json["settings"]["port"] == port


def test_vsock(run):
    result = run(*QUICK, "-l", 20, "--transport=vsock")
    if result.returncode:
        assert result.stderr.startswith("twowaytest: --transport=vsock: ")
        assert "vsock_loopback" in result.stderr
        assert not result.files
        pytest.skip(result.stderr.strip())
    assert results(result)["cycles"] == 20


@pytest.mark.parametrize("option, member, value", [
    ("--busy-poll=50", "busy_poll_us", 50),
    ("--sock-priority=7", "sock_priority", 7)])
def test_privileged_option(run, option, member, value):
    """Set by who may, refused by its name to others."""
    result = run(*QUICK, "-l", 5, option)
    if result.returncode:
        assert os.geteuid()
        assert result.stderr == f"twowaytest: {option}: the kernel refuses " \
            "it: Operation not permitted; it needs root or CAP_NET_ADMIN\n"
        assert not result.files
    else:
        assert results(result)["settings"][member] == value


def namespace(*commands, says=""):
    """A command before the program: a network of its own, set up so."""
    words = ("unshare", "--net", "sh", "-c",
             " && ".join((*commands, 'exec "$@"')), "sh")
    if not all(map(shutil.which, ("unshare", "ip"))) or subprocess.run(
            [*words, "true"], stderr=subprocess.DEVNULL,
            check=False).returncode:
        pytest.skip(f"no network namespace can be made here{says}")
    return words


def test_loopback_is_down(start):
    """Nothing is sent: the message says where to look."""
    words = namespace()
    for transport in ("tcp", "udp"):
        process = start(*words[1:], twoway.binary(), *QUICK, "-l", 5,
                        f"--transport={transport}", program=words[0])
        assert process.finish() == 1
        assert process.err.startswith(
            "twowaytest: cannot connect to our own server on 127.0.0.1: ")
        assert "is the loopback interface up" in process.err
    process = start(*words[1:], twoway.binary(), *QUICK, "-l", 5,
                    "--transport=unix", program=words[0])
    assert process.finish() == 0


def test_no_ipv6(start):
    words = namespace()
    process = start(*words[1:], twoway.binary(), *QUICK, "-l", 5,
                    "--address=::1", program=words[0])
    assert process.finish() == 1
    assert process.err.startswith("twowaytest: --address=::1: cannot listen: ")


def test_interface_that_is_no_loopback(start):
    words = namespace("ip tuntap add dev other mode tun")
    process = start(*words[1:], twoway.binary(), *QUICK, "-l", 5,
                    "--interface=other", program=words[0])
    assert process.finish() == 1
    assert process.err == "twowaytest: --interface=other: does not lead to " \
        "the addresses of the loopback; allowed is lo\n"


def shaped(how):
    return namespace("ip link set lo up",
                     f"tc qdisc add dev lo root tbf {how}",
                     says=", or no token bucket filter")


def test_lost(start, tmp_path):
    """On a network that is too slow, cycles are lost: all of them are
    counted, dumped, told of and judged, and none is in a statistic."""
    words = shaped("rate 200kbit burst 600 limit 100")
    process = start(*words[1:], twoway.binary(), "--default-system", "-q",
                    "-l", 300, "-i", 2000, "--transport=udp",
                    "--timeout=4000", "--limit=lost:0", "--json=json",
                    "--dump=dump", program=words[0])
    assert process.finish() == 2, process.err
    json = schema.check((tmp_path / "json").read_text())["twoway"]
    counts = check_sums(json)
    assert counts["sent"] == 300 and 0 < counts["lost"] < 300
    assert counts["lost_request"] and counts["lost_reply"]
    assert json["limits"][0]["value"] == counts["lost"]
    assert f"# Lost: {counts['lost']} of 300 cycles: " \
        f"{counts['lost_request']} requests, {counts['lost_reply']} " \
        "replies\n" in process.out
    with open(tmp_path / "dump", newline="", encoding="ascii") as file:
        header, *lines = csv.reader(file)
    assert header == twoway.DUMP_HEADER
    assert [int(line[1]) for line in lines] == list(range(300))
    lost = [line for line in lines if line[4:7] == [""] * 3]
    whole = [line for line in lines if all(line)]
    assert len(lost) == counts["lost"] and len(whole) == json["cycles"]
    assert sum(int(line[7]) for line in lines) == json["missed"]


def test_all_are_lost(start, tmp_path):
    """No result is not a good result."""
    words = shaped("rate 8kbit burst 100 limit 100")
    process = start(*words[1:], twoway.binary(), "--default-system", "-q",
                    "-l", 20, "-i", 2000, "--transport=udp", "--size=2000",
                    "--timeout=4000", "--limit=lost:7", "--json=json",
                    program=words[0])
    assert process.finish() == 1
    json = outside.load_json(tmp_path / "json")["twoway"]
    assert check_sums(json) == dict.fromkeys(LOSSES, 0) | {
        "sent": 20, "lost": 20, "lost_request": 20}
    assert json["limits"][0]["verdict"] == "exceeded"
    assert process.err == "twowaytest: not one cycle was measured: of 20 " \
        "cycles sent over udp, all were lost (20 requests, 0 replies); give " \
        "a longer --timeout, or see what drops the datagrams\n"
