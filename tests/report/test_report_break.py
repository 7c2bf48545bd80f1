# SPDX-License-Identifier: GPL-2.0-or-later
"""A cycle that -b ended the run at: the page begins with its cause."""

import html
import xml.etree.ElementTree as tree

import made
import made_break
import pytest

HOG = "a [002] hog-1-300"


def test_states_have_colours_of_their_own():
    from report.draw import figures_break     # it needs matplotlib
    from twtools import plots
    look = plots.Look(False)
    found = [figures_break.colour_of(look, state) for state in (
        "runs", "asleep", "runnable", "timer late", "interrupted", "unknown")]
    assert len(set(found)) == len(found)
    assert figures_break.colour_of(look, "awaits the other") == found[1]


@pytest.fixture
def broken(report):
    """A report of r.json, whose break may be another: what it begins with, and
    tables."""
    def run(data=None, **more):
        made.write(report.directory, "r.json",
                   data or made_break.twoway(**more))
        text = report("-t", "-", "r.json").stdout
        return html.unescape(text.split("\n")[2].removeprefix("- ")), \
            made.tables(text)

    run.directory = report.directory
    return run


def texts_of(page, where):
    """Of the elements of a kind."""
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    return ["".join(one.itertext()).strip() for one in root.iter()
            if one.tag.rpartition("}")[2] == where]


def test_page_begins_with_the_cause(broken, report):
    """Then come its figure and its table, and then the verdict."""
    said, _ = broken()
    report("-o", "r.html", "r.json")
    page = (broken.directory / "r.html").read_text()
    assert texts_of(page, "li")[0] == said == \
        "r: cycle 7 had a response of 410.3 us, above the limit of 200.0 " \
        f"us. Cause: {made_break.CAUSE}."
    order = [page.index(mark) for mark in (
        "</h1>", '<section id="cause"', '<figure id="broken-cycle">',
        "of the cycle that broke</h2>", '<section id="verdict"',
        '<figure id="exceeding-response">', "<nav>")]
    assert order == sorted(order)


def test_what_was_to_blame(broken):
    _, found = broken()
    rows = found["r: sleep of the cycle that broke"]
    told = made_break.analysis()["timeline"]
    assert [(row["at us"], row["for us"], row["the server"],
             row["who had the CPU"], row["cause"]) for row in rows] == [
        (made.us(one["at_ns"]), made.us(one["ns"]), one["state"], one["who"],
         "yes" if one["state"] == "timer late" else "") for one in told]


def test_figure(broken, report):
    """A lane each for who had the CPU; what is to blame is framed."""
    from report import args
    from report.draw import figures_break
    from twoway.read.runs import read_all
    from twtools import plots
    broken()
    report("-f", "figs", "-F", "png", "-m", "response", "r.json")
    runs, _ = read_all(
        [str(broken.directory / "r.json")], args.parse(["r.json"]))
    [(key, _, draw)] = figures_break.figures_of(runs)
    [ax] = draw(plots.Look(True)).axes
    told = made_break.analysis()["timeline"]
    lanes = list(dict.fromkeys(one["who"] for one in told))
    assert [text.get_text() for text in ax.texts] == lanes
    assert [(round(bar.get_x() * 1000), round(bar.get_width() * 1000),
             lanes[round(bar.get_y() + 0.21)], bar.get_linewidth() > 0)
            for bar in ax.patches] == [
        (one["at_ns"], one["ns"], one["who"], one["state"] == "timer late")
        for one in told]
    assert key == "broken-cycle"
    assert (broken.directory / "figs/broken-cycle.png").read_bytes() \
        .startswith(b"\x89PNG")


STACKS = [
    ({}, ""),
    ({"stack": [], "stack_at": "interrupt"}, "was interrupted in user mode."),
    ({"stack": ["clear_user", "read_zero"], "stack_at": "interrupt"},
     "was interrupted in clear_user < read_zero."),
    ({"stack": ["schedule_timeout"], "stack_at": "switch"},
     "left the CPU in schedule_timeout.")]


@pytest.mark.parametrize("stack, sentence", STACKS)
def test_stack(broken, stack, sentence):
    """What the culprit did."""
    said, _ = broken(cause={**made_break.analysis(), "who": HOG, **stack})
    assert said.endswith(
        f"and 1 more ran. {HOG} {sentence}" if sentence
        else "and 1 more ran.")


@pytest.mark.parametrize("analysis", [None, {"lacks": "no trace"}])
def test_without_a_trace(broken, report, analysis):
    """It says how to find the cause, and has no figure."""
    said, _ = broken(cause=analysis)
    assert said.endswith("No trace tells the cause: measure with --trace.")
    report("-f", "figs", "-F", "svg", "-m", "response", "r.json")
    assert (broken.directory / "figs/ranges.svg").exists()
    assert not (broken.directory / "figs/broken-cycle.svg").exists()


def test_causes(broken):
    """The table of --breaks."""
    data = made_break.twoway()
    rows = [("sleep", "server running", 12, 500, 0.25, 61.04),
            ("send", None, 3, 410, 7, 7)]
    data["twoway"]["causes"] = [
        dict(zip(("phase", "cause", "count", "longest", "first_s", "last_s"),
                 row)) for row in rows]
    _, found = broken(data)
    assert [list(row.values()) for row in found[
        "r: causes of the cycles above the limit"]] == [
        [phase, cause or "-", str(count), made.us(longest * 1000),
         f"{first:.1f}", f"{last:.1f}"]
        for phase, cause, count, longest, first, last in rows]
    assert {"remark": "15 cycles above the limit of -b", "system": "r"} in \
        found["Remarks"]


def test_cause_on_the_other_host(broken):
    data = made_break.twoway(cause=None)
    data["twoway"]["peer"] = {"breaks": [{"cause": made_break.analysis() | {
        "host": "far", "side": "server"}}]}
    said, found = broken(data)
    assert f"Cause on host far: {made_break.CAUSE}." in said
    assert "r: sleep of the cycle that broke on host far" in found


def test_many_pieces(broken):
    """The shortest are one row, so that the page stays small."""
    spans = [made_break.span(i * 2000, 1000 + i, "runnable", HOG, 1)
             for i in range(60)]
    _, found = broken(cause={**made_break.analysis(), "timeline": spans})
    rows = found["r: sleep of the cycle that broke"]
    assert [row["for us"] for row in rows] == [
        *(made.us(span["ns"]) for span in spans[20:]),
        made.us(sum(span["ns"] for span in spans[:20]))]


def test_a_trace_is_not_read(refused):
    """Who shows it is named."""
    made.write(refused.directory, "t.txt", "# tracer: nop\n#\n")
    assert "t.txt: line 1: a trace of the kernel, which " \
        "https://ui.perfetto.dev shows" in refused("t.txt")


@pytest.mark.parametrize("member, value, why", [
    ("side", "main", "cause.side: 'main' is none of"),
    ("cause", 7, "cause.cause: 7 is no string"),
    ("timeline", [1], "cause.timeline[0]: no object")])
def test_bad_analysis(refused, member, value, why):
    made.write(refused.directory, "r.json", made_break.twoway(
        cause=made_break.analysis() | {member: value}))
    assert why in refused("r.json")
