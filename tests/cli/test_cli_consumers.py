# SPDX-License-Identifier: GPL-2.0-or-later
"""Those who read cyclictest's output can read this one."""

import functools
import os
import shlex
import shutil
import signal
import subprocess
import tempfile

import pytest

import consumers
import twowaytest


def run_cyclictest(*words):
    """Its standard output and its JSON; the histogram's file if asked."""
    program = shutil.which("cyclictest", path=os.environ["PATH"] + ":/usr/bin")
    if not program:
        pytest.skip("cyclictest is not installed")
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.run(
            [program, *map(str, words)], cwd=directory, text=True,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=30,
            check=False)
        if process.returncode:
            pytest.skip("cyclictest does not run here: " +
                        process.stderr.strip().splitlines()[-1])
        files = {}
        for name in os.listdir(directory):
            with open(f"{directory}/{name}", encoding="utf-8") as file:
                files[name] = file.read()
    return process.stdout, files


def run_ours(*words):
    words = consumers.words_of(shlex.join(map(str, words)), 0)
    with tempfile.TemporaryDirectory() as directory:
        result = twowaytest.run(*words, directory=directory)
        assert result.returncode == 0, result.stderr
        return result.stdout, {name: result.text(name)
                               for name in result.files}


@pytest.fixture(params=["twowaytest", "cyclictest"], scope="module")
def program(request):
    """run(*words) of either; each command is run once."""
    run = run_ours if request.param == "twowaytest" else run_cyclictest
    cached = functools.cache(run)
    cached.is_ours = run is run_ours
    return cached


def test_linaro(program):
    _, files = program("-q", "-l", 100, "--json=json")
    passed, measured = consumers.linaro(files["json"])
    assert passed
    assert len(measured) == 3
    # Whole us but for the mean.
    assert measured["t0-min"] <= measured["t0-avg"] <= measured["t0-max"] + \
        (not program.is_ours)


def test_linaro_fails_a_failed_run(tmp_path):
    process = twowaytest.start("-q", "--default-system", "--json=json",
                               directory=tmp_path)
    try:
        os.kill(process.steady()["server"], signal.SIGKILL)
        process.finish()
    finally:
        process.end()
    passed, measured = consumers.linaro((tmp_path / "json").read_text())
    assert not passed and measured


@pytest.fixture
def histogram(program):
    """The words are rteval's, but for -m, which may need privilege."""
    output, _ = program("-qu", "-h 3500", "-l", 200)
    return output


def test_rteval(histogram):
    [column], [largest] = consumers.rteval(histogram)
    assert 0 < sum(column.values()) <= 200
    if sum(column.values()) == 200:
        assert max(column) == largest


def test_rteval_interrupts(start):
    """It ends every run by SIGINT and takes the results then."""
    process = start("-qu", "-h", 3500, "--default-system")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    columns, maxima = consumers.rteval(process.out)
    assert len(columns) == len(maxima) == 1


def test_osadl(histogram):
    rows, largest = consumers.osadl(histogram)
    _, maxima = consumers.rteval(histogram)
    assert largest == max(maxima)
    assert rows and all(len(row) == 2 for row in rows)


def test_seapath(histogram):
    assert consumers.seapath(histogram) == 1


def test_openshift(histogram):
    _, maxima = consumers.rteval(histogram)
    assert consumers.openshift(histogram) == maxima


def test_openshift_with_a_summary(program):
    """-H adds the largest of all, and each is a whole number still."""
    output, _ = program("-q", "-H", 100, "-l", 100, "-t", 2)
    *found, largest = consumers.openshift(output)
    assert len(found) == 2
    assert largest == max(found)
    assert largest == consumers.crucible(output)


def test_crucible(program):
    output, files = program(
        "--policy", "other", "--interval", 1000, "--histofall", 100,
        "--histfile", "histogram", "--duration", "1", "--quiet",
        "--affinity", min(os.sched_getaffinity(0)), "--threads", 1,
        "--json", "json", "--mainaffinity", min(os.sched_getaffinity(0)))
    assert "Max Latencies" not in output
    largest = consumers.crucible(files["histogram"])
    _, measured = consumers.linaro(files["json"])
    assert largest == max(value for key, value in measured.items()
                          if key.endswith("max"))


def test_canonical(program):
    output, _ = program("-q", "-l", 100)
    assert consumers.canonical(output) == 1


def test_phoronix(program):
    output, files = program("-q", "-l", 100, "--json=json")
    _, measured = consumers.linaro(files["json"])
    assert consumers.phoronix(output) == measured["t0-max"]


def test_canonical_knows_what_it_asked_for(program):
    output, _ = program("-q", "-l", 100, "-i", 700)
    assert consumers.canonical(output, interval=700) == 1
    with pytest.raises(ValueError):
        consumers.canonical(output, interval=70)


@pytest.mark.parametrize("name", consumers.COMMANDS)
def test_parser_can_fail(name):
    with pytest.raises((ValueError, KeyError, IndexError)):
        getattr(consumers, name)("# nothing that it wants\n")


# Each consumer's own reading of 3 threads, or pairs.
THREE = ("-t", 3, "-d", 0)


def test_three_threads(program):
    histogram, files = program("-qu", "-h 3500", "-l", 200, *THREE,
                               "--json=json")
    text, _ = program("-q", "-l", 100, *THREE)
    columns, maxima = consumers.rteval(histogram)
    assert len(columns) == len(maxima) == 3
    rows, largest = consumers.osadl(histogram)
    assert {len(row) for row in rows} == {4}
    assert consumers.seapath(histogram) == 3
    assert largest == max(maxima)
    assert consumers.openshift(histogram) == maxima
    # cyclictest writes its JSON later, while a late thread may still count,
    # and -nan as the average of one that never ran.
    if program.is_ours:
        passed, measured = consumers.linaro(files["json"])
        assert passed and len(measured) == 9
        assert [measured[f"t{n}-max"] for n in range(3)] == maxima
    assert consumers.canonical(text) == 3
    assert consumers.phoronix(text) >= 0
