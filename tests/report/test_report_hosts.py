# SPDX-License-Identifier: GPL-2.0-or-later
"""Client and server on two hosts: what is read, and what the tables say."""

import os
import shlex
import shutil
import subprocess

import made
import made_hosts
import pytest
from made_hosts import ROWS, TABLE, remarks, results, shifted, write

import twowaytest

HOSTS = "Hosts of client and server"


@pytest.mark.parametrize("metric", ["network", "sleep", "response", "total",
                                    "wakeup", "planned"])
def test_dump(report, hosts_dump, metric):
    """The server's clock is elsewhere; only its differences count."""
    found = results(report, hosts_dump)
    label = dict(zip(made.METRICS, made.LABELS)) | {
        "network": "Network Time"}
    [row] = found[label[metric]]
    values = made.values(ROWS)[metric]
    assert row["cycles"] == str(len(values))
    assert (row["min"], row["avg"], row["max"]) == (
        made.us(min(values)), made.us(made.mean(values)),
        made.us(max(values)))
    assert row["p90"] == made.us(made.percentile(values, "90"))


@pytest.mark.parametrize("file", ["hosts_json", "hosts_dump"])
def test_no_one_way_times(report, request, file):
    """Nothing compares the two clocks."""
    path = request.getfixturevalue(file)
    found = results(report, path)
    assert "Network Time" in found
    assert not {"Send Time", "Receive Time"} & set(found)


def test_server_whose_clock_is_behind(report):
    rows = made_hosts.cycles(2000, ahead=-10**12 + 5)
    write(report, "y.csv", made.dump(rows))
    [row] = results(report, "y.csv")["Network Time"]
    assert row["max"] == made.us(max(made.values(rows)["network"]))


def test_one_host(report):
    write(report, "y.csv", made.dump(made.cycles(300)))
    found = results(report, "y.csv")
    assert TABLE not in found and HOSTS not in found


def test_network_is_beside_the_others(report, hosts_json):
    """Where it stands for send and receive, and only there."""
    from report import args
    from report.draw import figures
    from twoway.read.runs import read_all
    write(report, "y.csv", made.dump(made.cycles(300)))
    for names, shown in (([hosts_json], True), (["y.csv"], False),
                         ([hosts_json, "y.csv"], True)):
        options = args.parse(["-t", "-", *map(str, names)])
        runs, _ = read_all(options.files, options)
        assert ("network" in figures.few(runs)) == shown


def test_both_agree(report, hosts_json, hosts_dump):
    """JSON and dump are one run."""
    found = results(report, hosts_json, hosts_dump)
    assert [row["system"] for row in found["Network Time"]] == ["x"]


def facts(found, side, system="x"):
    return {row["what"]: row[system] for row in found[HOSTS]
            if row["of"] == side}


def test_both_hosts(report, hosts_json):
    found = results(report, hosts_json)
    assert facts(found, "client") == {
        "host": "host", "kernel": "6.1", "preemption": "?",
        "online CPUs": "?", "isolated CPUs": "?", "governor": "performance",
        "clock source": "?", "twowaytest": "0.10", "CPUs": "4",
        "policy": "fifo", "priority": "98", "page faults": "0",
        "context switches": "7", "CPU time in us": "?",
        "throttled cycles": "?", "findings of --check": "smt"}
    assert facts(found, "server") == {
        "host": "10.0.0.2", "kernel": "6.12-rt", "preemption": "PREEMPT_RT",
        "online CPUs": "0-3", "isolated CPUs": "?", "governor": "?",
        "clock source": "?", "twowaytest": "0.11", "CPUs": "3",
        "policy": "rr", "priority": "40", "page faults": "5",
        "context switches": "7", "CPU time in us": "600",
        "throttled cycles": "0", "findings of --check": "idle, governor"}


def test_several_systems_side_by_side(report, hosts_json):
    far = made_hosts.peer({"priority": 50, "cpus": "2"},
                          {"priority": 51, "cpus": "2"})
    far["system"]["release"] = "6.13"
    write(report, "y.json", made_hosts.twoway(ROWS, far=far,
                                              connect="10.0.0.3"))
    found = results(report, hosts_json, "y.json")
    assert facts(found, "server", "y")["priority"] == "50 51"
    assert facts(found, "server", "y")["CPUs"] == "2"
    assert facts(found, "server")["priority"] == "40"
    rows = {row["what"]: (row["of"], row["x"], row["y"])
            for row in found["What differs between the runs"]}
    assert rows["server priority"] == ("settings", "40", "50 51")
    assert rows["server's host"] == ("system", "10.0.0.2", "10.0.0.3")
    assert rows["server's release"] == ("system", "6.12-rt", "6.13")
    assert "connect" not in rows


def said(report, far):
    write(report, "x.json", made_hosts.twoway(ROWS, far=far))
    return remarks(results(report, "x.json"))


def test_findings_on_the_servers_host(report):
    far = made_hosts.peer()
    assert "server's host: idle, governor" in said(report, far)
    far["system"]["findings"] = []
    del far["throttled"]        # not known
    assert not any("server's host" in text for text in said(report, far))


def test_disturbances_of_the_servers_host(report):
    found = said(report, made_hosts.peer(
        throttled=3, others=made_hosts.others(2, 7.5)))
    assert "server's host: throttled cycles: 3" in found
    assert "server's host: others used 7.5 % of CPU 2, hog 7.0 %" in found
    text = report("-t", "-", "x.json", "y=x.json").stdout.split("## ")[0]
    assert "server's host: others used 7.5 %" in text
    assert "throttled cycles: 3" in text


def test_server_that_told_nothing(report):
    assert "the server's host did not send its results" in said(report, None)
    found = results(report, "x.json")
    known = facts(found, "server")
    assert known.pop("host") == "10.0.0.2"
    assert set(known.values()) == {"?"}
    assert facts(found, "client")["priority"] == "98"


def test_cause_on_either_host(report):
    """A sentence and a table of each."""
    piece = {"at_ns": 0, "ns": 9000, "state": "runnable", "cpu": 1,
             "who": "hog", "pid": 9}
    cause = {"host": "near", "phase": "network", "side": "client", "pid": 7,
             "state": "runnable", "cause": "network +9 us",
             "timeline": [piece], "contributors": [piece]}
    broken = {"metric": "response", "cycle": 4, "pair": 0,
              "values": {"response": 160_000},
              "trace_file": "x", "cause": cause}
    far = broken | {"cause": cause | {"host": "far", "phase": "sleep",
                                      "side": "server",
                                      "cause": "sleep +8 us"}}
    data = made_hosts.twoway(ROWS, far=made_hosts.peer(breaks=[far]))
    data["twoway"]["breaks"] = [broken]
    write(report, "x.json", data)
    assert "Cause on host near: network +9 us. Cause on host far: sleep " \
        "+8 us." in report("-t", "-", "x.json").stdout
    found = results(report, "x.json")
    for title, side in (("network of the cycle that broke on host near",
                         "client"),
                        ("sleep of the cycle that broke on host far",
                         "server")):
        [row] = found[f"x: {title}"]
        assert (row[f"the {side}"], row["cause"]) == ("runnable", "yes")


def test_bad_members_are_named(refused):
    far = made_hosts.peer({}, {"priority": [1]})
    write(refused, "x.json", made_hosts.twoway(ROWS, far=far))
    assert "member twoway.peer.pairs[1].server.priority" in refused(
        "-t", "-", "x.json")


def test_the_json_tells_of_two_clocks(report):
    """Times of a dump may look as if there were one."""
    rows = made_hosts.cycles(300, ahead=0)
    write(report, "x.csv", made.dump(rows))
    assert "Send Time" in results(report, "x.csv")
    write(report, "x.json", made_hosts.twoway(rows))
    assert "Send Time" not in results(report, "x.json", "x.csv")


def test_gate_of_network(report, hosts_json):
    """One host and two are not to be compared; two runs of two hosts are."""
    slower = [shifted(row, 0, 60_000, 0) for row in ROWS]
    for name, rows in (("x", ROWS), ("y", slower)):
        write(report, f"{name}.csv", made.dump(rows))
    report("--gate", "-m", "network", "x.csv", "a=x.csv", "y.csv", status=2)
    report("--gate", "-m", "network", "-d", "30", "a=x.csv", "b=x.csv")


def test_gate_refuses_one_clock_beside_two(refused):
    """Of a dump, its columns tell."""
    write(refused, "x.json", made_hosts.twoway(ROWS))
    write(refused, "x.csv", made.dump(ROWS))
    write(refused, "y.json", made.twoway(made.cycles(2000)))
    for name in ("x.json", "x.csv"):
        assert "clocks two / one" in refused("--gate", name, "y.json")


def test_dump_alone_is_of_two_clocks(report, hosts_dump):
    write(report, "y.csv", made.dump(made.cycles(300)))
    write(report, "z.json", made_hosts.twoway(ROWS, total="trltp3"))
    found = results(report, hosts_dump, "y.csv", "z.json")
    [row] = [row for row in found["What differs between the runs"]
             if row["what"] == "total"]
    assert row["x"] == "documented"
    # What is not known of y is no difference.
    assert "clocks" not in str(found["What differs between the runs"])


def test_page_has_figure_and_tables(report, hosts_json):
    report("-o", "r.html", hosts_json)
    page = (report.directory / "r.html").read_text()
    assert '<figure id="phases">' in page
    for title in (TABLE, HOSTS):
        assert title in page


def measured(report, *options):
    """A real run to r.json and r.csv; both hosts are this one."""
    path = os.path.dirname(twowaytest.binary())
    rsh = shlex.join(["exec", "env", f"PATH={path}:{os.environ['PATH']}"])
    done = subprocess.run(
        [twowaytest.binary(), "--connect=127.0.0.1", f"--rsh={rsh}", "-q",
         "--json=r.json", "--dump=r.csv", *options], cwd=report.directory,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("more", [
    (), ("--stamps=all",), ("--transport=udp", "--load-side=server",
                            "--load=fft")])
def test_real_run(report, more):
    """Two pairs."""
    measured(report, "-l", "1200", "-t", "2", "-h", "10000", *more)
    text = report("-t", "-", "r.json", "r.csv", "b=r.csv", "c=r.json").stdout
    found = made.tables(text.replace("virtual, ", ""))
    system = "r"
    far, near = (facts(found, side, system) for side in ("server", "client"))
    for key in ("kernel", "preemption", "online CPUs", "twowaytest", "CPUs",
                "policy", "priority"):
        assert far[key] == near[key] != "?"
    assert far["host"] == "127.0.0.1"
    for name in ("average", "cycles at p99", "longest cycle"):
        row = row_of(found, name, system)
        whole, *parts = (float(row[key])
                         for key in ("whole", *made_hosts.PARTS))
        assert whole == pytest.approx(sum(parts), abs=0.2)
        if "--stamps=all" in more:
            assert sum(map(float, list(row.values())[4:])) == pytest.approx(
                float(row["network"]), abs=0.3)
    # The program computes the parts as its dump tells them, but for the first
    # wakeup, which the dump does not know.
    known, told = (row_of(found, "average", name)
                   for name in (system, "c"))
    for key in known.keys() - {"whole", "wakeup"}:
        assert float(known[key]) == pytest.approx(float(told[key]), abs=0.11)


@pytest.mark.skipif(not shutil.which("unshare") or os.geteuid(),
                    reason="needs root, for a network of its own")
@pytest.mark.parametrize("mode", ["off", "rx", "all"])
def test_real_reflection(report, mode):
    """The kernel answers, so there is no server on either host."""
    command = shlex.join([
        twowaytest.binary(), "--connect=127.0.0.1", "--reflect=icmp", "-q",
        "-l", "300", "--json=r.json", "--dump=r.csv", f"--stamps={mode}"])
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c",
         f"ip link set lo up && exec {command}"], cwd=report.directory,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    text = report("-t", "-", "r.json", "r.csv", "b=r.csv", "c=r.json").stdout
    found = made.tables(text.replace(" (virtual)", ""))
    assert {row["cycles"] for row in found["Response Time"]} == {"300"}
    for title in ("Send Time", "Network Time", "Total Jitter", HOSTS, TABLE):
        assert title not in found
    assert not any("clocks of their own" in one for one in remarks(found))
    times = {row["time"]: row for row in found.get("Kernel timestamps", ())
             if row["system"].startswith("r")}
    assert (not times) == (mode == "off")
    if mode == "all":
        assert float(times["client_stack"]["avg"]) + float(
            times["wire_and_device"]["avg"]) == pytest.approx(
                float(times["response"]["avg"]), abs=0.01)
    if mode != "off":
        assert float(times["response_to_rx"]["avg"]) + float(
            times["client wake_in"]["avg"]) == pytest.approx(
                float(times["response"]["avg"]), abs=0.01)


def row_of(found, name, system):
    """Of the table of parts, without what it is of."""
    [row] = [row for row in found[TABLE]
             if (row["system"], row["of"]) == (system, name)]
    return {key: cell for key, cell in row.items()
            if key not in ("system", "of")}
