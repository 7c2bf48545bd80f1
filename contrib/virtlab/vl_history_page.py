# SPDX-License-Identifier: GPL-2.0-or-later
"""The history as a page of tables, and as a figure."""

import html
import textwrap

from twtools import page as pages
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
          ("send, POSIX timer", "posix", "send"),
          ("wakeup, nanosleep", "nanosleep", "wakeup"))
COLOURS = {"standard": pages.BLUE, "preempt-rt": pages.ORANGE}
WIDTH, HEIGHT = 460, 240
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 46, 34


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


def ceiling(rows, measurement, metric):
    """A round value that none exceeds."""
    most = max(row["figures"][measurement][metric][1] for row in rows) / 1000
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 10 ** 9)
                if most <= 5 * step)
    return step, step * -(-most // step)


def text(x, y, words, anchor="middle", kind="t"):
    return (f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" '
            f'text-anchor="{anchor}">{html.escape(words)}</text>')


def grid(at, step, top):
    """Lines at round values."""
    lines = []
    for i in range(int(top // step) + 1):
        y = at(i * step)
        lines += [f'<line class="g" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
                  f'y1="{y:.1f}" y2="{y:.1f}"/>',
                  text(LEFT - 5, y + 4, str(i * step), "end")]
    return lines


def mark(x, at, row, pair, metric):
    """An average and the line to its maximum; its title tells both."""
    average, most = (value / 1000 for value in pair)
    return (f'<g class="{row["kind"]}"><title>Linux {row["version"]}, '
            f'{NAMES[row["kind"]]}: {metric} {average:.1f} us, maximum '
            f'{most:.1f} us</title><line x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{at(average):.1f}" y2="{at(most):.1f}"/>'
            f'<circle cx="{x:.1f}" cy="{at(average):.1f}" r="3.5"/></g>')


def panel(arch, rows, what):
    """One metric of one architecture, from release to release."""
    title, measurement, metric = what
    step, top = ceiling(rows, measurement, metric)
    height = HEIGHT - TOP - BOTTOM
    series = list(dict.fromkeys(row["series"] for row in rows))
    width = (WIDTH - LEFT - RIGHT) / len(series)

    def at(value):
        return TOP + height * (1 - value / top)

    lines = [text(LEFT, TOP - 12, f"{arch}: {title}, us", "start", "h"),
             *grid(at, step, top)]
    for i, one in enumerate(series):
        middle = LEFT + width * (i + 0.5)
        lines.append(text(middle, HEIGHT - BOTTOM + 16, one))
        for row in rows:
            if row["series"] == one:
                x = middle + (width / 6 if row["kind"] != "standard" else
                              -width / 6)
                lines.append(mark(x, at, row,
                                  row["figures"][measurement][metric],
                                  metric))
    return lines


def legend():
    lines, x = [], LEFT
    for kind, name in NAMES.items():
        lines += [f'<g class="{kind}"><circle cx="{x + 4}" cy="14" r="4"/>'
                  "</g>", text(x + 13, 18, name, "start")]
        x += 100
    return lines


def style():
    ink, faint = pages.COLOURS["ink"], pages.COLOURS["grid"]
    rules = [
        ".{0}{{fill:{1};stroke:{1};stroke-width:1.6}}".format(kind, pair[i])
        for i in (0, 1) for kind, pair in COLOURS.items()]
    themes = [f".t,.h{{fill:{ink[i]}}}.g{{stroke:{faint[i]}}}" for i in (0, 1)]
    return ("text{font:11px sans-serif}.h{font-weight:bold}"
            + themes[0] + "".join(rules[:2])
            + "@media (prefers-color-scheme:dark){" + themes[1]
            + "".join(rules[2:]) + "}")


def figure(result):
    """SVG: a row of panels for each architecture."""
    arches = by_arch(result)
    width, height = WIDTH * 2, len(arches) * 2 * HEIGHT
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
             f'{height + 24}" role="img">',
             "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->",
             "<title>Response and wake-up by release of Linux</title>",
             f"<style>{style()}</style>", *legend()]
    for i, (arch, rows) in enumerate(arches.items()):
        for j, what in enumerate(PANELS):
            x, y = WIDTH * (j % 2), HEIGHT * (2 * i + j // 2)
            lines += [f'<g transform="translate({x},{y})">',
                      *panel(arch, rows, what), "</g>"]
    return "\n".join([*lines, "</svg>", ""])
