# SPDX-License-Identifier: GPL-2.0-or-later
"""Round trips between two hosts against other tools; prints, judges nothing.

The hosts are two network namespaces, joined by a veth pair. In a closed loop
the next request follows at once, over TCP and over UDP: messages of the same
size both ways, that of our reply; both sides block in a receive, on the same
CPUs, at the same real-time priorities, under the same request to power
management; rounds are interleaved, in random order.

measures the same       how
sockperf ping-pong      round trips of a closed loop; it reads the clock
                        once a message on either side, we do it twice
qperf tcp_lat, udp_lat  round trips of a closed loop; it counts them and
                        reads no clock; it prints half of a round trip
irtt                    no closed loop: it sends in a period, whatever comes
                        back. So it is compared at a period, with our mean
                        response at the same period
does not                why
iperf3                  has no request and reply: it sends as much as it can
                        in one direction. Its RTT is the kernel's estimate
                        for the stream (tcpi_rtt), with what lies in the
                        queues that the stream itself fills; for UDP it
                        prints loss and jitter of one way. It is not run.

The ratio is ours to that of the fastest of those that measure the same; the
goal is at least 1.00. Rates compare all of a round trip. Means are what each
program says of a round trip: qperf's is nothing but its rate.
"""

import contextlib
import itertools
import json
import random
import signal
import statistics
import sys

import bench
import closed_loop
import namespaces

PERIOD_US = 1000
PERIODS = 500       # of a run with a period
SECONDS = 1         # qperf's least
SIZE = closed_loop.SIZE
SEED = 1            # of the order of the rounds
OTHERS = ("sockperf", "qperf", "irtt")
PORTS = itertools.count(20110)      # each run its own


class Bench:
    """Client's and server's host, and how to run there."""

    def __init__(self, cpus, hosts):
        self.server_cpu, self.client_cpu = cpus
        self.client, self.server = hosts

    def words(self, host, cpu, priority):
        return [*host.enter, "taskset", "-c", str(cpu), "chrt", "-f",
                str(priority)]

    def run(self, *argv):
        """On the client's host; returns standard output."""
        return bench.run(*self.words(self.client, self.client_cpu,
                                     bench.PRIORITY), *argv)

    @contextlib.contextmanager
    def serve(self, transport, port, *argv):
        """On the server's host, until the run is over."""
        with closed_loop.server(
                [*self.words(self.server, self.server_cpu,
                             bench.PRIORITY - 1), *map(str, argv)],
                transport, port):
            yield


def ours(at, transport, *options):
    """Results in ns; the server's settings are those that it is asked for."""
    port = next(PORTS)
    address = f"{at.server.address}:{port}"
    argv = [*at.server.enter, bench.TOOL, f"--server={address}",
            f"--allow={namespaces.NETWORK}", "-p", str(bench.PRIORITY - 1)]
    with closed_loop.server(argv, "tcp", port), bench.scratch() as folder:
        path = f"{folder}/results"
        bench.run(*at.client.enter, bench.TOOL, "-q", "-N",
                  f"--json={path}", f"--connect={address}", "-m",
                  "-p", bench.PRIORITY, f"--client-affinity={at.client_cpu}",
                  f"--server-affinity={at.server_cpu}", "--sleep=0",
                  "--wait=read", f"--transport={transport}",
                  f"--size={SIZE}", *options)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def twowaytest(at, transport):
    """Round trips a second, and the mean of one in ns."""
    result = ours(at, transport, "-i", 0, "-l", closed_loop.CYCLES)
    # From one t0 to the next: all that a cycle takes.
    return 1e9 / bench.metric(result, "interval")["avg"], \
        bench.metric(result, "response")["avg"]


def sockperf(at, transport):
    words = closed_loop.TRANSPORTS[transport]
    port = next(PORTS)
    where = ["-i", at.server.address, "-p", port]
    with at.serve(transport, port, "sockperf", "server", *words, *where):
        return closed_loop.read_sockperf(at.run(
            "sockperf", "ping-pong", *words, *where, "-m", SIZE,
            "-t", closed_loop.SECONDS, "--mps=max"))


def qperf(at, transport):
    control, port = next(PORTS), next(PORTS)
    with at.serve("tcp", control, "qperf", "-lp", control):
        out = at.run("qperf", at.server.address, "-lp", control, "-ip", port,
                     "-t", SECONDS, "-m", SIZE, "-e", 9, "-uu",
                     f"{transport}_lat")
    mean = 2 * float(bench.find(r"latency += +([\d.]+) ns", out)[1])
    return 1e9 / mean, mean


def irtt(at):
    """The mean of a round trip in ns, at a period."""
    port = next(PORTS)
    address = f"{at.server.address}:{port}"
    with at.serve("udp", port, "irtt", "server", "-i", 0, "--thread",
                  "-b", address):
        out = at.run("irtt", "client", "-Q", "-o", "-", "--thread", "-i",
                     f"{PERIOD_US}us", "-d", f"{PERIODS * PERIOD_US}us",
                     "-l", SIZE, "--tstamp=none", "--stats=none",
                     "--wait=10ms", address)
    return json.loads(out)["stats"]["rtt"]["mean"]


def at_period(at):
    result = ours(at, "udp", "-i", PERIOD_US, "-l", PERIODS)
    return bench.metric(result, "response")["avg"]


def tell(title, name, mine, others, unit, less):
    """Ratio to the fastest; less: the smaller value is the faster one."""
    bench.show(f"twowaytest, {title}", mine, unit)
    for other, values in others.items():
        bench.show(f"{other}, {title}", values, unit)
    best = (min if less else max)(
        others, key=lambda other: statistics.median(others[other]))
    first, second = (others[best], mine) if less else (mine, others[best])
    what = f"{best}'s / ours" if less else f"ours / {best}'s"
    bench.ratio(f"{name}, {title}: {what}, the fastest", first, second)


def closed(at, transport, source, installed):
    """Rates and means of all that make a closed loop."""
    variants = {"twowaytest": twowaytest} | {
        name: run for name, run in (("sockperf", sockperf),
                                    ("qperf", qperf)) if name in installed}
    runs = bench.interleave(*[
        lambda run=run: run(at, transport) for run in variants.values()],
        source=source)
    found = {name: list(zip(*one)) for name, one in zip(variants, runs)}
    for k, (name, unit) in enumerate((("round trips", "a second"),
                                      ("mean round trip", "ns"))):
        mine, *_ = [one[k] for one in found.values()]
        # qperf's mean is its rate once more: that is compared above.
        others = {other: one[k] for other, one in found.items()
                  if other != "twowaytest" and not (k and other == "qperf")}
        if others:
            tell(transport, name, mine, others, unit, less=bool(k))


def paced(at, source):
    mine, others = bench.interleave(lambda: at_period(at), lambda: irtt(at),
                                    source=source)
    tell(f"udp, every {PERIOD_US} us", "mean round trip", mine,
         {"irtt": others}, "ns", less=True)


def main():
    # Whatever was entered is left: what holds the namespaces ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    namespaces.need()
    bench.need_programs("taskset")
    cpus = bench.need_realtime()
    installed = bench.installed(*OTHERS)
    if not installed:
        bench.skip(f"none of {', '.join(OTHERS)} is installed")
    source = random.Random(SEED)
    with namespaces.hosts() as hosts:
        at = Bench(cpus, hosts)
        if {"sockperf", "qperf"} & set(installed):
            for transport in closed_loop.TRANSPORTS:
                closed(at, transport, source, installed)
        if "irtt" in installed:
            paced(at, source)
    print("iperf3 is not compared: it has no request and reply.")


if __name__ == "__main__":
    main()
