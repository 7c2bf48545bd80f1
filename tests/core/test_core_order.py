# SPDX-License-Identifier: GPL-2.0-or-later
"""Whom one server of several clients answers first, and who waited for it."""

import types

import pytest

import results

ORDERS = ("priority", "arrival")
MS = 1000000
TRIES = 10
NAMES = ("interval", "send", "sleep", "response", "planned")


def on_one_axis(pairs, periods, offset):
    """The cycles of all pairs (-v, -A), in the order in which they were
    answered; in ns since the common first expiry. None: a client was late."""
    found = []
    for pair, values in enumerate(pairs):
        expiry = pair * offset + periods[pair]
        t0 = expiry + values[0]["planned"] - values[0]["response"] - \
            values[0]["interval"]
        if not 0 <= t0 - pair * offset < periods[pair] / 2:
            return None
        for value in values:
            t0 += value["interval"]
            t1 = t0 + value["send"]
            found.append(types.SimpleNamespace(
                pair=pair, t0=t0, t1=t1, t2=t1 + value["sleep"]))
    return sorted(found, key=lambda cycle: cycle.t1)


@pytest.fixture
def measure(run, shim):
    """The inversions and cycles of a run."""
    def once(order, periods, offset_us, sleep_us, fault=(), loops=5):
        done = run("-q", "-N", "-v", "-m", "-p80", "--priospread", "-l", loops,
                   "--warmup=0", "-d0", "--servers=one", f"--order={order}",
                   f"-t{len(periods)}", f"-A{offset_us}", "--json=json", "-i",
                   ",".join(map(str, periods)), f"--sleep={sleep_us}",
                   f"--metrics={','.join(NAMES)}", env=shim(*fault))
        assert done.returncode == 0, done.stderr
        cycles = on_one_axis(
            results.cycles(done.stdout, NAMES),
            [period * 1000 for period in periods], offset_us * 1000)
        inversions = results.loaded(done)["twoway"]["inversions"]
        if cycles:
            assert inversions == counted(cycles, len(periods))
        return inversions, cycles

    return once


def counted(cycles, pairs):
    """Lower ones that were answered between t0 and t1."""
    want = [0] * pairs
    for cycle in cycles:
        want[cycle.pair] += sum(
            other.pair > cycle.pair and cycle.t0 < other.t2 < cycle.t1
            for other in cycles)
    return want


def assert_order(cycles, order):
    """How often one of several was chosen; that it was the right one."""
    choices = 0
    for before, chosen in zip(cycles, cycles[1:]):
        for other in cycles:
            # Both were there when the answer before was sent.
            if max(other.t0, chosen.t0) > before.t2 - MS or \
                    other.t1 <= chosen.t1:
                continue
            choices += 1
            if order == "priority":
                assert chosen.pair < other.pair
            elif abs(other.t0 - chosen.t0) > MS:
                assert chosen.t0 < other.t0
    return choices


# Periods, us between first expiries, sleep; what the orders must count. The
# last comes first in each period, and the others come meanwhile.
LAYOUTS = {
    "all-differ": (([200000] * 4, 190000, 25000), {
        "priority": [4, 4, 4, 0], "arrival": [7, 7, 4, 0]}),
    "lowest-first": (([100000] * 3, 95000, 20000), {
        "priority": [4, 4, 0], "arrival": [7, 4, 0]}),
    "highest-first": (([100000] * 3, 5000, 20000), {
        "priority": [0, 0, 0], "arrival": [0, 0, 0]}),
}


@results.root
@pytest.mark.alone
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_order_and_inversions(measure, layout, order):
    """The count is exact in each run, and as planned in an undisturbed one."""
    settings, want = LAYOUTS[layout]
    for _ in range(TRIES):
        inversions, cycles = measure(order, *settings)
        if not cycles:
            continue
        assert assert_order(cycles, order) or layout == "highest-first"
        if inversions == want[order]:
            return
    pytest.fail("in no run, requests came as planned")


@results.root
@pytest.mark.alone
@pytest.mark.parametrize("order,pairs,want", [
    ("priority", [3, 0, 1, 2], [1, 1, 1, 0]),
    ("arrival", [3, 2, 1, 0], [3, 2, 1, 0])])
def test_order_behind_a_late_answer(measure, order, pairs, want):
    """The seventh, the first of pair 3, is 100 ms late; 2, 1 and 0 ask
    meanwhile, in this order."""
    for _ in range(TRIES):
        inversions, cycles = measure(order, [200000] * 4, 190000, 2000,
                                     ["server:nanosleep:after:6:100000"])
        if not cycles:
            continue
        assert cycles[6].t2 - cycles[6].t1 >= 100 * MS
        asked = [cycle.pair for cycle in sorted(cycles, key=lambda one: one.t0)
                 if cycle.t0 < cycles[6].t2 - MS]
        if [cycle.pair for cycle in cycles[:7]] == [0, 1, 0, 2, 1, 0, 3] and \
                asked == [0, 1, 0, 2, 1, 0, 3, 2, 1, 0]:
            assert [cycle.pair for cycle in cycles[6:10]] == pairs
            if inversions == want:
                return
    pytest.fail("in no run, requests came as planned")


@results.root
@pytest.mark.alone
def test_who_was_answered_goes_to_the_end(measure):
    """Pair 1 asks once more after pair 3, before both others are answered."""
    for _ in range(TRIES):
        _, cycles = measure("arrival", [75000, 62000, 55000, 60000], 20000,
                            30000, loops=2)
        if not cycles:
            continue
        assert assert_order(cycles, "arrival")
        if [cycle.pair for cycle in cycles[:5]] == [0, 1, 2, 3, 1]:
            return
    pytest.fail("in no run, requests came as planned")


@results.root
@pytest.mark.alone
def test_a_late_receiver_did_not_wait_for_others(measure):
    """They are answered behind it, before it has read its reply."""
    for _ in range(TRIES):
        inversions, cycles = measure(
            "priority", [200000] * 3, 10000, 2000,
            ["client0:recv:after:*:60000"])
        if cycles and [cycle.pair for cycle in cycles] == [0, 1, 2] * 5:
            assert inversions == [0, 0, 0]
            return
    pytest.fail("in no run, requests came as planned")
