# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""

import os

from cm_plan import LOADS, PLACEMENTS, TOOLS
from twtools.options import Parser, bad, duration, names, not_empty, number

LONGEST = 30            # days a measurement
CPUS_MOST = 8192        # of a kernel
# Files, small programs and pipes: what any system has.
COMMAND = ("n=$(nproc); while [ $n -gt 0 ]; do n=$((n-1)); "
           "tar cf - /etc 2>/dev/null | gzip >/dev/null & done; wait")


def some(known):
    """A type: a list of known names, in the usual order."""
    return names(known, ordered=True)


def usable():
    """CPUs that the kernel gives to whoever asks: isolated ones, too."""
    own = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, range(CPUS_MOST))
    except OSError:
        return own
    found = os.sched_getaffinity(0)
    os.sched_setaffinity(0, own)
    return found


def usable_cpu(text):
    found = sorted(usable())
    if text not in map(str, found):
        raise bad(text, "one of the CPUs " + ",".join(map(str, found)))
    return int(text)


# Title of a group: rows of letter, name, what argparse is to know.
OPTIONS = {
    "how long": (
        ("D", "duration", {
            "metavar": "TIME", "type": duration(LONGEST),
            "help": "time of each measurement, in seconds, or with s, m, h "
                    "or d appended; default: as long as all measurements "
                    "and the report can be in 5 minutes"}),
        ("L", "long", {
            "action": "store_true",
            "help": "the same for 24 hours instead of 5 minutes"}),
    ),
    "what is measured": (
        ("P", "placements", {
            "metavar": "LIST", "type": some(PLACEMENTS),
            "default": list(PLACEMENTS),
            "help": "where client and server run: one (both on one CPU), "
                    "plan (as twowaytest plans it); default: both "
                    "placements"}),
        ("l", "loads", {
            "metavar": "LIST", "type": some(LOADS), "default": list(LOADS),
            "help": f"loads: {', '.join(LOADS)}; default: all"}),
        ("t", "tools", {
            "metavar": "LIST", "type": some(TOOLS), "default": list(TOOLS),
            "help": f"what measures: {', '.join(TOOLS)}; default: both"}),
        ("p", "priority", {
            "metavar": "PRIO", "type": number(3, 99, also=(0,)),
            "default": 98,
            "help": "real-time priority of the measuring processes, 3 to "
                    "99; 0: ordinary priority and no locked memory, which "
                    "needs no privilege; default 98"}),
        ("i", "interval", {
            "metavar": "US", "type": number(200, 1000000, " us"),
            "default": 1000, "help": "period in us, 200 to 1000000; "
                                     "default 1000"}),
        ("a", "cpu", {
            "metavar": "N", "type": usable_cpu,
            "help": "CPU of the placement one; default: the client's CPU in "
                    "the placement plan"}),
        ("w", "workers", {
            "metavar": "N", "type": number(1, 1024),
            "default": len(os.sched_getaffinity(0)),
            "help": "number of workers of fft, of groups of hackbench; "
                    "default: number of CPUs"}),
        ("c", "command", {
            "metavar": "SHELL-COMMAND", "type": not_empty,
            "default": COMMAND,
            "help": "what the load command runs; default: tar and gzip of "
                    "/etc on each CPU"}),
        ("H", "connect", {
            "metavar": "HOST[:PORT]", "type": not_empty,
            "help": "twowaytest's server is on another host: that of "
                    "twowaytest --server there"}),
        ("x", "limit", {
            "metavar": "LIMIT", "type": not_empty, "action": "append",
            "default": [],
            "help": "a limit that twowaytest checks, for example "
                    "p99.9:500; repeatable"}),
    ),
    "programs and files": (
        ("o", "output", {
            "metavar": "DIR", "type": not_empty,
            "default": f"campaign-{os.uname().release}",
            "help": "directory of the results; an interrupted campaign "
                    "there is continued; default: campaign-KERNEL"}),
        ("T", "twowaytest", {
            "metavar": "PROGRAM", "type": not_empty,
            "help": "the twowaytest to run; default: build/twowaytest, "
                    "else the one in PATH"}),
        ("C", "cyclictest", {
            "metavar": "PROGRAM", "type": not_empty,
            "help": "the cyclictest to run; default: build/cyclictest, "
                    "else the one in PATH"}),
        ("R", "no-report", {
            "action": "store_true",
            "help": "make no page; the same command without this option "
                    "makes it later"}),
        ("n", "dry-run", {
            "action": "store_true",
            "help": "print the command lines and their times, and measure "
                    "nothing"}),
    ),
}


def parse(argv):
    p = Parser(
        usage="%(prog)s [options]",
        description="Measures with cyclictest and twowaytest, in each "
        "placement and under each load, and writes a report. The same "
        "command continues a campaign that was interrupted.",
        epilog="Exit status: 0 done; 1 error; 2 done, and a limit was "
        "exceeded or could not be decided.")
    p.add_options(OPTIONS)
    options = p.parse_args(argv)
    if options.limit and "twowaytest" not in options.tools:
        p.error("--limit: limits are twowaytest's, which --tools leaves out")
    if options.connect and "twowaytest" not in options.tools:
        p.error("--connect: only twowaytest has a server, which --tools "
                "leaves out")
    return options
