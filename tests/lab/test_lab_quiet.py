# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest waits until it is quiet, and says so; one that never is, fails."""

import json
import re

import guests
import lab as made
import vl_kernel

# It goes on when the first measurement has ended.
LOOP = "while :; do :; done & sleep 0.1"


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
    assert err.endswith("# Others: loop-7 used 90.0 % of CPU 0\n")
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
        cpu, = cloud[0].json(name)["twoway"]["others"]["cpus"]
        assert cpu["percent"] < 1 and cpu["unnamed_percent"] < 0.1
        assert "# Others" not in cloud[0].text(f"{name}.txt")


def test_spinner(tmp_path):
    """A task that never ends: who it is, and that it has the CPU."""
    image = guests.fetch(vl_kernel.CLOUD)
    err = guests.virtlab(
        "run", f"--kernel={image}", "--settle=4", f"--output={tmp_path}", "--", "loop=sh", "-c", LOOP, "--", "-q",
        status=1)
    assert "was not quiet before 'twowaytest'" in err
    assert re.search(r"# Others: sh-\d+ used [3-9]\d\.\d % of CPU 0", err)
