# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of apt's sources is Debian's; other vendors' are like it in form.

Of an index that was read, its Release file tells. Where none was read, as in
an image of a container, the key tells that the source is signed with.
"""

import dataclasses
import pathlib
import re

from vl_common import LabError, call

# Not Debian-Security, which has neither kernels of other suites nor backports.
RELEASE_FILE = ("Debian", "Debian")         # its Origin and Label
SUITE = re.compile(r"[a-z]+(-(backports|(proposed-)?updates))?")
KEY = re.compile(r"\bsigned-by\s*[=:].*/debian-archive-", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Source:
    """What apt says of an index; origin is None as long as none was read."""
    site: str
    component: str
    suite: str
    entry: str              # FILE:NUMBER
    origin: str | None = None
    label: str | None = None

    @property
    def signed(self):
        """Whether its entry names a key of Debian's."""
        path = pathlib.Path(self.entry.rpartition(":")[0])
        try:
            text = path.read_text(errors="replace")
        except OSError:
            return False
        text = re.sub(r"^\s*#.*\n?", "", text, flags=re.MULTILINE)
        site = re.compile(rf"(?<!\S){re.escape(self.site)}/?(?!\S)")
        blocks = re.split(r"\n\s*\n", text) if path.suffix == ".sources" \
            else text.splitlines()
        return any(site.search(block) and KEY.search(block)
                   for block in blocks)

    def __str__(self):
        origin = "not read" if self.origin is None else \
            f"Origin '{self.origin}', Label '{self.label}'"
        return f"{self.site} {self.suite} ({origin})"


def sources(variables, *options):
    """Those with the component that kernels are in."""
    rows = call(["apt-get", "indextargets", *options, "--format",
                 "\t".join(f"$({name})" for name in variables),
                 "Created-By: Packages"]).splitlines()
    # A variable that has no value stays as it is.
    found = [Source(*(re.sub(r"^\$\(.*", "", word)
                      for word in row.split("\t"))) for row in rows]
    return [one for one in found if one.component == "main"]


def site():
    """Where the system has Debian's own packages from."""
    entry = ("SITE", "COMPONENT", "RELEASE", "SOURCESENTRY")
    read = sources((*entry, "ORIGIN", "LABEL"))
    known = [one for one in read if (one.origin, one.label) == RELEASE_FILE]
    if known:
        return known[0].site
    seen = {(one.site, one.suite) for one in read}
    unread = [one for one in sources(entry, "--no-release-info")
              if (one.site, one.suite) not in seen]
    known = [one for one in unread
             if SUITE.fullmatch(one.suite) and one.signed]
    if known:
        return known[0].site
    found = ", ".join(dict.fromkeys(map(str, [*read, *unread])))
    raise LabError("none of apt's sources with the component 'main' is "
                   "Debian's, by Origin and Label 'Debian' in its Release "
                   "file or, before an index is read, signed by a key "
                   "debian-archive-*: add one to /etc/apt/sources.list.d, or "
                   "run 'apt-get update' if there is one (sources now: "
                   f"{found or 'none'})")
