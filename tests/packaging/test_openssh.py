# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/tools/openssh, with made-up programs of Debian's."""

import os
import pathlib
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "tools" / "openssh"
OFFERED = ("openssh-server", "openssh-client", "libwrap0", "libc6",
           "libc-bin", "libcrypt1", "runit-helper", "ucf")
FETCHED = ("libcrypt1", "libwrap0", "openssh-client", "openssh-server")
APT = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case " $* " in
*" install "*)
	for name in $OFFERED; do echo "Inst $name (1 Debian)"; done
	echo "Conf openssh-server (1 Debian)"
	;;
*" download "*)
	while [ "$1" != download ]; do shift; done
	shift
	for name; do : >"${name}_1_amd64.deb"; done
	;;
esac
"""
DPKG = """#!/bin/sh
[ "$1" = -x ] && ! grep -q "${2##*/}" "$BROKEN" || exit 2
: >"$3/$(basename "$2" _1_amd64.deb)"
"""


class Tree:
    """A directory for what is unpacked, and a PATH of made-up programs."""

    def __init__(self, directory):
        self.root = directory / "openssh"
        self.calls = directory / "calls"
        self.broken = directory / "broken"
        self.bin = directory / "bin"
        self.bin.mkdir()
        self.broken.write_text("none")
        self.calls.write_text("")
        for name, text in (("apt-get", APT), ("dpkg-deb", DPKG)):
            self.program(name, text)

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run(self, offered=OFFERED):
        return subprocess.run(
            [SCRIPT, self.root], capture_output=True, text=True, timeout=60,
            check=False, env={
                **os.environ, "PATH": f"{self.bin}:/usr/bin:/bin",
                "CALLS": str(self.calls), "BROKEN": str(self.broken),
                "OFFERED": " ".join(offered)})

    def unpacked(self):
        return sorted(path.name for path in self.root.iterdir())

    def nothing_left(self):
        return not list(self.root.parent.glob("openssh*"))


@pytest.fixture
def tree(tmp_path):
    if any(pathlib.Path(folder, "sshd").exists()
           for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin")):
        pytest.skip("sshd is installed: nothing is unpacked here")
    return Tree(tmp_path)


def test_what_is_missing_is_unpacked(tree):
    """But no other C library, which would need its own loader."""
    done = tree.run()
    assert done.returncode == 0, done.stderr
    assert tree.unpacked() == sorted(FETCHED)
    # Asked for only: -s simulates.
    first, second = tree.calls.read_text().splitlines()
    assert first.startswith("apt-get -qs ") and " install " in first
    assert " download " in second
    assert not list(tree.root.parent.glob("openssh.*"))


def test_what_is_there_is_kept(tree):
    tree.root.mkdir()
    assert tree.run().returncode == 0
    assert tree.unpacked() == [] and tree.calls.read_text() == ""


def test_a_server_of_the_system(tree):
    tree.program("sshd", "#!/bin/sh\n")
    assert tree.run().returncode == 0
    assert tree.nothing_left() and tree.calls.read_text() == ""


def test_none_is_offered(tree):
    done = tree.run(("ucf", "libwrap0"))
    assert done.returncode == 1 and tree.nothing_left()
    assert "offers no openssh-server" in done.stderr


def test_half_of_it_is_nothing(tree):
    """A package that cannot be unpacked, or fetched: next time, all again."""
    tree.broken.write_text("openssh-client_1_amd64.deb")
    done = tree.run()
    assert done.returncode == 1 and tree.nothing_left()
    assert "openssh-client_1_amd64.deb: cannot be unpacked" in done.stderr
    tree.broken.write_text("none")
    tree.program("apt-get", APT.replace("shift\n\tfor", "exit 100\n\tfor"))
    assert tree.run().returncode == 1 and tree.nothing_left()
    tree.program("apt-get", APT)
    assert tree.run().returncode == 0
    assert tree.unpacked() == sorted(FETCHED)


def test_without_debian(tree):
    (tree.bin / "apt-get").unlink()
    for name in "sh", "awk", "grep":
        os.symlink(f"/bin/{name}", tree.bin / name)
    done = subprocess.run(
        [SCRIPT, tree.root], capture_output=True, text=True, check=False,
        env={"PATH": str(tree.bin)}, timeout=60)
    assert done.returncode == 1 and tree.nothing_left()
    assert "apt-get is not here" in done.stderr


@pytest.mark.parametrize("words", [(), ("a", "b")])
def test_usage(words):
    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "usage: openssh DIRECTORY\n"
