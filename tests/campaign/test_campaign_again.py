# SPDX-License-Identifier: GPL-2.0-or-later
"""A campaign that is asked for once more: it is the same, or refused."""

import os
import re

import pytest

from test_campaign_runs import SHORT, SINGLE, kept

CHANGES = (
    (("-D", "2"), "duration_s: 1 there, 2 here"),
    (("-l", "none,fft"), "loads: none there, none,fft here"),
    (("-P", "one"), "placements: plan there, one here"),
    (("-t", "cyclictest"), "tools: twowaytest there, cyclictest here"),
    (("-i", "2000"), "interval: 1000 there, 2000 here"),
    (("-w", "999"),
     f"workers: {len(os.sched_getaffinity(0))} there, 999 here"),
    (("-c", "echo"), "wait there, echo here"),
    (("-p", "97"), "priority: 98 there, 97 here"),
    (("-x", "total:9"), "limit: none there, total:9 here"))


def test_again(campaign, tmp_path):
    """What is finished is not measured again, nor is another plan begun."""
    campaign(*SINGLE)
    before = kept(tmp_path / "out")
    again = campaign(*SINGLE)
    assert again.stdout.startswith(
        "out: finished already; nothing is measured again: for that, name "
        "another directory with --output\n")
    assert "[ 1/1]" not in again.stdout
    for change, said in CHANGES:
        result = campaign(*SINGLE, *change, status=1)
        assert said in result.stderr
        assert "--output" in result.stderr
    assert kept(tmp_path / "out") == before and len(before) == 1


@pytest.mark.parametrize("tools", ("cyclictest,twowaytest", "cyclictest"))
def test_another_build(campaign, stubs, tools):
    """Of the same version: its results would be mixed with the old ones.

    twowaytest runs the load, too.
    """
    arguments = (*SHORT, "-l", "hackbench", "-t", tools)
    campaign(*arguments)
    for name in "twowaytest", "cyclictest", "hackbench":
        built = (stubs / name).read_text(encoding="ascii")
        (stubs / name).write_text(built + "# built again\n", encoding="ascii")
        err = campaign(*arguments, status=1).stderr
        (stubs / name).write_text(built, encoding="ascii")
        assert re.findall(r"(\w+) sha256: \w{64} there, \w{64} here",
                          err) == [name]
