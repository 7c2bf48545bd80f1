# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's log of each instruction that a guest executes.

The guest does not know of it, and its time is the number of instructions: so
all that it measures is the same as without. The log is switched on and off at
QEMU's monitor, which is its standard input and output, and is read from a pipe
at once: a second of it has a million lines.
"""

import asyncio
import contextlib
import json
import os

from vl_common import LabError

# What the guest says on its console when the log is to begin.
MARKER = "virtlab: log"
# Each instruction is a line of its own; newer versions of QEMU call it so.
STEPS = ("one-insn-per-tb", "singlestep")
# What a reader asks for.
ONE_BY_ONE, ENOUGH = "a line for each instruction", "no more"
LOOK_S = 0.005
BLOCK = 1 << 20


class Log:
    """Of one boot; reader(block) gets it, a block at a time.

    First, the log has a line for each block of instructions that QEMU runs as
    a whole. The reader returns what is to change, if anything; obeyed() tells
    it that each instruction is a line from now on.
    """

    def __init__(self, reader):
        self.reader = reader
        self.read_end, self.write_end = os.pipe()

    def arguments(self):
        """Of QEMU, which inherits the pipe."""
        return ["-qmp", "stdio", "-D", f"/dev/fd/{self.write_end}"]

    def close_write(self):
        """QEMU alone has it: so the pipe ends with QEMU."""
        if self.write_end is not None:
            os.close(self.write_end)
        self.write_end = None

    def close(self):
        self.close_write()
        os.close(self.read_end)

    async def follow(self, qemu, console):
        """To the pipe's end."""
        self.close_write()
        monitor = Monitor(qemu)
        try:
            await self.read(monitor, console)
        finally:
            await monitor.close()

    async def read(self, monitor, console):
        last = asyncio.create_task(self.begin(monitor, console))
        try:
            # QEMU obeys only while it can write its lines: go on reading.
            while block := await asyncio.to_thread(os.read, self.read_end,
                                                   BLOCK):
                wish = await asyncio.to_thread(self.reader, block)
                if wish:
                    last = asyncio.create_task(self.obey(monitor, wish, last))
            await last
        finally:
            last.cancel()

    async def obey(self, monitor, wish, before):
        await before
        if wish == ENOUGH:
            await monitor.command("log none")
        await monitor.steps("on" if wish == ONE_BY_ONE else "off")
        if wish == ONE_BY_ONE:
            self.reader.obeyed()

    async def begin(self, monitor, console):
        await monitor.ask(execute="qmp_capabilities")
        while not monitor.ended() and not said(console, MARKER):
            await asyncio.sleep(LOOK_S)
        answer = await monitor.command("log exec,nochain")
        if answer:
            raise LabError("QEMU does not log instructions: "
                           + answer.strip())


@contextlib.contextmanager
def of(reader):
    """A log for this reader; for none, none."""
    log = Log(reader) if reader else None
    try:
        yield log
    finally:
        if log:
            log.close()


def said(console, text):
    try:
        return text in console.read_text(errors="replace")
    except OSError:
        return False


class Monitor:
    """QEMU's, by its protocol QMP."""

    def __init__(self, qemu):
        self.qemu = qemu

    def ended(self):
        return self.qemu.returncode is not None

    async def ask(self, **message):
        """The answer; None if QEMU has ended."""
        try:
            self.qemu.stdin.write(json.dumps(message).encode() + b"\n")
            await self.qemu.stdin.drain()
            while line := await self.qemu.stdout.readline():
                answer = json.loads(line)
                if {"return", "error"} & answer.keys():
                    return answer.get("return")
        except (BrokenPipeError, ConnectionResetError):
            pass
        return None

    async def close(self):
        """Whether or not QEMU has read it all: else asyncio complains."""
        self.qemu.stdin.close()
        with contextlib.suppress(OSError):
            await self.qemu.stdin.wait_closed()

    async def command(self, text):
        return await self.ask(execute="human-monitor-command",
                              arguments={"command-line": text})

    async def steps(self, state):
        for name in STEPS:
            answer = await self.command(f"{name} {state}")
            if answer is None or "unknown command" not in answer:
                return
        raise LabError(f"QEMU's monitor has none of the commands "
                       f"{', '.join(STEPS)}: {answer.strip()}")
