# SPDX-License-Identifier: GPL-2.0-or-later
"""How results are written in tables."""

import itertools

from twtools.tables import Table
from twtools.units import NS, us
from twtools.words import several


def count_text(count):
    return "-" if count is None else str(count)


def of(runs):
    """How a title names the set-up that these runs share."""
    return f" ({runs[0].group})" if runs[0].group else ""


def virtual(runs):
    """A sentence, or nothing."""
    found = list(dict.fromkeys(run.of_system for run in runs if run.virtual))
    part = len(found) < len({run.of_system for run in runs})
    return "Virtual: these are not the times of a machine" + (
        f": {several(found, 4)}" if part else "") + "." if found else ""


def marked(runs):
    """That, and which of them are virtual: a figure may stand alone."""
    found = [run.name for run in runs if run.virtual]
    return of(runs) + (
        "" if not found else " (virtual)" if len(found) == len(runs) else
        f" (virtual: {several(found, 4)})")


def extent(series):
    """Minimum, average and maximum, as exact as each is known."""
    return [series.unit.text(series.min_ns),
            series.avg_unit.text(series.avg_ns),
            series.unit.text(series.max_ns)]


def percentile_text(series, percent):
    return series.unit_of(percent).text(series.percentile(percent))


def widths(found, percents):
    """What to know of percentiles from histograms."""
    wide = sorted({s.unit_of(p) for s in found for p in percents} - {NS})
    return " Percentiles from histograms are lower bounds of bins of " + \
        " or ".join(map(str, wide)) + "." if wide else ""


def results(title, names, found, percents, notes, key):
    """The table of statistics; found: (cells below names, series) each."""
    every = [series for _, series in found]
    percents = [p for p in percents
                if any(s.percentile(p) is not None for s in every)]
    before, after = notes
    aimed = any(s.rms_ns is not None for s in every)
    about = " std is from the mean, rms from what was asked for." * aimed
    if found:
        yield Table(title, [*names, "cycles", "min", "avg", "max", "std",
                            *["rms"] * aimed,
                            *(f"p{p:.12g}" for p in percents)],
                    [[*cells, count_text(s.count), *extent(s), us(s.std_ns),
                      *[us(s.rms_ns)] * aimed,
                      *(percentile_text(s, p) for p in percents)]
                     for cells, s in found],
                    f"In us.{before}{about}{widths(every, percents)}{after}",
                    figures=2, key=key, elsewhere="cycles")


def ratio_text(value):
    return "-" if value is None else f"{value:.2f}" if value < 100 else \
        f"{value:.0f}"


def unused(key, taken):
    """The key, with a number if another file has it already."""
    names = (f"{key}-{i}" if i > 1 else key for i in itertools.count(1))
    name = next(name for name in names if name not in taken)
    taken.add(name)
    return name
