# SPDX-License-Identifier: GPL-2.0-or-later
"""What the first page of a campaign begins with: sentences and a figure."""

import argparse
import re
import types
import xml.etree.ElementTree as tree

import browser
import pytest

OPTIONS = argparse.Namespace(
    placements=["one", "plan"], loads=["none", "fft"],
    tools=["cyclictest", "twowaytest"], connect=None, cpu=None, limit=[])
# Placement, load: averages and maxima of cyclictest, wakeup, response.
FIGURES = {
    ("one", "none"): ((10, 50), (11, 60), (100, 300)),
    ("one", "fft"): ((12, 70), (13, 80), (120.4, 350)),
    ("plan", "none"): ((11, 55), (12, 65), (139, 1234)),
    ("plan", "fft"): ((18, 90), (15, 95), (150, 400))}
HEADLINE = "Response: 100 to 120 us on average in placement one, 139 to " \
    "150 us on average in placement plan; the longest took 1,234 us " \
    "(placement plan, load none)."
BESIDE = "There, cyclictest's latency was 55.0 us at most and twowaytest's " \
    "wakeup was 65.0 us at most. A maximum is a single cycle, which may be " \
    "chance."
TWICE = "cyclictest measured the same thing in both placements; its " \
    "averages differ by up to 50 % (12.0 and 18.0 us, load fft): smaller " \
    "differences mean nothing here."


class State:
    """As cm_state.State, of what is given."""

    def __init__(self, without=()):
        self.data = {"sessions": []}
        self.results, self.records = {}, {}
        for (placement, load), (cyclic, wakeup, response) in FIGURES.items():
            names = [f"{placement}-{load}-{tool}" for tool in OPTIONS.tools]
            self.results[names[0]] = {"thread": {"0": thread(None, cyclic)}}
            self.results[names[1]] = {"twoway": {"limits": []}, "thread": {
                "0": thread("wakeup", wakeup),
                "1": thread("response", response)}}
        for name in without:
            del self.results[name]

    def record(self, one):
        return self.records.get(one.name, {})

    def result(self, one):
        return self.results.get(one.name)

    def finished(self, one):
        return one.name in self.results

    def read_once(self):
        return self


def thread(metric, values):
    named = {"metric": metric} if metric else {}
    return {**named, "cycles": 9, "min": 1, "avg": values[0],
            "max": values[1]}


def lines(state, virtual=False, **more):
    import cm_verdict
    return cm_verdict.lines_of(argparse.Namespace(
        **{**vars(OPTIONS), **more}), state, virtual)


def test_verdict():
    assert lines(State()) == [HEADLINE, BESIDE, TWICE]


def test_one_cpu_of_its_own():
    """With --cpu, the two placements of cyclictest are not the same."""
    assert lines(State(), cpu=1) == [HEADLINE, BESIDE]


@pytest.mark.parametrize("tool, begin", [
    ("twowaytest", "Response: 100 to"),
    ("cyclictest", "cyclictest's latency: 10.0 to 12.0 us on average in "
     "placement one, 11.0 to 18.0 us on average in placement plan; the "
     "longest took 90.0 us (placement plan, load fft).")])
def test_one_tool(tool, begin):
    other, = {"twowaytest", "cyclictest"} - {tool}
    found = lines(State(), tools=[tool])
    assert found[0].startswith(begin)
    assert not [line for line in found if f"{other}'s" in line]


def test_one_measurement():
    state = State()
    assert lines(state, placements=["one"], loads=["none"],
                 tools=["twowaytest"])[0] == \
        "Response: 100 us on average in placement one; the longest took " \
        "300 us (placement one, load none)."


def test_what_is_missing():
    """Its figures are left out, and that is told."""
    state = State(["plan-none-twowaytest", "one-fft-cyclictest"])
    found = lines(state)
    assert found[0].endswith("the longest took 400 us (placement plan, load "
                             "fft).")
    assert "averages differ by up to 10 %" in found[2]
    assert found[3] == "2 of 8 measurements failed or are missing: one fft " \
        "cyclictest, plan none twowaytest."
    assert lines(State(list(State().results))) == [
        "8 of 8 measurements failed or are missing: one none cyclictest, "
        "one none twowaytest, one fft cyclictest and 5 more."]


def test_limits():
    state = State()
    state.results["one-fft-twowaytest"]["twoway"]["limits"] = [
        {"limit": "total:9", "verdict": "exceeded"},
        {"limit": "response:9", "verdict": "met"},
        {"limit": "p99:9", "verdict": "undecided"}]
    assert lines(state)[3:] == [
        "Limits: total:9 exceeded (one fft twowaytest), p99:9 undecided "
        "(one fft twowaytest)."]


def test_disturbed():
    """The largest of each, where it was; what is usual is not told."""
    state = State()
    state.records = {
        "one-none-twowaytest": {"steal_percent": 0.05,
                                "others_percent": 7.25},
        "one-fft-cyclictest": {"steal_percent": 2.345,
                               "others_percent": 6.0, "thermal_events": 3}}
    state.results["plan-fft-twowaytest"]["twoway"] |= {
        "missed": 4, "throttled": 0}
    state.data["sessions"] = [{"boot_id": "x", "environment": {"findings": [
        {"name": "governor", "read": "powersave"}]}}]
    assert lines(state, virtual=True)[3:] == [
        "Disturbed: these are times of a virtual machine; a hypervisor took "
        "up to 2.35 % of the CPU time (one fft cyclictest); other programs "
        "used up to 7.25 % of the CPU time (one none twowaytest); heat "
        "slowed a CPU up to 3 times (one fft cyclictest); up to 4 missed "
        "expiries (plan fft twowaytest); --check found governor."]


@pytest.mark.parametrize("key, below, least, text", (
    ("steal_percent", 0.09, 0.1, "a hypervisor took up to 0.1 % of"),
    ("others_percent", 4.9, 5, "other programs used up to 5 % of"),
    ("thermal_events", 0, 1, "heat slowed a CPU up to 1 times"),
    ("throttled", 0, 1, "up to 1 throttled cycles"),
    ("suspended_us", 0, 3, "the system was suspended for up to 3 us"),
    ("missed", 0, 1234567, "up to 1234567 missed expiries")))
def test_least_that_is_told(key, below, least, text):
    state = State()
    state.records = {"one-none-twowaytest": {key: below}}
    assert len(lines(state)) == 3
    state.records["one-none-twowaytest"][key] = least
    assert text in lines(state)[3]


@pytest.mark.parametrize("member, text", (
    ({"clock_set": {"times": 2, "left_out": 3}},
     "the clock was set up to 2 times"),
    ({"pairs": [{"missed": 0, "client": {"changed": {"policy": "batch"}},
                 "server": {"changed": None}}]},
     "up to 1 sides changed policy, priority or CPUs while they ran"),
    ({"pairs": [{"missed": 0, "client": {}, "server": None}], "peer": {
        "pairs": [{"missed": 0, "client": None, "server": {
            "changed": {"policy": "batch"}}}]}},
     "up to 1 sides changed policy, priority or CPUs while they ran"),
    ({"peer": {"suspended_us": 7}},
     "the server's host was suspended for up to 7 us"),
    ({"peer": {"clock_set": {"times": 1}}},
     "the clock of the server's host was set up to 1 times")))
def test_what_is_told_of_a_run(member, text):
    """In the JSON alone; where nothing is amiss, nothing is told."""
    state = State()
    result = state.results["plan-fft-twowaytest"]["twoway"]
    result |= {"schema": 2, "pairs": [], "peer": None, "suspended_us": 0,
               "clock_set": {"times": 0, "left_out": 0}}
    assert len(lines(state)) == 3
    result |= {"pairs": [{"missed": 0, "client": {"changed": None},
                          "server": {}}],
               "peer": {"suspended_us": 0, "clock_set": {"times": 0},
                        "pairs": []}}
    assert len(lines(state)) == 3
    result |= member
    assert lines(state)[3:] == [f"Disturbed: {text} (plan fft twowaytest)."]


def test_a_single_change():
    """In the course of a session, of what was not known before."""
    import cm_changes
    state = State()
    state.data["sessions"] = [{"boot_id": "x", "environment": {"a": 1},
                               "environment_end": {"a": 1, "b": "new"}}]
    assert list(cm_changes.changes(OPTIONS, state)) == [
        "b: none (start of session 1), new (end of session 1)"]
    assert lines(state)[3:] == [
        "Disturbed: 1 things of the system changed meanwhile."]


def drawn(state, **more):
    import cm_figure
    import cm_verdict
    options = argparse.Namespace(**{**vars(OPTIONS), **more})
    return "\n".join(cm_figure.figure(cm_verdict.figures(options, state),
                                      options))


def test_figure():
    """A row each, from the average to the maximum, on one scale."""
    import cm_figure
    import cm_verdict
    from twtools import plots
    root = tree.fromstring(drawn(State()))
    [svg] = [e for e in root.iter() if e.tag.endswith("}svg")]
    assert svg.get("role") == "img" and "maximum" in svg.get("aria-label")
    [ax] = cm_figure.draw(plots.Look(True), cm_verdict.figures(
        OPTIONS, State())).axes
    rows = [(*line.get_xdata(), line.get_ydata()[0])
            for line in ax.lines if len(line.get_xdata())]
    assert rows == [(*pair, row) for row, pair in enumerate(
        pair for found in FIGURES.values() for pair in found)]
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] <= 10 and ax.get_xlim()[1] >= 1234
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        f"{placement}, {load}" for placement, load in FIGURES]
    assert len({line.get_color() for line in ax.lines}) == 3


@pytest.mark.parametrize("connect, most, said", (
    (None, 64, "is logarithmic."),
    ("far", 12, "is logarithmic. The server is on far."),
    (None, 9, "is logarithmic. 3 more rows are in the summary.")))
def test_caption(monkeypatch, connect, most, said):
    """Where the server is, and how many of 12 rows are left out."""
    import cm_figure
    rows, draw = [], cm_figure.draw
    monkeypatch.setattr(cm_figure, "MOST", most)
    monkeypatch.setattr(cm_figure, "draw", lambda look, found: (
        rows.append(len(found)), draw(look, found))[1])
    text = drawn(State(), connect=connect)
    assert re.search("<figcaption>(.*)</figcaption>", text)[1].endswith(said)
    assert rows == [min(most, 12)]


def test_figure_of_nothing():
    assert drawn(State(list(State().results))) == ""


def test_figure_of_zeros():
    """A logarithm has no place for them: the least is drawn."""
    import cm_figure
    import cm_verdict
    from twtools import plots
    state = State()
    state.results["one-none-cyclictest"] = {
        "thread": {"0": thread(None, (0.0, 0.5))}}
    [ax] = cm_figure.draw(plots.Look(True), cm_verdict.figures(
        OPTIONS, state)).axes
    assert tuple(ax.lines[0].get_xdata()) == (0.1, 0.5)
    assert lines(state)[2].endswith("load fft): smaller differences mean "
                                    "nothing here.")


@pytest.fixture
def page(tmp_path, capsys, monkeypatch):
    """The first page of a campaign with these figures."""
    import cm_report
    state = State(["one-fft-cyclictest"])
    state.data |= {"system": {"nodename": "host-" + "x" * 60,
                              "release": "6.1"},
                   "plan": {"loads": OPTIONS.loads, "cpus": {"one": 1}}}
    state.path = tmp_path.joinpath
    monkeypatch.setattr(cm_report, "pages", lambda *_: [])
    cm_report.report(None, argparse.Namespace(**vars(OPTIONS),
                                              no_report=False), state)
    assert capsys.readouterr().out.startswith("Response: ")
    return (tmp_path / "index.html").read_text("utf-8")


def test_order_of_the_page(page):
    """Verdict, figure, links, tables; each link has its place."""
    places = ['<section id="verdict"', '<figure id="figure">', "<nav>",
              '<section id="summary">', '<section id="disturbances">',
              '<section id="set-up">']
    order = [page.index(mark) for mark in places]
    assert order == sorted(order)
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    ids = {e.get("id") for e in root.iter()}
    links = [e.get("href") for e in root.iter("a")]
    assert "#summary" in links
    assert {link[1:] for link in links} <= ids
    assert "1 of 8 measurements failed" in page
    assert set(re.findall(r"var\((--\w+)\)", page)) <= set(
        re.findall(r"(--\w+):", page))


def test_page_in_a_browser(page, tmp_path):
    """It fits, its drawing has a text, its text can be read."""
    browser.check(browser.look(tmp_path, {"index": page}), ["index"])


@pytest.mark.parametrize("value, text", [
    (None, "-"), (7, "7"), (0.123456, "0.1235"), (999.96, "1000"),
    (513123.4, "513123"), (123456789, "123456789")])
def test_numbers_of_tables(value, text):
    """Whole ones as they are; no powers of ten."""
    import cm_report
    assert cm_report.number_text(value) == text


def test_results_are_read_once():
    import cm_state
    read = []

    class Counting(cm_state.State):
        def __init__(self):
            pass

        def result(self, one):
            read.append(one)
            return {"cycles": len(read)}

    state = Counting()
    once = state.read_once()
    assert [once.result(one) for one in "aba"] == [
        {"cycles": 1}, {"cycles": 2}, {"cycles": 1}]
    assert read == ["a", "b"]
    # One that is still measured is read again.
    assert state.result("a") == {"cycles": 3}


def test_virtual_since_a_later_session():
    import cm_report
    state = types.SimpleNamespace(data={"sessions": [
        {"environment": {"virtual": found}} for found in (False, True)]})
    assert cm_report.virtual(state)


@pytest.mark.parametrize("seconds, text", [
    (-3, "0 s"), (0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"),
    (242, "4 min 02 s"), (3660, "1 h 01 min"), (90000, "1 d 01 h")])
def test_time_that_is_left(seconds, text):
    import cm_progress
    assert cm_progress.time_text(seconds) == text


@pytest.mark.parametrize("no_report, pages_s", [(True, 0), (False, 20)])
def test_line_of_a_measurement(capsys, monkeypatch, no_report, pages_s):
    """What is left of it, and of those that follow: start and end take 1 s,
    a load 2 s until it is there, a page for each load 10 s."""
    import cm_plan
    import cm_progress
    clock = [100, 100, 104.4, 200]
    monkeypatch.setattr(cm_progress, "time", types.SimpleNamespace(
        monotonic=lambda: clock.pop(0)))
    todo = [cm_plan.Measurement("one", load, "twowaytest")
            for load in ("none", "fft")]
    progress = cm_progress.Progress(todo, 9, argparse.Namespace(
        duration=6, no_report=no_report, loads=["none", "fft"]))
    progress.begin(todo[0])
    assert progress.tick() > 60     # nothing is printed again
    progress.terminal = True
    assert [progress.tick(), progress.tick()] == [1, 1]
    progress.end("failed")
    line = "[ 8/9] one none twowaytest  6 s  {} s left"
    assert capsys.readouterr().out == "".join([
        line.format(16 + pages_s), "\n",
        *("\r\x1b[K" + line.format(left + pages_s) for left in (12, 9)),
        "\n  failed\n"])
