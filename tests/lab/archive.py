# SPDX-License-Identifier: GPL-2.0-or-later
"""A made archive of Debian's kernels, which the system's apt reads.

It has no signature, and no network is needed.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import lab as made
import vl_apt

SUITES = {"bullseye": ["6.1.7", "6.1.10"], "trixie": ["6.19.2"],
          "sid": ["7.3.4"]}
ARCHES = ("amd64", "arm64", "riscv64")
PACKAGE = """Package: {name}
Version: {version}-1
Architecture: {arch}
Maintainer: nobody <nobody@example.org>
Depends: {depends}
Provides: {provides}
Description: made
"""
CONFIGURATION = """Dir::Etc::sourcelist "{directory}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "{directory}/system";
Dir::Cache "{directory}/system";
Acquire::AllowInsecureRepositories "true";
APT::Get::AllowUnauthenticated "true";
"""


def package(archive, arch, name, version, files=None, depends="kmod",
            provides="another"):
    """Builds a package; what an index says of it."""
    root = archive / "root"
    shutil.rmtree(root, ignore_errors=True)
    about = PACKAGE.format(name=name, version=version, arch=arch,
                           depends=depends, provides=provides)
    made.write(root / "DEBIAN/control", about)
    for path, content in (files or {}).items():
        made.write(root / path, "").write_bytes(content)
    deb = f"pool/{name}_{version}-1_{arch}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", root,
                    archive / deb], check=True, capture_output=True)
    data = (archive / deb).read_bytes()
    return (f"{about}Filename: {deb}\nSize: {len(data)}\n"
            f"SHA256: {hashlib.sha256(data).hexdigest()}\n")


def image(archive, arch, release, rest):
    path = archive / "image"
    if arch == "amd64":
        made.image(path, release, rest)
    else:
        made.other_image(path, arch, release)
    return path.read_bytes()


def kernel(archive, arch, version, flavour):
    """A kernel as Debian packs it: in one package, in two, in three."""
    exact = f"{version}+made-{flavour}{arch}"
    old = "vmlinux" if arch == "riscv64" else "vmlinuz"
    # The RT kernel's latency, in the made guest, depends on its release.
    content = image(archive, arch, exact, f"\nmax={version.split('.')[1]}\n")
    module = {f"usr/lib/modules/{exact}/kernel/drivers/net/veth.ko": b"veth"}
    name, binary, modules = (f"linux-{part}-{exact}"
                             for part in ("image", "binary", "modules"))
    if version.startswith("6.1."):
        yield package(archive, arch, name, version, {
            f"boot/{old}-{exact}": content, **module,
            f"boot/config-{exact}": b"CONFIG_MADE=y\n"})
        return
    yield package(archive, arch, name, version, depends="linux-base (>= 4), "
                  f"{binary} (= {version}-1), {modules} (= {version}-1)")
    files = {f"usr/lib/modules/{exact}/vmlinuz": content}
    if version.startswith("6"):
        yield package(archive, arch, binary, version, {**files, **module},
                      provides=f"{modules} (= {version}-1)")
    else:
        yield package(archive, arch, binary, version, files)
        yield package(archive, arch, modules, version, module)


def index(archive, arch, versions):
    for version in versions:
        for flavour in ("", "rt-"):
            yield from kernel(archive, arch, version, flavour)
    for flavour in ("", "rt-"):
        yield package(
            archive, arch, f"linux-image-{flavour}{arch}", versions[-1],
            depends=f"linux-image-{versions[-1]}+made-{flavour}{arch} (= 1)")


def build(archive):
    """All suites, each with every architecture of the lab."""
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    if not os.path.exists(vl_apt.KEYS):
        pytest.skip(f"{vl_apt.KEYS} is not installed")
    (archive / "pool").mkdir()
    for suite, versions in SUITES.items():
        sums = ""
        for arch in ARCHES:
            name = f"main/binary-{arch}/Packages"
            data = made.write(archive / "dists" / suite / name, "\n".join(
                index(archive, arch, versions))).read_bytes()
            sums += (f" {hashlib.sha256(data).hexdigest()} {len(data)} "
                     f"{name}\n")
        date = time.strftime("%a, %d %b %Y %H:%M:%S UTC", time.gmtime())
        made.write(archive / "dists" / suite / "Release",
                   f"Origin: Debian\nLabel: Debian\nSuite: {suite}\n"
                   f"Architectures: {' '.join(ARCHES)}\n"
                   f"Components: main\nDate: {date}\nSHA256:\n{sums}")
    return archive


def use(lab, archive):
    """Makes the archive where the packages of the lab's system come from."""
    made.write(lab.directory / "sources.list",
               f"deb [signed-by={vl_apt.KEYS}] file:{archive} bullseye main\n")
    pathlib.Path(lab.directory / "system/lists/partial").mkdir(parents=True)
    lab.environment["APT_CONFIG"] = str(made.write(
        lab.directory / "apt.conf",
        CONFIGURATION.format(directory=lab.directory)))
    lab.cache = lab.directory / "home/twowaytest-virtlab"
    return lab
