# SPDX-License-Identifier: GPL-2.0-or-later
"""The patch series: what it is made of, and that it builds at each step."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import twoway

TOP = pathlib.Path(__file__).resolve().parents[2]
PATCHES = TOP / "patches"
MKPATCHES = TOP / "contrib" / "mkpatches"
UPSTREAM = sorted((PATCHES / "upstream").glob("*.patch"))
COVER, SERIES = UPSTREAM[0], UPSTREAM[1:]
LIBRARY = ("src/lib", "src/include")

# An option that each patch brings, by the name of its message.
BRINGS = {
    "core": "--histogram", "load-fft": "--load", "load-hackbench":
    "--load-args", "load-command": "command:SHELL-COMMAND",
    "reference": "--trltp-log", "break": "--breaktrace",
    "trace": "--trace-file", "limit": "--limit", "check": "--check",
}
# What needs no more than the program; the parser's many cases are the same
# code in both trees.
CLI = ("check", "consumers", "formats", "identities", "json", "limits",
       "runs")


def load_mkpatches():
    loader = importlib.machinery.SourceFileLoader("mkpatches", str(MKPATCHES))
    spec = importlib.util.spec_from_loader("mkpatches", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


mkpatches = load_mkpatches()


def run(*args, **options):
    return subprocess.run([*map(str, args)], capture_output=True, text=True,
                          check=False, **options)


def head(path):
    """The mail above the diff: its header lines and its body."""
    text = path.read_text(encoding="ascii")
    header, body = text.split("\n\n", 1)
    return header.splitlines(), body.split("\n---\n")[0].splitlines()


def diffs(path):
    """What a patch does to each file, by the file's name."""
    parts = re.split(r"^diff --git a/(\S+) b/.*\n",
                     path.read_text(encoding="ascii"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def plant(tree):
    """The miniature tree, with the library that is upstream's there."""
    mkpatches.plant(tree)
    for part in LIBRARY:
        shutil.copytree(TOP / part, tree / part)
    mkpatches.commit(tree)


def make(tree):
    """Builds the tool: every warning is an error, leftovers of others too."""
    made = run("make", "-s", f"-j{os.cpu_count()}", "-C", tree, "twowaytest",
               "CPPFLAGS=-D_GNU_SOURCE -Isrc/include -Wunused-macros")
    assert made.returncode == 0, made.stderr
    assert "warning" not in made.stderr
    return tree / "twowaytest"


def test_they_are_those_of_the_sources():
    checked = run(MKPATCHES, "--check")
    assert (checked.returncode, checked.stdout) == (0, ""), \
        checked.stdout + checked.stderr


def test_check_tells_what_differs(tmp_path):
    copy = tmp_path / "patches"
    shutil.copytree(PATCHES, copy)
    name = SERIES[0].name
    (copy / "upstream" / name).write_bytes(b"\n")
    (copy / "upstream" / "9999-stray.patch").write_bytes(b"")
    (copy / "distro" / "series").unlink()
    checked = run(MKPATCHES, "--check", copy)
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        f"{copy}/distro/series: is missing",
        f"{copy}/upstream/{name}: differs",
        f"{copy}/upstream/9999-stray.patch: is none of the series"]
    assert "run contrib/mkpatches" in checked.stderr

    assert run(MKPATCHES, copy).returncode == 0
    assert mkpatches.present(copy) == mkpatches.present(PATCHES)


def test_foreign_files_stay(tmp_path):
    """Any checkout may have directories of these names."""
    mine = [tmp_path / name for name in (
        "upstream/mine.txt", "upstream/mine.patch", "distro/12-a.patch",
        "upstream/0001-dir.patch/file", "0001-above.patch")]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    assert run(MKPATCHES, tmp_path).returncode == 0
    assert {path.read_text() for path in mine} == {"mine"}
    checked = run(MKPATCHES, "--check", tmp_path)
    assert f"{mine[0]}: is none of the series\n" in checked.stdout


@pytest.mark.parametrize("kind, what", [
    ("line", "no such text"), ("code", "int twice;"), ("row", "int once;"),
    ("code", "int open("),
])
def test_a_hook_that_does_not_fit_is_an_error(kind, what):
    files = {"a.c": "int once;\nint twice;\nint twice;\nint open(void\n"}
    with pytest.raises(mkpatches.HookError, match=r"^a\.c: "):
        mkpatches.unhook(files, (kind, "a.c", what))


def test_a_piece_needs_its_files():
    with pytest.raises(mkpatches.HookError, match=r"tw_none\*"):
        mkpatches.without({"a.c": ""}, ("piece", ["tw_none*"], []))


@pytest.mark.parametrize("hook, before, after", [
    (("line", "a {"), "1;\na {\n2;\n", "1;\n2;\n"),
    (("line", "#define A"), "#define A 1 \\\n\t2\n3;\n", "3;\n"),
    (("rest", "b("), "a();\n\nb();\nc();\n", "a();\n"),
    (("swap", "a", "b"), "a\n", "b\n"),
    (("row", '"b"'), '\t{ 1, "a" },\n\t{ 2, "b",\n\t  { "}" } },\n\t{ 3 },\n',
     '\t{ 1, "a" },\n\t{ 3 },\n'),
    # A comment goes with what it is about, and with nothing else.
    (("code", "int f("), "/* of f */\nint f(int a,\n\t  int b);\n\nint g;\n",
     "int g;\n"),
    (("code", "int f("), "/* of both */\nint f(void);\nint g(void);\n",
     "/* of both */\nint g(void);\n"),
    (("code", "int f("), "int e;\n\n/*\n * of\n * f\n */\nint f(void)\n{\n"
     '\tif (a) {\n\t\tb("}");\n\t}\n}\n\nint g;\n', "int e;\n\nint g;\n"),
    (("code", "if (a)"), "{\n\tif (a)\n\t\tb();\n\telse if (c) {\n\t\td();\n"
     "\t} else {\n\t\th();\n\t}\n\tf();\n}\n", "{\n\tf();\n}\n"),
    (("code", "struct a"), "struct a {\n\tint b;\n};\n\nint c;\n", "int c;\n"),
])
def test_hooks(hook, before, after):
    files = {"a.c": before}
    mkpatches.unhook(files, (hook[0], "a.c", *hook[1:]))
    assert files["a.c"] == after


@pytest.mark.parametrize("path", UPSTREAM, ids=lambda path: path.name[:4])
def test_message(path):
    header, body = head(path)
    number = int(path.name[:4])
    assert header[1] == "From: twowaytest project <twowaytest@example.org>"
    assert header[2].startswith("Date: ")
    subject = re.fullmatch(r"Subject: \[PATCH (\d+)/(\d+)\] (.*)", header[3])
    assert [int(subject[1]), int(subject[2])] == [number, len(SERIES)]
    assert re.match(r"(rt-tests: )?twowaytest: [A-Z]", subject[3])
    assert len(subject[3]) <= 72 and not subject[3].endswith(".")
    assert len(header) == 4
    assert body
    for line in body:
        assert len(line) <= 72 or line.startswith("    "), line
        assert line == line.rstrip()
        assert not re.match(r"[A-Z][a-z]+(-[a-z]+)*-by:|Cc:|Link:", line)
    # git's version at the end would differ from one git to another.
    assert not re.search(r"^-- $", path.read_text(encoding="ascii"), re.M)


def test_files_that_are_there_already():
    """Few hunks, and little around them: they are to fit several versions."""
    for number, path in enumerate(SERIES, 1):
        for name, diff in diffs(path).items():
            if name.startswith("src/twowaytest/"):
                continue
            hunks = re.findall(r"^@@ -\d+,2 \+", diff, re.M)
            assert len(hunks) == diff.count("\n@@ ") == {
                ("Makefile", 1): 3, ("Makefile", len(SERIES) - 1): 1,
                (".gitignore", len(SERIES)): 1}[name, number]
            assert not re.search(r"^-(?!--)", diff, re.M)


def test_distro_is_upstream_less_gitignore():
    names = (PATCHES / "distro" / "series").read_text().splitlines()
    assert names == [path.name for path in SERIES[:-1]]
    assert list(diffs(SERIES[-1])) == [".gitignore"]
    for path in SERIES[:-1]:
        assert ".gitignore" not in diffs(path)
        assert (PATCHES / "distro" / path.name).read_bytes() == \
            path.read_bytes()


def test_cover_letter_has_every_patch():
    text = COVER.read_text(encoding="ascii")
    for path in SERIES:
        subject = head(path)[0][3].split("] ", 1)[1]
        assert f"\n  {subject}\n" in text
    assert re.search(r"\n \d+ files changed, \d+ insertions\(\+\)\n", text)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The miniature tree with all patches, built after each of them."""
    path = tmp_path_factory.mktemp("tree")
    plant(path)
    names = [name for name, _ in mkpatches.states()]
    assert len(names) == len(SERIES)
    seen = set()
    for name, patch in zip(names, SERIES):
        mkpatches.git(path, "am", "-q", str(patch))
        binary = make(path)
        result = run(binary, "-q", "-i", "1000", "-l", "20", cwd=path)
        assert result.returncode == 0, f"{name}: {result.stderr}"
        assert len(re.findall(r"(?m)^T: \d .* C: +20 ", result.stdout)) == 7
        text = run(binary, "--help").stdout
        if name in BRINGS:
            brings = rf"(?<![\w-]){re.escape(BRINGS[name])}(?![\w-])"
            assert re.search(brings, text), f"{name}: {text}"
            seen.add(name)
            missing = BRINGS.keys() - seen
            assert not [name for name in missing if re.search(
                rf"(?<![\w-]){re.escape(BRINGS[name])}(?![\w-])", text)]
    assert seen == set(BRINGS)
    return path


def test_series_applies_and_builds_at_each_step(tree):
    assert mkpatches.git(tree, "status", "--porcelain", "-uno") == ""
    for name, text in mkpatches.sources().items():
        assert (tree / "src/twowaytest" / name).read_text() == text
    assert "/twowaytest\n" in (tree / ".gitignore").read_text()


def test_installs(tree, tmp_path):
    installed = run("make", "-s", "-C", tree, "install",
                    f"DESTDIR={tmp_path}")
    assert installed.returncode == 0, installed.stderr
    assert {str(path.relative_to(tmp_path / "usr/local"))
            for path in tmp_path.rglob("twowaytest*")} == {
                "bin/twowaytest", "share/man/man8/twowaytest.8"}


def test_patch_takes_the_distributions_series(tree, tmp_path):
    """On a tarball: no git, no .gitignore, no fuzz."""
    if not shutil.which("patch"):
        pytest.skip("patch is not installed")
    mkpatches.plant(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".gitignore").unlink()
    for name in (PATCHES / "distro" / "series").read_text().splitlines():
        done = run("patch", "-p1", "-F0", "-s", "-i",
                   PATCHES / "distro" / name, cwd=tmp_path)
        assert done.returncode == 0, f"{name}: {done.stdout}"
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*")
             if path.is_file()]
    assert len(files) > 100
    for path in files:
        assert (tmp_path / path).read_bytes() == (tree / path).read_bytes()
    assert not list(tmp_path.rglob("*.orig"))


def shape(text):
    """Output without what is measured, and lines that depend on that."""
    text = re.sub(r"(?m)^# (Missed|Throttled|Throttling|\().*\n", "", text)
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
    done = run(sys.executable, "-m", "pytest", "-q", "-p",
               "no:cacheprovider", f"--rootdir={TOP / 'tests'}", *suites,
               env={**os.environ, "TWOWAYTEST": str(tree / "twowaytest")})
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d{3,} passed", done.stdout)
