# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's packages: the system's apt, or one of our own.

apt of another suite or architecture has its lists and its state in the
cache; nothing of the system is changed, and no root is needed.
"""

import dataclasses
import os
import pathlib
import re
import time

import vl_sources
from twtools.options import bad
from vl_common import CallError, LabError, cache, call, need
from vl_directory import alone
from vl_machine import DEFAULT, MACHINES

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
FRESH_S = 3600          # an index that is younger is used as it is
READ = "read"           # of the time when the index was read
SUITE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
# apt has asked for the index by its sum before, then by its name.
MISMATCH = re.compile("unexpected size|Hash Sum mismatch")
# What a kernel package of 7.3 and later consists of.
PART = re.compile(r"linux-(?:image|binary|modules)-[0-9][^\s,]*")
# The name of the newest one of its kind, without the architecture.
NEWEST = re.compile(r"linux-image-([a-z]+-)*")
CONFIGURATION = """\
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Dir::State "{base}";
Dir::State::status "{base}/status";
Dir::Cache "{base}";
Dir::Etc::sourcelist "{base}/sources.list";
Dir::Etc::sourceparts "-";
#clear APT::Update::Post-Invoke;
"""
# The last line: the system's own commands may empty its cache while others
# install from it.


def suite(text):
    """A type: the name of a suite."""
    if not SUITE.fullmatch(text):
        raise bad(text, "the name of a suite, such as trixie-backports,")
    return text


@dataclasses.dataclass
class Apt:
    """Of a suite and an architecture; without a suite, the system's."""
    suite: str = ""
    arch: str = ""
    options: tuple = ()

    @property
    def where(self):
        return f"{self.suite}, {self.arch}" if self.suite else "this system"

    def cache(self, command, *words):
        return call(["apt-cache", *self.options, command, *words])

    def names(self, beginning):
        """Packages whose names begin so."""
        return self.cache("pkgnames", beginning).split()

    def show(self, packages):
        """{package: text} of the newest version of each."""
        text = self.cache("show", "--no-all-versions", *packages)
        return {field(one, "Package"): one
                for one in text.strip().split("\n\n")}

    def about(self, package):
        """What the index says of a package."""
        try:
            return self.cache("show", "--no-all-versions", package)
        except LabError as err:
            known = sorted(name for name in self.names("linux-image-")
                           if NEWEST.fullmatch(name.replace(self.arch, "")))
            raise LabError(
                f"{package}: no such package in {self.where} (kernels there: "
                f"{', '.join(known) or 'none'})\n  {err}") from None

    def parts(self, package):
        """{name: text} of it, and of what it depends on of a kernel."""
        found, left = {}, [package]
        while left:
            name = left.pop()
            text = self.about(name)
            # What only another package provides, apt shows as nothing.
            if text:
                found[name] = text
            left += [one for one in PART.findall(field(text, "Depends"))
                     if one not in found]
        if not found:
            raise LabError(f"{package}: no package in {self.where}, only "
                           "provided by others: give one of these")
        return found

    def download(self, packages, directory):
        call(["apt-get", *self.options, "-q", "download", *packages],
             cwd=directory)


def field(text, name):
    found = re.search(rf"^{name}: (.*)", text, re.MULTILINE)
    return found[1] if found else ""


def configure(base, suite, arch):
    """Writes what apt is to know."""
    for name in ("lists/partial", "archives/partial"):
        (base / name).mkdir(parents=True, exist_ok=True)
    (base / "status").touch()
    (base / "sources.list").write_text(
        f"deb [signed-by={KEYS}] {vl_sources.site()} {suite} main\n")
    (base / "apt.conf").write_text(
        CONFIGURATION.format(arch=arch, base=base))


def fresh(base):
    try:
        return 0 <= time.time() - (base / READ).stat().st_mtime < FRESH_S
    except OSError:
        return False


def read_index(suite, arch, options):
    """apt-get update; no part of an index may be missing."""
    try:
        call(["apt-get", *options, "-q", "update", "--error-on=any"],
             env={**os.environ, "LC_ALL": "C.UTF-8"})
    except CallError as err:
        # Errors first.
        said = sorted(re.findall(r"^[EW]: .*", err.output, re.MULTILINE))
        why = "does not belong to its Release file: the mirror is being " \
            "updated, or is damaged; try again later, or give the system " \
            "another mirror" \
            if any(map(MISMATCH.search, said)) else \
            "cannot be read: is there a network, and has Debian this suite " \
            "with this architecture?"
        raise LabError(f"the index of {suite} for {arch} {why}\n  "
                       + "\n  ".join(said or [str(err)])) from None


def own(suite, arch):
    """apt of another suite or architecture, its index an hour old at most."""
    base = pathlib.Path(cache() / "apt" / f"{suite}-{arch}").resolve()
    # The system's own configuration has the proxy.
    options = (f"-c={base}/apt.conf",)
    with alone(base):
        if not fresh(base):
            configure(base, suite, arch)
            read_index(suite, arch, options)
            (base / READ).touch()
    return Apt(suite, arch, options)


def find(suite=None, arch=DEFAULT):
    """apt of a suite; without one, the system's if its packages will do."""
    for program, package in (("apt-get", "apt"), ("dpkg-deb", "dpkg")):
        need(program, package)
    if not suite and call(["dpkg", "--print-architecture"]).strip() == arch:
        return Apt(arch=arch)
    suite = suite or MACHINES[arch].suite
    if not pathlib.Path(KEYS).exists():
        raise LabError(f"{KEYS} is missing: package debian-archive-keyring")
    return own(suite, arch)
