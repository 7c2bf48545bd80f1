# SPDX-License-Identifier: GPL-2.0-or-later
"""One measurement: the program, the load beside it, and what they gave."""

import os
import re
import shlex
import subprocess
import time

import cm_child
import cm_plan
import cm_system
from cm_state import Failure, cycles_of, digest, keep, now, read_json
from twoway.results import missed
from twtools import mark, whole

LATE_S = 60             # after its time a program is taken to hang
# Lines of a log: what start() writes, and what a program does.
COMMAND = re.compile(r"# [-\d]+ [:\d]+Z: ")
RESULTS = re.compile(r"#|T: ?\d|policy: ")
WARNING = re.compile("(?:WARN|FATAL): ")
FINE = {"cyclictest": (0,), "twowaytest": (0, 2)}


def measure(children, options, one, where, state, tick):
    """Measures; the record for campaign.json."""
    temporary = state.path(f".{one.name}.json.new")
    carried = state.path(f".{one.name}.load.new")
    argv = cm_plan.command(options, one, where, temporary)
    carrier = cm_plan.carrier(options, one, where, carried)
    record = {"state": "failed", "command": argv, "load_command": carrier,
              "start": now(), "boot_id": cm_system.read(cm_system.BOOT_ID),
              "load_average": round(os.getloadavg()[0], 2)}
    before = cm_system.Snapshot.take()
    try:
        log = state.path(f"{one.name}.log")
        load_log = state.path(f"{one.name}.load.log")
        if carrier:
            beside = start_load(children, carrier, load_log, tick)
        record["exit_status"] = run(
            children, argv, log, [beside] if carrier else [],
            cm_plan.seconds_each(options), tick)
        if carrier:
            children.end(beside)
        judge(one, record["exit_status"], log)
        result = read_json(temporary)
        record["cycles"] = cycles(result, temporary)
        check_time(result, options)
        check_peer(result, options)
        record["work_per_second"] = None
        if carrier:
            load = read_json(carried)
            judge_load(load, beside.returncode, load_log)
            record["work_per_second"] = work(load, options)
        whole.write(temporary, mark.marked(
            temporary.read_text(encoding="utf-8"), "campaign",
            {"placement": one.placement, "load": one.load,
             "load_command": carrier and shlex.join(carrier)}))
        record["result_sha256"] = digest(temporary.read_bytes())
        keep(temporary, state.path(f"{one.name}.json"))
        record["state"] = "finished"
    except Failure as err:
        record["message"] = str(err)
    finally:
        children.end_all()
        for path in (temporary, carried):
            path.unlink(missing_ok=True)
    record["end"] = now()
    return record | cm_system.between(before, cm_system.Snapshot.take())


def start(children, argv, log):
    """Its output is added to the log, below the command line."""
    with open(log, "ab", opener=no_link) as file:
        file.write(f"# {now()}: {shlex.join(argv)}\n".encode())
        file.flush()
        return children.start(argv, stdout=file, stderr=subprocess.STDOUT)


def no_link(path, flags):
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def said(log, count=3):
    """What a program has said in its last run: its warnings, if any; else the
    last lines that are no results."""
    lines = []
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if COMMAND.match(line):
            lines = []
        elif line and not RESULTS.match(line):
            lines.append(line)
    warnings = [line for line in lines if WARNING.match(line)]
    return "\n".join((warnings or lines)[-count:])


def start_load(children, argv, log, tick):
    """Lets it settle; work() tells in the end whether that was enough."""
    child = start(children, argv, log)
    if children.wait([child], time.monotonic() + cm_plan.SETTLE_S, tick):
        raise Failure("the load ended: " + cm_child.how(
            child.returncode, said(log)) + f"; see {log}")
    return child


def run(children, argv, log, beside, duration_s, tick):
    """The program's exit status, if it took its time beside the load."""
    started = time.monotonic()
    child = start(children, argv, log)
    ended = children.wait([child, *beside], started + duration_s + LATE_S
                          + cm_plan.SETTLE_S, tick)
    if ended is None:
        raise Failure(f"not ended {LATE_S} s after its time; see {log}")
    if ended is not child:
        raise Failure("the load ended before the measurement; see its log "
                      f"beside {log}")
    took = time.monotonic() - started
    if child.returncode == 0 and took < duration_s:
        raise Failure(f"ended after {took:.1f} of {duration_s} s; see {log}")
    return child.returncode


def judge(one, status, log):
    if status not in FINE[one.tool]:
        raise Failure(f"{cm_child.how(status, said(log))}; see {log}")


def cycles(result, path):
    """How many were measured; Failure if that is no whole measurement."""
    if result.get("twoway", {}).get("interrupted"):
        raise Failure("ended by a signal")
    for one in result.get("twoway", {}).get("unanswered", []):
        raise Failure(f"no whole cycle at the end: pair {one['pair']} had "
                      f"waited {one['age_us']} us for its {one['awaited']}")
    count = cycles_of(result)
    if count is None:
        raise Failure(f"{path}: no results of a measurement")
    if not count:
        raise Failure(f"{path}: not one cycle was measured")
    return count


def check_time(result, options):
    """Failure if a twowaytest's cycles took less than the time asked for.

    The last one may not have ended in time.
    """
    each_s = cm_plan.seconds_each(options)
    if "twoway" in result:
        took_s = expiries(result) * options.interval / 1e6
        if took_s < each_s - max(1, each_s / 20):
            raise Failure(f"only {took_s:.1f} of {each_s} s were measured")


def expiries(result):
    """Of a twowaytest's timer."""
    return cycles_of(result) + (missed(result) or 0)


def check_peer(result, options):
    """Failure if nothing is known of the server's host."""
    if options.connect and "twoway" in result and \
            not result["twoway"].get("peer"):
        raise Failure(f"the server on {options.connect} did not send its "
                      "results")


def judge_load(result, status, log):
    """Failure if it did something else than it was for."""
    wrong = result["twoway"]["load"][0].get("errors")
    if wrong:
        raise Failure(f"{wrong} results of the load were wrong; see {log}")
    if status:
        raise Failure("the load failed: "
                      f"{cm_child.how(status, said(log))}; see {log}")


def work(result, options):
    """What a load got done in a second.

    Failure if it was not there all the time.
    """
    # The one that brings it wakes once a second.
    took, each_s = expiries(result), cm_plan.seconds_each(options)
    if took < each_s:
        raise Failure(f"the load was at work for {took} of {each_s} s only")
    return result["twoway"]["load"][0]["rate"]
