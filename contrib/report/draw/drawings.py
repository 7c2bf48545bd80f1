# SPDX-License-Identifier: GPL-2.0-or-later
"""All figures of a report."""

import re

from report.draw import (figures, figures_break, figures_primitives,
                         figures_time)
from report.judge import verdict
from report.judge.told import unused
from twoway.series.model import groups_of
from twtools import plots

SHOWN = 64      # in a figure; PNG has a largest size
RUNS = 8        # with several pairs, a figure each


def figures_of(group, options):
    """Of runs that share a set-up: what is in them of the five figures.

    Distributions and time are of the metric that the verdict is about, or of
    those that --metrics names.
    """
    main = verdict.task_of(group, options.metrics)
    drawn = options.chosen or [main] * bool(main)
    found = [figures.exceeding(group, metric) for metric in drawn]
    found += [figures_time.load(group, ramp) for ramp in (False, True)]
    if not any(found[len(drawn):]):
        found += [figures_time.time_line(group, metric)
                  for metric in drawn[:1]]
    found += [figures.by_cpu(run, main) for run in group[:RUNS] if main]
    found += [figures_time.phases(group)]
    found += [figures.histogram(group, metric) for metric in drawn]
    found += [figures.ranges(group, options.metrics)]
    return [one for one in found if one]


def drawings_of(runs, parts, options):
    """(key, caption, drawing); the key names the set-up, too.

    parts: runs of primitivetest.
    """
    taken = set()
    for key, caption, draw in (*figures_break.figures_of(runs),
                               *figures_primitives.figures_of(parts[:SHOWN])):
        yield unused(key, taken), caption, draw
    for group in groups_of(runs):
        suffix = re.sub("[^a-z0-9]+", "-", f" {group[0].group}".lower()) \
            .rstrip("-") if group[0].group else ""
        left = len(group) - SHOWN
        more = f" {left} more runs are not shown." if left > 0 else ""
        for key, caption, draw in figures_of(
                [run for run in group if run.series][:SHOWN], options):
            yield unused(key + suffix, taken), caption + more, draw


def add_to(outputs, runs, parts, options):
    """The files of --figures; returns the SVG of each drawing."""
    svgs = []
    for key, caption, draw in drawings_of(runs, parts, options):
        if options.html or "svg" in options.format:
            svg = plots.to_svg(draw(plots.Look(False)), key)
            svgs.append((key, caption, svg))
        if not options.figures:
            continue
        if "svg" in options.format:
            outputs.add(f"{options.figures}/{key}.svg", plots.printed(svg))
        if "png" in options.format:
            outputs.add(f"{options.figures}/{key}.png",
                        plots.to_png(draw(plots.Look(True))))
    return svgs
