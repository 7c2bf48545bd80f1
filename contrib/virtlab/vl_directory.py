# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories: results that are complete or absent, and temporary ones."""

import contextlib
import pathlib
import tempfile

from vl_common import LabError


def check_replaceable(directory, mark):
    """LabError if a directory is in the way that the lab did not make."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise LabError(f"{directory}: is no directory; move it away, or name "
                       "another directory")
    if any(directory.iterdir()) and not (directory / mark).is_file():
        raise LabError(f"{directory}: holds files, but no {mark}, so it is "
                       "none of virtlab's and is not replaced; move it away, "
                       "or name another directory")


@contextlib.contextmanager
def whole(directory, mark):
    """A new directory that takes the place of another once it is complete.

    The other has to be empty, or to hold a file named @mark, as each
    directory that is made here does.
    """
    directory = pathlib.Path(directory)
    check_replaceable(directory, mark)
    missing = [parent for parent in directory.parents if not parent.exists()]
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield from replaced(directory, mark)
    except BaseException:
        for parent in missing:
            with contextlib.suppress(OSError):
                parent.rmdir()
        raise


def replaced(directory, mark):
    with tempfile.TemporaryDirectory(prefix=f".{directory.name}.",
                                     dir=directory.parent) as temporary:
        made = pathlib.Path(temporary) / "made"
        made.mkdir()
        yield made
        # Again: the measurement has taken its time.
        check_replaceable(directory, mark)
        if directory.exists():
            directory.rename(pathlib.Path(temporary) / "old")
        made.rename(directory)
