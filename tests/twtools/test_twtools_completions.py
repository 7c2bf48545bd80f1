# SPDX-License-Identifier: GPL-2.0-or-later
"""The completions of the programs in Python: as generated, and as the shells
understand them."""

import pathlib
import re
import subprocess

import pytest

import shells

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"
COMPLETIONS = CONTRIB / "completions"
TOOLS = {"twowayreport": "report/twowayreport",
         "twowaytest-campaign": "campaign/campaign",
         "twowaytest-virtlab": "virtlab/virtlab"}
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def directory(tmp_path):
    for name in ("a.json", "a.csv", "b.json"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("program", TOOLS)
def test_files_are_as_generated(program, tmp_path):
    """If not: contrib/mkcompletions PROGRAM writes them anew."""
    subprocess.run([CONTRIB / "mkcompletions", program, tmp_path], check=True)
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == sorted([f"_{program}", f"{program}.bash",
                            f"{program}.fish"])
    for name in found:
        assert (COMPLETIONS / name).read_text() == \
            (tmp_path / name).read_text(), name


def test_help_is_as_twowaytest_s():
    told = subprocess.run([CONTRIB / "report/twowayreport", "--help"],
                          text=True, capture_output=True, check=True).stdout
    assert "\n  -o, --html=FILE " in told and "\n  -g, --gate " in told


# Lines, and what stands for the last word of each.
VALUES = {"twowayreport": [
    ("a.", ["a.csv", "a.json"]),
    ("--gate b", ["b.json"]),
    ("--openmetrics a.c", ["a.csv"]),
    ("--met", ["--metrics"]),
    ("--total tr", ["trltp3"]),
    ("--metrics send,pl", ["send,planned"]),
], "twowaytest-campaign": [
    ("--loads fft,h", ["fft,hackbench"]),
    ("--placements p", ["plan"]),
    ("--tools c", ["cyclictest"]),
], "twowaytest-virtlab": [
    ("stu", ["study"]),
    ("compare b", ["b.json"]),
    ("run --mode e", ["exact"]),
    ("run --ker", ["--kernel"]),
]}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("program", TOOLS)
def test_values(directory, shell, program):
    lines = [line for line, _ in VALUES[program]]
    found = getattr(shells, shell)(directory, COMPLETIONS, lines,
                                   program=program)
    for (line, wanted), words in zip(VALUES[program], found):
        *before, last = line.split(" ")
        if shell != "fish":
            words = words[len(before):]
        assert sorted(word.rstrip("=") for word in words
                      if word.startswith(last)) == wanted, line


def commands_of(path):
    """Those of virtlab; the others have none."""
    told = subprocess.run([path, "--help"], text=True, capture_output=True,
                          check=True).stdout
    _, _, rest = told.partition("\n  COMMAND\n")
    return re.findall("^    ([a-z-]+)", rest, re.M)


@pytest.mark.parametrize("program", TOOLS)
def test_every_option_is_offered(program):
    """Those of each command of virtlab, too."""
    path = CONTRIB / TOOLS[program]
    known = set()
    commands = commands_of(path)
    assert bool(commands) == ("virtlab" in program)
    for command in commands or [None]:
        told = subprocess.run(
            [path, *[command] * bool(command), "--help"], text=True,
            capture_output=True, check=True).stdout
        known |= set(re.findall(r"^  -\w, (--[\w-]+)", told, re.M))
    text = (COMPLETIONS / f"{program}.bash").read_text()
    assert known <= set(re.findall(r"^\t+(--[\w-]+)=?(?: \\)?$", text, re.M))
    text = (COMPLETIONS / f"{program}.fish").read_text()
    assert known <= {f"--{name}" for name in re.findall(r" -l ([\w-]+)", text)}
