# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of a long test so far: main's minutes take 0.3 s each."""

import os
import signal

import outside
import pytest
import schema

LONG = ("-q", "-i", 1000, "--json=json")


@pytest.fixture
def hurried(start, hurry, tmp_path):
    def run(*options):
        return start(*LONG, *options, cwd=tmp_path,
                     env={"LD_PRELOAD": hurry})
    return run


def written(directory, cycles=0):
    """The partial results, once there are some of more cycles."""
    def results():
        try:
            text = (directory / "json.partial").read_text()
        except FileNotFoundError:
            return None
        # Always whole.
        found = schema.check(text)
        return found["twoway"]["cycles"] > cycles and found
    found = outside.wait_for(results, 20)
    assert found
    return found


def check(results):
    twoway = results["twoway"]
    assert twoway["partial"] is True
    assert results["return_code"] == 1 and twoway["error"]
    assert not twoway["interrupted"]
    for thread in results["thread"].values():
        if "histogram" in thread:
            assert sum(thread["histogram"].values()) + \
                thread["overflows"] == thread["cycles"]


@pytest.mark.parametrize("options", [
    (), ("-h", 500, "--worst", "--spike=1", "--limit=total:9"),
    ("-D", "3h", "--load=command:sleep 9", "--steps=2")])
def test_killed(hurried, tmp_path, options):
    (tmp_path / "json").write_text("old")
    run = hurried(*options)
    first = written(tmp_path)
    check(first)
    last = written(tmp_path, first["twoway"]["cycles"])
    check(last)
    assert first["start_time"] == last["start_time"]
    run.signal(signal.SIGKILL)
    assert run.gone()
    check(written(tmp_path))
    assert (tmp_path / "json").read_text() == "old"
    # Written anew just then, it may be known by its first number.
    assert {"json", "json.partial"} == {
        name for name in os.listdir(tmp_path)
        if not name.startswith(".twowaytest.")}


def test_ended(hurried, tmp_path):
    """Nothing is partial about the results at the end."""
    run = hurried()
    cycles = written(tmp_path)["twoway"]["cycles"]
    run.signal(signal.SIGINT)
    assert run.finish() == 0, run.err
    assert os.listdir(tmp_path) == ["json"]
    results = schema.check((tmp_path / "json").read_text())
    assert "partial" not in results["twoway"]
    assert results["return_code"] == 0 and not results["twoway"]["error"]
    assert results["twoway"]["cycles"] >= cycles


def test_short(hurried, tmp_path):
    """To it, 2 minutes: main writes nothing meanwhile."""
    run = hurried("-D", 120)
    while run.process.poll() is None:
        assert "json.partial" not in os.listdir(tmp_path)
    assert run.finish() == 0, run.err
    assert os.listdir(tmp_path) == ["json"]


