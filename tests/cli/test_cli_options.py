# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option, in every spelling: taken, and seen to take effect."""

import functools
import os
import re
import signal
import socket
import time

import pytest

import formats
import hosts
import options
import oracle
import outside
import schema
import screen
import timeline
import twoway


def member(json, path):
    """What lies at a path such as settings.size; None below a null."""
    return functools.reduce(lambda at, name: None if at is None else at[name],
                            path.split("."), json["twoway"])


def cases(with_expectation):
    for option in options.OPTIONS:
        for good in option.good:
            if good.privileged or good.two_hosts or \
                    (good.expect is not None) != with_expectation:
                continue
            for words in option.spellings(good.value):
                yield pytest.param(option, good, words, id=" ".join(words))


def test_table_is_complete():
    for option in options.OPTIONS:
        assert option.good, f"{option.name}: no good value"
        assert option.argument == "none" or option.bad or \
            option.bad is options.TAKES_ALL, \
            f"{option.name}: no bad value"


def test_every_effect_is_looked_at():
    wanted = {option.name for option in options.OPTIONS
              for good in option.good
              if good.expect is None and not good.privileged}
    assert wanted == set(EFFECTS)


@pytest.mark.parametrize("option, good, words", cases(True))
def test_setting(run, option, good, words):
    result = run(*options.BASE, *good.extra, *words)
    if good.may_lack and result.returncode:
        assert result.stderr.startswith(f"twowaytest: {option.long}=")
        assert not result.files and not result.stdout
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    assert result.files == {"json"}
    json = result.json()
    assert {path: member(json, path) for path in good.expect} == good.expect


def test_the_settings_are_no_defaults(run):
    """Were a value ignored, at least one of each option's would show it."""
    json = run("--default-system", "-q", "-l", 3, "--json=json",
               "--load=fft:3").json()
    only_the_default = {"default-system"}
    for option in options.OPTIONS:
        expected = [good for good in option.good if good.expect]
        if expected and option.name not in only_the_default:
            assert any(member(json, path) != value for good in expected
                       for path, value in good.expect.items()), option.name


@pytest.mark.parametrize("words", [("-a", options.ALL_CPUS),
                                   ("--affinity", options.ALL_CPUS),
                                   ("-qa", "all"), ("-a", "!99")])
def test_a_set_may_be_the_next_word(run, words):
    if words[1] == "!99" and options.NO_CPU > 64:
        pytest.skip("more CPUs than this test is written for")
    result = run(*options.BASE, *words)
    if words[1] == "!99":
        # libnuma takes a CPU that cannot be for a mistake.
        assert result.returncode == 1
        assert result.stderr.startswith("twowaytest: --affinity=!99: ")
    else:
        assert result.returncode == 0, result.stderr
        assert result.json()["twoway"]["settings"]["affinity"] == "set"


def test_latency(run):
    """What cannot be had is a warning, as not everybody is root."""
    result = run("-q", "-l", 3, "--latency=7", "--json=json")
    assert result.returncode == 0
    latency = result.json()["twoway"]["settings"]["latency_us"]
    if options.can_limit_latency():
        assert latency == 7 and not result.stderr
        assert result.stdout.startswith("# /dev/cpu_dma_latency set to 7us\n")
    else:
        assert latency is None
        assert len(result.stderr.splitlines()) == 1
        assert "/dev/cpu_dma_latency" in result.stderr


def with_port(words, port):
    return [str(word).replace("any", str(port)) for word in words]


def asked_of_a_server(run, good, words):
    """What a client tells of the server that it had."""
    server = hosts.Server()
    try:
        server.listens()
        result = run(*options.BASE, *with_port(
            (*good.extra, *words), server.port))
        assert (result.returncode, result.stderr) == (0, "")
        return hosts.results(result.text("json"))["twoway"]["peer"]
    finally:
        server.end()


def effect_accept(run, good, words):
    assert asked_of_a_server(run, good, words)["asked"]["accept"]


def effect_connect(run, good, words):
    peer = asked_of_a_server(run, good, words)
    assert peer["address"].startswith(good.value.removesuffix("any"))
    assert not peer["asked"]["accept"]


def effect_rsh(run, good, words):
    """By a stand-in of ssh, or another command."""
    hosts.skip_if_emulated()
    path = hosts.local_program(run.directory)
    ssh = run.directory / "bin" / "ssh"
    ssh.write_text("#!/bin/sh\nshift\nexec \"$@\"\n")
    ssh.chmod(0o755)
    result = run(*options.BASE, *good.extra, *words, env={"PATH": path})
    assert (result.returncode, hosts.complaints(result.stderr)) == (0, "")
    json = hosts.results(result.text("json"))
    assert json["twoway"]["peer"]["started_by"] == "rsh"


def listens(run, good, words):
    """It does, and ends; what it does for clients has tests of its own."""
    hosts.skip_if_emulated()
    words = with_port((*good.extra, "--default-system", *words),
                      hosts.free_port())
    with open(run.directory / "out", "w+", encoding="utf-8") as out:
        process = twoway.start(*words, directory=run.directory, stdout=out)
        try:
            path = run.directory / "out"
            assert outside.wait_for(
                lambda: "\n" in path.read_text() or
                process.process.poll() is not None, hosts.PATIENCE_S)
            if process.process.poll() is None:
                process.signal(signal.SIGTERM)
            status = process.finish(hosts.PATIENCE_S)
        finally:
            process.end()
    if status and "Address already in use" in process.err or good.may_lack:
        pytest.skip(process.err.strip())
    assert (status, process.err) == (0, "")
    return path.read_text()


def effect_server(run, good, words):
    if good.value == "stdio":
        # Its input has ended: that of nobody.
        result = run(*words)
        assert result.returncode == 1 and not result.stdout
        return
    where = {"[::1]:any": "[::1]:"}.get(good.value, "127.0.0.1:")
    assert listens(run, good, words).startswith(f"# Listening on {where}")


def effect_allow(run, good, words):
    assert f" for {good.value}; " in listens(run, good, words)


effect_max_pairs = effect_max_rate = effect_max_size = listens
effect_max_time = effect_runs = effect_sessions = listens


def effect_breaktrace(run, good, words):
    result = run(*options.BASE, *words)
    found = result.json()["twoway"]["break"]
    # No test waits for 1,000 s, and no message takes less than 1 us.
    if good.value == "1":
        assert (result.returncode, found["limit_ns"]) == (2, 1000)
    else:
        assert (result.returncode, found) == (0, None)


def effect_break_on(run, good, words):
    result = run(*options.BASE, *good.extra, *words)
    assert result.returncode == 2, result.stderr
    assert result.json()["twoway"]["break"]["metric"] == good.value


def effect_check(run, good, words):
    """Findings have tests of their own; here: nothing is measured."""
    result = run(*options.BASE, *words)
    assert not result.stderr
    assert result.returncode == result.json()["return_code"] != 1
    assert result.json()["thread"] == {}
    assert re.match(r"# \d+ checks: ", result.stdout.splitlines()[-1])


def effect_dump(run, good, words):
    result = run(*options.BASE, *words)
    assert result.files == {"json", good.value}
    assert len(result.dump(good.value)) == options.LOOPS


def effect_help(run, good, words):
    result = run(*words)
    assert (result.returncode, result.stderr, result.files) == (0, "", set())
    assert result.stdout.startswith("usage: twowaytest [options]\n")


def effect_histfile(run, good, words):
    result = run(*options.BASE, *good.extra, *words)
    assert result.files == {"json", good.value}
    assert result.stdout == ""
    formats.parse_histogram(result.text(good.value))


def effect_json(run, good, words):
    result = run("--default-system", "-q", "-l", 3, *words)
    if good.value == "-":
        assert not result.files
        json = schema.check(result.stdout)
    else:
        assert result.files == {good.value}
        json = result.json(good.value)
    assert json["return_code"] == 0 == result.returncode
    assert json["twoway"]["cycles"] == 3


def stub_hackbench(directory, text):
    """A program of that name, in a directory of its own."""
    path = directory / "bin" / "hackbench"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return {"PATH": f"{path.parent}:{os.environ['PATH']}"}


def hackbench_arguments(run, *words):
    """The words that hackbench is called with."""
    env = stub_hackbench(run.directory,
                         'printf "%s\\n" "$@" >"${0%/*}/../words"\nsleep 9\n')
    result = run(*options.BASE, *words, env=env)
    assert result.returncode == 0, result.stderr
    assert result.json()["twoway"]["load"]["kind"] == "hackbench"
    return result.text("words").splitlines()


def effect_limit(run, good, words):
    result = run(*options.BASE, *good.extra, *words)
    limit, = result.json()["twoway"]["limits"]
    about, *percentile, most = good.value.split(":")
    metric = about.split("@")[0]
    assert (limit["limit"], limit["metric"]) == (good.value, metric)
    assert limit["percentile"] == (float(percentile[0][1:])
                                   if percentile not in ([], ["avg"])
                                   else None)
    assert int(most) == limit.get("most", limit.get("most_ns", 0) / 1000)
    assert result.returncode == (0 if limit["verdict"] == "met" else 2)


def effect_load(run, good, words):
    groups = good.value.partition(":")[2] or "10"
    assert hackbench_arguments(run, *words)[:2] == ["-g", groups]


def effect_load_args(run, good, words):
    found = hackbench_arguments(run, "--load=hackbench", *words)
    assert found == ["-g", "10", *good.value.split()]
    json = outside.load_json(run.directory / "json")
    assert json["twoway"]["load"]["arguments"] == good.value


def effect_nsecs(run, good, words):
    result = run(*options.BASE, *words)
    assert result.json()["resolution_in_ns"] == 1
    statuses = formats.parse_statuses(formats.body(result.stdout), nsecs=True)
    # A period of 500 us cannot pass in 500 us / 1000.
    assert statuses[0].max >= 1000 * options.INTERVAL // 2
    assert statuses[0].interval == options.INTERVAL


def effect_percentiles(run, good, words):
    result = run(*options.BASE, *words)
    value = good.value or "50,90,99,99.9,99.99,99.999"
    wanted = [f"{float(word):.10g}" for word in re.split("[, ]", value)]
    found = formats.parse_percentiles(result.stdout.splitlines())
    assert list(found) == list(oracle.DEFAULT_METRICS)
    for thread in result.json()["thread"].values():
        assert list(found[thread["metric"]]) == wanted
        assert list(thread["percentiles"]) == wanted


def effect_peer(run, good, words):
    """Seen from the client's CPU."""
    pairs = run(*options.BASE, *good.extra, *words).json()["twoway"]["pairs"]
    clients, servers = ([pair["processes"][role]["cpus"] for pair in pairs]
                        for role in ("client", "server"))
    turn = good.value == "next"
    assert servers == clients[turn:] + clients[:turn]


def effect_ramp(run, good, words):
    """Either the load has one worker more, or there is one pair more."""
    steps = run(*options.BASE, *good.extra, *words).json()["twoway"]["steps"]
    assert [(step["pairs"], step["workers"]) for step in steps] == (
        [(1, 1), (2, 1)] if good.value == "pairs" else [(1, 0), (1, 1)])


def effect_port(run, good, words):
    if good.value == "any":
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        words = [word.replace("any", str(port)) for word in words]
    result = run(*options.BASE, *words)
    assert result.returncode == 0, result.stderr
    chosen = result.json()["twoway"]["settings"]["port"]
    assert chosen == port if good.value == "any" else chosen > 0


def effect_quiet(run, good, words):
    result = run("--default-system", "-l", 3, *words)
    assert len(formats.parse_statuses(formats.body(result.stdout))) == 7
    # It silences -v, too.
    result = run("--default-system", "-l", 3, "-v", *words)
    assert len(formats.parse_statuses(formats.body(result.stdout))) == 7


def effect_refresh_on_max(run, good, words):
    def drawn_without_cycles(*args):
        """Whether a display goes on while no cycle comes."""
        terminal = screen.Terminal(120, 24)
        process = twoway.start("--default-system", *args,
                               stdout=terminal.slave, directory=run.directory)
        try:
            client = process.steady()["client"]
            os.kill(client, signal.SIGSTOP)
            assert outside.wait_for(
                lambda: outside.status(client, "State")[:1] == "T")
            time.sleep(0.15)    # what came before is drawn by now
            while terminal.has_more():
                os.read(terminal.master, 4096)
            drawn = outside.wait_for(terminal.has_more, 0.25)
            os.kill(client, signal.SIGCONT)
            process.signal(signal.SIGINT)
            terminal.watch()
            assert process.finish() == 0
        finally:
            process.end()
        return bool(drawn)

    assert not drawn_without_cycles(*words)
    assert drawn_without_cycles()


def effect_spike_nodes(run, good, words):
    """No response is so short that it is no spike."""
    json = run(*options.BASE, *good.extra, *words).json()
    spikes = json["twoway"]["spikes"]
    assert spikes["seen"] == options.LOOPS
    assert len(spikes["kept"]) == min(options.LOOPS, int(good.value))


def effect_steps(run, good, words):
    result = run(*options.BASE, *good.extra, *words)
    assert result.returncode == 0, result.stderr
    steps = result.json()["twoway"]["steps"]
    assert len(steps) == int(good.value)
    # Without a ramp, the load's own default.
    workers = list(range(len(steps))) if len(steps) > 1 else [1]
    assert [step["workers"] for step in steps] == workers


def effect_trltp_log(run, good, words):
    result = run(*options.BASE, *words)
    assert result.files == {"json", good.value}
    assert result.text(good.value).startswith("Workers,0\n")


def effect_timeline(run, good, words):
    result = run(*options.BASE, *words)
    assert result.files == {"json", good.value}
    assert sum(row["response_count"] for row in timeline.read(
        result.path(good.value)).rows) == options.LOOPS


def effect_timeline_every(run, good, words):
    """How often there is a row has a test of its own."""
    result = run(*options.BASE, *good.extra, *words)
    seconds = {"1": 1, "7s": 7, "2m": 120, "1d": 86400}[good.value]
    assert timeline.read(result.path("file")).every_s == seconds


def effect_unbuffered(run, good, words):
    def writes(*args):
        """How many pieces its output comes in."""
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, its:
            result = run("--default-system", "-v", "-l", 9, *args,
                         stdout=its)
            assert result.returncode == 0
            its.close()
            return len(list(iter(lambda: ours.recv(1 << 16), b"")))

    # Each cycle by itself.
    assert writes(*words) >= 9 > writes()


def effect_verbose(run, good, words):
    result = run("--default-system", "-l", 3, *words)
    values = formats.parse_verbose(formats.body(result.stdout))
    assert [value[:2] for value in values] == [
        (column, cycle) for cycle in range(3) for column in range(7)]


def effect_version(run, good, words):
    result = run(*words)
    assert (result.returncode, result.stderr, result.files) == (0, "", set())
    assert re.fullmatch(r"twowaytest V \d+\.\d\d\n", result.stdout)


def effect_worst(run, good, words):
    def lines(*args):
        return re.findall("^# Worst ([a-z]+): ",
                          run(*options.BASE, *args).stdout, re.MULTILINE)

    assert lines(*words) == list(oracle.DEFAULT_METRICS)
    assert not lines()


def option_name(function):
    """refresh_on_max has the underscores itself."""
    name = function.removeprefix("effect_")
    return name if name in options.BY_NAME else name.replace("_", "-")


EFFECTS = {option_name(name): function
           for name, function in list(globals().items())
           if name.startswith("effect_")}


@pytest.mark.parametrize("option, good, words", cases(False))
def test_effect(run, option, good, words):
    EFFECTS[option.name](run, good, words)


def test_histofall_adds_a_column(run):
    """Which -h has not; the rest of the two is the same."""
    for letter, extra in (("h", 0), ("H", 1)):
        result = run("--default-system", "-q", "-l", 50, "-i", 500,
                     f"-{letter}300")
        histogram = formats.parse_histogram(result.stdout,
                                            with_sum=letter == "H")
        assert bool(histogram.sums) == bool(extra)
        for name in ("Total", "Max Latencies", "Histogram Overflows"):
            assert len(histogram.values[name]) == 7 + extra
        for name in ("Min Latencies", "Avg Latencies", "Missed"):
            assert len(histogram.values[name]) == 7


def test_x_is_read(run):
    """As --timer, which overrides it if it comes later, and not before."""
    for words, timer in (((), "nanosleep"), (("-x",), "posix"),
                         (("-x", "--timer=timerfd"), "timerfd"),
                         (("--timer=timerfd", "-x"), "posix")):
        result = run(*options.BASE, *words)
        assert result.json()["twoway"]["settings"]["timer"] == timer


def test_later_options_override(run):
    result = run(*options.BASE, "-i", 300, "-i", 800, "-h", 5, "-H", 7,
                 "--metrics=send", "--metrics=total,sleep")
    settings = result.json()["twoway"]["settings"]
    assert settings["interval_us"] == 800
    assert settings["histogram_us"] == 7
    assert settings["metrics"] == ["total", "sleep"]


def test_a_number_may_have_a_space_before_it(run):
    """rteval passes "-h 3500" as one word."""
    result = run(*options.BASE, "-qu", "-h 3500")
    assert result.returncode == 0, result.stderr
    assert result.json()["twoway"]["settings"]["histogram_us"] == 3500
