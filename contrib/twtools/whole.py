# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files: plain files, as for `cat >FILE`, with the kernel's own checks.

Of several, all are open before the first is written. What was there stays until
then, and where the disk has no room for the new. A pipe without a reader is
refused, not waited for. Ended by a signal, half of a file may be there: what a
program reads again itself needs a name of its own until it is complete.
"""

import contextlib
import errno
import os
import pathlib
import stat

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOCTTY | os.O_NONBLOCK
MANY = 256              # files that are held open at a time


def write(path, content):
    """One file; content: bytes or str. An OSError names it."""
    files = Files()
    files.add(path, content)
    files.commit()


class Files:
    """What is to be written, by commit()."""

    def __init__(self):
        self.files = []         # path, bytes

    def add(self, path, content):
        if isinstance(content, str):
            content = content.encode("utf-8", "backslashreplace")
        self.files.append((os.fspath(path), content))

    def commit(self):
        for at in range(0, len(self.files), MANY):
            with contextlib.ExitStack() as close:
                some = [(path, close.enter_context(opened(path)), content)
                        for path, content in self.files[at:at + MANY]]
                for path, file, content in some:
                    with naming(path):
                        replace(file, content)
                        file.close()


@contextlib.contextmanager
def naming(path):
    """An error has the name that was given, or the folder's."""
    try:
        yield
    except OSError as err:
        err.filename = err.filename or path
        raise


def opened(path):
    """Makes its folders, too."""
    with naming(path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = open(os.open(path, FLAGS, 0o666), "wb", buffering=0)
        os.set_blocking(file.fileno(), True)
    return file


def replace(file, content):
    """Unbuffered: what cannot be written must not be tried again at the end."""
    old = os.fstat(file.fileno())
    plain, done = stat.S_ISREG(old.st_mode), 0
    try:
        if plain:
            reserve(file, len(content))
        while done < len(content):
            done += file.write(memoryview(content)[done:])
    except OSError:
        if plain:
            file.truncate(done or old.st_size)
        raise
    if plain:
        file.truncate(done)
        os.fsync(file.fileno())


def reserve(file, size):
    """An OSError if there is no room; some file systems cannot tell."""
    try:
        os.posix_fallocate(file.fileno(), 0, max(size, 1))
    except OSError as err:
        if err.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
