# SPDX-License-Identifier: GPL-2.0-or-later
"""The unit of systemd, without systemd: what it says, and that its rights are
enough."""

import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

import twoway

SYSTEMD = pathlib.Path(__file__).resolve().parents[2] / "contrib" / "systemd"
# With the clock's state, all that the server calls.
MORE_CALLS = {"adjtimex", "clock_adjtime"}


def require(*programs):
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator lacks what servers for other hosts need")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"needs {program}")


def unit():
    """Its settings; of one that is there twice, the last."""
    text = (SYSTEMD / "twowaytest-server.service.in").read_text()
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def limits_and_rights(capabilities):
    """A command that runs its arguments as the unit would, as far as that
    goes; limits come first, while it may raise them."""
    settings = unit()
    memory = settings["LimitMEMLOCK"].replace("infinity", "unlimited")
    rights = ",".join(["-all", *(f"+{name}" for name in capabilities)])
    return ["prlimit", f"--rtprio={settings['LimitRTPRIO']}",
            f"--memlock={memory}", "setpriv", f"--bounding-set={rights}",
            "--no-new-privs"]


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


def capabilities():
    return [name.lower().removeprefix("cap_")
            for name in unit()["CapabilityBoundingSet"].split()]


def test_rights_are_enough(run):
    """Those of the unit: at the end, the kernel enforces the ceiling."""
    require("setpriv", "prlimit")
    if os.geteuid():
        pytest.skip("needs root, to give rights up")
    before = limits_and_rights(capabilities())
    done = subprocess.run([*before, "true"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        pytest.skip(f"limits cannot be raised here: {done.stderr.strip()}")
    said, peer = listen_and_measure(run, before, "--priority=50")
    assert "real-time priorities up to 50, locked memory" in said
    assert peer["host"]["latency_us"] == 0


def test_rights_are_enough_where_limits_cannot_be_raised(run):
    """With what the program then keeps, beside the unit's capabilities."""
    require("setpriv")
    if os.geteuid():
        pytest.skip("needs root, to give rights up")
    names = capabilities() + ["sys_nice", "ipc_lock"]
    rights = ",".join(["-all", *(f"+{name}" for name in names)])
    said, peer = listen_and_measure(
        run, ["setpriv", f"--bounding-set={rights}", "--no-new-privs"],
        "--priority=50")
    assert "; real-time priorities up to 50; user 65534, " in said
    assert peer["host"]["latency_us"] == \
        (0 if os.access("/dev/cpu_dma_latency", os.W_OK) else None)


def test_it_is_not_enabled_and_harmless():
    """What it does as installed: the loopback, without real time."""
    settings = unit()
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
    require("systemd-analyze")
    path = tmp_path / "twowaytest-server.service"
    text = (SYSTEMD / "twowaytest-server.service.in").read_text()
    path.write_text(text.replace("@bindir@/twowaytest", twoway.binary()))
    if drop_in:
        place = tmp_path / f"{path.name}.d"
        place.mkdir()
        example = (SYSTEMD / "twowaytest-server.conf").read_text()
        # Also what is only a suggestion there.
        (place / "example.conf").write_text(
            re.sub(r"^#(?=\w+=)", "", example, flags=re.MULTILINE))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], text=True,
        capture_output=True, check=False, timeout=60)
    said = [line for line in done.stderr.splitlines()
            if path.name in line or "example.conf" in line]
    assert (done.returncode, said) == (0, [])


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
    require("strace", "systemd-analyze")
    name, *more = unit()["SystemCallFilter"].split()
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
    assert families <= set(unit()["RestrictAddressFamilies"].split())
