# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are written whole, or not at all.

A file is written where it has no name yet, and gets its name last; what was
there keeps its mode and its owner. Whatever ends the program, SIGKILL
included, leaves no half of a file and none beside it. Symbolic links are
followed. What is no regular file (/dev/null, a pipe) is written through.
"""

import contextlib
import os
import pathlib
import stat
import tempfile

MANY = 256              # files that are held open at a time


def write(path, content):
    """One file; content: bytes or str. An OSError names it."""
    files = Files()
    files.add(path, content)
    files.commit()


class Files:
    """What is to be written; commit() writes all of it, or nothing."""

    def __init__(self):
        self.files = []         # path, bytes

    def add(self, path, content):
        if isinstance(content, str):
            content = content.encode("utf-8", "backslashreplace")
        self.files.append((path, content))

    def commit(self):
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as close:
            if len(self.files) > MANY:
                close = None
            ready = []
            for path, content in self.files:
                with naming(path):
                    ready.append(prepare(path, content, undo, close))
            for (path, _), finish in zip(self.files, ready):
                with naming(path):
                    finish()
            undo.pop_all()


@contextlib.contextmanager
def naming(path):
    """An error has the name that was given, or the folder's: no other."""
    try:
        yield
    except OSError as err:
        folders = pathlib.Path(os.path.realpath(path)).parents
        if not err.filename or pathlib.Path(err.filename) not in folders:
            err.filename = str(path)
        raise


def prepare(path, content, undo, close):
    """All but the name. Returns what gives it; undo has what takes it back.

    close: where the file may stay open, None: nowhere.
    """
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(21, "Is a directory", str(path))
        if not stat.S_ISREG(mode):
            return lambda: write_through(path, content)
    path = pathlib.Path(os.path.realpath(path))
    for folder in reversed(path.parents):
        if not folder.is_dir():
            folder.mkdir()
            undo.callback(quietly, folder.rmdir)
    if close is not None:
        with contextlib.suppress(OSError):
            file = open(path.parent, "wb", buffering=0, opener=unnamed)
            close.enter_context(file)
            fill(file, path, content)
            return lambda: give_name(file, path)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False,
                                     buffering=0,
                                     prefix=f".{path.name[:200]}.") as file:
        undo.callback(quietly, os.unlink, file.name)
        fill(file, path, content)
    return lambda: replace(file.name, path)


def quietly(function, *args):
    """What was renamed is gone, and its folder in use."""
    with contextlib.suppress(OSError):
        function(*args)


def unnamed(folder, _flags):
    return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)


def write_through(path, content):
    with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
        file.write(content)


def fill(file, path, content):
    """With the mode and owner of what was there, if it was."""
    # Unbuffered: what cannot be written must not be tried again at the end.
    left = memoryview(content)
    while left:
        left = left[file.write(left):]
    try:
        old = os.stat(path)
        quietly(os.fchown, file.fileno(), old.st_uid, old.st_gid)
        mode = stat.S_IMODE(old.st_mode) & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())


def give_name(file, path):
    """No link takes another's place: by a name of its own, for a moment."""
    name = path.with_name(f".{path.name[:200]}.new")
    quietly(os.unlink, name)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Without a directory, os.link() would link to the symbolic link.
        os.link(f"/proc/self/fd/{file.fileno()}", name.name,
                dst_dir_fd=folder, follow_symlinks=True)
        try:
            replace(name, path)
        finally:
            quietly(os.unlink, name)
        quietly(os.fsync, folder)
    finally:
        os.close(folder)


def replace(name, path):
    os.replace(name, path)
