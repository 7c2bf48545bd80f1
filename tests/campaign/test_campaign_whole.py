# SPDX-License-Identifier: GPL-2.0-or-later
"""A campaign's page and help as a reader has them: see tests/tools/outline.py.
"""

import argparse
import pathlib

import outline
import pytest

import cm_args
import cm_probe
import cm_state

from test_campaign_first import OPTIONS, State
from test_campaign_tables import RECORD

KNOWN = pathlib.Path(__file__).with_name("whole.txt")


def test_page(tmp_path, monkeypatch):
    import cm_figure
    import cm_report
    import cm_verdict
    from twtools import plots
    state = State(["one-fft-cyclictest"])
    state.records = {
        "one-none-twowaytest": RECORD,
        "one-fft-cyclictest": {"state": "failed", "message": "it was late"}}
    for name, release in (("one-none", "6.1"), ("plan-fft", "6.2")):
        state.results[f"{name}-twowaytest"]["twoway"] |= {
            "peer": {"environment": {"release": release} | dict.fromkeys((
                "preemption", "clocksource", "governor", "online_cpus",
                "isolated_cpus", "machine"), "far's")},
            "limits": [{"limit": "total:9", "verdict": "exceeded"}]}
    state.data = {
        "system": {"nodename": "host", "release": "6.1"},
        "plan": {"loads": OPTIONS.loads, "limit": [], "cpus": {"one": 1}},
        "sessions": [{"boot_id": boot, "environment": {
            "virtual": boot, "findings": [{"name": "smt", "read": "on"}]}}
            for boot in (0, 1)]}
    state.path = tmp_path.joinpath
    options = argparse.Namespace(**{**vars(OPTIONS), "connect": "far"},
                                 no_report=False)
    monkeypatch.setattr(cm_report, "pages", lambda *_: ["none", "fft"])
    cm_report.report(None, options, state)
    svg = plots.printed(plots.to_svg(cm_figure.draw(
        plots.Look(False), cm_verdict.figures(options, state)), "f"))
    html = (tmp_path / "index.html").read_text("utf-8")
    found = [line for line in (tmp_path / "index.md").read_text(
        "utf-8").splitlines() if line.strip("| -:") and
             "waiting" not in line and "- | - | - |" not in line]
    outline.check(KNOWN, "page", [
        *found, *html[html.index("<figcaption>"):].splitlines()[:1],
        *outline.links(html), *outline.of(svg)], tmp_path)


def test_help(campaign, tmp_path):
    outline.check(KNOWN, "help", filter(None, campaign(
        "--help", COLUMNS="80").stdout.splitlines()), tmp_path)


def test_missing(tmp_path, monkeypatch):
    """Nothing is installed: what is to be done about each program."""
    monkeypatch.setattr(cm_probe, "BUILD", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cm_state.Failure) as failure:
        cm_probe.find(cm_args.parse([]))
    outline.check(KNOWN, "missing", str(failure.value).splitlines(), tmp_path)
