# SPDX-License-Identifier: GPL-2.0-or-later
"""Results for Prometheus: the text that node exporter's textfile collector
reads, which OpenMetrics allows, too.

Times are in seconds. Both formats are the same if no type is used that only
one of them knows, and if a counter has a name of its own without "_total".
"""

import dataclasses

from twoway.read import limit
from twoway.series.model import InputError

# The end of a family's name: its help text. A name that ends in "_total" is
# that of a counter.
FAMILIES = {
    "system_info": "The program and the system that it measured; always 1",
    "start_time_seconds": "When the run began, in seconds since 1970",
    "end_time_seconds": "When the run ended, in seconds since 1970",
    "complete": "1 if the run was measured to its end; 0 if it was cut short",
    "min_seconds": "The shortest value of the run",
    "average_seconds": "The average of the run",
    "max_seconds": "The longest value of the run",
    "deviation_seconds": "The standard deviation of the run",
    "quantile_seconds": "What a share of the values does not exceed",
    "cycles_total": "Measured values of the run",
    "missed_expiries_total": "Timer expiries that had no cycle in the run",
    "throttled_cycles_total": "Cycles of the run that were throttled",
    "inversions_total": "Less important requests that were answered first",
    "derived_seconds": "A time that was computed of others",
    "derived_bytes_per_second": "A throughput that was computed of others",
    "derived_ratio": "A share that was computed of others",
    "derived_hertz": "A rate that was computed of others",
    "skipped_tests": "Tests of the run that could not be made",
    "limit_met": "1 if a limit was met; 0 if it was exceeded or undecided",
}
FIGURES = {"min_seconds": "min_ns", "average_seconds": "avg_ns",
           "max_seconds": "max_ns", "deviation_seconds": "std_ns"}
# Of primitivetest's derived figures: the family, and so many of its unit.
DERIVED = {"ns": ("derived_seconds", 1e-9), "%": ("derived_ratio", 1e-2),
           "MB/s": ("derived_bytes_per_second", 1e6),
           "/s": ("derived_hertz", 1)}
# Labels of a system, and what a run calls them.
SYSTEM = {"host": "nodename", "machine": "machine",
          "kernel": "kernel release", "kernel_version": "kernel version"}
NS = 10**9
TOTAL = "_total"


@dataclasses.dataclass
class Samples:
    """Values by program, family and labels. What is unknown is left out."""
    percentiles: list
    found: dict = dataclasses.field(default_factory=dict)

    def add(self, program, family, value, labels):
        if value is not None:
            rows = self.found.setdefault((program, family), {})
            rows[tuple((key, text) for key, text in labels.items()
                       if text)] = value

    def add_series(self, program, series, labels):
        if series.count == 0:
            return
        for family, member in FIGURES.items():
            value = getattr(series, member)
            self.add(program, family,
                     None if value is None else value / NS, labels)
        for percent in self.percentiles:
            value = series.percentile(percent)
            if value is not None:
                self.add(program, "quantile_seconds", value / NS,
                         labels | {"quantile": f"{percent / 100:.12g}"})
        self.add(program, "cycles_total", series.count, labels)


def add_run(to, program, run, labels):
    """What either program tells."""
    to.add(program, "system_info", 1, labels | {
        "program": run.program,
        "version": str(run.settings.get("version") or ""),
        **{label: str(run.system.get(key) or "")
           for label, key in SYSTEM.items()},
        "virtual": str(run.virtual).lower()})
    for family, value in zip(("start_time_seconds", "end_time_seconds"),
                             run.when or ()):
        to.add(program, family, value, labels)
    to.add(program, "complete", int(not run.troubles), labels)
    for one in run.limits:
        to.add(program, "limit_met", int(one.verdict == limit.MET),
               labels | {"limit": one.limit, "metric": one.metric or ""})


def add_cycles(to, run, labels, metrics):
    """Those of twowaytest, cyclictest and others: each pair, or the only."""
    program = "twowaytest"
    to.add(program, "throttled_cycles_total", run.throttled, labels)
    alone = labels | {"pair": "0"}
    if not run.pairs:
        to.add(program, "missed_expiries_total", run.missed, alone)
        add_table(to, run.series, alone, metrics)
    for pair in run.pairs:
        own = labels | {"pair": str(pair.number)}
        to.add(program, "missed_expiries_total", pair.missed, own)
        to.add(program, "inversions_total", pair.inversions, own)
        add_table(to, pair.series, own, metrics)


def add_table(to, table, labels, metrics):
    for metric in metrics:
        if metric in table:
            to.add_series("twowaytest", table[metric],
                          labels | {"metric": metric})


def add_parts(to, run, labels):
    """Those of primitivetest."""
    program, found = "primitivetest", run.primitives
    for column, series in found.series.items():
        to.add_series(program, series, labels | {"metric": column})
    for test in found.tests.values():
        own = labels | {"test": test.name}
        to.add(program, "missed_expiries_total", test.missed, own)
        to.add(program, "throttled_cycles_total", test.throttled, own)
    to.add(program, "skipped_tests", sum(
        test.skipped is not None for test in found.tests.values()), labels)
    for one in found.derived:
        if one.unit not in DERIVED:
            raise InputError(run.parts[0].path, f"derived {one.name}",
                             f"the unit '{one.unit}' is none of us, "
                             + ", ".join(list(DERIVED)[1:]))
        family, factor = DERIVED[one.unit]
        to.add(program, family, one.value * factor,
               labels | {"metric": one.name})


def escaped(text):
    for special, instead in (("\\", r"\\"), ("\n", r"\n"), ('"', r"\"")):
        text = text.replace(special, instead)
    return text


def line_of(name, labels, value):
    inside = ",".join(f'{key}="{escaped(text)}"' for key, text in labels)
    number = f"{value:.12g}" if isinstance(value, float) else f"{value}"
    return f"{name}{{{inside}}} {number}"


def family_lines(program, family, rows):
    name = f"{program}_{family}"
    base = name.removesuffix(TOTAL)
    yield f"# HELP {base} {FAMILIES[family]}."
    yield f"# TYPE {base} {'gauge' if base == name else 'counter'}"
    for unit in ("seconds", "bytes_per_second", "ratio", "hertz"):
        if name.endswith(f"_{unit}"):
            yield f"# UNIT {base} {unit}"
            break
    for labels, value in rows.items():
        yield line_of(name, labels, value)


def text(runs, parts, options):
    """runs: those of twowaytest and others; parts: of primitivetest."""
    to = Samples(options.percentiles)
    for run in runs:
        labels = {"system": run.name} | (
            {"setup": run.group} if run.group else {})
        add_run(to, "twowaytest", run, labels)
        add_cycles(to, run, labels, options.metrics)
    for run in parts:
        labels = {"system": run.name}
        add_run(to, "primitivetest", run, labels)
        add_parts(to, run, labels)
    lines = [line for program in ("twowaytest", "primitivetest")
             for family in FAMILIES if (program, family) in to.found
             for line in family_lines(program, family,
                                      to.found[program, family])]
    return "".join(f"{line}\n" for line in [*lines, "# EOF"])
