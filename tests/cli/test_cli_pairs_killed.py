# SPDX-License-Identifier: GPL-2.0-or-later
"""Any side of several pairs is killed: how the run ends."""

import os
import random
import signal

import pytest

import schema
import sides

BASE = ("--default-system", "-q")
KILLED = [*((("--transport", kind), 4) for kind in ("tcp", "udp", "unix")),
          *((("--servers=one", "--transport", kind, "--order", order), 1)
            for kind, order in (("tcp", "priority"), ("tcp", "arrival"),
                                ("unix", "arrival"), ("unix", "fixed")))]


@pytest.mark.parametrize("args, servers", KILLED, ids=str)
@pytest.mark.parametrize("turn", range(8))
def test_any_killed_side_ends_the_run(start, tmp_path, args, servers, turn):
    """Named, with the results so far; nothing of it is left."""
    process = start(*BASE, "-t4", "-d0", "-i2000", "--json=json", *args)
    clients, served = sides.measuring(process, 4, servers)
    # By chance alone, an only server would hardly ever be the victim.
    victims = served if not turn % 4 else clients + served
    victim = random.Random(f"{args}{turn}").choice(victims)
    os.kill(victim, signal.SIGKILL)
    assert process.finish() == 1, process.err
    name = f"client of pair {clients.index(victim)}" if victim in clients \
        else f"server of pair {served.index(victim)}" if servers > 1 \
        else "server"
    assert process.err == (f"twowaytest: the {name} (pid {victim}) was killed "
                           "by signal 9 (Killed)\n")
    assert process.gone()
    json = schema.check((tmp_path / "json").read_text())
    assert json["return_code"] == 1
    assert all(pair["cycles"] for pair in json["twoway"]["pairs"])
