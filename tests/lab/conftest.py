# SPDX-License-Identifier: GPL-2.0-or-later
"""virtlab among made programs, and its guests. Skipped where it cannot run."""

import os
import pathlib
import shutil
import sys

import pytest

import lab as made

sys.dont_write_bytecode = True
sys.path.insert(0, str(made.VIRTLAB.parent))
sys.path.insert(0, str(made.VIRTLAB))

import archive  # noqa: E402
import guests  # noqa: E402
import test_lab_primitives  # noqa: E402
import vl_kernel  # noqa: E402

TWO_WAY = ["twowaytest", *guests.REALTIME]
CLOUD = {
    "idle": [*TWO_WAY, "-l", "300", "-h", "2000", "--worst",
             "--dump=idle.csv"],
    "loaded": [*TWO_WAY, "-l", "200", "--load=hackbench:1",
               "--dump=loaded.csv"],
    "slower": [*TWO_WAY, "-l", "300", "-i", "2000"],
    "slower-again": [*TWO_WAY, "-l", "300", "-i", "2000"],
}
BREAKS = [*TWO_WAY, "-l", "300", "-b", "1"]
RT = {
    "check": ["twowaytest", "--check", "-p", "98", "-a"],
    "idle": [*TWO_WAY, "-l", "200"],
    "break": BREAKS,
    "traced": [*BREAKS, "--trace", "--trace-file=kernel.txt"],
    "marked": [*BREAKS, "--tracemark"],
    "trace": ["cat", "/sys/kernel/tracing/trace"],
    "tracing": ["cat", "/sys/kernel/tracing/tracing_on"],
    # Nobody below the load gets the CPU.
    "unlimited": [*TWO_WAY, "-l", "100", "--rt-runtime=-1", "--load=fft:1",
                  "--load-policy=rr", "-b", "1", "--breaks=999", "--on-break=true"],
    "unlimited-primitive": [
        "primitivetest", "-q", "-p", "98", "-l", "50", "--test=sync2.unnamed",
        "--rt-runtime=-1", "--load=fft:1", "--load-policy=rr"],
    "runtime": ["cat", "/proc/sys/kernel/sched_rt_runtime_us"],
}
SMP = {
    "idle": [*TWO_WAY, "-l", "100"],
    "traced": RT["traced"],
}


def missing():
    """What every initramfs is made with."""
    found = [name for name in ("busybox", "cpio") if not shutil.which(name)]
    if found:
        return f"not installed: {', '.join(found)}"
    with open(shutil.which("busybox"), "rb") as file:
        if b"/ld-" in file.read(4096):
            return "busybox is not static: busybox-static is needed"
    return None


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if reason and item.path.parent == pathlib.Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def lab(tmp_path):
    return made.Lab(tmp_path)


@pytest.fixture(scope="session")
def made_archive(tmp_path_factory):
    return archive.build(tmp_path_factory.mktemp("archive"))


@pytest.fixture
def debian(lab, made_archive):
    """The lab on a system whose packages come from a made archive."""
    return archive.use(lab, made_archive)


@pytest.fixture(scope="session")
def cloud():
    """The cloud kernel, booted twice at the same time."""
    image = guests.fetch(vl_kernel.CLOUD)
    output = guests.run(
        "cloud", f"--kernel=one={image}", f"--kernel=two={image}",
        "--jobs=2", "--", *guests.words(CLOUD))
    return [guests.Boot(output / name) for name in ("one", "two")]


@pytest.fixture(scope="session")
def primitives():
    """primitivetest on the cloud kernel, booted twice at the same time."""
    image = guests.fetch(vl_kernel.CLOUD)
    output = guests.run(
        "primitives", f"--kernel=one={image}", f"--kernel=two={image}",
        f"--add={os.environ['PRIMITIVETEST']}",
        f"--add={guests.floor_program(guests.PRIM_FLOOR)}",
        *guests.added(test_lab_primitives.PROGRAMS), "--jobs=2", "--",
        *guests.words(test_lab_primitives.measurements()))
    return [guests.Boot(output / name) for name in ("one", "two")]


@pytest.fixture(scope="session")
def rt_image():
    return guests.fetch(vl_kernel.PREEMPT_RT)


@pytest.fixture(scope="session")
def preempt_rt(rt_image):
    """PREEMPT_RT, exact; what breaks or finds something has status 2."""
    output = guests.run("rt", f"--kernel=rt={rt_image}", "--",
                        *guests.words(RT), status=2)
    return guests.Boot(output / "rt")


@pytest.fixture(scope="session")
def smp(rt_image):
    output = guests.run("smp", f"--kernel=smp={rt_image}", "--mode=smp",
                        "--settle=0", "--", *guests.words(SMP), status=2)
    return guests.Boot(output / "smp")
