# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a campaign's pages, and how each load's report is asked for."""

import argparse
import types

import pytest

import cm_report
import cm_state
from test_campaign_first import FIGURES, OPTIONS, State

RECORD = {"state": "finished", "start": "today", "cycles": 1,
          "work_per_second": 2.5, "steal_percent": 3, "others_percent": 4,
          "load_average": 5, "thermal_events": 6, "hottest_celsius": 7,
          "exit_status": 8}
SHOWN = {"measurement": "one none twowaytest", "is": "finished",
         "start": "today", "cycles": "1", "work/s": "2.5", "steal %": "3",
         "others %": "4", "load average": "5", "heat": "6", "Celsius": "7",
         "exit status": "8", "missed": "9", "throttled": "10"}


def rows_of(table):
    return [dict(zip(table.columns, row)) for row in table.rows]


def test_measurements():
    """In the order of the campaign; what is not known is not 0."""
    state = State(["plan-fft-twowaytest"])
    state.records = {"one-none-twowaytest": RECORD}
    state.results["one-none-twowaytest"]["twoway"] |= {
        "missed": 9, "throttled": 10}
    rows = rows_of(cm_report.measurements(OPTIONS, state))
    assert [row["measurement"] for row in rows] == [
        f"{placement} {load} {tool}" for placement, load in FIGURES
        for tool in OPTIONS.tools]
    assert rows[1] == SHOWN
    assert rows[-1] == {key: "-" for key in SHOWN} | {
        "measurement": "plan fft twowaytest", "is": "waiting"}


@pytest.mark.parametrize("connect, metrics", (
    (None, ("cyclictest", "wakeup", "response", "total")),
    ("far", ("cyclictest", "wakeup", "response", "total", "network",
             "sleep"))))
def test_summary(connect, metrics):
    table = cm_report.summary(argparse.Namespace(
        **{**vars(OPTIONS), "connect": connect}), State())
    assert [row[:3] for row in table.rows] == [
        [*where, metric] for where in FIGURES for metric in metrics]
    assert table.rows[1][3:] == ["1", "11.0", "60"]
    assert table.rows[3][3:] == ["-"] * 3
    assert ("far" in table.note) == bool(connect)


def test_remarks():
    state = State()
    state.records = {"one-none-twowaytest": {"message": "no time"}}
    state.results["plan-fft-twowaytest"]["twoway"]["limits"] = [
        {"limit": "total:9", "verdict": "exceeded"}]
    state.data["sessions"] = [{"boot_id": boot, "environment": {
        "governor": governor, "findings": [
            {"name": "smt", "read": governor}]}}
        for boot, governor in (("a", "fast"), ("b", "slow"))]
    assert cm_report.remarks(OPTIONS, state).rows == [
        ["failed", "one none twowaytest: no time"],
        ["limit", "plan fft twowaytest: total:9 exceeded"],
        ["changed", "governor: fast (start of session 1), slow "
         "(start of session 2)"],
        ["changed", "the system was booted again: 2 boots"],
        ["check", "smt: fast"]]


def test_set_up():
    state = State()
    state.data |= {"system": {"release": "6.1"},
                   "plan": {"limit": [], "cpus": {"main": 0, "one": 1}}}
    state.results["plan-fft-twowaytest"]["twoway"]["peer"] = {
        "environment": {"release": "6.2", "steal_ppm": 3, "foo": "bar"}}
    assert cm_report.set_up(OPTIONS, state).rows == [
        ["system", "release", "6.1"], ["plan", "limit", "none"],
        ["CPU", "main", "0"], ["CPU", "one", "1"],
        ["server's host", "release", "6.2"]]


@pytest.mark.parametrize("connect, virtual, title", (
    (None, False, "Campaign: host, 6.1"),
    ("far", False, "Campaign: host, 6.1, with the server on far"),
    (None, True, "Campaign: host, 6.1 (virtual: these are not the times of "
     "a machine)")))
def test_title(tmp_path, capsys, connect, virtual, title):
    state = State()
    state.data = {"system": {"nodename": "host", "release": "6.1"},
                  "plan": {"cpus": {}}, "sessions": [
                      {"boot_id": "x", "environment": {"virtual": virtual}}]}
    state.path = tmp_path.joinpath
    cm_report.report(None, argparse.Namespace(
        **{**vars(OPTIONS), "connect": connect}, no_report=True), state)
    assert (tmp_path / "index.md").read_text().startswith(f"# {title}\n")
    assert f"<h1>{title}</h1>" in (tmp_path / "index.html").read_text()
    assert ("virtual machine" in capsys.readouterr().out) == virtual


@pytest.mark.parametrize("virtual", (False, True))
def test_reports(capsys, virtual):
    """One of each load that has results, of what is finished.

    Of twowaytest's it sees itself whether they are of a virtual machine.
    """
    state = State(["one-none-cyclictest", "one-none-twowaytest",
                   "plan-none-cyclictest", "plan-none-twowaytest",
                   "one-fft-cyclictest"])
    state.directory = "out"
    state.data["sessions"] = [{"environment": {"virtual": virtual}}]
    calls = []
    made = types.SimpleNamespace(output=lambda argv, cwd: (
        calls.append((argv[2:], cwd)), (0, "", ""))[1])
    assert cm_report.pages(made, OPTIONS, state) == ["fft"]
    assert calls == [([
        "--html=fft.html", "--tables=fft.md", "--title=Load: fft",
        *["--virtual=plan cyclictest"] * virtual,
        "one twowaytest=one-fft-twowaytest.json",
        "plan cyclictest=plan-fft-cyclictest.json",
        "plan twowaytest=plan-fft-twowaytest.json"], "out")]
    assert capsys.readouterr().out == "Report: fft\n"
    made.output = lambda argv, cwd: (1, "", "no room\n")
    with pytest.raises(cm_state.Failure) as error:
        cm_report.pages(made, OPTIONS, state)
    assert str(error.value).startswith(
        "the report of load fft: exit status 1: no room\nall results")
