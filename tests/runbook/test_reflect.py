# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/reflect.md: every command that it shows is run, between two network
namespaces; a late device and a late computer are told apart."""

import re
import shlex

import pytest

import device
import outside
import page

COMMANDS = page.commands(page.REFLECT)
# With a second program beside it, as long as the page has it.
TRIALS = [command.text for command in COMMANDS if command.text[-4:] == "wait"]
SLOW, BUSY, BROKEN = TRIALS
MOUNT, WIRE = (command.text for command in COMMANDS
               if re.search(" tracefs | tbf ", command.text))
TRIES = 8


@pytest.fixture
def near(desk):
    """Types it at the near end; "far" is the name of the far one."""
    if outside.why_not():
        pytest.skip(outside.why_not())
    with device.wire() as (here, there):
        def run(text):
            text = text.replace("ip netns exec far",
                                f"nsenter --net=/run/netns/{there}")
            script = f"{page.cpus()}\ndrive={device.FAR[4]}\n{text}"
            return desk.run(f"exec nsenter --net=/run/netns/{here} sh -c "
                            + shlex.quote(script))
        yield run


@pytest.mark.parametrize("text", [
    command.text for command in COMMANDS if command.text not in TRIALS])
def test_command(near, desk, text):
    done = near(page.here(text))
    assert done.process.returncode == 0, done.out + done.err
    if "twowaytest" in text:
        assert "# Reflected by 10.77.0.2: icmp\n" in done.out
    if "--json" in text:
        of = outside.load_json(desk.path("drive.json"))
        # Of a thousand: others may have the CPU for a while.
        pair, = of["twoway"]["pairs"]
        assert pair["datagrams"]["sent"] + pair["missed"] > 500


def phases(text, name):
    """Max of a phase."""
    return int(re.search(rf"^# {name} +\d+ +\d+ +(\d+)", text, re.M)[1])


def cause(done):
    found = re.search("^# Cause: (.*)", done.out, re.M)
    return found[1] if found else done.out + done.err


def test_the_device_is_late(near, desk):
    """Nothing of this computer: of some tries, as it may be late, too."""
    if not desk.trace:
        pytest.skip("no tracefs here")
    for _ in range(TRIES):
        found = cause(near(f"{MOUNT}; {WIRE}; {SLOW}"))
        if "client waiting for the network and the device" in found:
            return
    assert not found


def test_this_computer_is_late(near, desk):
    """The same wire without the limit, and a task that the page starts."""
    # An expiry comes at any time of the 20 ms that the task runs.
    assert any(phases(near(BUSY).out, "wakeup") > 10000
               for _ in range(TRIES))
    if not desk.trace:
        pytest.skip("no tracefs here")
    for _ in range(TRIES):
        found = cause(near(f"{MOUNT}; {BROKEN}"))
        # It runs from the fork of a shell on, whose name the trace has.
        if re.match(r"\w+ .*: client runnable on CPU \d+ .* while .*"
                    r"\b(sh|prlimit|yes)-\d+", found):
            return
    assert not found
