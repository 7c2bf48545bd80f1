# SPDX-License-Identifier: GPL-2.0-or-later
"""The patch series, applied: it builds at each step, and the program works."""

import os
import re
import shutil
import sys

import pytest

import twoway
from series import PATCHES, SERIES, TOP, mkpatches, plant, run

# What of --help each patch brings, by the name of its message.
BRINGS = {
    "program": "--interval", "results": "--histogram", "kinds": "timerfd",
    "kept": "--worst", "limit": "--limit", "load-fft": "fft[:WORKERS]",
    "load-commands": "hackbench[:GROUPS]", "throttle": "--rt-runtime",
    "reference": "--trltp", "break": "--breaktrace", "trace": "--trace-file",
    "check": "--check",
}
# What needs no more than the program; the parser's many cases are the same
# code in both trees.
CLI = ("check", "consumers", "formats", "identities", "json", "limits",
       "runs")
# Nothing is said: no warning, and not by upstream's rule for .d files.
CACHE = "ccache " if shutil.which("ccache") else ""
GCC = (f"CC={CACHE}gcc",
       "CPPFLAGS=-D_GNU_SOURCE -Isrc/include -Wunused-macros")
CLANG = (f"CC={CACHE}clang", "OBJDIR=bld-clang",
         "CFLAGS=-O0 -Wall -Wextra -Werror")


def make(tree, *variables):
    made = run("make", "-s", f"-j{os.cpu_count()}", "-C", tree, *variables)
    assert (made.returncode, made.stderr) == (0, "")


def objects(tree, directory):
    return {path.stem for path in (tree / directory).glob("*.o")}


def try_program(tree, name, seen):
    """It measures, and has the options of the patches so far."""
    result = run(tree / "twowaytest", "-q", "-i", "1000", "-l", "20", cwd=tree)
    assert result.returncode == 0, f"{name}: {result.stderr}"
    assert len(re.findall(r"(?m)^T: \d .* C: +20 ", result.stdout)) == 7
    text = run(tree / "twowaytest", "--help").stdout
    has = {name for name, option in BRINGS.items()
           if re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text)}
    assert has == seen & BRINGS.keys(), f"{name}: {text}"


def try_primitives(tree, name):
    result = run(tree / "primitivetest", "-q", "-l", "20", "--test=sync1,sync2",
                 cwd=tree)
    assert result.returncode == 0, f"{name}: {result.stderr}"
    assert len(re.findall(r"(?m)^T: ?\d+ .* C: +20 ", result.stdout)) > 9


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The miniature tree with all patches, built after each of them."""
    path = tmp_path_factory.mktemp("tree")
    plant(path)
    made = mkpatches.states(mkpatches.sources(), mkpatches.steps(),
                            mkpatches.pieces.TABLES)
    assert len(made) == len(SERIES)
    seen = set()
    for (name, files), patch in zip(made, SERIES):
        mkpatches.git(path, "am", "-q", str(patch))
        for file, text in files.items():
            assert (path / "src" / file).read_text(encoding="ascii") == text
        units = {os.path.basename(file)[:-2] for file in files
                 if file.endswith(".c")}
        if shutil.which("clang"):
            make(path, *CLANG)
            assert units <= objects(path, "bld-clang")
        make(path, *GCC)
        # Those of no program yet, too.
        assert units <= objects(path, "bld")
        seen.add(name)
        if "twowaytest" in units:
            try_program(path, name, seen)
        if "primitivetest" in units:
            try_primitives(path, name)
    assert seen >= BRINGS.keys()
    return path


def test_series_applies_and_builds_at_each_step(tree):
    assert mkpatches.git(tree, "status", "--porcelain", "-uno") == ""
    there = {path.relative_to(tree / "src").as_posix(): path.read_text()
             for folder in mkpatches.FOLDERS
             for path in (tree / "src" / folder).rglob("*")
             if path.is_file()}
    # Lines of tables have all come.
    assert there == mkpatches.sources()
    assert "/twowaytest\n" in (tree / ".gitignore").read_text()


def test_a_header_makes_what_includes_it(tree, tmp_path):
    """The empty rule for .d files leaves them to the compiler."""
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy)
    make(copy, *GCC)
    before = {path: path.stat().st_mtime_ns
              for path in (copy / "bld").glob("tw*.o")}
    os.utime(copy / "src/twlib/base/tw_guard.h")
    make(copy, *GCC)
    again = {path.stem for path, time in before.items()
             if path.stat().st_mtime_ns != time}
    assert "tw_guard" in again and again != {path.stem for path in before}


def test_installs(tree, tmp_path):
    installed = run("make", "-s", "-C", tree, "install",
                    f"DESTDIR={tmp_path}")
    assert installed.returncode == 0, installed.stderr
    assert {str(path.relative_to(tmp_path / "usr/local"))
            for program in ("twowaytest", "primitivetest")
            for path in tmp_path.rglob(f"{program}*")} == {
                "bin/twowaytest", "share/man/man8/twowaytest.8",
                "share/man/man8/twowaytest-hosts.8",
                "share/man/man8/twowaytest-output.8", "bin/primitivetest",
                "share/man/man8/primitivetest.8"}


def test_builds_only_where_oslat_does(tree):
    """On Android, upstream's sources are two programs."""
    listed = run("make", "-n", "-C", tree, "all", "sources=ssdd.c")
    assert listed.returncode == 0, listed.stderr
    assert "twowaytest" not in listed.stdout


def test_patch_takes_quilts_series(tree, tmp_path):
    """On a tarball: no git, no .gitignore, no fuzz."""
    if not shutil.which("patch"):
        pytest.skip("patch is not installed")
    mkpatches.plant(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".gitignore").unlink()
    for name in (PATCHES / "series").read_text().splitlines():
        done = run("patch", "-p1", "-F0", "-s", "-i", PATCHES / name,
                   cwd=tmp_path)
        assert done.returncode == 0, f"{name}: {done.stdout}"
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*")
             if path.is_file()]
    assert len(files) > 100
    for path in files:
        assert (tmp_path / path).read_bytes() == (tree / path).read_bytes()
    assert not list(tmp_path.rglob("*.orig"))


def shape(text):
    """Output without what is measured, and lines that depend on that."""
    text = re.sub(r"(?m)^# (Missed|Throttled|Throttling|Others|Interrupts|"
                  r"\().*\n", "", text)
    text = re.sub(r"-?\b\d+(\.\d+)?\b", "N", text)
    return re.sub(r"[ \t]+", " ", text)


@pytest.mark.parametrize("args", [
    ("--help",),
    ("-q", "-l", "30", "--percentiles=50,90"),
    ("-q", "-l", "30", "-h", "9999", "--json=json", "--trltp-log=log"),
    ("-q", "-l", "20", "--load=fft", "--steps=2", "--limit=missed:100000"),
    ("-p", "100"), ("--limit=nonsense",), ("--unknown",),
], ids=lambda args: " ".join(args))
def test_same_as_standalone(tree, tmp_path, monkeypatch, args):
    results = []
    for program in (twoway.binary(), tree / "twowaytest"):
        monkeypatch.setenv("TWOWAYTEST", str(program))
        directory = tmp_path / str(len(results))
        directory.mkdir()
        results.append(twoway.run(*args, directory=directory))
    here, there = results
    assert here.returncode == there.returncode
    assert shape(here.stderr) == shape(there.stderr)
    assert here.files == there.files
    if "--json=json" in args:
        assert here.json().keys() == there.json().keys()
        assert here.json()["twoway"].keys() == there.json()["twoway"].keys()
        assert here.json()["twoway"]["settings"].keys() == \
            there.json()["twoway"]["settings"].keys()
        assert there.json()["rt_test_version:"] == "9.99"
    # Which rows of a histogram are empty is measured, too.
    if "-h" not in args:
        assert shape(here.stdout) == shape(there.stdout)


def test_versions_are_each_tree_s(tree):
    assert run(tree / "twowaytest", "--version").stdout == \
        "twowaytest V 9.99\n"


def test_options_from_the_outside(tree):
    """The cli suite, on the program that the patches make."""
    suites = [TOP / "tests" / "cli" / f"test_cli_{name}.py" for name in CLI]
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "-p", "workers", "--workers=4",
               f"--rootdir={TOP / 'tests'}", *suites,
               env={**os.environ, "TWOWAYTEST": str(tree / "twowaytest"),
                    "PYTHONPATH": str(TOP / "tests" / "tools")})
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d{3,} passed", done.stdout)
