# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit of systemd, without systemd: what it says, and that its rights are
enough."""

import os
import re
import socket
import subprocess

import pytest

import twoway
import units

UNIT = "twowaytest-server.service.in"
# With the clock's state, all that the server calls.
MORE_CALLS = {"adjtimex", "clock_adjtime"}


def free_port():
    with socket.socket() as test:
        test.bind(("127.0.0.1", 0))
        return test.getsockname()[1]


def listen_and_measure(run, before, *options):
    """A run with such a server; what the server has said, and the result."""
    port = free_port()
    server = subprocess.Popen(
        [*before, twoway.binary(), f"--server=:{port}", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = server.stdout.readline()
        assert said.startswith("# Listening on "), server.stderr.read()
        result = run(f"--connect=127.0.0.1:{port}", "-q", "-l", 50, "-i", 5000,
                     "--json=json", timeout=60)
        assert result.returncode == 0, result.stderr
    finally:
        server.terminate()
        server.communicate(timeout=20)
    assert server.returncode == 0
    return said, result.json()["twoway"]["peer"]


def test_rights_are_enough(run):
    """Those of the unit: at the end, the kernel enforces the ceiling."""
    units.require("setpriv", "prlimit")
    limits = units.limits(UNIT)
    if not limits:
        pytest.skip("limits cannot be raised here")
    said, peer = listen_and_measure(run, [*limits, *units.rights(UNIT)],
                                    "--priority=50")
    assert "real-time priorities up to 50, locked memory" in said
    assert peer["host"]["latency_us"] == 0


def test_rights_are_enough_where_limits_cannot_be_raised(run):
    """With what the program then keeps, beside the unit's capabilities."""
    units.require("setpriv")
    said, peer = listen_and_measure(
        run, units.rights(UNIT, "sys_nice", "ipc_lock"), "--priority=50")
    assert "; real-time priorities up to 50; user 65534, " in said
    assert peer["host"]["latency_us"] == \
        (0 if os.access("/dev/cpu_dma_latency", os.W_OK) else None)


def test_it_is_not_enabled_and_harmless():
    """What it does as installed: the loopback, without real time."""
    settings = units.settings(UNIT)
    assert settings["Environment"] == "OPTIONS=--server"
    assert settings["ExecStart"] == "@bindir@/twowaytest $OPTIONS"
    assert settings["NoNewPrivileges"] == "yes"
    assert settings["ProtectSystem"] == "strict"
    # Without these, results would be wrong.
    assert "RestrictRealtime" not in settings
    assert "PrivateDevices" not in settings
    assert "ProtectClock" not in settings
    assert settings["DeviceAllow"] == "/dev/cpu_dma_latency rw"


@pytest.mark.parametrize("drop_in", [False, True])
def test_systemd_understands_it(tmp_path, drop_in):
    units.require("systemd-analyze")
    path = units.place(tmp_path, UNIT)
    if drop_in:
        place = tmp_path / f"{path.name}.d"
        place.mkdir()
        example = (units.SYSTEMD / "twowaytest-server.conf").read_text()
        # Also what is only a suggestion there.
        (place / "example.conf").write_text(
            re.sub(r"^#(?=\w+=)", "", example, flags=re.MULTILINE))
    units.verify(path, "example.conf")


def allowed_calls(name):
    """The system calls of a set of systemd's, and of the sets in it."""
    told = subprocess.run(["systemd-analyze", "syscall-filter", name],
                          capture_output=True, text=True, check=True).stdout
    for word in told.splitlines()[1:]:
        word = word.strip()
        if word.startswith("@"):
            yield from allowed_calls(word)
        elif word and not word.startswith("#"):
            yield word


def test_it_may_make_its_system_calls(run, tmp_path):
    units.require("strace", "systemd-analyze")
    name, *more = units.settings(UNIT)["SystemCallFilter"].split()
    assert name == "@system-service" and set(more) == MORE_CALLS
    log = tmp_path / "calls"
    probe = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"],
                           capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"strace cannot trace: {probe.stderr.strip()}")
    port = free_port()
    server = subprocess.Popen(
        ["strace", "-f", "-qq", "-o", log, twoway.binary(), "--runs=1",
         f"--server=:{port}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline().startswith("# Listening on ")
        result = run(f"--connect=127.0.0.1:{port}", "-q", "-l", 50, "-i", 5000,
                     timeout=60)
        assert result.returncode == 0, result.stderr
        server.communicate(timeout=30)
    finally:
        if server.poll() is None:
            server.kill()
            server.communicate()
    called = set(re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE))
    assert {"sendto", "clock_adjtime"} & called
    assert called <= MORE_CALLS | set(allowed_calls(name))
    families = set(re.findall(r"\bsocket\((AF_\w+)", log.read_text()))
    assert families <= set(units.settings(UNIT)["RestrictAddressFamilies"].split())
