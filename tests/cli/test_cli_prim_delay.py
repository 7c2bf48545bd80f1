# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that is late by a known time: seen in that trial and metric alone."""

import os

import pytest


LATE_US = 200000
TRIALS = 12
TRIAL = 7

# Test, task and its call; how many of these calls it makes before the first
# trial, and in each; and the metrics that the delay is in.
LATE = [
    ("sync2.unnamed", "asks", "sem_post", 1, 1, {"out", "roundtrip"}),
    ("sync2.unnamed", "answers", "sem_post", 1, 1, {"back", "roundtrip"}),
    ("sync2.named", "answers", "sem_post", 1, 1, {"back", "roundtrip"}),
    ("sync2.sysv", "asks", "semop", 0, 2, {"out", "roundtrip"}),
    ("sync2.eventfd", "asks", "write", 0, 1, {"out", "roundtrip"}),
    ("sync2.eventfd", "answers", "write", 0, 1, {"back", "roundtrip"}),
    ("sync2.cond", "asks", "pthread_cond_signal", 0, 1,
     {"out", "roundtrip"}),
    ("sync2.pi", "asks", "pthread_cond_signal", 0, 1, {"out", "roundtrip"}),
    ("sync2.mutex", "asks", "pthread_mutex_unlock", 0, 1, {"out"}),
    ("message.8", "asks", "mq_send", 0, 1, {"out", "roundtrip"}),
    ("message.8", "answers", "mq_send", 0, 1, {"back", "roundtrip"}),
    ("signal.sigwaitinfo", "asks", "sigqueue", 0, 1, {"out", "roundtrip"}),
    ("signal.handler", "answers", "sigqueue", 0, 1, {"back", "roundtrip"}),
    ("signal.signalfd", "answers", "sigqueue", 0, 1, {"back", "roundtrip"}),
    ("timer.1000", "high", "sigwaitinfo", 0, 1, {"wakeup", "interval"}),
    ("sleep.nanosleep.1000", "high", "nanosleep", 0, 1, {"excess"}),
    ("sleep.absolute.1000", "high", "clock_nanosleep", 0, 1, {"excess"}),
    ("trap.signal", "high", "kill", 0, 1, {"enter", "roundtrip"}),
]


@pytest.mark.parametrize("test, role, call, first, each, metrics", LATE,
                         ids=[f"{row[0]}-{row[1]}" for row in LATE])
def test_late(primitive, test, role, call, first, each, metrics):
    warmup = 2
    number = first + each * (warmup + TRIAL - 1)
    result = primitive(
        f"--test={test}", f"--loops={TRIALS}", "--worst",
        env={"LD_PRELOAD": os.environ["TWOWAY_DELAY_SO"],
             "TW_DELAY": f"{role}:{call}:before:{number}:{LATE_US}"})
    assert result.returncode == 0, result.stderr
    worst = result.json["primitives"]["worst"]
    late = {name.rsplit(".", 1)[1]: found for name, found in worst.items()}
    for metric, found in late.items():
        value = found["values"][metric]
        if metric in metrics:
            # The delay may begin up to a period before the timer expires.
            assert value >= LATE_US - 1000
            assert found["trial"] == TRIAL
        else:
            assert value < LATE_US
