# SPDX-License-Identifier: GPL-2.0-or-later
"""functions: in which functions of the kernel a cycle spent its time."""

import asyncio
import json
import pathlib
import sys

import pytest

import guests
import lab as made
import vl_functions
import vl_kernel
import vl_log
from vl_functions import GUEST

QEMU = pathlib.Path(__file__).with_name("made_qemu.py")
LOG = {"LAB_GUEST": f'exec {sys.executable} {QEMU} "$@"'}
MEASURE = ("--", "-q", "-D", "3")


def log(cycles=300, steps="singlestep", status=0):
    return {**LOG, "LAB_LOG": json.dumps([cycles, steps, status])}


def table(out, title):
    """{first cells: the others} of a table."""
    lines = out.split(f"{title}\n", 1)[1].split("\n\n")[0].splitlines()[1:]
    return [line.split("  ") for line in lines]


@pytest.mark.parametrize("steps", ["singlestep", "one-insn-per-tb"])
def test_two_kernels(lab, steps):
    """Text and JSON, exact; by the command that this QEMU knows."""
    out, _ = lab("functions", "-k", f"a={lab.kernel}", "-k",
                 f"b={lab.kernel}", "-b", lab.tool, "--cycles=14",
                 "--json=found.json", *MEASURE, **log(steps=steps))
    assert "# a\nphases\n" in out and "# b\nphases\n" in out
    assert "differences, a to b\n" in out
    assert "Averages of 14 cycles" in out
    found = json.loads((lab.directory / "found.json").read_text())
    assert found["command"][:3] == ["twowaytest", "-q", "-D"]
    assert found["instruction_ns"] == 8
    assert found["kernels"]["a"] == found["kernels"]["b"]
    kernel = found["kernels"]["a"]
    assert kernel["cycles"] == 14 and kernel["longest"] is None
    assert kernel["measured_ns"] == {"send": 1920, "receive": 2720,
                                     "latency": 1}
    send = kernel["average"]["send"]["functions"]["tcp_sendmsg"]
    # Two of fourteen take 40 longer.
    assert send == {"calls": 1, "instructions": pytest.approx(
        100 + 80 / 14, abs=0.001)}
    assert kernel["average"]["receive"]["functions"]["tcp_sendmsg"] == \
        {"calls": 1, "instructions": 200}
    assert sum(one["instructions"] for one in kernel["average"]["send"][
        "functions"].values()) == pytest.approx(
            kernel["average"]["send"]["instructions"], abs=0.01)


def test_worst(lab):
    """The longest cycle, and how it differs from the average."""
    out, _ = lab("functions", "-k", lab.kernel, "-b", lab.tool, "-c", "14",
                 "-w", "-J", "found.json", *MEASURE, **log())
    assert "The longest of 14 cycles" in out
    first = table(out, "differences, average to longest")[0]
    assert first[0] == "send" and first[-1].strip() == "+0.274"
    kernel, = json.loads((lab.directory / "found.json").read_text())[
        "kernels"].values()
    assert kernel["longest"]["send"]["functions"]["tcp_sendmsg"][
        "instructions"] == 140


def test_one_kernel(lab):
    """Nothing to compare, and nothing is left."""
    out, _ = lab("functions", "-k", lab.kernel, "-b", lab.tool, "--worst",
                 *MEASURE, **log())
    assert "differences, average" in out and " to b" not in out
    assert "of 20 cycles" in out
    assert not (lab.directory / "virtlab").exists()


def test_too_short(lab):
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool, "-J",
              "x.json", *MEASURE, status=1, **log(185))[1]
    assert "one: the log has " in err and ", not 20: " in err
    assert "give -D or -l" in err
    assert not (lab.directory / "x.json").exists()


def test_unknown_command(lab):
    """Of a QEMU whose monitor cannot do it."""
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool,
              *MEASURE, status=1, **log(200, "other"))[1]
    assert "one-insn-per-tb, singlestep: unknown command" in err


def test_several_pairs(tmp_path):
    made.write(tmp_path / "two.json", {"thread": {
        str(i): {"metric": "send", "avg": 1.0} for i in range(2)}})
    with pytest.raises(vl_functions.LabError, match="several pairs"):
        vl_functions.measured(tmp_path / "two.json")


def test_late(lab):
    """The cycles to be looked at had begun: they would not be exact."""
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool,
              *MEASURE, status=1, LAB_LATE="190", **log())[1]
    assert "one: QEMU obeyed too late" in err


def test_guest_fails(lab):
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool,
              *MEASURE, status=1, **log(status=9))[1]
    assert "one: exit status 9: " in err
    assert err.rstrip().endswith("what it said")


def test_qemu_ends(lab):
    """Before or while it logs: an error, not a wait."""
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool,
              *MEASURE, status=1, LAB_GUEST="exit 3")[1]
    assert "one: QEMU ended with status 3" in err
    first = 'case "$*" in *" -D "*) exit 5;; esac; ' + LOG["LAB_GUEST"]
    err = lab("functions", "-k", f"one={lab.kernel}", "-b", lab.tool,
              *MEASURE, status=1, LAB_GUEST=first)[1]
    assert "one: QEMU ended with status 5" in err


@pytest.mark.parametrize("program", [
    "exit 5", "read x; exit 5", "exec <&-; sleep 0.01; exit 5",
    """read x; echo '{"return": {}}'; exit 5""",
])
def test_monitor_ends(tmp_path, capfd, program):
    """At any moment: nobody waits, and nothing is said of it."""
    async def follow():
        with vl_log.of(lambda block: None) as log:
            qemu = await asyncio.create_subprocess_exec(
                "sh", "-c", program, stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, pass_fds=[log.write_end])
            async with asyncio.timeout(30):
                await log.follow(qemu, tmp_path / "console")
                await qemu.communicate()

    for _ in range(15):
        asyncio.run(follow())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("args, said", [
    (("-k", "x"), "the measurement after --"),
    (MEASURE, "--kernel=FILE is needed"),
    (("-k", "x", *MEASURE, "--", "-q"), "one measurement is expected"),
    (("-k", "x", "-c", "0", *MEASURE), "1 to 10000"),
    (("-k", "x", "--cycles=10001", *MEASURE), "1 to 10000"),
    (("-k", "x", "--worst=1", *MEASURE), "--worst"),
    (("-k", "x", "--json", *MEASURE), "--json"),
    (("-k", "x", "-J"), "-J"),
])
def test_wrong_usage(lab, args, said):
    assert said in lab.refused("functions", *args)


@pytest.mark.long
def test_guest(tmp_path):
    """Of a real kernel: the same each time, and what twowaytest measured."""
    image = guests.fetch(vl_kernel.CLOUD)
    measure = [*guests.REALTIME, "-i", "1013", "-D", "3"]
    out = guests.virtlab(
        "functions", f"--kernel=one={image}", f"--kernel=two={image}",
        "--cycles=30", f"--json={tmp_path}/found.json", "--", *measure)
    assert "tcp_sendmsg" in out
    kernels = json.loads((tmp_path / "found.json").read_text())["kernels"]
    assert kernels["one"] == kernels["two"]
    one = kernels["one"]
    for phase in ("send", "receive"):
        functions = one["average"][phase]["functions"]
        assert functions["tcp_sendmsg"]["calls"] == 1
        assert one["average"][phase]["instructions"] * 8 == pytest.approx(
            one["measured_ns"][phase], rel=0.02)
    assert one["average"]["sleep"]["functions"]["hrtimer_wakeup"][
        "calls"] >= 1
    # The log costs the guest nothing: without it, the same guest measures
    # the same, to the last digit.
    guests.virtlab(
        "run", f"--kernel=one={image}", f"--add={GUEST}",
        f"--output={tmp_path}/out", "--", "twowaytest=functions",
        "twowaytest", *measure, "--json=twowaytest.json")
    assert vl_functions.measured(
        tmp_path / "out" / "one" / "twowaytest.json") == one["measured_ns"]
