# SPDX-License-Identifier: GPL-2.0-or-later
"""The LAVA test and the rteval module with the priorities they ask for."""

import os
import pathlib
import shutil

import pytest

import outside
import rteval_stub

METRICS = 10            # with a timer
CONTRIB = pathlib.Path(__file__).resolve().parent.parent.parent / "contrib"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A PATH with the program in it."""
    (tmp_path / "bin").mkdir()
    os.symlink(outside.binary(), tmp_path / "bin" / "twowaytest")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/sbin:/usr/bin:/bin")


def check_priorities(results, client):
    assert results["return_code"] == 0
    processes = results["twoway"]["pairs"][0]
    for role, priority in (("client", client), ("server", client - 1)):
        assert processes[role]["policy"] == "fifo"
        assert processes[role]["priority"] == priority


def test_lava(start, path, tmp_path):
    shutil.copytree(CONTRIB / "lava", tmp_path / "lava")
    process = start("-D", 1, "-s", "true", cwd=tmp_path / "lava",
                    program="./twowaytest.sh")
    assert process.finish() == 0 and process.gone()
    output = tmp_path / "lava" / "output"
    assert (output / "result.txt").read_text().endswith("\ntwowaytest pass\n")
    check_priorities(outside.load_json(output / "twowaytest.json"), 98)


def test_rteval(path, tmp_path):
    loaded = rteval_stub.load(CONTRIB / "rteval" / "twowaytest.py")
    log = rteval_stub.Log()
    module = loaded.create(
        rteval_stub.Section(reportdir=str(tmp_path), priority="50"), log)
    module.start()
    module.start_event.set()
    try:
        assert outside.wait_for(module.get_subprocess_pids)
        main = module.get_subprocess_pids()[0]
        assert outside.wait_for(
            lambda: outside.measuring(outside.children(main)))
    finally:
        module.stop_event.set()
        assert module.finished_event.wait(20)
    assert all(map(rteval_stub.UNANSWERED.fullmatch, log.errors()))
    check_priorities(outside.load_json(tmp_path / "twowaytest.json"), 50)
    assert len(module.MakeReport().named("metric")) == METRICS
