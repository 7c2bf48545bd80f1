# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option of primitivetest, in every spelling: taken, and seen to take
effect."""

import functools
import os
import re
import signal

import pytest

import options
import outside
import prim_options
import primitives
import schema
import tracing
import twoway

OPTIONS = prim_options.OPTIONS
BASE = prim_options.BASE
LOOPS = prim_options.LOOPS


def member(json, path):
    """What lies at a path such as tests.0.trials."""
    return functools.reduce(
        lambda at, name: at[int(name) if name.isdigit() else name],
        path.split("."), json["primitives"])


def cases(with_expectation):
    for option in OPTIONS:
        for good in option.good:
            # Those that twowaytest's table expects are its own.
            settled = good.expect is not None and \
                option.name not in EFFECTS
            if settled == with_expectation:
                for words in option.spellings(good.value):
                    yield pytest.param(option, good, words,
                                       id=" ".join(words))


def must_work(result, option, good):
    """Skips what this machine may lack; nothing has happened then."""
    if good.may_lack and result.returncode == 1:
        assert re.match("primitivetest: --", result.stderr), result.stderr
        assert not result.files and not result.stdout
        pytest.skip(result.stderr.strip())
    assert not result.stderr
    return result


# What the text or the files show, not a setting in the JSON.

def effect_breaktrace(run, good, words):
    result = run(*BASE, *good.extra, *words)
    broken = re.findall(r"^# Break: sync2.futex.\S+ (\d+) ns$", result.stdout,
                        re.M)
    if good.value == "1":
        assert result.returncode == 2 and int(broken[0]) > 1000
    else:
        assert result.returncode == 0 and not broken


def effect_check(run, good, words):
    result = run(*BASE, *words)
    assert result.returncode == result.json()["return_code"] != 1
    assert result.json()["thread"] == {}
    assert re.match(r"# \d+ checks: ", result.stdout.splitlines()[-1])


def effect_clock(run, good, words):
    result = run(*BASE, *words)
    if good.may_lack and result.returncode:
        assert result.stderr.startswith("primitivetest: --clock=")
        pytest.skip(result.stderr.strip())
    name = {"0": "monotonic", "1": "realtime"}.get(good.value, good.value)
    assert result.json()["primitives"]["settings"]["clock"] == name
    assert f"# Clock: a reading of {name} takes " in result.stdout


def own_kind(run, good, words):
    """The row has the option's value as its kind, and there is no other."""
    result = run(*BASE, *good.extra, *words)
    if "there is no such test" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert (result.returncode, result.stderr) == (0, "")
    kinds = {test["kind"] for test in result.json()["primitives"]["tests"]}
    assert kinds == {good.value}


effect_copies = effect_period = effect_size = own_kind


def where(run, good, words, key):
    """The rows' tasks and CPUs: in the JSON, and in their names."""
    result = run(*BASE, *good.extra, *words)
    if good.may_lack and "needs two CPUs" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert (result.returncode, result.stderr) == (0, "")
    tests = result.json()["primitives"]["tests"]
    assert {test[key] for test in tests} == set(re.split("[, ]", good.value))
    for test in tests:
        assert test["name"] == f"sync2.futex.{test['tasks']}.{test['cpus']}"


effect_cpus = functools.partial(where, key="cpus")
effect_tasks = functools.partial(where, key="tasks")


def effect_dump(run, good, words):
    result = run(*BASE, *words)
    assert result.files == {"json", good.value}
    head, *lines = result.text(good.value).splitlines()
    assert head.startswith("test,trial,t0_ns,t1_ns,")
    assert [line.split(",")[:2] for line in lines] == [
        ["sync1.mutex", str(n)] for n in range(1, LOOPS + 1)]


def effect_duration(run, good, words):
    result = run(*BASE, *good.extra, *words)
    assert result.returncode == (2 if good.extra else 0), result.stderr
    assert {path: member(result.json(), path)
            for path in good.expect} == good.expect


def effect_help(run, good, words):
    result = run(*words)
    assert (result.returncode, result.stderr, result.files) == (0, "", set())
    assert result.stdout.startswith("usage: primitivetest [options]\n")


def effect_histfile(run, good, words):
    result = run(*BASE, *good.extra, *words)
    assert result.files == {"json", good.value}
    assert "# Histogram" not in result.stdout
    assert result.text(good.value).startswith("# Histogram\n")


def effect_histogram(run, good, words):
    result = run(*BASE, *words)
    assert result.json()["primitives"]["settings"]["histogram_us"] == \
        int(good.value)
    assert f"# Total: {LOOPS:09}" in result.stdout


def effect_histofall(run, good, words):
    result = run(*BASE, *words)
    assert result.json()["primitives"]["settings"]["histogram_us"] == \
        int(good.value)
    # There is a sum of several columns only.
    for test, columns in ((BASE[2], 1), (prim_options.TWO[0], 3)):
        result = run(*BASE, test, *words)
        total, above = (
            list(map(int, re.findall(f"^# {name}: (.*)$", result.stdout,
                                     re.M)[0].split()))
            for name in ("Total", "Histogram Overflows"))
        assert list(map(sum, zip(total, above))) == columns * [LOOPS] + \
            [columns * LOOPS] * (columns > 1)


def effect_json(run, good, words):
    result = run(*BASE[:-1], *words)
    assert result.returncode == 0
    if good.value == "-":
        assert not result.files
        assert "sync1.mutex.pair" in result.stderr
        json = schema.parse(result.stdout)
    else:
        assert result.files == {good.value} and not result.stderr
        json = result.json(good.value)
    assert json["primitives"]["tests"][0]["trials"] == LOOPS


def effect_latency(run, good, words):
    """What cannot be had is a warning, as not everybody is root."""
    result = run("-q", "--test=sync1.mutex", "-l3", "--json=json", *good.extra,
                 *words)
    assert result.returncode == 0
    latency = result.json()["primitives"]["settings"]["latency_us"]
    if options.can_limit_latency():
        assert latency == int(good.value) and not result.stderr
    else:
        assert latency is None and "/dev/cpu_dma_latency" in result.stderr


def effect_limit(run, good, words):
    result = run(*BASE, *words)
    limit, = result.json()["primitives"]["limits"]
    assert (limit["limit"], limit["metric"]) == (good.value,
                                                 "sync1.mutex.pair")
    assert limit["most"] == float(good.value.rpartition(":")[2])
    assert result.returncode == (0 if limit["verdict"] == "met" else 2)
    assert limit["verdict"] == {
        "0": "exceeded", "0.001": "exceeded"}.get(
            good.value.rpartition(":")[2],
            "undecided" if ":p" in good.value else "met")


def effect_list(run, good, words):
    result = run(*BASE, *words)
    listed = result.json()["primitives"]["list"]
    for test in listed:
        assert re.search(rf"^{test['name']} +{re.escape(test['about'])}$",
                         result.stdout, re.M)
    assert {"timer", "sync1", "sync2"} <= {test["name"] for test in listed}
    assert result.json()["thread"] == {}


def effect_load_affinity(run, good, words):
    """Of the workers, one each CPU in turn."""
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator of one process knows no child subreaper")
    cpus = options.CPUS if good.value == options.ALL_CPUS else [
        int(good.value)]
    process = twoway.start(
        "-q", "--test=sync1.mutex", "-D60", f"--load=fft:{len(cpus)}",
        *words, program=primitives.binary(), directory=run.directory)
    try:
        def found():
            workers = process.named("twoway-fft")
            return len(workers) == len(cpus) and workers
        workers = outside.wait_for(found)
        assert workers, "there is no load"
        where = outside.wait_for(lambda: sorted(
            outside.status(pid, "Cpus_allowed_list") for pid in workers) ==
            sorted(map(str, cpus)))
        process.signal(signal.SIGINT)
        process.finish()
    finally:
        process.end()
    assert where


def effect_load_args(run, good, words):
    """The words that hackbench is called with."""
    path = run.directory / "bin" / "hackbench"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >"${0%/*}/../words"\n'
                    "sleep 9\n")
    path.chmod(0o755)
    result = run(*BASE, "--load=hackbench:2", *words,
                 env={"PATH": f"{path.parent}:{os.environ['PATH']}"})
    assert result.returncode == 0, result.stderr
    assert result.text("words").splitlines() == [
        "-g", "2", *good.value.split()]


def effect_nsecs(run, good, words):
    """The JSON, too, is in ns; the text is so in any case."""
    result = run(*BASE, *words)
    json = result.json()
    assert json["resolution_in_ns"] == 1
    shown = re.search(r"Max: *(\d+)", result.stdout)[1]
    assert int(json["thread"]["0"]["max"]) == int(shown)
    json = run(*BASE).json()
    assert json["resolution_in_ns"] == 0


def effect_percentiles(run, good, words):
    result = run(*BASE, *words)
    value = good.value or "50,90,99,99.9,99.99,99.999"
    wanted = [f"{float(word):.10g}" for word in re.split("[, ]", value)]
    assert list(result.json()["thread"]["0"]["percentiles"]) == wanted
    shown, = re.findall("^# Percentiles sync1.mutex.pair: (.*)$",
                        result.stdout, re.M)
    assert [pair.partition(":")[0] for pair in shown.split()] == wanted


def effect_quiet(run, good, words):
    """It silences the live display, and -v, too."""
    line = "^T: 0 .*sync1.mutex.pair$"
    loud = run(*BASE[2:], "--default-system").stdout
    quiet = run(*BASE[2:], "--default-system", *words).stdout
    assert "loadavg: " in loud and "loadavg: " not in quiet
    assert re.search(line, quiet, re.M)
    assert re.search(line, run(*BASE[2:], "-v", *words).stdout, re.M)


def effect_refresh_on_max(run, good, words):
    """What it leaves out of a live display is not in this text: its results
    are the same."""
    result = run(*BASE[2:], "--default-system", *words)
    assert result.returncode == 0
    assert len(re.findall("^T: 0 ", result.stdout, re.M)) == 1


# A test of each group that the table of options names.
GROUPS = {"pcserver": "alarm", "notes": "sleep", "rhealstone": "timer"}


def effect_test(run, good, words):
    """Each row once, in the order that was asked for."""
    result = run(*BASE, *words, "-l2", "--period=1000")
    assert result.returncode == 0, result.stderr
    found = [(test["test"], test["kind"] if "kind" in test else None)
             for test in result.json()["primitives"]["tests"]]
    listed = {test["name"]: test["kinds"]
              for test in primitives.listed(run)}
    asked = re.split("[, ]", good.value)
    wanted = []
    for name, _, kind in (word.partition(".") for word in asked):
        wanted += [(name, one) for one in ([kind] if kind else
                                           listed.get(name, ()))
                   if (name, one) not in wanted]
    if set(asked) & set(GROUPS):
        told = {name for name, _ in found}
        assert {GROUPS.get(name, name) for name in asked} <= told
        assert "switch" not in told     # of none of these groups
    else:
        assert found == wanted
        assert len(found) == len(set(found))


def effect_unbuffered(run, good, words):
    """Taken as in other tests; all is printed at the end in any case."""
    effect_verbose(run, good, ("-v", *words))


def effect_us(run, good, words):
    """The text has what the JSON has."""
    result = run(*BASE, *prim_options.TWO, *words)
    shown = re.findall(r"Min: *(\d+) .* Max: *(\d+) ", result.stdout)
    assert shown == [
        (str(int(thread["min"])), str(int(thread["max"])))
        for thread in result.json()["thread"].values()]


def effect_verbose(run, good, words):
    result = run("--default-system", "--test=sync1.mutex", "-l3", *words)
    assert (result.returncode, result.stderr) == (0, "")
    assert [match[:2] for match in re.findall(
        r"^ *(\d+): *(\d+): *(\d+)$", result.stdout, re.M)] == [
            ("0", "1"), ("0", "2"), ("0", "3")]


def traced(run, *words):
    """A run that -b ends, and what the JSON says of that."""
    with tracing.usable() as tracefs:
        result = run(*BASE, *prim_options.BROKEN, *words)
        assert not list((tracefs / "instances").glob(
            f"twowaytest-{result.pid}-*"))
    assert (result.returncode, result.stderr) == (2, "")
    json = result.json()["primitives"]
    assert json["break"]["marked"]
    return result, json


def effect_trace(run, good, words):
    result, json = traced(run, *words)
    assert result.files == {"json", "primitivetest-trace.txt"}
    assert json["break"]["trace_file"] == "primitivetest-trace.txt"
    assert json["settings"]["trace"] == good.value or \
        "sched:sched_switch," in json["settings"]["trace"]
    assert ": sched_switch: " in result.text("primitivetest-trace.txt")


def effect_trace_file(run, good, words):
    result, json = traced(run, "--trace", *words)
    assert result.files == {"json", good.value}
    assert json["break"]["trace_file"] == good.value
    lines = result.text(good.value).splitlines()
    marks = [line for line in lines if re.match(
        r"# \d+\.\d{9}: primitivetest: sync2\.futex\.process\.same, trial "
        rf"{json['break']['trial']}: (out|back) (begins|ends)$", line)]
    assert len(marks) == 4
    assert f"# Trace: {good.value}\n" in result.stdout


def effect_version(run, good, words):
    result = run(*words)
    assert (result.returncode, result.stderr, result.files) == (0, "", set())
    assert re.fullmatch(r"primitivetest V \d+\.\d\d\n", result.stdout)


def effect_worst(run, good, words):
    line = r"^# Worst: sync1.mutex.pair, trial [1-5]: pair \d+$"
    assert re.search(line, run(*BASE, *words).stdout, re.M)
    assert not re.search(line, run(*BASE).stdout, re.M)


def option_name(function):
    """refresh_on_max has the underscores itself."""
    name = function.removeprefix("effect_")
    return name if name == "refresh_on_max" else name.replace("_", "-")


EFFECTS = {option_name(name): function
           for name, function in list(globals().items())
           if name.startswith("effect_")}


def test_every_effect_is_looked_at():
    """By its setting, or by a function."""
    for option in OPTIONS:
        assert option.good, f"{option.name}: no good value"
        assert option.argument == "none" or option.bad or \
            option.bad is options.TAKES_ALL, option.name
        assert option.name in EFFECTS or \
            all(good.expect for good in option.good), option.name
    assert set(EFFECTS) <= {option.name for option in OPTIONS}


@pytest.mark.parametrize("option, good, words", list(cases(True)))
def test_setting(bare, option, good, words):
    result = must_work(bare(*BASE, *good.extra, *words), option, good)
    assert result.returncode == 0
    json = result.json()
    assert {path: member(json, path) for path in good.expect} == good.expect


@pytest.mark.parametrize("option, good, words", list(cases(False)))
def test_effect(bare, option, good, words):
    EFFECTS[option.name](bare, good, words)


def test_the_settings_are_no_defaults(bare):
    """Were a value ignored, at least one of each option's would show it."""
    json = bare("--default-system", "-q", "--test=sync1.mutex",
                "--json=json").json()
    for option in OPTIONS:
        expected = [good for good in option.good if good.expect]
        if expected and option.name != "default-system" and \
                option.name not in EFFECTS:
            assert any(member(json, path) != value for good in expected
                       for path, value in good.expect.items()), option.name
