# SPDX-License-Identifier: GPL-2.0-or-later
"""The guests' architectures: a row each, all that differs between them."""

import dataclasses

DEFAULT = "amd64"


@dataclasses.dataclass
class Machine:
    """An architecture, by Debian's name."""
    name: str
    qemu: str               # the emulator
    package: str            # which has it
    suite: str              # of Debian, where its programs come from
    packages: tuple         # kernels: standard, PREEMPT_RT, if there is one


MACHINES = {machine.name: machine for machine in (
    Machine("amd64", "qemu-system-x86_64", "qemu-system-x86", "bookworm",
            ("linux-image-cloud-amd64", "linux-image-amd64",
             "linux-image-rt-amd64")),
    Machine("arm64", "qemu-system-aarch64", "qemu-system-arm", "bookworm",
            ("linux-image-arm64", "linux-image-rt-arm64")),
    # Debian 13 is the first that has it.
    Machine("riscv64", "qemu-system-riscv64", "qemu-system-misc", "trixie",
            ("linux-image-riscv64",)),
)}
