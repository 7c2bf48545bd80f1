# SPDX-License-Identifier: GPL-2.0-or-later
"""What a test leaves behind that is killed, and can do nothing any more."""

import itertools
import os
import resource
import signal

import pytest

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


def test_dump_on_a_full_disk(run, tmp_path):
    """Whole lines of the cycles so far; the error says where they are."""
    def leave_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (ENOUGH, ENOUGH))

    (tmp_path / "dump").write_text("old\n")
    result = run(*ENDLESS, preexec_fn=leave_room)
    assert result.returncode == 1
    assert result.stderr == (
        "twowaytest: --dump=dump: cannot write: File too large; what was "
        "written before is kept in its directory as dump.partial\n")
    text = (tmp_path / "dump.partial").read_text()
    assert text.endswith("\n") and len(text) <= ENOUGH
    cycles = twoway.read_dump(tmp_path / "dump.partial")
    assert [one.cycle for one in cycles] == list(range(len(cycles)))
    assert len(cycles) > 10
    assert (tmp_path / "dump").read_text() == "old\n"


def test_dump_of_few_cycles(start, tmp_path):
    """They are there before they fill a buffer."""
    partial = tmp_path / "dump.partial"
    process = start("--default-system", "-q", "-i", 200000, "--dump=dump")
    assert outside.wait_for(lambda: partial.exists() and
                            partial.read_text().count("\n") > 2)
    assert partial.stat().st_size < ENOUGH
    process.signal(signal.SIGKILL)
    assert process.gone()


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


ALL = ("--dump=dump", "--json=json", "-h", 9, "--histfile=histogram",
       "--trltp-log=log")


@pytest.mark.parametrize("option", (
    ["--dump=dump"], ["--json=json"], ["--trltp-log=./log"],
    ["-h", 9, "--histfile=histogram"]))
def test_second_writer(start, run, tmp_path, option):
    """It is refused at its start, and the first is not disturbed."""
    process = start(*ENDLESS, *ALL)
    assert process.steady()
    before = os.listdir(tmp_path)
    result = run("--default-system", "-q", "-l", 50, *option)
    assert result.returncode == 1 and not result.stdout
    assert result.stderr == (
        f"twowaytest: {option[-1]}: cannot write: another run is writing this "
        "file; wait for its end, or name another file\n")
    assert os.listdir(tmp_path) == before
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert sorted(os.listdir(tmp_path)) == ["dump", "histogram", "json", "log"]
    assert twoway.read_dump(tmp_path / "dump")
    # Now it may.
    assert not run("--default-system", "-q", "-l", 50, *option).returncode


def test_two_at_once(start, tmp_path):
    """One of them is refused, so no files of different runs are left."""
    both = [start(*ENDLESS, *ALL) for _ in range(2)]
    assert outside.wait_for(lambda: any(one.process.poll() is not None
                                        for one in both))
    (refused, other) = sorted(both, key=lambda one: one.process.poll() is None)
    assert refused.finish() == 1
    assert other.steady()
    other.signal(signal.SIGINT)
    assert other.finish() == 0
    assert sorted(os.listdir(tmp_path)) == ["dump", "histogram", "json", "log"]
