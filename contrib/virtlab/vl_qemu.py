# SPDX-License-Identifier: GPL-2.0-or-later
"""One boot of one kernel in QEMU, and what it sends back."""

import asyncio
import contextlib
import dataclasses
import io
import re
import shlex
import subprocess
import tarfile
import zlib

from vl_common import LabError, call, dies_with_us, need
from vl_machine import DEFAULT
from vl_progress import Guest

TICK_S = 1
# The last file that a guest makes.
END = "lab.end"

# Leave one out, and two runs may differ.
# (noirqdebug: PREEMPT_RT's threaded handlers miss the emulated serial port's
# interrupts so often that the kernel would turn it off.)
KERNEL = ("console={} nokaslr norandmaps random.trust_cpu=off noirqdebug "
          "quiet panic=-1 rdinit=/init")
OPTIONS = ["-nodefaults", "-no-user-config", "-display", "none",
           "-seed", "1", "-no-reboot"]


@dataclasses.dataclass
class Mode:
    """How a guest is to run, and what its kernel is told of that."""
    cpus: int
    accel: str
    more: tuple = ()


MODES = {
    # Guest time is the number of instructions, 8 ns each. Recording keeps
    # QEMU's main thread from advancing the time of an idle CPU while that is
    # about to halt, its last instructions not yet counted: on a busy host
    # this happened in one boot of three. What is recorded is not needed.
    "exact": Mode(
        1, "tcg,thread=single",
        ("-icount", "shift=3,sleep=off,rr=record,rrfile=/dev/null",
         "-rtc", "base=2026-01-01,clock=vm")),
    # Guest time is the host's; each CPU is a thread of it.
    "smp": Mode(4, "tcg,thread=multi"),
}
# A file that a measurement wrote, below /out; no option, no way up.
WORD = "[A-Za-z0-9_][A-Za-z0-9._+-]*"
PLAIN = re.compile(rf"(?!lab\.json\Z){WORD}(/{WORD})*")


def version(machine):
    """QEMU's version; another may give other figures."""
    text = call([need(*machine.qemu), "--version"])
    return text.splitlines()[0].removeprefix("QEMU emulator version ")


def arguments(setup):
    """What is the same in every boot of a mode."""
    chosen, machine = MODES[setup.mode], setup.machine
    return [*machine.options, *OPTIONS, "-accel", chosen.accel,
            "-cpu", machine.model, "-smp", str(chosen.cpus), *chosen.more,
            "-m", str(setup.memory)]


def kernel_arguments(setup):
    machine = setup.machine
    more = machine.smp if MODES[setup.mode].cpus > 1 else ""
    ports = "" if machine.name == DEFAULT else \
        f" lab_console={machine.console} lab_data={machine.data}"
    return f"{KERNEL.format(machine.console)}{more}{ports} " \
           f"{setup.append}".rstrip()


async def boot(kernel, image, setup, work, progress):
    """Boots, waits for the end; what the guest sends goes to work / "data".

    Cancelled or not, it leaves no QEMU behind.
    """
    command = [str(word) for word in (
        need(*setup.machine.qemu), *arguments(setup),
        "-serial", f"file:{work}/console",
        *(word.format(work / "data") for word in setup.machine.data_options),
        "-kernel", kernel.path, "-initrd", image,
        "-append", kernel_arguments(setup))]
    # Not a pipe: what of QEMU's still has it may outlive QEMU.
    with open(work / "errors", "w+b") as errors, \
            open(work / "console", "w+b") as words:
        qemu = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=errors, preexec_fn=dies_with_us())
        guest = Guest(kernel.name, qemu.pid, words, setup.timeout, progress)
        try:
            while qemu.returncode is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(TICK_S):
                        await qemu.wait()
                guest.look()
        except LabError as err:
            raise LabError(f"{err}{console(work)}") from None
        finally:
            if qemu.returncode is None:
                qemu.kill()
                await qemu.wait()
        if qemu.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
            raise LabError(f"QEMU ended with status {qemu.returncode}: {said}"
                           f"\n  {shlex.join(command)}")


def console(work):
    """The guest's last words."""
    try:
        text = (work / "console").read_text(errors="replace")
    except OSError:
        text = ""
    lines = text.replace("\r", "").splitlines()[-12:]
    return "".join(f"\n  | {line}" for line in lines)


def archives(data):
    """(archive, whether it is whole) of all that a guest sent in turn."""
    while data:
        one = zlib.decompressobj(wbits=31)
        text = one.decompress(data)
        yield text, one.eof         # with a checksum, then
        data = one.unused_data


def received(path):
    """The files that the guest sent, the names of what cannot be kept, and
    what is amiss: "" only if it sent all that it had to.
    """
    files, dropped = {}, []
    try:
        sent = path.read_bytes()
        if not sent:
            return files, dropped, "the guest sent no results: it did not " \
                "boot, or ended before its measurements did"
        for data, is_whole in archives(sent):
            if not is_whole:
                raise EOFError("its end is missing")
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
                for member in tar:
                    name = member.name.removeprefix("./")
                    if member.isfile() and PLAIN.fullmatch(name):
                        files[name] = tar.extractfile(member).read()
                    elif not member.isdir():
                        dropped.append(name)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as err:
        return files, dropped, \
            f"the guest did not send its results as a whole: {err}"
    return files, dropped, "" if files.pop(END, None) is not None else \
        "the guest ended before its measurements did"
