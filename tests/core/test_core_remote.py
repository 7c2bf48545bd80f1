# SPDX-License-Identifier: GPL-2.0-or-later
"""What another host sends: requests, answers, and what is none of both."""

import os
import resource
import signal

import pytest

import outside
import results
import schema
import twowaytest
from hosts import FAKE, QUICK, fake

ALONE = 54321           # a user without another process


def far(run, text, **options):
    """What it answers to this input: lines of JSON, and messages."""
    path = run.directory / "input"
    path.write_text(text, encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        done = run("--far", stdin=file, **options)
    assert not done.stderr
    lines = done.stdout.splitlines()
    answers = [schema.parse(line) for line in lines if line[:1] == "{"]
    assert answers.pop(0) == {"twowaytest": 2}
    return done.returncode, answers, [
        line for line in lines if line and line[0] != "{"]


@pytest.mark.parametrize("text, named", [
    ("", "no request has come"),
    ('["--far=2", 1]', "no request has come"),
    ("x\n", "no request of twowaytest"),
    ("[]\n", "no request of twowaytest"),
    ('["--far=2"\n', "no number of steps"),
    ('["--far=2"] x\n', "no number of steps"),
    ('["--far=2", 1\n', "has no end"),
    ('["--far=2", 1] x\n', "has no end"),
    ('["--far=2", 1, "--size=8"\n', "has no end"),
    ('{"a": 1}\n', "no request of twowaytest"),
    ('["--far=3", 1]\n', "version 3 of the protocol, this program version 2"),
    ('["--far=2"]\n', "no number of steps"),
    ('["--far=2", 0]\n', "no number of steps"),
    ('["--far=2", 1026]\n', "no number of steps"),
    ('["--far=2", 1025, 5]\n', "is no string"),
    ('["--far=2", 1, "--size=8\n', "is no string"),
    ('["--far=2", 1, "--size=\\n8"]\n', "is no string"),
    ('["--far=2", 1, "-q"]\n', "-q: nobody may ask for this"),
    ('["--far=2", 1, "--json=/tmp/x"]\n', "--json: nobody may ask"),
    ('["--far=2", 1, "--dump=x"]\n', "--dump: nobody may ask"),
    ('["--far=2", 1, "--server"]\n', "--server: nobody may ask"),
    ('["--far=2", 1, "--rsh=x"]\n', "--rsh: nobody may ask"),
    ('["--far=2", 1, "--on-break=x"]\n', "nobody may ask"),
    ('["--far=2", 1, "--siz=8"]\n', "--siz: nobody may ask"),
    ('["--far=2", 1, "--dscp=9", "--transport=unix"]\n',
     "--dscp=9: allowed only with --transport=tcp or udp"),
    ('["--far=2", 1, "--size"]\n', "--size: allowed is a value"),
    ('["--far=2", 1, "--mlockall=1"]\n', "--mlockall: allowed is no value"),
    ('["--far=2", 1, "--size=7"]\n', "--size=7: allowed is a whole number"),
    ('["--far=2", 1, "--size=1e3"]\n', "--size=1e3: allowed is"),
    ('["--far=2", 1, "\\u001b[31m"]\n', "nobody may ask"),
    ('["--far=2", 1, "\\u003c\\\\u003c\\""]\n', '<\\u003c": nobody may ask'),
    ('["--far=2", 1, "--size=' + "8" * 9000 + '"]\n', "FATAL: --size=88"),
    ('["' + "x" * 70000 + '"]\n', "a line of at most 65536 bytes"),
    ('["--far=2", 1, ' + "[" * 20 + "]" * 20 + "]\n", "is no string"),
], ids=range(34))
def test_requests(run, text, named):
    code, answers, (message,) = far(run, text)
    assert (code, answers) == (1, [])
    assert message.startswith("FATAL: ") and named in message


def test_client_that_leaves(run):
    """Before it is connected."""
    code, answers, messages = far(run, '["--far=2", 1, "--size=8"]\n')
    assert (code, messages) == (0, [])
    assert 0 < answers[0]["ready"] < 65536


END = "say(ended=[0], status=0, twoway=TWOWAY)"


def faked(run, version="2", slept="7000", twoway_="{}", end=END):
    text = FAKE.replace("VERSION", version).replace("SLEPT", slept).replace(
        END, end)
    return run("--connect=127.0.0.1",
               fake(run.directory, text.replace("TWOWAY", twoway_)), *QUICK,
               "-l", 20, "--sleep=0", "--dump=dump", "--json=json")


OVER_UDP = """stream = listener.accept()[0]
assert stream.recv(36) == b"0" * 32 + bytes(4)
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("127.0.0.1", 0))
stream.send(struct.pack(">H", one.getsockname()[1]))
one.connect(("127.0.0.1", *struct.unpack(">H", stream.recv(2))))
"""


@pytest.mark.parametrize("requests, lost", [(-5, 0), (0, 1), (20, 0),
                                            (10 ** 18, 0)])
def test_counts_that_cannot_be(run, shim, requests, lost):
    """Whatever a server says, no more requests are lost than cycles."""
    begin = FAKE.index("one = listener")
    text = FAKE[:begin] + OVER_UDP + FAKE[FAKE.index("say(started"):]
    text = text.replace("VERSION", "2").replace("TWOWAY", "{}").replace(
        "range(1, 1000)", "range(1, 21)").replace("SLEPT", "7").replace(
        "ended=[0]", f"ended=[{requests}, 0]")
    done = run("--connect=127.0.0.1", fake(run.directory, text.replace(
        "    one.send", "    if number != 9: one.send")), *QUICK, "-l", 20,
        "--warmup=0", "--sleep=0", "--transport=udp", "--json=json",
        "--timeout=10000000", env=shim("client:recv:expire:8:30000"))
    assert (done.returncode, done.stderr) == (0, "")
    datagrams = done.json()["twoway"]["pairs"][0]["datagrams"]
    assert (datagrams["lost"], datagrams["lost_request"],
            datagrams["lost_reply"]) == (1, lost, 1 - lost)


def test_firewall_for_udp(run):
    """No reply ever comes: that is named in time."""
    begin = FAKE.index("one = listener")
    text = FAKE[:begin] + OVER_UDP + "say(started=0)\nsys.stdin.readline()\n"
    done = run("--connect=127.0.0.1", fake(run.directory, text.replace(
        "VERSION", "2")), *QUICK, "--transport=udp")
    assert done.returncode == 1
    assert "no reply has come for 9 s over udp" in done.stderr
    assert "stopped: Connection timed out" in done.stderr


def test_login_that_prints(run):
    """And a clock of which nothing is known."""
    done = faked(run)
    assert (done.returncode, done.stderr) == (0, "")
    assert {c.t2_ns - c.t1_ns for c in done.dump()} == {7000}
    assert {c.t1_ns for c in done.dump()} == {1 << 50}
    assert done.json()["twoway"]["peer"] == {}


@pytest.mark.parametrize("slept", ["-1", "10 ** 12", "-begin - 1",
                                   "2 ** 62"])
def test_times_that_cannot_be(run, slept):
    done = faked(run, slept=slept)
    assert done.returncode == 1
    assert "the client" in done.stderr and "Protocol error" in done.stderr


@pytest.mark.parametrize("results_", [
    '{"a": 1e5}', "[" * 40 + "]" * 40, '{"a" 1}', "tru", '"\\x"', "01", "1.",
    "[1,]", ""])
def test_results_that_are_no_json(run, results_):
    """They do not get into ours."""
    text = FAKE.replace("VERSION", "2").replace("SLEPT", "7").replace(
        END, "print('{\"twowaytest\": 2, \"ended\": [0], \"status\": 0, \"twoway\": '"
        f" + {results_!r} + '}}')")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 20, "--sleep=0", "--json=json")
    assert done.returncode == 1
    assert "is wrong (twoway)" in done.stderr
    assert done.json()["twoway"]["peer"] is None


def test_other_version(run):
    done = faked(run, version="3")
    assert done.returncode == 1
    assert "does not speak version 2" in done.stderr
    assert done.stderr.count("WARN") == 1


COOKIE = '"cookie": "' + "0" * 32 + '", "order": "little"}'


@pytest.mark.parametrize("line, named", [
    ('{"twowaytest": 2, ', "ended with status 3"),
    ('{"twowaytest": 2, "ready": [5]}', "(ready)"),
    ('{"twowaytest": 2, "ready": 0, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2, "ready": 70000, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2, "ready": 1}', "(ready)"),
    ('{"twowaytest": 2, "ready": 1, ' + COOKIE.replace("0" * 32, "0" * 31),
     "(ready)"),
    ('{"twowaytest": 2, "ready": 1, ' + COOKIE.replace("0" * 32, "0" * 33),
     "(ready)"),
    ('{"twowaytest": 2, "ready": 1e9, ' + COOKIE, "(ready)"),
    ('{"twowaytest": 2}\na\033[31mb\n#\033d\n\n\xe4c',
     "127.0.0.1: a?[31mb\n127.0.0.1: ??c\n"),
    ('a\n{"twowaytest": 2}', "WARN: exec "),
    ('{"twowaytest": 2}\n' + 200 * "a\n", 100 * "127.0.0.1: a\n"),
    ("x" * (1 << 20), "longer than 1048576"),
    ("", "ended with status 3"),
], ids=range(13))
def test_lying_peers(run, line, named):
    text = f"import sys\nprint({line!a})\nsys.stdout.flush()\nsys.exit(3)\n"
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK)
    assert done.returncode == 1
    assert named in done.stderr
    assert "\033" not in done.stderr and done.stderr.count("\n") <= 100
    # Nothing else is said, as nothing is begun with it.
    assert done.stderr.count("\n") == 1 or "(ready)" not in named


@pytest.mark.parametrize("later", [0, 0.3])
def test_warning_before_its_end(run, later):
    """What it has said earlier is not why it ends now, also if the clients
    have ended first."""
    text = FAKE.replace("VERSION", "2").replace("SLEPT", "7").replace(
        "say(started=0)", "print('WARN: early')\nsay(started=0)").replace(
        "range(1, 1000)", "range(1, 9)")
    done = run("--connect=127.0.0.1", fake(run.directory, text[:text.index(
        "sys.stdin.readline()\nsay(ended")] + "import time\none.close()\n"
        f"time.sleep({later})\nsys.exit(3)\n"), *QUICK, "-l", 20,
        "--sleep=0")
    assert done.returncode == 1
    assert "127.0.0.1: WARN: early\n" in done.stderr
    assert done.stderr.count("it has ended with status 3") == 1


def test_end_without_an_answer(run):
    """Why that is so, is said once."""
    done = faked(run, end="sys.exit(3)")
    assert done.returncode == 1
    assert done.stderr.count("it has ended with status 3") == 1


def test_command_ends_by_itself(run):
    """After its last answer, it has time to."""
    done = faked(run, end=END + "\nimport time\ntime.sleep(0.1)\n"
                 "open('late', 'w').close()")
    assert (done.returncode, done.stderr) == (0, "")
    assert "late" in done.files


def test_command_that_is_missing(run):
    done = run("--connect=127.0.0.1", "--rsh=/nonexistent/ssh", *QUICK)
    assert done.returncode == 1
    assert "WARN: /nonexistent/ssh twowaytest --far: a command was not " \
        "found" in done.stderr


@results.root
def test_command_that_may_not_be_ended(public, aloof):
    """It is named, and nobody waits for it."""
    process = twowaytest.start("--connect=127.0.0.1", f"--rsh={aloof} #",
                               *QUICK,
                               directory=public, program=public / "twowaytest",
                               preexec_fn=outside.nobody())
    assert outside.wait_for(lambda: process.named("aloof"))
    left, = process.named("aloof")
    process.signal(signal.SIGINT)
    try:
        assert process.process.wait(15) == 1
    finally:
        os.kill(left, signal.SIGKILL)
        process.finish()
    assert f"WARN: {aloof} # twowaytest --far: it cannot be ended: Operation " \
        "not permitted\n" in process.err


@results.root
def test_command_that_cannot_be_started(public):
    """Its user may have no further process."""
    def alone():
        os.setgroups([])
        os.setgid(ALONE)
        os.setuid(ALONE)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    done = twowaytest.run("--connect=127.0.0.1", "--rsh=true", *QUICK,
                          directory=public, program=public / "twowaytest",
                          preexec_fn=alone)
    assert (done.returncode, done.stderr) == (
        1, "FATAL: --rsh: cannot start true twowaytest --far: Resource "
        "temporarily unavailable; see \"ulimit -u\" and \"ulimit -n\"\n")
