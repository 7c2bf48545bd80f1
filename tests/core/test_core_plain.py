# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files are plain files: opened once, at the start, as `cat >FILE` opens
them, and written in place."""

import fcntl
import os
import pathlib
import re
import signal
import stat
import sys
import termios

import pytest

import outside
import plain
import results
import test_core_calls
import twowaytest

FILES = [("--json=",), ("-h", "500", "--histfile="), ("--trltp-log=",),
         ("--dump=",), ("--timeline=",)]
AT_END = FILES[:3]
STREAMS = FILES[3:]


def named(option, path):
    return [*option[:-1], f"{option[-1]}{path}"]


@results.root
@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("case", plain.CASES)
def test_as_cat_does(case, option):
    plain.check(case, lambda path: [
        outside.binary(), "-q", "-l", "5", "--default-system",
        *named(option, path)])


@results.root
@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("kind", ["file", "link"])
def test_nothing_under_another_name(run, option, kind):
    """What others have put at a name that could be guessed is not touched."""
    (run.directory / "victim").write_bytes(plain.OLD)

    def plant():
        path = pathlib.Path(f"f.{os.getpid()}")
        if kind == "link":
            path.symlink_to("victim")
        else:
            path.write_bytes(plain.OLD)
            os.chown(path, plain.OTHER, plain.OTHER)

    done = run("-q", "-l", 5, *named(option, "f"), preexec_fn=plant)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.files == {"f", f"f.{done.pid}"}
    assert done.path(f"f.{done.pid}").read_bytes() == plain.OLD
    assert run.directory.joinpath("victim").read_bytes() == plain.OLD
    of = done.path("f").lstat()
    assert (stat.filemode(of.st_mode), of.st_uid) == ("-rw-r--r--", 0)


@pytest.mark.parametrize("option", FILES)
def test_written_in_place(run, option):
    """The same file, cut where the new ends; by its other names, too."""
    file = run.directory / "f"
    file.write_bytes(plain.OLD)
    os.link(file, run.directory / "hard")
    before = file.stat()
    done = run("-q", "-l", 5, *named(option, "f"))
    assert (done.returncode, done.files) == (0, set())
    assert file.stat().st_ino == before.st_ino
    text = file.read_bytes()
    assert run.directory.joinpath("hard").read_bytes() == text
    assert b"what was" not in text and b"\0" not in text
    if option == FILES[0]:
        results.check(file)


@pytest.mark.parametrize("option", AT_END)
def test_what_was_there_stays_until_the_end(start, option):
    """If main is killed, for good."""
    for end in signal.SIGKILL, signal.SIGINT:
        file = start.directory / "f"
        file.write_bytes(plain.OLD)
        process = start("-q", *named(option, "f"))
        process.steady()
        assert file.read_bytes() == plain.OLD
        process.signal(end)
        status = process.finish()
        assert process.gone() and os.listdir(start.directory) == ["f"]
        assert (file.read_bytes() == plain.OLD) == (status != 0)


@pytest.mark.parametrize("option", FILES)
def test_new_file_of_a_run_that_is_killed(start, option):
    """Empty, or with the rows until then; no other file is there."""
    process = start("-q", *named(option, "f"))
    process.steady()
    assert os.listdir(start.directory) == ["f"]
    file = start.directory / "f"
    assert option in AT_END or outside.wait_for(lambda: file.stat().st_size)
    process.signal(signal.SIGKILL)
    process.finish()
    assert process.gone() and os.listdir(start.directory) == ["f"]
    text = file.read_text(encoding="ascii")
    assert bool(text) == (option in STREAMS)
    assert text[-1:] in ("", "\n")


@pytest.mark.parametrize("old", [True, False])
def test_refused_command_line(run, old):
    """What was there stays; nothing new is made."""
    words, names = [], {f"f{i}" for i in range(len(FILES))}
    for name, option in zip(sorted(names), FILES):
        if old:
            run.directory.joinpath(name).write_bytes(plain.OLD)
        words += named(option, name)
    done = run("-q", *words, "--histogram=9", "--stamps=all",
               "--transport=unix")
    assert done.returncode == 1 and "T:" not in done.stdout
    assert re.search("^FATAL: --stamps=all: allowed only with ", done.stderr,
                     re.M)
    assert not done.files and all(
        run.directory.joinpath(name).read_bytes() == plain.OLD
        for name in names if old)


@results.root
@pytest.mark.parametrize("option", FILES)
def test_start_that_fails(public, option):
    """By the kernel: what was there stays."""
    (public / "f").write_bytes(plain.OLD)
    (public / "f").chmod(0o666)
    process = twowaytest.start(
        "-q", "-l", 5, "-p", 50, *named(option, "f"), directory=public,
        program=public / "twowaytest", preexec_fn=outside.nobody(RTPRIO=0))
    assert process.finish() == 1 and "T:" not in process.out
    assert "cannot get its scheduling policy" in process.err
    assert (public / "f").read_bytes() == plain.OLD
    assert sorted(os.listdir(public)) == ["f", "twowaytest"]


def others_have(process, name):
    """Which of its processes have this open, besides main."""
    return [outside.read(f"/proc/{pid}/comm").strip()
            for pid in process.processes() if pid != process.pid
            and name in outside.open_files(pid)]


LOADS = ("--load=fft:1", "--load=command:exec sleep 60")


@results.root
@pytest.mark.parametrize("option", FILES)
def test_reader_of_a_pipe_sees_the_end(start, option):
    """Whoever lives longer than main does not have the pipe open."""
    fifo = start.directory / "fifo"
    reader = outside.fifo(fifo)
    process = start("-q", "-b", 10**6, "--on-break=true", *LOADS,
                    *named(option, fifo))
    process.steady()
    guard, = process.named("twoway-guard")
    assert others_have(process, str(fifo)) == []
    os.kill(guard, signal.SIGSTOP)
    process.signal(signal.SIGKILL)
    process.process.wait()

    def at_end():
        try:
            return not os.read(reader, 65536)
        except BlockingIOError:
            return False

    assert outside.wait_for(at_end, 10)
    process.finish()
    assert process.gone()
    os.close(reader)


def test_standard_output_is_for_main_alone(start):
    """With --json=-; so that whoever reads it sees its end."""
    process = start("-q", "--json=-", *LOADS)
    process.steady()
    inode = os.fstat(process.process.stdout.fileno()).st_ino
    assert f"pipe:[{inode}]" in outside.open_files(process.pid)
    assert others_have(process, f"pipe:[{inode}]") == []
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    results.check(process.out)


@pytest.mark.parametrize("appends", [False, True])
def test_json_in_the_midst_of_a_file(run, appends):
    """As standard output it is added, and cuts nothing off."""
    file = run.directory / "f"
    file.write_bytes(plain.OLD)
    flags = os.O_WRONLY | (os.O_APPEND if appends else 0)
    fd = os.open(file, flags)
    os.write(fd, b"head\n")
    done = run("-q", "-l", 5, "--json=-", stdout=fd)
    assert done.returncode == 0
    tail = b"tail\n"
    os.write(fd, tail)
    os.close(fd)
    text = file.read_bytes()
    if appends:
        assert text.startswith(plain.OLD + b"head\n") and text.endswith(tail)
        results.check(text[len(plain.OLD) + 5:-len(tail)].decode())
    else:
        end = text.index(tail)
        assert len(text) == len(plain.OLD)
        results.check(text[5:end].decode())


@pytest.mark.parametrize("option", FILES[1:])
def test_json_and_another_in_one_file(run, option):
    """Standard output is where the JSON goes: another option writes it."""
    file = run.directory / "out"
    with open(file, "wb") as out:
        done = run("-q", "-l", 5, "--json=-", *named(option, "out"),
                   stdout=out)
    assert (done.returncode, file.read_bytes()) == (1, b"")
    assert "\nFATAL: out: cannot be written: another option writes it\n" in \
        f"\n{done.stderr}"


@pytest.mark.parametrize("option", AT_END)
def test_standard_output_by_its_name(run, option):
    """A pipe: behind the text, as ever."""
    done = run("-q", "-l", 5, *named(option, "/dev/stdout"))
    assert (done.returncode, done.files) == (0, set())
    text, sign, rest = done.stdout.partition(
        {"--json=": "{\n", "--histfile=": "# Histogram\n",
         "--trltp-log=": "Workers,"}[option[-1]])
    assert results.text(text).threads[0].cycles == 5 and rest
    if option == FILES[0]:
        results.check(sign + rest)


def waiting_in(fd):
    """How many bytes wait there."""
    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)),
                          sys.byteorder)


def test_pipe_that_takes_no_more(start):
    """At the end, its reader is waited for."""
    fifo = start.directory / "fifo"
    reader = outside.fifo(fifo)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    process = start("-q", "-l", 5, f"--json={fifo}")
    assert outside.wait_for(lambda: waiting_in(reader) == 4096)
    os.set_blocking(reader, True)
    with open(reader, encoding="utf-8") as file:
        text = file.read()
    assert process.finish() == 0, process.err
    assert len(text) > 4096
    results.check(text)


def test_command_that_does_not_have_them(run):
    """Of --on-break, which main starts itself."""
    words = sum((named(option, f"file{i}")
                 for i, option in enumerate(FILES)), [])
    done = run("-q", "-D", 5, "-b", 1, "--on-break=ls -l /proc/self/fd >fds",
               *words)
    assert done.returncode == 2, done.stderr
    assert done.files == {"fds", *(f"file{i}" for i in range(len(FILES)))}
    assert "fds" in done.text("fds") and "file" not in done.text("fds")


def test_calls(run):
    """Of each file: opened once, written, cut, put on the disk, closed."""
    words = sum((named(option, f"file{i}")
                 for i, option in enumerate(FILES)), [])
    main = test_core_calls.traced(run, "-l", 20, *words)["main"][0]
    for i, option in enumerate(FILES):
        at, = [at for at, line in enumerate(main) if f'"file{i}"' in line]
        match = re.fullmatch(
            rf'openat\(AT_FDCWD, "file{i}", O_WRONLY\|O_CREAT\|O_NOCTTY\|'
            r"O_NONBLOCK\|O_CLOEXEC, 0666\) = (\d+)", main[at])
        own = [line.split("(")[0] for line in main[at + 1:] if re.match(
            rf"(?!fcntl|fstat|newfstat|statx)\w+\({match[1]}\b", line)]
        own = own[:own.index("close") + 1]
        if option in STREAMS:
            assert own[0] == "ftruncate" and set(own[1:-2]) == {"write"}
        else:
            assert own[:-2] == ["fallocate", "write", "ftruncate"]
        assert own[-2:] == ["fsync", "close"]
    assert not [line for line in main if re.match(
        r"(f?ch(mod|own)|rename|(un|sym)?link|mkdir|utime)", line)]
