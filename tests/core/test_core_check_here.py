# SPDX-License-Identifier: GPL-2.0-or-later
"""--check of this system: in results, without rights, without files."""

import os
import pathlib
import shutil

import pytest

import outside
import results
import schema
import twowaytest
from test_core_check import CPU, check, parse


def test_in_the_results_of_a_run(run):
    """A run records what --check would have said, of this system."""
    done = run("--check", "--json=json", f"-a{CPU}")
    findings, facts = check(done)
    of = results.loaded(run("-q", "-l", 3, f"-a{CPU}", "--json=run"), "run")
    now = of["twoway"]["system"]
    assert {one["name"] for one in now["findings"]} == set(findings)
    same = ("release", "preemption", "boot_command_line", "irqs", "virtual")
    assert {name: now[name] for name in same} == {
        name: facts[name] for name in same}
    assert now["release"] == os.uname().release
    assert now["rt_runtime_us"] == (outside.rt_runtime() if os.path.exists(
        outside.RT_RUNTIME) else None)


def test_cpu_0_is_not_to_be_isolated(run):
    done = run("--check", "-a0")
    assert "isolcpus=managed_irq,domain,CPUS, " in done.stdout or \
        0 not in os.sched_getaffinity(0) or "  isolated_cpus          0" in \
        done.stdout


def test_json_alone_on_stdout(run):
    done = run("--check", "--json=-")
    assert parse(done.stderr)[0]
    json = schema.check(done.stdout, results.SCHEMA)
    assert json["return_code"] == done.returncode


@pytest.mark.parametrize("old", [["h", "log"], []])
def test_measures_nothing(run, old):
    for name in old:
        (run.directory / name).write_text("old")
    done = run("--check", "-q", "-l", 5, "-h", 9, "--histfile=h", "-v",
               "--trltp-log=log")
    parse(done.stdout)
    assert not done.files and not done.stderr
    assert all(done.text(name) == "old" for name in old)


@pytest.mark.parametrize("words,status,error", [
    (("-i", 50), 1, "FATAL: --interval=50: "),
    (("--json=/dev/full",), 1, "No space left on device"),
    (("--json=/nowhere/x",), 1, "/nowhere/x: cannot be written"),
    (("stray",), 1, "FATAL: --check=stray: allowed is a network device"),
    (("lo", "stray"), 1, "unexpected argument")])
def test_refusals(run, words, status, error):
    done = run("--check", *words)
    assert done.returncode == status and error in done.stderr


def test_text_that_cannot_be_written(run):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = run("--check", "--json=json", stdout=full)
    assert done.returncode == 1
    assert "cannot write to standard output" in done.stderr
    assert done.json()["return_code"] == 1


@results.root
def test_without_rights(public):
    """Said before a run fails with it."""
    done = twowaytest.run("--check", "-p", 50, "--default-system",
                          "--json=json",
                          directory=public, program=public / "twowaytest",
                          preexec_fn=outside.nobody())
    found, facts = check(done)
    assert found["rt_allowed"] == "no" and not facts["rt_allowed"]
    if facts["cgroup_rt_runtime_us"] is None:
        assert facts["rt_group_sched"] is None
    found, _ = check(twowaytest.run(
        "--check", "--default-system", "--json=json", directory=public,
        program=public / "twowaytest", preexec_fn=outside.nobody()))
    assert "rt_allowed" not in found


@results.root
def test_cgroup_without_real_time(run):
    """RT_GROUP_SCHED: root is refused as well, and is told why."""
    group = pathlib.Path(f"/sys/fs/cgroup/cpu/twowaytest-{os.getpid()}")
    if not os.path.exists("/sys/fs/cgroup/cpu/cpu.rt_runtime_us"):
        pytest.skip("this system has no RT_GROUP_SCHED with cgroup v1")
    group.mkdir()
    try:
        def join():
            (group / "cgroup.procs").write_text(str(os.getpid()))
        found, _ = check(run("--check", "-p", 50, "--json=json",
                             preexec_fn=join))
        assert {"rt_allowed", "cgroup_rt_runtime_us"} <= set(found)
        # As with cgroup v2, where no file tells.
        _, facts = check(run(
            "-m", "sh", "-c", "umount -l /sys/fs/cgroup/cpu; exec \"$@\"",
            "sh", outside.binary(), "--check", "-p", 50, "--json=json",
            program=shutil.which("unshare"), preexec_fn=join))
        assert facts["cgroup_rt_runtime_us"] is None
        assert facts["rt_group_sched"] is True
        done = run("-q", "-l", 5, "-p", 50, preexec_fn=join)
        assert done.returncode == 1
        assert "root is refused if the kernel has RT_GROUP_SCHED" in \
            done.stderr
    finally:
        group.rmdir()
