# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/runbook.md: every command that it shows is run, and what it says
of the program is what the program says."""

import importlib.util
import os
import re
import shutil
import subprocess
import typing

import outside
import page
import pytest
import tracing
import twowaytest

COMMANDS = page.commands()

# Never done here, as it would change more than a copy can stand for.
ONLY_READ = {
    "update-grub": "what this machine boots",
    "systemctl": "which services run here",
}
PROGRAMS = ("apt-get", "cyclictest", "dpkg", "hackbench", "hwlatdetect",
            "mountpoint", "oslat", "sysctl", "taskset", *ONLY_READ)
MODULES = ("numpy", "matplotlib")


class Change(typing.NamedTuple):
    """A command that changes the machine: here, files in a directory that
    is mounted over the machine's own."""
    word: str           # in the command
    place: str
    before: dict        # file: text
    after: str          # of each file


GOVERNOR = "cpu{}/cpufreq/scaling_governor"
CHANGES = (
    Change("scaling_governor", "/sys/devices/system/cpu",
           {GOVERNOR.format(cpu): "powersave" for cpu in (0, 1, 10)},
           "performance"),
    Change("smp_affinity_list", "/proc/irq",
           {f"{irq}/smp_affinity_list": "7" for irq in (1, 24)},
           re.search(r"others=(\S+)", page.cpus())[1]),
    Change("sysctl", "/proc/sys/kernel",
           {"watchdog": "1", "timer_migration": "1"}, "0"),
    Change("/etc/default/", "/etc/default",
           {"grub.d/realtime.cfg": "nothing yet"}, None),
)


def words(text):
    return re.findall(r"[\w./-]+", text)


def need(desk, command):
    """Skips what cannot be run on this machine."""
    for program in PROGRAMS:
        if program in words(command.text.replace("=", " ")) and \
                not shutil.which(program, path=page.PATH):
            pytest.skip(f"{program} is not installed")
    if "--rt-runtime=-1" in command.text:
        if len(os.sched_getaffinity(0)) < 2:
            pytest.skip("one CPU only: a load would leave it no time")
        if not outside.takes_rt_runtime(-1):
            pytest.skip("this kernel refuses to lift throttling")
    if "trac" in command.text:
        if not desk.trace:
            pytest.skip("no tracefs here")
        if desk.trace["set_event"]:
            pytest.skip("somebody is tracing this system")
        if not tracing.mounted() and "mount" not in command.text:
            pytest.skip("no tracefs: the line that mounts it was not run")
    if "twowayreport" in command.text:
        missing = [name for name in MODULES
                   if not importlib.util.find_spec(name)]
        if missing:
            pytest.skip(f"not installed: {', '.join(missing)}")
        for name in re.findall(r"\b[\w-]+\.(?:json|csv)\b", command.text):
            if not desk.path(name).exists():
                pytest.skip(f"no {name}: what makes it was not run")


def packages_known(text):
    """Whether apt-get has lists to find the packages in."""
    names = text.split(" install ")[1].split()
    done = subprocess.run(["apt-cache", "policy", *names], text=True,
                          capture_output=True, check=True)
    return done.stdout.count("Candidate: ") == len(names) and \
        "Candidate: (none)" not in done.stdout


def cycles_of(result):
    """Of all pairs, each of which has a column; of two hosts, as it is."""
    return result["twoway"].get("cycles") or sum(
        thread["cycles"] for thread in result["thread"].values())


def check_results(desk, text, status):
    """What was to be written is there, and tells the same."""
    if found := re.search(r"--json=([\w.-]+)", text):
        result = outside.load_json(desk.path(found[1]))
        if "primitivetest" in text:
            assert result["return_code"] == status
            for test in result["primitives"]["tests"]:
                assert test["skipped"] or test["trials"] == 200
        elif "cyclictest" not in text:
            assert result["return_code"] == status
            assert cycles_of(result) > 0
    if found := re.search(r"--dump=([\w.-]+)", text):
        cycles = twowaytest.read_dump(desk.path(found[1]))
        assert len(cycles) + result["twoway"]["not_dumped"] == \
            cycles_of(result)
    if found := re.search(r"--trace-file=([\w.-]+)", text):
        assert bool(desk.path(found[1]).stat().st_size) == (status == 2)
    if found := re.search(
            r"(?:--html=|--tables=|--histfile=|>)([\w-]+\.\w+)", text):
        assert desk.path(found[1]).stat().st_size > 0


def boots_with(line):
    """The kernel's arguments, as GRUB's script makes them of the line."""
    done = subprocess.run(
        ["sh", "-c", f'GRUB_CMDLINE_LINUX=quiet\n{line}\n'
         'echo "$GRUB_CMDLINE_LINUX"'], text=True, capture_output=True,
        check=True)
    return dict(word.partition("=")[::2] for word in done.stdout.split())


def check_boot(line):
    cpus = dict(re.findall(r"(\w+)=(\S+)", page.cpus()))
    pair = f"{cpus['server']},{cpus['client']}"
    assert boots_with(line) == {
        "quiet": "", "isolcpus": f"managed_irq,domain,{pair}",
        "nohz_full": pair, "rcu_nocbs": pair,
        "irqaffinity": cpus["others"], "nowatchdog": ""}


def check_on_copy(desk, text, change, directory):
    for name, before in change.before.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(before + "\n")
    tracing.mount("--bind", directory, change.place)
    try:
        done = desk.run(text)
    finally:
        subprocess.run(["umount", change.place], check=True)
    assert done.process.returncode == 0, done.err
    for name in change.before:
        after = (directory / name).read_text().strip()
        if change.after is None:
            check_boot(after)
        else:
            assert after == change.after


@pytest.mark.parametrize("command", COMMANDS,
                         ids=[f"line{c.line}" for c in COMMANDS])
def test_command(desk, command, tmp_path):
    text = page.here(command.text)
    subprocess.run(["sh", "-n", "-c", text], check=True)
    need(desk, command)
    if any(word in words(text) for word in ONLY_READ):
        return
    for change in CHANGES:
        if change.word in text:
            check_on_copy(desk, text, change, tmp_path)
            return
    if "apt-get" in text and not packages_known(text):
        pytest.skip("apt-get has no list with these packages")
    done = desk.run(text)
    status = done.process.returncode
    if "hwlat tracer not available" in done.err:
        pytest.skip("the kernel has no hwlat tracer")
    assert status in command.statuses, done.out + done.err
    check_results(desk, text, status)


def test_no_command_is_overlooked():
    """Each numbered step but the reading has some, and all begin so."""
    steps = [i for i, line in
             enumerate(page.PAGE.read_text().splitlines(), 1)
             if re.match(r"## \d+\. ", line)]
    assert len(steps) == 11
    for first, last in zip(steps, [*steps[1:], 10**6]):
        assert any(first < c.line < last for c in COMMANDS)


def test_statuses_are_those_of_the_program():
    """2 is stated exactly where twowaytest, or the gate, may end with it."""
    for command in COMMANDS:
        may = re.search(r"--check|--limit=| -b |--gate", command.text)
        assert (2 in command.statuses) == bool(may), command
        assert (3 in command.statuses) == ("--gate" in command.text), command


def test_checks_have_these_names(desk):
    done = desk.run("twowaytest --check -p 98 -a")
    names = set(re.findall(r"^(?:ok +|FINDING +|# Not known: )(\w+)",
                           done.out, re.M))
    assert len(names) > 10
    told = {name for row in page.table("setting")
            for name in row[-1].split(", ")}
    assert told <= names


def test_tests_have_these_names(desk):
    """Those of the parts that the last step's table names."""
    rows = page.table("what is slow")
    listed = desk.run("primitivetest --list").out
    names = set(re.findall(r"^(\w+) +\w", listed, re.M))
    told = {word for row in rows
            for word in re.findall(r"`(?:--test=)?([a-z]+\d?)[ .`]",
                                   " ".join(row))}
    assert {"timer", "sync2", "message", "stream"} <= told & names
    assert told <= names | {"response", "process", "wakeup"}


def test_sentences_are_those_of_the_analysis():
    source = (page.SOURCE / "src/cause/tw_judge.c").read_text()
    rows = page.table("the sentence says")
    assert len(rows) > 10
    for row in rows:
        phrases = re.findall(r"`([^`]+)`", row[0])
        assert phrases, row
        for phrase in phrases:
            assert re.search(rf'"[^"\n]*{re.escape(phrase)}', source), phrase


def test_every_sentence_is_in_the_table():
    """Whatever the analysis may say, there is a row for it."""
    source = (page.SOURCE / "src/cause/tw_judge.c").read_text()
    told = " ".join(row[0] for row in page.table("the sentence says"))
    states = re.findall(
        r'\[TW_\w+\] = \{\s*"[^"]+",\s*"([^"]+)",\s*(true)?', source)
    reasons = re.findall(r'(?:return|=) ",? ([a-z][^"]+)"', source)
    assert len(states) > 10 and len(reasons) > 5
    for state, peer in states:
        if not peer and not state.startswith("asleep"):
            assert f"`{state}" in told
    for reason in reasons:
        assert reason.strip() in told


SECONDS = {"s": 1, "min": 60, "h": 3600, "days": 86400}


def test_durations():
    """The rule of three, at 1000 cycles a second."""
    rows = page.table("claim, at 95 %")
    assert len(rows) > 5
    for claim, cycles, time in rows:
        rare = {"hour": 3600 * 1000, "day": 86400 * 1000}.get(
            claim.split()[-1]) or int(claim.split(" in ")[1])
        cycles = int(cycles)
        assert cycles == 3 * rare
        parts = re.findall(r"(\d+) (\w+)", time)
        assert cycles == 1000 * sum(int(n) * SECONDS[unit]
                                    for n, unit in parts)
        # Exactly: (1 - p)^n = 0.05.
        assert 1 - 0.05 ** (1 / cycles) < 1 / rare
