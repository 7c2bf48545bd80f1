# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of virtual machines: they are marked, and their labs compared."""

import made
import pytest

from test_report_tables import settings_of


@pytest.mark.parametrize("mark", ["system", "lab", "option", "comment"])
def test_virtual_is_marked_everywhere(report, mark):
    """Once, and in each figure, as it may stand alone."""
    rows = made.cycles(200)
    data, options = made.twoway(rows), []
    if mark == "system":
        data["twoway"]["system"]["virtual"] = True
    elif mark == "lab":
        data["lab"] = {"release": "6.1"}
    elif mark == "option":
        options = ["-V", "guest"]
    made.write(report.directory, "guest.json", data)
    made.write(report.directory, "guest.csv",
               ("# virtual\n" if mark == "comment" else "")
               + made.dump(rows))
    made.write(report.directory, "iron.csv", made.dump(rows))
    files = *options, "guest.json", "guest.csv", "iron.csv"
    text = report("-t", "-", *files).stdout
    said = "Virtual: these are not the times of a machine: guest."
    assert text.count(said) == 1 and "(virtual" not in text
    if mark != "lab":
        return      # figures take the same titles from all of them
    report("-o", "r.html", "-f", "figs", "-F", "svg", "-m", "send,total",
           *files)
    page = (report.directory / "r.html").read_text()
    assert page.count(said) == 1
    figures = list((report.directory / "figs").glob("*.svg"))
    assert len(figures) == 7
    for path in figures:
        assert "(virtual: guest)" in path.read_text(), path


def test_several_are_marked(report):
    for name in "abc":
        made.write(report.directory, f"{name}.csv", made.dump(made.cycles(200)))
    text = report("-t", "-", "-V", "a", "-V", "c", "a.csv", "b.csv",
                  "c.csv").stdout
    assert "- Virtual: these are not the times of a machine: a, c.\n" in text
    text = report("-t", "-", "-V", "a", "a.csv").stdout
    assert "- Virtual: these are not the times of a machine.\n" in text


@pytest.mark.parametrize("name", ["dump.csv", "hist.txt", "published.csv"])
def test_a_comment_marks_as_virtual(report, name):
    content = made.every_format(made.cycles(200))[name]
    for mark, marked in (("# virtual\n", True), ("# lab: exact\n", True),
                         ("# virtually\n", False)):
        path = made.write(report.directory, name, mark + content)
        assert ("- Virtual: " in report("-t", "-", path).stdout) == marked


LAB = {"mode": "exact", "release": "6.1", "kernel_sha256": "a" * 64,
       "initramfs_sha256": "b" * 64, "qemu": "8.2", "cpus": 1,
       "memory_mib": 512, "qemu_arguments": "-icount 0",
       "kernel_arguments": "quiet"}


def lab_runs(report, **changes):
    """a: in the lab; b: the same with changes; c: cyclictest, as b."""
    rows = made.cycles(900)
    for name, lab in (("a", LAB), ("b", LAB | changes), ("c", LAB | changes)):
        data = made.cyclictest(made.values(rows)["wakeup"]) if name == "c" \
            else made.twoway(rows)
        made.write(report.directory, f"{name}.json", {**data, "lab": lab})
    return "a.json", "b.json", "c.json"


def test_virtual_lab(report):
    """Remarks by its mode; what differs of it stands in the table."""
    files = lab_runs(report, mode="smp", qemu="9.1", kernel_arguments="x")
    found, text = settings_of(report, *files)
    remarks = [(row["system"], row["remark"])
               for row in made.tables(text)["Remarks"]]
    assert remarks == [
        ("a", "virtual, exact: counted instructions, repeatable "
                        "to the last digit"),
        ("b, c", "virtual, noisy")]
    for member, key in (("settings", "mode"), ("settings", "qemu"),
                        ("system", "kernel_arguments")):
        row = found.pop((member, f"lab {key}"))
        assert row["a"] == LAB[key]
        assert row["b"] == row["c"] != LAB[key]
    assert not [what for _, what in found if what.startswith("lab")]


@pytest.mark.parametrize("changes, shown", [
    ({"release": "6.2", "kernel_sha256": "c" * 64,
      "initramfs_sha256": "d" * 64}, {"release": "6.2"}),
    ({"kernel_sha256": "c" * 64}, {"kernel_sha256": "c" * 12}),
    ({"initramfs_sha256": "c" * 64}, {"initramfs_sha256": "c" * 12}),
    ({}, {})], ids=["release", "kernel", "initramfs", "nothing"])
def test_hashes_are_shown_where_nothing_else_tells(report, changes, shown):
    found, _ = settings_of(report, *lab_runs(report, **changes)[:2])
    assert {what.removeprefix("lab "): row["b"]
            for (_, what), row in found.items()} == shown


def test_unlike_labs_are_refused_by_the_gate(report, refused):
    """Not unlike kernels: these are what is compared."""
    files = lab_runs(report, qemu="9.1")[:2]
    assert "lab qemu 8.2 / 9.1" in refused("-g", "-m", "send", *files)
    files = lab_runs(report, release="6.2", kernel_arguments="x")[:2]
    out = report("-g", "-m", "send", "-d", "20", *files).stdout
    assert "all runs: virtual, exact: counted instructions" in out
