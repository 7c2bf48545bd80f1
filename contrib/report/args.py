# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""

import dataclasses
import re

from twoway.series.model import METRICS
from twtools.options import Parser, bad, names, not_empty, number, one_of

FORMATS = ("svg", "png")
FORMULAS = ("documented", "trltp3")


def is_percentage(word):
    return re.fullmatch("[0-9]+|[0-9]*[.][0-9]+", word) and \
        0 < float(word) < 100


def percentages(text):
    words = text.split(",")
    for word in words:
        if not is_percentage(word):
            raise bad(word, "a list of numbers above 0 and below 100")
    return sorted({float(word) for word in words})


def changes(text):
    """Figure, or "" for all others -> percent."""
    found = {"": 3.0, "missed": 1.0}
    for word in text.split(","):
        figure, colon, percent = word.rpartition(":")
        of_percentile = figure[:1] == "p" and is_percentage(figure[1:])
        if colon and not of_percentile and \
                figure not in ("average", "missed") or not re.fullmatch(
                    "[0-9]+(\\.[0-9]*)?|\\.[0-9]+", percent) or \
                float(percent) > 10**6:
            raise bad(word, "a number from 0 to 1000000 %, or FIGURE:NUMBER "
                      "of average, missed, or a percentile such as p99")
        if of_percentile:
            figure = f"p{float(figure[1:]):.12g}"   # as the gate names it
        found[figure] = float(percent)
    return found


@dataclasses.dataclass
class Bound:
    """What --bound asks for: how often it takes longer; or whether at most so
    often."""
    text: str
    ns: float
    number: float = 0
    unit: str = ""              # min, h, d; "": none is named

    @property
    def per_second(self):
        return self.number / {"min": 60, "h": 3600, "d": 86400}[self.unit]


def bounds(text):
    found = []
    for word in text.split(","):
        match = re.fullmatch("(?:rate:([0-9.]{1,12})/(min|h|d):)?"
                             "([0-9.]{1,12})", word)
        numbers = [one for one in match.group(1, 3) if one] if match else []
        if not match or not all(
                re.fullmatch("[0-9]+([.][0-9]*)?|[.][0-9]+", one) and
                0 < float(one) <= 10**9 for one in numbers):
            raise bad(word, "US, or rate:N/UNIT:US with a unit of min, h, d, "
                      "numbers above 0, at most 1000000000,")
        found.append(Bound(word, 1000 * float(match[3]),
                           float(match[1] or 0), match[2] or ""))
    return found


def table_file(text):
    if text != "-" and not text.endswith((".md", ".csv")):
        raise bad(text, "FILE.md, FILE.csv, or -")
    return text


def result_file(text):
    if text == "-":
        raise bad(text, "the name of a file (of standard output, it is "
                  "/dev/stdout)")
    return not_empty(text)


# Title of a group: rows of letter, name, what argparse is to know.
OPTIONS = {
    "what is written": (
        ("o", "html", {
            "metavar": "FILE", "type": result_file,
            "help": "the report as one page; default: twowayreport.html, if "
                    "no other output is asked for"}),
        ("f", "figures", {
            "metavar": "DIR", "type": not_empty,
            "help": "each figure as a file in this directory"}),
        ("F", "format", {
            "metavar": "LIST", "type": names(FORMATS),
            "default": list(FORMATS),
            "help": "formats of these files: svg, png; default: both"}),
        ("t", "tables", {
            "metavar": "FILE", "type": table_file,
            "help": "the tables as FILE.md or FILE.csv; - writes Markdown to "
                    "standard output"}),
        ("O", "openmetrics", {
            "metavar": "FILE", "type": result_file,
            "help": "results for Prometheus, as node exporter's textfile "
                    "collector reads them; its FILE ends in .prom"}),
        ("j", "junit", {
            "metavar": "FILE", "type": result_file,
            "help": "verdicts for CI systems, in the form of JUnit: of each "
                    "--limit that a file has, and of --gate"}),
        ("H", "hgrm", {
            "metavar": "DIR", "type": not_empty,
            "help": "the distribution of each run and metric as a file "
                    "NAME-METRIC.hgrm in this directory, in the text form of "
                    "HdrHistogram, in us"}),
        ("T", "title", {
            "metavar": "TEXT", "type": not_empty,
            "help": "title of the report"}),
    ),
    "what is shown": (
        ("m", "metrics", {
            "metavar": "LIST", "type": names(METRICS),
            "help": f"metrics: {', '.join(METRICS)}; default: all, with "
                    "--gate latency, or the first of these that both "
                    "runs have: response, total, wakeup, network, planned"}),
        ("p", "percentiles", {
            "metavar": "LIST", "type": percentages,
            "help": "numbers above 0 and below 100; default: "
                    "50,90,99,99.9,99.99,99.999, with --gate 50,99,99.9, where "
                    "one that is named and cannot be judged is undecided"}),
        ("V", "virtual", {
            "metavar": "RUN", "action": "append", "default": [],
            "help": "mark the run of this NAME as measured in a virtual machine; "
                    "repeatable"}),
    ),
    "what a run promises": (
        ("b", "bound", {
            "metavar": "LIST", "type": bounds,
            "help": "print for how long nothing longer is to be expected, and "
                    "of each US how often it takes longer, at most; "
                    "rate:N/UNIT:US (min, h, d): whether at most so often, and "
                    "how long to measure, also without a file; of 5 runs or "
                    "more at random times: what share of all times has a "
                    "longer one"}),
    ),
    "how files are read": (
        ("i", "interval", {
            "metavar": "US", "type": number(0, 10**9, " us"),
            "help": "period of dumps without JSON; 0: closed loop; default: "
                    "the period that most expiries show"}),
        ("s", "sleep", {
            "metavar": "US", "type": number(0, 10**7, " us"),
            "default": 100,
            "help": "sleep of the server in dumps without JSON; default: "
                    "100"}),
        ("x", "total", {
            "metavar": "FORMULA", "type": one_of(FORMULAS),
            "default": FORMULAS[0],
            "help": "formula of total in dumps without JSON: documented "
                    "(default), trltp3"}),
        ("k", "skip-bad", {
            "action": "store_true",
            "help": "leave out files that cannot be read, instead of ending; "
                    "the report names them"}),
    ),
    "gate": (
        ("g", "gate", {
            "action": "store_true",
            "help": "is the last run (candidate) worse than the others "
                    "(baseline)? latency is compared, or what --metrics "
                    "names"}),
        ("n", "candidate", {
            "metavar": "N", "type": number(1, 1000), "default": 1,
            "help": "the last N runs are the candidate's; default: 1"}),
        ("c", "confidence", {
            "metavar": "PERCENT", "type": number(50, 99.99, " %", False),
            "default": 99.0,
            "help": "probability that nothing is called worse by chance, for "
                    "all figures together, 50 to 99.99; default: 99"}),
        ("a", "tolerance", {
            "metavar": "PERCENT", "type": number(0, 1000, " %", False),
            "default": 1.0,
            "help": "how much higher the candidate may be, in percent of the "
                    "baseline; default: 1"}),
        ("d", "detect", {
            "metavar": "LIST", "type": changes, "default": changes("3"),
            "help": "an increase that must not be overlooked: undecided, if "
                    "the measurements cannot exclude it; default: "
                    "3,missed:1. FIGURE:PERCENT is for average, missed "
                    "expiries, or a percentile, as 3,p99:20"}),
        ("r", "propose", {
            "action": "store_true",
            "help": "print the --detect that at least two runs of a baseline "
                    "allow, and how long they must be for 3 %%"}),
        ("u", "unlike", {
            "action": "store_true",
            "help": "compare although the settings differ"}),
    ),
}


def parser():
    p = Parser(
        prog="twowayreport", usage="twowayreport [options] [NAME=]FILE...",
        description="Compares the results of latency tests: JSON, dumps "
        "and timelines of twowaytest, JSON of primitivetest, JSON and "
        "text of cyclictest, campaign.json of twowaytest-campaign, and "
        "published tables. Files of one NAME are one run.",
        epilog="Exit status: 0 done, or not worse; 1 error, nothing is "
        "written; 2 --gate: worse; 3 --gate: undecided, as the "
        "measurements are too short or too noisy, or a run is broken.")
    p.add_argument("files", nargs="*", metavar="[NAME=]FILE",
                   help="results of a run; the default NAME is that of the "
                        "file without its suffix")
    p.add_options(OPTIONS)
    return p


def parse(argv):
    p = parser()
    options = p.parse_args(argv)
    if not options.files and not all(
            one.unit for one in options.bound or [Bound("", 0)]):
        p.error("no file: name at least one with results")
    judging = options.gate or options.propose
    default = [50, 99, 99.9] if judging else \
        [50, 90, 99, 99.9, 99.99, 99.999]
    of_detect = {float(figure[1:]) for figure in options.detect
                 if figure[:1] == "p" and options.gate}
    options.asked = {*(options.percentiles or ()), *of_detect}
    options.percentiles = sorted(
        {*(options.percentiles or default), *of_detect})
    if options.gate and options.propose:
        p.error("--propose with --gate: allowed is one of them")
    if judging and options.skip_bad:
        p.error("--skip-bad with --gate or --propose: all runs are needed")
    # Of a dump, a gate alone needs nothing else.
    asked = options.html or options.figures or options.tables or \
        options.openmetrics or options.hgrm
    if judging and options.bound:
        p.error("--bound with --gate or --propose: allowed is one of them")
    told = judging or options.bound
    options.wanted = options.metrics or [
        "latency" if judging else "planned", "response"] \
        if told and not asked else None
    options.chosen = options.metrics
    if not judging:
        options.metrics = options.metrics or list(METRICS)
    if not asked and not told and not options.junit:
        options.html = "twowayreport.html"
    return options
