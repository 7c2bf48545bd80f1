# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes of several pairs, seen from outside."""

import outside


def by_role(process):
    found = {}
    for pid in process.children():
        name = outside.read(f"/proc/{pid}/comm").strip()
        if name.startswith("twoway-"):
            found.setdefault(name.removeprefix("twoway-"), []).append(pid)
    return found


def measuring(process, clients, servers):
    """Waits until all are; their pids."""
    def all_are():
        found = by_role(process)
        pids = found.get("client", []), found.get("server", [])
        return pids if (len(pids[0]), len(pids[1])) == (clients, servers) \
            and min(map(outside.switches, pids[0] + pids[1])) \
            > outside.STEADY_SWITCHES else None

    found = outside.wait_for(all_are)
    assert found
    return found
