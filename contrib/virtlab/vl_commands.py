# SPDX-License-Identifier: GPL-2.0-or-later
"""What each command does; returns its exit status."""

import pathlib
import shlex
import sys

import vl_bisect
import vl_compare
import vl_history
import vl_kernel
import vl_quiet
import vl_run
import vl_study
from vl_common import LabError
from vl_directory import scratch
from vl_machine import MACHINES

BAD = 1


def machine_of(options):
    return MACHINES[options.arch]


def kernels_of(options):
    return [vl_kernel.kernel(text, machine_of(options))
            for text in options.kernel]


def setup_of(options, arch=None):
    machine = MACHINES[arch] if arch else machine_of(options)
    return vl_run.Setup(machine, options.mode, options.memory,
                        options.timeout, options.append, options.jobs,
                        options.settle)


def measure(options, kernels, items, output, keep=True):
    return vl_run.run(kernels, items, setup_of(options), output, options.add,
                      options.binary, keep)


def fetch(options):
    machine = machine_of(options)
    for package in options.package or machine.packages:
        print(vl_kernel.fetch(package, options.directory, options.suite,
                              machine.name), flush=True)
    return 0


def show(output, statuses, items):
    """Each measurement's command, output and exit status."""
    for kernel, ended in statuses.items():
        waited = vl_quiet.waited_in(pathlib.Path(output) / kernel
                                    / vl_run.BOOT)
        for item in items:
            print(f"## {kernel}, {item.name}: {shlex.join(item.command)}")
            if waited[item.name]:
                print(f"## quiet after {waited[item.name]} s of guest time")
            sys.stdout.write((pathlib.Path(output) / kernel
                              / f"{item.name}.txt").read_text(
                                  errors="backslashreplace"))
            if ended[item.name]:
                print(f"## exit status {ended[item.name]}")


def run(options):
    kernels = kernels_of(options)
    items = options.measure
    statuses = measure(options, kernels, items, options.output)
    show(options.output, statuses, items)
    print(f"## results: {options.output}")
    found = {s for ended in statuses.values() for s in ended.values()}
    # 2: a limit is exceeded; an error weighs more.
    return 1 if found - {0, 2} else max(found)


def compare(options):
    lines = vl_compare.compare(*options.results)
    print("\n".join(lines) or "identical")
    return 2 if lines else 0


def bisect_step(options):
    items = options.measure
    if len(options.kernel) != 1:
        options.parser.error("one --kernel=FILE is expected")
    if not any(word.startswith("--limit") for item in items
               for word in item.command):
        options.parser.error("no --limit in what is measured: nothing would "
                             "tell good from bad")
    kernels = kernels_of(options)
    with scratch() as output:
        statuses = measure(options, kernels, items, output, keep=False)
        show(output, statuses, items)
    found = set(statuses[kernels[0].name].values())
    if found - {0, 2}:
        raise LabError("a measurement failed: this step tells nothing")
    return BAD if 2 in found else 0


def history(options):
    if options.binary and len(options.arches) > 1:
        options.parser.error(
            f"-b/--binary: '{options.binary}': a program is of one "
            f"architecture, but {', '.join(options.arches)} are measured: "
            f"give --arch too, one of {', '.join(MACHINES)}")
    options.append = ""
    vl_history.history(options.arches, options.series,
                       lambda arch: setup_of(options, arch), options.output,
                       options.binary)
    print(f"Page: {options.output}/history.md")
    return 0


def bisect(options):
    if len(options.measure) != 1:
        options.parser.error("one measurement is expected after --")
    limit = options.limit
    releases = vl_bisect.between(*options.release, options.arch)
    print(f"{len(releases)} kernels", flush=True)
    ends = vl_bisect.bisect(
        releases, limit, lambda one: limit.value(vl_bisect.measure(
            one, options.measure[0], setup_of(options), options.binary,
            options.add)))
    print(f"{limit} crossed {limit.us:g} us between " + " and ".join(
        f"{one.package} ({figure:.1f} us)" for one, figure in ends))
    return 0


def study(options):
    machine = machine_of(options)
    kernels = kernels_of(options) or [
        vl_kernel.fetched(name, package, arch=machine.name)
        for name, package in machine.kinds.items()]
    items = vl_run.measurements(vl_study.words())
    statuses = measure(options, kernels, items, options.output)
    vl_study.report(options.output, statuses)
    print((pathlib.Path(options.output) / "summary.md").read_text())
    print(f"Pages: {options.output}/*.html")
    failed = [f"{options.output}/{kernel}/{name}.txt: exit status {status}"
              for kernel, ended in statuses.items()
              for name, status in ended.items() if status]
    if failed:
        raise LabError("not measured: " + "; ".join(failed))
    return 0
