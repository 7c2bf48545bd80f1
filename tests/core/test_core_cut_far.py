# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts, or a device: the other side hangs until the run ends."""

import signal
import time

import pytest

import outside
from device import FAR as ADDRESS
from device import SILENT, Device, enter, within
from hang import HANG_S, REPLY, Hang, longest_ns, unanswered
from hosts import rsh


def assert_far(start, process, limits, server):
    """@server: of ours, so there is network."""
    json, (one,) = unanswered(start, process, limits, one_host=not server)
    thread = json["thread"]["0"]
    ns = longest_ns(start)
    assert ns // 1000 == one["age_us"] and one["counts"] == REPLY
    assert thread["phases"]["response"]["max"] == ns
    assert thread["max"] == ns - (100000 if server else 0)
    worst = json["twoway"]["worst"]["latency"]["values"]
    assert worst["latency"] == thread["max"] and "network" not in worst
    if server:
        assert thread["phases"]["network"]["cycles"] == thread["cycles"] - 1
    limit, = json["twoway"]["limits"]
    assert (limit["verdict"], limit["value_ns"]) == ("exceeded", thread["max"])
    return json


FAR = ("-q", "-N", "--json=json", "--dump=dump", "--limit=100000")


@pytest.mark.parametrize("how", ["SIGINT", "-D"])
@pytest.mark.parametrize("way", ["rsh", "server", "udp"])
def test_two_hosts(start, server, way, how):
    """The server on the other one hangs."""
    words = [server("-p", 20) if outside.why_not() is None else server()] \
        if way == "server" else ["--connect=127.0.0.1", rsh()]
    process = start("--default-system", *FAR, *words, *{
        "udp": ("--transport=udp", "--timeout=9000000")}.get(way, ()),
        *(("-D", 1) if how == "-D" else ()))
    there = server.run if way == "server" else process
    assert outside.wait_for(lambda: process.named("twoway-client") and
                            there.named("twoway-server"))
    client, = process.named("twoway-client")
    assert outside.wait_for(lambda: outside.switches(client) >
                            outside.STEADY_SWITCHES)
    hang = Hang(process, there.named("twoway-server"),
                0 if how == "-D" else HANG_S)
    limits = hang.end(getattr(signal, how, None), 2)
    json = assert_far(start, process, limits, True)
    peer = json["twoway"]["peer"]
    # Who interrupts a run does not wait until a busy server's side answers.
    assert peer is None if how == "SIGINT" and not peer else \
        peer["unanswered"] == []


@pytest.mark.parametrize("how", ["SIGINT", "-D"])
@pytest.mark.parametrize("kind", ["udp", "icmp"])
def test_a_device(start, request, kind, how):
    """That no longer answers; the client waits for longer than the run."""
    words = [*FAR, "--timeout=9000000", *(("-D", 1) if how == "-D" else ())]
    if kind == "icmp":
        near, far = request.getfixturevalue("ends")
        process = start(*words, f"--connect={ADDRESS[4]}", "--reflect=icmp",
                        preexec_fn=lambda: enter(near))
        client = outside.wait_for(lambda: process.named("twoway-client"))[0]
        assert outside.wait_for(lambda: outside.switches(client) > 200)
        within(far, "sysctl", "-w", f"{SILENT[0]}=1")
        hung = time.monotonic()
        time.sleep(HANG_S)
        process.signal(getattr(signal, how, 0))
        assert process.finish() == 2
        within(far, "sysctl", "-w", f"{SILENT[0]}=0")
    else:
        with Device(faults=dict.fromkeys(range(200, 300), "drop")) as device:
            process = start(*words, *device.options())
            assert outside.wait_for(lambda: len(device.seen) == 200)
            hung = time.monotonic()
            time.sleep(HANG_S)
            process.signal(getattr(signal, how, 0))
            assert process.finish() == 2
    assert process.gone()
    json = assert_far(start, process, (
        1e6 * HANG_S, 1e6 * (time.monotonic() - hung)), False)
    datagrams = json["twoway"]["pairs"][0]["datagrams"]
    assert datagrams["sent"] == datagrams["answered"] == \
        json["thread"]["0"]["cycles"] - 1 and datagrams["lost"] == 0
