# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest's LAVA test, run as test-definitions lays it out."""

import os
import shutil
import subprocess

import pytest

import outside
import primitives
from test_cli_lava import LAVA, Tree, assert_parameters, sent

VERDICT = "primitivetest"
FAILED = {VERDICT: ("fail", None, None)}
PLAIN = ("-p", "", "-s", "true", "-t", "sync1.mutex,sync2.futex", "-l", "50")
# The columns: one of the first row, three of the second.
NAMES = [f"t{number}-{key}-latency"
         for number in range(4) for key in ("min", "avg", "max")]


@pytest.fixture
def tree(tmp_path):
    made = Tree(tmp_path)
    for name in ("primitivetest.sh", "primitivetest.yaml",
                 "twowaytest-lib.sh"):
        shutil.copy(LAVA / name, made.here)
    os.symlink(primitives.binary(), made.bin / "primitivetest")
    return made


def script(tree, *args):
    return tree.run(["./primitivetest.sh", *PLAIN, *args], tree.here)


def measured(tree):
    return outside.load_json(tree.here / "output" / "primitivetest.json")


def test_a_measurement(tree):
    process = script(tree)
    found = tree.result()
    assert list(found) == [*NAMES, VERDICT]
    assert found.pop(VERDICT) == ("pass", None, None)
    # LAVA reads us, as the JSON has them.
    for number, thread in measured(tree)["thread"].items():
        for key in ("min", "avg", "max"):
            assert found[f"t{number}-{key}-latency"] == (
                "pass", str(thread[key]), "us")
    assert (tree.here / "output/result.txt").read_text() in process.out


def test_arguments(tree):
    cpu = str(max(os.sched_getaffinity(0)))
    script(tree, "-a", cpu, "-L", "fft:2", "-l", "7", "-t", "sync2.sysv",
           "-A", "--tasks=thread --warmup=1")
    ours = measured(tree)["primitives"]
    test, = ours["tests"]
    assert test["name"] == "sync2.sysv.thread.same"
    assert (test["trials"], test["warmup"]) == (7, 1)
    assert {task["cpus"] for task in test["processes"]} == {cpu}
    load, = ours["load"]
    assert (load["kind"], load["units"]) == ("fft", 2)


def test_priority(tree):
    process = script(tree, "-p", "50")
    if os.geteuid():
        assert "needs root" in process.err
        assert tree.result() == FAILED
        return
    task = measured(tree)["primitives"]["tests"][0]["processes"][0]
    assert (task["policy"], task["priority"]) == ("fifo", 50)


def test_what_cannot_start_fails(tree):
    process = script(tree, "-t", "nothing")
    assert tree.result() == FAILED
    assert "--test=nothing" in process.err


def test_a_limit_fails(tree):
    script(tree, "-A", "--limit=sync2.out:0")
    found = tree.result()
    assert list(found) == [*NAMES, VERDICT]
    assert found[VERDICT] == ("fail", None, None)


@pytest.mark.parametrize("words", [("-x",), ("-p",), ("word",), ("-i", "9"),
                                   ("-D", "1"), ("-w", "true")])
def test_usage(tree, words):
    done = subprocess.run(["./primitivetest.sh", *words], cwd=tree.here,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("Usage: ")
    assert not (tree.here / "output").exists()


@pytest.fixture
def definition():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((LAVA / "primitivetest.yaml").read_text())


def test_definition_has_what_lava_wants(definition):
    yaml = pytest.importorskip("yaml")
    other = yaml.safe_load((LAVA / "twowaytest.yaml").read_text())
    for name, value in other["metadata"].items():
        assert definition["metadata"][name]
        if name not in ("name", "description"):
            assert definition["metadata"][name] == value


def test_defaults_are_the_same(definition):
    """In the definition and in the scripts; the README names them all."""
    assert_parameters(definition, "primitivetest.sh")
    readme = (LAVA / "README.md").read_text()
    assert all(name in readme for name in definition["params"])


@pytest.mark.parametrize("given, verdict", [
    ({}, "pass"), ({"TESTS": "nothing"}, "fail")])
def test_definition_runs(tree, definition, given, verdict):
    found = sent(tree, definition, LOOPS="9",
                 **{"TESTS": "sync1.mutex", **given})
    assert found[VERDICT][0] == verdict
    assert len(found) == (4 if verdict == "pass" else 1)
