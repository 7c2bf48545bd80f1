# SPDX-License-Identifier: GPL-2.0-or-later
"""Units of systemd, without systemd: what they say, and their rights."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

import twowaytest

SYSTEMD = pathlib.Path(__file__).resolve().parents[2] / "contrib" / "systemd"


def require(*programs):
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator lacks what the units' programs need")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"needs {program}")


def rows(name):
    """(setting, value) in the order of the file."""
    text = (SYSTEMD / name).read_text()
    return re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)


def settings(name):
    """Those of a unit; of one that is there twice, the last."""
    return dict(rows(name))


def capabilities(name):
    return [word.lower().removeprefix("cap_")
            for word in settings(name)["CapabilityBoundingSet"].split()]


def rights(name, *more):
    """A command that runs its arguments with the unit's capabilities."""
    if os.geteuid():
        pytest.skip("needs root, to give rights up")
    kept = [f"+{one}" for one in (*capabilities(name), *more)]
    return ["setpriv", f"--bounding-set={','.join(['-all', *kept])}",
            "--no-new-privs"]


def limits(name):
    """A command that sets the unit's limits; None: it may not raise them."""
    known = settings(name)
    memory = known["LimitMEMLOCK"].replace("infinity", "unlimited")
    command = ["prlimit", f"--rtprio={known['LimitRTPRIO']}",
               f"--memlock={memory}"]
    done = subprocess.run([*command, "true"], capture_output=True, check=False)
    return None if done.returncode else command


def place(directory, name):
    """The unit as it is installed, with a program that is there."""
    path = directory / name.removesuffix(".in")
    text = (SYSTEMD / name).read_text()
    path.write_text(text.replace("@bindir@/twowaytest", twowaytest.binary())
                    .replace("@bindir@/", "/bin/true -- "))
    return path


def verify(path, *others):
    """Asserts that systemd understands it, and what others add."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], text=True,
        capture_output=True, check=False, timeout=60)
    said = [line for line in done.stderr.splitlines()
            if any(name in line for name in (path.name, *others))]
    assert (done.returncode, said) == (0, [])
