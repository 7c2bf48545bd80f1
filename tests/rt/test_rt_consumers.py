# SPDX-License-Identifier: GPL-2.0-or-later
"""Called as the consumers of cyclictest's output call it, and read so."""

import shutil
import signal
import time

import consumers
import oracle
import outside
import pytest

LOOPS = 200
COLUMNS = {"cyclictest": 1, "twowaytest": len(oracle.DEFAULT_METRICS)}


class Output:
    """What a run has printed and written."""

    def __init__(self, run, directory, program):
        self.text = run.out
        self.columns = COLUMNS[program]
        self.directory = directory

    def file(self, name):
        return (self.directory / name).read_text(encoding="utf-8")

    def maxima(self):
        """By the JSON, which was written in the same run."""
        threads = outside.load_json(self.directory / "json")["thread"]
        return [thread["max"] for thread in threads.values()]


@pytest.fixture(params=COLUMNS)
def call(request, start, tmp_path):
    """Runs either program, privileged, with the same words."""
    def run(*args, end_by=None):
        path = None
        if request.param == "cyclictest":
            path = shutil.which("cyclictest")
            if not path:
                pytest.skip("cyclictest is not installed")
        else:
            path = outside.binary()
        process = start(*args, cwd=tmp_path, program=path)
        if end_by:
            outside.wait_for(lambda: process.process.poll() is not None or
                             outside.settings(process.pid)["locked"])
            time.sleep(0.5)     # some cycles, however many
            process.signal(end_by)
        assert process.finish() == 0, process.err
        return Output(process, tmp_path, request.param)
    return run


def test_linaro(call):
    output = call("-q", "-m", "-p", 98, "-i", 1000, "-a", 0, "-D", 1,
                  "--json=json")
    passed, measured = consumers.linaro(output.file("json"))
    assert passed
    assert len(measured) == 3 * output.columns
    for number in range(output.columns):
        assert measured[f"t{number}-min"] <= measured[f"t{number}-avg"] <= \
            measured[f"t{number}-max"]


def test_rteval(call):
    output = call("-i1000", "-qmu", "-h 3500", "-p95", "--json=json",
                  end_by=signal.SIGINT)
    columns, maxima = consumers.rteval(output.text)
    assert len(columns) == output.columns
    assert maxima == output.maxima()
    for column in columns:
        assert sum(column.values()) > 0


def test_osadl(call):
    output = call("-l", LOOPS, "-m", "-p99", "-i1000", "-h400", "-q",
                  "--json=json")
    rows, largest = consumers.osadl(output.text)
    assert {len(row) for row in rows} == {1 + output.columns}
    assert largest == max(output.maxima())


def test_openshift(call):
    output = call("-D", "1s", "-p", 95, "-m", "-i", 1000, "-h", 30, "-q",
                  "--mainaffinity", 0, "--json=json")
    assert consumers.openshift(output.text) == output.maxima()


def test_crucible(call):
    output = call("--policy", "fifo", "--interval", 1000, "--histofall", 100,
                  "--histfile", "hist", "--duration", 1, "--quiet",
                  "--affinity", 0, "--mlockall", "--json", "json",
                  "--mainaffinity", 0)
    assert consumers.crucible(output.file("hist")) == max(output.maxima())


def test_canonical(call):
    output = call("-p", 98, "-m", "-q", "-l", LOOPS)
    assert consumers.canonical(output.text) == output.columns
