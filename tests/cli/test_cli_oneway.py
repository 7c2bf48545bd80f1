# SPDX-License-Identifier: GPL-2.0-or-later
"""One-way times between two hosts: what is refused on one."""

import pytest

BASE = ("--default-system", "-q")

REFUSED = [
    (("--oneway=sync",), "--oneway=sync: client and server have one clock, "
     "so send and receive are one-way times anyway; leave it out"),
    (("--oneway=bound", "-c", "tai"), "--oneway=bound: client and server "
     "have one clock"),
    (("--oneway", "half"), "--oneway=half: allowed is one of off, sync, "
     "bound"),
    (("--sync-limit=9",), "--sync-limit=9: nothing is proven about a common "
     "time with --oneway=off; give --oneway=sync too"),
    (("--oneway=bound", "--sync-limit", "9"), "--sync-limit=9: nothing is "
     "proven about a common time with --oneway=bound"),
    (("--oneway=sync", "--sync-limit=0"), "--sync-limit=0: allowed is a "
     "whole number from 1 to 1000000000"),
]


@pytest.mark.parametrize("args, message", REFUSED,
                         ids=[" ".join(args) for args, _ in REFUSED])
def test_refused(run, args, message):
    done = run(*BASE, *args)
    assert done.returncode == 1 and not done.stdout and not done.files
    assert done.stderr.startswith(f"twowaytest: {message}")
    assert done.stderr.count("\n") == 1


def test_off_is_as_before(run):
    done = run(*BASE, "-l", "300", "--oneway=off", "--json=json")
    assert done.returncode == 0 and "One-way" not in done.stdout
    json = done.json()
    assert json["twoway"]["oneway"] is None
    assert json["thread"]["1"]["metric"] == "send"
    assert json["thread"]["1"]["cycles"] == 300
