# SPDX-License-Identifier: GPL-2.0-or-later
"""A server of ssh in a network namespace, with nothing of this system's."""

import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import pytest

import outside

PORT = 2222
PATIENCE_S = 20
# Where tests/tools/openssh has unpacked the programs.
UNPACKED = pathlib.Path(os.environ.get("TWOWAY_OPENSSH") or os.devnull)
# What newer servers start, by other paths than that of the installed one.
PARTS = {"SshdSessionPath": "sshd-session", "SshdAuthPath": "sshd-auth"}


def find(name):
    """The words that run a program: this system's, else the unpacked one."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if path:
        return [path]
    for folder in "usr/sbin", "usr/bin":
        path = UNPACKED / folder / name
        if path.is_file():
            libraries = sorted({str(library.parent) for library
                                in UNPACKED.rglob("lib*.so*")})
            return ["env", f"LD_LIBRARY_PATH={':'.join(libraries)}",
                    str(path)]
    pytest.skip(
        f"{name} is neither in PATH nor in {UNPACKED}, where "
        "tests/tools/openssh unpacks it (TWOWAY_OPENSSH); contrib/setup test "
        "runs that, but not with --no-install")


def command(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=20,
                          check=False)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"


def parts(server):
    """The lines of the configuration that an unpacked server needs."""
    if not server[-1].startswith(f"{UNPACKED}/"):
        return ""
    folder = UNPACKED / "usr/lib/openssh"
    return "".join(f"{key} {folder / name}\n" for key, name in PARTS.items()
                   if (folder / name).is_file())


def configure(directory, address, server):
    """It knows one key; the client only that of the server."""
    for name in "host", "user":
        command(*find("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f",
                str(directory / name))
    public = (directory / "user.pub").read_text()
    (directory / "authorized").write_text(public)
    host = (directory / "host.pub").read_text().split()
    (directory / "known").write_text(
        f"[{address}]:{PORT} {host[0]} {host[1]}\n")
    (directory / "sshd").write_text(
        f"Port {PORT}\nListenAddress {address}\nHostKey {directory}/host\n"
        f"AuthorizedKeysFile {directory}/authorized\nPidFile none\n"
        "UsePAM no\nStrictModes no\nPasswordAuthentication no\n"
        "PermitRootLogin prohibit-password\nPermitUserRC no\n"
        + parts(server))
    (directory / "ssh").write_text(
        f"IdentityFile {directory}/user\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {directory}/known\nIdentityAgent none\n"
        "GlobalKnownHostsFile none\nBatchMode yes\n"
        f"StrictHostKeyChecking yes\nPort {PORT}\nUser root\n")
    (directory / "passwd").write_text(
        "root:x:0:0:root:/:/bin/sh\n"
        "sshd:x:65533:65534:sshd:/run/sshd:/usr/sbin/nologin\n"
        "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n")
    (directory / "shadow").write_text(
        "root:*:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n")
    (directory / "run").mkdir()


@contextlib.contextmanager
def serving(address, inside):
    """Runs one there, by the words @inside; the command that logs in."""
    server, client = find("sshd"), find("ssh")
    with tempfile.TemporaryDirectory(prefix="twoway-ssh-") as name:
        directory = pathlib.Path(name)
        configure(directory, address, server)
        # ip netns gives it mounts of its own: this system's stay as they are.
        script = " && ".join((
            "mount --make-rprivate /",
            f"mount --bind {name}/passwd /etc/passwd",
            f"{{ [ ! -e /etc/shadow ] || "
            f"mount --bind {name}/shadow /etc/shadow; }}",
            "mount -t tmpfs none /run", "mkdir -m 755 /run/sshd",
            f"exec {shlex.join(server)} -D -e -f {name}/sshd"))
        log = directory / "log"
        with open(log, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [*inside, "sh", "-c", script],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True)
        try:
            assert outside.wait_for(
                lambda: "Server listening" in log.read_text() or
                process.poll() is not None, PATIENCE_S)
            if process.poll() is not None:
                pytest.skip(f"sshd does not start: {log.read_text()}")
            yield shlex.join([*client, "-F", f"{name}/ssh", address])
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
