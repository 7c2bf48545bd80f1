# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines: tables of options, and values that are checked alike.

A table of options has titles of groups, and in each rows of letter, name and
what argparse is to know. Every message names the option, the value, and what
is allowed.
"""

import argparse
import json
import math
import re
import sys

from twtools import VERSION
from twtools.words import harmless_lines

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
HELP = (
    ("h", "help", {"action": "help", "help": "print this help"}),
    ("v", "version", {"action": "version", "version": f"%(prog)s {VERSION}",
                      "help": "print the version"}),
)


# What a value is that has one of these names in the help.
KINDS = dict.fromkeys(("FILE", "[NAME=]FILE", "DIR", "PROGRAM"), "file")


class Rows(argparse.Action):
    """Prints each option and operand for programs, an object in a line."""
    def __call__(self, parser, namespace, values, option_string=None):
        seen = set()
        for action in rows_of(parser):
            row = shown(action)
            if row["name"] not in seen:
                print(json.dumps(row))
            seen.add(row["name"])
        parser.exit()


def rows_of(parser):
    """Those of the parser, and of each of its commands."""
    for action in parser._actions:
        if action.help is not argparse.SUPPRESS:
            yield action
        if isinstance(action.choices, dict):
            for name, command in action.choices.items():
                yield argparse.Action([], name, const="command")
                yield from rows_of(command)


def shown(action):
    if not action.option_strings:
        return {"name": action.dest, "type": action.const or "operands"}
    letter, name = (word.lstrip("-") for word in action.option_strings)
    known = list(getattr(action.type, "known", ()))
    kind = "flag" if action.nargs == 0 else action.type.kind if known else \
        KINDS.get(action.metavar, "text")
    return {"letter": letter, "name": name, "type": kind,
            "value": action.metavar or "", "optional": False, "words": known,
            "help": [action.help.replace("%%", "%")]}


class Help(argparse.HelpFormatter):
    """Options as twowaytest's --help has them: -o, --html=FILE."""

    def _format_action_invocation(self, action):
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)}={action.metavar}"


class Parser(argparse.ArgumentParser):
    """status: what an error ends the program with."""

    def __init__(self, *args, status=1, **more):
        super().__init__(*args, add_help=False, allow_abbrev=False,
                         formatter_class=Help, **more)
        self.status = status

    def add_options(self, groups):
        """The groups of a table, and last help and version."""
        for title, rows in {**groups, "help": HELP}.items():
            self.add_rows(self.add_argument_group(title), rows)
        self.add_argument("--options", action=Rows, nargs=0,
                          help=argparse.SUPPRESS)

    @staticmethod
    def add_rows(group, rows):
        for letter, name, more in rows:
            group.add_argument(f"-{letter}", f"--{name}", **more)

    def error(self, message):
        print(f"{self.prog}: {harmless_lines(message)}\n"
              f"Try '{self.prog} --help'.", file=sys.stderr)
        sys.exit(self.status)


def bad(text, allowed):
    """The error of a value; it begins with the option's name."""
    return wrong(text, f"{allowed} is expected")


def wrong(text, why):
    shown = text if text.isprintable() else ascii(text)[1:-1]
    if len(shown) > 60:
        shown = f"{shown[:60]}..."
    return argparse.ArgumentTypeError(f"'{shown}': {why}")


def number(low, high, unit="", whole=True, also=()):
    """A type: a number from low to high, or one of also."""
    form = "-?[0-9]{1,18}" if whole else r"-?[0-9]+(\.[0-9]*)?|-?\.[0-9]+"
    allowed = "".join(f"{one}, or " for one in also) + \
        f"a {'whole ' if whole else ''}number from {low} to {high}{unit}"

    def parse(text):
        value = math.nan
        if re.fullmatch(form, text):
            value = int(text) if whole else float(text)
        if not (low <= value <= high or value in also):
            raise bad(text, allowed)
        return value
    return parse


def names(known, ordered=False):
    """A type: a list of known names; ordered: in the order of known."""
    def parse(text):
        found = text.split(",")
        for name in found:
            if name not in known:
                raise bad(name, f"a list of {', '.join(known)}")
        return [name for name in known if name in found] if ordered \
            else list(dict.fromkeys(found))
    parse.known, parse.kind = known, "list"
    return parse


def one_of(known):
    """A type: one of known names."""
    def parse(text):
        if text not in known:
            raise bad(text, f"one of {', '.join(known)}")
        return text
    parse.known, parse.kind = known, "word"
    return parse


def duration(longest_days):
    """A type: a time in seconds, or with s, m, h or d appended."""
    def parse(text):
        match = re.fullmatch("([0-9]{1,12})([smhdSMHD]?)", text)
        value = int(match[1]) * SECONDS[match[2].lower() or "s"] if match \
            else 0
        if not 0 < value <= longest_days * SECONDS["d"]:
            raise bad(text, f"a time from 1s to {longest_days}d, in s, m, h "
                            "or d,")
        return value
    return parse


def not_empty(text):
    """A type: a text."""
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError(
            f"{text!a}: must not " +
            ("contain a NUL" if "\0" in text else "be empty"))
    return text


def one_line(text):
    """A type: printable characters only, or none."""
    if not text.isprintable():
        raise bad(text, "one line of printable characters")
    return text
