# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests of other architectures: their programs, and the same bytes twice."""

import shutil
import subprocess
import types

import pytest

import guests
import vl_common
import vl_machine
import vl_programs
import vl_qemu
import vl_run

MEASURED = {
    "idle": ["twowaytest", *guests.REALTIME, "-l", "50", "-i", "1013",
             "--dump=idle.csv"],
    "cyclictest": ["cyclictest", *guests.REALTIME, "-l", "50"],
    "part": ["primitivetest", "-q", "-l", "20", "--test=pipe.1"],
    "machine": ["uname", "-m"],
}
FOREIGN = [machine for machine in vl_machine.MACHINES.values()
           if not machine.native]


@pytest.mark.long
@pytest.mark.parametrize("machine", FOREIGN, ids=lambda one: one.name)
def test_same_bytes_twice(machine):
    """Every file of every program, of two boots at the same time."""
    if not shutil.which(f"{machine.triple}-gcc"):
        pytest.skip(f"{machine.triple}-gcc is not installed")
    image = guests.fetch(machine.kinds["standard"], arch=machine.name)
    output = guests.run(
        machine.name, f"--arch={machine.name}", f"--kernel=one={image}",
        f"--kernel=two={image}", "--jobs=2", "--", *guests.words(MEASURED))
    one, two = (guests.Boot(output / name) for name in ("one", "two"))
    assert one.files() == two.files()
    assert one.text("machine.txt").splitlines()[1:] == [machine.cpu]
    assert one.metric("idle", "response")["cycles"] == 50
    assert one.json("cyclictest")["thread"]["0"]["cycles"] == 50
    assert one.json("lab")["lab"]["arch"] == machine.name
    assert "pipe.1" in one.text("part.txt")


@pytest.fixture
def here():
    """This machine, as if it were another one: its root is a directory."""
    machine = next(one for one in vl_machine.MACHINES.values() if one.native)
    return vl_programs.Foreign(machine)


def test_libraries(here, tmp_path):
    """Read from the file, they are those that ldd finds here."""
    here.root = tmp_path
    program = shutil.which("cat")
    wanted = vl_programs.Native().libraries(program)
    assert wanted
    for path, inner in wanted:
        # Debian's older and newer place in turn.
        place = tmp_path / inner if len(inner) % 2 else tmp_path / "usr" / inner
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    found = here.libraries(program)
    assert sorted(inner for _, inner in found) == \
        sorted(inner for _, inner in wanted)
    for path, inner in found:
        assert path.read_bytes() == open(f"/{inner}", "rb").read()
        path.unlink()
    with pytest.raises(vl_common.LabError, match=f"{program} needs .* do not "
                       "have: link it statically"):
        here.libraries(program)


@pytest.mark.parametrize("place", ["bin", "usr/bin"])
def test_applets(here, tmp_path, place):
    """Read from the file, they are those that busybox lists."""
    here.root = tmp_path
    (tmp_path / place).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), tmp_path / place)
    path, applets = here.busybox()
    assert path == tmp_path / place / "busybox"
    assert applets == subprocess.check_output(
        ["busybox", "--list"], text=True).split()


def test_programs(here, tmp_path, monkeypatch):
    here.root = tmp_path
    with pytest.raises(vl_common.LabError, match="frob for .* is neither part "
                       "of busybox nor of rt-tests; --add=FILE"):
        here.find("frob")
    monkeypatch.setattr(vl_programs, "PROJECT", tmp_path)
    with pytest.raises(vl_common.LabError, match="is built from the source "
                       "tree, which is not here.*--binary=FILE"):
        here.own("twowaytest")


@pytest.mark.parametrize("machine", FOREIGN, ids=lambda one: one.name)
def test_no_compiler(machine, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    source = vl_programs.source(machine)
    source.root = tmp_path
    with pytest.raises(vl_common.LabError,
                       match=f"{machine.cpu}-linux-gnu-gcc is missing: "
                       f"package gcc-{machine.cpu}-linux-gnu"):
        source.own("twowaytest")


@pytest.mark.parametrize("name", vl_machine.MACHINES)
def test_arguments(name):
    """What QEMU and the kernel are told, of each machine and mode."""
    machine = vl_machine.MACHINES[name]
    for mode, cpus in (("exact", "1"), ("smp", "4")):
        setup = vl_run.Setup(machine, mode, 512, 1, "quirk", 1, 0)
        words = vl_qemu.arguments(setup)
        assert words[words.index("-smp") + 1] == cpus
        assert words[words.index("-cpu") + 1] == machine.model
        assert ("-icount" in words) == (mode == "exact")
        told = vl_qemu.kernel_arguments(setup).split()
        assert told[0] == f"console={machine.console}"
        assert told[-1] == "quirk"
        assert (f"lab_data={machine.data}" in told) == (name != "amd64")
        assert ("tsc=reliable" in told) == (name == "amd64" and mode == "smp")


def test_programs_are_unpacked_once(monkeypatch, tmp_path):
    """Until the archive has others."""
    packages, made = {}, []
    monkeypatch.setattr(vl_programs, "cache", lambda: tmp_path)
    monkeypatch.setattr(vl_programs, "unpack", lambda *args: made.append(args))
    monkeypatch.setattr(
        vl_programs.vl_apt, "find", lambda suite, name:
        types.SimpleNamespace(show=lambda names: packages))
    for packages["libc6"] in ("1", "1", "1", "2"):
        assert vl_programs.Foreign(FOREIGN[0]).root.is_dir()
    assert len(made) == 2
