# SPDX-License-Identifier: GPL-2.0-or-later
"""fetch of other suites and architectures: Debian's apt, a made archive."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import lab as made
import vl_apt

SUITES = {"old": "6.1.7", "new": "7.3.4"}
ARCHES = ("amd64", "arm64", "riscv64")
PACKAGE = """Package: {name}
Version: {version}-1
Architecture: {arch}
Maintainer: nobody <nobody@example.org>
Depends: {depends}
Description: made
"""
# The archive has no signature.
INSECURE = """Dir::Etc::sourcelist "{directory}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "{directory}/system";
Dir::Cache "{directory}/system";
Acquire::AllowInsecureRepositories "true";
APT::Get::AllowUnauthenticated "true";
"""


def package(archive, arch, name, version, depends="kmod", files=()):
    """Builds a package; what an index says of it."""
    root = archive / "root"
    shutil.rmtree(root, ignore_errors=True)
    about = PACKAGE.format(name=name, version=version, arch=arch,
                           depends=depends)
    made.write(root / "DEBIAN/control", about)
    for path, text in dict(files).items():
        made.write(root / path, text)
    deb = f"pool/{name}_{version}-1_{arch}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", root,
                    archive / deb], check=True, capture_output=True)
    data = (archive / deb).read_bytes()
    return (f"{about}Filename: {deb}\nSize: {len(data)}\n"
            f"SHA256: {hashlib.sha256(data).hexdigest()}\n")


def kernels(archive, arch, version):
    """As Debian packs them before 7.3, and from then on."""
    exact = f"{version}+made-{arch}"
    module = f"usr/lib/modules/{exact}/kernel/drivers/net/veth.ko"
    own = [(f"boot/config-{exact}", "CONFIG_MADE=y\n")]
    if version < "7":
        name = "vmlinux" if arch == "riscv64" else "vmlinuz"
        yield package(archive, arch, f"linux-image-{exact}", version,
                      files=[*own, (f"boot/{name}-{exact}", exact),
                             (module, "veth")])
    else:
        yield package(archive, arch, f"linux-image-{exact}", version,
                      f"linux-base (>= 4), linux-binary-{exact} "
                      f"(= {version}-1), linux-modules-{exact} (= {version})")
        yield package(archive, arch, f"linux-binary-{exact}", version,
                      files=[(f"usr/lib/modules/{exact}/vmlinuz", exact)])
        yield package(archive, arch, f"linux-modules-{exact}", version,
                      files=[(module, "veth")])
    for name in ("linux-image", "linux-image-rt"):
        yield package(archive, arch, f"{name}-{arch}", version,
                      f"linux-image-{exact} (= {version}-1)")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Of two suites, with every architecture of the lab."""
    for program in ("apt-get", "dpkg-deb"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    if not os.path.exists(vl_apt.KEYS):
        pytest.skip(f"{vl_apt.KEYS} is not installed")
    base = tmp_path_factory.mktemp("archive")
    (base / "pool").mkdir()
    for suite, version in SUITES.items():
        sums = ""
        for arch in ARCHES:
            name = f"main/binary-{arch}/Packages"
            index = made.write(base / "dists" / suite / name,
                               "\n".join(kernels(base, arch, version)))
            data = index.read_bytes()
            sums += (f" {hashlib.sha256(data).hexdigest()} {len(data)} "
                     f"{name}\n")
        made.write(base / "dists" / suite / "Release",
                   f"Suite: {suite}\nArchitectures: {' '.join(ARCHES)}\n"
                   "Components: main\nDate: " + time.strftime(
                       "%a, %d %b %Y %H:%M:%S UTC", time.gmtime())
                   + f"\nSHA256:\n{sums}")
    return base


@pytest.fixture
def debian(lab, archive):
    """The lab on a system whose packages come from the made archive."""
    made.write(lab.directory / "sources.list",
               f"deb file:{archive} old main\n")
    (lab.directory / "system/lists/partial").mkdir(parents=True)
    config = made.write(lab.directory / "apt.conf",
                        INSECURE.format(directory=lab.directory))
    lab.environment["APT_CONFIG"] = str(config)
    lab.cache = lab.directory / "home/twowaytest-virtlab"
    return lab


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("arch", ["amd64", "riscv64"])
def test_fetch(debian, suite, arch):
    """Either packing; beside the image lie its modules."""
    exact = f"{SUITES[suite]}+made-{arch}"
    out, _ = debian("fetch", f"--suite={suite}", f"--arch={arch}",
                    f"linux-image-{arch}")
    path = debian.cache / "kernels" / exact / "vmlinuz"
    assert out == f"{path}\n"
    assert path.read_text() == exact
    assert (path.parent / "modules/veth.ko").read_text() == "veth"
    assert (path.parent / "config").exists() == (suite == "old")


def test_letters(debian):
    out, _ = debian("fetch", "-s", "new", "-r", "arm64", "-d", "here")
    path = debian.directory / "here/7.3.4+made-arm64/vmlinuz"
    # Two names of one kernel: it is there once.
    assert out == f"{path}\n" * 2
    assert len(list((debian.directory / "here").iterdir())) == 1


def test_system_unchanged(debian):
    """apt of its own: no list of the system's, no state."""
    before = {path: path.read_bytes() for path
              in (debian.directory / "system").rglob("*") if path.is_file()}
    debian("fetch", "-s", "new", "linux-image-amd64")
    after = {path: path.read_bytes() for path
             in (debian.directory / "system").rglob("*") if path.is_file()}
    # apt-get indextargets may write its own cache of the lists.
    assert {path for path in after.keys() - before.keys()
            if path.suffix != ".bin"} == set()
    conf = (debian.cache / "apt/new-amd64/sources.list").read_text()
    assert f"signed-by={vl_apt.KEYS}" in conf and conf.endswith(
        "new main\n")


def test_cached(debian, archive):
    """The index for an hour, the kernel while the index has it."""
    out, _ = debian("fetch", "-s", "new", "linux-image-amd64")
    away = archive.with_name("away")
    archive.rename(away)
    try:
        # Nothing is read from an archive that is not there.
        assert debian("fetch", "-s", "new", "linux-image-amd64")[0] == out
        read = debian.cache / "apt/new-amd64/read"
        hour_ago = time.time() - 3601
        os.utime(read, (hour_ago, hour_ago))
        err = debian("fetch", "-s", "new", "linux-image-amd64", status=1)[1]
        assert "the index of new for amd64 cannot be read" in err
        assert "is there a network" in err
    finally:
        away.rename(archive)
    assert debian("fetch", "-s", "new", "linux-image-amd64")[0] == out


@pytest.mark.parametrize("args, said", [
    (("-s", "nosuch"), "the index of nosuch for amd64 cannot be read"),
    (("-s", "new", "linux-image-foo"), "linux-image-foo: no such package in "
     "new, amd64 (kernels there: linux-image-amd64, linux-image-rt-amd64)"),
    (("-s", "new", "-r", "arm64", "linux-image-amd64"),
     "linux-image-amd64: no such package in new, arm64 (kernels there: "
     "linux-image-arm64, linux-image-rt-arm64)"),
])
def test_errors(debian, args, said):
    assert said in debian("fetch", *args, status=1)[1]
    assert not list(debian.cache.glob("kernels/*"))


@pytest.mark.parametrize("args, said", [
    (("--suite=a b",), "-s/--suite: 'a b': the name of a suite"),
    (("-s", "../x"), "-s/--suite: '../x': the name of a suite"),
    (("-s", ""), "-s/--suite: '': the name of a suite"),
    (("--arch=mips",), "-r/--arch: 'mips': one of amd64, arm64, riscv64"),
])
def test_wrong_usage(lab, args, said):
    assert said in lab.refused("fetch", *args)


def test_no_source(debian):
    """A system that does not know where packages come from."""
    (pathlib.Path(debian.directory) / "sources.list").write_text("")
    err = debian("fetch", "-s", "new", "linux-image-amd64", status=1)[1]
    assert "apt knows no source with the component 'main'" in err
