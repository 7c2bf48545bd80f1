# SPDX-License-Identifier: GPL-2.0-or-later
"""What all Python tests share: the modules in tests/tools, and fixtures."""

import functools
import pathlib
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tools"))

import tracing  # noqa: E402
import twowaytest  # noqa: E402

# nohup and background jobs ignore some, and what is ignored stays so in a
# twowaytest: tests start with none.
for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: see tests/tools/workers.py")
    config.addinivalue_line(
        "markers", "long: not among what contrib/setup test runs, for time")


@pytest.fixture
def run(tmp_path):
    """Runs it to its end, in a directory of the test's own."""
    run_here = functools.partial(twowaytest.run, directory=tmp_path)
    run_here.directory = tmp_path
    return run_here


@pytest.fixture
def start(tmp_path):
    """Starts it in the background; it ends with the test."""
    running = []

    def start_here(*args, **options):
        running.append(twowaytest.start(*args, directory=tmp_path, **options))
        return running[-1]

    start_here.directory = tmp_path
    yield start_here
    for process in running:
        process.end()


@pytest.fixture
def tracefs():
    """Where it is mounted, for this test."""
    with tracing.usable() as directory:
        yield directory


@pytest.fixture
def small(tmp_path):
    """A file system of 16 KiB in memory."""
    directory = tmp_path / "small"
    directory.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs",
                           directory], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no tmpfs: {done.stderr.strip()}")
    yield directory
    subprocess.run(["umount", directory], check=True)
