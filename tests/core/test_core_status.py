# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hosts: what fails on the server's host reaches the client's status."""

import os
import re
import signal

import pytest

import outside
import results
import schema
from hosts import END, FAKE, QUICK, fake, far_side, measuring, rsh

FAILED = "WARN: --connect={}: the run of the server's side has failed\n"
WRONG = r"--load=fft: \d+ results were wrong: this kernel does not keep the " \
    "floating-point registers of a preempted task, or the memory fails"
KILLED = r"the {} \(pid \d+\) was killed by signal 9 \(Killed\)"
RESET = r"WARN: the client \(pid \d+\) stopped: Connection reset by peer\n"
STOPPED = "--load=fft: it does not run any longer"


class Sides:
    """A client, and its server's side, which is there by either way."""

    def __init__(self, start, server, way):
        self.start, self.server, self.way = start, server, way
        self.connect = "127.0.0.1"
        self.process = None

    def run(self, *options, env=None):
        if self.way == "rsh":
            words = ["--connect=127.0.0.1", rsh(*(
                f"{name}={value}" for name, value in (env or {}).items()))]
        else:
            words = [self.server(env=env)]
            self.connect = f"127.0.0.1:{self.server.port}"
        self.process = self.start(*words, *QUICK, "--json=json", *options)

    @property
    def far(self):
        """Its main process."""
        if self.way == "rsh":
            return far_side(self.process.pid)
        pid, = outside.children(self.server.run.pid)
        return pid

    def there(self, role):
        """A process of the server's side."""
        pid, = (pid for pid in outside.children(self.far) if outside.read(
            f"/proc/{pid}/comm").strip() == f"twoway-{role}")
        return pid

    def until_the_last_reply(self, role):
        """Stops the main process there before the client has ended: its pid,
        and that of a process of the role."""
        measuring(self.process)
        far, pid = self.far, self.there(role)
        os.kill(far, signal.SIGSTOP)
        assert outside.wait_for(lambda: "client" not in self.process.sides())
        return far, pid

    def failed(self, *messages):
        """Asserts that the run has, and with which messages of the server's
        side; the JSON, which has the results."""
        assert self.process.finish(30) == 1
        lines = "".join(f"127\\.0\\.0\\.1: WARN: {one}\n" for one in messages)
        # The client may see the end of the connection before main hears of it.
        assert re.fullmatch(f"({lines}(?:{RESET})?|{RESET}{lines})" + re.escape(
            FAILED.format(self.connect)), self.process.err), self.process.err
        return self.results()

    def results(self):
        json = schema.check((self.start.directory / "json").read_text(),
                            results.SCHEMA)
        assert json["return_code"] == 1
        assert json["thread"]["0"]["cycles"] > 0
        assert "\nT: 0 " in "\n" + self.process.out
        return json


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    assert outside.wait_for(lambda: not outside.alive(pid))


@pytest.fixture(params=["rsh", "server"])
def sides(request, start, server):
    return Sides(start, server, request.param)


LOAD = ("--load=fft", "--load-side=server")


@pytest.mark.parametrize("steps", [1, 3])
def test_wrong_transforms(sides, amiss, steps):
    """In a ramp, in the first step that has the load."""
    sides.run(*LOAD, "-l", 500, *[f"--steps={steps}"] * (steps > 1),
              env=amiss)
    json = sides.failed(WRONG)
    of, = json["twoway"]["peer"]["load"]
    assert of["errors"] > 0
    assert sides.process.out.count("# Step ") == (2 if steps > 1 else 0)


def test_load_is_killed(sides):
    sides.run(*LOAD)
    measuring(sides.process)
    os.kill(sides.there("load"), signal.SIGKILL)
    json = sides.failed(KILLED.format("load"), STOPPED)
    assert json["twoway"]["peer"]["load"][0]["kind"] == "fft"


# Over tcp, a server ends as the connection of its client does.
@pytest.mark.parametrize("role, transport", [
    ("server", "udp"), ("load", "udp"), ("load", "tcp")])
def test_killed_after_the_last_reply(sides, role, transport):
    """Before its main process has read that the run is over."""
    sides.run(*LOAD, "-l", 200, f"--transport={transport}")
    far, pid = sides.until_the_last_reply(role)
    kill(pid)
    os.kill(far, signal.SIGCONT)
    sides.failed(KILLED.format(role), *[STOPPED] * (role == "load"))


def test_killed_as_it_is_told_to_stop(sides, amiss):
    sides.run("-l", 20, "--transport=udp", env={**amiss, "TW_AMISS": "murder"})
    sides.failed(KILLED.format("server"))


def test_killed_as_it_is_told_to_stop_here(run, amiss):
    done = run(*QUICK, "-l", 20, "--transport=udp", "--json=json",
               env={**amiss, "TW_AMISS": "murder"})
    assert done.returncode == results.loaded(done)["return_code"] == 1
    assert re.fullmatch(f"WARN: {KILLED.format('server')}\n", done.stderr)


GONE = {"rsh": r"exec env PATH=\S+ twowaytest --far: it was killed by signal "
               r"9 \(Killed\)",
        "server": r"--connect={}: the server's side has ended, its --allow "
                  "has not this host, or its host cannot be reached any "
                  "longer"}


@pytest.mark.parametrize("interrupted", [False, True])
def test_killed_before_its_answer(sides, interrupted):
    """Whether its run was good is not known."""
    sides.run(*[] if interrupted else ["-l", 200])
    measuring(sides.process)
    if interrupted:
        far = sides.far
        os.kill(far, signal.SIGSTOP)
        sides.process.signal(signal.SIGINT)
    else:
        far, _ = sides.until_the_last_reply("server")
    kill(far)
    assert sides.process.finish(30) == 1
    assert re.fullmatch(f"WARN: {GONE[sides.way]}\n".format(sides.connect),
                        sides.process.err), sides.process.err
    assert sides.results()["twoway"]["peer"] is None
    assert "\n# Server: 127.0.0.1 (127.0.0.1), without its results\n" in \
        sides.process.out


ENDED = "WARN: --connect={}: the server's side has ended before the client, " \
    "as by a signal there\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_by_a_signal_there(sides, number):
    """Both have results; ours are not all that was asked for."""
    sides.run("-D", 100)
    measuring(sides.process)
    os.kill(sides.far, number)
    assert sides.process.finish(30) == 1
    assert re.fullmatch(
        f"({RESET})?" + re.escape(ENDED.format(sides.connect)),
        sides.process.err), sides.process.err
    assert sides.results()["twoway"]["peer"]["interrupted"]


WRONG_END = "WARN: --connect=127.0.0.1: what the server's side has sent is " \
    "wrong (ended)\n"


@pytest.mark.parametrize("numbers, said", [
    ("", WRONG_END), ("x 0 0 -1 0", WRONG_END), ("-1 0 0 -1 0", WRONG_END),
    ("3 0 0 -1 0", WRONG_END), ("0 0 0 -1", WRONG_END),
    ("0 -1 0 -1 0", WRONG_END), ("0 0 -1 -1 0", WRONG_END),
    ("0 0 0 x 0", WRONG_END), (f"0 {2 ** 61} 0 -1 0", WRONG_END),
    ("1 0 0 -1 0", FAILED.format("127.0.0.1")),
    ("2 0 0 -1 0", ENDED.format("127.0.0.1")), ("0 0 0 -1 0", "")])
def test_what_it_says_of_its_run(run, numbers, said):
    """A step has ended in one of three ways; all numbers have to be there."""
    text = FAKE.replace('"ended", 0, 0, 0, -1, 0', f'"ended {numbers}"')
    done = run("--connect=127.0.0.1", fake(run.directory, text), *QUICK,
               "-l", 20, "--sleep=0", "--json=json")
    assert (done.returncode, done.stderr) == (int(bool(said)), said)
    assert done.json()["return_code"] == done.returncode
    assert done.json()["thread"]["0"]["cycles"] == 20
    assert done.json()["twoway"]["peer"] == (
        None if said == WRONG_END else {})


@pytest.mark.parametrize("status, said", [
    (0, ENDED), (1, FAILED), (2, ENDED)])
def test_end_that_nobody_has_asked_for(run, status, said):
    """While the client waits for a reply; what came with it is kept."""
    text = FAKE.replace("1000", "20").replace(
        "sys.stdin.readline()\n" + END, END.replace(
            '"ended", 0', f'"ended", {status}').replace(
            "twoway {", 'twoway {")\nsay("result x 1'))
    done = run("--connect=127.0.0.1", fake(
        run.directory, text + "import time\ntime.sleep(1000)\n"), *QUICK,
        "--sleep=0", "--json=json")
    assert (done.returncode, done.stderr) == (1, said.format("127.0.0.1"))
    assert done.json()["twoway"]["peer"] == {"x": 1}
    assert 0 < done.json()["thread"]["0"]["cycles"] < 20


def test_both_are_interrupted(sides):
    """As by SIGINT at a terminal, from which both were started."""
    sides.run()
    measuring(sides.process)
    far = sides.far
    os.kill(far, signal.SIGSTOP)
    os.kill(far, signal.SIGINT)
    sides.process.signal(signal.SIGINT)
    os.kill(far, signal.SIGCONT)
    assert (sides.process.finish(30), sides.process.err) == (0, "")
