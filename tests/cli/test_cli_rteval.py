# SPDX-License-Identifier: GPL-2.0-or-later
"""rteval's measurement module, driven as rteval does."""

import json
import math
import os
import pathlib
import shlex
import signal
import subprocess
import time

import pytest

import outside
import rteval_stub
import twowaytest

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / \
    "contrib" / "rteval" / "twowaytest.py"

# Priority and locked memory want privilege, which the module always asks for:
# the program that it finds leaves them out.
ORDINARY = """\
#!/bin/sh
for word; do
    shift
    case $word in -m|-p*) ;; *) set -- "$@" "$word" ;; esac
done
exec {program} "$@"
"""
# A program that writes something else in place of the results.
WRITES = """\
#!/bin/sh
for word; do
    case $word in --json=*) json=${{word#*=}} ;; esac
done
trap 'exit 0' INT
{text}
"""


METRICS = {"latency", "interval", "send", "sleep", "receive", "response",
           "total", "wakeup", "planned", "network"}


class Module:
    """The module between its thread's start and its report."""

    def __init__(self, directory, program, **config):
        self.directory = directory
        if program:
            path = directory / "bin" / "twowaytest"
            path.parent.mkdir()
            path.write_text(program)
            path.chmod(0o755)
        self.log = rteval_stub.Log()
        loaded = rteval_stub.load(PATH)
        self.config = rteval_stub.Section(**config)
        self.module = loaded.create(self.config, self.log)
        self.parameters = loaded.ModuleParameters()

    def begin(self):
        self.module.start()
        outside.wait_for(lambda: self.module.ready or self.module.failed)
        self.module.start_event.set()

    def start(self):
        """Until it runs; the program's process and what that has started."""
        self.begin()
        return outside.wait_for(self.module.get_subprocess_pids)

    def begin_and_end(self):
        """For a program that ends by itself."""
        self.begin()
        assert outside.wait_for(lambda: self.log.lines)
        assert outside.wait_for(lambda: not self.module.WorkloadAlive())

    def sides(self):
        """The pids of server and client."""
        found = {outside.read(f"/proc/{pid}/comm").strip(): pid
                 for pid in self.module.get_subprocess_pids()}
        return [found[f"twoway-{role}"] for role in outside.SIDES
                if f"twoway-{role}" in found]

    def stop(self):
        """Stops it; its report, and how long that took."""
        began = time.monotonic()
        self.module.stop_event.set()
        assert self.module.finished_event.wait(20)
        self.module.join()
        return self.module.MakeReport(), time.monotonic() - began

    def measuring(self):
        """Waits for it to have measured some cycles."""
        assert outside.wait_for(
            lambda: outside.measuring(self.sides())), self.log.lines


@pytest.fixture
def make(tmp_path, monkeypatch):
    made = []

    def module(program=None, **config):
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
        made.append(Module(tmp_path, program or ORDINARY.format(
            program=shlex.quote(twowaytest.binary())), **config))
        return made[-1]

    yield module
    for module in made:
        for pid in module.module.get_subprocess_pids():
            os.kill(pid, signal.SIGKILL)


def reasons(report):
    """Why rteval is to fail."""
    return [node.properties["reason"]
            for node in report.named("abort_report")]


def check(report):
    """That the report has all metrics, and that its numbers agree."""
    found = report.named("metric")
    assert {node.properties["id"] for node in found} == \
        METRICS
    for node in found:
        values = {child.name: float(child.content)
                  for child in node.one("statistics").children}
        assert values["samples"] > 0
        assert values["minimum"] <= values["mean"] <= values["maximum"]
        assert values["standard_deviation"] >= 0
        if node.properties["id"] != "latency":
            assert not node.named("histogram")
            continue
        histogram = node.one("histogram")
        buckets = {int(bucket.properties["index"]):
                   int(bucket.properties["value"])
                   for bucket in histogram.named("bucket")}
        assert list(buckets) == sorted(buckets)
        assert len(buckets) == int(histogram.properties["nbuckets"])
        assert 0 < sum(buckets.values()) <= values["samples"]
        if sum(buckets.values()) == values["samples"]:
            assert max(buckets) == math.floor(values["maximum"])
            assert min(buckets) == math.floor(values["minimum"])


def test_processes(monkeypatch):
    """Those that measure; on a kernel that does not list them, the parent."""
    loaded = rteval_stub.load(PATH)
    with subprocess.Popen(["sleep", "60"]) as child:
        try:
            assert {os.getpid(), child.pid} <= {
                *loaded.thread_pids(os.getpid())}
        finally:
            child.kill()

    def missing(path, **_):
        raise FileNotFoundError(path)
    monkeypatch.setattr(loaded, "open", missing, raising=False)
    assert loaded.thread_pids(os.getpid()) == [os.getpid()]


def test_a_run(make, tmp_path, monkeypatch):
    """SIGINT ends it, and the results are there in time; no file is left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    module = make()
    main, *_ = module.start()
    module.measuring()
    assert module.module.WorkloadAlive() and module.module.latency_test
    assert module.module.get_subprocess_pids()[0] == main
    report, took = module.stop()
    assert took < 10
    assert report.name == "twowaytest"
    assert all(map(rteval_stub.UNANSWERED.fullmatch, reasons(report)))
    check(report)
    assert not module.module.WorkloadAlive() and not module.module.failed
    assert len(module.log.errors()) == len(reasons(report))
    assert not outside.alive(main)
    assert not list(temporary.iterdir())


def test_the_whole_results_are_kept(make, tmp_path):
    (tmp_path / "twowaytest.json").write_text("of a run before")
    module = make(reportdir=str(tmp_path))
    module.start()
    module.measuring()
    report, _ = module.stop()
    results = outside.load_json(tmp_path / "twowaytest.json")
    assert results["return_code"] == 0
    assert results["twoway"]["interrupted"]
    for node in report.named("metric"):
        thread = results["thread"]["0"]["phases"][node.properties["id"]]
        statistics = node.one("statistics")
        for name, key in (("samples", "cycles"), ("minimum", "min"),
                          ("maximum", "max"), ("mean", "avg"),
                          ("standard_deviation", "stddev")):
            assert float(statistics.one(name).content) == thread[key]


def words(make, **config):
    module = make(program=WRITES.format(
        text='printf "%s\\n" "$@" >"${0%/*}/words"'), **config)
    module.begin_and_end()
    report, _ = module.stop()
    found = (module.directory / "bin" / "words").read_text().splitlines()
    assert shlex.split(report.properties["command_line"])[1:] == found
    return [word for word in found if not word.startswith("--json=")]


def test_defaults(make):
    assert words(make) == ["-q", "-m", "-p95", "-i1000", "--sleep=100",
                           "-h3500", "-a"]


def test_configured(make):
    """rteval's configuration has text, its command line's defaults not."""
    assert words(make, priority="50", interval=100, buckets="100", sleep="20",
                 cpulist="0,2-3", usingCpupower=True) == [
        "-q", "-m", "-p50", "-i100", "--sleep=20", "-h100", "-a0,2-3",
        "--default-system"]


def test_parameters(make):
    """Each has what rteval makes an option of, and is used."""
    for name, parameter in make().parameters.items():
        assert parameter["descr"] and parameter["metavar"]
        assert f"{parameter['default']}" in " ".join(
            ["-p95", "-i1000", "--sleep=100", "-h3500"]), name


def failure(module):
    """What the report says of a run without results."""
    report, _ = module.stop()
    assert not report.named("metric")
    assert [f"[twowaytest] {reason}" for reason in reasons(report)] == \
        module.log.errors()
    return reasons(report)


WHOLE = '{"thread": {"0": {"metric": "latency", "cycles": 1, "min": 1, ' \
    '"max": 1, "avg": 1.0, "stddev": 0.0, "phases": {}, ' \
    '"histogram": {"1": 1}}}}'
EARLY = "twowaytest ended before rteval stopped it"
BAD = {
    "no file": "exit 0",
    "empty": ': >"$json"',
    "truncated": f"printf '%s' '{WHOLE[:-7]}' >\"$json\"",
    "no JSON": 'echo "# Histogram" >"$json"',
    "no object": 'echo "[1, 2]" >"$json"',
    "no threads": "echo '{}' >\"$json\"",
    "a list of threads": "echo '{\"thread\": [1]}' >\"$json\"",
    "a value missing": f"echo '{WHOLE}' | sed 's/\"max\": 1, //' >\"$json\"",
    "no number": f"echo '{WHOLE}' | sed 's/\"max\": 1/\"max\": \"a\"/'"
                 ' >"$json"',
    "null": f"echo '{WHOLE}' | sed 's/\"max\": 1/\"max\": null/' >\"$json\"",
    "bad histogram": f"echo '{WHOLE}' | sed 's/{{\"1\": 1}}/{{\"x\": 1}}/'"
                     ' >"$json"',
    "not text": "printf '\\377\\376' >\"$json\"",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_bad_results(make, text, tmp_path):
    """And good ones of a run before are not taken for this run's."""
    (tmp_path / "twowaytest.json").write_text(WHOLE)
    module = make(program=WRITES.format(text=text), reportdir=str(tmp_path))
    module.begin_and_end()
    early, reason = failure(module)
    assert early == EARLY and reason.startswith("no results: ")


@pytest.mark.parametrize("early", [False, True])
def test_good_results_of_the_same_kind(make, early, tmp_path):
    """That the bad ones are refused for what is bad about them."""
    text = f"echo '{WHOLE}' >\"$json\"; : >\"${{0%/*}}/written\""
    module = make(program=WRITES.format(text=text if early else text +
                                        "; while :; do sleep 0.1; done"))
    if early:
        module.begin_and_end()
    else:
        module.start()
        assert outside.wait_for((tmp_path / "bin/written").exists)
    report, _ = module.stop()
    assert [node.properties["id"] for node in report.named("metric")] == \
        ["latency"]
    assert reasons(report) == [EARLY] * early


MOVED = {"policy": "other", "priority": 0, "cpus": "0-1"}
DISTURBED = [
    ({"clock_set": {"times": 2, "largest_ns": 5000, "left_out": 3}},
     ["the clock was set 2 times while twowaytest ran; 3 cycles have no values"]),
    ({"suspended_us": 1500000},
     ["the system was suspended for 1500000 us while twowaytest ran"]),
    ({"pairs": [{"client": {"changed": None}, "server": {"changed": MOVED}},
                {"client": {"changed": MOVED}, "server": None}]},
     ["pair 0: the server has policy other, priority 0, CPUs 0-1 since "
      "somebody changed it while it ran",
      "pair 1: the client has policy other, priority 0, CPUs 0-1 since "
      "somebody changed it while it ran"]),
    ({"clock_set": {"times": 0, "largest_ns": 0, "left_out": 0},
      "suspended_us": 0, "unanswered": [], "pairs": [
          {"client": {"changed": None}, "server": {"changed": None}}]}, [])]


@pytest.mark.parametrize("members, said", DISTURBED)
def test_what_the_json_says_of_the_run(make, tmp_path, members, said):
    """The results are reported, and that the run is no good one."""
    found = json.loads(WHOLE) | {"twoway": members}
    module = make(program=WRITES.format(
        text=f"echo '{json.dumps(found)}' >\"$json\"; : >\"${{0%/*}}/written\""
             "; while :; do sleep 0.1; done"))
    module.start()
    assert outside.wait_for((tmp_path / "bin/written").exists)
    report, _ = module.stop()
    assert [node.properties["id"] for node in report.named("metric")] == \
        ["latency"]
    assert reasons(report) == said
    assert module.log.errors() == [f"[twowaytest] {reason}" for reason in said]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_others_end(make, number):
    """It is as short as they like, and its results are whole."""
    module = make()
    main, *_ = module.start()
    module.measuring()
    os.kill(main, number)
    assert outside.wait_for(lambda: not module.module.WorkloadAlive())
    report, _ = module.stop()
    assert reasons(report)[0] == EARLY
    check(report)


def test_a_refusal_is_reported(make):
    module = make(interval="50")
    module.begin_and_end()
    refused, none = failure(module)
    assert refused.startswith("FATAL: --interval=50: ")
    assert refused.endswith("; for this interval, give --sleep=10")
    assert none.startswith("no results: ")


def test_a_run_that_breaks_off(make):
    """The results so far are reported, and that it broke off."""
    module = make()
    module.start()
    module.measuring()
    side = module.sides()[0]
    os.kill(side, signal.SIGKILL)
    assert outside.wait_for(lambda: not module.module.WorkloadAlive())
    report, _ = module.stop()
    reason = reasons(report)[0]
    assert f"(pid {side})" in reason
    check(report)


def test_a_server_that_hangs(make):
    """rteval ends each run by SIGINT: that is no failure, but a reply that
    never came is."""
    module = make()
    module.start()
    module.measuring()
    client, server = module.sides()[::-1]
    os.kill(server, signal.SIGSTOP)
    time.sleep(0.6)
    module.module.stop_event.set()
    assert outside.wait_for(lambda: not outside.alive(client))
    os.kill(server, signal.SIGCONT)
    report, _ = module.stop()
    reason, = reasons(report)
    assert int(rteval_stub.UNANSWERED.fullmatch(reason)[1]) >= 100000
    maxima = {node.properties["id"]: float(node.one("statistics").one(
        "maximum").content) for node in report.named("metric")}
    assert maxima["response"] >= 500000 > maxima["send"]


def test_it_is_started_once(make):
    """rteval calls its task again and again."""
    module = make(program=WRITES.format(
        text='echo x >>"${0%/*}/starts"'))
    module.begin_and_end()
    time.sleep(10 * rteval_stub.Prototype.ROUND_S)
    module.stop()
    assert (module.directory / "bin" / "starts").read_text() == "x\n"


def test_one_that_does_not_end(make, monkeypatch):
    module = make(program="#!/bin/sh\ntrap '' INT TERM\n"
                          ": >\"${0%/*}/trapped\"\nwhile :; do sleep 0.1; "
                          "done\n")
    monkeypatch.setitem(vars(type(module.module))["_WorkloadCleanup"]
                        .__globals__, "END_S", 0.3)
    main, *_ = module.start()
    assert outside.wait_for((module.directory / "bin/trapped").exists)
    assert failure(module)[0].startswith("twowaytest did not end within")
    assert not outside.alive(main)


def test_without_the_program(make, tmp_path):
    module = make()
    (tmp_path / "bin" / "twowaytest").unlink()
    if os.path.exists("/usr/bin/twowaytest"):
        pytest.skip("twowaytest is installed")
    module.module.start()
    module.module.join(20)
    assert module.module.failed and not module.module.ready
    assert "not found in PATH" in str(module.module.error)


def test_never_started(make):
    """rteval stops what has not begun as well."""
    module = make()
    module.module._WorkloadCleanup()
    assert module.module.finished_event.is_set()
    assert module.module.MakeReport().children == []
