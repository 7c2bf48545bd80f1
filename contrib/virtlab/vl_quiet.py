# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a guest waited until it was quiet; see the guest's part, quiet."""

import json
import pathlib

from vl_common import LabError

SCRIPT = pathlib.Path(__file__).with_name("quiet")
FILE = "lab.quiet"      # no measurement's: none can be named lab


def words(told):
    """(measurement's name, what is said of it) of what the guest told."""
    return [line.partition(" ")[::2]
            for line in told.decode("utf-8", "replace").splitlines()]


def waited(told):
    """Measurement's name: s of guest time."""
    return {name: int(time) / 100 for name, time in words(told)
            if time.isdecimal()}


def check(told):
    """LabError: it was not quiet before a measurement."""
    lines = words(told)
    for at, (name, time) in enumerate(lines):
        if time == "never":
            others = " ".join(map(" ".join, lines[at + 1:])) or \
                "# Others are not known"
            raise LabError(
                f"the guest was not quiet before '{name}': others used 1 % or "
                "more of its CPUs' time, for as long as --settle allows; "
                f"allow more, or end them: {others}")


def waited_in(path):
    """The same of a boot's lab.json; None: it did not wait."""
    return {item["name"]: item["waited_s"]
            for item in json.loads(path.read_text())["measurements"]}
