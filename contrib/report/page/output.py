# SPDX-License-Identifier: GPL-2.0-or-later
"""Where results go: never onto what they come from, nor onto each other."""

import os
import stat

from twoway.read.runs import split
from twoway.series.model import InputError


def identity(path):
    """What two names of one file share; None: what is written through.

    Device and inode see through links. Without a file, the path has to do.
    """
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) \
        else None


class Targets:
    """The files that the options name; checked before any is read."""

    def __init__(self, options):
        self.inputs = {}        # identity -> path
        for _, paths in map(split, options.files):
            self.inputs |= {identity(path): path for path in paths}
        self.inputs.pop(None, None)
        given = {f"--{name}": getattr(options, name) for name in (
            "html", "tables", "openmetrics", "junit")}
        found = {}
        for option, path in given.items():
            if not path or option == "--tables" and path == "-":
                continue
            self.check(option, path)
            other = found.setdefault(identity(path), option)
            if other != option and identity(path) is not None:
                raise InputError(
                    path, None, f"{other} and {option} name one file; "
                    "give each a file of its own")

    def check(self, option, path):
        own = identity(path)
        if own is not None and own in self.inputs:
            raise InputError(
                f"{option}={path}", None, f"this is an input, "
                f"{self.inputs[own]}, which would be overwritten; name "
                "another file")

    def check_all(self, paths):
        """Of --figures and --hgrm, whose names are known late."""
        for path in paths:
            self.check("--figures or --hgrm", path)
