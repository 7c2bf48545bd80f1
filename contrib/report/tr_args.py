# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""

import argparse
import math
import sys

from tr_model import METRICS

VERSION = "0.1"
FORMATS = ("svg", "png")


class Parser(argparse.ArgumentParser):
    """Exit status 1: 2 means worse."""

    def error(self, message):
        print(f"twowayreport: {message}\nTry 'twowayreport --help'.",
              file=sys.stderr)
        sys.exit(1)


def number(kind, low, high, unit):
    """A type for argparse: a number from low to high."""
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"'{text}': a {'whole ' if kind is int else ''}number from "
                f"{low} to {high}{unit} is expected")
        return value
    return parse


def names(known):
    """A type for argparse: a list of known names."""
    def parse(text):
        found = text.split(",")
        for name in found:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"'{name}': a list of {', '.join(known)} is expected")
        return list(dict.fromkeys(found))
    return parse


def percentages(text):
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(0 < value < 100 for value in values):
        raise argparse.ArgumentTypeError(
            f"'{text}': a list of numbers between 0 and 100 is expected")
    return sorted(set(values))


def table_file(text):
    if text != "-" and not text.endswith((".md", ".csv")):
        raise argparse.ArgumentTypeError(
            f"'{text}': FILE.md, FILE.csv, or - is expected")
    return text


def not_empty(text):
    if not text.strip():
        raise argparse.ArgumentTypeError("'': a text is expected")
    return text


# Title of a group: rows of letter, name, what argparse is to know.
OPTIONS = {
    "what is written": (
        ("o", "html", {
            "metavar": "FILE", "type": not_empty,
            "help": "the report; default: twowayreport.html if nothing else "
                    "is asked for"}),
        ("f", "figures", {
            "metavar": "DIR", "type": not_empty,
            "help": "each figure as a file of its own"}),
        ("F", "format", {
            "metavar": "LIST", "type": names(FORMATS),
            "default": list(FORMATS),
            "help": "of these files: svg, png; default both"}),
        ("t", "tables", {
            "metavar": "FILE", "type": table_file,
            "help": "tables as FILE.md or FILE.csv; -: Markdown to standard "
                    "output"}),
        ("T", "title", {
            "metavar": "TEXT", "type": not_empty, "help": "of the report"}),
    ),
    "what is shown": (
        ("m", "metrics", {
            "metavar": "LIST", "type": names(METRICS),
            "help": f"of {', '.join(METRICS)}; default: all, with --gate "
                    "total"}),
        ("p", "percentiles", {
            "metavar": "LIST", "type": percentages,
            "help": "default: 50,90,99,99.9,99.99,99.999, with --gate "
                    "50,99,99.9"}),
        ("V", "virtual", {
            "metavar": "NAME", "action": "append", "default": [],
            "help": "mark a run as that of a virtual machine; repeatable"}),
    ),
    "how files are read": (
        ("i", "interval", {
            "metavar": "US", "type": number(int, 0, 10**9, " us"),
            "help": "period of dumps without JSON; 0: closed loop; default: "
                    "as their expiries show it"}),
        ("s", "sleep", {
            "metavar": "US", "type": number(int, 0, 10**7, " us"),
            "default": 100,
            "help": "the server's sleep in dumps without JSON; default 100"}),
        ("x", "total", {
            "choices": ("documented", "trltp3"), "default": "documented",
            "help": "formula of total in dumps without JSON"}),
        ("k", "skip-bad", {
            "action": "store_true",
            "help": "leave out files that cannot be read, instead of ending; "
                    "the report names them"}),
    ),
    "gate": (
        ("g", "gate", {
            "action": "store_true",
            "help": "whether the second run, the candidate, is worse than "
                    "the first, the baseline"}),
        ("c", "confidence", {
            "metavar": "PERCENT", "type": number(float, 50, 99.99, " %"),
            "default": 99.0,
            "help": "that an alarm is none by chance, for all figures "
                    "together; default 99"}),
        ("a", "tolerance", {
            "metavar": "PERCENT", "type": number(float, 0, 1000, " %"),
            "default": 1.0,
            "help": "what the candidate may be higher by; default 1"}),
        ("r", "resamples", {
            "metavar": "N", "type": number(int, 100, 10**6, ""),
            "default": 2000, "help": "least number of draws; default 2000"}),
        ("S", "seed", {
            "metavar": "N", "type": number(int, 0, 2**32 - 1, ""),
            "default": 1,
            "help": "of the draws; the same gives the same; default 1"}),
        ("u", "unlike", {
            "action": "store_true",
            "help": "compare although the settings differ"}),
    ),
    "help": (
        ("h", "help", {"action": "help", "help": "print this help"}),
        ("v", "version", {
            "action": "version", "version": f"twowayreport {VERSION}",
            "help": "print the version"}),
    ),
}


def parser():
    p = Parser(
        prog="twowayreport", usage="twowayreport [options] [NAME=]FILE...",
        add_help=False, allow_abbrev=False,
        description="Compares the results of latency tests: JSON and dumps "
        "of twowaytest, JSON and histograms of cyclictest, TRLTP logs, "
        "published tables. Files of one NAME are one run.",
        epilog="Exit status: 0 done, or not worse; 1 error, nothing is "
        "written; 2 --gate: worse.")
    p.add_argument("files", nargs="*", metavar="[NAME=]FILE",
                   help="results; NAME is by default the file's, without "
                        "its suffix")
    for group, rows in OPTIONS.items():
        members = p.add_argument_group(group)
        for letter, name, more in rows:
            members.add_argument(f"-{letter}", f"--{name}", **more)
    return p


def parse(argv):
    p = parser()
    options = p.parse_args(argv)
    if not options.files:
        p.error("no file: name at least one with results")
    default = [50, 99, 99.9] if options.gate else \
        [50, 90, 99, 99.9, 99.99, 99.999]
    options.percentiles = options.percentiles or default
    options.metrics = options.metrics or (
        ["total"] if options.gate else list(METRICS))
    if options.gate and options.skip_bad:
        p.error("--skip-bad with --gate: a gate needs both of its runs")
    # Of a dump, a gate alone needs nothing else.
    asked = options.html or options.figures or options.tables
    options.wanted = options.metrics if options.gate and not asked else None
    if not asked and not options.gate:
        options.html = "twowayreport.html"
    return options
