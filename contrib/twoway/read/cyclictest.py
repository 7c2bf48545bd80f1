# SPDX-License-Identifier: GPL-2.0-or-later
"""What a command line of cyclictest sets."""

# Option: its long name, whether a value follows ("?": perhaps).
OPTIONS = {
    "a": ("affinity", "?"), "A": ("aligned", "?"), "b": ("breaktrace", "="),
    "c": ("clock", "="), "d": ("distance", "="), "D": ("duration", "="),
    "f": ("ftrace", ""), "F": ("fifo", "="), "h": ("histogram", "="),
    "H": ("histofall", "="), "i": ("interval", "="), "l": ("loops", "="),
    "m": ("mlockall", ""), "M": ("refresh_on_max", ""), "N": ("nsecs", ""),
    "o": ("oscope", "="), "p": ("priority", "="), "q": ("quiet", ""),
    "r": ("relative", ""), "R": ("resolution", ""), "s": ("system", ""),
    "S": ("smp", ""), "t": ("threads", "?"), "u": ("unbuffered", ""),
    "v": ("verbose", ""), "x": ("posix_timers", ""), "y": ("policy", "="),
}
LONG = dict(OPTIONS.values()) | {
    "default-system": "", "laptop": "", "latency": "=", "mainaffinity": "=",
    "priospread": "", "secaligned": "?", "smi": ""}
# What makes no other measurement of it, or is told by the results.
SILENT = {"duration", "loops", "quiet", "verbose", "unbuffered", "json",
          "histfile", "fifo", "nsecs", "refresh_on_max", "resolution"}


def pairs(words):
    """(long name, value) of each option; "yes" without one."""
    words = list(words)

    def value(kind, attached):
        """What follows in the same word, or in the next."""
        if attached or not kind:
            return attached or "yes"
        follows = words and not words[0].startswith("-")
        return words.pop(0) if words and (kind == "=" or follows) else "yes"

    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, _, given = word[2:].partition("=")
            yield name, value(LONG.get(name, ""), given)
            continue
        letters = word[1:] if word.startswith("-") else ""
        while letters:
            name, kind = OPTIONS.get(letters[0], (letters[0], ""))
            rest, letters = letters[1:], letters[1:]
            if kind:
                rest, letters = value(kind, rest), ""
            yield name, rest if kind else "yes"


def settings(text):
    """Option -> value, of all that can be set: what is not given, too."""
    if text is None:
        return {}
    given = {name: "no" if kind == "" else "default"
             for name, kind in LONG.items() if name not in SILENT}
    given.update((name, found) for name, found in pairs(text.split()[1:])
                 if name not in SILENT)
    found = {f"option --{name}": found for name, found in given.items()}
    found["histogram_us"] = found.pop("option --histogram")
    return found
