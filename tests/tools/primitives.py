# SPDX-License-Identifier: GPL-2.0-or-later
"""Running primitivetest to its end, and reading what it has written."""

import os
import re

import pytest

import twowaytest


def binary():
    """The program; the environment names it."""
    return os.path.abspath(os.environ["PRIMITIVETEST"])


class Result:
    """How a run ended, its text, and its JSON if it wrote one."""

    def __init__(self, result):
        self.returncode = result.returncode
        self.stdout = result.stdout
        self.stderr = result.stderr
        self.path = result.path
        # Empty, if nothing was measured.
        self.json = result.json() if "json" in result.files and \
            result.text("json") else None

    @property
    def columns(self):
        """The entries of "thread" by their names, such as sync1.mutex.pair."""
        return {column["metric"]: column
                for column in self.json["thread"].values()}

    @property
    def tests(self):
        """The tests that were run or skipped, by their names."""
        return {test["name"]: test
                for test in self.json["primitives"]["tests"]}

    @property
    def series(self):
        """Those of the columns, in ns, by the same names."""
        return {one["span"]: one
                for one in self.json["primitives"]["series"]}

    def lines(self, begin):
        """The lines of the text that begin so, without that."""
        return [line[len(begin):].strip()
                for line in self.stdout.splitlines()
                if line.startswith(begin)]

    def sum_ns(self, name):
        """The sum of all values of a column, in ns."""
        column = self.columns[name]
        return round(column["avg"] * 1000 * column["cycles"])


def need_preload():
    """Skips where no library can be put before the program's own."""
    if os.environ.get("TWOWAY_EMULATOR"):
        pytest.skip("an emulator does not preload into its program")
    with open(binary(), "rb") as file:
        if b"libasan" in file.read():
            pytest.skip("a sanitizer's library wants to be the first")


def run(*args, directory, json=True, details=True, **options):
    """Runs it with -q and, unless told otherwise, --metrics=all --json=json."""
    if "LD_PRELOAD" in (options.get("env") or {}):
        need_preload()
    if details:
        args = (*args, "--metrics=all")
    if json:
        args = (*args, "--json=json")
    options.setdefault("program", binary())
    return Result(twowaytest.run("-q", *args, directory=directory, **options))


TEST = re.compile(r"^(\w+) +(.+)\n(?: +kinds: (.+)\n)? +trials: (\d+); ", re.M)


def listed(run_here):
    """What --list says of each test; a kind may have trials of its own."""
    return [{"name": name, "about": about,
             "kinds": re.sub(r" \(\d+ trials\)", "", kinds).split(),
             "trials": int(trials)} for name, about, kinds, trials in
            TEST.findall(run_here("--list").stdout)]
