# SPDX-License-Identifier: GPL-2.0-or-later
"""Several runs of a system, what was measured, and pairs by their CPU."""

import xml.etree.ElementTree as tree

import made
import made_pairs
import pytest

numpy = pytest.importorskip("numpy")


def environment(data, number):
    data["cmdline:"] = f"/opt/x/twowaytest -D 60 --json={number}.json"
    data |= {"start_time": f"Sun, 22 Nov 2026 20:3{number}:59 +0000",
             "end_time": f"Sun, 22 Nov 2026 20:4{number}:59 +0000"}
    data["twoway"]["system"] |= {
        "preemption": "PREEMPT_RT", "online_cpus": "0-3",
        "machine_vendor": "Acme", "machine_product": "Box"}
    return data


def test_what_was_measured(report):
    """A row a system; of several runs, what they do not share stands there
    more than once."""
    for number in (1, 2, 3):
        made.write(report.directory, f"{number}.json", environment(
            made.twoway(made.cycles(90, number), duration=60), number))
    text = report("-t", "-", "A=1.json,2.json", "3.json").stdout
    assert made.tables(text)["What was measured"] == [
        {"system": "A", "what":
         "2 runs, host host, Linux 6.1 PREEMPT_RT x86_64, CPUs 0-3, Acme Box, "
         "2026-11-22 20:31 UTC, 1 min 00 s, every 1000 us, policy fifo 98, on "
         "CPU 1, 2026-11-22 20:32 UTC; twowaytest -D 60 --json=1.json and 1 "
         "more"},
        {"system": "3", "what":
         "host host, Linux 6.1 PREEMPT_RT x86_64, CPUs 0-3, Acme Box, "
         "2026-11-22 20:33 UTC, 1 min 00 s, every 1000 us, policy fifo 98, on "
         "CPU 1; twowaytest -D 60 --json=3.json"}]


def test_runs_of_a_system_have_a_name_and_a_colour(report):
    """A file whose name has a comma is one; a dump belongs to its JSON."""
    from report import args
    from twoway.read.runs import read_all
    for number in (1, 2):
        rows = made.cycles(90, number)
        made.write(report.directory, f"{number}.json", made.twoway(rows))
        made.write(report.directory, f"{number}.csv", made.dump(rows))
    made.write(report.directory, "1,2.csv", made.dump(made.cycles(80)))
    runs, _ = read_all(["B=1,2.csv", "A=1.json,2.json,1.csv,2.csv"],
                       args.parse(["x"]))
    assert [(run.title, run.of_system, run.index, len(run.parts))
            for run in runs] == [("B", "B", 0, 1), ("A 1", "A", 1, 2),
                                 ("A 2", "A", 1, 2)]


@pytest.mark.parametrize("kind", ["dump", "json"])
def test_histograms_by_cpu(report, kind):
    """A curve each, which is named by its CPU, the longest first."""
    pairs = made_pairs.pairs((600, 300, 200))
    content = {"dump": made_pairs.dump, "json": made_pairs.twoway}[kind](pairs)
    made.write(report.directory, f"a.{kind}", content)
    report("-m", "response", "-f", "figs", "-F", "svg", f"a.{kind}")
    found = tree.parse(report.directory / "figs/by-cpu-response.svg")
    texts = ["".join(one.itertext()) for one in found.iter()
             if one.tag.endswith("}text")]
    most = {number: max(row[6] - row[3] for row in rows)
            for number, rows in pairs.items()}
    expected = [
        f"CPU {'?' if kind == 'dump' else number + 4}, pair {number}: max "
        f"{(ns if kind == 'dump' else ns // 1000 * 1000) / 1000:.0f} us"
        for number, ns in sorted(most.items(), key=lambda one: -one[1])]
    assert [text for text in texts if text.startswith("CPU ")] == expected
    assert "Response Time by CPU: a" in texts
    made.write(report.directory, "one.csv", made.dump(made.cycles(90)))
    report("-m", "response", "-f", "alone", "-F", "svg", "one.csv")
    assert not list(report.directory.glob("alone/by-cpu*"))


def test_shares_of_pairs():
    """Of each pair's own cycles; those that took longest have colours."""
    from report.draw import figures
    from twoway.series import model, stats
    from twtools import plots
    pairs = [model.Pair(number, {"latency": stats.series_of(
        "latency", numpy.repeat([1000, 1000 * (2 + number)],
                                [3 * (1 + number), 1 + number]))}, number)
        for number in range(10)]
    run = model.Run("a", "", [model.Part("f", "json", "a", pairs=pairs)])
    key, caption, draw = figures.by_cpu(run, "latency")
    assert key == "by-cpu-latency" and caption.endswith(
        "The 8 that took longest are named; the other 2 are grey.")
    [ax] = draw(plots.Look(True)).axes
    assert [sorted({*curve.get_data().values} - {0}) for curve in ax.patches] \
        == [[0.25, 0.75]] * 10
    colours = [curve.get_edgecolor() for curve in ax.patches]
    assert colours[8] == colours[9] and colours[8] not in colours[:8]


def test_several_runs_of_the_candidate(report):
    """Their mean is judged, and the tail of all of them."""
    for number, shift in enumerate((0, 500, 1000, 700, 9000, 9600)):
        made.write(report.directory, f"{number}.csv", made.dump(
            made.cycles(4000, number, shift=shift)))
    names = [f"{number}.csv" for number in range(6)]
    args = "-g", "-p", "50", "-d", "9", "-n", "2"
    out = report(*args, *names, status=2).stdout
    assert "Is 4, 5 worse than 0, 1, 2, 3?" in out
    assert out.splitlines()[-1].startswith("worse: latency average, latency p50")
    out = report(*args[:-1], "3", *names, status=3).stdout
    assert "Is 3, 4, 5 worse than 0, 1, 2?" in out
    report(*args, *names[:3], status=3)     # their spread is that of two


@pytest.mark.parametrize("option", ["-o", "-O", "-j"])
def test_no_file_has_the_name_of_standard_output(refused, option):
    made.write(refused.directory, "a.csv", made.dump(made.cycles(90)))
    assert "'-': the name of a file (of standard output, it is /dev/stdout) " \
        "is expected" in refused(option, "-", "a.csv")
