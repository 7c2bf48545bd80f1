# SPDX-License-Identifier: GPL-2.0-or-later
"""Files besides the text and the JSON tell, too, how the run has ended: none of
a run that was cut off or disturbed looks like a good one."""

import os
import re
import signal

import pytest

import ended
import outside
import results
from hang import Hang, pids_of, stall_main

FILES = ("--dump=dump", "--timeline=line", "-h", 50, "--histfile=h")
UNTIL = "this is what was measured until then"
FAILED = f"# Failed: standard error says why: {UNTIL}"
SIGNAL = f"# Ended by a signal: {UNTIL}"


def told(directory):
    """The same lines in each file, at its end."""
    dump = ended.told((directory / "dump").read_text())
    line = ended.told((directory / "line").read_text())
    histogram = (directory / "h").read_text()
    assert histogram.startswith("# Histogram\n")
    *_, end = histogram.split("\n\n")   # a line is empty below the histogram
    assert dump == line == end.splitlines()
    return dump


def assert_told(process, directory, *patterns):
    """Each of these, and in this order, as in the text."""
    found = told(directory)
    assert len(found) == len(patterns), found
    for text, pattern in zip(found, patterns):
        assert re.fullmatch(pattern, text)
    lines = getattr(process, "out", None) or process.stdout
    places = [lines.splitlines().index(text) for text in found]
    assert places == sorted(places)


@pytest.mark.parametrize("more", [(), ("-t2", "-d0"), (
    "--load=fft", "--steps=2")])
def test_good_run(run, more):
    done = run("-q", "-l", 120, *FILES, *more)
    assert (done.returncode, done.stderr) == (0, "")
    assert_told(done, done.directory)
    steps, pairs = 1 + ("--steps=2" in more), 1 + ("-t2" in more)
    assert len(ended.rows(done.text("dump"))) == 120 * steps * pairs
    assert len(ended.rows(done.text("line"))) == steps


def test_a_single_row(run):
    """It is one row."""
    done = run("-q", "-l", 1, *FILES)
    assert done.text("dump").endswith("\n# End: 1 row\n")
    assert done.text("line").endswith("\n# End: 1 row\n")


@pytest.mark.parametrize("until", [(), ("-D", 600), ("-l", 10 ** 6)])
def test_signal(start, until):
    """Before its end; else a signal is its usual end."""
    process = start("-q", *FILES, *until)
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    # A cycle that the signal cut short may have been the longest.
    cut = [re.escape(line) for line in told(start.directory)
           if line.startswith(("# Unanswered: ", "# Not woken: "))]
    assert_told(process, start.directory, *cut,
                *[re.escape(SIGNAL)] * bool(until))


def test_killed(start):
    """Of one that was killed by itself, dump and timeline have no end."""
    process = start("-q", *FILES)
    process.steady()
    assert outside.wait_for(
        lambda: (start.directory / "line").read_text().count("\n") > 3 and
        (start.directory / "dump").read_text().count("\n") > 3)
    process.signal(signal.SIGKILL)
    process.finish()
    for name in "dump", "line":
        assert "# End" not in (start.directory / name).read_text()
    assert not (start.directory / "h").read_text()


@pytest.mark.parametrize("victim", ["client", "server"])
def test_failed(start, victim):
    process = start("-q", *FILES)
    os.kill(process.steady()[victim], signal.SIGKILL)
    assert process.finish() == 1
    found = told(start.directory)
    assert found[-1] == FAILED and process.out.splitlines()[-1] == FAILED


def test_unanswered(start):
    process = start("-q", *FILES)
    hang = Hang(process, pids_of(process, "server"))
    hang.end(signal.SIGINT)
    assert_told(process, start.directory,
                "# Unanswered: pair 0, cycle .* us for the reply; .*")


BREAK = "# Break thread: .*", "# Break value: .*", "# Break: pair 0, cycle .*"


def test_break(run):
    done = run("-q", "-b", 1, *FILES)
    assert done.returncode == 2
    assert_told(done, done.directory, *BREAK)


def test_breaks(run):
    done = run("-q", "-b", 1, *FILES, "--breaks=3")
    assert done.returncode == 2
    causes = len(re.findall("^# +[1-3] .*", done.stdout, re.M))
    assert 1 <= causes <= 3
    assert_told(done, done.directory, *BREAK, "# Breaks: 3", "# +breaks .*",
                *["# +[1-3] .*"] * causes)


def test_clock_that_is_set(run, shim):
    done = run("-q", "-l", 60, "-c", "realtime", *FILES,
               env=shim("client:send:set:9:5000"))
    assert_told(done, done.directory,
                "# Clock realtime was set 1 time, by .*")


def test_limits(run):
    """Exceeded or met; the status is 2."""
    done = run("-q", "-l", 20, "--limit=0", "--limit=missed:99999", *FILES)
    assert done.returncode == 2
    assert_told(done, done.directory, "# Limit 0: exceeded: .*",
                "# Limit missed:99999: met: .*")


def test_moved(start):
    process = start("-q", *FILES)
    os.sched_setscheduler(process.steady()["server"], os.SCHED_BATCH,
                          os.sched_param(0))
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert_told(process, start.directory,
                "# Changed while it ran: pair 0: server, .*")


@results.root
def test_disk_that_fills_up(run, small):
    """What has no room for its end has none; the others tell that it failed."""
    done = run("-q", "-i", 200, "-D", 60, f"--dump={small / 'dump'}",
               "--timeline=line", "-h", 50, "--histfile=h", timeout=30)
    assert done.returncode == 1
    assert "# End" not in (small / "dump").read_text()
    assert ended.told(done.text("line")) == [FAILED]
    assert done.text("h").endswith(f"\n\n{FAILED}\n")


def test_cycles_that_a_file_lacks(start):
    """It tells so itself, and of no other."""
    process = start("-q", "-i0", "--sleep=0", "--dump=dump", "--timeline=line")
    stall_main(process)
    lines = process.out.splitlines()
    for name, what in (("dump", "dumped"), ("line", "in the timeline")):
        line, = ended.told((start.directory / name).read_text())
        assert re.fullmatch(f"# Not {what}: [1-9][0-9]* cycles", line)
        assert line in lines
