# SPDX-License-Identifier: GPL-2.0-or-later
"""A JSON file whose members know where they stand in it."""

import json
import os

from twoway.read.input import open_input
from twoway.series.model import InputError
from twtools.words import harmless

NUMBER = (int, float)
NULL = type(None)
LARGEST = 1e18
# Of these each run has its own; they make no set-ups unlike.
CHANCE = {"port", "irq_names", "irqs", "steal_ppm", "clocksources",
          "trace_events", "findings"}
NAMES = {dict: "object", list: "array", str: "string", bool: "boolean",
         int: "number", float: "number", NULL: "null"}


class Member:
    """A member of the file, which knows where it stands in it."""

    def __init__(self, path, value, where=""):
        self.path, self.value, self.where = path, value, where

    def bad(self, key, why):
        where = f"{self.where}.{key}" if self.where else key
        raise InputError(self.path, f"member {where}", why)

    def get(self, key, *types, default=...):
        """The value of a key, of one of the types (bool is no number)."""
        if key not in self.value:
            if default is ...:
                self.bad(key, "missing")
            return default
        value = self.value[key]
        if not isinstance(value, types) or \
                isinstance(value, bool) and bool not in types:
            names = " or ".join(dict.fromkeys(NAMES[t] for t in types))
            self.bad(key, f"{json.dumps(value)[:40]} is no {names}")
        if isinstance(value, NUMBER) and not abs(value) < LARGEST:
            self.bad(key, f"{value} is too large")
        return value

    def count(self, key, default=...):
        value = self.get(key, int, default=default)
        if value < 0:
            self.bad(key, f"{value} is no count")
        return value

    def inner(self, key):
        """A member that is an object; an empty one if it is not there."""
        value = self.get(key, dict, NULL, default=None)
        where = f"{self.where}.{key}" if self.where else key
        return Member(self.path, value or {}, where)

    def items(self, key):
        """Members that are objects in an array; none if it is not there."""
        for i, value in enumerate(self.get(key, list, NULL, default=None)
                                  or []):
            if not isinstance(value, dict):
                self.bad(f"{key}[{i}]", "no object")
            yield Member(self.path, value, f"{self.where}.{key}[{i}]")


def flat(member, prefix=""):
    """Simple values by name: what can be compared."""
    result = {}
    for key, value in member.value.items():
        if key in CHANCE:
            continue
        if isinstance(value, dict):
            result.update(flat(member.inner(key), f"{prefix}{key} "))
        elif isinstance(value, list):
            if all(isinstance(item, (str, int, float)) for item in value):
                result[prefix + key] = " ".join(map(str, value))
        else:
            result[prefix + key] = value
    return result


def plain(value):
    """Texts of others as one line each."""
    return harmless(value) if isinstance(value, str) else \
        list(map(plain, value)) if isinstance(value, list) else value


def no_number(name):
    raise ArithmeticError(f"{name} is no number")


def load(path):
    """The whole file as a Member."""
    with open_input(path) as file:
        text = file.read()
    try:
        value = json.loads(
            text, parse_constant=no_number, object_pairs_hook=lambda pairs: {
                harmless(key): plain(one) for key, one in pairs})
    except UnicodeDecodeError as err:
        raise InputError(path, text[:err.start].count(b"\n") + 1,
                         "not UTF-8") from None
    except json.JSONDecodeError as err:
        raise InputError(path, err.lineno,
                         f"not JSON: {err.msg}, column {err.colno}") from None
    except (ArithmeticError, ValueError) as err:    # of 5000 digits, too
        raise InputError(path, None, f"not JSON: {err}") from None
    except RecursionError:
        raise InputError(path, None, "not JSON: nested too deep") from None
    if not isinstance(value, dict):
        raise InputError(path, 1, "no object of results")
    return Member(os.fspath(path), value)
