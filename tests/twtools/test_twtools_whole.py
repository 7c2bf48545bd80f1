# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files of the Python programs: plain files, written in place."""

import errno
import os
import pathlib
import resource
import select
import stat
import sys
import threading

import pytest

import plain
from twtools import whole

OLD, NEW = b"what was there before", b"what is new"
# One program, as whoever runs it may not read what lies beside this file.
PROGRAM = pathlib.Path(whole.__file__).read_text("utf-8") + """
import sys
try:
    write(sys.argv[1], "new\\n")
except OSError as err:
    sys.exit(f"FATAL: {err.filename}: cannot be written: {err.strerror}")
"""


def names(directory):
    return sorted(str(path.relative_to(directory))
                  for path in directory.rglob("*"))


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("case", [
    name for name in plain.CASES if name != "in_no_directory"])
def test_as_cat_does(case):
    plain.check(case, lambda path: [sys.executable, "-Bc", PROGRAM, path])


@pytest.mark.parametrize("old", [OLD, b"x" * 1000, None])
def test_file_that_cannot_grow(tmp_path, old):
    """A limit of files' length, as a quota: what was there stays."""
    if old:
        (tmp_path / "big").write_bytes(old)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError) as error:
            whole.write(tmp_path / "big", b"y" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.filename == str(tmp_path / "big")
    assert error.value.errno == errno.EFBIG
    assert (tmp_path / "big").read_bytes() == (old or b"")


@pytest.mark.parametrize("can_tell", [True, False])
@pytest.mark.parametrize("old", [b"", b"\0" * 100])
def test_full_disk(small, monkeypatch, old, can_tell):
    """With and without a file system that can keep room free."""
    if not can_tell:
        monkeypatch.setattr(os, "posix_fallocate", refuse)
    (small / "f").touch()
    os.truncate(small / "f", len(old))          # it has no block yet
    with pytest.raises(OSError) as error:
        whole.write(small / "f", b"y" * 20000)
    assert (error.value.filename, error.value.errno) == (
        str(small / "f"), errno.ENOSPC)
    left = (small / "f").read_bytes()
    if can_tell:
        assert left == old
    else:       # As with cat: what could be written.
        assert left == b"y" * len(left) and 0 < len(left) < 20000


def refuse(*_):
    raise OSError(errno.EOPNOTSUPP, "Operation not supported")


def test_file_that_takes_nothing():
    with pytest.raises(OSError) as error:
        whole.write("/dev/full", NEW)
    assert (error.value.filename, error.value.errno) == (
        "/dev/full", errno.ENOSPC)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc")
def test_file_that_cannot_be_made_has_its_name():
    """/proc takes none, whoever asks."""
    with pytest.raises(OSError) as error:
        whole.write("/proc/x.html", b"x")
    assert error.value.filename == "/proc/x.html"


def test_folder_that_cannot_be_made_has_its_name():
    with pytest.raises(OSError) as error:
        whole.write("/proc/x/y.html", b"x")
    assert error.value.filename == "/proc/x"


def test_new_files_by_umask(tmp_path):
    old = os.umask(0o027)
    try:
        whole.write(tmp_path / "a/b/c.txt", "text \udcff")
    finally:
        os.umask(old)
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"text \\udcff"
    assert mode(tmp_path / "a/b/c.txt") == 0o640
    assert names(tmp_path) == ["a", "a/b", "a/b/c.txt"]


@pytest.mark.parametrize("content", [NEW, NEW * 1000, b""])
def test_written_in_place(tmp_path, content):
    """It is the same file, cut where the new ends."""
    path = tmp_path / "x"
    path.write_bytes(OLD)
    before = path.stat()
    whole.write(path, content)
    assert path.read_bytes() == content
    assert path.stat().st_ino == before.st_ino and names(tmp_path) == ["x"]


def test_symbolic_links_are_followed(tmp_path):
    """To a file, to nothing yet, over another link, into a directory."""
    (tmp_path / "real").write_bytes(OLD)
    (tmp_path / "folder").mkdir()
    for link, to in (("one", "real"), ("two", "one"), ("new", "folder/new"),
                     ("there", "folder")):
        (tmp_path / link).symlink_to(to)
    whole.write(tmp_path / "two", NEW)
    whole.write(tmp_path / "new", NEW)
    whole.write(tmp_path / "there/more", NEW)
    for link in ("one", "two", "new", "there"):
        assert (tmp_path / link).is_symlink()
    for name in ("real", "folder/new", "folder/more"):
        assert (tmp_path / name).read_bytes() == NEW
    assert names(tmp_path) == ["folder", "folder/more", "folder/new", "new",
                               "one", "real", "there", "two"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mknod needs root")
def test_device_stays_a_device(tmp_path):
    path = tmp_path / "null"
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    (tmp_path / "link").symlink_to("null")
    before = path.lstat()
    whole.write(path, NEW)
    whole.write(tmp_path / "link", NEW)
    assert path.lstat() == before
    assert names(tmp_path) == ["link", "null"]


def test_pipe_is_written_through(tmp_path):
    """More than it holds: whoever reads it is waited for."""
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)

    def read():
        select.select([reader], [], [])     # before a writer, its end is there
        got.append(open(reader, "rb").read())

    thread = threading.Thread(target=read)
    thread.start()
    whole.write(path, NEW * 100000)
    thread.join()
    assert got == [NEW * 100000] and path.is_fifo()


def test_pipe_without_a_reader(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError) as error:
        whole.write(tmp_path / "pipe", NEW)
    assert (error.value.filename, error.value.errno) == (
        str(tmp_path / "pipe"), errno.ENXIO)


def test_none_is_written_if_one_cannot_be_opened(tmp_path):
    """A directory in the last one's place."""
    (tmp_path / "old").write_bytes(OLD)
    (tmp_path / "last").mkdir()
    files = whole.Files()
    for name in ("old", "new/deep/x", "last"):
        files.add(tmp_path / name, NEW)
    with pytest.raises(IsADirectoryError) as error:
        files.commit()
    assert error.value.filename == str(tmp_path / "last")
    assert (tmp_path / "old").read_bytes() == OLD
    assert (tmp_path / "new/deep/x").read_bytes() == b""


def test_many_files(tmp_path):
    """More than may be open at a time."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (whole.MANY + 64, before[1]))
    files = whole.Files()
    try:
        for i in range(2 * whole.MANY + 1):
            files.add(tmp_path / f"{i}", str(i))
        files.commit()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert {int(path.name): path.read_text() for path in tmp_path.iterdir()} \
        == {i: str(i) for i in range(2 * whole.MANY + 1)}


def test_it_is_on_the_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(
        os.readlink(f"/proc/self/fd/{fd}")))
    whole.write(tmp_path / "x", NEW)
    whole.write("/dev/null", NEW)
    assert synced == [str(tmp_path / "x")]
