# SPDX-License-Identifier: GPL-2.0-or-later
"""One page that needs nothing else."""

import pathlib

import jinja2
import markupsafe

from tr_style import style_sheet, themed

READ = ("Where values spread far, scales grow by factors, and the bins of "
        "histograms with them. In the shares of longer cycles, a curve meets "
        "the line of a percentile at its value, and ends at the maximum. A "
        "run has the same colour everywhere.")
# Where a table stands in the page: those that warn come first.
FIRST = ("gate", "differences", "notes")
LAST = ("worst", "sources")


def page(title, tables, drawings, virtual):
    """drawings: (key, caption, SVG with stand-in colours)."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent),
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined)
    place = {"first": [t for t in tables if t.key in FIRST],
             "last": [t for t in tables if t.key in LAST],
             "middle": [t for t in tables if t.key not in FIRST + LAST]}
    figures = [(key, caption, markupsafe.Markup(themed(svg, caption)))
               for key, caption, svg in drawings]
    return environment.get_template("page.html.in").render(
        title=title, style=markupsafe.Markup(style_sheet()), place=place,
        figures=figures, how=READ if figures else "", virtual=virtual)
