# SPDX-License-Identifier: GPL-2.0-or-later
"""What a tool adds to another program's JSON."""

import json


def marked(text, name, value):
    """An object's text with one member more, the first.

    What the program wrote stays as it is, to the byte. None if the text is
    no object.
    """
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    member = json.dumps({name: value}, indent=2).removesuffix("\n}")
    return f"{member}{',' if found else ''}{text.split('{', 1)[1]}"
