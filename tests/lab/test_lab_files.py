# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files in /tmp, where the kernel protects root from other users' links
and files: settings of the whole system, so in a guest."""

import re

import pytest

import guests
import vl_kernel

# Root's file behind another's link, and another's file.
SCRIPT = """
mkdir -m 1777 /sticky
for protected in 0 1 2; do
    echo $((protected ? 1 : 0)) >/proc/sys/fs/protected_symlinks
    echo $protected >/proc/sys/fs/protected_regular
    for by in cat json dump; do
        rm -f /victim /sticky/*
        echo old | tee /victim >/sticky/file
        chown 1000:1000 /sticky/file
        ln -s /victim /sticky/link
        chown -h 1000:1000 /sticky/link
        for name in link file; do
            real=/victim
            [ $name = link ] || real=/sticky/file
            case $by in
            cat) (echo new | cat >/sticky/$name) 2>/dev/null ;;
            *) twowaytest -q -l 5 --$by=/sticky/$name >/dev/null 2>said
                tail -n 1 said ;;
            esac
            echo "$by $protected $name: $?" \\
                $(stat -c "%u %g %a" $real) \\
                $(grep -qx old $real && echo kept || echo new)
        done
    done
done
"""


@pytest.fixture(scope="module")
def lines():
    image = guests.fetch(vl_kernel.CLOUD)
    output = guests.run("files", f"--kernel=files={image}", "--settle=0",
                        "--", "protected=sh", "-c", SCRIPT)
    return guests.Boot(output / "files").text("protected.txt").splitlines()


@pytest.mark.parametrize("protected, name, refused", [
    (0, "link", False), (1, "link", True), (2, "link", True),
    (0, "file", False), (1, "file", True), (2, "file", True)])
def test_as_cat_does(lines, protected, name, refused):
    """What the kernel refuses is refused, for root, too."""
    found = {match[1]: match[2] for match in (re.fullmatch(
        rf"(\w+) {protected} {name}: \d+ (.*)", line) for line in lines)
        if match}
    owner = "0 0" if name == "link" else "1000 1000"
    assert set(found) == {"cat", "json", "dump"}
    assert set(found.values()) == {
        f"{owner} 644 {'kept' if refused else 'new'}"}
    said = f"FATAL: /sticky/{name}: cannot be written: Permission denied"
    assert lines.count(said) == 4
