# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs: what is in it, and the same bytes each time."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import pytest

import lab as made
import vl_common
import vl_directory
import vl_image
import vl_machine
import vl_programs
import vl_run

HERE = vl_programs.Native()


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
        programs = vl_image.programs_of(items, added, lab.tool, HERE)
        vl_image.make(lab.directory / name, items, programs, HERE, 120)
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
        "bin", "dev", "init", "measure", "out", "proc", "quiet", "sys",
        "tmp"}
    assert {path.name for path in (root / "bin").iterdir()} == {
        "busybox", "twowaytest"}
    assert os.access(root / "init", os.X_OK)
    assert (root / "measure").read_text() == (
        "echo 'lab: twowaytest'\nquiet twowaytest 120 || return\n"
        "twowaytest -q --limit=send:9 --json=twowaytest.json "
        ">twowaytest.txt 2>&1\necho $? >twowaytest.status\n"
        "tar -czf - twowaytest.* >>\"$data\"\n"
        "echo 'lab: x'\nquiet x 120 || return\n"
        "echo 'a;b' '$c' >x.txt 2>&1\necho $? >x.status\n"
        "tar -czf - x.* >>\"$data\"\n: >lab.end\n")


def test_libraries(make):
    """A dynamic program finds in the guest what it finds here."""
    program = shutil.which("cat")
    root = unpacked(make("image", "mycat", added=[shutil.copy(
        program, make.lab.directory / "mycat")]),
        make.lab.directory / "root")
    assert vl_programs.is_dynamic(program)
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
            words(command), (), make.lab.tool, HERE)
    assert "hackbench" not in vl_image.programs_of(
        words("-q --load=fft"), (), make.lab.tool, HERE)


@pytest.mark.parametrize("name, said", [
    ("busybox", "busybox-static"), ("cpio", "cpio")])
def test_missing(lab, monkeypatch, name, said):
    """Named with its package."""
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda program, path=None:
                        None if program == name else which(program, path=path))
    items = words("-q")
    with pytest.raises(vl_common.LabError, match=f"{name} .*{said}"):
        programs = vl_image.programs_of(items, (), lab.tool, HERE)
        vl_image.make(lab.directory / "image", items, programs, HERE, 120)


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


@pytest.fixture
def builds(lab):
    """Builds of other trees, the older the higher their number."""
    for name in ("meson", "ninja"):
        lab.program(name, MESON)
    cache = lab.directory / "home/twowaytest-virtlab"
    now = time.time()
    for i in range(9):
        made.write(cache / f"build-{i}/build.ninja", "")
        os.utime(cache / f"build-{i}", (now, now - 86400 * (i + 1)))

    def run():
        environment = {"LAB_LOG": str(lab.directory / "log"),
                       "LAB_TOOL": str(lab.tool)}
        lab("run", "-k", lab.kernel, "--", "-q", **environment)
        return {path.name for path in cache.iterdir()}
    run.cache = cache
    return run


def test_old_builds(builds):
    """The newest stay, and ours; a killed run's leftovers do not."""
    made.write(builds.cache / ".old-killed/file", "")
    made.write(builds.cache / "kernels/file", "")
    left = builds()
    ours = left - {f"build-{i}" for i in range(9)}
    assert len(ours) == 2 and "kernels" in ours
    assert left - ours == {f"build-{i}" for i in range(3)}
    # Ours is used again: it is the newest.
    own = builds.cache / (ours - {"kernels"}).pop()
    os.utime(own, (1, 1))
    for i in range(3, 9):
        made.write(builds.cache / f"build-{i}/build.ninja", "")
        os.utime(builds.cache / f"build-{i}", (2, 2))
    assert own.name in builds()


def test_builds_in_use(builds):
    """By another run: a build that is locked, or was lately used."""
    lately = time.time() - 600
    os.utime(builds.cache / "build-7", (lately, lately))
    for i in range(5):
        os.utime(builds.cache / f"build-{i}", (lately + 60, lately + 60))
    handle = os.open(builds.cache / "build-8", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    left = builds()
    os.close(handle)
    assert {f"build-{i}" for i in (0, 1, 2, 3, 4, 7, 8)} <= left
    assert not {"build-5", "build-6"} & left


def test_gone_directory_is_not_held(tmp_path):
    with vl_directory.held(tmp_path / "gone") as ours:
        assert not ours


def test_removed_meanwhile(lab):
    """Who waited for a build that another removed, makes it again."""
    build = lab.directory / "build"
    build.mkdir()
    handle = os.open(build, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    entered = threading.Event()

    def wait():
        with vl_directory.alone(build):
            (build / "there").touch()
            entered.set()

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert not entered.wait(0.3)
    build.rename(lab.directory / "away")
    os.close(handle)
    waiter.join(30)
    assert (build / "there").exists()


@pytest.fixture
def place(lab, monkeypatch):
    """Where a build is, with this environment, compiler and C library."""
    libc = lab.directory / "libc.a"

    def place(version="1", content="1", source=HERE, **environment):
        libc.write_text(content)
        monkeypatch.setenv("XDG_CACHE_HOME", lab.environment["XDG_CACHE_HOME"])
        for name in vl_programs.ENVIRONMENT:
            monkeypatch.setenv(name, environment.get(name, ""))

        def call(command):
            last = str(command[-1])
            if last == "--version":
                return version
            if last.startswith("-print-file-name="):
                name = last.partition("=")[2]
                return f"{libc if name == libc.name else name}\n"
            return ""

        monkeypatch.setattr(vl_programs, "call", call)
        return source.own("twowaytest").parent
    return place


@pytest.mark.parametrize("other", [
    {"version": "2"}, {"content": "2"}, {"CC": "env cc"}, {"CFLAGS": "-O1"},
    {"CPPFLAGS": "-DX"}, {"LDFLAGS": "-s"}])
def test_other_tools(place, other):
    """Another compiler, its flags or libraries: another build."""
    assert place() == place() != place(**other) == place(**other)


def test_other_packages(place, tmp_path, monkeypatch):
    """Another architecture's libraries are those of packages."""
    source = vl_programs.Foreign(vl_machine.MACHINES["riscv64"])
    source.root = tmp_path / "root"
    monkeypatch.setattr(vl_programs, "need", lambda *_: None)
    places = []
    for version, packages in (("1", "1"), ("1", "1"), ("2", "1"), ("1", "2")):
        made.write(source.root / "version", packages)
        places.append(place(version, source=source))
    assert places[0] == places[1] and len(set(places)) == 3


def test_no_compiler(lab, monkeypatch):
    monkeypatch.setenv("CC", "nosuch-cc")
    with pytest.raises(vl_common.LabError, match="nosuch-cc is missing: "
                       "package gcc"):
        HERE.own("twowaytest")


SOURCES = ("src", "man", "contrib", "tests")    # and the files beside them


@pytest.mark.long
def test_same_bytes_of_two_trees(lab):
    """Of equal sources in two directories: the same initramfs."""
    other = lab.directory / "deep/er/tree"
    other.mkdir(parents=True)
    for path in made.TOP.iterdir():
        if path.name in SOURCES:
            shutil.copytree(path, other / path.name)
        elif path.is_file():
            shutil.copy(path, other)
    runs = []
    for tree, umask in ((made.TOP, 0o022), (other, 0o077)):
        runs.append(subprocess.Popen(
            [sys.executable, tree / "contrib/virtlab/virtlab", "run", "-k",
             lab.kernel, "-o", f"out-{umask}", "--", "x=true"],
            cwd=lab.directory, umask=umask, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, env={
                **lab.environment,
                "XDG_CACHE_HOME": str(lab.directory / f"home/{umask}")}))
    for run in runs:
        progress = run.communicate(timeout=300)[1]
        assert run.returncode == 0, progress
    programs = [path.read_bytes() for path in
                lab.directory.glob("home/*/*/build-*/twowaytest")]
    assert len(programs) == 2 and len(set(programs)) == 1
    one, two = (json.loads(path.read_text())["lab"]["initramfs_sha256"]
                for path in lab.directory.glob("out-*/*/lab.json"))
    assert one == two


def test_busybox_must_be_static(lab):
    shutil.copy(shutil.which("cat"), lab.directory / "bin/busybox")
    assert "not static: package busybox-static" in \
        lab.refused("run", "-k", lab.kernel, "-b", lab.tool, "--", "-q")


def test_installed(lab, monkeypatch):
    """No tree to build from: the program in PATH, with its libraries."""
    monkeypatch.setattr(vl_programs, "PROJECT", lab.directory)
    monkeypatch.setenv("PATH", str(lab.directory / "bin"))
    with pytest.raises(vl_common.LabError,
                       match="twowaytest is missing.*--binary=FILE"):
        HERE.own("twowaytest")
    lab.program("twowaytest", "#!/bin/sh\n")
    assert HERE.own("twowaytest") == \
        str(lab.directory / "bin/twowaytest")
