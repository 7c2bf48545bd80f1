# SPDX-License-Identifier: GPL-2.0-or-later
"""What a result of twowaytest or cyclictest tells of its first pair.

A column is a pair with its phases, or one metric: of cyclictest, between two
hosts, and with --metrics.
"""


def metrics(result):
    """{metric: statistics}; that of cyclictest is None."""
    found = {}
    for thread in (result or {}).get("thread", {}).values():
        for metric, one in {**thread.get("phases", {}),
                            thread.get("metric"): thread}.items():
            found.setdefault(metric, one)
    return found


def missed(result):
    """Of all pairs; None: not told."""
    twoway = (result or {}).get("twoway", {})
    return sum(pair["missed"] for pair in twoway["pairs"]) \
        if "pairs" in twoway else twoway.get("missed")
