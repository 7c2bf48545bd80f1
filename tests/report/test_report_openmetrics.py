# SPDX-License-Identifier: GPL-2.0-or-later
"""--openmetrics: what Prometheus' own parsers read of it, of both formats."""

import importlib.util

import made
import made_pairs
import made_primitives
import pytest

if not importlib.util.find_spec("prometheus_client"):
    pytest.skip("not installed: prometheus_client, of the package "
                "python3-prometheus-client", allow_module_level=True)

from prometheus_client import parser  # noqa: E402
from prometheus_client.openmetrics import parser as openmetrics  # noqa: E402

WHEN = {"start_time": "Sun, 22 Nov 2026 20:31:59 +0000",
        "end_time": "Sun, 22 Nov 2026 21:33:00 +0100"}
PAIRS = {0: made.cycles(300, 1), 1: made.cycles(200, 2)}


class Metrics:
    """The samples by name and labels, and the family of each name."""

    def __init__(self, text):
        self.text = text
        self.families = list(openmetrics.text_string_to_metric_families(text))
        self.samples = self.by_labels(self.families)
        # The exporter's format; it says of counters that they are untyped.
        other = self.by_labels(parser.text_string_to_metric_families(text))
        assert other == self.samples

    @staticmethod
    def by_labels(families):
        found = {}
        for family in families:
            for one in family.samples:
                key = one.name, frozenset(one.labels.items())
                assert key not in found and one.timestamp is None
                found[key] = one.value
        return found

    def __call__(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def names(self):
        return {name for name, _ in self.samples}

    def of(self, name):
        return [dict(labels) for one, labels in self.samples if one == name]


@pytest.fixture
def measured(report):
    """What the options write; files: name -> content."""
    def run(*options, **files):
        paths = [made.write(report.directory, f"in{i}", content)
                 for i, content in enumerate(files.values())]
        report("-O", "x.prom", *options, *map("{}={}".format, files, paths))
        assert not (report.directory / "twowayreport.html").exists()
        return Metrics((report.directory / "x.prom").read_text())
    return run


def test_figures_are_in_base_units(measured):
    rows = made.cycles(2000)
    found = measured("-p", "50,99", a=made.twoway(rows) | WHEN,
                     b=made.dump(rows))
    assert found("twowaytest_start_time_seconds", system="a") == 1795379519
    assert found("twowaytest_end_time_seconds", system="a") == 1795379580
    values = made.values(rows)
    for metric in made.METRICS:
        own = {"system": "b", "pair": "0", "metric": metric}
        for name, value in (("min", min(values[metric])),
                            ("max", max(values[metric])),
                            ("average", made.mean(values[metric])),
                            ("deviation", made.deviation(values[metric]))):
            assert found(f"twowaytest_{name}_seconds", **own) == \
                pytest.approx(float(value) / 1e9, abs=1e-12), (name, metric)
        for percent, quantile in ("50", "0.5"), ("99", "0.99"):
            assert found("twowaytest_quantile_seconds", **own,
                         quantile=quantile) == pytest.approx(
                made.percentile(values[metric], percent) / 1e9, abs=1e-12)
        assert found("twowaytest_cycles_total", **own) == len(values[metric])
        # JSON has whole microseconds.
        assert found("twowaytest_max_seconds", **own | {"system": "a"}) == \
            pytest.approx(max(values[metric]) // 1000 / 1e6)
    assert found("twowaytest_missed_expiries_total", system="a",
                 pair="0") == 0


def test_what_is_not_known_is_left_out(measured):
    found = measured("-p", "99.999", p=made.PUBLISHED)
    assert "twowaytest_quantile_seconds" not in found.names()
    assert "twowaytest_end_time_seconds" not in found.names()
    assert found("twowaytest_max_seconds", system="one", pair="0",
                 metric="send") == 3.5e-6
    assert found("twowaytest_system_info", system="one",
                 virtual="false") == 1
    assert not [text for text in ("nan", "None", "inf")
                if f" {text}" in found.text]


def test_chosen_metrics_alone(measured):
    found = measured("-m", "send,total", a=made.twoway(made.cycles(50)))
    assert {labels["metric"]
            for labels in found.of("twowaytest_max_seconds")} == \
        {"send", "total"}


def test_names_and_types(measured):
    """As Prometheus' rules have them: units, _total; each with a help."""
    data = made.twoway(made.cycles(500))
    data["twoway"]["limits"] = [made.limit("response:1", 5000)]
    found = measured(a=data | WHEN, p=made_primitives.primitives())
    for family in found.families:
        assert family.documentation.endswith(".") and family.samples
        assert family.type == ("counter" if family.samples[0].name ==
                               f"{family.name}_total" else "gauge")
        if family.name.endswith("_seconds"):
            assert family.unit == "seconds"
    assert found.text.endswith("\n# EOF\n")
    assert "twowaytest_limit_met" in found.names()


def test_pairs(measured):
    """Each has its own; of all together, Prometheus can tell by itself."""
    data = made_pairs.twoway(PAIRS)
    data["twoway"]["pairs"][1]["missed"] = 7
    found = measured(a=data)
    for pair, rows in PAIRS.items():
        values = made.values(rows)["response"]
        own = {"system": "a", "pair": str(pair)}
        assert found("twowaytest_max_seconds", **own, metric="response") == \
            pytest.approx(max(values) // 1000 / 1e6)
    assert found("twowaytest_missed_expiries_total", system="a",
                 pair="1") == 7
    assert {labels["pair"] for labels in found.of("twowaytest_max_seconds")} \
        == {"0", "1"}


def test_limits_and_broken_runs(measured):
    """The same limit twice is no second sample of one name."""
    data = made.twoway(made.cycles(50), loops=100)
    data["twoway"]["limits"] = [
        made.limit("response:10", 9000), made.limit("missed:0", 1),
        made.limit("missed:0", 1), made.limit("response:p99.9:10", None)]
    found = measured(a=data, b=made.twoway(made.cycles(50)))
    told = {labels["limit"]: found("twowaytest_limit_met", **labels)
            for labels in found.of("twowaytest_limit_met")}
    assert told == {"response:10": 1, "missed:0": 0, "response:p99.9:10": 0}
    assert found("twowaytest_complete", system="a") == 1
    data["twoway"]["interrupted"] = True
    assert measured(a=data)("twowaytest_complete", system="a") == 0


def test_parts(measured):
    found = measured(a=made_primitives.primitives(
        tests={"pi": {"skipped": "a right is missing"},
               "sync1.futex": {"missed": 3}},
        derived=[{"name": name, "value": value, "unit": unit, "formula": "f"}
                 for name, value, unit in (
                     ("x.switch", 1.5, "us"), ("rhealstone", 20.0, "/s"),
                     ("work.share", 50.0, "%"), ("copy", 2.0, "MB/s"))]))
    own = {"system": "a", "metric": made_primitives.TRIP}
    assert found("primitivetest_average_seconds", **own) == 5e-6
    assert found("primitivetest_min_seconds", **own) == 4.996e-6
    for name, metric, value in (
            ("seconds", "x.switch", 1.5e-6), ("hertz", "rhealstone", 20),
            ("ratio", "work.share", 0.5),
            ("bytes_per_second", "copy", 2e6)):
        assert found(f"primitivetest_derived_{name}", system="a",
                     metric=metric) == pytest.approx(value)
    assert found("primitivetest_skipped_tests", system="a") == 1
    assert found("primitivetest_missed_expiries_total", system="a",
                 test="sync1.futex") == 3


def test_an_unknown_unit_is_refused(refused):
    made.write(refused.directory, "a.json", made_primitives.primitives(
        derived=[{"name": "x", "value": 1, "unit": "km", "formula": "f"}]))
    assert "derived x: the unit 'km' is none of us, %, MB/s, /s" in \
        refused("-O", "x.prom", "a.json")


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "\u2713", "a{},b"])
def test_any_name(measured, name):
    """A line break, as all control characters, has become a space."""
    found = measured(**{name: made.twoway(made.cycles(50))})
    assert {labels["system"] for labels in
            found.of("twowaytest_max_seconds")} == {name.replace("\n", " ")}


def test_set_ups_are_kept_apart(measured):
    found = measured(p=made.table_csv(
        ["1,a,1,2,3,1", "4,a,1,2,9,1"], "cores,system,min,avg,max,stddev"))
    told = {labels["setup"]: found("twowaytest_max_seconds", **labels)
            for labels in found.of("twowaytest_max_seconds")}
    assert sorted(told.values()) == [3e-6, 9e-6] and len(told) == 2


def test_beside_the_gate(report):
    """The gate judges latency; its exit status stays."""
    paths = [made.write(report.directory, f"{name}.csv", made.dump(
        made.cycles(600, shift=shift)))
        for name, shift in (("a", 0), ("b", 50_000))]
    report("-g", "-O", "x.prom", f"x={paths[0]}", *paths, status=2)
    found = Metrics((report.directory / "x.prom").read_text())
    assert {labels["metric"] for labels in
            found.of("twowaytest_max_seconds")} == {"latency"}


def test_written_in_place(report):
    path = made.write(report.directory, "a.json", made.twoway(made.cycles(50)))
    target = report.directory / "x.prom"
    target.write_text("old\n")
    before = target.stat()
    report("-O", "x.prom", path)
    assert target.stat().st_ino == before.st_ino
    assert target.read_text().startswith("# HELP ")
    assert "is an input" in report("-O", path, path, status=1).stderr
    assert "name one file" in report("-O", "x", "-j", "x", path,
                                     status=1).stderr
    assert sorted(one.name for one in report.directory.iterdir()) == [
        "a.json", "x.prom"]


@pytest.mark.parametrize("key", ["start_time", "end_time"])
def test_a_time_that_is_none(refused, key):
    data = made.twoway(made.cycles(50)) | WHEN | {key: "yesterday"}
    made.write(refused.directory, "a.json", data)
    assert f"member {key}: 'yesterday' is no time such as" in \
        refused("-O", "x.prom", "a.json")
