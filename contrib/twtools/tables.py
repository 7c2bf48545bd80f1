# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of texts, and how they are written: Markdown, CSV, HTML, terminal.

Cells may hold anything, names of files for example. None becomes a tag, a
formula of a spreadsheet, or a line of its own.
"""

import csv
import dataclasses
import html as escaped
import io
import re

from twtools.words import harmless

NUMBER = re.compile(r"[+-]?[0-9.]+%?|-+|\+-")
TAG = re.compile(r"<(?=[A-Za-z/!?])")
ENTITY = re.compile(r"&(?=#?\w+;)")


@dataclasses.dataclass
class Table:
    title: str
    columns: list
    rows: list                  # lists of str
    note: str = ""
    figures: int = 1            # columns from this one on are numbers
    key: str = ""               # its name in a page
    elsewhere: str = ""         # a column that a page has in another table

    def of_page(self):
        """Columns and rows without that."""
        at = [i for i, name in enumerate(self.columns)
              if name != self.elsewhere]
        return [[row[i] for i in at] for row in (self.columns, *self.rows)]


class Link(str):
    """A cell that is a link in Markdown."""


def md_text(text):
    """A text that stands for itself; "<" and "&" alone already do."""
    if isinstance(text, Link):
        return text
    return TAG.sub("&lt;", ENTITY.sub("&amp;", harmless(text))) \
        .replace("](", "]&#40;")


def md_row(cells):
    return "| " + " | ".join(md_text(cell).replace("|", "\\|")
                             for cell in cells) + " |"


def markdown(title, tables, intro=()):
    """A document; intro: lines below its title."""
    lines = [f"# {md_text(title)}", "", *intro]
    for table in tables:
        lines += [f"## {md_text(table.title)}", ""]
        if table.rows:
            lines += [md_row(table.columns),
                      md_row(["---" if i < table.figures else "---:"
                              for i in range(len(table.columns))])]
            lines += [md_row(row) for row in table.rows] + [""]
        if table.note:
            lines += [md_text(table.note), ""]
    return "\n".join(lines)


def csv_cell(text):
    """An apostrophe in front of what a spreadsheet would calculate."""
    text = harmless(text)
    return f"'{text}" if re.match(r"\s*[=+@-]", text) and \
        not NUMBER.fullmatch(text) else text


def csv_text(title, tables):
    """Each table below its title, a comment, and above an empty line."""
    out = io.StringIO()
    out.write(f"# {harmless(title)}\n\n")
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        out.write(f"# {harmless(table.title)}\n")
        for row in [table.columns, *table.rows]:
            writer.writerow(map(csv_cell, row))
        out.write("\n")
    return out.getvalue()


def html_row(cells, tag, figures, scope=""):
    kinds = ["" if i < figures else ' class="n"' for i in range(len(cells))]
    return "<tr>" + "".join(
        f"<{tag}{scope}{kind}>{escaped.escape(harmless(cell))}</{tag}>"
        for kind, cell in zip(kinds, cells)) + "</tr>"


def html(table, name):
    """A section of a page; name: its id, which no other section has."""
    title = escaped.escape(harmless(table.title))
    columns, *rows = table.of_page()
    lines = [f'<section id="{escaped.escape(name)}">', f"<h2>{title}</h2>"]
    if table.rows:
        kind = "" if table.figures < len(columns) else ' class="text"'
        # Who has no mouse scrolls what has the focus.
        lines += [f'<div class="scroll" tabindex="0" role="region" '
                  f'aria-label="{title}"><table{kind}>',
                  "<thead>" + html_row(columns, "th", table.figures,
                                       ' scope="col"') + "</thead>",
                  "<tbody>",
                  *(html_row(row, "td", table.figures)
                    for row in rows),
                  "</tbody></table></div>"]
    if table.note:
        lines.append(f'<p class="note">{escaped.escape(harmless(table.note))}</p>')
    return "\n".join([*lines, "</section>"])


def terminal(table):
    """Aligned columns, between title and note."""
    rows = [table.columns] + table.rows
    widths = [max(len(row[i]) for row in rows)
              for i in range(len(table.columns))]
    lines = [harmless(table.title)]
    for row in rows:
        cells = [cell.ljust(width) if i < table.figures else
                 cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append(harmless("  ".join(cells).rstrip()))
    return "\n".join(lines + [harmless(table.note)] * bool(table.note))
