# SPDX-License-Identifier: GPL-2.0-or-later
"""Who else used the CPUs: it disturbed a run, from 1 % on."""

import copy

import pytest

import made

CPUS = [
    {"cpu": 0, "percent": 13.66, "unnamed_percent": 0.0,
     "interrupts_percent": 30.0, "tasks": [
         {"name": "cryptomgr_test", "id": 126, "kernel": True,
          "percent": 13.64},
         {"name": "kworker/0:1", "id": 9, "kernel": True, "percent": 0.02}]},
    {"cpu": 1, "percent": 0.99, "unnamed_percent": 0.0,
     "interrupts_percent": 90.0, "tasks": [
         {"name": "little", "id": 7, "kernel": False, "percent": 0.99}]},
    {"cpu": 2, "percent": 1.0, "unnamed_percent": 1.0,
     "interrupts_percent": 0.0, "tasks": []},
]
TOLD = ["others used 13.7 % of CPU 0, cryptomgr_test 13.6 %",
        "others used 1.0 % of CPU 2, tasks that cannot be named "
        "1.0 %"]


def write(report, name, cpus):
    data = made.twoway(made.cycles(600))
    data["twoway"]["others"] = cpus and {
        "seconds": 1.5, "complete": True, "cpus": cpus}
    made.write(report.directory, name, data)


def test_disturbed(report):
    """In the verdict and among the remarks, of the run that it was."""
    write(report, "a.json", CPUS)
    write(report, "b.json", CPUS[1:2])
    out = report("-t", "-", "a.json", "b.json").stdout
    [verdict] = [line for line in out.splitlines() if "Disturbed: " in line]
    assert f"Disturbed: {', '.join(TOLD)} in a." in verdict
    for text in TOLD:
        assert f"| {text} | a |" in " ".join(out.split())
    assert "little" not in out and "kworker" not in out


@pytest.mark.parametrize("stops,priority,told", [
    (3, 0, "the CPU quota of /sys/fs/cgroup/x stopped it 3 times"),
    (0, 0, None), (3, 90, None)])
def test_quota(report, stops, priority, told):
    """Of ordinary tasks: others are not stopped."""
    data = made.twoway(made.cycles(600))
    data["twoway"]["settings"]["priority"] = priority
    data["twoway"]["quota"] = {
        "cgroup": "/sys/fs/cgroup/x", "quota_us": 5, "period_us": 9,
        "stops": stops, "stopped_us": 7}
    made.write(report.directory, "a.json", data)
    made.write(report.directory, "b.json", made.twoway(made.cycles(600)))
    out = report("-t", "-", "a.json", "b.json").stdout
    assert ("CPU quota" in out) == bool(told)
    assert not told or f"Disturbed: {told} in a." in out
    assert not told or f"| {told} | a |" in " ".join(out.split())


@pytest.mark.parametrize("cpus", [None, CPUS[1:2]])
def test_quiet(report, cpus):
    """Nobody, or not known."""
    write(report, "a.json", cpus)
    out = report("-t", "-", "a.json").stdout
    assert "Disturbed" not in out and "others used" not in out


@pytest.mark.parametrize("key", ["percent", "cpu", "unnamed_percent",
                                 "tasks"])
def test_bad(report, key):
    """What makes no sense is named."""
    cpus = copy.deepcopy(CPUS)
    cpus[0][key] = "x"
    write(report, "a.json", cpus)
    done = report("-t", "-", "a.json", status=1)
    assert f"member twoway.others.cpus[0].{key}" in done.stderr
