# SPDX-License-Identifier: GPL-2.0-or-later
"""What a test leaves behind that is killed, and can do nothing any more."""

import itertools
import os
import signal

import outside
import twoway

# Until nobody wants it any longer; the dump's first lines soon come.
ENDLESS = ("--default-system", "-q", "-i", 1000, "--dump=dump")
ENOUGH = 4096       # bytes


def killed(start, directory):
    """The unfinished dump of a test killed amid it."""
    partial = directory / "dump.partial"
    process = start(*ENDLESS)
    assert process.steady()
    assert outside.wait_for(lambda: partial.exists() and
                            partial.stat().st_size > ENOUGH)
    process.signal(signal.SIGKILL)
    assert process.gone()
    assert process.finish() == -signal.SIGKILL
    return partial


def test_dump(start, tmp_path):
    """Whole lines, of all cycles from the first on; the old file stays."""
    (tmp_path / "dump").write_text("old\n")
    partial = killed(start, tmp_path)
    assert partial.read_text().endswith("\n")
    cycles = twoway.read_dump(partial)
    assert len(cycles) > 10
    for before, after in itertools.pairwise(cycles):
        assert after.cycle == before.cycle + 1
    assert cycles[0].cycle == 0
    assert (tmp_path / "dump").read_text() == "old\n"
    assert sorted(os.listdir(tmp_path)) == ["dump", "dump.partial"]


def test_dump_next(start, tmp_path):
    """The next test begins anew, and leaves only the whole."""
    before = killed(start, tmp_path).stat().st_ino
    process = start(*ENDLESS)
    assert process.steady()
    assert (tmp_path / "dump.partial").stat().st_ino != before
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert os.listdir(tmp_path) == ["dump"]
    assert twoway.read_dump(tmp_path / "dump")


def test_dump_of_two(start, run, tmp_path):
    """At the same time to the same file: the last to end has it, whole."""
    process = start(*ENDLESS)
    assert process.steady()
    result = run("--default-system", "-q", "-l", 50, "--dump=dump")
    assert not result.returncode, result.stderr
    assert len(twoway.read_dump(tmp_path / "dump")) == 50
    assert (tmp_path / "dump.partial").exists()
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert os.listdir(tmp_path) == ["dump"]
    assert twoway.read_dump(tmp_path / "dump")
