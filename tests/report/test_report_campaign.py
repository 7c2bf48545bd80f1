# SPDX-License-Identifier: GPL-2.0-or-later
"""campaign.json: the results of a whole campaign as one report."""

import copy
import xml.etree.ElementTree as tree

import made
import made_columns
import pytest

ROWS = made.cycles(2000)
RECORD = {"state": "finished", "start": "today", "work_per_second": 2.5,
          "steal_percent": 3.456, "others_percent": 4.9, "load_average": 5,
          "thermal_events": 6, "hottest_celsius": 7.0, "exit_status": 8}
STATE = {
    "format": 1,
    "plan": {"placements": ["one", "plan"], "loads": ["none", "fft"],
             "tools": ["cyclictest", "twowaytest"], "limit": [],
             "connect": None, "cpus": {"main": 0, "one": 1}},
    "system": {"nodename": "host", "release": "6.1"},
    "sessions": [{"boot_id": "a", "environment": {
        "governor": "fast", "steal_ppm": 1, "tracer": "nop", "findings": [
            {"name": "smt", "read": "on"}]}}],
    "measurements": {}}


def keys(state):
    plan = state["plan"]
    return [(placement, load, tool) for placement in plan["placements"]
            for load in plan["loads"] for tool in plan["tools"]]


def campaign(directory, without=(), **changes):
    """A directory of results, of which those are missing."""
    state = copy.deepcopy(STATE) | changes
    for i, (placement, load, tool) in enumerate(keys(state)):
        name = f"{placement}-{load}-{tool}"
        if name in without:
            continue
        rows = made.cycles(2000, i + 1, shift=i * 1000)
        made.write(directory, f"{name}.json", made_columns.twoway([rows])
                   if tool == "twowaytest" else
                   made.cyclictest(made.values(rows)["wakeup"]))
        state["measurements"].setdefault(name, {"state": "finished"})
    return made.write(directory, "campaign.json", state), state


def tables(report, *args):
    text = report("-t", "-", *args).stdout
    return text, made.plain_tables(text)


def test_results(report):
    """As each file has them alone; those of a load stand together."""
    path, state = campaign(report.directory)
    _, found = tables(report, path)
    for load in "none", "fft":
        rows = found[f"Results (load {load})"]
        alone = tables(report, *(
            f"{placement} {tool}={placement}-{load}-{tool}.json"
            for placement in ("one", "plan")
            for tool in ("cyclictest", "twowaytest")))[1]["Results"]
        assert rows == alone
        assert f"Ranking (load {load})" in found
    assert [row["file"] for row in found["Files"]] == [
        str(path.with_name(f"{'-'.join(key)}.json")) for key in keys(state)]
    # Of each load the verdict has a sentence.
    lines = [line for line in report("-t", "-", path).stdout.splitlines()
             if line.startswith("- ")]
    assert [line.partition(":")[0] for line in lines[:3]] == [
        "- load none", "- load fft", "- Disturbed"]


def test_what_it_tells_besides(report):
    """In the order of the campaign; what is not known is not 0."""
    path, state = campaign(
        report.directory, ["plan-fft-twowaytest", "one-fft-cyclictest"],
        measurements={
            "one-none-twowaytest": RECORD,
            "one-fft-cyclictest": {"state": "failed", "message": "no time"}})
    text, found = tables(report, path)
    rows = found["What may have disturbed the measurements"]
    assert [row["measurement"] for row in rows] == [
        " ".join(key) for key in keys(state)]
    assert rows[1] == {
        "measurement": "one none twowaytest", "is": "finished",
        "start": "today", "work/s": "2.5", "steal %": "3.456",
        "others %": "4.9", "load average": "5", "heat": "6", "Celsius": "7",
        "exit status": "8"}
    assert rows[-1] == {key: "-" for key in rows[0]} | {
        "measurement": "plan fft twowaytest", "is": "waiting"}
    assert found["The campaign"] == [
        {"of": "failed", "remark": "one fft cyclictest: no time"},
        {"of": "failed", "remark": "plan fft twowaytest: waiting"}]
    assert found["Set-up"] == [
        {"of": of, "what": what, "is": value} for of, what, value in (
            ("system", "nodename", "host"), ("system", "release", "6.1"),
            ("plan", "placements", "one,plan"), ("plan", "loads", "none,fft"),
            ("plan", "tools", "cyclictest,twowaytest"),
            ("plan", "limit", "none"), ("plan", "connect", "none"),
            ("CPU", "main", "0"), ("CPU", "one", "1"))]
    assert "\n- 2 of 8 measurements failed or are missing: one fft " \
        "cyclictest, plan fft twowaytest.\n" in text
    assert "\n- Meanwhile, a hypervisor took up to 3.46 % of the CPU time " \
        "(one none twowaytest), heat slowed a CPU up to 6 times (one none " \
        "twowaytest).\n" in text
    assert {"remark": "smt: on", "system": "all"} in found["Remarks"]


@pytest.mark.parametrize("key, below, least, said", (
    ("steal_percent", 0.09, 0.1, "a hypervisor took up to 0.1 % of"),
    ("others_percent", 4.9, 5, "other programs used up to 5 % of"),
    ("thermal_events", 0, 1, "heat slowed a CPU up to 1 times")))
def test_the_least_that_is_told(report, key, below, least, said):
    for value in below, least:
        path, _ = campaign(report.directory, measurements={
            "one-none-twowaytest": RECORD | {
                "steal_percent": 0, "others_percent": None,
                "thermal_events": None, key: value}})
        assert (said in report("-t", "-", path).stdout) == (value == least)


def test_changes(report):
    """Between sessions, and in the course of one; not by chance."""
    first = STATE["sessions"][0]["environment"]
    path, _ = campaign(report.directory, sessions=[
        {"boot_id": "a", "environment": first,
         "environment_end": first | {"tracer": "x", "new": {"b": 1}}},
        {"boot_id": "b", "environment": first | {
            "governor": "slow", "steal_ppm": 7, "virtual": True}}])
    text, found = tables(report, path)
    assert [row["remark"] for row in found["The campaign"]] == [
        "governor: fast (start of session 1), slow (start of session 2)",
        "the system was booted again: 2 boots"]
    assert "- 2 things of the system changed meanwhile.\n" in text
    # Of cyclictest's results nothing else tells.
    assert "- Virtual: these are not the times of a machine" in text


def test_longest_and_limits(report):
    path, _ = campaign(report.directory)
    name = "plan-none-twowaytest"
    data = made_columns.twoway([made.cycles(2000, 5)])
    data["thread"]["0"]["phases"]["response"] |= {"max": 99_999,
                                                     "maxima": []}
    data["twoway"]["limits"] = [made.limit("latency:9", 10_000)]
    made.write(report.directory, f"{name}.json", data)
    text, _ = tables(report, path)
    assert "\n- The longest response took 99999.0 us in plan twowaytest (load " \
        "none); a maximum is a single cycle.\n" in text
    assert "\n- Limits: latency:9 exceeded in plan twowaytest (load none).\n" \
        in text


def test_a_placement_has_its_colour_under_each_load(report):
    from report import args
    from twoway.read import runs
    path, _ = campaign(report.directory)
    options = args.parse(["-t", "-", str(path)])
    found, _ = runs.read_all(options.files, options)
    assert len(found) == 8
    assert {(run.name, run.index) for run in found} == {
        (run.name, i) for i, run in enumerate(
            [found[0], found[1], found[4], found[5]])}


def test_who_else_used_a_cpu(report):
    """Of each run, in the remarks: the verdict has what all loads have."""
    path, _ = campaign(report.directory)
    data = made_columns.twoway([made.cycles(2000, 5)])
    data["twoway"]["others"] = {"cpus": [
        {"cpu": 0, "percent": 9.5, "unnamed_percent": 0,
         "tasks": [{"name": "x", "percent": 9.0}]}]}
    made.write(report.directory, "plan-none-twowaytest.json", data)
    text, found = tables(report, path)
    assert {"remark": "others used 9.5 % of CPU 0, x 9.0 %",
            "system": "plan twowaytest (load none)"} in found["Remarks"]
    assert "others used" not in text[:text.index("\n## ")]


def test_two_campaigns(report):
    """Of two kernels, side by side."""
    for name in "old", "new":
        (report.directory / name).mkdir()
        campaign(report.directory / name)
    _, found = tables(report, "old/campaign.json", "new/campaign.json")
    for args, names in (
            (("old/campaign.json", "new/campaign.json"),
             ("old/campaign", "new/campaign")),
            (("old=old/campaign.json", "new=new/campaign.json"),
             ("old", "new"))):
        _, found = tables(report, *args)
        assert list(dict.fromkeys(
            row["system"] for row in found["Results (load none)"]
            if row["metric"] == "latency")) == [
                f"{name} {placement} twowaytest" for name in names
                for placement in ("one", "plan")]


def test_what_is_refused(refused):
    path, state = campaign(refused.directory)
    assert "--gate: a campaign is no run" in refused("-g", path)
    for changed, said in (
            (state | {"format": 2}, "member format: 2; 1 is expected"),
            (state | {"plan": state["plan"] | {"loads": ["../x"]}},
             "member plan.loads: a list of words is expected"),
            (state | {"measurements": {}}, "no measurement is finished"),
            (state | {"sessions": [7]}, "member sessions[0]: no object")):
        made.write(refused.directory, "campaign.json", changed)
        assert f"campaign.json: {said}" in refused("-t", "-", path)
    made.write(refused.directory, "campaign.json", state)
    (refused.directory / "one-fft-twowaytest.json").unlink()
    assert "one-fft-twowaytest.json: No such file" in refused("-t", "-", path)


def test_page(report):
    """Verdict, then figures of each load, then tables."""
    path, _ = campaign(report.directory, ["one-fft-cyclictest"])
    report("-o", "r.html", path)
    page = (report.directory / "r.html").read_text()
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    ids = [one.get("id") for one in root.iter() if one.get("id")]
    figures = [one.get("id") for one in root.iter("figure")]
    assert len(ids) == len(set(ids))
    assert {"ranges-load-none", "ranges-load-fft"} <= set(figures)
    places = ['id="verdict"', "<nav>", ">The campaign<", ">Ranking (load",
              ">What may have disturbed", ">Set-up<", ">Files<"]
    order = [page.rindex(mark) for mark in places]
    assert order == sorted(order)
