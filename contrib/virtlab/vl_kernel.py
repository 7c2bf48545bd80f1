# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel images: what they say of themselves, and Debian's packages."""

import dataclasses
import lzma
import mmap
import pathlib
import re
import struct

import vl_apt
from vl_common import LabError, cache, call, sha256, tell
from vl_directory import whole
from vl_machine import DEFAULT, MACHINES

CLOUD, STANDARD, PREEMPT_RT = MACHINES[DEFAULT].packages

# Linux' x86 boot protocol: a magic number, then an offset to the version.
MAGIC = slice(0x202, 0x206)
VERSION = 0x20e
HEAD = 0x8000
# The head of an image of others: what is at which byte.
IMAGES = {"arm64": (0x38, b"ARM\x64"), "riscv64": (0x38, b"RSC\x05")}
BANNER = re.compile(rb"Linux version ([!-~]+) ")
# Kept beside the image: what two hosts in one guest need, each without others.
MODULES = ("veth", "sch_netem")
# Where a package may have it: riscv64 before 7.0 has no vmlinuz; from 7.3 on
# it lies among the modules.
PATHS = ("boot/vmlinu[xz]-*", "usr/lib/modules/*/vmlinuz")
SUM = "sha256"          # beside the image, as sha256sum writes it
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def x86_release(head):
    """What the head of an x86 image says, None if it is none."""
    if head[MAGIC] != b"HdrS" or len(head) < VERSION + 2:
        return None
    at = struct.unpack_from("<H", head, VERSION)[0] + 0x200
    text = head[at:].split(b"\0", 1)[0].decode("ascii", "replace")
    return text.split(" ", 1)[0]


def banner_release(file, head):
    """The architecture of another image, and what the kernel will print."""
    for arch, (at, magic) in IMAGES.items():
        if head[at:].startswith(magic):
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
                found = BANNER.search(data)
                return arch, found[1].decode("ascii") if found else ""
    return None, None


def identify(path):
    """The architecture of a kernel image, and its release (uname -r)."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            arch, release = "amd64", x86_release(head)
            if release is None:
                arch, release = banner_release(file, head)
    except OSError as err:
        raise LabError(f"{path}: {err.strerror}") from None
    if not arch:
        raise LabError(f"{path}: no kernel image for {', '.join(MACHINES)} "
                       "(bzImage, vmlinuz, Image)")
    if not NAME.fullmatch(release):
        raise LabError(f"{path}: this kernel image does not tell its release")
    return arch, release


@dataclasses.dataclass
class Kernel:
    """A kernel image; its name is that of the directory of its results."""
    name: str
    path: pathlib.Path
    release: str
    sha256: str


def kernel(text, machine=MACHINES[DEFAULT]):
    """A Kernel from [NAME=]FILE."""
    name, equals, path = text.rpartition("=")
    if equals and not NAME.fullmatch(name):
        raise LabError(f"--kernel={text}: '{name}' is no name: letters, "
                       "digits, '.', '_', '+', '-'")
    arch, release = identify(path)
    if arch != machine.name:
        raise LabError(f"{path}: a kernel for {arch}, but the guest is "
                       f"{machine.name}: give --arch={arch}")
    return Kernel(name or release, pathlib.Path(path), release, sha256(path))


def cached(made, version):
    """Whether an image is there, of this version, and still what it was."""
    try:
        return (made / "version").read_text() == version and \
            (made / "modules").is_dir() and \
            (made / SUM).read_text().split()[0] == sha256(made / "vmlinuz")
    except (OSError, ValueError, IndexError):
        return False


def keep_modules(work, new):
    """Those of MODULES that the package has, as insmod takes them."""
    kept = new / "modules"
    kept.mkdir()
    for name in MODULES:
        for path in work.glob(f"**/lib/modules/*/kernel/**/{name}.ko*"):
            data = path.read_bytes()
            if path.suffix == ".xz":
                data = lzma.decompress(data)
            (kept / f"{name}.ko").write_bytes(data)


def unpack(debian, parts, new):
    """The image of a kernel's packages, its configuration and MODULES."""
    work = new.with_name("work")
    work.mkdir()
    debian.download(parts, work)
    for deb in work.glob("*.deb"):
        call(["dpkg-deb", "-x", deb, work])
    images = [path for pattern in PATHS for path in work.glob(pattern)]
    if len(images) != 1:
        raise LabError(f"{', '.join(parts)}: {len(images)} kernel images in "
                       "this package, 1 is expected")
    images[0].rename(new / "vmlinuz")
    for config in work.glob("boot/config-*"):
        config.rename(new / "config")
    keep_modules(work, new)


def fetch(package, directory=None, suite=None, arch=DEFAULT):
    """Downloads a kernel package of Debian; returns the image's path.

    What is there already, and unchanged, is not downloaded again.
    """
    debian = vl_apt.find(suite, arch)
    found = debian.parts(package)
    # Not a package that has no kernel, only the newest one's name.
    parts = {name: text for name, text in found.items()
             if vl_apt.PART.fullmatch(name)} or found
    name = next((one for one in parts if one.startswith("linux-image-")),
                package)
    directory = pathlib.Path(directory or cache() / "kernels").resolve()
    made = directory / re.sub("^linux-(image|binary)-", "", name)
    version = "".join(parts.values())
    if not cached(made, version):
        directory.mkdir(parents=True, exist_ok=True)
        tell(f"downloads {', '.join(parts)}")
        with whole(made, "version") as new:
            unpack(debian, list(parts), new)
            (new / SUM).write_text(f"{sha256(new / 'vmlinuz')}  vmlinuz\n")
            (new / "version").write_text(version)
    return made / "vmlinuz"


def fetched(name, package, **where):
    """A Kernel of Debian's."""
    arch = where.get("arch", DEFAULT)
    return kernel(f"{name}={fetch(package, **where)}", MACHINES[arch])
