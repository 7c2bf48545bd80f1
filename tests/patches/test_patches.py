# SPDX-License-Identifier: GPL-2.0-or-later
"""The series for rt-tests: what it holds, and that it builds at each step.

The small tree has our own library in place of rt-tests', with what the first
three patches mend: so those are only read here, and the others applied. In its
older shape, the library is of no use but for messages, as the backport has it.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
SERIES = sorted((TOP / "patches").glob("0*.patch"))
COVER, LIBRARY, TOOL = SERIES[0], SERIES[1:4], SERIES[4:]
BACKPORT = TOP / "patches" / "backport.patch"
CC = [cc for cc in ("gcc", "clang") if shutil.which(cc)]
# Options that show which patches are there.
BRINGS = {4: "--interval", 5: "--json", 6: "--threads", 7: "--breaktrace",
          8: "--load", 9: "--trltp"}


def run(*args, **options):
    return subprocess.run([*map(str, args)], capture_output=True, text=True,
                          check=False, **options)


def added(path):
    """The lines of C that a patch adds."""
    lines, counts = 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("+++ "):
            counts = line.endswith((".c", ".h"))
        elif counts and line.startswith("+"):
            lines += 1
    return lines


def test_made():
    done = run(TOP / "contrib" / "mkpatches", "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_made_again(tmp_path):
    """What was changed by hand is found and made again, what is of a message
    that is gone is removed; what others have added stays."""
    copy = tmp_path / "copy"
    for part in ("contrib/series", "man", "src", "patches",
                 "tests/patches/tree"):
        shutil.copytree(TOP / part, copy / part)
    make = shutil.copy(TOP / "contrib" / "mkpatches", copy / "contrib")
    others = copy / "patches" / "0002-others.patch"
    others.write_text("From somebody else")
    with open(copy / "patches" / "series", "a", encoding="ascii") as file:
        file.write(f"{others.name}\n")
    assert run(make, "--check").stdout == ""
    gone = copy / "patches" / "0099-gone.patch"
    shutil.copy(TOOL[0], gone)
    wrong = [TOOL[0].name, gone.name, BACKPORT.name]
    for name in wrong:
        with open(copy / "patches" / name, "a", encoding="ascii") as file:
            file.write("\n")
    done = run(make, "--check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"patches/{name}: is not made from src" for name in wrong]
    assert run(make).returncode == run(make, "--check").returncode == 0
    assert {path.name for path in (copy / "patches").iterdir()} == {
        others.name, *(path.name for path in (TOP / "patches").iterdir())}
    for path in *TOOL, BACKPORT, others:
        assert (copy / "patches" / path.name).read_bytes() == \
            path.read_bytes()


def test_order():
    assert [int(path.name[:4]) for path in SERIES] == \
        list(range(len(SERIES)))
    assert len(SERIES) == 11
    listed = (TOP / "patches" / "series").read_text(encoding="ascii").split()
    assert listed == [path.name for path in SERIES[1:-1]]


@pytest.mark.parametrize("path", SERIES[1:], ids=lambda path: path.name[:4])
def test_text(path):
    """What a mailing list wants; the sign-off is the submitter's."""
    text = path.read_text(encoding="ascii")
    head, diff = text.split("\n---\n", 1)
    subject = re.search(r"^Subject: \[PATCH (\d\d)/10\] (.*)", head, re.M)
    assert int(subject[1]) == int(path.name[:4])
    assert len(subject[2]) <= 75
    assert all(len(line) <= 80 for line in head.splitlines()[5:])
    limits = {1: 60, 2: 40, 3: 80}
    assert added(path) <= limits.get(int(path.name[:4]), 3660)


@pytest.mark.parametrize("path", [*SERIES[1:], BACKPORT],
                         ids=lambda path: path.name[:4])
def test_diff(path):
    """Each hunk has at most one line of context at either end."""
    text = path.read_text(encoding="ascii")
    assert "Signed-off-by" not in text
    for hunk in re.split(r"^@@ .*\n", text, flags=re.M)[1:]:
        assert re.match(r"( [^\n]*\n|\n)?[-+\\]", hunk)


def plant(tree, older=False):
    """The small tree with our library, as a repository. @older: what the
    library has is not what twowaytest is to call."""
    shutil.copytree(TOP / "tests" / "patches" / "tree", tree)
    (tree / "gitignore").rename(tree / ".gitignore")
    for part in ("src/lib", "src/include"):
        shutil.copytree(TOP / part, tree / part)
    for name in ("histogram", "rt-numa", "rt-utils") if older else ():
        (tree / f"src/include/{name}.h").write_text("#error older\n")
        (tree / f"src/lib/{name}.c").write_text(
            "void rt_init(void);\nvoid rt_init(void) { __builtin_trap(); }\n")
    for args in (["init", "-q"], ["add", "-A", "-f"],
                 ["commit", "-q", "-m", "tree"]):
        git(tree, *args)


def git(tree, *args):
    done = run("git", "-c", "user.name=x", "-c", "user.email=x@example.org",
               *args, cwd=tree, env={**os.environ, "GIT_CONFIG_GLOBAL":
                                     "/dev/null"})
    assert done.returncode == 0, done.stderr


def test_steps(tmp_path):
    """Each step builds without a warning and measures; help fits."""
    tree = tmp_path / "tree"
    plant(tree)
    for number, path in enumerate(TOOL, 4):
        git(tree, "am", "-q", path)
        build(tree, "-Wno-unused-parameter -Wno-sign-compare")
        check_step(tree, number)
        (tree / "twowaytest").unlink()
    ignored = (tree / ".gitignore").read_text(encoding="ascii").split()
    assert "/twowaytest" in ignored


def build(tree, flags=""):
    for cc in CC:
        made = run("make", "-s", f"-j{os.cpu_count()}", f"CC={cc}",
                   f"OBJDIR=bld-{cc}", cwd=tree, env={
                       **os.environ,
                       "CFLAGS": f"-Wall -Wextra -Werror {flags}"})
        assert (made.returncode, made.stderr) == (0, "")


def test_backport(tmp_path):
    """It brings all that an older library lacks, and turns off what later
    versions do not warn of; it stays small."""
    tree = tmp_path / "tree"
    plant(tree, older=True)
    git(tree, "am", "-q", BACKPORT, *TOOL[:-1])
    build(tree)
    check_step(tree, 9)
    assert len(BACKPORT.read_text(encoding="ascii").splitlines()) <= 600


def check_step(tree, number):
    program = tree / "twowaytest"
    text = run(program, "--help").stdout
    for brought, option in BRINGS.items():
        assert (option in text) == (brought <= number), (number, option)
    page = (tree / "src/twowaytest/twowaytest.8").read_text(encoding="ascii")
    options = set(re.findall(r"--([a-z_-]+)", text))
    assert options == {name.replace("\\", "") for line in
                       re.findall(r"^\.T[PQ]\n(.*)", page, re.M)
                       for name in re.findall(r"\\-\\-([a-z_\\-]+)", line)}
    done = run(program, "-q", "-l", "20")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^T: 0 .* C: +20 ", done.stdout, re.M)
    if number >= 5:
        done = run(program, "-q", "-l", "20", "-h", "9", "--json=json",
                   cwd=tree)
        assert "# Max Latencies: " in done.stdout
        with open(tree / "json", encoding="utf-8") as file:
            assert json.load(file)["thread"]["0"]["cycles"] == 20
    if number >= 7:
        assert "       0:       1:" in run(program, "-v", "-l", "2").stdout


def test_mends():
    """The library's patches say what is wrong, and touch only rt-tests'."""
    for path in LIBRARY:
        text = path.read_text(encoding="ascii")
        assert re.search(r"\n  [$#] ", text)
        assert "twowaytest.c" not in text


def test_cover():
    text = COVER.read_text(encoding="ascii")
    for path in SERIES[1:]:
        subject = re.search(r"^Subject: \[.*?\] (.*)", path.read_text(
            encoding="ascii"), re.M)[1]
        assert f"\n  {subject}\n" in text
