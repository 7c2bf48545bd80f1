# SPDX-License-Identifier: GPL-2.0-or-later
"""What a verdict has to say of itself: what is unfair, disturbed, assumed."""

import functools
import math

from report.judge import gate_text, unlike
from twoway.compare import sure
from twtools import words

# Of a kind in a sentence; the tables have all.
several = functools.partial(words.several, most=4)


def by_run(runs, text_of, most):
    """Texts with the runs that they are of, each once."""
    names = {}
    for run in runs:
        if text := text_of(run):
            names.setdefault(text, []).append(run.place)
    return words.several([text if len(found) == len(runs) else
                          f"{text} in {several(found)}"
                          for text, found in names.items()], most)


def unfair(runs, metric):
    """Settings that differ, and who cannot be compared; None: nothing."""
    texts = []
    differ = [what for what, of, *_ in unlike.differences(runs)
              if of == "settings" and what not in unlike.HARMLESS]
    if differ:
        texts.append(f"settings differ: {several(differ)}")
    lacking = [run.title for run in runs if metric not in run.series]
    if lacking:
        texts.append(f"no {metric} was measured: {several(lacking)}")
    if len(runs) == 2 and (text := gate_text.uneven(runs)):
        texts.append(text)
    return f"The comparison is unfair: {'; '.join(texts)}." if texts \
        else None


def missed(run):
    if not run.missed or not run.count:
        return str(run.missed or "")
    percent, left = (100 * number / (run.missed + run.count)
                     for number in (run.missed, run.count))
    # Two digits of what is missed, or of what is left.
    decimals = 1 - math.floor(math.log10(min(percent, left)))
    text = f"{percent:.{max(0, decimals)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + " %"


def checked(run):
    return several(list(dict.fromkeys(
        name for name, _ in run.every("findings"))))


OTHERS = "", lambda run: words.several(run.every("others"), 2)
# What it is, and what it is of a run; "": not there.
KINDS = (("", lambda run: ", ".join(run.troubles)),
         ("missed expiries, which no cycle shows: ", missed),
         ("throttled cycles: ", lambda run: str(run.throttled or "")),
         OTHERS,
         ("", lambda run: "times of a virtual machine" * run.virtual),
         ("--check found ", checked))


def disturbed(runs):
    """Of a campaign, tables have the others that used a CPU."""
    kinds = [kind for kind in KINDS
             if kind is not OTHERS or not any(run.campaign for run in runs)]
    texts = [begin + text for begin, text_of in kinds
             if (text := by_run(runs, text_of, 2))]
    return f"Disturbed: {'; '.join(texts)}." if texts else None


def method(group):
    """What the sureness is of, and what it leaves out."""
    metric, runs = group.metric, group.runs
    silent, wander, warm = [], [], []
    for run in runs:
        blocks = sure.average(run.series[metric],
                              sure.steps_of(run, metric)).blocks
        start, _, wanders = sure.warm_up(blocks)
        (silent if blocks is None else warm if start else
         wander if wanders else []).append(run.title)
    text = "How much runs vary: 99 % interval by the means of 64 blocks of " \
        "consecutive cycles. "
    if silent:
        text = f"How much runs vary is not known, as {several(silent)} " \
            f"{'has' if len(silent) == 1 else 'have'} no blocks: these " \
            "are in a --dump, and in the JSON of twowaytest for its columns. "
    if warm:
        text += f"A warm-up is left out of {several(warm)}. "
    if wander:
        text += f"The level changes in the course of {several(wander)}. "
    once = [name for name, some in group.systems.items() if not some[1:]]
    return text + (f"{several(once)}: measured once, and equal runs may differ "
                   "by more: give several, as NAME=FILE,FILE."
                   if once else "Each system was measured several times.")
