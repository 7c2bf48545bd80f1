# SPDX-License-Identifier: GPL-2.0-or-later
"""The last lines of a dump and of a timeline: how the run has ended, and how
many rows there are.

A run that was killed has written none of them, and one that failed or was
disturbed says so there, in the words of its text.
"""

import re

from twoway.read import remarks
from twoway.series.model import InputError

CUT = "the file is cut off: no line end"
NONE = "the {} has no line '# End:': the run was cut off, or a twowaytest " \
    "before 0.10 has written it"
END = re.compile(r"# End: (\d{1,15}) rows?", re.ASCII)


def check(path, first, lines):
    """Raise for the first line below the rows that is none of these."""
    for number, line in enumerate(lines, first):
        if not line.startswith("#"):
            raise InputError(path, number, f"'{line[:60]}' is no comment; "
                             "nothing else is expected below the rows")


def split(path, chunk, line, below):
    """The rows of a chunk of bytes, which begin in this line; below gets the
    lines below all rows."""
    begins = chunk.startswith(b"#") or bool(below)
    at = 0 if begins else chunk.find(b"\n#") + 1
    if not at and not begins:
        return chunk
    if not chunk.endswith(b"\n"):
        raise InputError(path, line + len(below) + chunk.count(b"\n"), CUT)
    lines = chunk[at:].decode("ascii", "replace").split("\n")[:-1]
    check(path, line + len(below) + chunk.count(b"\n", 0, at), lines)
    below += lines
    return chunk[:at]


def read(part, lines, rows):
    """What these lines tell of a part that has so many rows."""
    remarks.read_end(lines, part)
    match = END.fullmatch(lines[-1]) if lines else None
    if not match:
        text = NONE.format(part.kind)
    elif int(match[1]) != rows:
        text = f"the {part.kind} has {rows} rows, but had {match[1]} at the " \
            "end of the run"
    else:
        return
    part.remarks.append(text)
    part.troubles.append(text)


def told(text, part, json):
    """Whether the JSON of a run tells as much as this text of another file, or
    has what the file lacks."""
    return text == NONE.format(part.kind) or text in json.remarks or \
        bool(json.unanswered) and "when the run ended" in text or \
        text.startswith(remarks.LACKING)


def believe_json(parts):
    """It has counted the cycles of the others. What these say of the run, and
    it does not, holds."""
    for json in (part for part in parts if part.kind == "json"):
        for part in parts:
            if part.kind in ("dump", "timeline"):
                known = {text for text in part.troubles
                         if told(text, part, json)}
                part.remarks, part.troubles = (
                    [text for text in texts if text not in known]
                    for texts in (part.remarks, part.troubles))
