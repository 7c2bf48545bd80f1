# SPDX-License-Identifier: GPL-2.0-or-later
"""fetch of other suites and architectures: Debian's apt, a made archive."""

import os
import time

import pytest

import vl_apt
import vl_common
import vl_kernel


@pytest.mark.parametrize("suite, version, arch", [
    ("bullseye", "6.1.10", "amd64"), ("bullseye", "6.1.10", "riscv64"),
    ("trixie", "6.19.2", "amd64"), ("sid", "7.3.4", "riscv64")])
def test_fetch(debian, suite, version, arch):
    """However it is packed; beside the image lie its modules."""
    exact = f"{version}+made-{arch}"
    out, _ = debian("fetch", f"--suite={suite}", f"--arch={arch}",
                    f"linux-image-{arch}")
    path = debian.cache / "kernels" / exact / "vmlinuz"
    assert out == f"{path}\n"
    assert vl_kernel.identify(path) == (arch, exact)
    assert (path.parent / "modules/veth.ko").read_text() == "veth"
    assert (path.parent / "config").exists() == (suite == "bullseye")


def test_letters(debian):
    out, _ = debian("fetch", "-s", "sid", "-r", "arm64", "-d", "here")
    paths = [debian.directory / f"here/7.3.4+made-{name}arm64/vmlinuz"
             for name in ("", "rt-")]
    assert out == "".join(f"{path}\n" for path in paths)


def test_provided(debian):
    """A name that only another package provides."""
    err = debian("fetch", "-s", "trixie", "linux-modules-6.19.2+made-amd64",
                 status=1)[1]
    assert "linux-modules-6.19.2+made-amd64: no package in trixie, amd64" \
        in err


def test_system_unchanged(debian):
    """apt of its own: no list of the system's, no state."""
    before = {path: path.read_bytes() for path
              in (debian.directory / "system").rglob("*") if path.is_file()}
    debian("fetch", "-s", "sid", "linux-image-amd64")
    after = {path: path.read_bytes() for path
             in (debian.directory / "system").rglob("*") if path.is_file()}
    # apt-get indextargets may write its own cache of the lists.
    assert {path for path in after.keys() - before.keys()
            if path.suffix != ".bin"} == set()
    conf = (debian.cache / "apt/sid-amd64/sources.list").read_text()
    assert f"signed-by={vl_apt.KEYS}" in conf and conf.endswith(
        "sid main\n")


def test_cached(debian, made_archive):
    """The index for an hour, the kernel while the index has it."""
    out, _ = debian("fetch", "-s", "sid", "linux-image-amd64")
    away = made_archive.with_name("away")
    made_archive.rename(away)
    try:
        read = debian.cache / "apt/sid-amd64/read"
        for age_s in (0, 3000):
            os.utime(read, (time.time() - age_s,) * 2)
            # Nothing is read from an archive that is not there.
            assert debian("fetch", "-s", "sid", "linux-image-amd64")[0] == out
        os.utime(read, (time.time() - 3601,) * 2)
        err = debian("fetch", "-s", "sid", "linux-image-amd64", status=1)[1]
        assert "the index of sid for amd64 cannot be read" in err
        assert "is there a network" in err and "\n  E: " in err
    finally:
        away.rename(made_archive)
    assert debian("fetch", "-s", "sid", "linux-image-amd64")[0] == out


@pytest.mark.parametrize("damage", [
    lambda data: data + b"\n", lambda data: data.swapcase()])
def test_mirror_in_the_middle_of_an_update(debian, made_archive, damage):
    """The index has not the size or the sum that the Release file tells."""
    path = made_archive / "dists/sid/main/binary-arm64/Packages"
    data = path.read_bytes()
    path.write_bytes(damage(data))
    try:
        err = debian("fetch", "-s", "sid", "-r", "arm64", status=1)[1]
    finally:
        path.write_bytes(data)
    assert err.startswith("virtlab: the index of sid for arm64 does not "
                          "belong to its Release file: the mirror is being "
                          "updated, or is damaged; try again later, or give "
                          "the system another mirror\n  E: ")
    assert str(path) in err
    # Another architecture's is whole; this one is read as soon as it is.
    debian("fetch", "-s", "sid", "linux-image-amd64")
    debian("fetch", "-s", "sid", "-r", "arm64", "linux-image-arm64")


@pytest.mark.parametrize("said, why", [
    ("File has unexpected size (248120 != 253752). Mirror sync in progress?",
     "does not belong to its Release file"),
    ("404  Not Found", "cannot be read: is there a network")])
def test_mirror_says(monkeypatch, said, why):
    """As apt has it of a mirror in the network; errors come first."""
    output = f"W: first\nE: Failed to fetch x  {said}\n   - more\nGet:1 x\n"

    def call(command, **_):
        raise vl_common.CallError(command, 100, output)

    monkeypatch.setattr(vl_apt, "call", call)
    with pytest.raises(vl_common.LabError) as err:
        vl_apt.read_index("sid", "riscv64", ())
    assert f"the index of sid for riscv64 {why}" in str(err.value)
    assert str(err.value).endswith(
        f"\n  E: Failed to fetch x  {said}\n  W: first")


@pytest.mark.parametrize("args, said", [
    (("-s", "nosuch"), "the index of nosuch for amd64 cannot be read"),
    (("-s", "sid", "linux-image-foo"), "linux-image-foo: no such package in "
     "sid, amd64 (kernels there: linux-image-amd64, linux-image-rt-amd64)"),
    (("-s", "sid", "-r", "arm64", "linux-image-amd64"),
     "linux-image-amd64: no such package in sid, arm64 (kernels there: "
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
    (debian.directory / "sources.list").write_text("")
    err = debian("fetch", "-s", "sid", "linux-image-amd64", status=1)[1]
    assert "none of apt's sources with the component 'main' is Debian's" in err
    assert "(sources now: none)" in err
