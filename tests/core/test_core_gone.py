# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that are gone, and small ones: --total, -M."""

import json
import os
import pathlib
import re

import pytest

import outside
import screen

NEWS = pathlib.Path(__file__).parents[2] / "NEWS.md"
GONE = ("accept", "address", "break-on", "force", "interface", "max-pairs",
        "max-rate", "max-size", "max-time", "port", "quickack", "runs",
        "sessions", "smi", "timeline-every")


@pytest.mark.parametrize("name", GONE)
def test_gone(run, name):
    """Refused with what to use instead, whatever its value; not shown."""
    for words in ([f"--{name}"], [f"--{name}=5"], [f"--{name}", "5"]):
        done = run("-q", *words, "-l", 5)
        assert done.returncode == 1 and not done.stdout
        assert re.fullmatch(f"FATAL: --{name}: this option is gone; .+\n",
                            done.stderr)
    assert f"--{name}" not in run("--help").stdout
    assert f"`--{name}`" in NEWS.read_text(encoding="utf-8")


# Of cyclictest 0.50 to 2.10: letter and name, or one of both.
CYCLICTEST = """
-a --affinity, -A --aligned, -b --breaktrace, -B --preemptirqs, -c --clock,
-C --context, -d --distance, -D --duration, -E --event, -f --ftrace,
-F --fifo, -h --histogram, -H --histofall, -i --interval, -I --irqsoff,
-l --loops, -m --mlockall, -M --refresh_on_max, -n --nanosleep, -N --nsecs,
-o --oscope, -O --traceopt, -p --priority, -P --preemptoff, -q --quiet,
-r --relative, -R --resolution, -s --system, -S --smp, -t --threads,
-T --tracer, -u --unbuffered, -U --numa, -v --verbose, -w --wakeup,
-W --wakeuprt, -x --posix_timers, -X --dbg_cyclictest, -e, -Q, -y, --latency,
--default-system, --histfile, --json, --laptop, --mainaffinity, --notrace,
--policy, --priospread, --secaligned, --smi, --spike, --spike-nodes,
--tracemark, --help, --deepest-idle-state""".replace("\n", " ").split(", ")


@pytest.mark.parametrize("option", CYCLICTEST)
def test_options_of_cyclictest(run, option):
    """Here, too, in the same spelling; or refused with what to use, which is
    an option that there is."""
    spellings = option.split()
    shown = run("--help").stdout
    if re.search(rf"^ +{', '.join(spellings)}(?=[ =\[]|$)", shown, re.M):
        return
    messages = set()
    for word in spellings:
        for words in ([word], [word, "5"], [
                f"{word}=5" if word.startswith("--") else f"{word}5"]):
            done = run("-q", *words, "-l", 5)
            assert done.returncode == 1 and not done.stdout
            messages.add(done.stderr)
    message, = messages
    of = "--smi: this option is gone" if option == "--smi" else \
        f"{', '.join(spellings)}: an option of cyclictest"
    instead = re.fullmatch(rf"FATAL: {of}; (.+)\n", message)[1]
    for name in re.findall(r"--[\w-]+", instead):
        assert re.search(rf"^ +(?:-\w, )?{name}(?=[ =\[]|$)", shown, re.M) \
            or name == "--show", name


def test_gone_is_no_setting(run):
    done = run("-q", "-l", 5, "--json=json")
    settings = json.loads(done.text("json"))["twoway"]["settings"]
    assert not set(settings) & set(GONE)
    assert settings["total"] == "documented"


@pytest.mark.parametrize("period", [700, 1000, 3000])
def test_total_of_the_reference_program(run, period):
    """The interval up to t1; the rate in Hz, taken for the period in us."""
    done = run("-q", "-v", "-N", "-l", 40, "-i", period, "--total=trltp3",
               "--metrics=interval,send,sleep,response,total")
    assert done.returncode == 0, done.stderr
    values = [int(line.split(":")[2]) for line in done.stdout.splitlines()
              if line[:1] == " "]
    assert len(values) == 5 * 40
    for at in range(0, len(values), 5):
        interval, send, sleep, response, total = values[at:at + 5]
        assert total == response - sleep + abs(sleep - 100000) + \
            abs(interval + send - 10**12 // (period * 1000))


def test_total_needs_a_period(run):
    done = run("-q", "-i0", "-l", 5, "--total=trltp3")
    assert done.returncode == 1
    assert done.stderr.startswith("FATAL: --total=trltp3: needs a timer")


@pytest.mark.parametrize("options", [(), ("-M",), ("--refresh_on_max",)])
def test_display_on_a_new_maximum(shim, options):
    """With -M, each picture has another maximum than the one before it."""
    terminal, seen = screen.Terminal(120, 24), b""
    process = outside.Run("-D2", "--warmup=0", *options,
                          stdout=terminal.slave,
                          env=shim("server:send:before:300:50000"))
    while process.process.poll() is None or terminal.has_more():
        if terminal.has_more():
            seen += os.read(terminal.master, 4096)
    assert process.finish() == 0
    maxima = [int(number) for number in re.findall(
        r"Max: *(\d+)", seen.decode().partition("\x1b[J")[0])]
    repeated = [a for a, b in zip(maxima, maxima[1:]) if a == b]
    assert maxima and maxima[-1] >= 50000
    assert bool(repeated) != bool(options)
