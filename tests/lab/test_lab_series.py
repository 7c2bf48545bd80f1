# SPDX-License-Identifier: GPL-2.0-or-later
"""The series' program beside the standalone one, a bare pair of loops that make
the same calls, and cyclictest; both kernels boot once.

Its server only receives, so the standalone program is told to do the same, and
floor.c with -n. All have two cycles before those that count, less than 1638 in
all (see test_lab_core.py), and a period that does not divide the kernel's tick.
"""

import shutil
import subprocess
import sys

import pytest

import guests
import lab as made
import peers

sys.path.insert(0, str(made.TOP / "tests" / "patches"))

import series  # noqa: E402

ROUNDS = ["1", "2", "3"]
SAME = [*guests.REALTIME, "-i", "1013", "-l", "1400"]
FLOOR = [guests.FLOOR, "-n", *"-c 0 -s 0 -p 98 -i 1013 -l 1400".split()]


def measured(program):
    found = {}
    for number in ROUNDS:
        found[f"series-{number}"] = [program, *SAME,
                                     f"--json=series-{number}.json"]
        found[f"tool-{number}"] = ["twowaytest", *SAME, "--wait=read",
                                   "--mainaffinity=0"]
        found[f"floor-{number}"] = FLOOR
        if shutil.which("cyclictest"):
            found[f"cyclictest-{number}"] = ["cyclictest", *SAME]
    return found


@pytest.fixture(scope="module")
def boots(tmp_path_factory):
    tree = tmp_path_factory.mktemp("series") / "tree"
    series.plant(tree)
    series.git(tree, "am", "-q", *series.TOOL)
    path = series.build(tree, "gcc",
                        "-Wno-unused-parameter -Wno-sign-compare")
    # The names of directories differ from run to run.
    subprocess.run(["strip", path], check=True)
    output = guests.run(
        "series", *guests.kernels(), f"--add={guests.floor_program()}",
        f"--add={path}", *guests.added(["cyclictest"]), "--jobs=2", "--",
        *guests.words(measured(path.name)))
    return {name: guests.Boot(output / name) for name in guests.KERNELS}


@pytest.fixture(params=guests.KERNELS)
def boot(request, boots):
    return boots[request.param]


def phase(boot, name, key):
    return boot.json(name)["thread"]["0"]["phases"][key]["avg"]


@pytest.mark.parametrize("number", ROUNDS)
def test_response(boot, number):
    """As long as in the standalone program, and as in nothing but the calls."""
    found = phase(boot, f"series-{number}", "response")
    alone = phase(boot, f"tool-{number}", "response")
    floor = float(boot.text(f"floor-{number}.txt").split()[-2])
    print(f"{found:.0f} ns: {found / alone:.4f} of the standalone program's, "
          f"{found / floor:.4f} of the floor's")
    assert found == pytest.approx(alone, rel=0.005)
    assert found <= 1.005 * floor


@pytest.mark.parametrize("number", ROUNDS)
def test_wakeup(boot, number):
    peers.need("cyclictest")
    found = phase(boot, f"series-{number}", "wakeup")
    theirs = boot.json(f"cyclictest-{number}")["thread"]["0"]["avg"]
    print(f"{found:.0f} ns: {found / theirs:.4f} of cyclictest's")
    assert found == pytest.approx(theirs, rel=0.03)
