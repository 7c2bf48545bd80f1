# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's only file system: an initramfs with all that it runs."""

import hashlib
import os
import pathlib
import re
import shlex
import shutil

import vl_quiet
from vl_common import LabError, cache, call, need
from vl_directory import alone, remove_old, scratch

PACKAGES = {"cyclictest": "rt-tests", "hackbench": "rt-tests"}
INIT = pathlib.Path(__file__).with_name("init")
KEPT = 4                # builds in the cache, one of each tree
PROJECT = pathlib.Path(__file__).resolve().parents[2]


def own_binary():
    """The twowaytest that virtlab comes with: built, or installed."""
    if (PROJECT / "meson.build").exists():
        return static_binary()
    return need("twowaytest", "twowaytest, or --binary=FILE")


def static_binary():
    """Builds twowaytest of this tree, static; returns its path."""
    need("meson", "meson")
    need("ninja", "ninja-build")
    tree = hashlib.sha256(os.fsencode(PROJECT)).hexdigest()[:12]
    build = cache() / f"build-{tree}"
    with alone(build):
        if not (build / "build.ninja").exists():
            # Without debugging information: that has the tree's path.
            call(["meson", "setup", "-Dstatic=true", "-Dtests=disabled",
                  "-Ddebug=false", build, PROJECT])
        call(["meson", "compile", "-C", build, "twowaytest:executable"])
    remove_old(cache(), "build-*", KEPT)
    return build / "twowaytest"


def is_dynamic(program):
    """Whether a program needs a loader: its path is then in the head."""
    with open(program, "rb") as file:
        head = file.read(4096)
    return head.startswith(b"\x7fELF") and \
        re.search(rb"/ld[^/\0]*\.so", head) is not None


def install(root, program, name):
    """A program, and its libraries where its loader looks for them."""
    copies = [(program, root / "bin" / name)]
    if is_dynamic(program):
        libraries = re.findall(r"(/\S+) \(0x", call(["ldd", program]))
        copies += [(path, root / path.lstrip("/")) for path in libraries]
    for source, target in copies:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)


def script(measurements, settle):
    """What init runs: each measurement, its output and its exit status."""
    lines = []
    for item in measurements:
        words = " ".join(shlex.quote(word) for word in item.command)
        lines += [f"quiet {item.name} {settle} || return",
                  f"{words} >{item.name}.txt 2>&1",
                  f"echo $? >{item.name}.status"]
    return "\n".join(lines) + "\n"


def program_of(name):
    """Of a name that is neither added nor busybox's."""
    if name in PACKAGES:
        return need(name, PACKAGES[name])
    path = shutil.which(name)
    if not path:
        raise LabError(f"{name} is not installed here, nor part of busybox; "
                       "--add=FILE brings a program of your own")
    return path


def programs_of(measurements, added, binary):
    """Name in the guest: path here, of all that the measurements need."""
    found = {"twowaytest": binary or own_binary(),
             "busybox": need("busybox", "busybox-static")}
    for path in added:
        if not os.path.isfile(path):
            raise LabError(f"--add={path}: no such file")
        found[os.path.basename(path)] = path
    if is_dynamic(found["busybox"]):
        raise LabError(f"{found['busybox']} is not static: package "
                       "busybox-static")
    applets = call([found["busybox"], "--list"]).split()
    words = [item.command[0] for item in measurements]
    words += ["hackbench" for item in measurements for word in item.command
              if word.startswith("--load=hackbench")]
    for name in words:
        if name not in found and name not in applets:
            found[name] = program_of(name)
    return found


def make(path, measurements, programs, settle):
    """Writes the initramfs: of the same files always the same bytes."""
    need("cpio", "cpio")
    with scratch() as root:
        for directory in ("bin", "dev", "out", "proc", "sys", "tmp"):
            (root / directory).mkdir()
        for program in sorted(programs):
            install(root, programs[program], program)
        shutil.copyfile(INIT, root / "init")
        (root / "init").chmod(0o755)
        shutil.copyfile(vl_quiet.SCRIPT, root / "quiet")
        (root / "measure").write_text(script(measurements, settle))
        for name in ("quiet", "measure"):
            (root / name).chmod(0o644)
        files = sorted(str(file.relative_to(root))
                       for file in [root, *root.rglob("*")])
        for file in files:
            if (root / file).is_dir():
                (root / file).chmod(0o755)
            os.utime(root / file, (0, 0))
        call(["cpio", "--quiet", "--reproducible", "-o", "-H", "newc", "-R",
              "0:0", "-F", pathlib.Path(path).resolve()], cwd=root,
             input="\n".join(files) + "\n")
