# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements in guests: asked for, run, marked as virtual, written."""

import asyncio
import contextlib
import dataclasses
import json
import pathlib
import re

import vl_image
import vl_machine
import vl_programs
import vl_progress
import vl_qemu
import vl_quiet
from twtools import mark
from twtools.child import Stopped
from vl_common import LabError, sha256, stopped_by, tell
from vl_directory import scratch, whole

BOOT = "lab.json"        # which each directory of results has
JSON_OPTION = {"twowaytest": "--json", "cyclictest": "--json"}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+-]*")
NAMED = re.compile(rf"({NAME.pattern})=(.+)", re.DOTALL)


@dataclasses.dataclass
class Measurement:
    """A command in the guest; its files begin with the name."""
    name: str
    command: list


@dataclasses.dataclass
class Setup:
    """How guests are run."""
    machine: vl_machine.Machine
    mode: str
    memory: int
    timeout: float
    append: str
    jobs: int
    settle: int


def measurements(words):
    """[NAME=][PROGRAM] ARGUMENT..., more of them after each "--"."""
    found = []
    for command in split(words):
        name = None
        if NAMED.fullmatch(command[0]):
            name, program = NAMED.fullmatch(command[0]).groups()
            command = [program, *command[1:]]
        elif command[0].startswith("-"):
            command = ["twowaytest", *command]
        name = name or unused(command[0], found)
        if name in [item.name for item in found]:
            raise LabError(f"two measurements are named '{name}'")
        if name == "lab":
            raise LabError("no measurement can be named 'lab': lab.json is "
                           "the boot's")
        option = JSON_OPTION.get(command[0])
        if option and not any(w.startswith(option) for w in command):
            command.append(f"{option}={name}.json")
        found.append(Measurement(name, command))
    return found


def split(words):
    commands = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    if not all(commands):
        raise LabError("a command is expected after each --: "
                       "[NAME=]PROGRAM and its options, or twowaytest's "
                       "options alone")
    return commands


def unused(program, found):
    """A name for what has none: the program's, and a number from 2 on."""
    base = re.sub(r"[^A-Za-z0-9+-]", "", program) or "measurement"
    count = sum(item.command[0] == program for item in found)
    return f"{base}-{count + 1}" if count else base


def describe(kernels, image, setup):
    """The member "lab" of every JSON: all that determines the figures."""
    shared = {
        "mode": setup.mode,
        "arch": setup.machine.name,
        "cpus": vl_qemu.MODES[setup.mode].cpus,
        "memory_mib": setup.memory,
        "qemu": vl_qemu.version(setup.machine),
        "qemu_arguments": " ".join(vl_qemu.arguments(setup)),
        "kernel_arguments": vl_qemu.kernel_arguments(setup),
        "initramfs_sha256": sha256(image),
    }
    return [{**shared, "release": kernel.release,
             "kernel_sha256": kernel.sha256} for kernel in kernels]


def marked(data, lab):
    """A file of the guest's that says of itself that it is virtual."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    return (mark.marked(text, "lab", lab) or
            f"# virtual: {lab['mode']}, Linux {lab['release']}, "
            f"QEMU {lab['qemu']}\n{text}").encode()


def made_by(path):
    """The files that a lab.json says were written with it."""
    try:
        return list(map(str, json.loads(path.read_text())["files"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []       # an older one: nobody knows


def is_done(item, files):
    return files.get(f"{item.name}.status", b"").strip().isdigit()


def check(sent, items, last_words):
    """LabError: this is not all that was to be measured."""
    files, _, amiss = sent
    vl_quiet.check(files.get(vl_quiet.FILE, b""))
    if amiss:
        raise LabError(amiss + last_words)
    for item in items:
        if not is_done(item, files):
            raise LabError(f"no exit status of '{item.name}': the guest did "
                           "not run it to its end")


def write(name, directory, sent, lab, items):
    """What one boot sent, and lab.json; returns each command's status."""
    files, dropped, _ = sent
    waited = vl_quiet.waited(files.pop(vl_quiet.FILE, b""))
    statuses = {item.name: int(files.pop(f"{item.name}.status"))
                for item in items}
    for file, data in files.items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(marked(data, lab))
    if dropped:
        tell(f"{name}: not copied from /out: "
             f"{', '.join(map(repr, sorted(dropped)))}: names may have "
             "letters, digits, '.', '_', '+' and '-', and begin with a "
             "letter, a digit or '_'; links and lab.json are not copied")
    boot = {"lab": lab, "files": sorted(files), "measurements": [
        {**dataclasses.asdict(item), "status": statuses[item.name],
         "waited_s": waited.get(item.name)} for item in items]}
    (directory / BOOT).write_text(json.dumps(boot, indent=2) + "\n")
    return statuses


class Run:
    """The boots of some kernels, and what becomes of them."""

    def __init__(self, kernels, items, setup, unfinished):
        self.items, self.setup = items, setup
        # The directory of what was measured before a boot failed; or None.
        self.unfinished = unfinished
        self.progress = vl_progress.Progress(kernels, items)
        self.statuses = {}
        self.free = asyncio.Semaphore(setup.jobs)

    async def boot(self, kernel, image, lab, directory, place):
        """Its results take their place as soon as all are there."""
        async with self.free:
            with scratch() as work:
                try:
                    await vl_qemu.boot(kernel, image, self.setup, work,
                                       self.progress)
                    sent = vl_qemu.received(work / "data")
                    check(sent, self.items, vl_qemu.console(work))
                    statuses = write(kernel.name, directory, sent, lab,
                                     self.items)
                    place.close()
                    self.statuses[kernel.name] = statuses
                    self.progress.ends(kernel.name)
                except LabError as err:
                    tell(f"{kernel.name}: {err}")
                    self.keep(kernel.name, work, lab)
                    self.progress.fails(kernel.name)
                except asyncio.CancelledError:
                    self.keep(kernel.name, work, lab)
                    raise

    def keep(self, name, work, lab):
        """What a boot has measured nevertheless."""
        sent = vl_qemu.received(work / "data")
        done = [item for item in self.items if is_done(item, sent[0])]
        if done and self.unfinished:
            path = pathlib.Path(self.unfinished) / f"{name}-unfinished"
            with whole(path, BOOT, made_by) as directory:
                write(name, directory, sent, lab, done)
            tell(f"{name}: kept in {path}: "
                 + ", ".join(item.name for item in done))

    async def boot_all(self, boots, stopped):
        """A signal is told to stopped(), and ends in CancelledError."""
        this, loop = asyncio.current_task(), asyncio.get_running_loop()

        def stop(number):
            # An exception at any place would leave asyncio in disorder.
            stopped(number)
            loop.call_soon_threadsafe(this.cancel)

        try:
            with stopped_by(stop):
                async with asyncio.TaskGroup() as group:
                    for boot in boots:
                        group.create_task(self.boot(*boot))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None


def run(kernels, items, setup, output, added=(), binary=None, keep=True):
    """Boots each kernel; {kernel's name: {measurement's name: status}}.

    keep: also what was measured in a boot that failed.
    """
    names = [kernel.name for kernel in kernels]
    for name in names:
        if names.count(name) > 1:
            raise LabError(f"two kernels are named '{name}'; name them: "
                           "--kernel=NAME=FILE")
    with scratch() as work, contextlib.ExitStack() as results:
        # First: what cannot be written need not be measured.
        places = [results.enter_context(contextlib.ExitStack())
                  for _ in names]
        directories = [place.enter_context(whole(
            pathlib.Path(output) / name, BOOT, made_by))
            for name, place in zip(names, places)]
        image = work / "initramfs"
        source = vl_programs.source(setup.machine)
        vl_image.make(image, items, vl_image.programs_of(
            items, added, binary, source), source, setup.settle)
        made = Run(kernels, items, setup, output if keep else None)
        numbers = []
        try:
            asyncio.run(made.boot_all(
                [(kernel, image, *more) for kernel, *more in zip(
                    kernels, describe(kernels, image, setup), directories,
                    places)], numbers.append))
        except asyncio.CancelledError:
            raise Stopped(numbers[0]) from None
        failed = [name for name in names if name not in made.statuses]
        if failed:
            raise LabError(f"not measured: {', '.join(failed)}" + (
                f"; in {output} are the results of "
                + ", ".join(made.statuses) if keep and made.statuses else ""))
        return {name: made.statuses[name] for name in names}
