# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the guest's programs come from, and the libraries of each.

A guest of this machine's architecture has this machine's programs; another
has those of Debian's packages, and what is built here with a cross compiler.
"""

import functools
import hashlib
import os
import pathlib
import re
import shlex
import shutil

import vl_apt
from vl_common import LabError, cache, call, need, sha256, tell
from vl_directory import alone, remove_old, whole

PACKAGES = {"cyclictest": "rt-tests", "hackbench": "rt-tests"}
OURS = ("twowaytest", "primitivetest")
STATIC = "-Dstatic=true"
STATIC_LIBRARIES = ("libc.a", "libnuma.a")
# What meson heeds of it.
ENVIRONMENT = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS")
KEPT = 4                # builds in the cache
PROJECT = pathlib.Path(__file__).resolve().parents[2]
# What programs of another architecture are, or need to be built.
FOREIGN = ("busybox-static", "rt-tests", "libc6", "libnuma1", "libgcc-s1",
           "libc6-dev", "libnuma-dev", "linux-libc-dev")
# busybox's table of its applets begins so.
APPLETS = re.compile(rb"(\[\0\[\[\0[!-~\0]*?)\0\0")


def is_dynamic(program):
    """Whether a program needs a loader: its path is then in the head."""
    with open(program, "rb") as file:
        head = file.read(4096)
    return head.startswith(b"\x7fELF") and \
        re.search(rb"/ld[^/\0]*\.so", head) is not None


def build(name, prefix, options, made_with):
    """Builds a program of this tree; returns its path.

    The same tree, options and tools give the same bytes, in any directory;
    as neither meson nor ninja sees that a tool is another one than at the
    first build, this has a directory of its own.
    """
    need("meson", "meson")
    need("ninja", "ninja-build")
    inputs = [str(PROJECT), *options, made_with,
              *(f"{one}={os.environ.get(one)}" for one in ENVIRONMENT)]
    key = hashlib.sha256(os.fsencode("\0".join(inputs))).hexdigest()[:12]
    directory = cache() / f"{prefix}-{key}"
    with alone(directory):
        if not (directory / "build.ninja").exists():
            tell(f"builds {name}")
            # Without debugging information: that has the tree's path.
            call(["meson", "setup", "-Dtests=disabled", "-Ddebug=false",
                  *options, directory, PROJECT])
        call(["meson", "compile", "-C", directory, f"./{name}:executable"])
    remove_old(cache(), f"{prefix}-*", KEPT)
    return directory / name


def tools():
    """Of this machine's compiler and static libraries: what tells them apart.
    """
    compiler = shlex.split(os.environ.get("CC") or "cc")
    need(compiler[0], "gcc")
    found = [call([*compiler, "--version"])]
    for name in STATIC_LIBRARIES:
        path = call([*compiler, f"-print-file-name={name}"]).strip()
        # As it was asked for: there is none.
        found.append(path if path == name else sha256(path))
    return "\n".join(found)


class Native:
    """Programs of this machine."""

    def own(self, name):
        """The program that virtlab comes with: built, or installed."""
        if (PROJECT / "meson.build").exists():
            return build(name, "build", [STATIC], tools())
        return need(name, f"{name}, or --binary=FILE")

    def find(self, name):
        """Of a name that is neither added nor busybox's."""
        if name in PACKAGES:
            return need(name, PACKAGES[name])
        path = shutil.which(name)
        if not path:
            raise LabError(f"{name} is not installed here, nor part of "
                           "busybox; --add=FILE brings a program of your own")
        return path

    def busybox(self):
        """Its path, its applets."""
        path = need("busybox", "busybox-static")
        if is_dynamic(path):
            raise LabError(f"{path} is not static: package busybox-static")
        return path, call([path, "--list"]).split()

    def libraries(self, program):
        """(path here, path in the guest) of what its loader looks for."""
        return [(path, path.lstrip("/")) for path in
                re.findall(r"(/\S+) \(0x", call(["ldd", program]))]


class Foreign:
    """Programs of another architecture."""

    def __init__(self, machine):
        self.machine = machine

    @functools.cached_property
    def root(self):
        """Debian's packages, unpacked in the cache."""
        debian = vl_apt.find(self.machine.suite, self.machine.name)
        version = "".join(debian.show(FOREIGN).values())
        made = cache() / f"root-{self.machine.name}"
        with alone(cache() / "roots"):
            if not (made / "version").is_file() or \
                    (made / "version").read_text() != version:
                with whole(made, "version") as new:
                    unpack(debian, FOREIGN, new)
                    (new / "version").write_text(version)
        return made

    def own(self, name):
        """Built with a cross compiler."""
        if not (PROJECT / "meson.build").exists():
            raise LabError(f"for {self.machine.name}, {name} is built from "
                           "the source tree, which is not here: run virtlab "
                           "there, or name a static one: --binary=FILE, "
                           "--add=FILE")
        triple = self.machine.triple
        need(f"{triple}-gcc", f"gcc-{triple.replace('_', '-')}")
        cross = self.root / "cross.ini"
        cross.write_text(f"[constants]\nroot = '{self.root}'\n")
        return build(name, f"cross-{self.machine.name}", [
            f"--cross-file={cross}",
            f"--cross-file={PROJECT}/tests/cross/{self.machine.cpu}.ini",
            *[STATIC] * self.machine.static],
            call([f"{triple}-gcc", "--version"])
            + (self.root / "version").read_text())

    def find(self, name):
        path = self.root / "usr/bin" / name
        if not path.is_file():
            raise LabError(f"{name} for {self.machine.name} is neither part "
                           "of busybox nor of rt-tests; --add=FILE brings a "
                           "program of your own")
        return path

    def busybox(self):
        path = next(path for path in (self.root / "bin/busybox",
                                      self.root / "usr/bin/busybox")
                    if path.is_file())
        found = APPLETS.search(path.read_bytes())
        return path, found[1].decode().split("\0") if found else []

    def libraries(self, program):
        found, left = {}, [program]
        while left:
            for name in needed(left.pop()):
                if name not in found:
                    found[name] = self.library(program, name)
                    left.append(found[name][0])
        return list(found.values())

    def library(self, program, name):
        """One that is named by its path (the loader), or by its name."""
        inner = name.lstrip("/") if "/" in name else \
            f"lib/{self.machine.triple}/{name}"
        for path in (self.root / inner, self.root / "usr" / inner):
            if path.is_file():
                return path, inner
        raise LabError(f"{program} needs {name}, which Debian's packages "
                       f"{', '.join(FOREIGN)} do not have: link it statically")


def needed(program):
    """What an ELF file names: its loader and its libraries.

    A library may name the loader, too, which is there already.
    """
    need("readelf", "binutils")
    text = call(["readelf", "-l", "-d", program])
    found = re.findall(r"(?:interpreter: |\(NEEDED\).*\[)([^]\s]+)\]", text)
    return [name for name in found if not name.startswith("ld-")]


def unpack(debian, packages, new):
    """With links that lead to themselves."""
    work = new.with_name("work")
    work.mkdir()
    debian.download(packages, work)
    for deb in work.glob("*.deb"):
        call(["dpkg-deb", "-x", deb, new])
    # One name for what lies in /lib and, on newer systems, in /usr/lib.
    if not (new / "lib").exists():
        (new / "lib").symlink_to("usr/lib")
    for link in new.rglob("*"):
        if link.is_symlink() and os.readlink(link).startswith("/"):
            target = new / os.readlink(link).lstrip("/")
            link.unlink()
            link.symlink_to(os.path.relpath(target, link.parent))


def source(machine):
    return Native() if machine.native else Foreign(machine)
