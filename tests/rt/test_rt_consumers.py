# SPDX-License-Identifier: GPL-2.0-or-later
"""Called as the consumers of cyclictest's output call it, and read so."""

import contextlib
import json
import os
import shutil
import signal

import consumers
import outside
import pytest

COLUMNS = {"cyclictest": 1, "twowaytest": 1}
CPU = min(os.sched_getaffinity(0))


def tasks(pid):
    """The threads of a process; none if it has ended."""
    with contextlib.suppress(FileNotFoundError):
        return os.listdir(f"/proc/{pid}/task")
    return ()


class Output:
    """What a run has printed and written."""

    def __init__(self, run, directory, program):
        self.text = run.out
        self.directory = directory
        text = self.file("json")
        if program == "cyclictest":     # of a thread without a cycle
            text = text.replace("-nan", "null")
        self.threads = json.loads(
            text, parse_constant=outside.refuse_constant)["thread"]
        self.columns = len(self.threads)
        self.single = COLUMNS[program]
        assert self.columns and self.columns % self.single == 0

    def file(self, name):
        return (self.directory / name).read_text(encoding="utf-8")

    def maxima(self):
        """By the JSON, which was written in the same run."""
        return [thread["max"] for thread in self.threads.values()]


def program_path(name):
    if name == "twowaytest":
        return outside.binary()
    path = shutil.which(name)
    if not path:
        pytest.skip(f"{name} is not installed")
    return path


@pytest.fixture(params=COLUMNS)
def call(request, start, tmp_path):
    """Runs either program with a consumer's words, and --json."""
    def run(command, end_by=None):
        path = program_path(request.param)
        words = consumers.words_of(command, CPU)
        if not any(word.startswith("--json") for word in words):
            words.append("--json=json")
        process = start(*words, cwd=tmp_path, program=path)
        if end_by:
            assert outside.wait_for(lambda: any(
                outside.switches(task) > outside.STEADY_SWITCHES
                for pid in [process.pid, *outside.children(process.pid)]
                for task in tasks(pid)))    # some cycles, however many
            process.signal(end_by)
        assert process.finish() == 0, process.err
        return Output(process, tmp_path, request.param)
    return run


def commands_of(name):
    return pytest.mark.parametrize("command", consumers.COMMANDS[name])


@commands_of("linaro")
def test_linaro(call, command):
    output = call(command)
    passed, measured = consumers.linaro(output.file("json"))
    assert passed
    assert len(measured) == 3 * output.columns
    for number in range(output.columns):
        assert measured[f"t{number}-min"] <= measured[f"t{number}-avg"] <= \
            measured[f"t{number}-max"]


@commands_of("rteval")
def test_rteval(call, command):
    output = call(command, end_by=signal.SIGINT)
    columns, maxima = consumers.rteval(output.text)
    assert len(columns) == output.columns
    assert maxima == output.maxima()
    for column in columns:
        assert sum(column.values()) > 0


@commands_of("osadl")
def test_osadl(call, command):
    output = call(command)
    rows, largest = consumers.osadl(output.text)
    assert {len(row) for row in rows} == {1 + output.columns}
    assert largest == max(output.maxima())


@commands_of("openshift")
def test_openshift(call, command):
    output = call(command)
    assert consumers.openshift(output.text) == output.maxima()


@commands_of("crucible")
def test_crucible(call, command):
    output = call(command)
    assert consumers.crucible(output.file("histogram")) == \
        max(output.maxima())


@commands_of("canonical")
def test_canonical(call, command):
    """Threads after the first have the period asked for, and a distance."""
    output = call(command)
    wanted = output.columns if "--distance=0" in command else output.single
    assert consumers.canonical(output.text, 80, 200) >= wanted


@commands_of("phoronix")
def test_phoronix(call, command):
    output = call(command)
    assert consumers.phoronix(output.text) == output.maxima()[0]
