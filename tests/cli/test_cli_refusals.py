# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input: one line says what is wrong, and nothing is started."""

import os
import pathlib
import re
import socket
import stat

import pytest

import options
import refusals

PAGE = pathlib.Path(__file__).resolve().parents[2] / "man" / "twowaytest.8"


def refused(result, begin, *says):
    """One line, that begins with what was given and says these."""
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.files == set()
    line, *rest = result.stderr.split("\n")
    assert rest == [""], f"not one line: {result.stderr!r}"
    assert line.startswith(f"twowaytest: {begin}: "), line
    for words in says:
        assert words in line, line


def bad_values():
    for option in options.OPTIONS:
        for value in option.bad or ():
            for words in option.spellings(value):
                yield pytest.param(option, value, words, id=" ".join(words))


def lone_options():
    for option in options.OPTIONS:
        if option.argument == "required":
            yield option, option.long
            if option.short:
                yield option, f"-{option.short}"
                yield option, f"-q{option.short}"


@pytest.mark.parametrize("option, value, words", bad_values())
def test_bad_value(run, option, value, words):
    refused(run("--json=json", "--dump=dump", "-l", 1, *words),
            f"{option.long}={value[:100]}", option.allowed)


@pytest.mark.parametrize("option, word", lone_options())
def test_missing_value(run, option, word):
    refused(run("-l", 1, word), option.long, "a value is needed")


@pytest.mark.parametrize("option", [
    option for option in options.OPTIONS if option.argument == "none"
], ids=lambda option: option.name)
def test_value_of_an_option_that_takes_none(run, option):
    refused(run("-l", 1, f"{option.long}=1"), f"{option.long}=1",
            "takes no value")


@pytest.mark.parametrize("words, begin, says", refusals.CONTRADICTIONS)
def test_contradiction(run, words, begin, says):
    refused(run("-l", 1, *words), begin, says)


@pytest.mark.parametrize("words, begin, says", refusals.CYCLICTEST)
def test_option_of_cyclictest(run, words, begin, says):
    """Named in the man page's list of them, too."""
    refused(run("-q", *words), words[0] if words[0].startswith("--") else
            begin, "unknown option", says)
    _, _, section = PAGE.read_text(encoding="ascii").partition(
        '.SH "OPTIONS OF CYCLICTEST"\n')
    section, _, _ = section.partition(".SH ")
    section = re.sub(r"\\f[BIRP]", "", section)
    option = begin.replace("-", "\\-")
    assert re.search(rf"(?<![-\w]){re.escape(option)}(?![-\w])", section)


@pytest.mark.parametrize("option, value", [("--percentiles", "99"),
                                           ("--trace", "irq")])
def test_value_as_the_next_word(run, option, value):
    refused(run("-b", 9, option, value), value,
            f"unexpected argument; write {option}={value},")


@pytest.mark.parametrize("words, begin", refusals.STRAY)
def test_stray(run, words, begin):
    refused(run("-l", 1, *words), begin, "--help")


def test_each_part_of_a_list_is_looked_at(run):
    refused(run("--metrics=send,bogus"), "--metrics=bogus",
            *options.METRICS)
    refused(run("--metrics=send,send"), "--metrics=send,send", "twice")
    refused(run("--percentiles=50,x"), "--percentiles=50,x",
            "between 0 and 100")


HOSTILE = {
    "two lines": "1\n2", "newline": "\n", "return": "\r", "escape": "\033[2J",
    "bell": "\a", "no UTF-8": "\udcff", "long": "a" * 5000,
    "long and not ASCII": "\u00e9" * 5000, "format": "%s%n",
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("option", ["--interval=", "--clock=", "--metrics=",
                                    "--affinity=", "--duration=",
                                    "--percentiles=", "--json=no/", "--limit=",
                                    "--limit=send:p", "--break-on=",
                                    "--trace=", "--x", ""])
def test_hostile_value(run, option, value):
    """What was given can neither forge lines nor play with a terminal."""
    result = run("-l", 1, option + value)
    assert result.returncode == 1
    assert not result.stdout and not result.files
    line, *rest = result.stderr.split("\n")
    assert rest == [""], f"not one line: {result.stderr!r}"
    assert line.startswith("twowaytest: " + option.rstrip("/"))
    assert len(line) < 1000
    assert line.isprintable(), repr(line)


@pytest.mark.parametrize("option", ["--json", "--dump", "--histfile",
                                    "--trace-file"])
@pytest.mark.parametrize("path, why", [
    ("no/such/directory", "No such file or directory"),
    (".", "Is a directory"),
    ("file/below", "Not a directory"),
    ("x" * 300, "File name too long"),
    ("y/" * 3000, "File name too long"),
], ids=["missing", "directory", "below a file", "long name", "long path"])
def test_file_that_cannot_be(run, tmp_path, option, path, why):
    (tmp_path / "file").touch()
    needs = ("-b", 10 ** 9, "--trace") if option == "--trace-file" else ()
    result = run("-l", 3, "-h", 10, f"{option}={path}", *needs)
    refused(result, f"{option}={path[:300]}", "cannot write", why)


def test_directory_without_permission(run, tmp_path):
    if not os.geteuid():
        pytest.skip("root may write everywhere")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    result = run("-l", 3, "--json=closed/json")
    refused(result, "--json=closed/json", "cannot write")
    # What root is told about other users' files would mislead here.
    assert result.stderr.endswith(": Permission denied\n")
    assert not list(closed.iterdir())


def test_port_in_use(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("--default-system", "-l", 3, "--json=json",
                     f"--port={port}")
    refused(result, f"--port={port}", "Address already in use")


def test_port_without_privilege(run):
    limit = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
    if not os.geteuid():
        pytest.skip("root may listen on every port")
    with open(limit, encoding="ascii") as file:
        if int(file.read()) <= 1:
            pytest.skip("here anybody may listen on every port")
    refused(run("--default-system", "-l", 3, "--port=1"), "--port=1",
            "Permission denied", "CAP_NET_BIND_SERVICE")


@pytest.mark.parametrize("fd", [1, 2])
def test_closed_output(run, fd):
    result = run("-q", "-l", 3, "--json=json",
                 preexec_fn=lambda: os.close(fd))
    assert result.returncode == 1
    assert not result.stdout and not result.files


@pytest.fixture
def full():
    """A device that takes nothing."""
    path = "/dev/full"
    if not os.path.exists(path) or not stat.S_ISCHR(os.stat(path).st_mode):
        pytest.skip(f"{path} is no device here")
    return path


def test_full_output(run, full):
    with open(full, "w", encoding="ascii") as output:
        result = run("--default-system", "-q", "-l", 3, "--json=json",
                     stdout=output)
    assert result.returncode == 1
    assert result.stderr == ("twowaytest: standard output: cannot write: "
                             "No space left on device\n")
    # What has not been printed is in the file; the file says so.
    assert result.files == {"json"}
    assert result.json()["return_code"] == 1


@pytest.mark.parametrize("option", ["--json", "--dump", "--histfile"])
def test_full_disk(run, option, full):
    result = run("--default-system", "-q", "-l", 3, "-h", 10,
                 f"{option}={full}")
    assert result.returncode == 1
    assert result.stderr == (f"twowaytest: {option}={full}: cannot write: "
                             "No space left on device\n")
    assert not result.files


def test_the_first_of_two_errors_is_told(run, full):
    """In the order in which the files are written, whatever the user's."""
    result = run("--default-system", "-q", "-l", 3, "-h", 10,
                 f"--json={full}", f"--histfile={full}")
    assert result.returncode == 1
    assert result.stderr == (f"twowaytest: --histfile={full}: cannot write: "
                             "No space left on device\n")
