# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the patch series share."""

import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
PATCHES = TOP / "patches"
MKPATCHES = TOP / "contrib" / "mkpatches"
COVERS = sorted(PATCHES.glob("0000-*.patch"))
SERIES = sorted(set(PATCHES.glob("[0-9]*.patch")) - set(COVERS))
LIBRARY = ("src/lib", "src/include")


def load_mkpatches():
    loader = importlib.machinery.SourceFileLoader("mkpatches", str(MKPATCHES))
    spec = importlib.util.spec_from_loader("mkpatches", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


mkpatches = load_mkpatches()


def run(*args, **options):
    return subprocess.run([*map(str, args)], capture_output=True, text=True,
                          check=False, **options)


def head(path):
    """The mail above the diff: its header lines and its body."""
    text = path.read_text(encoding="ascii")
    header, body = text.split("\n\n", 1)
    return header.splitlines(), body.split("\n---\n")[0].splitlines()


def subject(path):
    return head(path)[0][3].split("] ", 1)[1]


def diffs(path):
    """What a patch does to each file, by the file's name."""
    parts = re.split(r"^diff --git a/(\S+) b/.*\n",
                     path.read_text(encoding="ascii"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def plant(tree):
    """The miniature tree, with the library that is upstream's there."""
    mkpatches.plant(tree)
    for part in LIBRARY:
        shutil.copytree(TOP / part, tree / part)
    mkpatches.commit(tree)
