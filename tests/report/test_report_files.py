# SPDX-License-Identifier: GPL-2.0-or-later
"""Which files may be read and written: no output is an input."""

import os

import made
import pytest

LOAD = "load,system,min,avg,max\nnone,A,1,2,3\n"


def state(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()
            if path.is_file()}


@pytest.fixture
def inputs(refused):
    made.write(refused.directory, "a.json", made.twoway(made.cycles(60)))
    made.write(refused.directory, "c.csv", LOAD)
    (refused.directory / "soft.md").symlink_to("a.json")
    os.link(refused.directory / "c.csv", refused.directory / "hard.csv")
    (refused.directory / "figs").mkdir()
    os.link(refused.directory / "c.csv",
            refused.directory / "figs" / "ranges-load-none.svg")
    return state(refused.directory)


@pytest.mark.parametrize("args, option, named", [
    (("-o", "a.json", "a.json"), "--html", "a.json"),
    (("-o", "./a.json", "x=a.json"), "--html", "a.json"),
    (("-t", "soft.md", "a.json"), "--tables", "soft.md"),
    (("-t", "c.csv", "a.json", "c.csv"), "--tables", "c.csv"),
    (("-t", "hard.csv", "c.csv"), "--tables", "hard.csv"),
    (("-f", "figs", "-F", "svg", "c.csv"), "--figures",
     "figs/ranges-load-none.svg")])
def test_output_that_is_an_input(refused, inputs, args, option, named):
    message = refused(*args)
    assert option in message and named in message
    assert "is an input" in message
    assert state(refused.directory) == inputs


@pytest.mark.parametrize("first, second", [
    ("x.csv", "x.csv"), ("x.csv", "./x.csv"), ("link.csv", "x.csv")])
def test_two_outputs_of_one_name(refused, inputs, first, second):
    (refused.directory / "link.csv").symlink_to("x.csv")
    message = refused("-t", first, "-o", second, "a.json")
    assert "--html and --tables" in message and "one file" in message
    assert not (refused.directory / "x.csv").exists()


def test_refused_before_anything_is_read(refused, inputs):
    made.write(refused.directory, "bad.csv", "nonsense\n")
    assert "is an input" in refused("-o", "a.json", "bad.csv", "a.json")


def test_what_is_written_through_may_have_two_names(report):
    made.write(report.directory, "c.csv", LOAD)
    (report.directory / "null.md").symlink_to("/dev/null")
    report("-o", "/dev/null", "-t", "null.md", "c.csv")
