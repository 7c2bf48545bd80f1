# SPDX-License-Identifier: GPL-2.0-or-later
"""Campaigns whose server is on another host: with stubs, and a real one."""

import json
import os
import re
import socket
import subprocess

import outside
import pytest

from conftest import state_of

ONE = ("-P", "plan", "-l", "none", "-t", "twowaytest", "-D", "1", "-R", "-o",
       "out", "-H", "far:7")
TWO = ("-P", "one,plan", *ONE[2:])
NAMES = "one-none-twowaytest", "plan-none-twowaytest"


@pytest.fixture
def there(tmp_path):
    """The file that stands for the server."""
    path = tmp_path / "server"
    path.touch()
    return path


def results(tmp_path):
    return sorted(path.name for path in (tmp_path / "out").glob(
        "*twowaytest.json"))


def test_each_measurement_is_connected(campaign, tmp_path, there):
    calls = tmp_path / "calls"
    campaign(*TWO, STUB_SERVER=str(there), STUB_CALLS=str(calls))
    assert results(tmp_path) == [f"{name}.json" for name in NAMES]
    measured = [line for line in calls.read_text().splitlines()
                if " -D " in line and "--json=out" in line]
    assert len(measured) == 2
    assert all("--connect=far:7" in line for line in measured)
    assert state_of(tmp_path / "out")["plan"]["connect"] == "far:7"


def test_summary_shows_the_server(campaign, tmp_path, there):
    out = campaign(*ONE, "-t", "cyclictest,twowaytest",
                   STUB_SERVER=str(there)).stdout
    for metric in ("wakeup", "total", "network", "sleep"):
        assert re.search(rf"^plan +none +{metric} +1 +2\.5 +7$", out, re.M)


def test_without_server_nothing_of_it(campaign):
    out = campaign(*ONE[:-2]).stdout
    assert "server" not in out and "network" not in out


def test_server_is_not_there(refused, there):
    """Said once, before anything is measured or written."""
    there.unlink()
    said = refused(*TWO, STUB_SERVER=str(there))
    assert said.count("--connect=far:7: Connection refused") == 1


def test_dry_run_needs_no_server(campaign, there):
    there.unlink()
    out = campaign("--dry-run", *TWO, STUB_SERVER=str(there)).stdout
    assert "--connect=far:7" in out


@pytest.mark.parametrize("gone, kept", ((0, 0), (1, 1)))
def test_server_goes_away(campaign, tmp_path, there, gone, kept):
    """Said once; what was not measured is no failure, and is made later."""
    result = campaign(*TWO, status=1, STUB_SERVER=str(there),
                      STUB_GONE=NAMES[gone])
    assert result.stderr.count("Connection refused") == 1
    assert "Connection refused" not in result.stdout
    assert "not measured: its server is not there" in result.stdout
    assert result.stderr.endswith(
        "\ncampaign: all that was measured is kept; when the server is there "
        "again, the same command goes on\n")
    assert len(results(tmp_path)) == kept
    assert list(state_of(tmp_path / "out")["measurements"]) == \
        list(NAMES[:kept])
    there.touch()
    result = campaign(*TWO, STUB_SERVER=str(there))
    assert f"{kept} of 2 measurements are finished" in result.stdout
    assert len(results(tmp_path)) == 2


def test_failure_while_the_server_is_there(campaign, tmp_path, there):
    """It is that measurement's own: the others are made."""
    result = campaign(*TWO, status=1, STUB_SERVER=str(there),
                      STUB_FAIL=NAMES[0])
    assert "1 measurements failed" in result.stderr
    assert results(tmp_path) == [f"{NAMES[1]}.json"]
    assert state_of(tmp_path / "out")["measurements"][NAMES[0]]["state"] == \
        "failed"


def test_server_that_told_nothing(campaign, tmp_path, there):
    result = campaign(*ONE, status=1, STUB_SERVER=str(there), STUB_FAR="")
    assert "the server on far:7 did not send its results" in result.stdout
    assert not results(tmp_path)


def test_another_server_is_another_campaign(campaign, tmp_path, there):
    campaign(*ONE, STUB_SERVER=str(there))
    said = campaign(*ONE[:-1], "near", status=1).stderr
    assert "connect: far:7 there, near here" in said
    said = campaign(*ONE[:-2], status=1).stderr
    assert "connect: far:7 there, none here" in said


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_real_server(launch, tmp_path):
    """On the loopback: measured with it, and said once when it is gone."""
    port = free_port()
    words = ("-T", outside.binary(), "-t", "twowaytest", "-l", "none", "-P",
             "plan", "-D", "2", "-R", "-o", "out", "-H", f"127.0.0.1:{port}")
    with subprocess.Popen(
            [outside.binary(), f"--server=127.0.0.1:{port}", "-p", "97"],
            stdout=subprocess.PIPE, text=True) as server:
        try:
            assert any("Listening" in line for line in server.stdout)
            run = launch(*words)
            assert run.finish() == 0, run.out + run.err
        finally:
            server.kill()
    result = json.loads((tmp_path / f"out/{NAMES[1]}.json").read_text())
    assert result["twoway"]["peer"]["system"]["release"] == \
        os.uname().release
    run = launch(*words[:-3], "other", *words[-2:])
    assert run.finish() == 1
    assert run.err.count("Connection refused") == 1
    assert not (tmp_path / "other").exists()
