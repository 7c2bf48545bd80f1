# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/tools/workers.py: several processes run a suite, one tells of it."""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"
# Each waits for the other: in one process, neither would pass.
MEET = """
import os, pathlib, time
import pytest

HERE = pathlib.Path(__file__)

@pytest.fixture(scope="module")
def once():
    with open(HERE.with_suffix(".once"), "a") as file:
        file.write("x")
    return os.getpid()

def test_meets_the_other(once):
    HERE.with_suffix(".here").write_text("")
    begin = time.monotonic()
    while len(list(HERE.parent.glob("*.here"))) < 2:
        assert time.monotonic() < begin + 60
        time.sleep(0.01)

def test_file_stays_together(once, tmp_path):
    assert once == os.getpid()
    (tmp_path / "file").write_text("")
    assert HERE.with_suffix(".once").read_text() == "x"
"""
OUTCOMES = """
import pytest

def test_fails():
    print("this is said")
    assert 1 == 2

def test_skips():
    pytest.skip("no reason")

@pytest.fixture
def broken():
    raise ValueError("in setup")

def test_error(broken):
    pass
"""
DIES = "import os\n\ndef test_dies():\n    os.kill(os.getpid(), 9)\n"
QUITS = "import pytest\n\ndef test_quits():\n    pytest.exit('enough')\n"
ALONE = """
import multiprocessing, os, pathlib
import pytest

pytestmark = pytest.mark.alone

def test_alone():
    assert not multiprocessing.parent_process()
    others = pathlib.Path(f"/proc/self/task/{os.getpid()}/children")
    assert not others.read_text()
    assert len(list(pathlib.Path(__file__).parent.glob("*.here"))) == 2
"""
SAYS = """
import pathlib, time

HERE = pathlib.Path(__file__)

def meet(number):
    HERE.with_suffix(f".{number}").write_text("")
    begin = time.monotonic()
    while len(list(HERE.parent.glob(f"*.{number}"))) < 2:
        assert time.monotonic() < begin + 60
        time.sleep(0.01)

def test_says():
    meet(1)
    print("begin", HERE.name)
    meet(2)
    print("end", HERE.name)
    meet(3)
    assert False
"""
MARKS = """
import pathlib, time

def test_marks():
    pathlib.Path(__file__).with_suffix(".mark").write_text("")
    time.sleep(0.3)
"""
ONCE = """
import pathlib

def test_once():
    file = pathlib.Path(__file__).with_suffix(".runs")
    runs = len(file.read_text()) if file.exists() else 0
    file.write_text((runs + 1) * "x")
    assert runs, "the first run"
"""
PASSES = "def test_passes():\n    pass\n"
WRONG = "import no_such_module\n"


@pytest.fixture
def temporary(tmp_path_factory):
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture
def run(tmp_path, temporary):
    def run_there(*args, later="", again="", **files):
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text, encoding="ascii")
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-ra", "-p", "workers",
             "-p", "no:cacheprovider", f"--rootdir={tmp_path}",
             f"--junitxml={tmp_path}/xml", *args, str(tmp_path)],
            capture_output=True, text=True, check=False, timeout=120,
            env={**os.environ, "PYTHONPATH": str(TOOLS),
                 "PYTEST_DEBUG_TEMPROOT": str(temporary),
                 "TWOWAY_LATER": str(later), "TWOWAY_AGAIN": str(again)})
    return run_there


def last(done):
    return re.sub(r" in .*", "", done.stdout.splitlines()[-1])


def test_two_files_at_a_time(run, temporary):
    done = run("--workers=2", one=MEET, two=MEET)
    assert (done.returncode, last(done)) == (0, "4 passed"), done.stdout
    # One directory of them all, which a later pytest will remove.
    assert len(list(temporary.glob("*/pytest-[0-9]*"))) == 1


def test_each_has_its_own_output(run):
    done = run("--workers=2", one=SAYS, two=SAYS)
    for name in ("test_one.py", "test_two.py"):
        assert f"call -\nbegin {name}\nend {name}\n" in re.sub(
            "-+", "-", done.stdout), done.stdout


def test_alone_after_the_others(run):
    done = run("--workers=2", a=ALONE, b=ALONE, one=MEET, two=MEET)
    assert (done.returncode, last(done)) == (0, "6 passed"), done.stdout
    assert "warning" not in done.stdout


def test_what_fails_alone_is_told(run):
    done = run("--workers=2", a=ALONE, b=PASSES, c=PASSES)
    assert (done.returncode, last(done)) == (1, "1 failed, 2 passed")


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_all_is_told(run, tmp_path, workers):
    """The summary, the reasons, the output, the file of results."""
    done = run(f"--workers={workers}", a=OUTCOMES, b=PASSES, c=PASSES)
    assert done.returncode == 1
    assert last(done) == "1 failed, 2 passed, 1 skipped, 1 error"
    for words in ("this is said", "assert 1 == 2", "ValueError: in setup"):
        assert done.stdout.count(f" {words}") + \
            done.stdout.count(f"\n{words}\n") > 0, words
    assert re.search(r"SKIPPED \[1\] .*: no reason", done.stdout)
    results = xml.etree.ElementTree.parse(tmp_path / "xml")
    assert sorted((case.get("name"), *(child.tag for child in case
                                       if child.tag != "properties"))
                  for case in results.iter("testcase")) == [
        ("test_error", "error"), ("test_fails", "failure"), ("test_passes",),
        ("test_passes",), ("test_skips", "skipped")]


@pytest.mark.parametrize("mark", ["", "\nimport pytest\n"
                                  "pytestmark = pytest.mark.alone\n"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_is_left_for_later(run, tmp_path, workers, mark):
    """It is written down and told by nobody; what it is later counts."""
    files = {"a": ONCE + mark, "b": PASSES, "c": PASSES}
    later = tmp_path / "later"
    done = run(f"--workers={workers}", later=later, **files)
    assert (done.returncode, last(done)) == (0, "2 passed"), done.stdout
    assert later.read_text() == \
        "test_a.py::test_once\tAssertionError: the first run\n"
    results = xml.etree.ElementTree.parse(tmp_path / "xml")
    assert [case.get("name") for case in results.iter("testcase")] == [
        "test_passes", "test_passes"]
    done = run(f"--workers={workers}", again=later, **files)
    assert (done.returncode, last(done)) == (0, "1 passed"), done.stdout
    assert (tmp_path / "test_a.runs").read_text() == "xx"
    results = xml.etree.ElementTree.parse(tmp_path / "xml")
    assert [dict(one.items()) for one in results.iter("property")] == [
        {"name": "failed at first",
         "value": "AssertionError: the first run"}]


def test_without_a_file_nothing_is_left(run, tmp_path):
    done = run(a=ONCE, b=PASSES)
    assert (done.returncode, last(done)) == (1, "1 failed, 1 passed")
    assert (tmp_path / "test_a.runs").read_text() == "x"


def test_many_are_no_accident(run, tmp_path):
    files = {f"a{number}": ONCE for number in range(11)}
    done = run("--workers=2", later=tmp_path / "later", b=PASSES, **files)
    assert (done.returncode, last(done)) == (1, "11 failed, 1 passed")
    assert not (tmp_path / "later").exists()


def test_a_second_failure_is_one(run, tmp_path):
    files = {"a": OUTCOMES, "c": PASSES}
    later = tmp_path / "later"
    done = run("--workers=2", later=later, **files)
    assert (done.returncode, last(done)) == (0, "1 passed, 1 skipped")
    assert later.read_text().count("\n") == 2
    done = run(again=later, **files)
    assert (done.returncode, last(done)) == (1, "1 failed, 1 error")


def test_what_is_gone_is_an_error(run, tmp_path):
    later = tmp_path / "later"
    later.write_text("test_a.py::test_gone\twhy\n")
    done = run(again=later, a=PASSES)
    assert done.returncode not in (0, 1, 5)
    assert "later: there is no test test_a.py::test_gone" in \
        done.stdout + done.stderr


def test_first_failure_leaves_nothing(run, tmp_path):
    done = run("-x", later=tmp_path / "later", a=ONCE)
    assert done.returncode and last(done) == "1 failed"
    assert not (tmp_path / "later").exists()


@pytest.mark.parametrize("text, words", [
    (DIES, "a worker was killed"), (QUITS, "enough")])
def test_a_worker_that_ends_is_a_failure(run, text, words):
    done = run("--workers=2", a=text, b=PASSES)
    assert done.returncode not in (0, 1, 5)
    assert words in done.stdout + done.stderr


def test_first_failure_ends_it(run, tmp_path):
    done = run("--workers=2", "-x", a=OUTCOMES,
               **{f"c{number}": MARKS for number in range(9)})
    assert done.returncode and "1 failed" in last(done)
    assert len(list(tmp_path.glob("*.mark"))) < 9


def test_wrong_file_is_an_error(run):
    done = run("--workers=2", a=WRONG, b=PASSES, c=PASSES)
    assert done.returncode == 2 and "no_such_module" in done.stdout


def test_choice_of_tests(run):
    """One file is left: it needs no worker."""
    done = run("--workers=2", "-k", "skips", a=OUTCOMES, b=PASSES)
    assert (done.returncode, last(done)) == (0, "1 skipped, 3 deselected")
