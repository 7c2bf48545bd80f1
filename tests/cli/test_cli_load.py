# SPDX-License-Identifier: GPL-2.0-or-later
"""The load: at work while cycles are measured, and nothing left of it."""

import os
import re
import resource
import shutil
import signal
import subprocess

import pytest

import formats
import outside
import schema

QUICK = ("--default-system", "-q", "-i", 1000, "--json=json")
# What stdout may hold of a run that has not begun to measure.
SETTING = re.compile(r"(# /dev/cpu_dma_latency set to \d+us\n)?")


needs_io = pytest.mark.skipif(
    not os.path.exists("/proc/self/io"),
    reason="this kernel counts no writes: CONFIG_TASK_IO_ACCOUNTING")


def load_line(kind, workers, work):
    """The remark that a run with a load ends with; fails if it has none."""
    def check(result, json):
        line, = (line for line in result.stdout.splitlines()
                 if line.startswith("# Load: "))
        load = json["twoway"]["load"]
        match = re.fullmatch(rf"# Load: {kind}, {workers}, ([\d.]+) {work} "
                             r"a second, ([\d.]+) a [a-z]+", line)
        assert match, line
        assert abs(float(match[1]) - load["work_per_second"]) <= 0.051
        assert abs(float(match[2]) -
                   load["work_per_second_and_worker"]) <= 0.051
    return check


def measured(result):
    assert (result.returncode, result.stderr) == (0, "")
    json = schema.check(result.text("json"))
    load = json["twoway"]["load"]
    rate = load["work"] / load["elapsed_s"]
    assert abs(load["work_per_second"] - rate) <= 0.001 + rate * 1e-4
    if load["workers"]:
        assert abs(load["work_per_second_and_worker"] * load["workers"] -
                   rate) <= load["workers"] * 0.001 + rate * 1e-4
    return json, load


def refused(result, *says):
    """Told in one line, before anything was measured."""
    assert result.returncode == 1
    assert SETTING.fullmatch(result.stdout), result.stdout
    assert result.files == set()
    line, *rest = result.stderr.split("\n")
    assert rest == [""] and line.startswith("twowaytest: --load="), \
        result.stderr
    for words in says:
        assert words in line, line


@pytest.mark.parametrize("workers", [1, 2])
def test_fft(run, workers):
    """That no scratch file is left is seen by whoever runs it."""
    result = run(*QUICK, "-D", 2, f"--load=fft:{workers}")
    json, load = measured(result)
    assert load["kind"] == "fft" and load["workers"] == workers
    assert load["work"] > 0 and load["work_errors"] == 0
    assert load["restarts"] == 0
    assert (load["policy"], load["priority"]) == ("other", 0)
    assert load["cpus"] is None
    many = "worker" if workers == 1 else "workers"
    load_line("fft", f"{workers} {many}", "transforms")(result, json)
    assert not json["twoway"]["throttling"]["possible"]


def as_nobody(**limits):
    """Options to run as somebody without rights but @limits."""
    if os.geteuid():
        return {}
    return {"preexec_fn": outside.nobody(**limits)}


def test_fft_without_privilege(run):
    """Nothing of it needs root."""
    result = run("--default-system", "-q", "-l", 500, "--load=fft",
                 **as_nobody())
    assert (result.returncode, result.stderr) == (0, "")
    line, = (line for line in result.stdout.splitlines()
             if line.startswith("# Load: fft, 1 worker, "))
    assert float(line.split()[5]) > 0


def workers_of(process, name):
    """Main's children of that name."""
    return [pid for pid in process.children()
            if outside.read(f"/proc/{pid}/comm").strip() == name]


def run_seconds(pid):
    """CPU time that it has had."""
    return int(outside.read(f"/proc/{pid}/schedstat").split()[0]) / 1e9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGKILL], ids=lambda n: n.name)
def test_workers_end_with_the_run(start, number):
    process = start("--default-system", "-q", "--load=fft:3")
    process.steady()
    workers = workers_of(process, "twoway-fft")
    assert len(workers) == 3
    assert {outside.settings(pid)["policy"] for pid in workers} == {"other"}
    assert outside.wait_for(lambda: min(map(run_seconds, workers)) > 0.001)
    process.signal(number)
    process.finish()
    assert process.gone()


def test_worker_that_dies_ends_the_run(start, tmp_path):
    process = start(*QUICK, "--load=fft:2")
    process.steady()
    victim = workers_of(process, "twoway-fft")[1]
    os.kill(victim, signal.SIGKILL)
    assert process.finish() == 1
    assert process.gone()
    json = schema.check((tmp_path / "json").read_text())
    error = json["twoway"]["error"]
    assert "load" in error and str(victim) in error and "signal 9" in error
    assert process.err == f"twowaytest: {error}\n"
    assert json["twoway"]["cycles"] > 0


def test_scratch_files_have_no_name(start, tmp_path):
    """Not while it runs either; they lie where $TMPDIR says."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start("--default-system", "-q", "--load=fft",
                    env={"TMPDIR": str(scratch)})
    process.steady()
    worker, = workers_of(process, "twoway-fft")
    assert outside.wait_for(lambda: any(
        path.startswith(str(scratch)) for path in outside.open_files(worker)))
    assert not list(scratch.iterdir())
    process.signal(signal.SIGKILL)
    process.finish()
    assert process.gone()
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("steps", [1, 3])
def test_no_place_for_scratch_files(start, tmp_path, steps):
    missing = tmp_path / "missing"
    process = start(*QUICK, "-l", 9, "--load=fft", f"--steps={steps}",
                    env={"TMPDIR": str(missing)})
    assert process.finish() == 1 and process.gone()
    assert process.out == "" and not os.listdir(tmp_path)
    assert process.err == (
        f"twowaytest: --load=fft: cannot make a scratch file in {missing} "
        "($TMPDIR): No such file or directory\n")


def test_no_leave_to_write_scratch_files(start, tmp_path):
    """Anybody but root is kept out of a directory."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    process = start("--default-system", "-q", "-l", 9, "--load=fft",
                    env={"TMPDIR": "closed"}, **as_nobody())
    assert process.finish() == 1 and process.gone()
    assert process.err == (
        "twowaytest: --load=fft: cannot make a scratch file in closed "
        "($TMPDIR): Permission denied\n")


def test_command(run):
    """Started again whenever it has ended."""
    result = run(*QUICK, "-D", 2, "--load=command:echo x >>file; sleep 0.02")
    assert result.files == {"json", "file"}
    json, load = measured(result)
    assert load["kind"] == "command" and load["workers"] == 1
    assert load["command"] == "echo x >>file; sleep 0.02"
    assert load["work"] == load["restarts"] > 1
    # Those before the first cycle, and the last, are not counted.
    assert len(result.text("file").splitlines()) >= load["work"] + 1
    load_line("command", "1 copy", "completed runs")(result, json)


def test_command_knows_the_step(run):
    """Copies find how many they are in their environment."""
    result = run(*QUICK, "-l", 100, "--steps=4", "--load=command:"
                 "echo $TWOWAYTEST_STEP $TWOWAYTEST_WORKERS $$ >>file; "
                 "sleep 9")
    measured(result)
    lines = [tuple(map(int, line.split()))
             for line in result.text("file").splitlines()]
    assert sorted(line[:2] for line in lines) == [
        (1, 1), (2, 2), (2, 2), (3, 3), (3, 3), (3, 3)]
    assert len({line[2] for line in lines}) == 6


def test_command_without_a_ramp(run):
    result = run(*QUICK, "-l", 50, "--load=command:"
                 'echo $TWOWAYTEST_STEP $TWOWAYTEST_WORKERS >>file; sleep 9')
    assert result.text("file") == "0 1\n"


def test_what_a_command_prints_is_not_ours(run):
    result = run(*QUICK, "-l", 50,
                 "--load=command:echo out; echo err >&2; sleep 9")
    measured(result)
    formats.parse_statuses(formats.body(result.stdout))


def test_the_whole_tree_of_a_command_ends(run):
    """Also who left its session, as whoever runs it sees to."""
    if not shutil.which("setsid"):
        pytest.skip("setsid is not installed")
    result = run(*QUICK, "-l", 100, "--load=command:"
                 "setsid sh -c 'sleep 99 & sleep 99' & sleep 99 & wait")
    measured(result)


@pytest.mark.parametrize("command, says", {
    "exit 3": "ended with exit status 3",
    "echo what is wrong >&2; exit 1":
        "ended with exit status 1; it wrote: what is wrong",
    "no-such-program":
        "ended with exit status 127; it wrote: ",
    "kill -TERM $$": "killed by signal 15",
    "(": "yntax error",
}.items())
def test_command_that_fails_at_once(run, command, says):
    refused(run(*QUICK, "-l", 9, f"--load=command:{command}"),
            f"--load=command:{command}: ", says)


def test_long_command_that_fails(run):
    """It is known by its beginning; a message is one line."""
    refused(run(*QUICK, "-l", 9, "--load=command:exit 3;" + "x" * 99),
            "--load=command:exit 3;" + "x" * 53 + "...: ended with ")
    refused(run(*QUICK, "-l", 9, "--load=command:exit 3\necho"),
            "--load=command:exit 3...: ended with exit status 3")


@pytest.mark.parametrize("word", ["command", "command:"])
def test_no_command(run, word):
    refused(run(*QUICK, "-l", 9, f"--load={word}"),
            "--load=command: what is it to run?")


def test_request_for_latency_comes_before_a_failing_load(run):
    """All that may stand on stdout then is a remark."""
    result = run("-q", "-l", 9, "--load=command:false")
    assert result.returncode == 1
    assert SETTING.fullmatch(result.stdout)
    assert "--load=command:false: ended with exit status 1" in result.stderr


def test_command_that_fails_later(run, tmp_path):
    """What was measured until then is not lost."""
    (tmp_path / "later").write_text(
        "until [ $(wc -l <dump.partial) -gt 9 ]; do sleep 0.05; done\n"
        "echo tired >&2; exit 4\n")
    load = "--load=command:. ./later"
    error = f"{load}: ended with exit status 4; it wrote: tired"
    result = run(*QUICK, "--dump=dump", load)
    assert result.returncode == 1
    assert result.stderr == f"twowaytest: {error}\n"
    json = schema.check(result.text("json"))
    assert json["return_code"] == 1
    assert json["twoway"]["error"] == error
    assert json["twoway"]["cycles"] > 0


def test_command_that_fails_in_a_ramp(run):
    """The first step has no load, and is kept."""
    result = run(*QUICK, "-l", 500, "--steps=3", "--load=command:exit 5")
    assert result.returncode == 1
    assert result.stderr == \
        "twowaytest: --load=command:exit 5: ended with exit status 5\n"
    json = schema.check(result.text("json"))
    step, = json["twoway"]["steps"]
    assert step["cycles"] == json["twoway"]["cycles"] == 500
    assert step["thread"] == json["thread"]
    assert "# Step 1/3" in result.stdout
    assert "# Step 2/3" not in result.stdout


@pytest.mark.parametrize("steps", [1, 3])
def test_hackbench_is_missing(run, tmp_path, steps):
    """Told before the first step, which would not need it."""
    (tmp_path / "empty").mkdir()
    result = run(*QUICK, "-l", 9, "--load=hackbench", f"--steps={steps}",
                 env={"PATH": str(tmp_path / "empty")})
    refused(result, "--load=hackbench: hackbench is not in PATH", "rt-tests")


def test_hackbench_that_fails_at_once(run):
    if not shutil.which("hackbench"):
        pytest.skip("hackbench is not installed")
    refused(run(*QUICK, "-l", 9, "--load=hackbench", "--load-args=--bogus"),
            "--load=hackbench: ")


@needs_io
def test_hackbench(run):
    """Short runs: it ends again and again, and is started again."""
    if not shutil.which("hackbench"):
        pytest.skip("hackbench is not installed")
    result = run(*QUICK, "-D", 3, "--load=hackbench:1", "--load-args=-l 5")
    json, load = measured(result)
    assert load["kind"] == "hackbench" and load["workers"] == 1
    assert load["arguments"] == "-l 5" and load["command"] is None
    assert load["restarts"] > 0
    load_line("hackbench", "1 group", "messages")(result, json)
    # 20 senders to 20 receivers, and some words to begin with. What begins
    # or ends while it is counted may be counted twice, or not at all.
    runs = load["work"] / (20 * 20 * 5)
    assert load["restarts"] - 2 <= runs <= 1.2 * (load["restarts"] + 3)


@needs_io
def test_hackbench_within_a_run(run):
    """Its usual number of loops takes longer than this test."""
    if not shutil.which("hackbench"):
        pytest.skip("hackbench is not installed")
    result = run(*QUICK, "-D", 1, "--load=hackbench:1")
    json, load = measured(result)
    assert load["work"] > 0
    load_line("hackbench", "1 group", "messages")(result, json)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL],
                         ids=lambda n: n.name)
@pytest.mark.parametrize("load", ["hackbench:2", "command:sleep 99 & wait"])
def test_others_end_with_the_run(start, load, number):
    if load.startswith("hackbench") and not shutil.which("hackbench"):
        pytest.skip("hackbench is not installed")
    process = start("--default-system", "-q", f"--load={load}")
    process.steady()
    keeper, = workers_of(process, "twoway-keeper")
    supervisor, = outside.children(keeper)
    assert [supervisor] == process.named("twoway-load")
    assert outside.wait_for(lambda: len(process.processes()) >= 7)
    process.signal(number)
    process.finish()
    assert process.gone()


def ordinary(start, *words, **limits):
    """A run by somebody who has no rights but @limits; its end."""
    if limits and os.geteuid():
        pytest.skip("only root can give a user limits")
    try:
        process = start(*words, **as_nobody(**limits))
    except subprocess.SubprocessError:
        pytest.skip(f"root may not raise limits here: {limits}")
    assert process.finish() == 1, process.out
    assert process.gone() and not process.out
    line, *rest = process.err.split("\n")
    assert rest == [""], process.err
    return line


def test_reference_set_up_needs_rights(start):
    if os.geteuid() and resource.getrlimit(resource.RLIMIT_RTPRIO)[0]:
        pytest.skip("this user may use real-time priorities")
    line = ordinary(start, "--trltp")
    assert line.startswith("twowaytest: --priority=98: no right to policy "
                           "fifo: ")
    assert "at least 99, which is 0 here" in line


def test_reference_set_up_has_main_above_the_client(start):
    """A limit that does for the client does not do for main."""
    line = ordinary(start, "--trltp", RTPRIO=98)
    assert "at least 99, which is 98 here" in line
    line = ordinary(start, "--trltp", RTPRIO=99, MEMLOCK=0)
    assert "--mlockall" in line and "RLIMIT_MEMLOCK is 0 KiB" in line


def test_throttling_is_lifted_by_root_only(start):
    with outside.Turn():
        before = outside.rt_runtime()
        line = ordinary(start, "--rt-runtime=900000")
        assert outside.rt_runtime() == before
    assert line.startswith("twowaytest: --rt-runtime=900000: cannot write "
                           "/proc/sys/kernel/sched_rt_runtime_us: ")
    assert "needs root" in line
