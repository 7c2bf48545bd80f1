# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: each option with a good and with a bad value."""

import os
import re
import shlex

import outside
import pytest

import cm_args


def all_s(last):
    """The time in all that a dry run's last line tells, in seconds."""
    text = re.search(r"at most (.*) in all", last)[1] + " "
    sizes = {"d": 86400, "h": 3600, "min": 60, "s": 1}
    return sum(int(number) * sizes[unit]
               for number, unit in re.findall(r"(\d+) (\w+)", text))


def words(rows, program=None):
    """The last command line of each row, split."""
    found = [shlex.split(row[-1]) for row in rows]
    return [argv for argv in found
            if not program or argv[0].endswith(program)]


def durations(rows):
    return {row[0].rpartition("  ")[2] for row in rows}


@pytest.mark.parametrize("arguments, whole", (
    ([], 300), (["--long"], 86400), (["-L"], 86400)))
def test_default_and_long(plan, arguments, whole):
    """16 measurements of one length, in little less than the whole time."""
    rows, last = plan(*arguments)
    assert len(rows) == 16
    assert len(durations(rows)) == 1
    titles = [tuple(row[0].partition("] ")[2].split()[:3]) for row in rows]
    assert len(set(titles)) == 16
    # Seconds are not told beside hours.
    assert whole - 16 - (60 if whole > 3600 else 0) < all_s(last) <= whole
    cyclictest = {argv[argv.index("-D") + 1]
                  for argv in words(rows, "cyclictest")}
    assert len(cyclictest) == 1
    for tool in ("cyclictest", "twowaytest"):
        assert {argv[argv.index("-i") + 1]
                for argv in words(rows, tool)} == {"1000"}


def test_fewer_take_as_long(plan):
    rows, last = plan("-l", "none", "-P", "plan")
    assert len(rows) == 2
    assert 295 <= all_s(last) <= 300


def test_a_load_takes_time_to_begin(plan):
    """2 s, in each of two measurements."""
    none, fft = (all_s(plan("-D", "7", "-P", "plan", "-l", load)[1])
                 for load in ("none", "fft"))
    assert fft - none == 4


@pytest.mark.parametrize("flag", ("-D", "--duration"))
@pytest.mark.parametrize("text, seconds", (
    ("7", 7), ("7s", 7), ("2m", 120), ("3h", 10800), ("1d", 86400)))
def test_duration(plan, flag, text, seconds):
    """It overrides --long, and is that of both tools under any load."""
    rows, _ = plan(flag, text, "--long", "-P", "plan", "-l", "none,fft")
    assert len(rows) == 4
    for argv in words(rows):
        assert argv[argv.index("-D") + 1] == str(seconds)
        # -D may count it, too, and without priority it takes any time.
        assert not [word for word in argv if word.startswith("--warmup")]


@pytest.mark.parametrize("flags, value, shown", (
    (("-P", "--placements"), "plan", {"plan"}),
    (("-l", "--loads"), "command,none", {"none", "command"}),
    (("-t", "--tools"), "cyclictest", {"cyclictest"})))
def test_lists(plan, flags, value, shown):
    for flag in flags:
        rows, _ = plan(flag, value)
        column = ("-P", "-l", "-t").index(flags[0])
        assert {row[0].partition("] ")[2].split()[column]
                for row in rows} == shown


def test_alike(plan):
    """Both tools: priority, period, CPU; the very same load beside them."""
    for flags in (("-p", "-i", "-w"), ("--priority", "--interval",
                                       "--workers")):
        rows, _ = plan(flags[0], "50", flags[1], "500", flags[2], "3",
                       "-l", "fft,hackbench,command")
        for argv in words(rows):
            assert argv[argv.index("-p") + 1] == "50"
            assert argv[argv.index("-i") + 1] == "500"
            assert "-m" in argv
        for one, other in zip(rows[0::2], rows[1::2]):
            assert one[1] == other[1]
            assert "--load-policy=other" in shlex.split(one[1])
            assert all(len(row) == 3 and "--load" not in row[2]
                       for row in (one, other))
        assert "--load=hackbench:3" in rows[2][1]


def test_workers(begin):
    """As many as there are CPUs for the campaign."""
    run = begin("-n", "-l", "fft", preexec_fn=lambda: os.sched_setaffinity(
        0, {min(os.sched_getaffinity(0))}))
    assert run.finish() == 0 and " --load=fft:1 " in run.out


def test_no_privilege(plan):
    rows, _ = plan("-p", "0")
    assert all("-p" not in argv and "-m" not in argv for argv in words(rows))


def test_an_isolated_cpu(begin):
    """It is measured, though it is none of the campaign's."""
    cpus = sorted(os.sched_getaffinity(0))
    run = begin("-n", "-a", cpus[-1], "-P", "one", "-l", "none",
                preexec_fn=lambda: os.sched_setaffinity(0, cpus[:1]))
    assert run.finish() == 0, run.err
    assert f" --affinity={cpus[-1]} --mainaffinity={cpus[-1]} " in run.out


def test_cpu(plan):
    for flag in ("-a", "--cpu"):
        rows, _ = plan(flag, "0", "-P", "one", "-l", "none")
        assert "--affinity=0" in words(rows, "twowaytest")[0]
        argv = words(rows, "cyclictest")[0]
        assert argv[argv.index("-a") + 1] == "0"


def test_command_and_limit(plan):
    for flags in (("-c", "-x"), ("--command", "--limit")):
        rows, _ = plan("-l", "command", flags[0], "echo 'a b'; true",
                       flags[1], "total:9", flags[1], "missed:0")
        for argv in words(rows, "twowaytest"):
            assert {"--limit=total:9", "--limit=missed:0"} <= set(argv)
        for row in rows:
            load = next(word for word in shlex.split(row[1])
                        if word.startswith("--load=command:"))
            assert shlex.split(load)[-1] == "echo 'a b'; true"
        for argv in words(rows, "cyclictest"):
            assert not any(word.startswith("--limit") for word in argv)


def test_connect(plan):
    """Only the twowaytest that measures has a server elsewhere."""
    for flag in ("-H", "--connect"):
        rows, _ = plan("-l", "none,fft", flag, "far:7")
        for argv in words(rows, "twowaytest"):
            assert argv.count("--connect=far:7") == 1
        for argv in words(rows, "cyclictest"):
            assert not any("far" in word for word in argv)
        assert any("--load=fft" in row[1] for row in rows)
        for row in rows:
            if "--load=" in row[1]:
                assert "--connect" not in row[1]


@pytest.mark.parametrize("flags, value, said", (
    ("-D --duration", "0", "'0'"),
    ("-D --duration", "5x", "s, m, h or d"),
    ("-D --duration", "2592001", "30d"),
    ("-P --placements", "both", "one, plan"),
    ("-l --loads", "none,ftt", "none, fft, hackbench, command"),
    ("-t --tools", "", "cyclictest, twowaytest"),
    ("-p --priority", "2", "3 to 99"),
    ("-p --priority", "100", "3 to 99"),
    ("-i --interval", "199", "200 to 1000000 us"),
    ("-i --interval", "1000001", "200 to 1000000 us"),
    ("-a --cpu", "99999", "one of the CPUs 0"),
    ("-w --workers", "0", "1 to 1024"),
    ("-w --workers", "1025", "1 to 1024"),
    ("-c --command", " ", "must not be empty"),
    ("-o --output", "", "must not be empty"),
    ("-H --connect", "", "must not be empty"),
    ("-x --limit", "", "must not be empty"),
    ("-T --twowaytest", "", "must not be empty"),
    ("-C --cyclictest", "", "must not be empty"),
))
def test_bad_values(capsys, flags, value, said):
    for flag in flags.split():
        with pytest.raises(SystemExit) as end:
            cm_args.parse([flag, value])
        message = capsys.readouterr().err
        assert end.value.code == 1
        assert f": argument {flags[:2]}/" in message
        assert said in message
        assert value.rpartition(",")[2] in message


@pytest.mark.parametrize("refuses", [False, True])
def test_cpus_that_the_kernel_gives(capsys, monkeypatch, refuses):
    """Also isolated ones, which are not among its own."""
    own, isolated = {3, 5}, {7}

    def change(pid, cpus):
        assert pid == 0
        if refuses:
            raise PermissionError
        now.clear()
        now.update((own | isolated) & set(cpus))

    now = set(own)
    monkeypatch.setattr(os, "sched_getaffinity",
                        lambda pid: set(now) if pid == 0 else set())
    monkeypatch.setattr(os, "sched_setaffinity", change)
    assert cm_args.parse(["-a", "5"]).cpu == 5
    bad = "7" if refuses else "4"
    if not refuses:
        assert cm_args.parse(["-a", "7"]).cpu == 7
    with pytest.raises(SystemExit):
        cm_args.parse(["-a", bad])
    assert "one of the CPUs 3,5" + ",7" * (not refuses) in \
        capsys.readouterr().err
    assert now == own


@pytest.mark.parametrize("flags, value, said", (
    ("-x --limit", "nonsense", "--limit=nonsense: not understood"),
    ("-T --twowaytest", "/none", "--twowaytest=/none: no such program"),
    ("-C --cyclictest", "/none", "--cyclictest=/none: no such program"),
))
def test_bad_for_programs(refused, flags, value, said):
    for flag in flags.split():
        assert said in refused(flag, value)


CLIENT = '{\n"twoway": {"pairs": [%s]}}'
NO_CPU = "its JSON does not tell the client's CPU"


@pytest.mark.parametrize("key, value, said", (
    ("STUB_TRIAL", "3", "exit status 3, without a message"),
    ("STUB_JSON", "", "prints no JSON"),
    ("STUB_JSON", "{\n", "prints no JSON"),
    ("STUB_JSON", "{\n}", NO_CPU),
    ("STUB_JSON", CLIENT % "", NO_CPU),
    ("STUB_JSON", CLIENT % '{"client": {"cpus": null}}', NO_CPU),
    ("STUB_JSON", CLIENT % '{"client": {"cpus": "0,1"}}', NO_CPU)))
def test_no_plan(refused, key, value, said):
    """Before the first measurement, in the run that tells the plan."""
    assert f" -a -l 5 --json=-: {said}\n" in refused(**{key: value})


@pytest.mark.parametrize("arguments, said", (
    (["stray"], "stray"), (["--dur", "1"], "--dur"),
    (["-D", "0"], "'0': a time from 1s"),
    (["-x", "missed:0", "-t", "cyclictest"],
     "--limit: limits are twowaytest's, which --tools leaves out\n"),
    (["-H", "far", "-t", "cyclictest"], "--connect: only twowaytest has a "
     "server, which --tools leaves out\n")))
def test_bad_lines(refused, arguments, said):
    assert said in refused(*arguments)


def test_no_value(capsys):
    """These take none."""
    for name in ("long", "no-report", "dry-run", "help", "version"):
        with pytest.raises(SystemExit) as end:
            cm_args.parse([f"--{name}=1"])
        assert end.value.code == 1
        assert f"--{name}" in capsys.readouterr().err


def test_help_and_version(campaign):
    for flag in ("-h", "--help"):
        text = campaign(flag).stdout
    for flag in ("-v", "--version"):
        assert re.fullmatch(r"campaign [0-9.]+\n", campaign(flag).stdout)
    options = re.findall(r"^  (-\w), (--[a-z-]+)", text, re.MULTILINE) + \
        re.findall(r"^  (-\w) \S+, (--[a-z-]+)", text, re.MULTILINE)
    assert len(options) == len(set(options)) > 15


def test_dry_run_writes_nothing(campaign, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    for flag in ("-n", "--dry-run"):
        campaign(flag)
    assert sorted(tmp_path.rglob("*")) == before


def test_dry_run_measures_nothing(campaign, tmp_path):
    """But for the cycles that tell the plan, which need no privilege."""
    calls = tmp_path / "calls"
    campaign("-n", STUB_CALLS=str(calls))
    made = [shlex.split(line) for line in calls.read_text().splitlines()]
    assert made[0][1:] == ["-q", "-a", "-l", "5", "--json=-"]
    assert len(made) > 10
    for argv in made[1:]:
        assert {"--check", "--version", "--help"} & set(argv)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_dry_run_needs_no_privilege(launch):
    """With the real program, as a user without rights."""
    run = launch("-n", "-R", "-T", outside.binary(), "-l", "none,fft",
                 "-o", "/nowhere/at/all", preexec_fn=outside.nobody())
    assert run.finish() == 0, run.err
    assert "8 measurements" in run.out


@pytest.mark.parametrize("output, said", (
    ("/dev/null", "Not a directory"), ("/etc/passwd", "Not a directory"),
    ("/etc/passwd/below", "Not a directory"), ("stubs", "holds no campaign"),
    ("everybodys", "everybody may write there")))
def test_dry_run_of_an_output(refused, tmp_path, output, said):
    """What the real run cannot use is refused, and so by both."""
    (tmp_path / "everybodys").mkdir()
    (tmp_path / "everybodys").chmod(0o1777)
    for flags in (("-n",), ("-l", "none", "-P", "one", "-D", "1", "-R")):
        assert said in refused(*flags, "-o", output)


def test_dry_run_of_a_campaign(campaign, tmp_path):
    """One that is there and is another is refused; one of these options is
    not, whoever it belongs to."""
    flags = ("-l", "none", "-P", "one", "-D", "1", "-R", "-o", "out")
    campaign(*flags)
    if not os.geteuid():
        os.chown(tmp_path / "out", outside.NOBODY, outside.NOBODY)
    assert "2 measurements" in campaign("-n", *flags).stdout
    assert "duration_s: 1 there, 2 here" in campaign(
        "-n", *flags, "-D", "2", status=1).stderr
