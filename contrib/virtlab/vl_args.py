# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: a row a command, a row an option."""

import os
import pathlib
import re

import vl_apt
import vl_bisect
import vl_commands
import vl_run
from twtools.options import HELP, Parser, bad, names, number, one_line, \
    one_of
from vl_common import STATS, LabError
from vl_machine import DEFAULT, MACHINES
from vl_qemu import MODES

SERIES = re.compile(r"[0-9]+\.[0-9]+(,[0-9]+\.[0-9]+)*")


def series(text):
    """A type: a list of series."""
    if not SERIES.fullmatch(text):
        raise bad(text, "a list of series, such as 6.1,6.12,")
    return text.split(",")


# What ends a bisection.
WRONG = 128
# Name: letter, what argparse is to know.
OPTIONS = {
    "kernel": ("k", {
        "metavar": "[NAME=]FILE", "action": "append", "default": [],
        "help": "boot this image (bzImage, vmlinuz, Image); repeatable; NAME is the "
                "directory of its results (default: the kernel's release)"}),
    "mode": ("m", {
        "metavar": "MODE", "type": one_of(MODES), "default": "exact",
        "help": "how time passes: exact (default; one CPU, time counts "
                "instructions, the same figures each time), smp (4 CPUs, "
                "noisy figures)"}),
    "output": ("o", {
        "metavar": "DIR", "default": "virtlab",
        "help": "directory of the results, with one directory per kernel in "
                "it (default: virtlab)"}),
    "add": ("a", {
        "metavar": "FILE", "action": "append", "default": [],
        "help": "copy a program into the guest's /bin, with its libraries; "
                "repeatable"}),
    "binary": ("b", {
        "metavar": "FILE",
        "help": "the twowaytest to run (default: a static one, built from "
                "this tree, for another architecture by a cross compiler, or "
                "the one in PATH where virtlab is installed)"}),
    "append": ("A", {
        "metavar": "WORDS", "default": "", "type": one_line,
        "help": "add to the kernel's command line"}),
    "memory": ("M", {
        "metavar": "MIB", "default": 512, "type": number(128, 65536, " MiB"),
        "help": "the guest's memory in MiB, 128 to 65536 (default: 512)"}),
    "timeout": ("t", {
        "metavar": "S", "default": 600, "type": number(1, 86400, " s"),
        "help": "maximum time of a boot until its first measurement, and of "
                "each measurement, in seconds, 1 to 86400 (default: 600); "
                "while QEMU waits for a CPU, it does not count"}),
    "settle": ("s", {
        "metavar": "S", "default": 120, "type": number(0, 3600, " s"),
        "help": "wait for up to S s of guest time until others use less than "
                "1 %% of its CPUs' time, before each measurement; then it is "
                "an error; 0 to 3600, 0: do not wait (default: 120)"}),
    "jobs": ("j", {
        "metavar": "N", "type": number(1, 1024),
        "help": "number of kernels that are booted at the same time, 1 to "
                "1024 (default: number of CPUs, 1 with smp)"}),
    "suite": ("s", {
        "metavar": "SUITE", "type": vl_apt.suite,
        "help": "Debian's suite that has the package, such as "
                "trixie-backports (default: the system's own, or for "
                "another architecture that of --arch); nothing of the "
                "system is changed"}),
    "arch": ("r", {
        "metavar": "ARCH", "type": one_of(MACHINES), "default": DEFAULT,
        "help": f"the guest's architecture: {', '.join(MACHINES)} (default: "
                f"{DEFAULT})"}),
    "arches": ("r", {
        "metavar": "ARCH,...", "type": names(MACHINES, ordered=True),
        "default": list(MACHINES), "dest": "arches",
        "help": f"the guests' architectures (default: "
                f"{','.join(MACHINES)})"}),
    "series": ("S", {
        "metavar": "SERIES,...", "type": series, "default": [],
        "help": "only these, such as 6.1,6.12 (default: all)"}),
    "limit": ("l", {
        "metavar": "METRIC:STAT:US", "type": vl_bisect.limit,
        "required": True,
        "help": "what crossed which value, for example send:avg:200; STAT is "
                f"one of {', '.join(STATS)}"}),
    "directory": ("d", {
        "metavar": "DIR",
        "help": "keep the kernels there (default: the cache)"}),
}
# Two options of one name: one architecture, or several.
SHOWN = {"arches": "arch"}
GUEST = ("arch", "add", "binary", "append", "memory", "timeout", "settle")
# Name: what it does, its options, what follows, the status of an error.
COMMANDS = {
    "fetch": (vl_commands.fetch, ("suite", "arch", "directory"), "package",
              "download Debian's kernels and print the images' paths", 1),
    "run": (vl_commands.run, ("kernel", "mode", "output", "jobs", *GUEST),
            "measure", "boot kernels and measure in each", 1),
    "compare": (vl_commands.compare, (), "results",
                "print what differs between two results, to the last digit",
                1),
    "bisect-step": (vl_commands.bisect_step, ("kernel", "mode", *GUEST),
                    "measure", "a step for git bisect: whether a limit is met",
                    125),
    "bisect": (vl_commands.bisect, ("limit", *GUEST), "release",
               "find the two packaged kernels between which a metric crossed "
               "a limit", 1),
    "history": (vl_commands.history, ("arches", "series", "output", "jobs",
                                      "binary", "memory", "timeout", "settle"), None,
                "measure each series of kernels that Debian has packaged, "
                "and write a table and a figure", 1),
    "study": (vl_commands.study, ("kernel", "output", "jobs", *GUEST), None,
              "compare the standard and the PREEMPT_RT kernel, idle and under "
              "load, also with cyclictest, and write a report", 1),
}
OPERANDS = {
    "package": {"metavar": "PACKAGE", "nargs": "*", "help": "default: those of --arch, for amd64 "
                + ", ".join(MACHINES[DEFAULT].packages)},
    "release": {"metavar": "PACKAGE", "nargs": 2,
                "help": "two kernel packages of Debian, of the same kind, "
                "such as linux-image-6.12.107+deb13-rt-amd64"},
    "results": {"metavar": "RESULTS", "nargs": 2, "type": pathlib.Path,
                "help": "a JSON file, or a directory of results"},
}
# What these measure comes after "--".
MEASURING = ("measure", "release")
MEASURE = ("After -- comes what is measured: options of twowaytest, or "
           "[NAME=]PROGRAM and its options. Further measurements follow in "
           "the same boot, each after another --.")


def parse(arguments):
    parser = Parser(description="Measures kernels in virtual machines that "
                    "count instructions.")
    parser.add_options({})
    commands = parser.add_subparsers(dest="command", required=True,
                                     metavar="COMMAND")
    for name, (action, options, operand, text, status) in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.",
            status=WRONG if name == "bisect-step" else 1,
            epilog=MEASURE if operand in MEASURING else None)
        command.add_rows(command, [
            *((OPTIONS[option][0], SHOWN.get(option, option),
               OPTIONS[option][1]) for option in options), HELP[0]])
        if operand in OPERANDS:
            command.add_argument(operand, **OPERANDS[operand])
        command.set_defaults(action=action, parser=command, jobs=None,
                             mode="exact", error_status=status)
    head, rest = partition(arguments)
    options, unknown = parser.parse_known_args(head)
    # By the command's own parser: only that knows bisect-step's status.
    if unknown:
        options.parser.error(f"unexpected argument: {' '.join(unknown)}")
    if COMMANDS[options.command][2] in MEASURING:
        if not getattr(options, "kernel", True):
            options.parser.error("--kernel=FILE is needed")
        if not rest:
            options.parser.error(
                "give the measurement after --, for example: -- -q -l 2000")
        try:
            options.measure = vl_run.measurements(rest)
        except LabError as err:
            options.parser.error(err)
    if not options.jobs:
        options.jobs = 1 if options.mode == "smp" else os.cpu_count() or 1
    return options


def partition(arguments):
    """What precedes and what follows the first "--", before a measurement.

    The other commands' operands may follow a "--", as anywhere.
    """
    if "--" not in arguments or \
            COMMANDS.get(arguments[0], "...")[2] not in MEASURING:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]
