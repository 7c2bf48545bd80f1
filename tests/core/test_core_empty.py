# SPDX-License-Identifier: GPL-2.0-or-later
"""Pairs without a measured cycle: in a step of a ramp, or if held."""

import re

import pytest

import results

UDP = ("-q", "--transport=udp", "--timeout=2000", "-i", 5000, "-d0", "-l", 30,
       "--steps=3", "--limit=9000000", "--json=json")
EMPTY = "| +- "
FULL = r"| +\d+ +\d+ +\d+ +\d+\.\d "
LOST = ("WARN: pair {}: all {} cycles were lost, and no reply came late: the "
        "other side is not there, does not answer, or something drops the "
        "datagrams\n")
WARNS = "WARN: step {}, pair {}: no cycle was measured\n"


def rows(text):
    return [line for line in text.splitlines()
            if re.match(r"# +\d \|", line)]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_step_of_a_load(run, shim, number):
    """It has no values, and hides no other step."""
    done = run(*UDP, "--load=fft", env=shim(f"server{number}:send:drop:*:0"))
    assert (done.returncode, done.stderr) == (
        1, LOST.format(0, 30) * (number == 0) + WARNS.format(number + 1, 0))
    json = results.loaded(done)["twoway"]
    assert [(step["units"], step["phases"]["send"]["cycles"] == 0)
            for step in json["steps"]] == [
        (step, step == number) for step in range(3)]
    assert [limit["verdict"] for limit in json["limits"]] == ["undecided"]
    assert json["unanswered"] == []
    table = rows(done.stdout)
    assert len(table) == 3
    for step, row in enumerate(table):
        cells = (EMPTY if step == number else FULL) * 2
        assert re.fullmatch(
            rf"# +{step} {cells.replace('|', chr(92) + '|')}\| +\d+\.\d", row)


@pytest.mark.parametrize("pair", [0, 1])
def test_step_of_pairs(run, shim, pair):
    done = run(*UDP, "--ramp=pairs",
               env=shim(f"server{1 + pair}:send:drop:*:0"))
    assert (done.returncode, done.stderr) == (
        1, LOST.format(1, 30) * pair + WARNS.format(2, pair))
    json = results.loaded(done)["twoway"]
    assert [[of["phases"]["send"]["cycles"] == 0 for of in step["pairs"]]
            for step in json["steps"]] == [
        [False], [pair == 0, pair == 1], [False] * 3]
    assert [limit["verdict"] for limit in json["limits"]] == ["undecided"]
    cells = [[True, False], [pair == 1, pair == 0], [True, True]]
    for step, row in enumerate(rows(done.stdout)):
        shown = "".join(FULL if full else EMPTY for full in cells[step])
        assert re.fullmatch(
            rf"# +{step} {shown.replace('|', chr(92) + '|')}\| +\d+", row)
    assert step == 2


def test_no_step_has_a_cycle(run, shim):
    done = run(*UDP, "--ramp=pairs", "--warmup=0",
               env=shim("server:send:drop:*:0"))
    assert done.returncode == 1 and "T:" not in done.stdout
    pairs = [range(step + 1) for step in range(3)]
    assert done.stderr == "".join(
        "".join(LOST.format(pair, 30 * (step + 1 - pair)) for pair in some) +
        "".join(WARNS.format(step + 1, pair) for pair in some)
        for step, some in enumerate(pairs))


@pytest.mark.parametrize("options,late", [
    ((), "client"), (("-t2", "-d0"), "client1"),
    (("-A", 1000, "-t2", "-d0"), "client1")])
def test_held_before_its_first_expiry(run, shim, options, late):
    """-D ends that, too."""
    done = run("-q", "-D", 1, *options,
               env=shim(f"{late}:clock_nanosleep:before:0:20000000"))
    assert done.returncode == 1
    assert re.fullmatch(
        r"WARN: the client \(pid \d+\) did not end within 1 s and is "
        "killed\n" +
        "WARN: no cycle was measured\n" * (late == "client"), done.stderr)
