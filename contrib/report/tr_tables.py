# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a report."""

import math
import statistics

import tr_oneway
import tr_tables_break
import tr_tables_hosts
import tr_tables_pairs
import tr_tables_timeline
import tr_tables_unlike
from tr_model import ALL_PHASES, KINDS, METRICS, PHASES
from tr_stats import CONFIDENCE
from tr_tables_text import count_text, extent, of, percentile_text, widths
from twtools.tables import Table
from twtools.units import us
from twtools.words import several

MUCH = 2        # times as large: << in a ranking
SHOWN = 4       # runs that share a target


def groups_of(runs):
    groups = {}
    for run in runs:
        groups.setdefault(run.group, []).append(run)
    return list(groups.values())


def targets(found):
    """What std is the deviation from; found: (run, series) each."""
    runs = {}
    for run, s in found:
        if s.target_ns is not None:
            runs.setdefault(f"{s.target_ns / 1000:.0f}", []).append(run.title)
    if not runs:
        return ""
    text = next(iter(runs)) if len(runs) == 1 else "; ".join(
        f"{target} in {several(names, SHOWN)}"
        for target, names in runs.items())
    return f" The target is {text}; std is the deviation from it."


def results(runs, metrics, percents):
    """A row a metric and run."""
    found = [(metric, run, run.series[metric]) for metric in metrics
             for run in runs if metric in run.series]
    shown = [p for p in percents
             if any(s.percentile(p) is not None for *_, s in found)]
    rows = [[metric, run.title, count_text(s.count), *extent(s),
             us(s.std_ns)] + [percentile_text(s, p) for p in shown]
            for metric, run, s in found]
    metrics = list(dict.fromkeys(metric for metric, *_ in found))
    notes = [f"{metric}: {METRICS[metric][1]}." + targets(
        [(run, s) for one, run, s in found if one == metric])
        for metric in metrics]
    if rows:
        yield Table(f"Results{of(runs)}",
                    ["metric", "system", "cycles", "min", "avg", "max", "std"]
                    + [f"p{p:.12g}" for p in shown], rows,
                    "In us. " + " ".join(notes) +
                    widths([(run, s) for _, run, s in found], shown) +
                    "".join(dict.fromkeys(tr_oneway.note(run, metric)
                                          for metric, run, _ in found)),
                    figures=2, key="results", elsewhere="cycles")


# Figure of a ranking: its name, value of a series.
FIGURES = (
    ("average", lambda s: distance(s)),
    ("deviation", lambda s: s.std_ns),
    ("99 %", lambda s: s.percentile(99)),
    ("99.9 %", lambda s: s.percentile(99.9)),
    ("maximum", lambda s: s.max_ns),
)
NO_RANK = ("maximum",)      # one cycle, whatever the run


def distance(series):
    """The average, or how far off the target it is; None: no rank."""
    if series.target_ns is not None:
        return abs(series.avg_ns - series.target_ns)
    return None if series.metric in ("interval", "sleep") else series.avg_ns


def interval(series, figure):
    """Half of the 99 % confidence interval, or its ends; None: unknown."""
    if figure == "average":
        half = series.half_ns
        if half is None and series.count and series.std_ns:
            z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
            half = z * series.std_ns / math.sqrt(series.count)
        if half is None:
            return None
        return distance(series) - half, distance(series) + half
    if figure in ("99 %", "99.9 %") and series.dist:
        return series.dist.percentile_interval(float(figure[:-2]))
    return None


def tie(a, b, value, figure):
    """Whether the larger b may as well be a."""
    ends = interval(a, figure), interval(b, figure)
    if None not in ends:
        return ends[0][1] + a.doubt_ns >= ends[1][0] - b.doubt_ns
    return us(value(a)) == us(value(b))


def ranking_text(found, figure, value):
    """As "A < B << C = D": the best first."""
    if figure in NO_RANK:
        return "not ranked"
    order = sorted(found, key=lambda pair: value(pair[1]))
    text, start = order[0][0].title, 0
    for i in range(1, len(order)):
        (_, before), (run, series) = order[i - 1], order[i]
        if tie(before, series, value, figure):
            text += f" = {run.title}"
            continue
        text += apart(order[start:i], value, figure)
        text += " << " if value(series) >= MUCH * value(before) else " < "
        text += run.title
        start = i
    return text + apart(order[start:], value, figure)


def apart(chain, value, figure):
    """Of those that tie one by one, the nearest that do not."""
    pairs, last = [], len(chain)
    for i in range(len(chain) - 1, -1, -1):
        k = next((k for k in range(i + 1, last) if not tie(
            chain[i][1], chain[k][1], value, figure)), None)
        if k is not None:
            pairs.append(f"{chain[i][0].title} < {chain[k][0].title}")
            last = k
    return f" ({', '.join(pairs[::-1])})" if pairs else ""


def ranking(runs, metrics):
    rows = []
    for metric in metrics:
        for figure, value in FIGURES:
            found = [(run, run.series[metric]) for run in runs
                     if metric in run.series and
                     value(run.series[metric]) is not None]
            if len(found) > 1:
                rows.append([metric, figure,
                             ranking_text(found, figure, value)])
    if rows:
        yield Table(f"Ranking{of(runs)}",
                    ["metric", "figure", "best first"], rows,
                    f"<<: at least {MUCH} times as much. =: within the "
                    f"{CONFIDENCE:.0%} confidence interval, or equal where "
                    "none is known (deviation, published tables). A = B = C "
                    "(A < C): neighbours tie, these two do not. Averages of "
                    "interval and sleep are ranked by their distance from "
                    "the target. A maximum is one cycle: it is not ranked.",
                    figures=3, key="ranking")


def short(value):
    """At least four digits of a rate; a count is whole."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def load(runs):
    """total against the number of workers."""
    found = [run for run in runs if len(run.steps) > 1]
    optional = [(name, member) for name, member in (
        ("missed", "missed"), ("throttled", "throttled"),
        ("work/s", "work_per_second"))
        if any(getattr(step, member) is not None
               for run in found for step in run.steps)]
    rows = []
    for workers in sorted({step.workers for run in found
                           for step in run.steps}):
        for run in found:
            for step in run.steps:
                if step.workers == workers and "total" in step.series:
                    s = step.series["total"]
                    rows.append(
                        [str(workers), run.title, *extent(s), us(s.std_ns)] +
                        [short(getattr(step, member))
                         for _, member in optional])
    if rows:
        yield Table(f"Total Jitter against the load{of(runs)}",
                    ["workers", "system", "min", "avg", "max", "std"]
                    + [name for name, _ in optional], rows, "In us.",
                    figures=2, key="load")


def worst(runs, metrics):
    rows = []
    pairs = any(run.pairs for run in runs)
    known = {phase for run in runs for item in run.every("worst")
             for phase in item.phases}.union(PHASES)
    phases = [phase for phase in ALL_PHASES if phase in known]
    for run in runs:
        best, cycles = {}, {}
        for item in run.every("worst"):
            if item.metric in metrics:
                best.setdefault(item.metric, item)
        for metric, item in best.items():
            cycles.setdefault(item.since_start_ns, []).append((metric, item))
        for found in cycles.values():
            _, item = found[0]
            rows.append([run.title, ", ".join(metric for metric, _ in found),
                         f"{item.since_start_ns / 1e9:.3f}", str(item.step)]
                        + [count_text(item.pair)] * pairs
                        + [us(item.phases.get(p)) for p in phases])
    if rows:
        yield Table("Worst cycles",
                    ["system", "metric", "at s", "step",
                     *["pair"] * pairs, *phases],
                    rows, "The cycle of each maximum, with all its phases "
                    "in us. Steps count from 0.", figures=2, key="worst")


def sources(runs, left_out):
    rows = [[run.title, part.path, KINDS[part.kind], count_text(part.count),
             count_text(part.missed)] for run in runs for part in run.parts]
    rows += [["left out", text, "-", "-", "-"] for text in left_out]
    seen = list(dict.fromkeys(map(tuple, rows)))
    return Table("Files", ["system", "file", "is", "cycles", "missed"],
                 [list(row) for row in seen], "missed: expiries without a "
                 "cycle.", figures=3, key="sources")


def all_tables(runs, metrics, percents):
    """From whole to part."""
    tables = [*tr_tables_break.all_tables(runs),
              *tr_tables_unlike.all_tables(runs)]
    for group in groups_of(runs):
        tables += tr_tables_hosts.all_tables(group)
        tables += ranking(group, metrics)
        tables += results(group, metrics, percents)
        tables += load(group)
        tables += tr_tables_pairs.all_tables(group, metrics, percents)
        tables += tr_tables_timeline.all_tables(group, metrics)
    return [*tables, *worst(runs, metrics)]
