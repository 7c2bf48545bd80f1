# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files are plain files: what becomes of them is what becomes of them
with `cat >FILE`, be they another user's, links, mounted or read-only."""

import contextlib
import errno
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

import pytest

import outside

OLD = b"what was there before\n" * 1000     # longer than most results
OTHER = 12345           # a user who is neither root nor nobody


def make(path, owner=0, mode=0o644):
    path.write_bytes(OLD)
    os.chown(path, owner, owner)
    path.chmod(mode)
    return path


def sticky(directory):
    """As /tmp is: everybody may write there, and remove what is his."""
    folder = directory / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def foreign(directory):
    """Another's: set-user-ID, and for everybody to write."""
    return make(directory / "f", OTHER, 0o6777)


def foreign_by_another(directory):
    """Whose writing takes set-user-ID away."""
    return foreign(directory)


def foreign_in_sticky(directory):
    """Which the kernel refuses if fs.protected_regular is not 0."""
    return make(sticky(directory) / "f", OTHER, 0o666)


def planted_link(directory):
    """Which the kernel refuses if fs.protected_symlinks is 1."""
    path = sticky(directory) / "f"
    path.symlink_to(make(directory / "victim"))
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    return path


def own_link(directory):
    path = sticky(directory) / "f"
    path.symlink_to(make(directory / "own", mode=0o2640))
    return path


def link_to_nothing(directory):
    (directory / "f").symlink_to("new")
    return directory / "f"


def hard_link(directory):
    os.link(make(directory / "one", OTHER), directory / "f")
    return directory / "f"


def read_only(directory):
    """His own, for nobody to write, where he may rename."""
    os.chown(directory, outside.NOBODY, outside.NOBODY)
    return make(directory / "f", outside.NOBODY, 0o444)


def of_root(directory):
    """Root's, where he may rename."""
    os.chown(directory, outside.NOBODY, outside.NOBODY)
    return make(directory / "f")


def immutable(directory):
    path = make(directory / "f")
    done = subprocess.run(["chattr", "+i", path], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        pytest.skip(f"no chattr +i: {done.stderr.strip()}")
    return path


def a_directory(directory):
    (directory / "f").mkdir()
    return directory / "f"


def new(directory):
    return directory / "f"


def in_no_directory(directory):
    return directory / "none" / "f"


def mounted(directory):
    """Has a file of its own bound to it, in whoever() of "mounted"."""
    make(directory / "below")
    return make(directory / "f", OTHER, 0o600)


CASES = {function.__name__: function for function in (
    foreign, foreign_by_another, foreign_in_sticky, planted_link, own_link,
    link_to_nothing, hard_link, read_only, of_root, immutable, a_directory,
    new, in_no_directory, mounted)}


def whoever(name, directory):
    """Who writes: words before the command, and options of Popen."""
    if name in ("foreign_by_another", "read_only", "of_root"):
        return [], {"preexec_fn": outside.nobody()}
    if name == "mounted":
        return ["unshare", "-m", "sh", "-c",
                'mount --bind "$0/below" "$0/f" && exec "$@"',
                str(directory)], {}
    return [], {}


@contextlib.contextmanager
def prepared(name):
    """A directory with the case: directory, the file to be named."""
    with tempfile.TemporaryDirectory(prefix="twoway-plain-") as directory:
        directory = pathlib.Path(directory)
        directory.chmod(0o755)
        path = CASES[name](directory)
        try:
            yield directory, path
        finally:
            if name == "immutable":
                subprocess.run(["chattr", "-i", path], check=True)


def tree(directory):
    """Of all that is there: kind, mode, owner, and whether it is as it was."""
    found = {}
    for path in sorted(directory.rglob("*")):
        of = path.lstat()
        found[str(path.relative_to(directory))] = (
            stat.filemode(of.st_mode), of.st_uid, of.st_gid, of.st_nlink,
            os.readlink(path).replace(str(directory), "")
            if path.is_symlink() else
            path.read_bytes() == OLD if path.is_file() else None)
    return found


def by_cat(name):
    """What is there afterwards, and why it was refused or None."""
    with prepared(name) as (directory, path):
        words, options = whoever(name, directory)
        done = subprocess.run(
            [*words, "sh", "-c", 'echo new | cat >"$0"', path], text=True,
            capture_output=True, check=False, env={"LC_ALL": "C",
                                                   "PATH": os.environ["PATH"]},
            **options)
        return tree(directory), \
            done.stderr.strip().rpartition(": ")[2] or None


# As sh has it.
REASONS = {"Directory nonexistent": os.strerror(errno.ENOENT)}


def check(name, command):
    """Runs command(path), words of a program, and compares with cat.

    The program is a copy, that anybody may run; not if it is the Python of this
    test.
    """
    expected, reason = by_cat(name)
    with prepared(name) as (directory, path), \
            tempfile.TemporaryDirectory(prefix="twoway-plain-") as public:
        program, *args = command(path)
        os.chmod(public, 0o755)
        if program != sys.executable:
            program = shutil.copy(program, public)
        words, options = whoever(name, directory)
        words = [*words, program, *args]
        run = outside.Run(*words[1:], program=words[0], cwd="/", **options)
        try:
            status = run.finish()
        finally:
            run.end()
        assert tree(directory) == expected
        if reason:
            reason = REASONS.get(reason, reason)
            assert (status, run.out, run.err) == (
                1, "", f"FATAL: {path}: cannot be written: {reason}\n")
        else:
            assert (status, run.err) == (0, "")
