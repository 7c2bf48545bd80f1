#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Count the test cases of one `meson test` run.

usage: count.py LABEL LOG STATUS

LOG is meson's JSON log, STATUS the exit status of `meson test`. A pytest
program counts by the cases in its --junitxml file, a TAP program by its
lines, any other as one case. Prints PASSED FAILED SKIPPED on stdout, and
every failure and every skip with its reason on stderr, and every case that
passed only when it was run again. Whatever ended badly without a failed case of
its own counts as one.
"""

import collections
import json
import os
import re
import sys
import xml.etree.ElementTree

WORDS = {"failed": "FAILED", "skipped": "SKIPPED",
         "passed": "PASSED ONLY WHEN RUN AGAIN"}
TAP = re.compile(r"(not )?ok \d+(?: - )?(.*)")
TAP_SKIP = re.compile(r"(.*?)\s*# SKIP\s*(.*)", re.IGNORECASE)


def failed_at_first(case):
    """As tools/workers.py says it; empty for almost all cases."""
    return "; ".join(one.get("value") for one in case.iter("property")
                     if one.get("name") == "failed at first")


def junit_cases(path, start):
    """Yield (name, verdict, reason) from a JUnit file not older than start."""
    if not os.path.exists(path) or os.path.getmtime(path) < start - 1:
        return
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        verdict, reason = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                verdict = "failed"
            elif child.tag == "skipped":
                verdict = "skipped"
            else:
                continue
            reason = first_line(child.get("message"))
        if verdict == "passed":
            reason = failed_at_first(case)
        yield name, verdict, reason


def tap_cases(output):
    """Yield (name, verdict, reason) from cmocka's TAP.

    A failure's reason follows in comments. A skip may be a "not ok", too;
    its reason is what the test printed last.
    """
    printed = ""
    lines = collections.deque(output.splitlines())
    while lines:
        line = lines.popleft()
        match = TAP.fullmatch(line.strip())
        if not match:
            printed = line
            continue
        comments = []
        while lines and lines[0].startswith("# "):
            comments.append(lines.popleft()[2:])
        skip = TAP_SKIP.fullmatch(match[2])
        if skip:
            yield skip[1] or skip[2], "skipped", printed
        elif match[1]:
            yield match[2], "failed", "; ".join(comments)
        else:
            yield match[2], "passed", ""
        # Behind a test that has passed, it is the next one that prints.
        printed = f"# {comments[-1]}" if comments else ""


def first_line(text):
    return (text or "").strip().partition("\n")[0]


def last_line(text):
    return (text or "").strip().rpartition("\n")[2]


def xml_files(test):
    return [arg.partition("=")[2] for arg in test["command"]
            if arg.startswith("--junitxml=")]


def cases(test):
    """Yield (name, verdict, reason) for one meson test."""
    result = test["result"]
    output = test.get("stdout") or ""
    xml_file = xml_files(test)
    found = []
    if xml_file:
        found = list(junit_cases(xml_file[0], test["starttime"]))
    elif test.get("env", {}).get("CMOCKA_MESSAGE_OUTPUT") == "TAP":
        found = list(tap_cases(output))
    elif result in ("OK", "SKIP"):
        found = [("", "passed", "")] if result == "OK" else [
            ("", "skipped", last_line(output))]
    yield from found

    if result == "OK" and not found:
        yield "", "failed", "no test case was run"
    elif result not in ("OK", "SKIP") and \
            not any(verdict == "failed" for _, verdict, _ in found):
        yield "", "failed", f"{result}, exit status {test['returncode']}"


def read(log):
    """The tests in meson's log."""
    try:
        with open(log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def main():
    label, log, status = sys.argv[1:]
    count = collections.Counter()
    tests = read(log)
    for test in tests:
        for name, verdict, reason in cases(test):
            count[verdict] += 1
            if verdict != "passed" or reason:
                program = test["name"].rpartition(" / ")[2]
                where = " ".join(filter(None, (label, program, name)))
                reason = reason or "no reason given"
                word = WORDS[verdict]
                print(f"{word} {where}: {reason}", file=sys.stderr)

    if not tests or (int(status) and not count["failed"]):
        count["failed"] += 1
        print(f"FAILED {label}: {len(tests)} tests run, exit status {status}",
              file=sys.stderr)
    print(count["passed"], count["failed"], count["skipped"])


if __name__ == "__main__":
    main()
