# SPDX-License-Identifier: GPL-2.0-or-later
"""From files to runs: which format it is, what belongs together."""

import codecs
import os
import pathlib
import re

from twoway.read import (campaign, dump, dump_pairs, end, primitives_json,
                         published, remarks, result, schema2, text,
                         timeline)
from twoway.read.input import forget_copies, open_input
from twoway.read.member import load
from twoway.series.model import TWO_CLOCKS, InputError, Run
from twtools.words import harmless

TABLE = re.compile(r"([a-z_]+,)*system,"
                   r"((cycles,)?min,avg,max(,stddev)?|finding)")
EXPECTED = ("twowaytest JSON, --dump or --timeline, "
            "primitivetest JSON, campaign.json, JSON or text of cyclictest, or "
            "a table with the columns system,min,avg,max")
ADVICE = "these are not one run; name them apart: NAME=FILE"


def read_json(path, name):
    data = load(path)
    schema2.read(data)
    if "primitives" in data.value:
        return [primitives_json.read(data, name)]
    if campaign.is_one(data):
        return campaign.read(data, name, read_parts)
    return result.read(data, name)


def reader_of(path):
    """What reads this file, by its content."""
    with open_input(path) as file:
        start = file.read(1 << 16)
    if not start.strip():
        raise InputError(path, None, "empty: the run did not end")
    if start.startswith(codecs.BOM_UTF8):
        raise InputError(path, 1, "the file begins with a byte order mark, "
                         "as on Windows; remove it: tail -c +4 FILE >NEW")
    if start.lstrip()[:1] in b"{[":
        return read_json
    lines = start.decode("ascii", "replace").split("\n")
    if lines[0].endswith("\r"):
        raise InputError(path, 1, "the line ends with CR LF, as on Windows; "
                         "LF is expected: tr -d '\\r' <FILE >NEW")
    if lines[0].startswith("# tracer: "):
        raise InputError(path, 1, "a trace of the kernel, which "
                         "https://ui.perfetto.dev shows; the cause is in the "
                         "JSON of the run: give that")
    for number, line in enumerate(lines, 1):
        if line == "# Histogram" or text.OWN.match(line):
            return text.read
        if line.encode() in dump.HEADERS:
            return dump.read
        if line.startswith(timeline.HEAD):
            return timeline.read
        if line.startswith("Workers,"):
            raise InputError(path, number, "a TRLTP log, which is not read: "
                             "give the file of --json of the same run; "
                             "figures of another program can be a table with "
                             "the columns system,min,avg,max")
        if TABLE.fullmatch(line):
            return published.read
        if line and not re.match(r"#|policy:|T: ?\d|\x1b", line):
            break
    else:
        if any(line.startswith("T:") for line in lines):
            return text.read
        raise InputError(path, None, f"only comments; expected: {EXPECTED}")
    raise InputError(path, number,
                     f"'{line[:60]}' is not understood; expected: {EXPECTED}")


def split(argument):
    """NAME=FILE,FILE..., or FILE: (name or None, paths)."""
    name, equals, path = argument.partition("=")
    if not equals or not name or os.path.exists(argument):
        return None, [argument]
    return name, [path] if os.path.exists(path) else path.split(",")


def names_of(arguments):
    """Each file's name, as given, or its own without what all ends in; its path;
    the system, if its runs are a list.

    Files of one name are one run, so what lies in several directories gets
    these in front.
    """
    given = [split(argument) for argument in arguments]
    pairs = [(None if paths[1:] else name, path, name if paths[1:] else "")
             for name, paths in given for path in paths]
    folders = {}
    for name, path, system in pairs:
        if name is None:
            path = pathlib.Path(path)
            folders.setdefault(path.stem, set()).add(path.absolute().parent)
    found = []
    for name, path, system in pairs:
        if name is None:
            name = pathlib.Path(path).stem
            if len(folders[name]) > 1:
                name = f"{pathlib.Path(path).absolute().parent.name}/{name}"
        found.append((harmless(f"{system} {name}".strip()), path,
                      harmless(system)))
    return found


def read_parts(path, name):
    try:
        return reader_of(path)(path, name)
    except OSError as err:
        raise InputError(path, None, err.strerror) from None


def off_grid(part, cycles, period_ns):
    """A remark if the expiries do not have this period."""
    seen = cycles.seen_period_ns()
    if not period_ns or not seen or \
            abs(seen - period_ns) <= max(period_ns, seen) / 100:
        return []
    return [f"{part.path}: most expiries are {seen // 1000} us apart, but an "
            f"interval of {period_ns // 1000} us is set: rms of interval, "
            f"and total, do not hold"]


def complete(parts, defaults):
    """Give a run's dump what its JSON says, or the options."""
    part = next((p for p in parts if p.kind == "dump"), None)
    if not part:
        return
    json = next((p for p in parts if p.kind == "json"), None)
    known = json.settings if json else {}
    if json and json.count != part.count + json.lost:
        raise InputError(
            part.path, None, f"{part.count} cycles, but {json.path} has "
            f"{json.count - json.lost}: {ADVICE}")
    pairs = part.cycles if isinstance(part.cycles, dict) else {}
    periods = periods_ns(pairs or {0: part.cycles}, json, defaults)
    period_ns = next(iter(periods.values()))
    every = list((pairs or {0: part.cycles}).values())
    one = every[0]
    if known.get("clocks") == "two" if json else any(
            cycles.apart for cycles in every):
        for cycles in every:
            cycles.set_two_clocks()
    sleep_us = 0 if one.alone else known.get("sleep_us", defaults.sleep)
    formula = known.get("total", defaults.total)
    if not json:
        part.settings = {"interval_us": period_ns // 1000,
                         "sleep_us": sleep_us, "total": formula}
        if one.two_clocks:
            part.settings["clocks"] = "two"
            part.remarks.append(TWO_CLOCKS)
        if pairs:
            part.settings["intervals_us"] = " ".join(
                str(period // 1000) for period in periods.values())
        part.remarks.append(
            f"given without its JSON: a sleep of {sleep_us} us is assumed")
        part.remarks += remarks.counted(missed=part.missed)
    for number, cycles in (pairs or {0: part.cycles}).items():
        part.remarks += [f"pair {number}: {said}" if pairs else said for said
                         in off_grid(part, cycles, periods[number])]
    part.lost = json.lost if json else 0
    settings = sleep_us * 1000, formula == "trltp3"
    workers = [step.workers for step in json.steps] if json else None
    if pairs:
        dump_pairs.complete(part, periods, *settings, workers,
                            defaults.wanted)
    else:
        dump.complete(part, period_ns, *settings, workers,
                      defaults.wanted)


def periods_ns(cycles, json, defaults):
    """Of each pair of a dump: as its JSON, the options, or itself tell."""
    known = {pair.number: pair.interval_us for pair in json.pairs} \
        if json else {}
    alone = json.settings.get("interval_us") if json else None
    given = defaults.interval if alone is None else alone
    found = {}
    for number, own in sorted(cycles.items()):
        period_us = known.get(number)
        if period_us is None:
            period_us = given
        found[number] = own.seen_period_ns() if period_us is None \
            else period_us * 1000
    return found


def same_program(parts):
    """Raise for a file of another program; a table does not tell its own."""
    known = [("cyclictest" if part.program == "cyclictest" else "twowaytest",
              part) for part in parts if part.kind != "published"]
    for program, part in known[1:]:
        first, other = known[0]
        if program != first:
            raise InputError(
                part.path, None, f"{part.name} has results of {program} "
                f"here, and of {first} in {other.path}: {ADVICE}")


def same_cycles(parts):
    """Raise for a timeline or a text that is not of the JSON of its name."""
    whole = next((p for p in parts if p.kind in ("json", "cyclictest")), None)
    for part in parts:
        if not whole or part.kind not in ("timeline", "text") or any(
                said.startswith(remarks.LACKING) for said in part.troubles):
            continue
        for metric in part.series.keys() & whole.series.keys():
            one, other = part.series[metric], whole.series[metric]
            if one.count != other.count:
                raise InputError(
                    part.path, None, f"{metric}: {one.count} cycles, but "
                    f"{other.count} in {whole.path}: {ADVICE}")
            if part.kind == "text" and \
                    abs(one.max_ns - other.max_ns) >= one.unit.ns:
                raise InputError(
                    part.path, None, f"{metric}: its maximum is not that in "
                    f"{whole.path}; the text of cyclictest -N is in ns and "
                    "does not say so: leave it out, as the JSON has all of it")


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
        same_program(members)
        complete(members, defaults)
        same_cycles(members)
        end.believe_json(members)
    for part in parts:
        part.virtual |= part.name in defaults.virtual
    names = [members[0].colour_name or members[0].of_system or members[0].name
             for members in together.values()]
    order = list(dict.fromkeys(names))
    return [Run(name, group, members, order.index(own))
            for own, ((name, group), members) in zip(names, together.items())]


def read_all(arguments, defaults):
    """Runs in the order given, and what was left out.

    defaults: the options interval, sleep, total, virtual, skip_bad, wanted.
    """
    parts, left_out = [], []
    forget_copies()
    for name, path, system in names_of(arguments):
        try:
            for part in read_parts(path, name):
                part.of_system = system
                parts.append(part)
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
