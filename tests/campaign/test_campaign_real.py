# SPDX-License-Identifier: GPL-2.0-or-later
"""Campaigns with the real programs."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

import outside
import pytest
import schema

from conftest import state_of

WHY_NOT = "needs root" if os.geteuid() else ", ".join(
    f"{name} is not installed" for name in ("cyclictest", "hackbench")
    if not shutil.which(name))
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "-")
FIGURES = all(map(importlib.util.find_spec,
                  ("numpy", "matplotlib")))


def test_campaign(launch, tmp_path):
    """Both tools beside each other, with the pages of the report."""
    # Longer than hosts stop a guest.
    with outside.Turn():
        before = outside.rt_runtime()
        run = launch("-T", outside.binary(), "-D", "3", "-P", "plan", "-l",
                     "none,hackbench", "-o", "out",
                     *([] if FIGURES else ["-R"]))
        assert run.finish() == 0, run.out + run.err
        assert run.gone(), "processes are left"
        assert outside.rt_runtime() == before
    out = tmp_path / "out"
    state = state_of(out)
    assert len(state["measurements"]) == 4
    client = state["plan"]["cpus"]["client"]
    for name, record in state["measurements"].items():
        result = json.loads((out / f"{name}.json").read_text("utf-8"))
        assert record["state"] == "finished", record
        # A cycle a millisecond: loads may swallow some, none adds any.
        assert 0 < record["cycles"] <= 3030
        assert record["steal_percent"] is not None
        if "cyclictest" in name:
            assert result["thread"]["0"]["cpu"] == client
        else:
            one = result["twoway"]["pairs"][0]["client"]
            assert one["cpus"] == str(client) and one["priority"] == 98
    # No load in the JSON of cyclictest: it was the carrier's.
    assert "hackbench" in (out / "plan-hackbench-cyclictest.load.log"
                           ).read_text("utf-8")
    if not FIGURES:
        return
    assert "<svg" in (out / "index.html").read_text("utf-8")
    text = (out / "index.md").read_text("utf-8")
    for load in "none", "hackbench":
        assert re.search(rf"^- load {load}: The longest \w+ is .* with plan "
                         r"\w+test", text, re.M)
        assert f"\n## Results (load {load})\n" in text
    assert len(re.findall(r"^\| plan \w+ \w+ \| finished \|", text, re.M)) == 4
    # Each was measured once.
    assert not re.search(r"\b(sure|surely)\b", text)
    # What the page begins with is printed, too.
    assert re.search("^- (.*)", text, re.M)[1] in run.out


def test_without_privilege(launch, tmp_path):
    """Under a load that leaves cycles little time: all of it is measured."""
    run = launch("-T", outside.binary(), "-p", "0", "-t", "twowaytest", "-l",
                 "hackbench", "-P", "plan", "-D", "4", "-R", "-o", "out")
    assert run.finish() == 0, run.out + run.err
    name = "plan-hackbench-twowaytest"
    result = json.loads((tmp_path / f"out/{name}.json").read_text("utf-8"))
    assert not schema.errors(result, schema.TWOWAY)
    marked = result["campaign"]
    assert (marked["placement"], marked["load"]) == ("plan", "hackbench")
    assert "--load=hackbench:" in marked["load_command"]
    twoway = result["twoway"]
    cycles = result["thread"]["0"]["cycles"]
    assert 3000 <= cycles + twoway["pairs"][0]["missed"] <= 4100
    assert state_of(tmp_path / "out")["measurements"][name][
        "work_per_second"] is not None


def test_capabilities(launch):
    """Without root, by the capabilities of the program's file."""
    if not shutil.which("setcap"):
        pytest.skip("setcap is not installed")
    with tempfile.TemporaryDirectory() as name:     # nobody's to enter
        if os.statvfs(name).f_flag & os.ST_NOSUID:
            pytest.skip(f"{name} is mounted nosuid")
        os.chmod(name, 0o755)
        os.mkdir(f"{name}/out")
        os.chown(f"{name}/out", outside.NOBODY, outside.NOBODY)
        program = shutil.copy(outside.binary(), name)
        done = subprocess.run(
            ["setcap", "cap_sys_nice,cap_ipc_lock+ep", program],
            capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file capabilities: {done.stderr.strip()}")
        run = launch("-p", "10", "-t", "twowaytest", "-T", program, "-l",
                     "none", "-P", "plan", "-D", "60", "-R", "-o",
                     f"{name}/out", preexec_fn=outside.nobody())
        log = f"{name}/out/plan-none-twowaytest.log"
        assert outside.wait_for(lambda: os.path.exists(log) and
                                run.named("twoway-client"), 20), run.err
        run.signal(signal.SIGKILL)
        assert run.gone(), "processes are left"
        run.finish()


@pytest.mark.parametrize("tool", ("cyclictest", "twowaytest"))
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGKILL))
def test_nothing_left(launch, tmp_path, tool, number):
    """Neither program, nor load, nor file outlives it."""
    run = launch("-T", outside.binary(), "-R", "-D", "30", "-P", "plan",
                 "-l", "hackbench", "-t", tool, "-o", "out")
    assert outside.wait_for(lambda: run.named("hackbench") and (
        tool == "twowaytest" or run.named("cyclictest")), 20), run.err
    pids = run.processes()
    run.signal(number)
    run.finish()
    assert run.process.returncode in (130, -9)
    assert run.gone(), "processes are left"
    # Its name ends in cyclictest's pid.
    shared = " ".join(os.listdir("/dev/shm")) + " "
    assert not [pid for pid in pids if f"cyclictest{pid} " in shared]
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert not any(name.endswith(".json") and "test" in name
                   for name in left if name[0] != ".")
    if number == signal.SIGINT:
        assert not [name for name in left if name[0] == "."]
