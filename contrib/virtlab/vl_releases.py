# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernels that Debian has packaged: what its suites' indexes say."""

import dataclasses
import re
import sys

import vl_apt
import vl_kernel
from twtools.words import harmless_lines
from vl_common import LabError

# Oldest first: of two packages of one release, the first suite's is taken.
SUITES = ("bullseye", "bookworm", "bookworm-backports", "trixie",
          "trixie-backports", "sid")
KINDS = ("standard", "preempt-rt")


@dataclasses.dataclass(frozen=True)
class Release:
    """A packaged kernel."""
    arch: str
    kind: str
    version: str            # 6.12.107
    package: str
    suite: str

    @property
    def numbers(self):
        return tuple(map(int, self.version.split(".")))

    @property
    def series(self):
        return ".".join(self.version.split(".")[:2])

    @property
    def name(self):
        """Of its directory of results."""
        return f"{self.version}-{self.kind}"

    def kernel(self):
        return vl_kernel.fetched(self.name, self.package, suite=self.suite,
                                 arch=self.arch)


def of_suite(suite, arch):
    """Those of one suite."""
    debian = vl_apt.find(suite, arch)
    # Neither debugging information nor other flavours.
    form = re.compile(rf"linux-image-[0-9][0-9.]*[+-][a-z0-9.]+-(rt-)?{arch}")
    found = sorted(filter(form.fullmatch, debian.names("linux-image-")))
    for package, text in debian.show(found).items() if found else ():
        version = re.match(r"[0-9.]+", vl_apt.field(text, "Version"))
        if version:
            kind = KINDS[form.fullmatch(package)[1] is not None]
            yield Release(arch, kind, version[0], package, suite)


def every(arch, unread):
    """All of an architecture, in the order of the suites.

    A suite that cannot be read is named, and appended to unread.
    """
    found = []
    for suite in SUITES:
        try:
            found += of_suite(suite, arch)
        except LabError as err:
            print(f"virtlab: {suite} for {arch} is left out: "
                  f"{harmless_lines(err)}", file=sys.stderr)
            unread.append(f"{suite} {arch}")
    return found


def once(releases):
    """Oldest first, each version of a kind once: the first of several."""
    found = {}
    for one in releases:
        found.setdefault((one.numbers, one.kind), one)
    return [found[key] for key in sorted(found)]


def packaged(arch, unread):
    """All of an architecture, oldest first, each version of a kind once."""
    return once(every(arch, unread))


def newest(releases):
    """Of each series and kind the newest."""
    found = {(one.series, one.kind): one for one in releases}
    return sorted(found.values(), key=lambda one: (
        one.numbers, KINDS.index(one.kind)))
