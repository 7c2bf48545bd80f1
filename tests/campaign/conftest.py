# SPDX-License-Identifier: GPL-2.0-or-later
"""A campaign, with stubs or with the real programs."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import types

import outside
import pytest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
CAMPAIGN = HERE.parents[1] / "contrib/campaign/campaign"
# Of contrib: the campaign's modules, and those that the tools share.
sys.path[:0] = [str(CAMPAIGN.parent), str(CAMPAIGN.parents[1])]


@pytest.fixture
def stubs(tmp_path):
    """A directory with programs that only take their time."""
    directory = tmp_path / "stubs"
    directory.mkdir()
    for name in ("twowaytest", "cyclictest", "hackbench"):
        shutil.copy(HERE / "stub.py", directory / name)
        os.chmod(directory / name, 0o755)
    return directory


@pytest.fixture
def turn():
    """A machine takes one campaign at a time; other tests may have some."""
    with open("/proc/sys/kernel/sched_rr_timeslice_ms", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def launch(tmp_path, turn):
    """Starts a campaign in a directory of the test's own: outside.Run."""
    runs = []

    def start(*args, **options):
        runs.append(outside.Run(*args, program=str(CAMPAIGN), cwd=tmp_path,
                                **options))
        return runs[-1]

    yield start
    for run in runs:
        run.end()


@pytest.fixture
def begin(launch, stubs):
    """Starts one with stubs, in which an environment may be given."""
    def start(*args, stdout=subprocess.PIPE, preexec_fn=None, **env):
        path = f"{stubs}:{os.environ['PATH']}"
        return launch("-T", stubs / "twowaytest", "-C", stubs / "cyclictest",
                      *args, env={"PATH": path, **env}, stdout=stdout,
                      preexec_fn=preexec_fn)

    return start


@pytest.fixture
def campaign(begin):
    """Runs one with stubs to its end: stdout, stderr."""
    def run(*args, status=0, **env):
        run = begin(*args, **env)
        assert run.finish() == status, run.out + run.err
        assert run.gone(), "processes are left"
        return types.SimpleNamespace(stdout=run.out, stderr=run.err)

    return run


@pytest.fixture
def plan(campaign):
    """What --dry-run prints: rows of heading and command lines."""
    def run(*args):
        out = campaign("--dry-run", *args).stdout
        assert out.endswith("\n")
        rows = []
        for line in out.splitlines():
            if line.startswith("["):
                rows.append([line])
            elif line.startswith("  "):
                rows[-1].append(line.strip())
        return rows, out.splitlines()[-1]

    return run


@pytest.fixture
def refused(campaign, tmp_path):
    """Runs one that must be refused, with a reason: no file is made."""
    def run(*args, **env):
        before = sorted(tmp_path.rglob("*"))
        result = campaign(*args, status=1, **env)
        assert result.stdout == ""
        assert result.stderr.startswith("campaign: ")
        assert "Traceback" not in result.stderr
        assert sorted(tmp_path.rglob("*")) == before
        return result.stderr

    return run


def state_of(directory):
    return json.loads((directory / "campaign.json").read_text("utf-8"))
