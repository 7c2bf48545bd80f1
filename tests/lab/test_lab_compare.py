# SPDX-License-Identifier: GPL-2.0-or-later
"""compare tells every difference, and that there is none."""

import json
import os

import pytest

import lab as made


@pytest.fixture
def compared(lab):
    """Compares two values; the lines that tell what differs."""
    def compare(one, other, status=2):
        paths = [made.write(lab.directory / name, value)
                 for name, value in (("a.json", one), ("b.json", other))]
        out, err = lab("compare", *paths, status=status)
        assert err == ""
        return out.splitlines()
    return compare


def test_identical(compared):
    one, other = made.result(), made.result()
    other["start_time"] = other["end_time"] = "later"
    assert compared(one, other, status=0) == ["identical"]


def test_figure(compared):
    """Metric and figure, both values, difference and share."""
    lines = compared(made.result(response=400), made.result(response=410))
    assert len(lines) == 2
    assert lines[1].split() == \
        ["response", "max", "400", "410", "+10", "+2.50%"]


def test_pairs(compared):
    """Of several, the pair, too."""
    values = [made.result(), made.result()]
    for i, value in enumerate(values):
        other, = made.result(send=i)["thread"].values()
        value["thread"]["1"] = {**other, "pair": 1, "max": i}
    assert [line.split()[:6] for line in compared(*values)[1:]] == [
        ["pair", "1", "latency", "max", "0", "1"],
        ["pair", "1", "send", "max", "0", "1"]]


@pytest.mark.parametrize("one, other", [
    (1, 2), (0.1, 0.1000001), (1, "1"), (1, True), (0, False), (1, None),
    ("x", "y"), ([1], [1, 2]), ([], {}), ([], None), ({}, {"a": 1}),
    ([[]], []), ([1, 2], [2, 1]), ({"start_time": 1}, {"start_time": 2}),
])
def test_every_difference(compared, one, other):
    for first, second in ((one, other), (other, one)):
        lines = compared({"x": first}, {"x": second})
        assert len(lines) > 1 and " x" in lines[1]


@pytest.mark.parametrize("value", [[], {}, None, 1, "-"])
def test_member_of_one(compared, value):
    lines = compared({"x": value, "y": 1}, {"y": 1})
    assert len(lines) == 2 and lines[1].split()[0] == "x"


def test_chance(compared):
    """Only between results of mode exact is none in what differs."""
    exact, smp = {"lab": {"mode": "exact"}}, {"lab": {"mode": "smp"}}
    for one, other, chance in ((exact, exact, False), (exact, smp, True),
                               (smp, smp, True), ({}, {}, True)):
        lines = compared({**one, "x": 1}, {**other, "x": 2})
        assert lines[0].endswith("differences may be chance") == chance


@pytest.mark.parametrize("odd", [
    {"thread": [1]}, {"thread": 1}, {"thread": {"0": 1}}, {"lab": "x"},
    {"lab": None}, {"thread": {"0": {"metric": ["x"]}}},
])
def test_odd(compared, odd):
    """Whatever else a JSON has."""
    assert compared(odd, odd, status=0) == ["identical"]
    assert len(compared(odd, {"x": 1})) > 1


def test_directories(lab):
    for name, maximum in (("a", 1), ("b", 2)):
        base = lab.directory / name
        made.write(base / "same.json", made.result())
        made.write(base / "k" / "other.json", made.result(send=maximum))
        made.write(base / "lab.json", {"only": name})
        made.write(base / "text.txt", name)
    out, _ = lab("compare", "a", "b", status=2)
    assert "other.json" in out and "same.json" not in out
    assert "send max" in out and len(out.splitlines()) == 2
    assert lab("compare", "a", "a")[0] == "identical\n"
    made.write(lab.directory / "one.json", {})
    for pair in (("a", "one.json"), ("one.json", "a")):
        assert "one.json: no JSON file there" in lab.refused("compare", *pair)
    made.write(lab.directory / "b" / "more.json", {})
    assert "more.json: in one of a, b only" in \
        lab.refused("compare", "a", "b")


@pytest.mark.parametrize("text, said", [
    ("", "no JSON"), ("{", "no JSON"), ("[1]", "objects"), ("1", "objects"),
    ("\xff", "no JSON"), (None, "No such file"),
])
def test_unreadable(lab, text, said):
    made.write(lab.directory / "good.json", made.result())
    if text is not None:
        (lab.directory / "bad.json").write_bytes(text.encode("latin-1"))
    err = lab.refused("compare", "good.json", "bad.json")
    assert "bad.json" in err and said in err


@pytest.mark.parametrize("path", ["/dev/zero", "link", "/dev/null"])
def test_device(lab, path):
    """Is not read: it may have no end."""
    made.write(lab.directory / "good.json", {})
    (lab.directory / "link").symlink_to("/dev/zero")
    for pair in ((path, "good.json"), ("good.json", path)):
        assert f"{path}: is a device" in lab.refused("compare", *pair)


@pytest.mark.parametrize("text", ["[" * 200000, '{"x":' * 200000],
                         ids=["array", "object"])
def test_deep(lab, text):
    made.write(lab.directory / "good.json", {"x": 1})
    made.write(lab.directory / "deep.json", text)
    err = lab.refused("compare", "deep.json", "good.json")
    assert err == "virtlab: deep.json: no result: nested too deeply\n"


@pytest.mark.parametrize("text", ["1e400", "-1e400", "9" * 400, "NaN"])
def test_beyond_floats(lab, text):
    """Such numbers have no difference, but their texts differ."""
    made.write(lab.directory / "a.json", '{"x": 1}')
    made.write(lab.directory / "b.json", f'{{"x": {text}}}')
    for pair in (("a.json", "b.json"), ("b.json", "a.json")):
        out, _ = lab("compare", *pair, status=2)
        words = out.splitlines()[1].split()
        assert len(words) == 3 and "inf" not in out
    assert lab("compare", "b.json", "b.json")[0] == "identical\n"
    made.write(lab.directory / "c.json", '{"x": 1e500}')
    assert "1E+500" in lab("compare", "b.json", "c.json", status=2)[0]


def test_long_values(compared):
    """Are cut to where they differ; names to their ends."""
    same = "same " * 100
    lines = compared({"x" * 500 + " end": same + "this" + same},
                     {"x" * 500 + " end": same + "that" + same})
    assert len(lines) == 2 and len(lines[1]) < 170
    assert " end " in lines[1] and "this" in lines[1] and "that" in lines[1]


def test_one_line(compared):
    """A value, whatever characters it has."""
    lines = compared({"x\n": "a\nb"}, {"x\n": "\ud800\x1b[1m"})
    assert len(lines) == 2
    assert lines[1].split() == ["x\\n", "a\\nb", "\\ud800\\x1b[1m"]


def test_names(lab):
    """That begin with a dash; pipes, which can be read but once."""
    made.write(lab.directory / "-dash.json", {"x": 1})
    made.write(lab.directory / "a.json", {"x": 1})
    assert lab("compare", "--", "-dash.json", "a.json")[0] == "identical\n"
    reader, writer = os.pipe()
    os.write(writer, b'{"x": 2}')
    os.close(writer)
    os.set_inheritable(reader, True)
    process = lab.start("compare", "a.json", f"/proc/{os.getpid()}/fd/"
                        f"{reader}")
    out, err = process.communicate(timeout=60)
    os.close(reader)
    assert process.returncode == 2 and "+1  +100.00%" in out, err


def test_no_results(lab):
    (lab.directory / "empty").mkdir()
    made.write(lab.directory / "a" / "x.json", {})
    assert "empty: no JSON file" in lab.refused("compare", "a", "empty")
    assert "RESULTS" in lab.refused("compare", "a")
    assert "unexpected argument: x" in lab.refused("compare", "a", "a", "--", "x")


def test_of_a_run(lab):
    """What two kernels' results differ in, in each kernel's directory."""
    for name in ("a", "b"):
        made.image(lab.directory / name, rest=f"\nmax={1 + (name == 'b')}00\n")
    lab.measure("-k", "b=b", "--", "-q", kernel="a=a")
    out, _ = lab("compare", "virtlab/a", "virtlab/b", status=2)
    assert "response max" in out and "kernel_sha256" in out
    lab.measure("-o", "again", "--", "-q", kernel="a=a")
    one, other = (json.loads((lab.directory / base / "a/twowaytest.json")
                             .read_text()) for base in ("virtlab", "again"))
    assert one == other
    assert lab("compare", "virtlab/a", "again/a")[0] == "identical\n"


def test_where_values_are_cut(compared):
    """Whole up to 40 characters, else from a little before they differ."""
    *_, short, long = compared(
        {"a": "x" * 40, "b": "y" * 40 + "z"}, {"a": "w" * 40, "b": "y" * 41})
    assert short.split()[1:] == ["x" * 40, "w" * 40]
    assert long.split()[1:] == ["..." + "y" * 8 + "z", "..." + "y" * 9]
