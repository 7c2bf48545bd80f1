# SPDX-License-Identifier: GPL-2.0-or-later
"""Dump, percentiles, worst cycles, spikes, limits, timeline: all of them once
more from the values of single cycles (-v)."""

import csv
import datetime
import math
import re

import pytest

import ended
import results

PERCENTS = ("50", "0.1", "25", "99.9", "66.6", "90", "99")    # as given
SPIKE = 130                         # us
LADDER = (0, 5, 10, 20, 50, 100.5, 150, 200, 400, 3000, 10 ** 9)
LIMITS = [f"{metric}{most}" for most in LADDER
          for metric in ("", "send:", "interval:")] + [
    f"{metric}{form}:{most}" for most in LADDER[1::3]
    for metric in ("latency:", "total:") for form in ("avg", "p25", "p50")
] + ["missed:0", "missed:3", "missed:1000000000"]
VALUE = re.compile(r" *\d+: *\d+: *-?\d+")
# name: (options, fault)
RUNS = {
    "usual": ("-l 90", ""), "long": ("-l 1200 -i 300", ""),
    "nodes": ("-l 90 --spike-nodes=2", ""),
    "closed": ("-l 300 -i 0", ""), "no-sleep": ("-l 100 --sleep=0", ""),
    "pairs": ("-l 60 -t3 -d 0", ""), "posix": ("-l 60 -x -c 1", ""),
    "late": ("-l 60", "server:nanosleep:after:9:20000"),
    "asleep": ("-l 60", "client:clock_nanosleep:after:9:7000"),
    "steps": ("-l 60 --load=fft --steps=3", ""),
    "pair-steps": ("-l 40 -t2 -d 100 --load=fft --steps=2", ""),
    "tsc": ("-l 60 -c tsc", ""), "tai": ("-l 60 -c tai --transport=udp", ""),
    "warm": ("-l 50 --warmup=7", ""), "second": ("-D 2 -i 2000", ""),
}


def rank(values, percent):
    """The value that so many percent of @values are not above."""
    exact = round(len(values) * float(percent) / 100, 9)
    return sorted(values)[max(math.ceil(exact), 1) - 1]


def supported(values, percent):
    exact = round(len(values) * float(percent) / 100, 9)
    return len(values) >= max(math.ceil(exact), 1) + 10


def close(found, exact):
    """Half a bucket."""
    return abs(found - exact) * 1024 <= abs(exact)


class Run:
    """What has been measured: .values[pair] is a list of {metric: ns}, with
    the cycle's number, step and row of the dump; of all steps."""

    def __init__(self, done, period_us):
        self.json = results.loaded(done)
        self.lines = [line for line in done.stdout.splitlines()
                      if not VALUE.fullmatch(line)]
        self.metrics = [m for m in results.METRICS
                        if period_us or m not in results.TIMED]
        self.values = [[] for _ in self.json["twoway"]["pairs"]]
        printed = [line for line in done.stdout.splitlines()
                   if VALUE.fullmatch(line) or line.startswith("# Step")]
        parts = re.split(r"# Step.*\n", "\n".join([*printed, ""]))
        for step, part in enumerate(parts[len(parts) > 1:]):
            for pair, values in enumerate(results.cycles(part, self.metrics)):
                self.values[pair] += [{**one, "step": step, "cycle": number}
                                      for number, one in enumerate(values)]
        self.read_dump(done.text("dump"))

    def read_dump(self, text):
        head, *rows = csv.reader(ended.table(text))
        assert head == ["pair", "cycle", "planned_ns", "t0_ns", "t1_ns",
                        "t2_ns", "t3_ns", "missed"]
        for pair, values in enumerate(self.values):
            mine = [list(map(int, row)) for row in rows if int(row[0]) == pair]
            assert len(mine) == len(values)
            before = None
            for one, row in zip(values, mine):
                _, cycle, planned, t0, t1, t2, t3, one["missed"] = row
                one["t0"] = t0
                assert cycle == one["cycle"]
                assert (one["send"], one["sleep"], one["receive"]) == \
                    (t1 - t0, t2 - t1, t3 - t2)
                assert one.get("planned", t3 - planned) == t3 - planned
                assert before is None or not cycle or \
                    one["interval"] == t0 - before
                before = t0
        missed = [sum(one["missed"] for one in values)
                  for values in self.values]
        assert missed == [p["missed"] for p in self.json["twoway"]["pairs"]]
        assert self.json["twoway"]["not_dumped"] == 0

    def all(self, pair, metric):
        return [one[metric] for one in self.values[pair]]


def check_percentiles(run):
    lines = [line.split() for line in run.lines
             if line.startswith("# Percentiles")]
    threads = run.json["thread"]
    assert len(lines) == len(threads)
    for line, (number, thread) in zip(lines, threads.items()):
        values = run.all(thread["pair"], thread["metric"])
        assert line[2:4] == [f"T:{number}", f"{thread['metric']}:"]
        assert list(thread["percentiles"]) == list(PERCENTS)
        for text, (percent, found) in zip(line[4:],
                                          thread["percentiles"].items()):
            if not supported(values, percent):
                assert (text, found) == (f"{percent}:-", None)
                continue
            assert text == f"{percent}:{found:.0f}"
            assert close(found, rank(values, percent))
            assert thread["min"] <= found <= thread["max"]


def check_kept(run, kept, pair, one):
    """A cycle of the JSON is what -v and the dump have of it."""
    start = run.values[pair][0]["t0"]
    own = run.json["twoway"]["settings"]["clock"] != "monotonic"
    # By CLOCK_MONOTONIC: the distance to another clock is measured each time.
    assert abs(kept["since_start_ns"] - (one["t0"] - start)) <= 1000 * own
    assert kept == {
        "pair": pair, "time": kept["time"],
        "since_start_ns": kept["since_start_ns"],
        **{name: one[name] for name in ("cycle", "step", "missed")},
        "values": {metric: one[metric] for metric in run.metrics}}
    at = datetime.datetime.fromisoformat(
        f"{kept['time'][:-2]}:{kept['time'][-2:]}").timestamp()
    assert abs(at - datetime.datetime.now().timestamp()) < 60
    return round(at * 1000000) - one["t0"] // 1000


def worst_of(run, metric):
    """The pair, and its first cycle that reached the maximum."""
    most = [max(run.all(pair, metric)) for pair in range(len(run.values))]
    pair = most.index(max(most))
    return pair, next(one for one in run.values[pair]
                      if one[metric] == most[pair])


def check_excess(run, lines, metric, pair, one):
    """Shares of 100 % of what is above the mean; of a phase there are none, and
    the response has those of the latency."""
    line = [line for line in lines
            if line.startswith(f"#   excess of {metric}: ")]
    mean = {name: sum(run.all(pair, name)) / len(run.values[pair])
            for name in run.metrics}
    above = one[metric] - mean[metric]
    again = metric == "response" and \
        worst_of(run, "latency") == worst_of(run, metric)
    assert len(line) == (not again and above > 0 and metric not in
                         results.PHASES[:4] + ("interval",))
    if not line:
        return
    excess = re.findall(r"(?<=[:,]) (\w+) (-?\d+) %", line[0])
    assert line[0].partition(":")[2] == \
        ",".join(f" {part} {share} %" for part, share in excess)
    excess = {part: int(share) for part, share in excess}
    assert abs(sum(excess.values()) - 100) <= 2
    for part in {"send", "sleep", "receive"} & set(excess):
        share = 100 * (one[part] - mean[part]) / above
        assert abs(excess[part] - share) <= 0.6 + 100 / above, line


def worst_blocks(lines):
    """{(metric, ...): lines} of each cycle."""
    blocks = {}
    for line in lines:
        if line.startswith("# Worst "):
            names = tuple(line[8:].rstrip(":").split(", "))
            assert line == f"# Worst {', '.join(names)}:"
            blocks[names] = []
        elif blocks and re.match("#   [a-z]", line):
            blocks[names].append(line)
    return blocks


def check_worst(run):
    """Each cycle once, with all metrics of which it is the worst one."""
    found = run.json["twoway"]["worst"]
    assert list(found) == run.metrics
    places = {metric: worst_of(run, metric) for metric in run.metrics}
    cycles = {}
    for metric, (pair, one) in places.items():
        cycles.setdefault((pair, one["step"], one["cycle"]), []).append(metric)
    blocks = worst_blocks(run.lines)
    assert list(map(list, blocks)) == list(cycles.values())
    ahead = []
    for names, lines in blocks.items():
        pair, one = places[names[0]]
        ahead += [check_kept(run, found[name], pair, one) for name in names]
        mean = {name: int(sum(run.all(pair, name)) / len(run.values[pair]))
                for name in run.metrics}
        where = f"pair {pair}, " * (len(run.values) > 1) + \
            f"step {one['step'] + 1}, " * ("steps" in run.json["twoway"])
        since = found[names[0]]["since_start_ns"] / 1e9
        assert lines[0] == f"#   {where}cycle {one['cycle']}, " \
            f"{since:.6f} s after start, {found[names[0]]['time'][11:26]}, " \
            f"missed {one['missed']}"
        values = [line for line in lines[1:] if "excess" not in line]
        assert " ".join(line[4:] for line in values) == ", ".join(
            f"{name} {one[name]} ({'mean ' * (not at)}{mean[name]})"
            for at, name in enumerate(run.metrics))
        assert max(map(len, lines)) <= 110
        for name in names:
            check_excess(run, lines, name, pair, one)
    assert max(ahead) - min(ahead) <= 2


def check_spikes(run):
    nodes = run.json["twoway"]["settings"]["spike-nodes"]
    of = run.json["twoway"]["spikes"]
    seen = [[one for one in values if one["response"] > SPIKE * 1000]
            for values in run.values]
    kept = [(pair, one) for pair, ones in enumerate(seen)
            for one in ones[:nodes]]
    assert (of["metric"], of["limit_us"]) == ("response", SPIKE)
    assert of["seen"] == sum(map(len, seen)) and len(of["kept"]) == len(kept)
    for one, (pair, expected) in zip(of["kept"], kept):
        check_kept(run, one, pair, expected)
    at = run.lines.index(
        f"# Spikes: cycles whose response is above {SPIKE * 1000}")
    for line, (pair, one) in zip(run.lines[at + 1:], kept):
        column = pair * len(run.metrics) + run.metrics.index("response")
        step = f" step {one['step'] + 1}" * ("steps" in run.json["twoway"])
        assert line == "T:%2d Spike:%8d: TS: %12d C: %7d%s %s" % (
            column, one["response"], one["t0"] // 1000, one["cycle"], step,
            " ".join(f"{phase} {one[phase]}" for phase in results.PHASES
                     if phase in run.metrics))
    rest = run.lines[at + 1 + len(kept):]
    assert rest[0] == f"spikes = {of['seen']}"
    assert (f"# Spikes not kept: {of['seen'] - len(kept)}" in rest) == \
        (of["seen"] > len(kept))


def judged(run, pair, limit):
    """(metric, value, most) of a limit and pair, from its values; the value
    None: too few."""
    *words, most = limit.split(":")
    metric = words[0] if words and words[0] in (*run.metrics, "missed") else \
        "latency"
    values = run.all(pair, metric)
    if metric == "missed":
        return metric, sum(values), int(most)
    most = float(most) * 1000
    if words[-1:] == ["avg"]:
        return metric, sum(values) / len(values), most
    percent = re.fullmatch(r"p([\d.]+)", words[-1]) if words else None
    if not percent:
        return metric, max(values), most
    return metric, rank(values, percent[1]) \
        if supported(values, percent[1]) else None, most


def check_limits(run, given):
    lines = [line for line in run.lines if line.startswith("# Limit ")]
    found = run.json["twoway"]["limits"]
    assert [one["limit"] for one in found] == given
    for line, one in zip(lines, found):
        of = [judged(run, pair, one["limit"])
              for pair in range(len(run.values))]
        metric, _, most = of[0]
        bad = [value > most for _, value, _ in of]
        assert one["verdict"] == ("exceeded" if any(bad) else "met")
        worst = max(value for _, value, _ in of)
        unit = "" if metric == "missed" else "_ns"
        value = one[f"value{unit}"]
        assert one["metric"] == metric and one[f"most{unit}"] == most
        assert close(value, worst) if ":p" in one["limit"] else \
            abs(value - worst) < 0.01
        assert (value > most) == any(bad)
        shown = f"{value / 1000:.3f} us" if unit else str(value)
        pair = f"pair {one['pair']}: " if len(run.values) > 1 else ""
        where = ""
        if unit and not re.search("avg|p", one["limit"].split(":")[-2]
                                  if ":" in one["limit"] else ""):
            first = next(x for x in run.values[one["pair"]]
                         if x[metric] == worst)
            where = " in " + f"step {first['step'] + 1}, " * (
                "steps" in run.json["twoway"]) + f"cycle {first['cycle']}"
        assert line == f"# Limit {one['limit']}: {one['verdict']}: {pair}" \
            f"{shown}{where}"
    return {one["verdict"] for one in found}


def check_timeline(run, text):
    pairs = len(run.values)
    *remarks, head = text.splitlines()[:3]
    assert len(remarks) == 2 and remarks[0].startswith(
        "# twowaytest --timeline: a row every 1 s, ")
    names = ["step", "seconds", "unix_s"]
    for pair in range(pairs):
        of = f".{pair}" if pairs > 1 else ""
        names += [name + of for name in ("missed", "throttled", "lost")]
        names += [f"{metric}_{value}{of}" for metric in run.metrics for value
                  in ("count", "min_ns", "avg_ns", "max_ns", "p99_ns")]
    assert head == ",".join(names)
    rows = [dict(zip(names, row)) for row in csv.reader(ended.rows(text))]
    ends = [(int(row["step"]), float(row["seconds"])) for row in rows]
    assert ends == sorted(set(ends))
    for row, before in zip(rows[1:], rows):     # a step begins at 0
        assert row["step"] == before["step"] or float(row["seconds"]) <= \
            float(row["unix_s"]) - float(before["unix_s"]) + 0.01
    for pair, values in enumerate(run.values):
        of = f".{pair}" if pairs > 1 else ""
        for row in rows:
            count = int(row[f"send_count{of}"])
            mine, values = values[:count], values[count:]
            assert {one["step"] for one in mine} <= {int(row["step"])}
            assert int(row[f"missed{of}"]) == \
                sum(one["missed"] for one in mine)
            for metric in run.metrics if count else ():
                own = [one[metric] for one in mine]
                least, mean, most, p99 = (
                    row[f"{metric}_{name}_ns{of}"]
                    for name in ("min", "avg", "max", "p99"))
                assert (int(least), int(most)) == (min(own), max(own))
                assert abs(float(mean) - sum(own) / count) < 0.06
                assert bool(p99) == (count >= 100)
                assert not p99 or close(int(p99), rank(own, 99))
        assert not values
    return rows


@results.root
@pytest.mark.parametrize("name", RUNS)
def test_results_are_those_of_the_cycles(run, shim, name):
    options, fault = RUNS[name]
    done = run("-q", "-v", "-N", "--metrics=all", "--json=json", "--dump=dump",
               f"--percentiles={','.join(PERCENTS)}", "--worst",
               f"--spike=response:{SPIKE}", "--timeline=line",
               *(f"--limit={limit}" for limit in LIMITS), *options.split(),
               env=shim(*fault.split()))
    assert (done.returncode, done.stderr) == (2, ""), done.stderr
    found = Run(done, 0 if "-i 0" in options else 1000)
    check_percentiles(found)
    check_worst(found)
    check_spikes(found)
    # From nothing at all to 1,000 s.
    assert check_limits(found, LIMITS) == {"met", "exceeded"}
    rows = check_timeline(found, done.text("line"))
    assert len(rows) >= len(found.json["twoway"].get("steps", [0]))
    assert not fault or max(found.all(0, "planned")) > 6900000


def test_limits_amid_a_bucket(run):
    """Of 16 us, in which most values are; exact nevertheless."""
    given = [f"{metric}:p{percent}:{10000 + k * k / 2}"
             for metric, percent in (("sleep", 50), ("sleep", 25),
                                     ("response", 66.6))
             for k in range(21)]
    done = run("-q", "-v", "-N", "--metrics=all", "--sleep=10000", "-i0",
               "-l", 60, "--json=json", "--dump=dump",
               *(f"--limit={limit}" for limit in given))
    assert done.returncode == 2
    check_limits(Run(done, 0), given)


def test_timeline_of_a_single_cycle(run):
    done = run("-q", "-v", "-N", "--metrics=all", "-l", 1, "--json=json",
               "--dump=dump", "--timeline=line")
    assert done.returncode == 0, done.stderr
    row, = check_timeline(Run(done, 1000), done.text("line"))
    assert row["send_count"] == "1"


def test_usual_percentiles(run):
    done = run("-q", "-l", 20, "--percentiles", "--json=json")
    assert list(results.loaded(done)["thread"]["0"]["percentiles"]) == [
        "50", "90", "99", "99.9", "99.99", "99.999"]


def test_what_was_not_asked_for_is_not_there(run):
    done = run("-q", "-l", 20, "--json=json")
    json = results.loaded(done)
    assert done.files == {"json"} and json["twoway"]["limits"] == []
    assert not {"spikes", "not_dumped"} & set(json["twoway"])
    assert not re.search(r"[\[{]\s+[\]}]", done.text("json"))
    assert "percentiles" not in json["thread"]["0"]
    assert not re.search("Worst|Spike|Limit|Percent|imeline|umped",
                         done.stdout)
