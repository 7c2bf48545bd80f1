# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports as a reader has them, whole: every text of the tables, and what is
drawn how and where; see tests/tools/outline.py."""

import pathlib

import made
import made_break
import made_hosts
import made_pairs
import made_primitives
import made_stamps
import outline
import pytest

KNOWN = pathlib.Path(__file__).with_name("whole.txt")


def two_systems():
    """With a ramp of load, limits, kept cycles, other settings."""
    files = {}
    for name, seed in (("a", 1), ("b", 5)):
        parts = [made.cycles(300, seed + i, start=10**12 * (i + 1),
                             shift=seed * 900) for i in (0, 1)]
        data = made.twoway(parts[0] + parts[1], list(enumerate(parts)),
                           missed=seed, size=8 * seed)
        data["twoway"]["limits"] = [made.limit("total:60", 90_000)]
        data["twoway"]["throttled"] = seed - 1
        data["twoway"]["worst"] = made_hosts.worst(parts[0])
        for one in data["twoway"]["worst"].values():
            one["values"] |= {"send": 7000, "receive": 8000}
        files[f"{name}.json"] = data
    return files


def two_dumps():
    return {"a.csv": made.dump(made.cycles(900, 2)),
            "b.csv": made.dump(made.cycles(1500, 3, shift=300_000))}


def far_apart():
    """A histogram from the shortest to a cycle that is ten times longer."""
    rows = made.cycles(300, 4)
    return {"x.csv": made.dump([*rows[:-1], (*rows[-1][:6],
                                             rows[-1][6] + 2_000_000, 0)])}


def two_hosts():
    """With kernel timestamps, of which one is missing."""
    rows = made_hosts.ROWS
    return {"x.csv": made_stamps.dump(rows, made_stamps.stamps(
        rows, {7: "client_rx"}))}


def judged():
    """Equal runs of a baseline, and a worse candidate."""
    return {f"{name}.csv": made.dump(
        (*row[:7], int(row[1] % each == 1))
        for row in made.cycles(2000, seed, shift=shift))
        for name, seed, shift, each in (
            ("a1", 1, 0, 90), ("a2", 2, 100, 99), ("a3", 3, 0, 110),
            ("b1", 4, 9000, 40))}


def primitives():
    prim, column = made_primitives, "sync1.futex.pair"
    return {"p.json": prim.primitives(how={column: {"p99": 740}}),
            "q.json": prim.primitives(prim.more(2), {column: {
                "cycles": 2000}}),
            "r.json": prim.primitives({column: 900})}


# Inputs, options, the figures that are looked at.
CASES = {
    "two systems": (two_systems, ("-m", "response,sleep,total"),
                    ("load", "ranges")),
    "two dumps": (two_dumps, ("-m", "response", "-p", "50,99"), (
        "exceeding-response", "histogram-response", "time-line")),
    "far apart": (far_apart, ("-m", "response"), ("histogram-response",)),
    "two hosts": (two_hosts, ("-m", "network"), ("phases",)),
    "pairs": (lambda: {"p.json": made_pairs.ramp_json(made_pairs.ramp(3))},
              ("-m", "response"), ("ramp-pairs",)),
    "break": (lambda: {"r.json": made_break.twoway()}, ("-m", "total"),
              ("broken-cycle",)),
    "primitives": (primitives, ("-m", "response"), ("primitives",))}


@pytest.mark.parametrize("name", CASES)
def test_whole(report, name):
    files, options, figures = CASES[name]
    for path, content in files().items():
        made.write(report.directory, path, content)
    text = report("-t", "-", "-f", "figs", "-F", "svg", "-o", "r.html",
                  *options, *files()).stdout
    html = (report.directory / "r.html").read_text("utf-8")
    found = [line for line in text.partition("\n## Files")[0].splitlines()
             if line.strip("| -:")]
    found += outline.links(html)
    for figure in figures:
        path = report.directory / f"figs/{figure}.svg"
        found += [f"-- {figure}", *outline.of(path.read_text("utf-8"))]
    outline.check(KNOWN, name, found, report.directory)


@pytest.mark.parametrize("name, status, options, runs", [
    ("gate", 2, ("-g", "-m", "response,send"), (0, 1, 2, 3)),
    ("gate of several runs", 3, ("-g", "-n2", "-m", "response"), (0, 1, 2, 3)),
    ("gate of one run", 3, ("-g", "-m", "response"), (0, 3))])
def test_gate(report, name, status, options, runs):
    paths = [made.write(report.directory, path, content)
             for path, content in judged().items()]
    text = report(*options, *(paths[i] for i in runs),
                  status=status).stdout
    outline.check(KNOWN, name, text.splitlines(), report.directory)


def test_help(report, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    outline.check(KNOWN, "help", filter(
        None, report("--help").stdout.splitlines()), report.directory)
