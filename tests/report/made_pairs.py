# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of several pairs in every format: plain arithmetic."""

import made

PERIODS = (1_000_000, 2_000_000, 3_000_000)


def pairs(counts, seed=1, periods=PERIODS, start=10**12, **how):
    """Pair -> rows of its dump; all begin at nearly the same time."""
    return {k: [(k, *row[1:]) for row in made.cycles(
        count, 10 * seed + k, periods[k], start=start + 5000 * k, **how)]
        for k, count in enumerate(counts)}


def ramp(steps, count=300, **how):
    """Pair -> rows of each step, from one pair to as many as steps.

    Pair K takes part from step K on.
    """
    result = {}
    for step in range(steps):
        found = pairs([count // (k + 1) for k in range(step + 1)], step + 1,
                      start=10**12 * (step + 1), **how)
        for pair, rows in found.items():
            result.setdefault(pair, []).append(rows)
    return result


def joined(found):
    """Of a ramp: pair -> rows of all its steps."""
    return {pair: [row for rows in steps for row in rows]
            for pair, steps in found.items()}


def dump(found, chunk=7):
    """Pairs take turns in the file, some rows each."""
    rows, left = [], {pair: list(own) for pair, own in found.items()}
    while any(left.values()):
        for own in left.values():
            rows += own[:chunk]
            del own[:chunk]
    return made.dump(rows)


def values(found, periods=PERIODS):
    """Pair -> metric -> values."""
    return {pair: made.values(rows, periods[pair])
            for pair, rows in found.items()}


def all_of(found, metric, periods=PERIODS):
    return [value for own in values(found, periods).values()
            for value in own[metric]]


def threads(found, periods=PERIODS, width=10**9):
    result = {}
    for pair, own in values(found, periods).items():
        for metric in made.METRICS:
            result[str(len(result))] = made.json_thread(
                metric, own[metric], width, periods[pair], pair) | {
                    "cpu": 4 + pair}
    return result


def step(i, found, periods, ramp):
    """Of a ramp of pairs, each pair; else all together."""
    if ramp != "pairs":
        return {"units": 0, "rate": 0.0, "missed": 30 + i,
                "phases": made.phases({
                    metric: all_of(found, metric, periods)
                    for metric in made.METRICS})}
    return {"others": i, "pairs": [
        {"missed": 0 if pair else 30 + i, "inversions": 0 if pair else 40 + i,
         "phases": made.phases(own, periods[pair])}
        for pair, own in values(found, periods).items()]}


def twoway(found, steps=(), periods=PERIODS, **settings):
    """Results of --json. Steps: pair -> rows each."""
    data = made.twoway(found[0], **settings)
    data["thread"] = threads(found, periods)
    data["num_threads"] = len(data["thread"])
    data["twoway"] |= {
        "inversions": [20 + pair for pair in found],
        "pairs": [{"missed": 10 + pair, "client": {
            "cpus": str(4 + pair), "policy": "fifo",
            "priority": 98 - 2 * pair}} for pair in found],
        "steps": [step(i, own, periods, settings.get("ramp"))
                  for i, own in enumerate(steps)]}
    return data


def steps_of(found):
    """Of a ramp: pair -> rows, for each step."""
    return [{pair: own[step - pair] for pair, own in found.items()
             if pair <= step} for step in range(len(found[0]))]


def ramp_json(found):
    return twoway(joined(found), steps_of(found), ramp="pairs",
                  servers="one", order="priority")
