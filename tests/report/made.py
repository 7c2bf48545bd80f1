# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs of every format, and what their results are: plain arithmetic."""

import contextlib
import fractions
import functools
import json
import math
import pathlib
import random

REPORT = pathlib.Path(__file__).resolve().parents[2] / "contrib" / "report"
HEADER = "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed"
PERIOD, SLEEP = 1_000_000, 100_000
METRICS = ("interval", "send", "sleep", "receive", "response", "total",
           "wakeup", "planned", "network")
LABELS = ("POSIX Timer Interval Time", "Send Time", "nanosleep Time",
          "Receive Time", "Response Time", "Total Jitter", "Wakeup Time",
          "Planned Response Time", "Network Time")
LABEL = {"latency": "Latency", **dict(zip(METRICS, LABELS))}


def cycles(*args, **how):
    """Rows of a dump: (pair, cycle, planned, t0, t1, t2, t3, missed)."""
    return list(made_cycles(*args, **how))


@functools.lru_cache(maxsize=99)
def made_cycles(count, seed=1, period=PERIOD, sleep=SLEEP, shift=0,
                start=10**12):
    source = random.Random(seed)
    rows = []
    for i in range(count):
        planned = start + i * period
        t0 = planned + int(source.gammavariate(4, 3000))
        t1 = t0 + int(source.gammavariate(9, 1500))
        t2 = t1 + sleep + int(source.gammavariate(9, 5000))
        t3 = t2 + shift + int(source.gammavariate(9, 1000))
        if source.random() < 0.01:
            t3 += source.randrange(300_000)
        rows.append((0, i, planned, t0, t1, t2, t3, 0))
    return rows


def dump(rows):
    return table([HEADER] + [",".join(map(str, row)) for row in rows])


def table(lines):
    """Names and rows, with the line that comes last in a whole file."""
    return "".join(f"{line}\n" for line in [
        *lines, f"# End: {len(lines) - 1} row{'s' * (len(lines) != 2)}"])


def values(rows, period=PERIOD, sleep=SLEEP, trltp3=False):
    """Metric -> values in ns, as a dump has them: of a cycle whose forerunner is
    not there, interval, total and wakeup are unknown."""
    result = {metric: [] for metric in (*METRICS, "latency")}
    before = None
    for row in rows:
        _, number, planned, t0, t1, t2, t3, _ = row
        result["send"].append(t1 - t0)
        result["sleep"].append(t2 - t1)
        result["receive"].append(t3 - t2)
        result["response"].append(t3 - t0)
        result["latency"].append(t3 - t0 - sleep)
        result["planned"].append(t3 - planned)
        result["network"].append(t3 - t0 - (t2 - t1))
        if before and number == before[1] + 1:
            interval = t0 - before[3]
            result["interval"].append(interval)
            # Who still waits for a reply does not wait for the timer.
            result["wakeup"].append(t0 - max(planned, before[6]))
            off = t1 - before[3] - 10**12 // period if trltp3 else \
                interval - period
            result["total"].append(t1 - t0 + t3 - t2 + abs(t2 - t1 - sleep)
                                   + abs(off))
        before = row
    return result


def target(metric, period=PERIOD):
    return {"interval": period, "sleep": SLEEP}.get(metric)


def mean(found):
    return fractions.Fraction(sum(found), len(found))


def rms(found, about):
    """From what was asked for; None: nothing was."""
    return math.sqrt(sum((value - about) ** 2 for value in found) /
                     len(found)) if about else None


def deviation(found, about=None):
    """Exact, as all values are whole numbers; in a log, that of sleep is from what
    was asked for."""
    about = mean(found) if about is None else about
    squares = sum(v * v for v in found) - 2 * about * sum(found) + \
        len(found) * about ** 2
    return math.sqrt(squares / (len(found) - 1))


def percentile(found, percent):
    """percent as a string; None with fewer than 10 beyond."""
    rank = max(1, math.ceil(fractions.Fraction(percent) * len(found) / 100))
    return sorted(found)[rank - 1] if len(found) >= rank + 10 else None


def us(value, decimals=1):
    return "-" if value is None else f"{float(value) / 1000:.{decimals}f}"


def histogram(found):
    rows = {}
    for value in found:
        rows[value // 1000] = rows.get(value // 1000, 0) + 1
    return dict(sorted(rows.items()))


def blocks(found):
    """Means of 64 parts, in us; none of fewer values."""
    edges = [i * len(found) // 64 for i in range(65)]
    return [float(mean(found[a:b])) / 1000 for a, b in
            zip(edges, edges[1:])] if len(found) >= 64 else []


def maxima(found):
    """The longest of each of these."""
    edges = [i * len(found) // 64 for i in range(65)]
    return [max(found[a:b]) // 1000 for a, b in
            zip(edges, edges[1:])] if len(found) >= 64 else []


STATS = ("min", "max", "avg", "stddev", "cycles")


def rms_member(found, metric, period=PERIOD):
    about = target(metric, period)
    return {"rms": rms(found, about) / 1000 if about else None}


def json_thread(metric, found, width=10**9, period=PERIOD, pair=0):
    rows = {us: n for us, n in histogram(found).items() if us < width}
    return {
        "metric": metric, "pair": pair, "interval_us": period // 1000,
        "histogram": {str(us): n for us, n in rows.items()},
        "overflows": len(found) - sum(rows.values()),
        "percentiles": {"50": percentile(found, "50") / 1000},
        "blocks": blocks(found), "maxima": maxima(found), "phases": {},
        "stddev": deviation(found) / 1000,
        "cycles": len(found), "min": min(found) // 1000,
        "max": max(found) // 1000, "avg": float(mean(found)) / 1000,
        "cpu": 0, "node": 0} | rms_member(found, metric, period)


def json_threads(rows, metrics=METRICS, period=PERIOD, **how):
    found = values(rows, period, **how)
    return {str(i): json_thread(metric, found[metric], period=period)
            for i, metric in enumerate(metrics)}


def phases(found, period=PERIOD):
    """found: metric -> values."""
    return {metric: {key: value for key, value in json_thread(
        metric, found[metric], period=period).items() if key in STATS}
        for metric in METRICS}


def twoway(rows, steps=(), how=None, missed=0, **settings):
    """Results of --json, with a column of each metric.

    Steps: (workers, rows) each; how: as values().
    """
    threads = json_threads(rows, **how or {})
    return {
        "file_version": 1, "cmdline:": "twowaytest", "rt_test_version:": "1",
        "return_code": 0, "num_threads": len(threads),
        "sysinfo": {"nodename": "host", "release": "6.1", "version": "#1",
                    "machine": "x86_64", "realtime": 0},
        "resolution_in_ns": 0, "thread": threads,
        "twoway": {
            "schema": 3, "version": "0.10", "argv": ["twowaytest"],
            "settings": {"interval": 1000, "sleep": 100, "size": 8,
                         "total": "documented"} | settings,
            "load": [], "breaks": [], "throttled": 0, "not_dumped": 0,
            "pairs": [{"missed": missed, "client": {
                "cpus": "1", "policy": "fifo", "priority": 98}}],
            "system": {"virtual": False, "governor": "performance",
                            "findings": []},
            "interrupted": False, "worst": {}, "spikes": None, "limits": [],
            "steps": [{"units": workers, "missed": 0, "rate": 1.5,
                       "phases": phases(values(part))}
                      for workers, part in steps]}}


def limit(text, value, pair=0):
    """A verdict on --limit; times in ns; value None: undecided."""
    metric, _, most = text.rpartition(":")
    counts = metric in ("missed", "throttled", "lost")
    suffix, factor = ("", 1) if counts else ("_ns", 1000)
    most = int(most) * factor
    return {"limit": text, "metric": metric.partition(":")[0],
            "percentile": None, f"most{suffix}": most,
            f"value{suffix}": value, "pair": pair,
            "verdict": "undecided" if value is None else
            "exceeded" if value > most else "met"}


def cyclictest(found, threads=1):
    """JSON of cyclictest; each thread has the values found."""
    found = [value // 1000 * 1000 for value in found]
    one = {"histogram": {str(k): n for k, n in histogram(found).items()},
           "cycles": len(found), "min": min(found) // 1000,
           "max": max(found) // 1000, "avg": float(mean(found)) / 1000,
           "cpu": 0, "node": 0}
    return {"file_version": 1, "cmdline:": "cyclictest", "return_code": 0,
            "sysinfo": {"release": "6.1"}, "num_threads": threads,
            "resolution_in_ns": 0,
            "thread": {str(i): one for i in range(threads)}}


def text(found):
    """-h text of cyclictest, of one thread."""
    rows = histogram(found)
    body = [f"{k:06d} {n:06d}" for k, n in rows.items()]
    lines = ["# /dev/cpu_dma_latency set to 0us", "# Histogram", *body]
    lines += [f"# Total: {len(found):09d}",
              f"# Min Latencies: {min(found) // 1000:05d}",
              f"# Avg Latencies: {int(mean(found)) // 1000:05d}",
              f"# Max Latencies: {max(found) // 1000:05d}",
              "# Histogram Overflows: 00000",
              "# Histogram Overflow at cycle number:", "# Thread 0: "]
    return "\n".join(lines) + "\n\n"


PUBLISHED = """\
# A table.
metric,system,min,avg,max,stddev
send,one,1.5,2.5,3.5,0.5
send,two,1,2,9,0.25
"""


def table_csv(rows, header="metric,system,min,avg,max,stddev"):
    return "\n".join([header, *rows]) + "\n"


def write(directory, name, content):
    """Write text, or what is to be JSON; returns the path."""
    path = directory / name
    if not isinstance(content, (str, bytes)):
        content = json.dumps(content, indent=2) + "\n"
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)
    return path


def report(directory, *args):
    """Makes one that tests share, in this process: see conftest.py."""
    from report import args as words, make
    with contextlib.chdir(directory):
        assert make.report(words.parse(args)) == 0


def every_format(rows):
    """Name -> content, of each format."""
    found = values(rows)
    return {"dump.csv": dump(rows), "twoway.json": twoway(rows),
            "cyclictest.json": cyclictest(found["wakeup"]),
            "hist.txt": text(found["wakeup"]),
            "published.csv": PUBLISHED}


def tables(markdown):
    """Title -> rows as dicts, of the report's Markdown.

    Of results, a title is what the metric measures.
    """
    found = {}
    for title, rows in plain_tables(markdown).items():
        if not title.startswith("Results"):
            found[title] = rows
            continue
        for row in rows:
            label = LABEL[row["metric"]] + title.removeprefix("Results")
            found.setdefault(label, []).append(
                {key: value for key, value in row.items()
                 if key != "metric" and (value != "-" or key[0] != "p" or
                                         any(one[key] != "-" for one in rows
                                             if one["metric"] ==
                                             row["metric"]))})
    return found


def plain_tables(markdown):
    """Title -> rows as dicts."""
    found, title, columns = {}, None, None
    for line in markdown.splitlines():
        if line.startswith("## "):
            title, columns = line[3:], None
            found[title] = []
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if columns is None:
                columns = cells
            elif not cells[0].startswith("---"):
                found[title].append(dict(zip(columns, cells)))
    return found
