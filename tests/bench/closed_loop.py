# SPDX-License-Identifier: GPL-2.0-or-later
"""Transactions a second, closed loop, against sockperf's: no fewer.

Both block in a receive on both sides (sockperf has no poll before it on a
single connection), over TCP on 127.0.0.1, on the same CPUs and at the same
priorities, with messages of the same size both ways: that of our reply. Only
the tool asks for shallow sleep; interleave() asks for both.
"""

import contextlib
import socket
import subprocess
import time

import bench

SECONDS = 1  # the least; half of it is warm-up
CYCLES = 20000
SIZE = 40


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def listening(port):
    """Whether a socket listens there; a connection would disturb it."""
    with open("/proc/net/tcp", encoding="utf-8") as file:
        return any(f":{port:04X} 00000000:0000 0A" in line for line in file)


@contextlib.contextmanager
def sockperf_server(cpu):
    port = free_port()
    argv = ["taskset", "-c", str(cpu), "chrt", "-f", str(bench.PRIORITY - 1),
            "sockperf", "server", "--tcp", "-i", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            while not listening(port):
                if process.poll() is not None:
                    raise SystemExit("sockperf server has ended")
                time.sleep(0.01)
            yield port
        finally:
            process.terminate()


def sockperf(cpus):
    server, client = cpus
    with sockperf_server(server) as port:
        out = bench.run("taskset", "-c", client, "chrt", "-f",
                        bench.PRIORITY, "sockperf", "ping-pong", "--tcp",
                        "-i", "127.0.0.1", "-p", port, "-m", SIZE,
                        "-t", SECONDS, "--mps=max")
    found = bench.find(r"\[Valid Duration\] RunTime=([\d.]+) sec; "
                       r"SentMessages=\d+; ReceivedMessages=(\d+)", out)
    return int(found[2]) / float(found[1])


def tool(cpus):
    result = bench.measure(*bench.realtime(cpus), "-i", 0, "--sleep=0",
                           "--wait=read", f"--size={SIZE}", "-l", CYCLES)
    # From one t0 to the next: all that a cycle takes.
    return 1e9 / bench.metric(result, "interval")["avg"]


def main():
    bench.need_programs("sockperf", "taskset")
    cpus = bench.need_realtime()
    tools, others = bench.interleave(lambda: tool(cpus),
                                     lambda: sockperf(cpus))
    bench.show("twowaytest", tools, "transactions/s")
    bench.show("sockperf", others, "transactions/s")
    ratio = bench.ratio("twowaytest / sockperf", tools, others)
    bench.finish(bench.judge("transactions a second to sockperf's:", ratio,
                             least=1))


if __name__ == "__main__":
    main()
