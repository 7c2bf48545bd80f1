# SPDX-License-Identifier: GPL-2.0-or-later
"""Which runs the gate compares, and what it says below its table."""

import types

import made
import made_columns
import pytest
import schema

COUNT = 4000


# Of the programs' options that the JSON tells; of all others, runs that differ
# are not compared.
PRINTING = ["breaks", "dump", "histfile", "histofall", "histogram", "json",
            "nsecs", "on-break", "quiet", "refresh_on_max", "rsh", "spike",
            "spike-nodes", "timeline", "trace-file", "trltp-log", "unbuffered",
            "verbose", "worst", "loops", "duration", "breaktrace", "distance",
            "priospread", "check"]
MEASURING = ["affinity", "aligned", "clock", "interval", "latency", "load-args",
             "mlockall", "order", "policy", "priority", "rt-runtime", "size",
             "sleep", "threads", "timer", "total", "trace", "tracemark",
             "transport", "wait", "warmup"]


def refusal(report, *files):
    return report("-g", *files, status=1).stderr.split(" allows: ")[1]


@pytest.mark.parametrize("options", [PRINTING, MEASURING],
                         ids=["print", "measure"])
def test_options_that_only_print(report, options):
    """They make no run unlike another; each of the others does."""
    rows = made.cycles(COUNT)
    for name, value in (("a", 1), ("b", 2)):
        data = made.twoway(rows, **dict.fromkeys(options, value))
        data["twoway"]["settings"].setdefault("distance", 0)
        made.write(report.directory, f"{name}.json", data)
    args = "-m", "receive", "-d", "20", "a.json", "b.json"
    if options is PRINTING:
        report("-g", *args)
        return
    report("-g", "-u", *args)
    named = {"interval": "interval_us", "sleep": "sleep_us"}
    assert sorted(refusal(report, "a.json", "b.json").strip().split("; ")) == \
        sorted(f"{named.get(option, option)} 1 / 2" for option in options)


def with_load(kind=None, **settings):
    data = made.twoway(made.cycles(COUNT), **settings)
    data["twoway"]["load"] = [
        {"kind": kind, "units": 1, "unit": "workers", "priority": 0,
         "work": "transforms", "rate": 11.9, "errors": 0}] if kind else []
    return data


def test_a_load_and_none(report):
    """The JSON of a run without a load tells that; a dump does not."""
    for name, kind in ("a", None), ("b", "fft"), ("c", "hackbench"):
        made.write(report.directory, f"{name}.json", with_load(kind))
    made.write(report.directory, "d.csv", made.dump(made.cycles(COUNT)))
    assert refusal(report, "a.json", "b.json") == "load kind none / fft\n"
    assert refusal(report, "b.json", "a.json") == "load kind fft / none\n"
    assert refusal(report, "b.json", "c.json") == "load kind fft / hackbench\n"
    for other in "a.json", "d.csv":
        out = report("-g", "-m", "receive", "-d", "100", "a.json", f"z={other}")
        assert out.stdout.splitlines()[-1].startswith("not worse")
    report("-g", "-m", "receive", "-d", "100", "b.json", "d.csv")


@pytest.mark.parametrize("option, value", [
    ("load-policy", "idle"), ("load-args", "-l 100"), ("trace", "kernel"),
    ("affinity", "1")])
def test_an_option_that_one_has_not(report, option, value):
    """Null is known as well, unlike what an old file does not have."""
    for name, given in ("a", None), ("b", value):
        made.write(report.directory, f"{name}.json",
                   with_load("fft", **{option: given}))
    made.write(report.directory, "c.json", with_load("fft"))
    assert refusal(report, "a.json", "b.json") == f"{option} none / {value}\n"
    for files in (("a.json", "z=a.json"), ("b.json", "c.json")):
        report("-g", "-m", "receive", "-d", "100", *files)


def test_distance_of_several_pairs(report):
    for name, value in (("a", 0), ("b", 500)):
        made.write(report.directory, f"{name}.json", made_columns.twoway(
            [made.cycles(COUNT)] * 2, [made.PERIOD] * 2, distance=value))
    assert "the settings differ, which --unlike allows: distance 0 / 500\n" \
        in report("-g", "a.json", "b.json", status=1).stderr


def test_tables_of_options():
    """Each name is one of an option that the schema of a program has."""
    from report.judge import unlike
    from twoway.read import columns
    known = set()
    for of, name in ((schema.TWOWAY, "twoway"),
                     (schema.PRIMITIVES, "primitives")):
        own = schema.read(of)["properties"][name]["properties"]
        known |= set(own["settings"]["properties"])
    assert columns.OUTPUT | columns.OF_PAIRS <= known
    assert {key for key in unlike.HARMLESS if key not in known} == \
        {"duration_s", "histogram_us", "version", "command line"}
    assert set(PRINTING) | {"bin", "list", "us"} == columns.OUTPUT | \
        columns.OF_PAIRS | unlike.HARMLESS & known


@pytest.mark.parametrize("remarks, last, shown, more", [
    (9, ["not worse"], 9, None), (10, ["not worse"], 8, 2),
    (8, ["undecided: x", "worse: y"], 8, None),
    (12, ["undecided: x", "worse: y"], 7, 5)])
def test_at_most_ten_lines(remarks, last, shown, more):
    """Below the table; each a line of its own."""
    from report.judge import gate_text
    from twtools.tables import Table
    notes = [f"remark {i}\x1b." for i in range(remarks)]
    text = gate_text.terminal(Table(
        "Title", ["a", "b"], [["1", "2"]], "\n".join(notes)), last)
    assert text.splitlines() == [
        "Title", "a  b", "1  2",
        *(note.replace("\x1b", "\ufffd") for note in notes[:shown]),
        *([f"{more} more remarks: --tables=- prints them."] if more else []),
        *last]


def test_remarks_that_runs_have_in_common():
    from report.judge import gate_text
    runs = [types.SimpleNamespace(title=title) for title in "abc"]
    told = {"a": ["x", "y"], "b": ["x"], "c": ["x", "z", "y"]}
    assert gate_text.common(runs, lambda run: told[run.title]) == [
        "all runs: x", "a, c: y", "c: z"]
