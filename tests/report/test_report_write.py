# SPDX-License-Identifier: GPL-2.0-or-later
"""What is written is written whole, or not at all."""

import os
import resource
import signal
import stat

import made
import pytest

OLD = b"what was there before"


@pytest.fixture
def files(report):
    made.write(report.directory, "a.csv", made.dump(made.cycles(200)))
    return ("-o", "r.html", "-t", "r.md", "-f", "figs", "-F", "svg", "-m",
            "send", "a.csv")


def names(directory):
    return sorted(str(path.relative_to(directory))
                  for path in directory.rglob("*"))


def test_nothing_but_what_was_asked_for(report, files):
    old = os.umask(0o027)
    try:
        report(*files)
    finally:
        os.umask(old)
    found = names(report.directory)
    assert [name for name in found if not name.startswith("figs/")] == \
        ["a.csv", "figs", "r.html", "r.md"]
    for name in ("r.html", "r.md"):
        mode = (report.directory / name).stat().st_mode
        assert stat.S_IMODE(mode) == 0o640


@pytest.mark.parametrize("target", ["r.html", "r.md", "figs/phases.svg"])
def test_target_that_cannot_be_written(report, files, target):
    """The others are not written, either."""
    (report.directory / target).mkdir(parents=True)
    before = names(report.directory)
    message = report(*files, status=1).stderr
    assert target in message
    assert names(report.directory) == before


def test_full_disk(report, files):
    """A limit on file sizes ends writing as a full disk does."""
    for name in ("r.html", "r.md"):
        (report.directory / name).write_bytes(OLD)
    before = names(report.directory)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        report(*files, status=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert names(report.directory) == before
    for name in ("r.html", "r.md"):
        assert (report.directory / name).read_bytes() == OLD


def test_bad_file_among_good_ones_leaves_the_old_report(report, files):
    (report.directory / "r.html").write_bytes(OLD)
    made.write(report.directory, "b.csv", "nonsense\n")
    report(*files, "b.csv", status=1)
    assert (report.directory / "r.html").read_bytes() == OLD
    assert not (report.directory / "r.md").exists()
