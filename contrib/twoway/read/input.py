# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens what is read, more than once if need be."""

import os
import shutil
import stat
import tempfile

from twoway.series.model import InputError

copies = {}         # path -> an unnamed file


def forget_copies():
    for copy in copies.values():
        copy.close()
    copies.clear()


def open_input(path, mode="rb", **options):
    """As open(); a pipe is copied, as it can be read but once."""
    path = os.fspath(path)
    if path not in copies:
        kind = os.stat(path).st_mode
        if stat.S_ISREG(kind):
            return open(path, mode, **options)
        if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
            raise InputError(path, None, "this is a device; a file or a "
                             "pipe with results is expected")
        copy = tempfile.TemporaryFile()
        with open(path, "rb") as file:
            shutil.copyfileobj(file, copy)
        copy.flush()
        copies[path] = copy
    return open(f"/proc/self/fd/{copies[path].fileno()}", mode, **options)
