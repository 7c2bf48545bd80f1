# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the tests that need root."""

import os
import pathlib
import tempfile

import outside
import pytest

# Files that measure no latency; the others are alone.
TOGETHER = {"frames"}


def pytest_collection_modifyitems(items):
    reason = outside.why_not()
    here = pathlib.Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.path.stem.removeprefix("test_rt_") not in TOGETHER:
            item.add_marker("alone")


@pytest.fixture
def spinner():
    """The program that takes a CPU for itself, see tools/spinner.c."""
    return os.environ["TWOWAY_SPINNER"]


@pytest.fixture
def memory():
    """A directory in memory, where no slow disk holds main up."""
    with tempfile.TemporaryDirectory(prefix="twowaytest-",
                                     dir="/dev/shm") as name:
        yield pathlib.Path(name)
