# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures by matplotlib: one drawing, in light, in dark and on paper.

A drawing is a function of a Look that returns a figure.

The palette is that of Okabe and Ito, which the colour-blind can tell apart;
runs also differ by dashes and markers, phases by hatching.
"""

import io
import logging
import re
import textwrap
import warnings
from html import escape

# Who has no directory for matplotlib's cache needs no advice about it.
logging.getLogger("matplotlib").addFilter(lambda record: not any(
    text in record.getMessage()
    for text in ("MPLCONFIGDIR", "mkdir -p failed")))

import matplotlib  # noqa: E402, I001
import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import blended_transform_factory

from twtools import page

# Role: in light, in dark.
COLOURS = page.COLOURS | {
    f"run{i}": pair for i, pair in enumerate(page.RUNS)} | {
    "phase0": ("#e69f00", "#ffcf6b"),
    "phase1": ("#6a51a3", "#a08fd6"),
    "phase2": ("#b0b0b0", "#6a6a70"),
    "phase3": ("#8c5a3c", "#c79a76"),
    "phase4": ("#2a7f9e", "#7cc0da"),
    "phase5": ("#4b7d1f", "#a3cf76"),
    "phase6": ("#1f4e8c", "#6f9fdc"),
    "phase7": ("#a83253", "#e58aa3"),
    "cause": ("#c00020", "#ff8a90"),
}
# Colours that nothing else has, replaced in the SVG that is drawn.
STAND_IN = {role: f"#0b01{i:02x}" for i, role in enumerate(
    role for role in COLOURS if role != "warn")}
TAG = re.compile("<[^>]*>")         # what lies between tags is of the user
DASHES = ("-", (0, (5, 1.5)), (0, (2, 1)), (0, (6, 1.5, 1, 1.5)))
MARKERS = "osD^vPX"
RUN_COLOURS = len(page.RUNS)
OVERLAID = 4            # runs that stay legible in one drawing
ENTRY_IN = 0.172        # a row of a legend
WIDTH_IN = 4.8          # wide enough for a phone, and legible there

# A font without a glyph is no fault of a run's name.
warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from")
matplotlib.rcParams.update({
    "text.parse_math": False,       # names are no formulas
    "svg.fonttype": "none",
    "svg.hashsalt": "twowayreport",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "axes.titlesize": 9.5,
    "hatch.linewidth": 0.6,
    "path.simplify": True,
})


class Look:
    """The colours to draw with: stand-ins, or for print."""

    def __init__(self, printed):
        self.colour = {role: pair[0] for role, pair in COLOURS.items()} \
            if printed else STAND_IN

    def run(self, index):
        """Line properties of the index-th run."""
        return {"color": self.colour[f"run{index % RUN_COLOURS}"],
                "linestyle": DASHES[index % len(DASHES)]}

    def fill(self, index):
        return self.colour[f"run{index % RUN_COLOURS}"]

    def figure(self, title, names, panel_in, rows=1, columns=1, left_in=0.66,
               right_in=0.18, gap_in=0.6, bottom_in=0.5, between_in=0.5,
               titled=False, width_in=WIDTH_IN, **options):
        """A figure with room for a legend of names; its axes, as a list.

        Distances are fixed, in inches: letting matplotlib find them takes
        longer than drawing.
        """
        title = textwrap.fill(title, int(56 * width_in / WIDTH_IN))
        head_in = 0.13 + 0.19 * (title.count("\n") + 1)
        top_in = head_in + ENTRY_IN * legend_rows(names) + 0.12 + \
            0.22 * titled
        height_in = top_in + rows * panel_in + (rows - 1) * gap_in + bottom_in
        figure = Figure((width_in, height_in), facecolor=self.colour["paper"])
        figure.suptitle(title, x=0.012, y=1 - 0.08 / height_in, ha="left",
                        va="top", fontsize=10.5, fontweight="bold",
                        color=self.colour["ink"])
        figure.legend_at = 0, 1 - head_in / height_in
        across = (width_in - left_in - right_in -
                  between_in * (columns - 1)) / columns
        figure.subplots_adjust(
            left_in / width_in, bottom_in / height_in,
            1 - right_in / width_in, 1 - top_in / height_in,
            between_in / across, gap_in / panel_in)
        axes = figure.subplots(rows, columns, squeeze=False, **options)
        for ax in axes.flat:
            self.dress(ax)
        return figure, list(axes.flat)

    def panels(self, title, found, panel_in, **options):
        """A figure of at most OVERLAID of found a drawing, on one scale.

        found: (index, run, ...) each. Returns the figure, and its axes
        with their part of found.
        """
        count = -(-len(found) // OVERLAID)
        parts = [[found[i] for i in part] for part in
                 numpy.array_split(range(len(found)), count)]
        names = max(([run.title for _, run, *_ in part] for part in parts),
                    key=legend_rows)
        figure, axes = self.figure(
            title, names, panel_in, count, sharex=True, sharey=True,
            gap_in=0.4 + ENTRY_IN * legend_rows(names), **options)
        for ax in axes:
            ax.tick_params(labelbottom=True)
        return figure, list(zip(axes, parts))

    def title(self, ax, text):
        ax.set_title(textwrap.shorten(text, 56, placeholder="..."),
                     loc="left", color=self.colour["ink"], pad=4)

    def x_label(self, figure, text):
        """Below all axes."""
        figure.text(0.5, 0.06 / figure.get_figheight(), text, ha="center",
                    color=self.colour["ink"])

    def y_label(self, figure, text):
        """Left of all axes."""
        figure.text(0.02, 0.5, text, rotation=90, va="center",
                    color=self.colour["ink"])

    def dress(self, ax):
        colour = self.colour
        ax.set_facecolor(colour["paper"])
        for side, spine in ax.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(colour["muted"])
        ax.tick_params(colors=colour["muted"], labelcolor=colour["ink"])
        ax.grid(True, color=colour["grid"], linewidth=0.6)
        ax.set_axisbelow(True)
        for label in (ax.xaxis.label, ax.yaxis.label):
            label.set_color(colour["ink"])

    def legend(self, figure, handles, names, ax=None):
        """Above the drawing, or one of several, where it hides nothing."""
        place = {"loc": "upper left", "bbox_to_anchor": figure.legend_at} \
            if ax is None else \
            {"loc": "lower left", "bbox_to_anchor": (0, 1),
             "bbox_transform": blended_transform_factory(
                 figure.transFigure, ax.transAxes)}
        # A name that begins with "_" would be left out: it comes later.
        legend = figure.legend(
            handles, ["x"] * len(names),
            ncol=legend_columns(names), frameon=False, **place, borderaxespad=0.1, handlelength=2.2,
            labelspacing=0.35, columnspacing=1.4,
            labelcolor=self.colour["ink"])
        for text, name in zip(legend.get_texts(), names):
            text.set_text(short(name))


def short(name):
    return textwrap.shorten(name, 44, placeholder="...") if len(name) > 44 \
        else name


def legend_columns(names):
    """How many entries fit side by side."""
    longest = max((len(short(name)) for name in names), default=0)
    return max(1, min(len(names), 62 // (longest + 7)))


def legend_rows(names):
    return -(-len(names) // legend_columns(names))


def plain(value, _position=None):
    """A tick's number without 10^n."""
    if value >= 1e6:
        return f"{value / 1e6:g}M"
    if value >= 1e4:
        return f"{value / 1e3:g}k"
    return f"{value:g}"


def log_axis(axis, low, high, narrow=False):
    """Logarithmic, with few and plain numbers; from low to high."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    spread = high / low
    decade, third = (60, 7) if narrow else (2000, 60)
    subs = (1,) if spread > decade else (1, 3) if spread > third else (1, 2, 5)
    # Side by side numbers need room.
    few = narrow and axis.axis_name == "x"
    axis.set_major_locator(LogLocator(subs=subs, numticks=4 if few else 20))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))


def to_png(figure):
    out = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(out, format="png", dpi=200,
                   metadata={"Software": None})
    return out.getvalue()


def to_svg(figure, key):
    """With the stand-in colours; see themed() and printed()."""
    out = io.StringIO()
    FigureCanvasSVG(figure)
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.S)
    # Several drawings share a page: each its own names.
    text = TAG.sub(lambda tag: re.sub(
        r'\bid="|href="#|url\(#', lambda match: f"{match[0]}{key}-",
        tag[0]), text)
    # What matplotlib writes at length: a tenth of a pixel is enough.
    text = re.sub(r' (d|x|y)="[^"]*"', lambda match: re.sub(
        r"(\.\d)\d+", r"\1", match[0]).replace(" \n", "").replace("\n", ""),
        text)
    text = re.sub('<g id="[^"]*">', "<g>", text)     # nothing refers to them
    text = re.sub(r">\s+<", ">\n<", text)
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r"\s*<style.*?</style>", "", text, flags=re.S)
    text = text.replace("<svg ", '<svg stroke-linejoin="round" ', 1)
    text = text.replace("'DejaVu Sans'", "'DejaVu Sans', sans-serif")
    return re.sub(r" +\n", "\n", text)


def replaced(text, value):
    roles = {stand_in: role for role, stand_in in STAND_IN.items()}
    known = re.compile("|".join(roles))
    return TAG.sub(lambda tag: known.sub(
        lambda match: value(roles[match[0]]), tag[0]), text)


def themed(svg, label):
    """For a page that sets --ROLE in light and dark; sized by the page."""
    svg = replaced(svg, lambda role: f"var(--{role})")
    head = '<svg stroke-linejoin="round" role="img" ' \
        f'aria-label="{escape(label)}" viewBox="{{}}" ' \
        'xmlns="http://www.w3.org/2000/svg" ' \
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    # No template of re.sub(): a name may have backslashes.
    return re.sub(r'<svg .*?viewBox="([^"]+)".*?>',
                  lambda match: head.replace("{}", match[1]),
                  svg, count=1, flags=re.S)


def printed(svg):
    """A file of its own, in the light colours."""
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            + replaced(svg, lambda role: COLOURS[role][0]))
