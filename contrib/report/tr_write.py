# SPDX-License-Identifier: GPL-2.0-or-later
"""All files or none: written to temporary names, then renamed."""

import contextlib
import os
import pathlib
import tempfile


def quietly(undo, *args):
    """What was renamed is gone, and its folder in use."""
    with contextlib.suppress(OSError):
        undo(*args)


class Outputs:
    """What is to be written; commit() writes it."""

    def __init__(self):
        self.files = []         # path, bytes

    def add(self, path, content):
        if isinstance(content, str):
            content = content.encode("utf-8", "backslashreplace")
        self.files.append((pathlib.Path(path), content))

    def commit(self):
        """Whatever ends it, no file is half-written or left over."""
        with contextlib.ExitStack() as undo:
            ready = [(self.prepare(path, content, undo), path)
                     for path, content in self.files]
            for name, path in ready:
                os.replace(name, path)
            undo.pop_all()

    @staticmethod
    def prepare(path, content, undo):
        """Write to a temporary name beside path; returns it."""
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory", str(path))
        for folder in reversed(path.parents):
            if not folder.is_dir():
                folder.mkdir()
                undo.callback(quietly, folder.rmdir)
        mask = os.umask(0)
        os.umask(mask)
        with tempfile.NamedTemporaryFile(
                dir=path.parent, prefix=f".{path.name}.",
                delete=False) as file:
            undo.callback(quietly, os.unlink, file.name)
            file.write(content)
            os.fchmod(file.fileno(), 0o666 & ~mask)
            file.flush()
            os.fsync(file.fileno())
        return file.name
