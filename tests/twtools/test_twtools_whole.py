# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are written whole: what is followed, kept, and left behind."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading

import pytest
from conftest import CONTRIB

from twtools import whole

OLD, NEW = b"what was there before", b"what is new"


def names(directory):
    return sorted(str(path.relative_to(directory))
                  for path in directory.rglob("*"))


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_full_disk_names_the_file(way, tmp_path):
    """As a limit of files' length does, without a disk to fill."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError) as error:
            whole.write(tmp_path / "big", b"x" * 101)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.filename == str(tmp_path / "big")
    assert names(tmp_path) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc")
def test_file_that_cannot_be_made_has_its_name(way):
    """Not that of a temporary file; /proc takes none, whoever asks."""
    with pytest.raises(OSError) as error:
        whole.write("/proc/x.html", b"x")
    assert error.value.filename == "/proc/x.html"


@pytest.fixture(params=["unnamed", "named"])
def way(request, monkeypatch):
    """Both ways to write a file that has no name yet."""
    if request.param == "named":
        monkeypatch.setattr(whole, "MANY", 0)
    return request.param


def test_new_files_by_umask(tmp_path, way):
    old = os.umask(0o027)
    try:
        whole.write(tmp_path / "a/b/c.txt", "text \udcff")
    finally:
        os.umask(old)
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"text \\udcff"
    assert mode(tmp_path / "a/b/c.txt") == 0o640
    assert names(tmp_path) == ["a", "a/b", "a/b/c.txt"]


def test_what_was_there_keeps_mode_and_owner(tmp_path, way):
    path = tmp_path / "x"
    path.write_bytes(OLD)
    path.chmod(0o604)
    owner = (1234, 5678) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(path, *owner)
    whole.write(path, NEW)
    found = path.stat()
    assert path.read_bytes() == NEW
    assert (mode(path), found.st_uid, found.st_gid) == (0o604, *owner)


def test_symbolic_links_are_followed(tmp_path, way):
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
def test_device_stays_a_device(tmp_path, way):
    path = tmp_path / "null"
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    (tmp_path / "link").symlink_to("null")
    before = path.lstat()
    whole.write(path, NEW)
    whole.write(tmp_path / "link", NEW)
    assert path.lstat() == before
    assert names(tmp_path) == ["link", "null"]


def test_pipe_is_written_through(tmp_path, way):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    whole.write(path, NEW)
    reader.join()
    assert got == [NEW] and path.is_fifo()


def test_all_or_nothing(tmp_path, way):
    """A directory in the last one's place; what is new goes again."""
    (tmp_path / "old").write_bytes(OLD)
    (tmp_path / "last").mkdir()
    before = names(tmp_path)
    files = whole.Files()
    for name in ("old", "new/deep/x", "last"):
        files.add(tmp_path / name, NEW)
    with pytest.raises(IsADirectoryError) as error:
        files.commit()
    assert error.value.filename == str(tmp_path / "last")
    assert names(tmp_path) == before
    assert (tmp_path / "old").read_bytes() == OLD


def test_many_files(tmp_path):
    """More than may be open at a time."""
    files = whole.Files()
    for i in range(2 * whole.MANY):
        files.add(tmp_path / f"{i}", NEW)
    files.commit()
    assert len(names(tmp_path)) == 2 * whole.MANY


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_kill_leaves_nothing(tmp_path, call):
    """SIGKILL before a file is whole, and before it has its name."""
    (tmp_path / "x").write_bytes(OLD)
    with open(tmp_path / "x", "wb", opener=lambda *_: whole.unnamed(
            tmp_path, 0)):
        pass        # or this file system has no unnamed files: an error
    script = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(CONTRIB)!r})\n"
        "from twtools import whole\n"
        f"os.{call} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "whole.write('x', b'y' * 100000)\n")
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path,
                          timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "x").read_bytes() == OLD
    # Between the two calls that give it a name it has another: the next
    # program that writes the file takes it away.
    assert names(tmp_path) == (["x"] if call == "fsync" else [".x.new", "x"])
    whole.write(tmp_path / "x", NEW)
    assert names(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == NEW


def test_it_is_on_the_disk(tmp_path, monkeypatch):
    """The file, then its name in the directory."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(
        stat.S_ISDIR(os.fstat(fd).st_mode)))
    whole.write(tmp_path / "x", NEW)
    assert synced == [False, True]
