# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories: results that are complete or absent, and temporary ones."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile
import time

from vl_common import LabError

SCRATCH = ".virtlab-scratch-"
OLD = ".old-"
LATELY_S = 3600         # a run needs what it has built for less


def check_replaceable(directory, mark, made_by):
    """LabError if a directory is in the way that holds others' files.

    made_by: of the file @mark, the names of the files that are the lab's.
    """
    if not directory.exists():
        return
    if not directory.is_dir():
        raise LabError(f"{directory}: is no directory; move it away, or name "
                       "another directory")
    if any(directory.iterdir()) and not (directory / mark).is_file():
        raise LabError(f"{directory}: holds files, but no {mark}, so it is "
                       "none of virtlab's and is not replaced; move it away, "
                       "or name another directory")
    ours = made_by(directory / mark) if made_by else None
    others = [] if ours is None else sorted(
        name for path in directory.rglob("*") if not path.is_dir() and
        (name := str(path.relative_to(directory))) not in {mark, *ours})
    if others:
        raise LabError(f"{directory}: holds {others[0]}, which {mark} does "
                       "not name, so it is not replaced; move it away, or "
                       "name another directory")


@contextlib.contextmanager
def whole(directory, mark, made_by=None):
    """A new directory that takes the place of another once it is complete.

    The other has to be empty, or to hold a file named @mark, as each
    directory that is made here does, and nothing that this does not name.
    """
    directory = pathlib.Path(directory)
    check_replaceable(directory, mark, made_by)
    missing = [parent for parent in directory.parents if not parent.exists()]
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield from replaced(directory, mark, made_by)
    except BaseException:
        for parent in missing:
            with contextlib.suppress(OSError):
                parent.rmdir()
        raise


def replaced(directory, mark, made_by):
    temporary = directory.with_name(f".{directory.name}.virtlab-new")
    temporary.mkdir(exist_ok=True)
    # Where everybody may write, somebody could have made it beforehand.
    if temporary.lstat().st_uid != os.geteuid():
        raise LabError(f"{temporary}: belongs to another user, who could "
                       "replace what is made in it; remove it, or name "
                       "another directory")
    with held(temporary) as ours:
        if not ours:
            raise LabError(f"{directory}: another virtlab is at work on it; "
                           "wait for its end, or name another directory")
        for left in temporary.iterdir():        # by one that was killed
            shutil.rmtree(left)
        made = temporary / "made"
        made.mkdir()
        yield made
        # Again: the measurement has taken its time.
        check_replaceable(directory, mark, made_by)
        if directory.exists():
            directory.rename(temporary / "old")
        made.rename(directory)


@contextlib.contextmanager
def held(path):
    """Keeps other processes out of a directory, and removes it in the end.

    False if another process holds it, or has just removed it. The lock ends
    with the process that holds it, whatever ends that.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield False
        return
    try:
        ours = locked(handle) and path.exists() and os.path.samestat(
            os.fstat(handle), path.lstat())
        try:
            yield ours
        finally:
            if ours:
                shutil.rmtree(path)
    finally:
        os.close(handle)


def locked(handle):
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def alone(directory):
    """Makes a directory, waits until no other run is at work in it.

    It is then the one that was used last.
    """
    while True:
        directory.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Another run may have removed it while we waited.
            if directory.exists() and os.path.samestat(os.fstat(handle),
                                                       directory.stat()):
                os.utime(handle)
                yield
                return
        finally:
            os.close(handle)


def used(path):
    return path.lstat().st_mtime


def remove_old(base, pattern, keep):
    """All but those that were used last, or lately, or are in use now."""
    with contextlib.suppress(OSError):
        for path in sorted(base.glob(pattern), key=used)[:-keep]:
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY
                             | os.O_NOFOLLOW)
            try:
                if locked(handle) and time.time() - used(path) > LATELY_S:
                    # Whatever ends us: no half of it keeps its name.
                    path.rename(tempfile.mkdtemp(prefix=OLD, dir=base))
            finally:
                os.close(handle)
    for left in base.glob(f"{OLD}*"):
        shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def scratch():
    """A temporary directory; those of runs that were killed are removed."""
    base = pathlib.Path(tempfile.gettempdir())
    for left in base.glob(f"{SCRATCH}*"):
        with contextlib.suppress(OSError):
            if left.lstat().st_uid == os.geteuid():
                with held(left):
                    pass
    while True:
        path = pathlib.Path(tempfile.mkdtemp(prefix=SCRATCH))
        with held(path) as ours:
            if ours:            # or another's loop above was faster
                yield path
                return
