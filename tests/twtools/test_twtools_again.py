# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/tools/again.py: what failed is tried again, and only that."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
BUILD = """
project('again')
test('words', import('python').find_installation('/usr/bin/python3'),
  suite: 'words',
  args: ['-m', 'pytest', '-q', '-p', 'no:cacheprovider',
    '--junitxml=' + meson.current_build_dir() / 'words.xml',
    meson.current_source_dir() / 'words'])
test('tap', find_program('tap'), suite: 'unit',
  env: {'CMOCKA_MESSAGE_OUTPUT': 'TAP'})
test('slow', find_program('slow'), suite: 'slow', timeout: 2,
  env: {'CMOCKA_MESSAGE_OUTPUT': 'TAP'})
"""
WORDS = """
import pathlib
import pytest

HERE = pathlib.Path(__file__).parent

def runs(name):
    with open(HERE / name, "a") as file:
        file.write("x")
    return len((HERE / name).read_text())

@pytest.mark.parametrize("word", ["a/b", "c::d e"])
def test_first_time(word):
    assert runs(f"first-{word[0]}") > 1, "one"

def test_never():
    assert runs("never") < 1

def test_passes():
    assert runs("passes") == 1

@pytest.mark.parametrize("number", range(COUNT))
def test_often(number):
    assert runs("often") > LEAST
"""
# Fails once.
TAP = """#!/bin/sh
cd "$(dirname "$0")"
echo 1..2
echo ok 1 - test_good
if [ -e was ]; then
	echo ok 2 - test_bad
else
	>was
	printf 'not ok 2 - test_bad\\n# why it failed\\n'
	exit 1
fi
"""
# Does not end before it has run TIMES.
SLOW = """#!/bin/sh
cd "$(dirname "$0")"
echo 1..1
echo ok 1 - test_good
echo x >>had
[ $(wc -l <had) -ge TIMES ] || exec sleep 30
"""


@pytest.fixture
def tried(tmp_path):
    """Runs a suite as contrib/setup does, and what failed again."""
    if not shutil.which("meson") or not shutil.which("ninja"):
        pytest.skip("meson or ninja is not installed")
    if not pathlib.Path("/usr/bin/python3").exists():
        pytest.skip("/usr/bin/python3 is not there")
    rows = tmp_path / "rows"
    env = {**os.environ, "TWOWAY_AGAIN": str(rows), "PYTHONPATH": ""}

    def call(*command):
        return subprocess.run(command, cwd=tmp_path, env=env, text=True,
                              capture_output=True, check=False)

    def try_it(suite, count=1, least=0, times=2):
        (tmp_path / "words").mkdir()
        (tmp_path / "words/test_words.py").write_text(
            WORDS.replace("COUNT", str(count)).replace("LEAST", str(least)))
        shutil.copy(TESTS / "conftest.py", tmp_path / "words")
        (tmp_path / "meson.build").write_text(BUILD)
        for name, text in ("tap", TAP), ("slow", SLOW.replace(
                "TIMES", str(times))):
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o755)
        assert call("meson", "setup", "build").returncode == 0
        done = call("meson", "test", "-C", "build", "--suite", suite,
                    "--logbase", suite)
        counted = call(sys.executable, TESTS / "tools/count.py",
                       f"build {suite}", f"build/meson-logs/{suite}.json",
                       str(done.returncode)).stdout.split()
        if not rows.exists():
            rows.touch()
        again = call(sys.executable, TESTS / "tools/again.py", rows)
        assert again.returncode == 0, again.stderr
        return counted, int(again.stdout), again.stderr
    return try_it


def test_python(tried, tmp_path):
    counted, passed, told = tried("words")
    assert counted == ["2", "3", "0"]
    assert passed == 2
    assert told.splitlines() == [
        f"UNSTEADY build words words words.test_words.test_first_time[{word}]:"
        " passed when tried again, had failed: AssertionError: one"
        for word in ("a/b", "c::d e")]
    # All that failed ran again, but nothing else.
    assert {path.name: len(path.read_text())
            for path in (tmp_path / "words").iterdir()
            if path.suffix != ".py" and path.is_file()} == {
                "first-a": 2, "first-c": 2, "never": 2, "passes": 1,
                "often": 1}


def test_program(tried):
    counted, passed, told = tried("unit")
    assert counted == ["1", "1", "0"]
    assert passed == 1
    assert told == ("UNSTEADY build unit tap test_bad: passed when tried "
                    "again, had failed: why it failed\n")


def test_hangs(tried):
    counted, passed, told = tried("slow", times=3)
    assert counted == ["1", "1", "0"]
    assert passed == 0 and told == ""


def test_time_limit(tried):
    counted, passed, told = tried("slow")
    assert counted == ["1", "1", "0"]
    assert passed == 1
    assert told == ("UNSTEADY build slow slow: passed when tried again, had "
                    "failed: TIMEOUT, exit status -15\n")


def test_many(tried, tmp_path):
    counted, passed, told = tried("words", count=10, least=10)
    assert counted == ["1", "13", "0"]
    assert passed == 0
    assert told == "more than 12 tests failed: none is tried again\n"
    assert len((tmp_path / "words/never").read_text()) == 1
