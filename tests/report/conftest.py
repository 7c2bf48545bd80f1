# SPDX-License-Identifier: GPL-2.0-or-later
"""The report, and how it is run. Skipped where its modules are missing."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import types

import pytest

import made
import made_hosts
from made import REPORT

sys.dont_write_bytecode = True
MISSING = [name for name in ("numpy", "matplotlib")
           if not importlib.util.find_spec(name)]

sys.path[:0] = [str(REPORT), str(REPORT.parent)]


def pytest_collection_modifyitems(items):
    if MISSING:
        reason = f"not installed: {', '.join(MISSING)}"
        for item in items:
            if item.path.parent == pathlib.Path(__file__).parent:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def report(tmp_path, monkeypatch, capfd):
    """Runs twowayreport in a directory of the test's own.

    Within this process, as starting matplotlib takes longer than the rest.
    """
    loader = importlib.machinery.SourceFileLoader(
        "twowayreport", str(REPORT / "twowayreport"))
    spec = importlib.util.spec_from_loader("twowayreport", loader)
    program = importlib.util.module_from_spec(spec)
    loader.exec_module(program)
    monkeypatch.chdir(tmp_path)

    def run(*args, status=0):
        monkeypatch.setattr("sys.argv", ["twowayreport", *map(str, args)])
        capfd.readouterr()
        try:
            code = program.main()
        except SystemExit as end:
            code = end.code
        out = capfd.readouterr()
        assert code == status, out.out + out.err
        if status != 1:
            assert out.err == "" or "left out" in out.err or \
                "are left there" in out.err
        return types.SimpleNamespace(stdout=out.out, stderr=out.err)

    run.directory = tmp_path
    return run


@pytest.fixture
def refused(report):
    """Runs it with what it must refuse: one line of reason, no file."""
    def run(*args):
        before = sorted(report.directory.rglob("*"))
        result = report(*args, status=1)
        assert result.stdout == ""
        assert result.stderr.startswith("twowayreport: ")
        assert "Traceback" not in result.stderr
        assert sorted(report.directory.rglob("*")) == before
        return result.stderr

    run.directory = report.directory
    return run


@pytest.fixture
def hosts_json(report):
    """Of a run between two hosts, x."""
    return made.write(report.directory, "x.json",
                      made_hosts.twoway(made_hosts.ROWS))


@pytest.fixture
def hosts_dump(report):
    """The same run's."""
    return made.write(report.directory, "x.csv",
                      made.dump(made_hosts.ROWS))
