# SPDX-License-Identifier: GPL-2.0-or-later
"""The two programs that have the same words."""

import os
import pathlib
import signal
import subprocess

import pytest

import outside
import series


def group_of(pid):
    """None: it has ended."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


class Program:
    """One of them, run in a directory of the test's own."""

    def __init__(self, name, path, directory):
        self.name, self.path, self.directory = name, path, directory
        self.running = []

    def start(self, *words, **options):
        process = subprocess.Popen(
            [self.path, *map(str, words)], cwd=self.directory, text=True,
            stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE,
                                         "stderr": subprocess.PIPE, **options})
        self.running.append(process)
        return process

    def run(self, *words, status=0, **options):
        """To its end; (standard output, standard error)."""
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=60)
        assert process.returncode == status, (process.returncode, out, err)
        return out or "", err or ""

    group_of = staticmethod(group_of)

    def path_of(self, name):
        return self.directory / name

    def children(self, process):
        """Of the process: {pid: name}."""
        path = f"/proc/{process.pid}/task/{process.pid}/children"
        pids = pathlib.Path(path).read_text(encoding="ascii").split()
        return {int(pid): outside.read(f"/proc/{pid}/comm").strip()
                for pid in pids}

    def loads(self, process, count):
        """The processes of its loads, each of which leads a group."""
        def found():
            return [pid for pid in self.children(process)
                    if group_of(pid) == pid]

        assert outside.wait_for(lambda: len(found()) == count)
        return found()

    def servers(self, process, count=1):
        """Their processes, once they have answered some requests."""
        def found():
            return [pid for pid, name in self.children(process).items()
                    if name in ("twoway-server", "twowaytest-gcc")
                    and group_of(pid) != pid]

        assert outside.wait_for(lambda: len(found()) == count and all(
            outside.switches(pid) > outside.STEADY_SWITCHES
            for pid in found()))
        return found()

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.communicate()


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The program of the series, after its last patch."""
    tree = tmp_path_factory.mktemp("series") / "tree"
    series.plant(tree)
    series.git(tree, "am", "-q", *series.TOOL)
    return series.build(tree, "gcc", "-Wno-unused-parameter -Wno-sign-compare")


@pytest.fixture
def of_series(built, tmp_path):
    program = Program("series", built, tmp_path)
    yield program
    program.end()


@pytest.fixture(params=["series", "standalone"])
def program(request, tmp_path):
    if request.param == "series":
        path = request.getfixturevalue("built")
    else:
        path = os.path.abspath(outside.binary())
    found = Program(request.param, path, tmp_path)
    yield found
    found.end()
