# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables, and units: what is written of hostile cells, and of numbers."""

import csv
import io
import xml.etree.ElementTree as tree

import pytest

from twoway import results
from twtools import page, tables, units, words

HOSTILE = ['<img src=x onerror="alert(1)">', "</table><script>", "a|b",
           "two\nlines", "&lt;b&gt;", "=1+1", "@SUM(A1)", "+1+1", "-1+1",
           "\t=1", "\r=1", "a < b << c", "AT&T", "*bold*", "[x](http://y)"]


def table(cells):
    return tables.Table("T\n<b>", ["name", "v"],
                        [[cell, "1.5"] for cell in cells], "N <i>",
                        key="t")


def test_markdown_has_no_tag_and_one_row_a_cell():
    lines = tables.markdown("<h1>\nx", [table(HOSTILE)]).splitlines()
    assert lines[0] == "# &lt;h1> x"
    assert lines[2] == "## T &lt;b>"
    rows = lines[6:6 + len(HOSTILE)]
    assert len(lines) == 6 + len(HOSTILE) + 2 and rows[2] == "| a\\|b | 1.5 |"
    assert "| a < b << c | 1.5 |" in rows and "| AT&T | 1.5 |" in rows
    assert "| &amp;lt;b&amp;gt; | 1.5 |" in rows
    for tag in ("<img", "</", "<script", "<b", "<i", "]("):
        assert not any(tag in line for line in lines)


def test_csv_has_no_formula():
    text = tables.csv_text("x\n=1", [table(HOSTILE)])
    assert text.startswith("# x =1\n\n# T <b>\nname,v\n")
    rows = list(csv.reader(io.StringIO(text.split("\n", 3)[3])))
    cells = [row[0] for row in rows[1:1 + len(HOSTILE)]]
    assert [cell.removeprefix("'") for cell in cells] == \
        [cell.replace("\n", " ").replace("\r", " ").replace("\t", " ")
         for cell in HOSTILE]
    assert not any(cell.lstrip()[0] in "=+-@" for cell in cells)
    assert sum(cell.startswith("'") for cell in cells) == 6


@pytest.mark.parametrize("cell", ["-", "+3.5", "-2", "12.5", "", "-3.1%"])
def test_numbers_stay_numbers_in_csv(cell):
    assert tables.csv_cell(cell) == cell


@pytest.mark.parametrize("text", ("a\x1b[0m", "\u202eb", "\x9bc"))
def test_title_and_note_have_no_controls(text):
    made = tables.Table(text, ["name"], [["x"]], text, key="t")
    for shown in (tables.html(made, "t"), tables.markdown("x", [made]),
                  tables.terminal(made)):
        assert "name" in shown
        assert not {"\x1b", "\u202e", "\x9b"} & set(shown)


SMALL = tables.Table("T", ["a", "b", "c"], [["x", "1", "2"]], "N.", key="t",
                     elsewhere="c")
NONE = tables.Table("None", ["a"], [])


@pytest.mark.parametrize("text, expected", [
    (tables.markdown("D", [SMALL, NONE], ["- i", ""]),
     "# D\n\n- i\n\n## T\n\n| a | b | c |\n| --- | ---: | ---: |\n"
     "| x | 1 | 2 |\n\nN.\n\n## None\n"),
    (tables.csv_text("D", [SMALL, NONE]),
     "# D\n\n# T\na,b,c\nx,1,2\n\n# None\na\n\n"),
    (tables.terminal(SMALL), "T\na  b  c\nx  1  2\nN."),
    (tables.html(SMALL, "i"),
     '<section id="i">\n<h2>T</h2>\n<div class="scroll" tabindex="0" '
     'role="region" aria-label="T"><table>\n<thead><tr>'
     '<th scope="col">a</th><th scope="col" class="n">b</th></tr></thead>\n'
     '<tbody>\n<tr><td>x</td><td class="n">1</td></tr>\n'
     '</tbody></table></div>\n<p class="note">N.</p>\n</section>'),
    (tables.html(NONE, "i"), '<section id="i">\n<h2>None</h2>\n</section>'),
    ("\n".join(page.verdict(["<x>", "y"], "v")),
     '<section id="v" class="verdict">\n<ul>\n<li>&lt;x&gt;</li>\n'
     '<li>y</li>\n</ul>\n</section>'),
    ("\n".join(page.links([("a&b", "<t>")])),
     '<ul>\n<li><a href="a&amp;b">&lt;t&gt;</a></li>\n</ul>'),
    (str([page.verdict([]), page.links([])]), "[[], []]"),
    (words.several("abc", 3), "a, b, c"),
    (words.several("abcd", 3), "a, b, c and 1 more"),
    (words.several("abcd", 2, "; ", "; "), "a; b; and 2 more")])
def test_whole_text(text, expected):
    assert text == expected


def test_whole_page():
    text = page.page("T", ["<p/>"], {"ink": ("#123456", "#abcdef")})
    style = page.STYLE.read_text("utf-8").rstrip()
    assert text == (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, '
        'initial-scale=1"/>\n<title>T</title>\n<style>\n'
        ":root{color-scheme:light dark;--ink:#123456;}\n@media (prefers-"
        "color-scheme:dark){:root{--ink:#abcdef;}}\n" + style +
        "\n</style>\n</head>\n<body>\n<h1>T</h1>\n<p/>\n</body>\n</html>\n")


def test_results():
    """Of the first pair that has a metric; missed is of all pairs."""
    first, second = ({"metric": "wakeup", "avg": i, "phases": {
        "send": {"avg": i}}} for i in (1, 2))
    found = results.metrics({"thread": {"0": first, "1": second}})
    assert found == {"send": {"avg": 1}, "wakeup": first}
    assert results.metrics(None) == results.metrics({}) == {}
    pairs = [{"missed": 2}, {"missed": 3}]
    for result, missed in (
            ({"twoway": {"schema": 2, "pairs": pairs, "missed": 9}}, 5),
            ({"twoway": {"schema": 1, "missed": 9}}, 9), (None, None)):
        assert results.missed(result) == missed


def test_html_is_well_formed_and_shows_what_it_is_given():
    text = page.page("<t> & more", [tables.html(table(HOSTILE), "t-1")])
    root = tree.fromstring(text.removeprefix("<!DOCTYPE html>"))
    cells = [cell.text for cell in root.iter("td")]
    assert [cell for cell in cells if cell != "1.5"] == \
        [words.harmless(cell) for cell in HOSTILE]
    assert root.find("body/h1").text == "<t> & more"
    [scrolled] = [one for one in root.iter("div")
                  if one.get("class") == "scroll"]
    assert scrolled.get("tabindex") == "0"
    assert scrolled.get("role") == "region" and scrolled.get("aria-label")


def test_both_themes_have_all_colours():
    light, dark = page.style_sheet(page.COLOURS).split("@media", 1)
    for role, (one, other) in page.COLOURS.items():
        assert f"--{role}:{one};" in light and f"--{role}:{other};" in dark
        assert f"var(--{role})" in dark


def test_terminal_is_aligned():
    text = tables.terminal(tables.Table("T", ["a", "bb"],
                                        [["long", "1"], ["x", "22"]]))
    assert text.splitlines() == ["T", "a     bb", "long   1", "x     22"]


@pytest.mark.parametrize("unit, ns, decimals, text", [
    (units.NS, 7, 3, "0.0"), (units.US, 7000, 0, "7"),
    (units.Unit(100), 700, 1, "0.7"), (units.Unit(10000), 70000, 0, "70"),
    (units.Unit(10), 70, 2, "0.1")])
def test_units(unit, ns, decimals, text):
    assert (unit.read(7), unit.decimals, unit.text(ns)) == (ns, decimals,
                                                            text)


def test_units_of_files():
    assert units.of_json(0) == units.US and units.of_json(1) == units.NS
    assert units.us(None) == "-" and units.us(1234, 3) == "1.234"
    assert [str(one) for one in (units.NS, units.US, units.Unit(10000))] == \
        ["1 ns", "1 us", "10 us"]


@pytest.mark.parametrize("text, shown", [
    ("a\x1b[31mb", "a\ufffd[31mb"), ("\x9b1m\0", "\ufffd1m\ufffd"),
    ("\u202eabc\u2066", "\ufffdabc\ufffd"), ("a\r\nb\tc", "a  b c"),
    ("\udc80", "\ufffd"), ("\u7a7a \xe9", "\u7a7a \xe9")])
def test_harmless(text, shown):
    assert words.harmless(text) == shown
