# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs outside of the caller's mask, as isolcpus= sets them aside."""

import os
import re

import pytest

import outside
import primitives
import results
import test_core_check as system
import twowaytest
from test_core_check import CPUS as DIR
from test_core_check import GOOD

CPUS = sorted(outside.usable_cpus())
HERE, THERE = CPUS[0], CPUS[-1]
QUICK = ("-q", "-l", 20, "--default-system", "--json=json")
fake = system.fake
pytestmark = pytest.mark.skipif(HERE == THERE, reason="one CPU")


def aside(run, *words, **options):
    """Run by a shell that may use the first CPU alone."""
    return run(*words, preexec_fn=lambda: os.sched_setaffinity(0, {HERE}),
               **options)


def cpus_of(json):
    pair, = json["twoway"]["pairs"]
    return pair["server"]["cpus"], pair["client"]["cpus"]


@pytest.mark.parametrize("words,server,client,main", [
    (("-a", THERE), THERE, THERE, HERE),
    (("-a", f"{THERE},{HERE}"), HERE, THERE, HERE),
    (("--client-affinity", THERE), HERE, THERE, HERE),
    (("--server-affinity", THERE), THERE, HERE, HERE),
    (("--mainaffinity", THERE), HERE, HERE, THERE),
    (("-a",), HERE, HERE, HERE), ((), HERE, HERE, HERE),
    (("-a", "+0"), HERE, HERE, HERE)])
def test_named(run, words, server, client, main):
    """The kernel gives them to whoever asks; a plan does not ask."""
    done = aside(run, *QUICK, *words)
    assert (done.returncode, done.stderr) == (0, "")
    json = results.loaded(done)
    assert cpus_of(json) == (str(server), str(client))
    assert json["twoway"]["main"]["cpus"] == str(main)
    assert json["thread"]["0"]["cpu"] == client
    assert "left out" not in done.stdout


def test_all(run):
    done = aside(run, *QUICK, "--client-affinity=all")
    assert (done.returncode, done.stderr) == (0, "")
    assert cpus_of(results.loaded(done))[1] == outside.cpu_list(CPUS)


def test_of_the_shell_alone(run):
    """+ counts, and ! selects, what it may use."""
    done = run(*QUICK, "-a", "+0",
               preexec_fn=lambda: os.sched_setaffinity(0, {THERE}))
    assert (done.returncode, done.stderr) == (0, "")
    assert cpus_of(results.loaded(done)) == (str(THERE), str(THERE))
    for words in (f"+{len(CPUS) - 1}", f"!{HERE}"):
        done = aside(run, *QUICK, "-a", words)
        assert (done.returncode, done.stderr) == (
            1, f"FATAL: --affinity={words}: allowed is a set of these CPUs: "
            f"{outside.cpu_list(CPUS)}, which are online and in the cpuset\n")


@results.root
def test_real_time_and_load(run):
    done = aside(run, *QUICK, "-p", 50, "-a", THERE, "--load=hackbench:1",
                 f"--load-affinity={THERE}")
    assert (done.returncode, done.stderr) == (0, "")
    assert cpus_of(results.loaded(done)) == (str(THERE), str(THERE))


@pytest.mark.parametrize("words", [
    ("-a", THERE), ("-a", f"{THERE},{HERE}", "--cpus=cross"),
    ("-a", THERE, "--load=hackbench:1", f"--load-affinity={THERE}")])
def test_primitivetest(tmp_path, words):
    done = primitives.run(
        "--test=sync2.unnamed", "-l", 20, *words, directory=tmp_path,
        preexec_fn=lambda: os.sched_setaffinity(0, {HERE}))
    assert (done.returncode, done.stderr) == (0, "")
    test, = done.tests.values()
    assert {task["cpus"] for task in test["processes"]} == {
        cpu for cpu in str(words[1]).split(",")}


def test_what_the_kernel_does_not_give(run, cpuset):
    """As of one that is offline: left out of a range, and refused alone."""
    few = outside.cpu_list(CPUS[:-1])
    (cpuset / "cpuset.cpus").write_text(few, encoding="ascii")

    def enter():
        (cpuset / "tasks").write_text(str(os.getpid()), encoding="ascii")

    for words in f"{HERE}-{THERE}", "all":
        done = run(*QUICK, "-a", words, preexec_fn=enter)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.findall("^# Named.*", done.stdout, re.M) == [
            "# Named, but left out, as offline or not in the cpuset: CPU "
            f"{THERE}"]
        assert str(THERE) not in cpus_of(results.loaded(done))
        results.text(done.stdout)
    for option, words in (("affinity", f"{THERE}"),
                          ("client-affinity", f"{HERE},{THERE}"),
                          ("affinity", f"{THERE}-{THERE}")):
        done = run(*QUICK, f"--{option}={words}", preexec_fn=enter)
        assert (done.returncode, done.stderr) == (
            1, f"FATAL: --{option}={words}: allowed is a set of these CPUs: "
            f"{few}, which are online and in the cpuset\n")


def told(done):
    assert done.returncode in (0, 2), done.stderr
    return re.findall("^# Isolated.*", done.stdout, re.M)


@results.root
@pytest.mark.parametrize("words,how", [
    (("-a",), "-a "), (("-S",), "taskset -c "), (("-t",), "-a "),
    ((), None), (("-a", HERE), None),
    (("-a", "--client-affinity", HERE), None),
    (("-t2", f"--server-affinity={HERE}"), None)])
def test_isolated_ones_are_named(fake, words, how):
    """If there is a plan, and no set."""
    done = fake({**GOOD, DIR + "isolated": f"{THERE}"}, *QUICK, *words,
                before=("taskset", "-c", str(HERE)))
    assert told(done) == ([] if how is None else [
        f"# Isolated, but not used: CPU {THERE}; to measure there: "
        f"{how}{THERE}"])
    results.text(done.stdout)


@results.root
@pytest.mark.parametrize("words,told_of", [((), True), (("-a",), True),
                                           (("-a", HERE), False)])
def test_isolated_ones_of_primitivetest(tmp_path, words, told_of):
    """It pins its tasks in any case."""
    (tmp_path / "isolated").write_text(f"{THERE}\n", encoding="ascii")
    done = twowaytest.run(
        "-m", "sh", "-c", f"mount --bind {tmp_path}/isolated "
        f"/sys/devices/system/cpu/isolated && exec taskset -c {HERE} \"$@\"",
        "sh", primitives.binary(), "-q", "--test=sync1.mutex", "-l", 20,
        *words, directory=tmp_path, program="/usr/bin/unshare")
    if "mount" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert told(done) == [
        f"# Isolated, but not used: CPU {THERE}; to measure there: -a "
        f"{THERE}"] * told_of


@results.root
def test_isolated_by_a_partition(fake):
    """It has the CPU for itself."""
    done = fake({**GOOD, DIR + "isolated": "",
                 "sys/fs/cgroup/cpuset.cpus.isolated": "77"}, *QUICK, "-a")
    assert told(done) == [
        "# Isolated, but not used: CPU 77; to measure there, start this "
        "program in the cpuset that has it"]


@results.root
@pytest.mark.parametrize("isolated,fix", [
    (f"{THERE}", f"measure on CPUs that are isolated: -a {THERE}"),
    ("", f"boot with isolcpus=managed_irq,domain,{HERE or 'CPUS'}, and "
     "measure on these CPUs only (-a): the system needs CPU 0")])
def test_check_names_them(fake, isolated, fix):
    """In place of a boot option that is already given."""
    done = fake({**GOOD, DIR + "isolated": isolated}, "--check", "-a", HERE)
    assert f"         fix: {fix}" in done.stdout.splitlines()
