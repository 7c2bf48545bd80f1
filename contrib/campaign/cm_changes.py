# SPDX-License-Identifier: GPL-2.0-or-later
"""What has changed in the system in the course of a campaign."""

import cm_plan
import cm_system
from cm_state import text_of


def server_of(result):
    """The environment of the server's host; empty if there is none."""
    peer = result.get("twoway", {}).get("peer") or {}
    return cm_system.facts(peer.get("environment", {}))


def seen(options, state):
    """(moment, kind, environment): only those of a kind are comparable."""
    for number, session in enumerate(state.data["sessions"], 1):
        for key, where in (("environment", "start"),
                           ("environment_end", "end")):
            if key in session:
                yield f"{where} of session {number}", "check", session[key]
    for one in cm_plan.matrix(options):
        twoway = (state.result(one) or {}).get("twoway", {})
        if "environment" in twoway:
            yield one.title, one.placement, twoway["environment"]
        if server := server_of(state.result(one) or {}):
            yield one.title, "server's host", {"server's host": server}


def flat(facts, prefix=""):
    """Objects within an object as members of it."""
    result = {}
    for key, value in facts.items():
        if isinstance(value, dict):
            result |= flat(value, f"{prefix}{key} ")
        else:
            result[prefix + key] = value
    return result


def changes(options, state):
    """Each as a text: what, before and after, when that was seen."""
    first = {}
    for moment, kind, environment in seen(options, state):
        facts = flat(cm_system.facts(environment))
        since, before = first.setdefault(kind, (moment, facts))
        for key in dict.fromkeys([*before, *facts]):
            was, became = before.get(key), facts.get(key)
            if was != became:
                yield (f"{key}: {text_of(was)} ({since}), {text_of(became)} "
                       f"({moment})")
    boots = {session["boot_id"] for session in state.data["sessions"]}
    if len(boots) > 1:
        yield f"the system was booted again: {len(boots)} boots"


def findings(session):
    """What --check has found."""
    for one in session.get("environment", {}).get("findings") or []:
        yield f"{one.get('name')}: {one.get('read')}"
