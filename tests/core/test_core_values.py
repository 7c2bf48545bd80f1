# SPDX-License-Identifier: GPL-2.0-or-later
"""All results, computed once more from the values of single cycles."""

import pytest

import outside
import results

US = 1000
WIDTH = 300
# How exact planned times are if the timer has another clock.
CONVERTED = 20 * US
# name: (options, fault, period of each pair in us)
RUNS = {
    "usual": ("-l 70", "", [1000]), "posix": ("-l 60 -x", "", [1000]),
    "realtime": ("-l 40 -c 1 -i 500", "", [500]),
    "no-sleep": ("-l 64 --sleep=0 -i 500", "", [500]),
    "reads": ("-l 40 --wait=read", "", [1000]),
    "selects": ("-l 40 --wait=select", "", [1000]),
    "epolls": ("-l 40 --wait=epoll -c 1", "", [1000]),
    "busy": ("-l 40 --wait=busy", "", [1000]),
    "busy-closed": ("-l 300 -i 0 --wait=busy --sleep=0 --size=65536", "", [0]),
    "select-late": ("-l 40 --wait=select", "server:select:after:9:7000",
                    [1000]),
    "epoll-late": ("-l 40 --wait=epoll", "server:epoll_wait:after:9:7000",
                   [1000]),
    "udp": ("-l 40 --transport=udp", "", [1000]),
    "udp-closed": ("-l 300 --transport=udp -i 0 --size=65507", "", [0]),
    "udp-pairs": ("-l 40 --transport=udp -t2 -d0 --wait=epoll", "",
                  [1000, 1000]),
    "udp-late": ("-l 40 --transport=udp", "server:recv:after:9:20000",
                 [1000]),
    "unix": ("-l 40 --transport=unix --wait=busy", "", [1000]),
    "unix-large": ("-l 200 --transport=unix -i 0 --size=65536", "", [0]),
    "closed": ("-l 200 -i 0", "", [0]),
    "halved": ("-l 5000 -i 0 --sleep=0", "", [0]),
    "halved-twice": ("-l 4097 -i 0 --sleep=0 --size=3000", "", [0]),
    "pairs": ("-l 40 -t 2 -d 0 -A", "", [1000, 1000]),
    "list": ("-l 30 -t3 -i 700,900", "", [700, 900, 900]),
    "apart": ("-l 30 -t2 -d 300 -i 500", "", [500, 800]),
    "server-late": ("-l 40", "server:nanosleep:after:9:20000", [1000]),
    "posix-late": ("-l 40 -x", "server:nanosleep:after:9:20000", [1000]),
    "client-late": ("-l 40", "client:clock_nanosleep:after:9:7000", [1000]),
    "posix-wakes": ("-l 40 -x", "client:sigwaitinfo:after:9:7000", [1000]),
    "raw": ("-l 40 -c monotonic_raw", "", [1000]),
    "tai": ("-l 40 -c tai -x", "", [1000]),
    "boottime": ("-l 40 -c boottime -t2 -d0 -A", "", [1000, 1000]),
    "tsc": ("-l 40 -c tsc --timer=timerfd", "", [1000]),
    "tsc-closed": ("-l 100 -c tsc -i 0", "", [0]),
    "timerfd": ("-l 40 --timer=timerfd", "", [1000]),
    "timerfd-realtime": ("-l 30 --timer=timerfd -c 1", "", [1000]),
    "timerfd-late": ("-l 40 --timer=timerfd", "client:read:after:9:7000",
                     [1000]),
    "tsc-late": ("-l 40 -c tsc --timer=timerfd",
                 "server:nanosleep:after:9:20000", [1000]),
    "raw-late": ("-l 40 -c monotonic_raw",
                 "client:clock_nanosleep:after:9:7000", [1000]),
    "tai-late": ("-l 40 -c tai -x", "client:sigwaitinfo:after:9:7000",
                 [1000]),
    "beyond-the-log": ("-l 5", "server:send:before:2:201000", [1000]),
}


@pytest.mark.parametrize("name", RUNS)
def test_results_are_those_of_the_cycles(run, shim, name):
    options, fault, periods_us = RUNS[name]
    pairs, sleep_us = len(periods_us), 0 if "--sleep=0" in options else 100
    if "udp" in options:
        options += " --timeout=9000000"     # a busy machine loses no cycle
    done = run("-q", "-v", "-N", "--metrics=all", "--warmup=0", "--json=json",
               "-h", WIDTH, "--histfile=histogram", "--trltp-log=log",
               *options.split(), env=shim(*fault.split()))
    if "tsc" in options and not outside.has_counter():
        assert done.stderr.startswith("FATAL: --clock=tsc: ")
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    columns = [metric for metric in results.METRICS
               if periods_us[0] or metric not in results.TIMED]
    json = results.loaded(done)
    of_pairs = results.cycles(done.stdout, columns)
    assert len(of_pairs) == pairs
    assert json["num_threads"] == pairs * len(columns)
    assert json["resolution_in_ns"] == 1
    rows, lists = results.histogram_text(
        [line for line in done.text("histogram").split("\n")[:-1]
         if not line.startswith("# Clock tsc: ")], columns * pairs)
    sections = done.text("log").split("Workers,0\n")[1:]
    assert len(sections) == pairs

    expected_rows, all_missed = {}, 0
    for number, thread in json["thread"].items():
        number = int(number)
        pair, metric = divmod(number, len(columns))
        metric = columns[metric]
        period, sleep = periods_us[pair] * US, sleep_us * US
        values = of_pairs[pair]
        assert (thread["pair"], thread["metric"], thread["interval_us"]) == \
            (pair, metric, periods_us[pair])
        results.assert_statistics(
            thread, values,
            {"interval": period, "sleep": sleep}.get(metric, 0))
        assert list(thread["phases"]) == columns
        base = results.first_row(metric, WIDTH, periods_us[pair], sleep_us)
        own = results.histogram([one[metric] for one in values], base, WIDTH)
        assert thread["histogram"] == \
            {str(us): own[us] for us in sorted(own)}
        for us, count in own.items():
            expected_rows.setdefault(us, [0] * json["num_threads"])[number] \
                = count
        beyond = [i for i, one in enumerate(values)
                  if one[metric] // US not in own]
        assert lists["at"][number] == beyond[:100]
        for of in "Min", "Max":
            assert lists[f"{of} Latencies"][number] == thread[of.lower()]
        # Cut, where the JSON is rounded.
        assert lists["Avg Latencies"][number] == int(
            sum(one[metric] for one in values) / len(values))
        if metric == columns[0]:
            slack = CONVERTED if any(
                clock in options for clock in results.CONVERTED) else 0
            missed = results.assert_identities(values, period, sleep, slack)
            reported = json["twoway"]["pairs"][pair]["missed"]
            assert missed <= reported
            # What the last cycle missed is before no other.
            last = values[-1].get("planned", 0) + slack
            assert reported - missed <= (last // period if period else 0)
            all_missed += reported
            if sleep_us == 100 and period == 1000 * US:
                lines = sections[pair].splitlines()
                assert lines[0] == (f"Pair,{pair}" if pairs > 1 else "")
                results.assert_log(lines, values)
    assert not fault or all_missed > 3
    assert rows == dict(sorted(expected_rows.items()))
    assert (f"# Missed: {all_missed}" in done.stdout.splitlines()) == \
        bool(all_missed)


@pytest.mark.parametrize("options", [("-t2", "-d0"), ("-t2",), ("-l", 90),
                                     ("-t3", "-i0"), ("-N", "-t2")])
def test_table_of_phases_pools_all_pairs(run, options):
    """min, avg, max, std of the table from those of each pair."""
    done = run("-q", "-l", 30, "--json=json", *options)
    json = results.loaded(done)
    text = results.text(done.stdout, "-N" in options)
    threads = list(json["thread"].values())
    names = [name for name in results.PHASES
             if name not in results.TIMED or "-i0" not in options]
    assert list(text.phases) == names
    for name in names:
        of = [thread["phases"][name] for thread in threads]
        least, most, mean, deviation = results.pooled(of)
        found = text.phases[name]
        assert (found[0], found[2]) == (least, most)
        assert found[1] in (int(mean - 0.001), int(mean + 0.001))
        assert abs(found[3] - deviation) < 0.06 + 0.01 * len(of), name
    assert len(text.threads) == len(threads)
