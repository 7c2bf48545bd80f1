# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts as CI systems read them: a file in the form of JUnit.

It has what both of the usual schemas demand (that of Ant, and that of Jenkins),
and nothing that one of them forbids. A limit that was exceeded, or a figure
that is worse, is a failure; what could not be decided is an error.
"""

import dataclasses
import datetime
import os
import re
import time
import xml.etree.ElementTree as xml

from report.judge.gate import NOT_JUDGED, UNDECIDED, WORSE
from twoway.read import limit
from twoway.series.model import InputError
from twtools.words import several

# The verdict: the element that tells it.
TELL = {limit.EXCEEDED: "failure", limit.UNDECIDED: "error",
        WORSE: "failure", UNDECIDED: "error"}
# Of XML 1.0.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclasses.dataclass
class Case:
    name: str
    verdict: str
    said: str


@dataclasses.dataclass
class Suite:
    """Several verdicts; runs: what they are on."""
    package: str                # the program that has decided
    name: str
    cases: list
    runs: list

    def element(self, number):
        """The host and times are those of the last run."""
        when = when_of(self.runs[-1])
        begin = datetime.datetime.fromtimestamp(when[0],
                                                datetime.timezone.utc)
        tells = [TELL.get(case.verdict) for case in self.cases]
        suite = xml.Element("testsuite", {
            "id": str(number), "package": self.package,
            "name": clean(self.name), "tests": str(len(self.cases)),
            "failures": str(tells.count("failure")),
            "errors": str(tells.count("error")),
            # The clock may have been set back meanwhile.
            "time": f"{max(0, when[1] - when[0]):.3f}",
            "timestamp": f"{begin:%Y-%m-%dT%H:%M:%S}",
            "hostname": clean(self.runs[-1].system.get("nodename")
                              or "unknown")})
        xml.SubElement(suite, "properties")
        for case, tell in zip(self.cases, tells):
            self.add(suite, case, tell)
        for name in "system-out", "system-err":
            xml.SubElement(suite, name)
        return suite

    def add(self, suite, case, tell):
        own = xml.SubElement(suite, "testcase", {
            "classname": clean(f"{self.package}.{self.name}"),
            "name": clean(case.name), "time": "0"})
        if tell:
            why = xml.SubElement(own, tell, {
                "type": case.verdict.lower(), "message": clean(case.said)})
            why.text = clean(f"{case.name}: {case.verdict.lower()}: "
                             f"{case.said}")


def when_of(run):
    """As the JSON tells, or else when the file was written."""
    if run.when:
        return run.when
    try:
        return (os.stat(run.parts[0].path).st_mtime,) * 2
    except OSError:         # it was a pipe
        return (time.time(),) * 2


def clean(text):
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def limits_of(run):
    """A suite; a limit of primitivetest may be for several columns. What broke
    the run leaves undecided whether it is a good one."""
    cases = {}          # a limit may be given twice
    for one in run.limits:
        several = run.primitives and one.metric
        name = f"{one.limit} {one.metric}" if several else one.limit
        cases[name] = Case(name, one.verdict, one.said)
    for text in run.troubles:
        cases[text] = Case("the run is complete", limit.UNDECIDED, text)
    return Suite(run.program, f"limits of {run.place}", list(cases.values()),
                 [run])


def text(runs, parts, verdicts, candidates):
    """As openmetrics.text(); verdicts: of the gate, None without one."""
    suites = [limits_of(run) for run in [*runs, *parts]
              if run.limits or run.troubles and verdicts is None]
    if verdicts is not None:
        before, after = (several([run.title for run in some], 4) for some in (
            runs[:-candidates], runs[-candidates:]))
        suites.append(Suite(
            "twowayreport", f"gate of {after} against {before}",
            [Case(one.name, one.text, one.said) for one in verdicts
             if one.text != NOT_JUDGED], runs))
    if not suites:
        raise InputError("--junit", None, "there is no verdict: the files "
                         "have none on a --limit, and --gate is not given")
    top = xml.Element("testsuites")
    top.extend(suite.element(i) for i, suite in enumerate(suites))
    xml.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' \
        f"{xml.tostring(top, encoding='unicode')}\n"
