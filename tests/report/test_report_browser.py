# SPDX-License-Identifier: GPL-2.0-or-later
"""The page in a real browser, on a desktop and on a phone."""

import browser
import made
import made_break
import made_hosts
import pytest
from test_report_campaign import campaign

PLAIN = """<!DOCTYPE html><html lang="en"><head><style>
:root{{--paper:#fff;--ink:#000}}
@media (prefers-color-scheme:dark){{:root{{--paper:#000;--ink:#fff}}}}
body{{margin:0;background:var(--paper);color:var(--ink)}}
svg{{fill:var(--ink)}}</style></head><body>
{}</body></html>"""
SVG = '<svg role="img" aria-label="x" viewBox="0 0 9 9" width="90">{}</svg>'
GOOD = "<h1>A</h1><h2>B</h2>" + SVG.format("<text y='9'>t</text>")
# What is wrong, in a page that is right but for it.
WRONG = {
    "wide": GOOD + '<div style="width:1300px">x</div>',
    "unnamed": GOOD + "<svg role='img'></svg>",
    "unnamed image": GOOD + "<img/>",
    "disordered": GOOD + "<h4>C</h4>",
    "disordered begin": GOOD.replace("h1", "h2"),
    "faint": GOOD + '<p style="color:#777;background:#888">x</p>',
    "small": GOOD + SVG.format('<text y="6" font-size=".7">x</text>'),
    "faint on a shape": GOOD + SVG.format(
        '<path d="M0 0H9V9H0z" fill="#777"/>'
        '<text x="2" y="6" font-size="4" fill="#888">x</text>'),
}


@pytest.fixture(scope="module")
def looked(tmp_path_factory):
    """The rows of reports and of pages that are wrong, and of which."""
    browser.program()
    directory = tmp_path_factory.mktemp("browser")
    rows = made.cycles(400, 1)
    data = made_break.twoway()
    data["twoway"]["system"]["findings"] = [
        {"name": "governor", "read": "powersave " * 30}]
    made.write(directory, "a.json", data)
    made.write(directory, "b.json", made.twoway(rows, size=9))
    made.write(directory, "b.csv", made.dump(rows))
    made.write(directory, f"long-{'x' * 60}.csv",
               made.dump(made.cycles(300, 3)))
    made.write(directory, "h.json", made_hosts.twoway(made_hosts.ROWS))
    made.report(directory, "-o", "r.html", "-m", "response,total", "a.json",
                "b.json", "b.csv", f"long-{'x' * 60}.csv", "h.json")
    path, _ = campaign(directory, ["one-fft-cyclictest"])
    made.report(directory, "-o", "c.html", "-m", "response,wakeup", str(path))
    reports = {name: (directory / f"{name[0]}.html").read_text(encoding="utf-8")
               for name in ("report", "campaign")}
    wrong = {name: PLAIN.format(body)
             for name, body in {"nothing": GOOD, **WRONG}.items()}
    return browser.look(directory, {**reports, **wrong}), reports


def rows_of(looked, name):
    return [row for row in looked[0] if row["page"].startswith(f"{name}, ")]


def test_report(looked):
    """No overflow, a text for each drawing, headings in order, text that can
    be read."""
    _, reports = looked
    for name in reports:
        browser.check(rows_of(looked, name), [name])


def test_a_page_that_is_right(looked):
    browser.check(rows_of(looked, "nothing"), ["nothing"])


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_seen(looked, name):
    """That, and nothing else."""
    kinds = ("wide", "unnamed", "disordered", "faint", "small")
    for row in rows_of(looked, name):
        assert [kind for kind in kinds if row[kind]] == [name.split()[0]], \
            row
