# SPDX-License-Identifier: GPL-2.0-or-later
"""From files to runs: which format it is, what belongs together."""

import os
import pathlib
import re

import tr_dump
import tr_json
import tr_text
from tr_input import forget_copies, open_input
from tr_model import InputError, Run

TABLE = re.compile(r"([a-z_]+,)*system,"
                   r"((cycles,)?min,avg,max(,stddev)?|finding)")
EXPECTED = ("twowaytest JSON or --dump, cyclictest JSON or -h text, a TRLTP "
            "log, or a table with the columns system,min,avg,max")


def reader_of(path):
    """What reads this file, by its content."""
    with open_input(path) as file:
        start = file.read(1 << 16)
    if not start.strip():
        raise InputError(path, None, "the file is empty")
    if start.lstrip()[:1] in b"{[":
        return tr_json.read
    lines = start.decode("ascii", "replace").split("\n")
    for line in lines:
        if line == "# Histogram":
            return tr_text.read_histogram
        if line == tr_dump.HEADER.decode():
            return tr_dump.read
        if line.startswith("Workers,"):
            return tr_text.read_log
        if TABLE.fullmatch(line):
            return tr_text.read_published
        if line and not re.match(r"#|policy:|T: ?\d|\x1b", line):
            break
    raise InputError(path, lines.index(line) + 1,
                     f"'{line[:60]}' is not understood; expected: {EXPECTED}")


def split(argument):
    """NAME=FILE, or FILE: (name or None, path)."""
    name, equals, path = argument.partition("=")
    if equals and name and not os.path.exists(argument):
        return name, path
    return None, argument


def names_of(arguments):
    """Each file's name: as given, or its own without what all ends in.

    Files of one name are one run, so what lies in several directories gets
    these in front.
    """
    pairs = [split(argument) for argument in arguments]
    folders = {}
    for name, path in pairs:
        if name is None:
            path = pathlib.Path(path)
            folders.setdefault(path.stem, set()).add(path.absolute().parent)
    result = []
    for name, path in pairs:
        if name is None:
            name = pathlib.Path(path).stem
            if len(folders[name]) > 1:
                name = f"{pathlib.Path(path).absolute().parent.name}/{name}"
        result.append((name, path))
    return result


def read_parts(path, name):
    try:
        return reader_of(path)(path, name)
    except OSError as err:
        raise InputError(path, None, err.strerror) from None


def complete(parts, defaults):
    """Give a run's dump what its JSON says, or the options."""
    dump = next((p for p in parts if p.kind == "dump"), None)
    if not dump:
        return
    json = next((p for p in parts if p.kind == "json"), None)
    known = json.settings if json else {}
    if json and json.count != dump.count + json.lost:
        raise InputError(
            dump.path, None, f"{dump.count} cycles, but {json.path} has "
            f"{json.count - json.lost}: these are not one run; name them "
            f"apart, NAME=FILE")
    if "interval_us" in known:
        period_ns = known["interval_us"] * 1000
    elif defaults.interval is not None:
        period_ns = defaults.interval * 1000
    else:
        period_ns = dump.cycles.seen_period_ns()
    sleep_us = known.get("sleep_us", defaults.sleep)
    formula = known.get("total", defaults.total)
    if not json:
        dump.settings = {"interval_us": period_ns // 1000,
                         "sleep_us": sleep_us, "total": formula}
        dump.remarks.append(
            f"no JSON: a sleep of {sleep_us} us is assumed")
        missed = int(dump.cycles.missed[1].sum())
        if missed:
            dump.remarks.append(f"missed expiries: {missed}")
    dump.lost = json.lost if json else 0
    tr_dump.complete(dump, period_ns, sleep_us * 1000, formula == "trltp3",
                     [step.workers for step in json.steps] if json else None,
                     defaults.wanted)


def runs_of(parts, defaults):
    """Put together what has one name; a second of a kind is a mistake."""
    together = {}
    for part in parts:
        members = together.setdefault((part.name, part.group), [])
        for other in members:
            if other.kind == part.kind and (
                    part.kind != "published" or other.path == part.path):
                raise InputError(
                    part.path, None, f"{part.name} has a {other.what()} "
                    f"already; name them apart: NAME=FILE")
        members.append(part)
    for members in together.values():
        complete(members, defaults)
        for part in members:
            if part.kind == "log" and len(members) > 1:
                part.remarks = []       # the others have all together
    for part in parts:
        part.virtual |= part.name in defaults.virtual
    kin = [members[0].kin or members[0].name
           for members in together.values()]
    order = list(dict.fromkeys(kin))
    return [Run(name, group, members, order.index(own))
            for own, ((name, group), members) in zip(kin, together.items())]


def read_all(arguments, defaults):
    """Runs in the order given, and what was left out.

    defaults: the options interval, sleep, total, virtual, skip_bad, wanted.
    """
    parts, left_out = [], []
    forget_copies()
    for name, path in names_of(arguments):
        try:
            parts += read_parts(path, name)
        except InputError as err:
            if not defaults.skip_bad:
                raise
            left_out.append(str(err))
    unknown = set(defaults.virtual) - {part.name for part in parts}
    if unknown:
        raise InputError("--virtual", None,
                         f"no run is called '{min(unknown)}'; there are: "
                         + ", ".join(dict.fromkeys(p.name for p in parts)))
    if not parts:
        raise InputError("no file can be used", None, "; ".join(left_out))
    return runs_of(parts, defaults), left_out
