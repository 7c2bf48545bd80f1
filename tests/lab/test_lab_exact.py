# SPDX-License-Identifier: GPL-2.0-or-later
"""Two exact boots: the same bytes twice. Their results are marked."""

import shutil
import subprocess
import sys

import pytest

import guests
import lab as made
import schema
import vl_programs

SCHEMA = schema.TWOWAY
REPORT = made.TOP / "contrib/report/twowayreport"
MEASURED = ("idle", "loaded", "slower", "slower-again")


def test_same_bytes_twice(cloud):
    """Every file: JSON, dump, text, of an idle and of a loaded guest."""
    one, two = cloud
    assert one.files() == two.files()
    assert set(one.files()) >= {
        "idle.json", "idle.csv", "idle.txt", "loaded.json", "loaded.csv",
        "loaded.txt", "lab.json"}
    assert guests.virtlab("compare", one.path, two.path) == "identical\n"


@pytest.mark.parametrize("name, other", [
    ("idle", "slower"), ("idle", "loaded"),
    ("slower", "slower-again")])
def test_other_measurements_differ(cloud, name, other):
    """And compare says in what: metric and figure."""
    paths = [cloud[0].path / f"{n}.json" for n in (name, other)]
    out = guests.virtlab("compare", *paths, status=2)
    values = [cloud[0].metric(n, "wakeup") for n in (name, other)]
    figure = next(key for key in ("min", "avg", "max", "stddev")
                  if values[0][key] != values[1][key])
    rows = [line.split()[:4] for line in out.splitlines()]
    assert ["wakeup", figure, *(str(value[figure]) for value in values)] in \
        rows
    assert "chance" not in out


def test_measured(cloud):
    """All cycles, and the load worked."""
    for name, cycles in (("idle", 300), ("loaded", 200), ("slower", 300)):
        assert cloud[0].metric(name, "response")["cycles"] == cycles
    for name, cycles in (("idle", 300), ("loaded", 200)):
        rows = [line for line in cloud[0].text(f"{name}.csv").splitlines()
                if line[0].isdigit()]
        assert len(rows) == cycles
    assert "# Load: hackbench, 1 group" in cloud[0].text("loaded.txt")


def test_marked(cloud):
    """Every file says that it is virtual; JSON as the schema has it."""
    mark = cloud[0].json("lab")["lab"]
    line = (f"# virtual: exact, Linux {mark['release']}, QEMU "
            f"{mark['qemu']}\n")
    for name, data in cloud[0].files().items():
        if name.endswith(".json"):
            assert cloud[0].json(name[:-5])["lab"] == mark
        else:
            assert data.decode().startswith(line)
    for name in MEASURED:
        schema.check(cloud[0].text(f"{name}.json"), SCHEMA)
    assert mark["mode"] == "exact" and mark["cpus"] == 1
    environment = cloud[0].environment("idle")
    assert mark["release"] == environment["release"]


def test_static(cloud):
    """The program that was measured needs no library."""
    assert not vl_programs.is_dynamic(vl_programs.Native().own("twowaytest"))


@pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", "import numpy, matplotlib"],
                   stderr=subprocess.DEVNULL, check=False).returncode,
    reason="not installed: numpy, matplotlib")
def test_report(cloud, tmp_path):
    """The report reads what was marked, and marks its rows."""
    for name in ("idle.json", "idle.csv", "loaded.json"):
        path = shutil.copy(cloud[0].path / name, tmp_path)
        done = subprocess.run([sys.executable, REPORT, "-t", "-", path],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "Virtual: these are not the times of a machine" in done.stdout
