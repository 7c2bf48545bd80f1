# SPDX-License-Identifier: GPL-2.0-or-later
"""The completions that the build has made, as the shells understand them."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import outside
import primitives
import shells
import twowaytest

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"
MADE = pathlib.Path(twowaytest.binary()).parent / "contrib"
PROGRAMS = {
    "twowaytest": [twowaytest.binary()],
    "primitivetest": [primitives.binary()],
    "whylate": [os.environ["WHYLATE"]],
    "twowayreport": [sys.executable, CONTRIB / "report/twowayreport"],
    "twowaytest-campaign": [sys.executable, CONTRIB / "campaign/campaign"],
    "twowaytest-virtlab": [sys.executable, CONTRIB / "virtlab/virtlab"],
}
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(params=PROGRAMS)
def program(request):
    if not (MADE / f"_{request.param}").exists():
        pytest.skip(f"{MADE}: not of a build directory, or of a cross build")
    return request.param


def ask(program, *words):
    return subprocess.run([*PROGRAMS[program], *words, "--help"], text=True,
                          capture_output=True, check=True).stdout


@pytest.mark.parametrize("program", ["twowaytest", "primitivetest"])
def test_order_of_the_options(program):
    """In each group, that of their names; a group begins with a heading."""
    groups = [re.findall(r"^  (?:-\w, |    )--([\w-]+)", text, re.M)
              for text in re.split(r"^\S.*:$", ask(program), flags=re.M)[1:]]
    assert sum(map(len, groups)) > 20 and all(groups)
    assert groups == list(map(sorted, groups))


def test_cross_build(tmp_path):
    """It cannot run the programs in C: it has the completions of the tools,
    and no schema."""
    (tmp_path / "cross").write_text(
        "[binaries]\nc = 'cc'\n[properties]\nneeds_exe_wrapper = true\n"
        "[host_machine]\nsystem = 'linux'\ncpu_family = 'riscv64'\n"
        "cpu = 'riscv64'\nendian = 'little'\n", encoding="ascii")
    done = subprocess.run(
        ["meson", "setup", "-Dtests=disabled", f"--cross-file={tmp_path}/cross",
         tmp_path / "build", CONTRIB.parent], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    made = json.loads(subprocess.run(
        ["meson", "introspect", "--targets", tmp_path / "build"],
        capture_output=True, text=True, check=True).stdout)
    assert {one["name"] for one in made if "completions" in one["name"]} == {
        f"completions-{name}" for name in PROGRAMS if name in (
            "twowayreport", "twowaytest-campaign", "twowaytest-virtlab")}
    assert not [one["name"] for one in made if "schema" in one["name"]]


def test_warnings_are_errors_only_in_our_own_builds():
    """A package is built with other compilers than ours."""
    text = (CONTRIB.parent / "meson.build").read_text(encoding="utf-8")
    assert "werror" not in text and "-Werror" not in text
    for name in ("setup", "cross"):
        assert " -Dwerror=true " in (CONTRIB / name).read_text(
            encoding="utf-8")


def test_options(program):
    """Those of --help, and of each command's, with the value's = in bash."""
    told = ask(program)
    _, _, commands = told.partition("\n  COMMAND\n")
    commands = re.findall("^    ([a-z-]+)", commands, re.M)
    assert bool(commands) == ("virtlab" in program)
    text = "".join([told, *(ask(program, word) for word in commands)])
    rows = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(\[?=)?", text, re.M)
    letters = {letter for letter, _, _ in rows if letter}
    names = {name for _, name, _ in rows}
    values = {name for _, name, sign in rows if sign}
    bash, zsh, fish = ((MADE / name).read_text(encoding="ascii")
                       for name in (program, f"_{program}", f"{program}.fish"))
    offers = re.findall(r"^\t+--([\w-]+=?)(?: \\)?$", bash, re.M)
    assert {offer.rstrip("=") for offer in offers} == names
    assert {offer[:-1] for offer in offers if offer[-1] == "="} == values
    rows = re.findall(r"^complete -c \S+ (?:-s (\w) )?-l (\S+)", fish, re.M)
    assert {name for _, name in rows} == names
    assert {letter for letter, _ in rows if letter} == letters
    assert letters | names == set(
        re.findall(r"^\t'(?:\([^)]*\)|\*)?-{1,2}([\w-]*\w)[-+=]*\[", zsh, re.M))


# Command lines, what is offered for the last word, and the part of that word
# that bash leaves alone.
VALUES = {"twowaytest": [
    ("--clo", ["--clock"], ""),
    ("--clock=", [*(f"aux{number}" for number in range(8)), "boottime",
                  "monotonic", "monotonic_raw", "realtime", "tai", "tsc"],
     "--clock="),
    ("--policy=", ["batch", "deadline", "fifo", "idle", "normal", "other",
                   "rr"],
     "--policy="),
    ("-qNc m", ["monotonic", "monotonic_raw"], ""),
    ("-cb", ["-cboottime"], ""),
    ("--clock=x", [], ""),
    ("--load-policy=", ["batch", "fifo", "idle", "normal", "other", "rr"],
     "--load-policy="),
    ("--load=", ["command", "fft", "hackbench"], "--load="),
    ("--load=fft:", [], ""),
    ("--metrics=send,to", ["send,total"], "--metrics="),
    ("--metrics wakeup,s", ["wakeup,send", "wakeup,sleep"], ""),
    ("--limit=t", ["throttled:", "total:"], "--limit="),
    ("--dump=hi", ["hist", "history"], "--dump="),
    ("--json hi", ["hist", "history"], ""),
    ("-i ", [], ""),
    ("--percentiles --dum", ["--dump"], ""),
    ("-a --dum", ["--dump"], ""),
    ("x", [], ""),
], "primitivetest": [
    ("--order lo", ["lower"], ""),
    ("--tasks process,t", ["process,thread"], ""),
    ("--test=sync1,ae", ["sync1,aegis"], "--test="),
    ("--test=sync1,ba", ["sync1,basic"], "--test="),
    ("--limit=", [], ""), ("--metrics=", [], ""),
], "whylate": [
    ("--read=hi", ["hist", "history"], "--read="), ("--ta", ["--task"], ""),
], "twowayreport": [
    ("hi", ["hist", "history"], ""),
    ("--gate o", ["other"], ""),
    ("--total tr", ["trltp3"], ""),
], "twowaytest-campaign": [
    ("--loads fft,h", ["fft,hackbench"], ""),
    ("--tools c", ["cyclictest"], ""),
], "twowaytest-virtlab": [
    ("stu", ["study"], ""),
    ("compare o", ["other"], ""),
    ("run --mode e", ["exact"], ""),
    ("run --ker", ["--kernel"], ""),
]}


def cpu_values():
    online = []
    for part in outside.read("/sys/devices/system/cpu/online").split(","):
        first, _, last = part.strip().partition("-")
        online += map(str, range(int(first), int(last or first) + 1))
    everything = sorted(["all", *online])
    return [("--affinity=", everything, "--affinity="),
            (f"-a {online[0]},", sorted(f"{online[0]},{cpu}" for cpu in
                                        everything if cpu != online[0]), "")]


@pytest.fixture
def directory(tmp_path):
    """Where the shells run: the names of files are completed, too."""
    for name in ("hist", "history", "other"):
        (tmp_path / name).touch()
    return tmp_path


def check(shell, cases, directory, made, program="twowaytest", setup=""):
    """@setup: bash, which else leaves what is before an "=" alone."""
    lines = [line for line, _, _ in cases]
    found = getattr(shells, shell)(directory, made, lines, program=program,
                                   **{"setup": setup} if setup else {})
    assert len(found) == len(cases)
    for (line, wanted, kept), words in zip(cases, found):
        *before, last = line.split(" ")
        if shell == "fish":
            # It falls back to words that have the letters anywhere.
            words = [word for word in words if word.startswith(last)]
        else:
            assert words[:len(before)] == before
            words = words[len([word for word in before if word]):]
            words = [] if words == [last] else words
        if shell != "bash" or setup:
            wanted = [kept + word for word in wanted]
        elif wanted:
            words[0] = words[0].removeprefix(kept)
        # Of an optional value, bash offers the option with "=" and without.
        assert sorted({word.rstrip("=") for word in words}) == wanted, line


@pytest.mark.parametrize("shell", SHELLS)
def test_values(directory, program, shell):
    cases = list(VALUES[program])
    if program in ("twowaytest", "primitivetest"):
        cases += cpu_values()
    check(shell, cases, directory, MADE, program)


def test_bash_without_breaks(directory):
    """Some take "=" out of what divides words."""
    check("bash", VALUES["twowaytest"], directory, MADE,
          setup="COMP_WORDBREAKS=${COMP_WORDBREAKS//=}")


def generate(directory, rows):
    """The completions of a program that prints these rows."""
    program = directory / "twowaytest"
    lines = "\n".join(map(json.dumps, rows))
    program.write_text(f"#!/bin/sh\n[ \"$*\" = --options ] || exit 1\n"
                       f"cat <<'EOF'\n{lines}\nEOF\n")
    program.chmod(0o755)
    return subprocess.run(
        [CONTRIB / "mkcompletions", program, directory / "out"], text=True,
        capture_output=True, check=False)


def row(name, kind, words=(), letter="", optional=False, text="it's [so]"):
    return {"letter": letter, "name": name, "type": kind, "value": "VALUE",
            "optional": optional, "words": list(words), "help": [text]}


def test_no_option_is_refused(tmp_path):
    done = generate(tmp_path, [{"name": "files", "type": "operands"}])
    assert done.returncode == 1
    assert done.stderr.endswith("twowaytest has no options\n")
    assert not (tmp_path / "out").exists()


# Kinds of values beside those that VALUES has.
KINDS = [
    row("metrics", "list", ("send", "total")),
    row("limit", "limit", ("send:", "total:", "missed:"),
        text="exit status 2; may be repeated"),
    row("spike", "limit", ("send:", "total:")),
    row("threads", "number", letter="t", optional=True),
    row("server", "text", optional=True), row("list", "flag"),
    row("order", "word", ("first", "last", "0")),
    row("busy", "word", ("sums", "mails")), row("time", "time"),
]
OFFERED = [
    ("--limit=", ["missed:", "send:", "total:"], "--limit="),
    ("--limit=send:9 --limit=s", ["send:"], "--limit="),
    ("--spike=", ["send:", "total:"], "--spike="),
    ("--threads=", [], ""),
    ("--server=", [], ""),
    ("--server --thr", ["--threads"], ""),
    ("--order=", ["first", "last"], "--order="),
    ("--busy=", ["mails", "sums"], "--busy="),
    ("--time=", [], ""),
    ("--metrics=total,", ["total,send"], "--metrics="),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_kinds(directory, shell):
    done = generate(directory, KINDS)
    assert done.returncode == 0, done.stderr
    check(shell, OFFERED, directory, directory / "out")
