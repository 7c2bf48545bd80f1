# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the tests that need root."""

import os
import pathlib
import subprocess
import tempfile

import outside
import pytest
import tracing

BAD_FAULT = 99      # the shim's exit status where it cannot read its orders

# Files that measure no latency; the others are alone.
TOGETHER = {"frames"}

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tools"


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
def start():
    """Starts a twowaytest in the background; it ends with the test."""
    runs = []

    def run(*args, **options):
        runs.append(outside.Run(*args, **options))
        return runs[-1]

    yield run
    for run in runs:
        run.end()


def compiled(directory, name, source, *options):
    result = directory / name
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11",
                    "-D_GNU_SOURCE", "-O2", "-o", result, TOOLS / source,
                    *options], check=True)
    return str(result)


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """The library that injects delays, see tools/delay.c."""
    library = os.environ.get("TWOWAY_DELAY_SO") or \
        compiled(tmp_path_factory.mktemp("shim"), "delay.so", "delay.c",
                 "-fPIC", "-shared", "-ldl")
    done = subprocess.run([outside.binary(), "--version"], text=True,
                          capture_output=True, env={
                              "LD_PRELOAD": library, "TW_DELAY": "nonsense"})
    if not done.returncode and not done.stderr:
        pytest.skip("the program is static: nothing can be preloaded")
    assert done.returncode == BAD_FAULT, done.stderr
    return library


@pytest.fixture(scope="session")
def spinner(tmp_path_factory):
    """The program that takes a CPU for itself, see tools/spinner.c."""
    return os.environ.get("TWOWAY_SPINNER") or \
        compiled(tmp_path_factory.mktemp("spinner"), "spinner", "spinner.c")


@pytest.fixture
def tracefs():
    """Where it is mounted; nowhere but for this test if it was not."""
    with tracing.own_mounts():
        if not tracing.mounted():
            try:
                tracing.mount("-t", "tracefs", "nodev", tracing.MOUNT_POINT)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no tracefs here: {error.stderr.decode()}")
        yield tracing.mounted()


@pytest.fixture
def memory():
    """A directory in memory, where no slow disk holds main up."""
    with tempfile.TemporaryDirectory(prefix="twowaytest-",
                                     dir="/dev/shm") as name:
        yield pathlib.Path(name)
