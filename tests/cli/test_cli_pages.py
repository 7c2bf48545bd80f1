# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages name what the programs and the tables of options name."""

import functools
import json
import os
import pathlib
import re
import subprocess

import pytest

import primitives
import twowaytest

TOP = pathlib.Path(__file__).resolve().parents[2]
SPELLED = {None: "none", "=": "required", "[=": "optional"}


class Program:
    """A program, its table of options, and the page that has them."""

    def __init__(self, binary, page):
        self.binary = binary
        self.page = TOP / "man" / page

    @property
    def table(self):
        """{name: (letter, argument)}, as --help has them."""
        told = subprocess.run([self.binary(), "--help"], text=True,
                              capture_output=True, check=True).stdout
        return {match[2]: (match[1] or "", SPELLED[match[3]])
                for match in re.finditer(
                    r"^  (?:-(\w), |    )--([\w-]+)(\[?=)?", told, re.M)}

    def text(self):
        return self.page.read_text(encoding="ascii")

    def help(self, directory):
        """As table, from what --help prints."""
        result = twowaytest.run("--help", directory=directory,
                                program=self.binary())
        assert result.returncode == 0 and not result.stderr
        return result.stdout


PROGRAMS = {
    "primitivetest": Program(primitives.binary, "primitivetest.8"),
    "twowaytest": Program(twowaytest.binary, "twowaytest.8"),
    "whylate": Program(lambda: os.environ["WHYLATE"], "whylate.8"),
}


def plain(text):
    """Without fonts and the like."""
    text = re.sub(r"\\f(?:[BIRP]|\(CW)", "", text.replace("\\-", "-"))
    return text.replace('"', "").replace("\\ ", " ")


def headings(text):
    """{long: {(letter, argument)}} of the lines that begin a paragraph, such
    as .BR -l ", " --loops=N; an option may have more than one."""
    found = {}
    for line in re.findall(r"^\.T[PQ]\n\.[BIR]{1,2} (.*)$", text, re.M):
        match = re.match(r"(?:-(\w),)?--(\w+(?:-\w+)*)(\[?=)?",
                         re.sub(r"\s", "", plain(line)))
        if match:
            found.setdefault(match[2], set()).add(
                (match[1] or "", SPELLED[match[3]]))
    return found


@pytest.fixture(params=PROGRAMS)
def program(request):
    return PROGRAMS[request.param]


def test_groups_of_options(program, tmp_path):
    """--help has them by the headings of the page, in the same order."""
    options = re.split(r"^\.SH .*\n", program.text().partition(
        ".SH OPTIONS\n")[2], flags=re.M)[0]
    of_page = [(plain(head), set(headings(text))) for head, text in re.findall(
        r"^\.SS (.*)\n((?:(?!\.SS).*\n)*)", options, re.M)]
    of_help = [(head, set(re.findall(r"^  (?:-\w,|   ) --([\w-]+)", text,
                                     re.M)))
               for head, text in re.findall(
                   r"^(\S.*):\n((?:  .*\n)+)", program.help(tmp_path), re.M)]
    assert of_help == of_page and len(of_help) > 2


def test_options_for_programs(program):
    """--options has what --help says, in its order: each word of it."""
    done = subprocess.run([program.binary(), "--options"], text=True,
                          capture_output=True, check=True)
    rows = [row for row in map(json.loads, done.stdout.splitlines())
            if row["type"] != "operands"]
    told = subprocess.run([program.binary(), "--help"], text=True,
                          capture_output=True, check=True).stdout
    heads = re.findall(r"^(\S.*):$", told, re.M)
    assert list(dict.fromkeys(row["group"] for row in rows)) == heads
    words = []
    for row in rows:
        value = f"={row['value']}" if row["value"] else ""
        words += f"-{row['letter']}, " * bool(row["letter"]) + \
            f"--{row['name']}" + (f"[{value}]" if row["optional"]
                                  else value), *row["help"]
        told_here = " ".join(row["help"])
        for word in row["words"] if row["type"] != "limit" else ():
            assert re.search(rf"\b{word}\b", told_here) or re.fullmatch(
                "aux[1-6]", word) and "aux0 to aux7" in told_here, row
    text = told.partition("\n\n")[2]
    text = re.sub(r"^\S.*:$", "", text, flags=re.M)
    assert " ".join(words).split() == text.split()
    assert all(set(row) - {"min", "max"} == {
        "letter", "name", "type", "value", "optional", "words", "needs",
        "excludes", "group", "help"} for row in rows)
    assert all(row["type"] in ("number", "limit", "numbers")
               for row in rows if "min" in row)


def test_options_say_what_is_needed(program):
    """As the messages do."""
    rows = [row for row in map(json.loads, subprocess.run(
        [program.binary(), "--options"], text=True, capture_output=True,
        check=True).stdout.splitlines()) if row["type"] != "operands"]
    needy = [row for row in rows if row["type"] == "number" and
             row["needs"] and "=tcp" not in row["needs"][0]]    # the default
    for row in needy:
        done = subprocess.run(
            [program.binary(), f"--{row['name']}={row['max']}"], text=True,
            capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (
            1, f"FATAL: --{row['name']}={row['max']}: allowed only with "
            f"{row['needs'][0]}\n")
    assert bool(needy) == (program.page.name != "primitivetest.8")
    lists = {row["name"]: row["excludes"] for row in rows if row["excludes"]}
    assert lists and all(all(one) for one in lists.values())
    if "transport" in {row["name"] for row in rows}:
        assert len(lists["reflect"]) > 3


def test_help_fits_a_terminal(program, tmp_path):
    lines = program.help(tmp_path).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= {"twowaytest.8": 120}.get(program.page.name, 100)


def test_letters_are_no_others(program):
    letters = [short for short, _ in program.table.values() if short]
    assert len(letters) == len(set(letters))


def test_page_names_the_tables_options(program):
    """Each has a paragraph of its own, with its letter and its value."""
    told = headings(program.text())
    assert set(told) == set(program.table)
    for name, how in program.table.items():
        assert how in told[name], name


def test_page_begins_and_ends_with_the_programs(program):
    """What is called, and the way to the other program's page."""
    text = program.text()
    assert f".SH SYNOPSIS\n.SY {program.page.stem}\n" in text
    others = PROGRAMS.keys() - {program.page.stem}
    also = plain(text).split(".SH SEE ALSO\n")[1]
    assert all(f"{name}(8)" in also for name in others)


# primitivetest's page also has its tests.

@pytest.fixture
def listed(tmp_path):
    run = functools.partial(twowaytest.run, directory=tmp_path,
                            program=primitives.binary())
    return primitives.listed(run)


def described():
    """{test: what the page says of it}, in TESTS."""
    section = PROGRAMS["primitivetest"].text().split("\n.SH TESTS\n")[1]
    section = section.split("\n.SH ")[0]
    return {match[1]: plain(match[2]) for match in re.finditer(
        r"^\.TP\n\.B (\w+)\n(.*?)(?=^\.TP|^\.SS|\Z)", section, re.M | re.S)}


def test_page_describes_every_test(listed):
    told = described()
    for test in listed:
        words = set(re.findall(r"[\w.]*\w", told[test["name"]]))
        # A kind such as usleep.100 may be told by its two halves.
        for kind in test["kinds"]:
            assert kind in words or set(kind.split(".")) <= words, \
                f"{test['name']}.{kind}"


def test_page_has_the_trials_of_every_test(listed):
    rows = dict(re.findall(r"^(\w+) {2,}(\d+)", PROGRAMS[
        "primitivetest"].text(), re.M))
    assert set(rows) <= set(described())
    for test in listed:
        assert test["name"] in rows
        if test["name"] != "timer":     # of which each kind has its own
            assert int(rows[test["name"]]) == test["trials"], test["name"]


def test_page_describes_every_group(tmp_path):
    told = described()
    result = twowaytest.run("--list", directory=tmp_path,
                            program=primitives.binary())
    groups = set(" ".join(re.findall("groups:(.*)$", result.stdout,
                                     re.M)).split())
    assert {"aegis", "samples"} <= groups <= set(told)


def test_page_names_every_metric(primitive, listed):
    """Those of the tests that can be run here, in a trial of each."""
    told = described()
    result = primitive("--test=all", "-l", "1", "--warmup=1",
                       timeout=120)
    assert {test["test"] for test in result.tests.values()} == {
        test["name"] for test in listed}
    names = set(result.columns)
    assert len(names) > 10, result.stderr
    for name in names:
        test, metric = name.split(".")[0], name.rpartition(".")[2]
        assert metric in re.findall(r"\w+", told[test]), name


@pytest.mark.parametrize("line", ["First", "Verdict", "Derived", "Rate",
                                  "Clock", "Worst", "Limit"])
def test_page_explains_the_lines(primitive, line):
    result = primitive("--test=timer.1000,sync1.futex,sync2.futex", "-l", "5",
                       "--worst", "--limit=sync2.out:1000000")
    shown = set(re.findall("^# (?:/dev/)?([A-Za-z ]+?)[:_ ]", result.stdout,
                           re.M))
    assert line in shown
    told = plain(PROGRAMS["primitivetest"].text())
    assert re.search(rf"^\.B # {line}[: ]", told, re.M)
