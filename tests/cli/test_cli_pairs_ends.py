# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of several pairs that end early, and what they say then."""

import os
import re
import resource
import signal
import time

import pytest

import outside
import schema
import sides

BASE = ("--default-system", "-q")


def limited(number, most):
    """A preexec_fn."""
    return lambda: resource.setrlimit(number, (most, most))


def test_limit_of_a_pair_that_was_never_there(start, tmp_path):
    """A ramp that ends before its last step is no crash."""
    process = start(*BASE, "--ramp=pairs", "--steps=3", "-D", 600,
                    "--limit=response@2:500", "--json=json")
    process.steady()
    process.signal(signal.SIGTERM)
    assert process.finish() == 2
    assert process.out.endswith("# Limit response@2:500: undecided: no pair "
                                "of the list was measured\n")
    limit, = schema.check((tmp_path / "json").read_text())["twoway"]["limits"]
    assert (limit["pair"], limit["verdict"]) == (None, "undecided")


def test_break_before_a_slow_pair_has_a_cycle(run):
    done = run(*BASE, "-t2", "-i", "1000,900000", "-b", 1, "-D", 5)
    assert (done.returncode, done.stderr) == (2, "")
    assert "# Break: response " in done.stdout


def test_signal_while_many_pairs_start(start):
    """The last of them is not waited for."""
    process = start(*BASE, "-t200", "-h", 100000, "-D", 1000)
    time.sleep(0.15)
    process.signal(signal.SIGTERM)
    status = process.finish()
    if "were started" not in process.err:
        pytest.skip("the signal came before or after the start")
    assert status == 1 and process.gone()
    assert re.fullmatch(
        r"twowaytest: nothing was measured: signal 15 \(Terminated\) came "
        r"when \d+ of 200 pairs were started\n", process.err)


def test_stopped_sides_are_waited_for_together(start):
    """A second for all clients, and one for all servers: not one each."""
    process = start(*BASE, "-t8", "-d0", "-i", 5000)
    process.steady()
    for pid in process.children():
        os.kill(pid, signal.SIGSTOP)
    begin = time.monotonic()
    process.signal(signal.SIGTERM)
    process.finish(timeout=20)
    # One after the other, they would take 16 s.
    assert time.monotonic() - begin < 12
    assert process.gone()


def test_too_few_descriptors_for_one_server(run):
    done = run(*BASE, "-l", 3, "-t90", "--servers=one",
               preexec_fn=limited(resource.RLIMIT_NOFILE, 64))
    assert done.returncode == 1
    assert re.fullmatch(
        r"twowaytest: cannot connect client and server of pair \d+: Too many "
        r"open files; raise the limit \(ulimit -n\), or give fewer pairs\n",
        done.stderr)


def test_percentile_of_a_late_pair_is_refused(run):
    """It is in one step of the three only."""
    args = (*BASE, "-l", 600, "-d0", "--ramp=pairs", "--steps=3")
    done = run(*args, "--limit=response@2:p99:5000")
    assert done.returncode == 1 and not done.stdout
    assert "needs at least 1000 cycles, and only 600" in done.stderr
    done = run(*args, "-l", 20, "--limit=response@2:p10:9000000",
               "--limit=missed:99999")
    assert done.returncode == 0, done.stderr


def test_one_server_has_no_kind_of_wait(run):
    run(*BASE, "-l", 3, "--servers=one", "--json=json")
    json = schema.check((run.directory / "json").read_text())
    assert json["twoway"]["settings"]["wait"] is None


@pytest.mark.parametrize("args, servers", [
    ((), 2), (("--transport=udp",), 2), (("--servers=one",), 1)], ids=str)
def test_who_is_done_waits_for_the_others(start, args, servers):
    """A process that ends frees its memory, and would disturb them."""
    process = start(*BASE, "-t2", "-i", "1000,2000000", "-l", 100,
                    "--warmup=0", *args)

    def first_is_done():
        """Its last cycle was long before the other pair's only one."""
        found = sides.by_role(process)
        if list(map(len, found.values())) != [servers, 2]:
            return False
        before = outside.switches(found["client"][0])
        time.sleep(0.3)
        return outside.switches(found["client"][0]) == before > 90

    assert outside.wait_for(first_is_done)
    assert process.finish() == 0
    assert not process.err and process.gone()
    assert [int(count) for count in re.findall(
        r"C: *(\d+) .* response \d$", process.out, re.M)] == [100, 1]
