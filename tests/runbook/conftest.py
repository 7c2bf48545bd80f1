# SPDX-License-Identifier: GPL-2.0-or-later
"""A place to run the runbook's commands in, in the order of the page.

They run in one directory, in a mount namespace of its own, as each goes on
from the ones before.
"""

import contextlib
import pathlib
import shlex
import subprocess

import pytest

import outside
import page
import primitives
import tracing

# What must not be done here is only looked at, see test_runbook.py.
SHIMS = {
    "sudo": '[ "$1" != -n ] || shift; exec "$@"',
    # The other host is this one; as ssh does, a shell runs the words.
    "ssh": 'shift; exec sh -c "$*"',
    "apt-get": 'exec /usr/bin/apt-get --simulate "$@"',
    "primitivetest": f'exec {shlex.quote(primitives.binary())} "$@"',
    "twowaytest": f'exec {shlex.quote(outside.binary())} "$@"',
}
TRACE = ("tracing_on", "trace_clock", "set_event")


class Desk:
    """Where somebody with this page sits."""

    def __init__(self, directory):
        self.directory = directory
        self.bin = directory / "bin"
        self.bin.mkdir()
        for name, text in SHIMS.items():
            (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.bin / name).chmod(0o755)
        self.trace = trace_settings()
        (directory / "contrib").symlink_to(page.SOURCE / "contrib")

    def run(self, text, timeout=60):
        """Types it; fails if a process is left."""
        process = outside.Run(
            "-c", f"{page.cpus()}\n{page.HOSTS}\n{text}", program="/bin/sh",
            cwd=self.directory, env={"PATH": f"{self.bin}:{page.PATH}"})
        try:
            process.finish(timeout)
            assert process.gone(), f"{text}: processes are left"
        finally:
            process.end()
        return process

    def path(self, name):
        return self.directory / name


@contextlib.contextmanager
def tracefs():
    """Where it is; mounted for the moment if it is not. None: nowhere."""
    if tracing.mounted():
        yield tracing.mounted()
        return
    try:
        tracing.mount("-t", "tracefs", "nodev", tracing.MOUNT_POINT)
    except subprocess.CalledProcessError:
        yield None
        return
    try:
        yield tracing.MOUNT_POINT
    finally:
        subprocess.run(["umount", tracing.MOUNT_POINT], check=True)


def trace_settings():
    """As they can be written back; empty without tracefs."""
    with tracefs() as place:
        if not place:
            return {}
        found = {name: outside.read(place / name).strip() for name in TRACE}
    clock = found["trace_clock"]
    found["trace_clock"] = clock[clock.find("[") + 1:clock.find("]")]
    return found


def restore_trace(before):
    with tracefs() as place:
        for name, value in before.items():
            pathlib.Path(place, name).write_text(f"{value}\n")


@pytest.fixture(scope="session")
def desk(tmp_path_factory):
    if outside.why_not():
        pytest.skip(outside.why_not())
    # Another suite beside may have changed it for the moment.
    with outside.Turn():
        runtime = outside.rt_runtime()
    with tracing.own_mounts():
        sitting = Desk(tmp_path_factory.mktemp("desk"))
        yield sitting
        restore_trace(sitting.trace)
    with outside.Turn():
        assert outside.rt_runtime() == runtime
