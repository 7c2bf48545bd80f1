# SPDX-License-Identifier: GPL-2.0-or-later
"""The series for rt-tests, and a small tree of our own to apply it to."""

import os
import pathlib
import re
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
PATCHES = TOP / "patches"
SERIES = sorted(PATCHES.glob("0*.patch"))
COVER, LIBRARY, TOOL, LISTS = (SERIES[0], SERIES[1:5], SERIES[5:8],
                               SERIES[8:])
BACKPORT = PATCHES / "backport.patch"
SOURCES = PATCHES / "rt-tests" / "src" / "twowaytest"
CC = [cc for cc in ("gcc", "clang") if shutil.which(cc)]


def run(*args, **options):
    return subprocess.run([*map(str, args)], capture_output=True, text=True,
                          check=False, **options)


def git(tree, *args):
    done = run("git", "-c", "user.name=x", "-c", "user.email=x@example.org",
               *args, cwd=tree, env={**os.environ, "GIT_CONFIG_GLOBAL":
                                     "/dev/null"})
    assert done.returncode == 0, done.stderr


def added(path):
    """The lines of C that a patch adds."""
    lines, counts = 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("+++ "):
            counts = line.endswith((".c", ".h"))
        elif counts and line.startswith("+"):
            lines += 1
    return lines


def subject(path):
    return re.search(r"^Subject: \[PATCH (\d)/(\d)\] (.*\n(?: .*\n)*)",
                     path.read_text(encoding="utf-8"), re.M)


def plant(tree):
    """The small tree, as a repository."""
    shutil.copytree(TOP / "tests" / "patches" / "tree", tree)
    for args in (["init", "-q"], ["add", "-A", "-f"],
                 ["commit", "-q", "-m", "tree"]):
        git(tree, *args)


def build(tree, compiler, flags=""):
    """Without a warning; the path of the program."""
    made = run("make", "-s", f"-j{os.cpu_count()}", f"CC={compiler}",
               f"OBJDIR=bld-{compiler}", "twowaytest", cwd=tree, env={
                   **os.environ, "CFLAGS": f"-Wall -Wextra -Werror {flags}"})
    assert (made.returncode, made.stderr) == (0, ""), made.stderr
    return (tree / "twowaytest").rename(tree / f"twowaytest-{compiler}")
