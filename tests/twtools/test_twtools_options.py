# SPDX-License-Identifier: GPL-2.0-or-later
"""Values of options: what is taken, and what is said of all else."""

import pathlib
import re
import subprocess
import sys

import pytest

import twtools
from twtools import options

TABLE = {"first": (
    ("n", "number", {"type": options.number(3, 99, " us", also=(0,)),
                     "metavar": "N", "help": "a number"}),
    ("f", "float", {"type": options.number(0, 2.5, whole=False)}),
    ("l", "list", {"type": options.names(("a", "b"), ordered=True)}),
    ("u", "unordered", {"type": options.names({"a": 1, "b": 2})}),
    ("o", "one", {"type": options.one_of(("a", "b"))}),
    ("d", "duration", {"type": options.duration(2)}),
    ("t", "text", {"type": options.not_empty}),
    ("w", "words", {"type": options.one_line}),
)}


def parser(**more):
    made = options.Parser(prog="prog", **more)
    made.add_options(TABLE)
    return made


@pytest.mark.parametrize("option, text, value", [
    ("number", "0", 0), ("number", "3", 3), ("number", "099", 99),
    ("float", "0", 0), ("float", "2.5", 2.5), ("float", ".5", 0.5),
    ("float", "1.", 1), ("list", "b,a,b", ["a", "b"]),
    ("unordered", "b,a,b", ["b", "a"]), ("one", "b", "b"),
    ("duration", "7", 7), ("duration", "1m", 60), ("duration", "2d", 172800),
    ("duration", "2D", 172800), ("duration", "1H", 3600),
    ("duration", "172800", 172800), ("duration", "007S", 7),
    ("text", " x ", " x "), ("words", "", ""), ("words", "a b", "a b")])
def test_good(option, text, value):
    for line in ([f"--{option}={text}"], [f"--{option}", text],
                 [f"-{option[0]}", text]):
        assert getattr(parser().parse_args(line), option) == value


@pytest.mark.parametrize("option, text, allowed", [
    *(("number", text, "0, or a whole number from 3 to 99 us is expected")
      for text in ("2", "100", "-1", "3.0", "1e1", "x", "", " 3", "1_0",
                   "\u0663", "9" * 5000, "x" + "9" * 60)),
    *(("float", text, "a number from 0 to 2.5 is expected")
      for text in ("-1", "2.6", "nan", "inf", "1e0", "", "x", ".", "1_0")),
    ("list", "a,", "a list of a, b is expected"),
    ("list", "c", "a list of a, b is expected"),
    ("one", "c", "one of a, b is expected"),
    ("duration", "0", "from 1s to 2d"), ("duration", "3d", "from 1s to 2d"),
    ("duration", "1w", "from 1s to 2d"), ("duration", "\u0661", "1s to 2d"),
    ("duration", "172801", "from 1s to 2d"), ("duration", "1hh", "1s to 2d"),
    ("text", " ", "must not be empty"),
    ("words", "a\nb", "one line of printable characters")])
def test_bad(capsys, option, text, allowed):
    """The option by both names, the value, what is allowed; how to go on."""
    with pytest.raises(SystemExit) as end:
        parser(status=5).parse_args([f"--{option}={text}"])
    assert end.value.code == 5
    said = capsys.readouterr()
    assert said.out == ""
    first, second, *rest = said.err.split("\n")
    assert first.startswith(f"prog: argument -{option[0]}/--{option}: '")
    assert allowed in first and rest == [""]
    shown = text.split(",")[-1].replace("\n", "\\n")
    shown = f"{shown[:60]}...'" if len(shown) > 60 else shown
    assert shown in first
    assert second == "Try 'prog --help'."


def test_help_and_version_come_last(capsys):
    for line, start in ((["-v"], f"prog {twtools.VERSION}\n"),
                        (["--version"], f"prog {twtools.VERSION}\n"),
                        (["-h"], "usage: "), (["--help"], "usage: ")):
        with pytest.raises(SystemExit) as end:
            parser().parse_args(line)
        assert end.value.code == 0
        assert capsys.readouterr().out.startswith(start)
    lines = parser().format_help().rstrip().splitlines()
    assert "  -n, --number=N        a number" in lines
    assert lines[-3:] == ["help:", "  -h, --help            print this help",
                          "  -v, --version         print the version"]


def test_no_abbreviations():
    with pytest.raises(SystemExit):
        parser().parse_args(["--num=3"])


def test_version_is_the_projects():
    build = pathlib.Path(__file__).resolve().parents[2] / "meson.build"
    found = re.search(r"^ *version: '(.+)'", build.read_text(), re.MULTILINE)
    assert found[1] == twtools.VERSION


CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"
ODD = "/proc/a\x1b[31mb"


@pytest.mark.parametrize("program,arguments", [
    ("report/twowayreport", [ODD]), ("report/twowayreport", [f"--x{ODD}"]),
    ("report/twowayreport", [f"--html={ODD}", __file__]),
    ("campaign/campaign", [ODD]), ("campaign/campaign", [f"-o{ODD}"]),
    ("campaign/campaign", [f"--twowaytest={ODD}"]),
    ("virtlab/virtlab", [ODD]), ("virtlab/virtlab", ["run", "--", "true"]),
    ("virtlab/virtlab", ["run", f"--kernel={ODD}", "--", "true"])])
def test_nothing_that_a_terminal_obeys(program, arguments):
    """Words of the command line are shown; lines are those of the message."""
    done = subprocess.run([sys.executable, CONTRIB / program, *arguments],
                          text=True, capture_output=True, check=False)
    assert done.returncode and "Traceback" not in done.stderr
    assert done.stderr.endswith("\n")
    assert done.stderr.replace("\n", "").isprintable(), done.stderr
