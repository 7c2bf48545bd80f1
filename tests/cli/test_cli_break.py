# SPDX-License-Identifier: GPL-2.0-or-later
"""-b: ends the run at the first cycle above, and tells which that was; and
what --trace and --tracemark say where the kernel's trace cannot be had."""

import ctypes
import datetime
import errno
import os
import re
import signal
import time

import pytest

import formats
import kept
import oracle
import outside
import ramp
import schema
import twoway

SETUPS = {
    "default": oracle.Setup(700, 100),
    "trltp3": oracle.Setup(500, 100, "trltp3"),
    "closed loop": oracle.Setup(0, 50),
}
FILES = ("--json=json", "--dump=dump")


def arguments(setup):
    return ("--default-system", "-q", *setup.options())


class View:
    """A run with -N that may have been ended by -b."""

    def __init__(self, result, setup, metric, limit_us):
        self.result = result
        self.setup = setup
        self.metric = metric
        self.limit_us = limit_us
        self.lines = result.stdout.splitlines()
        self.json = schema.check(result.text("json"))
        self.steps = kept.steps_of(self.json, result.dump(), setup)
        self.report = self.json["twoway"]["break"]

    def check_first_above(self):
        """The last cycle alone exceeds the limit, if any does."""
        *before, last = [value for step in self.steps
                         for value in step.values[self.metric]]
        assert all(value <= 1000 * self.limit_us for value in before)
        broken = last > 1000 * self.limit_us
        assert (self.report is not None) == broken
        status = 2 if broken else 0
        assert self.result.returncode == self.json["return_code"] == status
        assert self.json["twoway"]["interrupted"] is False
        assert self.json["twoway"]["error"] is None
        return broken

    def check_report(self):
        report, step = self.report, self.steps[-1]
        assert report["metric"] == self.metric
        assert report["limit_ns"] == 1000 * self.limit_us
        assert report["value_ns"] == step.values[self.metric][-1]
        assert report["step"] == len(self.steps) - 1
        assert report["cycle"] == len(step.cycles) - 1
        assert report["marked"] is False
        assert report["trace_file"] is None and report["analysis"] is None
        kept.check_member(report, self.steps, self.setup)

    def check_lines(self):
        """"# Break ..." lines, the first two as cyclictest has them."""
        at = self.lines.index(next(line for line in self.lines
                                   if line.startswith("# Break")))
        thread, value, whole = self.lines[at:at + 3]
        status = formats.parse_status(next(
            line for line in self.lines if line.startswith("T:")), nsecs=True)
        assert thread == f"# Break thread: {status.pid}"
        assert value == f"# Break value: {self.report['value_ns']}"
        match = kept.BREAK.fullmatch(whole)
        assert match, whole
        assert match.groups()[:3] == (
            self.metric, str(self.report["value_ns"]),
            str(self.report["limit_ns"]))
        line = kept.parse_kept(match[4])
        kept.check_text(line, self.report, self.setup, True,
                        "--load=fft" in self.result.argv)
        self.check_means(line)

    def check_means(self, line):
        """Those of the cycles before; the first has none."""
        values = self.steps[-1].values
        for phase, mean in line.means.items():
            before = values[phase][:-1]
            if before:
                assert -0.001 <= oracle.mean(before) - mean < 1.001, phase
            else:
                assert mean is None, phase


def viewed(directory, setup, metric, limit_us, *args):
    result = twoway.run(*arguments(setup), "-N", "-b", limit_us, *args,
                        f"--break-on={metric}", *FILES, "-l",
                        kept.MOST_CYCLES, directory=directory)
    assert result.returncode in (0, 2), result.stderr
    assert not result.stderr and result.files == {"json", "dump"}
    return View(result, setup, metric, limit_us)


@pytest.mark.parametrize("name, metric", [
    (name, metric) for name, setup in SETUPS.items()
    for metric in setup.metrics()])
def test_first_cycle_above(tmp_path, name, metric):
    """At once, after some cycles (as a run before shows), or never."""
    setup = SETUPS[name]
    never = viewed(tmp_path, setup, metric, 10 ** 9)
    assert not never.check_first_above()
    ordered = sorted(never.steps[0].values[metric])
    broken = 0
    for limit_us in (1, *(ordered[len(ordered) * share // 100] // 1000
                          for share in (50, 80, 95, 99))):
        for path in tmp_path.iterdir():
            path.unlink()
        view = viewed(tmp_path, setup, metric, max(limit_us, 1))
        if view.check_first_above():
            broken += 1
            view.check_report()
            view.check_lines()
    assert broken


def test_never_reached(run):
    result = run("--default-system", "-q", "-l", 40, "-b", 10 ** 9,
                 "--json=json")
    assert (result.returncode, result.stderr) == (0, "")
    json = schema.check(result.text("json"))
    assert json["twoway"]["break"] is None and json["twoway"]["cycles"] == 40
    assert "Break" not in result.stdout


def test_response_is_the_default(run):
    result = run("--default-system", "-q", "-b", 1, "--json=json")
    assert result.returncode == 2
    assert result.json()["twoway"]["break"]["metric"] == "response"
    assert re.search(r"^# Break: response \d+ > 1: ", result.stdout,
                     re.MULTILINE)


def test_in_microseconds(run):
    result = run("--default-system", "-q", "-b", 1, "--json=json")
    report = schema.check(result.text("json"))["twoway"]["break"]
    assert f"# Break value: {report['value_ns'] // 1000}\n" in result.stdout
    line = next(line for line in result.stdout.splitlines()
                if line.startswith("# Break: "))
    match = kept.BREAK.fullmatch(line)
    assert match.groups()[:3] == ("response", str(report["value_ns"] // 1000),
                                  "1")
    kept.check_text(kept.parse_kept(match[4]), report, oracle.Setup(), False,
                    False)


@pytest.mark.parametrize("view", ["-q", "-v", "-h100", "-M", "-u"])
def test_in_every_view(run, view):
    """The lines are there, and one cycle was measured."""
    result = run("--default-system", view, "-b", 1, *FILES)
    assert (result.returncode, result.stderr) == (2, "")
    assert result.json()["twoway"]["cycles"] == len(result.dump()) == 1
    for begin in ("# Break thread: ", "# Break value: ", "# Break: response "):
        found = re.findall(f"^{begin}", result.stdout, re.MULTILINE)
        assert len(found) == 1, begin


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_warmup_does_not_count(run, setup):
    """Nor does it break the run."""
    result = run(*arguments(setup), "-N", "--warmup=50", "-b", 1, *FILES)
    json = schema.check(result.text("json"))
    assert json["twoway"]["warmup"]["cycles"] == 50
    assert json["twoway"]["break"]["cycle"] == 0
    assert len(result.dump()) == json["twoway"]["cycles"] == 1


@pytest.mark.parametrize("role, metric", [
    ("client", "total"), ("client", "planned"), ("server", "response")])
def test_a_side_that_is_held_up(start, tmp_path, role, metric):
    """Stopped for long: whichever cycle was under way ends the run."""
    before = kept.now()
    process = start("--default-system", "-q", "-b", 500000, *FILES,
                    f"--break-on={metric}")
    side = process.steady()[role]
    os.kill(side, signal.SIGSTOP)
    assert outside.wait_for(lambda: outside.status(side, "State")[:1] == "T")
    time.sleep(0.7)
    os.kill(side, signal.SIGCONT)
    assert process.finish() == 2, process.err
    json = schema.check((tmp_path / "json").read_text())
    report = json["twoway"]["break"]
    cycles = twoway.read_dump(tmp_path / "dump")
    last = cycles[-1]
    assert report["metric"] == metric
    assert report["cycle"] == last.cycle == len(cycles) - 1
    assert report["value_ns"] > 500000000
    for name, value in (("send", last.t1_ns - last.t0_ns),
                        ("response", last.t3_ns - last.t0_ns),
                        ("wakeup", last.t0_ns - last.planned_ns)):
        assert report[f"{name}_ns"] == value
    at = datetime.datetime.strptime(report["time"],
                                    "%Y-%m-%dT%H:%M:%S.%f%z")
    assert before <= at <= kept.now()


def test_a_ramp_ends(start, tmp_path):
    """With the step that it broke in; the table has the steps so far."""
    for _ in range(3):
        with open(tmp_path / "out", "w+", encoding="ascii") as output:
            process = start("--default-system", "-q", "-N", "-b", 80000,
                            "--break-on=total", "--load=fft", "--steps=4",
                            "-l", 1500, *FILES, stdout=output)
            if outside.wait_for(
                    lambda: "# Step 2/" in outside.read(tmp_path / "out"),
                    10):
                client = process.steady()["client"]
                os.kill(client, signal.SIGSTOP)
                time.sleep(0.15)
                os.kill(client, signal.SIGCONT)
            assert process.finish() == 2, process.err
        json = schema.check((tmp_path / "json").read_text())
        # A busy host may have held it up before.
        if json["twoway"]["break"]["step"] == 1:
            break
    report = json["twoway"]["break"]
    steps = json["twoway"]["steps"]
    assert report["step"] == 1 and len(steps) == 2
    assert steps[0]["cycles"] == 1500
    assert report["cycle"] == steps[1]["cycles"] - 1
    last = twoway.read_dump(tmp_path / "dump")[-1]
    assert last.cycle == report["cycle"]
    text = (tmp_path / "out").read_text()
    table, _, rest = text.partition("# Break thread: ")
    assert len(ramp.parse(table, "fft", 4, "ns").steps) == 2
    line = next(line for line in rest.splitlines()
                if line.startswith("# Break: total "))
    kept.check_text(kept.parse_kept(kept.BREAK.fullmatch(line)[4]), report,
                    oracle.Setup(), True, True)


def test_a_ramp_that_breaks_at_once(tmp_path):
    view = viewed(tmp_path, SETUPS["default"], "send", 1, "--load=fft",
                  "--steps=3")
    assert view.check_first_above()
    view.check_report()
    view.check_lines()
    assert len(view.json["twoway"]["steps"]) == 1


def test_interrupted_before_it_breaks(start, tmp_path):
    process = start("--default-system", "-q", "-b", 10 ** 9, "--json=json")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    json = schema.check((tmp_path / "json").read_text())
    assert json["twoway"]["break"] is None
    assert json["twoway"]["interrupted"] is True


def test_an_error_beats_a_break(start, tmp_path):
    """A side that was killed: no break, and 1."""
    process = start("--default-system", "-q", "-b", 10 ** 9, "--json=json")
    os.kill(process.steady()["client"], signal.SIGKILL)
    assert process.finish() == 1
    json = schema.check((tmp_path / "json").read_text())
    assert json["return_code"] == 1 and json["twoway"]["break"] is None


LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 0x40000, 2
TRACING = "/sys/kernel/tracing"


def mounts():
    with open("/proc/self/mounts", encoding="utf-8") as file:
        return [line.split()[1] for line in file
                if line.split()[2] == "tracefs"]


def call(result, what):
    if result:
        raise OSError(ctypes.get_errno(), what)


def private_mounts():
    """What is mounted from here on is seen by this process alone."""
    call(LIBC.unshare(CLONE_NEWNS), "unshare")
    call(LIBC.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount")


def without_tracefs():
    private_mounts()
    for path in mounts():
        call(LIBC.umount2(path.encode(), MNT_DETACH), path)


def with_tracefs():
    private_mounts()
    if not mounts():
        call(LIBC.mount(b"nodev", TRACING.encode(), b"tracefs", 0, None),
             "mount")


def without_right():
    with_tracefs()
    outside.nobody()()


def nobody_without_tracefs():
    without_tracefs()
    outside.nobody()()


def possible(prepare):
    """Why a child cannot be prepared so here; empty if it can."""
    pid = os.fork()
    if not pid:
        status = 0
        try:
            prepare()
        except OSError as error:
            status = error.errno
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return os.strerror(status) if status else ""


NO_TRACE = {
    "no tracefs, root": (
        without_tracefs, "tracefs is not mounted",
        "as root: mount -t tracefs nodev /sys/kernel/tracing"),
    "no tracefs": (
        nobody_without_tracefs, "tracefs is not mounted",
        "as root: mount -t tracefs nodev /sys/kernel/tracing"),
    "no right": (without_right, "Permission denied", "it needs root"),
}


@pytest.mark.parametrize("options, option", [
    (("--trace",), "--trace"), (("--tracemark",), "--tracemark"),
    (("--trace=sched_switch",), "--trace"),
    (("--trace", "--tracemark"), "--tracemark")],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "")
@pytest.mark.parametrize("prepare, what, mend", NO_TRACE.values(),
                         ids=NO_TRACE)
def test_no_trace_to_be_had(run, tmp_path, options, option, prepare, what,
                            mend):
    """It says what is missing, and starts and leaves nothing."""
    why = possible(prepare)
    if why:
        pytest.skip(f"cannot be tested as this user, on this kernel: {why}")
    tmp_path.chmod(0o777)
    result = run("--default-system", "-q", "-l", 9, "-b", 1, *options, *FILES,
                 preexec_fn=prepare)
    assert result.returncode == 1
    assert not result.stdout and not result.files
    line, *rest = result.stderr.split("\n")
    assert rest == [""], f"not one line: {result.stderr!r}"
    assert line.startswith(f"twowaytest: {option}: "), line
    assert what in line and mend in line, line


def test_as_whoever_runs_the_tests(run):
    """Without anything prepared: it works, or says what is missing."""
    result = run("--default-system", "-q", "-b", 1, "--trace", "--json=json")
    if result.returncode == 1:
        assert result.stderr.startswith("twowaytest: --trace: ")
        assert not result.files and not result.stdout
    else:
        assert result.returncode == 2 and not result.stderr
        assert result.files == {"json", "twowaytest-trace.txt"}
        json = schema.check(result.text("json"))
        report = json["twoway"]["break"]
        assert report["marked"] is True
        assert report["trace_file"] == "twowaytest-trace.txt"
    for path in mounts():
        try:
            left = os.listdir(f"{path}/instances")
        except OSError as error:
            assert error.errno in (errno.EACCES, errno.ENOENT)
            continue
        assert f"twowaytest-{result.pid}" not in left
