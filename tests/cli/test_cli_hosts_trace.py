# SPDX-License-Identifier: GPL-2.0-or-later
"""--trace between two hosts: who has to allow it, and what is refused."""

import os
import re

import pytest

import outside


def refused(result, *says):
    assert result.returncode == 1
    line, *rest = result.stderr.split("\n")
    assert rest == [""], f"not one line: {result.stderr!r}"
    for words in says:
        assert words in line, line


@pytest.mark.parametrize("value", ["", ",", "sched;reboot", "a" * 1001])
def test_bad_events(run, value):
    """A server's operator chooses them as the user of a test does."""
    refused(run("--server", f"--trace={value}"), f"--trace={value[:8]}",
            "allowed is a list of systems")


@pytest.mark.parametrize("option", ["--trace-file=x", "--tracemark", "-b9"])
def test_not_a_servers(run, option):
    refused(run("--server", "--trace", option), "contradicts --server")


def test_no_limit(run):
    """A client that traces has to have something to break at."""
    refused(run("--connect=127.0.0.1", "--trace"), "--trace: ", "give -b too")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give it up")
def test_server_may_not_trace(run):
    """What its operator wants and cannot have is an error."""
    result = run("--server=127.0.0.1:20199", "--trace",
                 preexec_fn=outside.nobody())
    assert result.returncode == 1
    # Before it, there may be a warning.
    assert result.stderr.splitlines()[-1].startswith("twowaytest: --trace: ")


def test_client_without_trace(start, run):
    """Nothing of it is asked for, granted or said."""
    server = start("--server=127.0.0.1:20198", "--runs=1")
    assert server.process.stdout.readline().startswith("# Listening")
    result = run("--connect=127.0.0.1:20198", "-q", "-l20", "-i1000", "-b1",
                 "--json=json")
    assert result.returncode == 2, result.stderr
    # Among others on the CPUs, tasks may have any name.
    assert not re.search("^(?!# Others).*(Cause|trace)", result.stdout, re.M)
    twoway = result.json()["twoway"]
    assert twoway["peer"]["asked"]["trace"] is False
    assert twoway["peer"]["granted"]["traces"] is False
    assert twoway["peer"]["granted"]["no_trace"] == ""
    assert "where" not in twoway["break"]
