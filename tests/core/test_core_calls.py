# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls: what options make of them, and how many a cycle has."""

import os
import re

import pytest

import outside
import results
import twowaytest

# What the processes do, as strace tells: options, a call's pattern, how many
# of its lines there are in the client or the server, of 20 cycles and 2.
CALLS = [
    ("", r"clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME", "client", 23),
    ("-c1", r"clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME", "client", 23),
    ("-x", r"(rt_sigtimedwait|rt_sigtimedwait_time64)\(\[RT", "client", 23),
    ("-x -c1", r"timer_create\(CLOCK_MONOTONIC, ", "client", 1),
    ("-i0", r"(clock_nanosleep|rt_sigtimedwait)", "client", 0),
    ("-i0 --warmup=9", r"sendto\(\d+, .*, 8, ", "client", 29),
    ("--size=65", r"sendto\(\d+, .*, 65, MSG_NOSIGNAL, .* = 65$", "client",
     22),
    ("", r"clock_nanosleep\(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=100000}",
     "server", 22),
    ("--sleep=2000 -i2500",
     r"clock_nanosleep\(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=2000000}",
     "server", 22),
    ("--sleep=0", r"(clock_)?nanosleep", "server", 0),
    ("", r"(setsockopt|getsockopt).*NODELAY", "main", 2),
    ("", r"poll\(\[{fd=\d+, events=POLLIN}\], 1, -1", "server", 23),
    ("--wait=read", r"poll\(", "server", 0),
    ("--wait=select", r"p?select6?\(\d+, \[\d+\], NULL, NULL, NULL", "server",
     23),
    ("--wait=epoll", r"epoll_p?wait\(\d+, .*, 1, -1", "server", 23),
    ("--wait=epoll", r"epoll_ctl\(\d+, EPOLL_CTL_ADD", "server", 1),
    ("--wait=busy", r"recvfrom\(\d+, \"[^\"]+\", 1, (MSG_(PEEK|DONTWAIT)\|?)+",
     "server", 22),
    ("--timer=timerfd", r"timerfd_create\(CLOCK_MONOTONIC", "client", 1),
    ("--timer=timerfd -c1", r"timerfd_create\(CLOCK_MONO", "client", 1),
    ("--timer=timerfd -c tai", r"timerfd_create\(CLOCK_MONO", "client", 1),
    ("--timer=timerfd", r"read\(\d+, .*, 8\) += 8", "client", 23),
    ("--timer=timerfd -i0", r"timerfd_create", "client", 0),
    ("-c boottime", r"clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME",
     "client", 23),
    ("-c tai -x", r"timer_create\(CLOCK_MONOTONIC, ", "client", 1),
    ("-c monotonic_raw -i0", r"clock_nanosleep", "client", 0),
    ("--dscp=46", r"setsockopt\(\d+, SOL_IP, IP_TOS, \[184\]", "main", 2),
    ("--busy-poll=50", r"setsockopt\(\d+, SOL_SOCKET, SO_BUSY_POLL, \[50\]",
     "main", 2),
    ("--prefer-busy-poll=8", r"setsockopt\(\d+, SOL_SOCKET, SO_(BUSY_POLL_"
     r"BUDGET, \[8\]|PREFER_BUSY_POLL, \[1\])", "main", 4),
    ("--sock-priority=5 --transport=udp",
     r"setsockopt\(\d+, SOL_SOCKET, SO_PRIORITY, \[5\]", "main", 2),
    ("--transport=udp", r"setsockopt\(.*SO_REUSE", "main", 0),
    ("--transport=udp", r"setsockopt\(.*SO_", "main", 1),
    ("--transport=udp --timeout=2500000",
     r"setsockopt\(\d+, SOL_SOCKET, SO_RCVTIMEO\S*, (\"\\2\\0.*\\241\\7|"
     r".*tv_sec=2, tv_usec=500000)", "main", 1),
    ("--transport=unix", r"socketpair\(AF_UNIX, SOCK_STREAM", "main", 1),
    ("--transport=unix", r"socket\(", "main", 0),
    # Nothing is on its way yet, so nothing is waited for.
    ("--stamps=all", r"ioctl\(\d+, [ST]IOCOUTQ, \[0\]", "main", 2),
]


def calls(run, program, *args, status=0):
    """System calls of each process."""
    strace = ("/usr/bin/strace", "-qq", "-ff", "-o", run.directory / "calls")
    if not os.path.exists(strace[0]):
        pytest.skip("strace is not here")
    done = run(*strace[1:], program, "-q", *args, program=strace[0])
    assert done.returncode == status, done.stderr
    # Main repeats its signal until the side has ended.
    return [[line for line in done.text(name).splitlines()
             if not line.startswith(("---", "rt_sigreturn"))]
            for name in done.files if name.startswith("calls.")]


def traced(run, *args):
    """{role: its system calls}; those of main are of all."""
    found = {"main": [[]]}
    for lines in calls(run, twowaytest.binary(), *args):
        found["main"][0].extend(lines)
        for side in outside.SIDES:
            if any(f"PR_SET_NAME, \"twoway-{side}\"" in line
                   for line in lines):
                found.setdefault(side, []).append(lines)
    return found


@pytest.mark.parametrize("given,pattern,side,count", CALLS)
def test_options_reach_the_kernel(run, given, pattern, side, count):
    calls = traced(run, "-l", 20, *given.split())[side][0]
    assert len([line for line in calls if re.match(pattern, line)]) == count, \
        calls[-9:]


@pytest.mark.parametrize("given,server", [
    ("", 400), ("--wait=read", 300), ("--wait=select", 400),
    ("--wait=epoll -x", 400), ("-c tai --timer=timerfd", 400),
    ("-c tsc", 400), ("-c realtime", 400), ("--transport=unix", 400), ("--transport=udp", 400),
    ("--transport=udp --wait=read -c monotonic_raw", 300),
    ("--stamps=off", 400), ("--stamps=rx", 400),
    ("--stamps=rx --transport=udp", 400), ("--stamps=all", 500),
    ("--stamps=all --transport=udp --wait=read", 400)])
def test_calls_of_a_cycle(run, given, server):
    """Client: wait, send, receive; server: wait, receive, sleep, send; with
    all stamps, each one more."""
    if "udp" in given:
        given += " --timeout=9000000"
    short, long = (traced(run, "-m", "-l", loops, *given.split())
                   for loops in (20, 120))
    found = {side: len(long[side][0]) - len(short[side][0])
             for side in outside.SIDES}
    assert found["client"] == (400 if "all" in given else 300)
    # The end comes before it waits once more, or just then.
    assert abs(found["server"] - server) <= 2


@pytest.mark.parametrize("given,offset,periods", [
    (("-t2", "-d0", "-A"), 0, (900, 900)),
    (("-t2", "-d0", "-A", "50"), 50, (900, 900)),
    (("-t2", "-d100", "--aligned=70"), 70, (900, 1000)),
])
def test_expiries_lie_on_grids(run, given, offset, periods):
    """-A: the first ones together; then whole periods, whatever is missed."""
    grids = []
    for calls in traced(run, "-i", 900, "-l", 20, *given)["client"]:
        times = [int(s) * 10**9 + int(ns) for s, ns in re.findall(
            r"TIMER_ABSTIME, {tv_sec=(\d+), tv_nsec=(\d+)}", "\n".join(calls))]
        grids.append(times)
    grids.sort()
    assert grids[1][0] - grids[0][0] == offset * 1000
    for times, period in zip(grids, periods):
        steps = [b - a for a, b in zip(times, times[1:])]
        assert steps and all(step > 0 and step % (period * 1000) == 0
                             for step in steps)


@results.root
@pytest.mark.parametrize("program,status,options", [
    ("TWOWAYTEST", 0, "-l9 -t2"),
    ("TWOWAYTEST", 2, "-l9 -b1 --breaks=99 --on-break=true"),
    ("PRIMITIVETEST", 0, "-l9 --test=sync2.unnamed")])
def test_nobody_of_ours_is_below_a_realtime_load(run, program, status, options):
    """But for the command of a break: it might get no CPU until the load ends.
    """
    lowered = re.compile(r"sched_setscheduler\(0, SCHED_OTHER")
    main = []
    for lines in calls(run, os.environ[program], "-p50", "--load=fft:1",
                       "--load-policy=rr", *options.split(), status=status):
        if lines[0].startswith("execve"):
            main = lines
        elif not any(line.startswith("execve") for line in lines):
            assert not any(map(lowered.match, lines)), "\n".join(lines)
    load = next(at for at, line in enumerate(main)
                if re.match(r"kill\(\d+, SIGTERM\)", line))
    assert any(map(lowered.match, main[load:]))
    assert not any(map(lowered.match, main[:load])), "\n".join(main)
