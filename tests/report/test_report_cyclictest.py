# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines of cyclictest: what they set, and that the gate looks."""

import made
import pytest


@pytest.mark.parametrize("text, expected", [
    ("cyclictest", {}),
    ("cyclictest -p 98", {"priority": "98"}),
    ("cyclictest -p98 -qm", {"priority": "98", "mlockall": "yes"}),
    ("cyclictest -mqp 98", {"priority": "98", "mlockall": "yes"}),
    ("cyclictest --priority=98", {"priority": "98"}),
    ("cyclictest --priority 98 -m", {"priority": "98", "mlockall": "yes"}),
    ("cyclictest -t -a", {"threads": "yes", "affinity": "yes"}),
    ("cyclictest -t 4 -a 0-3", {"threads": "4", "affinity": "0-3"}),
    ("cyclictest -t4 -a0-3", {"threads": "4", "affinity": "0-3"}),
    ("cyclictest --smp -i 1000 -h 400",
     {"smp": "yes", "interval": "1000", "histogram": "400"}),
    ("cyclictest -D 1m -l 5 -q --json=x -v -N", {}),
    ("cyclictest --json x y", {}),
    ("cyclictest --new=3 -Z", {"new": "3", "Z": "yes"}),
    ("cyclictest -p", {"priority": "yes"}), ("", {})])
def test_settings(text, expected):
    from twoway.read import cyclictest
    usual = cyclictest.settings("cyclictest")
    found = cyclictest.settings(text)
    assert set(usual) <= set(found)
    changed = {key.removeprefix("option --"): value
               for key, value in found.items() if value != usual.get(key)}
    if "histogram_us" in changed:
        changed["histogram"] = changed.pop("histogram_us")
    assert changed == expected


def write(report, name, text):
    data = made.cyclictest(made.values(made.cycles(4000))["wakeup"])
    made.write(report.directory, name, data | {"cmdline:": text})


def test_gate_refuses_other_options(report, refused):
    write(report, "a.json", "cyclictest -q -p 98 -i 1000 -D 60 --json=a.json")
    write(report, "b.json", "cyclictest -q -i 5000 -D 60 --json=b.json")
    write(report, "c.json", "cyclictest -p98 --interval=1000 -h 100 -l 9")
    args = "-g", "-m", "wakeup", "-p", "50", "-d", "50"
    message = refused(*args, "a.json", "b.json")
    assert "option --priority 98 / default" in message
    assert "option --interval 1000 / 5000" in message
    # The same options; but without blocks, nothing is sure.
    report(*args, "a.json", "c.json", status=3)
    assert "histogram_us" in report("-t", "-", "a.json", "c.json").stdout
