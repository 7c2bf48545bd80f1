# SPDX-License-Identifier: GPL-2.0-or-later
"""history: every packaged kernel, measured alike, in one table and figure."""

import dataclasses
import json
import pathlib

import vl_history_page
import vl_releases
import vl_run
from twtools import whole
from vl_common import LabError, figures
from vl_run import BOOT

# See vl_study.py of the period and of the warm-up.
TWO_WAY = ["twowaytest", "-q", "-m", "-p", "98", "-a", "-N", "-i", "1013",
           "-l", "2000", "--warmup=10"]
MEASURED = {
    "nanosleep": [*TWO_WAY, "--timer=nanosleep"],
    "posix": [*TWO_WAY, "--timer=posix"],
    # Of ordinary priority: it never sleeps.
    "closed": ["twowaytest", "-q", "-m", "-a", "-N", "-i", "0", "--sleep=0",
               "--wait=read", "-l", "2000", "--warmup=10"],
    "cyclictest": ["cyclictest", "-q", "-m", "-p", "98", "-a", "-N", "-i",
                   "1013", "-l", "2000"],
}
# Of each, what is kept: average and maximum.
KEPT = {
    "nanosleep": ("wakeup", "send", "sleep", "receive", "response"),
    "posix": ("wakeup", "send", "sleep", "receive", "response"),
    "closed": ("interval",),
    "cyclictest": ("wakeup",),
}
# Of all kernels of an architecture alike; with the kernel's image, they
# determine every digit.
SHARED = ("qemu", "qemu_arguments", "kernel_arguments", "initramfs_sha256")


def items():
    words = []
    for name, (program, *options) in MEASURED.items():
        words += ["--", f"{name}={program}", *options]
    return vl_run.measurements(words[1:])


def kept(directory):
    """{measurement: {metric: [average, maximum]}} of one boot, in ns."""
    found = {}
    for name, metrics in KEPT.items():
        known = figures(directory / f"{name}.json")
        found[name] = {metric: [known[metric]["avg"], known[metric]["max"]]
                       for metric in metrics}
    return found


def row(release, directory):
    """What is written of one kernel."""
    lab = json.loads((directory / BOOT).read_text())["lab"]
    return {**dataclasses.asdict(release), "series": release.series,
            "kernel_sha256": lab["kernel_sha256"],
            "figures": kept(directory)}


def measure(releases, setup, output, binary=None):
    """Boots all of one architecture; what they share, and their rows."""
    kernels = [one.kernel() for one in releases]
    base = pathlib.Path(output) / releases[0].arch
    statuses = vl_run.run(kernels, items(), setup, base, (), binary)
    failed = [f"{name}: {item}: exit status {status}"
              for name, ended in statuses.items()
              for item, status in ended.items() if status]
    if failed:
        raise LabError("; ".join(failed))
    lab = json.loads((base / releases[0].name / BOOT).read_text())["lab"]
    return ({key: lab[key] for key in SHARED},
            [row(one, base / one.name) for one in releases])


def chosen(arch, series, unread):
    """The kernels of an architecture that are to be measured."""
    found = vl_releases.newest(vl_releases.packaged(arch, unread))
    if series:
        found = [one for one in found if one.series in series]
    if not found:
        raise LabError(f"{arch}: no kernel "
                       + (f"of {', '.join(series)} " if series else "")
                       + "in Debian's suites "
                       + ", ".join(vl_releases.SUITES))
    return found


def history(arches, series, setup_of, output, binary=None):
    """Measures all; writes history.json, .md and .svg into output."""
    unread, shared, rows = [], {}, []
    for arch in arches:
        releases = chosen(arch, series, unread)
        print(f"{arch}: {len(releases)} kernels", flush=True)
        shared[arch], more = measure(releases, setup_of(arch), output, binary)
        rows += more
    result = {"measured": {name: " ".join(words)
                           for name, words in MEASURED.items()},
              "unread": unread,
              "shared": shared, "kernels": rows}
    files = whole.Files()
    for ending, text in (("json", to_json(result)),
                         ("md", vl_history_page.page(result)),
                         ("svg", vl_history_page.figure(result))):
        files.add(pathlib.Path(output) / f"history.{ending}", text)
    files.commit()
    return result


def to_json(result):
    """A line for each measurement of a kernel: small, and diffs are short."""
    lines = [f' "{key}": {json.dumps(result[key], indent=1)},'
             for key in ("note", "measured", "unread", "shared")
             if key in result]
    rows = []
    for one in result["kernels"]:
        about = json.dumps({**one, "figures": None}).removesuffix("null}")
        rows.append(about + "{\n" + ",\n".join(
            f'  "{name}": {json.dumps(metrics)}'
            for name, metrics in one["figures"].items()) + "}}")
    return "{\n" + "\n".join(lines) + '\n "kernels": [\n' + \
        ",\n".join(rows) + "]\n}\n"
