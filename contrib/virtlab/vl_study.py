# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's own comparison: two kernels, idle and loaded, two tools."""

import pathlib

from twtools import tables, whole
from vl_common import call, figures, tell

REPORT = pathlib.Path(__file__).resolve().parents[1] / "report/twowayreport"
# No divisor of the kernel's tick of 4 ms, else the tick always meets the same
# phase of a cycle. A warm-up, as the start leaves work to the kernel.
TWO_WAY = ["twowaytest", "-q", "-m", "-p", "98", "-a", "-N", "-i", "1013",
           "-D", "3", "--warmup=10", "--percentiles", "-h", "1500"]
NANOSLEEP = [*TWO_WAY, "--timer=nanosleep"]
POSIX = [*TWO_WAY, "--timer=posix"]
WAKE_UP = ["cyclictest", "-q", "-m", "-p", "98", "-N", "-i", "1013", "-l",
           "3000"]
FFT = ["--load=fft:1", "--load-policy=rr", "--rt-runtime=-1"]
HACKBENCH = ["--load=hackbench:1"]
# Set-up: what is measured in it. cyclictest's timer is nanosleep.
MEASURED = {
    "idle": {"posix": POSIX, "nanosleep": NANOSLEEP,
             "cyclictest": WAKE_UP},
    "fft": {"posix": [*POSIX, *FFT], "nanosleep": [*NANOSLEEP, *FFT]},
    "hackbench": {"posix": [*POSIX, *HACKBENCH],
                  "nanosleep": [*NANOSLEEP, *HACKBENCH]},
}


def words():
    """The measurements of each boot, as after "--"."""
    found = []
    for setup, commands in MEASURED.items():
        for kind, (program, *options) in commands.items():
            found += ["--", f"{setup}-{kind}={program}", *options]
    return found[1:]


def measured(output, statuses):
    """{(kernel, measurement): its JSON} of those that did not fail."""
    return {(kernel, name): output / kernel / f"{name}.json"
            for kernel, ended in statuses.items()
            for name, status in ended.items() if not status}


def cell(known, metric, name):
    return f"{known[metric][name] / 1000:.1f}" if known else "failed"


def summary(results, kernels):
    """Markdown: each set-up's metrics, of each kernel."""
    columns = ["metric", *(f"{kernel}, {what}" for kernel in kernels
                           for what in ("average", "maximum"))]
    found = []
    for setup, commands in MEASURED.items():
        for kind in commands:
            paths = [results.get((kernel, f"{setup}-{kind}"))
                     for kernel in kernels]
            known = [path and figures(path) for path in paths]
            found.append(tables.Table(
                f"{setup}, {kind}", columns,
                [[metric, *(cell(one, metric, name)
                            for one in known for name in ("avg", "max"))]
                 for metric in next(filter(None, known), ())]))
    return tables.markdown(
        " against ".join(kernels) + ", in the virtual lab", found,
        ["In us of guest time, which counts instructions.", ""])


def report(output, statuses):
    """A page of each set-up, and the summary: of what did not fail."""
    output, kernels = pathlib.Path(output), list(statuses)
    results = measured(output, statuses)
    for setup, commands in MEASURED.items():
        files = [f"{kernel} {kind}={results[kernel, f'{setup}-{kind}']}"
                 for kind in commands for kernel in kernels
                 if (kernel, f"{setup}-{kind}") in results]
        base = output / setup
        if not files:
            continue
        tell(f"writes {base}.html")
        call([REPORT, f"--title=The virtual lab: {setup}",
              f"--html={base}.html", f"--tables={base}.md",
              f"--figures={base}-figures", *files])
    whole.write(output / "summary.md", summary(results, kernels))
