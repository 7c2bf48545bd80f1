# SPDX-License-Identifier: GPL-2.0-or-later
"""What another host sends: requests, answers, and what is none of both."""

import os
import re
import resource
import signal

import pytest

import outside
import results
import schema
import twowaytest
from hosts import END, FAKE, QUICK, fake

ALONE = 54321           # a user without another process


def far(run, text, **options):
    """What it answers to this input, and messages."""
    path = run.directory / "input"
    path.write_text(text, encoding="utf-8")
    with open(path, encoding="utf-8") as file:
        done = run("--far", stdin=file, **options)
    assert not done.stderr
    lines = done.stdout.splitlines()
    answers = [line for line in lines if line.startswith("twowaytest ")]
    assert answers.pop(0) == "twowaytest 3"
    return done.returncode, answers, [
        line for line in lines if line and not line.startswith("twowaytest ")]


BEGIN = '["--far=3"] 1'


@pytest.mark.parametrize("text, named", [
    ("", "no request has come"),
    (BEGIN, "no request has come"),
    ("x\n", "no request of twowaytest"),
    ("[]\n", "no request of twowaytest"),
    ('{"a": 1}\n', "no request of twowaytest"),
    ('["--far=x"] 1\n', "no request of twowaytest"),
    ('["--far=4"] 1\n',
     "version 4 of the protocol, this program version 3"),
    ('["--far=30"] 1\n',
     "version 30 of the protocol, this program version 3"),
    ('["--far=3"\n', "no number of steps"),
    ('["--far=3"] x\n', "no number of steps"),
    ('["--far=3"]\n', "no number of steps"),
    ('["--far=3", 1]\n', "no number of steps"),
    ('["--far=3"] 0\n', "no number of steps"),
    ('["--far=3"] -1\n', "no number of steps"),
    ('["--far=3"] 1026\n', "no number of steps"),
    ('["--far=3"] 1025 5\n', "5: nobody may ask for this"),
    (BEGIN + "x --size=8\n", "x: nobody may ask for this"),
    (BEGIN + " -\n", "-: nobody may ask for this"),
    (BEGIN + " --\n", "--: nobody may ask for this"),
    (BEGIN + " -q\n", "-q: nobody may ask for this"),
    (BEGIN + " --json=/tmp/x\n", "--json: nobody may ask"),
    (BEGIN + " --dump=x\n", "--dump: nobody may ask"),
    (BEGIN + " --server\n", "--server: nobody may ask"),
    (BEGIN + " --rsh=x\n", "--rsh: nobody may ask"),
    (BEGIN + " --on-break=x\n", "nobody may ask"),
    (BEGIN + " --siz=8\n", "--siz: nobody may ask"),
    (BEGIN + " --dscp=9 --transport=unix\n",
     "--dscp=9: allowed only with --transport=tcp or udp"),
    (BEGIN + " --size\n", "--size: allowed is a value"),
    (BEGIN + " --mlockall=1\n", "--mlockall: allowed is no value"),
    (BEGIN + " --size=7\n", "--size=7: allowed is a whole number"),
    (BEGIN + " --size=1e3\n", "--size=1e3: allowed is"),
    (BEGIN + " --size=%38%00\n--size=7", None),
    (BEGIN + " --size=%37\n", "--size=7: allowed is a whole number"),
    (BEGIN + " --size=8%207\n", "--size=8 7: allowed is a whole number"),
    (BEGIN + " --size=%3g%\n", "--size=%3g%: allowed is a whole number"),
    (BEGIN + " %1b[31m\n", "?[31m: nobody may ask"),
    (BEGIN + " --size=" + "8" * 9000 + "\n", "FATAL: --size=88"),
    ('["--far=3"' + "x" * 70000 + "\n", "a line of at most 65536 bytes"),
], ids=range(38))
def test_requests(run, text, named):
    code, answers, messages = far(run, text)
    if not named:               # a client that leaves
        assert (code, messages) == (0, [])
        return
    assert (code, answers, len(messages)) == (1, [], 1)
    assert messages[0].startswith("FATAL: ") and named in messages[0]


def test_request_of_another_release(run):
    """That one shows what comes after a greeting of its own."""
    code, answers, messages = far(run, '["--far=2", 1, "--size=8"]\n')
    assert (code, answers, messages) == (1, [], [
        '{"twowaytest": 2}', "FATAL: --far: the client speaks version 2 of "
        "the protocol, this program version 3: install the same release on "
        "both hosts"])


def test_client_that_leaves(run):
    """Before it is connected."""
    code, answers, messages = far(run, BEGIN + " --size=8\n")
    assert (code, messages) == (0, [])
    assert re.fullmatch(r"twowaytest 3 ready [1-9]\d+ [0-9a-f]{32}",
                        *answers)


def faked(run, greeting="twowaytest 3", slept="7000", end=END):
    text = FAKE.replace("twowaytest 3", greeting).replace(
        "slept = 7", f"slept = {slept}").replace(END, end)
    return run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
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
    text = FAKE[:begin] + OVER_UDP + FAKE[FAKE.index('say("started"'):]
    text = text.replace("range(1, 1000)", "range(1, 21)").replace(
        "-1, 0)", f"-1, {requests})")
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
    text = FAKE[:begin] + OVER_UDP + \
        'say("started", 0)\nsys.stdin.readline()\n'
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "--transport=udp")
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


@pytest.mark.parametrize("slept", ["-1", "10 ** 12", "-(2 << 50)",
                                   "2 ** 62"])
def test_times_that_cannot_be(run, slept):
    done = faked(run, slept=slept)
    assert done.returncode == 1
    assert "the client" in done.stderr and "Protocol error" in done.stderr


LEVELS = [f"a{level} {{" for level in range(33)]


@pytest.mark.parametrize("lines, named", [
    (["twoway {", "a 1e5"], "result"), (["twoway {", "a"], "result"),
    (["twoway {", 'a "\\x"'], "result"), (["twoway {", 'a "'], "result"),
    (["twoway {", 'a "b" 1'], "result"), (["twoway {", "a 01"], "result"),
    (["twoway {", "a 1."], "result"), (["twoway {", "a tru"], "result"),
    (["twoway {", 'a", "b 1'], "result"), (["twoway {", "]"], "result"),
    (["twoway {", "}", "}"], None), (["}"], "result"), (["a 1"], "result"),
    ([""], "result"), (["- {", "}"], None), (["twoway [", "- 1", "]"], None),
    ([*LEVELS[:32], *32 * "}"], None), ([*LEVELS, *33 * "}"], "result"),
    (["twoway {", *20 * ["a \"" + 60000 * "b" + '"']], "result"),
    (["twoway {", "a " + 70000 * "1"], None),
    (["twoway {", "a {", "}"], None)])
def test_results_that_are_none(run, lines, named):
    """Nothing but JSON gets into ours."""
    end = END[:END.index('say("result')] + \
        f"for line in {lines!r}: say('result', line)\n"
    done = faked(run, end=end)
    whole = lines in (["twoway {", "}", "}"], ["- {", "}"],
                      ["twoway [", "- 1", "]"], [*LEVELS[:32], *32 * "}"])
    assert done.returncode == (0 if whole else 1)
    peer = schema.parse(done.text("json"))["twoway"]["peer"]
    assert (peer is not None) == whole
    assert ("is wrong (result)" in done.stderr) == bool(named)
    assert done.stderr.count("WARN") == (not whole)


# Main goes on once its command has ended.
GONE = """
import os, signal
main, own = os.getppid(), os.getpid()
os.kill(main, signal.SIGSTOP)
say("result x")
if os.fork():
    sys.exit(3)
os.closerange(0, 3)
while ") Z" not in open(f"/proc/{own}/stat").read():
    pass
os.kill(main, signal.SIGCONT)
"""


def test_results_that_are_none_and_an_end(run):
    """What is wrong is told, and not the end as well."""
    done = faked(run, end=END[:END.index('say("result')] + GONE)
    assert (done.returncode, done.stderr) == (
        1, "WARN: --connect=127.0.0.1: what the server's side has sent is "
        "wrong (result)\n")


@pytest.mark.parametrize("greeting, version", [
    ("twowaytest 4", 4), ("twowaytest 30", 30), ('{\\"twowaytest\\": 2', 2)])
def test_other_version(run, greeting, version):
    """Also of a release whose server's side begins otherwise."""
    done = faked(run, greeting)
    assert (done.returncode, done.stderr) == (
        1, "WARN: --connect=127.0.0.1: the server's side speaks version "
        f"{version} of the protocol, this program version 3: install the "
        "same release on both hosts\n")


COOKIE = "0" * 32
READY = "twowaytest 3 ready "


@pytest.mark.parametrize("line, named", [
    ("twowaytest 3 x", "ended with status 3"),
    (READY + "[5]", "(ready)"),
    (READY + "0 " + COOKIE, "(ready)"),
    (READY + "70000 " + COOKIE, "(ready)"),
    (READY + "1", "(ready)"),
    (READY + "1 " + COOKIE[1:], "(ready)"),
    (READY + "1 " + COOKIE + "0", "(ready)"),
    (READY + "1e9 " + COOKIE, "(ready)"),
    (READY + "1 " + COOKIE + " 1", "(ready)"),
    ("twowaytest 3 readier 1 " + COOKIE, "ended with status 3"),
    ("twowaytest 3\na\033[31mb\n#\033d\n\n\xe4c",
     "127.0.0.1: a?[31mb\n127.0.0.1: ??c\n"),
    ("a\ntwowaytest 3", "WARN: exec "),
    ("twowaytest 3\n" + 200 * "a\n", 100 * "127.0.0.1: a\n"),
    ("x" * (1 << 20), "longer than 65536"),
    ("", "ended with status 3"),
], ids=range(15))
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
    text = FAKE.replace('say("started"', "print('WARN: early')\n"
                        'say("started"').replace(
        "range(1, 1000)", "range(1, 9)").replace(
        "sys.stdin.readline()\n" + END, "import time\none.close()\n"
        f"time.sleep({later})\nsys.exit(3)\n")
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 20, "--sleep=0")
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
