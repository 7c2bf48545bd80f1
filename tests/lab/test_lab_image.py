# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs: what is in it, and the same bytes each time."""

import os
import shutil
import subprocess

import pytest

import vl_common
import vl_image
import vl_run


def words(*commands):
    return vl_run.measurements(" -- ".join(commands).split())


def unpacked(image, directory):
    directory.mkdir()
    with open(image, "rb") as file:
        subprocess.run(["cpio", "-idm", "--quiet"], stdin=file,
                       cwd=directory, check=True)
    return directory


@pytest.fixture
def make(lab):
    def make(name, *commands, added=()):
        items = words(*commands)
        programs = vl_image.programs_of(items, added, lab.tool)
        vl_image.make(lab.directory / name, items, programs)
        return lab.directory / name
    make.lab = lab
    return make


def test_same_bytes(make):
    """Whatever the time, the files' times, the order and the place."""
    lab = make.lab
    tool = lab.program("extra", "#!/bin/sh\n")
    one = make("one", "-q", "x=extra", added=[tool]).read_bytes()
    os.utime(tool, (1, 1))
    tool.chmod(0o700)
    old = os.umask(0o077)
    try:
        other = make("two", "-q", "x=extra", added=[tool]).read_bytes()
    finally:
        os.umask(old)
    assert one == other
    assert make("three", "-q", "y=extra", added=[tool]).read_bytes() != one


def test_content(make):
    root = unpacked(make("image", "-q --limit=send:9", "x=echo a;b $c"),
                    make.lab.directory / "root")
    assert {path.name for path in root.iterdir()} == {
        "bin", "dev", "init", "measure", "out", "proc", "sys", "tmp"}
    assert {path.name for path in (root / "bin").iterdir()} == {
        "busybox", "twowaytest"}
    assert os.access(root / "init", os.X_OK)
    assert (root / "measure").read_text() == (
        "twowaytest -q --limit=send:9 --json=twowaytest.json "
        ">twowaytest.txt 2>&1\necho $? >twowaytest.status\n"
        "echo 'a;b' '$c' >x.txt 2>&1\necho $? >x.status\n")


def test_libraries(make):
    """A dynamic program finds in the guest what it finds here."""
    program = shutil.which("cat")
    root = unpacked(make("image", "mycat", added=[shutil.copy(
        program, make.lab.directory / "mycat")]),
        make.lab.directory / "root")
    assert vl_image.is_dynamic(program)
    libraries = [line.split()[-2] for line in
                 subprocess.check_output(["ldd", program], text=True)
                 .splitlines() if "/" in line]
    assert libraries
    for path in libraries:
        assert (root / path.lstrip("/")).is_file()


def test_load_is_brought_along(make, monkeypatch):
    make.lab.program("hackbench", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", make.lab.environment["PATH"])
    for command in ("-q --load=hackbench", "hackbench",
                    "-q --load=hackbench:3"):
        assert "hackbench" in vl_image.programs_of(
            words(command), (), make.lab.tool)
    assert "hackbench" not in vl_image.programs_of(
        words("-q --load=fft"), (), make.lab.tool)


@pytest.mark.parametrize("name, said", [
    ("busybox", "busybox-static"), ("cpio", "cpio")])
def test_missing(lab, monkeypatch, name, said):
    """Named with its package."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda program, path=None:
                        None if program == name else which(program, path=path))
    items = words("-q")
    with pytest.raises(vl_common.LabError, match=f"{name} .*{said}"):
        programs = vl_image.programs_of(items, (), lab.tool)
        vl_image.make(lab.directory / "image", items, programs)


MESON = """#!/bin/sh
echo + >>"$LAB_LOG"
sleep 0.2
if [ "$1" = setup ]; then
	shift $(($# - 2))	# the directory, then the tree
	touch "$1/build.ninja"
else
	cp "$LAB_TOOL" "$3/twowaytest"
fi
echo - >>"$LAB_LOG"
"""


def test_built_once(lab):
    """By two runs that begin at the same time, one after the other."""
    log = lab.directory / "log"
    for name in ("meson", "ninja"):
        lab.program(name, MESON)
    runs = [lab.start("run", "-k", lab.kernel, "-o", name, "--", "-q",
                      LAB_LOG=str(log), LAB_TOOL=str(lab.tool))
            for name in "ab"]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, out + err
    # Set up by one, compiled by both.
    assert log.read_text().split() == ["+", "-"] * 3


def test_busybox_must_be_static(lab):
    shutil.copy(shutil.which("cat"), lab.directory / "bin/busybox")
    assert "not static: package busybox-static" in \
        lab.refused("run", "-k", lab.kernel, "-b", lab.tool, "--", "-q")


def test_installed(lab, monkeypatch):
    """No tree to build from: the program in PATH, with its libraries."""
    monkeypatch.setattr(vl_image, "PROJECT", lab.directory)
    monkeypatch.setenv("PATH", str(lab.directory / "bin"))
    with pytest.raises(vl_common.LabError,
                       match="twowaytest is missing.*--binary=FILE"):
        vl_image.own_binary()
    lab.program("twowaytest", "#!/bin/sh\n")
    assert vl_image.own_binary() == str(lab.directory / "bin/twowaytest")
