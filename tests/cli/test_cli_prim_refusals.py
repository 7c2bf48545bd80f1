# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input of primitivetest: one line says what is wrong, and nothing is
started."""

import itertools

import pytest

import prim_options

OPTIONS = prim_options.OPTIONS


def refused(result, begin, *says):
    """One line, that begins with what was given and says these."""
    assert (result.returncode, result.stdout, result.files) == (1, "", set())
    line, *rest = result.stderr.split("\n")
    assert rest == [""], f"not one line: {result.stderr!r}"
    assert line.startswith(f"primitivetest: {begin}: "), line
    for words in says:
        assert words in line, line


@pytest.mark.parametrize("option, value, words", [
    pytest.param(option, value, words, id=" ".join(words))
    for option in OPTIONS for number, value in enumerate(option.bad or ())
    # Each option in all its spellings; each value in one.
    for words in itertools.islice(option.spellings(value),
                                  1 if number else None)])
def test_bad_value(bare, option, value, words):
    refused(bare("--json=json", "--dump=dump", "-l", 1, *words),
            f"{option.long}={value[:100]}", option.allowed)


@pytest.mark.parametrize("option", [
    option for option in OPTIONS if option.argument == "required"],
    ids=lambda option: option.name)
def test_missing_value(bare, option):
    for word in (option.long, *([f"-{option.short}", f"-q{option.short}"]
                                if option.short else ())):
        refused(bare("-l", 1, word), option.long, "a value is needed")


@pytest.mark.parametrize("option", [
    option for option in OPTIONS if option.argument == "none"],
    ids=lambda option: option.name)
def test_value_of_an_option_that_takes_none(bare, option):
    refused(bare("-l", 1, f"{option.long}=1"), f"{option.long}=1",
            "takes no value")


@pytest.mark.parametrize("words, begin, says", [
    (("--us", "-N"), "--us", "contradicts --nsecs"),
    (("--trace",), "--trace", "give -b too"),
    (("-b1", "--trace-file=f"), "--trace-file", "give --trace too"),
    (("-b1", "--trace", "--trace-file=f", "--dump=f"), "--trace-file=f",
     "not that of --dump"),
    (("-l5", "-D5"), "--duration=5", "contradicts --loops"),
    (("-p5", "--policy=other"), "--policy=other", "choose fifo or rr"),
    (("--policy=rr",), "--policy=rr", "give -p too"),
    (("--limit=timer.wakeup:5", "--test=sync1"), "--limit=timer.wakeup:5",
     "nothing that is measured"),
    (("--latency=5", "--default-system"), "--latency=5",
     "contradicts --default-system"),
    (("--json=f", "--dump=f"), "--dump=f", "not that of --json"),
    (("--histfile=h",), "--histfile=h", "give -h or -H"),
    (("word",), "word", "unexpected argument"),
    (("--no-such",), "--no-such", "unknown option"),
    (("--hi=5",), "--hi=5", "ambiguous option"),
    (("--cpus=same,x",), "--cpus=x", "allowed is one of same, cross"),
    (("--tasks=",), "--tasks=", "at least one of thread and process"),
    (("-z",), "-z", "unknown option"),
])
def test_contradiction(bare, words, begin, says):
    refused(bare("-q", *words), begin, says)
