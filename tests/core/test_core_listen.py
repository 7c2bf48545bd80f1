# SPDX-License-Identifier: GPL-2.0-or-later
"""--server: where it listens, and who gets in."""

import contextlib
import os
import pathlib
import re
import signal
import socket

import pytest

import outside
import results
import twowaytest
from device import Device
from hosts import QUICK, near, rsh
from test_core_serve import Far

PAGE = pathlib.Path(__file__).resolve().parents[2] / "contrib" / "security.md"


@results.root
def test_default_address(net, start):
    """Only this host is served, at the port that a client asks by itself."""
    process = near(start, net, "--server", "--default-system")
    assert outside.wait_for(lambda: near(
        start, net, "--connect=127.0.0.1", *QUICK, "-l", 5).finish() == 0)
    # The port that the page and the units name.
    assert f"0100007F:{20110:X} 00000000:0000 0A" in outside.read(
        f"/proc/{process.pid}/net/tcp")
    other = near(start, net, f"--connect={net.NEAR}", *QUICK, "-l", 5)
    assert other.finish() == 1 and "refused" in other.err
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert "# Listening at 127.0.0.1, " in process.out


def test_many(run, server):
    """16 at a time have a process, which sends a line; when they have ended,
    others have."""
    where = server()
    clients = []
    for number in range(17):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.settimeout(60)
        one.send(b'["--far=')
        clients.append(one)
        if number < 16:
            assert one.recv(1) == b"\n"
    with pytest.raises(ConnectionResetError):
        clients[-1].recv(1)
    for one in clients:
        one.close()
    assert outside.wait_for(lambda: not outside.children(server.run.pid))
    done = run(where, *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")


def test_strangers(run, server):
    """Who sends something else, nothing, or little, keeps nobody waiting."""
    where = server()
    strangers = []
    for number in range(200):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.setblocking(False)
        one.send(os.urandom((0, 3, 100)[number % 3]) or b"[")
        strangers.append(one)
    done = run(where, *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")
    for one in strangers:
        one.close()


@pytest.mark.parametrize("allow", [
    "192.0.2.0/24,2001:db8::1", "127.0.0.2", "127.0.0.2/31", "126.0.0.0/8",
    "::/0", "::/1", "::1", "::ffff:10.0.0.0/104", "::ffff:127.0.0.2",
    "::fffe:127.0.0.1", "::127.0.0.1"])
def test_forbidden(run, server, allow):
    """An address of IPv4 is no part of a network of IPv6."""
    where = server(f"--allow={allow}")
    done = run(where, *QUICK, "-l", 5)
    assert done.returncode == 1
    assert "its --allow has not this host" in done.stderr
    with socket.create_connection(("127.0.0.1", server.port)) as one:
        one.settimeout(60)
        assert one.recv(1) == b""


@pytest.mark.parametrize("allow", ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0",
                                   "192.0.2.1,127.0.0.0/31",
                                   "::ffff:127.0.0.1", "::ffff:127.0.0.0/104",
                                   "::ffff:1.2.3.4/96", "::/0,127.0.0.1/32",
                                   31 * "192.0.2.1," + "127.0.0.1"])
def test_allowed(run, server, allow):
    done = run(server(f"--allow={allow}"), *QUICK, "-l", 5)
    assert (done.returncode, done.stderr) == (0, "")


def test_greeting_alone(server):
    """How long a place is occupied with it; the page says the same."""
    server()
    with socket.create_connection(("127.0.0.1", server.port)) as one:
        one.settimeout(60)
        one.send(b'["--far=3"] 1')
        with one.makefile(encoding="ascii") as file:
            said = file.read()
    seconds, = re.findall(r"occupy one of 16 places for (\d+) s",
                          PAGE.read_text())
    assert said == '\ntwowaytest 3\nFATAL: --far: no request has come; ' \
        f"allowed is a line of at most 65536 bytes, within {seconds} s\n"


@pytest.mark.parametrize("networked", [True, False])
def test_where_it_measures(server, networked):
    """At the address alone that the request has come to; a login does not
    tell it."""
    server()
    with contextlib.ExitStack() as stack:
        if networked:
            one = stack.enter_context(socket.create_connection(
                ("127.0.0.1", server.port)))
            one.send(b'["--far=3"] 1 --default-system\n')
            file = stack.enter_context(one.makefile(encoding="ascii"))
            line = next(line for line in file if "ready" in line)
            port = int(line.split()[3])
        else:
            far = Far()
            stack.callback(far.process.wait)
            stack.callback(far.process.stdin.close)
            port = far.port
        socket.create_connection(("127.0.0.1", port)).close()
        if networked:
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.2", port))
        else:
            socket.create_connection(("127.0.0.2", port)).close()


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_ipv6(run, server, transport):
    server(address="[::1]")
    done = run(f"--connect=[::1]:{server.port}", *QUICK, "-l", 5,
               f"--transport={transport}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n# Server: ::1 (::1)\n" in done.stdout


@pytest.mark.parametrize("transport", ["tcp", "udp"])
def test_without_ipv6(run, server, amiss, transport):
    """Each side where the kernel has none."""
    env = {**amiss, "TW_AMISS": "ipv6"}
    where = server(env=env)
    for way in [where], ["--connect=127.0.0.1", rsh(*(
            f"{name}={value}" for name, value in env.items()))]:
        done = run(*way, *QUICK, "-l", 5, f"--transport={transport}", env=env)
        assert (done.returncode, done.stderr) == (0, "")


def test_ipv6_that_is_not_there(run, amiss):
    env = {**amiss, "TW_AMISS": "ipv6"}
    done = run("--server=[::1]", "--default-system", env=env)
    assert (done.returncode, done.stderr) == (
        1, "FATAL: --server=[::1]: cannot listen: Address family not "
        "supported by protocol\n")


@results.root
def test_name_of_both_families(run, server, amiss, tmp_path):
    """Without IPv6, or where nobody listens at it, the other one is used; a
    device at it could have been silent, too."""
    names = tmp_path / "hosts"
    names.write_text("::1 both\n127.0.0.1 both\n")
    words = ["--mount", "sh", "-c",
             f'mount --bind {names} /etc/hosts && exec "$@"', "sh",
             twowaytest.binary(), *QUICK, "-l", 5]
    where = server().replace("127.0.0.1", "both")
    with Device() as device:
        echo = [option.replace("127.0.0.1", "both")
                for option in device.options()]
        lacking = {**amiss, "TW_AMISS": "ipv6"}
        for way, env in ([where], {}), ([where], lacking), (echo, lacking):
            done = run(*words, *way, program="unshare", env=env)
            assert (done.returncode, done.stderr) == (0, ""), (way, env)
