# SPDX-License-Identifier: GPL-2.0-or-later
"""bisect and history: over all kernels that an archive has."""

import dataclasses
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml

import pytest

import guests
import lab as made
import test_lab_study
import vl_bisect
import vl_common
import vl_history
import vl_history_page
import vl_image
import vl_kernel
import vl_machine
import vl_programs
import vl_releases
import vl_rows
import vl_run

RT = "linux-image-{}+made-rt-amd64"
STANDARD = "linux-image-{}+made-amd64"
PUBLISHED = made.VIRTLAB / "history.json"
LIMIT = ("--limit=response:max:2",)


def bisect(lab, first, last, *args, **options):
    return lab("bisect", first, last, "-b", lab.tool, *args, "--", "-q",
               **options)


@pytest.mark.parametrize("form, packages", [
    (LIMIT, (RT, "6.1.7", "7.3.4")),
    (("-l", "response:max:18"), (STANDARD, "6.19.2", "6.1.7"))])
def test_bisect(debian, form, packages):
    """Across suites, by number (6.1.7 is before 6.1.10), of one kind."""
    name, *versions = packages
    out, err = bisect(debian, *map(name.format, versions), *form)
    steps = out.splitlines()
    assert len(steps) == (6 if "7.3.4" in versions else 5)
    assert steps[-1].startswith("response max crossed ")
    assert steps[-1].endswith(
        f"between {name.format('6.1.10')} (1.0 us) and "
        f"{name.format('6.19.2')} (19.0 us)")
    assert f"{name.format('6.19.2')} (trixie): response max 19.0 us: above " \
        in out
    # Suites that the archive does not have are named.
    for suite in ("bookworm", "trixie-backports"):
        assert f"{suite} for amd64 is left out" in err


KNOWN = [vl_releases.Release("amd64", kind, version, form.format(version),
                             "sid")
         for version in ("6.1.7", "6.1.10", "6.19.2", "7.3.4")
         for kind, form in (("standard", STANDARD), ("preempt-rt", RT))]


def known(versions, suite="trixie", form="linux-image-{}+other-{}amd64"):
    """The same versions, packed by another suite."""
    return [vl_releases.Release("amd64", kind, version, form.format(
        version, flavour), suite) for version in versions
            for kind, flavour in (("standard", ""), ("preempt-rt", "rt-"))]


# Suite: its kernels. One version is in three, under two names.
TWICE = {
    "bookworm": known(["6.1.7", "6.1.10", "6.19.2"], "bookworm",
                      "linux-image-{}+made-{}amd64"),
    "trixie": known(["6.19.2", "6.19.20"]),
    "sid": known(["6.19.2", "7.3.4"], "sid"),
}
OTHER = "linux-image-{}+other-{}amd64"


@pytest.fixture
def suites(monkeypatch):
    """What every suite has, of every architecture."""
    def has(kernels):
        monkeypatch.setattr(vl_releases, "of_suite", lambda suite, arch: [
            dataclasses.replace(one, arch=arch)
            for one in kernels.get(suite, [])])
    has({"sid": KNOWN})
    return has


def test_between(suites):
    """Either end first; of the same kind."""
    for form, kind in ((RT, "preempt-rt"), (STANDARD, "standard")):
        for ends in (("6.1.10", "7.3.4"), ("7.3.4", "6.1.10")):
            found = vl_bisect.between(*map(form.format, ends), "amd64")
            assert [(one.version, one.kind) for one in found] == [
                (version, kind) for version in ("6.1.10", "6.19.2", "7.3.4")]


@pytest.mark.parametrize("first, last, suite", [
    (STANDARD.format("6.1.7"), OTHER.format("7.3.4", ""), "bookworm"),
    (OTHER.format("7.3.4", ""), STANDARD.format("6.19.2"), "bookworm"),
    (OTHER.format("6.19.2", ""), OTHER.format("7.3.4", ""), "trixie"),
    (STANDARD.format("6.1.7"), OTHER.format("6.19.2", ""), "trixie"),
    (RT.format("6.1.7"), OTHER.format("6.19.2", "rt-"), "trixie"),
])
def test_version_of_several_suites(suites, first, last, suite):
    """It is one candidate: the one that was named, else the first."""
    suites(TWICE)
    found = vl_bisect.between(first, last, "amd64")
    versions = [one.version for one in found]
    assert versions == [version for version in (
        "6.1.7", "6.1.10", "6.19.2", "6.19.20", "7.3.4")
        if version in versions]
    assert len(found) == {"7.3.4": 5, "6.19.2": 3}[versions[-1]] - (
        2 if versions[0] == "6.19.2" else 0)
    assert [one.suite for one in found if one.version == "6.19.2"] == [suite]
    packages = [one.package for one in found]
    assert {packages[0], packages[-1]} == {first, last}


def test_history_of_several_suites(suites):
    """The same of history; another architecture's are not mixed in."""
    suites(TWICE)
    for arch in ("amd64", "arm64"):
        found = vl_releases.packaged(arch, [])
        assert {one.arch for one in found} == {arch}
        assert [(one.version, one.suite) for one in found
                if one.kind == "standard"] == [
            ("6.1.7", "bookworm"), ("6.1.10", "bookworm"),
            ("6.19.2", "bookworm"), ("6.19.20", "trixie"), ("7.3.4", "sid")]


@pytest.mark.parametrize("first, last, said", [
    (RT.format("6.1.7"), STANDARD.format("7.3.4"),
     "one is PREEMPT_RT, the other is not"),
    (RT.format("6.1.7"), RT.format("6.1.7"), "both are Linux 6.1.7; give"),
    (STANDARD.format("6.19.2"), OTHER.format("6.19.2", ""),
     "both are Linux 6.19.2; give kernels of two versions"),
    (RT.format("6.1.7"), RT.format("6.2"),
     r"6.2\+made-rt-amd64: no suite of bullseye, .* has this package; names "
     r"are like linux-image-7.3.4\+other-rt-amd64"),
])
def test_between_errors(suites, first, last, said):
    suites(TWICE)
    with pytest.raises(vl_common.LabError, match=said):
        vl_bisect.between(first, last, "amd64")


def test_no_kernels(suites):
    suites({})
    with pytest.raises(vl_common.LabError, match="there are no kernels of "
                       "this kind"):
        vl_bisect.between(RT.format("6.1"), RT.format("6.2"), "amd64")


@pytest.mark.parametrize("figures, steps", [
    ([1, 2, 3, 9, 9, 9], 4), ([9, 9, 9, 9, 9, 1], 5), ([1, 9], 2),
    ([1, 5, 5.1, 9], 4)])
def test_neighbours(capsys, figures, steps):
    """Rising or falling; a figure that equals the limit is not above it."""
    releases = [dataclasses.replace(KNOWN[1], version=f"6.{i}")
                for i in range(len(figures))]
    asked = []

    def measured(one):
        asked.append(int(one.version[2:]))
        return figures[asked[-1]]

    ends = vl_bisect.bisect(releases, vl_bisect.limit("send:avg:5"), measured)
    (low, left), (high, right) = ends
    assert releases.index(high) == releases.index(low) + 1
    assert [figures[releases.index(low)], figures[releases.index(high)]] == \
        [left, right]
    assert (left > 5) != (right > 5)
    assert len(asked) <= steps and len(set(asked)) == len(asked)
    out = capsys.readouterr().out
    for value in (left, right):
        assert f": send avg {value:.1f} us: {'not ' * (value <= 5)}above " \
            "5 us\n" in out


@pytest.mark.parametrize("figures, said", [
    ([1, 9, 2], "both are not above the limit of 5 us: give a limit between "
     "1.0 and 2.0 us"), ([6, 1, 7], "both are above the limit of 5 us")])
def test_no_crossing(figures, said):
    values = iter([figures[0], figures[-1]])
    with pytest.raises(vl_common.LabError, match=said):
        vl_bisect.bisect(KNOWN[:3], vl_bisect.limit("send:avg:5"),
                         lambda one: next(values))


def test_limit():
    limit = vl_bisect.limit("send:avg:200")
    thread = {"0": {"metric": "send", "avg": 5000.5}}
    assert limit.value({"resolution_in_ns": 1, "thread": thread}) == 5.0005
    assert limit.value({"resolution_in_ns": 0, "thread": thread}) == 5000.5
    phases = {"0": {"metric": "latency", "avg": 1, "phases": {
        "send": {"avg": 7}}}}
    assert limit.value({"thread": phases}) == 7
    with pytest.raises(vl_common.LabError, match="several pairs"):
        limit.value({"thread": {**phases, "1": phases["0"]}})
    with pytest.raises(vl_common.LabError, match="so send avg is not known"):
        limit.value({"thread": {"0": {"metric": "send"}}})
    with pytest.raises(vl_common.LabError, match="'wakeup' is not measured; "
                       "measured are send"):
        vl_bisect.limit("wakeup:avg:1").value({"thread": thread})


def test_bisect_fails(debian):
    """What it measures with fails."""
    err = debian("bisect", RT.format("6.1.7"), RT.format("7.3.4"), *LIMIT,
                   "-b", debian.tool, "--", "-q", "--exit=3", status=1)[1]
    assert f"{RT.format('6.1.7')}: the measurement failed" in err


@pytest.mark.parametrize("args, said", [
    (("a", *LIMIT, "--", "-q"), "PACKAGE"),
    (("a", "b", "--", "-q"), "-l/--limit"),
    (("a", "b", *LIMIT), "the measurement after --"),
    (("a", "b", *LIMIT, "--", "-q", "--", "-q"), "one measurement is"),
    *((("a", "b", form, "--", "-q"), "METRIC:STAT:US, with STAT one of min")
      for form in ("-lsend:200", "--limit=send:mean:200", "-lsend:avg:x",
                   "--limit=send:avg:", "-l:avg:3")),
])
def test_bisect_usage(lab, args, said):
    assert said in lab.refused("bisect", *args)


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


def test_unpack(debian):
    """Packages for another machine, for contrib/cross."""
    root = debian.directory / "root"
    command = [made.VIRTLAB / "unpack", root, "arm64", "trixie"]
    found = subprocess.run(
        [*command, "linux-binary-6.19.2+made-arm64"], text=True,
        env={**os.environ, **debian.environment}, capture_output=True,
        timeout=60)
    assert found.returncode == 0, found.stderr
    assert {str(path.relative_to(root)) for path in root.rglob("*")
            if not path.is_dir()} == {
        "complete", "usr/lib/modules/6.19.2+made-arm64/vmlinuz",
        "usr/lib/modules/6.19.2+made-arm64/kernel/drivers/net/veth.ko"}
    found = subprocess.run(
        [*command, "no-such"], text=True, capture_output=True, timeout=60,
        env={**os.environ, **debian.environment})
    assert found.returncode == 1 and found.stderr.startswith("unpack: ")
    assert (root / "complete").exists()
