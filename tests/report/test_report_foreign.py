# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of others, wherever they stand: shown, and nothing else."""

import json
import re
import xml.etree.ElementTree as tree

import made
import made_break
import pytest

TEXTS = {
    "tag": "<script>alert(1)</script>", "attribute": '"><img src=x onerror=y>',
    "end": "</style></svg>]]>-->", "entity": "&#60;b&#62;&lt;",
    "backslash": r"\1\g<0>\x\\", "escape": "\x1b[31mred\x1b]0;t\x07",
    "control": "\x00\x08\x9b2J\x7f", "direction": "\u202egnp.\u2066",
    "lines": "a\r\nb\u2028c\n# d", "link": "[a](javascript:b)![c](http://d)",
    "formula": "=cmd|'/c x'!A1", "braces": "{0}%s$x^$url(#a)"}
# A place in the JSON: how the text gets there.
PLACES = {
    "host": lambda data, text: data["sysinfo"].update(nodename=text),
    "kernel": lambda data, text: data["sysinfo"].update(version=text),
    "governor": lambda data, text: data["twoway"]["system"].update(
        governor=text),
    "setting": lambda data, text: data["twoway"]["settings"].update(
        size=text),
    "version": lambda data, text: data["twoway"].update(version=text),
    "finding": lambda data, text: data["twoway"]["system"].update(
        findings=[{"name": text, "read": text}]),
    "limit": lambda data, text: data["twoway"].update(
        limits=[{**made.limit("total:9", 99_000), "limit": text}]),
    "task": lambda data, text: data["twoway"].update(others={"cpus": [
        {"cpu": 0, "percent": 9.5, "unnamed_percent": 0,
         "tasks": [{"name": text, "percent": 9.0}]}]}),
    "cause": lambda data, text: data["twoway"]["breaks"][0]["cause"].update(
        cause=text),
    "stack": lambda data, text: data["twoway"]["breaks"][0]["cause"].update(
        who="hog", stack=[text], stack_at="interrupt"),
    "culprit": lambda data, text: data["twoway"]["breaks"][0]["cause"][
        "timeline"][1].update(who=text)}
KNOWN = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p",
         "section", "ul", "li", "figure", "figcaption", "div", "nav", "a",
         "table", "thead", "tbody", "tr", "th", "td"}


def check(page, markdown, text):
    """The page has no element, the texts no character but those meant."""
    root = tree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    assert {one.tag for one in root.iter()
            if not one.tag.startswith("{")} <= KNOWN
    assert not [one for one in root.iter() for key in one.attrib
                if key.startswith("on")]
    for shown in (page, markdown):
        assert all(c.isprintable() or c == "\n" for c in shown)
    assert "](" not in markdown and not re.search("<[A-Za-z/!]", markdown)
    whole = "".join("".join(root.itertext()).split())
    assert "".join(harmless(text).split()) in whole


def harmless(text):
    from twtools import words
    return words.harmless(text)


def test_texts_of_a_json(report):
    """All are in the page, as they are but for what cannot be seen."""
    data = made_break.twoway()
    texts = [" ".join([place, *TEXTS.values()]) for place in PLACES]
    for place, text in zip(PLACES.values(), texts):
        place(data, text)
    made.write(report.directory, "a.json", json.dumps(data))
    made.write(report.directory, "b.json", made.twoway(made.cycles(40)))
    report("-o", "r.html", "-t", "t.md", "-m", "send", "a.json", "b.json")
    for text in texts:
        check((report.directory / "r.html").read_text(),
              (report.directory / "t.md").read_text(), text)


@pytest.mark.parametrize("names", [list(TEXTS)[i:i + 4] for i in (0, 4, 8)])
def test_names(report, names):
    """Of runs, files, titles; on the terminal, too."""
    texts = [TEXTS[name].replace("\0", "").replace("=", "+")
             for name in names]
    made.write(report.directory, "a.csv", made.dump(made.cycles(400)))
    args = [f"{text}=a.csv" for text in texts] + [made.write(
        report.directory, f"u{text}.csv".replace("/", "-"),
        made.dump(made.cycles(400))) for text in texts]
    report("-o", "r.html", "-t", "t.md", "-m", "send", "-T", " ".join(texts),
           *args)
    for text in texts:
        check((report.directory / "r.html").read_text(),
              (report.directory / "t.md").read_text(), text)
    out = report("-t", "-", *args).stdout
    assert all(c.isprintable() or c == "\n" for c in out)
    for text, file in zip(texts, args):
        err = report(file, "/nowhere/" + text, status=1).stderr
        assert all(c.isprintable() or c == "\n" for c in err)


def test_texts_of_a_table(report):
    made.write(report.directory, "p.csv", "system,min,avg,max\n" + "".join(
        f'"{text}",1,2,3\n' for text in (
            "\x1b[1mx", "[a](http://b)", "<b>", r"\1")))
    report("-o", "r.html", "-t", "t.md", "p.csv")
    check((report.directory / "r.html").read_text(),
          (report.directory / "t.md").read_text(), "\x1b[1mx")


@pytest.mark.parametrize("row", [
    "A,1_0,20,30", "A,1,2,\uff13", "A,1,2,inf", "A,1,nan,3", "A,1,2,0x3"])
def test_what_is_no_number(refused, row):
    made.write(refused.directory, "p.csv", f"system,min,avg,max\n{row}\n")
    assert "p.csv: line 2: " in refused("p.csv")


@pytest.mark.parametrize("key", ["5_0", "\uff15\uff10", "nan", "inf", "-1"])
def test_what_is_no_percentage(refused, key):
    data = made.twoway(made.cycles(40))
    data["thread"]["0"]["percentiles"] = {key: 5}
    made.write(refused.directory, "a.json", data)
    assert "no percentage" in refused("a.json")


def test_full_width_row(refused):
    text = made.text(made.values(made.cycles(40))["wakeup"])
    first = re.search(r"^\d{6} \d{6}$", text, re.M)[0]
    wide = "".join(chr(ord(c) + 0xfee0) if c != " " else c for c in first)
    made.write(refused.directory, "a.txt", text.replace(first, wide))
    assert refused("a.txt").endswith(f": '{wide}' is no row of a histogram\n")


def test_long_field(refused):
    made.write(refused.directory, "p.csv", "system,min,avg,max\n"
               f"{'x' * 200_000},1,2,3\n")
    assert "p.csv: line 2: no line of a table" in refused("p.csv")


@pytest.mark.parametrize("when", [
    "Fri, 31 Dec 9999 23:59:59 -2359", "Fri, 31 Dec 9999 23:59:59 +0000",
    "Mon, 01 Jan 0001 00:00:00 +2359"])
def test_end_of_time(report, when):
    """It is read, or refused in one line."""
    data = made.twoway(made.cycles(40))
    data |= {"start_time": when, "end_time": when}
    data["twoway"]["limits"] = [made.limit("total:9", 99_000)]
    made.write(report.directory, "a.json", data)
    for args in (("-t", "-"), ("-j", "x.xml"), ("-O", "x.prom")):
        try:
            report(*args, "a.json")
        except AssertionError:
            assert "is no time such as" in report(*args, "a.json",
                                                  status=1).stderr


@pytest.mark.parametrize("content", ["{}", "system,min,avg,max\nA,1,2,3\n"])
def test_byte_order_mark(refused, content):
    made.write(refused.directory, "a", b"\xef\xbb\xbf" + content.encode())
    assert "a: line 1: the file begins with a byte order mark" in refused("a")
