# SPDX-License-Identifier: GPL-2.0-or-later
"""What is still measured by the program before this one."""

import os
import subprocess

import pytest


@pytest.mark.parametrize("options", [
    ("-m", "--stamps=none"), ("--stamps", "x"),
    ("--stamps", "rx", "--version")])
def test_handed_over(run, options):
    """Its answer is that of the program before, to the last byte."""
    before = subprocess.run([os.environ["TWOWAYTEST_HOSTS"], *options],
                            text=True, capture_output=True, check=False)
    done = run(*options)
    assert (done.returncode, done.stdout, done.stderr) == \
        (before.returncode, before.stdout, before.stderr)


@pytest.mark.parametrize("option", ["--server-affinity=x", "--servers=x",
                                    "--server-priority=x"])
def test_not_handed_over(run, option):
    assert run(option).stderr.startswith(f"FATAL: {option}: allowed is ")


def test_program_before_is_missing(public):
    done = subprocess.run([public / "twowaytest", "--stamps=x"], text=True,
                          capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "--stamps=x: it needs twowaytest-hosts in the " \
        "directory of twowaytest: No such file or directory\n"
