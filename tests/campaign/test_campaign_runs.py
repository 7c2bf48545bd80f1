# SPDX-License-Identifier: GPL-2.0-or-later
"""Campaigns with stubs: what is kept, gone on with, refused, and left."""

import json
import os
import pty
import re
import resource
import shlex
import signal
import subprocess
import sys

import outside
import pytest

from conftest import CAMPAIGN, state_of

SHORT = ("-R", "-D", "1", "-P", "plan", "-l", "none", "-o", "out")
SINGLE = (*SHORT, "-t", "twowaytest")
PAIR = ("plan-none-cyclictest", "plan-none-twowaytest")


def kept(directory):
    """What each result is and when it was made."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns)
            for path in directory.glob("*-*-*test.json")}


def test_whole(campaign, tmp_path):
    """All files, a line a measurement, the summary; nothing hidden."""
    result = campaign("-R", "-D", "1", "-l", "hackbench", "-P", "plan",
                      "-o", "a/out")
    out = tmp_path / "a/out"
    names = {f"plan-hackbench-{tool}" for tool in ("cyclictest",
                                                   "twowaytest")}
    assert {path.name for path in out.iterdir()} == {
        "campaign.json", "check-1.log", "check-1-end.log",
        *(f"{name}.{end}" for name in names
          for end in ("json", "log", "load.log"))}
    lines = re.findall(r"^\[ (\d)/2\] plan \w+ \w+  1 s  \d+ s left$",
                       result.stdout, re.MULTILINE)
    assert lines == ["1", "2"]
    rows = re.findall(r"^plan +hackbench +(\w+) +(\S+) +(\S+) +(\S+)$",
                      result.stdout, re.MULTILINE)
    assert rows == [("cyclictest", "2", "3.5", "8"),
                    ("wakeup", "1", "2.5", "7"),
                    ("response", "10", "25.0", "70"),
                    ("total", "1", "2.5", "7")]
    assert re.search(r"^Took \d+ s\. twowayreport makes a page of "
                     r"a/out/campaign\.json\.$", result.stdout, re.MULTILINE)
    state = state_of(out)
    assert set(state["measurements"]) == names
    for name, record in state["measurements"].items():
        assert record["state"] == "finished"
        assert record["exit_status"] == 0
        assert record["start"] < record["end"]
        assert "--load=hackbench" in " ".join(record["load_command"])
        assert record["work_per_second"] == 5.0
    assert state["system"]["cyclictest"] == "9.9"


def test_result_tells_its_load(campaign, tmp_path):
    """So that it can be run again."""
    campaign(*SINGLE, "-l", "command", "-c", "echo 'a b'")
    [[name, record]] = state_of(tmp_path / "out")["measurements"].items()
    mark = json.loads((tmp_path / f"out/{name}.json").read_text())["campaign"]
    assert (mark["placement"], mark["load"]) == ("plan", "command")
    assert shlex.split(mark["load_command"]) == record["load_command"]


def test_terminal(begin, tmp_path):
    """There, one line a measurement is rewritten. Its directory's name."""
    master, slave = pty.openpty()
    run = begin("-R", "-D", "1", "-P", "one", "-l", "none", "-t",
                "cyclictest", stdout=slave)
    os.close(slave)
    assert run.finish() == 0, run.err
    text = os.read(master, 65536).decode()
    os.close(master)
    line = r"\r\x1b\[K\[ 1/1\] one none cyclictest  1 s  \d s left"
    assert len(re.findall(line, text)) >= 2
    assert text.count("\n[ ") == 0
    assert state_of(tmp_path / f"campaign-{os.uname().release}")


def test_goes_on(begin, campaign, tmp_path):
    """Ended in the second: the first stays, the second is measured."""
    out = tmp_path / "out"
    (tmp_path / f"end-{PAIR[0].split('-')[-1]}").touch()
    run = begin(*SHORT, STUB_UNTIL=str(tmp_path / "end"))
    assert outside.wait_for(
        lambda: (out / f"{PAIR[1]}.log").exists(), 10)
    run.signal(signal.SIGKILL)
    run.finish()
    assert run.gone(), "processes are left"
    before = kept(out)
    assert list(before) == [f"{PAIR[0]}.json"]
    (out / f".{PAIR[1]}.json.new").write_text("{")
    result = campaign(*SHORT)
    assert "1 of 2 measurements are finished" in result.stdout
    assert "[ 2/2]" in result.stdout and "[ 1/2]" not in result.stdout
    after = kept(out)
    assert len(after) == 2
    assert after[f"{PAIR[0]}.json"] == before[f"{PAIR[0]}.json"]
    assert len(state_of(out)["sessions"]) == 2
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("call", ("whole.reserve", "os.fsync", "os.replace"))
def test_killed_while_it_saves(tmp_path, call):
    """What it knew before is there; the next one takes the rest away."""
    script = (
        "import os, signal, sys\n"
        f"sys.path[:0] = {[str(CAMPAIGN.parent), str(CAMPAIGN.parents[1])]}\n"
        "import cm_state\n"
        "from twtools import whole\n"
        "with cm_state.State('out', {}, {}) as state:\n"
        "    state.save()\n"
        "    state.data['measurements']['x'] = {'state': 'y' * 100000}\n"
        f"    {call} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    state.save()\n")
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=tmp_path,
                          timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        ".campaign.json.new", "campaign.json"]
    assert state_of(out)["measurements"] == {}
    import cm_state
    with cm_state.State(out, {}, {}) as state:
        assert state.data["measurements"] == {}
    assert [path.name for path in out.iterdir()] == ["campaign.json"]


@pytest.mark.parametrize("name", ("twowaytest", "cyclictest"))
def test_no_death_signal(begin, tmp_path, name):
    """Nothing outlives the campaign, the load beside it included."""
    run = begin("-R", "-D", "30", "-P", "plan", "-l", "hackbench", "-t", name,
                "-o", "out", STUB_ALONE="1")
    assert outside.wait_for(
        lambda: (tmp_path / f"out/plan-hackbench-{name}.log").exists(), 20)
    assert outside.wait_for(lambda: len(run.processes()) >= 3, 10)
    run.signal(signal.SIGKILL)
    assert run.gone(), "processes are left"
    run.finish()


@pytest.mark.parametrize("number", (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
def test_ended(begin, tmp_path, number):
    run = begin(*SHORT, STUB_UNTIL=str(tmp_path / "end"))
    assert outside.wait_for(
        lambda: (tmp_path / "out/plan-none-cyclictest.log").exists(), 10)
    run.signal(number)
    run.finish()
    assert run.gone() and run.process.returncode == 128 + number
    assert run.err == f"\ncampaign: ended by {signal.Signals(number).name}; " \
        "the same command goes on\n"
    assert not kept(tmp_path / "out")
    assert not list((tmp_path / "out").glob(".*"))


def test_nohup(launch, stubs, tmp_path):
    """Who ignores the hang-up goes on; no second may begin, there or
    elsewhere."""
    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    arguments = ["-T", stubs / "twowaytest", "-C", stubs / "cyclictest",
                 *SINGLE]
    run = launch(*arguments, preexec_fn=ignore,
                 env={"STUB_UNTIL": str(tmp_path / "end"),
                      "PYTHONUNBUFFERED": ""})
    assert outside.wait_for(
        lambda: (tmp_path / "out/plan-none-twowaytest.log").exists(), 10)
    # Whoever reads a pipe sees what is being measured.
    assert b"[ 1/1] plan none" in os.read(run.process.stdout.fileno(), 4096)
    run.signal(signal.SIGHUP)
    for more, said in (
            ((), "out: another campaign is at work here; wait for its end, or "
             "name another directory with --output"),
            (("-o", "new"), "another campaign is at work on this machine; two "
             "would disturb each other: wait for its end")):
        second = launch(*arguments, *more)
        assert second.finish() == 1 and second.err == f"campaign: {said}\n"
    (tmp_path / "end-twowaytest").touch()
    assert run.finish() == 0
    assert not list((tmp_path / "new").iterdir())
    third = launch(*arguments, "-o", "new")
    assert third.finish() == 0, third.err


def test_another_directory(campaign, tmp_path):
    """One that holds anything else is left alone."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/precious").touch()
    assert campaign(*SHORT, status=1).stderr == "campaign: out: holds no " \
        "campaign.json, but other files, such as precious; name a new or an " \
        "empty directory with --output\n"
    (tmp_path / "out/campaign.json").write_text("[]")
    assert "cannot be read" in campaign(*SHORT, status=1).stderr
    assert len(list((tmp_path / "out").iterdir())) == 2


DAMAGES = (
    lambda path: path.unlink(), lambda path: path.write_text(""),
    lambda path: path.write_text("{}"), lambda path: path.write_text("[]"),
    lambda path: path.write_text(path.read_text()[:-9]),
    lambda path: path.write_text(path.read_text().replace("10", "11")),
    lambda path: path.write_text(path.read_text().replace("7", '"7"')),
    lambda path: path.write_text(path.read_text().replace("7", "6")))


def test_damaged_result(campaign, tmp_path):
    """Is measured again, as one that is not finished; no other is."""
    campaign(*SHORT)
    before = kept(tmp_path / "out")
    for damage in DAMAGES:
        damage(tmp_path / f"out/{PAIR[1]}.json")
        again = campaign(*SHORT)
        assert f"out/{PAIR[1]}.json: is gone or damaged, and is measured " \
            "again\n" in again.stdout
        after = kept(tmp_path / "out")
        assert after[f"{PAIR[0]}.json"] == before[f"{PAIR[0]}.json"]
        assert json.loads(after[f"{PAIR[1]}.json"][0])["thread"] == \
            json.loads(before[f"{PAIR[1]}.json"][0])["thread"]


@pytest.mark.parametrize("text, said", (
    ("", "empty: the run did not end"), ("\n", "empty: the run did not end"),
    ("{", "Expecting property name"), ("[]", "no object of results")))
def test_result_that_is_none(tmp_path, text, said):
    import cm_state
    (tmp_path / "x").write_text(text)
    with pytest.raises(cm_state.Failure) as failure:
        cm_state.read_json(tmp_path / "x")
    assert str(failure.value).startswith(f"{tmp_path / 'x'}: {said}")


@pytest.mark.parametrize("damage, again", (
    (lambda text: text, False),
    (lambda text: text.replace("7", '"7"'), True)))
def test_no_digest(campaign, tmp_path, damage, again):
    """A campaign.json of an older version: its results are taken over."""
    campaign(*SINGLE)
    out = tmp_path / "out"
    state = state_of(out)
    for record in state["measurements"].values():
        assert len(record.pop("result_sha256")) == 64
    (out / "campaign.json").write_text(json.dumps(state))
    path = out / f"{PAIR[1]}.json"
    path.write_text(damage(path.read_text()))
    said = "is gone or damaged" if again else "finished already"
    assert said in campaign(*SINGLE).stdout


@pytest.mark.parametrize("key, value", (
    ("measurements", [1, 2]), ("measurements", None),
    ("measurements", {PAIR[1]: None}), ("measurements", {PAIR[1]: []}),
    ("measurements", {PAIR[1]: {}}), ("measurements", {PAIR[1]: {
        "state": []}}),
    ("measurements", {PAIR[1]: {"state": "failed", "message": 1}}),
    ("sessions", {}), ("sessions", [None]), ("sessions", [{}]),
    ("sessions", [{"boot_id": [], "environment": {}}]),
    ("sessions", [{"boot_id": "x", "environment": []}]),
    ("sessions", [{"boot_id": "x", "environment": {"findings": [1]}}]),
    ("sessions", [{"boot_id": "x", "environment": {"findings": 1}}]),
    ("sessions", [{"boot_id": "x", "environment": {},
                   "environment_end": 1}]),
    ("system", "nested")))
def test_odd_state(tmp_path, key, value):
    """JSON that is no campaign's state is refused, and stays as it is."""
    import cm_state
    state = cm_state.State(tmp_path, {}, {})
    state.data["sessions"] = [{"boot_id": "x", "environment": {}}]
    state.data["measurements"] = {PAIR[1]: {"state": "failed"}}
    state.save()
    cm_state.State(tmp_path, {}, {}).look()
    path = tmp_path / "campaign.json"
    text = json.dumps({**state_of(tmp_path), key: value})
    path.write_text(text.replace('"nested"', "[" * 200000))
    before = path.read_bytes()
    with pytest.raises(cm_state.Failure) as failure:
        cm_state.State(tmp_path, {}, {}).look()
    assert str(failure.value) == f"{path}: cannot be read as a campaign's; " \
        "name another directory with --output"
    assert path.read_bytes() == before


def test_full_disk(begin):
    """As a limit of files' length does, without a disk to fill."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))

    run = begin(*SINGLE, preexec_fn=limit)
    assert run.finish() == 1
    assert "campaign: out/.campaign.json.new: File too large" in run.err


def test_everybodys_directory(refused, tmp_path):
    """There, others could put links."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(0o1777)
    assert refused(*SHORT) == "campaign: out: everybody may write there; " \
        "name a directory of your own with --output\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_directory_of_another(refused, campaign, tmp_path):
    """Not even if it holds this very campaign."""
    campaign(*SHORT)
    os.chown(tmp_path / "out", outside.NOBODY, outside.NOBODY)
    assert f"belongs to the user of number {outside.NOBODY}" in refused(
        *SHORT)


def test_no_link_is_followed(campaign, tmp_path):
    """To a log: its text is added to what is there."""
    campaign(*SINGLE, status=1, STUB_FAIL="none")
    victim = tmp_path / "victim"
    victim.write_text("mine")
    log = tmp_path / f"out/{PAIR[1]}.log"
    log.unlink()
    log.symlink_to(victim)
    assert str(log.relative_to(tmp_path)) in campaign(
        *SINGLE, status=1).stderr
    assert victim.read_text() == "mine"


def test_failure(campaign, tmp_path):
    """The others are measured; the same command repeats what failed.

    What is different in the second session is kept.
    """
    result = campaign(*SHORT, status=1, STUB_FAIL=PAIR[0])
    assert "the stub was told to fail" in result.stdout
    assert result.stderr == "campaign: 1 measurements failed: the same " \
        "command repeats them\n"
    out = tmp_path / "out"
    assert list(kept(out)) == [f"{PAIR[1]}.json"]
    record = state_of(out)["measurements"][PAIR[0]]
    assert record["exit_status"] == 1 and "told to fail" in record["message"]
    campaign(*SHORT, STUB_GOVERNOR="powersave")
    assert len(kept(out)) == 2
    for session in state_of(out)["sessions"]:
        assert session["start"] <= session["end"]
        assert session["environment"]["findings"] and \
            session["environment_end"]["findings"]
    assert len(list(out.glob("check-[12]*.log"))) == 4
    assert "message" not in state_of(out)["measurements"][PAIR[0]]
    assert [session["environment"]["governor"] for session in
            state_of(out)["sessions"]] == ["performance", "powersave"]


@pytest.mark.parametrize("how, said", (
    ("1", "  exit status 1, without a message; see out/"),
    ("-9", "  killed by signal 9 (Killed), without a message; see out/")))
def test_failure_without_a_word(campaign, how, said):
    assert said in campaign(*SINGLE, status=1, STUB_STATUS=how).stdout


def test_failure_before_the_results(campaign):
    """A side that was killed is told above them."""
    said = "WARN: the client (pid 9) was killed by signal 9 (Killed)"
    results = "T: 0 (9) P:98 I:1000 C:  9\n# Missed: 1\n# 2\n# Failed: why"
    assert f"  exit status 1: {said}; see out/" in campaign(
        *SINGLE, status=1, STUB_STATUS="1",
        STUB_SAYS=f"{said}\n{results}").stdout


def test_too_short(campaign):
    """A program that ends early, whatever it says, has not measured."""
    result = campaign(*SHORT, status=1, STUB_SLEEP="0")
    assert re.search(r"ended after \d\.\d of 1 s", result.stdout)


def test_fewer_cycles_than_asked_for(campaign, tmp_path):
    """Whatever took the time, a warm-up for example."""
    result = campaign(*SINGLE, "-D", "3", status=1, STUB_CYCLES="1500")
    assert "only 1.5 of 3 s were measured" in result.stdout
    assert not kept(tmp_path / "out")
    campaign(*SINGLE, "-D", "3", STUB_CYCLES="2900")


@pytest.mark.parametrize("env, tools, said", (
    ({"STUB_LOAD": "fails"}, ("cyclictest", "twowaytest"),
     "the load ended: exit status 1: no load today;"),
    ({"STUB_ELAPSED": "0"}, ("cyclictest",), "0 of 1 s only"),
    ({"STUB_LOAD": "wrong"}, ("twowaytest",), "3 results of the load were "
     "wrong; see TOOL/plan-fft-TOOL.load.log\n"),
    ({"STUB_LOAD": "broken"}, ("cyclictest",), "the load failed: exit status "
     "1, without a message; see TOOL/plan-fft-TOOL.load.log\n")))
def test_no_load(campaign, tmp_path, env, tools, said):
    """What was measured without its load does not count."""
    for tool in tools:
        result = campaign(*SHORT, "-l", "fft", "-t", tool, "-o", tool,
                          status=1, **env)
        said_of_it = said.replace("TOOL", tool)
        assert said_of_it in result.stdout
        [record] = state_of(tmp_path / tool)["measurements"].values()
        assert record["state"] == "failed"
        assert said_of_it.strip() in record["message"]
        assert not kept(tmp_path / tool)


def test_limit(campaign, tmp_path):
    """twowaytest's exit status 2 is ours, and no failure."""
    for _ in range(2):
        campaign(*SINGLE, "-x", "total:9", status=2, STUB_STATUS="2")
    assert len(kept(tmp_path / "out")) == 1


@pytest.mark.parametrize("name, said", (
    ("twowaytest", ": no such program"), ("cyclictest", ": no such program"),
    ("hackbench", "hackbench is missing: "), ("taskset", "taskset is missing: ")))
def test_missing(launch, stubs, tmp_path, name, said):
    """Named before anything is run or written."""
    (stubs / "taskset").touch()
    (stubs / "taskset").chmod(0o755)
    (stubs / name).unlink()
    given = [word for flag, tool in (("-T", "twowaytest"),
                                     ("-C", "cyclictest"))
             for word in (flag, stubs / tool)]
    run = launch("-o", "out", "-R", *given, env={"PATH": str(stubs)})
    assert run.finish() == 1
    assert name in run.err and said in run.err
    assert not (tmp_path / "out").exists()
