# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs that are legal but rare, or hostile: a report, or one line."""

import os
import re
import shutil
import struct
import threading
import xml.etree.ElementTree as tree

import made
import pytest


def texts(path):
    """Of a figure."""
    return ["".join(one.itertext()).strip()
            for one in tree.parse(path).getroot().iter()
            if one.tag.endswith("}text")]


def test_dump_of_one_cycle(report):
    """Its interval and its total are not known."""
    rows = made.cycles(1)
    made.write(report.directory, "a.csv", made.dump(rows))
    report("-o", "r.html", "-t", "t.md", "a.csv")
    assert "<svg" in (report.directory / "r.html").read_text()
    made.write(report.directory, "b.csv", made.dump(made.cycles(50)))
    report("-o", "r.html", "a.csv", "b.csv")


def test_cycles_that_take_no_time(report):
    rows = [(0, i, *[10**12] * 5, 0) for i in range(3)]
    made.write(report.directory, "same.csv", made.dump(rows))
    report("-o", "r.html", "same.csv")


@pytest.mark.parametrize("names", [
    ["$x^$", "a$b$c", "_hidden"],
    [r"\$x", "%s{}", 'id="x" url(#a) #0b0104', "空"]])
def test_names_are_drawn_as_they_are(report, names):
    files = [made.write(report.directory, f"{name}.csv",
                        made.dump(made.cycles(60))).name for name in names]
    report("-f", "figs", "-m", "send", *files)
    for figure in ("histogram-send", "phases", "ranges"):
        found = {text.split(": ")[0] for text in texts(
            report.directory / "figs" / f"{figure}.svg")}
        assert found >= set(names), figure


def test_groups_are_drawn_as_they_are(report):
    made.write(report.directory, "p.csv",
               "load,system,min,avg,max\n$x^$,A,1,2,3\n")
    report("-f", "figs", "p.csv")
    paths = list((report.directory / "figs").glob("*.svg"))
    assert len(paths) == 1
    assert all(any("$x^$" in text for text in texts(path))
               for path in paths)


def test_number_of_many_digits(report, refused):
    path = made.write(report.directory, "big.json",
                      '{"twoway": ' + "9" * 5000 + "}")
    assert "big.json: not JSON" in refused(path)
    made.write(report.directory, "a.csv", made.dump(made.cycles(60)))
    assert "left out" in report("-k", "-m", "send", path, "a.csv").stderr


@pytest.mark.parametrize("settings", [
    {"interval": "x"}, {"interval": None}, {"sleep": None}, {"sleep": []},
    {"interval": True}, {"sleep": 1.5}, {"interval": []},
    {"interval": [5, "6"]}, {"interval": [True]}, {"breaktrace": "send:"},
    {"breaktrace": "send:x"}, {"breaktrace": [5]}])
def test_settings_of_another_type(refused, settings):
    rows = made.cycles(60)
    made.write(refused.directory, "x.json", made.twoway(rows, **settings))
    made.write(refused.directory, "x.csv", made.dump(rows))
    [name] = settings
    assert f"member twoway.settings.{name}" in refused("x.json", "x.csv")


def test_very_many_systems(report):
    rows = [f"send,S{i},1,2,{i + 3}" for i in range(2000)]
    made.write(report.directory, "many.csv", "\n".join(
        ["metric,system,min,avg,max", *rows, ""]))
    report("-f", "figs", "-F", "png", "-t", "t.md", "-o", "r.html",
           "many.csv")
    for path in (report.directory / "figs").glob("*.png"):
        assert struct.unpack(">II", path.read_bytes()[16:24])[1] < 20_000
    assert "1936 more runs are not shown" in \
        (report.directory / "r.html").read_text()
    assert "S1999" in (report.directory / "t.md").read_text()


@pytest.mark.parametrize("header, row", [
    ("system,min,avg,max", "A,1,2,3"),
    ("system,min,avg,max,stddev", "A,1,2,3,1"),
    ("system,finding", "A,fine"), ("cores,system,min,avg,max", "one,A,1,2,3")])
def test_table_with_no_more_than_the_columns_told(report, header, row):
    path = made.write(report.directory, "t.csv", f"{header}\n{row}\n")
    assert "| A |" in report("-t", "-", path).stdout


@pytest.mark.parametrize("header", ["xsystem,min,avg,max", ",system,min,avg"
                                    ",max", "system,min,avg"])
def test_other_columns_are_refused(refused, header):
    path = made.write(refused.directory, "t.csv", f"{header}\nA,1,2,3\n")
    assert "line 1" in refused(path)


def test_set_ups_that_differ_in_other_letters_only(report):
    made.write(report.directory, "p.csv", "\n".join([
        "load,system,min,avg,max", "空,A,1,2,3", "満,A,1,2,3", "a b,A,1,2,3",
        "a-b,A,1,2,3", ""]))
    report("-f", "figs", "-F", "svg", "-o", "r.html", "p.csv")
    found = sorted(p.name for p in (report.directory / "figs").iterdir())
    assert found == [f"ranges-load{more}.svg"
                     for more in ("-2", "-a-b-2", "-a-b", "")]
    page = (report.directory / "r.html").read_text()
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", sorted(made.every_format(made.cycles(60))))
def test_from_a_pipe(report, name):
    """Read once, whatever the format; as with x=<(zcat x.gz)."""
    made.write(report.directory, f"file-{name}",
               made.every_format(made.cycles(60))[name])
    os.mkfifo(report.directory / "pipe")

    def fill():
        with open(report.directory / "pipe", "wb") as pipe, \
                open(report.directory / f"file-{name}", "rb") as file:
            shutil.copyfileobj(file, pipe)

    writer = threading.Thread(target=fill, daemon=True)
    writer.start()
    piped = report("-t", "-", "x=pipe").stdout
    writer.join()
    direct = report("-t", "-", f"x=file-{name}").stdout
    assert piped.replace("| pipe |", f"| file-{name} |") == direct


def test_percentiles_are_named_in_full(report):
    made.write(report.directory, "a.csv", made.dump(made.cycles(60)))
    made.write(report.directory, "c.json", made.twoway(made.cycles(60)))
    data = made.twoway(made.cycles(60))
    for thread in data["thread"].values():
        thread["percentiles"]["99.99999"] = thread["max"]
    made.write(report.directory, "c.json", data)
    out = report("-t", "-", "-p", "99.99999", "c.json").stdout
    assert "p99.99999 " in out and "p100" not in out


def test_phases_have_colours_of_their_own():
    """A run has the same colour everywhere, so no phase has a run's."""
    from twtools import plots
    for theme in (0, 1):
        runs, phases = ({pair[theme] for role, pair in
                         plots.COLOURS.items() if role.startswith(kind)}
                        for kind in ("run", "phase"))
        assert len(phases) == 8 and not runs & phases
