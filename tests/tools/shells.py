# SPDX-License-Identifier: GPL-2.0-or-later
"""What the completions offer, asked of the real shells.

bash and zsh run on a terminal: a command line is typed, and a key inserts all
that is offered at its end. The command is a function that prints its words.
fish can be asked.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import pytest

COLUMNS = 20000     # or long lines would be folded

# Quotes, so that the echo of what is typed is no mark.
COMMAND = """\
@PROGRAM@() { printf '<<BEG''IN'; printf '<%s>' "$@"; echo 'E''ND>>'; }
"""
BASH = """\
bind '"\\t": insert-completions'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
"""
ZSH = """\
unset zle_bracketed_paste
autoload -U compinit && compinit -D -u
all() { compstate[insert]=all compstate[list]= }
insert_all() { comppostfuncs=(all); _main_complete }
zle -C insert-all complete-word insert_all
bindkey '\\t' insert-all
"""


def require(shell):
    path = shutil.which(shell)
    if not path:
        pytest.skip(f"{shell} is not installed")
    return path


class Terminal:
    """A shell on a terminal of its own; ends with the with block."""

    def __init__(self, argv, directory):
        self.argv = argv
        self.directory = directory
        self.pid = self.fd = None

    def __enter__(self):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            try:
                os.chdir(self.directory)
                os.environ.update(TERM="dumb", PS1="$ ", HISTFILE="",
                                  LC_ALL="C", HOME=str(self.directory))
                os.execvp(self.argv[0], self.argv)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 50, COLUMNS, 0, 0))
        return self

    def __exit__(self, *exception):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def type(self, text):
        os.write(self.fd, text.encode())

    def until(self, pattern):
        """What has come by the time that @pattern has; its first group."""
        text, end = "", time.monotonic() + 20
        while not re.search(pattern, text, re.DOTALL):
            ready, _, _ = select.select([self.fd], [], [],
                                        max(0, end - time.monotonic()))
            assert ready, f"{self.argv[0]} does not answer: {text}"
            text += os.read(self.fd, 1 << 16).decode()
        return re.search(pattern, text, re.DOTALL)[1]


def typed(argv, setup, lines, directory, program):
    """The words of each line after it has been completed."""
    found = []
    with Terminal(argv, directory) as terminal:
        command = COMMAND.replace("@PROGRAM@", program)
        terminal.type(f"{command}{setup}echo REA''DY\n")
        terminal.until("(READY)")
        for line in lines:
            terminal.type(f"{program} {line}\t\n")
            found.append(re.findall(
                "<([^>]*)>", terminal.until("<<BEGIN(.*?)END>>")))
    return found


def bash(directory, completions, lines, setup="", program="twowaytest"):
    """A list of words for each of the lines."""
    return typed([require("bash"), "--norc", "--noprofile", "-i"],
                 f"{setup}\n. {completions}/{program}\n{BASH}",
                 lines, directory, program)


def zsh(directory, completions, lines, program="twowaytest"):
    return typed([require("zsh"), "-f", "-i"],
                 f"fpath=({completions} $fpath)\n{ZSH}", lines, directory,
                 program)


def fish(directory, completions, lines, program="twowaytest"):
    """What is offered in place of the last word of each line."""
    asked = "\n".join(f"complete -C '{program} {line}'; echo END"
                      for line in lines)
    text = subprocess.run(
        [require("fish"), "--no-config", "-c",
         f"source {completions}/{program}.fish\n{asked}"],
        cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        text=True, check=True, timeout=60,
        env={**os.environ, "HOME": str(directory), "LC_ALL": "C"}).stdout
    return [[line.split("\t")[0] for line in part.splitlines() if line]
            for part in text.split("END\n")[:-1]]
