# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option, short and long, with good values and bad ones."""

import argparse
import os
import subprocess
import sys

import made
import pytest

# Of as many cycles as it takes to see that they are not worse.
DUMPS = {f"{name}.csv": made.dump(made.cycles(4000, seed))
         for name, seed in (("a", 1), ("b", 2))}
INPUTS = ["a.csv", "b.csv", "p.csv"]
GATE = ("-g", "-p50", "a.csv", "b.csv")
SHOW = ("-t", "-", "a.csv")
# Letter, name, a good value or None, files, bad values: (value, said).
OPTIONS = [
    ("o", "html", "x.html", ("p.csv",), [("", "must not be empty")]),
    ("f", "figures", "figs", ("-F", "svg", "p.csv"),
     [("", "must not be empty")]),
    ("F", "format", "png", ("-f", "figs", "p.csv"),
     [("gif", "svg, png"), ("", "svg, png"), ("svg,", "svg, png")]),
    ("t", "tables", "x.md", ("p.csv",),
     [("x.txt", "FILE.md, FILE.csv, or -"), ("", "FILE.md")]),
    ("O", "openmetrics", "x.prom", ("p.csv",), [("", "must not be empty")]),
    ("j", "junit", "x.xml", GATE, [("", "must not be empty"),
                                   ("\0", "must not contain a NUL")]),
    ("H", "hgrm", "h", SHOW, [("", "must not be empty")]),
    ("T", "title", "Name", SHOW, [("", "must not be empty"), (" ", "must not be empty")]),
    ("m", "metrics", "send,total", SHOW,
     [("", "send"), ("sent", "'sent'"), ("send,,total", "''")]),
    ("p", "percentiles", "50,99.9", SHOW,
     [("", "above 0 and below 100"), ("0", "'0': a list"),
      ("0,50", "'0': a list"), ("50,100,20", "'100': a list"),
      ("nan", "'nan': a list"), ("x", "above 0"), ("50,", "'': a list")]),
    ("b", "bound", "300,rate:0.5/min:.7", ("a.csv",),
     [("", "US, or rate:N/UNIT:US with a unit of min, h, d, numbers above 0"),
      *((word, f"'{word}': US, or rate") for word in (
          "0", "x", "-1", "1000000001", "1.2.3", "rate:1/d", "rate:0/d:3",
          "rate:1/s:3", "rate:1/d:0", "rate:1/d:3x", "rate:./d:3", "p99:3")),
      ("300,", "'': US, or rate")]),
    ("V", "virtual", "a", SHOW, [("nobody", "no run is called 'nobody'")]),
    ("i", "interval", "2000", SHOW,
     [("-1", "from 0 to"), ("x", "whole"), ("1.5", "whole"),
      ("1000000001", "from 0 to 1000000000")]),
    ("s", "sleep", "50", SHOW,
     [("-1", "from 0 to"), ("x", "whole"), ("10000001", "to 10000000")]),
    ("x", "total", "trltp3", SHOW, [("other", "trltp3"), ("", "trltp3")]),
    ("k", "skip-bad", None, SHOW, []),
    ("g", "gate", None, ("a.csv", "b.csv"), []),
    ("n", "candidate", "2", ("-g", "-d99", "a.csv", "x=b.csv", "b.csv"),
     [("0", "from 1 to 1000"), ("1.5", "whole"), ("x", "whole")]),
    ("c", "confidence", "95", GATE,
     [("49", "from 50 to 99.99 % is expected\n"), ("100", "to 99.99"),
      ("x", "number"), ("nan", "number")]),
    ("a", "tolerance", "0.5", GATE,
     [("-1", "from 0"), ("1001", "to 1000"), ("inf", "to 1000")]),
    ("d", "detect", "20", GATE,
     [("-1", "from 0"), ("1000001", "to 1000000 %"), ("x", "number"),
      ("3,max:5", "'max:5': a number from 0 to 1000000 %, or FIGURE"),
      ("p99:", "of average, missed, or a percentile"),
      ("p100:3", "'p100:3': a number"), ("p0:3", "or a percentile"),
      ("p9.9.9:3", "or a percentile"), (":3", "or a percentile")]),
    ("u", "unlike", None, GATE, []),
    ("r", "propose", None, ("-p50", "a.csv", "b.csv"), []),
    ("h", "help", None, (), []),
    ("v", "version", None, (), []),
]


@pytest.fixture
def files(report):
    for name, text in DUMPS.items():
        made.write(report.directory, name, text)
    made.write(report.directory, "p.csv", made.PUBLISHED)     # is quick


def forms(letter, name, value):
    """The ways to write it."""
    if value is None:
        return [f"-{letter}"], [f"--{name}"]
    return ([f"-{letter}{value}"], [f"-{letter}", value],
            [f"--{name}={value}"], [f"--{name}", value])


@pytest.mark.parametrize("letter, name, value, rest, _bad", OPTIONS)
def test_good(report, files, letter, name, value, rest, _bad):
    """All forms do the same, and it can be seen that they do something."""
    def state(args):
        out = report(*args).stdout
        made_files = {}
        for path in sorted(report.directory.rglob("*")):
            if path.is_file() and path.name not in INPUTS:
                made_files[str(path)] = path.read_bytes()
                path.unlink()
        return out, made_files

    states = [state([*form, *rest]) for form in forms(letter, name, value)]
    assert all(one == states[0] for one in states)
    if letter in "kuhvgr":       # shown elsewhere, or by what they print
        assert states[0] != ("", {})
    else:
        assert states[0] != state(rest)


@pytest.mark.parametrize("letter, name, rest, value, said", [
    (letter, name, rest, value, said)
    for letter, name, _, rest, bad in OPTIONS for value, said in bad])
def test_bad(refused, files, letter, name, rest, value, said):
    for form in (["-" + letter, value], [f"--{name}={value}"]):
        message = refused(*form, *rest)
        assert f"--{name}" in message and said in message


def test_every_option_is_tested_and_documented(report):
    from report import args
    known = {}
    for action in args.parser()._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            short, long = action.option_strings
            known[short[1:]] = long[2:]
    assert known == {letter: name for letter, name, *_ in OPTIONS}
    shown = report("--help").stdout
    for letter, name in known.items():
        assert f"--{name}" in shown and f"-{letter}" in shown


@pytest.mark.parametrize("args, said", [
    ((), "no file"), (("-t", "-"), "no file"), (("--bogus", "a.csv"),
                                                "--bogus"),
    (("--perc=50", "a.csv"), "--perc"), (("-Z", "a.csv"), "-Z"),
    (("-g", "-k", "a.csv", "b.csv"), "--skip-bad with --gate"),
    (("-g", "-r", "a.csv", "b.csv"), "--propose with --gate"),
    (("-p",), "-p"), (("--gate=1", "a.csv"), "--gate")])
def test_wrong_command_lines(refused, files, args, said):
    assert said in refused(*args)


def test_default_is_a_page(report, files):
    report("p.csv")
    assert sorted(path.name for path in report.directory.iterdir()) == \
        [*INPUTS, "twowayreport.html"]


def start(directory, *args, **options):
    return subprocess.run([made.REPORT / "twowayreport", *args],
                          cwd=directory, capture_output=True, text=True,
                          timeout=60, **options)


@pytest.mark.skipif(not os.path.exists("/usr/bin/python3"),
                    reason="no /usr/bin/python3, which its first line names")
def test_as_a_program(tmp_path):
    """By its own first line, elsewhere, in the C locale; exit statuses."""
    found = start(tmp_path, "--version", env={"LC_ALL": "C"})
    assert (found.returncode, found.stdout) == (0, "twowayreport 0.10\n")
    made.write(tmp_path, "a.csv", made.dump(made.cycles(600)))
    made.write(tmp_path, "b.csv",
               made.dump(made.cycles(600, 2, shift=50_000)))
    assert start(tmp_path, "-g", "a.csv", "x=a.csv", "b.csv").returncode == 2
    assert start(tmp_path, "none").returncode == 1
    name = os.fsdecode(b"\xff\xe9.csv")
    os.rename(tmp_path / "a.csv", tmp_path / name)
    found = start(tmp_path, "-m", "send", "-o", "x.html", "-t", "-", name)
    assert found.returncode == 0, found.stderr
    assert not list(made.REPORT.glob("__pycache__"))


def test_missing_module(tmp_path):
    """It says which package, and does not trace back."""
    made.write(tmp_path, "a.csv", made.dump(made.cycles(50)))
    (tmp_path / "numpy.py").write_text("raise ImportError(name='numpy')\n")
    found = subprocess.run(
        [sys.executable, made.REPORT / "twowayreport", "a.csv"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"PYTHONPATH": str(tmp_path)})
    assert found.returncode == 1
    assert found.stderr.startswith("twowayreport: numpy is missing; packages "
                                   "python3-numpy")
