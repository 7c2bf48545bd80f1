#!/usr/bin/python3 -IS
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stands for twowaytest or cyclictest, by its name: takes the time that -D
says, writes made-up results of the same form.

In the environment, STUB_SLEEP is how long it really takes, STUB_UNTIL what
precedes "-TOOL" in the name of a file that it then waits for, STUB_STATUS its
exit status once it has measured, or the signal that kills it if it is below 0,
STUB_TRIAL the exit status of a run that only tries, STUB_JSON what it prints
instead of its results, STUB_CYCLES how many cycles it says that it has
measured, STUB_GOVERNOR the governor that it sees, STUB_FAIL a word in the name
of a result file that makes it fail, STUB_SAYS what it prints with them, STUB_CALLS a file to which it adds its
command line, STUB_SERVER a file without which there is no server for
--connect, STUB_LOAD how a load ends, STUB_GONE a word in the name of a result file for which that server
goes away, STUB_FAR the kernel of the server's host ("": it did not send its
results), STUB_ALONE says that it has no death signal, as a program with file
capabilities."""

import ctypes
import json
import os
import shlex
import signal
import sys
import time

CYCLES = int(os.environ.get("STUB_CYCLES", "999999"))
TOOL = os.path.basename(sys.argv[0])
CPUS = ",".join(map(str, sorted(os.sched_getaffinity(0))))
ENVIRONMENT = {
    "governor": os.environ.get("STUB_GOVERNOR", "performance"),
    "steal_ppm": os.getpid(), "throttling": {"rt_runtime_us": 950000},
    "findings": [{"name": "stub", "read": "not the real one"}]}


def value(name, default=None):
    """Of the option -x VALUE or --xx=VALUE; the last one."""
    found = default
    for i, arg in enumerate(sys.argv[1:], 1):
        if name[1] != "-" and arg == name:
            found = sys.argv[i + 1]
        elif arg.startswith(name + "="):
            found = arg[len(name) + 1:]
    return found


def thread(metric):
    times = 10 if metric == "response" else 1
    return {"metric": metric, "cycles": CYCLES, "min": 1 * times,
            "avg": 2.5 * times, "max": 7 * times}


def peer():
    """Of the server's host."""
    kernel = os.environ.get("STUB_FAR", "6.12-far")
    return {"system": {**ENVIRONMENT, "release": kernel}} \
        if kernel else None


def serve():
    """Whether there is a server to connect to."""
    there = os.environ.get("STUB_SERVER")
    if there and os.environ.get("STUB_GONE", "\0") in value("--json", ""):
        os.unlink(there)
    if there and not os.path.exists(there):
        print(f"--connect={value('--connect')}: Connection refused",
              file=sys.stderr)
        return False
    return True


def results(interrupted):
    if TOOL == "cyclictest":
        return {"thread": {"0": {"cycles": 10, "min": 2, "avg": 3.5,
                                 "max": 8}}}
    cpu = CPUS.split(",")[-1]
    connected = value("--connect") is not None
    phases = ("wakeup", "response", "total") + ("network", "sleep") * connected
    threads = {"0": thread("latency") | {"phases": {
        metric: thread(metric) for metric in phases}}}
    if interrupted:         # the load's, which wakes once a second
        threads["0"]["cycles"] = int(os.environ.get("STUB_ELAPSED", "9"))
    wrong = 3 * (interrupted and os.environ.get("STUB_LOAD") == "wrong")
    return {"thread": threads, "twoway": {
        "system": ENVIRONMENT, "throttled": 0, "limits": [],
        "load": [{"rate": 5.0, "errors": wrong}], "interrupted": interrupted, "schema": 3,
        "pairs": [{"missed": int(not interrupted), "client": {"cpus": cpu}}],
        "peer": peer() if connected else None}}


def write(found):
    path = value("--json")
    if path == "-":
        print(os.environ.get("STUB_JSON", json.dumps(found, indent=2)))
    elif path:
        with open(path, "w", encoding="ascii") as file:
            json.dump(found, file)


def take_time():
    time.sleep(float(os.environ.get("STUB_SLEEP", value("-D", "0"))))
    end = time.monotonic() + 60
    while "STUB_UNTIL" in os.environ and time.monotonic() < end and \
            not os.path.exists(f"{os.environ['STUB_UNTIL']}-{TOOL}"):
        time.sleep(0.01)


def interrupt(*_):
    write(results(True))
    sys.exit(os.environ.get("STUB_LOAD") in ("wrong", "broken"))


def main():
    if "STUB_CALLS" in os.environ:
        with open(os.environ["STUB_CALLS"], "a", encoding="utf-8") as file:
            print(shlex.join(sys.argv), file=file)
    if "STUB_ALONE" in os.environ:
        ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)      # PR_SET_PDEATHSIG
    signal.signal(signal.SIGINT, interrupt)
    if "--version" in sys.argv or "--help" in sys.argv:
        print(f"{TOOL} V 9.9")
        return 0
    if "--limit=nonsense" in sys.argv:
        print("--limit=nonsense: not understood", file=sys.stderr)
        return 1
    if value("--connect") and "--check" not in sys.argv and not serve():
        return 1
    if "--check" in sys.argv:
        if value("--json") == "-":
            write({"twoway": {"system": ENVIRONMENT}})
        else:
            print("FINDING  stub  not the real one")
        return 2
    if TOOL == "twowaytest" and not value("-l") and not value("-D"):
        if os.environ.get("STUB_LOAD") == "fails":
            print("no load today", file=sys.stderr)
            return 1
        time.sleep(1000)
    if not value("-l"):
        if os.environ.get("STUB_FAIL", "\0") in value("--json", ""):
            print("the stub was told to fail", file=sys.stderr)
            return 1
        take_time()
    if "STUB_TRIAL" in os.environ and value("-l"):
        return int(os.environ["STUB_TRIAL"])
    write(results(False))
    if value("-D"):
        print(os.environ.get("STUB_SAYS", ""))
    status = int(os.environ.get("STUB_STATUS", "0")) \
        if TOOL == "twowaytest" and value("-D") else 0
    if status < 0:
        os.kill(os.getpid(), -status)
    return status


sys.exit(main())
