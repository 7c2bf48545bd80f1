# SPDX-License-Identifier: GPL-2.0-or-later
"""Standard output and files that are closed, full, links, pipes or devices."""

import contextlib
import fcntl
import os
import re
import resource
import signal
import stat
import subprocess

import pytest

import outside
import results


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (0, 1, 2),
                                    (1, 2), (0, 2)])
def test_closed_descriptors(run, closed):
    """Nothing of ours gets their numbers; without stdout, status 1."""
    done = run("-q", "-l", 20, "--json=json", preexec_fn=lambda: [
        os.close(fd) for fd in closed])
    assert done.returncode == (1 if 1 in closed else 0)
    json = results.loaded(done)
    assert json["return_code"] == done.returncode
    assert ("standard output" in done.stderr) == \
        (1 in closed and 2 not in closed)


@pytest.mark.parametrize("options", [
    ("-q", "-l", 20), ("-q", "-l", 20, "-h", 50), ("-v",), ("-v", "-u"),
    ("-q", "-l", 20, "--json=-")])
def test_full_stdout(run, options):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = run(*options, stdout=full)
    assert done.returncode == 1
    assert "standard output" in done.stderr


def test_a_reader_that_leaves(start):
    """twowaytest -v | head: it ends."""
    process = start("-v")
    os.read(process.process.stdout.fileno(), 5)
    process.process.stdout.close()
    process.process.stdout = None
    process.finish(10)
    assert process.process.returncode == 1 and process.gone()


def writes(pid):
    """Whether it waits until it can write, as the kernel says."""
    return "pipe_write" in outside.read(f"/proc/{pid}/wchan") or \
        outside.read(f"/proc/{pid}/syscall").startswith("1 0x1 ")


@pytest.mark.parametrize("number", [
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("options", [("-v",), ("-v", "-u"), ("-v", "-t2")])
def test_a_reader_that_stops(start, number, options):
    """A signal ends the run nevertheless; the other results are whole."""
    process = start("-i", 200, "--json=json", *options)
    assert outside.wait_for(lambda: writes(process.pid))
    process.signal(number)
    pipe, process.process.stdout = process.process.stdout, None
    assert process.finish(10) == 1 and process.gone()
    with pipe:
        out = pipe.read()
    assert re.fullmatch(r"(?:#.*\n)*(?: +\d+: +\d+: +-?\d+\n)+.*", out)
    assert process.err.splitlines()[-1] == \
        "WARN: cannot write to standard output: nobody reads it"
    json = results.check(start.directory / "json")
    assert json["return_code"] == 1 and json["twoway"]["interrupted"]


@pytest.mark.parametrize("numbers", [
    (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)])
def test_results_that_nobody_reads(start, numbers):
    """After SIGINT, a user may read them by hand, until there is another."""
    process = start("-q", "-t9", "--metrics=all", "--json=json")
    process.steady()
    pipe, process.process.stdout = process.process.stdout, None
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    for number in numbers:
        process.signal(number)
        assert outside.wait_for(lambda: writes(process.pid))
    if len(numbers) == 1:
        assert process.finish(30) == 1
    else:
        assert process.finish(10) == 1
    with pipe:
        assert pipe.read().startswith("#")
    assert "nobody reads it" in process.err and process.gone()


def test_an_error_that_nobody_reads(start):
    """Standard error, too, may be full: 2>&1 | less."""
    process = start("-v", "-i", 200, stderr=subprocess.STDOUT)
    assert outside.wait_for(lambda: writes(process.pid))
    process.signal(signal.SIGTERM)
    pipe, process.process.stdout = process.process.stdout, None
    assert process.finish(10) == 1 and process.gone()
    pipe.close()


FILES = [("--json=",), ("-h", "500", "--histfile="), ("--trltp-log=",),
         ("--dump=",), ("--timeline=",)]
STREAMS = FILES[3:]


@results.root
@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("old", [None, b"\0" * 100])
def test_full_file_system(run, small, option, old):
    """Where there is no room, what was there stays, but where rows were
    written; the results are printed."""
    file = small / "file"
    if old:     # which has no memory that could be used again
        file.touch()
        os.truncate(file, len(old))
    with contextlib.suppress(OSError), \
            open(small / "fill", "wb", buffering=0) as fill:
        while fill.write(b"x" * 4096):
            pass
    done = run("-q", "-l", 20, *option[:-1], f"{option[-1]}{file}")
    assert done.returncode == 1
    assert f"WARN: {file}: cannot be written: No space left on device\n" in \
        done.stderr
    assert sorted(os.listdir(small)) == ["file", "fill"]
    assert file.read_bytes() == (b"" if option in STREAMS else old or b"")
    # A stream that fails ends the run, on a busy machine before a cycle.
    assert re.search("T:|# Histogram", done.stdout) or \
        "no cycle was measured" in done.stderr


@pytest.fixture
def disk(tmp_path):
    """A file system that allocates by and by, with 12 KiB to spare."""
    directory, image = tmp_path / "disk", tmp_path / "image"
    directory.mkdir()
    with open(image, "wb") as file:
        file.truncate(1 << 20)
    for command in (["mkfs.ext4", "-q", "-b", "1024", image],
                    ["mount", "-o", "loop", image, directory]):
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            pytest.skip(f"no ext4: {done.stderr.strip()}")
    (directory / "file").write_bytes(b"old")
    with contextlib.suppress(OSError), \
            open(directory / "fill", "wb", buffering=0) as fill:
        while fill.write(b"x" * 1024):
            pass
    os.truncate(directory / "fill", (directory / "fill").stat().st_size - 12288)
    os.sync()
    yield directory
    subprocess.run(["umount", directory], check=True)


@results.root
def test_disk_without_room_for_all(run, disk):
    """What does not fit is not begun, and of the room that there was for some
    of it nothing is kept."""
    file = disk / "file"
    before = file.stat().st_blocks
    done = run("-q", "-l", 20, "-t4", "--metrics=all", f"--json={file}")
    assert done.returncode == 1 and "\nT: 0 " in done.stdout
    assert done.stderr == \
        f"WARN: {file}: cannot be written: No space left on device\n"
    assert file.read_bytes() == b"old" and file.stat().st_blocks == before


@pytest.mark.parametrize("first,second", [
    (FILES[0], FILES[1]), (FILES[0], FILES[2]), (FILES[1], FILES[2]),
    (FILES[0], FILES[3]), (FILES[3], FILES[4])])
@pytest.mark.parametrize("one,other", [
    ("f", "f"), ("f", "./f"), ("f", "d/../f"), ("old", "link")])
def test_two_options_with_one_file(run, first, second, one, other):
    old, _ = run.directory / "old", run.directory.joinpath("d").mkdir()
    old.write_text("old")
    os.symlink("old", run.directory / "link")
    for a, b in (one, other), (other, one):
        done = run("-l", 5, *first[:-1], first[-1] + a, *second[:-1],
                   second[-1] + b)
        assert done.returncode == 1 and "T:" not in done.stdout
        assert re.fullmatch(r"FATAL: \S+: cannot be written: another option "
                            r"writes it\n", done.stderr)
        # A new one is left as it was opened.
        assert all(not done.text(name) for name in done.files)
        assert old.read_text() == "old"


@pytest.mark.parametrize("option", FILES[1:])
def test_two_options_with_one_pipe(start, option):
    """By the pipe's name, and by that of an output, with the text or not."""
    reader = outside.fifo(start.directory / "ff")
    for one, other, stderr in (("ff", "ff", subprocess.PIPE),
                               ("-", "/dev/stdout", subprocess.STDOUT),
                               ("/dev/stdout", "/dev/stdout", subprocess.PIPE),
                               ("-", "/dev/stderr", subprocess.STDOUT)):
        process = start("-q", "-l", 5, f"--json={one}", *option[:-1],
                        option[-1] + other, stderr=stderr)
        assert process.finish() == 1
        lines = (process.err or process.out).splitlines()
        assert (f"FATAL: {one if one != '-' else other}: cannot be written: "
                "another option writes it") in lines
    assert not os.read(reader, 65536)
    os.close(reader)


def test_two_options_with_one_device(run):
    """Which keeps nothing."""
    done = run("-q", "-l", 5, "--json=/dev/null", "--dump=/dev/null")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_file_that_is_an_output(start, option, stream):
    """Text and results would overwrite each other."""
    out = start.directory / "out"
    for name in "out", f"/dev/{stream}":
        with open(out, "w", encoding="ascii") as file:
            process = start("-q", "-l", 5, *option[:-1], option[-1] + name,
                            **{stream: file})
            assert process.finish() == 1
        err = out.read_text() if stream == "stderr" else process.err
        assert err.endswith(f"{name}: cannot be written: standard output or "
                            "standard error goes there\n")
        assert os.listdir(start.directory) == ["out"]


@pytest.mark.parametrize("option", FILES)
def test_file_that_cannot_grow(run, option):
    """RLIMIT_FSIZE: EFBIG, and no core dump. What was there stays, but where
    rows were written: it is not left behind them."""
    file, old = run.directory / "f", "old" * 1000
    file.write_text(old)
    done = run("-q", "-l", 20, *option[:-1], f"{option[-1]}f", preexec_fn=(
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))))
    assert done.returncode == 1 and \
        "WARN: f: cannot be written: File too large\n" in done.stderr
    assert os.listdir(run.directory) == ["f"]
    text = file.read_text()
    assert (len(text) == 100 and "old" not in text if option in STREAMS
            else text == old)


@pytest.mark.parametrize("option", FILES)
def test_few_descriptors(run, option):
    """What cannot be opened is told once, and nothing goes on without."""
    ends = set()
    for files in range(4, 20):
        done = run("-q", "-l", 5, "--default-system", *option[:-1],
                   f"{option[-1]}f", preexec_fn=lambda: resource.setrlimit(
                       resource.RLIMIT_NOFILE, (files, files)))
        assert done.returncode == done.stderr.count("\n"), done.stderr
        assert ("Too many open files" in done.stderr) == done.returncode
        ends.add(done.returncode)
    assert ends == {0, 1}


@pytest.mark.parametrize("option", FILES)
def test_device_as_file(run, option):
    for device, status in ("/dev/full", 1), ("/dev/null", 0):
        done = run("-q", "-l", 20, *option[:-1], option[-1] + device)
        assert done.returncode == status == (device in done.stderr)
        assert not done.files and stat.S_ISCHR(os.stat(device).st_mode)


@pytest.mark.parametrize("option", FILES)
def test_pipe_as_file(run, option):
    """Without a reader: refused at once, not waited for."""
    fifo = run.directory / "fifo"
    os.mkfifo(fifo)
    done = run("-q", "-l", 20, *option[:-1], f"{option[-1]}fifo")
    assert done.returncode == 1 and "T:" not in done.stdout
    assert done.stderr == "FATAL: fifo: cannot be written: No such device or" \
        " address\n"
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    done = run("-q", "-l", 20, *option[:-1], f"{option[-1]}fifo")
    assert done.returncode == 0 and len(os.read(reader, 65536)) > 50
    os.close(reader)


def test_reader_of_a_pipe_that_leaves(run, start):
    """The other file is written nevertheless."""
    fifo = start.directory / "fifo"
    reader = outside.fifo(fifo)
    process = start("-q", "-h9", f"--histfile={fifo}", "--json=json")
    process.steady()
    os.close(reader)
    process.signal(signal.SIGINT)
    assert process.finish() == 1 and "fifo: cannot be" in process.err
    assert results.check(start.directory / "json")["return_code"] == 1
