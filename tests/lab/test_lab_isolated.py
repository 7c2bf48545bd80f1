# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest with four CPUs, of which two were set aside at boot."""

import pytest

import guests
import vl_kernel

pytestmark = pytest.mark.long
QUICK = ["twowaytest", "-q", "-p", "98", "-l", "100"]
OFFLINE = "echo 0 >/sys/devices/system/cpu/cpu3/online; "
ONLINE = "; echo 1 >/sys/devices/system/cpu/cpu3/online; true"
MEASURED = {
    "named": [*QUICK, "-a", "2,3"], "plan": [*QUICK, "-a"],
    "each": [*QUICK, "-S"], "all": [*QUICK, "--client-affinity=all"],
    "check": ["twowaytest", "--check", "-p", "98", "-a"],
    "check-named": ["twowaytest", "--check", "-p", "98", "-a", "2,3"],
    "offline": ["sh", "-c", OFFLINE + " ".join(QUICK) + " -a 2-3" + ONLINE],
    "refused": ["sh", "-c", OFFLINE + " ".join(QUICK) + " -a 3 2>&1" + ONLINE],
    "moved": ["sh", "-c", "twowaytest -q -p 98 -a 2,3 & sleep 3; " + OFFLINE +
              "sleep 1; kill -INT $!; wait" + ONLINE],
}
UNUSED = "# Isolated, but not used: CPU 2-3; to measure there: "


@pytest.fixture(scope="module")
def isolated():
    image = guests.fetch(vl_kernel.CLOUD)
    output = guests.run(
        "isolated", f"--kernel=isolated={image}", "--mode=smp", "--settle=0",
        "--append=isolcpus=managed_irq,domain,2-3", "--",
        *guests.words(MEASURED), status=2)
    return guests.Boot(output / "isolated")


def cpus(boot, name):
    pair, *_ = boot.json(name)["twoway"]["pairs"]
    return pair["server"]["cpus"], pair["client"]["cpus"]


def told(boot, name):
    return [line for line in boot.text(f"{name}.txt").splitlines()
            if line.startswith(("# Isolated", "# Named", "# Changed"))]


def test_named(isolated):
    """They are none of the shell's."""
    assert isolated.environment("named")["isolated_cpus"] == "2-3"
    assert cpus(isolated, "named") == ("2", "3")
    assert isolated.metric("named", "response")["cycles"] == 100
    assert cpus(isolated, "all") == ("0-1", "0-3")
    assert not told(isolated, "named") + told(isolated, "all")


def test_plan(isolated):
    assert cpus(isolated, "plan") == ("0", "1")
    assert told(isolated, "plan") == [UNUSED + "-a 2-3"]
    assert [thread["cpu"] for thread in isolated.json("each")[
        "thread"].values()] == [0, 1]
    assert told(isolated, "each") == [UNUSED + "taskset -c 2-3"]


def test_check(isolated):
    """With the reason, and what to do."""
    lines = isolated.text("check.txt").splitlines()
    at = lines.index("FINDING  isolated_cpus             2-3")
    assert lines[at + 2] == \
        "         fix: measure on CPUs that are isolated: -a 2-3"
    assert "ok       isolated_cpus             2-3" in \
        isolated.text("check-named.txt").splitlines()


def test_offline(isolated):
    """Of a range it is left out, alone it is refused."""
    assert told(isolated, "offline") == [
        "# Named, but left out, as offline or not in the cpuset: CPU 3"]
    assert "T: 0 " in isolated.text("offline.txt")
    assert "FATAL: --affinity=3: allowed is a set of these CPUs: 0-2, which " \
        "are online and in the cpuset" in isolated.text("refused.txt")


def test_offline_while_it_runs(isolated):
    """The kernel moves the client to another CPU."""
    line, = told(isolated, "moved")
    assert line.startswith(
        "# Changed while it ran: pair 0: client, policy fifo, priority 98, "
        "CPUs 3 to policy fifo, priority 98, CPUs ")
    assert not line.endswith(" 3")
