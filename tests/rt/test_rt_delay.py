# SPDX-License-Identifier: GPL-2.0-or-later
"""Injected delays: found where they were made, and nowhere else."""

import oracle
import outside
import pytest
import twoway

CYCLES = 20
CYCLE = 7           # the one that is made late
# The next is as late, but for a period: a busy host may make that up.
LATE = (CYCLE, CYCLE + 1)
WARMUP = 2
PERIOD_US = 10000
DELAY_US = 1000000  # above any noise: hosts stop for 0.7 s
PERIOD_NS = 1000 * PERIOD_US
DELAY_NS = 1000 * DELAY_US
SETUP = oracle.Setup(interval_us=PERIOD_US)

# By number of the call: the first message is the first cycle's, but the first
# expiry only begins the first interval.
MESSAGE = WARMUP + CYCLE
EXPIRY = MESSAGE + 1

TIMERS = {"posix": "sigwaitinfo", "nanosleep": "clock_nanosleep",
          "timerfd": "read"}
WAITS = {"poll": "poll", "select": "select", "epoll": "epoll_wait"}

# Phase that grows: (fault, from when, till when the delay surely lies);
# times are a column of the dump and a cycle, counted from the late one.
FAULTS = {
    "send": [
        ("client:send:before", ("t0", 0), ("t1", 0)),
        ("server:recv:before", ("t0", -1), ("t1", 0)),
        ("server:recv:after", ("t0", 0), ("t1", 0)),
        ("server:poll:after", ("t0", 0), ("t1", 0)),
    ],
    "sleep": [
        ("server:nanosleep:before", ("t1", 0), ("t2", 0)),
        ("server:nanosleep:after", ("t1", 0), ("t2", 0)),
    ],
    "receive": [
        ("server:send:before", ("t2", 0), ("t3", 0)),
        ("client:send:after", ("t0", 0), ("t3", 0)),
        ("client:recv:before", ("t0", 0), ("t3", 0)),
        ("client:recv:after", ("t2", 0), ("t3", 0)),
    ],
}

PHASES = ("wakeup", "send", "sleep", "receive")


class Result:
    """What a run says of itself, by its JSON and its dump."""

    def __init__(self, run, directory):
        assert run.finish() == 0, run.err
        self.json = outside.load_json(directory / "json")["twoway"]
        self.cycles = twoway.read_dump(directory / "dump")
        assert [cycle.cycle for cycle in self.cycles] == list(range(CYCLES))
        # The first interval is not in a dump; none here depends on it.
        self.values = oracle.series(self.cycles, PERIOD_NS, SETUP)

    def time(self, column, cycle):
        return getattr(self.cycles[cycle], f"{column}_ns")

    def worst(self, metric):
        """The worst cycle's number, which must be the dump's."""
        worst = self.json["worst"][metric]
        number = worst["cycle"]
        assert self.values[metric][number] == max(self.values[metric])
        for name in (*PHASES, "response"):
            assert worst[f"{name}_ns"] == self.values[name][number]
        return number


@pytest.fixture
def measure(start, shim, tmp_path):
    def run(fault, *options):
        late = start("-q", "-m", "-p", 98, "-a", "-l", CYCLES,
                     "-i", PERIOD_US, "--warmup", WARMUP,
                     "--metrics", ",".join(oracle.METRICS),
                     "--json", tmp_path / "json", "--dump", tmp_path / "dump",
                     *options, env={"LD_PRELOAD": shim, "TW_DELAY": fault})
        return Result(late, tmp_path)
    return run


def check_phase(result, phase, begin, end):
    """The delay is in that phase of that cycle, and in no other."""
    begin_ns = result.time(begin[0], CYCLE + begin[1])
    end_ns = result.time(end[0], CYCLE + end[1])
    assert end_ns - begin_ns >= DELAY_NS
    # What begins before the phase may in part be waited for before it.
    late_ns = result.values[phase][CYCLE]
    assert late_ns >= DELAY_NS - 2 * PERIOD_NS
    for name in PHASES:
        others = dict(enumerate(result.values[name]))
        if name == phase:
            del others[CYCLE]
        if name == "wakeup":
            # Who is late is not yet there at the next expiry.
            del others[CYCLE + 1]
        assert max(others.values()) < late_ns, name
    assert result.worst(phase) in (LATE if phase == "wakeup" else [CYCLE])


def check_totals(result, phase):
    """The metrics that are made of phases have it, too."""
    assert result.worst("total") in LATE
    assert result.worst("planned") in LATE
    if phase != "wakeup":
        assert result.worst("response") == CYCLE
    else:
        assert max(result.values["response"]) < DELAY_NS


def check_grid(result, timer):
    """Not one expiry is lost, and the grid does not shift."""
    pairs = list(zip(result.cycles, result.cycles[1:]))
    for cycle, following in pairs:
        assert following.planned_ns - cycle.planned_ns == \
            (1 + cycle.missed) * PERIOD_NS
    for before, cycle in pairs:
        # Passed when the client asked again, and when it was awake.
        least = (before.t3_ns - cycle.planned_ns) // PERIOD_NS
        most = (cycle.t0_ns - cycle.planned_ns) // PERIOD_NS
        if timer == "nanosleep":
            least = most
        assert max(0, least) <= cycle.missed <= most
    missed = sum(cycle.missed for cycle in result.cycles)
    assert result.json["missed"] == missed
    # The expiry that the late cycle answers, and the next, are not missed.
    assert missed >= DELAY_NS // PERIOD_NS - 2


@pytest.mark.parametrize("phase, fault, begin, end", [
    (phase, *row) for phase, rows in FAULTS.items() for row in rows])
def test_phase(measure, phase, fault, begin, end):
    result = measure(f"{fault}:{MESSAGE}:{DELAY_US}")
    check_phase(result, phase, begin, end)
    check_totals(result, phase)
    check_grid(result, "nanosleep")


@pytest.mark.parametrize("wait", WAITS)
def test_wait(measure, wait):
    result = measure(f"server:{WAITS[wait]}:after:{MESSAGE}:{DELAY_US}",
                     f"--wait={wait}")
    check_phase(result, "send", ("t0", 0), ("t1", 0))


@pytest.mark.parametrize("timer", TIMERS)
def test_wakeup(measure, timer):
    result = measure(f"client:{TIMERS[timer]}:after:{EXPIRY}:{DELAY_US}",
                     f"--timer={timer}")
    check_phase(result, "wakeup", ("planned", 0), ("t0", 0))
    check_totals(result, "wakeup")
    check_grid(result, timer)


@pytest.mark.parametrize("timer", TIMERS)
def test_late_to_wait(measure, timer):
    """A client that comes late to its timer: no request goes uncounted."""
    result = measure(f"client:{TIMERS[timer]}:before:{EXPIRY}:{DELAY_US}",
                     f"--timer={timer}")
    late, last = result.cycles[CYCLE], result.cycles[CYCLE - 1]
    assert late.t0_ns - last.t3_ns >= DELAY_NS
    assert late.t0_ns - late.planned_ns >= \
        DELAY_NS - (late.planned_ns - last.t3_ns)
    assert result.worst("wakeup") in LATE
    check_grid(result, timer)


def test_server_busy_after_reply(measure):
    """It answers the next request late; the answered cycle has nothing."""
    result = measure(f"server:send:after:{MESSAGE - 1}:{DELAY_US}")
    check_phase(result, "send", ("t2", -1), ("t1", 0))
    check_totals(result, "send")


def test_two_delays(measure):
    """Each in its own cycle and phase."""
    other = CYCLE + 5
    result = measure(f"server:nanosleep:after:{MESSAGE}:{DELAY_US},"
                     f"client:send:before:{WARMUP + other}:{2 * DELAY_US}")
    assert result.worst("sleep") == CYCLE
    assert result.values["sleep"][CYCLE] >= DELAY_NS
    assert result.worst("send") == other
    assert result.values["send"][other] >= 2 * DELAY_NS
    assert result.worst("response") == other


def test_delayed_warmup(measure):
    """What happens in the warm-up is in no result, but is counted."""
    result = measure(f"client:send:before:0:{DELAY_US}")
    for name in ("send", "sleep", "receive"):
        assert max(result.values[name]) < DELAY_NS
    periods = DELAY_NS // PERIOD_NS
    assert result.json["warmup"]["missed"] >= periods - 2
    assert result.json["missed"] < periods - 2


# A request is 8 bytes; a reply has 5 words, each of them checked.
@pytest.mark.parametrize("placement", [[], ["-p98", "-a0"]])
@pytest.mark.parametrize("sender, receiver, bit", [
    *(("client", "server", bit) for bit in (0, 31, 63)),
    *(("server", "client", bit) for bit in (0, 63, 64, 130, 191, 192, 255,
                                               256, 319)),
])
def test_damaged_message(start, shim, tmp_path, placement, sender, receiver,
                         bit):
    """Whoever received it is named, though the other side then stops, too."""
    run = start("-q", *placement, "-l", 1000, "--warmup", WARMUP,
                "--json", tmp_path / "json",
                env={"LD_PRELOAD": shim,
                     "TW_DELAY": f"{sender}:send:flip:{MESSAGE}:{bit}"})
    assert run.finish() == 1
    assert f"the {receiver} (pid " in run.err
    assert "received a message" in run.err
    result = outside.load_json(tmp_path / "json")
    assert result["return_code"] == 1
    assert f"the {receiver} (pid " in result["twoway"]["error"]
    # The cycles before it stand.
    assert result["twoway"]["cycles"] == CYCLE
    assert run.out.count(f"C:{CYCLE:7} ") == result["num_threads"]
