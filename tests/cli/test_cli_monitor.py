# SPDX-License-Identifier: GPL-2.0-or-later
"""The units that measure each hour, without systemd: what they say, and that
what they start works with their rights."""

import importlib.util
import os
import re
import shlex
import subprocess
import time

import pytest

import twowaytest
import units

SERVICE = "twowaytest-monitor.service.in"
TIMER = "twowaytest-monitor.timer"
REPORT = units.SYSTEMD.parent / "report" / "twowayreport"


def environment():
    found = [shlex.split(value)[0].split("=", 1)
             for name, value in units.rows(SERVICE) if name == "Environment"]
    return dict(found)


def commands(directory, **changed):
    """What the service starts, in order, as systemd would write it."""
    known = environment() | changed
    for name, line in units.rows(SERVICE):
        if name != "ExecStart":
            continue
        line = line.replace("$OPTIONS", known["OPTIONS"])
        for word, instead in (
                ("@bindir@/twowaytest ", f"{twowaytest.binary()} "),
                ("@bindir@/twowayreport ", f"{REPORT} "),
                ("${TEXTFILE}", known["TEXTFILE"]), ("%H", "a-host"),
                ("%S", str(directory))):
            line = line.replace(word, instead)
        assert not re.search("[$%@]", re.sub(r"\$\$|%%", "", line)), line
        yield shlex.split(line.replace("$$", "$").replace("%%", "%"))


@pytest.mark.skipif(not importlib.util.find_spec("numpy"),
                    reason="numpy is not installed")
@pytest.mark.parametrize("limit, status", [("response:1000000", 0),
                                           ("response:1", 2)])
def test_it_measures_with_its_rights(tmp_path, limit, status):
    """Also if a limit is exceeded, the result is written."""
    units.require("setpriv", "prlimit")
    limits = units.limits(SERVICE)
    # Where limits cannot be raised, with the rights that stand for them.
    before = [*limits, *units.rights(SERVICE)] if limits else \
        units.rights(SERVICE, "sys_nice", "ipc_lock")
    kept = tmp_path / "twowaytest"
    kept.mkdir()
    for name, days in ("monitor-1.json", 33), ("monitor-2.json", 30):
        (kept / name).write_text("")
        os.utime(kept / name, (0, time.time() - 86400 * days))
    text = tmp_path / "x.prom"
    text.write_text("old\n")
    inode = text.stat().st_ino
    options = environment()["OPTIONS"].replace("-D 60", "-l 200")
    assert " -l 200" in options
    measure, report, move, keep, drop = commands(
        tmp_path, OPTIONS=f"{options} --limit={limit}", TEXTFILE=str(text))
    for command, expected in (measure, status), (report, 0), (move, 0):
        assert text.read_text() == "old\n"
        done = subprocess.run(
            [*before, *command], capture_output=True, text=True, check=False,
            cwd="/", timeout=60, umask=0o22,
            env={"PATH": os.environ["PATH"]})
        assert done.returncode == expected, done.stdout + done.stderr
    assert str(status) in ("0", units.settings(SERVICE)["SuccessExitStatus"])
    for command in keep, drop:
        subprocess.run(command, check=True, timeout=60)
    names = sorted(path.name for path in kept.iterdir())
    assert re.fullmatch(r"monitor-\d{10} monitor-2 monitor",
                        " ".join(names).replace(".json", ""))
    assert (kept / names[0]).read_text() == (kept / names[2]).read_text()
    found = text.read_text()
    # It was not written where it is read.
    assert text.stat().st_ino != inode
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "twowaytest", "x.prom"]
    assert re.search(r'^twowaytest_cycles_total\{system="a-host",pair="0",'
                     r'metric="response"\} 200$', found, re.MULTILINE)
    assert f'twowaytest_limit_met{{system="a-host",limit="{limit}",' \
        f'metric="response"}} {int(not status)}\n' in found
    assert text.stat().st_mode & 0o777 == 0o644
    # In real time, as it says.
    assert '"priority": 98' in \
        (tmp_path / "twowaytest/monitor.json").read_text()


def test_its_rights():
    """None but those it needs; what it needs to measure rightly."""
    settings = units.settings(SERVICE)
    assert settings["CapabilityBoundingSet"] == ""
    assert settings["NoNewPrivileges"] == "yes"
    assert settings["ProtectSystem"] == "strict"
    assert settings["DeviceAllow"] == "/dev/cpu_dma_latency rw"
    assert settings["StateDirectory"] == "twowaytest"
    folder = settings["ReadWritePaths"].removeprefix("-")
    assert environment()["TEXTFILE"].startswith(f"{folder}/")
    for name in "RestrictRealtime", "PrivateDevices", "PrivateNetwork":
        assert name not in settings


def test_each_hour_a_minute():
    assert "-D 60" in environment()["OPTIONS"]
    settings = units.settings(TIMER)
    assert settings["OnCalendar"] == "hourly"
    # A random one, and the measurement still ends within the hour.
    assert settings["RandomizedDelaySec"] == "59min"
    assert "FixedRandomDelay" not in settings
    assert settings["WantedBy"] == "timers.target"
    # It is the timer that is enabled.
    assert "WantedBy" not in units.settings(SERVICE)


def test_systemd_understands_them(tmp_path):
    units.require("systemd-analyze")
    service = units.place(tmp_path, SERVICE)
    units.verify(service)
    units.verify(units.place(tmp_path, TIMER), service.name)
