# SPDX-License-Identifier: GPL-2.0-or-later
"""What is read in a log of a guest's instructions."""

import random

import pytest

import made_log
from made_log import Made

LENGTHS = {"send": made_log.length(240), "receive": made_log.length(340)}


@pytest.fixture
def steps():
    import vl_steps
    return vl_steps


@pytest.fixture
def cycles():
    import vl_cycles
    return vl_cycles


def reader(steps, calls=1000):
    return steps.Reader(steps.Symbols(made_log.KALLSYMS), 2, calls)


def read(steps, text, size=4096, **more):
    """Its segments, without waiting for the beginning."""
    one = reader(steps, **more)
    one.stepping = True
    data = text.encode()
    for i in range(0, len(data), size):
        one(data[i:i + size])
    return one.segments


def several(count=6, **more):
    made = Made()
    for _ in range(count):
        made.cycle(**more)
    return made


def profile(steps, cycles, text, lengths=None):
    names, found = cycles.cycles_of(read(steps, text),
                                    LENGTHS if lengths is None else lengths)
    return cycles.profile(names, found)


def test_symbols(steps):
    symbols = steps.Symbols(made_log.KALLSYMS)
    start = made_log.SYMBOLS["schedule.part.0"]
    assert symbols.of(b"%016x" % start) == ("schedule", True)
    assert symbols.of(b"%016x" % (start + 5)) == ("schedule", False)
    assert symbols.of(b"%016x" % made_log.SYMBOLS["tcp_sendmsg"]) == \
        ("tcp_sendmsg", True)
    assert symbols.of(b"0000000000401000") == ("user space", False)
    assert symbols.of(b"0000000080000100") == ("firmware", False)
    assert symbols.of(b"ffff800080000100") == ("elsewhere", False)
    with pytest.raises(steps.LabError, match="has no function"):
        steps.Symbols("0000000000000000 d x\n")


@pytest.mark.parametrize("size", [37, 4096, 1 << 20])
def test_phases(steps, cycles, size):
    """Each ends where its task returns; nothing is lost between blocks."""
    made = several()
    segments = read(steps, made.text(), size)
    whole = sum(one.instructions + sum(
        count.instructions for count in (one.before or {}).values())
        for one in segments)
    # But for what follows the last return.
    assert 0 <= len(made.pcs) - whole < 100
    names, found = cycles.cycles_of(segments, LENGTHS)
    assert names == ("wakeup", "send", "sleep", "receive")
    one = cycles.profile(names, found)
    assert list(one.phases) == [
        "wakeup, until idle", "wakeup", "send", "sleep, until idle", "sleep",
        "receive"]
    assert one.count("wakeup", "timer_interrupt") == steps.Count(1, 30)
    assert one.count("wakeup", "default_idle") == steps.Count(1, 4)
    assert one.count("wakeup, until idle", "schedule") == steps.Count(1, 20)
    assert one.count("send", "tcp_sendmsg") == steps.Count(1, 100)
    assert one.count("receive", "tcp_sendmsg") == steps.Count(1, 200)
    assert one.count("send", "tick") == steps.Count()
    assert one.instructions("receive") - one.instructions("send") == 100


def test_order_by_what_was_measured(steps, cycles):
    """Client and server do alike: the program's own figures tell them apart.
    """
    other = {"send": LENGTHS["receive"], "receive": LENGTHS["send"]}
    one = profile(steps, cycles, several().text(), other)
    assert one.count("send", "tcp_sendmsg").instructions == 200
    assert one.count("receive", "tcp_sendmsg").instructions == 100


def test_stopped(steps, cycles):
    """An instruction that was stopped is in the log twice."""
    made = several()
    plain = read(steps, made.text())
    lines = made.text().splitlines(keepends=True)
    again = []
    for i, line in enumerate(lines):
        again += [line, made_log.STOPPED, line] if i % 7 == 3 else [line]
    for size in (83, 160, 4096):
        assert read(steps, "".join(again), size) == plain


def test_last_time_idle(steps, cycles):
    """Ticks before that are not of the wake-up."""
    one = profile(steps, cycles, several(ticks=3).text())
    assert one.count("sleep, until idle", "tick").calls == 3
    assert one.count("sleep", "tick") == steps.Count()


def test_others_return(steps, cycles):
    """What they do belongs to the phase; the cycle is a cycle."""
    made = Made()
    for i in range(8):
        if i == 5:
            made.other()
        made.wait(made_log.CLIENT)
        if i == 4:
            made.other()
        made.send(made_log.CLIENT, 100)
        made.answer(made_log.CLIENT, made_log.SERVER)
        made.wait(made_log.SERVER)
        made.send(made_log.SERVER, 200)
        made.answer(made_log.SERVER, made_log.CLIENT)
    segments = read(steps, made.text())
    assert len(cycles.often(segments)) == 4
    names, found = cycles.cycles_of(segments, LENGTHS)
    before = [sum(count.instructions for count in cycle[0].before.values())
              for cycle in found]
    assert max(before) > min(before[1:]) + 60
    sends = [cycle[1].instructions for cycle in found]
    assert len(sends) >= 7 and len(set(sends)) == 2
    assert max(sends) > min(sends) + 60
    worst = cycles.profile(names, [cycles.longest(found)])
    assert worst.instructions("send") == max(sends)


@pytest.mark.parametrize("behind", [
    made_log.SLEEP + 2, made_log.RECEIVE + 4, made_log.CLIENT + 30])
def test_interrupt_in_the_code_of_a_task(steps, cycles, behind):
    """It is known by what it executes then: no cycle is lost."""
    text = several(8).text()
    code = made_log.line(behind)
    at = len(text) // 2 + text[len(text) // 2:].index(code) + len(code)
    tick = Made()
    tick.call("tick", 50)
    one = profile(steps, cycles, text[:at] + tick.text() + text[at:])
    assert sum(counts["tick"].instructions
               for counts in one.phases.values() if "tick" in counts) > 0
    _, found = cycles.cycles_of(
        read(steps, text[:at] + tick.text() + text[at:]), LENGTHS)
    _, plain = cycles.cycles_of(read(steps, text), LENGTHS)
    assert len(found) == len(plain)


def test_closed_loop(steps, cycles):
    made = Made()
    for _ in range(6):
        made.closed()
    one = profile(steps, cycles, made.text())
    assert list(one.phases) == ["send", "receive"]
    assert one.count("receive", "tcp_sendmsg").instructions == 200


def test_none_agrees_with_what_was_measured(steps, cycles):
    """Then phases are not told apart."""
    far = {name: 2 * value for name, value in LENGTHS.items()}
    one = profile(steps, cycles, several().text(), far)
    assert list(one.phases) == ["cycle, until idle", "cycle"]


def test_another_program(steps, cycles):
    """It measured no phases: a cycle is one."""
    made = Made()
    for _ in range(6):
        made.wait(made_log.CLIENT)
    one = profile(steps, cycles, made.text(), {})
    assert list(one.phases) == ["cycle, until idle", "cycle"]


@pytest.mark.parametrize("text, said", [
    ("", "the log has no cycle"),
    ("disorder", "client and server do not take turns"),
])
def test_no_cycles(steps, cycles, text, said):
    if text:
        made = Made()
        chance = random.Random(1)
        for _ in range(60):
            made.wait(chance.choice([made_log.CLIENT, made_log.SERVER]))
            made.answer(0, chance.choice([made_log.CLIENT,
                                          made_log.SERVER]))
        text = made.text()
    with pytest.raises(steps.LabError, match=said):
        cycles.cycles_of(read(steps, text), LENGTHS)


def test_beginning_and_end(steps):
    """What is asked of QEMU, and when."""
    import vl_log
    one = reader(steps, calls=8)
    early = Made()
    for _ in range(300):
        early.cycle()
    assert one(early.text().encode()) is None and not one.calls
    assert one(made_log.begin().text().encode()) is None
    late = Made()
    for _ in range(steps.QUIET // 4 - 1):
        late.cycle()
    assert one(late.text().encode()) is None
    assert one(Made().cycle().cycle().text().encode()) == vl_log.ONE_BY_ONE
    assert not one.segments
    one.obeyed()
    for _ in range(20):
        assert one(several(1).text().encode()) is None
    assert one(several(10).text().encode()) == vl_log.ENOUGH
    # What was in the pipe until then may not be one by one.
    assert steps.QUIET + 4 < one.steady < steps.SKIPPED
    assert one.segments[0].calls > steps.QUIET
    last = one.segments[-1].calls
    assert last >= steps.SKIPPED + 7
    assert one(several(4).text().encode()) is None
    assert one.segments[-1].calls == last


def test_one_place_to_return_to(steps, cycles):
    """All calls return there, as riscv64's do: what waits is found."""
    made = Made()
    for _ in range(9):
        for code, other, size in ((made_log.CLIENT, made_log.SERVER, 100),
                                  (made_log.SERVER, made_log.CLIENT, 200)):
            made.wait(code)
            made.enter(made_log.SLEEP, "tcp_sendmsg")
            made.call("tcp_sendmsg", size)
            made.back(made_log.SLEEP, code + 0x200)
            made.answer(code, other)
    names, found = cycles.cycles_of(
        read(steps, made.text()), {"send": made_log.length(282),
                                   "receive": made_log.length(382)})
    assert names == ("wakeup", "send", "sleep", "receive")
    one = cycles.profile(names, found)
    assert one.count("send", "tcp_sendmsg").instructions == 105
    assert one.count("receive", "tcp_sendmsg").instructions == 205
    assert one.instructions("wakeup") == 37
    assert one.instructions("send") == 282
