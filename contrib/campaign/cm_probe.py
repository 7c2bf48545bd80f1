# SPDX-License-Identifier: GPL-2.0-or-later
"""Before the first measurement: is all there, and may all be done?"""

import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil

import cm_child
import cm_plan
from cm_state import Failure

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"
HOW = {
    "twowaytest": "build it (meson setup build && meson compile -C build) "
                  "or name it with --twowaytest",
    "cyclictest": "install rt-tests (Fedora, openSUSE: realtime-tests), "
                  "name it with --cyclictest, or leave it out with --tools",
    "hackbench": "install rt-tests (Fedora, openSUSE: realtime-tests), or "
                 "leave it out with --loads",
    "taskset": "install util-linux, or leave the load command out with "
               "--loads",
}
MODULES = ("numpy", "matplotlib")
# Load: the program that it runs.
HELPERS = {"hackbench": "hackbench", "command": "taskset"}


def helpers(options):
    """Programs that the loads run."""
    return [HELPERS[load] for load in options.loads if load in HELPERS]


def programs(options):
    """Name: path, of all that decides a result."""
    tools = dict.fromkeys(["twowaytest", *options.tools])
    return {**{tool: getattr(options, tool) for tool in tools},
            **{name: shutil.which(name) for name in helpers(options)}}


def sha256(path):
    with open(path, "rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def find(options):
    """Sets the programs' paths; Failure names all that is missing."""
    missing = []
    for name in dict.fromkeys(["twowaytest", *options.tools]):
        given = getattr(options, name)
        path = shutil.which(given) if given else \
            shutil.which(BUILD / name) or shutil.which(name)
        if path:
            setattr(options, name, os.path.abspath(path))
        elif given:
            missing.append(f"--{name}={given}: no such program")
        else:
            missing.append(f"{name} is missing: {HOW[name]}")
    missing += [f"{name} is missing: {HOW[name]}"
                for name in helpers(options) if not shutil.which(name)]
    if not options.no_report:
        lacking = [name for name in MODULES
                   if not importlib.util.find_spec(name)]
        if lacking:
            missing.append(
                f"{', '.join(lacking)} of Python 3: missing: install "
                + ", ".join(f"python3-{name}" for name in lacking)
                + ", or leave out the report with --no-report")
    if missing:
        raise Failure("\n".join(missing))


def trial(children, argv, allowed=(0,)):
    """Runs it; its standard output, or Failure with what it said."""
    status, out, err = children.output(argv)
    if status not in allowed:
        said = err.strip() or out.strip()
        advice = "" if os.geteuid() == 0 else \
            "\nwithout privilege: --priority=0 --tools=twowaytest, or " \
            "run this with sudo"
        raise Failure(f"{' '.join(argv)}: "
                      + cm_child.how(status, said and f"\n{said}") + advice)
    return out


def object_in(text, argv):
    """The JSON object at the end of what a program has printed."""
    found = re.search(r"^\{$.*", text, re.MULTILINE | re.DOTALL)
    try:
        return json.loads(found[0])
    except (TypeError, ValueError):
        raise Failure(f"{' '.join(argv)}: prints no JSON") from None


def version(children, options, tool):
    """As the program itself says it; cyclictest, with an error."""
    _, out, err = children.output([getattr(options, tool), "--version"])
    found = re.search(r"\bV ([0-9][^\s]*)", out + err)
    return found[1] if found else None


def cpus(children, options):
    """Where twowaytest's own plan puts its processes.

    Tries the rights, too: a dry run needs none.
    """
    rights = [] if options.dry_run else cm_plan.scheduling(options)
    argv = [options.twowaytest, "-q", *rights, "-a", "-l", "5", "--json=-"]
    result = object_in(trial(children, argv), argv)
    try:
        client = int(result["twoway"]["pairs"][0]["client"]["cpus"])
    except (KeyError, TypeError, ValueError, IndexError):
        raise Failure(f"{' '.join(argv)}: its JSON does not tell the client's "
                      "CPU") from None
    allowed = sorted(children.cpus)
    one = client if options.cpu is None else options.cpu
    # The plan leaves the first CPU to the system if there are enough.
    return cm_plan.Cpus(allowed[len(allowed) > 3], client, one,
                        cm_plan.cpu_list(children.cpus))


def try_all(children, options, where):
    """Each command line once, without measuring: Failure if one is bad."""
    for one in cm_plan.matrix(options):
        carrier = cm_plan.carrier(options, one, where, os.devnull)
        if carrier:
            carrier[-1:] = ["--check"]
            trial(children, carrier, (0, 2))
        argv = cm_plan.command(options, one, where, os.devnull)
        if one.tool == "twowaytest":
            argv[-1:] = ["--check"]
            trial(children, argv, (0, 2))
        elif one.load == "none" and not options.dry_run:
            at = argv.index("-D")
            argv[at:at + 2] = ["-l", "5"]
            trial(children, argv)


def server(children, options):
    """A few cycles with the server on the other host, if there is one.

    Failure with twowaytest's own reason if it cannot be measured with.
    """
    if options.connect:
        trial(children, [options.twowaytest, "-q",
                         *cm_plan.scheduling(options),
                         *cm_plan.connection(options), "-l", "5"])


def check(children, options):
    """twowaytest --check: its text, and the environment of its JSON."""
    argv = [options.twowaytest, *cm_plan.scheduling(options), "-a",
            "--check"]
    text = trial(children, argv, (0, 2))
    argv.append("--json=-")
    found = object_in(trial(children, argv, (0, 2)), argv)
    return text, found.get("twoway", {}).get("system", {})
