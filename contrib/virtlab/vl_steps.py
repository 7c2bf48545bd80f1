# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's log of a guest's instructions, cut where tasks return from waiting.

The log has nothing but addresses. The kernel's are told by its table of
symbols. In user space, a task is told by what it executes after it returns
from a system call: client and server have code of their own.
"""

import bisect
import collections
import dataclasses
import itertools
import re

import vl_log
from vl_common import LabError

# A line; an instruction that was stopped before is in the log twice.
LINE = re.compile(rb"^(?:Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]{16})/"
                  rb"|Stopped execution)", re.MULTILINE)
ADDRESS = re.compile(rb"/([0-9a-f]{16})/")
SYMBOL = re.compile(r"([0-9a-f]{16}) [tTwW] (\S+)")
# What compilers add to a name, for a part of a function or a copy of it.
PART = re.compile(r"\.(cold|isra|constprop|part|llvm)\b.*")
SYSTEM_CALL = re.compile(r"__(?:x64|arm64|riscv)_sys_(\w+)")
# Where a task of a cycle waits for a time, or for a message.
WAITS = {"clock_nanosleep", "rt_sigtimedwait", "nanosleep",
         "recvfrom", "recvmsg", "recvmmsg", "read"}
# Where the idle task halts a CPU, on the three architectures.
HALTS = {"default_idle", "native_safe_halt", "pv_native_safe_halt",
         "acpi_safe_halt", "mwait_idle", "arch_cpu_idle", "cpu_do_idle",
         "wait_for_interrupt"}
USER = "user space"
KERNEL = b"f"[0]
# The system call from which on the log is looked at.
BEGIN = "sethostname"
# Bytes that QEMU may have written before it obeyed: pipe and buffer.
PENDING = 1 << 17
# riscv64's firmware, at a place where nobody's programs are.
FIRMWARE = range(0x80000000, 0x80200000)
# Instructions of user space that tell the waits of two tasks apart: as few as
# all of a wait's returns have in common.
CODE = 40
BEFORE = 5000           # from user space to a system call's own function
AHEAD = 50000           # that an interrupt may take in this code
# Of WAITS, calls until the guest is quiet after what began, and until each
# instruction certainly is a line: the cycles looked at are the same each time.
QUIET = 600
SKIPPED = QUIET + 100


class Symbols:
    """The kernel's: /proc/kallsyms."""

    def __init__(self, text):
        found = sorted((int(address, 16), name)
                       for address, name in SYMBOL.findall(text)
                       if not name.startswith(("$", ".L", "__pfx_")))
        if not found:
            raise LabError("the guest's /proc/kallsyms has no function")
        self.addresses = [address for address, _ in found]
        self.names = [PART.sub("", name) for _, name in found]
        self.known = {}

    def of(self, pc):
        """The function, and whether this is its first instruction."""
        if pc not in self.known:
            address = int(pc, 16)
            at = bisect.bisect(self.addresses, address) - 1
            if pc[0] != KERNEL:
                self.known[pc] = ("firmware" if address in FIRMWARE else USER,
                                  False)
            elif at < 0:
                self.known[pc] = ("elsewhere", False)
            else:
                self.known[pc] = (self.names[at],
                                  self.addresses[at] == address)
        return self.known[pc]

    def starts(self, wanted):
        """Where functions begin; wanted(name): one of them."""
        return {b"%016x" % address
                for address, name in zip(self.addresses, self.names)
                if wanted(name)}


@dataclasses.dataclass
class Count:
    calls: float = 0
    instructions: float = 0


@dataclasses.dataclass
class Segment:
    """Up to a task's return from a system call that it waits in."""
    task: tuple             # the code that it returns to
    awake: dict             # {function: Count}, since the CPU last was idle
    before: dict            # until it was, None: it never was
    calls: int              # since the reader began: of WAITS

    @property
    def instructions(self):
        return sum(one.instructions for one in self.awake.values())


def counted(pcs, symbols):
    """{function: Count}."""
    found = collections.defaultdict(Count)
    for pc, times in collections.Counter(pcs).items():
        function, first = symbols.of(pc)
        found[function].instructions += times
        found[function].calls += times * first
    return dict(found)


def executed(text):
    """The addresses; an instruction that was stopped comes a second time."""
    if b"\nStopped" not in text:
        return ADDRESS.findall(text)
    pcs = []
    for pc in LINE.findall(text):
        if pc:
            pcs.append(pc)
        elif pcs:
            pcs.pop()
    return pcs


class Reader:
    """Gets blocks of the log; segments is what it found."""

    def __init__(self, symbols, call, calls):
        """call: the length of the instruction that calls the kernel.

        calls: of WAITS, how many are wanted.
        """
        self.symbols, self.call, self.last = symbols, call, SKIPPED + calls
        self.entries = symbols.starts(lambda name: call_of(name) in WAITS)
        self.halts = symbols.starts(lambda name: name in HALTS)
        self.begin = symbols.starts(lambda name: call_of(name) == BEGIN)
        self.returns = set()
        self.rest = b""
        self.begun = self.stepping = False
        self.pcs = []           # since the segment before ended
        self.seen = 0           # of them, how many were looked at
        self.calls = 0          # of system calls, since it began
        self.pending = None     # bytes that may not be one by one
        self.steady = None      # calls, when they certainly were
        self.segments = []

    def __call__(self, block):
        """What is to change in the log."""
        wish = self.take(block)
        self.count(len(block))
        return wish

    def take(self, block):
        text = self.rest + block
        # Not the last instruction: the next line may say that it was stopped.
        end = text.rfind(b"\nTrace") + 1
        self.rest = text[end:]
        if self.calls >= self.last:
            return None
        pcs = executed(text[:end])
        if not self.stepping:
            return self.wait(pcs)
        self.pcs += pcs
        self.look()
        return vl_log.ENOUGH if self.calls >= self.last else None

    def obeyed(self):
        self.pending = PENDING

    def count(self, size):
        if self.pending is not None and self.steady is None:
            self.pending -= size
            if self.pending < 0:
                self.steady = self.calls

    def wait(self, pcs):
        """For what begins, and then until the guest is quiet again."""
        if not self.begun:
            at = next((i for i, pc in enumerate(pcs) if pc in self.begin),
                      len(pcs))
            pcs = pcs[at:]
            self.begun = bool(pcs)
        self.calls += sum(pc in self.entries for pc in pcs)
        self.stepping = self.calls >= QUIET
        return vl_log.ONE_BY_ONE if self.stepping else None

    def look(self):
        """At what is new, but for the code after the last return."""
        end = max(self.seen, len(self.pcs) - CODE)
        ended, at = 0, max(self.seen, 1)
        while (at := self.hit(at, end)) is not None:
            if self.pcs[at] in self.entries:
                self.calls += 1
                self.learn(at)
            elif self.pcs[at - 1][0] == KERNEL:
                code = self.code(at)
                if code is None:
                    end = at            # here again, when more was read
                    break
                self.end(ended, at, code)
                ended = at
            at += 1
        del self.pcs[:ended]
        self.seen = end - ended

    def hit(self, at, end):
        """The first that is a wait's call, or what it returns to."""
        for i in range(at, end):
            if self.pcs[i] in self.entries or self.pcs[i] in self.returns:
                return i
        return None

    def code(self, at):
        """What the task executes first, in user space; None: not known yet."""
        found = []
        for pc in itertools.islice(self.pcs, at, at + AHEAD):
            if pc[0] != KERNEL:
                found.append(pc)
                if len(found) == CODE:
                    return tuple(found)
        return tuple(found) if len(self.pcs) >= at + AHEAD else None

    def learn(self, at):
        """A system call: where it will return to."""
        for i in range(at - 1, max(-1, at - BEFORE), -1):
            if self.pcs[i][0] != KERNEL:
                self.returns.add(b"%016x" % (int(self.pcs[i], 16)
                                             + self.call))
                return

    def end(self, start, at, code):
        pcs = self.pcs[start:at]
        halted = 0
        if not self.halts.isdisjoint(pcs):
            halted = max(i for i, pc in enumerate(pcs) if pc in self.halts)
        self.segments.append(Segment(
            code, counted(pcs[halted:], self.symbols),
            counted(pcs[:halted], self.symbols) if halted else None,
            self.calls))


def call_of(name):
    """The system call of a function; None: it is none's."""
    found = SYSTEM_CALL.fullmatch(name)
    return found and found[1]
