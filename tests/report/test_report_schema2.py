# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of schema 2, which the programs before this one have written."""

import json
import pathlib

import pytest

from twoway.read import member, runs, schema2

KEPT = pathlib.Path(__file__).parent


@pytest.fixture(name="read")
def reader():
    """What is read of a kind of file, and the file."""
    def read(kind):
        path = KEPT / f"schema2_{kind}.json"
        [part] = runs.read_parts(path, "x")
        return part, json.loads(path.read_text(encoding="utf-8"))
    return read


def ns(cycle, metrics):
    return {metric: cycle[f"{metric}_ns"] for metric in metrics}


def test_ramp(read):
    """Load, steps, stamps, and cycles that were kept whole."""
    part, data = read("ramp")
    of = data["twoway"]
    assert of["schema"] == 2
    assert part.settings["load workers"] == str(of["load"][0]["workers"])
    assert part.system["timer_slack_ns"] == of["environment"]["timer_slack_ns"]
    assert [name for name, _ in part.findings] == [
        one["name"] for one in of["environment"]["findings"]]
    assert [step.workers for step in part.steps] == [
        step["workers"] for step in of["steps"]] == [0, 1]
    data = member.load(KEPT / "schema2_ramp.json")
    schema2.read(data)
    assert [step["units"] for step in data.value["twoway"]["steps"]] == [0, 1]
    stamps = of["pairs"][0]["stamps"]
    assert {name.replace(" ", "_"): (
        row.count, row.min_ns, row.avg_ns, row.max_ns)
        for name, row in part.stamps.rows.items()} == {
            name: (stamps["cycles"], *(one[f"{key}_ns"] for key in (
                "min", "avg", "max"))) for name, one in stamps["parts"].items()}
    kept = [*of["worst"].items(), *(("latency", one) for one in
                                    of["spikes"]["kept"])]
    assert len(part.worst) == len(of["worst"])
    for (metric, cycle), one in zip(kept, part.worst + part.spikes,
                                    strict=True):
        assert (one.metric, one.value_ns, one.since_start_ns) == (
            metric, cycle[f"{metric}_ns"], cycle["since_start_ns"])
        assert one.phases == ns(cycle, one.phases) and len(one.phases) == 5


def test_break(read):
    """Its times are whole us."""
    part, data = read("break")
    of, = data["twoway"]["breaks"]
    assert part.broken.value_ns == 1000 * of["latency"]
    assert part.broken.phases == {phase: 1000 * of[phase] for phase in (
        "wakeup", "send", "network", "sleep", "receive")}
    assert part.limits[0].limit == data["twoway"]["limits"][0]["limit"]


def test_primitives(read):
    part, data = read("primitives")
    assert {name: test.columns for name, test in
            part.primitives.tests.items()} == {
        one["name"]: [metric["column"] for metric in one["metrics"].values()]
        for one in data["primitives"]["tests"]}
    assert {name: (one.count, one.min_ns, one.max_ns) for name, one in
            part.primitives.series.items()} == {
        one["metric"]: (one["cycles"], 1000 * one["min"], 1000 * one["max"])
        for one in data["thread"].values()}


@pytest.mark.parametrize("where, value", [
    (("worst",), {"total": 5}), (("steps",), 7), (("load",), [None]),
    (("breaks",), [[]]), (("pairs", 0, "stamps"), 1),
    (("pairs", 0, "stamps", "parts"), [3]), (("spikes",), "x"),
    (("environment",), 4)])
def test_malformed(refused, where, value):
    """What is not as it was written is refused, and nothing worse."""
    data = json.loads((KEPT / "schema2_ramp.json").read_text())
    at = data["twoway"]
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    (refused.directory / "x.json").write_text(json.dumps(data))
    assert "x.json: member " in refused("x.json")
