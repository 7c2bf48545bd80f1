# SPDX-License-Identifier: GPL-2.0-or-later
"""Transactions a second, closed loop, against sockperf's: no fewer.

Both block in a receive on both sides (sockperf has no poll before it on a
single connection), on 127.0.0.1, on the same CPUs and at the same priorities,
over TCP and then over UDP, with messages of the same size both ways: that of our reply. Only
the tool asks for shallow sleep; interleave() asks for both.
"""

import contextlib
import re
import socket
import subprocess
import time

import bench

SECONDS = 1  # the least; half of it is warm-up
CYCLES = 20000
SIZE = 40
TRANSPORTS = {"tcp": ["--tcp"], "udp": []}      # words of sockperf
READY = {"tcp": "0A", "udp": "07"}              # states in /proc/net


def free_port(transport):
    kind = socket.SOCK_STREAM if transport == "tcp" else socket.SOCK_DGRAM
    with socket.socket(type=kind) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def listening(transport, port, pid):
    """Whether a socket listens there; a connection would disturb it.

    Of the network that the process is in.
    """
    ready = re.compile(f":{port:04X} 0+:0000 {READY[transport]}")
    for kind in (transport, f"{transport}6"):
        with contextlib.suppress(FileNotFoundError), \
                open(f"/proc/{pid}/net/{kind}", encoding="utf-8") as file:
            if ready.search(file.read()):
                return True
    return False


@contextlib.contextmanager
def server(argv, transport, port):
    """Yields as soon as it listens; ends it, or it ends with us."""
    argv = ["setpriv", "--pdeathsig", "KILL", *argv]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            while not listening(transport, port, process.pid):
                if process.poll() is not None:
                    raise SystemExit(f"{' '.join(argv)}: has ended")
                time.sleep(0.01)
            yield
        finally:
            process.terminate()


@contextlib.contextmanager
def sockperf_server(cpu, transport):
    port = free_port(transport)
    argv = ["taskset", "-c", str(cpu), "chrt", "-f", str(bench.PRIORITY - 1),
            "sockperf", "server", *TRANSPORTS[transport], "-i", "127.0.0.1",
            "-p", str(port)]
    with server(argv, transport, port):
        yield port


def read_sockperf(out):
    """Round trips a second, and what it says of their mean, in ns."""
    found = bench.find(r"\[Valid Duration\] RunTime=([\d.]+) sec; "
                       r"SentMessages=\d+; ReceivedMessages=(\d+)", out)
    half = bench.find(r"Latency is ([\d.]+) usec", out)
    return int(found[2]) / float(found[1]), 2000 * float(half[1])


def sockperf(cpus, transport):
    where, client = cpus
    with sockperf_server(where, transport) as port:
        out = bench.run("taskset", "-c", client, "chrt", "-f",
                        bench.PRIORITY, "sockperf", "ping-pong",
                        *TRANSPORTS[transport], "-i", "127.0.0.1", "-p", port,
                        "-m", SIZE, "-t", SECONDS, "--mps=max")
    return read_sockperf(out)[0]


def tool(cpus, transport):
    result = bench.measure(*bench.realtime(cpus), "-i", 0, "--sleep=0",
                           f"--transport={transport}", "--wait=read",
                           f"--size={SIZE}", "-l", CYCLES)
    # From one t0 to the next: all that a cycle takes.
    return 1e9 / bench.metric(result, "interval")["avg"]


def compare(cpus, transport):
    """Returns the verdict."""
    tools, others = bench.interleave(lambda: tool(cpus, transport),
                                     lambda: sockperf(cpus, transport))
    bench.show(f"twowaytest, {transport}", tools, "transactions/s")
    bench.show(f"sockperf, {transport}", others, "transactions/s")
    ratio = bench.ratio(f"twowaytest / sockperf, {transport}", tools, others)
    return bench.judge(
        f"transactions a second to sockperf's, {transport}:", ratio, least=1)


def main():
    bench.need_programs("setpriv", "sockperf", "taskset")
    cpus = bench.need_realtime()
    bench.finish(*[compare(cpus, transport) for transport in TRANSPORTS])


if __name__ == "__main__":
    main()
