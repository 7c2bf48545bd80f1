# SPDX-License-Identifier: GPL-2.0-or-later
"""The summary of a campaign, and how its page is asked for."""

import argparse
import types

import pytest

import cm_report
import cm_state

OPTIONS = {"placements": ["one", "plan"], "loads": ["none", "fft"],
           "tools": ["cyclictest", "twowaytest"], "no_report": False}


class State:
    """As cm_state.State; not finished is what @without names."""
    data = {"system": {"nodename": "host", "release": "6.1"}}

    def __init__(self, directory=None, without=()):
        self.directory, self.without = directory, without

    def path(self, name):
        return self.directory / name

    def finished(self, one):
        return one.name not in self.without

    def result(self, one):
        if not self.finished(one):
            return None
        figures = {"min": 1, "avg": 11.04, "max": 60}
        return {"thread": {"0": figures if one.tool == "cyclictest" else
                           {"metric": "latency", "phases": {
                               "wakeup": figures, "response": figures}}}}


@pytest.mark.parametrize("connect, metrics", (
    (None, ("cyclictest", "wakeup", "response", "total")),
    ("far", ("cyclictest", "wakeup", "response", "total", "network",
             "sleep"))))
def test_summary(connect, metrics):
    """What was not measured, or failed, has a row all the same."""
    rows = cm_report.summary(argparse.Namespace(**OPTIONS, connect=connect),
                             State(without=["plan-fft-cyclictest"])).rows
    assert [row[:3] for row in rows] == [
        [placement, load, metric] for placement in OPTIONS["placements"]
        for load in OPTIONS["loads"] for metric in metrics]
    known = {row[2]: row[3:] for row in rows[:len(metrics)]}
    assert known["cyclictest"] == known["response"] == ["1", "11.0", "60"]
    assert known["total"] == ["-"] * 3
    assert rows[-len(metrics)][2:] == ["cyclictest", "-", "-", "-"]


@pytest.mark.parametrize("connect, title", (
    (None, "Campaign: host, 6.1"),
    ("far", "Campaign: host, 6.1, with the server on far")))
def test_page(tmp_path, capsys, connect, title):
    """Of the whole by twowayreport, whose verdict is printed above the
    summary."""
    calls, status = [], [0]

    def output(argv, cwd):
        calls.append((argv[2:], cwd))
        (tmp_path / "index.md").write_text(
            "# T\n\n- one\n- two\n\n## Remarks\n\n- three\n")
        return status.pop(), "", "no room\n"

    options = argparse.Namespace(**OPTIONS, connect=connect)
    made = types.SimpleNamespace(output=output)
    assert cm_report.report(made, options, State(tmp_path))
    assert calls == [([
        "--html=index.html", "--tables=index.md", f"--title={title}",
        "campaign.json"], tmp_path)]
    assert capsys.readouterr().out.startswith("Report\none\ntwo\nSummary\n")
    status.append(1)
    with pytest.raises(cm_state.Failure) as error:
        cm_report.report(made, options, State(tmp_path))
    assert str(error.value) == "the report: exit status 1: no room\nall " \
        "results are kept; the same command tries again, --no-report leaves " \
        "it out"


@pytest.mark.parametrize("no_report, without", (
    (True, ()), (False, {f"{placement}-{load}-{tool}"
                         for placement in OPTIONS["placements"]
                         for load in OPTIONS["loads"]
                         for tool in OPTIONS["tools"]})))
def test_no_page(capsys, no_report, without):
    """None was wanted, or there is nothing to show."""
    options = argparse.Namespace(**OPTIONS | {"no_report": no_report},
                                 connect=None)
    assert not cm_report.report(None, options, State(without=without))
    assert capsys.readouterr().out.startswith("Summary\n")
