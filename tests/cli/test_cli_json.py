# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON results: valid whatever the command line, as the schema says."""

import datetime
import os
import signal
import time

import pytest

import formats
import outside
import schema

QUICK = ("--default-system", "-q", "-l", 30, "-i", 500)

RUNS = {
    "plain": (),
    "histogram": ("-h", 400),
    "histofall, ns": ("-H", 50, "-N"),
    "percentiles": ("--percentiles=0.00001,10,50",),
    "one metric": ("--metrics=planned",),
    "all metrics": ("--metrics=network,planned,wakeup,total,response,receive,"
                    "sleep,send,interval",),
    "closed loop": ("-i", 0, "--sleep=0", "-h", 100),
    "trltp3": ("--total=trltp3",),
    "pinned": ("-a", "--warmup=0"),
    "pinned to a set": ("-a", "all"),
    "one cycle": ("-l", 1, "-h", 1),
    "two cycles": ("-l", 2),
    "realtime clock": ("-c", "1", "--timer=timerfd"),
    "large": ("--size=65536", "--wait=busy", "--warmup=9"),
    "every policy": ("--policy=idle", "-D", "9"),
    "with a request": ("--latency=3",),
    "load": ("--load=fft:2", "-h", 90),
    "command": ("--load=command:sleep 9", "--load-affinity=all"),
    "ramp": ("--load=fft", "--steps=3", "-H", 90, "-N", "-a"),
    "log": ("--trltp-log=/dev/null",),
    "spikes": ("--spike=1", "--spike-nodes=3", "--worst"),
    "no spikes": ("--spike=1000000000", "-i", 0),
    "limits": ("--limit=total:1000000000", "--limit=send:p10:1000000000",
               "--limit=missed:1000000000"),
    "counter": ("--clock=tsc",),
    "armed": ("-b", 10 ** 9, "--break-on=planned"),
}


@pytest.mark.parametrize("words", RUNS.values(), ids=RUNS)
def test_schema(run, words):
    base = [word for word in QUICK if word != "--default-system" or
            "--latency=3" not in words]
    result = run(*base, "--json=json", *words)
    if "--clock=tsc" in words and result.returncode:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    json = schema.check(result.text("json"))
    settings = json["twoway"]["settings"]
    threads = list(json["thread"].values())
    assert [t["metric"] for t in threads] == settings["metrics"]
    assert all(("histogram" in t) == (settings["histogram_us"] > 0)
               for t in threads)
    assert list(json["twoway"]["worst"]) == settings["metrics"]


def test_schema_of_an_interrupted_run(start, tmp_path):
    process = start("--default-system", "-q", "-h", 99, "--json=json")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    json = schema.check((tmp_path / "json").read_text())
    assert json["twoway"]["interrupted"] is True


def test_schema_of_a_run_without_results(start, tmp_path):
    process = start("--default-system", "-q", "-h", 99, "-i", 10 ** 6,
                    "--json=json")
    assert outside.wait_for(lambda: len(process.sides()) == 2)
    time.sleep(0.05)
    process.signal(signal.SIGINT)
    assert process.finish() == 1
    json = schema.check((tmp_path / "json").read_text())
    assert json["twoway"]["cycles"] == 0
    assert process.err == f"twowaytest: {json['twoway']['error']}\n"


@pytest.mark.parametrize("role", ["main", *outside.SIDES])
def test_changed_while_it_ran(start, tmp_path, role):
    """Policy, and CPU if there is another, of a process are changed from
    the outside, as the kernel does when a CPU is taken away."""
    cpus = sorted(os.sched_getaffinity(0))
    process = start("--default-system", "-q", "--json=json",
                    f"--server-affinity={cpus[0]}",
                    f"--client-affinity={cpus[0]}",
                    f"--mainaffinity={cpus[0]}")
    pid = (process.steady() | {"main": process.pid})[role]
    os.sched_setaffinity(pid, {cpus[-1]})
    os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    json = schema.check((tmp_path / "json").read_text())
    for name, told in json["twoway"]["processes"].items():
        assert (told["cpus"], told["policy"]) == (str(cpus[0]), "other")
        assert told["at_end"] == (
            None if name != role else
            {"cpus": str(cpus[-1]), "policy": "batch", "priority": 0})
    moved = role == "client" and len(cpus) > 1
    assert {thread["cpu"] for thread in json["thread"].values()} == {
        -1 if moved else cpus[0]}
    lines = [line for line in process.out.splitlines()
             if line.startswith("# Changed")]
    title = "parent process" if role == "main" else role
    assert lines == [f"# Changed while it ran: {title}, from CPU {cpus[0]}, "
                     f"policy other, priority 0 to CPU {cpus[-1]}, policy "
                     "batch, priority 0"]


@pytest.mark.parametrize("role", outside.SIDES)
def test_schema_of_a_run_that_failed(start, tmp_path, role):
    """A side was killed: what there was so far, and what went wrong."""
    process = start("--default-system", "-q", "--json=json")
    victim = process.steady()[role]
    os.kill(victim, signal.SIGKILL)
    assert process.finish() == 1
    assert process.gone()
    json = schema.check((tmp_path / "json").read_text())
    assert json["return_code"] == 1
    assert json["twoway"]["interrupted"] is False
    error = json["twoway"]["error"]
    assert role in error and str(victim) in error and "signal 9" in error
    assert process.err == f"twowaytest: {error}\n"
    assert json["twoway"]["cycles"] > 0
    usage = {name: "minor_faults" in json["twoway"]["processes"][name]
             for name in outside.SIDES}
    assert not usage[role]


HOSTILE = {
    "quotes": "a\"b'c", "backslash": "\\a\\\\n\\",
    "controls": "".join(map(chr, range(1, 32))),
    "delete": "\x7f", "blanks": " a  b ", "percent": "%s%n%d", "brace": "}{][",
    "UTF-8": "\u00e9\u20ac\U0001d11e", "line separator": "\u2028",
    "no UTF-8": "\udcff\udcc3", "overlong": "\udcc0\udc80",
    "surrogate": "\udced\udca0\udc80", "cut off": "a\udce2\udc82",
    "too large": "\udcf4\udc90\udc80\udc80",
}


def as_json(word):
    """What of a word on the command line can be in a JSON string."""
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char
                   for char in word)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_file_names(run, name):
    result = run(*QUICK, f"--json={name}", f"--dump=dump {name}")
    assert result.returncode == 0, result.stderr
    assert result.files == {name, f"dump {name}"}
    text = result.path(name).read_bytes().decode()    # is UTF-8
    json = schema.check(text)
    words = [as_json(word) for word in result.argv]
    assert json["twoway"]["argv"] == words
    assert json["cmdline:"] == " ".join(words)


def test_argv_is_as_it_was_given(run):
    """Before getopt sorts it, and with its empty words."""
    words = ("-q", "-l", "3", "--metrics", "send, total", "-a", "all",
             "--default-system", "--json", "json")
    result = run(*words)
    assert result.json()["twoway"]["argv"][1:] == list(words)


@pytest.mark.parametrize("size", [100, 5000, 100000])
def test_long_command_line(run, size):
    """argv has it whole, cmdline as many words as fit."""
    long = "--metrics=send" + size * ","
    result = run(*QUICK, "--json=json", long, "-N")
    json = schema.check(result.text("json"))
    assert json["twoway"]["argv"] == result.argv
    words = result.argv
    while len(" ".join(words)) > 4096:
        words = words[:-1]
    # rt-tests leaves a blank at the end of one that is cut.
    assert json["cmdline:"].rstrip(" ") == " ".join(words)
    assert (long in json["cmdline:"]) == (size == 100)


def test_times(run):
    before = datetime.datetime.now(datetime.timezone.utc)
    json = run(*QUICK, "--json=json").json()
    after = datetime.datetime.now(datetime.timezone.utc)
    start, end = (datetime.datetime.strptime(json[key],
                                             "%a, %d %b %Y %H:%M:%S %z")
                  for key in ("start_time", "end_time"))
    assert before.replace(microsecond=0) <= start <= end <= after


def test_to_standard_output(run):
    """Alone: the text goes to standard error, and is as it is without."""
    result = run(*QUICK, "--json=-", "-h", 100)
    assert result.returncode == 0 and not result.files
    schema.check(result.stdout)
    formats.parse_histogram(result.stderr)


@pytest.mark.parametrize("view", [(), ("-v",), ("-M",)], ids=str)
def test_to_standard_output_without_quiet(run, view):
    words = [word for word in QUICK if word != "-q"]
    result = run(*words, *view, "--json=-")
    assert result.returncode == 0 and not result.files
    schema.check(result.stdout)
    lines = formats.body(result.stderr)
    if "-v" in view:
        assert len(formats.parse_verbose(lines)) == 30 * 7
    else:
        assert formats.parse_picture(result.stderr)[0].cycles == 30


def test_percentiles_have_keys_of_their_own(run):
    """However near to each other they are."""
    result = run(*QUICK, "--json=json",
                 "--percentiles=50,50.00001,99.99999,99.999999,0.00001")
    assert result.returncode == 0, result.stderr
    for thread in schema.check(result.text("json"))["thread"].values():
        keys = list(map(float, thread["percentiles"]))
        assert keys == [50, 50.00001, 99.99999, 99.999999, 0.00001]


@pytest.mark.parametrize("list_", ["50,50.0", "99.9,99.90",
                                   "99.9,99.90000000001"])
def test_percentiles_asked_for_twice(run, list_):
    """Refused as a metric is, or told once; but no key stands there twice."""
    result = run(*QUICK, "--json=json", f"--percentiles={list_}")
    if result.returncode:
        assert result.stderr.startswith(f"twowaytest: --percentiles={list_}: ")
    else:
        schema.check(result.text("json"))


def test_a_file_replaces_an_older_one_at_once(run, tmp_path):
    """Also through a link, which stays; its rights are the old one's."""
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o604)
    (tmp_path / "link").symlink_to("old")
    result = run(*QUICK, "--json=link", umask=0o027)
    assert result.returncode == 0 and not result.files
    assert (tmp_path / "link").is_symlink()
    schema.check((tmp_path / "old").read_text())
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o604


def test_a_new_file_has_the_umasks_rights(run, tmp_path):
    result = run(*QUICK, "--json=json", umask=0o027)
    assert result.returncode == 0 and result.files == {"json"}
    assert (tmp_path / "json").stat().st_mode & 0o777 == 0o640


def test_no_file_before_the_end(start, tmp_path):
    """Whoever waits for it never sees half of it."""
    process = start("--default-system", "-q", "--json=json", "--dump=dump",
                    "-h", 9, "--histfile=histogram")
    process.steady()
    # The dump so far may be had by another name.
    assert os.listdir(tmp_path) == ["dump.partial"]
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert set(os.listdir(tmp_path)) == {"json", "dump", "histogram"}


def test_no_file_of_a_run_that_was_killed(start, tmp_path):
    process = start("--default-system", "-q", "--json=json", "--dump=dump")
    process.steady()
    process.signal(signal.SIGKILL)
    process.finish()
    assert process.gone()
    assert os.listdir(tmp_path) == ["dump.partial"]
