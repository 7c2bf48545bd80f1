# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/setup and contrib/cross, in a tree with a made-up program."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import outside

TOP = pathlib.Path(__file__).resolve().parents[2]
USER = outside.NOBODY
MESON = """project('made', 'c')
executable('twowaytest', 'made.c')
executable('primitivetest', 'made.c')
if get_option('tests').enabled() or get_option('fuzz')
  foreach suite : [
    'campaign', 'cli', 'core', 'fuzz', 'lab', 'lint', 'packaging', 'patches',
    'report', 'rt', 'runbook', 'twtools', 'unit',
  ]
    test(suite, find_program('sh'),
      args: ['-c', '''echo "$@${TWOWAY_AGAIN:+again}" >>"$0"
        [ ! -e "$0.fails" ] || [ -z "$TWOWAY_LATER" ] ||
          printf 'a.py::test\\twhy\\n' >>"$TWOWAY_LATER"''',
        meson.current_source_dir() / suite],
      suite: suite)
  endforeach
endif
"""
# Without what contrib/setup tells its own tests.
ENV = {**{name: value for name, value in os.environ.items()
          if not name.startswith("TWOWAY_")}, "SUDO_UID": "", "SUDO_GID": ""}
WORDS = "run, quick, test, packaging, lab, --no-install or --help"
PROGRAM = """#include <stdio.h>
int main(int argc, char **argv)
{
	return argc > 1 ? printf("made %s\\n", argv[1]) < 0 : 1;
}
"""


@pytest.fixture
def tree():
    """Not below pytest's directory, which others may not enter."""
    if not all(map(shutil.which, ("meson", "ninja", "cc"))):
        pytest.skip("meson, ninja or cc is not installed")
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name) / "a tree"
        base.mkdir()
        for file in ("contrib/setup", "contrib/cross", "meson.options",
                     "meson_options.txt", "tests/tools/build.sh",
                     "tests/tools/count.py"):
            (base / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / file, base / file)
        (base / "meson.build").write_text(MESON)
        (base / "made.c").write_text(PROGRAM)
        pathlib.Path(name).chmod(0o755)
        yield base


def run(program, *args, cwd, preexec_fn=None, **env):
    return subprocess.run(
        [str(program), *args], cwd=cwd, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=300,
        preexec_fn=preexec_fn, env={**ENV, **env})


def call(tree, **options):
    done = run("contrib/setup", "--no-install", "run", cwd=tree, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "made -q" in done.stdout
    return done


def there(need):
    """Whether this system has what contrib/setup's table of needs names."""
    if need.startswith("py:"):
        return not subprocess.run(
            ["/usr/bin/python3", "-c", f"import {need[3:]}"],
            capture_output=True, check=False).returncode
    if need.endswith(".h"):
        return not subprocess.run(
            ["cc", "-E", "-"], input=f"#include <{need}>", text=True,
            capture_output=True, check=False).returncode
    return bool(shutil.which(need.partition(":")[0]))


def needs(*groups):
    """Skips a test of what is in these groups of the table."""
    table = (TOP / "contrib/setup").read_text(encoding="ascii")
    rows = re.findall(r"^(\S+) +(\S+) +\S+$", table.partition("#need")[2]
                      .partition("EOF")[0], re.MULTILINE)
    short = [need for need, group in rows
             if set(group.split(",")) & {*groups} and not there(need)]
    if short:
        pytest.skip(f"not installed: {', '.join(short)}")


def owners(tree):
    return {path.lstat().st_uid
            for path in [tree / "build", *(tree / "build").rglob("*")]}


def give(tree, uid):
    for path in [tree, *tree.rglob("*")]:
        os.chown(path, uid, uid, follow_symlinks=False)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
BY_SUDO = {"SUDO_UID": str(USER), "SUDO_GID": str(USER)}


@needs_root
@pytest.mark.parametrize("owner, mode, env, builder", [
    (USER, 0o755, BY_SUDO, USER),
    (USER, 0o755, {}, USER),
    # Its user may write there: what is built is his; or could not anyway.
    (0, 0o777, BY_SUDO, USER),
    (0, 0o755, BY_SUDO, 0),
    (0, 0o755, {}, 0),
    (0, 0o755, {"SUDO_UID": "0", "SUDO_GID": "0"}, 0)])
def test_who_owns_what_is_built(tree, owner, mode, env, builder):
    give(tree, owner)
    tree.chmod(mode)
    call(tree, **env)
    assert owners(tree) == {builder}


@needs_root
def test_its_user_can_build_again(tree):
    """Even where root has built before."""
    (tree / "build").mkdir()
    call(tree)
    give(tree, USER)
    give(tree / "build", 0)
    call(tree)
    (tree / "made.c").write_text(PROGRAM + "\n")
    done = run("meson", "compile", "-C", "build", cwd=tree, HOME="/",
               preexec_fn=outside.nobody())
    assert done.returncode == 0, done.stdout + done.stderr
    call(tree, preexec_fn=outside.nobody(), HOME="/")
    assert owners(tree) == {USER}


# Appended to the copy of build.sh: PATH has links to this system's commands and
# stubs alone, and "made-up" is missing until apt-get has installed it.
ALONE = """PATH={stubs}
needs() {{
	echo cc run gcc
	echo made-up test python3-made-up
	echo other {group} chromium
}}
have() {{ [ "$1" = cc ] || [ -e installed ]; }}
"""
APT = """#!/bin/sh
case $* in
*update) ;;
*--print-uris*) echo 'Need to get 2 MB of archives.' ;;
*) echo "apt-get $*" >>asked; {end} ;;
esac
"""


def alone(tree, group="extra", end=">installed", sudo=None):
    """Makes the tree's setup one of a system with or without sudo."""
    stubs = tree.parent / "stubs"
    stubs.mkdir()
    for folder in "/bin", "/usr/bin", "/usr/sbin":
        for path in pathlib.Path(folder).iterdir():
            link = stubs / path.name
            if path.name not in ("sudo", "apt-get") and not link.is_symlink():
                link.symlink_to(path)
    for name, text in {"apt-get": APT.format(end=end), "sudo": sudo}.items():
        if text:
            (stubs / name).write_text(text)
            (stubs / name).chmod(0o755)
    with open(tree / "tests/tools/build.sh", "a", encoding="ascii") as file:
        file.write(ALONE.format(stubs=stubs, group=group))
    (tree / "contrib/mkseries").symlink_to("/bin/true")


def as_user(tree, *args):
    """setup, called by the user who owns the tree."""
    give(tree, USER)
    return run("contrib/setup", *args, cwd=tree, HOME="/", CC="gcc",
               preexec_fn=outside.nobody())


@needs_root
def test_root_without_sudo(tree):
    """Installs; says before how long it takes, and what it installs."""
    alone(tree)
    done = run(tree / "contrib/setup", "quick", cwd=tree)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(
        "contrib/setup quick takes less than 3 minutes on two CPUs, and longer "
        "if packages are missing.\n"
        "installing with apt-get:\n"
        "  Python: python3-made-up\n"
        "  Need to get 2 MB of archives.\n"
        "-- build build")
    assert (tree / "asked").read_text(encoding="ascii") == (
        "apt-get -qy --no-install-recommends install python3-made-up\n")


@needs_root
def test_what_is_installed_is_told_before(tree):
    """Also if that fails: then nothing is begun."""
    alone(tree, end="echo apt-get fails; exit 100")
    done = run(tree / "contrib/setup", "test", cwd=tree)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    told = [lines.index(line) for line in (
        "contrib/setup test takes 13 to 16 minutes on two CPUs, and longer if "
        "packages are missing.", "  Python: python3-made-up",
        "  browser: chromium", "  Need to get 2 MB of archives.",
        "apt-get fails", "FAILED install: cannot do without")]
    assert told == sorted(told)
    assert not (tree / "build").exists()


@needs_root
@pytest.mark.parametrize("action", ["run", "quick", "test", "lab"])
def test_user_with_sudo(tree, action):
    """It is called by sudo with the same words, before all else."""
    alone(tree, sudo="#!/bin/sh\necho \"sudo: $*\"\nexit 3\n")
    done = as_user(tree, action)
    assert done.returncode == 3
    assert done.stdout == f"sudo: env CC=gcc contrib/setup {action}\n"
    assert done.stderr == (
        "contrib/setup: packages and real-time priority need root: calling "
        "sudo (--no-install does without)\n")
    assert not (tree / "build").exists()


@needs_root
def test_no_install_calls_no_sudo(tree):
    alone(tree, sudo="#!/bin/sh\necho sudo; exit 3\n")
    done = as_user(tree, "--no-install", "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sudo" not in done.stdout + done.stderr


@needs_root
@pytest.mark.parametrize("action", ["run", "quick"])
def test_user_without_sudo(tree, action):
    """Measures without real-time priority, or names what cannot be done
    without, and the command for root."""
    alone(tree)
    done = as_user(tree, action)
    lines = done.stdout.splitlines()
    measured = [line in lines for line in (
        "measuring for 10 s: build/twowaytest -q -a -D 10", "made -q")]
    named = [line in lines for line in (
        "missing: made-up (package python3-made-up)",
        "root can install all that is missing: apt-get install "
        "python3-made-up", "FAILED install: cannot do without")]
    assert (measured, named, done.returncode) == (
        ([True] * 2, [False] * 3, 0) if action == "run"
        else ([False] * 2, [True] * 3, 1)), done.stdout
    assert "you are not root, and there is no sudo" in done.stdout + done.stderr
    assert ("no right to real-time priority here" in done.stderr and
            "Without privilege" in done.stderr) == (action == "run")
    assert not (tree / "asked").exists()


QUICK = ["build build", "build lint", "build unit", "build patches, check",
         "build core, few", "build cli, few"]


@pytest.mark.parametrize("status", [0, 1])
def test_quick(tree, status):
    """Tells what begins, runs it, and ends with a table and the counts."""
    stub = tree / "contrib/mkseries"
    stub.write_text(f"#!/bin/sh\necho \"$@\" >patched\nexit {status}\n")
    stub.chmod(0o755)
    needs("run", "test")
    done = run(tree / "contrib/setup", "--no-install", "quick", cwd=tree)
    assert done.returncode == status and done.stderr == "", done.stdout
    lines = done.stdout.splitlines()
    assert [re.fullmatch("-- (.*): usually [0-9]+ s", line)[1]
            for line in lines if line.startswith("-- ")] == QUICK
    assert lines[-1] == f"{5 - status} passed, {status} failed, 0 skipped"
    assert lines[-2].endswith(" all")
    table = lines[lines.index("seconds usually what") + 1:-2]
    assert sorted(line.split(maxsplit=2)[2] for line in table) == sorted(QUICK)
    assert (tree / "patched").read_text() == "--check\n"
    for name in ("core", "cli"):
        words = (tree / name).read_text().split()
        assert words[0] == "-k"
        for word in words[1::2]:
            assert (TOP / f"tests/{name}/{word}.py").is_file()
    assert (tree / "unit").read_text() == "\n"


def test_what_failed_is_run_again_at_the_end(tree):
    """Of each suite once, by its own program, when all others have ended."""
    (tree / "contrib/mkseries").symlink_to("/bin/true")
    for name in ("core", "unit"):
        (tree / f"{name}.fails").touch()
    needs("run", "test")
    done = run(tree / "contrib/setup", "--no-install", "quick", cwd=tree)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert [line for line in lines if "again" in line] == [
        "unit: to be run again: a.py::test",
        "core: to be run again: a.py::test",
        "-- build core, again", "-- build unit, again",
        *sorted((line for line in lines if re.match(" .* again$", line)),
                reverse=True)]
    assert lines[-1] == "7 passed, 0 failed, 0 skipped"
    assert [len(words_of(tree, name)) for name in ("core", "unit", "cli")] \
        == [2, 2, 1]
    assert words_of(tree, "core")[1] == "again"


@pytest.mark.parametrize("status", [0, 1])
def test_lab(tree, status):
    """What the lab tells is shown at once; that it failed, at last."""
    needs("run", "lab")
    stub = tree / "contrib/virtlab/virtlab"
    stub.parent.mkdir()
    stub.write_text("#!/bin/sh\necho \"virtlab: $*\" >&2\necho page\n"
                    f"exit {status}\n")
    stub.chmod(0o755)
    done = run(tree / "contrib/setup", "--no-install", "lab", cwd=tree)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.splitlines() == [
        "contrib/setup lab takes about 3 minutes on two CPUs, and longer if "
        "packages are missing.", "virtlab: study", "page",
        *status * ["FAILED study: exit status 1"]]


def words_of(tree, suite):
    """What each run of the suite was given."""
    return (tree / suite).read_text(encoding="ascii").splitlines()


def test_test(tree):
    """Every suite but packaging, in its builds; the last line is the counts."""
    for name in ("contrib/virtlab/virtlab", "tests/tools/openssh"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text("#!/bin/sh\n")
        (tree / name).chmod(0o755)
    needs("run", "test", "extra")
    done = run(tree / "contrib/setup", "--no-install", "test", cwd=tree)
    assert done.returncode == 0 and done.stderr == "", done.stdout
    lines = done.stdout.splitlines()
    passed = re.fullmatch(r"(\d+) passed, 0 failed, \d+ skipped", lines[-1])
    runs = {suite: words_of(tree, suite) for suite in (
        "campaign", "cli", "core", "fuzz", "lab", "lint", "patches", "report",
        "rt", "runbook", "twtools", "unit")}
    assert int(passed[1]) == sum(map(len, runs.values()))
    assert runs["campaign"] == ["-k not test_campaign_real",
                                "-k test_campaign_real"]
    assert runs["unit"] == ["", ""]
    assert runs["lab"] == ["-k test_lab_core"]
    assert runs["rt"] == ["-k not cause"]
    assert not (tree / "packaging").exists()
    # Of the core's, all: what is left to be measured alone, then that.
    first, alone, sanitized = runs["core"]
    assert first == f"-k not ({alone.removeprefix('-k ')})"
    for word in alone.removeprefix("-k ").split(" or "):
        assert (TOP / f"tests/core/{word}.py").is_file()
    assert sanitized == "-k test_core_values"
    for suite in ("cli", "fuzz", "lint", "patches", "report", "runbook",
                  "twtools"):
        assert runs[suite] == [""]
    told = [line[3:] for line in lines if line.startswith("-- ")]
    assert all(": usually " in line for line in told)
    table = lines[lines.index("seconds usually what") + 1:-2]
    assert len(table) == len(told) == int(passed[1]) + 5
    seconds = [int(line.split()[0]) for line in table]
    assert seconds == sorted(seconds, reverse=True)


def test_packaging(tree):
    """The suite alone, in the usual build."""
    needs("run", "test", "packaging")
    done = run(tree / "contrib/setup", "--no-install", "packaging", cwd=tree)
    assert done.returncode == 0, done.stdout
    assert words_of(tree, "packaging") == [""]
    assert not (tree / "unit").exists()
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"


def test_what_a_distribution_lacks_is_not_asked_for(tree):
    done = subprocess.run(
        ["sh", "-c", ". tests/tools/build.sh; have() { false; }; "
         "needs() { echo 'one packaging a1'; echo 'two packaging -'; "
         "echo 'three lab a3'; }; "
         "missing run packaging"], env=ENV,
        cwd=tree, capture_output=True, text=True, check=True)
    assert done.stdout == "one packaging a1\n"


def test_progress_is_told_at_once(tree):
    """Not in the file that a suite beside others writes to."""
    done = subprocess.run(
        ["sh", "-c", '. tests/tools/build.sh; timed "a b" echo c >file'],
        env=ENV, cwd=tree, capture_output=True, text=True, check=True)
    assert done.stdout == "-- a b\n"
    assert (tree / "file").read_text() == "c\n"


def test_a_quiet_command_tells_its_own_progress(tree):
    """As the tests of this file do, which a suite runs."""
    done = subprocess.run(
        ["sh", "-c", "export TWOWAY_RUN=.; exec 3>&1; "
         ". tests/tools/build.sh; quietly sh -c '. tests/tools/build.sh; "
         'timed a true\'; printf "%s\n" "$output"'],
        cwd=tree, capture_output=True, text=True, check=True)
    assert done.stdout == "-- a\n"
    assert not (tree / "times").exists()


def test_usual_times_are_of_what_there_is():
    """A suite that is renamed would be told without its time."""
    script = (TOP / "tests/tools/build.sh").read_text(encoding="ascii")
    rows = re.findall(r"^\d+ build\S* (\w+)", script, re.M)
    there = {"build", "kernels", "openssh", "lint", "unit", "fuzz",
             *(path.name for path in (TOP / "tests").iterdir())}
    assert len(rows) > 10
    assert set(rows) <= there


@pytest.mark.parametrize("words, said", [
    ([], "run, quick, test, packaging or lab is expected"),
    (["--no-install"], "run, quick, test, packaging or lab is expected"),
    (["rum"], f"'rum': {WORDS} is expected"),
    (["test", ""], f"'': {WORDS} is expected"),
    (["test", "lab"], "'lab': comes after 'test'; give one of them")])
def test_wrong_word(tree, words, said):
    """Is named, after the usage; nothing is done."""
    done = run(tree / "contrib/setup", *words, cwd=tree)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("usage: contrib/setup")
    assert done.stderr.endswith(f"\ncontrib/setup: {said}\n")


@pytest.mark.parametrize("script", ["setup", "cross"])
@pytest.mark.parametrize("path", ["contrib", "a/link", "contrib/../contrib"])
def test_wherever_it_is_called(tree, tmp_path, script, path):
    """CDPATH, or a link to the script, does not lead it astray."""
    (tree / "a/link").mkdir(parents=True)
    (tree / "a/link" / script).symlink_to(f"../../contrib/{script}")
    away = tmp_path / "contrib"
    away.mkdir()
    done = run(f"{path}/{script}", "--help", cwd=tree, CDPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: contrib/{script}")
    assert done.stderr == ""
