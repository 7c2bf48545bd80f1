# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual page."""

import argparse
import re

import made

PAGE = made.REPORT.parents[1] / "man" / "twowayreport.1"


def test_manual_has_every_option():
    from report import args
    text = PAGE.read_text().replace("\\-", "-")
    told = set(re.findall(r"^\.BR (-\w) .*? (--[\w-]+)", text, re.MULTILINE))
    assert told == {tuple(action.option_strings)
                    for action in args.parser()._actions
                    if action.option_strings and
                    action.help != argparse.SUPPRESS}


def test_manual_has_every_exit_status():
    from report.judge import gate
    text = PAGE.read_text().split(".SH EXIT STATUS")[1].split(".SH")[0]
    assert set(map(int, re.findall(r"^\.TP\n(\d)$", text, re.MULTILINE))) == \
        {1, *gate.STATUS.values()}
