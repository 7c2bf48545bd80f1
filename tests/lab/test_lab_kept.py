# SPDX-License-Identifier: GPL-2.0-or-later
"""What has been measured is not measured again, but if anything has changed."""

import pathlib

import pytest

import guests


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Names of what has been measured; a measurement is a directory."""
    calls = []

    def virtlab(_, output, *words, status):
        assert status == 2
        pathlib.Path(output.partition("=")[2]).mkdir()
        calls.append(words)
    monkeypatch.setattr(guests, "virtlab", virtlab)
    monkeypatch.setenv("TWOWAYTEST", str(tmp_path / "twowaytest"))
    return calls


@pytest.mark.parametrize("changed", ["program", "word", "source", None])
def test_kept(measured, tmp_path, monkeypatch, changed):
    program, source = tmp_path / "program", tmp_path / "src/some.c"
    source.parent.mkdir()
    monkeypatch.setattr(guests.made, "TOP", tmp_path)
    for path in program, source:
        path.write_text("one")
    words = [f"--add={program}", "--", "-q"]
    first = guests.run("some", *words, status=2)
    other = guests.run("other", *words, status=2)
    if changed == "word":
        words[-1] = "-v"
    elif changed:
        {"program": program, "source": source}[changed].write_text("two")
    again = guests.run("some", *words, status=2)
    assert (again == first) == (changed is None) and again.is_dir()
    assert len(measured) == (2 if changed is None else 3)
    # There is one of each name.
    assert sorted(path.name for path in (tmp_path / "lab").iterdir()) == \
        sorted([other.name, again.name])
