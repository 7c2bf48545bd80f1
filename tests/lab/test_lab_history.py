# SPDX-License-Identifier: GPL-2.0-or-later
"""history: the newest kernel of each series, and the published summary."""

import json
import os
import re
import xml.etree.ElementTree as xml

import pytest

import guests
import lab as made
import outline
import test_lab_study
import vl_history
import vl_history_page
import vl_image
import vl_kernel
import vl_machine
import vl_programs
import vl_rows
import vl_run


PUBLISHED = made.VIRTLAB / "history.json"


@pytest.fixture
def history(debian):
    debian.program("tool", test_lab_study.TOOL.replace(
        "{program}", os.environ["TWOWAYTEST"]))
    debian.program("cyclictest", test_lab_study.CYCLICTEST)

    def run(*args, status=0):
        out, err = debian("history", "-b", debian.tool, "-o", "out",
                            *args, status=status)
        base = debian.directory / "out"
        return out, err, base if status else json.loads(
            (base / "history.json").read_text())
    run.base = debian.directory / "out"
    return run


def points():
    """Function of a result: (panel, kind, average, maximum) that are drawn."""
    plots = pytest.importorskip("twtools.plots")

    def drawn(result):
        figure = vl_history_page.draw(plots.Look(True), result)
        assert figure.get_figwidth() > plots.WIDTH_IN
        return {(ax.get_title(loc="left"), dots.get_label(), average,
                 lines.get_ydata()[3 * i + 1])
                for ax in figure.axes
                for lines, dots in zip(ax.lines[::2], ax.lines[1::2])
                for i, average in enumerate(dots.get_ydata())}
    return drawn


def test_history(history):
    """The newest of each series and kind; table and figure have them all."""
    _, err, result = history("-r", "amd64")
    assert "bookworm for amd64 is left out: the index of bookworm" in err
    assert result["unread"] == ["bookworm amd64", "bookworm-backports amd64",
                                "trixie-backports amd64"]
    rows = result["kernels"]
    assert [(one["version"], one["kind"], one["suite"]) for one in rows] == [
        (version, kind, suite)
        for version, suite in (("6.1.10", "bullseye"), ("6.19.2", "trixie"),
                               ("7.3.4", "sid"))
        for kind in ("standard", "preempt-rt")]
    page = (history.base / "history.md").read_text()
    assert "Not read: bookworm amd64, " in page
    drawn = points()
    assert xml.parse(history.base / "history.svg").getroot() is not None
    for one in rows:
        base = history.base / "amd64" / f"{one['version']}-{one['kind']}"
        lab = json.loads((base / "lab.json").read_text())["lab"]
        assert lab["kernel_sha256"] == one["kernel_sha256"]
        assert {key: lab[key] for key in vl_history.SHARED} == \
            result["shared"]["amd64"]
        figures = one["figures"]
        for name, metrics in figures.items():
            threads = json.loads((base / f"{name}.json").read_text())["thread"]
            thread, = threads.values()
            found = {metric: [one["avg"], one["max"]] for metric, one in
                     thread.get("phases", {"wakeup": thread}).items()}
            assert metrics == {key: found[key] for key in metrics}
        name = vl_history_page.NAMES[one["kind"]]
        response = [value / 1000 for value in figures["posix"]["response"]]
        assert ("amd64: response, POSIX timer, us", name,
                *response) in drawn(result)
        row = next(line for line in page.splitlines() if line.startswith(
            f"| {one['version']} | {name} | 3.5 | "))
        assert f" | {response[0]:.1f} / {response[1]:.0f} | " in row


def test_history_of_a_series(history, debian):
    """And one that fails leaves the files as they were."""
    _, _, result = history("--arch=amd64", "--series=7.3")
    assert [one["version"] for one in result["kernels"]] == ["7.3.4"] * 2
    assert "amd64: no kernel of 4.19 in Debian's suites bullseye, " in history(
        "-ramd64", "-S4.19", status=1)[1]
    debian.program("cyclictest", "#!/bin/sh\nexit 1\n")
    assert "7.3.4-standard: cyclictest: exit status 1" in history(
        "-ramd64", "-S7.3", status=1)[1]
    assert json.loads((history.base / "history.json").read_text()) == result


@pytest.mark.parametrize("args, said", [
    (("--arch=mips",), "'mips': a list of amd64, arm64, riscv64"),
    (("-r", "amd64,",), "'': a list of amd64"),
    (("--series=6",), "a list of series, such as 6.1,6.12"),
    (("-S", "6.1,",), "a list of series"),
    (("-j", "0"), "1 to 1024"), (("word",), "word"),
    (("-r", "arm64,riscv64", "-b", "x"), "'x': a program is of one "
     "architecture, but arm64, riscv64 are measured: give --arch too, one of "
     "amd64, arm64, riscv64"),
    (("--binary=x",), "but amd64, arm64, riscv64 are measured"),
])
def test_history_usage(lab, args, said):
    assert said in lab.refused("history", *args)


def published():
    return json.loads(PUBLISHED.read_text())


def test_published_page():
    """It is that of the published summary; its figure has all of that."""
    result = published()
    assert (made.VIRTLAB / "history.md").read_text() == \
        vl_history_page.page(result)
    # Other versions of matplotlib write it differently.
    texts = {one.text for one in xml.parse(made.VIRTLAB / "history.svg")
             .getroot().iter("{http://www.w3.org/2000/svg}text")}
    assert {one["series"] for one in result["kernels"]} <= texts
    assert len(points()(result)) == \
        len(result["kernels"]) * len(vl_history_page.PANELS)
    assert PUBLISHED.read_text() == vl_history.to_json(result)


def test_figure(tmp_path):
    """As it is drawn, and the command lines that it is of."""
    pytest.importorskip("matplotlib")
    lines = vl_history.MEASURED.values()
    outline.check(test_lab_study.WHOLE, "history", [
        *map(" ".join, lines), *outline.of(vl_history_page.figure(
            json.loads(PUBLISHED.read_text())))], tmp_path)


@pytest.mark.long
def test_published_figures(tmp_path):
    """Two of its kernels, to the last digit."""
    result = published()
    rows = [one for one in result["kernels"] if one["arch"] == "amd64"
            and one["series"] in ("6.1", "6.12")
            and one["kind"] == "preempt-rt"]
    kernels = [vl_kernel.kernel("{}={}".format(
        f"{one['version']}-{one['kind']}",
        guests.fetch(one["package"], f"--suite={one['suite']}")))
        for one in rows]
    assert len(kernels) == 2
    setup = vl_run.Setup(vl_machine.MACHINES["amd64"], "exact", 512, 500, "",
                         2, 120)
    machine, items = setup.machine, vl_history.items()
    source = vl_programs.source(machine)
    image = tmp_path / "initramfs"
    vl_image.make(image, items, vl_image.programs_of(items, (), None, source),
                  source, setup.settle)
    for row, lab in zip(rows, vl_run.describe(kernels, image, setup)):
        then = {"kernel_sha256": row["kernel_sha256"],
                **result["shared"][machine.name]}
        unlike = [key for key in then if lab[key] != then[key]]
        if unlike:
            pytest.skip("the published figures are of another "
                        + ", ".join(unlike))
    vl_run.run(kernels, items, setup, tmp_path / "results")
    for row, kernel in zip(rows, kernels):
        assert vl_history.kept(tmp_path / "results" / kernel.name) == \
            row["figures"]


def rows_of(*wakeups):
    """Of made kernels 6.1, 6.2 and so on, which differ in one figure."""
    return {"kernels": [
        {"arch": arch, "kind": "preempt-rt", "series": f"6.{i + 1}",
         "figures": {name: {metric: [wakeup if (name, metric) ==
                                     ("nanosleep", "wakeup") else 100.0, 1]
                            for metric in metrics}
                     for name, metrics in vl_history.KEPT.items()}}
        for arch, wakeups in (("arm64", wakeups), ("amd64", wakeups[::-1]))
        for i, wakeup in enumerate(wakeups)]}


def test_changes():
    """Of more than 5 %, between neighbours, in the order of releases."""
    made_rows = rows_of(*[100.0] * 8, 104.9, 110.0, 100.0)
    assert list(vl_rows.changes(made_rows).items()) == [
        ("6.1 to 6.2", [["amd64", "PREEMPT_RT", "wakeup +10 %"]]),
        ("6.10 to 6.11", [["arm64", "PREEMPT_RT", "wakeup -9 %"]])]
    made_rows = rows_of(*[100.0] * 8, 110.0, 110.0, 100.0)
    pairs = ["6.1 to 6.2", "6.3 to 6.4", "6.8 to 6.9", "6.10 to 6.11"]
    assert list(vl_rows.changes(made_rows)) == pairs
    table = vl_history_page.table_of_changes(made_rows)
    assert [row[0] for row in table.rows] == [
        f"{pair}: not explained yet" for pair in pairs]


def sections(text):
    """{heading: what is below it}."""
    parts = re.split(r"^#+ (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def test_published_changes_are_explained():
    """Each, by name, below the heading that the page links to."""
    assert "not explained" not in (made.VIRTLAB / "history.md").read_text()
    found = sections((made.VIRTLAB / "findings.md").read_text())
    assert set(vl_history_page.EXPLAINED) <= found.keys()
    pairs = vl_rows.changes(published())
    assert len(pairs) > 5
    for pair, rows in pairs.items():
        # What is said without an architecture is of amd64.
        for arch, _, what in rows:
            for one in [arch.replace("amd64", ""), *what.split(", ")]:
                name = re.sub("^posix: | [+-].*", "", one)
                assert name in found[pair], f"{pair}: {one}"
