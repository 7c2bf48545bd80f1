# SPDX-License-Identifier: GPL-2.0-or-later
"""When a run was measured, by its JSON."""

import email.utils

YEAR_10000 = 253402300800     # in seconds, UTC


def read(data):
    """(start, end) in seconds since 1970; None: it does not tell."""
    found = [second_of(data, key) for key in ("start_time", "end_time")]
    return None if None in found else tuple(found)


def second_of(data, key):
    text = data.get(key, str, default=None)
    if text is None:
        return None
    try:
        second = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        second = -1
    if not 0 <= second < YEAR_10000:
        data.bad(key, f"'{text[:40]}' is no time such as 'Sun, 22 Nov 2026 "
                 "20:31:59 +0000'")
    return second
