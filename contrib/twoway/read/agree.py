# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the files of one name tell of one run."""

import itertools

from twoway.series.model import InputError

# A dump does not have them of the first cycle of a step, nor after a gap.
FOLLOWING = ("interval", "total")
PRINTED_NS = 100        # logs and tables are rounded to 0.1 us
CYCLICTEST, TWOWAYTEST = "cyclictest", "twowaytest"
ADVICE = "these are not one run; name them apart: NAME=FILE"

IN_NS = "the text of cyclictest -N is in ns and does not say so; leave it " \
    "out, as the JSON has all of it"


def program_of(part):
    """The one that measured it; None: a table does not tell."""
    if part.kind == "published":
        return None
    return CYCLICTEST if part.program == CYCLICTEST else TWOWAYTEST


def same_program(parts):
    known = [part for part in parts if program_of(part)]
    for part in known[1:]:
        if program_of(part) != program_of(known[0]):
            raise InputError(
                part.path, None, f"{part.name} has results of "
                f"{program_of(part)} here, and of {program_of(known[0])} in "
                f"{known[0].path}: {ADVICE}")


def slack_ns(part, series, key):
    """How far a printed figure may be off."""
    if part.kind == "dump":
        return 0
    if part.kind in ("log", "published"):
        return max(PRINTED_NS, series.unit.ns)
    if key == "avg_ns" and part.kind != "text":
        return series.unit.ns / 50          # it has two decimals
    return series.unit.ns


def lacking_of(a, b, metric):
    """Of two parts, the dump that lacks cycles of this metric, or None.

    Of a cycle that the run's end has cut short, it may lack the request.
    """
    cut = metric == "planned" and (a.unanswered or b.unanswered)
    return next((part for part in (a, b) if part.kind == "dump" and
                 (part.lost or cut or metric in FOLLOWING)), None)


def contradiction(a, b, metric, one, two):
    """What two series of a metric contradict each other in, or None."""
    lacking = lacking_of(a, b, metric)
    if not lacking and None not in (one.count, two.count) and \
            one.count != two.count:
        return "cycles", str(one.count), str(two.count)
    for key in ("min_ns", "max_ns", "avg_ns"):
        values = getattr(one, key), getattr(two, key)
        if None in values:
            continue
        off = values[1] - values[0]
        slack = max(slack_ns(a, one, key), slack_ns(b, two, key)) + \
            max(map(abs, values)) * 1e-9 + 1
        if lacking:     # its cycles are some of the other's
            off *= 1 if lacking is b else -1
            bad = key == "min_ns" and off < -slack or \
                key == "max_ns" and off > slack
        else:
            bad = abs(off) > slack
        if bad:
            return (key[:3], *(f"{value / 1000:.3f} us".replace(".000", "")
                               for value in values))
    return None


def tables_of(part):
    """Results that can be compared: (what they are of, series)."""
    # A ramp's log has no results of all steps together.
    if not (part.kind == "log" and (part.steps or part.ramp)):
        yield "", part.series
        for pair in part.pairs:
            yield f" of pair {pair.number}", pair.series
    for step in part.steps:
        yield f" with {step.workers} workers", step.series
    for step in part.ramp:
        yield f" of the first pair beside {step.others}", step.first


def thousandfold(one, two):
    """Whether ns were taken for us."""
    low, high = sorted([one.max_ns, two.max_ns])
    return 0 < 900 * low <= high <= 1100 * low


def agree(a, b, assumed):
    """Raise if two parts of a run contradict each other.

    assumed: whether the dump's total was computed with guessed settings.
    """
    if len(a.pairs) != len(b.pairs) and \
            not {"published", "trace"} & {a.kind, b.kind} and \
            not (a.lost or b.lost):
        raise InputError(b.path, None, f"pairs: {len(b.pairs) or 1}, but "
                         f"{len(a.pairs) or 1} in {a.path}: {ADVICE}")
    tables = dict(tables_of(a))
    for where, table in tables_of(b):
        for metric, two in table.items():
            one = tables.get(where, {}).get(metric)
            # Of a dump's first cycle, and in old results, the wakeup may
            # have another begin.
            if one is None or metric == "total" and assumed or \
                    metric == "wakeup" and "dump" in (a.kind, b.kind):
                continue
            found = contradiction(a, b, metric, one, two)
            if not found:
                continue
            key, first, second = found
            raise InputError(
                b.path, None, f"{metric}{where}: {key} {second}, but "
                f"{first} in {a.path}: " + (
                    IN_NS if a.program == CYCLICTEST and
                    "text" in (a.kind, b.kind) and thousandfold(one, two)
                    else ADVICE))


def check(parts):
    """Of one name: raise if they cannot be of one run."""
    assumed = any(part.kind == "dump" for part in parts) and \
        not any(part.kind == "json" for part in parts)
    for a, b in itertools.combinations(parts, 2):
        agree(a, b, assumed)
