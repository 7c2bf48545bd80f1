# SPDX-License-Identifier: GPL-2.0-or-later
"""The completions: as generated, and as the shells understand them."""

import json
import pathlib
import subprocess

import pytest

import options
import outside
import prim_options
import primitives
import shells
import twoway

CONTRIB = pathlib.Path(__file__).resolve().parent.parent.parent / "contrib"
COMPLETIONS = CONTRIB / "completions"
PROGRAMS = {"twowaytest": twoway.binary, "primitivetest": primitives.binary}
# Those have tests of their own, in twtools.
TOOLS = ("twowayreport", "twowaytest-campaign", "twowaytest-virtlab")
OPTIONS = {"twowaytest": options.OPTIONS,
           "primitivetest": prim_options.OPTIONS}


@pytest.fixture(params=PROGRAMS)
def program(request):
    return request.param


def files(program):
    return {f"{program}.bash", f"_{program}", f"{program}.fish"}


def generate(program, directory):
    return subprocess.run(
        [CONTRIB / "mkcompletions", program, directory], text=True,
        capture_output=True, check=False)


def test_files_are_as_generated(program, tmp_path):
    """If not: contrib/mkcompletions build/PROGRAM writes them anew."""
    done = generate(PROGRAMS[program](), tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} == files(program)
    for name in files(program):
        assert (COMPLETIONS / name).read_text() == \
            (tmp_path / name).read_text(), name


def test_there_are_no_others():
    assert {path.name for path in COMPLETIONS.iterdir()} == \
        set().union(*map(files, [*PROGRAMS, *TOOLS]))


@pytest.mark.parametrize("program", [*PROGRAMS, *TOOLS])
def test_they_are_installed(program):
    """Where bash-completion, zsh and fish look for them."""
    plan = pathlib.Path(twoway.binary()).parent / \
        "meson-info" / "intro-installed.json"
    if not plan.exists():
        pytest.skip(f"{twoway.binary()} does not lie in a build directory")
    installed = json.loads(plan.read_text())
    for source, place in (
            (f"{program}.bash", f"bash-completion/completions/{program}"),
            (f"_{program}", f"zsh/site-functions/_{program}"),
            (f"{program}.fish",
             f"fish/vendor_completions.d/{program}.fish")):
        assert installed[str(COMPLETIONS / source)].endswith(f"/{place}")


def stub(directory, help_text):
    """A program with that help, and with a list of tests."""
    program = directory / "stub"
    usage = "other\n" if help_text is None else \
        f"usage: twowaytest [options]\n\n{help_text}"
    program.write_text(
        "#!/bin/sh\n[ \"$1\" != --list ] || { echo '{\"a\": 1, \"b\": "
        "{\"list\": [{\"name\": \"one\"}, {\"name\": \"two\"}]}}'; exit; }\n"
        f"cat <<'EOF'\n{usage}EOF\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("text, message", [
    ("", "no option in the help"),
    (None, "does not begin with \"usage: NAME \""),
    ("      --odd=THING          do it\n", "--odd=THING: of unknown kind"),
    ("      --odd=NAME           do it\n", "--odd=NAME: the help names no"),
])
def test_unknown_kinds_are_refused(tmp_path, text, message):
    done = generate(stub(tmp_path, text), tmp_path / "out")
    assert done.returncode == 1 and message in done.stderr
    assert not (tmp_path / "out").exists()


# Every option as the shells offer it, and what the table says it takes.
def offered(option):
    yield option.short and f"-{option.short}", ""
    if option.argument != "required":
        yield option.long, ""
    if option.argument != "none":
        yield option.long, "="


def names(option):
    """Those of the table's good values that are names."""
    return sorted(good.value for good in options.BY_NAME[option].good
                  if not good.value.isdigit())


def long(program):
    return [option.long for option in OPTIONS[program]]


def short(program):
    return [f"-{option.short}" for option in OPTIONS[program] if option.short]


def begins(words, start):
    return [word for word in words if word.startswith(start)]


# Command lines, what is offered for the last word, and the part of that word
# that bash leaves alone.
VALUES = {"twowaytest": [
    ("--clock=m", ["monotonic", "monotonic_raw"], "--clock="),
    ("--clock=", names("clock"), "--clock="),
    ("--clock r", ["realtime"], ""),
    ("-c m", ["monotonic", "monotonic_raw"], ""),
    ("-qNc m", ["monotonic", "monotonic_raw"], ""),
    ("-cb", ["-cboottime"], ""),
    ("--clock=x", [], ""),
    ("--policy=", names("policy"), "--policy="),
    ("--load-policy=", names("load-policy"), "--load-policy="),
    ("--timer=", names("timer"), "--timer="),
    ("--wait=", names("wait"), "--wait="),
    ("--total=", names("total"), "--total="),
    ("--load=", ["command:", "fft", "hackbench", "none"], "--load="),
    ("--load=fft:", [], ""),
    ("--metrics=", sorted(options.METRICS), "--metrics="),
    ("--metrics=send,to", ["send,total"], "--metrics="),
    ("--metrics=send,se", [], ""),
    ("--metrics send,sleep,s", [], ""),
    ("--metrics wakeup,s", ["wakeup,send", "wakeup,sleep"], ""),
    ("--dump=hi", ["hist", "history"], "--dump="),
    ("--json hi", ["hist", "history"], ""),
    ("--interval=", [], ""),
    ("-i ", [], ""),
    ("--load-args=", [], ""),
    ("--percentiles=", [], ""),
    ("--percentiles --dum", ["--dump"], ""),
    ("-a --dum", ["--dump"], ""),
    ("-q --dum", ["--dump"], ""),
    ("x", [], ""),
], "primitivetest": [
    ("--clock=m", ["monotonic", "monotonic_raw"], "--clock="),
    ("-c m", ["monotonic", "monotonic_raw"], ""),
    ("--policy=", names("policy"), "--policy="),
    ("--order=", ["equal", "higher", "lower"], "--order="),
    ("--order lo", ["lower"], ""),
    ("--cpus=", ["cross", "same"], "--cpus="),
    ("--cpus=same,", ["same,cross"], "--cpus="),
    ("--tasks process,t", ["process,thread"], ""),
    ("--test=time", ["timer"], "--test="),
    ("--test=sync1,ae", ["sync1,aegis"], "--test="),
    ("--test pc", ["pcserver"], ""),
    ("--test=x", [], ""),
    ("--dump=hi", ["hist", "history"], "--dump="),
    ("--limit=", [], ""),
    ("--bin=", [], ""),
    ("-i ", [], ""),
    ("-q --dum", ["--dump"], ""),
]}


@pytest.fixture(scope="module")
def online():
    """The numbers of the CPUs that are online."""
    found = []
    for part in outside.read("/sys/devices/system/cpu/online").split(","):
        first, _, last = part.strip().partition("-")
        found += range(int(first), int(last or first) + 1)
    return [str(cpu) for cpu in found]


def cpu_values(program, online):
    everything = sorted(["all", *online])
    behind = sorted(f"{online[0]},{cpu}" for cpu in everything
                    if cpu != online[0])
    both = [("-a ", everything, ""),
            (f"-a {online[0]},", behind, ""),
            ("--affinity=", everything, "--affinity=")]
    if program == "primitivetest":
        return both
    return [*both,
            ("--mainaffinity=al", ["all"], "--mainaffinity="),
            ("--load-affinity al", ["all"], "")]


@pytest.fixture
def directory(tmp_path):
    """Where the shells run: the names of files are completed, too."""
    for name in ("hist", "history", "other"):
        (tmp_path / name).touch()
    return tmp_path


def last_word(line):
    return line.rpartition(" ")[2]


def inserted(line, words):
    """What bash or zsh has offered, by the words of the completed line."""
    before = line.split(" ")[:-1]
    assert words[:len(before)] == [word for word in before if word]
    found = words[len([word for word in before if word]):]
    return [] if found == [last_word(line)] else found


def check_values(cases, found, whole):
    """@whole: whether each offer repeats the option before its "="."""
    assert len(found) == len(cases)
    for (line, wanted, kept), words in zip(cases, found):
        if whole:
            wanted = [kept + word for word in wanted]
        elif wanted:
            # The first stands behind what was typed.
            words = [words[0].removeprefix(kept), *words[1:]]
        assert sorted(word.rstrip("=") for word in words) == wanted, line


BREAKS = {"as usual": "", "without =": "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}"}


@pytest.mark.parametrize("setup", BREAKS.values(), ids=BREAKS.keys())
def test_bash_values(directory, program, online, setup):
    cases = VALUES[program] + cpu_values(program, online)
    lines = [line for line, _, _ in cases]
    found = shells.bash(directory, COMPLETIONS, lines, setup, program)
    check_values(cases, list(map(inserted, lines, found)), bool(setup))


def test_zsh_values(directory, program, online):
    cases = VALUES[program] + cpu_values(program, online)
    lines = [line for line, _, _ in cases]
    found = shells.zsh(directory, COMPLETIONS, lines, program=program)
    check_values(cases, list(map(inserted, lines, found)), True)


def test_fish_values(directory, program, online):
    cases = VALUES[program] + cpu_values(program, online)
    lines = [line for line, _, _ in cases]
    found = shells.fish(directory, COMPLETIONS, lines, program=program)
    # It falls back to words that have the letters anywhere.
    check_values(cases, [begins(words, last_word(line))
                         for line, words in zip(lines, found)], True)


def test_bash_options(directory, program):
    """Each as the table has it; with = if it takes a value."""
    found, some = shells.bash(directory, COMPLETIONS, ["-", "--cl"],
                              program=program)
    assert sorted(found) == sorted(
        word + sign for option in OPTIONS[program]
        for word, sign in offered(option) if word)
    assert sorted(some) == sorted(
        f"{word}=" for word in begins(long(program), "--cl"))


def test_zsh_options(directory, program):
    found, some = shells.zsh(directory, COMPLETIONS, ["-", "--cl"],
                             program=program)
    assert sorted(found) == sorted(long(program) + short(program))
    assert sorted(some) == sorted(begins(long(program), "--cl"))


def test_fish_options(directory, program):
    """It offers letters to "-", long options to "--"."""
    letters, found, some = shells.fish(directory, COMPLETIONS,
                                       ["-", "--", "--cl"], program)
    assert set(short(program)) <= set(letters)
    assert sorted(found) == sorted(long(program))
    assert sorted(some) == sorted(begins(long(program), "--cl"))


# Kinds of values beside those that VALUES has.
KINDS = """\
      --metrics=LIST       print these: send, total
      --limit=LIMIT        exit status 2 if METRIC:US, METRIC:pPERCENT:US or
                           missed:N is exceeded; may be given several times
      --break-on=METRIC    the metric that -b looks at, default response
      --spike=[METRIC:]US  keep every cycle whose METRIC exceeds US
  -t, --threads[=N]        so many
      --server[=ADDR[:PORT]]
                           only answer
      --list               print the tests
      --test=LIST          run these groups, or tests: most, all; see --list
"""
OFFERED = [
    ("--limit=", ["missed:", "send:", "total:"], "--limit="),
    ("--limit=send:9 --limit=s", ["send:"], "--limit="),
    ("--break-on=t", ["total"], "--break-on="),
    ("--spike=", ["send:", "total:"], "--spike="),
    ("--threads=", [], ""),
    ("--server=", [], ""),
    ("--server --thr", ["--threads"], ""),
    ("--test=all,", ["all,most", "all,one", "all,two"], "--test="),
]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_kinds(directory, shell):
    out = directory / "out"
    done = generate(stub(directory, KINDS), out)
    assert done.returncode == 0, done.stderr
    lines = [line for line, _, _ in OFFERED]
    found = getattr(shells, shell)(directory, out, lines)
    if shell != "fish":
        found = list(map(inserted, lines, found))
    # Of an optional value, bash offers the option with and without "=".
    check_values(OFFERED, [sorted(set(word.removesuffix("=")
                                      for word in words)) for words in found],
                 shell != "bash")
