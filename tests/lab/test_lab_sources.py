# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of apt's sources is Debian's, of what made and real apts say."""

import re
import subprocess

import pytest

import lab as made
import vl_apt
import vl_common
import vl_sources

DEBIAN = "http://mirror.example/debian"
SECURITY = "http://mirror.example/debian-security"
VENDOR = "https://vendor.example/apt"
KEY = f"Signed-By: {vl_apt.KEYS}"
# site, suite, Origin, Label; a variable without a value is not replaced.
READ = {
    "vendor": (VENDOR, "bookworm", "Vendor", "Debian"),
    "unlabelled": (VENDOR, "bookworm", "Debian", "$(LABEL)"),
    "security": (SECURITY, "bookworm-security", "Debian", "Debian-Security"),
    "debian": (DEBIAN, "bookworm", "Debian", "Debian"),
}


@pytest.fixture
def apt(tmp_path, monkeypatch):
    """site(), where apt has read these, and its files are these."""
    def site(names, files=(), listed=()):
        for name, text in dict(files).items():
            made.write(tmp_path / name, text)
        read = [(*READ[name], "main", "a.sources") for name in names]

        def call(command):
            line = command[command.index("--format") + 1]
            rows = read
            if "--no-release-info" in command:
                rows = [*read, *listed]
            elif not read:
                rows = []
            return "".join(
                line.replace("$(SITE)", site_)
                .replace("$(COMPONENT)", rest[2])
                .replace("$(RELEASE)", suite)
                .replace("$(SOURCESENTRY)", f"{tmp_path / rest[3]}:1")
                .replace("$(ORIGIN)", rest[0]).replace("$(LABEL)", rest[1])
                + "\n" for site_, suite, *rest in rows)

        monkeypatch.setattr(vl_sources, "call", call)
        return vl_sources.site()
    return site


@pytest.mark.parametrize("names", [
    ("debian",), ("vendor", "debian"), ("unlabelled", "debian"),
    ("security", "debian"), ("vendor", "security", "debian", "vendor")])
def test_read(apt, names):
    """By the Release file, whatever comes before it."""
    assert apt(names) == DEBIAN


def unread(site, suite, component="main", file="a.sources"):
    return site, suite, "", "", component, file


def stanza(*sites, key=KEY):
    return f"Types: deb\nURIs: {' '.join(sites)}\nSuites: s\n{key}\n"


@pytest.mark.parametrize("text, file", [
    (stanza(DEBIAN), "a.sources"),
    (f"{stanza(VENDOR, key='Signed-By: /v.gpg')}\n{stanza(DEBIAN + '/')}",
     "a.sources"),
    (stanza(SECURITY, DEBIAN), "a.sources"),
    (f"deb [signed-by={vl_apt.KEYS}] {DEBIAN} bookworm main\n", "a.list"),
    (f"deb [arch=amd64 signed-by=/v.gpg,{vl_apt.KEYS}] {DEBIAN}/ b main\n",
     "a.list"),
])
def test_unread(apt, text, file):
    """By the key, where no index of it was read; never its security."""
    listed = [unread(VENDOR, "bookworm", file=file),
              unread(SECURITY, "bookworm-security", file=file),
              unread(DEBIAN, "bookworm", "contrib", file),
              unread(DEBIAN, "bookworm", file=file)]
    assert apt((), {file: text}, listed) == DEBIAN
    assert apt(("vendor", "security"), {file: text}, listed) == DEBIAN


@pytest.mark.parametrize("names, text, listed, said", [
    ((), "", (), "sources now: none"),
    # Of what was read, the key tells nothing.
    (("vendor",), stanza(VENDOR), (),
     f"{VENDOR} bookworm (Origin 'Vendor', Label 'Debian')"),
    (("unlabelled", "security"), "", (),
     f"{VENDOR} bookworm (Origin 'Debian', Label ''), {SECURITY} "),
    # Of another vendor's key, of another site, commented out, of no main.
    ((), stanza(VENDOR, key="Signed-By: /vendor.gpg"),
     [unread(VENDOR, "bookworm")], f"{VENDOR} bookworm (not read)"),
    ((), stanza(DEBIAN), [unread(VENDOR, "bookworm")], "(not read)"),
    ((), stanza(SECURITY), [unread(DEBIAN, "bookworm")], "(not read)"),
    ((), stanza(DEBIAN, key=f"# {KEY}"), [unread(DEBIAN, "bookworm")],
     "(not read)"),
    ((), stanza(VENDOR) + "\n" + stanza(DEBIAN, key=""),
     [unread(DEBIAN, "bookworm")], "(not read)"),
    ((), stanza(DEBIAN), [unread(DEBIAN, "bookworm", "contrib")],
     "sources now: none"),
    ((), stanza(SECURITY), [unread(SECURITY, "bookworm-security")],
     f"{SECURITY} bookworm-security (not read)"),
    ((), "", [unread(DEBIAN, "bookworm", file="missing")], "(not read)"),
])
def test_none(apt, names, text, listed, said):
    with pytest.raises(vl_common.LabError, match="none of apt's sources with "
                       "the component 'main' is Debian's.*apt-get update.*"
                       + re.escape(said)):
        apt(names, {"a.sources": text}, listed)


@pytest.fixture
def vendor(debian):
    """The system has another vendor's source before the made archive."""
    base = debian.directory / "vendor"
    made.write(base / "dists/bookworm/main/binary-amd64/Packages", "")
    made.write(base / "dists/bookworm/Release",
               "Origin: Vendor\nLabel: Debian\nSuite: bookworm\n"
               "Architectures: amd64\nComponents: main\nSHA256:\n")
    path = debian.directory / "sources.list"
    made.write(path, f"deb file:{base} bookworm main\n{path.read_text()}")
    return debian


def test_system(vendor):
    """A real apt, before and after it has read its indexes."""
    sources = vendor.cache / "apt/sid-amd64/sources.list"
    archive = (vendor.directory / "sources.list").read_text().split()[-3]
    for read in (False, True):
        if read:
            # Nothing tells of the key now.
            path = vendor.directory / "sources.list"
            path.write_text(re.sub(r"\[.*\] ", "", path.read_text()))
            subprocess.run(["apt-get", "-q", "update"], check=True,
                           env=vendor.environment, capture_output=True)
            (vendor.cache / "apt/sid-amd64/read").unlink()
        vendor("fetch", "-s", "sid", "linux-image-amd64")
        assert f"] {archive} sid main\n" in sources.read_text()
        sources.unlink()


def test_system_has_only_a_vendor(vendor):
    path = vendor.directory / "sources.list"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    err = vendor("fetch", "-s", "sid", "linux-image-amd64", status=1)[1]
    assert f"{vendor.directory}/vendor bookworm (not read)" in err
