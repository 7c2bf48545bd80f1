# SPDX-License-Identifier: GPL-2.0-or-later
"""A server with a clock of its own: every metric that is defined, computed
again from the dump, and those that are not, nowhere."""

import re
import shutil
import socket
import subprocess

import pytest

import formats
import kept
import oracle
import outside
import twoway

AHEAD_S = 1000
SETUPS = {"default": oracle.Setup(1000, 100),
          "closed loop": oracle.Setup(0, 50)}
GONE = ("send", "receive")
PHASES = ("interval", "wakeup", "network", "sleep", "response", "total")
LOOPS = 60
# A time namespace in which CLOCK_MONOTONIC is ahead.
UNSHARE = ("unshare", "-T", "--fork", "--kill-child", "--monotonic",
           str(AHEAD_S))


def can_unshare():
    return shutil.which("unshare") and not subprocess.run(
        [*UNSHARE, "true"], check=False, capture_output=True).returncode


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory):
    """HOST:PORT of a server whose clock is ahead, where that can be had."""
    directory = tmp_path_factory.mktemp("server")
    options = subprocess.run([twoway.binary(), "--help"], check=True,
                             capture_output=True, text=True).stdout
    if "--connect" not in options:
        pytest.skip("this build has no --connect")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [*(UNSHARE if can_unshare() else ()), twoway.binary(),
             f"--server=127.0.0.1:{port}"]
    with open(directory / "out", "w", encoding="utf-8") as output:
        process = outside.Run(*words[1:], program=words[0], cwd=directory,
                              stdout=output)
        try:
            assert outside.wait_for(
                lambda: "Listening" in outside.read(directory / "out"))
            yield f"127.0.0.1:{port}"
        finally:
            process.end()


def metrics_of(setup):
    return [name for name in setup.metrics() if name not in GONE]


def measured(run, server, setup, *args):
    result = run("--default-system", "-q", "-N", *setup.options(), "-l", LOOPS,
                 f"--connect={server}", "--json=json", "--dump=dump", *args)
    assert result.returncode in (0, 2), result.stderr
    cycles = result.dump(header=twoway.TWO_CLOCKS_HEADER)
    json = result.json()
    assert json["twoway"]["settings"]["clocks"] == "two"
    return result, json, cycles


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_results_are_the_dumps(run, server, setup):
    result, json, cycles = measured(
        run, server, setup, f"--metrics={','.join(metrics_of(setup))}",
        "-h", 2000)
    assert len(cycles) == LOOPS
    if can_unshare():
        assert all(c.t1_ns - c.t0_ns > (AHEAD_S - 1) * 10 ** 9
                   for c in cycles)
    values = oracle.series(cycles, 0, setup)
    threads = {thread["metric"]: thread for thread in json["thread"].values()}
    assert list(threads) == metrics_of(setup)
    for metric, thread in threads.items():
        assert thread["cycles"] == LOOPS
        # What precedes the first interval is not in the dump.
        if metric in ("interval", "total"):
            continue
        assert thread["min"] == min(values[metric]), metric
        assert thread["max"] == max(values[metric]), metric
        assert abs(thread["avg"] - oracle.mean(values[metric])) <= 0.01
    for c, network in zip(cycles, values["network"]):
        assert network == (c.t3_ns - c.t0_ns) - (c.t2_ns - c.t1_ns) > 0
    assert not re.search(r"\b(send|receive)\b", result.stdout)


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_default_metrics(run, server, setup):
    wanted = [name for name in ("interval", "network", "sleep", "response",
                                "total", "wakeup")
              if name in setup.metrics()]
    result, json, _ = measured(run, server, setup)
    assert json["twoway"]["settings"]["metrics"] == wanted
    assert [formats.parse_status(line, nsecs=True).metric
            for line in result.stdout.splitlines()
            if line.startswith("T:")] == wanted


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_kept_cycles(run, server, setup):
    result, json, cycles = measured(run, server, setup, "--worst",
                                    "--spike=network:1")
    values = oracle.series(cycles, 0, setup)
    phases = setup.metrics(PHASES)
    worst = kept.parse_worst(result.stdout.splitlines())
    assert list(worst) == json["twoway"]["settings"]["metrics"]
    for metric, (value, _, line) in worst.items():
        report = json["twoway"]["worst"][metric]
        assert list(line.values) == phases
        assert line.values == {name: report[f"{name}_ns"] for name in phases}
        assert {f"{name}_ns" for name in GONE}.isdisjoint(report)
        if metric not in ("interval", "total"):
            assert value == values[metric][line.cycle] == max(values[metric])
        if metric == "response":
            assert [part["phase"] for part in report["parts"]] == [
                "network", "sleep"]
            assert sum(part["ns"] for part in report["parts"]) == value
    spikes, seen = kept.parse_spikes(result.stdout.splitlines())
    assert seen == len(spikes) == LOOPS
    for spike in spikes:
        assert spike.value == values["network"][spike.cycle]
        assert spike.values["sleep"] == values["sleep"][spike.cycle]


def test_break(run, server):
    result, json, cycles = measured(run, server, SETUPS["default"], "-b", 1,
                                    "--break-on=network")
    assert result.returncode == 2 and len(cycles) == 1
    report = json["twoway"]["break"]
    first = cycles[0]
    assert report["value_ns"] == report["network_ns"] == \
        first.t3_ns - first.t0_ns - (first.t2_ns - first.t1_ns)
    assert report["wakeup_ns"] == first.t0_ns - first.planned_ns
    assert "send_ns" not in report and "receive_ns" not in report


def test_limits(run, server):
    result, json, _ = measured(
        run, server, SETUPS["default"], "--limit=network:1000000000",
        "--limit=network:0", "--limit=network:p50:0")
    assert result.returncode == 2
    assert [limit["verdict"] for limit in json["twoway"]["limits"]] == [
        "met", "exceeded", "exceeded"]


@pytest.mark.parametrize("words, option", [
    (("--metrics=send",), "--metrics=send"),
    (("--metrics=network,receive",), "--metrics=receive"),
    (("--limit=send:9",), "--limit=send:9"),
    (("--spike=receive:9",), "--spike=receive:9"),
    (("-b", 9, "--break-on=send"), "--break-on=send"),
    (("--total=trltp3",), "--total=trltp3"), (("--trltp",), "--trltp"),
    (("--trltp-log=log",), "--trltp-log")])
def test_refused(run, server, words, option):
    """Before anything is asked of the server."""
    result = run(f"--connect={server}", "-l", 9, *words)
    assert result.returncode == 1 and not result.files
    assert result.stderr.startswith(f"twowaytest: {option}: client and "
                                    "server have clocks of their own, ")


def test_one_clock_says_so(run):
    result = run("--default-system", "-q", "-l", 9, "--json=json")
    assert result.json()["twoway"]["settings"]["clocks"] == "one"
