# SPDX-License-Identifier: GPL-2.0-or-later
"""The index of a campaign's pages: as Markdown, and as a page."""

import dataclasses
import html as escaped

STYLE = """
:root{color-scheme:light dark}
body{margin:0 auto;padding:1rem;max-width:72rem;
 font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:1.5rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.1rem;margin:1.8rem 0 .4rem}
div{overflow-x:auto}
table{border-collapse:collapse;font-size:.875rem;
 font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;text-align:left;vertical-align:top;
 border-bottom:1px solid #8886}
.n{text-align:right}
td.n,td:first-child{white-space:nowrap}
p{max-width:44rem;font-size:.875rem;margin:.3rem 0}
"""


@dataclasses.dataclass
class Table:
    title: str
    columns: list
    rows: list              # of texts
    note: str = ""
    figures: int = 99       # columns from this one on are numbers


def markdown_row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ")
                             for cell in cells) + " |"


def markdown(title, tables, pages):
    lines = [f"# {title}", ""]
    lines += [f"- [Load: {page}]({page}.md)" for page in pages]
    for table in tables:
        if not table.rows:
            continue
        rule = ["---" if i < table.figures else "---:"
                for i in range(len(table.columns))]
        lines += ["", f"## {table.title}", "", markdown_row(table.columns),
                  markdown_row(rule), *map(markdown_row, table.rows)]
        if table.note:
            lines += ["", table.note]
    return "\n".join(lines) + "\n"


def html_row(cells, tag, figures):
    return "<tr>" + "".join(
        f"<{tag}{' class=n' if i >= figures else ''}>"
        f"{escaped.escape(cell)}</{tag}>"
        for i, cell in enumerate(cells)) + "</tr>"


def html(title, tables, pages):
    title = escaped.escape(title)
    lines = ["<!DOCTYPE html>", '<html lang="en">', '<meta charset="utf-8">',
             '<meta name="viewport" content="width=device-width, '
             'initial-scale=1">', f"<title>{title}</title>",
             f"<style>{STYLE}</style>", f"<h1>{title}</h1>"]
    if pages:
        lines += ["<ul>", *(f'<li><a href="{page}.html">Load: {page}</a>'
                            for page in pages), "</ul>"]
    for table in tables:
        if not table.rows:
            continue
        lines += [f"<h2>{escaped.escape(table.title)}</h2>", "<div><table>",
                  html_row(table.columns, "th", table.figures),
                  *(html_row(row, "td", table.figures)
                    for row in table.rows), "</table></div>"]
        if table.note:
            lines.append(f"<p>{escaped.escape(table.note)}</p>")
    return "\n".join(lines) + "\n</html>\n"
