# SPDX-License-Identifier: GPL-2.0-or-later
"""Running twowaytest to its end, and reading what it has written."""

import csv
import os
import pathlib
import re
import stat
import tempfile
import typing

import pytest

import ended
import outside

DUMP_HEADER = ["pair", "cycle", "planned_ns", "t0_ns", "t1_ns", "t2_ns",
               "t3_ns", "missed"]

# What makes a load run, or may.
LOAD = re.compile("--(load|steps|trltp)")


class Cycle(typing.NamedTuple):
    """A line of --dump."""
    pair: int
    cycle: int
    planned_ns: int
    t0_ns: int
    t1_ns: int
    t2_ns: int
    t3_ns: int
    missed: int


class Result(typing.NamedTuple):
    """How a run ended, and the files that it has made."""
    returncode: int
    stdout: str
    stderr: str
    argv: list
    pid: int
    directory: pathlib.Path
    files: set

    def path(self, name):
        return self.directory / name

    def text(self, name):
        return self.path(name).read_text(encoding="utf-8")

    def json(self, name="json"):
        return outside.load_json(self.path(name))

    def dump(self, name="dump", header=None):
        return read_dump(self.path(name), header or DUMP_HEADER)


def binary():
    return os.path.abspath(outside.binary())


def names(directory):
    return set(os.listdir(directory))


def shared_memory():
    """Regular files in /dev/shm: what shm_open() makes."""
    found = set()
    for name in names("/dev/shm") if os.path.isdir("/dev/shm") else ():
        try:
            if stat.S_ISREG(os.lstat(f"/dev/shm/{name}").st_mode):
                found.add(name)
        except FileNotFoundError:
            pass
    return found


def ours(name, pid):
    """Whether a name tells of us; others may be at work as well."""
    return "twoway" in name or re.search(rf"(?<!\d){pid}(?!\d)", name)


def run(*args, directory, timeout=30, tries=3, **options):
    """Runs it in @directory to its end; fails if anything of it is left.

    Options go to subprocess.Popen. Whether the files that are new in
    @directory are those that were asked for is left to the caller. Under an
    emulator, a side may start too slowly on a busy machine: then once more.
    """
    before, shared = names(directory), shared_memory()
    with tempfile.TemporaryDirectory(prefix="twoway-tmp-") as temporary:
        os.chmod(temporary, 0o1777)
        process = start(*args, directory=directory, temporary=temporary,
                        **options)
        try:
            process.finish(timeout)
            assert process.gone(), f"{args}: processes are left"
        finally:
            process.end()
        assert not names(temporary), f"{args}: temporary files are left"
    left = shared_memory() - shared
    assert not any(ours(name, process.pid) for name in left), \
        f"{args}: shared memory is left: {left}"
    if os.environ.get("TWOWAY_EMULATOR") and tries > 1 and \
            "was not ready within 5 s" in process.err:
        return run(*args, directory=directory, timeout=timeout,
                   tries=tries - 1, **options)
    return result(process, directory, before)


def start(*args, directory, temporary=None, **options):
    """Starts it in @directory; an outside.Run, which the caller ends."""
    if os.environ.get("TWOWAY_EMULATOR") and \
            any(LOAD.match(str(arg)) for arg in args):
        pytest.skip("an emulator of one process knows no child subreaper")
    env = {**options.pop("env", {})}
    if temporary:
        env["TMPDIR"] = temporary
    options = {"program": binary(), "cwd": directory, "errors": "replace",
               **options}
    return outside.Run(*args, env=env, **options)


def result(process, directory, before=frozenset()):
    """Of a process that has been finished."""
    return Result(process.process.returncode, process.out, process.err,
                  list(map(str, process.process.args)), process.pid,
                  pathlib.Path(directory), names(directory) - before)


def read_dump(path, header=tuple(DUMP_HEADER)):
    """The cycles of a dump that have a reply, each checked to be whole."""
    lines = list(csv.reader(ended.table(path.read_text(encoding="ascii"))))
    assert lines[0] == list(header)
    unanswered = header.index("t1_ns")
    return [Cycle(*map(int, line)) for line in lines[1:] if line[unanswered]]
