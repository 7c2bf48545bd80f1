# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages: one file each that loads nothing, light or dark as its reader is."""

import html
import pathlib

from twtools.words import harmless

# Each in light, in dark.
BLUE = ("#0072b2", "#56a8e0")
ORANGE = ("#d55e00", "#f0813a")
GREY = ("#4d4d4d", "#c8c8c8")
# Of runs, in figures.
RUNS = (BLUE, ORANGE, ("#009e73", "#2fbf94"), ("#cc79a7", "#e29bc4"),
        ("#b07d00", "#f2b84b"), ("#56b4e9", "#a5dcff"), GREY)
COLOURS = {
    "ink": ("#1a1a1a", "#e8e8e8"),
    "muted": ("#5f5f5f", "#a8a8a8"),
    "grid": ("#dcdcdc", "#3c3c40"),
    "paper": ("#ffffff", "#1b1b1e"),
    "warn": ORANGE,
}
STYLE = pathlib.Path(__file__).with_name("style.css")


def style_sheet(colours):
    """The variable --ROLE of each colour in both themes, then the rest."""
    light, dark = ("".join(f"--{role}:{pair[i]};"
                           for role, pair in colours.items())
                   for i in (0, 1))
    return (f":root{{color-scheme:light dark;{light}}}\n"
            f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
            + STYLE.read_text(encoding="utf-8"))


def page(title, body, colours=COLOURS):
    """body: lines of HTML, well-formed as XML, too."""
    title = html.escape(harmless(title))
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>",
        '<meta charset="utf-8"/>', '<meta name="viewport" '
        'content="width=device-width, initial-scale=1"/>',
        f"<title>{title}</title>", "<style>", style_sheet(colours).rstrip(),
        "</style>", "</head>", "<body>", f"<h1>{title}</h1>", *body,
        "</body>", "</html>", ""])


def verdict(lines, name="verdict"):
    """What a page begins with: sentences."""
    return [f'<section id="{name}" class="verdict">', "<ul>",
            *(f"<li>{html.escape(harmless(line))}</li>" for line in lines), "</ul>",
            "</section>"] if lines else []


def links(pairs):
    """A list of (address, text)."""
    return ["<ul>", *(f'<li><a href="{html.escape(to)}">{html.escape(text)}'
                      "</a></li>" for to, text in pairs), "</ul>"] \
        if pairs else []
