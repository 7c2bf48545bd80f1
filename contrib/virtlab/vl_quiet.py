# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a guest waited until it was quiet; see the guest's part, quiet."""

import json
import pathlib

from vl_common import LabError

SCRIPT = pathlib.Path(__file__).with_name("quiet")
FILE = "lab.quiet"      # no measurement's: none can be named lab


def waited(kernel, told):
    """Measurement's name: s of guest time, of what the guest told."""
    found = {}
    lines = told.decode("utf-8", "replace").splitlines()
    for at, line in enumerate(lines):
        name, _, time = line.partition(" ")
        if time == "never":
            others = " ".join(lines[at + 1:]) or "# Others are not known"
            raise LabError(
                f"{kernel}: the guest was not quiet before '{name}': others "
                "used 1 % or more of its CPUs' time, for as long as --settle "
                f"allows; allow more, or end them: {others}")
        if time.isdecimal():
            found[name] = int(time) / 100
    return found


def waited_in(path):
    """The same of a boot's lab.json; None: it did not wait."""
    return {item["name"]: item["waited_s"]
            for item in json.loads(path.read_text())["measurements"]}
