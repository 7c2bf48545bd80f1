# SPDX-License-Identifier: GPL-2.0-or-later
"""study: both kernels, every set-up, both tools, in tables and pages."""

import importlib.util
import json
import os
import pathlib

import pytest

import lab as made
import outline
import vl_study

WHOLE = pathlib.Path(__file__).with_name("whole.txt")

# What it is asked for, in no time: the real program's results of 20 cycles.
TOOL = """#!/bin/sh
for word; do
	case $word in
	--json=*|--dump=*|--timer=*) set -- "$@" "$word" ;;
	esac
	shift
done
exec "{program}" -q -N -l 20 "$@"
"""
CYCLICTEST = """#!/bin/sh
for word; do :; done
cat >"${word#--json=}" <<'END'
{"file_version": 1, "cmdline:": "cyclictest", "rt_test_version:": "2.40",
 "num_threads": 1, "resolution_in_ns": 1, "thread": {"0": {
 "cycles": 3000, "min": 2000, "max": 9000, "avg": 3500.00, "cpu": 0,
 "node": 0}}}
END
"""


@pytest.fixture
def study(lab):
    for module in ("numpy", "matplotlib"):
        if not importlib.util.find_spec(module):
            pytest.skip(f"not installed: {module}")
    lab.program("tool", TOOL.replace("{program}", os.environ["TWOWAYTEST"]))
    lab.program("cyclictest", CYCLICTEST)
    lab.program("hackbench", "#!/bin/sh\n")
    other = made.image(lab.directory / "other", "6.9.2-made")

    def run(*args, **options):
        return lab("study", "-k", f"a={lab.kernel}", "-k", f"b={other}",
                   "-b", lab.tool, *args, **options)
    run.directory = lab.directory / "virtlab"
    run.lab = lab
    return run


def test_summary_and_pages(study):
    out, _ = study()
    summary = (study.directory / "summary.md").read_text()
    assert out.startswith(summary)
    assert "| metric | a, average | a, maximum | b, average | b, maximum |" \
        in summary
    tables = dict(part.split("\n", 1) for part in summary.split("\n## ")[1:])
    assert list(tables) == [
        "idle, posix", "idle, nanosleep", "idle, cyclictest", "fft, posix",
        "fft, nanosleep", "hackbench, posix", "hackbench, nanosleep"]
    assert "| wakeup | 3.5 | 9.0 | 3.5 | 9.0 |" in tables["idle, cyclictest"]
    for title, table in tables.items():
        if "cyclictest" in title:
            continue
        for i, kernel in enumerate("ab"):
            name = title.replace(", ", "-") + ".json"
            result = json.loads((study.directory / kernel / name).read_text())
            rows = [line.strip("| ").split(" | ")
                    for line in table.splitlines()[3:] if line]
            assert [[row[0], *row[1 + 2 * i:3 + 2 * i]] for row in rows] == [
                [metric, f"{one['avg'] / 1000:.1f}",
                 f"{one['max'] / 1000:.1f}"]
                for metric, one in result["thread"]["0"]["phases"].items()]
    for setup in ("idle", "fft", "hackbench"):
        page = (study.directory / f"{setup}.html").read_text()
        assert "Virtual: these are not the times of a machine." in page


def test_command_lines(tmp_path):
    """What is measured of each kernel."""
    outline.check(WHOLE, "study", " ".join(vl_study.words()).split(" -- "),
                  tmp_path)


def test_a_measurement_that_fails(study):
    """Is named; the others are in the report."""
    study.lab.program("cyclictest", 'case $KERNEL in *other) exit 1 ;; esac\n'
                      + CYCLICTEST.partition("\n")[2])
    study.lab.program("tool", 'case $*,$KERNEL in *fft*) exit 3 ;; esac\n'
                      + study.lab.tool.read_text().partition("\n")[2])
    out, err = study("-o", "there", status=1)
    there = study.lab.directory / "there"
    assert err == "virtlab: not measured: " + "; ".join(
        f"there/{name}.txt: exit status {status}" for name, status in (
            ("a/fft-posix", 3), ("a/fft-nanosleep", 3),
            ("b/idle-cyclictest", 1), ("b/fft-posix", 3),
            ("b/fft-nanosleep", 3))) + "\n"
    assert {path.name for path in there.glob("*.html")} == {
        "idle.html", "hackbench.html"}
    assert "b cyclictest" not in (there / "idle.html").read_text()
    assert "| wakeup | 3.5 | 9.0 | failed | failed |" in out
    assert not study.directory.exists()
