# SPDX-License-Identifier: GPL-2.0-or-later
"""The series for rt-tests: what it holds, and that it builds at each step.

The small tree has our own library in place of rt-tests', with what the first
three patches mend: so those are only read here, and the others applied.
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


def test_made_reports(tmp_path):
    """A patch that was changed by hand is found."""
    copy = tmp_path / "copy"
    for part in ("contrib/series", "src/core", "patches",
                 "tests/patches/tree"):
        shutil.copytree(TOP / part, copy / part)
    shutil.copy(TOP / "contrib" / "mkpatches", copy / "contrib")
    with open(copy / "patches" / TOOL[0].name, "a", encoding="ascii") as file:
        file.write("\n")
    done = run(copy / "contrib" / "mkpatches", "--check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"patches/{TOOL[0].name}: is not made from src/core"]


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
    assert "Signed-off-by" not in text
    assert all(len(line) <= 80 for line in head.splitlines()[5:])
    # Each hunk has at most one line of context at either end.
    for hunk in re.split(r"^@@ .*\n", diff, flags=re.M)[1:]:
        assert re.match(r"( [^\n]*\n|\n)?[-+\\]", hunk)
    limits = {1: 60, 2: 40, 3: 80}
    assert added(path) <= limits.get(int(path.name[:4]), 3000)


def plant(tree):
    """The small tree with our library, as a repository."""
    shutil.copytree(TOP / "tests" / "patches" / "tree", tree)
    (tree / "gitignore").rename(tree / ".gitignore")
    for part in ("src/lib", "src/include"):
        shutil.copytree(TOP / part, tree / part)
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
        for cc in CC:
            made = run("make", "-s", f"-j{os.cpu_count()}", f"CC={cc}",
                       f"OBJDIR=bld-{cc}", "CFLAGS=-Wall -Wextra -Werror "
                       "-Wno-unused-parameter -Wno-sign-compare", cwd=tree)
            assert (made.returncode, made.stderr) == (0, ""), path.name
        check_step(tree, number)
        (tree / "twowaytest").unlink()
    ignored = (tree / ".gitignore").read_text(encoding="ascii").split()
    assert "/twowaytest" in ignored


def check_step(tree, number):
    program = tree / "twowaytest"
    text = run(program, "--help").stdout
    for brought, option in BRINGS.items():
        assert (option in text) == (brought <= number), (number, option)
    page = (tree / "src/twowaytest/twowaytest.8").read_text(encoding="ascii")
    options = set(re.findall(r"--([a-z_-]+)", text))
    assert options == {name.replace("\\", "") for line in
                       re.findall(r"^\.TP\n(.*)", page, re.M)
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
