# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's only file system: an initramfs with all that it runs."""

import os
import pathlib
import shlex
import shutil

import vl_quiet
from vl_common import LabError, call, need
from vl_directory import scratch
from vl_programs import OURS, is_dynamic
from vl_progress import MARK
from vl_qemu import END

INIT = pathlib.Path(__file__).with_name("init")


def install(root, program, name, source):
    """A program, and its libraries where its loader looks for them."""
    copies = [(program, root / "bin" / name)]
    if is_dynamic(program):
        copies += [(path, root / inner)
                   for path, inner in source.libraries(program)]
    for path, target in copies:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o755)


def script(measurements, settle):
    """What init runs: each measurement, its output and its exit status.

    What it has made is sent at once: the guest may not get to its end.
    """
    lines = []
    for item in measurements:
        words = " ".join(shlex.quote(word) for word in item.command)
        lines += [f"echo '{MARK.decode()}{item.name}'",
                  f"quiet {item.name} {settle} || return",
                  f"{words} >{item.name}.txt 2>&1",
                  f"echo $? >{item.name}.status",
                  f'tar -czf - {item.name}.* >>"$data"']
    return "\n".join([*lines, f": >{END}"]) + "\n"


def programs_of(measurements, added, binary, source):
    """Name in the guest: path here, of all that the measurements need."""
    busybox, applets = source.busybox()
    found = {"twowaytest": binary or source.own("twowaytest"),
             "busybox": busybox}
    for path in added:
        if not os.path.isfile(path):
            raise LabError(f"--add={path}: no such file")
        found[os.path.basename(path)] = path
    words = [item.command[0] for item in measurements]
    words += ["hackbench" for item in measurements for word in item.command
              if word.startswith("--load=hackbench")]
    for name in words:
        if name not in found and name not in applets:
            found[name] = (source.own if name in OURS else
                           source.find)(name)
    return found


def make(path, measurements, programs, source, settle):
    """Writes the initramfs: of the same files always the same bytes."""
    need("cpio", "cpio")
    with scratch() as root:
        for directory in ("bin", "dev", "out", "proc", "sys", "tmp"):
            (root / directory).mkdir()
        for program in sorted(programs):
            install(root, programs[program], program, source)
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
