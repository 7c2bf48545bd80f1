# SPDX-License-Identifier: GPL-2.0-or-later
"""The end of a campaign: a summary, and twowayreport's page of all of it."""

import itertools
import pathlib
import sys

import cm_child
import cm_plan
from cm_state import STATE, Failure
from twoway.results import metrics
from twtools import tables

REPORT = pathlib.Path(__file__).resolve().parents[1] / "report/twowayreport"
# Rows of the summary: metric in a tool's results, what it is called.
SHOWN = {"cyclictest": ((None, "cyclictest"),),
         "twowaytest": (("wakeup", "wakeup"), ("response", "response"),
                        ("total", "total"))}
# With the server on another host.
CONNECTED = (("network", "network"), ("sleep", "sleep"))
FIGURES = (("min", 0), ("avg", 1), ("max", 0))


def figures(thread):
    return ["-" if thread.get(key) is None else f"{thread[key]:.{digits}f}"
            for key, digits in FIGURES]


def summary(options, state):
    """Rows of text, one a placement, load and metric."""
    rows = []
    for placement, load, tool in itertools.product(
            options.placements, options.loads, options.tools):
        found = metrics(state.result(cm_plan.Measurement(placement, load,
                                                         tool)))
        connected = options.connect and tool == "twowaytest"
        rows += [[placement, load, name, *figures(found.get(metric, {}))]
                 for metric, name in SHOWN[tool] + CONNECTED * bool(connected)]
    return tables.Table(
        "Summary", ["placement", "load", "metric",
                    *(key for key, _ in FIGURES)], rows,
        "In us. wakeup is what cyclictest measures, measured by twowaytest.",
        figures=3, key="summary")


def title_of(options, state):
    system = state.data["system"]
    title = f"Campaign: {system['nodename']}, {system['release']}"
    return f"{title}, with the server on {options.connect}" \
        if options.connect else title


def page(children, options, state):
    """Has it made; prints the verdict, which the tables begin with."""
    print("Report", flush=True)
    status, _, err = children.output(
        [sys.executable, str(REPORT), "--html=index.html",
         "--tables=index.md", f"--title={title_of(options, state)}", STATE],
        cwd=state.directory)
    if status:
        raise Failure(f"the report: {cm_child.how(status, err.strip())}\n"
                      "all results are kept; the same command tries again, "
                      "--no-report leaves it out")
    text = state.path("index.md").read_text(encoding="utf-8")
    print("\n".join(line.removeprefix("- ") for line in
                    text.partition("\n## ")[0].splitlines()
                    if line.startswith("- ")))


def report(children, options, state):
    """Whether there is a page; prints the summary."""
    made = not options.no_report and any(map(state.finished,
                                             cm_plan.matrix(options)))
    if made:
        page(children, options, state)
    print(tables.terminal(summary(options, state)))
    return made
