# SPDX-License-Identifier: GPL-2.0-or-later
"""The end of a campaign: a summary, a page a load, and their index."""

import itertools
import pathlib
import sys

import cm_changes
import cm_child
import cm_plan
import cm_verdict
from cm_state import Failure, text_of
from twtools import page, tables, whole
from twtools.results import metrics, missed
from twtools.tables import Table

REPORT = pathlib.Path(__file__).resolve().parents[1] / "report/twowayreport"
# Rows of the summary: tool, metric in its results, what it is called.
SHOWN = (*cm_verdict.KINDS, ("twowaytest", "total", "total"))
# With the server on another host.
CONNECTED = (*SHOWN, ("twowaytest", "network", "network"),
             ("twowaytest", "sleep", "sleep"))
# What is shown of the server's host; what changed there is a remark.
SERVER = ("release", "preemption", "clocksource", "governor", "online_cpus",
          "isolated_cpus")
FIGURES = (("min", 0), ("avg", 1), ("max", 0))


def figures(result, metric):
    thread = metrics(result).get(metric, {})
    return ["-" if thread.get(key) is None else f"{thread[key]:.{digits}f}"
            for key, digits in FIGURES]


def summary(options, state):
    """Rows of text, one a placement, load and metric."""
    rows = [[placement, load, name, *figures(state.result(
                cm_plan.Measurement(placement, load, tool)), metric)]
            for placement, load, (tool, metric, name) in itertools.product(
                options.placements, options.loads,
                CONNECTED if options.connect else SHOWN)
            if tool in options.tools]
    note = "In us. wakeup is what cyclictest measures, measured by twowaytest."
    if options.connect:
        note += f" The server is on {options.connect}: network is all " \
            "between the two hosts, sleep is the server's."
    return Table(
        "Summary", ["placement", "load", "metric",
                    *(key for key, _ in FIGURES)], rows, note, figures=3,
        key="summary")


def number_text(value):
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def measurements(options, state):
    """What was measured, and what may have disturbed it."""
    keys = ("start", "cycles", "work_per_second", "steal_percent",
            "others_percent", "load_average", "thermal_events",
            "hottest_celsius", "exit_status")
    rows = []
    for one in cm_plan.matrix(options):
        record = state.record(one)
        result = state.result(one) or {}
        rows.append([one.title, record.get("state", "waiting"),
                     *(number_text(record.get(key)) for key in keys),
                     number_text(missed(result)), number_text(
                         result.get("twoway", {}).get("throttled"))])
    return Table(
        "What may have disturbed the measurements",
        ["measurement", "is", "start", "cycles", "work/s", "steal %",
         "others %", "load average", "heat", "Celsius", "exit status",
         "missed", "throttled"], rows,
        "steal: CPU time that a hypervisor took. others: about what other "
        "programs used, of all CPUs' time. load average: of the minute "
        "before, which has the loads of earlier measurements. heat: how "
        "often it slowed a CPU. missed and throttled: cycles of twowaytest. "
        "- is unknown, or does not apply.", figures=2, key="disturbances")


def remarks(options, state):
    rows = [["failed", f"{one.title}: {state.record(one)['message']}"]
            for one in cm_plan.matrix(options)
            if state.record(one).get("message")]
    rows += [["limit", f"{one.title}: {text}"]
             for one, text in cm_verdict.unmet(options, state)]
    rows += [["changed", text] for text in cm_changes.changes(options,
                                                              state)]
    sessions = state.data["sessions"]
    if sessions:
        rows += [["check", text] for text in cm_changes.findings(
            sessions[0])]
    return Table("Remarks", ["of", "remark"], rows, "check: what disturbs in "
                 "this system; check-1.log says why, and what to do about "
                 "it.", figures=2, key="remarks")


def first_server(options, state):
    """What is known of the server's host; empty if there is none."""
    found = (cm_changes.server_of(state.result(one) or {})
             for one in cm_plan.matrix(options))
    return next(filter(None, found), {})


def set_up(options, state):
    rows = [[part, key, text_of(value)] for part in ("system", "plan")
            for key, value in state.data[part].items() if key != "cpus"]
    rows += [["CPU", key, text_of(value)]
             for key, value in state.data["plan"]["cpus"].items()]
    rows += [["server's host", key, text_of(value)]
             for key, value in first_server(options, state).items()
             if key in SERVER]
    return Table("Set-up", ["of", "what", "is"], rows, "Every command line is "
                 "in campaign.json.", figures=3, key="set-up")


def virtual(state):
    """Whether --check has found a hypervisor."""
    return any(session["environment"].get("virtual")
               for session in state.data["sessions"])


def pages(children, options, state):
    """Both tools in both placements: a page a load. Their names."""
    done = []
    for load in options.loads:
        found = [one for one in cm_plan.matrix(options)
                 if one.load == load and state.finished(one)]
        if not found:
            continue
        print(f"Report: {load}", flush=True)
        argv = [sys.executable, str(REPORT), f"--html={load}.html",
                f"--tables={load}.md", f"--title=Load: {load}",
                # Of twowaytest's results it knows.
                *(f"--virtual={one.placement} {one.tool}" for one in found
                  if one.tool == "cyclictest" and virtual(state)),
                *(f"{one.placement} {one.tool}={one.name}.json"
                  for one in found)]
        status, _, err = children.output(argv, cwd=state.directory)
        if status:
            raise Failure(f"the report of load {load}: "
                          f"{cm_child.how(status, err.strip())}\n"
                          "all results are kept; the same command tries "
                          "again, --no-report leaves it out")
        done.append(load)
    return done


def report(children, options, state):
    """Writes all of it, and prints the summary."""
    state = state.read_once()
    done = [] if options.no_report else pages(children, options, state)
    first = summary(options, state)
    found = [table for table in (
        first, remarks(options, state), measurements(options, state),
        set_up(options, state)) if table.rows]
    system = state.data["system"]
    title = f"Campaign: {system['nodename']}, {system['release']}"
    if options.connect:
        title += f", with the server on {options.connect}"
    if virtual(state):
        title += " (virtual: these are not the times of a machine)"
    lines = cm_verdict.lines_of(options, state, virtual(state))
    drawn, colours = [], page.COLOURS
    if not options.no_report:       # it needs matplotlib, too
        import cm_figure
        drawn = cm_figure.figure(cm_verdict.figures(options, state), options)
        colours = cm_figure.plots.COLOURS
    intro = [f"- {tables.md_text(line)}" for line in lines]
    links = [f"- [Load: {load}]({load}.md)" for load in done]
    whole.write(state.path("index.md"), tables.markdown(
        title, found, [*intro, *[""] * bool(intro),
                       *links, *[""] * bool(links)]))
    whole.write(state.path("index.html"), page.page(title, [
        *page.verdict(lines), *drawn,
        "<nav>",
        *page.links([(f"{load}.html", f"Load: {load}") for load in done]
                    + [(f"#{table.key}", table.title) for table in found]),
        "</nav>",
        *(tables.html(table, table.key) for table in found)], colours))
    print("\n".join(lines))
    print(tables.terminal(first))
