# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts: what the server's host told of itself.

Each host has a clock of its own, so a cycle has three parts: wakeup on the
client's clock, sleep on the server's, and network, a difference of times that
were each measured on one clock.
"""

from tr_member import NULL

CLIENT, SERVER = "client", "server"
OF_PROCESS = (("CPUs", "cpus"), ("policy", "policy"),
              ("priority", "priority"), ("memory locked", "locked"),
              ("involuntary switches", "involuntary_switches"),
              ("segments sent again", "retransmitted"))
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


def faults_of(minor, major):
    if None in (*minor, *major):
        return "?"
    return f"{sum(minor)} minor, {sum(major)} major"


def clients(twoway):
    """Of each pair its client's process."""
    return [member.inner("processes").inner(CLIENT)
            for member in (*twoway.items("pairs"),) or (twoway,)]


def client(data):
    """Facts of the client's host, in the order of the table."""
    twoway, info = data.inner("twoway"), data.inner("sysinfo")
    sides = clients(twoway)
    column = {key: [side.get(key, *TYPES, default=None) for side in sides]
              for key in ("minor_faults", "major_faults",
                          *(key for _, key in OF_PROCESS))}
    environment = twoway.inner("environment")
    return {
        "host": word(info.get("nodename", str, default=None)),
        "kernel": word(info.get("release", str, default=None)),
        "version of the kernel": word(info.get("version", str,
                                               default=None)),
        "machine": word(info.get("machine", str, default=None)),
        "twowaytest": word(twoway.get("version", str, default=None)),
        "online CPUs": word(environment.get("online_cpus", str, NULL,
                                            default=None)),
        **{name: alike(column[key]) for name, key in OF_PROCESS},
        "faults": faults_of(column["minor_faults"], column["major_faults"]),
        "findings of --check": ", ".join(
            one.get("name", str) for one in environment.items("findings"))
        or "none"}


def each(servers, key, *types):
    """Of each server; an array in which one has another type is an error."""
    values = servers.get(key, list, default=[None])
    for i, value in enumerate(values):
        if not isinstance(value, (*types, NULL)):
            servers.bad(f"{key}[{i}]", f"{value!r} is of another kind")
    return values


def server(peer):
    """As client(), of the server's host; peer: member twoway.peer."""
    host, servers = peer.inner("host"), peer.inner("servers")
    cpus = host.get("cpus", int, default=None)
    return {
        "host": word(host.get("host", str, default=None)),
        "kernel": word(host.get("kernel", str, default=None)),
        "version of the kernel": word(host.get("version", str,
                                               default=None)),
        "machine": word(host.get("machine", str, default=None)),
        "twowaytest": word(host.get("program", str, default=None)),
        "online CPUs": "?" if cpus is None else f"{cpus} in all",
        **{name: alike(each(servers, key, str, bool, int))
           for name, key in OF_PROCESS},
        "faults": faults_of(each(servers, "minor_faults", int),
                            each(servers, "major_faults", int)),
        "findings of --check": "?" if not host.value else ", ".join(
            each(host, "finding", str) if "finding" in host.value else ())
        or "none"}


def peer_of(twoway):
    """None if client and server were on one host."""
    peer = twoway.inner("peer")
    return peer if peer.value else None


def settings(twoway):
    """What the server's processes really had, instead of what is here."""
    peer = peer_of(twoway)
    if not peer:
        return {}
    told = server(peer)
    return {f"{SERVER} {key}": None if told[name] == "?" else told[name]
            for name, key in OF_PROCESS if key in ("cpus", "policy",
                                                   "priority")}


def read(data, part):
    """Give a part its hosts, and its system what is known of the server's."""
    peer = peer_of(data.inner("twoway"))
    if not peer:
        return
    part.hosts = {CLIENT: client(data), SERVER: server(peer)}
    for name in ("host", "kernel", "version of the kernel", "machine",
                 "twowaytest", "online CPUs"):
        value = part.hosts[SERVER][name]
        part.system[f"server's {name}"] = None if value == "?" else value


def less(peer):
    """What was asked for, and what the server's host gave instead."""
    asked, granted = peer.inner("asked"), peer.inner("granted")
    for key in ("policy", "priority", "lock_memory"):
        wanted = asked.get(key, *TYPES, default=None)
        given = granted.get(key, *TYPES, default=None)
        if None not in (wanted, given) and wanted != given:
            yield f"the server's host gave less than asked for: " \
                f"{key.replace('_', ' ')} {word(given)} instead of " \
                f"{word(wanted)}"


def remarks(twoway, part):
    """What may have disturbed the run on the other host."""
    peer = peer_of(twoway)
    if not peer:
        return
    part.remarks += less(peer)
    host, servers = peer.inner("host"), peer.inner("servers")
    if not host.value:
        part.remarks.append(SILENT)
        return
    if any(each(servers, "changed", bool)):
        part.remarks.append("a setting of a server changed while it ran")
    for side, values in (
            (CLIENT, [one.get("retransmitted", int, NULL, default=None)
                      for one in clients(twoway)]),
            (SERVER, each(servers, "retransmitted", int))):
        again = sum(value for value in values if value and value > 0)
        if again:
            part.remarks.append(f"retransmitted by the {side}: {again}")
    found = part.hosts[SERVER]["findings of --check"]
    if found != "none":
        part.findings.append(("server's host", found))
