# SPDX-License-Identifier: GPL-2.0-or-later
"""What --trace costs, in instructions: while it traces, and afterwards."""

import pytest

import guests
import vl_kernel

# See test_lab_core.py.
ARMED = ["twowaytest", *guests.REALTIME, "--mainaffinity=0", "-i", "1013",
         "-l", "1500", "--warmup=100", "-b", "1000000"]
# From its first cycle on.
EARLY = [*ARMED[:-4], "400", "--warmup=0", "-b", "1000000"]
TRACE = {
    "plain": ARMED, "traced": [*ARMED, "--trace"],
    "stacked": [*ARMED, "--trace=stack"],
    "before": EARLY, "between": [*EARLY, "--trace"], "after": EARLY,
    # What the man page advises. The last, as it stays so.
    "noted": ["sh", "-c", "echo 0 >/sys/kernel/tracing/options/record-cmd"],
    "unnamed": [*ARMED, "--trace"],
    "break": ["sh", "-c", " ".join(["twowaytest", *guests.REALTIME, "-l 300",
                                    "--warmup=30 -b 1 --trace",
                                    "--trace-file=kernel.txt; true"])],
}


@pytest.fixture(scope="module")
def traces():
    image = guests.fetch(vl_kernel.CLOUD)
    output = guests.run("trace", f"--kernel=trace={image}", "--",
                        *guests.words(TRACE))
    return guests.Boot(output / "trace")


def test_response(traces):
    """On one CPU, where every switch lies within the response."""
    plain = traces.metric("plain", "response")
    traced = traces.metric("traced", "response")
    print(f"average {traced['avg'] / plain['avg']:.4f}, "
          f"maximum {traced['max'] / plain['max']:.4f} of what it is without")
    assert plain["avg"] < traced["avg"] <= 1.25 * plain["avg"]


def test_stacks(traces):
    """Without a culprit there is none, and deciding that costs little."""
    plain = traces.metric("plain", "response")
    traced = traces.metric("traced", "response")
    stacked = traces.metric("stacked", "response")
    print(f"average {traced['avg'] / plain['avg']:.4f}, with stacks "
          f"{stacked['avg'] / plain['avg']:.4f} of what it is without; "
          f"{plain['avg']} {traced['avg']} {stacked['avg']} ns")
    assert traced["avg"] < stacked["avg"] <= 1.4 * plain["avg"]


def test_names_need_not_be_noted(traces):
    """Without record-cmd it costs less, and the cause has names all the
    same."""
    plain = traces.metric("plain", "response")
    traced = traces.metric("unnamed", "response")
    print(f"average {traced['avg'] / plain['avg']:.4f} of what it is without")
    assert traced["avg"] <= 1.2 * plain["avg"]
    text = traces.text("break.txt")
    for side in ("client", "server"):
        assert f"twoway-{side}-" in text
    assert "<...>-" not in text


@pytest.mark.parametrize("metric", ["wakeup", "response"])
def test_nothing_is_left_for_the_next(traces, metric):
    """The kernel is done with the instance when the run ends."""
    before = traces.metric("before", metric)
    after = traces.metric("after", metric)
    print(f"maximum {before['max']} ns before, {after['max']} after")
    assert after["max"] <= 1.3 * before["max"]
    assert after["avg"] <= 1.01 * before["avg"]
