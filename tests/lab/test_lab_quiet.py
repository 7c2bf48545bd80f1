# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest waits until it is quiet, and says so; one that never is, fails."""

import concurrent.futures
import json
import re

import pytest

import guests
import lab as made
import vl_kernel

# It goes on when the first measurement has ended.
LOOP = "while :; do :; done & sleep 0.1"
# A cycle of a quiet guest is shorter, also while it is traced.
SHORT = ["twowaytest", *guests.REALTIME, "-i", "1013", "-l", "300"]
DISTURBED = {"plain": SHORT, "traced": [*SHORT, "-b", "900", "--trace"]}


def test_told(lab):
    """In s, of each measurement."""
    out, _ = lab.measure("--settle=250", "--", "-q", "--", "two=twowaytest")
    assert out.count("## quiet after 2.5 s of guest time\n") == 2
    boot = json.loads((lab.directory / "virtlab" / made.RELEASE /
                       "lab.json").read_text())
    assert [item["waited_s"] for item in boot["measurements"]] == [2.5, 2.5]


def test_not_asked_to(lab):
    """Nothing is told, as of a guest that does not tell it."""
    out, _ = lab.measure("--settle=0", "--", "-q")
    assert "quiet" not in out
    out, _ = lab.measure("--", "-q", LAB_QUIET="?")
    assert "quiet" not in out


def test_never(lab):
    """What is said of it; there are no results."""
    _, err = lab.measure("--", "-q", "--", "two=twowaytest", status=1,
                         LAB_QUIET="never")
    assert err.startswith(
        f"virtlab: {made.RELEASE}: the guest was not quiet before "
        "'twowaytest': ")
    assert "--settle" in err
    assert err.endswith("# Others used 90.0 % of CPU 0: loop-7 90.0 %\n"
                        f"virtlab: not measured: {made.RELEASE}\n")
    assert not (lab.directory / "virtlab" / made.RELEASE).exists()


def test_never_in_a_bisection(lab):
    """Such a kernel can be told nothing of."""
    lab.measure("--", "-q", "--limit=response:max:9", command="bisect-step",
                status=125, LAB_QUIET="never")


def test_quiet(cloud):
    """Before each measurement; then nobody disturbs it."""
    measured = cloud[0].json("lab")["measurements"]
    assert all(3 <= item["waited_s"] < 120 for item in measured)
    for name in ("idle", "slower"):
        others = cloud[0].json(name)["twoway"]["others"]
        cpu, = others["cpus"]
        # The unit of /proc/PID/stat, 10 ms, may be complete just then.
        assert cpu["percent"] * others["seconds"] < 1.1
        assert cpu["unnamed_percent"] < 0.1


def test_spinner(tmp_path):
    """A task that never ends: who it is, and that it has the CPU."""
    image = guests.fetch(vl_kernel.CLOUD)
    err = guests.virtlab(
        "run", f"--kernel={image}", "--settle=4", f"--output={tmp_path}", "--", "loop=sh", "-c", LOOP, "--", "-q",
        status=1)
    assert "was not quiet before 'twowaytest'" in err
    assert re.search(r"# Others used [3-9]\d\.\d % of CPU 0: sh-\d+ [3-9]\d\.\d %", err)


@pytest.fixture(scope="module")
def after_boot():
    """Debian 13's standard kernel, right after boot and when it is quiet."""
    image = guests.fetch("linux-image-amd64", "--suite=trixie")

    def boot(name, status, *options):
        output = guests.run(f"boot-{name}", f"--kernel={name}={image}",
                            *options, "--", *guests.words(DISTURBED),
                            status=status)
        return guests.Boot(output / name)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        early = pool.submit(boot, "early", 2, "--settle=0")
        quiet = pool.submit(boot, "quiet", 0)
        return early.result(), quiet.result()


def waited(boot):
    return [item["waited_s"] for item in boot.json("lab")["measurements"]]


@pytest.mark.long
def test_right_after_boot(after_boot):
    """The trace and the line of others name who tests ciphers then."""
    early, _ = after_boot
    assert waited(early) == [None, None]
    assert re.search(r"^# Cause: (sleep|send|receive|wakeup) \+\d+ us: .*"
                     r"\bcryptomgr_test-\d+ \(.* ran with preemption off",
                     early.text("traced.txt"), re.MULTILINE)
    for name in DISTURBED:
        assert re.search(r"^# Others used .* % of CPU 0: cryptomgr_test-\d+ ",
                         early.text(f"{name}.txt"), re.MULTILINE)
        cpu, = early.json(name)["twoway"]["others"]["cpus"]
        assert cpu["tasks"][0]["name"] == "cryptomgr_test"


@pytest.mark.long
def test_after_waiting(after_boot):
    """It is done: the same cycles are short, and at most a worker of the
    kernel is named."""
    early, quiet = after_boot
    assert all(3 <= seconds < 120 for seconds in waited(quiet))
    response = [boot.metric("plain", "response") for boot in after_boot]
    print("average {avg} ns right after boot, ".format(**response[0])
          + "{avg} when quiet".format(**response[1]))
    assert response[0]["avg"] > 2 * response[1]["avg"]
    for name in DISTURBED:
        assert quiet.metric(name, "response")["cycles"] == 300
        text = quiet.text(f"{name}.txt")
        assert not re.search("^# (Cause|Break)", text, re.MULTILINE)
        assert "cryptomgr" not in text
        assert all(re.fullmatch(
            r"# Others used (1\.\d) % of CPU 0: kworker/\S+ \1 %", line)
            for line in text.splitlines() if line.startswith("# Others"))
    assert early.metric("traced", "response")["cycles"] < 300
