# SPDX-License-Identifier: GPL-2.0-or-later
"""Closed loops in a guest: our command, those of other programs, results.

The next request follows at once. Equal are the CPU, the ordinary priority, the
blocking receives on both sides and the messages, of 40 bytes both ways (the
size of our reply). Nothing is asked of power management.

sockperf        drops what its first 0.4 s have measured, of a second
qperf           counts all transactions of a second, and reads no clock in
                them; it prints half of what one takes
irtt            is not here: it only sends at a period, whatever comes back
"""

import re
import shutil

import pytest

SIZE = "40"
SERVED = """
{there} {server} >/dev/null 2>&1 &
server=$!
sleep 1
{client}
status=$?
kill $server
exit $status
"""


def ours(transport, cycles, warmup, *options):
    return ["twowaytest", "-q", "-N", "-i", "0", "--sleep=0", "--wait=read",
            f"--size={SIZE}", "--default-system", f"--transport={transport}",
            f"--loops={cycles}", f"--warmup={warmup}", *options]


def served(server, client, there=""):
    """A client, with its server behind the words @there."""
    return ["sh", "-c", SERVED.format(server=server, client=client,
                                      there=there)]


def sockperf(transport, address="127.0.0.1", there=""):
    to = {"tcp": f"--tcp -i {address} -p 5001",
          "udp": f"-i {address} -p 5002"}[transport]
    return served(f"sockperf server {to}",
                  f"sockperf ping-pong {to} -m {SIZE} -t 1 --mps=max", there)


def qperf(transport, address="127.0.0.1", there=""):
    """-lp: where it listens for the client; -ip: where it measures."""
    return served("qperf -lp 5003",
                  f"qperf {address} -lp 5003 -ip 5004 -t 1 -m {SIZE} -e 9 "
                  f"-uu -vvs {transport}_lat", there)


def sockperf_ns(text):
    """The time by transactions, after its own warm-up; their number."""
    found = re.search(r"\[Valid Duration\] RunTime=([\d.]+) sec; "
                      r"SentMessages=(\d+); ReceivedMessages=\2\b", text)
    assert found, text
    return 1e9 * float(found[1]) / int(found[2]), int(found[2])


def qperf_ns(text):
    found = re.search(r"latency += +([\d.]+) ns\n(?:.*\n)*"
                      r" +loc_recv_msgs += +([\d,]+) *\n", text)
    assert found, text
    return 2 * float(found[1]), int(found[2].replace(",", ""))


def need(program):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")


def ratio(guest, ours, theirs, read):
    """Our transaction's time by that of another program; is told."""
    mine = guest.metric(ours, "interval")
    theirs_ns, count = read(guest.text(f"{theirs}.txt"))
    found = mine["avg"] / theirs_ns
    print(f"transaction {found:.4f} of {theirs}'s, "
          f"{mine['cycles']} and {count}")
    # As nearly as a second of the other program allows.
    assert mine["cycles"] == pytest.approx(count, rel=0.1)
    return found
