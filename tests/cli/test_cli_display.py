# SPDX-License-Identifier: GPL-2.0-or-later
"""The live display, on terminals of any size, and where there is none."""

import re
import signal
import time

import pytest

import formats
import oracle
import outside
import ramp
import screen

WIDE = 120
HEAD = 2    # lines above the status lines
FIELDS = ("C", "Min", "Act", "Avg", "Max", "Std")
SHORT = re.compile(r"(?P<metric>[a-z]+) *(?P<fields>(?: [A-Z][a-z]*: *-?"
                   r"[\d.]+)+)")
LIVE = re.compile(r"step: (\d+)/2: (\d workers?): (\d+) s left *")
WORKERS = ("0 workers", "1 worker")
NOISE = "# Others: "


def watch(terminal):
    """The screen at the end, without the line that the cursor is left in,
    and what a noisy machine may add."""
    seen = terminal.watch()
    assert seen.lines.pop() == ""
    kept, noise = [], False
    for line in seen.lines:
        # The rest of a long line is in the next one.
        noise = line.startswith(NOISE) or \
            noise and line != "" and not line.startswith("#")
        if not noise:
            kept.append(line)
    seen.lines[:] = kept
    if seen.lines[-1].startswith("# Missed: "):
        seen.lines.pop()
    return seen


@pytest.fixture
def show(start):
    """Runs it on a terminal to its end; the screen."""
    def show_here(columns, rows, *args, told=None):
        terminal = screen.Terminal(columns, rows, told)
        process = start("--default-system", *args, stdout=terminal.slave)
        seen = watch(terminal)
        assert process.finish() == 0 and not process.err
        return seen
    return show_here


def parse_short(line):
    """The metric, and the fields by their names."""
    match = SHORT.fullmatch(line)
    assert match, f"no short status line: {line!r}"
    fields = dict(re.findall(r"(\w+): *(-?[\d.]+)", match["fields"]))
    assert list(fields) == [name for name in FIELDS if name in fields]
    return match["metric"], fields


def check_head(lines, columns=WIDE):
    policy = "policy: other: loadavg: "
    assert lines[0].startswith(policy[:columns - 1])
    assert not lines[1]


def test_wide(show):
    """Redrawn in place: one picture is there, as it is in a pipe."""
    begin_ns = time.monotonic_ns()
    seen = show(WIDE, 24, "-l", 500)
    elapsed_ns = time.monotonic_ns() - begin_ns
    pictures = [*seen.pictures, seen.lines]
    # One each 100 ms, and that of the end.
    assert 2 <= len(pictures) <= 1 + elapsed_ns // 100000000
    counts = []
    for picture in pictures:
        lines = [line for line in picture if line]
        check_head([lines[0], ""])
        statuses = formats.parse_statuses(lines[1:])
        assert [s.metric for s in statuses] == list(oracle.DEFAULT_METRICS)
        counts.append(statuses[0].cycles)
    assert counts == sorted(counts) and counts[-1] == 500
    assert len(seen.lines) == HEAD + len(oracle.DEFAULT_METRICS)


# What is left on terminals that are too narrow for the whole.
@pytest.mark.parametrize("nsecs", [False, True], ids=["us", "ns"])
@pytest.mark.parametrize("columns, at_least", [
    (101, FIELDS[:-1]), (80, FIELDS[:-1]), (60, ("Min", "Avg", "Max")),
    (40, ("Avg", "Max")), (23, ("Max",))])
def test_narrow(show, tmp_path, columns, at_least, nsecs):
    """Each line is one, begins with its metric, and no number is cut."""
    seen = show(columns, 24, "-l", 350, "--json=json",
                *(["-N"] if nsecs else []))
    assert len(seen.pictures) >= 1
    assert len(seen.lines) == HEAD + len(oracle.DEFAULT_METRICS)
    assert max(map(len, seen.lines)) < columns
    check_head(seen.lines, columns)
    json = outside.load_json(tmp_path / "json")
    for column, line in enumerate(seen.lines[HEAD:]):
        metric, fields = parse_short(line)
        thread = json["thread"][str(column)]
        assert metric == thread["metric"]
        assert int(fields["Max"]) == thread["max"]
        for name, value in (("C", 350), ("Min", thread["min"])):
            assert int(fields.get(name, value)) == value
        if not nsecs:
            assert set(at_least) <= set(fields)


@pytest.mark.parametrize("told", [(0, 0), (80, 0), (0, 24)])
def test_size_unknown(show, told):
    """As on a serial console: taken for the usual one."""
    seen = show(80, 24, "-l", 150, told=told)
    assert len(seen.lines) == HEAD + len(oracle.DEFAULT_METRICS)
    assert max(map(len, seen.lines)) < 80


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 9, 10])
def test_low(show, rows):
    """What has been scrolled away is not drawn again and again."""
    seen = show(WIDE, rows, "-l", 350)
    assert len(seen.pictures) >= 2
    whole = HEAD + len(oracle.DEFAULT_METRICS)
    formats.parse_statuses(seen.lines[-len(oracle.DEFAULT_METRICS):])
    if rows > HEAD:
        assert len(seen.lines) == whole
        for picture in seen.pictures:
            assert len(picture) <= rows


def test_resized(start):
    """From picture to picture."""
    terminal = screen.Terminal(WIDE, 24)
    process = start("--default-system", "-l", 700, stdout=terminal.slave)
    process.steady()
    time.sleep(0.2)
    terminal.tell(60, 24)
    seen = watch(terminal)
    assert process.finish() == 0
    assert len(seen.lines) == HEAD + len(oracle.DEFAULT_METRICS)
    assert max(map(len, seen.lines)) < 60


def test_new_maxima_only(show, tmp_path):
    """-M spares pictures, but not the results."""
    for _ in range(3):
        seen = show(WIDE, 24, "-l", 300, "-M", "--json=json")
        threads = outside.load_json(tmp_path / "json")["thread"]
        for status in formats.parse_statuses(seen.lines[HEAD:]):
            assert status.cycles == 300
            assert status.max == threads[str(status.column)]["max"]


def test_histogram_follows(show):
    """Of all lines, its alone begin with # or a digit."""
    seen = show(WIDE, 60, "-l", 300, "-h", 400, "--metrics=send")
    at = seen.lines.index("# Histogram")
    histogram = formats.parse_histogram("\n".join([*seen.lines[at:], ""]))
    assert histogram.values["Metrics"] == ["send"]
    assert at == HEAD + 1
    formats.parse_statuses(seen.lines[HEAD:at])


@pytest.mark.parametrize("beside", [(), ("-D", "1h")], ids=str)
def test_ramp_tells_the_step(show, beside):
    """In the line that is empty without one; each step has its picture."""
    seen = show(WIDE, 60, "-l", 300, "--load=fft", "--steps=2", *beside)
    lines = ramp.parse("\n".join(seen.lines), "fft", 2).steps
    for number, found in enumerate(lines):
        assert len(found) == HEAD + len(oracle.DEFAULT_METRICS)
        told = LIVE.fullmatch(found[1])
        assert told.groups() == (str(number + 1), WORKERS[number], "0")
        statuses = formats.parse_statuses(found[HEAD:])
        assert statuses[0].cycles == 300


def test_ramp_in_a_closed_loop(show):
    """Nobody knows how long the loops of a step will take."""
    seen = show(WIDE, 60, "-i", 0, "-l", 300, "--load=fft", "--steps=2")
    lines = ramp.parse("\n".join(seen.lines), "fft", 2).steps
    assert [found[1].rstrip() for found in lines] == [
        "step: 1/2: 0 workers", "step: 2/2: 1 worker"]


@pytest.mark.parametrize("view", [(), ("-M",), ("-u",)], ids=str)
def test_pipe(run, view):
    """Only the last picture, and nothing but text."""
    result = run("--default-system", "-l", 300, *view)
    assert result.returncode == 0 and not result.stderr
    statuses = formats.parse_picture(result.stdout)
    assert [s.metric for s in statuses] == list(oracle.DEFAULT_METRICS)
    assert {s.cycles for s in statuses} == {300}


def test_worst_fits(show):
    """As tables; other lines would be wrapped."""
    seen = show(80, 60, "-q", "-l", 30, "--worst")
    names = [line.split()[1] for line in seen.lines
             if line.startswith("# ") and line.split()[1] in
             oracle.DEFAULT_METRICS]
    assert names == 2 * list(oracle.DEFAULT_METRICS)
    assert [line for line in seen.lines if line.startswith("# worst ")][0] \
        .split()[-2:] == ["CPUs", "missed"]
    # A line that was wrapped would leave another beginning.
    begin = [line.startswith("# Worst cycles, in us;")
             for line in seen.lines].index(True)
    assert all(line.startswith("# ") for line in seen.lines[begin:])


@pytest.mark.parametrize("args, told", [((), True), (("-t1",), False)])
def test_hint(start, args, told):
    """For who gives no option, and sees a terminal."""
    terminal = screen.Terminal(80, 24)
    process = start(*args, stdout=terminal.slave)
    process.steady()
    process.signal(signal.SIGINT)
    seen = watch(terminal)
    assert process.finish() == 0
    hints = [line for line in seen.lines if "--check" in line]
    assert len(hints) == told
    for hint in hints:
        assert hint.startswith("# Ctrl-C") and len(hint) < 80
        assert "man 8 twowaytest" in hint
        # Once, and above the display.
        assert any(line.startswith("policy: ")
                   for line in seen.lines[seen.lines.index(hint):])


def test_no_hint(start):
    """A pipe gets the results alone."""
    process = start()
    process.steady()
    process.signal(signal.SIGINT)
    assert process.finish() == 0
    assert "--check" not in process.out + process.err
