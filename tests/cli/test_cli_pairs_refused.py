# SPDX-License-Identifier: GPL-2.0-or-later
"""What is refused of options for several pairs, before anything starts."""

import pytest

BASE = ("--default-system", "-q")

REFUSED = [
    (("-t0",), "--threads=0: allowed is a whole number from 1 to 256"),
    (("-t257",), "--threads=257: "), (("--threads=x",), "--threads=x: "),
    (("-S", "-a"), "-S: sets the CPU of each client and server itself"),
    (("-S", "-t2"), "-S: means a pair for each CPU"),
    (("--peer=next",), "--peer=next: only -S places"),
    (("-S", "--peer=far"), "--peer=far: allowed is one of same, next"),
    (("-t2", "-d", "-1"), "--distance=-1: "),
    (("-t2", "-i", "500,900", "-d5"), "--distance=5: contradicts a list"),
    (("-i", "500,900"), "--interval: has 2 values for 1 pair; "),
    (("-t2", "-i", "0,900"), "--interval: a closed loop, 0, and a period"),
    (("-t2", "-i", "500,90"), "--interval: 90 is too short"),
    (("-t2", "-i", ","), "--interval=,: allowed is a whole number"),
    (("-t2", "-A", "-i0"), "--aligned: with --interval=0"),
    (("-t2", "-Ax"), "--aligned=x: "),
    (("-t2", "--priospread"), "--priospread: client and server have no"),
    (("-t2", "--priospread", "-p4"), "--priospread: 2 pairs need 5 "
     "priorities, and --priority=4 leaves 4; allowed are up to 1 pair"),
    (("-t99", "--priospread", "-p98", "--servers=one"), "--priospread: 99 "
     "pairs need 101 priorities, and --priority=98 leaves 98; allowed are up "
     "to 96 pairs"),
    (("-t2", "--limit=response@2:9"), "--limit=response@2:9: there is no "
     "pair 2; the pairs are 0 to 1"),
    (("-t2", "--limit=response@:9"), "--limit=response@:9: "),
    (("-t2", "--limit=response@1-0:9"), "--limit=response@1-0:9: "),
    (("--order=fixed",), "--order=fixed: each client has its own server"),
    (("--servers=one", "--order=last"), "--order=last: allowed is one of "
     "priority, arrival, fixed"),
    (("--servers=two",), "--servers=two: allowed is one of each, one"),
    (("--server-priority=9",), "--server-priority=9: each server has"),
    (("--server-priority=1", "--servers=one"), "--server-priority=1: "),
    (("--server-priority=9", "--servers=one"), "--server-priority: client "
     "and server have no real-time priority"),
    (("--servers=one", "--wait=poll"), "--wait: with --servers=one"),
    (("--ramp=pairs",), "--ramp=pairs: there is one step only"),
    (("--ramp=pairs", "--steps=2"), "--steps=2: a step must have an end"),
    (("--ramp=pairs", "--steps=2", "-l9", "-t2"), "--threads: contradicts"),
    (("--ramp=pairs", "--steps=2", "-l9", "-S"), "-S: contradicts"),
    (("--ramp=up",), "--ramp=up: allowed is one of load, pairs"),
    (("--ramp=pairs", "--steps=257", "-l9"), "--steps=257: with"),
    (("--smi",), "--smi: SMIs are counted by CPU, and client and server may"),
    (("--smi", "-t2"), "--smi: SMIs are counted by CPU"),
    (("--orb=0",), "--orb=0: "), (("--orb=96",), "--orb=96: "),
]


@pytest.mark.parametrize("args, message", REFUSED,
                         ids=[" ".join(args) for args, _ in REFUSED])
def test_refused(run, args, message):
    done = run(*BASE, *args)
    assert done.returncode == 1 and not done.stdout and not done.files
    assert done.stderr.startswith(f"twowaytest: {message}")
    assert done.stderr.count("\n") == 1
