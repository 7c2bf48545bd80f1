# SPDX-License-Identifier: GPL-2.0-or-later
"""One boot of one kernel in QEMU, and what it sends back."""

import asyncio
import dataclasses
import gzip
import io
import re
import shlex
import subprocess
import tarfile
import zlib

from vl_common import LabError, call, dies_with_us, need
from vl_directory import scratch
from vl_machine import DEFAULT

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


async def boot(kernel, image, setup):
    """Boots, waits for the end; returns what received() does.

    Cancelled or not, it leaves no QEMU behind.
    """
    with scratch() as work:
        command = [str(word) for word in (
            need(*setup.machine.qemu), *arguments(setup),
            "-serial", f"file:{work}/console",
            *(word.format(work / "data")
              for word in setup.machine.data_options),
            "-kernel", kernel.path, "-initrd", image,
            "-append", kernel_arguments(setup))]
        qemu = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, preexec_fn=dies_with_us())
        try:
            async with asyncio.timeout(setup.timeout):
                error = (await qemu.communicate())[1]
        except TimeoutError:
            raise LabError(f"{kernel.name}: not at its end after "
                           f"{setup.timeout} s; --timeout allows more"
                           + console(work)) from None
        finally:
            if qemu.returncode is None:
                qemu.kill()
                await qemu.wait()
        if qemu.returncode:
            raise LabError(f"{kernel.name}: QEMU ended with status "
                           f"{qemu.returncode}: {error.decode().strip()}\n"
                           f"  {shlex.join(command)}")
        try:
            return received(work / "data")
        except LabError as err:
            raise LabError(f"{kernel.name}: {err}" + console(work)) from None


def console(work):
    """The guest's last words."""
    try:
        text = (work / "console").read_text(errors="replace")
    except OSError:
        text = ""
    lines = text.replace("\r", "").splitlines()[-12:]
    return "".join(f"\n  | {line}" for line in lines)


def received(path):
    """The files in what the guest sent, whole: a checksum ends it.

    Then the names of what cannot be kept.
    """
    files, dropped = {}, []
    try:
        sent = path.read_bytes()
        if not sent:
            raise LabError("the guest sent no results: it did not boot, or "
                           "ended before its measurements did")
        # At once: tarfile would stop before the checksum.
        data = io.BytesIO(gzip.decompress(sent))
        with tarfile.open(fileobj=data, mode="r:") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if member.isfile() and PLAIN.fullmatch(name):
                    files[name] = tar.extractfile(member).read()
                elif not member.isdir():
                    dropped.append(name)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as err:
        raise LabError("the guest did not send its results as a whole: "
                       f"{err}") from None
    return files, dropped
