# SPDX-License-Identifier: GPL-2.0-or-later
"""The directory of results: what is done, and whether it can go on."""

import contextlib
import datetime
import errno
import fcntl
import json
import os
import pathlib
import socket
import stat

from twtools import whole

STATE = "campaign.json"
MACHINE = "\0twowaytest-campaign"       # an abstract address: no file
FORMAT = 1


class Failure(Exception):
    """Ends the campaign with exit status 1: what, where, what to do."""


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime(
        "%Y-%m-%d %H:%M:%SZ")


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def keep(temporary, path):
    """Gives a program's whole file its name; a power cut leaves no half."""
    sync(temporary)
    os.replace(temporary, path)
    sync(path.parent)


@contextlib.contextmanager
def machine():
    """Keeps a second campaign off this machine meanwhile.

    By a name that nobody can leave behind: it goes with its process.
    """
    with socket.socket(socket.AF_UNIX) as name:
        try:
            name.bind(MACHINE)
        except OSError as err:
            if err.errno != errno.EADDRINUSE:
                raise
            raise Failure("another campaign is at work on this machine, and "
                          "they would measure each other; wait for its "
                          "end") from None
        yield


def differences(there, here, prefix=""):
    """Where two objects differ: "what: there ..., here ..."."""
    for key in dict.fromkeys([*there, *here]):
        a, b = there.get(key), here.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            yield from differences(a, b, f"{prefix}{key} ")
        elif a != b:
            yield f"{prefix}{key}: {text_of(a)} there, {text_of(b)} here"


def text_of(value):
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


class State:
    """campaign.json, and the lock of its directory while it is open."""

    def __init__(self, directory, plan, system):
        self.directory = pathlib.Path(directory)
        self.data = {"format": FORMAT, "plan": plan, "system": system,
                     "sessions": [], "measurements": {}}
        self.fd = None

    def __enter__(self):
        """Makes the directory, or goes on in one that holds this plan."""
        with contextlib.suppress(FileExistsError):
            self.directory.mkdir(mode=0o755, parents=True)
        self.fd = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        self.check_owner(os.fstat(self.fd))
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"{self.directory}: another campaign is at work "
                          "here; wait for its end, or name another "
                          "directory with --output") from None
        self.compare()
        for path in self.directory.glob(".*.new*"):  # of one that was killed
            path.unlink()
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def check_owner(self, info):
        """Failure if others may put links there for us to write through."""
        if info.st_uid != os.geteuid():
            why = f"belongs to the user of number {info.st_uid}"
        elif info.st_mode & stat.S_IWOTH:
            why = "everybody may write there"
        else:
            return
        raise Failure(f"{self.directory}: {why}; name a directory of your "
                      "own with --output")

    def compare(self):
        """Takes over what is there; Failure if it is of something else."""
        path = self.directory / STATE
        if not path.exists():
            other = [p.name for p in self.directory.iterdir()
                     if not p.name.startswith(f".{STATE}")]
            if other:
                raise Failure(f"{self.directory}: holds no {STATE}, but "
                              f"other files, such as {min(other)}; name a "
                              "new or an empty directory with --output")
            return
        try:
            there = json.loads(path.read_text(encoding="utf-8"))
            unlike = list(differences(
                {key: there[key] for key in ("format", "plan", "system")},
                {key: self.data[key] for key in ("format", "plan",
                                                 "system")}))
            sessions, done = there["sessions"], there["measurements"]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Failure(f"{path}: cannot be read as a campaign's; name "
                          "another directory with --output") from None
        if unlike:
            raise Failure(f"{self.directory}: holds another campaign; name "
                          "another directory with --output, or give its "
                          "options:\n  " + "\n  ".join(unlike))
        self.data["sessions"], self.data["measurements"] = sessions, done

    def save(self):
        whole.write(self.directory / STATE,
                    json.dumps(self.data, indent=2) + "\n")

    def path(self, name):
        return self.directory / name

    def record(self, one):
        return self.data["measurements"].get(one.name, {})

    def finished(self, one):
        return self.result(one) is not None

    def result(self, one):
        """The result of a finished measurement; None if there is none.

        Nor is a file one that no longer holds what was written to it.
        """
        record = self.record(one)
        if record.get("state") != "finished":
            return None
        try:
            result = read_json(self.path(f"{one.name}.json"))
        except Failure:
            return None
        return result if cycles_of(result) == record.get("cycles") else None


def cycles_of(result):
    """How many cycles a tool's results are of; None if they are none."""
    try:
        return min(thread["cycles"] for thread in result["thread"].values())
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def read_json(path):
    """An object; Failure if the file holds none."""
    try:
        value = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as err:
        raise Failure(f"{path}: {err}") from None
    if not isinstance(value, dict):
        raise Failure(f"{path}: no object of results")
    return value
