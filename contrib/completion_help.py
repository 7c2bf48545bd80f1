# SPDX-License-Identifier: GPL-2.0-or-later
"""What mkcompletions knows of a program, from what its --help prints."""

import dataclasses
import re
import sys

# What a value is, by the word that stands for it in --help; other values are
# not completed. Names are taken from the help text: those between its first
# colon and the next semicolon, or in parentheses at its end.
KINDS = {
    "": "flag",
    "CPUSET": "cpus",
    "LIST": "list",
    **dict.fromkeys(("FILE", "[NAME=]FILE", "DIR", "PROGRAM"), "file"),
    **dict.fromkeys(("NAME", "KIND", "MODE", "ARCH", "FORMULA", "METRIC",
                     "KIND[:ARG]", "KIND[:N]", "LIMIT", "[METRIC:]US"),
                    "name"),
}
REPEATED = re.compile("may be given several times|repeatable")

USAGE = re.compile(r"usage: ([\w-]+) ")
COMMAND = re.compile(r"    ([a-z][a-z-]*)(  .*)?")
OPTION = re.compile(r"  (?:-(\w), |    )--([\w-]+)(\[=\S+\]|=\S+)?(?: +(.*))?")
FURTHER = " " * 16      # before an option's text on its second line, at least
NAME = re.compile(r"([a-z]\w*)(\[:[A-Z-]+\]|:[A-Z-]+)?")


@dataclasses.dataclass
class Option:
    """A row of the help. @names: those that the value may be."""
    letter: str
    name: str
    metavar: str
    optional: bool
    text: str
    kind: str = ""
    names: tuple = ()

    @property
    def spellings(self):
        return [f"-{self.letter}"] * bool(self.letter) + [f"--{self.name}"]

    @property
    def description(self):
        """The help's first statement, without the names that follow it."""
        end = r"[;:](?=\s|$)| \([^()]*\)$" if self.names and \
            self.names_here() else r";(?=\s|$)"
        return re.split(end, self.text)[0].strip()

    def names_here(self):
        """The names in the option's own text. One that takes an argument,
        and must, ends in a colon."""
        plain = re.sub(r" \([^)]*\)", "", self.text)
        for listed in (*re.findall(r": ([^;]*)", plain)[:1],
                       *re.findall(r"\(([^()]*,[^()]*)\)$", self.text)):
            found = [NAME.fullmatch(word.strip())
                     for word in re.sub(r", \d+\b", "", listed).split(",")]
            if all(found):
                return tuple(match[1] + ":" * (match[2] or "").startswith(":")
                             for match in found)
        return tuple(re.findall(r"\b([a-z]\w*)\[:[A-Z]", self.text))


@dataclasses.dataclass
class Operands:
    """What is no option. any: files are; commands: names of the first."""
    any: bool
    commands: tuple


def operands_of(text):
    """By the usage: options alone, or files, or a command and its own."""
    usage = text.partition("\n\n")[0]
    _, has_commands, rest = text.partition("\n  COMMAND\n")
    table = rest.partition("\n\n")[0].splitlines() if has_commands else ()
    return Operands(usage.endswith(("FILE...", "COMMAND ...")), tuple(
        match[1] for line in table if (match := COMMAND.fullmatch(line))))


def parse(texts):
    """The options in the order of the help; of several, each once."""
    by_name = {}
    for text in texts:
        for option in options_of(text):
            by_name.setdefault(option.name, option)
    if not by_name:
        sys.exit("mkcompletions: no option in the help")
    for option in by_name.values():
        complete(option, by_name)
    return list(by_name.values())


def options_of(text):
    options = []
    for line in text.splitlines():
        match = OPTION.fullmatch(line)
        if match:
            letter, name, value, rest = match.groups("")
            optional = value.startswith("[")
            metavar = value[2:-1] if optional else value[1:]
            options.append(Option(letter, name, metavar, optional, rest))
        elif options and line.startswith(FURTHER):
            options[-1].text += " " + line.strip()
    return options


def complete(option, by_name):
    """Finds out what its value may be."""
    option.text = option.text.strip()
    option.kind = KINDS.get(option.metavar, "any")
    if option.kind not in ("name", "list"):
        return
    # METRIC is one of --metrics, and --load-policy takes what --policy does.
    model = by_name.get("metrics" if "METRIC" in option.metavar or
                        option.metavar == "LIMIT"
                        else option.name.rpartition("-")[2])
    option.names = option.names_here() or (model and model.names_here()) or ()
    if option.metavar == "[METRIC:]US":
        option.names = tuple(f"{name}:" for name in option.names)
    if option.metavar == "LIMIT":
        # Forms such as METRIC:US and missed:N; tests have other metrics.
        option.names = tuple(dict.fromkeys(
            f"{name}:" for word in re.findall(r"\b(METRIC|[a-z]+):p?[A-Z]",
                                              option.text)
            for name in (option.names if word == "METRIC" else (word,)))
            if "TEST.METRIC" not in option.text else ())
    if not option.names:
        option.kind = "any"


def add_listed(options, listed):
    """Tests, where the help says that --list names more values.

    listed: what that prints; a name is what a line begins with.
    """
    for option in options:
        if "see --list" in option.text and option.kind == "list":
            option.names += tuple(re.findall(r"^\w+", listed, re.M))
