# SPDX-License-Identifier: GPL-2.0-or-later
"""Two network namespaces, joined by a veth pair, as two hosts would be.

They have no names: a process holds each, which ends with this one however
that ends, and the kernel removes a namespace with its last process.
"""

import contextlib
import dataclasses
import os
import subprocess
import time

import bench

NETWORK = "192.0.2.0/30"    # for documentation: nobody's address
CLIENT, SERVER = "192.0.2.1", "192.0.2.2"
DEVICE = "veth0"
PATIENCE_S = 10


@dataclasses.dataclass
class Host:
    address: str
    pid: int                # of the process that holds the namespace

    @property
    def enter(self):
        """Words before a command that is to run there."""
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net"]


def need():
    bench.need_programs("ip", "nsenter", "setpriv", "unshare")
    if subprocess.run(["unshare", "--net", "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        bench.skip("no right to make a network namespace: run as root")


def wait_until(true, what):
    end = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f"after {PATIENCE_S} s still not: {what}")
        time.sleep(0.005)


def namespace_of(pid):
    return os.readlink(f"/proc/{pid}/ns/net")


@contextlib.contextmanager
def host(address):
    with subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare",
                           "--net", "sleep", "infinity"]) as holder:
        try:
            wait_until(lambda: namespace_of(holder.pid) !=
                       namespace_of("self"), "a network namespace")
            yield Host(address, holder.pid)
        finally:
            holder.kill()


@contextlib.contextmanager
def hosts():
    """Yields client's and server's Host."""
    with host(CLIENT) as client, host(SERVER) as server:
        bench.run(*client.enter, "ip", "link", "add", DEVICE, "type", "veth",
                  "peer", "name", DEVICE, "netns", server.pid)
        for one in (client, server):
            bench.run(*one.enter, "ip", "address", "add",
                      f"{one.address}/30", "dev", DEVICE)
            for device in ("lo", DEVICE):
                bench.run(*one.enter, "ip", "link", "set", device, "up")
        yield client, server
