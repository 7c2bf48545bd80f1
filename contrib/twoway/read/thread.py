# SPDX-License-Identifier: GPL-2.0-or-later
"""The members of member thread, and what else has statistics like these."""

import math
import re

import numpy

from twoway.read.member import NULL, NUMBER, Member
from twoway.series.model import METRICS, SPANS, Series
from twoway.series.stats import BLOCKS, Distribution

COARSE = 1 / 64         # of a value: widest bins that percentiles come from


def read_histogram(thread, series, unit):
    """unit: of its bins."""
    rows = thread.inner("histogram")
    if not rows.value:
        return None
    pairs = []
    for key in rows.value:
        if not (key.isascii() and key.isdigit() and len(key) < 16):
            rows.bad(key, f"no whole number of {unit}")
        count = rows.get(key, int)
        if not 0 <= count < 2**53:
            rows.bad(key, f"{count} is no count")
        pairs.append((unit.read(int(key)), count))
    pairs.sort()
    outside = thread.get("overflows", int, default=0)
    missing = thread.get("cycles", int) - sum(pair[1] for pair in pairs)
    if missing < 0 or "overflows" in thread.value and missing != outside:
        thread.bad("histogram", f"its rows and overflows do not add up to "
                                f"{thread.get('cycles', int)} cycles")
    pairs = [pair for pair in pairs if pair[1]]
    if not pairs:
        return None
    values, counts = zip(*pairs)
    # Which side they lie on is not told; below the window there is nothing
    # if the smallest value has a row.
    inside = series.min_ns >= values[0]
    dist = Distribution(values, counts, unit,
                        0 if inside else missing, missing if inside else 0)
    if not dist.within(series.min_ns, series.max_ns):
        thread.bad("histogram", f"rows from {pairs[0][0] / 1000:g} to "
                   f"{pairs[-1][0] / 1000:g} us; minimum and maximum are "
                   f"{series.min_ns / 1000:g} and {series.max_ns / 1000:g}")
    return dist


def read_statistics(thread, metric, unit, off_ns, what="cycles"):
    """Of a member of thread, what both programs tell.

    off_ns: how far each may be rounded; what: is counted.
    """
    count = thread.count("cycles")
    if not count:
        return Series(metric, 0, None, None, None)
    series = Series(
        metric, count, *(unit.read(thread.get(key, *NUMBER))
                         for key in ("min", "avg", "max")), unit=unit)
    if not series.min_ns <= series.avg_ns + off_ns <= \
            series.max_ns + 2 * off_ns:
        thread.bad("avg", f"min {thread.value['min']}, avg "
                   f"{thread.value['avg']}, max {thread.value['max']} of "
                   f"{count} {what}; min <= avg <= max is expected")
    for key, member in ("stddev", "std_ns"), ("rms", "rms_ns"):
        value = thread.get(key, *NUMBER, NULL, default=None)
        if value is not None:
            if value < 0:
                thread.bad(key, f"{value}; 0 or more is expected")
            setattr(series, member, unit.read(value))
    read_percentiles(thread.inner("percentiles"), series, unit)
    return series


def read_thread(thread, metric, unit, bins):
    """A member of thread; bins: the unit of its histogram."""
    series = read_statistics(thread, metric, unit, unit.ns)
    if series.count:
        series.dist = read_histogram(thread, series, bins)
        series.blocks = read_blocks(thread, series, unit)
        series.maxima = read_maxima(thread, series, unit)
        if series.std_ns is None and series.dist and series.dist.complete:
            series.std_ns = series.dist.deviation()
    return series


def list_of(thread, key, unit, *kinds):
    """A value of each block; None: there are none."""
    found = thread.get(key, list, NULL, default=None) or []
    if len(found) not in (0, BLOCKS):
        thread.bad(key, f"{len(found)} of them; {BLOCKS} are expected")
    member = Member(thread.path, dict(enumerate(found)),
                    f"{thread.where}.{key}")
    values = [member.get(i, *NUMBER, *kinds) for i in member.value]
    return [math.nan if value is None else unit.read(value)
            for value in values] or None


def read_maxima(thread, series, unit):
    """The longest value of each block, for compare.tail; NaN: it has none."""
    values = list_of(thread, "maxima", unit, NULL)
    if not values:
        return None
    values = numpy.array(values, float)
    if numpy.isnan(values).all() or numpy.nanmin(values) < series.min_ns or \
            numpy.nanmax(values) != series.max_ns:
        thread.bad("maxima", "the longest of them is not the maximum, or one "
                   "is below the minimum")
    return values


def read_blocks(thread, series, unit):
    """Means of consecutive cycles, for compare.sure; None: there are none."""
    values = list_of(thread, "blocks", unit)
    if not values:
        return None
    if min(values) < series.min_ns - 1 or \
            max(values) > series.max_ns + unit.ns:
        thread.bad("blocks", "a mean lies outside of minimum and maximum")
    return numpy.array(values, float)


def read_percentiles(member, series, unit):
    """They are bounds of bins, so they may lie a little out of the range."""
    low = series.min_ns - series.min_ns * COARSE - unit.ns
    high = (series.max_ns + unit.ns) * (1 + COARSE) + unit.ns
    before = None
    for key in sorted(member.value, key=lambda key: percent_of(member, key)):
        value = member.get(key, *NUMBER, NULL)
        found = None if value is None else unit.read(value)
        series.percentiles[percent_of(member, key)] = found
        if found is None:
            continue
        if not low <= found <= high:
            member.bad(key, f"{value}; a value from min "
                       f"{series.min_ns / unit.ns:g} to max "
                       f"{series.max_ns / unit.ns:g} is expected")
        if before is not None and found < before[1]:
            member.bad(key, f"{value} is less than the percentile "
                       f"{before[0]} is: {before[1] / unit.ns:g}")
        before = key, found


def percent_of(member, key):
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", key):
        member.bad(key, "no percentage")
    return float(key)


def threads(member):
    """Members of thread: Member by number; all are there."""
    rows = member.inner("thread")
    for i in range(len(rows.value)):
        if str(i) not in rows.value:
            rows.bad(str(i), "missing")
        yield rows.inner(str(i))


def metric_of(thread):
    metric = thread.get("metric", str)
    if metric not in METRICS and metric not in SPANS:
        thread.bad("metric", f"'{metric}' is none of " +
                   ", ".join((*METRICS, *SPANS)))
    return metric
