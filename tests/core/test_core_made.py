# SPDX-License-Identifier: GPL-2.0-or-later
"""What is found in made traces: events and causes, of traces.txt and
events.txt."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

import causes

HERE = pathlib.Path(__file__).parent
BASE_NS = 100 * 10**9
TASKS = {       # name in traces.txt: of a line, of the task, PID, priority
    "idle": ("<idle>", "swapper/2", 0, 120),
    "client": ("twoway-client", "twoway-client", 100, 9),
    "server": ("twoway-server", "twoway-server", 200, 10),
    "hog": ("hog", "hog", 300, 120), "worker":
    ("kworker/2:1", "kworker/2:1", 301, 120),
    "spinner": ("spinner", "spinner", 400, 0),
    "equal": ("equal", "equal", 500, 10), "top": ("top", "top", 302, 5),
    "top5": ("top", "top", 301, 5), "nicest": ("nicest", "nicest", 303, 100),
    "lowest": ("lowest", "lowest", 304, 99),
    "highest": ("highest", "highest", 302, 100),
    "other": ("other", "other", 301, 120), "x": ("x", "x", 7, 120),
    **{f"server{prio}": ("twoway-server", "twoway-server", 200, prio)
       for prio in (99, 100, 120)},
    **{name: (name, name, pid, 120) for pid, name in enumerate("abcd", 11)},
    **{f"{name}120": (name, name, pid, 120)
       for pid, name in enumerate("abc", 301)},
}
BLOCKS = {
    "wait": "100 2 server S> idle; 110 3 client S> idle",
    "wakes": "1001 3 idle +tick; 1003 3 idle wakes client 3; "
             "1004 3 idle -tick; 1006 3 idle R> client",
    "sends": "1013 3 client sends; 1014 3 client +rx; "
             "1016 3 client wakes server 2; 1017 3 client -rx; "
             "1019 3 client S> idle",
}
SHORT = {
    "+eth0": "irq_handler_entry: irq=36 name=eth0",
    "-eth0": "irq_handler_exit: irq=36 ret=handled",
    "+rx": "softirq_entry: vec=3 [action=NET_RX]",
    "-rx": "softirq_exit: vec=3 [action=NET_RX]",
    "+tick": "local_timer_entry: vector=236",
    "-tick": "local_timer_exit: vector=236",
    "+ipi": "reschedule_entry: vector=253",
    "-ipi": "reschedule_exit: vector=253",
    "sends": "net_dev_queue: dev=lo skbaddr=00000000d4f5f3a5 len=130",
}
SIDES = {"send": ("server", "client"), "receive": ("client", "server"),
         "wakeup": ("client", None), "sleep": ("server", None),
         "time": ("server", None)}
BYPASSES = ["none", "limit", "fair"]
BLOCKED = 3     # enum tw_state


def task(name, before=""):
    _, comm, pid, prio = TASKS[name]
    return f"{before}comm={comm} {before}pid={pid} {before}prio={prio}"


def event(words):
    """What follows the time: in full, of what traces.txt has."""
    name, *rest = words.split(" ", 1)
    rest = rest[0].split() if rest else []
    if name[-1] == ">":
        return f" prev_state={name[:-1]} ==> " + task(rest[0], "next_")
    if name == "wakes":
        return f"sched_waking: {task(rest[0])} target_cpu={int(rest[1]):03}"
    if name == "moves":
        return f"sched_migrate_task: {task(rest[0])} orig_cpu={rest[1]} " \
            f"dest_cpu={rest[2]}"
    return SHORT.get(words, words)


def line(text):
    """An event as the kernel prints it; a line with \" stands for itself."""
    if text[0] == '"':
        return text[1:] + "\n"
    at_us, cpu, name, words = text.split(" ", 3)
    name, _, flags = name.partition("/")
    comm, _, pid, _ = TASKS[name]
    words = event(words)
    if words[0] == " ":
        words = "sched_switch: " + task(name, "prev_") + words
    return f"   {comm}-{pid}   [{int(cpu):03}] {flags or 'd..2.'}   " \
        f"100.{int(at_us):06}: {words}\n"


def trace(lines):
    """Whole lines with \" apart, the events are separated by semicolons."""
    found, events = [], []
    for one in [*lines, '"']:
        if one[0] != '"':
            events.append(one)
            continue
        text = " ".join(events)
        for name, block in BLOCKS.items():
            text = re.sub(rf"(^|; ){name}(?=;|$)", rf"\g<1>{block}", text)
        found += filter(None, map(str.strip, text.split("; ")))
        found.append(one)
        events = []
    return "# tracer: nop\n" + "".join(map(line, found[:-1]))


def cases():
    for text in (HERE / "traces.txt").read_text(encoding="ascii").split(
            "\n== ")[1:]:
        name, span, *lines = text.splitlines()
        at = next(i for i, one in enumerate(lines) if one.startswith("-> "))
        yield pytest.param(span.split(), lines[:at],
                           " ".join(map(str.strip, lines[at:]))[3:], id=name)


def program(*args, text, **options):
    done = subprocess.run([os.environ["TWOWAY_CAUSE"], *map(str, args)],
                          input=text, capture_output=True, check=True,
                          encoding="utf-8", errors="surrogateescape",
                          **options)
    assert not done.stderr
    return done.stdout


def analysed(span, text):
    """Of PHASE BEGIN END USUALLY BYPASS ...: (JSON, text)."""
    phase, begin, end, usually, bypass, *more = span
    begin, end = (BASE_NS + round(float(us) * 1000) for us in (begin, end))
    more = dict(zip(more, [*more[1:], ""]))
    side, peer = SIDES[phase]
    names = {"server": "server", "client": "client"}
    if phase == "time":
        names = {"server": "prim-a", "client": "prim-b"}
        peer = "client" if "peer" in more else None
    due = BASE_NS + round(float(more["due"]) * 1000) if "due" in more else \
        begin + 100000 * (phase == "sleep")
    out = program(
        phase, names[side], TASKS[side][2], names.get(peer, ""),
        TASKS[peer][2] if peer else 0, begin, end, due,
        float(usually) * 1000, BLOCKED * ("waits" in more),
        more.get("own", "prim-" if phase == "time" and "rests" not in more
                 else ""),
        BYPASSES.index(bypass), text=text)
    cause, end = json.JSONDecoder().raw_decode(out)
    text, _, cause["brief"] = out[end:].strip().rpartition("\n")
    return cause, text


def brief(verdict, who):
    """What all causes of a kind have in common: no times, no places, and no
    numbers of processes."""
    text = re.sub(r"^\S+ \S+ us: |, which ran on CPU.*|,? on CPU \d+|"
                  r" for [\d.]+ us|(?<=undecided), .*|"
                  r",? before (it|that) woke the \S+$|"
                  r"-\d+(?= held| woke it)|"
                  r", (already awake|its message on the way|undisturbed)",
                  "", verdict)
    shown = re.sub(r"-\d+$", "", who or "")
    return re.sub(" while .* ran", lambda _: f" while {shown} ran", text)


def assert_text(cause, text, span):
    """It says what the JSON has."""
    assert re.findall("^# Wake-up of the .*: (.*) us from sched_waking to",
                      text, re.M) == [
        f"{cause[name] / 1000:.1f}" for name in ["wakeup_ns"] if name in cause]
    usually = float(span[3])
    assert (f"\n# Time line of {span[0]}: {cause['ns'] / 1000:.1f} us" + (
        f", on average {usually:.1f}" if usually else "") + "\n") in text
    # Of too many, the shortest are in one line.
    of = cause["timeline"]
    shown = [one for one in of if len(of) <= 40 or one["ns"] >= cause["ns"] //
             40]
    left_us = sum(one["ns"] for one in of if one not in shown) / 1000
    assert text.split(" who had the CPU\n")[1].splitlines() == [
        f"# {one['at_ns'] / 1000:10.1f} {one['ns'] / 1000:10.1f} "
        f"{one['cpu']:4}  {one['state']:18} {one['who']}" + (
            f", priority {99 - one['prio']}" if 0 <= one["prio"] < 99 and
            not one["interrupt"] else "") for one in shown] + [
        f"# {'':10} {left_us:10.1f}       in shorter pieces"] * bool(left_us)


@pytest.mark.parametrize("span,lines,verdict", cases())
def test_made(span, lines, verdict):
    cause, text = analysed(span, trace(lines))
    assert text.splitlines()[0] == f"# Cause: {verdict}"
    if "lacks" in cause:
        assert f"unknown, as {cause['lacks']}" == verdict
        return
    assert cause["cause"] == verdict
    assert cause["brief"] == brief(verdict, cause["who"])
    assert (cause["state"] == "unknown") == (": undecided, as " in verdict)
    causes.assert_whole(cause)
    assert len(text.splitlines()) <= 45
    assert_text(cause, text, span)


@pytest.mark.parametrize("count", [39, 40, 41, 60, 255, 256, 257, 300])
def test_many_pieces(count):
    """The time line has the longest; of what is left, the last has all."""
    events = ["wait; 500 2 idle R> hog; 1016 2 hog wakes server 2"]
    events += [f"{1016 + 4 * n + n % 3} 2 {a} R> {b}"
               for n in range(1, count - 1)
               for a, b in [("hog", "worker")[::1 if n % 2 else -1]]]
    last = ("hog", "worker")[count % 2]
    span = ["send", "1016", "2600", "20", "none"]
    cause, text = analysed(span, trace([
        "; ".join(events) + f"; 2500 2 {last} R> server"]))
    assert len(cause["timeline"]) == min(count, 256)
    causes.assert_whole(cause)
    assert_text(cause, text, span)


@pytest.mark.parametrize("name,wakeup_ns", [
    ("analysis: woken_and_on_before", 0),
    ("analysis: interrupted", 6000), ("analysis: preempted_again", 6000),
    ("analysis: client_interrupted", 4000), ("timer: in_time", 1000),
    ("analysis: woken_just_before", 5400),
    ("throttle: chosen_again", 8009000),
    ("blame: busy_client_interrupted", None)])
def test_wakeup(name, wakeup_ns):
    """What comes after the first switch to the task is not in it."""
    span, lines, _ = next(one.values for one in cases() if one.id == name)
    cause, _ = analysed(span, trace(lines))
    assert cause.get("wakeup_ns") == wakeup_ns


def interrupt():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)


READABLE = "# tracer: nop\n" + 5000 * "# a line\n"


@pytest.mark.parametrize("why,text,prepare", [
    ("the trace could not be read", "", lambda: os.close(0)),
    ("the trace could not be read", "",
     lambda: os.dup2(os.open("/", os.O_RDONLY), 0)),
    ("a signal ended the reading of the trace", READABLE, interrupt),
    ("the trace lacks sched_switch or sched_waking", READABLE, None)],
    ids=["closed", "directory", "signal", "whole"])
def test_not_read(why, text, prepare):
    out = program("send", "server", 200, "client", 100, BASE_NS, BASE_NS + 9,
                  BASE_NS, 1, 0, "", 0, text=text, preexec_fn=prepare)
    cause, end = json.JSONDecoder().raw_decode(out)
    assert cause["lacks"] == why
    assert out[end:].split("\n") == [
        "", f"# Cause: unknown, as {why}", f"unknown, as {why}", ""]


# The lines of a stack, below its event; what is told, and when.
ENTRY = "asm_sysvec_apic_timer_interrupt"
STACKS = [
    # An interrupt over a system call, and what the scheduler adds to it.
    ("wakes", ["try_to_wake_up", "hrtimer_wakeup", ENTRY, "clear_user",
               "read_zero", "vfs_read", "ksys_read", "do_syscall_64",
               "entry_SYSCALL_64_after_hwframe"],
     "interrupt", ["clear_user", "read_zero", "vfs_read", "ksys_read",
                   "do_syscall_64"]),
    ("leaves", ["trace_event_raw_event_sched_switch",
                "__traceiter_sched_switch", "__schedule",
                "preempt_schedule_irq", "irqentry_exit", ENTRY, "memset"],
     "switch", ["memset"]),
    ("leaves", ["__traceiter_sched_switch", "__schedule",
                "preempt_schedule_common", "preempt_schedule_thunk",
                "_raw_spin_unlock", "unmap_page_range", "schedule_work"],
     "switch", ["_raw_spin_unlock", "unmap_page_range", "schedule_work"]),
    # An interrupt in an interrupt.
    ("wakes", ["a", "b", "c", "d", "e", "f", "asm_common_interrupt", "g",
               "h", ENTRY, "i"], "interrupt", ["i"]),
    ("wakes", ["gic_handle_irq", "el1_interrupt", "el1h_64_irq_handler",
               "el1h_64_irq", "__arch_clear_user"],
     "interrupt", ["__arch_clear_user"]),
    ("wakes", ["gic_handle_irq", "el0t_64_irq_handler", "el0t_64_irq"],
     "interrupt", []),
    ("wakes", ["hrtimer_wakeup", ENTRY], "interrupt", []),
    # As trace_options of the user may have them.
    ("wakes", [ENTRY, "a+0x10/0x20", "b <ffffffff81000000>"], "interrupt",
     ["a", "b"]),
    ("wakes", [ENTRY, "x" * 60], "interrupt", ["x" * 47]),
]


@pytest.mark.parametrize("where,frames,at,told", STACKS)
def test_stacks(where, frames, at, told):
    """Of who is to blame, what it did itself."""
    stack = " <stack trace>\n" + "".join(f" => {one}\n" for one in frames)
    text = trace(["wait; 500 2 idle R> hog; 1016 2 hog wakes server 2; "
                  "1016 2 hog FIRST; 1316 2 hog R+> server; 1316 2 hog LAST; "
                  "1320 2 server <stack trace>"]) + " => others\n"
    for name, here in (("FIRST", "wakes"), ("LAST", "leaves")):
        text = text.replace(f" {name}\n", stack) if here == where else \
            re.sub(rf".*: {name}\n", "", text)
    cause, text = analysed(["send", "1010", "1330", "20", "none"], text)
    assert cause["who"] == "hog-300"
    assert (cause["stack_at"], cause["stack"]) == (at, told)
    # The stack at a switch names who left; the next one has the CPU.
    assert [(one["state"], one["who"]) for one in cause["timeline"][-2:]] == [
        ("runnable", "hog-300"), ("runs", "twoway-server-200")]
    assert text.splitlines()[1] == "# Stack of hog-300, as " + (
        "an interrupt came: " if at == "interrupt" else "it left the CPU: "
    ) + (" < ".join(told) or "in user mode")


@pytest.mark.parametrize("stack", [
    "900 2 hog <stack trace>", "1331 2 hog <stack trace>",
    "1020 3 hog <stack trace>", "1018 2 other <stack trace>; 1019 2 hog -rx"])
def test_stacks_of_others(stack):
    """Not before it, after it, on another CPU or of another task."""
    events = sorted(["500 2 idle R> hog", "1016 2 hog wakes server 2",
                     "1316 2 hog R+> server", stack],
                    key=lambda one: int(one.split()[0]))
    cause, text = analysed(
        ["send", "1010", "1330", "20", "none"],
        trace(["wait; " + "; ".join(events)]).replace(
            "<stack trace>\n", "<stack trace>\n => read_zero\n"))
    assert cause["who"] == "hog-300" and "stack" not in cause
    assert "Stack" not in text


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_stack_that_tells_most(order):
    """In the kernel, else in user mode, else as it left the CPU."""
    stacks = ["1100 2 hog wakes x 2; 1100 2 hog <stack trace>\n => a",
              "1100 2 hog wakes x 2; 1100 2 hog <stack trace>\n => asm_x",
              "1100 2 hog R> hog; 1100 2 hog <stack trace>\n => b"]
    told = [("interrupt", ["a"]), ("interrupt", []), ("switch", ["b"])]
    for first in range(3):
        shown = [stacks[i].replace("1100", f"1{2 + at}00")
                 for at, i in enumerate(order) if i >= first]
        text = trace(["wait; 500 2 idle R> hog; 1016 2 hog wakes server 2; " +
                      "; ".join(shown) + "; 1800 2 hog R+> server"])
        cause, _ = analysed(["send", "1010", "1810", "20", "none"], text)
        assert (cause["stack_at"], cause["stack"]) == told[first]


def test_lines():
    """As kernels print events, each with how it is read below it."""
    at = None
    for one in (HERE / "events.txt").read_text(encoding="ascii").splitlines():
        if one.startswith(" = "):
            assert program(text=at + "\n") == one[3:] + "\n"
        elif at and not one.startswith(" = "):
            pass
        at = one
    text = (HERE / "events.txt").read_text(encoding="ascii")
    wanted = re.findall(r"(?m)^ = (.*)$", text)
    assert program(text=text).splitlines() == wanted


NAMES = ["a", "a b", "a-b", "-", "a-1", "-1", "a [1]", "[1]", "a [001]",
         "a [1] b-2", "a pid=5", "x prev_pid=1", "x next_pid=1", "comm=",
         "x prio=3", "_cpu=9", "a: b", "1.000000: x", "(x)", "(-------)",
         "fifteen letters", "%s%n", "\x1b[2J"]


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    """A task may call itself what it likes; nothing of it gets to a terminal
    that could do harm there."""
    shown = name.replace("\x1b", "?")
    head = f"{name:>16}-42      [007] d..2.     1.000002: "
    assert program(text=head + f"sched_switch: prev_comm={name} prev_pid=42 "
                   f"prev_prio=98 prev_state=D ==> next_comm={name} "
                   "next_pid=43 next_prio=97\n") == \
        f"switch 1000002000 [7] {shown}-42 {shown}-43 98 97 held 0 -\n"
    assert program(text=head + f"sched_waking: comm={name} pid=43 prio=97 "
                   "target_cpu=005\n") == \
        f"waking 1000002000 [7] {shown}-42 {shown}-43 0 97 5 -\n"


def buffer_starts(at):
    """Another CPU's buffer began to be kept there."""
    return [f"{at - 1} 1 hog S> idle", '"##### CPU 2 buffer started ####',
            f"{at} 2 idle +tick; {at + 1} 2 idle -tick"]


@pytest.mark.parametrize("at,verdict", [
    (300, "server not woken by its timer on CPU 2"),
    (1500, "server not woken by its timer on CPU 2"),
    (3500, "undecided, as the trace does not show what the server did for "
           "2500.0 us"),
    (4500, "the kernel's buffer was too small and lost events of the phase")])
def test_lost(at, verdict):
    """Where events were lost, nothing is known."""
    events = sorted(["100 2 server S> idle", "3990 2 idle wakes server 2",
                     "3995 2 idle R> server", "4600 1 idle R> hog"],
                    key=lambda one: int(one.split()[0]))
    lines = [one + ";" for one in events if int(one.split()[0]) < at - 1] + \
        [f"{at - 1} 1 hog S> idle"] + buffer_starts(at)[1:]
    lines[-1] += "; " + "; ".join(
        one for one in events if int(one.split()[0]) > at)
    cause, text = analysed(["sleep", "1000", "4000", "100", "none"],
                           trace(lines))
    assert verdict in text.splitlines()[0], text
    if "lacks" not in cause:
        causes.assert_whole(cause)


def test_signal_ends_reading():
    """SIGINT is not left waiting while a long trace is read."""
    text = trace(["100 2 hog S> worker"]) * 10000
    assert program(text=text).count("\n") == 10000
    with pytest.raises(subprocess.CalledProcessError):
        program(text=text, preexec_fn=interrupt)
    assert program(text=text[:1000], preexec_fn=interrupt)
