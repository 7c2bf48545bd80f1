# SPDX-License-Identifier: GPL-2.0-or-later
"""Every cycle: the CSV of twowaytest --dump, read in pieces."""

import os
import re
import sys
import time
import warnings

import numpy

from twoway.read import dump_stamps, end
from twoway.read.input import open_input
from twoway.series.model import (ALONE_PHASES, METRICS, ONE_WAY, PHASES, STAMPED,
                               TWO_CLOCKS_PHASES, InputError, Part, Step,
                               Worst)
from twoway.series.stats import PIECE, series_of, small
from twtools.words import harmless

HEADER = b"pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed"
# Header: whether there are stamps.
HEADERS = {HEADER: False, HEADER + dump_stamps.NAMES: True}
# Lost over UDP, or, without any time, left out, as the clock was set.
LOST = rb"\d{1,9},\d{1,19},(?:\d{1,19},\d{1,19}|,),,,,\d{1,19}"
# With --reflect, which has no server, and of a cycle that the run's end has cut
# short, where t3 is that end: t1 and t2 are taken for 0.
NO_SERVER = re.compile(rb"^((?:\d{1,19},){4}),,(?=\d{1,19},)", re.M)
NOT_LOST = re.compile(rb"^(?!(?:\d{1,19},){4},,,|(?:\d{1,19},){2},,,,,).*",
                      re.M)
CYCLE = rb"\d{1,9}(?:,\d{1,19}){7}"
# A line of a file without stamps, or with them.
ROW = [re.compile(b"(?:" + CYCLE + b"|" + LOST + b")" + more)
       for more in (b"", dump_stamps.FIELDS)]
LOST_ROW = [re.compile(b"^" + LOST + more + b"\n", re.M)
            for more in (b"", dump_stamps.FIELDS)]
STAMPED_ROWS = dump_stamps.pattern(CYCLE)
SEPARATORS = b",,,,,,,\n"
CHUNK = 1 << 20         # bytes
SEEN = 100000           # grid steps that show the period
LARGEST = 2**62         # ns: CLOCK_REALTIME reaches it in 2116
NO_TIMER = 0.5          # fewer expiries on a grid: there was no timer
# What the cycle before takes part in: unknown after a break.
FOLLOWING = ("interval", "total", "wakeup")
# What is not known of a cycle without a reply.
OF_REPLY = ("send", "sleep", "receive", "total", "network", *STAMPED)
WORST = ("response", "total", "wakeup")    # of which the worst cycle is shown


def longer(column, values):
    """Grown in its place, as two copies of all would take twice the memory."""
    if values.dtype != column.dtype:
        column = column.astype(numpy.int64)
    column.resize(len(column) + len(values), refcheck=False)
    column[len(column) - len(values):] = values
    return column


class Cycles:
    """The cycles of one pair, kept as differences to spare memory."""

    def __init__(self, two_clocks=False, stamped=False, alone=False):
        self.two_clocks, self.stamped = two_clocks, stamped
        self.alone = alone      # the client: there are no t1 and t2
        self.phases = ALONE_PHASES if alone else \
            TWO_CLOCKS_PHASES if two_clocks else PHASES
        self.column = {name: numpy.empty(0, numpy.int32) for name in (
            "interval", "planned", *self.phases, *(STAMPED if stamped else ()))}
        self.starts = []        # first cycle of each step
        self.breaks = []        # cycles whose forerunner is not here
        self.cut = []           # cycles without a reply, the last of a step
        self.missed = []        # arrays of (cycle, expiries missed after it)
        self.count = 0
        self.first_ns = None    # t0
        self.last = None        # row
        self.steps_ns = numpy.empty(0)      # the first grid steps
        self.period_ns = self.sleep_ns = 0
        self.trltp3 = False

    def add(self, rows):
        """Rows of the file. Returns the first that cannot be, or None."""
        last = rows[:1] if self.last is None else self.last
        before = numpy.concatenate([last, rows[:-1]])
        starts = rows[:, 1] <= before[:, 1]
        if self.last is None:
            starts[0] = True
            self.first_ns = int(rows[0, 3])
        breaks = starts | (rows[:, 1] != before[:, 1] + 1)
        # Over a break, the clock may have been set back.
        back = rows[:, 3] < before[:, 3]
        cut = (rows[:, 4] == 0) != self.alone
        after_cut = (before[:, 4] == 0) != self.alone
        bad = (rows[:, 6] < rows[:, 3]) | (back & ~breaks) | \
            (after_cut & ~starts) | (cut & self.alone)
        if bad.any():
            return int(bad.argmax())
        self.cut.extend(self.count + numpy.flatnonzero(cut))
        # What the phases do not tell, their sum does.
        rows = rows.copy() if cut.any() else rows
        rows[cut, 4] = rows[cut, 5] = rows[cut, 6]
        grid = (rows[:, 2] - before[:, 2]) / (1 + before[:, 7])
        if len(self.steps_ns) < SEEN:
            self.steps_ns = numpy.append(self.steps_ns, grid[~breaks])
        self.starts.extend(self.count + numpy.flatnonzero(starts))
        self.breaks.extend(self.count + numpy.flatnonzero(breaks))
        missed = numpy.flatnonzero(rows[:, 7])
        self.missed.append(numpy.stack([self.count + missed,
                                        rows[missed, 7]]))
        planned, t0, t1, t2, t3 = rows[:, 2:7].T
        # Who still waits for a reply does not wait for the timer.
        waits = numpy.where(
            breaks, planned, numpy.maximum(planned, before[:, 6]))
        found = {"interval": numpy.where(back, 0, t0 - before[:, 3]), "wakeup": t0 - waits,
                 "planned": t3 - planned, "response": t3 - t0,
                 "send": t1 - t0, "sleep": t2 - t1, "receive": t3 - t2}
        if self.stamped:
            found |= dump_stamps.split(rows)
        for name, column in self.column.items():
            self.column[name] = longer(column, small(found[name]))
        self.count += len(rows)
        self.last = rows[-1:].copy()
        self.last[cut[-1:], 4] = 0
        return None

    def close(self):
        self.breaks = numpy.array(self.breaks, numpy.int64)
        self.cut = numpy.array(self.cut, numpy.int64)
        self.missed = numpy.concatenate(self.missed, axis=1)

    @property
    def apart(self):
        """Whether t1 and t2 cannot be of the clock of t0 and t3."""
        return not self.alone and min(self.column[way].min()
                                      for way in ONE_WAY) < 0

    def set_two_clocks(self):
        """What compares the clocks goes; network has both ways."""
        self.two_clocks, self.phases = True, TWO_CLOCKS_PHASES
        self.column["network"] = small(sum(
            self.column.pop(way).astype(numpy.int64) for way in ONE_WAY))

    def seen_period_ns(self):
        """The timer's period in whole us, as expiries show it; 0: no timer."""
        grid = self.steps_ns
        if not len(grid):
            return 0
        period = round(float(numpy.median(grid)) / 1000) * 1000
        on_grid = numpy.abs(grid - period) < 500
        return period if on_grid.mean() >= NO_TIMER else 0

    def slices(self):
        ends = self.starts[1:] + [self.count]
        return [slice(start, end) for start, end in zip(self.starts, ends)]

    def metrics(self):
        gone = [] if self.period_ns else ["wakeup", "planned"]
        if self.two_clocks:
            gone += ["send", "receive"]
        if self.alone:
            gone += ["send", "sleep", "receive", "total", "network"]
        return [metric for metric in METRICS if metric not in gone]

    def piece(self, metric, part):
        """Values of a slice; see model.METRICS."""
        def get(name):
            return self.column[name][part].astype(numpy.int64)
        if metric in self.column:
            return self.column[metric][part]
        if self.alone:
            return get("response")      # the latency
        network = get("network") if self.two_clocks else \
            get("send") + get("receive")
        if metric == "network":
            return network
        if metric == "response":
            return network + get("sleep")
        if metric == "latency":
            return network + get("sleep") - self.sleep_ns
        return network + \
            abs(get("sleep") - self.sleep_ns) + \
            self.off_period(get, self.periods_ns(part))

    def periods_ns(self, _part):
        """Of the cycles of a slice."""
        return self.period_ns

    def off_period(self, get, period_ns):
        """What the interval adds to total."""
        if not self.period_ns:
            return 0
        if self.trltp3:
            # The interval ends at t1, and the rate in Hz stands for us.
            return abs(get("interval") + get("send") - 10**12 // period_ns)
        return abs(get("interval") - period_ns)

    def values(self, metric, part=None, followed=True):
        """Of a metric, in order; without those that are not known."""
        part = part or slice(0, self.count)
        values = numpy.empty(0, numpy.int32)
        for i in range(part.start, part.stop, PIECE):
            values = longer(values, small(self.piece(
                metric, slice(i, min(i + PIECE, part.stop)))))
        unknown = self.unknown(metric)
        if not followed or not len(unknown):
            return values
        inside = unknown[(unknown >= part.start) & (unknown < part.stop)]
        return numpy.delete(values, inside - part.start)

    def unknown(self, metric):
        """Cycles of which it is not known."""
        return numpy.concatenate([
            self.breaks if metric in FOLLOWING else self.breaks[:0],
            self.cut if metric in OF_REPLY else self.cut[:0]])

    def target_ns(self, metric):
        return {"interval": self.period_ns or None,
                "sleep": self.sleep_ns}.get(metric)

    def series(self, part=None, wanted=tuple(METRICS)):
        table = {}
        for metric in self.metrics():
            if metric not in wanted:
                continue
            values = self.values(metric, part)
            if len(values):
                table[metric] = series_of(metric, values,
                                          self.target_ns(metric))
        return table

    def missed_in(self, part):
        inside = (self.missed[0] >= part.start) & (self.missed[0] < part.stop)
        return int(self.missed[1][inside].sum())

    def times_s(self, cycles):
        """Of the t0 of these, since the first."""
        cycles = numpy.asarray(cycles)
        found, last, total = [], 0, 0
        # A sum of all cycles would take more memory than all columns.
        for one in cycles.ravel() % self.count:
            total += int(self.column["interval"][last:one + 1].sum(
                dtype=numpy.int64))
            found.append(total)
            last = one + 1
        return numpy.array(found).reshape(cycles.shape) / 1e9

    def worst(self, metric):
        """The first cycle that reached the maximum."""
        values = self.values(metric, followed=False)
        values[self.unknown(metric)] = 0
        index = int(values.argmax())
        unknown = OF_REPLY if index in self.cut else ()
        return Worst(metric, float(values[index]), self.since_ns(index),
                     {name: float(self.column[name][index])
                      for name in self.phases
                      if name in self.metrics() and name not in unknown},
                     int(numpy.searchsorted(self.starts, index, "right")) - 1,
                     self.pair_of(index))

    def since_ns(self, index):
        """From the first t0 to that of a cycle."""
        return int(self.column["interval"][:index + 1].sum(dtype="int64"))

    def pair_of(self, _index):
        """None: there is but one pair."""


def blame(path, chunk, line, stamped):
    """Raise for the first line of the chunk that is no row."""
    for number, text in enumerate(chunk.split(b"\n")[:-1], line):
        if not ROW[stamped].fullmatch(text) or max(map(
                int, filter(None, text.split(b",")))) >= LARGEST:
            shown = text[:60].decode("ascii", "replace")
            more = " and 6 stamps, or nothing for those missing" \
                if stamped else ""
            raise InputError(path, number, f"'{shown}' is no cycle; 8 whole "
                             f"numbers{more} are expected: "
                             f"{HEADER.decode()}")
    raise InputError(path, f"lines {line} on", "no cycles")


def lines_in(chunk):
    """As bytes.count(), in a tenth of the time."""
    return int(numpy.count_nonzero(
        numpy.frombuffer(chunk, numpy.uint8) == ord("\n")))


def only_rows(chunk, stamped):
    """How many cycles a chunk has that has nothing else; None: it has."""
    if stamped:
        return lines_in(chunk) if STAMPED_ROWS.fullmatch(chunk) else None
    # Without its digits a chunk is nothing but this, again and again.
    separators = chunk.translate(None, b"0123456789")
    count = len(separators) // len(SEPARATORS)
    return count if separators == SEPARATORS * count else None


def rows_of(path, chunk, line, stamped):
    """Whole lines as an array of columns, without cycles that were lost."""
    if not chunk.endswith(b"\n"):
        raise InputError(path, line + chunk.count(b"\n"),
                         end.CUT)
    columns = 8 + dump_stamps.COLUMNS * stamped
    first = NOT_LOST.search(chunk)
    gaps = b",,," in chunk
    if gaps or first and NO_SERVER.match(first[0]):
        chunk = NO_SERVER.sub(rb"\g<1>0,0,", chunk)
    whole = chunk
    if gaps and b",,,," in chunk:
        chunk = LOST_ROW[stamped].sub(b"", chunk)
        if not chunk:
            return numpy.empty((0, columns), numpy.int64)
    count = only_rows(chunk, stamped)
    if count is None:
        blame(path, whole, line, stamped)
    if stamped:
        chunk = dump_stamps.filled(chunk)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            numbers = numpy.fromstring(chunk.replace(b"\n", b","),
                                       numpy.int64, sep=",")
        except (DeprecationWarning, ValueError):
            blame(path, whole, line, stamped)
    if len(numbers) != columns * count or numbers.max() >= LARGEST:
        blame(path, whole, line, stamped)
    return numbers.reshape(-1, columns)


def line_of(chunk, line, index, stamped):
    """Where a row stands in the file."""
    lines = chunk.splitlines(keepends=True)
    rows = [i for i, text in enumerate(lines)
            if not LOST_ROW[stamped].match(text)]
    return line + rows[index]


def chunks(file, path):
    """Yield whole lines, the last perhaps without its end; what takes long is
    told on a terminal."""
    size, told = max(1, os.fstat(file.fileno()).st_size), time.monotonic() + 1
    while chunk := file.read(CHUNK) + file.readline():
        if time.monotonic() > told + 1 and sys.stderr.isatty():
            told = time.monotonic()
            print(f"{harmless(path)}: {100 * file.tell() // size} % read",
                  end="\r", file=sys.stderr, flush=True)
        yield chunk


def read_cycles(path):
    """Cycles by pair, whether a comment marks them as virtual, how many were
    lost, and the lines below the rows."""
    pairs, line, marked, lost, below = {}, 1, False, 0, []
    with open_input(path) as file:
        for text in iter(file.readline, b""):
            line += 1
            if not text.startswith(b"#"):
                break
            marked |= bool(re.match(rb"# *(virtual|lab)\b", text))
        if text.rstrip(b"\n") not in HEADERS:
            raise InputError(path, line - 1,
                             f"'{HEADER.decode()}' is expected")
        stamped = HEADERS[text.rstrip(b"\n")]
        for text in chunks(file, path):
            chunk = end.split(path, text, line, below)
            if not chunk:
                continue
            rows = rows_of(path, chunk, line, stamped)
            lines = lines_in(chunk)
            lost += lines - len(rows)
            alone = not rows[:, 4].any()
            for pair in numpy.unique(rows[:, 0]):
                own = numpy.flatnonzero(rows[:, 0] == pair)
                cycles = pairs.setdefault(int(pair), Cycles(
                    stamped=stamped, alone=alone))
                bad = cycles.add(rows if len(own) == len(rows)
                                 else rows[own])
                if bad is not None:
                    raise InputError(
                        path, line_of(chunk, line, own[bad], stamped),
                        "time runs backwards here")
            line += lines
    if not pairs:
        raise InputError(path, None, "no cycles")
    return pairs, marked, lost, below


def read(path, name):
    """complete() comes when the settings are known."""
    pairs, marked, lost, below = read_cycles(path)
    for cycles in pairs.values():
        cycles.close()
    part = Part(os.fspath(path), "dump", name, virtual=marked,
                count=sum(cycles.count for cycles in pairs.values()),
                missed=sum(int(cycles.missed[1].sum())
                           for cycles in pairs.values()),
                lost_cycles=lost, program="twowaytest")
    end.read(part, below, part.count + lost)
    cut = sum(len(cycles.cut) for cycles in pairs.values())
    if cut:
        part.unanswered = [f"{cut} cycles without a reply when the run ended"]
    if cut and not any(line.startswith("# Unanswered: ") for line in below):
        part.remarks += part.unanswered
        part.troubles += part.unanswered
    part.cycles = next(iter(pairs.values())) if len(pairs) == 1 else pairs
    return [part]


def check_formula(part, cycles, trltp3):
    if trltp3 and cycles.two_clocks:
        raise InputError(part.path, None, "t1 and t2 are of the server's own "
                         "clock, and total by trltp3 compares them with t0; "
                         "allowed is documented")


def complete(part, period_ns, sleep_ns, trltp3, workers, wanted):
    """Results of a dump. workers: of each step, if that is known.

    wanted: the only metrics that are needed, and nothing but their results;
    None: all.
    """
    cycles = part.cycles
    check_formula(part, cycles, trltp3)
    cycles.period_ns, cycles.sleep_ns = period_ns, sleep_ns
    cycles.trltp3 = trltp3
    if wanted:
        part.series = cycles.series(wanted=wanted)
        return
    part.series = cycles.series()
    slices = cycles.slices()
    if len(slices) > 1:
        workers = workers or range(len(slices))
        part.steps = [Step(number, cycles.series(where),
                           cycles.missed_in(where))
                      for number, where in zip(workers, slices)]
    add_worst(part)


def add_worst(part):
    part.worst = [part.cycles.worst(metric) for metric in WORST
                  if metric in part.series]
