# SPDX-License-Identifier: GPL-2.0-or-later
"""The cause of injected delays, on both kernels: right in each case.

One boot a kernel, with one virtual CPU; client, server and all that disturbs
them share it.
"""

import json
import os
import pathlib
import struct

import pytest

import causes
import guests

pytestmark = pytest.mark.long
STAMPS = 8 * 16         # bytes that the shim writes
ROUNDS = int(os.environ.get("TWOWAY_ROUNDS", 1))
# Priority of the client and of the spinner, whose moment lies anywhere in a
# cycle, and the reason.
SPINNERS = [
    *((60, 99, 2500000 + at_us, ", which outranks it")
      for at_us in (0, 500, 1000, 1500, 2000, 2500, 3000, 3500)),
    (3, 50, 2500000, ", which outranks it"),
    (60, 60, 2500000, ", at the same priority")]
RUN = f"""twowaytest -q -m --warmup={causes.WARMUP} -b total:{causes.BREAK_US} \
--trace --trace-file=$n.trace --json=$n.json -D 8 -a"""


def cases():
    for number in range(ROUNDS):
        for how in ("running", "asleep"):
            for i, row in enumerate(causes.FAULTS):
                # On one CPU, who spins there keeps the server from reading.
                if how == "running" and row[0] in (
                        "client:send:after", "client:recv:before"):
                    continue
                yield f"{how}-{i}-{number}", (*row, how)
        for i, row in enumerate(SPINNERS):
            yield f"spinner-{i}-{number}", row


def command(name, row):
    if name.startswith("spinner"):
        priority, spinner, at_us, _ = row
        return f"""n={name}
spinner 0 {spinner} {at_us + 7 * int(name.split("-")[2])} {causes.DELAY_US} \
1000000000 1 >$n.had &
echo $! >$n.pid
{RUN} -p {priority} -i 4000 >$n.text
kill $!
wait $!
"""
    fault, _, how = row
    return f"""n={name}
: >$n.stamps
TW_DELAY={causes.fault(fault, how)} TW_DELAY_STAMPS=/out/$n.stamps \
LD_PRELOAD=/bin/delay.so {RUN} -p 98 -i {causes.PERIOD_US} >$n.text
"""


def found(name):
    path = pathlib.Path(os.environ.get(name, ""))
    if not path.is_file():
        pytest.skip(f"{name} names no file")
    return path


@pytest.fixture(scope="module")
def boots(tmp_path_factory):
    added = tmp_path_factory.mktemp("added")
    (added / "delay.so").symlink_to(found("TWOWAY_DELAY_SO"))
    (added / "spinner").symlink_to(found("TWOWAY_SPINNER"))
    (added / "cases").write_text("#!/bin/sh\n" + "".join(
        command(name, row) for name, row in cases()), encoding="ascii")
    (added / "cases").chmod(0o755)
    # A static program would not preload the delay.
    output = guests.run("cause", *guests.kernels(),
                        f"--binary={found('TWOWAYTEST')}",
                        *(f"--add={path}" for path in sorted(added.iterdir())),
                        "--jobs=2", "--settle=0", "--timeout=480", "--",
                        "cases")
    return {name: guests.Boot(output / name) for name in guests.KERNELS}


@pytest.mark.parametrize("kernel", guests.KERNELS)
@pytest.mark.parametrize("name,row", cases(), ids=lambda value:
                         value if isinstance(value, str) else "")
def test_cause(boots, kernel, name, row):
    boot = boots[kernel]
    print(boot.text(f"{name}.text"))
    broken = causes.Broken(json.loads(boot.text(f"{name}.json")),
                           boot.text(f"{name}.text"),
                           boot.text(f"{name}.trace"))
    if name.startswith("spinner"):
        had = [tuple(map(int, line.split()))
               for line in boot.text(f"{name}.had").splitlines()
               if line[0].isdigit()]
        phase, took = broken.phase_of(had)
        broken.assert_consistent(phase)
        broken.assert_spinner(boot.text(f"{name}.pid").split()[-1], took,
                              phase, row[3])
        return
    fault, phase, how = row
    # What looks like text gets a first line that says where it was made.
    data = (boot.path / f"{name}.stamps").read_bytes()[-STAMPS:]
    injected = [struct.unpack_from("=2q", data)]
    # Nothing else happens in a guest: each case is fit.
    assert broken.found["cycle"] == causes.CYCLE
    assert broken.fits(injected, phase)
    broken.assert_consistent(phase)
    broken.assert_fault(fault, how, phase, injected)
