# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's trace, and what twowaytest writes of it."""

import contextlib
import ctypes
import math
import os
import pathlib
import re
import subprocess
import typing

import pytest

import outside

MOUNT_POINT = pathlib.Path("/sys/kernel/tracing")
CLONE_NEWNS = 0x20000

# "  NAME-PID   [001] d..2.  12.345678: event: arguments"
EVENT = re.compile(r" *(?P<task>.{1,16})-(?P<pid>\d+) +\[(?P<cpu>\d+)\] "
                   r"\S+ +(?P<time>\d+\.\d{6}): (?P<name>\w+): ?(?P<args>.*)")
LOSS = re.compile(r"CPU:(\d+) \[LOST .*|##### CPU (\d+) buffer started ####")
STAMP = re.compile(r"# (\d+)\.(\d{9}): twowaytest: cycle (\d+): (\w+): .+")


class Event(typing.NamedTuple):
    """A line of a trace."""
    time_ns: int
    cpu: int
    task: str
    pid: int
    name: str
    args: str


def event(line):
    """None if it is none."""
    found = EVENT.fullmatch(line)
    if not found:
        return None
    return Event(int(found["time"].replace(".", "")) * 1000,
                 int(found["cpu"]), found["task"].strip(), int(found["pid"]),
                 found["name"], found["args"])


def events(text):
    return list(filter(None, map(event, text.splitlines())))


def whole_ns(text):
    """From then on, it has the events of all CPUs."""
    lost, since_ns = set(), math.inf
    for line in text.splitlines():
        loss, seen = LOSS.fullmatch(line), event(line)
        if loss:
            lost.add(int(loss[1] or loss[2]))
        elif seen and (since_ns == math.inf or seen.cpu in lost):
            since_ns = seen.time_ns
            lost.discard(seen.cpu)
    return since_ns


def unseen(text):
    """When some CPU had a task that no sched_switch has told of: from the
    last event there till the one that shows it."""
    current, last_ns, found = {}, {}, []
    for seen in events(text):
        if seen.name == "tracing_mark_write":
            continue
        if current.get(seen.cpu, seen.pid) != seen.pid:
            found.append((last_ns[seen.cpu], seen.time_ns))
        current[seen.cpu], last_ns[seen.cpu] = seen.pid, seen.time_ns
        if seen.name == "sched_switch":
            current[seen.cpu] = int(re.search(r"next_pid=(\d+)",
                                              seen.args)[1])
    return found


def stamps(text):
    """The cycle's, as written among a trace's lines: name, time in ns."""
    found = map(STAMP.fullmatch, text.splitlines())
    return [(match[4], int(match[1]) * 10**9 + int(match[2]))
            for match in found if match]


def instance(directory, pid):
    """Those of the twowaytest that has this pid."""
    return list((directory / "instances").glob(f"twowaytest-{pid}-*"))


def instances(directory):
    """The pids of the twowaytests that have one."""
    return {int(path.name.split("-")[1])
            for path in (directory / "instances").glob("twowaytest-[0-9]*-*")}


def mounted(system="tracefs"):
    """Where it is, for this process."""
    for line in outside.read("/proc/self/mounts").splitlines():
        words = line.split()
        if words[2] == system:
            return pathlib.Path(words[1])
    return None


def system(call, *args):
    """A system call that this Python has no name for yet."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, call)(*args):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), call)


def mount(*args):
    subprocess.run(["mount", *map(str, args)], check=True,
                   capture_output=True)


def unmount_all(*systems):
    """Those that this process sees. Debugfs has a tracefs below it, which is
    mounted when somebody looks there."""
    for system_of in systems:
        while mounted(system_of):
            subprocess.run(["umount", "-l", mounted(system_of)], check=True,
                           capture_output=True)


@contextlib.contextmanager
def own_mounts():
    """In a mount namespace of our own: whatever is mounted ends with it."""
    directory = os.getcwd()
    with open("/proc/self/ns/mnt", "rb") as before:
        system("unshare", CLONE_NEWNS)
        try:
            mount("--make-rprivate", "/")
            yield
        finally:
            system("setns", before.fileno(), CLONE_NEWNS)
            os.chdir(directory)


@contextlib.contextmanager
def usable():
    """Where whoever runs the tests may trace; else the test is skipped."""
    if os.geteuid() or os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("--trace needs root, and no emulator")
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(own_mounts())
            if not mounted():
                mount("-t", "tracefs", "nodev", MOUNT_POINT)
            kept = stack.pop_all()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no tracefs here: {error}")
    with kept:
        yield mounted()
