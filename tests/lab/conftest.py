# SPDX-License-Identifier: GPL-2.0-or-later
"""virtlab among made programs, and its guests. Skipped where it cannot run."""

import pathlib
import shutil
import subprocess
import sys

import pytest

import lab as made

sys.dont_write_bytecode = True
sys.path.insert(0, str(made.VIRTLAB))


def missing():
    """What every initramfs is made with."""
    found = [name for name in ("busybox", "cpio") if not shutil.which(name)]
    if found:
        return f"not installed: {', '.join(found)}"
    with open(shutil.which("busybox"), "rb") as file:
        if b"/ld-" in file.read(4096):
            return "busybox is not static: busybox-static is needed"
    return None


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if reason and item.path.parent == pathlib.Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def lab(tmp_path):
    return made.Lab(tmp_path)
