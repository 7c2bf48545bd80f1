# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers that pause, and outputs that fail: what does not depend on them is
measured and written as if they were not there."""

import fcntl
import os
import re
import resource
import signal
import socket
import termios

import pytest

import formats
import outside
import schema
import screen
import twoway

OLD = "what was there before\n"
PAUSED = "cannot write: its reader paused until a signal ended the wait"
NOT_PRINTED = re.compile(r"# Not printed: (\d+) cycles, as the reader did not "
                         r"keep up\n")
LOOPS = 12000       # of -v, more than is kept for a reader

# Every cycle as soon as the last is over: many, and 6 lines each.
FAST = ("--default-system", "-i", 0, "--sleep=0", "--json=json")


@pytest.fixture
def pipe():
    """Both ends; the reader's is closed with the test."""
    reader, writer = os.pipe()
    yield reader, writer
    for fd in reader, writer:
        try:
            os.close(fd)
        except OSError:
            pass


def read_all(fd):
    """What is still to come, as text."""
    with open(fd, closefd=False, encoding="ascii") as file:
        return file.read()


def is_there(path):
    return outside.wait_for(path.exists, timeout=60)


def text_written(path):
    return path.read_text(encoding="ascii")


FILES = {"--histfile=": "histogram", "--trltp-log=": "log", "--dump=": "dump",
         "--json=": "json"}


@pytest.mark.parametrize("kind", ["full device", "closed pipe"])
def test_other_files_are_whole(start, tmp_path, pipe, kind):
    """Standard output fails, which is told; nothing else is lost by it."""
    if kind == "closed pipe":
        os.close(pipe[0])
        stdout, why = pipe[1], "Broken pipe"
    else:
        stdout, why = os.open("/dev/full", os.O_WRONLY), \
            "No space left on device"
    for name in FILES.values():
        (tmp_path / name).write_text(OLD)
    process = start("--default-system", "-q", "-l", 100, "-i", 500, "-h", 400,
                    "--worst", *map("".join, FILES.items()), stdout=stdout)
    assert process.finish() == 1
    assert process.err == \
        f"twowaytest: standard output: cannot write: {why}\n"
    assert set(os.listdir(tmp_path)) == set(FILES.values())
    formats.parse_histogram(text_written(tmp_path / "histogram"))
    assert text_written(tmp_path / "log").startswith("Workers,0\n")
    assert len(twoway.read_dump(tmp_path / "dump")) == 100
    json = schema.check(text_written(tmp_path / "json"))
    assert json["return_code"] == 1
    assert f"twowaytest: {json['twoway']['error']}\n" == process.err


def limit_files(disposition):
    """For the process to be: files of 64 KiB at the most."""
    def limit():
        signal.signal(signal.SIGXFSZ, disposition)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    return limit


@pytest.mark.parametrize("disposition", [signal.SIG_IGN, signal.SIG_DFL])
def test_one_file_fails(start, tmp_path, disposition):
    """It stays what it was, what there is of the new one is kept beside it, and
    the others are written."""
    for name in FILES.values():
        (tmp_path / name).write_text(OLD)
    process = start("--default-system", "-q", "-D", 600, "-i", 0, "--sleep=0",
                    "-h", 400, *map("".join, FILES.items()),
                    preexec_fn=limit_files(disposition),
                    restore_signals=False)
    assert process.finish() == 1
    assert process.err == (
        "twowaytest: --dump=dump: cannot write: File too large; what was "
        "written before is kept in its directory as dump.partial\n")
    assert set(os.listdir(tmp_path)) == {*FILES.values(), "dump.partial"}
    assert twoway.read_dump(tmp_path / "dump.partial")
    assert text_written(tmp_path / "dump") == OLD
    formats.parse_histogram(text_written(tmp_path / "histogram"))
    assert text_written(tmp_path / "log").startswith("Workers,0\n")
    assert schema.check(text_written(tmp_path / "json"))["return_code"] == 1


def test_reader_that_sleeps_longer_than_the_run(start, tmp_path, pipe):
    """The files are there before it has read anything, and then it gets all:
    what was kept for it, and how much was not."""
    process = start(*FAST, "-v", "-l", LOOPS, "--dump=dump", stdout=pipe[1])
    os.close(pipe[1])
    assert is_there(tmp_path / "json")
    json = schema.check(text_written(tmp_path / "json"))
    assert json["return_code"] == 0
    assert json["twoway"]["cycles"] == LOOPS
    dumped = twoway.read_dump(tmp_path / "dump")
    assert len(dumped) + json["twoway"]["not_dumped"] == LOOPS
    assert process.process.poll() is None
    text = read_all(pipe[0])
    assert process.finish() == 0, process.err
    told = NOT_PRINTED.search(text)
    values = formats.parse_verbose([line for line in text.splitlines()
                                    if not line.startswith("#")])
    assert len(values) % 6 == 0 and values
    assert len(values) // 6 + int(told[1]) == len(dumped)


def test_duration_whatever_the_reader_does(start, tmp_path, pipe):
    """The results are those of the time that was asked for."""
    process = start("--default-system", "-v", "-D", 1, "-i", 200,
                    "--sleep=0", "--json=json", "--dump=dump",
                    stdout=pipe[1])
    assert is_there(tmp_path / "json")
    twoway_ = schema.check(text_written(tmp_path / "json"))["twoway"]
    # All expiries of 1 s, but not of the time that the reader needs.
    expiries = twoway_["cycles"] + twoway_["missed"]
    assert (expiries - 1) * 200e-6 <= twoway_["steps"][0]["elapsed_s"]
    assert len(twoway.read_dump(tmp_path / "dump")) + \
        twoway_["not_dumped"] == twoway_["cycles"]
    os.close(pipe[1])
    read_all(pipe[0])
    assert process.finish() == 0, process.err


@pytest.mark.parametrize("kind", ["pipe", "socket"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP],
                         ids=lambda n: n.name)
def test_sigterm_while_the_reader_sleeps(start, tmp_path, pipe, kind, number):
    """One is enough: nobody may be there to send a second."""
    ours, theirs = socket.socketpair()
    stdout = theirs if kind == "socket" else pipe[1]
    process = start(*FAST, "-v", "-D", 600, stdout=stdout)
    client = process.steady()["client"]
    # It is far ahead of what a pipe or a socket keeps for its reader.
    enough = outside.switches(client) + LOOPS
    assert outside.wait_for(lambda: outside.switches(client) > enough,
                            timeout=60)
    process.signal(number)
    assert process.gone()
    assert process.finish() == 1
    assert process.err == f"twowaytest: standard output: {PAUSED}\n"
    json = schema.check(text_written(tmp_path / "json"))
    assert json["return_code"] == 1
    assert json["twoway"]["interrupted"] is True
    assert f"twowaytest: {json['twoway']['error']}\n" == process.err
    ours.close()
    theirs.close()


def test_second_interrupt_ends_the_wait(start, tmp_path, pipe):
    """The first ends the run; whoever typed it may still want to read."""
    process = start(*FAST, "-v", "-D", 600, stdout=pipe[1])
    client = process.steady()["client"]
    enough = outside.switches(client) + LOOPS
    assert outside.wait_for(lambda: outside.switches(client) > enough,
                            timeout=60)
    process.signal(signal.SIGINT)
    assert is_there(tmp_path / "json")
    assert schema.check(text_written(tmp_path / "json"))["return_code"] == 0
    assert process.process.poll() is None
    process.signal(signal.SIGINT)
    assert process.gone()
    assert process.finish() == 1
    assert process.err == f"twowaytest: standard output: {PAUSED}\n"
    # What is told last holds.
    assert schema.check(text_written(tmp_path / "json"))["return_code"] == 1


def test_nobody_waits_for_a_load(start, tmp_path, pipe):
    """It ends with the measurement, not with the reader."""
    process = start(*FAST, "-v", "-l", LOOPS, "--load=fft", stdout=pipe[1])
    assert is_there(tmp_path / "json")
    assert process.process.poll() is None
    assert process.processes() == [process.pid]
    process.signal(signal.SIGTERM)
    assert process.gone()
    assert process.finish() == 1


def test_stopped_terminal(start, tmp_path):
    """Control-S, during the live display."""
    terminal = screen.Terminal(120, 24)
    termios.tcflow(terminal.slave, termios.TCOOFF)
    process = start("--default-system", "-l", 1000, "--json=json",
                    stdout=terminal.slave)
    assert is_there(tmp_path / "json")
    assert process.process.poll() is None
    json = schema.check(text_written(tmp_path / "json"))
    assert json["twoway"]["cycles"] == 1000
    termios.tcflow(terminal.slave, termios.TCOON)
    seen = terminal.watch()
    assert process.finish() == 0, process.err
    statuses = formats.parse_statuses(
        [line for line in seen.lines if line.startswith("T:")])
    assert {status.cycles for status in statuses} == {1000}
    # The first, over which the last is drawn; none piled up meanwhile.
    assert len(seen.pictures) < 3


def test_both_streams_of_one_reader(start, tmp_path, pipe):
    """Nobody reads why it could not be written: SIGTERM ends it all the
    same, and once is enough."""
    process = start("--default-system", "-v", "-D", 600, "-i", 500,
                    "--json=json", stdout=pipe[1], stderr=pipe[1])
    process.steady()
    os.set_blocking(pipe[1], False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(pipe[1], b"x" * 4096)
    process.signal(signal.SIGTERM)
    assert process.gone()
    assert process.finish() == 1
    assert schema.check(text_written(tmp_path / "json"))["return_code"] == 1


def test_status_is_not_waited_for(start, tmp_path, pipe):
    """SIGUSR1 with nobody who reads standard error."""
    filler, kept = b"x" * 4096, os.dup(pipe[1])
    process = start("--default-system", "-q", "-D", 600, "--json=json",
                    stderr=pipe[1])
    process.steady()
    os.set_blocking(kept, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(kept, filler)
    process.signal(signal.SIGUSR1)
    process.signal(signal.SIGTERM)
    assert process.gone()
    assert process.finish() == 0
    os.close(kept)


def test_dump_to_a_reader_that_sleeps(start, tmp_path):
    """A pipe in the place of a file holds nothing up either."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    process = start(*FAST, "-q", "-l", 2 * LOOPS, "--dump=pipe")
    assert is_there(tmp_path / "json")
    twoway_ = schema.check(text_written(tmp_path / "json"))["twoway"]
    assert twoway_["cycles"] == 2 * LOOPS
    assert twoway_["not_dumped"] > 0
    os.set_blocking(reader, True)
    (tmp_path / "dump").write_text(read_all(reader), encoding="ascii")
    assert process.finish() == 0, process.err
    assert f"# Not dumped: {twoway_['not_dumped']} cycles" in process.out
    assert len(twoway.read_dump(tmp_path / "dump")) + \
        twoway_["not_dumped"] == 2 * LOOPS
    os.close(reader)


@pytest.mark.parametrize("view", [(), ("-v",), ("-q",)], ids=str)
def test_descriptions_of_others_stay_as_they_are(start, pipe, view):
    """Whoever shares the pipe is not made non-blocking by us."""
    process = start("--default-system", "-D", 600, *view, stdout=pipe[1],
                    stderr=pipe[1])
    process.steady()
    assert not fcntl.fcntl(pipe[1], fcntl.F_GETFL) & os.O_NONBLOCK
    process.signal(signal.SIGUSR1)
    process.signal(signal.SIGINT)
    os.close(pipe[1])
    read_all(pipe[0])
    assert process.finish() == 0
