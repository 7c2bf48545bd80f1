# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts: what each host told of itself.

Each host has a clock of its own, so a cycle has three parts: wakeup on the
client's clock, sleep on the server's, and network, a difference of times that
were each measured on one clock. Member peer has what the server's host found,
as member twoway has what the client's found.
"""

from twoway.read.member import NULL, flat
from twoway.read.remarks import counted, others

SIDES = CLIENT, SERVER = "client", "server"
OF_HOST = (("kernel", "release"), ("preemption", "preemption"),
           ("online CPUs", "online_cpus"), ("isolated CPUs", "isolated_cpus"),
           ("governor", "governor"), ("clock source", "clocksource"))
OF_PROCESS = (("CPUs", "cpus"), ("policy", "policy"),
              ("priority", "priority"), ("page faults", "page_faults"),
              ("context switches", "context_switches"),
              ("CPU time in us", "cpu_us"))
TYPES = (str, bool, int, NULL)
SILENT = "the server's host did not send its results"


def word(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "?" if value is None else str(value) or "none"


def alike(values):
    """One value if all are the same, else each."""
    words = list(map(word, values))
    return words[0] if len(set(words)) == 1 else " ".join(words) or "?"


def two(twoway):
    """Whether client and server were on two hosts."""
    settings = twoway.inner("settings").value
    return bool(settings.get("connect") and not settings.get("reflect"))


def told(twoway, side):
    """By the host of a side; empty: it has not told."""
    return twoway.inner("peer") if side == SERVER and two(twoway) else twoway


def column(twoway, side, key):
    """Of each pair's process, read back by its own host."""
    return alike([pair.inner(side).get(key, *TYPES, default=None)
                  for pair in told(twoway, side).items("pairs")])


def found(host):
    """What --check found there."""
    return ", ".join(one.get("name", str) for one in
                     host.inner("system").items("findings"))


def facts(twoway, side, name):
    """Of the host of a side, in the order of the table."""
    host = told(twoway, side)
    system = host.inner("system")
    return {
        "host": word(name),
        **{fact: word(system.get(key, *TYPES, default=None))
           for fact, key in OF_HOST},
        "twowaytest": word(host.get("version", str, default=None)),
        **{fact: column(twoway, side, key) for fact, key in OF_PROCESS},
        "throttled cycles": word(host.get("throttled", int, default=None)),
        "findings of --check": word(found(host) if host.value else None)}


def read(data, part):
    """Give a part its hosts, and its system what is known of the server's."""
    twoway = data.inner("twoway")
    if not two(twoway):
        return
    # The address is a system's; settings can be the same without it.
    address = part.settings.pop("connect")
    names = {CLIENT: data.inner("sysinfo").get("nodename", str, default=None),
             SERVER: address}
    part.hosts = {side: facts(twoway, side, names[side]) for side in SIDES}
    part.system["server's host"] = address
    part.system |= {f"server's {key}": value for key, value in flat(
        told(twoway, SERVER).inner("system")).items()}


def remarks(twoway, part):
    """What may have disturbed the run on the other host."""
    if not two(twoway):
        return
    peer = told(twoway, SERVER)
    if not peer.value:
        part.remarks.append(SILENT)
        return
    texts = [f"server's host: {text}" for text in others(peer)]
    part.others += texts
    part.remarks += texts
    throttled = peer.get("throttled", int, default=0)
    part.throttled = (part.throttled or 0) + throttled
    part.remarks += [f"server's host: {text}" for text in
                     counted(throttled=throttled)]
    if names := found(peer):
        part.findings.append(("server's host", names))
