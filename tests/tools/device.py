# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that sends requests back, by UDP or ICMP, rightly or wrongly."""

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

import outside
import tracing

CLONE_NEWNET = 0x40000000
# By the version of IP: of a wire's ends, in their namespaces.
NEAR = {4: "10.77.0.1", 6: "fd77::1"}
FAR = {4: "10.77.0.2", 6: "fd77::2"}
CARDS = ["02:00:00:00:00:01", "02:00:00:00:00:02"]
LOOPBACK = {4: "127.0.0.1", 6: "::1"}
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
PROTOCOLS = {4: socket.IPPROTO_ICMP, 6: socket.IPPROTO_ICMPV6}
REQUEST, REPLY = {4: 8, 6: 128}, {4: 0, 6: 129}     # types
GROUPS = "net.ipv4.ping_group_range"    # that may have sockets of ICMP
# The kernel shall not answer in place of the device.
SILENT = "net.ipv4.icmp_echo_ignore_all", "net.ipv6.icmp.echo_ignore_all"


def enter(namespace):
    """The thread or process that calls it has that network from here on."""
    with open(f"/run/netns/{namespace}", "rb") as file:
        tracing.system("setns", file.fileno(), CLONE_NEWNET)


def within(namespace, *words):
    subprocess.run(["nsenter", f"--net=/run/netns/{namespace}", *words],
                   check=True, capture_output=True)


@contextlib.contextmanager
def wire():
    """Two namespaces with a wire between them: their names."""
    names = [f"twt-{os.getpid()}-{end}" for end in ("near", "far")]
    lines = [f"netns add {name}" for name in names] + [
        f"link add name wire address {CARDS[0]} netns {names[0]} type veth "
        f"peer name wire address {CARDS[1]} netns {names[1]}"]
    for i, name in enumerate(names):
        own, other = (NEAR, FAR) if i == 0 else (FAR, NEAR)
        lines += [f"-n {name} address add {own[4]}/24 dev wire",
                  f"-n {name} address add {own[6]}/64 dev wire nodad",
                  f"-n {name} link set wire up",
                  f"-n {name} link set lo up",
                  # Or the first requests would wait for the discovery of it.
                  f"-n {name} neighbour add {other[6]} lladdr {CARDS[1 - i]} "
                  "dev wire"]
    try:
        for line in lines:
            done = subprocess.run(["ip", *line.split()], text=True,
                                  capture_output=True, check=False)
            if done.returncode:
                pytest.skip(f"no namespaces here: {done.stderr.strip()}")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False,
                           capture_output=True)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total >> 16) + (total & 0xffff)
    return ~total & 0xffff


class Device(threading.Thread):
    """@faults: by the number of a request, or None for all, the method that
    answers it. seen: of each request its size, TOS, head and number; slept:
    when it did, as a slow one, in ns of CLOCK_MONOTONIC."""

    def __init__(self, kind="udp", version=4, faults=None, namespace=None,
                 port=0, cpu=None):
        super().__init__(daemon=True)
        self.kind, self.version, self.namespace = kind, version, namespace
        self.address = (FAR if namespace else LOOPBACK)[version]
        self.faults, self.port, self.cpu = faults or {}, port, cpu
        self.seen, self.held, self.slept, self.failed = [], [], [], None
        self.ready, self.over = threading.Event(), os.pipe()

    def __enter__(self):
        self.start()
        assert self.ready.wait(10) and not self.failed, self.failed
        return self

    def __exit__(self, *_):
        os.write(self.over[1], b"x")
        self.join(10)
        for fd in self.over:
            os.close(fd)
        assert not self.failed, self.failed

    @property
    def where(self):
        if self.kind == "icmp":
            return self.address
        shown = f"[{self.address}]" if self.version == 6 else self.address
        return f"{shown}:{self.port}"

    def options(self):
        return f"--connect={self.where}", f"--reflect={self.kind}"

    def open(self):
        if self.kind == "icmp":
            return socket.socket(FAMILIES[self.version], socket.SOCK_RAW,
                                 PROTOCOLS[self.version])
        return socket.socket(FAMILIES[self.version], socket.SOCK_DGRAM)

    def run(self):
        try:
            if self.namespace:
                enter(self.namespace)
            # A busy machine must not make it late.
            with contextlib.suppress(PermissionError):
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(96))
            if self.cpu is not None:
                os.sched_setaffinity(0, {self.cpu})
            with self.open() as self.own:
                self.own.bind((self.address, self.port))
                self.port = self.own.getsockname()[1]
                self.ready.set()
                while self.over[0] not in select.select(
                        [self.own, self.over[0]], [], [])[0]:
                    self.take(*self.own.recvfrom(70000))
        except BaseException as error:      # the test's thread tells it
            self.failed = error
            self.ready.set()

    def take(self, data, client):
        tos, head = None, b""
        if self.kind == "icmp":
            if self.version == 4:
                tos, data = data[1], data[(data[0] & 15) * 4:]
                assert checksum(data) == 0
            if data[0] != REQUEST[self.version]:
                return
            head, data = bytes([REPLY[self.version]]) + data[1:8], data[8:]
            client = client[0], 0
        number, = struct.unpack_from("<Q", data)
        self.seen.append((len(data), tos, head, number))
        what = self.faults.get(number, self.faults.get(None, "right"))
        getattr(self, what)(head, data, client)

    def send(self, head, data, client, own=None):
        if head:
            head = head[:2] + b"\0\0" + head[4:]
            head = head[:2] + struct.pack("!H", checksum(head + data)) + \
                head[4:]
        (own or self.own).sendto(head + data, client)

    def right(self, *message):
        self.send(*message)
        while self.held:
            self.send(*self.held.pop())

    def drop(self, *_):
        """No answer."""

    def twice(self, *message):
        self.send(*message)
        self.send(*message)

    def swap(self, *message):
        """Behind the answer to the next request."""
        self.held.append(message)

    def late(self, *message):
        """When the next request comes, before the answer to that."""
        self.held.append(message)
        self.right = self.first

    def first(self, *message):
        del self.right
        self.send(*self.held.pop())
        self.right(*message)

    def slow(self, *message):
        begin_ns = time.monotonic_ns()
        time.sleep(0.05)
        self.slept.append((begin_ns, time.monotonic_ns()))
        self.send(*message)

    def stranger(self, *message):
        """From a port that was not asked."""
        with self.open() as other:
            self.send(*message, other)

    def future(self, head, data, client):
        """To a request that there was not yet, before the right one."""
        self.send(head, struct.pack("<Q", 10**6) + data[8:], client)
        self.send(head, data, client)

    def shorter(self, head, data, client):
        self.send(head, data[:-1], client)

    def longer(self, head, data, client):
        self.send(head, data + b"\0", client)

    def changed(self, at, head, data, client):
        """A byte of the head is another."""
        self.send(head[:at] + bytes([head[at] ^ 1]) + head[at + 1:], data,
                  client)

    def kind_of(self, *message):
        self.changed(0, *message)

    def code(self, *message):
        self.changed(1, *message)

    def identifier(self, *message):
        self.changed(5, *message)

    def sequence(self, *message):
        self.changed(7, *message)


def gone_for_a_while(start, words, answered, refused):
    """A run with a device that answers so many requests, is then not there
    for more than refused switches of the client, and answers again."""
    with Device() as device:
        process = start(*words, *device.options())
        assert outside.wait_for(lambda: len(device.seen) > answered)
    client, = process.named("twoway-client")
    before = outside.switches(client)
    assert outside.wait_for(
        lambda: outside.switches(client) > before + refused)
    with Device(port=device.port) as again:
        assert outside.wait_for(lambda: len(again.seen) > answered)
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    return process
