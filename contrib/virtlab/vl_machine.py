# SPDX-License-Identifier: GPL-2.0-or-later
"""The guests' architectures: a row each, all that differs between them."""

import dataclasses
import os

DEFAULT = "amd64"
# A serial port on PCI, for boards that have only one of their own.
PCI = ("-chardev", "file,id=data,path={}", "-device",
       "pci-serial,chardev=data")


@dataclasses.dataclass(frozen=True)
class Machine:
    """An architecture, by Debian's name."""
    name: str
    cpu: str                # as the kernel, meson and tests/cross call it
    suite: str              # of Debian, where its programs come from
    packages: tuple         # of its kernels
    qemu: tuple             # the emulator, the package that has it
    options: tuple          # of it: the board
    model: str              # and the CPU
    console: str
    data: str               # the port that results are sent to
    data_options: tuple     # how QEMU is given that port: {} is a file
    smp: str = ""           # what the kernel is told with several CPUs
    static: bool = True     # what is built here needs no library

    @property
    def triple(self):
        """As compilers and Debian's directories of libraries have it."""
        return f"{self.cpu}-linux-gnu"

    @property
    def kinds(self):
        """{what it is called: its package} of the kernels to compare."""
        kinds = {"standard": f"linux-image-{self.name}",
                 "preempt-rt": f"linux-image-rt-{self.name}"}
        return {kind: package for kind, package in kinds.items()
                if package in self.packages}

    @property
    def native(self):
        return self.cpu == os.uname().machine


MACHINES = {machine.name: machine for machine in (
    # With several CPUs, the kernel distrusts counters that they read in turn;
    # the HPET, which it would read instead, takes longer than most phases.
    Machine("amd64", "x86_64", "bookworm",
            ("linux-image-cloud-amd64", "linux-image-amd64",
             "linux-image-rt-amd64"),
            ("qemu-system-x86_64", "qemu-system-x86"), ("-M", "q35"),
            "max,-rdrand,-rdseed", "ttyS0", "ttyS1", ("-serial", "file:{}"),
            " tsc=reliable"),
    Machine("arm64", "aarch64", "bookworm",
            ("linux-image-arm64", "linux-image-rt-arm64"),
            ("qemu-system-aarch64", "qemu-system-arm"),
            ("-M", "virt,gic-version=2"), "cortex-a57", "ttyAMA0", "ttyS0",
            PCI),
    # Debian 13 is the first that has it; Debian 12's linker cannot link its
    # static C library.
    Machine("riscv64", "riscv64", "trixie", ("linux-image-riscv64",),
            ("qemu-system-riscv64", "qemu-system-misc"), ("-M", "virt"),
            "rv64", "ttyS0", "ttyS1", PCI, static=False),
)}
