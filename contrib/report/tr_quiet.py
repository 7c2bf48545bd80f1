# SPDX-License-Identifier: GPL-2.0-or-later
"""Imported before matplotlib: who has no home needs no advice about it.

Without a directory to write to, matplotlib keeps its cache in a temporary one,
and says so each time.
"""

import logging

HOMELESS = "MPLCONFIGDIR", "mkdir -p failed"


def of_use(record):
    return not any(text in record.getMessage() for text in HOMELESS)


logging.getLogger("matplotlib").addFilter(of_use)
