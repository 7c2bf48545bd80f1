# SPDX-License-Identifier: GPL-2.0-or-later
"""run: its options, what it refuses, what it prints and leaves."""

import json
import os
import re

import pytest

import lab as made
import outline
from test_lab_study import WHOLE
from vl_args import COMMANDS

# Letter, name, a good value, bad ones and what is said of them.
OPTIONS = [
    ("m", "mode", "smp", [("fast", "exact"), ("", "exact")]),
    ("o", "output", "there/results", [("vmlinuz", "vmlinuz")]),
    ("a", "add", "bin/tool", [("missing", "--add=missing: no such file"),
                              ("bin", "--add=bin: no such file")]),
    ("b", "binary", "bin/tool", [("missing", "missing: No such file")]),
    ("A", "append", "quirk=1 other", [("a\nb", "one line")]),
    ("M", "memory", "256", [("127", "128 to 65536 MiB"), ("65537", "128"),
                            ("x", "'x'"), ("-1", "expected"), ("1.5", "128"),
                            ("", "128")]),
    ("t", "timeout", "60", [("0", "1 to 86400 s"), ("86401", "1 to"),
                            ("\u0663", "1 to")]),
    ("s", "settle", "700", [("3601", "0 to 3600 s"), ("-1", "expected"),
                            ("x", "'x'"), ("1.5", "0 to"), ("", "0 to")]),
    ("j", "jobs", "2", [("0", "1 to 1024"), ("1025", "1 to")]),
    ("r", "arch", "amd64", [
        ("mips", "one of amd64, arm64, riscv64"), ("", "one of amd64"),
        ("arm64", "vmlinuz: a kernel for amd64, but the guest is arm64: give "
         "--arch=amd64")]),
    ("k", "kernel", "b=vmlinuz", [
        ("missing", "missing: No such file"), ("bin", "bin: Is a directory"),
        ("bin/tool", "bin/tool: no kernel image for amd64"),
        ("a/b=vmlinuz", "'a/b' is no name"), ("=vmlinuz", "'' is no name"),
        ("a=", "No such file")]),
]
MEASURED = ("--", "-q")


def forms(letter, name, value):
    return [("-" + letter, value), (f"-{letter}{value}",),
            ("--" + name, value), (f"--{name}={value}",)]


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row[1])
def test_good(lab, row):
    letter, name, value, _ = row
    found = []
    for form in forms(letter, name, value):
        lab.measure(*form, *MEASURED)
        lab_json = sorted(lab.directory.rglob(f"{made.RELEASE}/lab.json"))
        found.append(json.loads(lab_json[0].read_text()))
    assert all(one == found[0] for one in found)
    mark = found[0]["lab"]
    if name == "mode":
        assert (mark["mode"], mark["cpus"]) == ("smp", 4)
    elif name == "memory":
        assert mark["memory_mib"] == 256 and "-m 256" in mark["qemu_arguments"]
    elif name == "append":
        assert mark["kernel_arguments"].endswith(" quirk=1 other")
    elif name == "settle":
        assert found[0]["measurements"][0]["waited_s"] == 7
    elif name == "output":
        assert (lab.directory / value / made.RELEASE).is_dir()
        assert not (lab.directory / "virtlab").exists()
    elif name == "kernel":
        assert (lab.directory / "virtlab/b/twowaytest.json").exists()


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row[1])
def test_bad(lab, row):
    letter, name, _, bad = row
    for value, said in bad:
        for form in (("-" + letter, value), (f"--{name}={value}",)):
            err = lab.refused("run", "-k", lab.kernel, "-b", lab.tool, *form,
                              *MEASURED)
            assert said in err, err


@pytest.mark.parametrize("args, said", [
    ((), "COMMAND"),
    (("frob",), "'frob'"),
    (("run",), "--kernel=FILE is needed"),
    (("run", "--", "-q"), "--kernel=FILE is needed"),
    (("run", "-k", "vmlinuz"), "the measurement after --"),
    (("run", "-k", "vmlinuz", "--"), "the measurement after --"),
    (("run", "-k", "vmlinuz", "-q"), "-q"),
    (("run", "--kern", "vmlinuz", *MEASURED), "--kern"),
    (("run", "-k", "vmlinuz", "word", *MEASURED), "word"),
    (("run", "-k", "vmlinuz", "--", "-q", "--"), "after each --"),
    (("run", "-k", "vmlinuz", "--", "--", "-q"), "after each --"),
    (("run", "-k", "vmlinuz", "--", "a=x", "--", "a=y"), "two measurements"),
    (("run", "-k", "vmlinuz", "--", "lab=twowaytest", "-q"), "lab"),
    (("run", "-k", "vmlinuz", "-k", "vmlinuz", *MEASURED), "two kernels"),
    (("run", "-k", "vmlinuz", "-b", "bin/tool", "--", "frobnicate"),
     "frobnicate is not"),
])
def test_wrong_usage(lab, args, said):
    assert said in lab.refused(*args)


def test_help(lab, tmp_path):
    """Of all commands, and of each; a line that is in several, once."""
    short, long = ("".join(
        lab(*words, form, COLUMNS="80")[0] for words in (
            [], *([command] for command in COMMANDS)))
        for form in ("-h", "--help"))
    assert short == long
    outline.check(WHOLE, "help", dict.fromkeys(filter(
        None, long.splitlines())), tmp_path)


@pytest.mark.parametrize("form", ["-v", "--version"])
def test_version(lab, form):
    assert lab(form)[0].split()[0] == "virtlab"


def test_names(lab):
    """Of measurements: given, or the program's and a number."""
    lab.measure("--", "-q", "--", "x=twowaytest", "-q", "--", "true", "--",
                "twowaytest", "--", "true", "--", "a+b-1=true")
    base = lab.directory / "virtlab" / made.RELEASE
    assert {p.stem for p in base.glob("*.txt")} == {
        "twowaytest", "x", "true", "twowaytest-3", "true-2", "a+b-1"}
    assert {p.name for p in base.glob("*.json")} == {
        "twowaytest.json", "x.json", "twowaytest-3.json", "lab.json"}


def test_own_json(lab):
    lab.measure("--", "-q", "--json=mine.json")
    base = lab.directory / "virtlab" / made.RELEASE
    assert {p.name for p in base.iterdir()} == {
        "mine.json", "twowaytest.txt", "lab.json"}


@pytest.mark.parametrize("ends, status", [
    ((0,), 0), ((2,), 2), ((0, 2), 2), ((1,), 1), ((2, 3), 1), ((126, 0), 1)])
def test_exit_status(lab, ends, status):
    """A limit exceeded is 2, an error 1; results are there."""
    words = " -- ".join(f"-q --exit={end}" for end in ends).split()
    out, _ = lab.measure("--", *words, status=status)
    mark = json.loads((lab.directory / "virtlab" / made.RELEASE
                       / "lab.json").read_text())
    assert [one["status"] for one in mark["measurements"]] == list(ends)
    for end in ends:
        assert (f"## exit status {end}\n" in out) == bool(end)
    assert out.endswith("## results: virtlab\n")


def test_output(lab):
    """What was run, what it said, that it is virtual."""
    out, err = lab.measure("--", "x=twowaytest", "-q", "a b")
    assert err == ""
    assert out.splitlines() == [
        f"## {made.RELEASE}, x: twowaytest -q 'a b' --json=x.json",
        "## quiet after 1.2 s of guest time",
        f"# virtual: exact, Linux {made.RELEASE}, QEMU 9.9 (made)",
        "T: 0 max 0", "## results: virtlab"]


def test_output_of_any_bytes(lab):
    lab.program("raw", "#!/bin/sh\nprintf 'a\\377b\\n'\n")
    out, _ = lab.measure("-a", "bin/raw", "--", "raw")
    assert "a\\xffb" in out


def test_guest_panics(lab):
    """Its last words are shown; nothing is written."""
    words = "".join(f"word {i}\\n" for i in range(40))
    err = lab.refused(
        "run", "-k", f"x={lab.kernel}", "-b", lab.tool, *MEASURED,
        LAB_GUEST=f"printf '{words}Kernel panic\\r\\n' >$console; >$data")
    assert err.startswith("virtlab: x: the guest sent no results: it did not "
                          "boot, or")
    assert err.endswith("  | word 38\n  | word 39\n  | Kernel panic\n"
                        "virtlab: not measured: x\n")
    assert "word 2\n" not in err


def test_guest_sends_nothing(lab):
    err = lab.refused("run", "-k", lab.kernel, "-b", lab.tool, *MEASURED,
                      LAB_GUEST="rm $console")
    assert err.startswith(f"virtlab: {made.RELEASE}: the guest did not send "
                          "its results as a whole: [Errno 2] No such file")
    assert err.endswith(f"/data'\nvirtlab: not measured: {made.RELEASE}\n")


def test_guest_lacks_a_measurement(lab):
    """Whatever else it sent; the other kernel's results are there."""
    data = lab.directory / "sent"
    data.write_bytes(made.archive({"one.txt": b"", "one.status": b"0\n",
                                   "two.status": b"\n", "lab.end": b""}))
    made.image(lab.directory / "good")
    guest = f"case $KERNEL in *good) boot ;; *) cp {data} $data ;; esac"
    base = lab.directory / "virtlab"
    for name in ("onex", "two", "three"):
        _, err = lab("run", "-k", "good=good", "-k", "bad=vmlinuz", "-b",
                     lab.tool, "--", "one=true", "--", f"{name}=true",
                     LAB_GUEST=guest, status=1)
        assert err == (
            f"virtlab: bad: no exit status of '{name}': the guest did not run "
            "it to its end\n"
            "virtlab: bad: kept in virtlab/bad-unfinished: one\n"
            "virtlab: not measured: bad; in virtlab are the results of good\n")
        assert {path.name for path in base.iterdir()} == {
            "good", "bad-unfinished"}
        assert {path.name for path in (base / "good").iterdir()} == {
            "one.txt", f"{name}.txt", "lab.json"}


def test_what_was_measured_is_kept(lab):
    """Of a guest that does not get to its end: what it had sent, whole."""
    lab.program("hangs", "#!/bin/sh\nexec sleep 5\n")
    lab.program("writes", "#!/bin/sh\necho said\necho 1 >writes.csv\nexit 3\n")
    words = ("-a", "bin/hangs", "-a", "bin/writes", "-t", 1, "--", "writes",
             "--", "-q", "--", "hangs", "--", "true")
    lab.measure("--", "-q")             # results that stay
    base = lab.directory / "virtlab"
    _, err = lab.measure(*words, status=1)
    assert err == (
        f"virtlab: {made.RELEASE}: 'hangs' has not ended after 1 s, without "
        "those in which QEMU waited for a CPU; --timeout allows more\n"
        + err.split("\n", 1)[1])
    assert err.endswith(
        "  | lab: writes\n  | lab: twowaytest\n  | lab: hangs\n"
        f"virtlab: {made.RELEASE}: kept in virtlab/{made.RELEASE}-unfinished: "
        f"writes, twowaytest\nvirtlab: not measured: {made.RELEASE}\n")
    assert {path.name for path in (base / made.RELEASE).iterdir()} == {
        "twowaytest.json", "twowaytest.txt", "lab.json"}
    kept = base / f"{made.RELEASE}-unfinished"
    assert {path.name for path in kept.iterdir()} == {
        "twowaytest.json", "twowaytest.txt", "writes.txt", "writes.csv",
        "lab.json"}
    assert (kept / "writes.txt").read_text().endswith(" (made)\nsaid\n")
    boot = json.loads((kept / "lab.json").read_text())
    assert [(one["name"], one["status"]) for one in boot["measurements"]] == [
        ("writes", 3), ("twowaytest", 0)]
    assert json.loads((kept / "twowaytest.json").read_text())["lab"] == \
        boot["lab"]
    _, err = lab.measure(*words, status=1)      # again, in its place
    assert "kept in" in err
    made.write(kept / "thesis.tex", "3 y")
    _, err = lab.measure(*words, status=1)
    assert f"{kept.name}: holds thesis.tex, which" in err


def test_qemu_fails(lab):
    err = lab.refused("run", "-k", lab.kernel, "-b", lab.tool, *MEASURED,
                      LAB_GUEST="echo no such machine >&2; exit 3")
    assert "QEMU ended with status 3: no such machine" in err
    assert "qemu-system-x86_64" in err


def test_qemu_is_missing(lab):
    lab.directory.joinpath("bin/qemu-system-x86_64").unlink()
    for name in ("busybox", "cpio", "ldd", "sh"):
        os.symlink(f"/usr/bin/{name}", lab.directory / "bin" / name)
    err = lab.refused("run", "-k", lab.kernel, "-b", lab.tool, *MEASURED,
                      PATH=str(lab.directory / "bin"))
    assert err == ("virtlab: qemu-system-x86_64 is missing: package "
                   "qemu-system-x86\n")


def test_timeout(lab):
    err = lab.refused(
        "run", "-k", lab.kernel, "-b", lab.tool, "-t", 1, *MEASURED,
        LAB_GUEST="echo last words >$console; exec sleep 60")
    assert err == (
        f"virtlab: {made.RELEASE}: the boot has not ended after 1 s, without "
        "those in which QEMU waited for a CPU; --timeout allows more\n"
        f"  | last words\nvirtlab: not measured: {made.RELEASE}\n")


def test_one_boot_fails(lab):
    """It is told at once; the others go on, and are kept."""
    made.image(lab.directory / "bad")
    go_on = lab.directory / "go"
    process = lab.start(
        "run", "-k", "bad=bad", "-k", "good=vmlinuz", "-j", 2, "-b", lab.tool,
        *MEASURED, LAB_GUEST="case $KERNEL in *bad) exit 3 ;; *) until "
        f"[ -e {go_on} ]; do sleep 0.1; done; boot ;; esac")
    while not (line := process.stderr.readline()).startswith(
            "virtlab: bad: QEMU ended with status 3"):
        assert line
    go_on.touch()
    out, err = lab.ended(process, 60)
    assert (process.returncode, out) == (1, "")
    assert err.endswith("virtlab: not measured: bad; in virtlab are the "
                        "results of good\n")
    assert [path.name for path in (lab.directory / "virtlab").iterdir()] == [
        "good"]


def test_progress(lab):
    """What boots and what it measures, how far all is, how much is left."""
    _, err = lab.measure("-k", "b=vmlinuz", "-j", 1, "--", "one=true", "--",
                         "two=true", kernel="a=vmlinuz")
    assert err == ""
    assert re.sub(r"\d+ s", "N s", "".join(lab.told)) == """\
virtlab: a: boots
virtlab: a: one, 1 of 2
virtlab: a: two, 2 of 2; 1 of 4 measured in N s, about N s left
virtlab: a: measured; 2 of 4 measured in N s, about N s left
virtlab: b: boots; 2 of 4 measured in N s, about N s left
virtlab: b: one, 1 of 2; 2 of 4 measured in N s, about N s left
virtlab: b: two, 2 of 2; 3 of 4 measured in N s, about N s left
virtlab: b: measured; 4 of 4 measured in N s
"""


def test_jobs(lab):
    """One boot at a time, or all at once."""
    log = lab.directory / "log"
    guest = f"echo + >>{log}; sleep 0.3; echo - >>{log}; boot"
    for jobs, order in ((1, "+-+-"), (2, "++--")):
        log.write_text("")
        lab.measure("-k", "b=vmlinuz", "-j", jobs, *MEASURED, LAB_GUEST=guest)
        assert log.read_text().replace("\n", "") == order


@pytest.mark.parametrize("args, jobs", (
    ((), 5), (("-m", "smp"), 1), (("-m", "smp", "-j", "3"), 3)))
def test_jobs_that_are_not_given(monkeypatch, args, jobs):
    """As many as there are CPUs; a guest with several has them all."""
    import vl_args
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert vl_args.parse(["run", "-k", "K", *args, *MEASURED]).jobs == jobs


def test_results_are_replaced_as_a_whole(lab):
    """Nothing of the old ones stays; another kernel's do."""
    lab.measure("-k", "b=vmlinuz", "--", "old=twowaytest")
    lab.measure("--", "new=twowaytest")
    base = lab.directory / "virtlab"
    assert {str(p.relative_to(base)) for p in base.rglob("*.*")} == {
        made.RELEASE, "b/old.json", "b/old.txt", "b/lab.json",
        *(f"{made.RELEASE}/{name}" for name in
          ("new.json", "new.txt", "lab.json"))}


@pytest.mark.parametrize("name", ["thesis", made.RELEASE])
def test_foreign_directory(lab, name):
    """What the lab did not make is not replaced, nor is anything booted."""
    precious = made.write(lab.directory / "work" / name / "thesis.tex", "3 y")
    for output in ("work", "work/."):
        err = lab.refused("run", "-o", output, "-b", lab.tool, "-k",
                          f"{name}=vmlinuz", *MEASURED)
        assert f"{name}: holds files, but no lab.json" in err
        assert "another" in err
    assert precious.read_text() == "3 y" and not lab.pids()
    made.write(lab.directory / "file/b", "4 y")
    assert "is no directory" in lab.refused(
        "run", "-o", "file", "-b", lab.tool, "-k", "b=vmlinuz", *MEASURED)


@pytest.mark.parametrize("name", ["thesis.tex", "sub/twowaytest.json"])
def test_foreign_file_among_results(lab, name):
    """It is not removed with them; what lab.json names is."""
    lab.measure(*MEASURED)
    base = lab.directory / "virtlab" / made.RELEASE
    assert sorted(json.loads((base / "lab.json").read_text())["files"]) == \
        sorted(path.name for path in base.iterdir()
               if path.name != "lab.json")
    lab.measure(*MEASURED)
    precious = made.write(base / name, "3 y")
    err = lab.refused("run", "-b", lab.tool, "-k", lab.kernel, *MEASURED)
    assert f"{made.RELEASE}: holds {name}, which lab.json does not name" in err
    assert precious.read_text() == "3 y"
    precious.unlink()
    lab.measure(*MEASURED)
    made.write(base / "lab.json", "{}")         # of an older version
    assert "which lab.json does not name" in lab.refused(
        "run", "-b", lab.tool, "-k", lab.kernel, *MEASURED)


def test_becomes_foreign(lab):
    """While it is measured, somebody else puts a file there."""
    base = lab.directory / "virtlab" / made.RELEASE
    lab.measure("-b", lab.tool, *MEASURED, status=1,
                LAB_GUEST=f"mkdir {base}; echo 3 y >{base}/thesis.tex; boot")
    assert [path.name for path in base.iterdir()] == ["thesis.tex"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("kind", ["directory", "link"])
def test_foreign_temporary_directory(lab, kind):
    """What is made in it, its owner could replace meanwhile."""
    base = lab.directory / "virtlab"
    base.mkdir()
    base.chmod(0o1777)
    name = base / f".{made.RELEASE}.virtlab-new"
    if kind == "link":
        (lab.directory / "other").mkdir()
        name.symlink_to("../other")
    else:
        name.mkdir()
    os.chown(name, 12345, 12345, follow_symlinks=False)
    err = lab.refused("run", "-b", lab.tool, "-k", lab.kernel, *MEASURED)
    assert f"{name.relative_to(lab.directory)}: belongs to another user" in err
    assert [path.name for path in base.iterdir()] == [name.name]
    assert not lab.pids()


def test_empty_directory(lab):
    """May have been made for the results."""
    (lab.directory / "virtlab" / made.RELEASE).mkdir(parents=True)
    lab.measure(*MEASURED)


def test_unwritable_output(lab):
    """Is told before the boot, not after."""
    lab.refused("run", "-k", lab.kernel, "-b", lab.tool, "-o", "vmlinuz/x",
                *MEASURED)
    assert not lab.pids()
