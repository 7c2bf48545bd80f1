# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs that contradict themselves, or are none."""

import os
import stat

import made
import pytest

ROWS = made.cycles(401)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "link"])
def test_device_is_no_input(refused, path):
    """One that never ends must not fill the memory."""
    if not stat.S_ISCHR(os.stat("/dev/zero").st_mode):
        pytest.skip("no /dev/zero")
    (refused.directory / "link").symlink_to("/dev/zero")
    assert f"{path}: this is a device" in refused("-t", "-", path)


@pytest.mark.parametrize("change, said", [
    ({"stddev": -5}, "stddev: -5; 0 or more"),
    ({"percentiles": {"50": 1}}, "percentiles.50: 1; a value from min"),
    ({"percentiles": {"50": 9e6}}, "percentiles.50: 9000000.0; a value"),
    ({"percentiles": {"9": 190.0, "10": 180.0}},
     "percentiles.10: 180.0 is less than the percentile 9 is: 190")])
def test_figures_that_cannot_be(refused, change, said):
    data = made.twoway(ROWS)
    data["thread"]["4"] |= change
    made.write(refused.directory, "x.json", data)
    assert f"x.json: member thread.4.{said}" in refused("x.json")


def test_order_of_minimum_average_maximum(refused):
    data = made.twoway(ROWS)
    data["thread"]["4"] |= {"min": 9, "avg": 5.5, "max": 20}
    made.write(refused.directory, "x.json", data)
    assert "x.json: member thread.4.avg: min 9, avg 5.5, max 20 of 401 " \
        "cycles; min <= avg <= max is expected" in refused("x.json")
    made.write(refused.directory, "p.csv",
               made.table_csv(["send,one,9,5.5,20,1"]))
    assert "p.csv: line 2: min 9, avg 5.5, max 20; min <= avg <= max is " \
        "expected" in refused("p.csv")


def test_percentiles_by_coarse_bins(report):
    """A bound of the bin that holds the minimum lies below it."""
    data = made.twoway(ROWS)
    thread = data["thread"]["4"]
    thread["percentiles"] = {"1": thread["min"] * 0.99,
                             "99": thread["max"] + 0.9}
    made.write(report.directory, "x.json", data)
    report("-t", "-", "x.json")


def test_interval_that_the_dump_does_not_have(report):
    made.write(report.directory, "x.csv", made.dump(ROWS))
    said = "most expiries are 1000 us apart, but an interval of 500 us is set"
    assert said in report("-t", "-", "-i", "500", "x.csv").stdout
    assert said not in report("-t", "-", "-i", "1000", "x.csv").stdout
    made.write(report.directory, "y.csv", made.dump(made.cycles(401, 2)))
    assert said in report("-g", "-m", "total", "-p", "50", "-d", "1000",
                          "-i", "500", "x.csv", "y.csv").stdout


@pytest.mark.parametrize("name", ["dump.csv", "hist.txt", "published.csv"])
def test_line_ends_of_windows(refused, name):
    text = made.every_format(ROWS)[name].replace("\n", "\r\n")
    made.write(refused.directory, name, text)
    message = refused(name)
    assert f"{name}: line 1: the line ends with CR LF" in message


def test_display_cut_short(refused):
    made.write(refused.directory, "x.txt", "# a comment\nT: 0 (77) P:98 I:"
               "1000 C:   2000 Min:    413 Act: 1001\n")
    assert "x.txt: no cycles" in refused("x.txt")
    made.write(refused.directory, "x.txt", "# a comment\n")
    assert "x.txt: only comments" in refused("x.txt")


def test_json_with_line_ends_of_windows(report):
    import json
    made.write(report.directory, "x.json", json.dumps(
        made.twoway(ROWS), indent=1).replace("\n", "\r\n"))
    report("-t", "-", "x.json")
