# SPDX-License-Identifier: GPL-2.0-or-later
"""The history as a page of tables, and as a figure."""

import math
import textwrap

from twtools import tables
from vl_rows import COLUMNS, NAMES, by_arch, changes

# Headings of findings.md: of changes that are explained.
EXPLAINED = ("5.10 to 6.1", "6.1 to 6.12", "6.12 to 6.16", "6.12 to 7.2",
             "6.17 to 6.18", "6.18 to 6.19", "6.19 to 7.0", "7.1 to 7.2",
             "7.2 to 7.3")
INTRO = """<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
<!-- Made by virtlab history. -->
"""
TEXT = """The newest kernel of each series that Debian's suites have now, \
in exact guests
of one CPU whose time is the number of instructions, 8 ns each: lengths of paths
in us, not times of a machine; see [README.md](README.md). Do not compare the
architectures with each other. Averages; with a slash, average / maximum.

![Response and wake-up by release](history.svg)

A point is an average, the line above it ends at the maximum.

    contrib/virtlab/virtlab history

measures all of it and writes this page, the figure and `history.json`, which
has the figures in ns, the kernels' packages and checksums, and what the figures
depend on. With the same kernels, the same version of QEMU and the same programs
(`initramfs_sha256`), they are the same to the last digit. The options are those
below; cyclictest has the same period and priority. `closed loop` is a
transaction without a timer and without a pause, of ordinary priority.
"""
# Panels of the figure: title, measurement, metric.
PANELS = (("response, nanosleep", "nanosleep", "response"),
          ("response, POSIX timer", "posix", "response"),
          ("wakeup, nanosleep", "nanosleep", "wakeup"),
          ("wakeup, POSIX timer", "posix", "wakeup"))


def us(value):
    return f"{value / 1000:.1f}"


def cells(figures):
    for measurement, metric, both in COLUMNS.values():
        average, most = figures[measurement][metric]
        yield us(average) + (f" / {most / 1000:.0f}" if both else "")


def explained(pair):
    """Where, or that it is not."""
    if pair not in EXPLAINED:
        return f"{pair}: not explained yet"
    place = pair.replace(".", "").replace(" ", "-")
    return tables.Link(f"[{pair}](findings.md#{place})")


def table_of_changes(result):
    return tables.Table(
        "Changes of more than 5 %", ["Linux", "", "", "averages"],
        [[explained(pair), *row] for pair, rows in changes(result).items()
         for row in rows],
        "Between two neighbours. Each link leads to the explanation.",
        figures=4)


def page(result):
    """Markdown: the figure, a table of each architecture, the changes."""
    found = []
    for arch, rows in by_arch(result).items():
        about = result["shared"][arch]
        found.append(tables.Table(
            arch, ["Linux", "", *COLUMNS],
            [[row["version"], NAMES[row["kind"]], *cells(row["figures"])]
             for row in rows],
            f"QEMU {about['qemu']}.", figures=2))
    found.append(table_of_changes(result))
    options = [f"    {name}: {command}"
               for name, command in result["measured"].items()]
    unread = [f"Not read: {', '.join(result['unread'])}.", ""] \
        if result["unread"] else []
    # Written by hand: how these figures compare with earlier ones.
    note = [*textwrap.wrap(result["note"], 80), ""] if "note" in result else []
    return INTRO + tables.markdown(
        "From release to release", found,
        [*TEXT.splitlines(), "", *options, "", *note, *unread])


def panel(look, ax, rows, measurement, metric, markers):
    """One metric of one architecture, from release to release."""
    series = list(dict.fromkeys(row["series"] for row in rows))
    look.dress(ax)
    for k, (kind, name) in enumerate(NAMES.items()):
        mine = [row for row in rows if row["kind"] == kind]
        at = [series.index(row["series"]) + (k - 0.5) / 3 for row in mine]
        pairs = [row["figures"][measurement][metric] for row in mine]
        average, most = ([pair[i] / 1000 for pair in pairs] for i in (0, 1))
        # One line with gaps, as many lines make a large file.
        ax.plot([x for one in at for x in (one, one, math.nan)],
                [y for pair in zip(average, most) for y in (*pair, math.nan)],
                color=look.fill(k), linewidth=1.2)
        ax.plot(at, average, linestyle="", marker=markers[k],
                markersize=4, color=look.fill(k), label=name)
    ax.set_xticks(range(len(series)), series)
    ax.tick_params(axis="x", labelsize=8, length=0)
    ax.grid(False, axis="x")
    ax.set_ylim(bottom=0)


def draw(look, result):
    """Rows of panels for each architecture."""
    arches = by_arch(result)
    figure, axes = look.figure(
        "Response and wake-up by release of Linux: averages, with a line to "
        "the maximum", list(NAMES.values()), 1.5, 2 * len(arches), 2,
        gap_in=0.55, between_in=0.6, titled=True, width_in=9.6)
    for i, (arch, rows) in enumerate(arches.items()):
        for ax, (title, measurement, metric) in zip(axes[4 * i:], PANELS):
            panel(look, ax, rows, measurement, metric, "os")
            look.title(ax, f"{arch}: {title}, us")
    handles, names = axes[0].get_legend_handles_labels()
    look.legend(figure, handles, names)
    return figure


def figure(result):
    """SVG; only this needs matplotlib."""
    from twtools import plots
    return plots.printed(plots.to_svg(draw(plots.Look(False), result),
                                      "history"))
