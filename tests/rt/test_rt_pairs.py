# SPDX-License-Identifier: GPL-2.0-or-later
"""Several pairs: delays of one of them, and inversions, exactly."""

import re
import statistics

import outside
import pytest
import twoway

MS = 1000000
TRIES = 4


class Measured:
    """What a run says of its pairs, by its JSON, its text and its dump."""

    def __init__(self, run, directory):
        assert run.finish() == 0, run.err
        self.json = outside.load_json(directory / "json")["twoway"]
        self.cycles = twoway.read_dump(directory / "dump")
        self.told = [pair["inversions"] for pair in self.json["pairs"]]
        line = re.search(r"^# Inversions:((?: \d+)+)$", run.out, re.M)
        assert bool(line) == (self.json["settings"]["servers"] == "one")
        if line:
            assert self.told == list(map(int, line[1].split()))

    def of(self, pair):
        return [cycle for cycle in self.cycles if cycle.pair == pair]


@pytest.fixture
def measure(start, shim, tmp_path):
    def run(fault, *options):
        env = {"LD_PRELOAD": shim, "TW_DELAY": fault} if fault else {}
        return Measured(start(
            "-q", "-m", "-p", 80, "--warmup=0", "--json", tmp_path / "json",
            "--dump", tmp_path / "dump", *options, env=env), tmp_path)
    return run


DELAY_US = 60000
DELAYED = 2


@pytest.mark.parametrize("role, call, when, phase", [
    ("client", "send", "before", lambda c: c.t1_ns - c.t0_ns),
    ("server", "nanosleep", "after", lambda c: c.t2_ns - c.t1_ns),
    ("server", "send", "before", lambda c: c.t3_ns - c.t2_ns),
    ("client", "recv", "after", lambda c: c.t3_ns - c.t2_ns),
], ids=["send", "sleep", "reply", "receive"])
def test_delay_of_one_pair(measure, role, call, when, phase):
    """It is in each of that pair's cycles, in that phase, and nowhere else."""
    for _ in range(TRIES):
        found = measure(f"{role}{DELAYED}:{call}:{when}:*:{DELAY_US}",
                        "-t4", "-d0", "-i", 2 * DELAY_US, "-l", 10)
        assert all(len(found.of(pair)) == 10 for pair in range(4))
        assert min(map(phase, found.of(DELAYED))) >= DELAY_US * 1000
        worst = found.json["pairs"][DELAYED]["worst"]["response"]
        assert worst["response_ns"] >= DELAY_US * 1000
        medians = [statistics.median(c.t3_ns - c.t0_ns for c in found.of(pair))
                   for pair in range(4) if pair != DELAYED]
        if max(medians) < DELAY_US * 1000:
            return
    pytest.skip("the host was disturbed: other pairs were as late")


LOOPS = 5
# What comes first does so by 5 ms, with up to four services before.
MARGIN_NS = MS


def count_inversions(found):
    """By the dump: of each pair, later ones answered from its t0 to its t1.

    None: an answer and a t0 were too close for timestamps to tell.
    """
    want = [0] * len(found.told)
    for cycle in found.cycles:
        for other in found.cycles:
            if other.pair <= cycle.pair:
                continue
            if other.t2_ns <= cycle.t0_ns <= other.t3_ns:
                return None
            want[cycle.pair] += cycle.t0_ns < other.t2_ns < cycle.t1_ns
    return want


def disturbed(found, sleep_us, during=(0, 0)):
    """Whether anything was late that was not waiting, or @during a time."""
    idle_ns = 0
    for cycle in sorted(found.cycles, key=lambda cycle: cycle.t1_ns):
        begin_ns = max(cycle.t0_ns, idle_ns)
        idle_ns = cycle.t2_ns
        if cycle.t3_ns > during[0] and cycle.planned_ns < during[1]:
            continue
        if cycle.missed or max(cycle.t0_ns - cycle.planned_ns,
                               cycle.t1_ns - begin_ns,
                               cycle.t2_ns - cycle.t1_ns - 1000 * sleep_us,
                               cycle.t3_ns - cycle.t2_ns) > MARGIN_NS:
            return True
    return False


def simulate(order, pairs, later_us, period_us, sleep_us, loops):
    """The inversions of each pair, if nothing takes time but the sleep."""
    coming = sorted((pair * later_us + cycle * period_us, pair)
                    for pair in range(pairs) for cycle in range(loops))
    now, waiting, turn, served = 0, [], [], []
    told = [0] * pairs
    while coming or waiting:
        if not waiting:
            now = max(now, coming[0][0])
        while coming and coming[0][0] <= now:
            waiting.append(coming.pop(0))
        if not turn and order == "fixed":
            turn = sorted(waiting, key=lambda one: one[1])
        t0_us, pair = turn.pop(0) if turn else min(
            waiting, key=lambda one: one[order == "priority"])
        waiting.remove((t0_us, pair))
        told[pair] += sum(other > pair and t0_us < end_us <= now
                          for end_us, other in served)
        now += sleep_us
        served.append((now, pair))
    return told


# In the first, 3 comes first in each period, and 2, 1 and 0 come while it is
# served, or just after: each order serves them in another one.
LAYOUTS = {
    "all-differ": ((4, 190000, 200000, 25000), {
        "priority": [4, 4, 4, 0], "fixed": [6, 4, 4, 0],
        "arrival": [7, 7, 4, 0]}),
    "lowest-first": ((3, 95000, 100000, 20000), {
        "priority": [4, 4, 0], "fixed": [4, 4, 0], "arrival": [7, 4, 0]}),
    "highest-first": ((3, 5000, 100000, 20000), dict.fromkeys(
        ("priority", "fixed", "arrival"), [0] * 3)),
}


@pytest.mark.parametrize("layout, order", [
    (layout, order) for layout, (_, orders) in LAYOUTS.items()
    for order in orders])
def test_inversions_by_offset(measure, layout, order):
    (pairs, later_us, period_us, sleep_us), orders = LAYOUTS[layout]
    want = orders[order]
    assert simulate(order, pairs, later_us, period_us, sleep_us,
                    LOOPS) == want
    for _ in range(TRIES):
        found = measure(
            None, "--servers=one", f"--order={order}", f"-t{pairs}", "-d0",
            f"-A{later_us}", "-i", period_us, f"--sleep={sleep_us}",
            "-l", LOOPS)
        counted = count_inversions(found)
        if counted is None:
            continue
        assert found.told == counted
        if not disturbed(found, sleep_us):
            assert found.told == want
            return
    pytest.skip("the host was disturbed: requests did not come as planned")


@pytest.mark.parametrize("victim", range(3))
def test_inversions_by_delay(measure, victim):
    """Who waits for a delayed answer to a later one has one, and one only."""
    delay_us, sleep_us = 60000, 2000
    want = [int(pair < victim) for pair in range(3)]
    for _ in range(TRIES):
        # 2 asks 10 ms before 1, and 1 before 0: they meet then alone. In the
        # first three periods, there are one, two and three of them.
        found = measure(
            f"server:nanosleep:after:{8 - victim}:{delay_us}",
            "--servers=one", "-t3", "-d0", "-A140000", "-i150000",
            f"--sleep={sleep_us}", "-l", 6)
        counted = count_inversions(found)
        late = max(found.cycles, key=lambda cycle: cycle.t2_ns - cycle.t1_ns)
        assert late.t2_ns - late.t1_ns >= 1000 * delay_us
        if counted is None:
            continue
        assert found.told == counted
        if (late.pair, late.cycle) == (victim, 3 - victim) and not disturbed(
                found, sleep_us, (late.t0_ns, late.t2_ns + 15 * MS)):
            assert found.told == want
            return
    pytest.skip("the host was disturbed: requests did not come as planned")
