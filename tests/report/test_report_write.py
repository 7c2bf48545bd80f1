# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of the report: plain ones, none of which is written before all are open."""

import os
import re
import resource
import signal
import stat
import subprocess

import made
import outside
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
    """The others stay as they were; new ones are empty."""
    (report.directory / target).mkdir(parents=True)
    others = {"r.html", "r.md", "figs/ranges.svg"} - {target}
    (report.directory / "figs").mkdir(exist_ok=True)
    for name in others:
        (report.directory / name).write_bytes(OLD)
    message = report(*files, status=1).stderr
    assert message == f"twowayreport: {target}: Is a directory\n"
    for name in names(report.directory):
        path = report.directory / name
        if path.is_file() and name != "a.csv":
            assert path.read_bytes() == (OLD if name in others else b"")


def test_full_disk(report, files):
    """A limit on file sizes ends writing as a full disk does."""
    for name in ("r.html", "r.md"):
        (report.directory / name).write_bytes(OLD)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        message = report(*files, status=1).stderr
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert re.fullmatch(r"twowayreport: \S+: File too large\n", message)
    for name in ("r.html", "r.md"):
        assert (report.directory / name).read_bytes() == OLD


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT,
                                    signal.SIGTERM])
def test_signal(tmp_path, number):
    """It ends at once, says nothing, and leaves nothing."""
    os.mkfifo(tmp_path / "a.csv")
    program = subprocess.Popen(
        [made.REPORT / "twowayreport", "-o", "r.html", "a.csv"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    # It gets its end of the pipe when it reads.
    with open(tmp_path / "a.csv", "wb"):
        outside.wait_for(lambda: outside.status(program.pid, "State")[0] == "S")
        program.send_signal(number)
        out = program.communicate(timeout=30)
    assert (program.returncode, *out) == (128 + number, b"", b"")
    assert names(tmp_path) == ["a.csv"]


def test_bad_file_among_good_ones_leaves_the_old_report(report, files):
    (report.directory / "r.html").write_bytes(OLD)
    made.write(report.directory, "b.csv", "nonsense\n")
    report(*files, "b.csv", status=1)
    assert (report.directory / "r.html").read_bytes() == OLD
    assert not (report.directory / "r.md").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mknod needs root")
def test_device_stays_a_device(report, files):
    """As root, -o /dev/null must not put a file in its place."""
    path = report.directory / "null"
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    before = path.lstat()
    report("-o", path, "-m", "send", "a.csv")
    assert path.lstat() == before


def test_link_is_followed(report, files):
    (report.directory / "r.html").symlink_to("real.html")
    report(*files)
    assert (report.directory / "r.html").is_symlink()
    page = (report.directory / "real.html").read_text()
    assert page.startswith("<!DOCTYPE html>")


GATED = ("-g", "-p", "50", "-d", "100", "a.csv", "x=a.csv", "b.csv")


@pytest.mark.parametrize("option", ["-g", "-r"])
def test_verdict_whose_page_cannot_be_written(report, option):
    """It is printed all the same; the status is that of an error."""
    made.write(report.directory, "a.csv", made.dump(made.cycles(3000)))
    made.write(report.directory, "b.csv", made.dump(made.cycles(3000, 2)))
    args = GATED if option == "-g" else (option, *GATED[1:])
    printed = report(*args).stdout
    done = report("-o", "/dev/full", *args, status=1)
    assert done.stdout == printed != ""
    assert done.stderr == \
        "twowayreport: /dev/full: No space left on device\n"


def into_closed(directory, *args):
    """Standard output is a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [made.REPORT / "twowayreport", *args], cwd=directory,
            stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(writer)


@pytest.mark.parametrize("more", [(), ("-t", "-")])
@pytest.mark.parametrize("shift, status", [(0, 0), (50_000, 2)])
def test_verdict_that_nobody_reads(tmp_path, more, shift, status):
    """As with "| head": the status is that of the verdict."""
    made.write(tmp_path, "a.csv", made.dump(made.cycles(3000)))
    made.write(tmp_path, "b.csv",
               made.dump(made.cycles(3000, 2, shift=shift)))
    done = into_closed(tmp_path, *more, *GATED)
    assert (done.returncode, done.stderr) == (status, "")


def test_tables_that_nobody_reads(tmp_path):
    made.write(tmp_path, "a.csv", made.dump(made.cycles(200)))
    done = into_closed(tmp_path, "-t", "-", "a.csv")
    assert done.returncode == 1
    assert done.stderr == "twowayreport: standard output: Broken pipe\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_standard_output_that_is_full(tmp_path):
    made.write(tmp_path, "a.csv", made.dump(made.cycles(200)))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [made.REPORT / "twowayreport", "-t", "-", "a.csv"], cwd=tmp_path,
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "twowayreport: standard output: No space left on " \
        "device\n"


def test_without_a_home(tmp_path):
    """What matplotlib says of its cache is no error of the user's."""
    made.write(tmp_path, "p.csv", made.PUBLISHED)
    done = subprocess.run(
        [made.REPORT / "twowayreport", "-o", "x.html", "p.csv"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"HOME": "/dev/null/none", "PATH": os.environ["PATH"]})
    assert (done.returncode, done.stderr) == (0, "")


def test_figures_of_an_earlier_report(report, files):
    """They stay, as they may be anybody's, and are named."""
    assert report(*files).stderr == ""
    assert report(*files).stderr == ""
    assert report("-f", "figs", "-F", "png", "-m", "send", "a.csv") \
        .stderr.endswith("figures that are not of this report are left there: "
                         "exceeding-send.svg, histogram-send.svg, phases.svg, "
                         "ranges.svg, time-line.svg\n")
