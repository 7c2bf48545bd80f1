# SPDX-License-Identifier: GPL-2.0-or-later
"""What else goes on in the system while something is measured."""

import dataclasses
import os
import pathlib
import resource

BOOT_ID = "/proc/sys/kernel/random/boot_id"
THERMAL = "devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_count"
ZONES = "class/thermal/thermal_zone*/temp"


def read(path):
    """The file's text; empty if the system has none."""
    try:
        return pathlib.Path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def numbers(pattern):
    found = [read(path) for path in pathlib.Path("/sys").glob(pattern)]
    return [int(text) for text in found if text.lstrip("-").isdecimal()]


def own_s():
    """CPU time of ourselves, and of all that was started and has ended."""
    return sum(usage.ru_utime + usage.ru_stime for usage in
               map(resource.getrusage, (resource.RUSAGE_SELF,
                                        resource.RUSAGE_CHILDREN)))


@dataclasses.dataclass
class Snapshot:
    ticks: list             # as in the first line of /proc/stat
    own_s: float
    thermal: int            # times that heat slowed a CPU; None: unknown

    @classmethod
    def take(cls):
        ticks = [int(word) for word in
                 (read("/proc/stat").splitlines() or [""])[0].split()[1:]]
        counts = numbers(THERMAL)
        return cls(ticks, own_s(), sum(counts) if counts else None)


def between(before, after):
    """What went on; None where this system does not tell."""
    steps = [b - a for a, b in zip(before.ticks, after.ticks)]
    total = sum(steps[:8])
    share = {"steal_percent": None, "others_percent": None}
    if total > 0 and len(steps) >= 8:
        ours = (after.own_s - before.own_s) * os.sysconf("SC_CLK_TCK")
        share = {
            "steal_percent": round(100 * steps[7] / total, 2),
            # user, nice, system
            "others_percent": round(
                max(0.0, 100 * (sum(steps[:3]) - ours) / total), 1)}
    heat = None if None in (before.thermal, after.thermal) else \
        after.thermal - before.thermal
    degrees = numbers(ZONES)
    return {**share, "thermal_events": heat,
            "hottest_celsius": max(degrees) / 1000 if degrees else None}
