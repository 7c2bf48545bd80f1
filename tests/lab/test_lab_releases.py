# SPDX-License-Identifier: GPL-2.0-or-later
"""bisect: over all kernels that an archive has; what history and unpack take."""

import dataclasses
import os
import subprocess

import pytest

import lab as made
import vl_bisect
import vl_common
import vl_releases

RT = "linux-image-{}+made-rt-amd64"
STANDARD = "linux-image-{}+made-amd64"
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
