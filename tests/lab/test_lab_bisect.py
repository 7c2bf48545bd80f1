# SPDX-License-Identifier: GPL-2.0-or-later
"""bisect-step: good, bad, cannot tell; and a bisection with it."""

import shlex
import shutil
import subprocess
import sys

import pytest

import lab as made

LIMIT = ("--", "-q", "--limit=response:100")
# A step that cannot tell is skipped; one asked wrongly ends the bisection.
SKIP = 125
WRONG = 128


def latency(lab, name, value):
    return made.image(lab.directory / name, rest=f"\nmax={value}\n")


@pytest.mark.parametrize("value, status", [(99, 0), (100, 0), (101, 1)])
def test_verdict(lab, value, status):
    out, err = lab.measure(*LIMIT, command="bisect-step", status=status,
                           kernel=latency(lab, "k", value))
    assert err == "" and f"T: 0 max {value}" in out
    assert not (lab.directory / "virtlab").exists()


def test_two_measurements(lab):
    """The worse one tells."""
    for words, status in (("--limit=send:9 -- -q", 1), ("-q --", 0)):
        lab.measure("--", *words.split(), "--limit=send:11",
                    command="bisect-step", status=status,
                    kernel=latency(lab, "k", 10))


@pytest.mark.parametrize("environment, args, said", [
    ({"LAB_GUEST": "echo panic >$console"}, (), "| panic"),
    ({"LAB_GUEST": "exec sleep 60"}, ("-t", "1"), "has not ended after 1 s"),
    ({"LAB_GUEST": "exit 1"}, (), "QEMU ended with status 1"),
    ({}, ("-b", "missing"), "missing: No such file"),
    ({}, ("-a", "missing"), "--add=missing: no such file"),
])
def test_cannot_tell(lab, environment, args, said):
    err = lab.measure(*args, *LIMIT, command="bisect-step", status=SKIP,
                      **environment)[1]
    assert said in err


def test_no_kernel(lab):
    """A commit that does not build."""
    for name in ("missing", "bin/tool"):
        err = lab.measure(*LIMIT, command="bisect-step", status=SKIP,
                          kernel=name)[1]
        assert f"{name}: " in err


@pytest.mark.parametrize("status", [1, 3, 126, 127])
def test_measurement_fails(lab, status):
    for words in (LIMIT, ("--", "-q", "--limit=send:0", *LIMIT)):
        err = lab.measure(*words, f"--exit={status}", command="bisect-step",
                          status=SKIP, kernel=latency(lab, "k", 10))[1]
        assert "a measurement failed" in err


@pytest.mark.parametrize("args, said", [
    (("-k", "vmlinuz"), "the measurement after --"),
    (LIMIT, "--kernel=FILE is needed"),
    (("-k", "vmlinuz", "--", "-q"), "no --limit"),
    (("-k", "vmlinuz", "-k", "a=vmlinuz", *LIMIT), "one --kernel=FILE"),
    (("-k", "vmlinuz", "--frob", *LIMIT), "--frob"),
    (("-k", "vmlinuz", "-o", "x", *LIMIT), "-o"),
    (("-k", "vmlinuz", "word", *LIMIT), "word"),
    (("-k", "vmlinuz", "-t", "0", *LIMIT), "1 to 86400"),
    (("-k", "vmlinuz", "-m", "fast", *LIMIT), "exact"),
    (("-k", "vmlinuz", *LIMIT, "--"), "after each --"),
    (("-k", "vmlinuz", "--", "a=x", "--limit=send:1", "--", "a=y"),
     "two measurements"),
])
def test_wrong_usage(lab, args, said):
    assert said in lab.refused("bisect-step", *args, status=WRONG)


def git(lab, *args):
    return subprocess.run(
        ["git", "-c", "user.name=made", "-c", "user.email=made@example.org",
         "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", *args],
        cwd=lab.directory / "repository", env=lab.environment, text=True,
        capture_output=True, check=True, timeout=120).stdout


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_bisection(lab):
    """Of 8 commits, one makes it slow, and one does not build."""
    (lab.directory / "repository").mkdir()
    git(lab, "init", "-q")
    image = lab.directory / "repository" / "vmlinuz"
    commits = []
    for number in range(8):
        latency(lab, image, 80 + number if number < 5 else 160)
        if number == 3:
            image.unlink()
        git(lab, "add", "-A")
        git(lab, "commit", "-q", "--allow-empty", "-m", f"commit {number}")
        commits.append(git(lab, "rev-parse", "HEAD").strip())
    git(lab, "bisect", "start", commits[7], commits[0])
    step = [sys.executable, made.PROGRAM, "bisect-step", "-k", "vmlinuz",
            "-b", lab.tool, *LIMIT]
    out = git(lab, "bisect", "run", "sh", "-c",
              shlex.join(map(str, step)))
    assert f"{commits[5]} is the first bad commit" in out
    assert len(lab.pids()) >= 2


def test_own_fault(lab):
    """An exception is no verdict."""
    (lab.directory / "sitecustomize.py").write_text(
        "import json\njson.dumps = None\n")
    process = lab.start("bisect-step", "-k", lab.kernel, "-b", lab.tool,
                        *LIMIT, PYTHONPATH=str(lab.directory))
    err = process.communicate(timeout=60)[1]
    assert process.returncode == SKIP
    assert "Traceback" in err
