# SPDX-License-Identifier: GPL-2.0-or-later
"""--oneway=sync: the clocks of two hosts agree, or do not."""

import pytest

import results
import schema
from hosts import FAKE, QUICK, fake, rsh

ONEWAY = ("--oneway=sync", "--clock=realtime")


def test_oneway(run, amiss):
    """Both sides have one clock here, so every window proves it."""
    env = {**amiss, "TW_AMISS": "sync"}
    done = run("--connect=127.0.0.1", rsh(), *QUICK, "-l", 200, *ONEWAY,
               "--limit=send:1000000", "--json=json", "--dump=dump", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    of = done.json()
    schema.validator(results.SCHEMA).validate(of)
    cycles = done.dump()
    sends = [c.t1_ns - c.t0_ns for c in cycles]
    receives = [c.t3_ns - c.t2_ns for c in cycles]
    assert of["thread"]["0"]["phases"]["send"]["min"] == min(sends) // 1000
    assert of["thread"]["0"]["phases"]["receive"]["max"] == \
        max(receives) // 1000
    bounds = [max(min(of[first:first + 64]) for of in (sends, receives))
              for first in (0, 64, 128)]
    assert of["twoway"]["oneway"] == {
        "cycles": 192, "proven": 192, "uncertainty_ns": max(bounds)}
    assert "# One-way: 192 of 192 cycles are proven, within +-" in done.stdout
    assert "# send " in done.stdout and "# network " not in done.stdout


@pytest.mark.parametrize("ahead_ns", [-10 ** 9, 10 ** 9, 10 ** 17])
def test_oneway_is_disproven(run, amiss, ahead_ns):
    """A clock that is said to be synchronised, and is not."""
    text = FAKE.replace(
        "begin, begin + slept", "begin, begin").replace(
        "    one.send", "    import time\n    begin = time.time_ns() + "
        f"{ahead_ns}\n    one.send")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 128, "--sleep=0", *ONEWAY, "--limit=send:1000000",
               env={**amiss, "TW_AMISS": "sync"})
    assert (done.returncode, done.stderr) == (2, "")
    assert "# One-way: 0 of 128 cycles are proven" in done.stdout
    assert "# Limit send:1000000: undecided" in done.stdout


@pytest.mark.parametrize("right, status", [(64, 2), (128, 0)])
def test_oneway_is_proven_in_part(run, amiss, right, status):
    """Limits need half of the cycles."""
    text = FAKE.replace(
        "begin, begin + slept", "begin, begin").replace(
        "    one.send", "    import time\n    begin = time.time_ns() + "
        f"10 ** 8 * (number > {right})\n    one.send")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 192, "--warmup=0", "--sleep=0", *ONEWAY,
               "--limit=send:5000000", env={**amiss, "TW_AMISS": "sync"})
    assert (done.returncode, done.stderr) == (status, "")
    assert f"# One-way: {right} of 192 cycles are proven" in done.stdout


@pytest.mark.parametrize("here", [True, False])
def test_oneway_refused(run, amiss, here):
    """Either kernel may say that its clock is not synchronised."""
    words = [f"LD_PRELOAD={amiss['LD_PRELOAD']}",
             f"TW_AMISS={'sync' if here else 'unsync'}"]
    done = run("--connect=127.0.0.1", rsh(*words), *QUICK, "-l", 5, *ONEWAY,
               env={**amiss, "TW_AMISS": "unsync" if here else "sync"})
    assert done.returncode == 1
    assert ("" if here else "127.0.0.1: ") + "FATAL: --oneway=sync: the " \
        "kernel says that its clock is not synchronised" in done.stderr


@pytest.mark.parametrize("args, named", [
    (("--oneway=sync", "-c", "1"), "--oneway=sync: allowed only with --conn"),
    (("--oneway=sync", "--connect=x"), "allowed only with --clock=realtime"),
    (("--oneway=bound",), "--oneway=bound: allowed is off, sync"),
])
def test_oneway_options(run, args, named):
    done = run(*args)
    assert (done.returncode, named in done.stderr) == (1, True), done.stderr
