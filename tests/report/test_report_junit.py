# SPDX-License-Identifier: GPL-2.0-or-later
"""--junit: its form, and what it says of limits and of the gate."""

import os
import re
import xml.etree.ElementTree as xml

import made
import made_pairs
import made_primitives
import pytest

NAME, COUNT, TIME = ".+", "[0-9]+", r"[0-9]+(\.[0-9]+)?"
WHY = {"type": NAME, "message": ".+"}
# What the usual schemas have in common: attributes, all of which one of them
# demands, and the elements in their order.
FORM = {
    "testsuites": ({}, ["testsuite*"]),
    "testsuite": ({
        "id": COUNT, "package": NAME, "name": NAME, "tests": COUNT,
        "failures": COUNT, "errors": COUNT, "time": TIME, "hostname": NAME,
        "timestamp": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"},
        ["properties", "testcase*", "system-out", "system-err"]),
    "testcase": ({"classname": NAME, "name": NAME, "time": TIME},
                 ["(failure|error)?"]),
    "failure": (WHY, []), "error": (WHY, []),
    "properties": ({}, []), "system-out": ({}, []), "system-err": ({}, []),
}


def check(element):
    attributes, inner = FORM[element.tag]
    assert set(element.attrib) == set(attributes), element.tag
    for name, pattern in attributes.items():
        assert re.fullmatch(pattern, element.get(name), re.DOTALL), name
    pattern = "".join(
        f"(<({tag.rstrip('*?').strip('()')})>){tag[-1] if tag[-1] in '*?' else ''}"
        for tag in inner)
    assert re.fullmatch(pattern, "".join(f"<{one.tag}>" for one in element))
    for one in element:
        check(one)


class Suites:
    def __init__(self, path):
        top = xml.fromstring(path.read_bytes())
        assert top.tag == "testsuites"
        check(top)
        self.suites = top.findall("testsuite")
        for i, suite in enumerate(self.suites):
            assert suite.get("id") == str(i)
            for name, tag in (("tests", "testcase"),
                              ("failures", "testcase/failure"),
                              ("errors", "testcase/error")):
                assert int(suite.get(name)) == len(suite.findall(tag))

    def cases(self, number=0):
        """(name, element's tag or None, message) of each."""
        return [(case.get("name"), *((case[0].tag, case[0].get("message"))
                                     if len(case) else (None, None)))
                for case in self.suites[number].iter("testcase")]


@pytest.fixture
def judged(report):
    def run(*arguments, status=0):
        report("-j", "x.xml", *arguments, status=status)
        return Suites(report.directory / "x.xml")
    run.directory = report.directory
    return run


def test_limits(judged):
    """A case each; what it was, and what is allowed."""
    data = made.twoway(made.cycles(50)) | {
        "start_time": "Sun, 22 Nov 2026 20:31:59 +0000",
        "end_time": "Sun, 22 Nov 2026 20:32:09 +0000"}
    data["twoway"]["limits"] = [
        made.limit("response:10", 41330749), made.limit("missed:0", 0),
        made.limit("missed:0", 0), made.limit("lost:2", 3),
        made.limit("send:p99.9:50", None)]
    path = made.write(judged.directory, "a.json", data)
    found = judged(path)
    assert not (judged.directory / "twowayreport.html").exists()
    assert found.cases() == [
        ("response:10", "failure",
         "response (response:10) was 41330.749 us; at most 10 us is allowed"),
        ("missed:0", None, None),
        ("lost:2", "failure", "lost (lost:2) was 3; at most 2 is allowed"),
        ("send:p99.9:50", "error", "send (send:p99.9:50) has too few values, "
         "or some are not known, or the run ended early; at most 50 us is allowed")]
    suite, = found.suites
    assert suite.get("name") == "limits of a"
    assert suite.get("package") == "twowaytest"
    assert suite.get("hostname") == "host" and suite.get("time") == "10.000"
    assert suite.get("timestamp") == "2026-11-22T20:31:59"
    assert [one.get("type") for one in suite.iter()
            if one.tag in ("failure", "error")] == \
        ["exceeded", "exceeded", "undecided"]


START = "Sun, 22 Nov 2026 20:31:59 +0000"


def timed(folder, name, **times):
    """A result with a limit."""
    data = made.twoway(made.cycles(600)) | times
    data["twoway"]["limits"] = [made.limit("response:10", 5000)]
    return made.write(folder, name, data)


@pytest.mark.parametrize("end, time", [
    ("Sun, 22 Nov 2026 20:32:00 +0000", "1.000"),
    ("Sun, 22 Nov 2026 22:34:00 +0200", "121.000"),
    ("Sun, 22 Nov 2026 20:31:58 +0000", "0.000")],
    ids=["short", "other zone", "clock set back"])
def test_time(judged, end, time):
    found = judged(timed(judged.directory, "a.json", start_time=START,
                         end_time=end))
    suite, = found.suites
    assert suite.get("time") == time
    assert suite.get("timestamp") == "2026-11-22T20:31:59"


@pytest.mark.parametrize("known", [{}, {"start_time": START},
                                   {"end_time": START}])
def test_time_of_a_file(judged, known):
    """Of a result that does not tell, when it was written."""
    path = timed(judged.directory, "a.json", **known)
    os.utime(path, (0, 1700000000))
    suite, = judged(path).suites
    assert suite.get("time") == "0.000"
    assert suite.get("timestamp") == "2023-11-14T22:13:20"


def test_time_of_a_gate(judged):
    """That of the candidate."""
    path = timed(judged.directory, "a.json", start_time=START, end_time=START)
    other = timed(judged.directory, "b.json",
                  start_time=START.replace("22", "23", 1),
                  end_time=START.replace("22", "24", 1))
    *limits, gate = judged("-g", path, other).suites
    assert [one.get("timestamp") for one in limits] == [
        "2026-11-22T20:31:59", "2026-11-23T20:31:59"]
    assert gate.get("timestamp") == "2026-11-23T20:31:59"
    assert gate.get("time") == "86400.000"


def test_limit_of_a_pair(judged):
    data = made_pairs.twoway({0: made.cycles(50), 1: made.cycles(50, 2)})
    data["twoway"]["limits"] = [made.limit("response:10", 20000, 1)]
    found = judged(made.write(judged.directory, "a.json", data))
    assert found.cases() == [
        ("response:10", "failure", "response (response:10) of pair 1 was 20 "
         "us; at most 10 us is allowed")]


def test_limits_of_parts(judged):
    """A limit is for several columns; beside twowaytest's of one system."""
    parts = made_primitives.primitives()
    parts["primitives"]["limits"] = [
        {"limit": "sync1.pair:1", "metric": f"sync1.{kind}.pair", "most": 1,
         "value": value, "verdict": verdict}
        for kind, value, verdict in (("a", 1.25, "exceeded"),
                                     ("b", 0.5, "met"))] + [
        {"limit": "x.y:1", "metric": None, "most": 1, "value": None,
         "verdict": "undecided"}]
    whole = made.twoway(made.cycles(50))
    whole["twoway"]["limits"] = [made.limit("total:1000", 5)]
    found = judged(*made_primitives.write(judged.directory, s=whole,
                                          p_s=parts))
    assert [suite.get("package") for suite in found.suites] == \
        ["twowaytest", "primitivetest"]
    assert found.cases(0) == [("total:1000", None, None)]
    assert found.cases(1) == [
        ("sync1.pair:1 sync1.a.pair", "failure",
         "sync1.a.pair (sync1.pair:1) was 1.25 us; at most 1 us is "
         "allowed"),
        ("sync1.pair:1 sync1.b.pair", None, None),
        ("x.y:1", "error", "what it is for (x.y:1) has too few values, or "
         "some are not known, or the run ended early; at most 1 us is allowed")]


@pytest.mark.parametrize("shift, status, tag", [
    (0, 0, None), (50_000, 2, "failure")])
def test_gate(judged, shift, status, tag):
    """A case a figure, with its values; the exit status stays."""
    paths = [made.write(judged.directory, f"{name}.csv", made.dump(
        made.cycles(4000, shift=more))) for name, more in
        (("a", 0), ("b", shift))]
    found = judged("-g", paths[0], f"x={paths[0]}", paths[1], status=status)
    cases = found.cases()
    assert [case[0] for case in cases] == [
        "latency average", "latency p50", "latency tail"]
    assert [case[1] for case in cases] == [tag] * 3
    assert found.suites[0].get("name") == "gate of b against a, x"
    if tag:
        for name, _, said in cases[:2]:
            assert re.search(rf"^{name} is \d+\.\d+ us; the baseline has "
                             r"\d+\.\d+ us\. .*between \+4\d\.\d+ and "
                             r"\+5\d\.\d+ us; 1 % are allowed",
                             said), said


def test_undecided_gate(judged):
    """A broken run, and too few cycles: errors, not failures."""
    rows = made.cycles(4000)
    bad = made.twoway(rows, missed=400, loops=9000)
    bad["twoway"]["interrupted"] = True
    good = made.twoway(rows)
    paths = [made.write(judged.directory, *one) for one in (
        ("a.json", good), ("b.json", bad))]
    found = judged("-g", *paths, status=3)
    told = {name: (tag, said) for name, tag, said in found.cases()}
    tag, said = told["b (ended by a signal before its -l 9000)"]
    assert tag == "error" and said.endswith("measure it again.")
    tag, said = told["missed expiries"]
    assert tag == "error"
    assert "is 9.091 %; the baseline has 0.000 %" in said


def test_characters_that_xml_forbids(judged):
    data = made.twoway(made.cycles(50))
    data["twoway"]["limits"] = [made.limit("response:10", 99000)]
    data["sysinfo"]["nodename"] = "h\x01<&"
    path = made.write(judged.directory, "a.json", data)
    found = judged(f'b\x02"<\ufffe={path}')
    suite, = found.suites
    assert suite.get("hostname") == "h\ufffd<&"
    assert suite.get("name") == 'limits of b\ufffd"<\ufffd'


def test_nothing_to_tell(refused):
    made.write(refused.directory, "a.json", made.twoway(made.cycles(50)))
    assert "--junit: there is no verdict" in refused("-j", "x.xml", "a.json")
    assert refused("-j", "a.json", "a.json").startswith(
        "twowayreport: --junit=a.json: this is an input")


@pytest.mark.parametrize("change, said", [
    ({"verdict": "perhaps"}, "'perhaps' is none of met, exceeded, undecided"),
    ({"value_ns": None}, "limits[0].value_ns: null is expected if, and only"),
    ({"verdict": "undecided"}, "null is expected if"),
    ({"most_ns": "x"}, 'limits[0].most_ns: "x" is no number')])
def test_limits_that_contradict_themselves(refused, change, said):
    data = made.twoway(made.cycles(50))
    data["twoway"]["limits"] = [made.limit("response:10", 99000) | change]
    made.write(refused.directory, "a.json", data)
    assert said in refused("-j", "x.xml", "a.json")
