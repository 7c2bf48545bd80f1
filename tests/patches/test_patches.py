# SPDX-License-Identifier: GPL-2.0-or-later
"""The patch series: how mkpatches makes it, and the form of its mails."""

import re
import shutil

import pytest

from series import (COVERS, MKPATCHES, PATCHES, SERIES, diffs, head,
                    mkpatches, run, subject)

# What a mailing list takes.
MOST_LINES, MOST_BYTES = 1500, 64 * 1024


def test_they_are_those_of_the_sources():
    checked = run(MKPATCHES, "--check")
    assert (checked.returncode, checked.stdout) == (0, ""), \
        checked.stdout + checked.stderr


def test_check_tells_what_differs(tmp_path):
    copy = tmp_path / "patches"
    shutil.copytree(PATCHES, copy)
    name = SERIES[0].name
    (copy / name).write_bytes(b"\n")
    (copy / "9999-stray.patch").write_bytes(b"")
    (copy / "series").unlink()
    checked = run(MKPATCHES, "--check", copy)
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        f"{copy}/{name}: differs",
        f"{copy}/9999-stray.patch: is none of the series",
        f"{copy}/series: is missing"]
    assert "run contrib/mkpatches" in checked.stderr

    assert run(MKPATCHES, copy).returncode == 0
    assert mkpatches.present(copy) == mkpatches.present(PATCHES)


def test_foreign_files_stay(tmp_path):
    """DIRECTORY may be any."""
    mine = [tmp_path / name for name in (
        "mine.txt", "mine.patch", "12-a.patch", "0001-dir.patch/file",
        "below/0001-a.patch")]
    for path in mine:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    assert run(MKPATCHES, tmp_path).returncode == 0
    assert {path.read_text() for path in mine} == {"mine"}
    checked = run(MKPATCHES, "--check", tmp_path)
    assert checked.stdout == "".join(
        f"{path}: is none of the series\n" for path in (mine[2], mine[1]))


FILES = {
    "lib/base/tw_a.c": "int tw_a(struct tw_b *b)\n{\n}\n",
    "lib/base/tw_a.h": "int tw_a(struct tw_b *b);\n",
    "prog/tw_b.c": "const struct tw_b tw_b = {\n\t.a = tw_a,\n};\n"
                   "static int tw_own(void)\n{\n}\n",
    "prog/sub/tw_b.h": "extern const struct tw_b tw_b;\n",
    "prog/sub/tw_c.c": "int tw_c[2] = { 0 };\nunsigned long tw_d;\n",
    "prog/tw_table.c": '#include "base/tw_a.h"\n#include "sub/tw_b.h"\n'
                       "const struct tw_b *const tw_table[] = {\n\t&tw_b,\n"
                       "\t{ tw_a, tw_c },\n\ttw_own, tw_absent,\n\t&tw_d\n"
                       "};\n",
}


def states(*steps, tables=()):
    return dict(mkpatches.states(FILES, steps, tables))


def test_what_is_defined():
    assert mkpatches.defined(FILES) == {"tw_a", "tw_b", "tw_c", "tw_d",
                                        "tw_table"}


def test_a_step_has_the_files_so_far():
    made = states(("a", {"lib/*": "a"}), ("b", {"prog*": "tw_b.?"}),
                  ("c", {"prog/sub": "c", "prog": "t*e"}), ("none", {}))
    assert [sorted(files) for files in made.values()] == [
        ["lib/base/tw_a.c", "lib/base/tw_a.h"],
        ["lib/base/tw_a.c", "lib/base/tw_a.h", "prog/sub/tw_b.h",
         "prog/tw_b.c"], sorted(FILES), sorted(FILES)]
    assert made["none"] == FILES


def test_only_tables_lose_lines():
    steps = (("b", {"prog*": "b table", "lib/*": "a"}),
             ("c", {"prog/sub": "c"}))
    assert "tw_c" in states(*steps)["b"]["prog/tw_table.c"]
    made = states(*steps, tables=["prog/tw_table.c"])
    assert "tw_c" not in made["b"]["prog/tw_table.c"]


def test_lines_of_tables_come_with_what_they_name():
    table = "prog/tw_table.c"
    made = states(("table", {"prog": "table"}), ("a", {"lib/base": "a"}),
                  ("b", {"prog": "b"}), ("header", {"prog/sub": "b"}),
                  ("c", {"prog/sub": "c"}), tables=[table])
    lines = FILES[table].splitlines(keepends=True)
    for step, there in (("table", (2, 5, 7)), ("a", (0, 2, 5, 7)),
                        ("b", (0, 2, 3, 5, 7)), ("header", (0, 1, 2, 3, 5, 7)),
                        ("c", range(8))):
        assert made[step][table] == "".join(lines[at] for at in there), step
    for files in made.values():
        assert all(files[path] == FILES[path] for path in files
                   if path != table)


REST = {"prog*": "*"}


@pytest.mark.parametrize("steps, tables, said", [
    ([("a", {"lib/base": "a"})], [], "no patch brings it"),
    ([("a", {"lib/base": "a none", **REST})], [], r"a: no file .*none"),
    ([("a", {"lib/base": "a", **REST}), ("b", {"prog": "b"})], [],
     r"b: prog/tw_b\.c: an earlier patch"),
    ([("a", {"lib/base": "a", **REST})], ["prog/none.c"], "none.c"),
    ([("a", {**REST}), ("b", {"lib/base": "a"})], [],
     r"a: prog/tw_table\.c includes base/tw_a\.h, which comes later"),
])
def test_what_does_not_fit_is_an_error(steps, tables, said):
    with pytest.raises(mkpatches.SeriesError, match=said):
        states(*steps, tables=tables)


def test_makefile_lists_files_with_their_patch():
    plain = (mkpatches.TREE / "Makefile").read_text(encoding="ascii")
    one = {"twlib/base/tw_a.c": "", "twlib/base/tw_a.h": ""}
    two = one | {"twowaytest/run/tw_b.c": "", "twlib/check/tw_c.c": ""}
    three = two | {"twowaytest/twowaytest.c": "",
                   mkpatches.PAGES[0]: ""}
    made = [plain] + [mkpatches.makefile(plain, grown) for grown in (
        [one], [one, two], [one, two, three])]
    added = []
    for old, new in zip(made, made[1:]):
        rest = iter(new.splitlines())
        # Nothing is taken away.
        assert all(line in rest for line in old.splitlines())
        added.append([line for line in new.splitlines()
                      if line not in old.splitlines()])
    assert "TWLIB = base/tw_a.c" in added[0]
    assert not re.search(r"TWOWAY =|^TARGETS \+=", "\n".join(added[0]), re.M)
    assert added[1] == ["TWLIB += check/tw_c.c", "TWOWAY = run/tw_b.c"]
    assert added[2][0] == "\t   src/twowaytest/twowaytest.8 \\"
    assert added[2][1:3] == ["TWOWAY += twowaytest.c",
                             "TARGETS += $(TWOWAYTEST)"]


@pytest.mark.parametrize("text", [
    '.TH A 8 x "other 1.0"\n', '.TH A 8 x "twowaytest 1.0"\n'
    '.\\" standalone: begin\n', '.TH A 8 x "twowaytest 1.0"\n'
    '.\\" standalone: end\n'])
def test_a_man_page_that_does_not_fit_is_an_error(text):
    with pytest.raises(mkpatches.SeriesError):
        mkpatches.man_page(text)


def test_man_page():
    text = ('.TH A 8 x "twowaytest 1.10" "y"\na\n.\\" standalone: begin\nb\n'
            '.\\" standalone: end\nc\n.\\" standalone: begin\nx\n'
            '.\\" standalone: end\n')
    assert mkpatches.man_page(text) == '.TH A 8 x "rt-tests" "y"\na\nc\n'
    for name in mkpatches.PAGES:
        page = mkpatches.sources()[name]
        assert not re.search(
            "schema|twowayreport|twowaytest..(campaign|virtlab)", page)
        assert not re.search(r",\n(\.SH|\Z)", page)


@pytest.mark.parametrize("path", COVERS + SERIES,
                         ids=lambda path: path.name[:24])
def test_message(path):
    header, body = head(path)
    number = int(path.name[:4])
    assert header[1] == "From: twowaytest project <twowaytest@example.org>"
    assert header[2].startswith("Date: ")
    told = re.fullmatch(r"Subject: \[PATCH (\d+)/(\d+)\] (.*)", header[3])
    assert [int(told[1]), int(told[2])] == [number, len(SERIES)]
    assert re.match(r"(rt-tests: )?((twoway|primitive)test(, )?)+: [A-Z]",
                    told[3])
    assert len(told[3]) <= 72 and not told[3].endswith(".")
    assert len(header) == 4
    # patches/README.md takes the patches by this part of the name.
    assert ("test-" in path.name) == (path in SERIES)
    assert body
    for line in body:
        assert len(line) <= 72 or line.startswith("    "), line
        assert line == line.rstrip()
        assert not re.match(r"[A-Z][a-z]+(-[a-z]+)*-by:|Cc:|Link:", line)
    # git's version at the end would differ from one git to another.
    assert not re.search(r"^-- $", path.read_text(encoding="ascii"), re.M)


def test_numbers_are_without_a_gap():
    assert [int(path.name[:4]) for path in SERIES] == \
        list(range(1, len(mkpatches.steps()) + 1))


def test_cover_letters_have_the_patches_of_their_mailing():
    assert len(COVERS) == len(mkpatches.pieces.MAILINGS)
    rest = list(SERIES)
    for name, patches in mkpatches.pieces.MAILINGS:
        text = (PATCHES / f"0000-{name}.patch").read_text(encoding="ascii")
        mine, rest = rest[:len(patches)], rest[len(patches):]
        assert f"\ntwowaytest project ({len(mine)}):\n" + "".join(
            f"  {subject(path)}\n" for path in mine) in text
        assert re.search(r"\n \d+ files? changed, \d+ insertions\(\+\)\n",
                         text)
        assert not [path for path in rest if f"  {subject(path)}\n" in text]


def test_series_has_all_but_gitignore():
    names = (PATCHES / "series").read_text(encoding="ascii").splitlines()
    assert list(diffs(SERIES[-1])) == [".gitignore"]
    assert names == [path.name for path in SERIES[:-1]]
    assert not [path for path in SERIES[:-1] if ".gitignore" in diffs(path)]


def test_patches_only_add():
    """Few hunks, and little around them: they are to fit several versions."""
    tables = {f"src/{name}" for name in mkpatches.pieces.TABLES}
    brought = {"Makefile", ".gitignore"} | tables
    for path in SERIES:
        for name, diff in diffs(path).items():
            assert not re.search(r"^-(?!--)", diff, re.M), (path.name, name)
            if diff.startswith("new file"):
                continue
            assert name in brought, (path.name, name)
            if name not in tables:
                hunks = re.findall(r"^@@ -\d+,2 \+", diff, re.M)
                assert 1 <= len(hunks) == diff.count("\n@@ ") <= 3


@pytest.mark.parametrize("path", SERIES, ids=lambda path: path.name[:4])
def test_size(path):
    data = path.read_bytes()
    assert len(data) <= MOST_BYTES
    assert len(re.findall(rb"^\+(?!\+\+ )", data, re.M)) <= MOST_LINES
