# SPDX-License-Identifier: GPL-2.0-or-later
"""What all Python tests share: the modules in tests/tools."""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "tools"))

# nohup and background jobs ignore some, and what is ignored stays so in a
# twowaytest: tests start with none.
for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: see tests/tools/workers.py")
    config.addinivalue_line(
        "markers", "long: not among what contrib/setup test runs, for time")
