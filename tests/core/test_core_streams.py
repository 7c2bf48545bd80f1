# SPDX-License-Identifier: GPL-2.0-or-later
"""Dump and timeline: files that are written while the run lasts, whatever
becomes of their readers."""

import csv
import os
import re
import signal

import pytest

import ended
import outside
import results
from hang import stall_main


def test_interrupted_run_is_whole(start):
    """Its last cycles, too, are in dump and timeline."""
    process = start("-q", "-i0", "--sleep=0", "--dump=dump", "--json=json",
                    "--timeline=line")
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    cycles = results.check(start.directory / "json")["thread"]["0"]["cycles"]
    left = {name: int(count) for name, count in re.findall(
        r"# Not (dumped|in the timeline): (\d+) cycles", process.out)}
    rows = ended.rows((start.directory / "line").read_text())
    assert sum(int(row.split(",")[6]) for row in rows) + \
        left.get("in the timeline", 0) == cycles
    dumped = ended.rows((start.directory / "dump").read_text())
    assert len(dumped) + left.get("dumped", 0) == cycles > 50


def test_lost_cycle(run, shim):
    """It is in dump and timeline, and what was missed before it; a limit."""
    faults = [f"client:{fault}" for number in (9, 10) for fault in (
        f"send:drop:{number}:0", f"recv:expire:{number}:200000")]
    done = run("-q", "-l", 150, "-i", 15000, "--transport=udp",
               "--timeout=9000000", "--timeline=line", "--dump=dump",
               "--limit=lost:1", "--limit=lost:2", "--json=json",
               "--warmup=0", env=shim(*faults), timeout=60)
    json = results.loaded(done)
    assert done.returncode == 2
    assert [(one["value"], one["verdict"]) for one in json["twoway"]["limits"]
            ] == [(2, "exceeded"), (2, "met")]
    rows = [row.split(",") for row in ended.rows(done.text("line"))]
    assert sum(int(row[3]) for row in rows) == \
        json["twoway"]["pairs"][0]["missed"] > 10
    assert sum(int(row[4]) for row in rows) == json["twoway"]["throttled"]
    assert sum(int(row[5]) for row in rows) == 2 and len(rows) > 2
    assert sum(int(row[6]) for row in rows) == 148
    assert len([row for row in ended.rows(done.text("dump"))
                if ",,," in row]) == 2


@pytest.mark.parametrize("option,says", [
    ("-v", "Not printed"), ("--timeline=line", "Not in the timeline")])
def test_main_that_is_late(start, option, says):
    """What it could not take is counted, and lost for this output alone."""
    process = start("-q", "-i0", "--sleep=0", option, "--json=json")
    stall_main(process)
    cycles = results.check(start.directory / "json")["thread"]["0"]["cycles"]
    lost = int(re.search(rf"^# {says}: (\d+) cycles$", process.out, re.M)[1])
    taken = len(re.findall(r"^ +0: *\d+: *\d+$", process.out, re.M)) \
        if option == "-v" else sum(
            int(row.split(",")[6]) for row in
            ended.rows((start.directory / "line").read_text()))
    assert lost > 0 and taken + lost == cycles


def read_slowly(fifo, process, until):
    """What comes through a pipe that nobody reads until then."""
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    running = process()
    assert outside.wait_for(lambda: until(running))
    os.set_blocking(fd, True)
    running.signal(signal.SIGINT)
    with open(fd, encoding="ascii") as file:
        text = file.read()
    return running, text


def test_slow_reader_of_the_dump(start):
    """What does not fit is counted, and lost for the dump alone."""
    fifo = start.directory / "fifo"
    os.mkfifo(fifo)

    def until(process):
        client = process.sides().get("client")
        return client and outside.switches(client) > 40000

    process, text = read_slowly(
        fifo, lambda: start("-q", "-i0", "--sleep=0", f"--dump={fifo}",
                            "--json=json"), until)
    assert process.finish() == 0, process.err
    json = results.check(start.directory / "json")
    lost = json["twoway"]["not_dumped"]
    rows = list(csv.reader(ended.rows(text)))
    assert lost > 0 and len(rows) + lost == json["thread"]["0"]["cycles"]
    assert f"# Not dumped: {lost} cycles\n" in process.out
    numbers = [int(row[1]) for row in rows]
    assert numbers == sorted(set(numbers)) and numbers[-1] < len(rows) + lost


@pytest.mark.parametrize("option", ["--dump=", "--timeline="])
def test_reader_that_leaves(start, option):
    """The run ends as failed; the other file is written."""
    fifo = start.directory / "fifo"
    fd = outside.fifo(fifo)
    process = start("-q", f"{option}{fifo}", "--json=json")
    process.steady()
    os.close(fd)
    assert process.finish(20) == 1 and process.gone()
    assert process.err == f"WARN: {fifo}: cannot be written: Broken pipe\n"
    assert results.check(start.directory / "json")["return_code"] == 1


def test_reader_that_stalls(start):
    """It is not waited for during the run, and 5 s after it."""
    fifo = start.directory / "fifo"
    fd = outside.fifo(fifo)
    process = start("-q", "-i0", "--sleep=0", "-D", 1, f"--dump={fifo}",
                    "--json=json")
    assert process.finish(30) == 1 and process.gone()
    os.close(fd)
    assert process.err == f"WARN: {fifo}: cannot be written: " \
        "Connection timed out\n"
    assert results.check(start.directory / "json")["return_code"] == 1


def test_reader_that_pauses_at_the_end(start):
    """Main waits for it, also when its timer for the output interrupts that."""
    fifo = start.directory / "fifo"
    fd = outside.fifo(fifo)
    process = start("-q", "-i0", "--sleep=0", "-l", 3000, f"--dump={fifo}",
                    "--json=json")
    assert outside.wait_for(lambda: process.named("twoway-client"))
    assert outside.wait_for(lambda: not process.named("twoway-client"))
    before = outside.switches(process.pid)
    assert outside.wait_for(
        lambda: outside.switches(process.pid) > before + 4 or
        process.process.poll() is not None)
    os.set_blocking(fd, True)
    with open(fd, encoding="ascii") as file:
        assert len(ended.rows(file.read())) == 3000
    assert process.finish() == 0, process.err
    assert results.check(start.directory / "json")["return_code"] == 0


@pytest.mark.parametrize("option", ["--dump=", "--timeline="])
def test_full_before_the_first_cycle(run, option):
    """The reason is said, once."""
    done = run("-q", "-i", 600000, "-D", 1, f"{option}/dev/full")
    assert done.returncode == 1 and "T:" not in done.stdout
    assert done.stderr == "WARN: /dev/full: cannot be written: No space " \
        "left on device\nWARN: no cycle was measured\n"


def test_second_without_a_cycle(start):
    """It is a row, and what it missed is in the next one."""
    fifo = start.directory / "fifo"
    fd = outside.fifo(fifo)
    text = ""

    def rows():
        nonlocal text
        try:
            text += os.read(fd, 65536).decode()
        except BlockingIOError:
            pass
        return [line.split(",") for line in text.split("\n")[3:-1]
                if line[0] != "#"]

    process = start("-q", f"--timeline={fifo}")
    client = process.steady()["client"]
    os.kill(client, signal.SIGSTOP)
    assert outside.wait_for(lambda: [
        row for row in rows() if row[6:] == ["0", *[""] * 4]])
    os.kill(client, signal.SIGCONT)
    assert outside.wait_for(lambda: [
        row for row in rows() if int(row[3]) >= 900 and int(row[6])])
    process.signal(signal.SIGINT)
    assert process.finish() == 0, process.err
    missed = sum(int(row[3]) for row in rows())
    assert f"# Missed: {missed}\n" in process.out
    os.close(fd)


def test_rows_are_as_long_as_asked(run):
    done = run("-q", "-D", 3, "--timeline=a:b:2S")
    assert done.files == {"a:b"} and not done.stderr
    rows = ended.rows(done.text("a:b"))
    assert done.returncode == 0 and "every 2 s" in done.text("a:b")
    assert float(rows[0].split(",")[1]) >= 2 and len(rows) <= 2


@results.root
def test_disk_that_fills_up(run, small):
    """It ends the run; what was dumped stays, and the text has the results."""
    done = run("-q", "-i", 200, "-D", 60, f"--dump={small / 'dump'}",
               f"--json={small / 'json'}", timeout=30)
    assert done.returncode == 1
    assert done.stderr == "".join(
        f"WARN: {small / name}: cannot be written: No space left on device\n"
        for name in ("dump", "json"))
    assert sorted(os.listdir(small)) == ["dump", "json"]
    assert not (small / "json").read_bytes()
    rows = (small / "dump").read_text(encoding="ascii").split("\n")[1:-1]
    assert [int(row.split(",")[1]) for row in rows] == list(range(len(rows)))
    assert results.text(done.stdout).threads[0].cycles > len(rows) > 100
