# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs in a cgroup whose quota stops them, and in one that does not."""

import os
import pathlib
import re

import pytest

import primitives
import results
import test_core_check as system

fake = system.fake
GROUP = "sys/fs/cgroup/"
STAT = "nr_periods {}\nnr_throttled {}\n{} {}"
TWO = {"proc/self/cgroup": "0::/a/b\n", GROUP + "a/b/cpu.max": "300 1000",
       GROUP + "a/cpu.max": "500 1000",
       GROUP + "a/b/cpu.stat": STAT.format(9, 5, "throttled_usec", 50),
       GROUP + "a/cpu.stat": STAT.format(9, 7, "throttled_usec", 70)}
ONE = {"proc/self/cgroup": "4:cpuacct,cpu:/b\n",
       GROUP + "cpu/our/cpu.rt_runtime_us": None,
       GROUP + "cpu,cpuacct/b/cpu.cfs_quota_us": "300",
       GROUP + "cpu,cpuacct/b/cpu.cfs_period_us": "1000",
       GROUP + "cpu,cpuacct/b/cpu.stat":
       STAT.format(9, 5, "throttled_time", 50999)}


def line(of):
    return "# The CPU quota of {cgroup} ({quota_us} us in {period_us} us) " \
        "stopped its tasks {stops} times, for {stopped_us} us in all" \
        .format(**of)


def writes(path, *stat):
    """From the first cycle on, the quota has stopped it, as the files say."""
    text = STAT.format(*stat).replace("\n", "\\n")
    return f"--on-break=printf '{text}\\n' >/{path}"


@pytest.mark.parametrize("files,writer,options,expected", [
    (TWO, writes(GROUP + "a/b/cpu.stat", 20, 8, "throttled_usec", 90), (),
     ("/a/b", 300, 3, 40)),
    (TWO, writes(GROUP + "a/cpu.stat", 20, 9, "throttled_usec", 70), (),
     ("/a", 500, 2, 0)),
    (TWO, writes(GROUP + "a/cpu.stat", 20, 9, "throttled_usec", 70),
     ("-p", 20), ("/a", 500, 2, 0)),
    (TWO, writes(GROUP + "a/cpu.stat", 20, 7, "throttled_usec", 90), (),
     ("/a/b", 300, 0, 0)),
    (ONE, writes(GROUP + "cpu,cpuacct/b/cpu.stat", 9, 6, "throttled_time",
                 52000), ("--policy=batch",), ("/cpu,cpuacct/b", 300, 1, 2)),
    ({"proc/self/cgroup": "0::/\n"}, "--on-break=true", (), None)])
@results.root
def test_counted(fake, files, writer, options, expected):
    """Of all that have a quota, the one that was stopped most often; real-time
    tasks are not stopped."""
    done = fake({**system.GOOD, **files}, "-q", "-l", 300, "--json=json",
                "-b1", "--breaks=100000", writer, *options)
    assert done.returncode == 2 and not done.stderr
    assert re.search(r"# On break: run [1-9]\d*, failed 0,", done.stdout)
    of = results.loaded(done)["twoway"]["quota"]
    assert of == (expected and dict(zip(
        ("cgroup", "quota_us", "period_us", "stops", "stopped_us"),
        (f"/sys/fs/cgroup{expected[0]}", expected[1], 1000, *expected[2:]))))
    told = [line(of)] if of and of["stops"] and "-p" not in options else []
    assert [said for said in done.stdout.splitlines()
            if "quota" in said] == told


@pytest.fixture
def cgroup():
    """A cgroup with a quota of a twentieth of a CPU."""
    if os.geteuid():
        pytest.skip("needs root")
    for root, files in (("cpu", ("cpu.cfs_quota_us", "5000")),
                        ("cpu,cpuacct", ("cpu.cfs_quota_us", "5000")),
                        ("", ("cpu.max", "5000 100000"))):
        directory = pathlib.Path("/sys/fs/cgroup", root, f"test-{os.getpid()}")
        try:
            directory.mkdir()
        except OSError:
            continue
        try:
            if (directory / files[0]).exists():
                (directory / files[0]).write_text(files[1], encoding="ascii")
                yield directory
                return
        finally:
            directory.rmdir()
    pytest.skip("no cgroup can be made here that has a quota")


def test_of_primitivetest(run, cgroup):
    done = primitives.run(
        "--test=sync1.mutex", "-D1", directory=run.directory,
        preexec_fn=lambda: (cgroup / "cgroup.procs").write_text("0"))
    assert done.returncode == 0, done.stderr
    of = done.json["primitives"]["quota"]
    assert of["stops"] > 0 and line(of) in done.stdout.splitlines()


def test_real_quota(run, cgroup):
    """Without a pause, it is used up in any period."""
    done = run("-q", "-i0", "--sleep=0", "-D1", "--json=json",
               preexec_fn=lambda: (cgroup / "cgroup.procs").write_text("0"))
    assert done.returncode == 0, done.stderr
    of = results.loaded(done)["twoway"]["quota"]
    assert of["stops"] > 0 and of["stopped_us"] > 0
    assert (of["cgroup"], of["quota_us"]) == (str(cgroup), 5000)
    assert line(of) in done.stdout.splitlines()
    assert results.loaded(done)["twoway"]["system"]["cpu_quota"] == \
        f"5000 us in 100000 us ({cgroup})"
