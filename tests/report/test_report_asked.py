# SPDX-License-Identifier: GPL-2.0-or-later
"""The gate on percentiles that the user has named."""

import xml.etree.ElementTree as xml

import pytest

from test_report_gate import rounded, verdicts, write

BEYOND = "fewer than 100 cycles lie beyond, or as that needs the --dump of each " \
    "run"


@pytest.mark.parametrize("asked, gone", [
    (["-p", "50,99,99.9"], "99, 99.9"), (["-p", "99.90,50"], "99.9"),
    (["--detect=1000,p99:1000"], "99"), (["-d", "1000,p99.90:5"], "99.9"),
    (["-p", "50", "-d", "1000,p99:20"], "99"), (["-p", "50"], None),
    ([], None), (["-d", "1000,p50:20"], None), (["-d", "1000,p90:1000"], None)])
def test_a_percentile_that_was_asked_for(report, asked, gone):
    """It is judged, or the verdict is undecided; by default it is only told."""
    for seed, name in enumerate("ab"):
        write(report, f"{name}.csv", seed, 4000)
    files = "-d", "1000", *asked, "-j", "x.xml", "a.csv", "b.csv"
    out = report("-g", *files, status=3 if gone else 0).stdout
    cases = xml.parse(report.directory / "x.xml").getroot().iter("testcase")
    names = [f"latency p{one} (not judged)" for one in
             (gone.split(", ") if gone else [])]
    assert [(case.get("name"), case[0].tag, case[0].get("message"))
            for case in cases if len(case)] == [
        (name, "error", f"{name[:-13]} was asked for and is not judged, as "
         f"{BEYOND}. Measure longer, give the dumps, or leave it out.")
        for name in names]
    if gone:
        assert out.splitlines()[-1] == f"undecided: {', '.join(names)}"
    else:
        assert out.splitlines()[-1].startswith("not worse by more than ")
    judged = [figure for _, figure in verdicts(out)]
    assert ("p90" in judged) == ("p90" in asked[-1:][0] if asked else False)


def test_worse_is_worse_although_a_figure_is_not_judged(report):
    write(report, "a.csv", 1)
    write(report, "b.csv", 2, shift=9000)
    *_, one, two = report("-g", "-p", "99.9", "a.csv", "x=a.csv",
                          "b.csv", status=2).stdout.splitlines()
    assert (one, two) == ("undecided: latency p99.9 (not judged)",
                          "worse: latency average")


def test_json_alone_has_no_percentiles(report):
    """Beside a single run, only a dump tells how exact they are."""
    for name in "ab":
        rounded(report, f"{name}.json", 50_000)
    files = "a.json", "b.json"
    report("-g", *files)
    out = report("-g", "-p", "50", *files, status=3).stdout
    assert out.splitlines()[-1] == "undecided: response p50 (not judged)"


def test_a_percentile_that_is_written_otherwise(report):
    for seed, name in enumerate("ab"):
        write(report, f"{name}.csv", seed, 4000)
    out = report("-g", "-d", "1000,p50.0:20", "a.csv", "b.csv").stdout
    assert verdicts(out)["latency", "p50"][-3] == "20"
