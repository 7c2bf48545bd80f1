# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel images, and fetching them from a made-up Debian."""

import pathlib
import shutil
import signal
import subprocess

import pytest

import lab as made
import vl_common
import vl_kernel

# As apt says it, of a package that depends on one which has the image.
APT_CACHE = """#!/bin/sh
for package; do :; done
[ "$1" = show ] || { echo linux-image-made; exit; }
case $package in
missing) echo "E: No packages found" >&2; exit 100 ;;
linux-image-made) depends=linux-image-6.9.1-made ;;
esac
echo "Package: $package"
echo "Depends: kmod, ${depends:-initramfs-tools}"
echo "Version: $(cat "$LAB_DEBIAN/version")"
"""
APT_GET = """#!/bin/sh
echo "$*" >>"$LAB_DEBIAN/downloads"
echo $$ >>"$LAB_PIDS"
for package; do :; done
eval "$LAB_DOWNLOAD"
touch "$package.deb"
"""
DPKG_DEB = """#!/bin/sh
mkdir -p "$3/boot"
case $2 in
*6.9.1*) cp "$LAB_DEBIAN/vmlinuz" "$3/boot/vmlinuz-6.9.1-made" ;;
esac
echo CONFIG_MADE=y >"$3/boot/config-6.9.1-made"
modules=$3/usr/lib/modules/6.9.1-made/kernel
mkdir -p "$modules/net/sched" "$modules/drivers/net"
echo veth | xz >"$modules/drivers/net/veth.ko.xz"
echo netem >"$modules/net/sched/sch_netem.ko"
echo htb >"$modules/net/sched/sch_htb.ko"
"""


def test_release(tmp_path):
    assert vl_kernel.identify(made.image(tmp_path / "k", "6.1.0-x+1")) == \
        ("amd64", "6.1.0-x+1")


@pytest.mark.parametrize("arch", ["arm64", "riscv64"])
def test_release_of_other_machines(tmp_path, arch):
    path = made.other_image(tmp_path / "k", arch, "6.1.0-x+1")
    assert vl_kernel.identify(path) == (arch, "6.1.0-x+1")
    made.other_image(path, arch, "")
    with pytest.raises(vl_common.LabError, match="does not tell its release"):
        vl_kernel.identify(path)
    path.write_bytes(path.read_bytes()[:0x3b])
    with pytest.raises(vl_common.LabError, match="k: no kernel image for "
                       "amd64, arm64, riscv64"):
        vl_kernel.identify(path)


@pytest.mark.parametrize("cut", [0, 1, 0x201, 0x204])
def test_no_image(tmp_path, cut):
    path = made.image(tmp_path / "k")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(vl_common.LabError, match="k: no kernel image for amd64"):
        vl_kernel.identify(path)


@pytest.mark.parametrize("cut", range(0x206, 0x210))
def test_cut_image(tmp_path, cut):
    path = made.image(tmp_path / "k")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(vl_common.LabError, match="k: "):
        vl_kernel.identify(path)


@pytest.mark.parametrize("release", ["", "../../x", "a/b", ".", "\xff"])
def test_bad_release(tmp_path, release):
    with pytest.raises(vl_common.LabError, match="does not tell its release"):
        vl_kernel.identify(made.image(tmp_path / "k", release))


def test_name(tmp_path):
    path = made.image(tmp_path / "k")
    assert vl_kernel.kernel(str(path)).name == made.RELEASE
    named = vl_kernel.kernel(f"rt-1={path}")
    assert (named.name, named.path, named.release) == \
        ("rt-1", path, made.RELEASE)
    for name in ("", "..", "a b", "-x", "a/b"):
        with pytest.raises(vl_common.LabError, match="is no name"):
            vl_kernel.kernel(f"{name}={path}")


@pytest.fixture
def debian(lab):
    for name, text in (("apt-cache", APT_CACHE), ("apt-get", APT_GET),
                       ("dpkg-deb", DPKG_DEB)):
        lab.program(name, text)
    base = lab.directory / "debian"
    base.mkdir()
    made.image(base / "vmlinuz")
    (base / "version").write_text("1")
    lab.environment |= {"LAB_DEBIAN": str(base), "LAB_DOWNLOAD": ""}
    lab.downloads = lambda: (base / "downloads").read_text().splitlines()
    lab.version = base / "version"
    return lab


def test_fetch(debian):
    """Into the cache, once; the path is printed."""
    for _ in range(2):
        out, err = debian("fetch", "linux-image-made")
        assert err == ""
        path = debian.directory / \
            "home/twowaytest-virtlab/kernels/6.9.1-made/vmlinuz"
        assert out == f"{path}\n"
        assert path.read_bytes() == debian.kernel.read_bytes()
    assert debian.downloads() == ["-q download linux-image-6.9.1-made"]
    assert (path.parent / "config").read_text() == "CONFIG_MADE=y\n"
    assert {file.name: file.read_text()
            for file in (path.parent / "modules").iterdir()} == {
        "veth.ko": "veth\n", "sch_netem.ko": "netem\n"}


def test_fetch_of_an_older_cache(debian):
    """It has no modules: fetched again, once."""
    path = pathlib.Path(debian("fetch", "linux-image-made")[0].strip())
    shutil.rmtree(path.parent / "modules")
    for _ in range(2):
        debian("fetch", "linux-image-made")
    assert (path.parent / "modules/veth.ko").exists()
    assert len(debian.downloads()) == 2
    subprocess.run(["sha256sum", "--status", "-c", "sha256"],
                   cwd=path.parent, check=True)
    assert {p.name for p in path.parent.parent.iterdir()} == {"6.9.1-made"}


@pytest.mark.parametrize("damage", [
    lambda made: (made / "vmlinuz").unlink(),
    lambda made: (made / "vmlinuz").write_bytes(b"x"),
    lambda made: (made / "sha256").unlink(),
    lambda made: (made / "sha256").write_text(""),
    lambda made: (made / "sha256").write_bytes(b"\xff"),
    lambda made: (made / "version").write_bytes(b"\xff")])
def test_fetch_damaged(debian, damage):
    """An image that is not what was fetched is fetched again."""
    out, _ = debian("fetch", "linux-image-made")
    damage(pathlib.Path(out.strip()).parent)
    assert debian("fetch", "linux-image-made")[0] == out
    assert pathlib.Path(out.strip()).read_bytes() == \
        debian.kernel.read_bytes()
    assert len(debian.downloads()) == 2


def test_fetch_newer(debian):
    for version in ("1", "2", "2"):
        debian.version.write_text(version)
        debian("fetch", "linux-image-made")
    assert len(debian.downloads()) == 2


@pytest.mark.parametrize("option", ["-d", "--directory"])
def test_fetch_directory(debian, option):
    out, _ = debian("fetch", option, "here", "linux-image-6.9.1-made")
    assert out == f"{debian.directory}/here/6.9.1-made/vmlinuz\n"


def test_fetch_bad_directory(debian):
    debian.directory.joinpath("file").write_text("")
    assert "file" in debian.refused("fetch", "-d", "file", "linux-image-made")


def test_fetch_foreign_directory(debian):
    """What it did not make stays."""
    precious = made.write(debian.directory / "here/6.9.1-made/thesis", "3 y")
    assert "holds files, but no version" in debian.refused(
        "fetch", "-d", "here", "linux-image-made")
    assert precious.read_text() == "3 y"


def test_fetch_default(debian):
    """Debian's three, by default."""
    made.write(debian.directory / "bin/apt-cache", APT_CACHE.replace(
        "linux-image-made)", "linux-image-*)"))
    out, _ = debian("fetch")
    assert len(out.splitlines()) == 3


def left(debian):
    """What a fetch that failed has left."""
    base = debian.directory / "home" / "twowaytest-virtlab"
    return [path for path in base.rglob("*") if path.name != "kernels"]


def test_fetch_unknown(debian):
    err = debian("fetch", "missing", status=1)[1]
    assert "missing" in err and "No packages found" in err
    assert "no-kernel: 0 kernel images" in debian(
        "fetch", "no-kernel", status=1)[1]
    assert not left(debian)


def test_fetch_fails(debian):
    err = debian("fetch", "linux-image-made", status=1,
                 LAB_DOWNLOAD="touch part; echo no network >&2; exit 100")[1]
    assert "no network" in err and "exit status 100" in err
    assert not left(debian)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_fetch_stopped(debian, number):
    process = debian.start("fetch", "linux-image-made",
                           LAB_DOWNLOAD="touch part; exec sleep 60")
    assert debian.stopped(process, number) == ""
    assert not left(debian)


def test_fetch_keeps_the_old(debian):
    """Until the new one is there as a whole."""
    out, _ = debian("fetch", "linux-image-made")
    debian.version.write_text("2")
    debian("fetch", "linux-image-made", status=1, LAB_DOWNLOAD="exit 1")
    made.image(debian.directory / "debian/vmlinuz", "6.9.1-newer")
    assert vl_kernel.identify(out.strip())[1] == made.RELEASE
    debian("fetch", "linux-image-made")
    assert vl_kernel.identify(out.strip())[1] == "6.9.1-newer"
