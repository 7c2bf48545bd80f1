# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of a history, one a kernel: their columns, and their changes."""

# Title of a column: measurement, metric, whether with its maximum.
COLUMNS = {
    "cyclictest": ("cyclictest", "wakeup", False),
    "wakeup": ("nanosleep", "wakeup", True),
    "send": ("nanosleep", "send", False),
    "sleep": ("nanosleep", "sleep", False),
    "receive": ("nanosleep", "receive", False),
    "response": ("nanosleep", "response", True),
    "posix: wakeup": ("posix", "wakeup", True),
    "posix: send": ("posix", "send", False),
    "posix: response": ("posix", "response", True),
    "closed loop": ("closed", "interval", False),
}
NAMES = {"standard": "standard", "preempt-rt": "PREEMPT_RT"}
# Between two neighbours; what is less is in the tables only.
CHANGE = 0.05


def by_arch(result):
    """{architecture: its rows}."""
    found = {}
    for row in result["kernels"]:
        found.setdefault(row["arch"], []).append(row)
    return found


def changed(before, after):
    """["wakeup +32 %", ...]: averages that changed by more than CHANGE."""
    found = []
    for title, (measurement, metric, _) in COLUMNS.items():
        one, other = (row["figures"][measurement][metric][0]
                      for row in (before, after))
        change = other / one - 1
        if abs(change) > CHANGE:
            found.append(f"{title} {change:+.0%}".replace("%", " %"))
    return found


def changes(result):
    """{"6.1 to 6.12": [[architecture, kernel, what changed]]}."""
    found = {}
    for arch, rows in by_arch(result).items():
        for kind in NAMES:
            series = [row for row in rows if row["kind"] == kind]
            for before, after in zip(series, series[1:]):
                what = changed(before, after)
                if what:
                    found.setdefault(
                        f"{before['series']} to {after['series']}",
                        []).append([arch, NAMES[kind], ", ".join(what)])
    return dict(sorted(found.items(), key=lambda item: [
        [int(part) for part in word.split(".")]
        for word in item[0].split(" to ")]))
