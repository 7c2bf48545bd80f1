# SPDX-License-Identifier: GPL-2.0-or-later
"""The directory of results: what is done, and whether it can go on."""

import contextlib
import datetime
import errno
import fcntl
import hashlib
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
            raise Failure("another campaign is at work on this machine; two "
                          "would disturb each other: wait for its "
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
        self.fd = self.open()
        info = os.fstat(self.fd)
        if info.st_uid != os.geteuid():
            self.refuse(f"belongs to the user of number {info.st_uid}")
        self.check_mode(info)
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

    def look(self):
        """Failure if nobody could go on there, whatever his rights."""
        with contextlib.suppress(FileNotFoundError):
            fd = self.open()
            try:
                self.check_mode(os.fstat(fd))
            finally:
                os.close(fd)
            self.compare()

    def open(self):
        return os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)

    def check_mode(self, info):
        """Failure if others may put links there for us to write through."""
        if info.st_mode & stat.S_IWOTH:
            self.refuse("everybody may write there")

    def refuse(self, why):
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
            check_form(there)
            unlike = list(differences(
                {key: there[key] for key in ("format", "plan", "system")},
                {key: self.data[key] for key in ("format", "plan",
                                                 "system")}))
        except (ValueError, KeyError, TypeError, AttributeError,
                RecursionError):
            raise Failure(f"{path}: cannot be read as a campaign's; name "
                          "another directory with --output") from None
        if unlike:
            raise Failure(f"{self.directory}: holds another campaign; name "
                          "another directory with --output, or give its "
                          "options:\n  " + "\n  ".join(unlike))
        for key in ("sessions", "measurements"):
            self.data[key] = there[key]

    def save(self):
        """Whatever ends us, the old one or the new is there.

        The directory is our own: nobody else can make or replace names in it.
        """
        temporary = self.directory / f".{STATE}.new"
        whole.write(temporary, json.dumps(self.data, indent=2) + "\n")
        keep(temporary, self.directory / STATE)

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
        path = self.path(f"{one.name}.json")
        try:
            content = path.read_bytes()
            result = object_of(content, path)
        except (OSError, Failure):
            return None
        # An older version has recorded no digest.
        same = record.get("result_sha256", digest(content)) == digest(
            content) and cycles_of(result) == record.get("cycles")
        return result if same else None


def check_form(there):
    """TypeError if these sessions and measurements are none of ours."""
    sessions, done = there["sessions"], there["measurements"]
    wanted = [(sessions, list), (done, dict)]
    for session in sessions:
        environment = session["environment"]
        findings = environment.get("findings") or []
        wanted += [(session["boot_id"], str), (environment, dict),
                   (session.get("environment_end", {}), dict),
                   (findings, list), *((one, dict) for one in findings)]
    for record in done.values():
        wanted += [(record["state"], str), (record.get("message", ""), str)]
    for value, kind in wanted:
        if not isinstance(value, kind):
            raise TypeError(value)


def digest(content):
    return hashlib.sha256(content).hexdigest()


def cycles_of(result):
    """How many cycles a tool's results are of; None if they are none."""
    try:
        threads = list(result["thread"].values())
        figures = [thread.get(key) for thread in threads
                   for key in ("min", "avg", "max")]
        if isinstance(result.get("twoway", {}), dict) and all(
                isinstance(one, (int, float, type(None))) for one in figures):
            return min(thread["cycles"] for thread in threads)
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    return None


def read_json(path):
    """An object; Failure if the file holds none."""
    try:
        return object_of(pathlib.Path(path).read_bytes(), path)
    except OSError as err:
        raise Failure(f"{path}: {err.strerror}") from None


def object_of(content, path):
    if not content.strip():
        raise Failure(f"{path}: empty: the run did not end")
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as err:
        raise Failure(f"{path}: {err}") from None
    if not isinstance(value, dict):
        raise Failure(f"{path}: no object of results")
    return value
