# SPDX-License-Identifier: GPL-2.0-or-later
"""Made texts of others in every output: each is shown, none becomes a tag, a
formula, a label, a line or anything that a terminal obeys."""

import csv
import random
import re
import xml.etree.ElementTree as tree

import made
from test_report_foreign import KNOWN, harmless

PIECES = (
    "<script>alert(1)</script>", "<img src=x onerror=y>", "</td></table>", '">',
    "'>", "<!--", "]]>", "&lt;", "&#60;", "&", "](javascript:x)", "![a](http://b)",
    "[", "|", "\\|", "\\", "`", "**", "# ", "\n# ", "\r\n", "\n| a | b |\n",
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", ",", ";", '"', '""', "\n=cmd|x",
    '"} 5\n# EOF', '",x="', "\\n", "{", "}", "\x1b[31m", "\x1b]0;t\x07", "\x9b2J",
    "\x00", "\x08", "\x7f", "\u202e", "\u2028", "\ud7ff", "\ufffe", "a", "b c",
    "%s", "{0}", "$x^$", "url(#a)", "0b0104")
SAMPLE = re.compile(r'[a-z_]+\{([a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+\} \S+')
LABEL = re.compile(r'limit="((?:[^"\\\n]|\\[\\"n])*)"')


def made_texts(count=200):
    """Each is told from all others by its begin or its end."""
    source = random.Random(1)
    found = ["".join(source.choices(PIECES, k=source.randint(1, 4)))
             for _ in range(count)]
    found[62], found[199] = "".join(PIECES), "".join(PIECES[::-1])
    return [f"{text}~{i}~" if i % 2 else f"~{i}~{text}" if i % 4 else
            f"{text}{i}~" for i, text in enumerate(found)]


def rows_of(markdown):
    """Cells of each row, by what ends a cell."""
    return [re.split(r"(?<!\\)\|", line)[1:-1]
            for line in markdown.splitlines() if line.startswith("|")]


def plain(text):
    return "".join(harmless(text).split())


def test_all_outputs(report):
    texts = made_texts()
    data = made.twoway(made.cycles(900))
    environment, twoway = data["twoway"]["system"], data["twoway"]
    environment["findings"] = [{"name": text, "read": "x"}
                               for text in texts[:60]]
    environment |= {"governor": texts[60], "preemption": texts[61]}
    data["sysinfo"] |= dict(zip(("nodename", "release", "machine"),
                                texts[62:65]))
    data["cmdline:"], twoway["version"] = texts[65:67]
    twoway["limits"] = [made.limit("total:9", 99_000) | {"limit": text}
                        for text in texts[67:120]]
    twoway["others"] = {"cpus": [
        {"cpu": i, "percent": 9.5, "unnamed_percent": 0,
         "tasks": [{"name": text, "percent": 9.0}]}
        for i, text in enumerate(texts[120:160])]}
    made.write(report.directory, "a.json", data)
    names = [text.replace("\0", "").replace("=", "")
             for text in texts[160:199]]
    made.write(report.directory, "p.csv", made.dump(made.cycles(40)))
    done = report("-o", "r.html", "-t", "r.csv", "-O", "r.prom", "-j", "r.xml",
                  "--title=" + texts[199].replace("\0", ""), "--", "a.json",
                  *(f"{name}=p.csv" for name in names[1:]))
    shown = report("-t", "-", f"--title={names[0]}", "a.json").stdout + done.stdout

    read = {kind: (report.directory / f"r.{kind}").read_text("utf-8")
            for kind in ("html", "csv", "prom", "xml")}
    for text in (read["html"], read["csv"], shown):
        assert all(c.isprintable() or c == "\n" for c in text)
    root = tree.fromstring(read["html"].removeprefix("<!DOCTYPE html>"))
    every = list(root.iter())
    assert {one.tag for one in every if one.tag[0] != "{"} <= KNOWN
    assert {key for one in every if one.tag[0] != "{" for key in one.attrib} \
        <= {"class", "id", "href", "lang", "charset", "name", "content",
            "tabindex", "role", "aria-label", "scope"}
    assert all(one.get("href", "#")[0] == "#" for one in every)
    page = plain("".join(root.itertext()))
    for text in texts[:60] + texts[61:66] + texts[120:160]:
        assert plain(text) in page, text

    assert "](" not in shown and not re.search("<[A-Za-z/!?]", shown)
    for table in re.findall(r"(?m)(?:^\|.*\n)+", shown):
        assert len({len(cells) for cells in rows_of(table)}) == 1, table
    starts = [line for line in shown.splitlines() if line.startswith("#")]
    assert len(starts) == 1 + len(
        re.findall("^## ", shown, re.M)), starts

    cells = [cell for row in csv.reader(read["csv"].splitlines())
             for cell in row if not row[0].startswith("#")]
    assert not [cell for cell in cells if re.match(r"\s*[=+@-]", cell) and
                not re.fullmatch(r"[+-]?[\d.]+|-", cell)]
    assert sum(line.startswith("# ") for line in read["csv"].splitlines()) == \
        len(re.findall("^\n# |^# ", read["csv"], re.M))

    *lines, end = read["prom"].splitlines()
    assert end == "# EOF" and all(
        line.startswith("# ") or SAMPLE.fullmatch(line) for line in lines)
    limits = {re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]),
                     found) for found in LABEL.findall(read["prom"])}
    assert {plain(one) for one in limits} == set(map(plain, texts[67:120]))

    cases = [one.get("name") for one in
             tree.fromstring(read["xml"]).iter("testcase")]
    assert {plain(one) for one in cases} >= set(map(plain, texts[67:120]))
