# SPDX-License-Identifier: GPL-2.0-or-later
"""primitivetest: what real-time priorities decide."""

import os

import pytest

import ended

TRIALS = 20
NEED_PRIORITY = ["sync3", "switch", "monopoly", "order", "yield", "preempt",
                 "shuffle"]

# Priorities of the tasks.
ROWS = {
    "sync3.none": [48, 49, 50],
    "sync3.inherit": [48, 49, 50],
    "sync3.protect": [48, 49, 50],
    "switch": [51],
    "monopoly": [51, 50, 1],
    "order.cond": [51, *range(50, 42, -1)],
    "order.pi": [51, *range(50, 42, -1)],
}


@pytest.mark.parametrize("name", ROWS)
def test_row(realtime, name):
    """As threads and processes: right priorities, trials and verdicts."""
    result = realtime(f"--test={name}", "-l", str(TRIALS),
                      "--tasks=thread,process", "--cpus=same")
    assert result.returncode == 0, result.stderr
    assert len(result.tests) == 2
    for test in result.tests.values():
        assert test["trials"] == TRIALS
        assert test["verdicts"]
        assert not any(verdict["failed"] for verdict in test["verdicts"])
        assert [task["priority"] for task in test["processes"]] == ROWS[name]
        assert not any(task["changed"] for task in test["processes"])
        assert test["switches"]["had"] >= test["switches"]["needed"] * 0.99
        assert len({task["cpus"] for task in test["processes"]}) == 1


@pytest.mark.parametrize("name", NEED_PRIORITY)
def test_needs_priority(primitive, name):
    result = primitive(f"--test={name}")
    assert result.returncode == 1
    assert "needs real-time priorities" in result.stderr


@pytest.mark.parametrize("kind, share", [("none", 0), ("inherit", TRIALS),
                                         ("protect", TRIALS)])
def test_inversion(realtime, kind, share):
    """The middle task's work is in the high one's wait, or it is not."""
    name = f"sync3.{kind}.process.same"
    result = realtime(f"--test=sync3.{kind}", "-l", str(TRIALS),
                      "--hold=400", "--hog=3000")
    assert result.returncode == 0, result.stderr
    test = result.tests[name]
    assert test["verdicts"][0]["text"].endswith(f"in {share} of {TRIALS} "
                                                "trials")
    # Work is counted; a CPU may change its speed by half.
    assert result.columns[f"{name}.inversion"]["min"] >= \
        (200 if share else 1700)


def test_low_comes_last(realtime):
    """The low task's time has the high one's in it."""
    result = realtime("--test=monopoly", "-l", str(TRIALS))
    columns = result.columns
    high, low = (columns[f"monopoly.process.same.{name}"]
                 for name in ("high", "low"))
    assert high["min"] >= 100
    assert low["min"] >= high["min"] + 100


def test_first_and_last(realtime):
    result = realtime("--test=order", "-l", str(TRIALS))
    for kind in ("cond", "pi"):
        name = f"order.{kind}.process.same"
        assert result.sum_ns(f"{name}.first") < result.sum_ns(f"{name}.last")
        assert result.tests[name]["verdicts"][0]["text"].startswith(
            f"0 inversions of 8 priorities in {TRIALS + 2} trials")


def test_too_few_priorities(realtime):
    result = realtime("--test=order", "-p", "7")
    assert result.returncode == 1
    assert "give -p 8 or more" in result.stderr
    assert realtime("--test=order", "-p", "8", "-l", "5").returncode == 0


def test_group_without_priority(primitive):
    """Nobody has named it: it is skipped, with the reason."""
    result = primitive("--test=aegis", "-l", "1")
    assert "needs real-time priorities" in \
        result.tests["sync3.none.process.same"]["skipped"]



SPOILT = [
    ("sync3.inherit", "none", "process", "in 0 of 50 trials"),
    ("sync3.protect", "none", "thread", "in 0 of 50 trials"),
    ("sync3.none", "inherit", "process", "in 50 of 50 trials"),
    ("order.cond", "late", "process", "1 inversions"),
    ("order.pi", "late", "process", "1 inversions"),
    ("switch", "swapped", "process", "in 52 of 52 trials"),
    ("switch", "swapped", "thread", "in 52 of 52 trials"),
]


@pytest.mark.parametrize("test, spoil, tasks, why", SPOILT,
                         ids=["-".join(row[:3]) for row in SPOILT])
def test_spoilt(realtime, test, spoil, tasks, why):
    """A wrong order is found, and the exit status is 1."""
    result = realtime(f"--test={test}", "-l", "50", f"--tasks={tasks}",
                      env={"LD_PRELOAD": os.environ["TWOWAY_SPOIL_SO"],
                           "TW_SPOIL": spoil})
    assert result.returncode == 1
    assert why in result.stderr


def test_high_that_sleeps(realtime):
    """A high task that ends late: the low one has begun before."""
    result = realtime("--test=monopoly", "-l", "20",
                      env={"LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
                           "TW_DELAY": "high:sem_wait:after:9:3000"})
    assert result.returncode == 1
    assert "in 1 of 22 trials" in result.stderr


def test_counted_work(realtime):
    """It lasts as long as was asked, or longer: what it took is subtracted."""
    result = realtime("--test=sync3", "-l", "20", "--hold=300", "--hog=900",
                      "--dump=dump")
    assert result.returncode == 0, result.stderr
    columns = result.columns
    assert columns["sync3.none.process.same.inversion"]["min"] >= 1200
    for kind in ("inherit", "protect"):
        name = f"sync3.{kind}.process.same"
        assert columns[f"{name}.inversion"]["min"] >= 300
        rows = [list(map(int, line.split(",")[2:])) for line in
                ended.rows((realtime.directory / "dump").read_text("ascii"))
                if line.startswith(name)]
        held = [end - begin for *_, begin, end in rows]
        # The least is what low was told, not what mid was.
        assert 300000 <= min(held) < 900000
        assert result.sum_ns(f"{name}.handover") == pytest.approx(
            sum(t1 - t0 - (end - begin) for t0, t1, _, begin, end in rows),
            abs=2)


# Whose pairs a round trip has, and how many calls of them.
NET = {"unnamed": ("futex", 2), "named": ("futex", 2), "sysv": ("sysv", 4),
       "eventfd": ("eventfd", 4), "futex": ("futex", 3),
       "cond": ("futex", 3), "pi": ("futex", 3)}


def test_net_switch(realtime):
    """Without the system calls of a round trip, by their number."""
    result = realtime("--test=sync1,sync2", "-l", "20")
    derived = {one["name"]: one["value"]
               for one in result.json["primitives"]["derived"]}
    for kind, (other, calls) in NET.items():
        name = f"sync2.{kind}.process.same"
        trip = result.columns[f"{name}.roundtrip"]
        pair = result.columns[f"sync1.{other}.pair"]
        assert derived[f"{name}.switch_net"] == pytest.approx(
            (trip["avg"] - calls / 2 * pair["avg"]) / 2, abs=0.002)
        # AEGIS's is without sync1's own pair, of each of two tasks.
        own = result.columns.get(f"sync1.{kind}.pair")
        for switch, value in (("switch", "avg"), ("switch.min", "min")):
            assert derived.get(f"{name}.{switch}") == (own and pytest.approx(
                trip[value] / 2 - own[value], abs=0.002))
    # The path is another one, and so is the number of calls.
    result = realtime("--test=sync1.futex,sync2.unnamed", "-l", "20",
                      "--order=lower", json=False)
    assert not result.returncode and "switch_net" not in result.stdout
